"""Runs in the same folder that asked about the same clips: candidates for one report."""

from __future__ import annotations

from pathlib import Path

from lft.core.errors import InputError
from lft.core.runs import Run

_MOST_LOOKED_AT = 100  # folders beside a run
_MOST = 4  # runs in one report: more are hard to compare on a page


def scored_together(run: Run) -> list[Path]:
    """Folders of `run` and of the scored runs beside it that share a clip with it, by name; only `run` if there are
    none, or more than four in all. Imported runs and runs of a sweep are not put together.
    """
    clips = set((run.own.get("clips") or {}).items())
    found = [run.folder]
    beside = sorted(path.parent for path in run.folder.parent.glob("*/scores.csv"))
    for folder in beside[:_MOST_LOOKED_AT]:
        if folder.resolve() == run.folder.resolve():
            continue
        try:
            other = Run.open(folder)
        except (InputError, OSError):
            continue  # not a run, or one that cannot be read: nothing to propose
        if bool(other.manifest.get("imported")) != bool(run.manifest.get("imported")):
            continue
        if clips & set((other.own.get("clips") or {}).items()):
            found.append(folder)
    return sorted(found) if len(found) <= _MOST else [run.folder]
