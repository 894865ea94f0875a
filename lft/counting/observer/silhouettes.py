"""What stands still and what moves: silhouettes of a scene before a smooth ground.

The ground is a quadratic surface fitted to the first picture, or to the part of it in which things change,
robustly, so that flat grounds, gradients and vignettes are alike. Whatever differs from it is foreground.
Foreground that is there in every frame, and is in some frame all there is to its connected piece, stands
still; the largest piece of the rest is the mover.

Masks are kept as bits: 720 frames of 640x360 are 21 MB.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import cast

import numpy as np
import numpy.typing as npt

from lft.core.video.frames import Frames
from lft.core.video.media import Picture
from lft.counting.observer.entrances import Structure, standing, structure
from lft.counting.observer.pictures import WHOLE, Part, distance, reduced

SCALE_PX = 640 * 360  # area of the masks; smaller frames are enlarged to it
RIM_PX = 2  # around what stands still, edges flicker with compression
_SEEN_LEVELS = 24  # a smaller difference from the ground may be compression
_MUCH = 0.3  # of the picture differs from its ground: that is not the scene's
_GLANCES = 24  # frames that tell where things are and where they change
_FILLED = 0.4  # of the picture: looking at that part alone shows little more
_LEAST_PX = 30  # smaller pieces are specks
_PARTS = 6  # of a clip: what grows evenly grows in each
_WHOLE = 0.1  # of what stands still: as much may be added to its piece in a frame that shows it alone

Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Scene:
    """The mover in every supplied frame, and how far it is from what stands still.

    Attributes
    ----------
    centre_px : float64 (n, 2), centre of its visible part as (x, y); NaN where it is not seen.
    gap_px : float64 (n,), free pixels between it and the nearest thing that stands still, which is the edge
        of the picture if nothing else does; 0 if they touch, inf where the mover is not seen.
    outline_px : float64 (m, 2), its outline relative to its centre, from a frame in which it is free.
    radius_px : radius of a disc of its area.
    distance_px : float32 (h, w), distance of a place to the nearest thing that stands still.
    """

    centre_px: npt.NDArray[np.float64]
    gap_px: npt.NDArray[np.float64]
    outline_px: npt.NDArray[np.float64]
    radius_px: float
    distance_px: npt.NDArray[np.float32]

    def clearance_px(self, place: npt.NDArray[np.float64]) -> float:
        """Free pixels between the mover, put at `place` (x, y), and the nearest thing that stands still."""
        height, width = self.distance_px.shape
        points = np.rint(self.outline_px + place).astype(int)
        x, y = np.clip(points[:, 0], 0, width - 1), np.clip(points[:, 1], 0, height - 1)
        return max(0.0, float(self.distance_px[y, x].min()) - 1)


def scene(frames: Frames) -> Scene | None:
    """Separates the mover from what stands still, while the scene stands; None if nothing moves."""
    import cv2

    packed: list[npt.NDArray[np.uint8]] = []
    index: list[int] = []
    structures: list[Structure] = []
    looks: list[int] = []
    shape: tuple[int, int] = (0, 0)
    ground: _Ground | None = None
    part = _peopled(frames)
    for picture, changed in reduced(frames, SCALE_PX, enlarge=True, part=part):
        if changed:
            ground = ground or _ground(picture, frames, part)
            mask = ground.foreground(picture)
            shape = mask.shape
            bits = np.packbits(mask)
            if not packed or not np.array_equal(bits, packed[-1]):
                packed.append(bits)
            half = cv2.resize(picture, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
            structures.append(structure(cast(Picture, half)))
        index.append(len(packed) - 1)
        looks.append(len(structures) - 1)
    amounts = np.array([float(s.sum(dtype=np.int64)) for s in structures])[looks]
    first, last = standing(amounts, lambda position: structures[looks[position]], frames.times_s)
    if last - first + 1 < len(frames):
        return _while_it_stands(frames, slice(first, last + 1))
    if len(packed) < 2:
        return None
    still = _still(packed, shape)
    growing = _growing(packed, np.array(index), shape)
    return _tracked(
        [bits & ~growing for bits in packed], np.array(index), shape, still & ~_unpacked(growing, shape)
    )


def _while_it_stands(frames: Frames, part: slice) -> Scene | None:
    """The scene of a part of the frames; the mover is not seen in the others."""
    inner = scene(Frames(frames.source, frames.frame_indices[part], frames.times_s[part]))
    if inner is None:
        return None
    centre_px, gap_px = np.full((len(frames), 2), np.nan), np.full(len(frames), np.inf)
    centre_px[part], gap_px[part] = inner.centre_px, inner.gap_px
    return replace(inner, centre_px=centre_px, gap_px=gap_px)


def _peopled(frames: Frames) -> Part:
    """The part of the picture in which things are, if it is small, so that they are looked at more closely.

    In a picture of 128x1280 a ball has five pixels, and the scene takes up a tenth of it. Where nothing stands
    still, the edge of the picture matters, and the whole is looked at.
    """
    if not len(frames):
        return WHOLE
    ground, found = None, []
    for chosen in ([0], np.unique(np.linspace(0, len(frames) - 1, _GLANCES).astype(int))):
        some = Frames(frames.source, frames.frame_indices[chosen], frames.times_s[chosen])
        for glance, _ in reduced(some, SCALE_PX, enlarge=True):
            ground = ground or _Ground(glance)
            found.append(ground.foreground(glance))
        height, width = found[0].shape
        top, left, bottom, right = _box(np.logical_or.reduce(found))
        margin = max(bottom - top, right - left) // 4
        top, left = max(0, top - margin), max(0, left - margin)
        bottom, right = min(height, bottom + margin), min(width, right + margin)
        if (bottom - top) * (right - left) > _FILLED * height * width:
            return WHOLE
    if np.logical_and.reduce(found).sum() < _LEAST_PX:
        return WHOLE
    picture = next(iter(frames.pictures()))
    y, x = picture.shape[0] / height, picture.shape[1] / width
    return slice(int(top * y), int(np.ceil(bottom * y))), slice(int(left * x), int(np.ceil(right * x)))


def _ground(picture: Picture, frames: Frames, part: Part) -> _Ground:
    """The ground before which something moves: that of the whole picture, unless much differs from it."""
    ground = _Ground(picture)
    if ground.foreground(picture).mean() <= _MUCH:
        return ground
    # The scene fills a part of the picture only. Where things change over some of the frames, there it is.
    chosen = np.unique(np.linspace(0, len(frames) - 1, _GLANCES).astype(int))
    some = Frames(frames.source, frames.frame_indices[chosen], frames.times_s[chosen])
    glances = [glance for glance, _ in reduced(some, SCALE_PX, enlarge=True, part=part)]
    change = np.maximum.reduce(glances) - np.minimum.reduce(glances)
    top, left, bottom, right = _box(change.max(axis=2) > 2 * _SEEN_LEVELS)
    return _Ground(picture, (slice(top, bottom), slice(left, right)))


class _Ground:
    """The smooth ground of a picture, or of its `part`, and how much may differ from it by chance."""

    def __init__(self, picture: Picture, part: Part = WHOLE) -> None:
        height, width = picture.shape[:2]
        y, x = np.mgrid[0:height, 0:width].astype(np.float32)
        self._terms = _terms(2 * x / width - 1, 2 * y / height - 1)
        samples = picture[part][::6, ::6].reshape(-1, 3).astype(np.float64)
        terms = self._terms[part][::6, ::6].reshape(-1, 6).astype(np.float64)
        # Start from the commonest colour: a mean would be pulled towards what stands before the ground.
        fit = np.zeros((6, 3))
        fit[0] = np.median(samples, axis=0)
        reach = 60.0
        for _ in range(6):
            near = np.abs(samples - terms @ fit).max(axis=1) < reach
            if near.sum() < 50:
                break
            fit = np.linalg.lstsq(terms[near], samples[near], rcond=None)[0]
            left = np.abs(samples[near] - terms[near] @ fit).max(axis=1)
            reach = max(8.0, min(reach, 4 * float(np.median(left)) + 4))
        residual = np.abs(samples - terms @ fit).max(axis=1)
        noise = float(np.median(residual[residual < reach])) if np.any(residual < reach) else 0.0
        self.visible = max(_SEEN_LEVELS, 5 * noise)
        self._picture = np.clip(np.rint(self._terms @ fit.astype(np.float32)), 0, 255).astype(np.uint8)

    def foreground(self, picture: Picture) -> Mask:
        import cv2

        mask = (distance(picture, self._picture) > self.visible).astype(np.uint8)
        return cast(Mask, cv2.medianBlur(mask, 3).astype(bool))


def _terms(x: npt.NDArray[np.float64], y: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    return np.stack([np.ones_like(x), x, y, x * y, x * x, y * y], axis=-1)


def _unpacked(bits: npt.NDArray[np.uint8], shape: tuple[int, int]) -> Mask:
    return np.unpackbits(bits, count=shape[0] * shape[1]).reshape(shape).astype(bool)


def _still(packed: list[npt.NDArray[np.uint8]], shape: tuple[int, int]) -> Mask:
    """What stands still, bool (h, w)."""
    import cv2

    always = _unpacked(np.bitwise_and.reduce(packed), shape)
    count, labels = cv2.connectedComponents(always.astype(np.uint8), connectivity=8)
    areas = np.bincount(labels.ravel(), minlength=count)
    wide = cv2.dilate(always.astype(np.uint8), np.ones((2 * RIM_PX + 1, 2 * RIM_PX + 1), np.uint8)).astype(
        bool
    )
    alone = np.zeros(count, dtype=bool)
    for i in np.unique(np.linspace(0, len(packed) - 1, 60).astype(int)):
        mask = _unpacked(packed[i], shape)
        pieces, piece_labels = cv2.connectedComponents(mask.astype(np.uint8), connectivity=8)
        added = np.bincount(piece_labels[mask & ~wide], minlength=pieces)
        for k in np.flatnonzero(~alone):
            if k and areas[k] >= _LEAST_PX:
                own = np.unique(piece_labels[labels == k])
                alone[k] = added[own].sum() <= _WHOLE * areas[k]
    alone[0] = False
    return np.asarray(alone[labels], dtype=bool)


def _growing(
    packed: list[npt.NDArray[np.uint8]], index: npt.NDArray[np.intp], shape: tuple[int, int]
) -> npt.NDArray[np.uint8]:
    """What only grows, or only shrinks, all the clip through, as a progress bar; as bits."""
    import cv2

    found = np.zeros(shape, dtype=bool)
    steps = np.linspace(0, len(index) - 1, _PARTS + 1).astype(int)
    for order in (index, index[::-1]):
        # What is there from each of some moments until the end.
        since = [np.bitwise_and.reduce([packed[k] for k in np.unique(order[i:])]) for i in steps]
        last = _unpacked(since[-1], shape)
        count, labels = cv2.connectedComponents(
            (last & ~_unpacked(since[0], shape)).astype(np.uint8), connectivity=8
        )
        areas = np.array([np.bincount(labels[_unpacked(bits, shape)], minlength=count) for bits in since])
        gained = np.diff(areas, axis=0)[:, 1:]
        grows = gained.min(axis=0) >= np.maximum(gained.max(axis=0) / 2, _LEAST_PX)
        found |= np.isin(labels, 1 + np.flatnonzero(grows))
    return np.packbits(found)


def _tracked(
    packed: list[npt.NDArray[np.uint8]], index: npt.NDArray[np.intp], shape: tuple[int, int], still: Mask
) -> Scene | None:
    import cv2

    rim = cv2.dilate(still.astype(np.uint8), np.ones((2 * RIM_PX + 1, 2 * RIM_PX + 1), np.uint8)).astype(bool)
    # Where nothing else stands still, the edge of the picture does.
    framed = np.pad(~still, 1, constant_values=bool(still.any())).astype(np.uint8)
    away = cv2.distanceTransform(framed, cv2.DIST_L2, cv2.DIST_MASK_PRECISE)[1:-1, 1:-1].astype(np.float32)
    centres = np.full((len(packed), 2), np.nan)
    gaps = np.full(len(packed), np.inf)
    areas = np.zeros(len(packed))
    outlines: list[npt.NDArray[np.float64]] = [np.empty((0, 2))] * len(packed)
    top, left, bottom, right = _box(_unpacked(np.bitwise_or.reduce(packed), shape) & ~rim)
    rim, near = rim[top:bottom, left:right], away[top:bottom, left:right]
    for i, bits in enumerate(packed):
        mask = (_unpacked(bits, shape)[top:bottom, left:right] & ~rim).astype(np.uint8)
        count, labels, stats, centroids = cv2.connectedComponentsWithStats(mask, connectivity=8)
        if count < 2:
            continue
        k = 1 + int(np.argmax(stats[1:, cv2.CC_STAT_AREA]))
        if stats[k, cv2.CC_STAT_AREA] < _LEAST_PX:
            continue
        x, y, w, h = (int(v) for v in stats[k, :4])
        own = (labels[y : y + h, x : x + w] == k).astype(np.uint8)
        centres[i], areas[i] = centroids[k] + (left, top), stats[k, cv2.CC_STAT_AREA]
        nearest = float(near[y : y + h, x : x + w][own.astype(bool)].min())
        gaps[i] = max(0.0, nearest - 1 - RIM_PX)
        edge = np.vstack(
            [c[:, 0, :] for c in cv2.findContours(own, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)[0]]
        )
        outlines[i] = edge + np.array([x, y]) - centroids[k]
    seen = areas > 0
    if seen.sum() < 2:
        return None
    typical = float(np.median(areas[seen]))
    # A frame in which it is free and of its usual size shows its outline.
    free = np.where(seen & (gaps > RIM_PX), np.abs(areas - typical), np.inf)
    model = int(np.argmin(free)) if np.isfinite(free).any() else int(np.argmax(areas))
    centres[areas < 0.3 * typical] = np.nan
    return Scene(centres[index], gaps[index], outlines[model], float(np.sqrt(areas[model] / np.pi)), away)


def _box(mask: Mask) -> tuple[int, int, int, int]:
    """(top, left, bottom, right) around all that is set; the whole mask if nothing is."""
    rows, columns = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
    if not len(rows):
        return 0, 0, mask.shape[0], mask.shape[1]
    return int(rows[0]), int(columns[0]), int(rows[-1]) + 1, int(columns[-1]) + 1
