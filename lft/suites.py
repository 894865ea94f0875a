"""The suites by name, each loaded when it is used. Other installed packages add suites by the entry point
`lft.suites` (`lft.core.plugins`). The suite of a sweep is in its file (`suite:`, default counting), that of a run in
its manifest.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from lft.core import plugins
from lft.core.errors import InputError, unknown_name
from lft.core.suite import Suite
from lft.core.sweeps import read_sweep

if TYPE_CHECKING:
    from lft.core.models.ready import Needs
    from lft.core.records import JsonObject
    from lft.core.runs import Run

SUITES: dict[str, str] = {"counting": "lft.counting.suite:SUITE", "agents": "lft.agents.suite:SUITE"}
DEFAULT = "counting"  # of a sweep file or a run that names none
SUITES |= plugins.plugged(plugins.SUITES, taken=SUITES)


def load(name: object, *, where: object = None) -> Suite:
    """The suite with this name; raises `InputError` for an unknown one."""
    if not isinstance(name, str) or name not in SUITES:
        raise unknown_name("suite", str(name), SUITES, where=where)
    suite: Suite = plugins.loaded(f"the suite {name}", SUITES[name])
    return suite


def of_run(run: Run) -> Suite:
    """The suite of a run; raises `InputError` for an unknown one."""
    return load(run.manifest.get("suite", DEFAULT), where=run.folder)


def of_runs(runs: Sequence[Run]) -> Suite:
    """The suite of several runs; raises `InputError` if they are of more than one."""
    suites = {of_run(run).name: run for run in runs}
    if len(suites) > 1:
        names = ", ".join(f"{name} ({run.folder})" for name, run in suites.items())
        raise InputError(f"runs of several suites: {names}", expected="runs of one suite")
    return of_run(runs[0])


def of_sweep(name: str) -> tuple[Suite, str, JsonObject, Path]:
    """(suite, name, mapping, path) of a sweep, by name or path: see `lft.core.sweeps.read_sweep`."""
    suite, stem, document, path = read_sweep(name)
    return load(DEFAULT if suite is None else suite, where=path), stem, document, path


def needs() -> dict[str, Needs]:
    """The requirements of the providers of the core and all suites."""
    from lft.core.models.ready import NEEDS

    found = dict(NEEDS)
    for suite in _whole():
        found = {**suite.needs(), **found}
    return found


def providers() -> dict[str, str]:
    """The model providers of the core and of all loadable suites; those of the core are never replaced."""
    from lft.core.models import PROVIDERS

    found: dict[str, str] = {}
    for suite in _whole():
        found |= {k: v for k, v in suite.providers.items() if k not in found}
    return {**found, **{k: v for k, v in PROVIDERS.items() if k not in found}}


def _whole() -> Iterator[Suite]:
    """The suites that can be loaded."""
    for name in SUITES:
        with contextlib.suppress(InputError):
            yield load(name)
