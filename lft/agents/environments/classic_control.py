"""Classic control: CartPole, Acrobot and MountainCar of gymnasium. A picture shows where things are, not how they
move.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lft.agents.environments.base import EnvironmentSpec, Picture
from lft.agents.environments.game import PYGAME, Game
from lft.core.records import Entries

_HERE = "lft.agents.environments.classic_control"

CART_POLE = EnvironmentSpec(
    name="cart_pole",
    title="Cart Pole",
    family="classic control",
    place=f"{_HERE}:CartPole",
    actions=("LEFT", "RIGHT"),  # in gymnasium's order
    noop=None,
    rules={
        "basic": "Each action pushes the cart with the same force for 0.04 seconds; there is no waiting. The "
        "game ends when the pole leans more than 12 degrees.",
        "detailed": "A pole is hinged on a cart that runs on a line without friction. Each action pushes the "
        "cart to one side with the same force for 0.04 seconds; there is no waiting. Keep the pole up until "
        "the steps are used up. The game is lost when the pole leans more than 12 degrees from upright, or "
        "the middle of the cart leaves the picture. Pushing the cart to the side to which the pole leans "
        "brings the pole back; how fast it already moves shows only in the change between pictures, so begin "
        "to push against it before it is upright.",
    },
    measures={"frames": "frames of 0.02 seconds for which the pole stayed up"},
    frame_skip=2,
    hold=2,
    decisions=60,
    memory="several",
    dynamics="dynamic",
    why="Losing is one wrong second away and plain to see; where the pole is going takes two pictures.",
)

ACROBOT = EnvironmentSpec(
    name="acrobot",
    title="Acrobot",
    family="classic control",
    place=f"{_HERE}:Acrobot",
    actions=("CLOCKWISE", "NOOP", "COUNTERCLOCKWISE"),  # in gymnasium's order
    noop="NOOP",
    rules={
        "basic": "Each action lasts for 0.4 seconds. Only the joint between the two links has a motor.",
        "detailed": "Two links hang from a fixed joint in the middle of the picture. Only the joint between "
        "the two has a motor: CLOCKWISE and COUNTERCLOCKWISE turn the lower link against the upper one for "
        "0.4 seconds, NOOP lets it swing. Bring the free end of the lower link above the black line; that "
        "ends the game with a win. The motor is too weak to lift it at once: swing it up, by turning the "
        "motor against the way in which the upper link moves.",
    },
    measures={
        "reached": "1 once the free end was above the line",
        "height": "height of the free end at its best, 0 hanging, 1 at the line",
    },
    frame_skip=2,
    hold=2,
    decisions=80,
    memory="several",
    dynamics="dynamic",
    why="What lifts the free end at once does not get it above the line; which way it swings takes two pictures.",
)

MOUNTAIN_CAR = EnvironmentSpec(
    name="mountain_car",
    title="Mountain Car",
    family="classic control",
    place=f"{_HERE}:MountainCar",
    actions=("LEFT", "NOOP", "RIGHT"),  # in gymnasium's order
    noop="NOOP",
    rules={
        "basic": "Each action lasts for 4 frames. The engine has the same force in both directions.",
        "detailed": "A car stands in a valley. LEFT and RIGHT drive with the same force for 4 frames, NOOP "
        "lets it roll. Reach the flag on the right hill; that ends the game with a win. The engine is too "
        "weak to climb from the bottom: drive the way in which the car already rolls, up one hill and then up "
        "the other, until it has speed enough.",
    },
    measures={
        "reached": "1 once the flag is reached",
        "progress": "share of the way from the bottom of the valley to the flag, at its best, 0..1",
    },
    frame_skip=4,
    hold=4,
    decisions=60,
    memory="several",
    dynamics="dynamic",
    why="Driving at the flag fails, and which way the car rolls takes two pictures.",
)

SPECS = (CART_POLE, ACROBOT, MOUNTAIN_CAR)


class _Control(Game[NDArray[np.float64]]):
    """A game whose state is a short vector."""

    def __init__(self, spec: EnvironmentSpec) -> None:
        super().__init__(spec)
        self._game = self._make()

    def _make(self) -> Any:
        raise NotImplementedError

    def _count(self, over: bool) -> None:
        raise NotImplementedError

    def _start(self, seed: int) -> None:
        self._game.reset(seed=seed)

    def _play(self, action: str) -> None:
        _, _, over, _, _ = self._game.step(self.spec.actions.index(action))
        self._count(bool(over))

    @property
    def _vector(self) -> list[float]:
        return [float(value) for value in self._game.state]

    def picture(self) -> Picture:
        with PYGAME:
            return np.array(self._game.render(), np.uint8)

    def _kept(self) -> NDArray[np.float64]:
        return np.array(self._game.state)

    def _take_back(self, kept: NDArray[np.float64]) -> None:
        self._game.state = kept.copy()


class CartPole(_Control):
    """gymnasium's CartPole.

    >>> game = CartPole(CART_POLE)
    >>> game.reset(0)
    >>> game.words().split(". ")[0]
    'The cart is 0.01 m right of the middle and moves left at 0.02 m/s'
    """

    def _make(self) -> Any:
        import pygame
        from gymnasium.envs.classic_control.cartpole import CartPoleEnv

        game: Any = CartPoleEnv(render_mode="rgb_array")
        game.screen = pygame.Surface((game.screen_width, game.screen_height))  # or it would open a display
        return game

    def _count(self, over: bool) -> None:
        if over:
            self._end = "terminated"
        else:
            self._measures["frames"] += 1.0

    def _take_back(self, kept: NDArray[np.float64]) -> None:
        super()._take_back(kept)
        self._game.steps_beyond_terminated = None

    def state(self) -> Entries:
        x, speed, angle, turning = self._vector
        return {
            "cart_m": round(x, 4),
            "cart_m_per_s": round(speed, 4),
            "pole_degrees": round(math.degrees(angle), 3),
            "pole_degrees_per_s": round(math.degrees(turning), 3),
        }

    def words(self) -> str:
        x, speed, angle, turning = self._vector
        return (
            f"The cart is {abs(x):.2f} m {_side(x)} of the middle and moves {_side(speed)} at {abs(speed):.2f} "
            f"m/s. The pole leans {abs(math.degrees(angle)):.1f} degrees {_side(angle)} and turns "
            f"{_side(turning)} at {abs(math.degrees(turning)):.1f} degrees per second."
        )

    def expert(self) -> str:
        """A linear rule: pole first, cart second."""
        x, speed, angle, turning = self._vector
        return "RIGHT" if 0.1 * x + 0.5 * speed + 10 * angle + 2 * turning > 0 else "LEFT"


class Acrobot(_Control):
    """gymnasium's Acrobot.

    >>> from lft.agents.play import decide
    >>> game = Acrobot(ACROBOT)
    >>> game.reset(0)
    >>> while not game.end:
    ...     decide(game, ACROBOT, game.expert())
    >>> game.end, dict(game.measures)
    ('victory', {'reached': 1.0, 'height': 1.0})
    """

    def _make(self) -> Any:
        import pygame
        from gymnasium.envs.classic_control.acrobot import AcrobotEnv

        game: Any = AcrobotEnv(render_mode="rgb_array")
        game.screen = pygame.Surface((game.SCREEN_DIM, game.SCREEN_DIM))  # or it would open a display
        return game

    def _height(self) -> float:
        """Of the free end above the fixed joint, in lengths of a link: -2..2. The line is at 1."""
        upper, lower, _, _ = self._vector
        return -math.cos(upper) - math.cos(upper + lower)

    def _count(self, over: bool) -> None:
        counts = self._measures
        counts["height"] = max(counts["height"], min((self._height() + 2) / 3, 1.0))
        if over:
            counts["reached"] = 1.0
            self._end = "victory"

    def state(self) -> Entries:
        upper, lower, upper_turning, lower_turning = (round(math.degrees(value), 2) for value in self._vector)
        return {
            "upper_degrees": upper,  # from hanging, counterclockwise
            "lower_degrees": lower,  # against the upper link
            "upper_degrees_per_s": upper_turning,
            "lower_degrees_per_s": lower_turning,
            "height": round(self._height(), 3),
        }

    def words(self) -> str:
        upper, lower, upper_turning, lower_turning = (math.degrees(value) for value in self._vector)
        return (
            f"The upper link hangs {abs(upper):.0f} degrees {_turn(upper)} from straight down and turns "
            f"{_turn(upper_turning)} at {abs(upper_turning):.0f} degrees per second. The lower link is bent "
            f"{abs(lower):.0f} degrees {_turn(lower)} against the upper one and turns {_turn(lower_turning)} "
            f"against it at {abs(lower_turning):.0f} degrees per second. The free end is {self._height():.2f} "
            "link lengths above the fixed joint, the line is at 1.00."
        )

    def expert(self) -> str:
        """Puts energy in: the motor works against the upper link's way."""
        return "CLOCKWISE" if self._vector[2] > 0 else "COUNTERCLOCKWISE"


