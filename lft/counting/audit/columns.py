"""The audit of one trial: bounds, chance, fate of each event, cause.

Columns besides those of `lft.counting.scores`; empty if they do not apply:

    cause              of a wrong answer, one of `lft.counting.audit.causes.CAUSES`; empty if it depends on
                       unknown evidence
    ledger_consistent  whether the answer is the length of the ledger
    evident            events with evidence in the supplied frames; empty if unknown
    evident_unknown    why it is empty: `frames` (which were supplied) or `visible` (how long an event is visible)
    literal_recall     evident / N                                    (clips with events)
    literal_correct    whether the frames show every event
    ideal_answer       the most probable count given the frames and the grid; see `lft.counting.audit.ideal.bound`
    ceiling_correct    whether that is N
    resolution_s       the coarsest decimal step of the written times
    format_recall      share of events that times of this resolution can match
    format_f1          the best F1 of such times
    chance_f1          expected F1 of M random times over the true active span
    skill_f1           (f1 - chance_f1) / (1 - chance_f1)
    chance_clip_f1, skill_clip_f1    the same over the whole clip
    missed, merged, hallucinated, displaced, misidentified    counts of events; see `lft.counting.audit.taxonomy`
    not_supplied, shown_unreported, not_known, unsupported, mis_added, guessed
                       the account of the answer; see `lft.counting.audit.account`
    missed_by_frames   unreported events with evidence, by number of frames that show them: "1:2/5 2:0/3"
    doubted            whether the ledger or the answer was in doubt, so that there is no cause
    clock_offset_s, clock_scale, clock_reach_s    the correction of the clock (0 and 1: none)
    clock_f1           F1 with that clock, fitted to other clips; see `lft.counting.audit.clock`
    clock_p            p of the permutation test of this answer's times
    bias_s, rms_s      mean, and root mean square, of reported minus true time over the pairs
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from statistics import fmean
from typing import TYPE_CHECKING

import numpy as np

from lft.core.records import Entries, JsonObject, Line
from lft.core.video.frames import UNKNOWN, Sampling
from lft.counting.audit.account import TERMS, Account, Evidence, Standing, account, by_frames, standing
from lft.counting.audit.causes import cause_of, follows
from lft.counting.audit.ceiling import Ceiling, Indices, can_be_told, ceiling_of_frames, supplied_frames
from lft.counting.audit.chance import active_span_s, best_of_format, chance_f1, resolution_s, skill
from lft.counting.audit.clock import Clock
from lft.counting.audit.ideal.bound import Bounds, Ideal, ideals_of, priors_of
from lft.counting.clips import clips_folder_of
from lft.counting.match import Matching, match
from lft.counting.metrics import f1_score
from lft.counting.reported import Reported, ReportedEvent, Unparsed
from lft.counting.trace import Trace

if TYPE_CHECKING:
    from lft.core.runs import Run

ACCOUNT_COLUMNS = (*TERMS, "guessed")
CEILING_COLUMNS = (
    "evident",
    "evident_unknown",
    "literal_recall",
    "literal_correct",
    "ideal_answer",
    "ceiling_correct",
)
SuppliedOf = Callable[[Entries, Line | None], Indices | None]
CeilingOf = Callable[[Entries, Line | None], Ceiling | None]
COLUMNS = (
    "cause", "ledger_consistent", *CEILING_COLUMNS, "resolution_s", "format_recall", "format_f1",
    "chance_f1", "skill_f1", "chance_clip_f1", "skill_clip_f1",
    "missed", "merged", "hallucinated", "displaced", "misidentified", "bias_s", "rms_s",
    *ACCOUNT_COLUMNS, "missed_by_frames", "doubted",
    "clock_offset_s", "clock_scale", "clock_reach_s", "clock_f1", "clock_p",
)  # fmt: skip


def native_of(run: Run) -> JsonObject:
    """The known frames of native video in a run, for `supplied_of` and `ceilings_of`: from `--native-rate`
    (`lft.counting.native_rate`), else from the adapter.
    """
    from lft.core.models import native_frames
    from lft.counting.names import OWN_PROVIDERS
    from lft.counting.native_rate import said_rate_hz

    said = said_rate_hz(run)
    if said is not None:
        return {"native": "sampled", "native_rate_hz": said}
    model = run.manifest.get("model")
    described: Entries = model if isinstance(model, Mapping) else {}
    return {
        "native": native_frames(described, OWN_PROVIDERS),
        "native_rate_hz": described.get("native_rate_hz"),
    }


def supplied_of(
    trace_of: Callable[[str], Trace], *, native: str = "all", native_rate_hz: float | None = None
) -> SuppliedOf:
    """A function (row, response line or None) -> indices of the supplied frames, increasing; None if unknown.

    Frame times recorded with the response have precedence over the sampling policy. For
    native video see `native`, an entry of `lft.core.models.NATIVE_FRAMES`.
    """
    known: dict[tuple[str, str], Indices] = {}

    def of(row: Entries, line: Line | None) -> Indices | None:
        policy = str(row["sampling"] or "native")
        times_s = line.get("frame_times_s") if line else None
        if policy == "native" and native == "recorded":
            sent = line.get("sent") if line else None
            times_s = sent.get("native_times_s") if isinstance(sent, Mapping) else None
        each = policy == UNKNOWN or (
            policy == "native" and native == "recorded"
        )  # every answer may have had others
        if not times_s and (each or (policy == "native" and native == "unknown")):
            return None
        place = (str(row["clip"]), policy)
        if each or place not in known:
            trace = trace_of(place[0])
            known[place] = (
                np.unique(trace.frames_at(times_s))
                if times_s
                else supplied_frames(trace, Sampling.parse(policy), native_rate_hz=native_rate_hz)
            )
        return known[place]

    return of


def unknown_evidence(trace: Trace) -> str:
    """Why the evidence in a trial's frames is unknown: `visible` or `frames`, see the module docstring."""
    return "visible" if trace.spec.evidence == "unknown" and trace.spec.count else "frames"


