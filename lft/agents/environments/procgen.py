"""Seven games of Procgen: levels that are made from the seed, a state that is read from their own saved bytes, and an
expert that tries plans on a second instance, which draws nothing.

Levels are of the easy distribution, without background pictures; the picture is the one of 512 x 512 pixels.
"""

from __future__ import annotations

import importlib.machinery
import importlib.util
import math
import sys
import threading
from collections import deque
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from types import ModuleType
from typing import Any

import numpy as np

from lft.agents.environments.base import EnvironmentSpec, Picture
from lft.agents.environments.game import Game as Common
from lft.agents.environments.lookahead import best_plan, shortest_way
from lft.agents.environments.procgen_state import PICTURE, Level, Thing, read_level
from lft.core.records import Entries, JsonObject

_NUMBERS = {  # Procgen's combinations of keys
    "DOWNLEFT": 0, "LEFT": 1, "UPLEFT": 2, "DOWN": 3, "NOOP": 4, "UP": 5, "DOWNRIGHT": 6, "RIGHT": 7, "UPRIGHT": 8,
    "FIRE": 9,
}  # fmt: skip
_WALL, _FREE = 51, 100
_STAGE = 1000.0

Progress = Callable[[Level, Level], float]  # of the first level and this one


@dataclass(frozen=True)
class Game:
    """How one game is played for the suite.

    Attributes
    ----------
    name : Procgen's.
    kinds : number of a kind of thing -> what it is called; others are not told.
    looks : name -> what each theme of it is called, such as colours.
    squares : number of a kind of square -> its letter in the map; empty for no map.
    progress : 0..1, of the first level and this one; it is told as a measure, the best so far.
    lean : what the expert takes a level to be worth where no points are near.
    stages : whether nothing moves by itself: then the shortest way is searched to the next stage. `lean` is then what
        is left, negative: a thousand for each stage and the squares to it.
    tries, depth, linger, patience, dread : as for `lft.agents.environments.atari_games.Game`.
    """

    name: str
    kinds: Mapping[int, str]
    lean: Callable[[Level], float]
    looks: Mapping[str, tuple[str, ...]] | None = None
    squares: Mapping[int, str] | None = None
    progress: Progress | None = None
    stages: bool = False
    tries: int = 32
    depth: int = 8
    linger: int = 3
    patience: float = 0.98
    dread: float = 100.0


@cache
def _maker() -> Callable[..., Any]:
    """`ProcgenGym3Env`. Procgen's own package registers with the old gym when it is imported, so it is passed by."""
    found = importlib.util.find_spec("procgen")
    if found is None or found.submodule_search_locations is None:
        raise ModuleNotFoundError("No module named 'procgen'", name="procgen")
    if "procgen" not in sys.modules:
        package = ModuleType("procgen")
        package.__path__ = list(found.submodule_search_locations)
        package.__spec__ = importlib.machinery.ModuleSpec("procgen", None, is_package=True)
        sys.modules["procgen"] = package
    made: Callable[..., Any] = importlib.import_module("procgen.env").ProcgenGym3Env
    return made


