"""The frames of a video that are supplied to a model, and their times.

Sampling policies are text, the same in sweep files, command lines and run folders:

    native         the file itself; the provider samples
    fps:K          times j / K for j = 0 .. ceil(duration * K) - 1 (24 frames of 24 s at 1)
    frames:K       the midpoints of K equal intervals
    keyframes:W    t - W, t, t + W around each moment t of the suite, in time order, inside the video, no duplicates

The frame supplied for a time is the one on screen then. `Frames` has indices instead of pixels and decodes on
demand, so that memory stays bounded.
"""

from __future__ import annotations

import hashlib
import math
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
import numpy.typing as npt

from lft.core.errors import InputError, shown
from lft.core.video.media import Media, Picture, Source

KINDS = ("native", "fps", "frames", "keyframes")
UNKNOWN = "unknown"  # in place of a policy, where nobody recorded which frames were supplied
LABELS = ("none", "index", "time")


@dataclass(frozen=True)
class Sampling:
    """A sampling policy: `kind`, and its number (Hz, frames or seconds; 0 for native).

    >>> Sampling.parse("fps:4")
    Sampling(kind='fps', value=4.0)
    >>> str(Sampling.parse("keyframes:0.1")), str(Sampling.parse("native"))
    ('keyframes:0.1', 'native')
    """

    kind: str
    value: float = 0.0

    @classmethod
    def parse(cls, text: str) -> Sampling:
        """Parses a policy; raises `InputError` for any other form."""
        expected = "native, fps:K, frames:K or keyframes:SECONDS, such as fps:4"
        kind, _, number = str(text).partition(":")
        if kind not in KINDS or (kind == "native") == bool(number):
            raise InputError(f"unknown sampling {shown(text)}", expected=expected)
        if kind == "native":
            return cls("native")
        try:
            value = float(number)
        except ValueError:
            value = math.nan
        if not 0 < value < 1e4 or (kind == "frames" and value != int(value)):
            raise InputError(f"sampling {shown(text)} has no usable number", expected=expected)
        return cls(kind, value)

    def __str__(self) -> str:
        return self.kind if self.kind == "native" else f"{self.kind}:{self.value:g}"

    @property
    def needs_moments(self) -> bool:
        """Whether the policy depends on the truth (only `keyframes` does)."""
        return self.kind == "keyframes"

    def times_s(self, duration_s: float, moments_s: Sequence[float] = ()) -> npt.NDArray[np.float64]:
        """The times asked for, in seconds, increasing, inside [0, duration_s); empty for `native`.

        >>> Sampling.parse("frames:2").times_s(24.0).tolist()
        [6.0, 18.0]
        >>> len(Sampling.parse("fps:16").times_s(24.0)), len(Sampling.parse("fps:1").times_s(24.0))
        (384, 24)
        >>> Sampling.parse("keyframes:0.1").times_s(24.0, [1.0, 1.2]).tolist()
        [0.9, 1.0, 1.1, 1.2, 1.3]
        """
        if self.kind == "native":
            return np.empty(0)
        if self.kind == "fps":
            # In fractions: float error must not turn 24.0 * 10 into 241 frames.
            count = math.ceil(Fraction(duration_s).limit_denominator(10**6) * Fraction(str(self.value)))
            return np.arange(count) / self.value
        if self.kind == "frames":
            count = int(self.value)
            return (np.arange(count) + 0.5) * duration_s / count
        asked = {round(t + d, 6) for t in moments_s for d in (-self.value, 0.0, self.value)}
        return np.array(sorted(t for t in asked if 0 <= t < duration_s), dtype=np.float64)


@dataclass(frozen=True)
class Frames:
    """Frames supplied to a model, in time order.

    Attributes
    ----------
    source : where the pixels come from.
    frame_indices : intp (n,), index of each supplied frame in the source; repeats are possible at high rates.
    times_s : float64 (n,), the presentation time of each supplied frame.
    """

    source: Source
    frame_indices: npt.NDArray[np.intp]
    times_s: npt.NDArray[np.float64]

    def __post_init__(self) -> None:
        if self.frame_indices.shape != self.times_s.shape or self.times_s.ndim != 1:
            raise ValueError(
                f"indices {self.frame_indices.shape} and times {self.times_s.shape} must be (n,)"
            )
        if np.any(np.diff(self.frame_indices) < 0):
            raise ValueError("frames must be in time order")

    def __len__(self) -> int:
        return len(self.times_s)

    @classmethod
    def of_pixels(cls, pixels: npt.NDArray[np.uint8], times_s: Sequence[float]) -> Frames:
        """Frames from memory: uint8 (n, h, w, 3) and their times in seconds."""
        if pixels.ndim != 4 or pixels.shape[3] != 3 or pixels.dtype != np.uint8:
            raise ValueError(f"pixels must be uint8 (n, h, w, 3), not {pixels.dtype} {pixels.shape}")
        return cls(Pixels(pixels), np.arange(len(pixels)), np.asarray(times_s, dtype=np.float64))

    def pictures(self) -> Iterator[Picture]:
        """Yields one RGB picture, uint8 (h, w, 3), for each supplied frame; a repeat is the same array."""
        position = 0
        for index, picture in self.source.pictures(self.frame_indices):
            while position < len(self) and self.frame_indices[position] == index:
                yield picture
                position += 1

    @property
    def pixels(self) -> npt.NDArray[np.uint8]:
        """All pictures at once, uint8 (n, h, w, 3). 384 frames of 1280x720 are 1.1 GB: prefer `pictures()`."""
        return np.stack(list(self.pictures())) if len(self) else np.empty((0, 0, 0, 3), np.uint8)


