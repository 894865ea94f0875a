"""Wall contacts from drawn pictures, and from clips made by others."""

from __future__ import annotations

import math

import pytest

from lft.counting.observer import observe
from tests.counting.drawn import bounces, bouncing, chosen, compressed, frames, ground, noisy

CONTACTS = [12, 24, 36]  # one every 12 frames: 2.5 Hz at 30 frames per second
POSITIONS = bounces(CONTACTS, 52, 12)


def smooth(x: float) -> float:
    """An ease that is slow at both ends."""
    return (1 - math.cos(math.pi * x)) / 2


@pytest.mark.parametrize(
    ("angle_deg", "lean_deg"), [(0, 0), (17, -12), (90, 0), (100, 10), (135, 0), (-40, 8)]
)
def test_every_touch_is_found_on_its_frame_whatever_the_orientation(
    angle_deg: float, lean_deg: float
) -> None:
    seen = observe(frames(bouncing(POSITIONS, angle_deg=angle_deg, lean_deg=lean_deg)), "bounce_ball")
    assert list(seen.positions) == CONTACTS
    assert seen.event_times_s == pytest.approx([c / 30 for c in CONTACTS])
    assert seen.final_answer == 3


@pytest.mark.parametrize(
    ("ball", "wall", "colour", "slope"),
    [
        ((20, 20, 20), (120, 30, 30), (245, 245, 245), 0),  # dark on light
        ((200, 200, 60), (200, 200, 60), (20, 20, 40), 0),  # ball and walls alike
        ((40, 90, 70), (90, 60, 40), (5, 5, 5), 0),  # dim on dark
        ((240, 60, 60), (60, 240, 60), (90, 90, 110), 50),  # before a gradient
    ],
)
def test_colours_do_not_matter(
    ball: tuple[int, int, int], wall: tuple[int, int, int], colour: tuple[int, int, int], slope: float
) -> None:
    pictures = bouncing(POSITIONS, ball=ball, wall=wall, background=ground(colour, slope=slope))
    assert list(observe(frames(pictures), "bounce_ball").positions) == CONTACTS


def test_compression_and_noise_do_not_move_a_touch() -> None:
    pictures = bouncing(POSITIONS, angle_deg=20)
    assert list(observe(frames(compressed(pictures, crf=30)), "bounce_ball").positions) == CONTACTS
    assert list(observe(frames(noisy(pictures, 6)), "bounce_ball").positions) == CONTACTS


def test_a_ball_that_slows_down_at_the_wall_touches_once() -> None:
    # Between contacts it eases in and out, so it is within a pixel of the wall for several frames.
    positions = bounces([12, 42, 72], 90, 12, smooth)
    assert list(observe(frames(bouncing(positions)), "bounce_ball").positions) == [12, 42, 72]


def test_turning_in_free_air_is_no_contact() -> None:
    # From 0.2 to 0.8 of the way and back, 1/20 a frame: it turns 19 pixels short of touching.
    positions = [0.2 + 0.6 * abs((i / 12) % 2 - 1) for i in range(60)]
    assert observe(frames(bouncing(positions)), "bounce_ball").final_answer == 0
    assert observe(frames(compressed(bouncing(positions), crf=30)), "bounce_ball").final_answer == 0


def test_a_ball_at_rest_touches_nothing() -> None:
    assert observe(frames(bouncing([0.5] * 5)), "bounce_ball").final_answer == 0


def test_walls_are_named_by_where_they_are() -> None:
    flat = observe(frames(bouncing(POSITIONS)), "bounce_ball")
    assert flat.labels == ("left wall", "right wall", "left wall")
    upright = observe(frames(bouncing(POSITIONS, angle_deg=80)), "bounce_ball")
    assert upright.labels == ("top wall", "bottom wall", "top wall")  # y grows downwards


def test_a_touch_between_frames_is_proven_by_the_ways_on_either_side() -> None:
    # Contacts at frames 8.5, 14.5 and 20.5, 16 pixels a frame: the ball is seen 8 pixels short of each.
    positions = [p for i, p in enumerate(bounces([17, 29, 41], 56, 12)) if i % 2 == 0]
    seen = observe(frames(bouncing(positions), fps=15), "bounce_ball")
    assert seen.event_times_s == pytest.approx([17 / 30, 29 / 30, 41 / 30], abs=0.005)


def test_an_object_that_only_seems_to_let_go_touches_once() -> None:
    # It leaves so slowly that it is seen 6 pixels off the wall and then 5: edges hide most of that, and the
    # former is no touch any more, the latter is one again.
    off_px = [48, 20, 5, 1, 0, 0, 1, 3, 6, 5, 8, 20, 48]
    seen = observe(frames(bouncing([off / 96 for off in off_px])), "bounce_ball")
    assert seen.event_times_s == pytest.approx([4 / 30], abs=0.04)


def test_sparse_frames_hold_only_the_touches_that_they_show() -> None:
    everything = frames(bouncing(POSITIONS))
    # Rest, the touch on frame 24, rest: two of the three contacts left no trace.
    assert list(observe(chosen(everything, [0, 24, 51]), "bounce_ball").positions) == [1]
    # Mid-way between contacts: the ball is seen in one place only.
    assert observe(chosen(everything, [0, 18, 30, 51]), "bounce_ball").final_answer == 0
    # Frames around each contact, as `keyframes` supplies them.
    around = [9, 12, 15, 21, 24, 27, 33, 36, 39]
    assert list(observe(chosen(everything, around), "bounce_ball").positions) == [1, 4, 7]


def test_touches_far_apart_are_two_and_close_ones_are_one() -> None:
    # The same wall is touched on frames 12 and 36, 0.8 s apart; nothing is supplied in between.
    everything = frames(bouncing(POSITIONS))
    assert observe(chosen(everything, [0, 12, 36, 51]), "bounce_ball").final_answer == 2
    # Held at the wall for five frames.
    held = [0.5, 0.3, 0.1, 0, 0, 0, 0, 0, 0.1, 0.3, 0.5]
    assert observe(frames(bouncing(held)), "bounce_ball").final_answer == 1
