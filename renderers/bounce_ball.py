"""A ball between two walls. Every touch of a wall is one event; the ball touches in that frame only."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from manim import Circle, VMobject

from lft.counting.domains.bounce_ball.look import BounceLook
from lft.counting.rendering.visual import State
from lft.renderers.base import EventScene, Points, blend, filled

_WALL_THICKNESS = 0.22


class BounceBall(EventScene):
    """Two parallel walls, fixed, and a ball."""

    domain = "bounce_ball"

    @property
    def look(self) -> BounceLook:
        assert isinstance(self.schedule.look, BounceLook)
        return self.schedule.look

    def draw_fixed(self) -> Sequence[VMobject]:
        """The first wall and the second."""
        return [filled(self._wall(side), self.look.wall_colour) for side in (-1, 1)]

    def draw_moving(self) -> Sequence[VMobject]:
        """The ball and the light on it."""
        look = self.look
        ball = filled(Circle(radius=look.ball_radius), look.ball_colour)
        light = filled(Circle(radius=look.ball_radius * 0.3), blend(look.ball_colour, "#FFFFFF", 0.6), 0.75)
        light.points = light.points + look.ball_radius * np.array([-0.32, 0.36, 0.0])
        self._bases = [np.array(ball.points), np.array(light.points)]
        return [ball, light]

    def points_in(self, state: State) -> Sequence[Points]:
        """The ball where it touches the first wall (0), the second (1), or in between."""
        assert isinstance(state, Fraction)
        along = float(state - Fraction(1, 2)) * self.look.travel
        centre = np.array([*self.look.centre, 0.0]) + along * self._direction()
        return [base + centre for base in self._bases]

    def _direction(self) -> Points:
        angle = math.radians(self.look.angle_deg)
        return np.array([math.cos(angle), math.sin(angle), 0.0])

    def _wall(self, side: int) -> VMobject:
        """A bar whose inner face is tangent to the ball at the end of its travel on that side."""
        look = self.look
        lean = math.radians(look.angle_deg + look.lean_deg)
        normal = side * np.array([math.cos(lean), math.sin(lean), 0.0])
        face = np.array([-normal[1], normal[0], 0.0])
        ball_centre = np.array([*look.centre, 0.0]) + side * look.travel / 2 * self._direction()
        touch = ball_centre + look.ball_radius * normal
        half = look.wall_length / 2 * face
        wall = VMobject()
        corners = [
            touch + half,
            touch - half,
            touch - half + _WALL_THICKNESS * normal,
            touch + half + _WALL_THICKNESS * normal,
        ]
        wall.set_points_as_corners([*corners, corners[0]])
        return wall
