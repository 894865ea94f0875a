"""Four labelled nodes, one of them highlighted. Every switch of the highlight is one event."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
from manim import Circle, Line, RegularPolygon, Square, VMobject

from lft.counting.domains.state_machine.look import StateLook
from lft.counting.rendering.visual import State
from lft.renderers.base import EventScene, Points, blend, filled, outlined
from lft.renderers.glyphs import glyph, glyph_points

_LABEL_HEIGHT = 0.72  # of the node's radius
_LABEL_WEIGHT = 9.0


class StateMachine(EventScene):
    """All nodes in their resting colour are fixed; the highlighted one is drawn over its place."""

    domain = "state_machine"

    @property
    def look(self) -> StateLook:
        assert isinstance(self.schedule.look, StateLook)
        return self.schedule.look

    def draw_fixed(self) -> Sequence[VMobject]:
        """The links, then the nodes with their labels."""
        look = self.look
        shapes: list[VMobject] = []
        for a, b in itertools.combinations(look.positions, 2):
            link = Line((*a, 0.0), (*b, 0.0))
            link.set_stroke(blend(look.background, look.node_colour, 0.28), 3)
            shapes.append(link)
        for label, place in zip(look.labels, look.positions, strict=True):
            body = blend(look.background, look.node_colour, 0.16)
            shapes.append(
                outlined(self._node(place, 1.0), blend(look.background, look.node_colour, 0.7), 4, body)
            )
            shapes.append(
                glyph(label, place, look.node_radius * _LABEL_HEIGHT, look.node_colour, _LABEL_WEIGHT)
            )
        return shapes

    def draw_moving(self) -> Sequence[VMobject]:
        """A halo, the bright node, its label in the background's colour."""
        look = self.look
        label, place = look.labels[0], look.positions[0]
        return [
            filled(self._node(place, 1.28), look.highlight_colour, 0.25),
            outlined(
                self._node(place, 1.0),
                blend(look.highlight_colour, "#FFFFFF", 0.55),
                5,
                look.highlight_colour,
            ),
            glyph(label, place, look.node_radius * _LABEL_HEIGHT, look.background, _LABEL_WEIGHT),
        ]

    def points_in(self, state: State) -> Sequence[Points]:
        """The bright node at the place of the label `state`."""
        look = self.look
        assert isinstance(state, str)
        place = look.positions[look.labels.index(state)]
        letter = glyph_points(state, place, look.node_radius * _LABEL_HEIGHT)
        return [self._node(place, 1.28).points, self._node(place, 1.0).points, letter]

    def _node(self, place: tuple[float, float], scale: float) -> VMobject:
        radius = self.look.node_radius * scale
        shape: VMobject
        if self.look.node_shape == "circle":
            shape = Circle(radius=radius)
        elif self.look.node_shape == "square":
            shape = Square(side_length=radius * 1.8)
        else:
            shape = RegularPolygon(6, radius=radius * 1.06)
        shape.points = shape.points + np.array([*place, 0.0])
        return shape