def ceilings_of(
    trace_of: Callable[[str], Trace], *, native: str = "all", native_rate_hz: float | None = None
) -> CeilingOf:
    """A function (row, response line or None) -> literal bound, cached for each clip and sampling; None if
    the supplied frames are unknown (`supplied_of`) or what they show is (`can_be_told`).
    """
    frames_of = supplied_of(trace_of, native=native, native_rate_hz=native_rate_hz)
    known: dict[tuple[str, bytes], Ceiling] = {}

    def of(row: Entries, line: Line | None) -> Ceiling | None:
        frames = frames_of(row, line)
        if frames is None or not can_be_told(trace_of(str(row["clip"])), frames):
            return None
        place = (str(row["clip"]), frames.tobytes())
        if place not in known:
            known[place] = ceiling_of_frames(trace_of(place[0]), frames)
        return known[place]

    return of


def ceiling_row(found: Ceiling, ideal: Ideal | None = None, count: int | None = None) -> JsonObject:
    """The columns that depend only on the frames, also for trials without an answer.

    `ideal` is None for a domain without an ideal observer; `count` is N.
    """
    return {
        "evident": found.count,
        "literal_recall": found.recall,
        "literal_correct": found.correct,
        "ideal_answer": None if ideal is None else ideal.answer,
        "ceiling_correct": None if ideal is None else ideal.answer == count,
    }


class RunBounds:
    """Bounds of a run's trials: literal bound, ideal observer and evidence, each computed once.

    `ceiling_of` is an existing result of `ceilings_of`. The grid is that of the clips in the run's manifest.
    """

    def __init__(
        self, run: Run, trace_of: Callable[[str], Trace], ceiling_of: CeilingOf | None = None
    ) -> None:
        known = native_of(run)
        self._trace_of = trace_of
        self._frames_of = supplied_of(trace_of, **known)
        self.ceiling_of = ceiling_of or ceilings_of(trace_of, **known)
        kept = clips_folder_of(run)
        ids = run.own.get("clips") or {str(key["clip"]) for key in run.trials().values()}
        self._bounds = Bounds(priors_of(ids, grid_known=True), kept if kept.is_dir() else None)
        self._ideal_of = ideals_of(trace_of, self._frames_of, self._bounds)

    def columns(self, row: Entries, line: Line | None) -> JsonObject:
        """`ceiling_row` of a trial; where that is not known, why."""
        found, trace = self.ceiling_of(row, line), self._trace_of(str(row["clip"]))
        if found is None:
            return {"evident_unknown": unknown_evidence(trace)}
        return ceiling_row(found, self._ideal_of(row, line), trace.spec.count)

    def evidence(self, row: Entries, line: Line | None) -> Evidence | None:
        """The evidence in the frames; None if they are unknown."""
        found = self.ceiling_of(row, line)
        trace = self._trace_of(str(row["clip"]))
        return Evidence.of(found, trace, self._frames_of(row, line)) if found else None

    def save(self) -> None:
        """Saves new bounds beside the clips."""
        self._bounds.save()


