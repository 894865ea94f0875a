"""One object that lights up for a moment. Every flash is one event."""

from __future__ import annotations

from lft.counting.domains.record import Domain

_HERE = "lft.counting.domains.blinking"

DOMAIN = Domain(
    name="blinking",
    event_type="blink",
    evidence="pulse",
    scene="lft.renderers.blinking:Blinking",
    look=f"{_HERE}.look:look",
    sequence=f"{_HERE}.look:sequence",
    frames=f"{_HERE}.look:frames",
    reader=f"{_HERE}.reader:read",
    change="flashes",
    ideal="pulse",
    phrase="the shape lights up",
)
