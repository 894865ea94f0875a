"""Four labelled nodes, one of them highlighted. Every change of the highlighted node is one event."""

from __future__ import annotations

from lft.counting.domains.record import Domain

_HERE = "lft.counting.domains.state_machine"

DOMAIN = Domain(
    name="state_machine",
    event_type="transition",
    evidence="state",
    scene="lft.renderers.state_machine:StateMachine",
    look=f"{_HERE}.look:look",
    sequence=f"{_HERE}.look:sequence",
    frames=f"{_HERE}.look:frames",
    reader=f"{_HERE}.reader:read",
    change="switches",
    ideal="walk",
    contradicts=f"{_HERE}.words:contradicts",
)
