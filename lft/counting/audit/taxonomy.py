"""What became of every event: matched, missed, merged, hallucinated, displaced or misidentified.

Identities: matched + missed = true events; matched + hallucinated = reported ones. The other kinds are marked
within these: merged and displaced events are among the missed, displaced reports among the hallucinated,
misidentified ones among the matched. The published counts read the same way.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from lft.counting.match import Matching
from lft.counting.report import ReportedEvent
from lft.counting.trace import Event


@dataclass(frozen=True)
class Taxonomy:
    """Positions in the list of true events (missed, merged) or of reports (hallucinated, misidentified).

    `displaced` holds (reported_index, true_index): a report and an event, both unmatched, that stand in the
    same place in order between the same matched neighbours.
    """

    missed: tuple[int, ...]
    merged: tuple[int, ...]
    hallucinated: tuple[int, ...]
    displaced: tuple[tuple[int, int], ...]
    misidentified: tuple[int, ...]


def classify(
    true_events: Sequence[Event],
    reported: Sequence[ReportedEvent],
    matching: Matching,
    tolerance_s: float | Sequence[float],
) -> Taxonomy:
    """Sorts every true and every reported event into its kind."""
    matched_true = {p.true_index for p in matching.pairs}
    matched_reported = {p.reported_index for p in matching.pairs}
    missed = tuple(i for i in range(len(true_events)) if i not in matched_true)
    invented = tuple(i for i in range(len(reported)) if i not in matched_reported)
    merged = _merged(true_events, reported, missed, matched_reported, tolerance_s) if missed else ()
    lone = [i for i in missed if i not in merged]
    return Taxonomy(
        missed,
        merged,
        invented,
        tuple(_displaced(true_events, reported, matching, lone, invented)) if lone and invented else (),
        tuple(
            p.reported_index
            for p in matching.pairs
            if misidentifies(reported[p.reported_index].label, true_events[p.true_index])
        ),
    )


def fates(kinds: Taxonomy, true_events: int, reported: int) -> tuple[list[str], list[str]]:
    """What became of each of so many true events, and of so many reported ones.

    True: `matched`, `missed`, `merged` or `displaced`. Reported: `paired`, `misidentified`, `displaced` or `invented`.

    >>> fates(Taxonomy((1, 2), (2,), (0,), ((0, 1),), (1,)), 3, 2)
    (['matched', 'displaced', 'merged'], ['displaced', 'misidentified'])
    """
    true, said = ["matched"] * true_events, ["paired"] * reported
    for found, indices, word in (
        (true, kinds.missed, "missed"),
        (true, kinds.merged, "merged"),
        (true, [t for _, t in kinds.displaced], "displaced"),
        (said, kinds.misidentified, "misidentified"),
        (said, kinds.hallucinated, "invented"),
        (said, [r for r, _ in kinds.displaced], "displaced"),
    ):
        for index in indices:
            found[index] = word
    return true, said


def _merged(
    true_events: Sequence[Event],
    reported: Sequence[ReportedEvent],
    missed: Sequence[int],
    matched_reported: set[int],
    tolerance_s: float | Sequence[float],
) -> tuple[int, ...]:
    """Missed events for which a report that spans an interval, or says that it covers several, stands as
    well.
    """
    reach_s = tolerance_s if isinstance(tolerance_s, Sequence) else (tolerance_s,) * len(true_events)
    merged: set[int] = set()
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
        merged.update(inside)
    return tuple(sorted(merged))


def _displaced(
    true_events: Sequence[Event],
    reported: Sequence[ReportedEvent],
    matching: Matching,
    missed: Sequence[int],
    invented: Sequence[int],
) -> list[tuple[int, int]]:
    """Pairs the missed and the invented in order, separately in each gap between matched neighbours."""
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
        for pair in zip(gaps_reported.get(gap, []), events, strict=False)
    ]


def _by_gap(indices: Sequence[int], times_s: Sequence[float], marks: Sequence[float]) -> dict[int, list[int]]:
    from bisect import bisect_left

    gaps: dict[int, list[int]] = {}
    for time_s, index in sorted(zip(times_s, indices, strict=True)):
        gaps.setdefault(bisect_left(marks, time_s), []).append(index)
    return gaps


_SIDES = {
    "left": "left",
    "right": "right",
    "top": "top",
    "upper": "top",
    "ceiling": "top",
    "bottom": "bottom",
    "lower": "bottom",
    "floor": "bottom",
}
_NAMED = re.compile(r"\b(?:state|node)\b[\s*_`\"':]{0,8}([A-Za-z0-9]{1,3})\b", re.IGNORECASE)
_ARROW = re.compile(r"\b([A-Za-z0-9]{1,3})[\s*_`]{0,8}(?:->|=>|→|⇒|➔|\bto\b)[\s*_`]{0,8}([A-Za-z0-9]{1,3})\b")
_LONGEST_LABEL = 500


def misidentifies(label: str | None, event: Event) -> bool:
    """Whether a label names an attribute of the event, the wall or the states, and names it wrongly.

    A label that names none, or numbers states that have letters, is not wrong.

    >>> contact = Event(0, 1.0, 1.0, 30, "wall_contact", "middle", "left", 1, (30, 30))
    >>> misidentifies("Ball hits the right wall", contact), misidentifies("touches the wall", contact)
    (True, False)
    >>> change = Event(0, 1.0, 1.0, 30, "transition", "B", "D", 1, (30, 60))
    >>> misidentifies("from State B to State D", change), misidentifies("B -> C", change)
    (False, True)
    >>> misidentifies("state 1 to state 2", change)
    False
    """
    if not label:
        return False
    label = label[:_LONGEST_LABEL]
    if event.type == "wall_contact":
        named = {_SIDES[word] for word in re.findall(r"[a-z]+", label.lower()) if word in _SIDES}
        return bool(named) and event.state_after in _SIDES.values() and event.state_after not in named
    if event.type == "transition":
        states = _NAMED.findall(label) or [s for pair in _ARROW.findall(label) for s in pair]
        if not states:
            return False
        before, after = str(states[0]).upper(), str(states[-1]).upper()
        if after.isdigit() != event.state_after.isdigit():
            return False  # numbered in some order of its own ("state 1"), which says nothing of the names
        return after != event.state_after.upper() or (
            len(states) > 1 and before != event.state_before.upper()
        )
    return False
