"""Identifies equal frames of H.264 by their packets, so that they are decoded once.

An IDR picture resets the decoder (ITU-T H.264, 7.4.1.2.4), so the pixels of a frame depend only on the parameter sets
and on the packets from the last IDR picture up to its own. A hash over these is the frame's name: frames with equal
names have the same pixels, at another place of the file or in another file. In videos of LFT whole seconds recur,
within a video and between similar ones.

This requires that decoding order is output order (picture order count type 2, so no B-frames), that every group
starts with an IDR picture, and that parameter sets are only in the file's header. For any other stream `names_of`
returns None, and it is decoded as a whole.
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Generic, TypeVar

from lft.core.video.decoding import video_stream
from lft.core.video.h264 import frame_number_bits

_SLICE, _IDR_SLICE = 1, 5
_HARMLESS = {6, 9, 12}  # SEI, access unit delimiter, filler


@dataclass(frozen=True)
class Names:
    """One name for each frame, and the frames at which groups start (the first is 0)."""

    names: tuple[bytes, ...]
    starts: tuple[int, ...]

    def groups(self) -> Iterator[tuple[int, int]]:
        """(first frame, frame after the last one) of each group."""
        yield from zip(self.starts, (*self.starts[1:], len(self.names)), strict=True)


def names_of(path: Path) -> Names | None:
    """The names of a file's frames, or None if they cannot be determined; cached while the file is unchanged."""
    try:
        status = path.stat()
        return _names(str(path), status.st_size, status.st_mtime_ns)
    except (
        OSError,
        ValueError,
        IndexError,
    ):  # PyAV's errors are one or the other; no video stream is the third
        # Decoding the file reports the error.
        return None


@lru_cache(maxsize=256)
def _names(path: str, size: int, mtime_ns: int) -> Names | None:
    import av

    with av.open(path) as container:
        stream = video_stream(container)
        if stream is None:
            return None
        decoder = stream.codec_context
        header = bytes(decoder.extradata or b"")
        length_bytes = _length_bytes(header) if decoder.name == "h264" else None
        if length_bytes is None:
            return None
        # Colours, as the container tells them, decide how planes become RGB.
        colours = (decoder.color_range, decoder.colorspace, decoder.color_primaries, decoder.color_trc)
        form = (decoder.pix_fmt, *colours, stream.sample_aspect_ratio)
        basis = hashlib.blake2b(header + repr(form).encode(), digest_size=16)
        names: list[bytes] = []
        starts: list[int] = []
        before: int | None = None
        running = basis
        for packet in container.demux(stream):
            if not packet.size:
                continue
            data = bytes(packet)
            kinds = _unit_kinds(data, length_bytes) - _HARMLESS
            stamp = packet.pts
            if (
                packet.is_discard
                or packet.is_corrupt
                or stamp is None
                or (before is not None and stamp <= before)
            ):
                return None
            if kinds == {_IDR_SLICE}:
                running = basis.copy()
                starts.append(len(names))
            elif kinds != {_SLICE} or not starts:
                return None
            running.update(len(data).to_bytes(4, "big") + data)
            names.append(running.digest())
            before = stamp
    return Names(tuple(names), tuple(starts)) if names else None


def _length_bytes(header: bytes) -> int | None:
    """The size of the length field before each unit, from an avcC record (ISO/IEC 14496-15, 5.3.3.1); None for other
    headers, for several sequence parameter sets, and for streams whose frames are not shown as they are decoded.
    """
    if len(header) < 8 or header[0] != 1 or header[5] & 31 != 1:
        return None
    sequence_parameter_set = header[8 : 8 + int.from_bytes(header[6:8], "big")]
    if frame_number_bits(b"\0\0\1" + sequence_parameter_set) is None:
        return None
    return (header[4] & 3) + 1


def _unit_kinds(data: bytes, length_bytes: int) -> set[int]:
    """The types of a packet's NAL units (7.4.1); {-1} if it does not consist of whole units."""
    kinds, position = set(), 0
    while position < len(data):
        start = position + length_bytes
        position = start + int.from_bytes(data[position:start], "big")
        if start >= len(data) or position > len(data) or position == start:
            return {-1}
        kinds.add(data[start] & 31)
    return kinds


Value = TypeVar("Value")


class Kept(Generic[Value]):
    """A cache of the most recently used values by name, with bounded size. A value with several names counts once."""

    def __init__(self, most_bytes: int) -> None:
        self._most_bytes = most_bytes
        self._values: OrderedDict[Hashable, Value] = OrderedDict()
        self._uses: dict[int, int] = {}
        self.bytes = 0

    def __contains__(self, name: Hashable) -> bool:
        return name in self._values

    def get(self, name: Hashable) -> Value | None:
        """The value, marked as most recently used, or None."""
        if name in self._values:
            self._values.move_to_end(name)
        return self._values.get(name)

    def put(self, name: Hashable, value: Value) -> None:
        """Adds a value, and drops the least recently used ones to make room."""
        if name in self._values:
            self._let_go(name)
        self._values[name] = value
        uses = self._uses[id(value)] = self._uses.get(id(value), 0) + 1
        self.bytes += _size(value) if uses == 1 else 0
        while self.bytes > self._most_bytes:
            self._let_go(next(iter(self._values)))

    def _let_go(self, name: Hashable) -> None:
        value = self._values.pop(name)
        self._uses[id(value)] -= 1
        if not self._uses[id(value)]:
            del self._uses[id(value)]
            self.bytes -= _size(value)


def _size(value: Value) -> int:
    return int(value.nbytes) if hasattr(value, "nbytes") else len(value)  # type: ignore[arg-type]
