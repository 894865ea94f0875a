"""What is known of a video file before its pictures are asked for; see `lft.core.video.media.Media` for what it is for.

Times are integers in the stream's time base until they are seconds (float64) from the first frame.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from lft.core.errors import InputError
from lft.core.video.decoding import Decoded, decoded, video_stream
from lft.core.video.picture_groups import names_of
from lft.core.video.truncation import is_cut, may_be_cut

if TYPE_CHECKING:
    from av.video.stream import VideoStream

_SLACK_S = 1e-6
_PRIMING_S = 0.05  # sound may begin so much before the pictures because of how it is encoded
_SQUARE = 0.01  # pixels that are out of square by less are meant to be square
_NO_PICTURE = 1  # bytes of a packet by which an encoder says that it has nothing yet
_BY_ORDER = "avi"  # the container without presentation times
# Containers that state how many frames or bytes they hold: there, a damaged last frame is damage, not a cut.
_KNOWN_LENGTH = ("mp4", "matroska", "avi", "gif")


@dataclass(frozen=True)
class Found:
    """The fields of `lft.core.video.media.Media`, which says what they mean."""

    path: Path
    width: int
    height: int
    frame_times_s: npt.NDArray[np.float64]
    duration_s: float
    rotation_deg: int
    start_s: float
    clock_s: float
    scaled_to: tuple[int, int] | None
    lost: tuple[int, int]
    damaged: int
    may_be_cut: bool


@dataclass(frozen=True)
class _Packets:
    """What a container says of its video: a packet's time stamp, duration in the time base."""

    kind: str
    base: Fraction
    rate: Fraction | None
    width: int
    height: int
    pixel_aspect: Fraction
    shown: tuple[tuple[int, int], ...]  # in order of time; what an edit list trims off is left out
    read: int
    torn: bool
    listed: int
    may_be_cut: bool
    starts_s: float | None  # the first moment of any stream


def probe(path: Path) -> Found:
    """Reads a file's packets and, unless they say what its frames look like, decodes it; raises `InputError` if it is
    no video, is cut short, or no frame of it can be decoded.
    """
    import av

    if not path.is_file():
        raise InputError("no such file", where=path, expected="the path of a video file")
    names = None
    try:
        found = _packets(path)
        names = names_of(path)
        if names and len(names.names) == len(found.shown):
            out = Decoded(tuple(stamp for stamp, _ in found.shown), _rotation_deg(path))
        else:
            stamps = [stamp for stamp, _ in found.shown]
            out = decoded(path, stamps, found.read - 1, by_order=found.kind == _BY_ORDER)
    except (av.FFmpegError, StopIteration) as error:
        why = getattr(error, "strerror", None) or "no frame comes out of it"
        raise InputError(
            f"cannot be read as video ({why})", where=path, expected="a whole video file"
        ) from error
    except ValueError as error:
        if isinstance(error, InputError):
            raise
        what = f"none of its {found.read} frames can be decoded"
        raise InputError(what, where=path, expected="a whole video file") from error
    if out.stamps is None or not found.shown:
        raise InputError(
            f"says of no frame when it is shown, as raw {found.kind} does",
            where=path,
            remedy="the same stream in a container such as mp4, made with its frame rate",
        )
    open_ended = not any(kind in found.kind for kind in _KNOWN_LENGTH)
    if found.torn or found.read < found.listed or (open_ended and out.ends_damaged):
        of = f" of {found.listed}" if found.listed else ""
        raise InputError(
            f"is cut short after {found.read - found.torn}{of} frames",
            where=path,
            expected="a whole video file",
        )
    return _found(path, found, out)


