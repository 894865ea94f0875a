"""Toy text: CliffWalking and Taxi of gymnasium. Small tables of states, drawn by gymnasium, solved by counting steps
back from the goal.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from typing import Any

import numpy as np

from lft.agents.environments.base import EnvironmentSpec, Picture
from lft.agents.environments.game import PYGAME, Game, Kept
from lft.core.records import Entries

_HERE = "lft.agents.environments.toy_text"
_MOVES = ("UP", "RIGHT", "DOWN", "LEFT")  # in gymnasium's order of CliffWalking

CLIFF_WALKING = EnvironmentSpec(
    name="cliff_walking",
    title="Cliff Walking",
    family="toy text",
    place=f"{_HERE}:CliffWalking",
    actions=_MOVES,
    noop=None,
    rules={
        "basic": "Each action is one step to the next square. Where the field ends, an action does nothing.",
        "detailed": "You are the small figure on a field of 4 rows and 12 columns. Each action is one step to "
        "the next square; where the field ends, an action does nothing. Reach the square marked G, at the "
        "bottom right. The brown strip in the bottom row is a cliff: whoever steps onto it is put back on the "
        "square marked S, at the bottom left.",
    },
    measures={
        "reached": "1 once the goal is reached",
        "progress": "share of the columns between start and goal that were passed, at its best, 0..1",
        "falls": "steps onto the cliff",
    },
    frame_skip=1,
    hold=1,
    decisions=30,
    memory="single",
    dynamics="static",
    why="One picture shows everything; the cliff on the straight way is worth knowing before it is met.",
)

TAXI = EnvironmentSpec(
    name="taxi",
    title="Taxi",
    family="toy text",
    place=f"{_HERE}:Taxi",
    actions=("DOWN", "UP", "RIGHT", "LEFT", "PICKUP", "DROPOFF"),  # in gymnasium's order
    noop=None,
    rules={
        "basic": "Each move takes the taxi one square on. An action that is not possible does nothing.",
        "detailed": "You drive the taxi on a field of 5 rows and 5 columns. Each move takes it one square on; "
        "thick dark lines are walls, and a move against one does nothing. The passenger, a dark figure, waits "
        "on one of the four coloured squares (R, G, Y, B). Drive there and use PICKUP; the taxi then turns "
        "green. The square with the thick dark frame is the destination; the house means nothing. Drive there "
        "and use DROPOFF: that ends the game with a win. DROPOFF on another coloured square lets the "
        "passenger out there; everywhere else it does nothing, as does PICKUP where no passenger waits.",
    },
    measures={
        "delivered": "1 once the passenger is at the destination",
        "picked_up": "1 once the passenger was in the taxi",
        "mistakes": "uses of PICKUP and DROPOFF that were not possible",
    },
    frame_skip=1,
    hold=1,
    decisions=40,
    memory="single",
    dynamics="static",
    why="One picture shows everything; two goals in turn, and what marks the second has to be learned.",
)

SPECS = (CLIFF_WALKING, TAXI)


class _Table(Game[Kept]):
    """A game that is a table of states. Subclasses read the state's number and count what happens."""

    def __init__(self, spec: EnvironmentSpec) -> None:
        super().__init__(spec)
        self._game = self._make()
        self._left = _steps_left(self._game.P)

    def _make(self) -> Any:
        raise NotImplementedError

    def _count(self, reward: float) -> None:
        raise NotImplementedError

    def _start(self, seed: int) -> None:
        self._game.reset(seed=seed)

    def _play(self, action: str) -> None:
        _, reward, over, _, _ = self._game.step(self.spec.actions.index(action))
        self._count(float(reward))
        if over:
            self._end = "victory"

    def picture(self) -> Picture:
        with PYGAME:
            return np.array(self._game.render(), np.uint8)

    def expert(self) -> str:
        """The first action after which the fewest steps are left."""
        after = self._game.P[int(self._game.s)]
        return min(self.spec.actions, key=lambda name: self._left[after[self.spec.actions.index(name)][0][1]])


