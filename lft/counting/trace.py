"""The truth about a clip: the events in its frames, and their scheduled times.

`time_s` is frame_index / fps of the first frame that shows an event; `scheduled_s` is its scheduled
time, at most half a frame away. A trace file is JSON with `schema` = `lft.trace/1`.

The trace of an imported video has the presentation time of every frame instead of a rate; its
events have their annotated times, on the frame that is on screen then. If only their number is known, it
has no events.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass, fields
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from lft.core.errors import InputError, shown, unknown_name
from lft.core.files import read_json, write_json
from lft.core.records import Entries, JsonObject
from lft.counting.spec import AnySpec, spec_from_json

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

SCHEMA = "lft.trace/1"
_MOST_FRAMES = 10_000_000  # some 90 hours


@dataclass(frozen=True)
class Event:
    """One true event.

    Attributes
    ----------
    index : 0-based.
    time_s, frame_index : the first frame that shows it.
    scheduled_s : the exact time it was scheduled for; |scheduled_s - time_s| <= 1 / (2 fps).
    type : `wall_contact`, `blink`, `transition`.
    state_before, state_after : for contacts the previous and the present wall, for blinks `off` and `off`, for
        transitions the two node labels. The state after one event is the state before the next.
    running_count : index + 1.
    evidence_frames : (first, last) frame, inclusive, that shows this event.
    tolerance_s : the tolerance of an event of an imported video; None if the frequency determines it.
    """

    index: int
    time_s: float
    scheduled_s: float
    frame_index: int
    type: str
    state_before: str
    state_after: str
    running_count: int
    evidence_frames: tuple[int, int]
    tolerance_s: float | None = None


@dataclass(frozen=True)
class Trace:
    """The truth about one clip. `video_sha256` identifies its video file.

    `fps` is frame_count / duration; for irregular frames `frame_times_s` has their
    presentation times, seconds, increasing, first 0.
    """

    clip_id: str
    spec: AnySpec
    fps: float
    frame_count: int
    width: int
    height: int
    video_sha256: str
    events: tuple[Event, ...]
    frame_times_s: tuple[float, ...] | None = None

    @cached_property
    def times_s(self) -> tuple[float, ...]:
        """Event times, seconds, increasing."""
        return tuple(event.time_s for event in self.events)

    @property
    def duration_s(self) -> float:
        """From the first frame to the end of the last, seconds."""
        return self.frame_count / self.fps

    @property
    def own_tolerances_s(self) -> tuple[float, ...] | None:
        """The tolerance of each event; None if the frequency determines it."""
        return None if self.spec.regular else tuple(event.tolerance_s or 0.0 for event in self.events)

    @property
    def half_period_s(self) -> float:
        """Half the time between events, seconds: 1 / (2 F), or the largest of the events' own tolerances."""
        own = self.own_tolerances_s
        return 1 / (2 * self.spec.frequency_hz) if not own else max(own)

    def frames_at(self, times_s: Iterable[float]) -> npt.NDArray[np.intp]:
        """Indices of the frames on screen at `times_s`; the first or last one outside the video."""
        import numpy as np

        asked_s = np.fromiter(times_s, dtype=np.float64)
        if self.frame_times_s is None:
            # A slightly early float must find its frame.
            found = np.floor(asked_s * self.fps + 1e-3)
        else:
            found = np.searchsorted(self._frame_times_s, asked_s + 1e-6, side="right") - 1.0
        return np.clip(found, 0, self.frame_count - 1).astype(np.intp)

    @cached_property
    def _frame_times_s(self) -> npt.NDArray[np.float64]:
        import numpy as np

        return np.asarray(self.frame_times_s or (), dtype=np.float64)

    def execute(self, *, where: object = None) -> int:
        """Replays the trace and returns its count; raises `InputError` if it is inconsistent.

        States chain, counts step by one, times increase and agree with their frames inside the video, scheduled times
        are at most half a frame away, and the last count equals N (unless only N is known).
        """
        where = where or f"trace {self.clip_id}"
        regular = self.spec.regular

        def refuse(what: str) -> InputError:
            return InputError(what, where=where, expected="a trace as LFT wrote it")

        for name, value in self._whole_numbers():
            if isinstance(value, bool) or not isinstance(value, int):
                raise refuse(f"{name} is {shown(value)}, not a whole number")
        if not 0 < self.fps < math.inf or not 0 < self.frame_count <= _MOST_FRAMES:
            raise refuse(f"has {shown(self.frame_count)} frames at {shown(self.fps)} a second")
        if self.clip_id != self.spec.clip_id:
            raise refuse(f"is of clip {self.clip_id} but specifies {self.spec.clip_id}")
        self._check_frame_times(refuse)
        if not self.spec.timed and not self.events:
            return self.spec.count
        count = 0
        before: Event | None = None
        for event in self.events:
            label = f"event {event.index}"
            numbers = (event.time_s, event.scheduled_s)
            if not all(math.isfinite(x) and x >= 0 for x in numbers):
                raise refuse(f"{label} has an unusable time {shown(numbers)}")
            if event.index != count or event.running_count != count + 1:
                raise refuse(f"{label} has running count {event.running_count} at position {count}")
            if before and (event.frame_index < before.frame_index + regular or event.time_s <= before.time_s):
                raise refuse(f"{label} at {event.time_s:g} s is not after the one before it")
            if before and event.state_before != before.state_after:
                raise refuse(
                    f"{label} starts from {shown(event.state_before)}, not {shown(before.state_after)}"
                )
            if not 0 <= event.frame_index < self.frame_count:
                raise refuse(f"{label} is on frame {shown(event.frame_index)} of {self.frame_count}")
            if not self._is_on(event):
                raise refuse(f"{label} says {event.time_s:g} s but frame {event.frame_index}")
            if abs(event.time_s - event.scheduled_s) > 0.5 / self.fps + 1e-6:
                raise refuse(f"{label} is {abs(event.time_s - event.scheduled_s):.3f} s from its schedule")
            first, last = event.evidence_frames
            if not 0 <= first <= event.frame_index <= last < self.frame_count or (
                regular and first != event.frame_index
            ):
                raise refuse(f"{label} has evidence in frames {first} to {last}")
            if (
                not regular
                and not 0 <= (event.tolerance_s if event.tolerance_s is not None else -1) < math.inf
            ):
                raise refuse(f"{label} has the tolerance {shown(event.tolerance_s)}")
            count += 1
            before = event
        if count != self.spec.count:
            raise refuse(f"ends with {count} events, not N = {self.spec.count}")
        return count

    def _whole_numbers(self) -> Iterator[tuple[str, object]]:
        for name in ("frame_count", "width", "height"):
            yield name, getattr(self, name)
        for event in self.events:
            for name in ("index", "frame_index", "running_count"):
                yield f"{name} of an event", getattr(event, name)
            for frame in event.evidence_frames:
                yield "evidence_frames of an event", frame

    def _is_on(self, event: Event) -> bool:
        """Whether an event's frame is on screen at its time; in a rendered clip it begins then."""
        if self.frame_times_s is None:
            return abs(event.time_s - event.frame_index / self.fps) <= 1e-6
        return bool(self.frames_at([event.time_s])[0] == event.frame_index)

    def _check_frame_times(self, refuse: Callable[[str], InputError]) -> None:
        times_s = self.frame_times_s
        if times_s is None:
            return
        if (
            len(times_s) != self.frame_count
            or times_s[0] != 0
            or not all(a < b for a, b in pairwise(times_s))
        ):
            raise refuse(
                f"has {len(times_s)} frame times for {self.frame_count} frames, or not increasing from 0"
            )
        if not times_s[-1] < self.duration_s < math.inf:
            raise refuse(f"has a frame at {times_s[-1]:g} s of {self.duration_s:g} s")

    def to_json(self) -> JsonObject:
        """The JSON document of a trace file."""
        document = {"schema": SCHEMA, **asdict(self), "spec": self.spec.to_json()}
        # Entries of imported videos are absent from the traces of rendered clips.
        for entry in (document, *document["events"]):
            for name in ("frame_times_s", "tolerance_s"):
                if name in entry and entry[name] is None:
                    del entry[name]
        return document

    def write(self, path: Path) -> None:
        """Writes the trace file atomically."""
        write_json(path, self.to_json())

    @classmethod
    def read(cls, path: Path) -> Trace:
        """Reads and replays a trace file; raises `InputError` if it is not a consistent trace."""
        document = read_json(path)
        if not isinstance(document, dict) or document.get("schema") != SCHEMA:
            raise InputError(
                f"is not a {SCHEMA} document", where=path, expected="a trace as `lft render` wrote it"
            )
        try:
            entries = _known({k: v for k, v in document.items() if k != "schema"}, cls, path)
            entries["spec"] = spec_from_json(entries["spec"], where=path)
            events = tuple(
                Event(**{**_known(e, Event, path), "evidence_frames": tuple(e["evidence_frames"])})
                for e in entries["events"]
            )
            if entries.get("frame_times_s") is not None:
                entries["frame_times_s"] = tuple(float(t) for t in entries["frame_times_s"])
            trace = cls(**{**entries, "events": events})
            trace.execute(where=path)
        except InputError:
            raise
        except (TypeError, KeyError, ValueError, AttributeError, ArithmeticError) as error:
            raise InputError(
                f"is not a usable trace ({error})", where=path, expected="a trace as `lft render` wrote it"
            ) from error
        return trace


def _known(document: Entries, kind: type[Trace] | type[Event], path: Path) -> JsonObject:
    """The entries of a JSON object, checked to be fields of the dataclass."""
    names = [field.name for field in fields(kind)]
    for name in document:
        if name not in names:
            raise unknown_name("entry", str(name), names, where=path)
    return dict(document)
