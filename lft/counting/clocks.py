"""The clocks of a run: one for each model and condition, from its answers (see `lft.counting.audit.clock`)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from lft.core.conditions import ModelCondition, condition_of
from lft.core.runs import ANSWERED
from lft.counting.audit.clock import MOST_CLIPS, Clocks, Told, clocks_of
from lft.counting.metrics import window_s
from lft.counting.reader import Reader
from lft.counting.reported import Reported, Unparsed
from lft.counting.trace import Trace


def condition_clocks(
    lines: Iterable[Mapping[str, Any]],
    reader: Reader,
    trace_of: Callable[[str], Trace],
    rule: str,
    tolerance: str | float,
    *,
    only: ModelCondition | None = None,
) -> dict[ModelCondition, Clocks | None]:
    """The clocks of every condition (or of `only` one) among the lines of answers, None where none can be told."""
    groups: dict[ModelCondition, list[Mapping[str, Any]]] = {}
    for line in lines:
        key = line.get("key") or {}
        condition = condition_of(key)
        if line.get("status") == ANSWERED and only in (None, condition):
            groups.setdefault(condition, []).append(line)
    found: dict[ModelCondition, Clocks | None] = {}
    for condition, answers in groups.items():
        answers.sort(key=lambda line: str(line.get("trial")))
        step = max(1, len(answers) // (2 * MOST_CLIPS))  # some list nothing, or are of clips without events
        told = []
        for line in answers[::step]:
            trace = trace_of(str(line["key"].get("clip")))
            if trace.spec.timed and trace.events:
                report = reader.read(line, rule).report
                told.append(told_of(report, trace, window_s(tolerance, trace)))
        found[condition] = clocks_of([one for one in told if one is not None])
    return found


def told_of(report: Reported | Unparsed, trace: Trace, width_s: float | tuple[float, ...]) -> Told | None:
    """The times of one answer; None where it reports none, or nothing happened."""
    if not isinstance(report, Reported) or not report.events or not trace.events or not trace.spec.timed:
        return None
    return Told(trace.clip_id, trace.times_s, tuple(sorted(report.times_s)), width_s)
