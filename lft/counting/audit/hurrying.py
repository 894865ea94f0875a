"""The least number of contacts of a ball that hurries across and then waits (`lft.counting.drawing.visual.hurrying`).

A place between the walls says whether the ball waits, and where, or for how many frames it has been gone from a wall,
or how many it needs to the next. Kept up from frame to frame is the least number of contacts so far, for each wall that
may have been the last and each contact that may be under way.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from lft.counting.drawing.visual import REST, WAIT


@dataclass(frozen=True)
class Phase:
    """What may be going on in a frame.

    Attributes
    ----------
    last : the wall touched last, 0 or 1; None before the first contact.
    touched : the frame of that contact, where the ball has just left it.
    touches : the frame of the contact to come, where the ball is on its way to it.
    """

    last: int | None
    touched: int | None = None
    touches: int | None = None


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
                [int(phase.last is not None)]
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
                found.append(Phase(None, touches=frame + int(off)))
    return found


def _between(old: Phase, new: Phase, before: int, frame: int) -> int | None:
    """The fewest contacts after one frame up to another; None if the one cannot follow the other."""
    if old.touches is not None and frame < old.touches:
        return 0 if (new.last, new.touches) == (old.last, old.touches) else None
    due = old.touches is not None or (new.touched is not None and new.touched > before)
    if new.last is None:
        return None if due or old.last is not None else 0
    if old.last is None:
        return 1
    if old.last != new.last:
        return 1
    return 2 if due else 0
