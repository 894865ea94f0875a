"""Still frames in H.264 without encoding them.

In H.264 a frame that equals the one before it is a P slice in which every macroblock is skipped: a few
dozen bytes, the same for every picture of a format. So a run of equal frames needs its first frame from the
encoder and that slice, repeated, for the rest. A slice depends on its place only by `frame_num` in its
header (ITU-T H.264, 7.3.3 and 7.4.3), a field of fixed length that is rewritten here.

This holds for streams as `lft.core.video.writer` makes them: one slice a frame, one reference frame, no
B-frames, picture order by decoding order, no deblocking. `Stills.of` gives None for streams of another kind,
and the writer decodes a sample to verify a still; if that fails, every frame is encoded.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

_P_SLICE = 0b1_00110_1  # first_mb_in_slice 0, slice_type 5 (P, as all slices of the picture), parameter set 0
_P_SLICE_BITS = 7
_START_CODE = re.compile(rb"\x00\x00\x00?\x01")
_HIGH_PROFILES = (100, 110, 122, 244)


@dataclass(frozen=True)
class Stills:
    """The still frame of a format. `packet` is Annex B, `number_bits` the length of frame_num."""

    packet: bytes
    number_bits: int

    @classmethod
    def of(cls, parameter_sets: bytes, packet: bytes) -> Stills | None:
        """A still from the second packet of two equal pictures, or None if the stream is of another kind."""
        number_bits = frame_number_bits(parameter_sets)
        if number_bits is None or _head_and_payload(packet) is None:
            return None
        return cls(packet, number_bits)

    def spread(self, packets: Sequence[bytes], lengths: Sequence[int]) -> list[bytes]:
        """A GOP in which packet i, one picture, is on screen for `lengths[i]` frames.

        `packets` are a key frame and P frames, as encoded one after another.
        """
        stills = self._by_number
        spread: list[bytes] = []
        for packet, length in zip(packets, lengths, strict=True):
            spread.append(self.numbered(packet, len(spread)) if spread else packet)
            spread += [stills[(len(spread) + i) % len(stills)] for i in range(length - 1)]
        return spread

    @cached_property
    def _by_number(self) -> list[bytes]:
        return [self.numbered(self.packet, number) for number in range(1 << self.number_bits)]

    def numbered(self, packet: bytes, number: int) -> bytes:
        """A P frame's packet with another frame_num, modulo its range."""
        parts = _head_and_payload(packet)
        if parts is None:
            raise ValueError("not a packet of one P slice")
        head, payload = parts
        bits = int.from_bytes(payload[:4], "big")
        shift = 32 - _P_SLICE_BITS - self.number_bits
        mask = (1 << self.number_bits) - 1
        bits = bits & ~(mask << shift) | (number & mask) << shift
        return head + _escaped(bits.to_bytes(4, "big") + payload[4:])


def length_prefixed(packet: bytes) -> bytes:
    """A packet as an mp4 file holds it: each unit after its length in four bytes, not after a start code.

    `packet` is Annex B, as an encoder gives it. Decoders of ffmpeg take either form, others only this one
    (ISO/IEC 14496-15, 5.3.2).

    >>> length_prefixed(bytes.fromhex("00000001 6588 000001 419a")).hex(" ", 2)
    '0000 0002 6588 0000 0002 419a'
    """
    units = _START_CODE.split(packet)[1:]
    return b"".join(len(unit).to_bytes(4, "big") + unit for unit in units)


def frame_number_bits(parameter_sets: bytes) -> int | None:
    """Length of frame_num in bits, from the sequence parameter set; None if it is of another kind.

    `parameter_sets` are Annex B, as an encoder gives them (7.3.2.1.1).
    """
    for unit in _START_CODE.split(parameter_sets):
        if unit and unit[0] & 31 == 7:
            read = _Bits(_unescaped(unit[1:]))
            profile = read.fixed(8)
            read.fixed(16)
            read.golomb()
            if profile in _HIGH_PROFILES:
                if read.golomb() == 3:
                    read.fixed(1)
                read.golomb()
                read.golomb()
                if read.fixed(2):
                    return None  # lossless, or own scaling lists
            bits = read.golomb() + 4
            return bits if read.golomb() == 2 and bits <= 8 else None  # 2: ordered by decoding
    return None


def _head_and_payload(packet: bytes) -> tuple[bytes, bytes] | None:
    """Start code with the unit's first byte, and its payload unescaped, if the packet is one P slice."""
    found = re.match(rb"\x00\x00\x00?\x01", packet)
    if not found or len(packet) < found.end() + 5 or re.search(rb"\x00\x00\x01", packet[found.end() :]):
        return None
    start = found.end() + 1
    payload = _unescaped(packet[start:])
    if packet[start - 1] & 31 != 1 or payload[0] >> (8 - _P_SLICE_BITS) != _P_SLICE:
        return None
    return packet[:start], payload


def _unescaped(data: bytes) -> bytes:
    """Without the bytes that keep start codes out of a payload (7.4.1)."""
    return data.replace(b"\0\0\3", b"\0\0")


def _escaped(data: bytes) -> bytes:
    """The inverse.

    >>> _escaped(bytes([0, 0, 0, 0, 1])).hex(" "), _unescaped(bytes([0, 0, 3, 0, 0, 3, 1])).hex(" ")
    ('00 00 03 00 00 03 01', '00 00 00 00 01')
    """
    return re.sub(rb"\x00\x00(?=[\x00-\x03])", b"\0\0\3", data)


class _Bits:
    def __init__(self, data: bytes) -> None:
        self._bits = "".join(f"{byte:08b}" for byte in data)
        self._at = 0

    def fixed(self, count: int) -> int:
        """An unsigned number of `count` bits."""
        self._at += count
        return int(self._bits[self._at - count : self._at], 2)

    def golomb(self) -> int:
        """An unsigned Exp-Golomb number (9.1)."""
        zeros = self._bits.index("1", self._at) - self._at
        self._at += zeros
        return self.fixed(zeros + 1) - 1
