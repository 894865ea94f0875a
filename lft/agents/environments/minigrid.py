"""MiniGrid: LavaCrossing and UnlockPickup seen from above, MultiRoom through the figure's own eyes."""

from __future__ import annotations

import copy
from collections import deque
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from lft.agents.environments.base import EnvironmentSpec, Picture
from lft.agents.environments.game import Game
from lft.core.records import Entries

_HERE = "lft.agents.environments.minigrid"
_MOVES = ("TURN_LEFT", "TURN_RIGHT", "FORWARD")

LAVA_CROSSING = EnvironmentSpec(
    name="lava_crossing",
    title="MiniGrid Lava Crossing",
    family="minigrid",
    place=f"{_HERE}:LavaCrossing",
    actions=_MOVES,
    noop=None,
    rules={
        "basic": "Each action is one quarter turn on the spot or one step ahead. A step against a wall does "
        "nothing.",
        "detailed": "You are the red triangle; its tip shows which way you look. TURN_LEFT and TURN_RIGHT "
        "turn you on the spot by a quarter, FORWARD takes you one square ahead; against a wall it does "
        "nothing. Reach the green square, which ends the game with a win. Orange squares with waves are lava: "
        "whoever steps on one has lost. Each stripe of lava has one gap; you have to go through the gaps.",
    },
    measures={
        "reached": "1 once the green square is reached",
        "progress": "share of the squares of the shortest way that are behind the figure, at its best, 0..1",
    },
    frame_skip=1,
    hold=1,
    decisions=40,
    memory="single",
    dynamics="static",
    why="One picture shows the whole way; one wrong step into what is not said to be dangerous ends it.",
)

UNLOCK_PICKUP = EnvironmentSpec(
    name="unlock_pickup",
    title="MiniGrid Unlock Pickup",
    family="minigrid",
    place=f"{_HERE}:UnlockPickup",
    actions=(*_MOVES, "PICKUP", "DROP", "TOGGLE"),
    noop=None,
    rules={
        "basic": "Each action is one quarter turn on the spot, one step ahead, or something done to the "
        "square ahead. What the figure carries is not drawn; it carries one thing at most. An action that is "
        "not possible does nothing.",
        "detailed": "You are the red triangle; its tip shows which way you look. TURN_LEFT and TURN_RIGHT "
        "turn you on the spot by a quarter, FORWARD takes you one square ahead. PICKUP, DROP and TOGGLE act "
        "on the square ahead of you. Pick up the box in the other room: that ends the game with a win. The "
        "door between the rooms is locked: PICKUP the key, stand before the door and TOGGLE it. You carry one "
        "thing at most, and what you carry is not drawn: DROP the key on an empty square before you pick up "
        "the box. TOGGLE on the box destroys it, and with it every chance to win. An action that is not "
        "possible does nothing.",
    },
    measures={
        "key": "1 once the key was carried",
        "door": "1 once the door was open",
        "entered": "1 once the figure stood in the door, or behind it",
        "reached": "1 once the box is carried",
    },
    frame_skip=1,
    hold=1,
    decisions=60,
    memory="single",
    dynamics="static",
    why="Four steps that build on each other, and that the hands must be empty is shown, not seen.",
)

MULTI_ROOM = EnvironmentSpec(
    name="multi_room",
    title="MiniGrid Multi Room",
    family="minigrid",
    place=f"{_HERE}:MultiRoom",
    actions=(*_MOVES, "TOGGLE"),
    noop=None,
    rules={
        "basic": "The picture is what the figure at the bottom middle sees ahead of it: 7 by 7 squares, and "
        "nothing behind walls or closed doors. Each action is one quarter turn on the spot, one step ahead, "
        "or something done to the square ahead. An action that is not possible does nothing.",
        "detailed": "You are the red triangle at the bottom middle and look up; the picture turns with you "
        "and shows 7 by 7 squares ahead of you, and nothing behind walls or closed doors. TURN_LEFT and "
        "TURN_RIGHT turn you on the spot by a quarter, FORWARD takes you one square ahead; a wall or a closed "
        "door stops you. TOGGLE opens or closes the door right ahead of you. Go through the rooms, one after "
        "the other, and step onto the green square in the last one: that ends the game with a win. Doors are "
        "coloured squares in a wall; none is locked.",
    },
    measures={
        "reached": "1 once the green square is reached",
        "rooms": "rooms that were entered, without the first",
    },
    frame_skip=1,
    hold=1,
    decisions=80,
    memory="several",
    dynamics="static",
    why="Each picture shows a part; where the figure has been has to be kept in mind.",
    options={"rooms": 4, "size": 5},
)

