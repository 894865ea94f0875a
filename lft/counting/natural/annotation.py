"""The annotation of one video, independent of its file format."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from lft.core.errors import InputError, shown
from lft.core.records import Entries, Json, JsonObject
from lft.core.video.media import Media
from lft.counting.windows import half_gaps_s

MOST_EVENTS = 9999
_SLACK_S = 1e-6
_NOTHING = ("", "nan", "na", "n/a", "none", "null")  # how spreadsheets and pandas write an empty field


@dataclass(frozen=True)
class Happening:
    """One annotated event, in seconds from the first frame.

    `time_s` is where it is matched, `tolerance_s` how far from there a report may be; the frames in
    [start_s, end_s) are those that show it. The two are equal if its duration is unknown.
    """

    time_s: float
    start_s: float
    end_s: float
    tolerance_s: float


@dataclass(frozen=True)
class Unusable:
    """An invalid row, with the reason."""

    where: str
    fault: InputError


@dataclass(frozen=True)
class Annotation:
    """The annotation of one video.

    Attributes
    ----------
    video : name of the file, as annotated.
    count : how many events there are.
    times_s : when each happens, seconds as a player's clock shows them; None if that is not known.
    cycles_s : (start, end) of each event, the same, if events last; else None.
    cycles_frames : the same as frame numbers, 0-based.
    visible_s : how long each of `times_s` is visible in seconds, half before and half after; None if unknown.
    kind : what is done, or empty. where : which row, for errors.
    """

    video: str
    count: int
    times_s: tuple[float, ...] | None = None
    cycles_s: tuple[tuple[float, float], ...] | None = None
    cycles_frames: tuple[tuple[int, int], ...] | None = None
    kind: str = ""
    where: str = ""
    visible_s: float | None = None

    @property
    def evidence(self) -> str:
        """Which frames show an event, see `lft.counting.spec.Footage`: a time alone does not say how long."""
        if self.cycles_s is not None or self.cycles_frames is not None or not self.count:
            return "span"
        return "unknown" if self.visible_s is None else "pulse"

    @property
    def timed(self) -> bool:
        """Whether event times are known."""
        known = (self.times_s, self.cycles_s, self.cycles_frames)
        return self.count == 0 or any(events is not None for events in known)

    def happenings(self, media: Media) -> tuple[Happening, ...]:
        """The events in order of time, inside the video; raises `InputError` for impossible ones.

        The tolerance of an interval is half its length around its midpoint, that of an instant half the gap to its
        nearest neighbour.
        """
        if self.cycles_frames is not None:
            return self._lasting([self._seconds(cycle, media) for cycle in self.cycles_frames], media)
        if self.cycles_s is not None:
            cycles_s = [(self._of_clip(a, media), self._of_clip(b, media)) for a, b in self.cycles_s]
            return self._lasting(cycles_s, media)
        times_s = sorted(self._of_clip(time_s, media) for time_s in self.times_s or ())
        for time_s in times_s:
            self._inside(time_s, media)
        for a, b in pairwise(times_s):
            if b - a < _SLACK_S:
                raise InputError(f"two events at {a:g} s", where=self.where, expected="each event once")
        half_s = self._half_visible_s(times_s)
        widths_s = half_gaps_s(times_s)
        return tuple(
            Happening(t, max(0.0, t - half_s), t + half_s, w) for t, w in zip(times_s, widths_s, strict=True)
        )

    def _half_visible_s(self, times_s: Sequence[float]) -> float:
        """Half of `visible_s`, 0 if unknown; raises `InputError` if two events are visible together."""
        if self.visible_s is None:
            return 0.0
        if not 0 < self.visible_s < math.inf:
            raise InputError(f"visible_s is {self.visible_s:g}", where=self.where, expected="seconds above 0")
        for a, b in pairwise(times_s):
            if b - a < self.visible_s - _SLACK_S:
                raise InputError(
                    f"events at {a:g} and {b:g} s, each visible for {self.visible_s:g} s",
                    where=self.where,
                    expected="events that are not visible together",
                )
        return self.visible_s / 2

    def _lasting(self, cycles_s: Sequence[tuple[float, float]], media: Media) -> tuple[Happening, ...]:
        ordered = sorted(cycles_s)
        for start_s, end_s in ordered:
            self._inside(start_s, media)
            self._inside(end_s, media)
            if not start_s < end_s:
                raise InputError(
                    f"an event from {start_s:g} to {end_s:g} s",
                    where=self.where,
                    expected="a start before the end",
                )
        for (_, end_s), (start_s, _) in pairwise(ordered):
            if start_s < end_s - _SLACK_S:
                raise InputError(
                    f"an event begins at {start_s:g} s, before the one before it ends at {end_s:g} s",
                    where=self.where,
                    expected="events that do not overlap",
                )
        return tuple(Happening((a + b) / 2, a, b, (b - a) / 2) for a, b in ordered)

    def _seconds(self, cycle: tuple[int, int], media: Media) -> tuple[float, float]:
        """The presentation times of two frames; the number of frames itself stands for the video's end."""
        for frame in cycle:
            if not 0 <= frame <= len(media):
                raise InputError(
                    f"frame {frame} of a video of {len(media)} frames",
                    where=self.where,
                    expected="frames of the video",
                )
        start_s, end_s = (
            media.duration_s if frame == len(media) else float(media.frame_times_s[frame]) for frame in cycle
        )
        return start_s, end_s

    def _of_clip(self, time_s: float, media: Media) -> float:
        """Seconds from the first frame, of a time as a player's clock shows it."""
        if not media.start_s or not math.isfinite(time_s):
            return time_s
        if time_s < media.start_s - _SLACK_S:
            raise InputError(
                f"an event at {time_s:g} s of a video whose first picture comes at {media.start_s:.3f} s",
                where=self.where,
                expected="seconds as a player's clock shows them",
            )
        return round(max(0.0, time_s - media.start_s), 9)

    def _inside(self, time_s: float, media: Media) -> None:
        if not (math.isfinite(time_s) and 0 <= time_s <= media.duration_s + _SLACK_S):
            raise InputError(
                f"an event at {time_s:g} s of a video of {media.duration_s:.3f} s",
                where=self.where,
                expected="seconds from the first frame",
            )


def plain_names(row: Entries) -> JsonObject:
    """A row with lower-case names, and None for every empty field.

    >>> plain_names({"Video ID": "a.mp4", "L1": "NaN", "L2": "3"})
    {'video_id': 'a.mp4', 'l1': None, 'l2': '3'}
    """
    return {"_".join(str(name).casefold().split()): _told(value) for name, value in row.items()}


def _told(value: object) -> Json:
    says_nothing = isinstance(value, str) and value.strip().casefold() in _NOTHING
    return None if says_nothing or (isinstance(value, float) and math.isnan(value)) else value


def checked_count(value: object, where: str) -> int:
    """A number of events, as a whole number or its text; raises `InputError` for anything else."""
    number = value
    if isinstance(value, str):
        try:
            number = float(value.strip())
        except ValueError:
            number = None
    if (
        isinstance(number, bool)
        or not isinstance(number, int | float)
        or not 0 <= number <= MOST_EVENTS
        or number % 1
    ):
        raise InputError(
            f"the count is {shown(value)}", where=where, expected=f"a whole number, 0 to {MOST_EVENTS}"
        )
    return int(number)