def sampling_order(value: str) -> tuple[int, float, str]:
    """Sort key of samplings: native, then fps, frames and keyframes by their number."""
    kind, _, number = value.partition(":")
    kinds = ("native", "fps", "frames", "keyframes")
    try:
        size = float(number or 0)
    except ValueError:
        size = 0.0
    return (kinds.index(kind) if kind in kinds else len(kinds), size, value)


def sample(media: Media, policy: Sampling, moments_s: Sequence[float] = ()) -> Frames:
    """The frames of `media` that `policy` supplies. `native` gives every frame of the file."""
    if policy.kind == "native":
        indices = np.arange(len(media))
    else:
        asked_s = policy.times_s(media.duration_s, moments_s)
        indices = np.array([media.frame_at(t) for t in asked_s], dtype=np.intp)
        if policy.kind == "keyframes":
            indices = np.unique(indices)
    return Frames(media, indices, media.frame_times_s[indices])


def frame_table(frames: Frames) -> str:
    """CSV of the supplied frames, so that two harnesses can be compared pixel by pixel: `position` (0, 1, ... as
    supplied), `frame_index` in the file, `time_s`, `sha256` of the decoded RGB pixels (height, width and then the
    bytes, row by row).

    >>> print(frame_table(Frames.of_pixels(np.zeros((1, 2, 2, 3), np.uint8), [0.5])).splitlines()[1][:20])
    0,0,0.500000,93bb064
    """
    rows = ["position,frame_index,time_s,sha256"]
    numbered = enumerate(zip(frames.frame_indices, frames.times_s, frames.pictures(), strict=True))
    for position, (index, time_s, picture) in numbered:
        size = f"{picture.shape[0]}x{picture.shape[1]}:".encode()
        digest = hashlib.sha256(size + np.ascontiguousarray(picture).tobytes()).hexdigest()
        rows.append(f"{position},{index},{time_s:.6f},{digest}")
    return "\n".join(rows) + "\n"


def encode_jpeg(frames: Frames, *, quality: int = 90) -> list[bytes]:
    """Each supplied frame as JPEG; see `encode_jpeg_all`."""
    return encode_jpeg_all([frames], quality=quality)[0]


def encode_jpeg_all(several: Sequence[Frames], *, quality: int = 90) -> list[list[bytes]]:
    """JPEG images for several selections of one source, in one decoding pass.

    A frame that equals the one before it is encoded once, and one bytes object is shared by all its uses.
    """
    import cv2

    if not several:
        return []
    source = several[0].source
    if any(frames.source is not source for frames in several):
        raise ValueError("all selections must be of one source")
    wanted = sorted({int(i) for frames in several for i in frames.frame_indices})
    encoded: dict[int, bytes] = {}
    before: tuple[Picture, bytes] | None = None
    for index, picture in source.pictures(wanted):
        if before is None or not np.array_equal(before[0], picture):
            blue_first = cv2.cvtColor(picture, cv2.COLOR_RGB2BGR)
            done, buffer = cv2.imencode(".jpg", blue_first, [cv2.IMWRITE_JPEG_QUALITY, quality])
            if not done:
                raise RuntimeError(f"OpenCV could not encode a picture of shape {picture.shape}")
            before = (picture, buffer.tobytes())
        encoded[index] = before[1]
    return [[encoded[int(i)] for i in frames.frame_indices] for frames in several]


@dataclass(frozen=True)
class Pixels:
    """Pictures in memory: uint8 (n, h, w, 3)."""

    array: npt.NDArray[np.uint8]

    @cached_property
    def names(self) -> tuple[bytes, ...]:
        """A hash of each picture and its size: equal names mean equal pixels."""
        size = repr(self.array.shape[1:]).encode()
        return tuple(
            hashlib.blake2b(size + np.ascontiguousarray(picture).tobytes(), digest_size=16).digest()
            for picture in self.array
        )

    def pictures(self, frame_indices: Iterable[int]) -> Iterator[tuple[int, Picture]]:
        for index in sorted({int(i) for i in frame_indices}):
            yield index, self.array[index]


@dataclass(frozen=True)
class Packed:
    """Pictures in memory with lossless compression, for long storage.

    Attributes
    ----------
    height, width : of each picture, RGB.
    data : zlib streams of their bytes.
    names : a hash of each, as in `Pixels`.

    >>> packed = Packed.of([np.full((2, 3, 3), 7, np.uint8)])
    >>> packed.frames().pixels.tolist() == [[[[7, 7, 7]] * 3] * 2]
    True
    """

    height: int
    width: int
    data: tuple[bytes, ...]
    names: tuple[bytes, ...]

    @classmethod
    def of(cls, pictures: Sequence[Picture]) -> Packed:
        """Packs one or more pictures, uint8 (h, w, 3), of one size."""
        height, width = pictures[0].shape[:2]
        if any(p.shape != (height, width, 3) or p.dtype != np.uint8 for p in pictures):
            raise ValueError(f"pictures must be uint8 ({height}, {width}, 3), all of them")
        names = (Pixels(picture[None]).names[0] for picture in pictures)
        data = (zlib.compress(np.ascontiguousarray(picture).tobytes(), 1) for picture in pictures)
        return cls(height, width, tuple(data), tuple(names))

    def frames(self) -> Frames:
        """All pictures, a second apart."""
        return Frames(self, np.arange(len(self.data)), np.arange(len(self.data), dtype=np.float64))

    def pictures(self, frame_indices: Iterable[int]) -> Iterator[tuple[int, Picture]]:
        for index in sorted({int(i) for i in frame_indices}):
            raw = np.frombuffer(zlib.decompress(self.data[index]), np.uint8)
            yield index, raw.reshape(self.height, self.width, 3)
