"""Where the ball is in each frame: 0 touches the first wall, 1 the second, 1/2 is rest."""

from __future__ import annotations

from fractions import Fraction

from lft.counting import spacing
from lft.counting.domains.bounce_ball.look import BounceLook
from lft.counting.motion import hurrying, places, swinging
from lft.counting.rendering.schedule import Schedule
from lft.counting.rendering.visual import State


def frames(schedule: Schedule) -> tuple[State, ...]:
    """The ball's place: `places`; `hurrying` where events are not regular; `swinging` without events."""
    look, spec, events = schedule.look, schedule.spec, schedule.event_frames
    assert isinstance(look, BounceLook)
    rate_hz = Fraction(str(spec.frequency_hz))
    if not events:
        return swinging(spec.frame_count, rate_hz / spec.fps, look.first_wall)
    if spec.schedule != "regular":
        return hurrying(events, spec.frame_count, look.first_wall, spacing.crossing(spec.fps))
    return places(events, range(spec.frame_count), look.first_wall, round(spec.fps / rate_hz))
