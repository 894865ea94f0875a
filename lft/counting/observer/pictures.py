"""Supplied frames in the small: what the three readers look at, in one pass and bounded memory.

A reader needs far fewer pixels than a frame has. Averaging areas also takes away most of what compression
leaves behind. Frames that do not differ from the one before are kept once: most of a clip stands still.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import cast

import numpy as np
import numpy.typing as npt

from lft.core.video.frames import Frames
from lft.core.video.media import Picture

SCALE_PX = 320 * 180  # area of the pictures of a `Strip`, in pixels
_HARDLY_REDUCED = 0.4

Part = tuple[slice, slice]  # rows and columns
WHOLE: Part = (slice(None), slice(None))


@dataclass(frozen=True)
class Strip:
    """All supplied frames, reduced.

    Attributes
    ----------
    pictures : one RGB picture, uint8 (h, w, 3), for each run of equal frames.
    index : intp (n,), for each supplied frame its picture.
    times_s : float64 (n,), seconds.
    """

    pictures: tuple[Picture, ...]
    index: npt.NDArray[np.intp]
    times_s: npt.NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.index)

    def at(self, position: int) -> Picture:
        """The picture of one supplied frame."""
        return self.pictures[int(self.index[position])]

    def part(self, first: int, last: int) -> Strip:
        """The frames from `first` to `last`."""
        index = self.index[first : last + 1]
        pictures = self.pictures[int(index[0]) : int(index[-1]) + 1]
        return Strip(pictures, index - index[0], self.times_s[first : last + 1])


def strip(frames: Frames) -> Strip:
    """The supplied frames, each of at most `SCALE_PX` pixels."""
    pictures: list[Picture] = []
    index: list[int] = []
    for picture, changed in reduced(frames, SCALE_PX):
        if changed:
            pictures.append(picture)
        index.append(len(pictures) - 1)
    return Strip(tuple(pictures), np.array(index, dtype=np.intp), frames.times_s)


def reduced(
    frames: Frames, area_px: int, *, enlarge: bool = False, part: Part = WHOLE
) -> Iterator[tuple[Picture, bool]]:
    """Yields each frame, of at most `area_px` pixels, and whether it differs from the last one.

    An area and not a side: what a long and narrow picture shows is as small as its short side. `enlarge` brings
    smaller frames up to that size, for readers whose tolerances are in pixels. Otherwise frames that are small
    already are blurred instead, so that noise is averaged in them too. `part` is what is looked at, in the video's
    own pixels.
    """
    import cv2

    before: Picture | None = None
    last: Picture | None = None
    small: Picture | None = None
    for whole in frames.pictures():
        picture = whole[part]
        if before is not None and small is not None and (whole is last or np.array_equal(picture, before)):
            yield small, False
            continue
        height, width = picture.shape[:2]
        factor = (area_px / (height * width)) ** 0.5
        now = picture
        if factor < 1 or (enlarge and factor > 1):
            size = (max(1, round(width * factor)), max(1, round(height * factor)))
            how = cv2.INTER_AREA if factor < 1 else cv2.INTER_LINEAR
            now = cast(Picture, cv2.resize(picture, size, interpolation=how))
        if not enlarge and factor > _HARDLY_REDUCED:
            now = cast(Picture, cv2.blur(now, (3, 3)))
        changed = small is None or not np.array_equal(now, small)
        before, last = picture, whole
        if changed:
            small = now
        assert small is not None
        yield small, changed


def distance(a: Picture, b: Picture) -> npt.NDArray[np.uint8]:
    """How far two pictures are apart: uint8 (h, w), the largest difference of a channel."""
    import cv2

    red, green, blue = cv2.split(cv2.absdiff(a, b))
    return cast("npt.NDArray[np.uint8]", cv2.max(cv2.max(red, green), blue))


def excess(a: Picture, b: Picture, visible: float) -> float:
    """By how many levels two pictures differ visibly, summed over all pixels: 0 for what may be noise."""
    if a is b:
        return 0.0
    apart = distance(a, b)
    return float(apart[apart > visible].sum(dtype=np.int64))


def levels(picture: Picture) -> Picture:
    """The levels of a picture, sorted in each channel: where they are does not matter."""
    return np.sort(picture.reshape(-1, 3), axis=0, kind="stable").reshape(picture.shape)


def noise_levels(pictures: tuple[Picture, ...]) -> float:
    """Standard deviation of a pixel's level from one picture to the next, where nothing happens."""
    chosen = np.unique(np.linspace(1, len(pictures) - 1, 25).astype(int))
    spreads = [np.median(np.abs(pictures[i].astype(np.int16) - pictures[i - 1])) for i in chosen]
    return float(np.median(spreads)) * 1.4826 / 2**0.5
