"""The account of an answer: how the N events of a clip became the number that was answered, event by event.

    N - answer = not_supplied + shown_unreported + not_known - unsupported - mis_added

    not_supplied      events without evidence in the supplied frames
    shown_unreported  events with evidence that the ledger does not report
    unsupported       what the ledger counts beyond the events with evidence: reported without evidence
    mis_added         answer minus what the ledger counts; above 0 the answer is too high for its own ledger
    not_known         where it is not known which frames were supplied: events that the ledger does not report;
                      the first two terms are then not known, and `unsupported` is what stands for no event at all

Every term but `mis_added` is at least 0. The account stands on the ledger, whatever rule the scores use. How an
entry enters:

- What a ledger counts: its entries, each as many times as it says it covers (`covers`); if the answer is the number
  of entries, each once. A merged report that counts once leaves the other events that it spans unreported.
- An entry reports the event that it pairs with; or, displaced, the one in its place in order between the same
  neighbours, within reach of the condition's clock (see `lft.counting.audit.clock`); or, merged, the nearest of the
  events that it spans, as many as it counts. Pairs are made with the clock set right, and within its reach where times
  scatter by more than a period. No event is reported twice, and no entry reports more events than it counts.
- Between frames evidence often proves that one of several events happened, not which. A reported event without
  evidence of its own takes that of an unreported neighbour, if no other event with evidence lies between the two and
  they are at most two frames apart.
- A report of an event without evidence, right by luck or by inference, is `unsupported`, and the event stays
  `not_supplied`; such events are counted in `guessed`.
- Without a ledger (an answer above 0 that lists nothing), and of clips of which only the number of events is known,
  the account is net: what is counted is taken to be of the events with evidence, as far as they reach.
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
    """What the supplied frames show of a clip's events: a flag an event, and the mean time between two frames; an
    infinite one if it is known how many events are evident, and not which. `frames` is how many frames lie in the
    evidence of each event (0 where those around it prove it), None where that was not asked for.
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
        """What the frames of a ceiling show; `supplied` are their indices, increasing."""
        frames = None
        if supplied is not None and trace.events:
            first = np.searchsorted(supplied, [e.evidence_frames[0] for e in trace.events], side="left")
            after = np.searchsorted(supplied, [e.evidence_frames[1] for e in trace.events], side="right")
            frames = tuple((after - first).tolist())
        return cls(found.evident, trace.duration_s / max(1, found.frames), frames)


@dataclass(frozen=True)
class Account:
    """The terms of one answer, as the module's first lines have them; None where the frames are not known.

    `listed`: whether a ledger says which events were reported; else the terms are net. `guessed`: reported events
    without evidence, which lie within `not_supplied` and `unsupported`. `merged`: events with evidence that are
    unreported, but lie in an entry that stands for several.
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
        """The identity; true of every account."""
        return self.count - self.answer == sum(SIGNS[t] * (getattr(self, t) or 0) for t in TERMS)


@dataclass(frozen=True)
class Standing:
    """Which event each report stands for, and what the frames show of the events.

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
        """(reported_index, true_index) of events that no report meets in time, but one stands for."""
        missed = set(self.kinds.missed) - set(self.kinds.merged)
        merged = set(self.kinds.entries)
        return tuple(p for p in self.stands_for if p[1] in missed and p not in merged)

    def fates(self, true_events: int, reported: int) -> tuple[list[str], list[str]]:
        """What became of each of so many true events, and of so many reported ones.

        True: `matched`, `displaced`, `merged`, `not supplied` or `missed`. Reported: `paired`, `misidentified`,
        `displaced` or `invented`.
        """
        true, said = ["matched"] * true_events, ["paired"] * reported
        for index in self.kinds.missed:
            hidden = self.evident is not None and not self.evident[index]
            true[index] = "not supplied" if hidden else "missed"
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
    """Says which event each of the reports stands for. `matching` pairs them as they were reported; `answer` says
    whether merged reports count once (see the module's first lines).
    """
    events = trace.events
    clock = clock or Clock()
    widest_s = max(tolerance_s, default=0.0) if isinstance(tolerance_s, Sequence) else tolerance_s
    reach_s = max(clock.reach_s, 2 * widest_s) if clock.informative else 0.0
    kinds = classify(events, reported, matching, tolerance_s, reach_s)
    right, pairs, found = reported, matching, kinds
    # Times that scatter by more than a period meet the wrong events within the tolerance: they pair within reach.
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
        flags = _exchanged(evidence, {t for _, t in stands}, trace.times_s)
    return Standing(kinds, tuple(stands), flags)


def account(
    ledger: Reported | Unparsed, stood: Standing | None, count: int, evidence: Evidence | None
) -> Account | None:
    """The account of an answer, None without a final answer. `stood` is of the ledger's events; None where it is not
    known when the events of the clip happened.
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
    """How many of the events with evidence were not reported, by the number of frames that show them: "1:2/5 2:0/3" is
    two of five that one frame shows, and none of three that two show. None where that is not known.
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
    """What a ledger adds up to: its entries if that is the answer, else all that they say they cover."""
    return len(reported) if answer == len(reported) else sum(report.covers for report in reported)


def _exchanged(evidence: Evidence, reported: set[int], times_s: Sequence[float]) -> tuple[bool, ...]:
    """The flags, after reported events without evidence took that of unreported neighbours; their number stays."""
    flags = list(evidence.evident)
    for index in sorted(reported):
        if flags[index]:
            continue
        near: Iterable[int | None] = (_next(flags, index, -1), _next(flags, index, 1))
        if math.isinf(evidence.spacing_s):  # how many events are evident is known, and not which
            near = (k for k, flag in enumerate(flags) if flag)
        free = sorted(
            (abs(times_s[k] - times_s[index]), k) for k in near if k is not None and k not in reported
        )
        if free and free[0][0] <= 2 * evidence.spacing_s:
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
