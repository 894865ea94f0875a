"""What is known of each Atari game of the suite: actions, rules, pace, looks of its things, how its expert searches.

Colours are those of ALE's NTSC palette, as 0xRRGGBB. They were found in pictures of the games and checked there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from lft.agents.environments.base import EnvironmentSpec

Memory = NDArray[np.uint8]  # the 128 bytes of the console


@dataclass(frozen=True)
class Sight:
    """A thing that a player sees, found by its colours.

    Attributes
    ----------
    name : in the singular, such as "car".
    colours : 0xRRGGBB, any of them.
    within : where it is looked for: left, top, right, bottom in pixels, the last two outside.
    width, height : least and most, in pixels.
    join : parts that are at most twice so many pixels apart (across, down) are one thing.
    tells : "places" of all, their "count", the "width" of the widest (a bar), or how many by "area".
    unit : pixels of one, where the area tells how many.
    many : the plural; "" for name + "s".
    """

    name: str
    colours: tuple[int, ...]
    within: tuple[int, int, int, int] = (0, 0, 160, 210)
    width: tuple[int, int] = (1, 160)
    height: tuple[int, int] = (1, 210)
    join: tuple[int, int] = (0, 0)
    tells: Literal["places", "count", "width", "area"] = "places"
    unit: int = 1
    many: str = ""

    @property
    def plural(self) -> str:
        """As words say it of several."""
        return self.many or self.name + "s"


@dataclass(frozen=True)
class Game:
    """How ALE plays one game for the suite.

    Attributes
    ----------
    rom : ALE's name of it.
    sights : what the state tells, besides score and lives.
    opening : actions and frames, played at every reset, until the game listens.
    mode : ALE's game mode, or None for its default.
    one_life : whether the first lost life ends the episode.
    against : whether an opponent scores too: points are then his subtracted from one's own, and decide the end.
    moves : the actions that the expert tries; empty for all.
    tries : plans that the expert tries, besides one for each move.
    depth : decisions in a plan.
    linger : the most decisions that a plan stays with a move.
    patience : what a point is worth one decision later.
    dread : what losing a life is worth, in points.
    lean : what memory is worth at the end of a plan, in points; it breaks ties where no points are near.
    """

    rom: str
    sights: tuple[Sight, ...] = ()
    opening: tuple[tuple[str, int], ...] = ()
    mode: int | None = None
    one_life: bool = True
    against: bool = False
    moves: tuple[str, ...] = ()
    tries: int = 32
    depth: int = 12
    linger: int = 4
    patience: float = 0.98
    dread: float = 10_000.0
    lean: Callable[[Memory], float] | None = None


def _frames(noops: int) -> tuple[tuple[str, int], ...]:
    return (("NOOP", noops),)


def _spec(
    name: str,
    title: str,
    actions: str,
    basic: str,
    detailed: str,
    *,
    pace: tuple[int, int],
    decisions: int,
    why: str,
    memory: Literal["single", "several"] = "several",
    dynamics: Literal["static", "dynamic"] = "dynamic",
    score: str = "points of the game",
    lives: bool = True,
) -> EnvironmentSpec:
    """One row: `pace` is frames per decision, and how many of them the action is held."""
    measures = {"score": score} | ({"lives": "lives left"} if lives else {})
    return EnvironmentSpec(
        name=name,
        title=title,
        family="atari",
        place="lft.agents.environments.atari:Atari",
        actions=tuple(actions.split()),
        noop="NOOP",
        rules={"basic": basic, "detailed": f"{detailed} {basic}"},
        measures=measures,
        frame_skip=pace[0],
        hold=pace[1],
        decisions=decisions,
        memory=memory,
        dynamics=dynamics,
        why=why,
    )


_ALL = (
    "NOOP FIRE UP RIGHT LEFT DOWN UPRIGHT UPLEFT DOWNRIGHT DOWNLEFT UPFIRE RIGHTFIRE LEFTFIRE DOWNFIRE "
    "UPRIGHTFIRE UPLEFTFIRE DOWNRIGHTFIRE DOWNLEFTFIRE"
)
_MOVES = "NOOP UP RIGHT LEFT DOWN UPRIGHT UPLEFT DOWNRIGHT DOWNLEFT"
_ONE_LIFE = "The first life that is lost ends the episode."

_BRICKS = (0xC84848, 0xC66C3A, 0xB47A30, 0xA2A22A, 0x48A048, 0x4248C8)

_ROWS: tuple[tuple[EnvironmentSpec, Game], ...] = (
    (
        _spec(
            "freeway",
            "Freeway",
            "NOOP UP DOWN",
            "Time is limited, there are no lives.",
            "You are the yellow chicken on the left, at the bottom of a road of ten lanes; the one on the right is not "
            "played. UP walks towards the top, DOWN back, NOOP stands still. A car that hits the chicken throws it "
            "back and stuns it for a moment. Each time that it reaches the top it scores a point, and starts again "
            "below.",
            pace=(10, 10),
            decisions=60,
            why="Everything is seen at once, and a gap that is missed costs a lane at once; waiting beats rushing.",
            score="crossings of the road",
            lives=False,
        ),
        Game(
            "freeway",
            (
                Sight("your chicken", (0xFCFC54,), (8, 14, 80, 196), height=(3, 12), many="your chicken"),
                Sight(
                    "car",
                    (
                        0xA71A1A, 0xB4E775, 0x69690F, 0xE46F6F, 0x181AA7,
                        0xA26221, 0x545CD6, 0xB83232, 0x87B754, 0xD2D240,
                    ),
                    (8, 24, 160, 185),
                    height=(6, 8),
                ),
            ),
            one_life=False,
            tries=8,
            depth=8,
            lean=lambda memory: float(memory[14]) / 400,
        ),
    ),
    (
        _spec(
            "breakout",
            "Breakout",
            "NOOP FIRE RIGHT LEFT",
            _ONE_LIFE,
            "You move the red paddle at the bottom with RIGHT and LEFT. Keep the ball from falling past it, and hit "
            "the bricks above: a brick that is hit is gone and scores, those in the upper rows more (1, 4, 7 points). "
            "Where the paddle is hit decides how steeply the ball leaves.",
            pace=(6, 3),
            decisions=100,
            why="Two things move; where the ball will come down follows from two pictures and is soon found out.",
        ),
        Game(
            "breakout",
            (
                Sight("paddle", (0xC84848,), (8, 189, 152, 195), width=(4, 16)),
                Sight(
                    "ball", _BRICKS, (8, 32, 152, 189), (2, 2), (1, 4)
                ),
                Sight(
                    "brick",
                    _BRICKS,
                    (8, 57, 152, 93),
                    (8, 144),
                    tells="area",
                    unit=48,
                ),
            ),
            opening=(("FIRE", 4), ("NOOP", 4)),
            tries=16,
            depth=14,
            lean=lambda memory: -abs(float(memory[99]) - float(memory[72]) - 8) / 1000,
        ),
    ),
)  # fmt: skip

SPECS = tuple(spec for spec, _ in _ROWS)
GAMES = {spec.name: game for spec, game in _ROWS}
