"""The fast path against Manim itself: every frame, bit for bit, before encoding."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from lft.core.video.media import Media
from lft.counting.rendering.manim_stage import Stage, render_stock
from lft.counting.rendering.schedule import draw
from lft.counting.rendering.visual import states
from lft.counting.spec import ClipSpec

REPOSITORY = Path(__file__).resolve().parents[2]

# Rates, odd aspect ratios, N = 0, legs whose length is no whole number of frames (3.5 Hz, 1.5 Hz at 15 fps).
CASES = [
    ClipSpec("bounce_ball", 3, 3.5, 1, fps=15, width=160, height=90, duration_s=2),
    ClipSpec("bounce_ball", 5, 3.5, 4, fps=30, width=192, height=108, duration_s=3),
    ClipSpec("bounce_ball", 2, 2.0, 7, fps=60, width=160, height=160, duration_s=2),
    ClipSpec("bounce_ball", 0, 1.0, 2, fps=30, width=160, height=90, duration_s=2),
    ClipSpec("blinking", 2, 1.5, 0, fps=15, width=160, height=90, duration_s=2),
    ClipSpec("blinking", 6, 4.0, 1, fps=30, width=214, height=120, duration_s=2),
    ClipSpec("blinking", 3, 2.5, 5, fps=60, width=90, height=160, duration_s=2),
    ClipSpec("state_machine", 2, 1.0, 0, fps=15, width=160, height=90, duration_s=2),
    ClipSpec("state_machine", 5, 3.0, 2, fps=30, width=214, height=120, duration_s=2),
    ClipSpec("state_machine", 4, 4.0, 9, fps=60, width=200, height=80, duration_s=2),
]


@pytest.mark.parametrize("spec", CASES, ids=lambda s: f"{s.clip_id}@{s.fps}")
def test_frames_before_encoding_are_those_of_plain_manim(spec: ClipSpec, tmp_path: Path) -> None:
    schedule = draw(spec)
    stock: list[np.ndarray] = []
    render_stock(schedule, tmp_path, lambda picture, repeats: stock.extend([picture.copy()] * repeats))
    assert len(stock) == spec.frame_count

    stage = Stage(schedule)
    fast = {state: stage.picture(state).copy() for state in dict.fromkeys(states(schedule))}
    for index, state in enumerate(states(schedule)):
        assert np.array_equal(stock[index], fast[state]), f"frame {index} differs"


def test_a_picture_does_not_depend_on_what_was_drawn_before() -> None:
    schedule = draw(ClipSpec("bounce_ball", 4, 3.5, 3, width=160, height=90))
    order = list(dict.fromkeys(states(schedule)))
    forwards, backwards = Stage(schedule), Stage(schedule)
    first = {state: forwards.picture(state).copy() for state in order}
    for state in reversed(order):
        assert np.array_equal(first[state], backwards.picture(state))


def test_manim_renders_the_scene_files_by_name(tmp_path: Path) -> None:
    environment = {**os.environ, "LFT_CLIP": "blinking/n02_f0.5_s04"}
    command = [
        *(sys.executable, "-m", "manim", "render", "-r", "160,90", "--fps", "10", "--disable_caching"),
        *("--media_dir", str(tmp_path), "-v", "ERROR", "--progress_bar", "none"),
        *(str(REPOSITORY / "renderers" / "blinking.py"), "Blinking"),
    ]
    done = subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-2000:]
    video = next(path for path in tmp_path.rglob("Blinking*.mp4") if "partial" not in str(path))
    schedule = draw(ClipSpec("blinking", 2, 0.5, 4, fps=10, width=160, height=90))
    brightness = np.array([picture.mean() for _, picture in Media.open(video).pictures()])
    assert len(brightness) == 240
    turned_on = [i for i in range(1, 240) if brightness[i] > brightness.mean() >= brightness[i - 1]]
    assert turned_on == list(schedule.event_frames)
