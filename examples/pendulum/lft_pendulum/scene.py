"""A bob on a rod, and the centre line that it crosses."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from manim import Circle, Rectangle, VMobject

from lft.counting.rendering.visual import State
from lft.renderers.base import EventScene, Points, blend, filled
from lft_pendulum.look import PendulumLook


class Pendulum(EventScene):
    """The line and the pivot are fixed; rod and bob turn about the pivot."""

    domain = "pendulum"

    @property
    def look(self) -> PendulumLook:
        assert isinstance(self.schedule.look, PendulumLook)
        return self.schedule.look

    def draw_fixed(self) -> Sequence[VMobject]:
        """The centre line, from the pivot to below the bob, and the pivot."""
        look = self.look
        length = look.length + look.bob_radius + 0.5
        line = filled(Rectangle(width=0.08, height=length), blend(look.background, "#FFFFFF", 0.45))
        line.points = line.points + np.array([look.pivot[0], look.pivot[1] - length / 2, 0.0])
        pivot = filled(Circle(radius=0.14), look.rod_colour)
        pivot.points = pivot.points + np.array([*look.pivot, 0.0])
        return [line, pivot]

    def draw_moving(self) -> Sequence[VMobject]:
        """The rod and the bob, hanging straight down from the origin."""
        look = self.look
        rod = filled(Rectangle(width=0.07, height=look.length), look.rod_colour)
        rod.points = rod.points + np.array([0.0, -look.length / 2, 0.0])
        bob = filled(Circle(radius=look.bob_radius), look.bob_colour)
        bob.points = bob.points + np.array([0.0, -look.length, 0.0])
        self._hanging = [np.array(rod.points), np.array(bob.points)]
        return [rod, bob]

    def points_in(self, state: State) -> Sequence[Points]:
        """Both turned about the pivot, by a share of the largest angle; right is positive."""
        assert isinstance(state, float)
        angle = math.radians(self.look.swing_deg * state)
        turn = np.array(
            [
                [math.cos(angle), -math.sin(angle), 0.0],
                [math.sin(angle), math.cos(angle), 0.0],
                [0.0, 0.0, 1.0],
            ]
        )
        return [points @ turn.T + np.array([*self.look.pivot, 0.0]) for points in self._hanging]
