"""A cache of frames as JPEG, with a fixed number of bytes for the process.

A sweep asks about one video under many conditions, and decoding takes a large part of a second. An episode shows its
earlier pictures again in each request.
"""

from __future__ import annotations

import base64
import threading
from collections.abc import Callable, Hashable, Sequence

import numpy as np

from lft.core.records import Entries, JsonObject
from lft.core.requests import Images, Request
from lft.core.video.frames import Frames, Packed, Pixels, encode_jpeg
from lft.core.video.media import Media
from lft.core.video.picture_groups import Kept

JPEG_QUALITY = 90
_MOST_BYTES = 256 * 2**20


class JpegCache:
    """The most recently used encoded frames; thread-safe.

    Each video is decoded by one thread at a time. Frames that are known to be equal (`lft.core.video.picture_groups`)
    are decoded and encoded once, also across videos.
    """

    def __init__(self, most_bytes: int = _MOST_BYTES) -> None:
        self._images: Kept[bytes] = Kept(most_bytes)
        self._lock = threading.Lock()
        self._busy = [threading.Lock() for _ in range(64)]  # a video has one of them, by its path

    def encode(self, frames: Frames, *, quality: int = JPEG_QUALITY) -> list[bytes]:
        """Each supplied frame as JPEG, in order; equal to `encode_jpeg(frames)`."""
        source = frames.source
        if not isinstance(source, Media | Pixels | Packed) or not len(frames):
            return encode_jpeg(frames, quality=quality) if len(frames) else []
        name_of, place = _named(source)
        index_of: dict[Hashable, int] = {}
        names: list[Hashable] = []
        for index in frames.frame_indices.tolist():
            names.append((name_of(index), quality))
            index_of.setdefault(names[-1], index)
        with self._busy[hash(place) % len(self._busy)]:
            with self._lock:
                have = {name: image for name in index_of if (image := self._images.get(name))}
            lacking = {index: name for name, index in index_of.items() if name not in have}
            if lacking:
                indices = np.array(sorted(lacking), dtype=np.intp)
                made = encode_jpeg(Frames(source, indices, np.zeros(len(indices))), quality=quality)
                have.update(zip((lacking[index] for index in indices.tolist()), made, strict=True))
                with self._lock:
                    for name, image in have.items():
                        self._images.put(name, image)
        return [have[name] for name in names]


def _named(source: Media | Pixels | Packed) -> tuple[Callable[[int], Hashable], Hashable]:
    """The name of each picture of a source, and of the place where they are decoded, by one thread at a time."""
    if isinstance(source, Pixels | Packed):
        return source.names.__getitem__, source.names[0]
    known = source.names()
    status = source.path.stat()
    file = (str(source.path), status.st_size, status.st_mtime_ns)
    return (known.names.__getitem__ if known else lambda index: (*file, index)), file


JPEGS = JpegCache()


def base64_of(images: Sequence[bytes]) -> list[str]:
    """Each image in base64; one that several frames share is converted once."""
    distinct = {id(image): image for image in images}
    made = {name: base64.b64encode(image).decode("ascii") for name, image in distinct.items()}
    return [made[id(image)] for image in images]


def encode_ahead(request: Request, *, most_images: int | None, quality: int) -> None:
    """Encodes the frames of a request into `JPEGS`, unless it exceeds the limit and will not be sent."""
    if most_images is None or request.images <= most_images:
        for part in request.parts:
            if isinstance(part, Images):
                JPEGS.encode(part.frames, quality=quality)


def record_images(part: Images, images: list[bytes], before: Entries) -> JsonObject:
    """The stored record of sent images: number, size, bytes."""
    source = part.frames.source
    size = [getattr(source, "width", None), getattr(source, "height", None)]
    if size == [None, None] and len(part.frames):
        height, width = next(iter(part.frames.pictures())).shape[:2]
        size = [width, height]
    return {
        "given_as": "images",
        "images": before.get("images", 0) + len(images),
        "image_size": size,
        "image_bytes": before.get("image_bytes", 0) + sum(map(len, images)),
        "labels": part.labels,
    }
