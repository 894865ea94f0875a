"""How a clip looks: every choice that is left to chance, and nothing that is measured.

A choice is a function of (domain, clip, its own name) alone, taken from a SHA-256 digest: each clip has a look and
a sequence of states of its own, so that a model's luck with one look is not counted many times over. In clips of
version 1 the seed stands in place of the clip, and clips of one seed look the same at every count and frequency. A
choice added later moves no other; and no library's random stream, which may change between versions, is part of the
data. Lengths are in scene units: a 16:9 picture is 14.22 units wide and 8 high, the origin at its centre.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from lft.counting.spec import DOMAINS, ClipSpec, named

T = TypeVar("T")

# Vivid, far from each other and from the near-black backgrounds, also for the common colour-vision
# deficiencies (Okabe and Ito, "Color Universal Design", 2008, lightened for dark ground).
COLOURS = ("#F0A830", "#5BB8F0", "#2EC79A", "#F2E34C", "#4A90E2", "#F0703C", "#DE8FC0", "#F4F4F4")
BACKGROUNDS = ("#0B0E14", "#101418", "#0D1117", "#12101A", "#0C1413", "#15120F")
SHAPES = ("circle", "square", "triangle", "diamond", "hexagon", "star")
LABELS = ("A", "B", "C", "D")


def share(*names: object) -> float:
    """A number in [0, 1) that depends on `names` and nothing else: 53 bits of a SHA-256 digest.

    >>> share("blinking", 7, "shape") == share("blinking", 7, "shape") != share("blinking", 8, "shape")
    True
    """
    digest = hashlib.sha256("\x1f".join(map(str, names)).encode()).digest()
    return (int.from_bytes(digest[:8], "big") >> 11) / 2**53


@dataclass(frozen=True)
class Choices:
    """The choices of one clip, by name. `seed` is what they are drawn from: the clip's id, or in version 1 its seed."""

    domain: str
    seed: int | str

    def pick(self, name: str, options: Sequence[T]) -> T:
        """One of `options`, each equally likely."""
        return options[int(share(self.domain, self.seed, name) * len(options))]

    def between(self, name: str, low: float, high: float) -> float:
        """A number in [low, high), to four decimals."""
        return round(low + share(self.domain, self.seed, name) * (high - low), 4)

    def order(self, name: str, items: Sequence[T]) -> tuple[T, ...]:
        """`items` in an order that the seed decides."""
        ranks = [share(self.domain, self.seed, name, i) for i in range(len(items))]
        return tuple(items[i] for i in sorted(range(len(items)), key=ranks.__getitem__))


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


@dataclass(frozen=True)
class BlinkLook:
    """One object that is an outline while it is off and bright while it is on."""

    background: str
    colour: str
    shape: str
    radius: float
    turn_deg: float
    centre: tuple[float, float]


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


class Look(Protocol):
    """The look of any domain: a frozen dataclass with a background colour, #RRGGBB."""

    @property
    def background(self) -> str: ...


def drawn_from(spec: ClipSpec) -> int | str:
    """What the look and the states of a clip are drawn from; schedules differ in spacing alone, so it is not in it."""
    return spec.seed if spec.version == 1 else spec.clip_id


def draw_look(domain: str, seed: int | str) -> Look:
    """The look of every clip of `domain` that is drawn from `seed`."""
    look: Look = named(DOMAINS[domain].look)(Choices(domain, seed))
    return look


def draw_sequence(domain: str, look: Look, seed: int | str, count: int) -> tuple[str, ...]:
    """The states of a clip with `count` events, in words: before the first event, then after each."""
    states: tuple[str, ...] = named(DOMAINS[domain].sequence)(look, seed, count)
    return states


def bounce_sequence(look: BounceLook, seed: int | str, count: int) -> tuple[str, ...]:
    """The middle, then the walls by turns."""
    return ("middle", *(look.walls[(look.first_wall + i) % 2] for i in range(count)))


def blink_sequence(look: BlinkLook, seed: int | str, count: int) -> tuple[str, ...]:
    """Off before and after every blink."""
    return ("off",) * (count + 1)


def state_sequence(look: StateLook, seed: int | str, count: int) -> tuple[str, ...]:
    """The first node, then at each event any but the current one, equally likely."""
    states = [look.first]
    for index in range(count):
        others = [label for label in LABELS if label != states[-1]]
        states.append(Choices("state_machine", seed).pick(f"transition {index}", others))
    return tuple(states)


def bounce_look(choices: Choices) -> BounceLook:
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


def blink_look(choices: Choices) -> BlinkLook:
    """The object and its place."""
    return BlinkLook(
        background=choices.pick("background", BACKGROUNDS),
        colour=choices.pick("colour", COLOURS),
        shape=choices.pick("shape", SHAPES),
        radius=choices.between("radius", 1.0, 1.7),
        turn_deg=choices.between("turn", -20, 20),
        centre=(choices.between("x", -3.2, 3.2), choices.between("y", -1.3, 1.3)),
    )


def state_look(choices: Choices) -> StateLook:
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


def _apart(colour: str, other: str) -> float:
    """Euclidean distance of two colours in RGB, 0 to 442."""
    return math.dist(bytes.fromhex(colour[1:]), bytes.fromhex(other[1:]))


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
