"""The frames that a decoder returns for a file, their order, and the packets that are lost.

A container lists packets. Not all of them become frames: the first packets of a recording that was cut from another
refer to missing frames; damaged bytes cost a frame, or all frames up to the next key frame. So
a stream is decoded once, and the video has the frames that the decoder returns.

Frames have the order of the decoder; their times are their time stamps, sorted.
AVI stores no presentation times, only a decoding order at a fixed rate: there the time of a frame is that of the packet
at which the decoder releases it, as in players.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from av import VideoFrame
    from av.container import InputContainer
    from av.video.stream import VideoStream

_STRICT = {"err_detect": "explode"}  # a decoder that conceals no error


@dataclass(frozen=True)
class Decoded:
    """The frames of a stream.

    Attributes
    ----------
    stamps : presentation time of each frame in the stream's time base, sorted; None if frames have none.
    rotation_deg : clockwise, from the first frame.
    lost_before : lost packets before the first decodable frame.
    lost : all lost packets, if the decoder reported errors.
    damaged : frames that a decoder without error concealment would refuse.
    ends_damaged : whether the last packet is damaged.
    """

    stamps: tuple[int, ...] | None
    rotation_deg: int
    lost_before: int = 0
    lost: int = 0
    damaged: int = 0
    ends_damaged: bool = False

    @property
    def whole(self) -> bool:
        """Whether every packet is decoded without an error."""
        return not (self.lost_before or self.lost or self.damaged)


def video_stream(container: InputContainer) -> VideoStream | None:
    """The video stream that a player shows: one marked as default, else any; the largest of several; no cover picture.

    None if there is none.
    """
    from av.stream import Disposition

    streams = [stream for stream in container.streams.video if not _is_picture(stream)]
    marked = [stream for stream in streams if stream.disposition & Disposition.default]
    area = {stream.index: stream.codec_context.width * stream.codec_context.height for stream in streams}
    return max(marked or streams, key=lambda stream: area[stream.index], default=None)


def _is_picture(stream: VideoStream) -> bool:
    from av.stream import Disposition

    kinds = Disposition.attached_pic | Disposition.still_image | Disposition.timed_thumbnails
    return bool(stream.disposition & kinds)


def frames_of(
    container: InputContainer,
    stream: VideoStream,
    *,
    tolerant: bool,
    refused: list[int] | None = None,
    one_thread: bool = False,
) -> Iterator[VideoFrame]:
    """Decoded frames, in order. With `tolerant`, undecodable packets are skipped and their numbers added to `refused`;
    this uses one thread, so that the frames are the same on every machine.
    """
    import av

    decoder = stream.codec_context
    if tolerant or one_thread:
        decoder.thread_count = 1
    else:
        stream.thread_type = "AUTO"
    packets = (packet for packet in container.demux(stream) if packet.size)
    number = -1
    for number, packet in enumerate(packets):
        try:
            made = decoder.decode(packet)
        except av.FFmpegError:
            if not tolerant:
                raise
            made = []
            if refused is not None:
                refused.append(number)
        yield from made
    try:
        yield from decoder.decode(None)
    except av.FFmpegError:
        if not tolerant:
            raise
        if refused is not None:
            refused.append(number)


def decoded(path: Path, shown: Sequence[int], last: int, *, by_order: bool = False) -> Decoded:
    """The frames of a file whose visible packets have the time stamps `shown`, and whose last packet has number
    `last`; cached while the file is unchanged. `by_order`: stamps are in decoding order, at a fixed rate.

    Raises PyAV's errors if the file cannot be read at all, `ValueError` if no frame comes out.
    """
    status = path.stat()
    return _decoded(str(path), status.st_size, status.st_mtime_ns, tuple(shown), last, by_order)


@lru_cache(maxsize=256)
def _decoded(
    path: str, size: int, mtime_ns: int, shown: tuple[int, ...], last: int, by_order: bool
) -> Decoded:
    import av

    try:
        strict = _pass(path, tolerant=False, strict=True, one_thread=by_order)
        stamps = _stamps(strict[0], by_order)
        if stamps is not None and not _before(shown, stamps, strict[0], by_order):
            return Decoded(stamps, strict[1])
    except av.FFmpegError:
        pass
    refused: list[int] = []
    strict = _pass(path, tolerant=True, strict=True, refused=refused)
    given: list[int] = []
    seen, rotation_deg = _pass(path, tolerant=True, strict=False, refused=given)
    if not seen:
        raise ValueError("no frame comes out")
    stamps = _stamps(seen, by_order)
    before = _before(shown, stamps, seen, by_order) if stamps else 0
    lost = max(before, len(shown) - len(seen) if given or refused else 0)
    damaged = max(0, len(seen) - len(strict[0]))
    return Decoded(stamps, rotation_deg, before, lost, damaged, bool(refused) and refused[-1] >= last)


def _pass(
    path: str, *, tolerant: bool, strict: bool, refused: list[int] | None = None, one_thread: bool = False
) -> tuple[list[tuple[int | None, int | None]], int]:
    """Stamps of the frames in the decoder's order, of presentation and of decoding, and the rotation that the first
    asks for.
    """
    import av

    stamps: list[tuple[int | None, int | None]] = []
    rotation_deg = 0
    with av.open(path) as container:
        stream = video_stream(container)
        if stream is None:
            raise ValueError("no video stream")
        if strict:
            stream.codec_context.options = dict(_STRICT)
        for frame in frames_of(container, stream, tolerant=tolerant, refused=refused, one_thread=one_thread):
            if not stamps:
                rotation_deg = int(-round(getattr(frame, "rotation", 0) or 0)) % 360
            stamps.append((frame.pts, frame.dts))
    return stamps, rotation_deg


def _stamps(found: Sequence[tuple[int | None, int | None]], by_order: bool) -> tuple[int, ...] | None:
    """One stamp per frame, sorted; None if some have none."""
    if by_order and found and found[0][1] is not None:
        stamps: list[int] = []
        for _, stamp in found:  # the last frames come when there are no more packets
            stamps.append(stamps[-1] + 1 if stamp is None else stamp)
        if all(a < b for a, b in pairwise(stamps)):
            return tuple(stamps)
    known = [stamp for stamp, _ in found if stamp is not None]
    return tuple(sorted(known)) if known and len(known) == len(found) else None


def _before(
    shown: Sequence[int],
    stamps: Sequence[int],
    found: Sequence[tuple[int | None, int | None]],
    by_order: bool,
) -> int:
    """The number of lost packets before the first frame."""
    if not by_order:
        return sum(stamp < stamps[0] for stamp in shown)
    # The decoder holds as many frames back at the start as it gives when there are no more packets.
    delay = sum(stamp is None for _, stamp in found)
    return max(0, min(stamps[0] - shown[0] - delay, len(shown) - len(stamps))) if shown else 0
