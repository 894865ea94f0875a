"""The visual states of a clip: one hashable state per frame, a pure function of the schedule.

Equal states are equal pictures, whatever the clip, as long as look and size are the same. This is what lets a
picture be drawn once (`lft.counting.rendering.scene`). Scenes draw a state; they know nothing of time.
What a state is, its domain says (`lft.counting.domains`): the place of a ball, whether a lamp is lit, a label.
"""

from __future__ import annotations

from collections.abc import Hashable

from lft.counting.domains import DOMAINS, named
from lft.counting.rendering.schedule import Schedule

State = Hashable


def states(schedule: Schedule) -> tuple[State, ...]:
    """One visual state per frame, `frame_count` of them."""
    shown: tuple[State, ...] = named(DOMAINS[schedule.spec.domain].frames)(schedule)
    return shown
