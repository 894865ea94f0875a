"""What supplied frames prove of a ball between two walls.

A contact has evidence if a frame shows the touch, or if no path through the positions seen does without it. The ball
turns at walls only, so a change of direction between frames proves a contact, and what is counted is the least number
of contacts that leads through all positions seen. Where intervals are not regular the ball waits near the wall that it
touched last, and each change of that side proves a contact.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from lft.counting.audit.ceiling import Indices, changes, inside
from lft.counting.domains.bounce_ball.hurrying import least_contacts
from lft.counting.motion import hurrying
from lft.counting.spacing import crossing
from lft.counting.trace import Event, Trace

_SAME = 1e-6  # positions are fractions of the way between the walls; frames differ by far more


def proved(trace: Trace, frames: Indices) -> list[bool]:
    """For each contact whether the frames (increasing indices) show or prove it; where evidence proves one of several,
    the latest is credited.
    """
    if len(_labels(trace.events)) > 2:
        return inside(trace.events, frames)
    if trace.spec.schedule != "regular":
        return _sides(trace, frames)
    return _contacts(trace.events, frames, trace.fps / trace.spec.frequency_hz)


def _sides(trace: Trace, frames: Indices) -> list[bool]:
    """Of a ball that hurries across and then waits (`lft.counting.motion.hurrying`): it is on the side of a
    wall only around and after a contact with it, so that each change of the side it is seen on proves one contact.
    """
    # Half a leg before a contact it comes by the middle; in doubled frames, to stay with whole numbers.
    halfway = np.array([2 * e.frame_index - crossing(trace.fps) for e in trace.events])
    sided = frames[~np.isin(2 * frames, halfway)]
    evident = changes(trace.events, np.searchsorted(halfway, 2 * sided, side="right"))
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
