"""The least number of contacts of a ball that hurries across and then waits (`lft.counting.motion.hurrying`).

A place between the walls says whether the ball waits, and where, or for how many frames it has been gone from a wall,
or how many it needs to the next. Kept up from frame to frame is the least number of contacts so far, for each wall that
may have been the last and each contact that may be under way.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from lft.counting.motion import REST, WAIT


@dataclass(frozen=True)
class Phase:
    """What may be going on in a frame.

    Attributes
    ----------
    last : the wall touched last, 0 or 1; None before the first contact.
    touched : the frame of that contact, where the ball has just left it.
    touches : the frame of the contact to come, with the other wall, where the ball is on its way to it.
    first : whether that is the first contact of all; `last` is then the wall that it moves away from.
    """

    last: int | None
    touched: int | None = None
    touches: int | None = None
    first: bool = False


def least_contacts(frames: Sequence[int], places: Sequence[Fraction], leg: int) -> int:
    """The fewest contacts with which the ball is in these places (0 to 1, of the way) in these frames.

    Waits near one wall, then near the other, then there still; the same, but at last touching:

    >>> near, far = Fraction(1, 4), Fraction(3, 4)
    >>> least_contacts([0, 30, 60], [near, far, far], 4), least_contacts([0, 30, 60], [near, far, Fraction(1)], 4)
    (2, 4)
    """
    so_far: dict[Phase, int] = {}
    before = None
    for frame, place in zip(frames, places, strict=True):
        now = {}
        for phase in _phases(frame, place, leg):
            ways = (
                [int(phase.last is not None and not phase.first)]
                if before is None
                else [
                    n + k
                    for old, n in so_far.items()
                    if (k := _between(old, phase, before, frame)) is not None
                ]
            )
            if ways:
                now[phase] = min(ways)
        so_far, before = now, frame
    return min((n + (phase.touches is not None) for phase, n in so_far.items()), default=0)


def _phases(frame: int, place: Fraction, leg: int) -> list[Phase]:
    found = [Phase(None)] if place == REST else []
    for wall, away in ((0, place), (1, 1 - place)):
        if away == WAIT:
            found.append(Phase(wall))
        off = away * leg
        if off.denominator == 1 and off < WAIT * leg:
            found.append(Phase(wall, touched=frame - int(off)))
        if off.denominator == 1 and 0 < off < (1 - WAIT) * leg:
            found.append(Phase(1 - wall, touches=frame + int(off)))
            if off < REST * leg:
                found.append(Phase(1 - wall, touches=frame + int(off), first=True))
    return found


def _between(old: Phase, new: Phase, before: int, frame: int) -> int | None:
    """The fewest contacts after one frame up to another; None if the one cannot follow the other."""
    if old.touches is not None and frame < old.touches:
        return 0 if (new.last, new.touches, new.first) == (old.last, old.touches, old.first) else None
    if new.first or new.last is None:
        return 0 if old.last is None else None
    last, contacts = old.last, 0
    if old.touches is not None:
        assert old.last is not None
        last, contacts = 1 - old.last, 1
        if new.touched == old.touches:
            return contacts if new.last == last else None
    if new.touched is not None and new.touched > before and new.last == last:
        return contacts + 2
    return contacts + (new.last != last)
