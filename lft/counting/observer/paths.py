"""Which way an object went between frames that are far apart, if it keeps its speed and turns at walls only.

Between two frames it went straight on, or to the wall ahead and back. One speed has to explain every step of
the clip, but for steps that begin or end at rest, which may be shorter. The least such speed is taken. An
object that turns in free air fits none, and then nothing is said. Nor is more said than the fewest contacts
that lead through all places, at whatever speed: that the speed is kept is borne out, not known.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

_APART_PX = 3.0  # places further apart than this are two
_SPEED_ERROR = 0.14  # of a step: how far off its length may be (contacts 7 or 8 frames apart differ so much),
_PLACE_ERROR_PX = 4.0  # and by how many pixels besides
_UP, _DOWN = 0, 1  # directions along the line; up is towards higher places

Places = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Turn:
    """A turn at a wall between frame `step` and the next, at `time_s`; `up` if at the wall at the upper end."""

    step: int
    time_s: float
    up: bool


@dataclass(frozen=True)
class _Step:
    """From one frame to the next: length of the way straight on, and by the lower and the upper wall."""

    straight: float  # signed, up is positive
    by_lower: float
    by_upper: float
    span_s: float
    rests: bool  # the object stays where it is
    may_be_short: bool  # it begins or ends at rest


def turns(
    along: Places, times_s: Places, walls: tuple[float, float], touching: npt.NDArray[np.bool_]
) -> list[Turn]:
    """The turns between frames, in time order.

    `along` float64 (n,) are places on a line, in pixels; `walls` the places where the object touches the
    lower and the upper wall; `touching` bool (n,) the frames that show a contact. Empty if no one speed
    explains all steps.

    A ball between walls at 0 and 100, 40 a second, seen twice a way to the upper wall and back:

    >>> seen = np.array([50.0, 50, 70, 90, 50, 50])
    >>> turns(seen, np.arange(6) * 1.0, (0.0, 100.0), np.zeros(6, bool))
    [Turn(step=2, time_s=2.75, up=True)]
    """
    steps = _steps(along, times_s, walls)
    lengths = [
        np.abs([s.straight, s.by_lower, s.by_upper]) / s.span_s
        for s in steps
        if not s.rests and not s.may_be_short
    ]
    if not any(not s.rests for s in steps):
        return []
    # Without a step that tells the speed, any will do.
    speeds = np.unique(np.concatenate(lengths)) if lengths else np.array([np.inf])
    at_wall = [
        (_UP if abs(p - walls[1]) < abs(p - walls[0]) else _DOWN) if t else None
        for p, t in zip(along, touching, strict=True)
    ]
    possible = np.isfinite(_fewest(steps, speeds, at_wall)[-1].min(axis=0))
    if not possible.any():
        return []
    speed = float(speeds[np.argmax(possible)])
    fitting = _traced(steps, speed, at_wall, along, times_s, walls)
    fewest = _traced(steps, np.inf, at_wall, along, times_s, walls)
    return fitting if len(fitting) <= len(fewest) else fewest


def _steps(along: Places, times_s: Places, walls: tuple[float, float]) -> list[_Step]:
    stays = np.abs(np.diff(along)) <= _APART_PX
    # It rests where the clip finds or leaves it at rest; elsewhere it was gone and is back.
    at_rest = [along[end] for end in (0, -1) if stays[end]]
    rests = stays & np.array(
        [any(abs(p - r) <= 2 * _APART_PX for r in at_rest) for p in along[1:]], dtype=bool
    )
    last = len(rests) - 1
    steps = []
    for i, (here, there) in enumerate(pairwise(along)):
        ends = i == 0 or i == last or rests[i - 1] or rests[i + 1]
        steps.append(
            _Step(
                straight=float(there - here),
                by_lower=float(here + there) - 2 * walls[0],
                by_upper=2 * walls[1] - float(here + there),
                span_s=float(times_s[i + 1] - times_s[i]),
                rests=bool(rests[i]),
                may_be_short=bool(ends),
            )
        )
    return steps


def _ways(step: _Step) -> list[tuple[int, int, float, int]]:
    """(direction before, direction after, length, contacts) of each way to make a step."""
    if step.rests:
        return [(a, b, 0.0, 0) for a in (_UP, _DOWN) for b in (_UP, _DOWN)]
    straight = _UP if step.straight > 0 else _DOWN
    return [
        (straight, straight, abs(step.straight), 0),
        (_UP, _DOWN, step.by_upper, 1),
        (_DOWN, _UP, step.by_lower, 1),
    ]


def _fits(step: _Step, length: float, speeds: Places) -> npt.NDArray[np.bool_]:
    if step.rests or not np.isfinite(speeds).all():
        return np.ones(len(speeds), dtype=bool)
    full = speeds * step.span_s
    error = _SPEED_ERROR * full + _PLACE_ERROR_PX
    short = length <= full + error
    return short if step.may_be_short else short & (length >= full - error)


def _fewest(steps: list[_Step], speeds: Places, at_wall: list[int | None]) -> list[Places]:
    """Fewest contacts up to each frame, float64 (2, speeds) by direction after it; inf where no way fits."""
    best = np.zeros((2, len(speeds)))
    found = [_turned(best, at_wall[0])]
    for i, step in enumerate(steps):
        after = np.full_like(best, np.inf)
        for before, now, length, contacts in _ways(step):
            cost = np.where(_fits(step, length, speeds), found[-1][before] + contacts, np.inf)
            after[now] = np.minimum(after[now], cost)
        found.append(_turned(after, at_wall[i + 1]))
    return found


def _turned(best: Places, wall: int | None) -> Places:
    """A frame that shows a contact is reached towards that wall, and left the other way."""
    if wall is None:
        return best
    turned = np.full_like(best, np.inf)
    turned[1 - wall] = best[wall]
    return turned


def _traced(
    steps: list[_Step],
    speed: float,
    at_wall: list[int | None],
    along: Places,
    times_s: Places,
    walls: tuple[float, float],
) -> list[Turn]:
    """The turns of a path with the fewest contacts at one speed."""
    found = _fewest(steps, np.array([speed]), at_wall)
    direction = int(np.argmin(found[-1][:, 0]))
    turns: list[Turn] = []
    for i in range(len(steps) - 1, -1, -1):
        wall = at_wall[i + 1]
        now = direction if wall is None else wall
        fitting = [
            (float(found[i][before, 0]) + contacts, before, length)
            for before, after, length, contacts in _ways(steps[i])
            if after == now and _fits(steps[i], length, np.array([speed]))[0]
        ]
        _, direction, length = min(fitting)
        if direction != now and not steps[i].rests:
            up = direction == _UP
            to_wall = abs(walls[1 if up else 0] - along[i])
            share = to_wall / length if length > 0 else 0.5
            late = (
                max(0.0, steps[i].span_s - length / speed) if i and steps[i - 1].rests else 0.0
            )  # it set out late
            time_s = float(times_s[i] + late + share * (steps[i].span_s - late))
            turns.append(Turn(i, time_s, up))
    return turns[::-1]
