"""Videos as people have them: made in tests, with every frame's number readable from its pixels."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

import av
import numpy as np

from tests.videos import numbered


def film(
    path: Path,
    stamps: Sequence[int],
    time_base: Fraction,
    *,
    size: tuple[int, int] = (64, 48),
    sound: bool = False,
    codec: str = "libx264",
) -> Path:
    """Writes one numbered frame for each presentation time stamp; odd sizes go without chroma subsampling."""
    frames = numbered(len(stamps), size)
    with av.open(str(path), "w") as container:
        stream = container.add_stream(codec, rate=30)
        stream.width, stream.height = size
        stream.pix_fmt = "yuv444p" if size[0] % 2 or size[1] % 2 else "yuv420p"
        stream.codec_context.time_base = stream.time_base = time_base
        stream.options = (
            {"crf": "5", "preset": "ultrafast"}
            if codec == "libx264"
            else {"g": "1", "qmin": "1", "qmax": "1"}
        )
        if sound:
            _add_sound(container, float(stamps[-1] * time_base))
        for picture, stamp in zip(frames, stamps, strict=True):
            frame = av.VideoFrame.from_ndarray(picture, format="rgb24")
            frame.pts, frame.time_base = stamp, time_base
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
    return path


def _add_sound(container: av.container.OutputContainer, seconds: float) -> None:
    stream = container.add_stream("aac", rate=16000, layout="mono")
    for start in range(0, int(16000 * (seconds + 1)), 1024):  # a second longer than the pictures
        wave = np.sin(np.arange(start, start + 1024) / 10).astype(np.float32)[None]
        frame = av.AudioFrame.from_ndarray(wave, format="fltp", layout="mono")
        frame.sample_rate, frame.pts = 16000, start
        container.mux(stream.encode(frame))
    container.mux(stream.encode(None))


def turn(path: Path) -> Path:
    """Asks players to turn an mp4 clockwise by a quarter, as a phone held upright does: a matrix in its
    header.
    """
    data = bytearray(path.read_bytes())
    matrix = data.index(b"tkhd") + 4 + 40
    one = 0x10000
    struct.pack_into(">9i", data, matrix, 0, one, 0, -one, 0, 0, 0, 0, 0x40000000)
    path.write_bytes(data)
    return path


def misstate_duration(path: Path, times: float) -> Path:
    """Multiplies the durations that an mp4's headers state, for the file and for its tracks."""
    data = bytearray(path.read_bytes())
    for atom, at in ((b"mvhd", 16), (b"tkhd", 20), (b"mdhd", 16)):
        offset = data.index(atom) + 4 + at
        (stated,) = struct.unpack_from(">I", data, offset)
        struct.pack_into(">I", data, offset, int(stated * times))
    path.write_bytes(data)
    return path


def trim_start(path: Path, seconds: float) -> Path:
    """Moves the beginning of an mp4 in its edit list, as phones trim: the frames before stay in the file."""
    data = bytearray(path.read_bytes())
    (scale,) = struct.unpack_from(">I", data, data.index(b"mdhd") + 4 + 12)
    media_time = data.index(b"elst") + 4 + 12
    (begin,) = struct.unpack_from(">i", data, media_time)
    struct.pack_into(">i", data, media_time, begin + round(seconds * scale))
    path.write_bytes(data)
    return path
