"""The truth about a clip: what its frames show, frame by frame, and what was scheduled.

`time_s` is frame_index / fps of the first frame that shows an event; `scheduled_s` is where the event was asked to
be, at most half a frame away. A trace file is JSON with `schema` = `lft.trace/1`.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from lft.core.errors import InputError, shown
from lft.core.files import read_json, write_json
from lft.counting.spec import ClipSpec

SCHEMA = "lft.trace/1"


@dataclass(frozen=True)
class Event:
    """One true event.

    Attributes
    ----------
    index : 0-based.
    time_s, frame_index : the first frame that shows it.
    scheduled_s : the exact time it was scheduled for; |scheduled_s - time_s| <= 1 / (2 fps).
    type : `wall_contact`, `blink`, `transition`.
    state_before, state_after : for contacts the wall touched before and now, for blinks `off` and `off`, for
        transitions the two node labels. The state after one event is the state before the next.
    running_count : index + 1.
    evidence_frames : (first, last) frame, inclusive, in which a frame shows evidence of this event.
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


@dataclass(frozen=True)
class Trace:
    """The truth about one clip. `video_sha256` ties it to the very file it describes."""

    clip_id: str
    spec: ClipSpec
    fps: int
    frame_count: int
    width: int
    height: int
    video_sha256: str
    events: tuple[Event, ...]

    @property
    def times_s(self) -> tuple[float, ...]:
        """Event times, seconds, increasing."""
        return tuple(event.time_s for event in self.events)

    def execute(self, *, where: object = None) -> int:
        """Replays the trace and returns the count it ends with; raises `InputError` where it contradicts itself.

        States chain, counts step by one, times increase and lie on their frames inside the video, schedules are at
        most half a frame away, and the end equals the specified N.
        """
        where = where or f"trace {self.clip_id}"

        def refuse(what: str) -> InputError:
            return InputError(what, where=where, remedy="a trace as `lft render` wrote it")

        if self.clip_id != self.spec.clip_id:
            raise refuse(f"is of clip {self.clip_id} but specifies {self.spec.clip_id}")
        count = 0
        before: Event | None = None
        for event in self.events:
            label = f"event {event.index}"
            numbers = (event.time_s, event.scheduled_s)
            if not all(math.isfinite(x) and x >= 0 for x in numbers):
                raise refuse(f"{label} has an unusable time {shown(numbers)}")
            if event.index != count or event.running_count != count + 1:
                raise refuse(f"{label} has running count {event.running_count} at position {count}")
            if before and (event.frame_index <= before.frame_index or event.time_s <= before.time_s):
                raise refuse(f"{label} at {event.time_s:g} s is not after the one before it")
            if before and event.state_before != before.state_after:
                raise refuse(f"{label} starts from {shown(event.state_before)}, not {shown(before.state_after)}")
            if not 0 <= event.frame_index < self.frame_count:
                raise refuse(f"{label} is on frame {event.frame_index} of {self.frame_count}")
            if abs(event.time_s - event.frame_index / self.fps) > 1e-6:
                raise refuse(f"{label} says {event.time_s:g} s but frame {event.frame_index}")
            if abs(event.time_s - event.scheduled_s) > 0.5 / self.fps + 1e-6:
                raise refuse(f"{label} is {abs(event.time_s - event.scheduled_s):.3f} s from its schedule")
            first, last = event.evidence_frames
            if not event.frame_index == first <= last < self.frame_count:
                raise refuse(f"{label} has evidence in frames {first} to {last}")
            count += 1
            before = event
        if count != self.spec.count:
            raise refuse(f"ends with {count} events, not N = {self.spec.count}")
        return count

    def with_video(self, sha256: str) -> Trace:
        """The same trace, tied to a file."""
        return replace(self, video_sha256=sha256)

    def to_json(self) -> dict[str, Any]:
        """The JSON document of a trace file."""
        return {"schema": SCHEMA, **asdict(self), "spec": self.spec.to_json()}

    def write(self, path: Path) -> None:
        """Writes the trace file, whole or not at all."""
        write_json(path, self.to_json())

    @classmethod
    def read(cls, path: Path) -> Trace:
        """Reads and replays a trace file; raises `InputError` for anything that is not a consistent trace."""
        document = read_json(path)
        if not isinstance(document, dict) or document.get("schema") != SCHEMA:
            raise InputError(f"is not a {SCHEMA} document", where=path, remedy="a trace as `lft render` wrote it")
        try:
            fields = {k: v for k, v in document.items() if k != "schema"}
            fields["spec"] = ClipSpec.from_json(fields["spec"], where=path)
            events = tuple(Event(**{**e, "evidence_frames": tuple(e["evidence_frames"])}) for e in fields["events"])
            trace = cls(**{**fields, "events": events})
            trace.execute(where=path)
        except (TypeError, KeyError, ValueError, AttributeError) as error:
            if isinstance(error, InputError):
                raise
            raise InputError(f"is not a usable trace ({error})", where=path, remedy="a trace as `lft render` wrote it") from error
        return trace
