"""Access ceilings: what the supplied frames allow, from the trace alone, whoever looks at them.

An event has evidence in the supplied frames if

- pulse (blinks): a frame lies inside it, and a frame without one between it and the pulse seen before;
- state (transitions): the states around it are seen to differ. Between two frames of states A and C one
  change is proved, however many there were; between two frames of one state none is, so a visit there and
  back vanishes;
- span (events of imported videos that last): two frames lie inside it, the least that can show a change;
- unknown (imported events without a duration): every frame of the file was supplied; with fewer frames there is no
  bound (`can_be_told`);
- instant: its own frame was supplied;
- a domain's own rule (`Domain.literal`), where frames prove more than that.

A reporter that uses this evidence to the full, and claims nothing beyond it, recalls `evident` of N events
and is right about the count where evident = N. Guessing can be luckier on a single clip; it is not access.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from lft.core.errors import InputError
from lft.core.video.frames import Sampling
from lft.counting.domains import DOMAINS, named
from lft.counting.trace import Event, Trace

Indices = npt.NDArray[np.intp]

# The values of `evident_unknown` in scores.csv: why the evidence in the frames is unknown.
UNKNOWN = {
    "frames": "which frames were supplied is not known",
    "visible": "it is not known how long an event is visible",
}


@dataclass(frozen=True)
class Ceiling:
    """The ceiling of one clip under one sampling policy.

    Attributes
    ----------
    evident : for each event, whether it has evidence. Where evidence proves one of several events, the
        latest.
    frames : how many frames were supplied.
    """

    evident: tuple[bool, ...]
    frames: int

    @property
    def count(self) -> int:
        """Events with evidence, 0 to N: the count that perfect use of the frames gives."""
        return sum(self.evident)

    @property
    def recall(self) -> float | None:
        """count / N; None on a clip without events."""
        return self.count / len(self.evident) if self.evident else None

    @property
    def correct(self) -> bool:
        """Whether the exact count can be had: every event has evidence. True on a clip without events."""
        return all(self.evident)


def ceiling(trace: Trace, sampling: Sampling, *, native_rate_hz: float | None = None) -> Ceiling:
    """The ceiling of a clip under a sampling policy.

    `native` supplies every frame of the file, unless `native_rate_hz` says at which rate the provider samples
    it.
    """
    return ceiling_of_frames(trace, supplied_frames(trace, sampling, native_rate_hz=native_rate_hz))


def supplied_frames(trace: Trace, sampling: Sampling, *, native_rate_hz: float | None = None) -> Indices:
    """Indices of the frames that a policy supplies, intp (n,), increasing, each once."""
    if sampling.kind == "native":
        if native_rate_hz is None:
            return np.arange(trace.frame_count)
        sampling = Sampling("fps", native_rate_hz)
    return np.unique(trace.frames_at(sampling.times_s(trace.duration_s, trace.times_s)))


def ceiling_of_frames(trace: Trace, frame_indices: Sequence[int] | Indices) -> Ceiling:
    """The ceiling of a clip, given exactly which frames were supplied (increasing indices, each once).

    Raises `InputError` unless `can_be_told`.
    """
    frames = np.asarray(frame_indices, dtype=np.intp)
    if not can_be_told(trace, frames):
        raise InputError(
            UNKNOWN["visible"],
            where=f"clip {trace.clip_id}",
            remedy="--visible-s, or a start and an end of each event, at its import",
        )
    if trace.spec.evidence == "unknown":  # all frames, or none
        return Ceiling((bool(len(frames)),) * trace.spec.count, len(frames))
    if not trace.events or not len(frames):
        return Ceiling((False,) * len(trace.events), len(frames))
    evidence = trace.spec.evidence
    known = DOMAINS.get(trace.spec.domain)
    if known is not None and known.literal:
        seen = named(known.literal)(trace, frames)
    elif evidence == "state":
        # Which state each frame shows is the number of events up to it.
        seen = changes(
            trace.events, np.searchsorted([e.frame_index for e in trace.events], frames, side="right")
        )
    else:
        seen = inside(trace.events, frames, least=2 if evidence == "span" else 1)
        if evidence == "pulse":
            seen = _apart(trace.events, frames, seen)
    return Ceiling(tuple(seen), len(frames))


def can_be_told(trace: Trace, frame_indices: Sequence[int] | Indices) -> bool:
    """Whether it is known which events these frames show.

    If the duration of events is unknown, only all frames of the file, no frame, or a clip without events tell.
    """
    known = trace.spec.evidence != "unknown" or not trace.spec.count
    return known or len(frame_indices) in (0, trace.frame_count)


def proofs_s(
    trace: Trace, frame_indices: Indices | None, evident: Sequence[bool] | None
) -> list[tuple[float, ...] | None]:
    """For each event that only the frames around it prove, the times of these frames in seconds; else None.

    `frame_indices` increase; `evident` flags the events with evidence. Without either, all are None.
    """
    found: list[tuple[float, ...] | None] = [None] * len(trace.events)
    if frame_indices is None or evident is None:
        return found
    shown = inside(trace.events, frame_indices) if trace.events else []
    times_s = trace.frame_times_s
    for k, (event, known, exact) in enumerate(zip(trace.events, evident, shown, strict=True)):
        if known and not exact:
            at = int(np.searchsorted(frame_indices, event.frame_index))
            around = frame_indices[max(0, at - 1) : at + 1].tolist()
            found[k] = tuple(times_s[i] if times_s else i / trace.fps for i in around)
    return found


def proof_words(proof_s: Sequence[float]) -> str:
    """The words for an event that only the frames around it prove.

    >>> proof_words((12.0, 13.0))
    'exact frame not supplied; proved by the frames at 12.00 and 13.00 s'
    """
    at = " and ".join(f"{t:.2f}" for t in proof_s)
    return f"exact frame not supplied; proved by the frame{'s' if len(proof_s) > 1 else ''} at {at} s"


def inside(events: Sequence[Event], frames: Indices, *, least: int = 1) -> list[bool]:
    """For each event, whether at least so many of the frames show it."""
    first = np.searchsorted(frames, [e.evidence_frames[0] for e in events], side="left")
    after = np.searchsorted(frames, [e.evidence_frames[1] for e in events], side="right")
    return [bool(x) for x in after - first >= least]


def _apart(events: Sequence[Event], frames: Indices, shown: Sequence[bool]) -> list[bool]:
    """Of pulses whose frames follow each other without a dark one between, only the last: they look like one."""
    seen = list(shown)
    which = [k for k, one in enumerate(shown) if one]
    for k, after in pairwise(which):
        ended, begins = events[k].evidence_frames[1], events[after].evidence_frames[0]
        if np.searchsorted(frames, ended, side="right") == np.searchsorted(frames, begins, side="left"):
            seen[k] = False
    return seen


def changes(events: Sequence[Event], at: Indices) -> list[bool]:
    """Which changes are proved by the states that frames show, one for each change between seen states; `at` says for
    each frame which of the states on the way it shows.
    """
    states = [events[0].state_before, *(e.state_after for e in events)]
    evident = [False] * len(events)
    for before, after in pairwise(int(k) for k in np.unique(at)):
        evident[after - 1] = states[before] != states[after]
    return evident
