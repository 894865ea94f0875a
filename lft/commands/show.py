"""`lft show`: one trial: request, answer, end."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from lft import suites
from lft.commands.dispatch import RunCommand, tell
from lft.core.errors import InputError, shown
from lft.core.runs import ANSWERED, DONE, NOT_APPLICABLE, Run
from lft.core.suite import Told
from lft.core.terminal import printable

_MOST_LISTED = 30


@click.command(cls=RunCommand)
@click.argument("run_folder", metavar="RUN", type=click.Path(path_type=Path))
@click.argument("trial_id", metavar="[TRIAL]", required=False)
@click.option(
    "--out", type=click.Path(path_type=Path), help="Folder for the contact sheet; the run's own by default."
)
@click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout.")
def show(run_folder: Path, trial_id: str | None, out: Path | None, as_json: bool, **options: object) -> None:
    """One trial: the request, the answer, and its comparison with the truth.

    TRIAL is the trial's id in responses.jsonl, a unique part of it, or the name of its video;
    without it the trials are listed. The words are checked against the stored hash; the frames are put
    on a contact sheet.
    """
    run = Run.open(run_folder)
    if trial_id is None:
        listed = _listed(run)
        tell(Told({"run": str(run.folder), "trials": listed}, _list(run, listed)), as_json)
        return
    trial = _find(run, trial_id, options)
    if not any(line["trial"] == trial for line in run.lines()):
        what, remedy = "was not asked yet", "lft sweep first"
        if run.manifest.get("imported"):
            what, remedy = "was imported without an answer", "importing one"
        raise InputError(f"{shown(trial)} {what}", where=run_folder, remedy=remedy)
    tell(suites.of_run(run).show(run, trial, out, options), as_json)


def _listed(run: Run) -> list[dict[str, str]]:
    """Every trial, planned or asked, with its state: answered, not_applicable, failed or not_asked."""
    status = dict.fromkeys(run.trials(), "not_asked")
    for line in run.lines():
        settled = line.get("status") in (ANSWERED, NOT_APPLICABLE, DONE)
        if settled or status.get(line["trial"], "not_asked") == "not_asked":
            how = ANSWERED if line["status"] == DONE else str(line["status"])
            status[line["trial"]] = how if settled else "failed"
    return [{"trial": trial, "status": how} for trial, how in status.items()]


def _list(run: Run, listed: Sequence[Mapping[str, str]]) -> str:
    lines = [f"{one['status']:<15} {printable(one['trial'])}" for one in listed[:_MOST_LISTED]]
    if len(listed) > _MOST_LISTED:
        lines.append(f"and {len(listed) - _MOST_LISTED} more (--json has all)")
    if listed:
        lines.append(f"next: lft show {run.folder} '{printable(listed[0]['trial'])}'")
    return "\n".join(lines or [f"{run.folder} has no trials"])


def _find(run: Run, wanted: str, options: Mapping[str, Any]) -> str:
    known: dict[str, None] = dict.fromkeys([*run.trials(), *(line["trial"] for line in run.lines())])
    if wanted in known:
        return wanted
    near: list[str] = [name for name in known if wanted and wanted in name]
    if not near and wanted:
        part = suites.of_run(run).part_of_id(run, wanted, options)
        near = [name for name in known if part in name]
    if len(near) == 1:
        return near[0]
    if near:
        some = ", ".join(near[:4]) + (", ..." if len(near) > 4 else "")
        raise InputError(
            f"{shown(wanted)} fits {len(near)} trials", where=run.folder, expected=f"one of {some}"
        )
    nearest = difflib.get_close_matches(wanted, list(known), n=3, cutoff=0.0)
    expected = ", ".join(nearest) or "a run with trials"
    raise InputError(f"unknown trial {shown(wanted)}", where=run.folder, expected=expected)
