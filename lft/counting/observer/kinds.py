"""What kind of change a clip shows, so that a reader of another kind says so instead of counting.

    moves      something moves: where it was, the ground is seen
    flashes    something comes and goes: the picture holds other levels while it is lit
    switches   something changes from one lasting look to another

Only what is certain is said. A clip in which nothing changes may be of any kind, and so may one of which too few
frames are supplied to tell.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from lft.core.video.frames import Frames
from lft.core.video.media import Picture
from lft.counting.observer.entrances import while_it_stands
from lft.counting.observer.pictures import Strip, distance, excess, levels, noise_levels, strip

_MOST_FRAMES = 240  # that are looked at
_SEEN_LEVELS = 18  # a smaller difference between two pictures may be compression
_LEAST = 300.0  # levels summed over pixels: a change of a few pixels
_SMALL = 0.15  # of the greatest change: less is no other state, as a clock that ticks
_MANY, _FEW = 8, 3  # looks: something moves, and something comes and goes
_LASTS_S = 0.25  # a look that lasts is seen for so long, and in three frames
_LEVELS_KEPT = 0.15  # of the greatest change: what is one look's levels is the other's, elsewhere
_STANDS = 0.72  # of what ever changes, something stands there in every look

MOVES = "something moves"
IN_PLACE = "things change where they stand, and nothing moves"
RETURNS = "what changes is back at once, and one look only lasts"
KEEPS = "what changes stays as bright as it was, and is elsewhere"


@dataclass(frozen=True)
class _Looks:
    """The different looks of a clip, up to `_MANY`, and how many of them last."""

    pictures: tuple[Picture, ...]
    lasting: int
    visible: float


def unfit(frames: Frames, change: str) -> str | None:
    """Why the frames do not show this kind of change (`Domain.change`), in words; None if they do, or if that cannot be
    told. A domain that names no kind is never contradicted.
    """
    if not change or len(frames) < 2:
        return None
    chosen = np.unique(np.linspace(0, len(frames) - 1, min(len(frames), _MOST_FRAMES)).astype(int))
    some = Frames(frames.source, frames.frame_indices[chosen], frames.times_s[chosen])
    looks = _looks(while_it_stands(strip(some))[0], _SMALL if change == "switches" else 0.0)
    if len(looks.pictures) < 2:
        return None
    moves = len(looks.pictures) >= _MANY and looks.lasting <= 1
    keeps = _keeps_its_levels(looks)
    comes_and_goes = len(looks.pictures) <= _FEW and not keeps
    watched = float(np.median(np.diff(some.times_s))) <= _LASTS_S / 2
    if change == "switches":
        returns = comes_and_goes and watched and looks.lasting == 1
        return MOVES if moves else RETURNS if returns else None
    if change == "flashes":
        return None if not keeps else MOVES if moves else KEEPS
    # A ball that is seen in two places that overlap hides half of the ground that it leaves.
    told = watched or len(looks.pictures) > 2
    return IN_PLACE if comes_and_goes or (told and _stands(looks)) else None


def _looks(seen: Strip, small: float) -> _Looks:
    visible = max(_SEEN_LEVELS, 6 * noise_levels(seen.pictures)) if len(seen.pictures) > 1 else _SEEN_LEVELS
    least = max(_LEAST, small * max(excess(look, seen.pictures[0], visible) for look in seen.pictures))
    known: list[Picture] = []
    lasting: set[int] = set()
    before, start = -1, 0
    for i in range(len(seen) + 1):
        number = -1
        if i < len(seen):
            same = (k for k, look in enumerate(known) if excess(seen.at(i), look, visible) < least)
            number = next(same, len(known))
            if number == len(known):
                known.append(seen.at(i))
        if number != before:
            if before >= 0 and i - start >= 3 and seen.times_s[i - 1] - seen.times_s[start] >= _LASTS_S:
                lasting.add(before)
            before, start = number, i
        if len(known) > 4 * _MANY:
            break
    return _Looks(tuple(known), len(lasting), visible)


def _keeps_its_levels(looks: _Looks) -> bool:
    """Whether the looks differ in where their levels are only."""
    first = looks.pictures[0]
    apart = max(excess(first, look, looks.visible) for look in looks.pictures[1:])
    of_levels = max(excess(levels(first), levels(look), looks.visible / 2) for look in looks.pictures[1:])
    return of_levels <= _LEVELS_KEPT * apart


def _stands(looks: _Looks) -> bool:
    """Whether something stands wherever anything changes, in every look; a mover leaves the ground behind."""
    if len(looks.pictures) >= _MANY:
        return False
    changing: npt.NDArray[np.bool_] = np.logical_or.reduce(
        [distance(looks.pictures[0], look) > looks.visible for look in looks.pictures[1:]]
    )
    ground = np.median(looks.pictures[0].reshape(-1, 3), axis=0).astype(np.uint8)
    before_ground = [
        distance(look, np.broadcast_to(ground, look.shape).copy()) > looks.visible for look in looks.pictures
    ]
    return min(float(there[changing].mean()) for there in before_ground) >= _STANDS
