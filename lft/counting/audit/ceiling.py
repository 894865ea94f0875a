"""Access ceilings: what the supplied frames allow, from the trace alone, whoever looks at them.

An event has evidence in the supplied frames if

- pulse (blinks): a frame lies inside it, and a frame without one between it and the pulse seen before;
- state (transitions): the states around it are seen to differ. Between two frames of states A and C one
  change is proved, however many there were; between two frames of one state none is, so a visit there and
  back vanishes;
- span (events of imported videos): two frames lie inside it, the least that can show a change;
- contact: a frame shows the touch, or the ball's positions cannot be had without it. The ball turns at walls
  only, so a change of direction between frames proves a contact, and what is counted is the least number of
  contacts that leads through all positions seen. Where intervals are not regular the ball waits near the wall that
  it touched last, and each change of that side proves a contact. Other instants have evidence in their own frame only.

A reporter that uses this evidence to the full, and claims nothing beyond it, recalls `evident` of N events
and is right about the count where evident = N. Guessing can be luckier on a single clip; it is not access.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from lft.core.video.frames import Sampling
from lft.counting.audit.hurrying import least_contacts
from lft.counting.rendering.visual import hurrying
from lft.counting.spacing import crossing
from lft.counting.trace import Event, Trace

_SAME = 1e-6  # positions are fractions of the way between the walls; frames differ by far more
Indices = npt.NDArray[np.intp]


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
    """The ceiling of a clip, given exactly which frames were supplied (increasing indices)."""
    frames = np.asarray(frame_indices, dtype=np.intp)
    if not trace.spec.timed:  # when events happened is not known, but two frames each is the least they need
        seen_at_most = min(trace.spec.count, len(frames) // 2)
        hidden = trace.spec.count - seen_at_most
        return Ceiling((True,) * seen_at_most + (False,) * hidden, len(frames))
    if not trace.events or not len(frames):
        return Ceiling((False,) * len(trace.events), len(frames))
    evidence = trace.spec.evidence
    contact = trace.events[0].type == "wall_contact" and len(_labels(trace.events)) <= 2
    if evidence == "state":
        # Which state each frame shows is the number of events up to it.
        seen = _changes(
            trace.events, np.searchsorted([e.frame_index for e in trace.events], frames, side="right")
        )
    elif contact and trace.spec.schedule != "regular":
        seen = _sides(trace, frames)
    elif contact:
        seen = _contacts(trace.events, frames, trace.fps / trace.spec.frequency_hz)
    else:
        seen = _inside(trace.events, frames, least=2 if evidence == "span" else 1)
        if evidence == "pulse":
            seen = _apart(trace.events, frames, seen)
    return Ceiling(tuple(seen), len(frames))


def _inside(events: Sequence[Event], frames: Indices, *, least: int) -> list[bool]:
    first = np.searchsorted(frames, [e.evidence_frames[0] for e in events], side="left")
    after = np.searchsorted(frames, [e.evidence_frames[1] for e in events], side="right")
    return [bool(x) for x in after - first >= least]


def _apart(events: Sequence[Event], frames: Indices, inside: Sequence[bool]) -> list[bool]:
    """Of pulses whose frames follow each other without a dark one between, only the last: they look like one."""
    seen = list(inside)
    which = [k for k, shown in enumerate(inside) if shown]
    for k, after in pairwise(which):
        ended, begins = events[k].evidence_frames[1], events[after].evidence_frames[0]
        if np.searchsorted(frames, ended, side="right") == np.searchsorted(frames, begins, side="left"):
            seen[k] = False
    return seen


def _changes(events: Sequence[Event], at: Indices) -> list[bool]:
    """Which changes are proved by the states that frames show, one for each change between seen states; `at` says for
    each frame which of the states on the way it shows.
    """
    states = [events[0].state_before, *(e.state_after for e in events)]
    evident = [False] * len(events)
    for before, after in pairwise(int(k) for k in np.unique(at)):
        evident[after - 1] = states[before] != states[after]
    return evident


def _sides(trace: Trace, frames: Indices) -> list[bool]:
    """Of a ball that hurries across and then waits (`lft.counting.rendering.visual.hurrying`): it is on the side of a
    wall only around and after a contact with it, so that each change of the side it is seen on proves one contact.
    """
    # Half a leg before a contact it comes by the middle; in doubled frames, to stay with whole numbers.
    halfway = np.array([2 * e.frame_index - crossing(trace.fps) for e in trace.events])
    sided = frames[~np.isin(2 * frames, halfway)]
    evident = _changes(trace.events, np.searchsorted(halfway, 2 * sided, side="right"))
    there = hurrying([e.frame_index for e in trace.events], trace.frame_count, 0, crossing(trace.fps))
    least = least_contacts(frames.tolist(), [there[f] for f in frames.tolist()], crossing(trace.fps))
    # A ball on its way where it had waited proves more; which contacts is open, so the first are credited.
    unseen = [k for k, seen in enumerate(evident) if not seen]
    for k in unseen[: max(0, least - sum(evident))]:
        evident[k] = True
    return evident


def _contacts(events: Sequence[Event], frames: Indices, period: float) -> list[bool]:
    """Which contacts a frame shows or the ball's positions prove; `period` in frames, for a single contact."""
    walls = {label: side for side, label in zip((0.0, 1.0), _labels(events), strict=False)}
    times = [e.frame_index for e in events]
    sides = [walls[e.state_after] for e in events]
    positions = _positions(times, sides, frames, period)
    evident = [False] * len(events)
    for first, last, side in _turns(frames, positions):
        for k, (time, at) in enumerate(zip(times, sides, strict=True)):
            if not evident[k] and first <= time <= last and at == side:
                evident[k] = True
                break
    # Equal places in a row prove contacts that no turn shows; which ones is open, so the first are credited.
    unseen = [k for k, seen in enumerate(evident) if not seen]
    for k in unseen[: max(0, _least(positions) - sum(evident))]:
        evident[k] = True
    return evident


