"""Crossings read off pixels: something hangs to one side of an upright line, then to the other.

The line stands still and is upright. Whatever is not ground and not still belongs to what swings, and so does the part
of the line that it covers at times, which lies on the line and pulls to no side. So the side is the sign of the mean
distance of all that from the line. Knows nothing of how clips are drawn.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import numpy.typing as npt

from lft.core.video.frames import Frames
from lft.core.video.media import Picture
from lft.counting.observer.observe import Sighting
from lft.counting.observer.pictures import strip

_SEEN_LEVELS = 30  # a smaller difference may be compression
_LEAST_PX = 12  # of what swings
_LEAST_AWAY_PX = 0.15  # nearer to the line no side can be told
_SIDES = {-1: "left", 1: "right"}


def read(frames: Frames) -> list[Sighting]:
    """Every frame in which what swings is on the other side than in the last frame that tells its side."""
    seen = strip(frames)  # the frames, reduced; equal neighbours are one picture
    if len(seen.pictures) < 2:
        return []
    low, high = seen.pictures[0], seen.pictures[0]
    for picture in seen.pictures:
        low, high = np.minimum(low, picture), np.maximum(high, picture)
    still = (high - low).max(axis=2) <= _SEEN_LEVELS
    ground = np.median(seen.pictures[0].reshape(-1, 3), axis=0)
    line = _line(still & (_apart(seen.pictures[0], ground) > _SEEN_LEVELS))
    if line is None:
        return []
    told = [_side(np.where(still, 0, _apart(picture, ground)), line) for picture in seen.pictures]
    sides = [told[i] for i in seen.index]
    known = [(i, side) for i, side in enumerate(sides) if side]
    changes = [(i, side) for (_, before), (i, side) in pairwise(known) if side != before]
    ends = [*(i - 1 for i, _ in changes[1:]), len(frames) - 1]
    return [
        Sighting(
            time_s=float(frames.times_s[i]),
            position=i,
            label=f"to the {_SIDES[side]} side",
            evidence=(i, end),
            before=_SIDES[-side],
            after=_SIDES[side],
        )
        for (i, side), end in zip(changes, ends, strict=False)
    ]


def _line(standing: npt.NDArray[np.bool_]) -> float | None:
    """Column of the middle of the line, or None: where most of what stands still is."""
    heights = standing.sum(axis=0).astype(float)
    if heights.max() < 3:
        return None
    inside = np.where(heights >= heights.max() / 2, heights, 0.0)
    return float(np.average(np.arange(len(heights)), weights=inside))


def _apart(picture: Picture, ground: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """How far each pixel is from the ground, levels, (h, w)."""
    apart: npt.NDArray[np.float64] = np.abs(picture - ground).max(axis=2)
    return apart


def _side(apart: npt.NDArray[np.float64], line: float) -> int:
    """-1 left, 1 right, 0 where it cannot be told; `apart` (h, w) is 0 where something stands still."""
    swinging = np.where(apart > _SEEN_LEVELS, apart, 0.0)
    if np.count_nonzero(swinging) < _LEAST_PX:
        return 0
    columns = swinging.sum(axis=0)
    away = float(np.average(np.arange(len(columns)) - line, weights=columns))
    return 0 if abs(away) <= _LEAST_AWAY_PX else -1 if away < 0 else 1
