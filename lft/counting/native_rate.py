"""At which rate a provider sampled native video, where its adapter does not know and the user says it.

`lft sweep --native-rate` keeps it in the run's manifest, `lft score --native-rate` in native.json beside it, which
comes first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lft.core.files import read_json, write_json
from lft.core.records import Json

if TYPE_CHECKING:
    from pathlib import Path

    from lft.core.runs import Run

FILE = "native.json"
SAID = "native_rate_said_hz"  # the entry of a manifest


def said_rate_hz(run: Run) -> float | None:
    """What was said of a run, in Hz; None if nothing was."""
    path = run.folder / FILE
    later = read_json(path) if path.is_file() else {}
    return _rate(later.get("native_rate_hz") if isinstance(later, dict) else None) or _rate(run.own.get(SAID))


def say_rate_hz(run_folder: Path, rate_hz: float) -> None:
    """Keeps it with the run, so that tables, page and audit go by it too."""
    write_json(run_folder / FILE, {"native_rate_hz": rate_hz})


def _rate(value: Json) -> float | None:
    known = isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < float("inf")
    return float(value) if known else None