class CliffWalking(_Table[int]):
    """gymnasium's CliffWalking without slipping. The seed changes nothing.

    >>> game = CliffWalking(CLIFF_WALKING)
    >>> game.reset(0)
    >>> game.expert(), game.picture().shape
    ('UP', (256, 768, 3))
    >>> game.step("RIGHT")
    >>> dict(game.measures), game.state()
    ({'reached': 0.0, 'progress': 0.0, 'falls': 1.0}, {'row': 3, 'column': 0})
    """

    def _make(self) -> Any:
        import pygame
        from gymnasium.envs.toy_text.cliffwalking import CliffWalkingEnv

        game: Any = CliffWalkingEnv(render_mode="rgb_array")
        game.window_surface = pygame.Surface(game.window_size)  # or it would open a display
        return game

    def _count(self, reward: float) -> None:
        row, column = self._place()
        counts = self._measures
        counts["falls"] += reward == -100
        counts["progress"] = max(counts["progress"], column / 11)
        counts["reached"] = float((row, column) == (3, 11))

    def _place(self) -> tuple[int, int]:
        row, column = divmod(int(self._game.s), 12)
        return row, column

    def state(self) -> Entries:
        row, column = self._place()
        return {"row": row, "column": column}

    def words(self) -> str:
        row, column = self._place()
        return (
            f"The figure is in row {row + 1} of 4 from the top, column {column + 1} of 12 from the left. The "
            "goal G is in row 4, column 12. The cliff is in row 4, columns 2 to 11."
        )

    def _kept(self) -> int:
        return int(self._game.s)

    def _take_back(self, kept: int) -> None:
        self._game.s = kept


class Taxi(_Table[tuple[int, int]]):
    """gymnasium's Taxi without rain. The seed places taxi, passenger and destination.

    >>> game = Taxi(TAXI)
    >>> game.reset(3)
    >>> game.state()["passenger"], game.state()["destination"], game.picture().shape
    ('R', 'Y', (456, 536, 3))
    >>> steps = 0
    >>> while not game.end:
    ...     game.step(game.expert())
    ...     steps += 1
    >>> game.end, steps, game.measures["mistakes"]
    ('victory', 12, 0.0)
    """

    _SQUARES = ("R", "G", "Y", "B")
    _COLOURS: Mapping[str, str] = {"R": "red", "G": "green", "Y": "yellow", "B": "blue"}

    def _make(self) -> Any:
        import pygame
        from gymnasium.envs.toy_text.taxi import WINDOW_SIZE, TaxiEnv

        game: Any = TaxiEnv(render_mode="rgb_array")
        game.window = pygame.Surface(WINDOW_SIZE)  # or it would open a display
        return game

    def _play(self, action: str) -> None:
        super()._play(action)
        if action not in ("PICKUP", "DROPOFF"):
            self._game.taxi_orientation = self.spec.actions.index(
                action
            )  # gymnasium turns it when it is drawn

    def _count(self, reward: float) -> None:
        counts = self._measures
        counts["mistakes"] += reward == -10
        counts["picked_up"] = max(counts["picked_up"], float(self._parts()[2] == 4))
        counts["delivered"] = float(reward == 20)

    def _parts(self) -> tuple[int, int, int, int]:
        row, column, passenger, destination = self._game.decode(int(self._game.s))
        return row, column, passenger, destination

    def state(self) -> Entries:
        row, column, passenger, destination = self._parts()
        return {
            "row": row,
            "column": column,
            "passenger": "taxi" if passenger == 4 else self._SQUARES[passenger],
            "destination": self._SQUARES[destination],
            "facing": self.spec.actions[self._game.taxi_orientation],
        }

    def words(self) -> str:
        row, column, passenger, destination = self._parts()
        where = "in the taxi" if passenger == 4 else f"on {self._square(passenger)}"
        return (
            f"The taxi is in row {row + 1} of 5 from the top, column {column + 1} of 5 from the left. The "
            f"passenger is {where}. The destination is {self._square(destination)}. There are walls between "
            "columns 2 and 3 in rows 1 and 2, between columns 1 and 2 in rows 4 and 5, and between columns 3 "
            "and 4 in rows 4 and 5."
        )

    def _square(self, number: int) -> str:
        letter = self._SQUARES[number]
        row, column = self._game.locs[number]
        return f"the {self._COLOURS[letter]} square {letter} (row {row + 1}, column {column + 1})"

    def _kept(self) -> tuple[int, int]:
        return int(self._game.s), self._game.taxi_orientation

    def _take_back(self, kept: tuple[int, int]) -> None:
        self._game.s, self._game.taxi_orientation = kept
        self._game.lastaction = None  # it would turn the taxi when drawn


def _steps_left(table: Mapping[int, Mapping[int, list[tuple[float, int, int, bool]]]]) -> dict[int, int]:
    """State -> fewest steps to an end, for a table in which every action has one outcome."""
    before: dict[int, list[int]] = {}
    ends = set()
    for state, actions in table.items():
        for [(_, after, _, over)] in actions.values():
            before.setdefault(int(after), []).append(int(state))
            if over:
                ends.add(int(after))
    left = dict.fromkeys(ends, 0)
    queue = deque(ends)
    while queue:
        state = queue.popleft()
        for earlier in before.get(state, ()):
            if earlier not in left:
                left[earlier] = left[state] + 1
                queue.append(earlier)
    return left
