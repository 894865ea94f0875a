"""A video file as frames with exact presentation times.

Conventions
-----------
Times are seconds from the first frame (float64), taken from presentation time stamps, never from index / rate:
files with a variable rate, a late first frame or a wrong container duration are common. Pixels are RGB,
`uint8 (h, w, 3)`, upright (rotation metadata applied). The frame on screen at time t is the last one whose
time is <= t.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from lft.core.errors import InputError

_SLACK_S = 1e-6  # presentation times are rationals; asking for one as a float must find its own frame

Picture = npt.NDArray[np.uint8]


class Source(Protocol):
    """Anything that can hand out pictures by frame index: a file, or arrays in memory."""

    def pictures(self, frame_indices: Iterable[int]) -> Iterator[tuple[int, Picture]]: ...


@dataclass(frozen=True)
class Media:
    """A video on disk. Open one with `Media.open(path)`.

    Attributes
    ----------
    path : the file.
    width, height : pixels, upright.
    frame_times_s : float64 (n,), increasing, first is 0.
    duration_s : end of the last frame, as far as the file tells; > frame_times_s[-1].
    """

    path: Path
    width: int
    height: int
    frame_times_s: npt.NDArray[np.float64]
    duration_s: float
    rotation_deg: int = 0

    @classmethod
    def open(cls, path: Path | str) -> Media:
        """Reads the stream's headers and packet times, no pixels. Raises `InputError` if it is not a whole video."""
        return _probe(Path(path))

    def __len__(self) -> int:
        return len(self.frame_times_s)

    def frame_at(self, time_s: float) -> int:
        """Index of the frame on screen at `time_s`; the first or last one outside the video."""
        index = int(np.searchsorted(self.frame_times_s, time_s + _SLACK_S, side="right")) - 1
        return min(max(index, 0), len(self) - 1)

    def pictures(self, frame_indices: Iterable[int] | None = None) -> Iterator[tuple[int, Picture]]:
        """Yields (frame_index, RGB picture) in increasing order, in one decoding pass.

        Only the asked frames are converted to RGB. A picture equal to the one before may be the same array;
        treat pictures as read-only.
        """
        wanted = None if frame_indices is None else sorted({int(i) for i in frame_indices})
        if wanted is not None and (not wanted or wanted[0] < 0 or wanted[-1] >= len(self)):
            if not wanted:
                return
            raise InputError(
                f"frame {wanted[0] if wanted[0] < 0 else wanted[-1]} of {len(self)}", where=self.path
            )
        yield from _decode(self, wanted)

    @cached_property
    def mean_rate_hz(self) -> float:
        """Frames per second over the whole file."""
        return len(self) / self.duration_s


def _probe(path: Path) -> Media:
    import av

    if not path.is_file():
        raise InputError("no such file", where=path, remedy="the path of a video file")
    try:
        with av.open(str(path)) as container:
            if not container.streams.video:
                raise InputError("holds no video stream", where=path, remedy="a video file such as mp4")
            stream = container.streams.video[0]
            base = stream.time_base
            packets, read, torn = [], 0, False
            for packet in container.demux(stream):
                if not packet.size:
                    continue
                read, torn = read + 1, bool(packet.is_corrupt)
                # What an edit list trims off is in the file all the same; it is marked, and no decoder shows it.
                if packet.pts is not None and not packet.is_discard:
                    packets.append((packet.pts, packet.duration or 0))
            # The index of an mp4 comes before the frames as often as after: a file cut short still opens.
            listed = stream.frames if "mp4" in container.format.name else 0
            width, height = stream.codec_context.width, stream.codec_context.height
            rate = stream.average_rate or stream.guessed_rate
    except av.FFmpegError as error:
        raise InputError(
            f"cannot be read as video ({error.strerror})", where=path, remedy="a whole video file"
        ) from error
    if not packets or not base or not width:
        raise InputError("holds no frames", where=path, remedy="a whole video file")
    if torn or read < listed:
        of = f" of {listed}" if listed else ""
        raise InputError(
            f"is cut short after {read - torn}{of} frames", where=path, remedy="a whole video file"
        )
    packets.sort()
    pts = np.array([p for p, _ in packets], dtype=np.int64)
    if len(np.unique(pts)) != len(pts):
        raise InputError("two frames share one presentation time", where=path, remedy="re-muxing the file")
    times_s = (pts - pts[0]).astype(np.float64) * base.numerator / base.denominator
    last = packets[-1][1] * float(base)
    if last <= 0:
        last = 1 / float(rate) if rate else (float(np.median(np.diff(times_s))) if len(times_s) > 1 else 1.0)
    rotation = _rotation_deg(path)
    if rotation % 180:
        width, height = height, width
    return Media(path, width, height, times_s, float(times_s[-1] + last), rotation)


def _rotation_deg(path: Path) -> int:
    """Clockwise rotation asked for by the file's display matrix: 0, 90, 180 or 270."""
    import av

    try:
        with av.open(str(path)) as container:
            frame = next(container.decode(container.streams.video[0]))
            return int(-round(getattr(frame, "rotation", 0) or 0)) % 360
    except StopIteration:
        raise InputError("holds no decodable frame", where=path, remedy="a whole video file") from None
    except av.FFmpegError as error:
        raise InputError(
            f"cannot be decoded ({error.strerror})", where=path, remedy="a whole video file"
        ) from error


def _decode(media: Media, wanted: list[int] | None) -> Iterator[tuple[int, Picture]]:
    import av

    position = 0
    decoded = 0
    before: tuple[Any, Picture] | None = None
    try:
        with av.open(str(media.path)) as container:
            stream = container.streams.video[0]
            stream.thread_type = "AUTO"
            for index, frame in enumerate(container.decode(stream)):
                decoded = index + 1
                if wanted is not None:
                    if index != wanted[position]:
                        continue
                    position += 1
                if before is None or not _same_pixels(before[0], frame):
                    before = frame, _upright(frame, media.rotation_deg)
                yield index, before[1]
                if wanted is not None and position == len(wanted):
                    return
    except av.FFmpegError as error:
        raise InputError(
            f"cannot be decoded past frame {decoded} ({error.strerror})",
            where=media.path,
            remedy="a whole video file",
        ) from error
    if decoded < (len(media) if wanted is None else wanted[-1] + 1):
        raise InputError(
            f"ends after {decoded} of {len(media)} frames", where=media.path, remedy="a whole video file"
        )


def _same_pixels(before: Any, frame: Any) -> bool:
    """Whether two decoded frames are equal, compared before the costly conversion to RGB."""
    if before.format.name != frame.format.name or len(before.planes) != len(frame.planes):
        return False
    return all(
        a.buffer_size == b.buffer_size
        and np.array_equal(np.frombuffer(a, np.uint8), np.frombuffer(b, np.uint8))
        for a, b in zip(before.planes, frame.planes, strict=True)
    )


def _upright(frame: Any, rotation_deg: int) -> Picture:
    picture = frame.to_ndarray(format="rgb24")
    return np.ascontiguousarray(np.rot90(picture, -rotation_deg // 90)) if rotation_deg else picture