class MountainCar(_Control):
    """gymnasium's MountainCar.

    >>> game = MountainCar(MOUNTAIN_CAR)
    >>> game.reset(0)
    >>> game.words()
    'The car is 0.05 right of the lowest point and stands still. The flag is 1.02 right of it.'
    """

    _BOTTOM = -math.pi / 6

    def _make(self) -> Any:
        import pygame
        from gymnasium.envs.classic_control.mountain_car import MountainCarEnv

        game: Any = MountainCarEnv(render_mode="rgb_array")
        game.screen = pygame.Surface((game.screen_width, game.screen_height))  # or it would open a display
        return game

    def _count(self, over: bool) -> None:
        counts = self._measures
        share = (self._vector[0] - self._BOTTOM) / (self._game.goal_position - self._BOTTOM)
        counts["progress"] = max(counts["progress"], min(share, 1.0))
        if over:
            counts["reached"] = 1.0
            self._end = "victory"

    def state(self) -> Entries:
        position, speed = self._vector
        return {"position": round(position, 4), "speed_per_frame": round(speed, 5)}

    def words(self) -> str:
        position, speed = self._vector
        place = position - self._BOTTOM
        rolls = f"rolls {_side(speed)} at {abs(speed):.3f} per frame" if speed else "stands still"
        return (
            f"The car is {abs(place):.2f} {_side(place)} of the lowest point and {rolls}. The flag is "
            f"{self._game.goal_position - self._BOTTOM:.2f} right of it."
        )

    def expert(self) -> str:
        """Drives the way in which the car rolls; from rest, uphill."""
        position, speed = self._vector
        return "RIGHT" if (speed or position - self._BOTTOM) > 0 else "LEFT"


def _side(value: float) -> str:
    return "right" if value > 0 else "left"


def _turn(value: float) -> str:
    return "counterclockwise" if value > 0 else "clockwise"
