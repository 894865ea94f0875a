"""When the scene of a clip stands: after it has appeared, and before it vanishes.

Many clips begin with an empty picture, in which walls, nodes and the object appear, at once or one after the
other, and end with their vanishing. Neither is an event. A picture's structure is how much its neighbouring
pixels differ; it does not depend on how light the ground is. A clip has an entrance if it begins with far less
structure than it has later. The entrance lasts until the structure is there and no longer only grows.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

import numpy as np
import numpy.typing as npt

from lft.core.video.media import Picture
from lft.counting.observer.pictures import Strip

_SEEN_LEVELS = 18  # smaller differences of neighbours may be compression
_LEAST = 300.0  # levels summed over pixels: a change of a few pixels
_EMPTY = 0.5  # of the structure that the clip has nearly always: the scene is not there yet,
_THERE = 0.9  # and there it is
_BEGUN = 0.1  # of it: the scene has begun to appear
_GROWS_ON = 1.3  # times as much structure after as long again: it does not appear, it goes on growing
_LEAN = 5  # percent of the time in which a clip may have even less structure
_LOST = 0.35  # of what is gained: if more is lost, it is a change and no longer an appearance
_STILL_S = 0.15  # what does not change for so long stands still
_CLOSE_S = 0.2  # frames further apart do not show how a scene appears
_FEWEST = 8  # frames that tell what a clip shows nearly always

Structure = npt.NDArray[np.uint8]


def structure(picture: Picture) -> Structure:
    """How far each pixel's neighbours differ, uint8 (h, w): 0 for what may be noise."""
    import cv2

    span = cast(Picture, cv2.morphologyEx(picture, cv2.MORPH_GRADIENT, np.ones((3, 3), np.uint8)))
    return np.asarray(np.maximum(span.max(axis=2), _SEEN_LEVELS) - np.uint8(_SEEN_LEVELS))


def while_it_stands(strip: Strip) -> tuple[Strip, int]:
    """The frames in which the scene stands, and the position of the first of them."""
    amounts = np.array([_amount(structure(picture)) for picture in strip.pictures])[strip.index]
    first, last = standing(amounts, lambda position: structure(strip.at(position)), strip.times_s)
    return strip.part(first, last), first


def standing(
    amounts: npt.NDArray[np.float64],
    structure_at: Callable[[int], Structure],
    times_s: npt.NDArray[np.float64],
) -> tuple[int, int]:
    """Positions of the first and the last frame in which the scene stands.

    `amounts` float64 (n,) are the sums of the frames' structures, which `structure_at` gives by position.

    A square appears within four frames:

    >>> square = np.zeros((20, 20), np.uint8)
    >>> square[5:15, 5:15] = 1
    >>> shown = [square * level for level in [0, 50, 100, 150] + 12 * [200]]
    >>> standing(np.array([s.sum() for s in shown]), shown.__getitem__, np.arange(16) / 30)
    (4, 15)
    """
    last = len(amounts) - 1
    if last + 1 < _FEWEST or float(np.median(np.diff(times_s))) > _CLOSE_S:
        return 0, last
    usual = float(np.percentile(amounts[len(amounts) // 4 : -(len(amounts) // 4)], _LEAN))
    start = _entrance(amounts, structure_at, times_s, usual)
    end = last - _entrance(
        amounts[::-1], lambda i: structure_at(last - i), times_s[-1] - times_s[::-1], usual
    )
    return (start, end) if start < end else (0, last)


def _entrance(
    amounts: npt.NDArray[np.float64],
    structure_at: Callable[[int], Structure],
    times_s: npt.NDArray[np.float64],
    usual: float,
) -> int:
    """The frame that ends the entrance; 0 if there is none."""
    import cv2

    if amounts[0] >= _EMPTY * usual:
        return 0
    end = 0
    for i in range(1, len(amounts)):
        there = amounts[end] >= _THERE * usual
        if there and times_s[i] - times_s[end] > _STILL_S:
            break
        if amounts[i] < _THERE * usual:
            end = i
        elif amounts[i] >= amounts[end] + _LEAST:
            # What has only just come may go, as the tip of a line that is being drawn.
            since = int(np.searchsorted(times_s, times_s[i] - _STILL_S))
            stood = np.minimum.reduce([structure_at(k) for k in range(since, i)])
            lost = _amount(np.maximum(stood, structure_at(i)) - structure_at(i))
            if there and lost > _LOST * (amounts[i] - _amount(stood)):
                break
            end = i
    ended_s = times_s[end]
    grown_s = ended_s - times_s[int(np.argmax(amounts > _BEGUN * usual))]
    near, later = (
        amounts[(times_s >= ended_s + part * grown_s) & (times_s <= ended_s + (part + 0.5) * grown_s)]
        for part in (0, 0.5)
    )
    if len(later) and later.min() > _GROWS_ON * near.min():
        return 0  # such as a progress bar
    while end + 1 < len(amounts) and times_s[end + 1] - ended_s <= _STILL_S:
        if cv2.absdiff(structure_at(end), structure_at(end + 1)).sum(dtype=np.int64) < _LEAST:
            break
        end += 1  # it comes to rest
    return end


def _amount(of: Structure) -> float:
    return float(of.sum(dtype=np.int64))
