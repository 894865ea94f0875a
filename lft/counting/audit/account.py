"""The account of an answer: it splits the difference between N and the answer into its parts, event by event.

    N - answer = not_supplied + shown_unreported + not_known - unsupported - mis_added

    not_supplied      events without evidence in the supplied frames
    shown_unreported  events with evidence that the ledger does not report
    unsupported       counts of the ledger beyond the events with evidence: reported without evidence
    mis_added         answer minus what the ledger counts; above 0 the answer is too high for its own ledger
    not_known         if it is unknown what the frames show (which were supplied, or how long an event is visible):
                      events that the ledger does not report; the first two terms are then unknown, and
                      `unsupported` counts reports of no event

Every term but `mis_added` is at least 0. The account uses the ledger rule, whatever rule the scores use.

- The count of a ledger: its entries, each as often as it covers events (`covers`); if the answer is the number
  of entries, each once. A merged report that counts once leaves the other events that it spans unreported.
- An entry reports the event that it pairs with; or, displaced, the one in its place in order between the same
  neighbours, within reach of the condition's clock (see `lft.counting.audit.clock`); or, merged, the nearest of the
  events that it spans, as many as it counts. Pairs are made with the clock set right, and within its reach where times
  scatter by more than a period. No event is reported twice, and no entry reports more events than it counts.
- Two frames often prove that one of several events between them happened, but not which. A reported event without
  evidence of its own takes that of an unreported neighbour, if no other event with evidence is between them and
  they are at most two frames apart. If times scatter by more than a period, a report does not tell which event
  within the clock's reach it is of: it takes the evidence of the nearest unreported one.
- A report of an event without evidence, right by luck or by inference, is `unsupported`, and the event remains
  `not_supplied`; such events are counted in `guessed`.
- Without a ledger (an answer above 0 without a list), and for clips without event times,
  the account is net: the counted events are assumed to be those with evidence, as far as possible.
- Without a final answer there is no account.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lft.counting.audit.ceiling import Ceiling
from lft.counting.audit.clock import Clock, set_right
from lft.counting.audit.taxonomy import Taxonomy, classify
from lft.counting.match import Matching, match
from lft.counting.reported import Reported, ReportedEvent, Unparsed

if TYPE_CHECKING:
    import numpy.typing as npt

    from lft.counting.trace import Trace

TERMS = ("not_supplied", "shown_unreported", "not_known", "unsupported", "mis_added")
SIGNS = {"not_supplied": 1, "shown_unreported": 1, "not_known": 1, "unsupported": -1, "mis_added": -1}


@dataclass(frozen=True)
class Evidence:
    """The evidence in the supplied frames: a flag per event, and the mean time between two frames, infinite if only the
    number of evident events is known. `frames`: number of frames within the evidence of each event (0 if frames around
    it prove it), or None.
    """

    evident: tuple[bool, ...]
    spacing_s: float
    frames: tuple[int, ...] | None = None

    @property
    def count(self) -> int:
        """Events with evidence."""
        return sum(self.evident)

    @classmethod
    def of(cls, found: Ceiling, trace: Trace, supplied: npt.NDArray[np.intp] | None = None) -> Evidence:
        """The evidence of a ceiling; `supplied` are the frame indices, increasing."""
        frames = None
        if supplied is not None and trace.events:
            first = np.searchsorted(supplied, [e.evidence_frames[0] for e in trace.events], side="left")
            after = np.searchsorted(supplied, [e.evidence_frames[1] for e in trace.events], side="right")
            frames = tuple((after - first).tolist())
        return cls(found.evident, trace.duration_s / max(1, found.frames), frames)


@dataclass(frozen=True)
class Account:
    """The terms of one answer, see the module docstring; None if the frames are unknown.

    `listed`: whether there is a ledger; otherwise the terms are net. `guessed`: reported events
    without evidence, part of `not_supplied` and `unsupported`. `merged`: unreported events with evidence within an
    entry that covers several.
    """

    count: int
    answer: int
    not_supplied: int | None
    shown_unreported: int | None
    not_known: int | None
    unsupported: int
    mis_added: int
    guessed: int | None = None
    merged: int = 0
    listed: bool = True

    @property
    def shown(self) -> int | None:
        """Events with evidence in the supplied frames."""
        return None if self.not_supplied is None else self.count - self.not_supplied

    @property
    def adds_up(self) -> bool:
        """Whether the identity holds; True for every account."""
        return self.count - self.answer == sum(SIGNS[t] * (getattr(self, t) or 0) for t in TERMS)


@dataclass(frozen=True)
class Standing:
    """The event of each report, and the evidence of the events.

    Attributes
    ----------
    kinds : of the reports as they were made, with the tolerance of the scores.
    stands_for : (reported_index, true_index), the clock set right: paired, displaced and merged.
    evident : a flag an event, after evidence was exchanged between neighbours; None where frames are not known.
    """

    kinds: Taxonomy
    stands_for: tuple[tuple[int, int], ...]
    evident: tuple[bool, ...] | None

    @property
    def displaced(self) -> tuple[tuple[int, int], ...]:
        """(reported_index, true_index) of displaced reports."""
        missed = set(self.kinds.missed) - set(self.kinds.merged)
        merged = set(self.kinds.entries)
        return tuple(p for p in self.stands_for if p[1] in missed and p not in merged)

    def fates(self, true_events: int, reported: int) -> tuple[list[str], list[str]]:
        """The fate of each true and of each reported event.

        True: `matched`, `displaced`, `merged`, `not supplied`, `missed`, or `unreported` if it is unknown
        whether the frames show it. Reported: `paired`, `misidentified`, `displaced` or `invented`.
        """
        true, said = ["matched"] * true_events, ["paired"] * reported
        for index in self.kinds.missed:
            if self.evident is None:
                true[index] = "unreported"
            else:
                true[index] = "missed" if self.evident[index] else "not supplied"
        for found, indices, word in (
            (true, self.kinds.merged, "merged"),
            (true, [t for _, t in self.displaced], "displaced"),
            (said, self.kinds.misidentified, "misidentified"),
            (said, self.kinds.hallucinated, "invented"),
            (said, [r for r, _ in self.stands_for if r in set(self.kinds.hallucinated)], "displaced"),
        ):
            for index in indices:
                found[index] = word
        return true, said


def standing(
    reported: Sequence[ReportedEvent],
    trace: Trace,
    matching: Matching,
    tolerance_s: float | Sequence[float],
    evidence: Evidence | None = None,
    clock: Clock | None = None,
    *,
    answer: int | None = None,
) -> Standing:
    """Assigns an event to each report. `matching` has the pairs of the reported times; `answer` decides whether merged
    reports count once (see the module docstring).
    """
    events = trace.events
    clock = clock or Clock()
    widest_s = max(tolerance_s, default=0.0) if isinstance(tolerance_s, Sequence) else tolerance_s
    reach_s = max(clock.reach_s, 2 * widest_s) if clock.informative else 0.0
    kinds = classify(events, reported, matching, tolerance_s, reach_s)
    right, pairs, found = reported, matching, kinds
    # If times scatter by more than a period, pairs within the tolerance are wrong: they pair within the reach.
    scattered = 2 * widest_s < reach_s < math.inf
    if scattered or not clock.is_right:
        right = [set_right(report, clock) for report in reported]
        width_s = reach_s if scattered else tolerance_s
        pairs = match(trace.times_s, [report.time_s for report in right], width_s)
        found = classify(events, right, pairs, tolerance_s, reach_s)
    once = _counted(reported, answer) == len(reported)
    stands = [(p.reported_index, p.true_index) for p in pairs.pairs] + list(found.displaced)
    room = [1 if once else report.covers for report in reported]
    for report_index, _ in stands:
        room[report_index] -= 1
    for report_index, true_index in found.entries:
        if room[report_index] > 0:
            room[report_index] -= 1
            stands.append((report_index, true_index))
    flags = None
    if evidence is not None and len(evidence.evident) == len(events):
        flags = _exchanged(evidence, {t for _, t in stands}, trace.times_s, reach_s if scattered else 0.0)
    return Standing(kinds, tuple(stands), flags)


def account(
    ledger: Reported | Unparsed, stood: Standing | None, count: int, evidence: Evidence | None
) -> Account | None:
    """The account of an answer, None without a final answer. `stood` is that of the ledger; None without event
    times.
    """
    if not isinstance(ledger, Reported) or ledger.final_answer is None:
        return None
    answer = ledger.final_answer
    listed = bool(ledger.events) or answer == 0
    told = _counted(ledger.events, answer) if listed else answer
    shown = None if evidence is None else evidence.count
    if stood is None or not listed:
        of = count if shown is None else shown
        left, beyond = max(0, of - told), max(0, told - of)
        if shown is None:
            return Account(count, answer, None, None, left, beyond, answer - told, listed=listed)
        return Account(count, answer, count - shown, left, None, beyond, answer - told, listed=listed)
    reported = {true_index for _, true_index in stood.stands_for}
    if shown is None or stood.evident is None:
        left, beyond = count - len(reported), told - len(reported)
        merged = len(set(stood.kinds.merged) - reported)
        return Account(count, answer, None, None, left, beyond, answer - told, merged=merged)
    supported = {true_index for true_index in reported if stood.evident[true_index]}
    merged = sum(stood.evident[t] for t in set(stood.kinds.merged) - reported)
    return Account(
        count,
        answer,
        count - shown,
        shown - len(supported),
        None,
        told - len(supported),
        answer - told,
        len(reported) - len(supported),
        merged,
    )


FRAMES = ("0", "1", "2", "3-5", "6+")  # bins of how many frames show an event; 0: those around it prove it


def by_frames(stood: Standing, evidence: Evidence | None) -> str | None:
    """Unreported events with evidence, by the number of frames that show them: "1:2/5 2:0/3" means two of five events
    in one frame, and none of three in two frames. None if unknown.
    """
    if evidence is None or evidence.frames is None or stood.evident is None:
        return None
    reported = {true_index for _, true_index in stood.stands_for}
    shown: dict[str, list[int]] = {}
    for index, (frames, evident) in enumerate(zip(evidence.frames, stood.evident, strict=True)):
        if evident:
            name = str(frames) if frames < 3 else "3-5" if frames < 6 else "6+"
            entry = shown.setdefault(name, [0, 0])
            entry[0] += index not in reported
            entry[1] += 1
    return " ".join(f"{name}:{shown[name][0]}/{shown[name][1]}" for name in FRAMES if name in shown) or None


def _counted(reported: Sequence[ReportedEvent], answer: int | None) -> int:
    """The sum of a ledger: its number of entries if that is the answer, else the events that they cover."""
    return len(reported) if answer == len(reported) else sum(report.covers for report in reported)


def _exchanged(
    evidence: Evidence, reported: set[int], times_s: Sequence[float], scatter_s: float
) -> tuple[bool, ...]:
    """The flags after reported events without evidence took that of unreported neighbours; their number is
    unchanged. Within `scatter_s` a report does not tell which event it is of.
    """
    flags = list(evidence.evident)
    for index in sorted(reported):
        if flags[index]:
            continue
        near: Iterable[int | None] = (_next(flags, index, -1), _next(flags, index, 1))
        # How many events are evident is known, and not which; or which of them a report is of is not.
        if scatter_s or math.isinf(evidence.spacing_s):
            near = (k for k, flag in enumerate(flags) if flag)
        free = sorted(
            (abs(times_s[k] - times_s[index]), k) for k in near if k is not None and k not in reported
        )
        if free and free[0][0] <= max(2 * evidence.spacing_s, scatter_s):
            flags[free[0][1]], flags[index] = False, True
    return tuple(flags)


def _next(flags: Sequence[bool], index: int, step: int) -> int | None:
    """The nearest event with evidence before (step -1) or after an event."""
    index += step
    while 0 <= index < len(flags):
        if flags[index]:
            return index
        index += step
    return None