SPECS = (LAVA_CROSSING, UNLOCK_PICKUP, MULTI_ROOM)

_FACING = ("right", "down", "left", "up")  # by minigrid's number of a direction
_AHEAD = ((1, 0), (0, 1), (-1, 0), (0, -1))

Square = tuple[int, int]


class _Situation(NamedTuple):
    """All that moves in a MiniGrid, for planning."""

    square: Square
    direction: int
    hands: str  # what is carried: "", "key" or "box"
    doors: tuple[tuple[Square, str], ...]  # "open", "closed" or "locked"
    key: Square | None  # where it lies
    box: Square | None


class _MiniGrid(Game[dict[str, object]]):
    """A game on a grid. Subclasses say how it is made and drawn, described and counted."""

    def __init__(self, spec: EnvironmentSpec) -> None:
        super().__init__(spec)
        self._game = self._make()
        self._plans: dict[tuple[frozenset[Square], Square | None], dict[_Situation, str]] = {}

    def _make(self) -> Any:
        raise NotImplementedError

    def _count(self) -> None:
        raise NotImplementedError

    def _start(self, seed: int) -> None:
        self._game.reset(seed=seed)
        self._forget()

    def _play(self, action: str) -> None:
        _, _, over, _, _ = self._game.step(_NUMBER[action])
        self._count()
        if over:
            self._end = "victory" if self._measures["reached"] else "terminated"

    def picture(self) -> Picture:
        return np.array(self._game.get_frame(highlight=False, agent_pov=False), np.uint8)

    _KEPT: tuple[str, ...] = ("grid", "agent_pos", "agent_dir", "carrying")  # what a step changes

    def _kept(self) -> dict[str, object]:
        return copy.deepcopy({name: getattr(self._game, name) for name in self._KEPT})

    def _take_back(self, kept: dict[str, object]) -> None:
        for name, value in copy.deepcopy(kept).items():
            setattr(self._game, name, value)
        self._forget()

    def _forget(self) -> None:
        """What was read of the grid."""
        for name in ("_floor", "_left"):
            self.__dict__.pop(name, None)

    # The grid in numbers

    def _square(self) -> Square:
        x, y = self._game.agent_pos
        return int(x), int(y)

    def _things(self) -> Iterator[tuple[Square, Any]]:
        for y in range(self._game.height):
            for x in range(self._game.width):
                thing = self._game.grid.get(x, y)
                if thing is not None:
                    yield (x, y), thing

    @cached_property
    def _floor(self) -> frozenset[Square]:
        """The squares that can be stood on, but for doors, keys and boxes."""
        grid = self._game.grid
        squares = ((x, y) for x in range(self._game.width) for y in range(self._game.height))
        return frozenset(s for s in squares if (t := grid.get(*s)) is None or t.type not in ("wall", "lava"))

    def _situation(self) -> _Situation:
        lying: dict[str, Square] = {}
        doors = []
        for square, thing in self._things():
            if thing.type == "door":
                doors.append((square, "open" if thing.is_open else "locked" if thing.is_locked else "closed"))
            elif thing.type in ("key", "box"):
                lying[thing.type] = square
        hands = self._game.carrying.type if self._game.carrying else ""
        return _Situation(
            self._square(), int(self._game.agent_dir), hands, tuple(doors), lying.get("key"), lying.get("box")
        )

    def state(self) -> Entries:
        now = self._situation()
        return {
            "column": now.square[0],
            "row": now.square[1],
            "facing": _FACING[now.direction],
            "carries": now.hands or None,
            "doors": [[*square, how] for square, how in now.doors],
            "key": now.key and list(now.key),
            "box": now.box and list(now.box),
        }

    def expert(self) -> str:
        """The next action of a shortest way, found breadth first."""
        now, goal = self._situation(), self._goal()
        plan = self._plans.setdefault((self._floor, goal), {})
        if now not in plan:
            plan |= _shortest(now, self._floor, goal, self.spec.actions)
        return plan.get(now, self.spec.actions[0])

    def _goal(self) -> Square | None:
        """The square to reach; None: the box is to be carried."""
        return next((square for square, thing in self._things() if thing.type == "goal"), None)

    def _described_figure(self) -> str:
        x, y = self._square()
        return f"The figure is in {_place((x, y))} and looks {_FACING[int(self._game.agent_dir)]}."


_NUMBER = {"TURN_LEFT": 0, "TURN_RIGHT": 1, "FORWARD": 2, "PICKUP": 3, "DROP": 4, "TOGGLE": 5}


