"""The node labels as shapes, so that no picture depends on the fonts of a machine.

Each letter is one stroke path or several, in a box from (-0.5, -0.5) to (0.5, 0.5); curves are arcs given by
centre, radii and angles. Own drawings, no font's outlines.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from manim import VMobject
from manim.constants import CapStyleType, LineJointType

Path = list[tuple[float, float]]


def _arc(x: float, y: float, rx: float, ry: float, start_deg: float, end_deg: float, steps: int = 16) -> Path:
    angles = [math.radians(start_deg + (end_deg - start_deg) * i / steps) for i in range(steps + 1)]
    return [(x + rx * math.cos(a), y + ry * math.sin(a)) for a in angles]


GLYPHS: dict[str, list[Path]] = {
    "A": [[(-0.40, -0.50), (0.0, 0.50), (0.40, -0.50)], [(-0.26, -0.16), (0.26, -0.16)]],
    "B": [
        [(-0.32, -0.50), (-0.32, 0.50), (0.04, 0.50), *_arc(0.04, 0.26, 0.25, 0.24, 90, -90), (-0.32, 0.02)],
        [(0.04, 0.02), *_arc(0.06, -0.24, 0.29, 0.26, 90, -90), (-0.32, -0.50)],
    ],
    "C": [_arc(0.05, 0.0, 0.43, 0.50, 42, 318, 28)],
    "D": [
        [
            (-0.33, -0.50),
            (-0.33, 0.50),
            (-0.08, 0.50),
            *_arc(-0.08, 0.0, 0.43, 0.50, 90, -90, 24),
            (-0.33, -0.50),
        ]
    ],
}


def glyph_points(label: str, centre: Sequence[float], height: float) -> npt.NDArray[np.float64]:
    """The path of a letter, float64 (n, 3), `height` scene units high around `centre`."""
    shape = VMobject()
    for path in GLYPHS[label]:
        corners = [np.array([centre[0] + x * height, centre[1] + y * height, 0.0]) for x, y in path]
        shape.start_new_path(corners[0])
        shape.add_points_as_corners(corners[1:])
    return np.array(shape.points)


def glyph(label: str, centre: Sequence[float], height: float, colour: str, weight: float) -> VMobject:
    """A letter as a stroked shape; `weight` is the line's width in Manim's hundredths of a unit."""
    shape = VMobject(stroke_color=colour, stroke_width=weight, fill_opacity=0)
    shape.joint_type = LineJointType.ROUND
    shape.cap_style = CapStyleType.ROUND
    shape.points = glyph_points(label, centre, height)
    return shape
