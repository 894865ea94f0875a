"""What a response says of a transition: the names of states."""

from __future__ import annotations

import re

from lft.counting.trace import Event

_NAMED = re.compile(r"\b(?:state|node)\b[\s*_`\"':]{0,8}([A-Za-z0-9]{1,3})\b", re.IGNORECASE)
_ARROW = re.compile(r"\b([A-Za-z0-9]{1,3})[\s*_`]{0,8}(?:->|=>|→|⇒|➔|\bto\b)[\s*_`]{0,8}([A-Za-z0-9]{1,3})\b")


def contradicts(label: str, event: Event) -> bool:
    """Whether a label names other states than those before and after; states numbered in an order of one's own
    ("state 1"), where the true ones have letters, say nothing.

    >>> change = Event(0, 1.0, 1.0, 30, "transition", "B", "D", 1, (30, 60))
    >>> contradicts("from State B to State D", change), contradicts("B -> C", change)
    (False, True)
    >>> contradicts("state 1 to state 2", change)
    False
    """
    states = _NAMED.findall(label) or [s for pair in _ARROW.findall(label) for s in pair]
    if not states:
        return False
    before, after = str(states[0]).upper(), str(states[-1]).upper()
    if after.isdigit() != event.state_after.isdigit():
        return False
    return after != event.state_after.upper() or (len(states) > 1 and before != event.state_before.upper())
