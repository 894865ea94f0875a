"""Scenes that appear and vanish: neither is an event."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pytest

from lft.counting.observer import observe
from tests.counting.drawn import WIDTH, Picture, bounces, bouncing, compressed, disc, frames, ground, polygon

FADE = 15  # frames in which a scene appears or vanishes
REST = 10  # frames for which it then stands still


def mixed(a: Picture, b: Picture, part: float) -> Picture:
    return np.rint(a * (1 - part) + b.astype(np.float64) * part).astype(np.uint8)


def faded(pictures: list[Picture], empty: Picture) -> list[Picture]:
    """The pictures, which come out of `empty` and go back into it."""
    rises = [mixed(empty, pictures[0], k / FADE) for k in range(FADE)]
    falls = [mixed(pictures[-1], empty, (k + 1) / FADE) for k in range(FADE)]
    return rises + [pictures[0]] * REST + pictures + [pictures[-1]] * REST + falls


TOUCHES, BLINKS, CUTS = [10, 24, 38], [12, 30], [10, 28, 46]
LIGHT, DARK = ground((240, 240, 235)), ground((20, 25, 40))


def bounce(scene: Picture) -> list[Picture]:
    return bouncing(
        bounces(TOUCHES, 48, 14), ball=(200, 60, 60), wall=(110, 120, 130), background=scene.copy()
    )


def blink(scene: Picture) -> list[Picture]:
    pictures = []
    for i in range(50):
        picture = scene.copy()
        disc(
            picture,
            (210.0, 80.0),
            20.0,
            (250, 190, 40) if any(b <= i < b + 5 for b in BLINKS) else (90, 80, 60),
        )
        pictures.append(picture)
    return pictures


def machine(scene: Picture) -> list[Picture]:
    pictures = []
    for i in range(60):
        picture = scene.copy()
        for node in range(4):
            on = [0, 3, 1, 2][sum(c <= i for c in CUTS)] == node
            disc(picture, (50.0 + 72 * node, 90.0), 18.0, (240, 130, 40) if on else (120, 120, 120))
        pictures.append(picture)
    return pictures


@pytest.mark.parametrize("scene", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("from_black", [False, True])
@pytest.mark.parametrize(
    ("drawn", "domain", "expected"),
    [(bounce, "bounce_ball", TOUCHES), (blink, "blinking", BLINKS), (machine, "state_machine", CUTS)],
)
def test_a_scene_that_fades_in_and_out_is_no_event(
    drawn: Callable[[Picture], list[Picture]],
    domain: str,
    expected: list[int],
    from_black: bool,
    scene: Picture,
) -> None:
    pictures = faded(drawn(scene), ground() if from_black else scene)
    seen = observe(frames(compressed(pictures, crf=26)), domain)
    assert seen.positions == pytest.approx([FADE + REST + e for e in expected], abs=1)


def test_a_machine_that_is_drawn_part_by_part_starts_in_its_first_state() -> None:
    # Node after node from left to right, then a line below, then node 0 turns orange; nothing rests for long.
    whole = machine(DARK)
    bare = DARK.copy()
    for node in range(4):
        disc(bare, (50.0 + 72 * node, 90.0), 18.0, (120, 120, 120))
    lined = bare.copy()
    polygon(lined, [(32, 130), (284, 130), (284, 134), (32, 134)], (200, 200, 200))
    entrance = []
    for k in range(1, 31):
        picture = DARK.copy()
        cut = round(WIDTH * k / 30)
        picture[:, :cut] = bare[:, :cut]
        entrance.append(picture)
    entrance += [mixed(bare, lined, k / 6) for k in range(1, 7)]
    lined_states = [np.maximum(picture, lined) for picture in whole]
    entrance += [mixed(entrance[-1], lined_states[0], k / 6) for k in range(1, 7)]
    pictures = [DARK] * 5 + entrance + [lined_states[0]] * REST + lined_states
    seen = observe(frames(compressed(pictures, crf=26)), "state_machine")
    assert seen.positions == pytest.approx([5 + len(entrance) + REST + c for c in CUTS], abs=1)


@pytest.mark.parametrize("domain", ["bounce_ball", "blinking", "state_machine"])
def test_nothing_happens_in_a_scene_that_only_fades(domain: str) -> None:
    still = [bouncing([0.5])[0]] * 30
    assert observe(frames(compressed(faded(still, ground()), crf=26)), domain).final_answer == 0


def test_an_empty_picture_between_two_scenes_is_a_change() -> None:
    # Only at the beginning and the end does a scene appear or vanish.
    scenes = [machine(DARK)[0], DARK, machine(DARK)[15]]
    assert all(not np.array_equal(a, b) for a, b in pairwise(scenes))
    pictures = [scene for scene in scenes for _ in range(15)]
    assert observe(frames(pictures), "state_machine").positions == (15, 30)
