"""The times of events in a clip, before anything is drawn.

Regular events: N events at F Hz take N / F seconds, somewhere in the clip: their span starts at start_s, uniform in
[0, duration - N / F]. Event i = 1 .. N is scheduled at start_s + (i - 1/2) / F and falls on the nearest frame.
Irregular events and bursts (`lft.counting.spacing`) are drawn as frames. Everything is exact (fractions and frame
indices), so no error accumulates. The spacing depends on (domain, N, F, seed) and the schedule; look and sequence
of states depend on the clip, or in version 1 only on (domain, seed).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from lft.counting.domains import DOMAINS
from lft.counting.rendering.look import Look, draw_look, draw_sequence, drawn_from, share
from lft.counting.spacing import draw_bursts, draw_irregular, pulse
from lft.counting.spec import ClipSpec
from lft.counting.trace import Event, Trace

_MICROSECOND = 10**6


@dataclass(frozen=True)
class Schedule:
    """All data of a clip before rendering.

    Attributes
    ----------
    spec : which clip, and how it is filmed.
    look : colours and geometry.
    start_s : start of the active span, a whole number of microseconds.
    scheduled_s : N exact times.
    event_frames : N frame indices, increasing, each nearest to its scheduled time, at most half a frame away.
    states : N + 1 state labels, before the first event and after each.
    """

    spec: ClipSpec
    look: Look
    start_s: Fraction
    scheduled_s: tuple[Fraction, ...]
    event_frames: tuple[int, ...]
    states: tuple[str, ...]

    @property
    def on_frames(self) -> int:
        """For how many frames a blink is on: min(0.2 s, 0.4 / F), at least three, at most half the least gap; see
        `pulse` where events are not regular.

        Lit for more than half the time, the object would rest lit, and its going off would be what blinks.

        >>> draw(ClipSpec("blinking", 3, 4.0, 0)).on_frames, draw(ClipSpec("blinking", 3, 0.5, 0)).on_frames
        (3, 6)

        A quarter of the frame rate:

        >>> draw(ClipSpec("blinking", 3, 7.5, 0)).on_frames
        2
        """
        if self.spec.schedule != "regular":
            return pulse(self.spec.fps)
        frequency_hz = _exact(self.spec.frequency_hz)
        on_s = min(Fraction(1, 5), Fraction(2, 5) / frequency_hz)
        period = math.floor(self.spec.fps / frequency_hz)
        least_gap = min((b - a for a, b in pairwise(self.event_frames)), default=period)
        return min(max(3, _nearest(on_s * self.spec.fps)), max(1, min(period, least_gap) // 2))

    def trace(self, video_sha256: str = "") -> Trace:
        """The truth about the clip, tied to the file with that hash."""
        return Trace(
            clip_id=self.spec.clip_id,
            spec=self.spec,
            fps=self.spec.fps,
            frame_count=self.spec.frame_count,
            width=self.spec.width,
            height=self.spec.height,
            video_sha256=video_sha256,
            events=tuple(self._event(index) for index in range(self.spec.count)),
        )

    def _event(self, index: int) -> Event:
        frame = self.event_frames[index]
        return Event(
            index=index,
            time_s=float(Fraction(frame, self.spec.fps)),
            scheduled_s=float(self.scheduled_s[index]),
            frame_index=frame,
            type=DOMAINS[self.spec.domain].event_type,
            state_before=self.states[index],
            state_after=self.states[index + 1],
            running_count=index + 1,
            evidence_frames=(frame, self._last_evidence(index)),
        )

    def _last_evidence(self, index: int) -> int:
        """An instant shows in its own frame, a pulse while it lasts, a state until the next event."""
        frame, evidence = self.event_frames[index], DOMAINS[self.spec.domain].evidence
        if evidence == "instant":
            return frame
        if evidence == "pulse":
            return min(frame + self.on_frames, self.spec.frame_count) - 1
        return self.event_frames[index + 1] - 1 if index + 1 < self.spec.count else self.spec.frame_count - 1


def draw(spec: ClipSpec) -> Schedule:
    """The schedule of a clip; a pure function of `spec`. Twelve events at 0.5 Hz fill the 24 s:

    >>> draw(ClipSpec("blinking", 12, 0.5, 0)).event_frames[:3]
    (30, 90, 150)
    """
    look = draw_look(spec.domain, drawn_from(spec))
    start_s, scheduled_s = _regular(spec) if spec.schedule == "regular" else _on_frames(spec)
    return Schedule(
        spec=spec,
        look=look,
        start_s=start_s,
        scheduled_s=scheduled_s,
        event_frames=tuple(_nearest(t * spec.fps) for t in scheduled_s),
        states=draw_sequence(spec.domain, look, drawn_from(spec), spec.count),
    )


def _share(spec: ClipSpec, *names: object) -> float:
    return share(spec.domain, spec.count, str(_exact(spec.frequency_hz)), spec.seed, *names)


def _regular(spec: ClipSpec) -> tuple[Fraction, tuple[Fraction, ...]]:
    frequency_hz = _exact(spec.frequency_hz)
    free_us = math.floor((spec.duration_s - spec.active_span_s) * _MICROSECOND)
    start_s = Fraction(int(_share(spec, "start") * (free_us + 1)), _MICROSECOND)
    return start_s, tuple(start_s + (i + Fraction(1, 2)) / frequency_hz for i in range(spec.count))


def _on_frames(spec: ClipSpec) -> tuple[Fraction, tuple[Fraction, ...]]:
    """Irregular events and bursts are drawn as frames; the span starts half a mean interval before the first."""
    drawing = {"irregular": draw_irregular, "bursts": draw_bursts}[spec.schedule]
    frames = drawing(
        spec.count,
        spec.frequency_hz,
        spec.fps,
        spec.frame_count,
        lambda name: _share(spec, spec.schedule, name),
    )
    scheduled_s = tuple(Fraction(frame, spec.fps) for frame in frames)
    return max(Fraction(0), scheduled_s[0] - 1 / (2 * _exact(spec.frequency_hz))) if frames else Fraction(
        0
    ), scheduled_s


def _exact(frequency_hz: float) -> Fraction:
    return Fraction(str(frequency_hz))


def _nearest(x: Fraction) -> int:
    """The nearest whole number; the later one of two that are equally near."""
    return math.floor(x + Fraction(1, 2))
