"""The labels that judges left beside a run: RUN/judge/MODEL/labels.csv, written by `lft judge`."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from lft.agents.ladder import STAGE_BY
from lft.core.runs import Run


def stages_of(run: Run, trial: str) -> dict[str, str]:
    """Column -> stage at which an episode failed, for each judge that named one."""
    return {
        STAGE_BY + path.parent.name: stages[trial]
        for path in sorted(run.folder.glob("judge/*/labels.csv"))
        if trial in (stages := _stages(path, path.stat().st_mtime_ns))
    }


@lru_cache(maxsize=32)
def _stages(path: Path, changed: int) -> Mapping[str, str]:
    with open(path, newline="", encoding="utf-8") as file:
        return {row["trial"]: row["stage"] for row in csv.DictReader(file) if row.get("stage")}
