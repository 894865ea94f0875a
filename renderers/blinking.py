"""One object, an outline while it is off, bright while it is on. Every turn to on is one event."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from manim import Circle, VMobject

from lft.counting.domains.blinking.look import BlinkLook
from lft.counting.rendering.visual import State
from lft.renderers.base import EventScene, Points, blend, filled, outlined

_CORNERS = {"square": 4, "triangle": 3, "diamond": 4, "hexagon": 6, "star": 5}


class Blinking(EventScene):
    """The outline is fixed; the bright object covers it while it is on."""

    domain = "blinking"

    @property
    def look(self) -> BlinkLook:
        assert isinstance(self.schedule.look, BlinkLook)
        return self.schedule.look

    def draw_fixed(self) -> Sequence[VMobject]:
        """The object while it is off."""
        look = self.look
        line = blend(look.background, look.colour, 0.5)
        return [outlined(self._object(1.0), line, 5, blend(look.background, look.colour, 0.08))]

    def draw_moving(self) -> Sequence[VMobject]:
        """A halo in two steps and the object while it is on."""
        look = self.look
        shapes = [
            filled(self._object(1.22), look.colour, 0.12),
            filled(self._object(1.11), look.colour, 0.2),
            outlined(self._object(1.0), blend(look.colour, "#FFFFFF", 0.5), 5, look.colour),
        ]
        self._on = [np.array(shape.points) for shape in shapes]
        return shapes

    def points_in(self, state: State) -> Sequence[Points]:
        """All of it, or nothing."""
        return self._on if state else [np.zeros((0, 3))] * len(self._on)

    def _object(self, scale: float) -> VMobject:
        look = self.look
        centre = np.array([*look.centre, 0.0])
        radius = look.radius * scale
        if look.shape == "circle":
            circle = Circle(radius=radius)
            circle.points = circle.points + centre
            return circle
        turn = math.radians(look.turn_deg / 2 if look.shape == "diamond" else look.turn_deg)
        start = turn + math.radians(45 if look.shape == "square" else 90)
        along, across = np.array(
            [[math.cos(start), math.sin(start), 0], [-math.sin(start), math.cos(start), 0]]
        )
        count = _CORNERS[look.shape]
        radii = np.array([radius, radius * 0.48] * count if look.shape == "star" else [radius] * count)
        stretch = 1.25 if look.shape == "diamond" else 1.0
        angles = 2 * np.pi * np.arange(len(radii)) / len(radii)
        x, y = radii * np.cos(angles) * stretch, radii * np.sin(angles) / stretch
        corners = centre + np.outer(x, along) + np.outer(y, across)
        shape = VMobject()
        shape.set_points_as_corners([*corners, corners[0]])
        return shape
