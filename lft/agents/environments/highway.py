"""A motorway with traffic, of highway-env."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

from lft.agents.environments.base import EnvironmentSpec, Picture
from lft.agents.environments.game import PYGAME, Game
from lft.core.records import Entries

HIGHWAY = EnvironmentSpec(
    name="highway",
    title="Highway",
    family="highway",
    place="lft.agents.environments.highway:Highway",
    actions=("LANE_LEFT", "IDLE", "LANE_RIGHT", "FASTER", "SLOWER"),  # in highway-env's order
    noop="IDLE",
    rules={
        "basic": "Each action lasts for one second. The car keeps its lane and the speed that was set until "
        "another action changes them; it can be set to 20, 25 and 30 metres per second.",
        "detailed": "You are the green car and drive to the right on a road of three lanes; the picture moves "
        "with you. Overtake as many of the blue cars as you can, without touching one: a crash ends the game. "
        "Each action lasts for one second. LANE_LEFT changes to the lane above in the picture, LANE_RIGHT to "
        "the one below. FASTER and SLOWER set the speed one step up or down (20, 25, 30 metres per second), "
        "IDLE leaves everything as it is. The blue cars drive at 15 to 25 metres per second, and change "
        "lanes, too. To stay slow is safe, but overtakes nobody.",
    },
    measures={
        "overtaken": "cars that were ahead at the start and are behind",
        "crashed": "1 after a crash",
    },
    frame_skip=1,
    hold=1,
    decisions=30,
    memory="several",
    dynamics="dynamic",
    why="Waiting is safe and worth nothing; what is far away at the start decides within twenty seconds.",
)

SPECS = (HIGHWAY,)

_SIZE, _SCALE, _CENTRE = (600, 150), 5.5, (0.3, 0.5)  # highway-env's own
_IN_SIGHT = (-32.0, 76.0)  # metres behind and ahead of the car that the picture shows
_FRAMES = 5  # of the simulation, in a second
_BEFORE = 90.0  # metres ahead that the expert looks at


class Highway(Game[tuple[object, tuple[bool, ...]]]):
    """highway-env's highway-fast. The seed places the cars.

    >>> game = Highway(HIGHWAY)
    >>> game.reset(0)
    >>> game.picture().shape, game.state()["lane"], game.state()["speed"]
    ((150, 600, 3), 3, 25.0)
    """

    def __init__(self, spec: EnvironmentSpec) -> None:
        import pygame
        from highway_env.envs.highway_env import HighwayEnvFast
        from highway_env.road.graphics import WorldSurface

        super().__init__(spec)
        self._game: Any = HighwayEnvFast()
        # highway-env's own viewer would open a display; and it draws nothing where there is none.
        self._surface = WorldSurface(_SIZE, 0, pygame.Surface(_SIZE))
        self._surface.scaling, self._surface.centering_position = _SCALE, _CENTRE
        self._ahead: tuple[bool, ...] = ()

    def _start(self, seed: int) -> None:
        self._game.reset(seed=seed)
        self._ahead = tuple(metres > 0 for metres in self._metres())

    def _play(self, action: str) -> None:
        _, _, over, _, _ = self._game.step(self.spec.actions.index(action))
        passed = [was and now < 0 for was, now in zip(self._ahead, self._metres(), strict=True)]
        self._measures = {"overtaken": float(sum(passed)), "crashed": float(over)}
        if over:
            self._end = "terminated"

    def _metres(self) -> list[float]:
        """How far each car of the road is ahead; 0 for the player's own."""
        here = self._game.vehicle.position[0]
        return [float(car.position[0] - here) for car in self._game.road.vehicles]

    def picture(self) -> Picture:
        import pygame
        from highway_env.road.graphics import RoadGraphics

        road = self._game.road
        with PYGAME:
            self._surface.move_display_window_to(self._game.vehicle.position)
            RoadGraphics.display(road, self._surface)
            RoadGraphics.display_traffic(road, self._surface, offscreen=True)
            return np.array(np.moveaxis(pygame.surfarray.array3d(self._surface), 0, 1), np.uint8)

    def state(self) -> Entries:
        own = self._game.vehicle
        cars = [
            {"lane": _lane(car), "metres_ahead": round(metres, 1), "speed": round(float(car.speed), 1)}
            for car, metres in zip(self._game.road.vehicles, self._metres(), strict=True)
            if car is not own and _IN_SIGHT[0] < metres < _IN_SIGHT[1]
        ]
        return {
            "lane": _lane(own),
            "speed": round(float(own.speed), 1),
            "speed_set": float(own.target_speed),
            "cars": sorted(cars, key=lambda car: (car["metres_ahead"], car["lane"])),
            "overtaken": int(self._measures["overtaken"]),
            "crashed": bool(own.crashed),
        }

    def words(self) -> str:
        now = self.state()
        said = [
            "Lanes are counted from the top, 1 to 3; distances are between middles of cars, each 5 metres "
            "long.",
            f"The green car is in lane {now['lane']} and drives at {now['speed']:.0f} metres per second, set "
            f"to {now['speed_set']:.0f}.",
        ]
        for car in now["cars"]:
            metres = car["metres_ahead"]
            where = f"{abs(metres):.0f} metres {'ahead' if metres > 0 else 'behind'}"
            said.append(f"A car in lane {car['lane']}, {where}, drives at {car['speed']:.0f}.")
        said.append(f"Cars overtaken: {now['overtaken']}.")
        if now["crashed"]:
            said.append("The green car has crashed.")
        return " ".join(said)

    def expert(self) -> str:
        """Tries every action, and what could follow, on copies of the road nearby; takes what gets farthest unhurt."""
        if self._end:
            return "IDLE"
        road = copy.deepcopy(self._game)
        here = road.vehicle.position[0]
        near = [car for car in road.road.vehicles if -30 < car.position[0] - here < _BEFORE]
        road.road.vehicles = near
        return max(_ORDER, key=lambda action: self._worth(road, action))

    def _worth(self, road: Any, action: str) -> float:
        """Metres after the best of some ways to go on for three seconds; far below 0 where all end in a crash."""
        begun = self._driven(road, (action,))
        if begun.vehicle.crashed:
            return -2000.0
        ends = (self._driven(begun, rest).vehicle for rest in _ON)
        return max(-1000.0 if car.crashed else float(car.position[0]) for car in ends)

    def _driven(self, road: Any, actions: tuple[str, ...]) -> Any:
        """A copy of the road after some seconds, or after a crash."""
        road = copy.deepcopy(road)
        for action in actions:
            road.action_type.act(self.spec.actions.index(action))
            for _ in range(_FRAMES):
                if not road.vehicle.crashed:
                    road.road.act()
                    road.road.step(1 / _FRAMES)
        return road

    def _kept(self) -> tuple[object, tuple[bool, ...]]:
        return copy.deepcopy(self._game), self._ahead

    def _take_back(self, kept: tuple[object, tuple[bool, ...]]) -> None:
        self._game, self._ahead = copy.deepcopy(kept[0]), kept[1]


_ORDER = ("FASTER", "IDLE", "LANE_LEFT", "LANE_RIGHT", "SLOWER")  # the expert's, among equals
_ON = (
    ("FASTER", "IDLE", "IDLE"),
    ("LANE_LEFT", "IDLE", "IDLE"),
    ("LANE_RIGHT", "IDLE", "IDLE"),
    ("SLOWER", "SLOWER", "IDLE"),
)


def _lane(car: Any) -> int:
    """The lane that a car is in, 1 to 3 from the top."""
    return int(car.lane_index[2]) + 1
