"""A video file as frames with exact presentation times.

Conventions
-----------
Times are seconds from the first frame (float64), taken from presentation time stamps, never from index / rate:
files with a variable rate, a late first frame or a wrong container duration are common. A player's clock starts with
the file: it stands at `start_s` when the first frame comes. Pixels are RGB, `uint8 (h, w, 3)`, upright (rotation
metadata applied) and square (enlarged where the file's are not). The frame on screen at time t is the last one whose
time is <= t.

Frames are those that a decoder returns, not those that the container lists; see `lft.core.video.decoding`.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import numpy as np
import numpy.typing as npt

from lft.core.errors import InputError
from lft.core.video.decoding import decoded, frames_of, video_stream
from lft.core.video.picture_groups import Kept, Names, names_of
from lft.core.video.probing import probe

if TYPE_CHECKING:
    from av import Packet, VideoFrame
    from av.container import InputContainer
    from av.video.codeccontext import VideoCodecContext
    from av.video.stream import VideoStream

_SLACK_S = 1e-6  # presentation times are rationals; the float of one must find its frame
_COUNTED_FROM_ZERO = (".mp4", ".m4v", ".mov", ".mkv", ".webm")  # where time stamps have a zero of their own
_RECENT_BYTES = 96 * 2**20  # decoded pictures that are kept while a file is read, for groups that recur

Picture = npt.NDArray[np.uint8]


class Source(Protocol):
    """Pictures by frame index: a file, or arrays in memory."""

    def pictures(self, frame_indices: Iterable[int]) -> Iterator[tuple[int, Picture]]: ...


@dataclass(frozen=True)
class Media:
    """A video on disk. Open one with `Media.open(path)`.

    Attributes
    ----------
    path : the file.
    width, height : pixels, upright.
    frame_times_s : float64 (n,), increasing, first is 0.
    duration_s : end of the last frame, as far as the file states it; > frame_times_s[-1].
    rotation_deg : clockwise, already applied.
    start_s : time of the first frame on a player's clock, which starts with the file (for example with its sound).
    clock_s : time of the first frame on the file's own clock, which browsers show.
    scaled_to : (width, height) before rotation of pictures with non-square pixels after enlargement; or None.
    lost : undecodable packets: (before the first frame, in all).
    damaged : frames with decoding errors; they may look wrong.
    may_be_cut : whether the file seems to be truncated.
    """

    path: Path
    width: int
    height: int
    frame_times_s: npt.NDArray[np.float64]
    duration_s: float
    rotation_deg: int = 0
    start_s: float = 0.0
    clock_s: float = 0.0
    scaled_to: tuple[int, int] | None = None
    lost: tuple[int, int] = (0, 0)
    damaged: int = 0
    may_be_cut: bool = False

    @classmethod
    def open(cls, path: Path | str) -> Media:
        """Finds the frames of a video. A file in groups (`picture_groups`) is not decoded; any other is, once per
        process. Raises `InputError` if it is not a video, is truncated, or has no decodable frame.
        """
        found = probe(Path(path))
        return cls(**{field.name: getattr(found, field.name) for field in fields(found)})

    @property
    def whole(self) -> bool:
        """Whether everything that was decoded had no error."""
        return self.lost == (0, 0) and not self.damaged

    def check(self) -> None:
        """Decodes a file that was opened without decoding; raises `InputError` if a frame cannot be decoded."""
        if self.names() is None:
            return
        out = decoded(self.path, [], len(self) - 1)
        if not out.whole or out.stamps is None or len(out.stamps) != len(self):
            count = len(self) - len(out.stamps or ()) or out.damaged
            what = f"{count} of {len(self)} frames cannot be decoded"
            raise InputError(what, where=self.path, expected="a whole video file")

    def remarks(self) -> list[str]:
        """Remarks on the reading of this file, one phrase each; empty for most."""
        said = []
        before, lost = self.lost
        if lost:
            of = f"{lost} of its {len(self) + lost} frames cannot be decoded"
            place = f", {before} of them at the start" if before else ""
            said.append(f"{of}{place}: the other {len(self)} are taken as the video, {self.duration_s:.3f} s")
        if self.damaged:
            of = f"{self.damaged} of its {len(self)} frames"
            said.append(f"{of} are decoded with errors and may look wrong")
        if self.may_be_cut:
            said.append("its last packet is full, so it is likely cut short: its last frame may look wrong")
        if self.start_s:
            said.append(
                f"its pictures start {self.start_s:.3f} s after the file does: annotated seconds are taken as a "
                "player's clock shows them, times count from its first picture"
            )
        elif self.clock_s > 2 / self.mean_rate_hz and self.path.suffix.lower() in _COUNTED_FROM_ZERO:
            said.append(
                f"its first time stamp is {self.clock_s:.3f} s, where a browser's clock begins: annotated seconds are "
                "taken from the first picture"
            )
        if self.scaled_to:
            said.append(f"its pixels are not square: it is shown and supplied as {self.width}x{self.height}")
        return said

    def __len__(self) -> int:
        return len(self.frame_times_s)

    def frame_at(self, time_s: float) -> int:
        """Index of the frame on screen at `time_s`; the first or last one outside the video."""
        index = int(np.searchsorted(self.frame_times_s, time_s + _SLACK_S, side="right")) - 1
        return min(max(index, 0), len(self) - 1)

    def pictures(self, frame_indices: Iterable[int] | None = None) -> Iterator[tuple[int, Picture]]:
        """Yields (frame_index, RGB picture) in increasing order, in one decoding pass.

        Only the requested frames are converted to RGB. Equal pictures may be the same array; treat pictures as
        read-only. With `picture_groups`, groups without requested frames are not decoded, and
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
        """A name for each frame: frames with equal names have equal pixels, also across files. None if names cannot be
        determined; see `lft.core.video.picture_groups`.
        """
        names = names_of(self.path)
        return names if names and len(names.names) == len(self) else None

    @cached_property
    def mean_rate_hz(self) -> float:
        """Frames per second over the whole file."""
        return len(self) / self.duration_s


