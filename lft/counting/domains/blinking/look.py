"""One object that lights up: what the seed decides, its states and its frames."""

from __future__ import annotations

from dataclasses import dataclass

from lft.counting.rendering.look import BACKGROUNDS, COLOURS, Choices
from lft.counting.rendering.schedule import Schedule
from lft.counting.rendering.visual import State

SHAPES = ("circle", "square", "triangle", "diamond", "hexagon", "star")


@dataclass(frozen=True)
class BlinkLook:
    """One object that is an outline while it is off and bright while it is on."""

    background: str
    colour: str
    shape: str
    radius: float
    turn_deg: float
    centre: tuple[float, float]


def look(choices: Choices) -> BlinkLook:
    """The object and its place."""
    return BlinkLook(
        background=choices.pick("background", BACKGROUNDS),
        colour=choices.pick("colour", COLOURS),
        shape=choices.pick("shape", SHAPES),
        radius=choices.between("radius", 1.0, 1.7),
        turn_deg=choices.between("turn", -20, 20),
        centre=(choices.between("x", -3.2, 3.2), choices.between("y", -1.3, 1.3)),
    )


def sequence(look: BlinkLook, seed: int | str, count: int) -> tuple[str, ...]:
    """Off before and after every blink."""
    return ("off",) * (count + 1)


def frames(schedule: Schedule) -> tuple[State, ...]:
    """Lit from each event frame on, for as long as a blink lasts."""
    on = {event + i for event in schedule.event_frames for i in range(schedule.on_frames)}
    return tuple(frame in on for frame in range(schedule.spec.frame_count))
