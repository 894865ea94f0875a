"""Renders a schedule to a video file and its trace; the cost depends on changes, not on duration.

Manim's own camera draws each distinct visual state once; the picture is converted once; each distinct
sequence of states within a second is encoded once, however long they stay; a file is put together from these.
Nothing in a file depends on what was rendered before it: the caches only keep results of pure functions, and
they are bounded.

The pictures are bit for bit those that `manim render` hands to its own writer
(tests/renderers/test_oracle.py).
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Callable, Hashable
from functools import lru_cache
from pathlib import Path
from typing import Generic, TypeVar

from lft.core.files import replacing
from lft.core.video.media import Media
from lft.core.video.writer import Format, Planes, Writer, encode, to_planes
from lft.counting.rendering.manim_stage import Stage
from lft.counting.rendering.schedule import Schedule
from lft.counting.rendering.visual import State, states
from lft.counting.trace import Trace

_PLANES_BYTES = 72 << 20  # pictures kept by one process, and encoded sequences
_PACKETS_BYTES = 48 << 20

V = TypeVar("V")


def render(schedule: Schedule, path: Path) -> tuple[Media, Trace]:
    """Writes the clip to `path` (mp4), whole or not at all, and returns the video and its trace.

    The trace names the file's SHA-256. Raises `InputError` if the file cannot be written.
    """
    trace = shared_renderer().write(schedule, path)
    return Media.open(path), trace


class Renderer:
    """Renders clips; keeps pictures and encoded seconds of the looks it saw last. Made for one process."""

    def __init__(self) -> None:
        self._stages: _Bounded[Stage] = _Bounded(1, lambda _: 1)
        self._writers: _Bounded[Writer] = _Bounded(2, lambda _: 1)
        self._planes: _Bounded[Planes] = _Bounded(
            _PLANES_BYTES, lambda planes: planes.width * planes.height * 3 // 2
        )
        self._packets: _Bounded[list[bytes]] = _Bounded(
            _PACKETS_BYTES, lambda packets: sum(map(len, packets)) + 8192
        )

    def write(self, schedule: Schedule, path: Path) -> Trace:
        """As `render`, without opening the file again."""
        file = self.file_of(schedule)
        with replacing(path) as temporary:
            temporary.write_bytes(file)
        return schedule.trace(hashlib.sha256(file).hexdigest())

    def file_of(self, schedule: Schedule) -> bytes:
        """The bytes of the clip's file; a pure function of the schedule."""
        form = Format(schedule.spec.width, schedule.spec.height, schedule.spec.fps)
        writer = self._writers.get(form, lambda: Writer(form))
        shown = states(schedule)
        seconds = [shown[i : i + form.fps] for i in range(0, len(shown), form.fps)]
        return writer.file_of(self._group(schedule, writer, second) for second in seconds)

    def _group(self, schedule: Schedule, writer: Writer, second: tuple[State, ...]) -> list[bytes]:
        changes, lengths = zip(*writer.runs(second), strict=True)
        key = (schedule.spec.look_id, writer.form, changes)
        packets = self._packets.get(
            key,
            lambda: encode([self._picture(schedule, writer.form, state) for state in changes], writer.form),
        )
        return writer.group(packets, lengths)

    def _picture(self, schedule: Schedule, form: Format, state: State) -> Planes:
        look = (schedule.spec.look_id, form)
        return self._planes.get(
            (*look, state),
            lambda: to_planes(self._stages.get(look, lambda: Stage(schedule)).picture(state)),
        )


@lru_cache(maxsize=1)
def shared_renderer() -> Renderer:
    """The renderer of this process, so that clips rendered one by one share their pictures too."""
    return Renderer()


class _Bounded(Generic[V]):
    """Results by key, up to a total size; those unused for longest go first."""

    def __init__(self, limit: int, size: Callable[[V], int]) -> None:
        self._limit, self._size, self._held = limit, size, 0
        self._items: OrderedDict[Hashable, V] = OrderedDict()

    def get(self, key: Hashable, make: Callable[[], V]) -> V:
        if key in self._items:
            self._items.move_to_end(key)
            return self._items[key]
        value = make()
        self._items[key] = value
        self._held += self._size(value)
        while self._held > self._limit and len(self._items) > 1:
            _, dropped = self._items.popitem(last=False)
            self._held -= self._size(dropped)
        return value
