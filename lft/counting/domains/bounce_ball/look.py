"""Two walls and a ball: what the seed decides, and which wall each contact is with."""

from __future__ import annotations

import math
from dataclasses import dataclass

from lft.counting.rendering.look import BACKGROUNDS, COLOURS, Choices


@dataclass(frozen=True)
class BounceLook:
    """Two parallel walls and a ball. `walls` names them; position 0 touches the first, position 1 the second.

    The ball travels on a line at `angle_deg` (counter-clockwise from right); walls lean `lean_deg` from the
    perpendicular of that line.
    """

    background: str
    ball_colour: str
    wall_colour: str
    angle_deg: float
    lean_deg: float
    ball_radius: float
    travel: float
    centre: tuple[float, float]
    wall_length: float
    walls: tuple[str, str]
    first_wall: int


def look(choices: Choices) -> BounceLook:
    """Walls, ball and line of motion."""
    upright = choices.pick("orientation", (False, False, True))
    ball_colour = choices.pick("ball_colour", COLOURS)
    tilt_deg = choices.between("tilt", -18, 18)
    low, high = (3.6, 4.6) if upright else (5.6, 8.4)
    return BounceLook(
        background=choices.pick("background", BACKGROUNDS),
        ball_colour=ball_colour,
        wall_colour=choices.pick("wall_colour", [c for c in COLOURS if _apart(c, ball_colour) > 120]),
        angle_deg=(90 if upright else 0) + tilt_deg,
        lean_deg=choices.between("lean", -14, 14),
        ball_radius=choices.between("ball_radius", 0.28, 0.46),
        travel=choices.between("travel", low, high),
        centre=(choices.between("x", -0.9, 0.9), choices.between("y", -0.35, 0.35)),
        wall_length=choices.between("wall_length", 2.0, 3.0),
        walls=("bottom", "top") if upright else ("left", "right"),
        first_wall=choices.pick("first_wall", (0, 1)),
    )


def sequence(look: BounceLook, seed: int | str, count: int) -> tuple[str, ...]:
    """The middle, then the walls by turns."""
    return ("middle", *(look.walls[(look.first_wall + i) % 2] for i in range(count)))


def _apart(colour: str, other: str) -> float:
    """Euclidean distance of two colours in RGB, 0 to 442."""
    return math.dist(bytes.fromhex(colour[1:]), bytes.fromhex(other[1:]))
