"""A video file as frames with exact presentation times.

Conventions
-----------
Times are seconds from the first frame (float64), taken from presentation time stamps, never from index / rate:
files with a variable rate, a late first frame or a wrong container duration are common. Pixels are RGB,
`uint8 (h, w, 3)`, upright (rotation metadata applied). The frame on screen at time t is the last one whose
time is <= t.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from lft.core.errors import InputError
from lft.core.groups import Kept, Names, names_of
from lft.core.matroska import missing_bytes

_SLACK_S = 1e-6  # presentation times are rationals; asking for one as a float must find its own frame
_RECENT_BYTES = 96 * 2**20  # decoded pictures that are kept while a file is read, for groups that recur

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

        Only the asked frames are converted to RGB. Equal pictures may be the same array; treat pictures as
        read-only. Where `lft.core.groups` is certain of it, groups without asked frames are not decoded, and
        those that recur are decoded once.
        """
        wanted = sorted({int(i) for i in (range(len(self)) if frame_indices is None else frame_indices)})
        if not wanted:
            return
        if wanted[0] < 0 or wanted[-1] >= len(self):
            raise InputError(
                f"frame {wanted[0] if wanted[0] < 0 else wanted[-1]} of {len(self)}", where=self.path
            )
        names = self.names()
        yield from _decode_groups(self, names, wanted) if names else _decode(self, wanted)

    def names(self) -> Names | None:
        """A name for each frame: frames of one name look the same, in this file and in others. None if there
        are none that are certain; see `lft.core.groups`.
        """
        names = names_of(self.path)
        return names if names and len(names.names) == len(self) else None

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
            kind = container.format.name
            if kind == "image2" or kind.endswith("_pipe"):
                raise InputError("is a picture, not a video", where=path, remedy="a video file such as mp4")
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
            listed = stream.frames if "mp4" in kind else 0
            torn = torn or ("matroska" in kind and missing_bytes(path) > 0)
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


def _decode(media: Media, wanted: Sequence[int]) -> Iterator[tuple[int, Picture]]:
    """From the first frame to the last one that is wanted."""
    decoded = 0

    def frames(container: Any) -> Iterator[tuple[int, Any]]:
        nonlocal decoded
        stream = container.streams.video[0]
        stream.thread_type = "AUTO"
        left = iter(wanted)
        next_wanted = next(left)
        for index, frame in enumerate(container.decode(stream)):
            decoded = index + 1
            if index == next_wanted:
                yield index, frame
                next_wanted = next(left, -1)
                if next_wanted < 0:
                    return
        _check_count(media, decoded, wanted[-1] + 1)

    with _opened(media, lambda: decoded) as container:
        yield from _pictures(frames(container), media.rotation_deg)


def _decode_groups(media: Media, names: Names, wanted: Sequence[int]) -> Iterator[tuple[int, Picture]]:
    """Group by group: those without wanted frames, and those whose frames are at hand, are passed over."""
    recent: Kept[Picture] = Kept(_RECENT_BYTES)
    times = Counter(names.names[index] for index in wanted)
    decoded = 0

    def frames(
        decoder: Any, packets: Sequence[Any], asked: Sequence[int], first: int
    ) -> Iterator[tuple[int, Any]]:
        nonlocal decoded
        decoded = first
        for packet in (*packets[: asked[-1] + 1 - first], None):
            for frame in decoder.decode(packet):
                if decoded in asked:
                    yield decoded, frame
                decoded += 1
        decoder.flush_buffers()
        _check_count(media, decoded, asked[-1] + 1)

    with _opened(media, lambda: decoded) as container:
        stream = container.streams.video[0]
        decoder = stream.codec_context
        decoder.thread_count = 1  # a group is too short for threads to gain what they cost
        all_packets = (packet for packet in container.demux(stream) if packet.size)
        for first, end in names.groups():
            packets = list(islice(all_packets, end - first))
            asked = wanted[bisect_left(wanted, first) : bisect_left(wanted, end)]
            at_hand = [recent.get(names.names[index]) for index in asked]
            if all(picture is not None for picture in at_hand):
                yield from zip(asked, (p for p in at_hand if p is not None), strict=True)
                continue
            for index, picture in _pictures(frames(decoder, packets, asked, first), media.rotation_deg):
                if times[names.names[index]] > 1:
                    recent.put(names.names[index], picture)
                yield index, picture


@contextmanager
def _opened(media: Media, decoded: Callable[[], int]) -> Iterator[Any]:
    """The file, with what goes wrong in it said in one line."""
    import av

    try:
        with av.open(str(media.path)) as container:
            yield container
    except av.FFmpegError as error:
        raise InputError(
            f"cannot be decoded past frame {decoded()} ({error.strerror})",
            where=media.path,
            remedy="a whole video file",
        ) from error


def _check_count(media: Media, decoded: int, needed: int) -> None:
    if decoded < needed:
        raise InputError(
            f"ends after {decoded} of {len(media)} frames", where=media.path, remedy="a whole video file"
        )


def _pictures(frames: Iterable[tuple[int, Any]], rotation_deg: int) -> Iterator[tuple[int, Picture]]:
    """Frames as RGB; a frame that equals the one before is converted once."""
    before: tuple[Any, Picture] | None = None
    for index, frame in frames:
        if before is None or not _same_pixels(before[0], frame):
            before = frame, _upright(frame, rotation_deg)
        yield index, before[1]


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