def _decode(media: Media, wanted: Sequence[int]) -> Iterator[tuple[int, Picture]]:
    """From the first frame to the last requested one."""
    decoded = 0

    def frames(container: InputContainer) -> Iterator[tuple[int, VideoFrame]]:
        nonlocal decoded
        stream = video_stream(container)
        assert stream is not None  # `probe` found it
        left = iter(wanted)
        next_wanted = next(left)
        for index, frame in enumerate(frames_of(container, stream, tolerant=not media.whole)):
            decoded = index + 1
            if index == next_wanted:
                yield index, frame
                next_wanted = next(left, -1)
                if next_wanted < 0:
                    return
        _check_count(media, decoded, wanted[-1] + 1)

    with _opened(media, lambda: decoded) as container:
        yield from _pictures(frames(container), media)


def _decode_groups(media: Media, names: Names, wanted: Sequence[int]) -> Iterator[tuple[int, Picture]]:
    """Group by group; groups without requested frames, or with cached frames, are skipped."""
    recent: Kept[Picture] = Kept(_RECENT_BYTES)
    times = Counter(names.names[index] for index in wanted)
    decoded = 0

    def frames(
        decoder: VideoCodecContext, packets: Sequence[Packet[VideoStream]], asked: Sequence[int], first: int
    ) -> Iterator[tuple[int, VideoFrame]]:
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
        stream = video_stream(container)
        assert stream is not None
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
            for index, picture in _pictures(frames(decoder, packets, asked, first), media):
                if times[names.names[index]] > 1:
                    recent.put(names.names[index], picture)
                yield index, picture


@contextmanager
def _opened(media: Media, decoded: Callable[[], int]) -> Iterator[InputContainer]:
    """The open file; decoding errors become one line."""
    import av

    try:
        with av.open(str(media.path)) as container:
            yield container
    except av.FFmpegError as error:
        raise InputError(
            f"cannot be decoded past frame {decoded()} ({error.strerror})",
            where=media.path,
            expected="a whole video file",
        ) from error


def _check_count(media: Media, decoded: int, needed: int) -> None:
    if decoded < needed:
        raise InputError(
            f"ends after {decoded} of {len(media)} frames", where=media.path, expected="a whole video file"
        )


def _pictures(frames: Iterable[tuple[int, VideoFrame]], media: Media) -> Iterator[tuple[int, Picture]]:
    """Frames as RGB; repeated frames are converted once."""
    before: tuple[VideoFrame, Picture] | None = None
    for index, frame in frames:
        if before is None or not _same_pixels(before[0], frame):
            before = frame, _upright(frame, media)
        yield index, before[1]


def _same_pixels(before: VideoFrame, frame: VideoFrame) -> bool:
    """Whether two decoded frames are equal, compared before the costly conversion to RGB."""
    if before.format.name != frame.format.name or len(before.planes) != len(frame.planes):
        return False
    return all(
        a.buffer_size == b.buffer_size
        and np.array_equal(np.frombuffer(memoryview(a), np.uint8), np.frombuffer(memoryview(b), np.uint8))
        for a, b in zip(before.planes, frame.planes, strict=True)
    )


def _upright(frame: VideoFrame, media: Media) -> Picture:
    width, height = media.scaled_to or (None, None)
    picture = frame.to_ndarray(format="rgb24", width=width, height=height).astype(np.uint8, copy=False)
    turned = media.rotation_deg
    return np.ascontiguousarray(np.rot90(picture, -turned // 90)) if turned else picture
