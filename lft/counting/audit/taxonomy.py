"""The kind of every event: matched, missed, merged, hallucinated, displaced or misidentified.

Identities: matched + missed = true events; matched + hallucinated = reported ones. The other kinds are marked
within these: merged and displaced events are among the missed, displaced reports among the hallucinated,
misidentified ones among the matched. The published counts read the same way.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from lft.counting.domains import domain_of_event, named
from lft.counting.match import Matching
from lft.counting.reported import ReportedEvent
from lft.counting.trace import Event


@dataclass(frozen=True)
class Taxonomy:
    """Positions in the list of true events (missed, merged) or of reports (hallucinated, misidentified).

    `displaced` holds (reported_index, true_index): a report and an event, both unmatched, that stand in the
    same place in order between the same matched neighbours. `entries` holds the merged events once more, each with
    the report that stands for it, nearest first.
    """

    missed: tuple[int, ...]
    merged: tuple[int, ...]
    hallucinated: tuple[int, ...]
    displaced: tuple[tuple[int, int], ...]
    misidentified: tuple[int, ...]
    entries: tuple[tuple[int, int], ...] = ()


def classify(
    true_events: Sequence[Event],
    reported: Sequence[ReportedEvent],
    matching: Matching,
    tolerance_s: float | Sequence[float],
    reach_s: float = math.inf,
) -> Taxonomy:
    """Classifies every true and reported event; a displaced report is at most `reach_s` away."""
    matched_true = {p.true_index for p in matching.pairs}
    matched_reported = {p.reported_index for p in matching.pairs}
    missed = tuple(i for i in range(len(true_events)) if i not in matched_true)
    invented = tuple(i for i in range(len(reported)) if i not in matched_reported)
    entries = _merged(true_events, reported, missed, matched_reported, tolerance_s) if missed else ()
    merged = tuple(sorted(true_index for _, true_index in entries))
    lone = [i for i in missed if i not in merged]
    return Taxonomy(
        missed,
        merged,
        invented,
        tuple(_displaced(true_events, reported, matching, lone, invented, reach_s))
        if lone and invented
        else (),
        tuple(
            p.reported_index
            for p in matching.pairs
            if misidentifies(reported[p.reported_index].label, true_events[p.true_index])
        ),
        entries,
    )


def _merged(
    true_events: Sequence[Event],
    reported: Sequence[ReportedEvent],
    missed: Sequence[int],
    matched_reported: set[int],
    tolerance_s: float | Sequence[float],
) -> tuple[tuple[int, int], ...]:
    """Missed events for which a report that spans an interval, or says that it covers several, stands as
    well: (reported_index, true_index), of each report the nearest first.
    """
    reach_s = tolerance_s if isinstance(tolerance_s, Sequence) else (tolerance_s,) * len(true_events)
    merged: dict[int, int] = {}
    for index, report in enumerate(reported):
        if report.end_s is None and report.covers == 1:
            continue
        free = [i for i in missed if i not in merged]
        paired = index in matched_reported
        if report.end_s is not None:
            start_s = 2 * report.time_s - report.end_s
            inside = [
                i
                for i in free
                if start_s - reach_s[i] - 1e-6 <= true_events[i].time_s <= report.end_s + reach_s[i] + 1e-6
            ]
        else:
            inside = free
        inside.sort(key=lambda i: abs(true_events[i].time_s - report.time_s))
        if report.covers > 1:
            inside = inside[: report.covers - paired]
        elif not paired and len(inside) == 1:
            continue  # one report for one event beside it: that is a displaced event
        merged.update(dict.fromkeys(inside, index))
    return tuple((report_index, true_index) for true_index, report_index in merged.items())


def _displaced(
    true_events: Sequence[Event],
    reported: Sequence[ReportedEvent],
    matching: Matching,
    missed: Sequence[int],
    invented: Sequence[int],
    reach_s: float,
) -> list[tuple[int, int]]:
    """Pairs the missed and the invented in order, separately in each gap between matched neighbours; a pair that is
    farther apart than `reach_s` is none.
    """
    single = [i for i in invented if reported[i].covers == 1]
    marks = sorted(
        (true_events[p.true_index].time_s, reported[p.reported_index].time_s) for p in matching.pairs
    )
    true_marks, reported_marks = [m[0] for m in marks], [m[1] for m in marks]
    gaps_true = _by_gap(missed, [true_events[i].time_s for i in missed], true_marks)
    gaps_reported = _by_gap(single, [reported[i].time_s for i in single], reported_marks)
    return [
        pair
        for gap, events in gaps_true.items()
        for pair in _in_order(
            gaps_reported.get(gap, []),
            events,
            [e.time_s for e in true_events],
            [r.time_s for r in reported],
            reach_s,
        )
    ]


def _in_order(
    reports: Sequence[int],
    events: Sequence[int],
    true_s: Sequence[float],
    reported_s: Sequence[float],
    reach_s: float,
) -> list[tuple[int, int]]:
    """(reported, true) pairs of two runs in order of time: the first with the first, if any distance will do; else the
    next two that lie within reach of each other.
    """
    if reach_s == math.inf:
        return list(zip(reports, events, strict=False))
    pairs, i, j = [], 0, 0
    while i < len(reports) and j < len(events):
        apart_s = reported_s[reports[i]] - true_s[events[j]]
        if abs(apart_s) <= reach_s:
            pairs.append((reports[i], events[j]))
            i, j = i + 1, j + 1
        elif apart_s > 0:
            j += 1
        else:
            i += 1
    return pairs


def _by_gap(indices: Sequence[int], times_s: Sequence[float], marks: Sequence[float]) -> dict[int, list[int]]:
    from bisect import bisect_left

    gaps: dict[int, list[int]] = {}
    for time_s, index in sorted(zip(times_s, indices, strict=True)):
        gaps.setdefault(bisect_left(marks, time_s), []).append(index)
    return gaps


_LONGEST_LABEL = 500


def misidentifies(label: str | None, event: Event) -> bool:
    """Whether a label gives a wrong attribute of the event, by the rule of the event's domain.

    A label without an attribute is not wrong, nor is any label of a domain without a rule.

    >>> from dataclasses import replace
    >>> change = Event(0, 1.0, 1.0, 30, "transition", "B", "D", 1, (30, 60))
    >>> misidentifies("from State B to State D", change), misidentifies("B -> C", change)
    (False, True)
    >>> misidentifies("B -> C", replace(change, type="clap"))
    False
    """
    known = domain_of_event(event.type)
    if not label or known is None or not known.contradicts:
        return False
    return bool(named(known.contradicts)(label[:_LONGEST_LABEL], event))
