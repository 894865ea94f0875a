"""The rate at which a provider sampled native video, as given by the user.

`lft sweep --native-rate` stores it in the run's manifest, `lft score --native-rate` in native.json beside it, which
has precedence.
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
    """The given rate of a run in Hz, or None."""
    path = run.folder / FILE
    later = read_json(path) if path.is_file() else {}
    return _rate(later.get("native_rate_hz") if isinstance(later, dict) else None) or _rate(run.own.get(SAID))


def say_rate_hz(run_folder: Path, rate_hz: float) -> None:
    """Stores the rate with the run, for tables, page and audit."""
    write_json(run_folder / FILE, {"native_rate_hz": rate_hz})


def _rate(value: Json) -> float | None:
    known = isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < float("inf")
    return float(value) if known else None
