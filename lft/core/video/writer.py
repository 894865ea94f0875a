"""H.264 files put together from groups of pictures that were encoded once.

A group of pictures (GOP) here is closed, starts with a key frame and lasts at most one second; it is encoded
by an encoder of its own, so its bytes depend on its pictures and nothing else: not on the order of work, not
on what was encoded before. A picture that stays on screen is encoded once and held (`lft.core.video.h264`). The
boundaries lie on whole seconds and nowhere else: aligning them with what happens in the video would write the
truth into the file's index.

One thread, no B-frames, constant quantiser, 4:2:0, BT.709 in limited range and tagged so, index before the
data ("faststart"), one exact time stamp per frame. Files are assembled in memory and written at once, so that
a full disk is an error with a name and not a file cut short.
"""

from __future__ import annotations

import io
import struct
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby
from typing import Any, TypeAlias, TypeVar

import av
import numpy as np
import numpy.typing as npt
from av.video.reformatter import ColorRange, Colorspace

from lft.core.video.h264 import Stills, length_prefixed

S = TypeVar("S")

# `ultrafast` at this quantiser is above the PSNR of x264's defaults (medium, crf 23) on drawn pictures, and
# costs an eighth of their time; see docs/design/rendering.md.
_OPTIONS = {
    "preset": "ultrafast",
    "qp": "22",
    "bf": "0",
    "g": "1000",  # key frames come from the groups, never from the encoder
    "threads": "1",
    "x264-params": "cabac=1:8x8dct=1:partitions=i4x4,i8x8"
    ":colormatrix=bt709:colorprim=bt709:transfer=bt709:fullrange=off",
}
_GLOBAL_HEADER = 1 << 22  # parameter sets go to the file's header, once
_SEI = 6  # NAL unit type: x264's own advertisement, once per encoder


@dataclass(frozen=True)
class Format:
    """Size and rate of a video: even `width` and `height` in pixels, `fps` frames per second."""

    width: int
    height: int
    fps: int


Planes: TypeAlias = av.VideoFrame  # in yuv420p


def to_planes(picture: npt.NDArray[np.uint8]) -> Planes:
    """A picture as the encoder takes it: RGBA uint8 (h, w, 4) to 4:2:0 planes, BT.709, limited range."""
    frame = av.VideoFrame.from_numpy_buffer(np.ascontiguousarray(picture), format="rgba")
    return frame.reformat(format="yuv420p", dst_colorspace=Colorspace.ITU709, dst_color_range=ColorRange.MPEG)


def encode(pictures: Sequence[Planes], form: Format) -> list[bytes]:
    """One closed GOP: a packet per picture, Annex B, the first a key frame; depends on `pictures` alone."""
    encoder = _encoder(form)
    packets = []
    for position, picture in enumerate(pictures):
        picture.pts, picture.time_base = position, Fraction(1, form.fps)
        packets += encoder.encode(picture)
    packets += encoder.encode(None)
    if len(packets) != len(pictures):
        raise RuntimeError(f"{len(pictures)} frames gave {len(packets)} packets")
    return [_without_sei(bytes(packet)) for packet in packets]


class Writer:
    """Makes groups and files of one format."""

    def __init__(self, form: Format) -> None:
        self.form = form
        # A file with one black frame lends its header; always the same, for its bit rate is copied too.
        black = to_planes(np.zeros((form.height, form.width, 4), np.uint8))
        sample = io.BytesIO()
        with av.open(sample, "w", format="mp4") as container:
            stream = container.add_stream("libx264", rate=form.fps, options=_OPTIONS)
            _set_up(stream.codec_context, form)
            black.pts, black.time_base = 0, Fraction(1, form.fps)
            container.mux(stream.encode(black))
            container.mux(stream.encode(None))
            parameter_sets = bytes(stream.codec_context.extradata or b"")
        sample.seek(0)
        self._sample = av.open(sample)
        self._template = self._sample.streams.video[0]
        self._stills = _proved_stills(form, parameter_sets, encode([black, black], form)[1])

    def runs(self, shown: Sequence[S]) -> list[tuple[S, int]]:
        """Which pictures of a second to encode, and for how many frames each of them stays."""
        if self._stills is None:
            return [(state, 1) for state in shown]
        return [(state, len(list(same))) for state, same in groupby(shown)]

    def group(self, packets: Sequence[bytes], lengths: Sequence[int]) -> list[bytes]:
        """The GOP in which encoded picture i stays for `lengths[i]` frames."""
        return self._stills.spread(packets, lengths) if self._stills else list(packets)

    def file_of(self, groups: Iterable[Sequence[bytes]]) -> bytes:
        """The bytes of an mp4 file that plays `groups` one after another."""
        out = io.BytesIO()
        options = {"fflags": "+bitexact"}
        step = Fraction(1, self.form.fps)
        with av.open(out, "w", format="mp4", options=options) as container:
            stream = container.add_stream_from_template(self._template, opaque=True)
            stream.time_base = step
            position = 0
            for group in groups:
                for data in group:
                    packet = av.Packet(length_prefixed(data))
                    packet.stream, packet.time_base = stream, step
                    packet.pts = packet.dts = position
                    packet.duration = 1
                    packet.is_keyframe = data is group[0]
                    container.mux_one(packet)
                    position += 1
        return index_first(out.getvalue())


