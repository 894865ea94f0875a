"""What the three scenes share: a fixed part, a part that follows the visual state, and one clock.

A scene draws a `Schedule` and holds no randomness. Its state in a frame depends on the frame's index alone,
and `construct` is a single linear `play` over the whole clip, so the scene renders under plain `manim render`
too; that is the reference against which the fast path (`lft.counting.rendering.scene`) is held, bit for bit.

    manim render -r 1280,720 --fps 30 renderers/blinking.py Blinking
    LFT_CLIP=blinking/n03_f1.5_s07 manim render ...          a clip of the grid by name
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from manim import Scene, UpdateFromAlphaFunc, VGroup, VMobject, config, linear

from lft.core.errors import InputError
from lft.counting.rendering.schedule import Schedule, draw
from lft.counting.rendering.visual import State, states
from lft.counting.spec import ClipSpec, parse_clip_id

Points = npt.NDArray[np.float64]

FRAME_WIDTH, FRAME_HEIGHT = 128 / 9, 8.0  # scene units for which looks are laid out
_NOTHING: Points = np.zeros((0, 3))


class EventScene(Scene):
    """A clip as a Manim scene. Subclasses say what is fixed, what moves, and where that is in a state."""

    domain: ClassVar[str]

    def __init__(self, *args: Any, schedule: Schedule | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.schedule = schedule or _asked_for(self.domain)

    def setup(self) -> None:
        """Builds both parts; nothing is drawn yet."""
        camera: Any = self.renderer.camera
        camera.background_color = self.schedule.look.background
        # A picture narrower or wider than 16:9 shows the same layout, smaller.
        self.unit = min(camera.frame_width / FRAME_WIDTH, camera.frame_height / FRAME_HEIGHT)
        self.fixed = VGroup(*self.draw_fixed())
        self.moving = VGroup(*self.draw_moving())
        for shape in (*self.fixed, *self.moving):
            shape.points = shape.points * self.unit
            shape.stroke_width = shape.stroke_width * self.unit

    def construct(self) -> None:
        """One linear play over the whole clip."""
        shown = states(self.schedule)
        rate_hz = self.schedule.spec.fps
        # Half a frame short: the number of frames is then the same however the renderer rounds.
        run_time_s = (len(shown) - 0.5) / rate_hz

        def follow(_: Any, progress: float) -> None:
            self.show(shown[min(round(progress * run_time_s * rate_hz), len(shown) - 1)])

        self.add(self.fixed, self.moving)
        self.play(UpdateFromAlphaFunc(self.moving, follow), run_time=run_time_s, rate_func=linear)

    def show(self, state: State) -> None:
        """Puts the moving shapes where they are in `state`: assigned, never shifted, so no history is left in
        them."""
        for shape, points in zip(self.moving, self.points_in(state), strict=True):
            shape.points = points * self.unit

    def draw_fixed(self) -> Sequence[VMobject]:
        """The shapes that are the same in every frame, in drawing order."""
        raise NotImplementedError

    def draw_moving(self) -> Sequence[VMobject]:
        """The shapes above them, whose points depend on the state."""
        raise NotImplementedError

    def points_in(self, state: State) -> Sequence[Points]:
        """For each moving shape its points, float64 (n, 3); `_NOTHING` hides it."""
        raise NotImplementedError


def filled(shape: VMobject, colour: str, opacity: float = 1.0) -> VMobject:
    """The shape, filled and without outline."""
    shape.set_fill(colour, opacity)
    shape.set_stroke(width=0)
    return shape


def outlined(shape: VMobject, colour: str, width: float, fill: str, fill_opacity: float = 1.0) -> VMobject:
    """The shape with an outline in `colour`, filled with `fill`."""
    shape.set_fill(fill, fill_opacity)
    shape.set_stroke(colour, width, 1.0)
    return shape


def blend(colour: str, other: str, part: float) -> str:
    """`colour` with `part` of `other` in it, as #RRGGBB.

    >>> blend("#000000", "#FFFFFF", 0.5)
    '#808080'
    """
    pairs = [(int(colour[i : i + 2], 16), int(other[i : i + 2], 16)) for i in (1, 3, 5)]
    return "#" + "".join(f"{round(a + (b - a) * part):02X}" for a, b in pairs)


def _asked_for(domain: str) -> Schedule:
    """The clip named by LFT_CLIP, or three events at 1 Hz, filmed as Manim's configuration says."""
    clip_id = os.environ.get("LFT_CLIP", f"{domain}/n03_f1.0_s00")
    named, count, frequency_hz, seed = parse_clip_id(clip_id)
    if named != domain:
        raise InputError(
            f"LFT_CLIP names a clip of {named}, this scene is {domain}", expected=f"{domain}/nNN_fF_sSS"
        )
    rate_hz, width, height = round(config.frame_rate), config.pixel_width, config.pixel_height
    return draw(ClipSpec(domain, count, frequency_hz, seed, fps=rate_hz, width=width, height=height))
