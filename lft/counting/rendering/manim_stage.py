"""Manim's own camera, asked for one picture per visual state. The one place that starts Manim."""

from __future__ import annotations

import contextlib
import logging
import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from lft.core.records import JsonObject
from lft.counting.domains import DOMAINS, named
from lft.counting.rendering.schedule import Schedule
from lft.counting.rendering.visual import State
from lft.counting.spec import ClipSpec

if TYPE_CHECKING:
    from lft.renderers.base import EventScene

Picture = npt.NDArray[np.uint8]


class Stage:
    """The scene of one look at one size, ready to be drawn in any state."""

    def __init__(self, schedule: Schedule) -> None:
        self._scene = build_scene(schedule)
        self._scene.setup()
        camera: Any = self._scene.renderer.camera
        camera.reset()
        camera.capture_mobjects([self._scene.fixed])
        self._camera, self._fixed = camera, camera.pixel_array.copy()

    def picture(self, state: State) -> Picture:
        """The frame in `state`, uint8 (height, width, 4) RGBA, valid until the next call.

        What is fixed is drawn once and lies below what moves, which is how Manim itself proceeds within a
        play.
        """
        self._scene.show(state)
        self._camera.set_frame_to_background(self._fixed)
        self._camera.capture_mobjects([self._scene.moving])
        picture: Picture = self._camera.pixel_array
        return picture


def build_scene(schedule: Schedule) -> EventScene:
    """The Manim scene of a schedule, set up to draw in memory: no files, no cache, no user's settings."""
    with quiet_manim(schedule.spec, dry_run=True):
        return scene_class(schedule.spec.domain)(schedule=schedule)


def render_stock(
    schedule: Schedule, folder: Path, seen: Callable[[Picture, int], None] = lambda picture, repeats: None
) -> Path:
    """The clip by Manim's own renderer, encoder and settings: what the fast path is held against.

    Writes below `folder` and returns the video. `seen` gets each frame as it goes to Manim's writer, uint8
    (height, width, 4), and how often it is repeated.
    """
    from manim.renderer.cairo_renderer import CairoRenderer

    class Watched(CairoRenderer):
        def add_frame(self, frame: Any, num_frames: int = 1) -> None:
            seen(frame, num_frames)
            super().add_frame(frame, num_frames)

    with quiet_manim(schedule.spec, media_dir=str(folder), write_to_movie=True, output_file="clip"):
        scene_class(schedule.spec.domain)(renderer=Watched(), schedule=schedule).render()
    return next(path for path in folder.rglob("clip.mp4"))


def scene_class(domain: str) -> type[EventScene]:
    """The scene class of a domain."""
    _import_manim()
    found: type[EventScene] = named(DOMAINS[domain].scene)
    return found


@contextlib.contextmanager
def quiet_manim(spec: ClipSpec, **settings: Any) -> Iterator[None]:
    """Manim's configuration for one clip, whatever a manim.cfg says; as it was before when the block ends.

    Media, if any, go to a folder of this process: two that share one remove each other's files.
    Only settings that differ are touched, because setting the renderer rebuilds Manim's classes.
    """
    _import_manim()
    from manim import config
    from manim.constants import RendererType

    wanted: JsonObject = {
        "renderer": RendererType.CAIRO,
        "pixel_width": spec.width,
        "pixel_height": spec.height,
        "frame_rate": spec.fps,
        "frame_width": 128 / 9,
        "frame_height": 8.0,
        "background_opacity": 1.0,
        "disable_caching": True,
        "progress_bar": "none",
        "verbosity": "ERROR",
        "log_to_file": False,
        "media_dir": str(Path(tempfile.gettempdir()) / f"lft-manim-{os.getpid()}"),
        **settings,
    }
    # Settings come and go with Manim's versions (write_to_movie): those it does not know are left out.
    changed = {key: value for key, value in wanted.items() if key in config and config[key] != value}
    before = {key: config[key] for key in changed}
    try:
        config.update(changed)
        yield
    finally:
        config.update(before)


def _import_manim() -> None:
    """Imports Manim, which has the log of every library printed; whoever uses LFT from Python decides that."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    import manim  # noqa: F401

    root.handlers[:] = handlers
    root.setLevel(level)
