"""Videos as they come out of cutting tools, broken downloads, cameras and old encoders: made in tests, with every
frame's number readable from its pixels.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import numpy as np

from tests.videos import numbered

# Groups of 12 frames; two B-frames between others; the last two of a group refer to the next one's first (open).
OPEN_GROUPS = {
    "crf": "10",
    "preset": "veryfast",
    "x264-params": "keyint=12:min-keyint=12:scenecut=0:open-gop=1:bframes=2:b-adapt=0",
}
RATE = 25


def write(
    path: Path,
    count: int,
    *,
    codec: str = "libx264",
    options: dict[str, str] | None = None,
    size: tuple[int, int] = (64, 48),
    start_s: float = 0.0,
    sound: str | None = None,
    pixel_aspect: Fraction | None = None,
    b_frames: int | None = None,
    form: str | None = None,
    without: int = 0,
    more: dict[str, str] | None = None,
) -> Path:
    """Frames 0, 1, ... at 25 a second from `start_s` on; `sound` is a codec, whose stream starts at 0. The first
    packets, `without` of them, are left out: what a tool makes that cuts where it is told. `more` goes to the file.
    """
    with av.open(str(path), "w", format=form, options=more or {}) as container:
        stream = container.add_stream(codec, rate=RATE)
        stream.width, stream.height = size
        stream.pix_fmt = "rgb8" if codec == "gif" else "yuv420p"
        stream.options = OPEN_GROUPS if codec == "libx264" and options is None else options or {}
        if b_frames is not None:
            stream.codec_context.max_b_frames = b_frames
        if pixel_aspect is not None:
            stream.codec_context.sample_aspect_ratio = pixel_aspect
        packets = _sound(container, sound, start_s + count / RATE) if sound else []
        for k, picture in enumerate(numbered(count, size)):
            frame = av.VideoFrame.from_ndarray(picture, format="rgb24")
            frame.pts, frame.time_base = k + round(start_s * RATE), Fraction(1, RATE)
            packets += stream.encode(frame)
        packets += stream.encode(None)
        for packet in sorted(packets, key=lambda packet: packet.dts * packet.time_base)[without:]:
            container.mux(packet)
    return path


def _sound(container: Any, codec: str, seconds: float) -> list[Any]:
    stream = container.add_stream(codec, rate=48000, layout="mono")
    size = stream.codec_context.frame_size or 960
    packets: list[Any] = []
    for start in range(0, int(48000 * seconds), size):
        frame = av.AudioFrame.from_ndarray(np.zeros((1, size), np.float32), format="fltp", layout="mono")
        frame.sample_rate, frame.pts = 48000, start
        packets += stream.encode(frame)
    return packets + stream.encode(None)


def flip(path: Path, seed: int = 0, part: tuple[float, float] = (0.45, 0.55), every: int = 40) -> Path:
    """Inverts bytes of an mp4's data, one in `every`, between two places."""
    data = bytearray(path.read_bytes())
    start = data.index(b"mdat") + 4
    length = int.from_bytes(data[start - 8 : start - 4], "big") - 8
    low, high = (start + int(length * share) for share in part)
    for at in random.Random(seed).sample(range(low, high), max(1, (high - low) // every)):
        data[at] ^= 0xFF
    path.write_bytes(data)
    return path


def two_streams(path: Path, first: tuple[int, int], second: tuple[int, int], cover: bool) -> Path:
    """A Matroska file with a small stream before the one that is marked as default, or a cover picture in JPEG."""
    from av.stream import Disposition

    with av.open(str(path), "w") as container:
        streams = []
        for size, codec in ((first, "mjpeg" if cover else "libx264"), (second, "libx264")):
            stream = container.add_stream(codec, rate=RATE)
            stream.width, stream.height = size
            stream.pix_fmt = "yuvj420p" if codec == "mjpeg" else "yuv420p"
            streams.append(stream)
        streams[0].disposition = Disposition.attached_pic if cover else Disposition(0)
        streams[1].disposition = Disposition.default
        packets = []
        for stream, size, shift in zip(streams, (first, second), (9, 0), strict=True):
            for k, picture in enumerate(np.roll(numbered(30, size), -shift, axis=0)):
                if cover and stream is streams[0] and k:
                    break
                frame = av.VideoFrame.from_ndarray(picture, format="rgb24")
                frame.pts, frame.time_base = k, Fraction(1, RATE)
                packets += stream.encode(frame)
            packets += stream.encode(None)
        for packet in sorted(packets, key=lambda packet: packet.dts * packet.time_base):
            container.mux(packet)
    return path


def packed(path: Path, count: int, *, lag: int = 0) -> Path:
    """MPEG-4 ASP in AVI as DivX and Xvid pack it: a B-frame in the packet of the P-frame after it, then a packet that
    codes nothing. `lag`: so many packets of one byte first after the key frame, as an encoder writes that is not ready.
    """
    plain = path.with_name(f"plain_{path.name}")
    options = {"qmin": "1", "qmax": "2", "b_strategy": "0", "sc_threshold": "1000000000"}
    write(plain, count, codec="mpeg4", options=options, b_frames=1)
    with av.open(str(plain)) as read:
        packets = [bytes(packet) for packet in read.demux(read.streams.video[0]) if packet.size]
        made = _packed(packets)
        made[1:1] = [b"\x7f"] * lag
        with av.open(str(path), "w") as container:
            stream = container.add_stream_from_template(read.streams.video[0], opaque=True)
            for number, data in enumerate(made):
                packet = av.Packet(data)
                packet.stream, packet.time_base = stream, Fraction(1, RATE)
                packet.pts = packet.dts = number
                packet.is_keyframe = number == 0
                container.mux_one(packet)
    plain.unlink()
    return path


def _packed(packets: Sequence[bytes]) -> list[bytes]:
    picture = b"\0\0\1\xb6"  # the start code of a picture; the two bits behind it say its kind (2: B)
    made: list[bytes] = []
    for data in packets:
        at = data.index(picture)
        if made and data[at + 4] >> 6 == 2:
            made[-1] += data[at:]
            # A P-picture that is not coded: 01, 0, 1, five bits of time, 1, 0, then a stop bit and stuffing.
            bits = f"0101{len(made) % RATE:05b}100" + "1111"
            made.append(picture + int(bits, 2).to_bytes(2, "big"))
        else:
            made.append(data)
    at = made[0].index(b"\0\0\1\xb3") if b"\0\0\1\xb3" in made[0] else made[0].index(picture)
    made[0] = made[0][:at] + b"\0\0\1\xb2DivX503b1393p" + made[0][at:]  # p: packed
    return made
