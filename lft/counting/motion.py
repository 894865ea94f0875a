"""Motion to and fro between two ends, frame by frame: a mover that touches an end in the frame of each event.

Positions are exact fractions of the path: 0 touches the first end, 1 the second, 1/2 is rest. Rendering and bounds
use them.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise

REST = Fraction(1, 2)
# Distance from the wall, as a fraction of the path, at which a ball waits if intervals are not regular.
WAIT = Fraction(1, 4)
# Without events the ball turns here, in free air, at 1/5 of the path (several radii) from either wall.
_TURN = Fraction(1, 5)


def places(
    events: Sequence[int], frames: Iterable[int], first_wall: int, lone_leg: int
) -> tuple[Fraction, ...]:
    """The position in each frame: constant speed between contacts, a touch exactly on each event frame, at rest
    mid-way before and after.

    The first approach has the speed of the following leg, the last departure that of the leg before; around a
    single contact a leg lasts `lone_leg` frames.

    >>> [str(place) for place in places([3, 5], range(7), 0, 2)]
    ['1/2', '1/2', '1/2', '0', '1/2', '1', '1/2']
    """
    legs = [b - a for a, b in pairwise(events)] or [lone_leg]
    found: list[Fraction] = []
    for frame in frames:
        after = bisect_right(events, frame)  # events up to and including this frame
        ways = []  # (wall, frames to or from it, leg), of the contact before and of the one to come
        if after:
            ways.append(
                ((first_wall + after - 1) % 2, frame - events[after - 1], legs[min(after, len(legs)) - 1])
            )
        if after < len(events):
            ways.append(((first_wall + after) % 2, events[after] - frame, legs[max(after - 1, 0)]))
        near = [(wall, since, leg) for wall, since, leg in ways if 2 * since < leg]
        found.append(_off(*near[0]) if near else REST)
    return tuple(found)


def hurrying(events: Sequence[int], frame_count: int, first_wall: int, leg: int) -> tuple[Fraction, ...]:
    """Each crossing takes `leg` frames, for any interval: the ball touches, turns, and waits near the wall
    that it touched last. So its speed carries no information on intervals, and its waiting position shows only the
    last wall. Before the first contact it waits mid-way.

    >>> [str(place) for place in hurrying([3, 9], 12, 0, 4)]
    ['1/2', '1/2', '1/4', '0', '1/4', '1/4', '1/4', '1/2', '3/4', '1', '3/4', '3/4']
    """
    found: list[Fraction] = []
    for frame in range(frame_count):
        after = bisect_right(events, frame)
        last, following = (first_wall + after - 1) % 2, (first_wall + after) % 2
        since = frame - events[after - 1] if after else frame_count
        until = events[after] - frame if after < len(events) else frame_count
        if since < WAIT * leg:
            found.append(_off(last, since, leg))
        elif until < (1 - (WAIT if after else REST)) * leg:
            found.append(_off(following, until, leg))
        else:
            found.append((WAIT if last == 0 else 1 - WAIT) if after else REST)
    return tuple(found)


def _off(wall: int, frames: int, leg: int) -> Fraction:
    """So many frames off a wall, at the speed of a leg."""
    return _part(frames if wall == 0 else leg - frames, leg)


@lru_cache(maxsize=4096)
def _part(frames: int, leg: int) -> Fraction:
    return Fraction(frames, leg)


@lru_cache(maxsize=8)
def swinging(frame_count: int, speed: Fraction, first_wall: int) -> tuple[Fraction, ...]:
    """Motion through the whole clip that never reaches a wall; `speed` is of the way, per frame, as with events."""
    width = 1 - 2 * _TURN
    found: list[Fraction] = []
    for frame in range(frame_count):
        along = (width / 2 + frame * speed) % (2 * width)
        place = _TURN + (along if along <= width else 2 * width - along)
        found.append(place if first_wall == 1 else 1 - place)
    return tuple(found)
