"""What a response says of a contact: the name of a wall."""

from __future__ import annotations

import re

from lft.counting.trace import Event

_SIDES = {
    "left": "left",
    "right": "right",
    "top": "top",
    "upper": "top",
    "ceiling": "top",
    "bottom": "bottom",
    "lower": "bottom",
    "floor": "bottom",
}


def contradicts(label: str, event: Event) -> bool:
    """Whether a label names another wall than the one that was touched.

    >>> contact = Event(0, 1.0, 1.0, 30, "wall_contact", "middle", "left", 1, (30, 30))
    >>> contradicts("Ball hits the right wall", contact), contradicts("touches the wall", contact)
    (True, False)
    """
    named = {_SIDES[word] for word in re.findall(r"[a-z]+", label.lower()) if word in _SIDES}
    return bool(named) and event.state_after in _SIDES.values() and event.state_after not in named