class Procgen(Common[tuple[bytes, bytes, Level]]):
    """One game of Procgen.

    >>> from lft.agents.environments.registry import get
    >>> game = Procgen(get("maze"))
    >>> game.reset(3)
    >>> game.picture().shape, dict(game.measures)
    ((512, 512, 3), {'score': 0.0, 'reached': 0.0, 'progress': 0.0})
    """

    def __init__(self, spec: EnvironmentSpec) -> None:
        super().__init__(spec)
        self._game = GAMES[spec.name]
        self._live: Any = None

    @cached_property
    def _copy(self) -> Any:
        """Plans are tried on it."""
        return _made(self._game.name, 0)

    def _start(self, seed: int) -> None:
        if self._live is not None:
            self._live.close()
        self._live = _made(self._game.name, seed)
        self._show(self._live.get_state()[0])
        self._first = self._level()

    def _show(self, state: bytes) -> None:
        self._shown = state
        self._picture: Picture | None = None
        self._read: Level | None = None

    def _level(self) -> Level:
        if self._read is None:
            self._read = read_level(self._shown)
        return self._read

    def _play(self, action: str) -> None:
        reward, over, reached = _step(self._live, action)
        self._measures["score"] = round(self._measures["score"] + reward, 2)
        if over:  # Procgen has begun anew: what is shown stays the last moment before
            self._end = "victory" if reached else "terminated"
            self._measures["reached"] = float(reached)
            if "progress" in self._measures and reached:
                self._measures["progress"] = 1.0
            return
        self._show(self._live.get_state()[0])
        if self._game.progress is not None:
            share = self._game.progress(self._first, self._level())
            self._measures["progress"] = round(max(self._measures["progress"], min(max(share, 0.0), 1.0)), 3)

    def picture(self) -> Picture:
        if self._picture is None:
            artist, turn = _artist(self._game.name)
            with turn:
                artist.set_state([self._shown])
                self._picture = np.array(artist.get_info()[0]["rgb"], np.uint8)
        return self._picture.copy()

    def state(self) -> Entries:
        level, game = self._level(), self._game
        facts: JsonObject = {}
        for thing in level.things:
            name = _name(game, thing)
            if name is None:
                continue
            place = list(level.pixel(thing.x, thing.y))
            if all(0 <= at < PICTURE for at in place):
                facts.setdefault(name, []).append(place)
        if game.squares:
            facts["map"] = _map(level, game.squares)
        if game.name == "heist":
            facts["keys in hand"] = _in_hand(level)
        return facts

    def words(self) -> str:
        said = []
        for name, fact in self.state().items():
            if name == "map":
                letters = _legend(self._game.squares or {})
                said.append(f"Squares of the picture, row by row from the top ({letters}): {' '.join(fact)}.")
            elif name == "keys in hand":
                said.append(f"Keys in hand: {', '.join(fact) or 'none'}.")
            else:
                places = "; ".join(f"x {x}, y {y}" for x, y in fact)
                said.append(f"{name[0].upper()}{name[1:]} at {places}.")
        said.append("Places are centres in pixels: x from the left, y from the top (0 to 511).")
        return " ".join(said)

    def expert(self) -> str:
        return self.plan()[0]

    def plan(self) -> list[str]:
        """The shortest way to the next stage, or the best plan that was tried on a copy, as decisions: most points
        soonest, the end of the game last.
        """
        game, spec = self._game, self.spec
        if self._end is not None:
            return [spec.actions[0]]
        state = self._shown
        if game.stages:
            stage = -game.lean(self._level()) // _STAGE * _STAGE
            return shortest_way(spec.actions, self._after, state, stage, most=800)

        def worth(plan: list[str]) -> float:
            self._copy.set_state([state])
            return self._worth(plan)

        return best_plan(spec.actions, worth, state, tries=game.tries, depth=game.depth, linger=game.linger)

    def _after(self, state: bytes, move: str) -> tuple[bytes, Hashable, float]:
        self._copy.set_state([state])
        for action in self.spec.frames_of(move):
            if _step(self._copy, action)[1]:
                return state, "over", -1.0
        state = self._copy.get_state()[0]
        level = read_level(state)
        known = (round(20 * level.player.x), round(20 * level.player.y), len(level.things))
        return state, known, -self._game.lean(level)

    def _worth(self, plan: list[str]) -> float:
        spec, game = self.spec, self._game
        worth, weight = 0.0, 1.0
        for move in plan:
            for action in spec.frames_of(move):
                reward, over, reached = _step(self._copy, action)
                worth += weight * reward
                if over:
                    return worth + weight * (game.dread if reached else -game.dread)
            weight *= game.patience
        return worth + weight * game.lean(read_level(self._copy.get_state()[0]))

    def _kept(self) -> tuple[bytes, bytes, Level]:
        return self._live.get_state()[0], self._shown, self._first

    def _take_back(self, kept: tuple[bytes, bytes, Level]) -> None:
        live, shown, self._first = kept
        self._live.set_state([live])
        self._show(shown)

    def close(self) -> None:
        for game in (self._live, self.__dict__.get("_copy")):
            if game is not None:
                game.close()


def _made(name: str, seed: int, *, draws: bool = False) -> Any:
    return _maker()(
        1,
        name,
        num_levels=1,
        start_level=seed,
        rand_seed=0,
        num_threads=0,
        distribution_mode="easy",
        use_backgrounds=False,
        render_mode="rgb_array" if draws else None,
    )