def _packets(path: Path) -> _Packets:
    import av

    with av.open(str(path)) as container:
        kind = container.format.name
        if kind == "image2" or (kind.endswith("_pipe") and kind != "yuv4mpegpipe"):
            raise InputError("is a picture, not a video", where=path, expected="a video file such as mp4")
        stream = video_stream(container)
        if stream is None:
            what = "a picture, but no video stream" if container.streams.video else "no video stream"
            raise InputError(f"holds {what}", where=path, expected="a video file such as mp4")
        packets, read, torn = [], 0, False
        for packet in container.demux(stream):
            if not packet.size:
                continue
            read, torn = read + 1, bool(packet.is_corrupt)
            # What an edit list trims off is in the file all the same; it is marked, and no decoder shows it.
            stamp = packet.dts if kind == _BY_ORDER else packet.pts
            empty = kind == _BY_ORDER and packet.size <= _NO_PICTURE
            if stamp is not None and not packet.is_discard and not empty:
                packets.append((stamp, packet.duration or 0))
        width, height = stream.codec_context.width, stream.codec_context.height
        if not read or not stream.time_base or not width:
            raise InputError("holds no frames", where=path, expected="a whole video file")
        starts_s = None if container.start_time is None else container.start_time / av.time_base
        return _Packets(
            kind,
            stream.time_base,
            stream.average_rate or stream.guessed_rate,
            width,
            height,
            _pixel_aspect(stream),
            tuple(sorted(packets)),
            read,
            torn or is_cut(path, kind),
            # The index of an mp4 comes before the frames as often as after: a file cut short still opens.
            stream.frames if "mp4" in kind else 0,
            may_be_cut(path, kind, stream.id),
            starts_s,
        )


def _found(path: Path, found: _Packets, out: Decoded) -> Found:
    pts = np.array(out.stamps, dtype=np.int64)
    if len(np.unique(pts)) != len(pts):
        raise InputError("two frames share one presentation time", where=path, remedy="re-muxing the file")
    times_s = (pts - pts[0]).astype(np.float64) * found.base.numerator / found.base.denominator
    last = dict(found.shown).get(int(pts[-1]), 0) * float(found.base)
    if last <= 0:
        usual_s = float(np.median(np.diff(times_s))) if len(times_s) > 1 else 1.0
        last = 1 / float(found.rate) if found.rate else usual_s
    # A picture is enlarged to square pixels, never made smaller: nothing that is in the file is lost.
    width, height, aspect = found.width, found.height, found.pixel_aspect
    width, height = (round(width * aspect), height) if aspect > 1 else (width, round(height / aspect))
    turned = out.rotation_deg % 180 != 0
    return Found(
        path=path,
        width=height if turned else width,
        height=width if turned else height,
        frame_times_s=times_s,
        duration_s=float(times_s[-1] + last),
        rotation_deg=out.rotation_deg,
        start_s=_start_s(found, out, float(times_s[1]) if len(times_s) > 1 else last),
        clock_s=_clock_s(found, int(pts[0])),
        scaled_to=(width, height) if aspect != 1 else None,
        lost=(out.lost_before, out.lost),
        damaged=out.damaged,
        may_be_cut=found.may_be_cut,
    )


def _start_s(found: _Packets, out: Decoded, frame_s: float) -> float:
    """How long after the file's first moment the first picture comes; 0 if that is less than a frame.

    Sound that was encoded begins a few hundredths of a second before the pictures: no one means that.
    """
    base = float(found.base)
    if found.kind == _BY_ORDER:
        return out.lost_before * base
    first = (out.stamps or (0,))[0]
    late_s = first * base - found.starts_s if found.starts_s is not None else 0.0
    return round(late_s, 6) if late_s >= max(frame_s, _PRIMING_S) - _SLACK_S else 0.0


def _clock_s(found: _Packets, first: int) -> float:
    """What a browser's clock shows at the first picture; AVI is played by none."""
    return (
        0.0
        if found.kind == _BY_ORDER
        else max(0.0, first * float(found.base) - min(0.0, found.starts_s or 0.0))
    )


def _pixel_aspect(stream: VideoStream) -> Fraction:
    """Width of a pixel by its height; 1 where that is not said, or no more than rounding."""
    said = stream.sample_aspect_ratio or stream.codec_context.sample_aspect_ratio
    if not said or not Fraction(1, 10) <= said <= 10 or abs(said - 1) < _SQUARE:
        return Fraction(1)
    return Fraction(said)


def _rotation_deg(path: Path) -> int:
    """Clockwise rotation asked for by the file's display matrix: 0, 90, 180 or 270."""
    import av

    with av.open(str(path)) as container:
        frame = next(container.decode(video_stream(container)))
        return int(-round(getattr(frame, "rotation", 0) or 0)) % 360
