"""What the seed decides about a pendulum, on which side it is, and how far out in each frame."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from lft.counting.rendering.look import BACKGROUNDS, COLOURS, Choices
from lft.counting.rendering.schedule import Schedule
from lft.counting.rendering.visual import State

SIDES = ("left", "right")
_CLEAR = 0.08  # of the swing: the bob is at least so far off the line in every frame, so that its side shows
_STAYS_OFF = 0.3  # without events it comes no nearer to the line than this


@dataclass(frozen=True)
class PendulumLook:
    """A bob on a rod below a pivot. `swing_deg` is the largest angle to the centre line; lengths in scene units."""

    background: str
    bob_colour: str
    rod_colour: str
    pivot: tuple[float, float]
    length: float
    swing_deg: float
    bob_radius: float
    first: str


def look(choices: Choices) -> PendulumLook:
    """Colours, place and size, and the side on which the bob is at first."""
    return PendulumLook(
        background=choices.pick("background", BACKGROUNDS),
        bob_colour=choices.pick("bob_colour", COLOURS),
        rod_colour=choices.pick("rod_colour", ("#8A94A6", "#9AA58C", "#A5938A")),
        pivot=(choices.between("x", -2.5, 2.5), choices.between("y", 2.4, 3.0)),
        length=choices.between("length", 3.6, 4.6),
        swing_deg=choices.between("swing", 32, 48),
        bob_radius=choices.between("bob_radius", 0.34, 0.5),
        first=choices.pick("first", SIDES),
    )


def sequence(look: PendulumLook, seed: int | str, count: int) -> tuple[str, ...]:
    """The sides by turns, from the first on."""
    start = SIDES.index(look.first)
    return tuple(SIDES[(start + i) % 2] for i in range(count + 1))


def frames(schedule: Schedule) -> tuple[State, ...]:
    """How far out the bob is in each frame: -1 at the left end of its swing, 1 at the right end.

    It crosses the line just before each event's frame, and swings out and back in between. Before the first event and
    after the last one it is held at an end.
    """
    spec, events = schedule.spec, schedule.event_frames
    period = spec.fps / spec.frequency_hz
    if not events:
        sign = _sign(schedule.states[0])
        middle, width = (1 + _STAYS_OFF) / 2, (1 - _STAYS_OFF) / 2
        return tuple(
            round(sign * (middle + width * math.cos(math.pi * frame / period)), 4)
            for frame in range(spec.frame_count)
        )
    return tuple(_place(frame, events, schedule.states, period) for frame in range(spec.frame_count))


def _place(frame: int, events: Sequence[int], states: Sequence[str], period: float) -> float:
    gaps = [float(b - a) for a, b in pairwise(events)] or [period]
    after = bisect_right(events, frame)
    if after == 0:
        turned = (events[0] - 0.5 - frame) / gaps[0]  # half swings to the first crossing
    else:
        turned = (frame - events[after - 1] + 0.5) / gaps[min(after, len(gaps)) - 1]
    held = after in (0, len(events)) and turned > 0.5
    out = 1.0 if held else max(math.sin(math.pi * turned), _CLEAR)
    return round(_sign(states[after]) * out, 4)


def _sign(side: str) -> int:
    return -1 if side == "left" else 1