def _labels(events: Sequence[Event]) -> list[str]:
    return list(dict.fromkeys(e.state_after for e in events))


def _positions(
    times: Sequence[int],
    sides: Sequence[float],
    frames: Indices,
    period: float,
) -> npt.NDArray[np.float64]:
    """The ball's way between the walls, 0 to 1, in each frame: rest mid-way, constant speed, rest mid-way."""
    legs = [float(b - a) for a, b in pairwise(times)] or [period]
    knots, at = [times[0] - legs[0] / 2], [0.5]
    for time, side in zip(times, sides, strict=True):
        knots.append(float(time))
        at.append(side)
    knots.append(times[-1] + legs[-1] / 2)
    return np.interp(frames, knots, [*at, 0.5]).astype(np.float64)


def _least(positions: npt.NDArray[np.float64]) -> int:
    """The least number of contacts on a path through all positions, for a ball that turns at walls only.

    Kept up from frame to frame: the fewest contacts so far if the ball now goes up (towards the wall at 1),
    and if it goes down. Going on costs nothing if the next position lies ahead, a turn costs one contact,
    going on the same way in spite of everything two. A touch is a contact, after which the ball comes back.
    Only in the middle can it stay where it is.
    """
    up = down = 0.0
    before = None
    for here in positions.tolist():
        if before is not None:
            still = abs(here - before) < _SAME
            if still and abs(here - 0.5) < _SAME:
                continue
            up, down = (
                min(up + (0 if here > before and not still else 2), down + 1),
                min(down + (0 if here < before and not still else 2), up + 1),
            )
        if abs(here - 1.0) < _SAME:
            up, down = np.inf, up + 1
        elif abs(here) < _SAME:
            up, down = down + 1, np.inf
        before = here
    return int(min(up, down))


def _turns(frames: Indices, positions: npt.NDArray[np.float64]) -> list[tuple[int, int, float]]:
    """(first frame, last frame, wall) within which the ball was seen to touch or to turn; walls are 0.0 and
    1.0.

    A touch is in its own frame. Else a highest (lowest) position shows a turn at the wall at 1 (0) between
    the frames around it; equal positions in a row are one.
    """
    runs = _runs(positions)
    found: list[tuple[int, int, float]] = []
    for i, (start, end) in enumerate(runs):
        here = positions[start]
        touching = [side for side in (0.0, 1.0) if abs(here - side) < _SAME]
        if touching:
            found += [(int(frames[k]), int(frames[k]), touching[0]) for k in range(start, end + 1)]
            continue
        if 0 < i < len(runs) - 1:
            before, after = positions[runs[i - 1][0]], positions[runs[i + 1][0]]
            if (here > before) == (here > after):
                found.append((int(frames[runs[i - 1][1]]), int(frames[runs[i + 1][0]]), float(here > before)))
    return found


def _runs(positions: npt.NDArray[np.float64]) -> list[tuple[int, int]]:
    """(first, last) of each run of equal positions."""
    breaks = np.flatnonzero(np.abs(np.diff(positions)) > _SAME)
    starts = np.concatenate([[0], breaks + 1])
    ends = np.concatenate([breaks, [len(positions) - 1]])
    return [(int(a), int(b)) for a, b in zip(starts, ends, strict=True)]
