"""Traces for tests of scoring: of a schedule, or of given times."""

from __future__ import annotations

from lft.counting.domains import DOMAINS
from lft.counting.rendering.schedule import draw
from lft.counting.spec import ClipSpec, parse_clip_id
from lft.counting.trace import Event, Trace


def trace_by_id(clip_id: str) -> Trace:
    """The trace that rendering this clip writes."""
    return draw(ClipSpec(*parse_clip_id(clip_id))).trace("0" * 64)


def trace_at(
    frames: list[int],
    domain: str = "blinking",
    states: list[str] | None = None,
    evidence: list[tuple[int, int]] | None = None,
    frequency_hz: float = 1.0,
) -> Trace:
    """A trace with events on the given frames at 30 frames per second; states[0] is before the first."""
    spec = ClipSpec(domain, len(frames), frequency_hz, 0)
    states = states or ["off"] * (len(frames) + 1)
    events = tuple(
        Event(
            i, frame / 30, frame / 30, frame, DOMAINS[domain].event_type, states[i], states[i + 1], i + 1,
            evidence[i] if evidence else (frame, frame),
        )
        for i, frame in enumerate(frames)
    )  # fmt: skip
    return Trace(spec.clip_id, spec, 30, 720, 64, 64, "0" * 64, events)


def trace_of(times_s: list[float], frequency_hz: float = 1.0) -> Trace:
    """The trace of a blinking clip with an event on the frame nearest to each time."""
    return trace_at([round(t * 30) for t in times_s], frequency_hz=frequency_hz)
