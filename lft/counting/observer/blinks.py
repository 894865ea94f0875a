"""Blinks: an object leaves its resting appearance for a short while and comes back.

Every picture is put on one axis between two appearances, resting (0) and fully lit (1), by its projection on
what changes between the two; size, position and colour of the object need not be known. A blink is a rise and
fall along that axis. What rests is what is held for longest. Where the supplied frames do not settle that, it is the
appearance with clearly the lesser contrast to its surroundings, or else what is seen most: frames that come as often
as the blinks show the same look again and again.

The time of a blink is its first lit frame if it comes on at once, and the first fully lit one if it fades in.
Lit frames with no darker one supplied between them prove one blink, however far apart they are.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from lft.core.video.media import Picture
from lft.counting.observer.entrances import while_it_stands
from lft.counting.observer.pictures import Strip, distance, excess, levels, noise_levels

_UNSEEN_S = 0.4  # frames farther apart do not show that a look was held between them
_SEEN_LEVELS = 18  # a smaller difference between two pictures may be compression
_SEEN_PX = 6  # smallest area that counts as a change
_SMALL = 0.005  # of the picture: a piece below this may be a clock's digit,
_OFF_AXIS = 0.04  # if so much of its change, in squares and on average, is to other looks than two
_MOVES = 1.5  # times as many pixels change as between two looks: something moves,
_MUCH_LESS = 0.25  # and is what blinks, if its levels are so much less off two looks than its pixels
_RISE = 0.15  # of the way from resting to lit: smaller rises and falls are not blinks
_HELD_S, _HELD_LONGER = (
    0.4,
    2.5,
)  # held that long, and that many times longer than the other level: it rests there
_CLEARLY = 1.5  # times as much contrast: it is lit, and does not rest there

Signal = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Blink:
    """One blink: position of its frame among those supplied, and of the first and last frame that are lit."""

    position: int
    first: int
    last: int


@dataclass(frozen=True)
class _Pulse:
    """A rise and fall: position before the rise (-1: none) and its level, position of the top, and after."""

    start: int
    foot: float
    peak: int
    end: int


def find_blinks(strip: Strip) -> list[Blink]:
    """The blinks that the pictures show, in time order."""
    strip, start = while_it_stands(strip)
    lit, noise = lit_signal(strip)
    if lit is None:
        return []
    pulses = _pulses(lit, min(max(_RISE, 8 * noise), 0.5))
    blinks = [_dated(lit, pulse) for pulse in pulses]
    return [Blink(start + b.position, start + b.first, start + b.last) for b in blinks]


def lit_signal(strip: Strip) -> tuple[Signal | None, float]:
    """How far the object is lit in each supplied frame, and the noise of that.

    Returns float64 (n,), 0 resting to 1 fully lit, and one standard deviation; None if nothing changes.
    """
    if len(strip.pictures) < 2:
        return None, 0.0
    noise = noise_levels(strip.pictures)
    axis = _axis(strip, noise)
    if axis is not None and _ever_changing_px(strip, noise) > _MOVES * int(axis.changing.sum()):
        # More changes than two looks can tell: what blinks moves as well. Its levels do not depend on where it is.
        of_the_levels = Strip(
            tuple(levels(picture) for picture in strip.pictures), strip.index, strip.times_s
        )
        of_levels = _axis(of_the_levels, noise)
        if of_levels is None or of_levels.off < _MUCH_LESS * axis.off:
            strip, axis = of_the_levels, of_levels
    if axis is None:
        return None, 0.0
    rest, changing = axis.rest, axis.changing
    low = rest[changing].astype(np.float64)
    way = axis.other[changing].astype(np.float64) - low
    scale = float((way**2).sum())
    along = np.array([float(((p[changing] - low) * way).sum()) / scale for p in strip.pictures])[strip.index]
    if _rests_high(along, strip.times_s, _contrast(rest, changing), _contrast(axis.other, changing)):
        along = 1 - along
    resting = along[along < 0.5]
    base = float(np.median(resting)) if len(resting) else 0.0
    top = float(along.max())
    return (along - base) / (top - base), noise / float(np.sqrt(scale))


@dataclass(frozen=True)
class _Axis:
    """Two looks, bool (h, w) where they differ, and how far the others lie off the line between the two."""

    rest: Picture
    other: Picture
    changing: npt.NDArray[np.bool_]
    off: float  # in squares, on average, of the distance of the two


def _axis(strip: Strip, noise: float) -> _Axis | None:
    """The two looks that are farthest apart; None if nothing changes."""
    visible = max(_SEEN_LEVELS, 6 * noise)
    rest = other = strip.pictures[0]
    for _ in range(
        2
    ):  # the picture farthest from any one is at an end of the axis; the farthest from that, at the other
        far = max(strip.pictures, key=lambda picture: excess(picture, rest, visible))
        rest, other = far, rest
    changing, off = _blinking(strip, rest, other, _changing(rest, other, visible))
    return _Axis(rest, other, changing, off) if changing.any() else None


def _ever_changing_px(strip: Strip, noise: float) -> int:
    span = np.maximum.reduce(strip.pictures) - np.minimum.reduce(strip.pictures)
    return int((span.max(axis=2) > max(_SEEN_LEVELS, 6 * noise)).sum())


def _changing(a: Picture, b: Picture, visible: float) -> npt.NDArray[np.intp]:
    """Where two pictures differ visibly: the numbers of the pieces from 1, int (h, w), 0 elsewhere."""
    import cv2

    mask = (distance(a, b) > visible).astype(np.uint8)
    count, labels, stats, _ = cv2.connectedComponentsWithStats(mask, connectivity=8)
    new = np.zeros(count, dtype=np.intp)
    kept = np.flatnonzero(stats[:, cv2.CC_STAT_AREA] >= _SEEN_PX)[1:]
    new[kept] = np.arange(1, len(kept) + 1)
    return np.asarray(new[labels])


def _blinking(
    strip: Strip, rest: Picture, other: Picture, pieces: npt.NDArray[np.intp]
) -> tuple[npt.NDArray[np.bool_], float]:
    """The pieces without the small ones that do not go to and fro between two looks, as a clock's digits.

    And how far off the line between the two looks the pieces are, in squares and on average.
    """
    where = pieces > 0
    number, count = pieces[where] - 1, int(pieces.max(initial=0))
    low = rest[where].astype(np.float64)
    axis = other[where].astype(np.float64) - low

    def by_piece(values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        return np.bincount(number, weights=values.sum(axis=1), minlength=count).astype(np.float64)

    scale, left = by_piece(axis**2), np.zeros(count)
    for picture, times in zip(strip.pictures, np.bincount(strip.index), strict=True):
        way = picture[where] - low
        left += times * (by_piece(way**2) - by_piece(way * axis) ** 2 / scale)
    small = np.bincount(number, minlength=count) < _SMALL * pieces.size
    kept = np.flatnonzero(~small | (left < _OFF_AXIS * scale * len(strip)))
    off = float(left[kept].sum() / max(1.0, scale[kept].sum())) / len(strip)
    return np.isin(pieces, kept + 1), off


def _contrast(picture: Picture, where: npt.NDArray[np.bool_]) -> float:
    """Mean distance of a region's pixels from the colour around it."""
    import cv2

    around = cv2.dilate(where.astype(np.uint8), np.ones((9, 9), np.uint8)).astype(bool) & ~where
    if not around.any():
        return float(picture[where].mean())
    surroundings = np.median(picture[around].astype(np.float64), axis=0)
    return float(np.abs(picture[where] - surroundings).max(axis=1).mean())


