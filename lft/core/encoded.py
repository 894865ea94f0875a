"""Frames as JPEG, encoded once per clip and kept while there is room.

A sweep asks about one clip under many conditions and models in a row; decoding a clip costs a good part of a
second, so its encoded frames are kept, up to a fixed number of bytes for the whole process.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np

from lft.core.frames import Frames, encode_jpeg
from lft.core.media import Media
from lft.core.requests import Images

_MOST_BYTES = 256 * 2**20


class JpegCache:
    """Encoded frames of recently used clips. Safe to use from several threads.

    A clip is decoded by one at a time.
    """

    def __init__(self, most_bytes: int = _MOST_BYTES) -> None:
        self._most_bytes = most_bytes
        self._clips: OrderedDict[Hashable, dict[int, bytes]] = OrderedDict()
        self._bytes = 0
        self._lock = threading.Lock()
        self._busy: dict[Hashable, threading.Lock] = {}

    def encode(self, frames: Frames, *, quality: int = 90) -> list[bytes]:
        """Each supplied frame as JPEG, in order; equal to `encode_jpeg(frames)`."""
        media = frames.source
        if not isinstance(media, Media) or not len(frames):
            return encode_jpeg(frames, quality=quality) if len(frames) else []
        status = media.path.stat()
        key = (str(media.path), status.st_size, status.st_mtime_ns, quality)
        with self._lock:
            busy = self._busy.setdefault(key, threading.Lock())
        with busy:
            with self._lock:
                have = dict(self._clips.get(key, {}))
            lacking = np.array(sorted({int(i) for i in frames.frame_indices} - have.keys()), dtype=np.intp)
            if len(lacking):
                made = encode_jpeg(Frames(media, lacking, media.frame_times_s[lacking]), quality=quality)
                have.update(zip(lacking.tolist(), made, strict=True))
            self._keep(key, have)
        return [have[int(i)] for i in frames.frame_indices]

    def _keep(self, key: Hashable, have: dict[int, bytes]) -> None:
        with self._lock:
            before = self._clips.pop(key, {})
            self._bytes += _size(have) - _size(before)
            self._clips[key] = have
            while self._bytes > self._most_bytes and self._clips:
                gone, images = self._clips.popitem(last=False)
                self._bytes -= _size(images)
                if gone != key:
                    self._busy.pop(gone, None)


def _size(images: dict[int, bytes]) -> int:
    """Bytes held; an image shared by equal frames counts once."""
    return sum(len(image) for image in {id(i): i for i in images.values()}.values())


JPEGS = JpegCache()


def record_images(part: Images, images: list[bytes], before: Mapping[str, Any]) -> dict[str, Any]:
    """What a run keeps of images that were sent: how many, how large, how many bytes."""
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
