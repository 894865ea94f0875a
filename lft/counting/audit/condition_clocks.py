"""The clocks of a run: one for each model and condition, from its answers (see `lft.counting.audit.clock`)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from lft.core.conditions import ModelCondition, condition_of
from lft.core.records import JsonObject, Line
from lft.core.runs import ANSWERED
from lft.counting.audit.account import Evidence
from lft.counting.audit.clock import MOST_CLIPS, Clocks, Told, clocks_of, f1_of
from lft.counting.audit.columns import CeilingOf
from lft.counting.metrics import window_s
from lft.counting.reader import Reader
from lft.counting.reported import Reported, Unparsed
from lft.counting.trace import Trace


def condition_clocks(
    lines: Iterable[Line],
    reader: Reader,
    trace_of: Callable[[str], Trace],
    rule: str,
    tolerance: str | float,
    ceiling_of: CeilingOf,
    *,
    only: ModelCondition | None = None,
) -> dict[ModelCondition, Clocks | None]:
    """The clocks of every condition (or of `only` one) among the lines of answers; None if there are too few.

    `ceiling_of` is that of `lft.counting.audit.columns.ceilings_of`.
    If the supplied frames are known, times are compared only with the events that they show.
    """
    groups: dict[ModelCondition, list[Line]] = {}
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
                if one := told_of(report, trace, window_s(tolerance, trace)):
                    shown = ceiling_of(line["key"], line)
                    told.append(beside_shown(one, shown.evident) if shown else one)
        found[condition] = clocks_of(told)
    return found


def told_of(report: Reported | Unparsed, trace: Trace, width_s: float | tuple[float, ...]) -> Told | None:
    """The times of one answer; None without reports or events."""
    if not isinstance(report, Reported) or not report.events or not trace.events or not trace.spec.timed:
        return None
    return Told(trace.clip_id, trace.times_s, tuple(sorted(report.times_s)), width_s)


def beside_shown(told: Told, evident: Sequence[bool]) -> Told:
    """The same answer with only the events that the frames show; with all events if none is shown, or if the length of
    the list is nearer to their number.
    """
    shown = tuple(t for t, seen in zip(told.true_s, evident, strict=True) if seen)
    said = len(told.reported_s)
    if not shown or abs(len(told.true_s) - said) < abs(len(shown) - said):
        return told
    wide = told.window_s
    if isinstance(wide, tuple):
        wide = tuple(w for w, seen in zip(wide, evident, strict=True) if seen)
    return Told(told.clip, shown, told.reported_s, wide)


def clock_columns(
    report: Reported | Unparsed,
    trace: Trace,
    width_s: float | tuple[float, ...],
    clocks: Clocks,
    evident: Evidence | None,
) -> JsonObject:
    """The columns of one answer's clock; empty where it reports no times."""
    told, clock = told_of(report, trace, width_s), clocks.of(trace.clip_id)
    if told is None:
        return {}
    beside = beside_shown(told, evident.evident) if evident else told
    return {**clock.columns(), "clock_f1": f1_of(told, clock), "clock_p": clocks.chance(beside)}