def _rests_high(
    along: Signal, times_s: npt.NDArray[np.float64], contrast_low: float, contrast_high: float
) -> bool:
    """Whether the upper end of the axis is the resting one."""
    high = along > 0.5
    held_s = {True: 0.0, False: 0.0}
    start = 0
    for i in range(1, len(high)):
        if high[i] != high[start] or times_s[i] - times_s[i - 1] > _UNSEEN_S:
            start = i
        held_s[bool(high[i])] = max(held_s[bool(high[i])], float(times_s[i] - times_s[start]))
    longer = held_s[True] > held_s[False]
    if held_s[longer] >= _HELD_S and held_s[longer] >= _HELD_LONGER * held_s[not longer]:
        return longer
    share = float(high.mean())
    alike = max(contrast_low, contrast_high) < _CLEARLY * min(contrast_low, contrast_high)
    return share > 0.5 if alike and share != 0.5 else contrast_low > contrast_high


def _pulses(lit: Signal, step: float) -> list[_Pulse]:
    """Every rise by at least `step` that is followed by a fall by as much, or by the end."""
    pulses: list[_Pulse] = []
    start, foot, peak = -1, 0.0, -1  # before the first frame the object is taken to rest
    for i, value in enumerate(lit):
        if peak >= 0 and lit[peak] - value >= step:
            pulses.append(_Pulse(start, foot, peak, i))
            start, foot, peak = i, float(value), -1
        if peak >= 0:
            peak = i if value > lit[peak] else peak
        elif value - foot >= step:
            peak = i
        elif value <= foot or start < 0:
            start, foot = i, float(value)
    if peak >= 0:
        pulses.append(_Pulse(start, foot, peak, len(lit)))
    return pulses


def _dated(lit: Signal, pulse: _Pulse) -> Blink:
    frames = np.arange(pulse.start + 1, pulse.peak + 1)
    share = (lit[frames] - pulse.foot) / (lit[pulse.peak] - pulse.foot)
    jump = int(np.argmax(share >= 0.75))
    at_once = jump == 0 or share[jump - 1] <= 0.2
    position = frames[jump] if at_once else frames[np.argmax(share >= 0.97)]
    half = 0.5 * lit[pulse.peak]
    last = pulse.peak
    while last + 1 < pulse.end and lit[last + 1] >= half:
        last += 1
    return Blink(position=int(position), first=int(frames[np.argmax(share >= 0.5)]), last=last)
