"""A ball between two walls. Every touch of a wall is one event."""

from __future__ import annotations

from lft.counting.domains.record import Domain

_HERE = "lft.counting.domains.bounce_ball"

DOMAIN = Domain(
    name="bounce_ball",
    event_type="wall_contact",
    evidence="instant",
    scene="lft.renderers.bounce_ball:BounceBall",
    look=f"{_HERE}.look:look",
    sequence=f"{_HERE}.look:sequence",
    frames=f"{_HERE}.frames:frames",
    reader=f"{_HERE}.reader:read",
    change="moves",
    literal=f"{_HERE}.literal:proved",
    ideal="contact",
    phrase="the ball touches the {after} wall",
    contradicts=f"{_HERE}.words:contradicts",
)