class LavaCrossing(_MiniGrid):
    """MiniGrid's LavaCrossing, 9 by 9 squares with two stripes of lava, from above.

    >>> game = LavaCrossing(LAVA_CROSSING)
    >>> game.reset(0)
    >>> game.picture().shape, game.state()["facing"]
    ((288, 288, 3), 'right')
    >>> while not game.end:
    ...     game.step(game.expert())
    >>> game.end, dict(game.measures)
    ('victory', {'reached': 1.0, 'progress': 1.0})
    """

    def _make(self) -> Any:
        from minigrid.envs.crossing import CrossingEnv

        return CrossingEnv(size=9, num_crossings=2, render_mode="rgb_array")

    @cached_property
    def _left(self) -> dict[Square, int]:
        """Square -> steps to the goal."""
        return _squares_left(self._floor, self._goal())

    def _count(self) -> None:
        left = self._left.get(self._square())
        if left is not None:
            counts = self._measures
            counts["progress"] = max(counts["progress"], 1 - left / self._left[1, 1])
            counts["reached"] = float(left == 0)

    def state(self) -> Entries:
        now = self._situation()
        lava = [list(square) for square, thing in self._things() if thing.type == "lava"]
        return {"column": now.square[0], "row": now.square[1], "facing": _FACING[now.direction], "lava": lava}

    def words(self) -> str:
        lava: dict[int, list[int]] = {}
        for (x, y), thing in self._things():
            if thing.type == "lava":
                lava.setdefault(y, []).append(x)
        rows = " ".join(f"Row {y}: lava in {_columns(xs)}." for y, xs in lava.items())
        return (
            "The floor has 7 rows from the top and 7 columns from the left, with walls around. "
            f"{self._described_figure()} The green square is in {_place((7, 7))}. {rows}"
        )


class UnlockPickup(_MiniGrid):
    """MiniGrid's UnlockPickup, from above.

    >>> game = UnlockPickup(UNLOCK_PICKUP)
    >>> game.reset(0)
    >>> while not game.end:
    ...     game.step(game.expert())
    >>> game.end, dict(game.measures)
    ('victory', {'key': 1.0, 'door': 1.0, 'entered': 1.0, 'reached': 1.0})
    """

    _KEPT = (*_MiniGrid._KEPT, "obj")  # what is to be carried, by identity

    def _make(self) -> Any:
        from minigrid.envs.unlockpickup import UnlockPickupEnv

        return UnlockPickupEnv(render_mode="rgb_array")

    def _count(self) -> None:
        now = self._situation()
        [((door, _), how)] = [((square, None), how) for square, how in now.doors]
        happened = {
            "key": now.hands == "key",
            "door": how == "open",
            "entered": now.square[0] >= door[0],
            "reached": now.hands == "box",
        }
        for name, true in happened.items():
            self._measures[name] = max(self._measures[name], float(true))

    def words(self) -> str:
        now = self._situation()
        colours = {thing.type: thing.color for _, thing in self._things()}
        [(door, how)] = now.doors
        key = f"The key lies in {_place(now.key)}." if now.key else "The figure carries the key."
        hands = " The figure carries nothing." if not now.hands else ""
        box = f"lies in {_place(now.box)}" if now.box else "is carried" if now.hands == "box" else "is gone"
        return (
            "There are two rooms of 4 rows and 4 columns: columns 1 to 4 and columns 6 to 9, counted from the "
            f"left, rows 1 to 4 from the top. {self._described_figure()} The {colours['door']} door in "
            f"{_place(door)} is {how}. {key}{hands} The box {box}."
        )


