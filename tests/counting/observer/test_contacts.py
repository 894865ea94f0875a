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


def to_and_fro(first_s: float, leg_s: float, length_s: float, fps: int) -> list[float]:
    """Constant speed from wall to wall, `leg_s` each; wall 0 is touched at `first_s`, and there is no rest."""
    return [abs((((i / fps - first_s) / leg_s + 1) % 2) - 1) for i in range(round(length_s * fps))]


@pytest.mark.parametrize("rate", [1, 2, 4, 8, 30])
def test_a_slow_ball_touches_once_a_leg_at_every_rate(rate: int) -> None:
    # 240 pixels in 4 s: 60 a second. Touches at 1.9, 5.9, 9.9 and 13.9 s of 16 s; no two of them meet a frame alike.
    everything = frames(bouncing(to_and_fro(1.9, 4.0, 16.0, 30), travel=240.0))
    seen = observe(chosen(everything, [30 * k // rate for k in range(16 * rate)]), "bounce_ball")
    assert seen.event_times_s == pytest.approx([1.9, 5.9, 9.9, 13.9], abs=min(0.5 / rate, 0.2) + 1e-6)


@pytest.mark.parametrize("fps", [4, 8])
def test_supplied_frames_near_a_wall_are_no_contacts_of_their_own(fps: int) -> None:
    # 10 pixels a second: 0.6 s before and after the touch the ball is 6 pixels off at most.
    positions = to_and_fro(5.05, 9.6, 10.0, fps)
    seen = observe(frames(bouncing(positions), fps=fps), "bounce_ball")
    assert seen.event_times_s == pytest.approx([5.05], abs=1 / fps)


@pytest.mark.parametrize("legs_s", [(2.0, 2.0), (1.0, 3.0), (3.0, 1.0)])
def test_a_slow_touch_is_dated_on_its_frame(legs_s: tuple[float, float]) -> None:
    # In and out at 32 to 96 pixels a second, 1 to 3 a frame; what compression hides takes several frames.
    before, after = (round(30 * s) for s in legs_s)
    positions = [i / before for i in range(before)] + [1 - i / after for i in range(after + 1)]
    seen = observe(frames(compressed(bouncing(positions[6:-6], angle_deg=12), crf=26)), "bounce_ball")
    assert list(seen.positions) == pytest.approx([before - 6], abs=0 if before == after else 1)


def test_a_contact_in_the_last_frame_is_seen_and_one_that_never_comes_is_not() -> None:
    # The second touch is on frame 36; six frames before it the ball is half-way there.
    positions = bounces([12, 24, 36], 52, 12)
    assert list(observe(frames(bouncing(positions[:37])), "bounce_ball").positions) == [12, 24, 36]
    assert list(observe(frames(bouncing(positions[:36])), "bounce_ball").positions) == [12, 24]
    assert list(observe(frames(bouncing(positions[12:])), "bounce_ball").positions) == [0, 12, 24]


def test_few_frames_of_a_swing_in_free_air_are_no_contacts() -> None:
    # From 0.2 to 0.8 of the way and back in 1.2 s: seen twice a second, a swing between the walls would do as well,
    # but for the exactness of this one.
    positions = [0.2 + 0.6 * abs((i / 15 + 0.3) % 2 - 1) for i in range(25 * 24)]
    everything = frames(bouncing(positions), fps=25)
    for step in (3, 6, 12, 13, 25):
        assert observe(chosen(everything, range(0, len(positions), step)), "bounce_ball").final_answer == 0
    # Four frames tell nothing.
    assert observe(chosen(everything, [0, 25, 50, 75]), "bounce_ball").final_answer == 0