@cache
def _artist(name: str) -> tuple[Any, threading.Lock]:
    """A game that draws the states of all live games, and the lock of its use. To make one takes a quarter of a
    second, so the live games draw nothing.
    """
    return _made(name, 0, draws=True), threading.Lock()


def _step(game: Any, action: str) -> tuple[float, bool, bool]:
    """The reward, whether the level is over, and whether its aim was reached."""
    game.act(np.array([_NUMBERS[action]]))
    reward, _, first = game.observe()
    over = bool(first[0])
    return float(reward[0]), over, over and bool(game.get_info()[0]["prev_level_complete"])


def _name(game: Game, thing: Thing) -> str | None:
    name = game.kinds.get(thing.kind)
    if name is None or thing.on_screen:
        return None
    looks = (game.looks or {}).get(name)
    return f"{looks[thing.theme]} {name}" if looks else name


_COLOURS = ("blue", "green", "red")
_SQUARES = {
    _WALL: "wall", _FREE: "free", 1: "coin", 2: "cheese", 5: "wall", 15: "ground", 16: "ground", 17: "lava", 18: "lava",
    1002: "green dot",
}  # fmt: skip


def _legend(letters: Mapping[int, str]) -> str:
    return ", ".join(dict.fromkeys(f"{letter} {_SQUARES[kind]}" for kind, letter in letters.items()))


def _map(level: Level, letters: Mapping[int, str]) -> list[str]:
    """The squares in the picture, a text a row, from the top."""
    rows, columns = level.grid.shape
    left, bottom = (math.floor(c - level.visible / 2 + 0.5) for c in level.centre)
    wide = round(level.visible)
    text = []
    for y in range(bottom + wide - 1, bottom - 1, -1):
        row = ""
        for x in range(left, left + wide):
            kind = int(level.grid[y, x]) if 0 <= x < columns and 0 <= y < rows else _WALL
            row += letters.get(kind, ".")
        text.append(row)
    return text


# What the expert leans to --------------------------------------------------------------------------------------------


def _steps_to(level: Level, goals: set[tuple[int, int]], shut: set[tuple[int, int]] | None = None) -> float:
    """Squares on the way from the player to the nearest of some squares; infinite if none can be reached."""
    start = (int(level.player.x), int(level.player.y))
    rows, columns = level.grid.shape
    seen, queue = {start}, deque([(start, 0)])
    while queue:
        (x, y), steps = queue.popleft()
        if (x, y) in goals:
            return steps
        for there in ((x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)):
            inside = 0 <= there[0] < columns and 0 <= there[1] < rows
            if (
                inside
                and there not in seen
                and there not in (shut or ())
                and level.grid[there[1], there[0]] not in (_WALL, 5)
            ):
                seen.add(there)
                queue.append((there, steps + 1))
    return math.inf


def _cells(level: Level, kind: int) -> set[tuple[int, int]]:
    return {(int(x), int(y)) for y, x in zip(*np.nonzero(level.grid == kind), strict=True)}


def _maze_left(level: Level) -> float:
    return _steps_to(level, _cells(level, 2))


def _maze_progress(first: Level, level: Level) -> float:
    return 1 - _maze_left(level) / _maze_left(first)


def _keys(level: Level) -> list[bool]:
    """Whether each key of heist is in hand, by colour."""
    words = np.frombuffer(level.rest, np.int32)
    return [bool(has) for has in words[3 : 3 + int(words[2])]]


def _in_hand(level: Level) -> list[str]:
    return [_COLOURS[i] for i, has in enumerate(_keys(level)) if has]


def _heist_left(level: Level) -> float:
    """Keys to take and locks to open, each a stage, and the squares to the next."""
    has = _keys(level)
    at = {kind: [t for t in level.things if t.kind == kind and not t.on_screen] for kind in (1, 2, 9)}
    locks = {(int(t.x), int(t.y)) for t in at[1] if not has[t.theme]}
    goals = {(int(t.x), int(t.y)) for t in [*at[2], *(t for t in at[1] if has[t.theme]), *at[9]]}
    steps = _steps_to(level, goals, locks)
    return _STAGE * (len(at[1]) + len(at[2])) + min(steps, _STAGE - 1)