def audit_row(
    report: Reported | Unparsed,
    ledger: Reported | Unparsed,
    trace: Trace,
    matching: Matching,
    tolerance_s: float | Sequence[float],
    evidence: Evidence | None,
    clock: Clock | None = None,
) -> JsonObject:
    """The other columns of an answered trial; `evidence` is None if the supplied frames are unknown.

    `report` is the reading by the rule of the scores, with pairs `matching`; `ledger` is that by the ledger rule, for
    account, cause and consistency (they may be one object). `clock` is that of the condition.
    """
    count = trace.spec.count
    doubted = ledger.events_doubted or ledger.answer_doubted if isinstance(ledger, Reported) else False
    row: JsonObject = {"ledger_consistent": follows(ledger), "doubted": doubted}
    if not trace.spec.timed:
        told = account(ledger, None, count, evidence)
        return {**row, "cause": cause_of(ledger, told), **_terms(told)}
    events = report.events if isinstance(report, Reported) else ()
    stood = _stood(ledger, trace, matching if ledger is report else None, tolerance_s, evidence, clock)
    told = account(ledger, stood, count, evidence)
    shown = stood if ledger is report else standing(events, trace, matching, tolerance_s, evidence, clock)
    kinds = shown.kinds
    row |= {
        "cause": cause_of(ledger, told),
        **{name: len(getattr(kinds, name)) for name in ("missed", "merged", "hallucinated", "misidentified")},
        "displaced": len(shown.displaced),
        "missed_by_frames": by_frames(stood, evidence) if told and told.listed else None,
        **_terms(told),
    }
    if len(matching):
        off_s = [events[p.reported_index].time_s - trace.events[p.true_index].time_s for p in matching.pairs]
        row |= {"bias_s": fmean(off_s), "rms_s": math.sqrt(fmean(x * x for x in off_s))}
    if trace.events:
        row |= _references(
            events, trace, f1_score(len(matching), len(events), len(trace.events)), tolerance_s
        )
    return row


def _stood(
    ledger: Reported | Unparsed,
    trace: Trace,
    matching: Matching | None,
    tolerance_s: float | Sequence[float],
    evidence: Evidence | None,
    clock: Clock | None,
) -> Standing:
    """What the ledger's entries stand for; `matching` where they are matched already."""
    events = ledger.events if isinstance(ledger, Reported) else ()
    if matching is None:
        matching = match(trace.times_s, [event.time_s for event in events], tolerance_s)
    answer = ledger.final_answer if isinstance(ledger, Reported) else None
    return standing(events, trace, matching, tolerance_s, evidence, clock, answer=answer)


def _terms(told: Account | None) -> JsonObject:
    return {} if told is None else {name: getattr(told, name) for name in ACCOUNT_COLUMNS}


def _references(
    events: Sequence[ReportedEvent], trace: Trace, f1: float, tolerance_s: float | Sequence[float]
) -> JsonObject:
    """Format ceiling and chance, for a clip with events."""
    times_s, duration_s = trace.times_s, trace.duration_s
    row: JsonObject = {}
    step_s = resolution_s(events)
    if step_s is not None:
        best = best_of_format(times_s, step_s, tolerance_s)
        row = {"resolution_s": step_s, "format_recall": best.recall, "format_f1": best.f1}
    spans = {
        "f1": active_span_s(times_s, trace.half_period_s, duration_s),
        "clip_f1": (0.0, duration_s),
    }
    for name, span_s in spans.items():
        chance = chance_f1(times_s, len(events), tolerance_s, span_s)
        row |= {f"chance_{name}": chance, f"skill_{name}": skill(f1, chance)}
    return row