class MultiRoom(_MiniGrid):
    """MiniGrid's MultiRoom with 4 rooms, through the figure's eyes.

    >>> game = MultiRoom(MULTI_ROOM)
    >>> game.reset(0)
    >>> game.picture().shape
    (224, 224, 3)
    >>> while not game.end:
    ...     game.step(game.expert())
    >>> game.end, dict(game.measures)
    ('victory', {'reached': 1.0, 'rooms': 3.0})
    """

    _KEPT = (*_MiniGrid._KEPT, "rooms")

    def _make(self) -> Any:
        from minigrid.envs.multiroom import MultiRoomEnv

        rooms = int(self.spec.options["rooms"])
        return MultiRoomEnv(rooms, rooms, maxRoomSize=int(self.spec.options["size"]), render_mode="rgb_array")

    def picture(self) -> Picture:
        return np.array(self._game.get_frame(agent_pov=True), np.uint8)

    def _count(self) -> None:
        x, y = self._square()
        counts = self._measures
        for number, room in enumerate(self._game.rooms):
            (left, top), (width, height) = room.top, room.size
            if left < x < left + width - 1 and top < y < top + height - 1:
                counts["rooms"] = max(counts["rooms"], float(number))
        counts["reached"] = float((x, y) == self._goal())

    def state(self) -> Entries:
        now = self._situation()
        goal = self._goal()
        return {
            "column": now.square[0],
            "row": now.square[1],
            "facing": _FACING[now.direction],
            "doors": [[*square, how] for square, how in now.doors],
            "goal": goal and list(goal),
        }

    def words(self) -> str:
        """What the picture shows, as seen by the figure."""
        grid, seen = self._game.gen_obs_grid()
        size = self._game.agent_view_size
        free, told = [], []
        for up in range(size):
            for x in range(size):
                across, y = x - size // 2, size - 1 - up
                if not seen[x, y] or (across, up) == (0, 0):
                    continue
                thing = grid.get(x, y)
                if thing is None:
                    free.append((across, up))
                elif thing.type == "door":
                    how = "an open" if thing.is_open else "a closed"
                    told.append(f"There is {how} {thing.color} door {_seen_at(across, up)}.")
                elif thing.type == "goal":
                    told.append(f"The green square is {_seen_at(across, up)}.")
        floor = (
            f"Free floor: {'; '.join(_seen_at(*square) for square in free)}."
            if free
            else "No free floor is seen."
        )
        return " ".join([floor, *(told or ["No door and no green square is seen."])])


def _place(square: Square) -> str:
    return f"row {square[1]}, column {square[0]}"


def _columns(columns: list[int]) -> str:
    return f"column {columns[0]}" if len(columns) == 1 else f"columns {', '.join(map(str, columns))}"


def _seen_at(across: int, up: int) -> str:
    """Where a square is, from the figure.

    >>> _seen_at(-2, 1), _seen_at(0, 3), _seen_at(1, 0)
    ('1 ahead and 2 left', '3 ahead', '1 right')
    """
    side = f"{abs(across)} {'right' if across > 0 else 'left'}" if across else ""
    return " and ".join(part for part in (f"{up} ahead" if up else "", side) if part)


def _squares_left(floor: frozenset[Square], goal: Square | None) -> dict[Square, int]:
    """Square -> steps to the goal on a floor."""
    left = {goal: 0} if goal else {}
    queue = deque(left)
    while queue:
        x, y = square = queue.popleft()
        for dx, dy in _AHEAD:
            near = (x + dx, y + dy)
            if near in floor and near not in left:
                left[near] = left[square] + 1
                queue.append(near)
    return left


def _shortest(
    now: _Situation, floor: frozenset[Square], goal: Square | None, actions: tuple[str, ...]
) -> dict[_Situation, str]:
    """Situation -> action along a shortest way to the goal square, or to the box in hand; empty if there is none."""
    came: dict[_Situation, tuple[_Situation, str] | None] = {now: None}
    queue = deque([now])
    while queue:
        here = queue.popleft()
        if here.square == goal if goal else here.hands == "box":
            return dict(_back(came, here))
        for action in actions:
            after = _after(here, action, floor)
            if after is not None and after not in came:
                came[after] = here, action
                queue.append(after)
    return {}


def _back(
    came: Mapping[_Situation, tuple[_Situation, str] | None], last: _Situation
) -> Iterator[tuple[_Situation, str]]:
    step = came[last]
    while step:
        yield step
        step = came[step[0]]


def _after(s: _Situation, action: str, floor: frozenset[Square]) -> _Situation | None:
    """What an action makes of a situation; None where it does nothing or harm."""
    if action in ("TURN_LEFT", "TURN_RIGHT"):
        return s._replace(direction=(s.direction + (1 if action == "TURN_RIGHT" else -1)) % 4)
    dx, dy = _AHEAD[s.direction]
    ahead = (s.square[0] + dx, s.square[1] + dy)
    doors = dict(s.doors)
    empty = ahead in floor and ahead not in (s.key, s.box) and doors.get(ahead, "open") == "open"
    if action == "FORWARD":
        return s._replace(square=ahead) if empty else None
    if action == "PICKUP" and not s.hands:
        if ahead == s.key:
            return s._replace(hands="key", key=None)
        if ahead == s.box:
            return s._replace(hands="box", box=None)
    if action == "DROP" and s.hands == "key" and empty and ahead not in doors:
        return s._replace(hands="", key=ahead)
    if action == "TOGGLE" and (
        doors.get(ahead) == "closed" or (doors.get(ahead) == "locked" and s.hands == "key")
    ):
        return s._replace(doors=tuple((d, "open" if d == ahead else how) for d, how in s.doors))
    return None