def _heist_progress(first: Level, level: Level) -> float:
    def things(of: Level) -> int:
        return sum(t.kind in (1, 2) for t in of.things)

    return (things(first) - things(level)) / (things(first) + 1)


def _leaper_progress(first: Level, level: Level) -> float:
    goal = max(t.y for t in level.things if t.kind == 5)
    return (level.player.y - first.player.y) / (goal - first.player.y)


def _coinrun_progress(first: Level, level: Level) -> float:
    coins = np.nonzero(level.grid == 1)[1]
    return (level.player.x - first.player.x) / (float(coins.max()) - first.player.x) if len(coins) else 0.0


def _dodgeball_lean(level: Level) -> float:
    """Enemies in line to be hit; once none is left, the door."""
    me = level.player
    enemies = [t for t in level.things if t.kind == 4]
    if enemies:
        return -0.02 * min(
            min(abs(t.x - me.x), abs(t.y - me.y)) + 0.2 * (abs(t.x - me.x) + abs(t.y - me.y)) for t in enemies
        )
    doors = [t for t in level.things if t.kind in (5, 7)]
    return 1 - 0.05 * min((abs(t.x - me.x) + abs(t.y - me.y) for t in doors), default=0.0)


def _bossfight_lean(level: Level) -> float:
    boss = next((t for t in level.things if t.kind == 2), None)
    return -0.02 * abs(boss.x - level.player.x) if boss else 0.0


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
    score: str,
    progress: str = "",
    memory: str = "single",
    noop: str | None = "NOOP",
) -> EnvironmentSpec:
    return EnvironmentSpec(
        name=name,
        title=title,
        family="procgen",
        place="lft.agents.environments.procgen:Procgen",
        actions=tuple(actions.split()),
        noop=noop,
        rules={"basic": basic, "detailed": f"{detailed} {basic}"},
        measures={"score": score, "reached": "1 once the level is completed"}
        | ({"progress": f"{progress}, at its best, 0..1"} if progress else {}),
        frame_skip=pace[0],
        hold=pace[1],
        decisions=decisions,
        memory=memory,  # type: ignore[arg-type]
        dynamics="static" if name in ("maze", "heist") else "dynamic",
        why=why,
    )


