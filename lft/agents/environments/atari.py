"""Atari 2600 games through ALE: what is seen, what it is called, and an expert that tries plans on a copy of the game.

A game's row in `lft.agents.environments.atari_games` says how it is played and by which colours its things are found.
What `Environment.state` says is read from the picture that the player sees: nothing hidden is told.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from lft.agents.environments.atari_games import GAMES, SPECS, Game, Sight
from lft.agents.environments.base import End, EnvironmentSpec, Picture
from lft.agents.environments.game import Game as Common
from lft.agents.environments.lookahead import best_plan
from lft.core.records import Entries, JsonObject

if TYPE_CHECKING:
    from ale_py import ALEState

__all__ = ["SPECS", "Atari", "look"]

Box = tuple[int, int, int, int]  # left, top, width, height, in pixels


def look(packed: NDArray[np.uint32], sight: Sight) -> list[Box]:
    """The boxes of a thing in a picture of packed colours (height, width), from top to bottom and left to right.

    >>> packed = np.zeros((20, 20), np.uint32)
    >>> packed[5:8, 2:6] = 0xFF0000
    >>> look(packed, Sight("ball", (0xFF0000,)))
    [(2, 5, 4, 3)]
    """
    left, top, right, bottom = sight.within
    mask = np.isin(packed[top:bottom, left:right], sight.colours)
    if not mask.any():
        return []
    across, down = sight.join
    near = mask
    if across or down:
        near = ndimage.binary_dilation(mask, np.ones((2 * down + 1, 2 * across + 1), bool))
    labels, _ = ndimage.label(near, np.ones((3, 3), bool))
    boxes = []
    for rows, columns in ndimage.find_objects(np.where(mask, labels, 0)):
        width, height = columns.stop - columns.start, rows.stop - rows.start
        fits = sight.width[0] <= width <= sight.width[1] and sight.height[0] <= height <= sight.height[1]
        if fits:
            boxes.append((left + columns.start, top + rows.start, width, height))
    return sorted(boxes, key=lambda box: (box[1], box[0]))


def _coloured(packed: NDArray[np.uint32], sight: Sight, box: Box) -> int:
    x, y, width, height = box
    return int(np.isin(packed[y : y + height, x : x + width], sight.colours).sum())


def _cells(packed: NDArray[np.uint32], sight: Sight) -> list[str]:
    """The cells of a map, a text a row: # where the middle of a cell has one of the colours."""
    left, top, right, bottom = sight.within
    wide, high = sight.cell
    middles = packed[top + high // 2 : bottom : high, left + wide // 2 : right : wide]
    return ["".join("#" if filled else "." for filled in row) for row in np.isin(middles, sight.colours)]


def _sentence(name: str) -> str:
    return name[0].upper() + name[1:]


def _pack(picture: Picture) -> NDArray[np.uint32]:
    red, green, blue = (picture[:, :, i].astype(np.uint32) for i in range(3))
    return np.asarray((red << 16) | (green << 8) | blue, np.uint32)


@cache
def _names() -> Mapping[str, Any]:
    import ale_py

    return dict(ale_py.Action.__members__)


class Atari(Common[tuple["ALEState", Picture, int]]):
    """One game of ALE: sticky actions off, one frame a step, pictures of shape (210, 160, 3).

    >>> from lft.agents.environments.registry import get
    >>> game = Atari(get("freeway"))
    >>> game.reset(0)
    >>> game.picture().shape, game.measures["score"], game.expert()
    ((210, 160, 3), 0.0, 'UP')
    """

    def __init__(self, spec: EnvironmentSpec) -> None:
        import ale_py

        super().__init__(spec)
        self._game: Game = GAMES[spec.name]
        ale_py.ALEInterface.setLoggerMode(ale_py.LoggerMode.Error)
        self._ale = ale_py.ALEInterface()
        self._ale.setFloat("repeat_action_probability", 0.0)
        self._ale.setInt("frame_skip", 1)
        rom = ale_py.roms.get_rom_path(self._game.rom)
        if rom is None:
            raise ModuleNotFoundError(f"ale-py has no ROM {self._game.rom}", name="ale-py")
        self._rom = rom
        self._picture: Picture | None = None  # of a restored state: ALE does not keep it in its own
        self._lives = 0  # at the start
        self._openings: dict[int, Any] = {}  # seed -> snapshot after the opening, which takes a while to play

    def _start(self, seed: int) -> None:
        """Starts after the opening in which the game does not listen. The seed is ALE's: few games heed it."""
        if seed not in self._openings:
            self._open(seed)
            self._openings[seed] = self.snapshot()
        self.restore(self._openings[seed])

    def _open(self, seed: int) -> None:
        self._ale.setInt("random_seed", seed)
        self._ale.loadROM(self._rom)
        if self._game.mode is not None:
            self._ale.setMode(self._game.mode)
        self._ale.reset_game()
        for action, frames in self._game.opening:
            for _ in range(frames):
                self._ale.act(_names()[action])
        self._picture = None
        self._lives = self._ale.lives()
        self._count(0.0)

    def _count(self, points: float) -> None:
        self._measures["score"] += points
        if "lives" in self._measures:
            self._measures["lives"] = float(self._ale.lives())

    def _play(self, action: str) -> None:
        self._picture = None
        self._count(self._ale.act(_names()[action]))
        if self._game.one_life and self._ale.lives() < self._lives:
            self._end = "terminated"
        elif self._ale.game_over():
            self._end = self._outcome()

    def _outcome(self) -> End:
        if not self._game.against:
            return "terminated"
        score = self._measures["score"]
        return "victory" if score > 0 else "terminated" if score < 0 else "draw"

    def picture(self) -> Picture:
        return self._shown().copy()

    def _shown(self) -> Picture:
        if self._picture is None:
            self._picture = self._ale.getScreenRGB()
        return self._picture

    def state(self) -> Entries:
        packed = _pack(self._shown())
        facts: JsonObject = {name: int(value) for name, value in self._measures.items()}
        for sight in self._game.sights:
            if sight.tells == "map":
                facts[sight.name] = _cells(packed, sight)
                continue
            boxes = look(packed, sight)
            if sight.tells == "places":
                facts[sight.name] = [[x + w // 2, y + h // 2] for x, y, w, h in boxes]
            elif sight.tells == "count":
                facts[sight.name] = len(boxes)
            elif sight.tells == "area":
                facts[sight.name] = sum(_coloured(packed, sight, box) for box in boxes) // sight.unit
            else:
                facts[sight.name] = max((box[2] for box in boxes), default=0)
        return facts

    def words(self) -> str:
        facts = self.state()
        said = [f"Score {facts['score']}" + (f", lives {facts['lives']}." if "lives" in facts else ".")]
        for sight in self._game.sights:
            fact = facts[sight.name]
            if sight.tells in ("count", "area"):
                said.append(f"Number of {sight.plural}: {fact}.")
            elif sight.tells == "map":
                said.append(
                    f"{_sentence(sight.name)}, row by row from the top (# filled, . empty): {' '.join(fact)}."
                )
            elif sight.tells == "width":
                said.append(f"Width of the {sight.name} in pixels: {fact}.")
            elif not fact:
                said.append(f"{_sentence(sight.name)}: not made out.")
            else:
                places = "; ".join(f"x {x}, y {y}" for x, y in fact)
                said.append(f"{_sentence(sight.plural if len(fact) > 1 else sight.name)}: {places}.")
        if any(sight.tells == "places" for sight in self._game.sights):
            said.append(
                "Places are centres in pixels: x from the left (0 to 159), y from the top (0 to 209)."
            )
        return " ".join(said)

    def _kept(self) -> tuple[ALEState, Picture, int]:
        return self._ale.cloneState(include_rng=True), self._shown(), self._lives

    def _take_back(self, kept: tuple[ALEState, Picture, int]) -> None:
        state, self._picture, self._lives = kept
        self._ale.restoreState(state)

    def expert(self) -> str:
        return self.plan()[0]

    def plan(self) -> list[str]:
        """The best plan that was tried on a copy, as decisions: most points soonest, a lost life last."""
        game = self._game
        moves = game.moves or self.spec.actions
        if self._end is not None:
            return [moves[0]]
        here = self.snapshot()

        def tried(plan: Sequence[str]) -> tuple[float, int]:
            found = self._tried(plan)
            self.restore(here)
            return found

        if game.plans:
            found = [(*tried(plan), plan) for plan in game.plans]
            _, decisions, best = max(found, key=lambda one: one[0])
            return list(best[:decisions])
        memory = self._ale.getRAM().tobytes()
        return best_plan(
            moves, lambda plan: tried(plan)[0], memory, tries=game.tries, depth=game.depth, linger=game.linger
        )

    def _tried(self, plan: Sequence[str]) -> tuple[float, int]:
        """What a plan is worth, and the decisions after which that is settled."""
        spec, game = self.spec, self._game
        worth, weight, score, lives = 0.0, 1.0, self._measures["score"], self._ale.lives()
        first, decisions = self._ale.getRAM(), 0
        for decisions, move in enumerate(plan, start=1):
            for action in spec.frames_of(move):
                self._play(action)
                if self._end is not None:
                    break
            worth += weight * (self._measures["score"] - score)
            score = self._measures["score"]
            if self._ale.lives() < lives or (self._end is not None and self._end != "victory"):
                return worth - weight * game.dread, decisions
            if game.settled is not None and game.settled(first, self._ale.getRAM()):
                break
            weight *= game.patience
        if game.lean is not None:
            worth += game.lean(self._ale.getRAM())
        return worth, decisions
