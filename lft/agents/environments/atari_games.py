"""What is known of each Atari game of the suite: actions, rules, pace, looks of its things, how its expert searches.

Colours are those of ALE's NTSC palette, as 0xRRGGBB. They were found in pictures of the games and checked there.
"""

from __future__ import annotations

import itertools
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
    tells : "places" of all, their "count", the "width" of the widest (a bar), how many by "area", or a "map" of cells.
    unit : pixels of one, where the area tells how many.
    cell : width and height of a cell of the map.
    many : the plural; "" for name + "s".
    """

    name: str
    colours: tuple[int, ...]
    within: tuple[int, int, int, int] = (0, 0, 160, 210)
    width: tuple[int, int] = (1, 160)
    height: tuple[int, int] = (1, 210)
    join: tuple[int, int] = (0, 0)
    tells: Literal["places", "count", "width", "area", "map"] = "places"
    unit: int = 1
    cell: tuple[int, int] = (1, 1)
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
    plans : the plans that the expert tries, if these are all.
    settled : whether a plan that began with the first memory can be judged at the second, before its end.
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
    plans: tuple[tuple[str, ...], ...] = ()
    settled: Callable[[Memory, Memory], bool] | None = None
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
_SHARKS = (0x5CBA5C, 0xC66C3A, 0xA0AB4F, 0x48A048, 0xC659B3)
_BIRD = (0x656FE4, 0x545CD6, 0x4248C8)
_RIVALS = (
    0x88923E, 0x48A048, 0x6848C6, 0x4288B0, 0x4272C2, 0xC66C3A, 0xA2A22A, 0x429E82, 0xA28638, 0x6E9C42, 0xB846A2,
    0x4248C8, 0xC84848,
)  # fmt: skip
_PIECES = (
    0x8490FC, 0x84C8FC, 0x84E0FC, 0x84FCD4, 0x90FC90, 0xBC90FC, 0xC8FC84, 0xD48CFC, 0xE0EC7C, 0xEC8CE0, 0xECC860,
    0xECECEC, 0xFC9090, 0xFCBC74, 0xFCE070, 0xFCFC54,
)  # fmt: skip
_DEMON = (0xD5824A, 0xD65C5C, 0xC3903D, 0x545CD6, 0x5CBA5C, 0x6848C6, 0x7F5CD5, 0x956FE3, 0xE46F6F)
_ROBOTS = (0xD2D240, 0xC66C3A, 0xD6D6D6, 0x6FD26F, 0xF08080, 0x54A0C5, 0xE8CC63, 0xC659B3)
_CROSSING_CARS = (
    0xA71A1A, 0xB4E775, 0x69690F, 0xE46F6F, 0x181AA7, 0xA26221, 0x545CD6, 0xB83232, 0x87B754, 0xD2D240,
)  # fmt: skip


def _apart(memory: Memory, *pairs: tuple[int, int]) -> float:
    """How far two things are apart, by the places in memory of their coordinates."""
    return sum(abs(float(memory[one]) - float(memory[other])) for one, other in pairs)


def _stack(memory: Memory) -> float:
    """How well a field of Tetris is filled: low and even, without holes or wells. The usual weights of these."""
    # a byte a row, from the bottom; the top rows hold the next piece
    left, right = memory[:18], memory[22:40]
    columns = [left >> bit & 1 for bit in range(5, -1, -1)] + [right >> bit & 1 for bit in range(4)]
    heights = [int(np.max(np.nonzero(column)[0], initial=-1)) + 1 for column in columns]
    holes = sum(height - int(column.sum()) for height, column in zip(heights, columns, strict=True))
    uneven = sum(abs(one - other) for one, other in itertools.pairwise(heights))
    edged = [len(left), *heights, len(left)]
    depths = [max(min(a, c) - b, 0) for a, b, c in zip(edged, edged[1:], edged[2:], strict=False)]
    wells = sum(depth * (depth + 1) / 2 for depth in depths)
    return -0.51 * sum(heights) - 1.08 * holes - 0.18 * uneven - 0.1 * wells


_DROPS = tuple(
    ("FIRE",) * turns + (("LEFT",) * -aside if aside < 0 else ("RIGHT",) * aside) + ("DOWN",) * 8
    for turns in range(4)
    for aside in range(-4, 8)
)

_ROWS: tuple[tuple[EnvironmentSpec, Game], ...] = (
    (
        _spec(
            "freeway", "Freeway", "NOOP UP DOWN",
            "Time is limited, there are no lives.",
            "You are the yellow chicken on the left, at the bottom of a road of ten lanes; the one on the right is not "
            "played. UP walks towards the top, DOWN back, NOOP stands still. A car that hits the chicken throws it "
            "back and stuns it for a moment. Each time that it reaches the top it scores a point, and starts again "
            "below.",
            pace=(10, 10), decisions=60, memory="single", lives=False,
            score="crossings of the road",
            why="Everything is seen at once, and a gap that is missed costs a lane at once; waiting beats rushing.",
        ),
        Game(
            "freeway",
            (
                Sight("your chicken", (0xFCFC54,), (8, 14, 80, 196), height=(3, 12)),
                Sight("car", _CROSSING_CARS, (8, 24, 160, 185), height=(6, 8)),
            ),
            one_life=False, tries=8, depth=8, lean=lambda memory: float(memory[14]) / 400,
        ),
    ),
    (
        _spec(
            "breakout", "Breakout", "NOOP FIRE RIGHT LEFT",
            _ONE_LIFE,
            "You move the red paddle at the bottom with RIGHT and LEFT. Keep the ball from falling past it, and hit "
            "the bricks above: a brick that is hit is gone and scores, those in the upper rows more (1, 4, 7 points). "
            "Where the paddle is hit decides how steeply the ball leaves.",
            pace=(8, 4), decisions=80,
            why="Two things move; where the ball will come down follows from two pictures and is soon found out.",
        ),
        Game(
            "breakout",
            (
                Sight("paddle", (0xC84848,), (8, 189, 152, 195), width=(4, 16)),
                Sight("ball", _BRICKS, (8, 32, 152, 189), (2, 2), (1, 4)),
                Sight("brick", _BRICKS, (8, 57, 152, 93), (8, 144), tells="area", unit=48),
            ),
            opening=(("FIRE", 4), ("NOOP", 4)), moves=("NOOP", "RIGHT", "LEFT"), tries=44, depth=20, linger=6,
            lean=lambda memory: -abs(float(memory[99]) - float(memory[72]) - 7) / 1000,
        ),
    ),
    (
        _spec(
            "seaquest", "Seaquest", _ALL,
            f"Without oxygen the submarine is lost. {_ONE_LIFE}",
            "You steer the yellow submarine and shoot torpedoes with FIRE, in the direction that it faces. Shoot the "
            "sharks and the grey submarines, and do not touch them or their shots. Pick up divers by touching them. "
            "The bar at the bottom is your oxygen: go up to the surface before it ends, with at least one diver on "
            "board; six divers at once score most.",
            pace=(10, 10), decisions=60, memory="single",
            why="What is dangerous and what is to be picked up is learned by watching; shots show at once.",
        ),
        Game(
            "seaquest",
            (
                Sight("your submarine", (0xBBBB35, 0xECECEC), (8, 40, 160, 153), (8, 18), (7, 12), (1, 1)),
                Sight("your torpedo", (0xBBBB35,), (8, 50, 160, 153), (4, 8), (1, 2)),
                Sight("diver", (0x4248C8,), (8, 50, 160, 153), (3, 12), (6, 14), (2, 2)),
                Sight("shark", _SHARKS, (8, 50, 160, 153), (4, 10), (4, 9)),
                Sight("enemy submarine", (0xAAAAAA,), (8, 40, 160, 153), (4, 10), (6, 12)),
                Sight("oxygen bar", (0xD6D6D6,), (49, 170, 112, 175), tells="width"),
            ),
            opening=_frames(124),
            moves=("NOOP", "UP", "DOWN", "RIGHTFIRE", "LEFTFIRE", "UPRIGHT", "DOWNLEFT"), tries=14, depth=12,
        ),
    ),
    (
        _spec(
            "asterix", "Asterix", _MOVES,
            _ONE_LIFE,
            "You move from lane to lane with UP and DOWN, and along them. Touch the kettles and other useful things "
            "that come along: they score. The lyres, which look like harps, cost a life.",
            pace=(8, 8), decisions=60,
            why="Two kinds of things come along the lanes, and only one of them is good; it shows at the first touch.",
        ),
        Game(
            "asterix",
            (
                Sight("you", (0xBBBB35,), (8, 24, 160, 150), (4, 18), (6, 14), many="you"),
                Sight("kettle", (0xA71A1A,), (8, 24, 160, 150), (4, 8), (2, 10), (0, 3)),
                Sight("lyre", (0xE46F6F,), (8, 24, 160, 150), (4, 10), (6, 14), (0, 3)),
            ),
            moves=("NOOP", "UP", "RIGHT", "LEFT", "DOWN"), tries=14, depth=10,
        ),
    ),
    (
        _spec(
            "frostbite", "Frostbite", _ALL,
            f"The temperature falls; at zero a life is lost. {_ONE_LIFE}",
            "Jump with UP and DOWN from the shore to the ice floes and from row to row; RIGHT and LEFT walk on them. "
            "Each row of white floes that you land on turns blue, scores, and adds a block to the igloo at the upper "
            "right; once all rows are blue they turn white again. Do not fall into the water, and keep away from "
            "animals, except for fish. When the igloo has its door, go in.",
            pace=(10, 10), decisions=60,
            why="Each jump shows at once whether it was well timed, and the blue rows show what is already done.",
        ),
        Game(
            "frostbite",
            (
                Sight("you", (0xA26221, 0xC66C3A, 0xA2A22A), (8, 42, 160, 185), (4, 12), (6, 24), (1, 5), many="you"),
                Sight("white floe", (0xD6D6D6,), (8, 85, 160, 185), (2, 26), (4, 8)),
                Sight("blue floe", (0x548AD2,), (8, 85, 160, 185), (2, 26), (4, 8)),
                Sight("goose", (0x8490FC,), (8, 78, 160, 185), (3, 10), (3, 9), (1, 1), many="geese"),
                Sight("crab", (0xD5824A,), (8, 78, 160, 185), (3, 10), (3, 9), (1, 1)),
                Sight("clam", (0xD2D240,), (8, 78, 160, 185), (3, 10), (3, 9), (1, 1)),
                Sight("fish", (0x6FD26F,), (8, 78, 160, 185), (3, 10), (3, 9), (1, 1), many="fish"),
            ),
            opening=_frames(80),
            moves=("NOOP", "UP", "DOWN", "LEFT", "RIGHT", "DOWNLEFT", "DOWNRIGHT", "UPLEFT", "UPRIGHT"),
            tries=12, depth=9,
        ),
    ),
    (
        _spec(
            "berzerk", "Berzerk", _ALL,
            f"Walls kill at a touch. {_ONE_LIFE}",
            "You are the figure in a maze of robots. FIRE shoots in the direction that you hold, so RIGHTFIRE shoots "
            "to the right; with FIRE held you stand still. Shoot the robots (50 points each) before their shots hit "
            "you, and do not touch them or the walls. An opening in the outer wall leads to the next room.",
            pace=(8, 8), decisions=60,
            why="Robots in a row or column can be shot and shoot back; a touch of a wall ends it, and all is seen.",
        ),
        Game(
            "berzerk",
            (
                Sight("you", (0xF0AA67,), (4, 4, 156, 180), (4, 10), (10, 26), many="you"),
                Sight("your shot", (0xF0AA67,), (4, 4, 156, 180), (1, 8), (1, 8)),
                Sight("robot", _ROBOTS, (4, 4, 156, 180), (5, 10), (10, 20)),
                Sight("shot of a robot", _ROBOTS, (4, 4, 156, 180), (1, 8), (1, 8), many="shots of robots"),
            ),
            opening=_frames(20),
            moves=("NOOP", "UP", "RIGHT", "LEFT", "DOWN", "UPFIRE", "RIGHTFIRE", "LEFTFIRE", "DOWNFIRE"),
            tries=16, depth=11,
        ),
    ),
    (
        _spec(
            "battle_zone", "Battle Zone", _ALL,
            _ONE_LIFE,
            "You look out of a tank on a plain. RIGHT and LEFT turn it, UP drives on, DOWN back, FIRE shoots straight "
            "ahead. The round screen at the top shows where enemies are: ahead is up. Turn until an enemy is in the "
            "middle, under the sight, and shoot; a tank that is hit scores 1000 or more. Turn and drive away from "
            "shots.",
            pace=(10, 10), decisions=70,
            why="To turn until the enemy is in the middle before shooting is a rule that shows within a few moves.",
        ),
        Game(
            "battle_zone",
            (
                Sight("blue tank", (0x185080, 0x4288B0), (0, 85, 160, 128), (3, 60), (2, 40), (2, 2)),
                Sight("shot", (0xECECEC,), (0, 79, 160, 176), (1, 12), (1, 12)),
            ),
            opening=_frames(136), moves=("NOOP", "FIRE", "UP", "RIGHT", "LEFT", "DOWN"), tries=12, depth=12,
        ),
    ),
    (
        _spec(
            "road_runner", "Road Runner", _ALL,
            f"The coyote never gives up. {_ONE_LIFE}",
            "You are the blue bird, and run to the left. The coyote behind you must not catch you. Run over the small "
            "piles of seed on the road: each scores 100. UP and DOWN change the place on the road. Later, trucks come "
            "along; keep out of their way.",
            pace=(8, 8), decisions=60,
            why="Who stops or turns is caught; seeds are seen in time to steer for them and show at once in the score.",
        ),
        Game(
            "road_runner",
            (
                Sight("you", _BIRD, (8, 108, 152, 176), (4, 20), (12, 40), (1, 3), many="you"),
                Sight("seed", _BIRD, (8, 108, 152, 176), (4, 9), (3, 6), (1, 1)),
                Sight("coyote", (0xC66C3A, 0xB55328, 0xD5824A), (8, 108, 152, 176), (4, 24), (12, 36), (1, 2)),
                Sight("truck", (0xFCE070,), (8, 108, 152, 176), (4, 30), (3, 30), (1, 2)),
            ),
            opening=(("LEFT", 200),),
            moves=("LEFT", "UPLEFT", "DOWNLEFT", "UP", "DOWN", "RIGHT", "NOOP"), tries=14, depth=12,
        ),
    ),
    (
        _spec(
            "tennis", "Tennis", _ALL,
            "There are no lives; points of the other player count against you.",
            "You are the player in pink, the other one is in blue. Run to where the ball comes down and hit it with "
            "FIRE or by being there; the direction that you hold places it. A ball that the other one does not return "
            "is your point. A serve starts with FIRE.",
            pace=(12, 12), decisions=90, lives=False,
            score="points made less points lost",
            why="Where the ball will come down shows in its shadow; a ball that is missed is a point at once.",
        ),
        Game(
            "tennis",
            (
                Sight("you", (0xF08080,), (8, 14, 152, 190), (6, 20), (15, 27), (1, 1), many="you"),
                Sight("the other player", (0x7580F0,), (8, 14, 152, 190), (6, 20), (15, 27), (1, 1)),
                Sight("ball", (0xECECEC,), (8, 4, 152, 206), (1, 3), (1, 3)),
                Sight("shadow of the ball", (0x4A4A4A,), (8, 4, 152, 206), (1, 3), (1, 3)),
            ),
            one_life=False, against=True,
            moves=(
                "NOOP", "FIRE", "UP", "RIGHT", "LEFT", "DOWN", "UPFIRE", "RIGHTFIRE", "LEFTFIRE", "DOWNFIRE",
            ),
            tries=20, depth=14, lean=lambda memory: (_apart(memory, (16, 27)) / 2 - _apart(memory, (16, 26))) / 1000,
        ),
    ),
    (
        _spec(
            "space_invaders", "Space Invaders", "NOOP FIRE RIGHT LEFT RIGHTFIRE LEFTFIRE",
            f"Only one of your shots can fly at a time. {_ONE_LIFE}",
            "You are the green cannon at the bottom; RIGHT and LEFT move it, FIRE shoots. Shoot the rows of invaders, "
            "the upper ones are worth more. They move sideways and come lower at each side; their shots cost a life. "
            "The three red shields stop shots of both sides, and wear away.",
            pace=(10, 10), decisions=60,
            why="Shots are seen coming and can be left; each hit shows at once, and standing still does not last.",
        ),
        Game(
            "space_invaders",
            (
                Sight("your cannon", (0x328432,), (0, 180, 160, 195), (4, 9), (6, 12)),
                Sight("invader", (0x86861D,), (0, 30, 160, 195), (5, 10), (6, 12), (1, 1)),
                Sight("shot", (0x8E8E8E,), (0, 20, 160, 195), (1, 3), (2, 12)),
                Sight("shield", (0xB55328,), (30, 150, 130, 180), (3, 10), (3, 20), (2, 2)),
            ),
            opening=_frames(128), tries=12, depth=10,
        ),
    ),
    (
        _spec(
            "ms_pacman", "Ms. Pac-Man", _MOVES,
            _ONE_LIFE,
            "You are the yellow figure in the maze. Eat the dots (10 points). The coloured ghosts must not touch you. "
            "After one of the four big dots they turn blue for a while: then catch them for 200 points and more. "
            "Tunnels at the sides lead to the other side.",
            pace=(10, 10), decisions=60,
            why="All is seen; which way is open and which ghost is near decides every few moves.",
        ),
        Game(
            "ms_pacman",
            (
                Sight("you", (0xD2A44A,), (0, 2, 160, 170), (4, 10), (6, 13), (1, 1), many="you"),
                Sight("red ghost", (0xC84848,), (0, 2, 160, 170), (5, 10), (6, 12), (1, 1)),
                Sight("orange ghost", (0xB47A30,), (0, 2, 160, 170), (5, 10), (6, 12), (1, 1)),
                Sight("pink ghost", (0xC659B3,), (0, 2, 160, 170), (5, 10), (6, 12), (1, 1)),
                Sight("light blue ghost", (0x54B899,), (0, 2, 160, 170), (5, 10), (6, 12), (1, 1)),
                Sight("blue ghost that can be caught", (0x4272C2,), (0, 2, 160, 170), (5, 10), (6, 12), (1, 1)),
                Sight("big dot", (0xE46F6F,), (4, 2, 156, 170), (4, 4), (6, 8)),
                Sight("dot", (0xE46F6F,), (4, 2, 156, 170), (4, 4), (2, 2), tells="count"),
            ),
            opening=_frames(292), moves=("NOOP", "UP", "RIGHT", "LEFT", "DOWN"), tries=14, depth=10,
        ),
    ),
    (
        _spec(
            "qbert", "Q*bert", "NOOP FIRE UP RIGHT LEFT DOWN",
            f"Off the pyramid a life is lost. {_ONE_LIFE}",
            "You hop on a pyramid of cubes, always to one of the four cubes that touch corners: UP hops to the upper "
            "right, RIGHT to the lower right, DOWN to the lower left, LEFT to the upper left. Each cube that you land "
            "on changes its colour and scores 25; change them all. Keep away from balls and from the snake. The discs "
            "at the sides carry you back to the top.",
            pace=(16, 16), decisions=60,
            why="Each hop shows its effect; what the four moves do has to be learned, and a wrong one ends the game.",
        ),
        Game(
            "qbert",
            (
                Sight("you", (0xB55328,), (8, 14, 152, 210), (5, 10), (10, 24), (1, 2), many="you"),
                Sight("purple ball or snake", (0x9246C0,), (8, 14, 152, 210), (4, 10), (4, 22), (1, 2)),
                Sight("blue top of a cube", (0x2D57B0,), (8, 30, 152, 210), (9, 22), tells="count",
                      many="blue tops of cubes"),
                Sight("yellow top of a cube", (0xD2D240,), (8, 30, 152, 210), (9, 22), tells="count",
                      many="yellow tops of cubes"),
            ),
            opening=_frames(144), moves=("NOOP", "UP", "RIGHT", "LEFT", "DOWN"), tries=14, depth=9,
        ),
    ),
    (
        _spec(
            "boxing", "Boxing", _ALL,
            "There are no lives; hits of the other boxer count against you.",
            "You are the white boxer, seen from above. Move to the black one until he is within reach of your arms and "
            "at the same height as one of your fists; FIRE punches. A hit scores a point, a near one two. Keep out "
            "of his reach while he is beside you.",
            pace=(10, 10), decisions=60, lives=False,
            score="hits made less hits taken",
            why="From which place a punch lands is learned by watching, and each hit shows at once.",
        ),
        Game(
            "boxing",
            (
                Sight("you", (0xD6D6D6,), (32, 36, 128, 178), (6, 40), (10, 60), (1, 1), many="you"),
                Sight("black boxer", (0x000000,), (32, 36, 128, 178), (6, 40), (10, 60), (1, 1)),
            ),
            one_life=False, against=True,
            moves=(
                "NOOP", "FIRE", "UP", "RIGHT", "LEFT", "DOWN", "RIGHTFIRE", "LEFTFIRE", "UPFIRE", "DOWNFIRE",
            ),
            tries=14, depth=8, lean=lambda memory: -_apart(memory, (32, 33), (34, 35)) / 1000,
        ),
    ),
    (
        _spec(
            "enduro", "Enduro", "NOOP FIRE RIGHT LEFT DOWN DOWNRIGHT DOWNLEFT RIGHTFIRE LEFTFIRE",
            "The score is the number of cars passed; 200 are to be passed on the first day. There are no lives.",
            "You drive the white car at the bottom. FIRE is the throttle: hold it to get faster, RIGHTFIRE and "
            "LEFTFIRE steer at the same time. DOWN brakes. Pass the other cars; touching one throws you back to a "
            "crawl, and cars that pass you are taken off again.",
            pace=(10, 10), decisions=60, lives=False,
            score="cars passed",
            why="Speed and place on the road are seen, and a touch costs both; the throttle alone does not do.",
        ),
        Game(
            "enduro",
            (
                Sight("your car", (0xC0C0C0, 0xAAAAAA), (40, 140, 130, 155), (12, 18), (6, 12), (1, 1)),
                Sight("other car", _RIVALS, (8, 60, 160, 155), (4, 18), (3, 12), (1, 1)),
            ),
            one_life=False, moves=("FIRE", "LEFTFIRE", "RIGHTFIRE", "NOOP", "DOWN"), tries=12, depth=11,
            lean=lambda memory: float(memory[22]) / 100,
        ),
    ),
    (
        _spec(
            "demon_attack", "Demon Attack", "NOOP FIRE RIGHT LEFT RIGHTFIRE LEFTFIRE",
            f"Only one of your shots can fly at a time. {_ONE_LIFE}",
            "You are the cannon on the ground; RIGHT and LEFT move it, FIRE shoots upwards. Shoot the flying demons. "
            "The lowest of them shoots back: keep out from under its shots.",
            pace=(10, 10), decisions=60,
            why="A shot has to lead the demon, and its shots come in a column that is seen in time; hits show at once.",
        ),
        Game(
            "demon_attack",
            (
                Sight("your cannon", (0xB846A2,), (0, 168, 160, 188), (4, 10), (6, 14), (2, 1)),
                Sight("your shot", (0xD48CFC,), (0, 20, 160, 190), (1, 2), (3, 12)),
                Sight("demon", _DEMON, (0, 20, 160, 165), (8, 40), (2, 14), (3, 2)),
                Sight("shot of a demon", (0xFC9090,), (0, 20, 160, 188), (1, 2), (2, 8), many="shots of demons"),
            ),
            opening=_frames(60), tries=12, depth=10,
        ),
    ),
    (
        _spec(
            "amidar", "Amidar", "NOOP FIRE UP RIGHT LEFT DOWN UPFIRE RIGHTFIRE LEFTFIRE DOWNFIRE",
            f"Box by box counts, not only the way. {_ONE_LIFE}",
            "You run along the paths between boxes and colour them. Each piece of path scores; when all sides of a box "
            "are coloured, it is filled and scores more. The green figures walk on the paths, too; do not meet them. "
            "FIRE makes them jump for a moment, a few times only.",
            pace=(10, 10), decisions=60, lives=False,
            why="All is seen, figures keep to their ways; where to turn so as not to meet one is decided all the time.",
        ),
        Game(
            "amidar",
            (
                Sight("you", (0xFCFC54,), (8, 8, 160, 170), (5, 10), (5, 10), many="you"),
                Sight("green figure", (0x87B754,), (8, 8, 160, 170), (5, 10), (5, 10), (1, 1)),
            ),
            opening=_frames(252), moves=("NOOP", "UP", "RIGHT", "LEFT", "DOWN"), tries=14, depth=10,
        ),
    ),
    (
        _spec(
            "assault", "Assault", "NOOP FIRE UP RIGHT LEFT RIGHTFIRE LEFTFIRE",
            f"Shooting heats the gun; overheated, it costs a life. {_ONE_LIFE}",
            "You are the gun on the ground; RIGHT and LEFT move it, UP shoots upwards, RIGHTFIRE and LEFTFIRE along "
            "the ground. Shoot the ships that the big one sends down (21 points each) before their shots hit you. The "
            "bar at the lower right shows how hot the gun is.",
            pace=(10, 10), decisions=60,
            why="Which action shoots, and that shooting too much is dear, is learned by watching; hits show at once.",
        ),
        Game(
            "assault",
            (
                Sight("your gun", (0xA2A22A, 0xD6D6D6), (0, 176, 160, 187), (6, 12), (3, 9), (1, 1)),
                Sight("your shot", (0xECECEC,), (0, 40, 160, 187), (1, 2), (4, 10)),
                Sight("red ship", (0xA71A1A, 0xB55328), (0, 40, 160, 176), (8, 20), (2, 12), (2, 2)),
            ),
            opening=_frames(60), tries=12, depth=10,
        ),
    ),
    (
        _spec(
            "riverraid", "River Raid", _ALL,
            f"Out of fuel, the plane falls. {_ONE_LIFE}",
            "You fly the yellow plane up a river. RIGHT and LEFT steer, UP flies faster, DOWN slower, FIRE shoots. "
            "Shoot ships, helicopters, planes and bridges; do not touch them or the banks. Fly over the fuel depots "
            "(red and white, FUEL) to fill the tank, whose needle is at the bottom.",
            pace=(6, 6), decisions=70,
            why="Banks and ships are seen coming and end it at a touch; what fills the tank is learned by watching.",
        ),
        Game(
            "riverraid",
            (
                Sight("your plane", (0xE8E84A,), (8, 120, 160, 163), (5, 10), (8, 16)),
                Sight("your shot", (0xE8E84A,), (8, 2, 160, 163), (1, 2), (4, 10)),
                Sight("fuel depot", (0xD65C5C, 0xD6D6D6), (8, 2, 160, 163), (5, 9), (4, 26)),
                Sight("ship", (0xA33915,), (8, 2, 160, 163), (6, 34), (1, 10), (2, 3)),
                Sight("helicopter", (0x000094,), (8, 2, 160, 163), (4, 12), (1, 10), (1, 1)),
            ),
            opening=_frames(76),
            moves=("NOOP", "FIRE", "UP", "RIGHTFIRE", "LEFTFIRE", "RIGHT", "LEFT", "DOWN"), tries=28, depth=20,
        ),
    ),
    (
        _spec(
            "name_this_game", "Name This Game", "NOOP FIRE RIGHT LEFT RIGHTFIRE LEFTFIRE",
            f"The air lasts for a short time. {_ONE_LIFE}",
            "You are the diver at the bottom, guarding a treasure. RIGHT and LEFT move, FIRE shoots upwards. Shoot the "
            "shark when it comes down to you, and the arms of the octopus before they reach you. The boat lets down a "
            "line: touch it to get air.",
            pace=(10, 10), decisions=60,
            why="Arms grow and the shark comes lower in plain view; which to shoot first decides; hits show at once.",
        ),
        Game(
            "name_this_game",
            (
                Sight("you", (0x5CBA5C,), (0, 100, 160, 165), (8, 20), (6, 16), (2, 2), many="you"),
                Sight("shark", (0xAAAAAA,), (0, 25, 160, 165), (6, 20), (4, 16), (1, 1)),
                Sight("boat", (0xB846A2, 0xB56CE0), (0, 10, 160, 25), (6, 18), (2, 8), (1, 1)),
                Sight("green bar", (0x328432,), (0, 175, 160, 179), tells="width"),
            ),
            opening=_frames(384), tries=12, depth=10,
        ),
    ),
    (
        _spec(
            "tetris", "Tetris", "NOOP FIRE RIGHT LEFT DOWN",
            "The score is the number of full rows. When pieces reach the top, the game is over.",
            "Pieces of four squares fall into a field of 10 columns and 22 rows. RIGHT and LEFT move the falling piece "
            "by a column, FIRE turns it, DOWN lets it fall faster. A row that is full goes away and scores a point. "
            "Keep the pile low and leave no holes under it.",
            pace=(40, 4), decisions=70, memory="single", lives=False,
            score="full rows",
            why="All is seen; where a piece fits is decided for each one anew, and a bad place stays in sight.",
        ),
        Game(
            "tetris",
            (
                Sight("field", _PIECES, (24, 28, 64, 204), tells="map", cell=(4, 8)),
            ),
            opening=_frames(8), one_life=False, plans=_DROPS, dread=100.0,
            settled=lambda first, memory: first[110] != memory[110], lean=_stack,
        ),
    ),
)  # fmt: skip

SPECS = tuple(spec for spec, _ in _ROWS)
GAMES = {spec.name: game for spec, game in _ROWS}