_ROWS: tuple[tuple[EnvironmentSpec, Game], ...] = (
    (
        _spec(
            "maze", "Maze", "UP RIGHT DOWN LEFT",
            "A move against a wall does nothing.",
            "You are the mouse in a maze. Each move takes you one square on. Reach the cheese.",
            pace=(1, 1), decisions=40, noop=None,
            score="10 for the cheese", progress="share of the way to the cheese",
            why="The whole maze is seen; a wrong turn at a fork is seen at once, and blind walking does not get far.",
        ),
        Game(
            "maze", {0: "mouse"}, lambda level: -_maze_left(level),
            squares={_WALL: "#", _FREE: ".", 2: "C"}, progress=_maze_progress, stages=True,
        ),
    ),
    (
        _spec(
            "heist", "Heist", "NOOP UP RIGHT DOWN LEFT",
            "A move goes a little more than one square, unless a wall is in the way.",
            "You are the astronaut in a maze of light walls. Take the yellow gem: that wins. Coloured locks are in the "
            "way; a lock opens when you walk into it with the key of its colour. Walk over a key to take it; the keys "
            "that you have are shown at the lower right.",
            pace=(6, 2), decisions=60,
            score="10 for the gem", progress="share of keys taken, locks opened and the gem",
            why="All is seen, nothing moves by itself; in which order keys and locks come has to be planned.",
        ),
        Game(
            "heist", {0: "astronaut", 1: "lock", 2: "key", 9: "gem"}, lambda level: -_heist_left(level),
            looks={"lock": _COLOURS, "key": _COLOURS}, squares={_WALL: "#", _FREE: "."}, progress=_heist_progress,
            stages=True,
        ),
    ),
    (
        _spec(
            "leaper", "Leaper", "NOOP UP RIGHT DOWN LEFT",
            "There is one life.",
            "You are the frog. Each move is a hop to the next square. Cross the road without being hit by a car, then "
            "the water from log to log, and reach the chequered line at the far side. Logs carry you along; out of the "
            "picture or in the water you are lost.",
            pace=(5, 1), decisions=50, memory="several",
            score="10 for the line", progress="share of the way to the line",
            why="One look shows all cars and logs; when to hop follows from two, and a wrong hop ends the game.",
        ),
        Game(
            "leaper", {0: "frog", 1: "log", 4: "car", 5: "line"}, lambda level: 0.3 * level.player.y,
            progress=_leaper_progress, tries=48, depth=8, linger=2,
        ),
    ),
    (
        _spec(
            "dodgeball", "Dodgeball", "NOOP UP RIGHT DOWN LEFT FIRE",
            "Two throws need a short pause between them. There is one life.",
            "You are the figure that looks different from the others. FIRE throws a ball in the direction of your last "
            "move. The others throw balls at you when you are in their row or column; touching a ball, a figure or a "
            "light grey wall ends the game. Hit the others with your balls; once all are gone, the coloured square "
            "opens: reach it.",
            pace=(5, 3), decisions=80, memory="several",
            score="2 for each figure that is hit, 10 for the door",
            why="From which row to throw, and when to leave it, is learned by watching; the outcome comes in seconds.",
        ),
        Game(
            "dodgeball",
            {0: "you", 1: "wall", 3: "your ball", 4: "figure", 5: "door", 6: "ball of others", 7: "open door"},
            _dodgeball_lean, tries=48, depth=8,
        ),
    ),
    (
        _spec(
            "bossfight", "Bossfight", "NOOP UP RIGHT DOWN LEFT FIRE",
            "The big ship takes damage only while its shield is off. There is one life.",
            "You are the small ship at the bottom; FIRE shoots upwards. Hit the big ship while no bubble is around it: "
            "it gives way in a few rounds, each worth a point, and ten for the last. Its shots, its hull and the rocks "
            "end the game; rocks stop shots, too.",
            pace=(4, 3), decisions=100, memory="several",
            score="1 for each round of the big ship, 10 for the last",
            why="Shots are seen coming, the bubble shows when to shoot; chance is hit soon.",
        ),
        Game(
            "bossfight",
            {0: "you", 1: "your shot", 2: "big ship", 4: "shot of the big ship", 7: "rock"},
            _bossfight_lean, tries=40, depth=9,
        ),
    ),
    (
        _spec(
            "coinrun", "CoinRun", "NOOP UP RIGHT LEFT UPRIGHT UPLEFT",
            "There is one life.",
            "You run and jump through a level from left to right; the coin at its end wins. UP jumps, UPRIGHT and "
            "UPLEFT jump to that side. Saws, lava, and figures that walk about end the game. Boxes can be stood on.",
            pace=(4, 4), decisions=80,
            score="10 for the coin", progress="share of the way to the coin",
            why="What is next is seen in time; a fall or a saw ends the game, and blind running does not get far.",
        ),
        Game(
            "coinrun", {0: "you", 2: "saw", 5: "walking figure", 20: "box"},
            lambda level: 0.1 * level.player.x,
            squares={_FREE: ".", 15: "#", 16: "#", 17: "L", 18: "L", 1: "C"}, progress=_coinrun_progress,
            tries=48, depth=10, linger=4,
        ),
    ),
    (
        _spec(
            "chaser", "Chaser", "NOOP UP RIGHT DOWN LEFT",
            "There is one life.",
            "You are the round blue figure in a maze. Collect the green dots. Monsters hatch and chase you; their "
            "touch ends the game, except for a while after you have taken one of the yellow stars: then you can catch "
            "them.",
            pace=(2, 2), decisions=100, memory="several",
            score="0.04 for each dot, star and monster",
            why="Everything is seen, one square a move; where monsters can cut you off is decided in a few moves.",
        ),
        Game(
            "chaser", {0: "you", 2: "star", 3: "monster that can be caught", 4: "egg", 6: "monster"},
            lambda level: -0.001 * min(_steps_to(level, _cells(level, 1002)), 50.0),
            squares={5: "#", _WALL: "#", 1002: "o", _FREE: "."}, tries=24, depth=10,
        ),
    ),
)  # fmt: skip

SPECS = tuple(spec for spec, _ in _ROWS)
GAMES = {spec.name: game for spec, game in _ROWS}
