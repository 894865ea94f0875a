"""Settled readings of a run, for its summary."""

from __future__ import annotations

from lft.core.records import JsonObject
from lft.core.runs import Run
from lft.counting.reader import Reader
from lft.counting.settling import settled
from lft.counting.settling.agreement import error_rate
from lft.counting.settling.apply import answered


def of_run(run: Run, reader: Reader) -> JsonObject:
    """{sha256, stale, error_rate}: of the decisions that a run holds, how many are about other texts than it has now,
    and the program's error rate by `lft.counting.settling.agreement`.
    """
    decisions = settled.read(run.folder)
    if not decisions:
        return {"sha256": None, "stale": 0, "error_rate": None}
    lines = answered(run)
    held = [one for one in decisions if one.trial in lines and reader.holds(one, lines[one.trial])]
    current = {one.trial for one in held}
    wanted = {one.trial for one in held if one.drawn.get("kind") == "sample"}
    reports = {trial: reader.by_program(lines[trial]) for trial in wanted}
    return {
        "sha256": settled.digest(run.folder),
        "stale": len({one.trial for one in decisions} - current),
        "error_rate": error_rate(held, reports),
    }