def index_first(file: bytes) -> bytes:
    """An mp4 file with its index (`moov`) moved before the data (`mdat`), chunk offsets moved along."""
    boxes = dict(_boxes(file))
    moov = bytearray(boxes[b"moov"])
    start = moov.index(b"stco") - 4
    count = struct.unpack_from(">I", moov, start + 12)[0]
    table = np.frombuffer(moov, ">u4", count, start + 16)
    moved = (table + len(moov)).astype(">u4").tobytes()
    moov[start + 16 : start + 16 + len(moved)] = moved
    head = boxes[b"ftyp"]
    rest = b"".join(data for name, data in boxes.items() if name not in (b"ftyp", b"moov"))
    return bytes(head + moov + rest)


def _boxes(file: bytes) -> Iterable[tuple[bytes, bytes]]:
    position = 0
    while position < len(file):
        size = struct.unpack_from(">I", file, position)[0]
        yield file[position + 4 : position + 8], file[position : position + size]
        position += size


def _proved_stills(form: Format, parameter_sets: bytes, packet: bytes) -> Stills | None:
    """The still frame of a format, if a decoder sees one: pictures that are held must come back unchanged."""
    stills = Stills.of(parameter_sets, packet)
    if stills is None:
        return None
    y, x = np.mgrid[0 : form.height, 0 : form.width]
    pictures = [
        np.stack([x * 7 % 256, y * 5 % 256, (x + y) * k % 256, x], axis=2).astype(np.uint8) for k in (3, 11)
    ]
    packets = encode([to_planes(picture) for picture in pictures], form)
    lengths = [3, 2]
    shown, held = _decoded(packets, parameter_sets), _decoded(stills.spread(packets, lengths), parameter_sets)
    expected = [picture for picture, length in zip(shown, lengths, strict=True) for _ in range(length)]
    same = len(held) == len(expected) and all(
        np.array_equal(a, b) for a, b in zip(held, expected, strict=True)
    )
    return stills if same else None


def _decoded(packets: Sequence[bytes], parameter_sets: bytes) -> list[npt.NDArray[np.uint8]]:
    decoder: Any = av.CodecContext.create("h264", "r")
    decoder.extradata, decoder.thread_count = parameter_sets, 1
    frames = [frame for data in packets for frame in decoder.decode(av.Packet(data))]
    return [frame.to_ndarray() for frame in (*frames, *decoder.decode(None))]


def _encoder(form: Format) -> Any:
    encoder: Any = av.CodecContext.create("libx264", "w")
    _set_up(encoder, form)
    encoder.options = dict(_OPTIONS)
    return encoder


def _set_up(encoder: Any, form: Format) -> None:
    encoder.width, encoder.height, encoder.pix_fmt = form.width, form.height, "yuv420p"
    encoder.time_base, encoder.framerate = Fraction(1, form.fps), Fraction(form.fps)
    encoder.thread_count = 1
    encoder.flags |= _GLOBAL_HEADER


def _without_sei(packet: bytes) -> bytes:
    """The packet without a leading SEI unit. Annex B: a unit follows a start code, zeros and a one."""
    start = packet.index(b"\1") + 1
    if packet[start] & 31 != _SEI:
        return packet
    return b"\0" + packet[packet.index(b"\0\0\1", start) :]
