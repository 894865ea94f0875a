"""Four labelled nodes: what the seed decides, which node follows which, and what each frame shows."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from lft.counting.rendering.look import BACKGROUNDS, COLOURS, Choices
from lft.counting.rendering.schedule import Schedule
from lft.counting.rendering.visual import State

LABELS = ("A", "B", "C", "D")


@dataclass(frozen=True)
class StateLook:
    """Four labelled nodes; `labels[i]` stands at `positions[i]`."""

    background: str
    highlight_colour: str
    node_colour: str
    node_shape: str
    node_radius: float
    labels: tuple[str, str, str, str]
    positions: tuple[tuple[float, float], ...]
    first: str


def look(choices: Choices) -> StateLook:
    """The nodes, their labels and places."""
    layout = choices.pick("layout", tuple(_LAYOUTS))
    scale = choices.between("scale", 0.9, 1.1)
    shift = (choices.between("x", -0.8, 0.8), choices.between("y", -0.25, 0.25))
    highlight = choices.pick("highlight_colour", COLOURS)
    return StateLook(
        background=choices.pick("background", BACKGROUNDS),
        highlight_colour=highlight,
        node_colour=choices.pick("node_colour", ("#8A94A6", "#9AA58C", "#A5938A", "#8F8AA6")),
        node_shape=choices.pick("node_shape", ("circle", "square", "hexagon")),
        node_radius=choices.between("node_radius", 0.68, 0.86),
        labels=choices.order("labels", LABELS),  # type: ignore[arg-type]
        positions=tuple(
            (round(x * scale + shift[0], 4), round(y * scale + shift[1], 4)) for x, y in _LAYOUTS[layout]
        ),
        first=choices.pick("first", LABELS),
    )


def sequence(look: StateLook, seed: int | str, count: int) -> tuple[str, ...]:
    """The first node, then at each event any but the current one, equally likely."""
    states = [look.first]
    for index in range(count):
        others = [label for label in LABELS if label != states[-1]]
        states.append(Choices("state_machine", seed).pick(f"transition {index}", others))
    return tuple(states)


def frames(schedule: Schedule) -> tuple[State, ...]:
    """The label that is highlighted."""
    return tuple(
        schedule.states[bisect_right(schedule.event_frames, f)] for f in range(schedule.spec.frame_count)
    )


def _on_circle(radius: float, degrees: Sequence[float]) -> tuple[tuple[float, float], ...]:
    return tuple((radius * math.cos(math.radians(d)), radius * math.sin(math.radians(d))) for d in degrees)


_LAYOUTS: dict[str, tuple[tuple[float, float], ...]] = {
    "square": ((-2.4, 1.6), (2.4, 1.6), (2.4, -1.6), (-2.4, -1.6)),
    "diamond": ((0, 2.2), (3.2, 0), (0, -2.2), (-3.2, 0)),
    "row": ((-4.2, 0), (-1.4, 0), (1.4, 0), (4.2, 0)),
    "zigzag": ((-3.9, -1.1), (-1.3, 1.1), (1.3, -1.1), (3.9, 1.1)),
    "star": ((0, 0), *_on_circle(2.35, (90, 210, 330))),
    "turned": _on_circle(2.4, (25, 115, 205, 295)),
}
