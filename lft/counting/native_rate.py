"""At which rate a provider sampled native video, where its adapter does not know and the user says it: native.json in
a run.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from lft.core.files import read_json, write_json

FILE = "native.json"


def said_rate_hz(run_folder: Path) -> float | None:
    """What was said of a run, in Hz; None if nothing was."""
    path = run_folder / FILE
    said = read_json(path) if path.is_file() else {}
    rate = said.get("native_rate_hz") if isinstance(said, Mapping) else None
    return float(rate) if isinstance(rate, int | float) and not isinstance(rate, bool) and rate > 0 else None


def say_rate_hz(run_folder: Path, rate_hz: float) -> None:
    """Keeps it with the run, so that tables, page and audit go by it too."""
    write_json(run_folder / FILE, {"native_rate_hz": rate_hz})
