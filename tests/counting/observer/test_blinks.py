"""Blinks from drawn pictures."""

from __future__ import annotations

import pytest

from lft.counting.observer import observe
from lft.counting.observer.blinks import find_blinks
from lft.counting.observer.pictures import strip
from tests.counting.drawn import chosen, compressed, frames, lamp, noisy

DARK, LIT = (30, 40, 20), (120, 220, 90)


def levels(count: int, starts: list[int], shape: list[float]) -> list[float]:
    """Zero but for `shape` at every start."""
    result = [0.0] * count
    for start in starts:
        for i, level in enumerate(shape):
            result[start + i] = max(result[start + i], level)
    return result


@pytest.mark.parametrize(
    ("off", "on", "background"),
    [
        (DARK, LIT, (0, 0, 0)),
        ((220, 225, 215), (40, 90, 200), (255, 255, 255)),  # lit is darker than resting, on white
        ((200, 60, 60), (60, 60, 200), (10, 10, 10)),  # another colour, no brighter
        ((12, 12, 14), (60, 20, 20), (10, 10, 12)),  # dim
        ((0, 0, 0), (255, 255, 255), (0, 0, 0)),  # not there at all while off
    ],
)
def test_a_blink_is_dated_at_its_first_lit_frame(
    off: tuple[int, int, int], on: tuple[int, int, int], background: tuple[int, int, int]
) -> None:
    shape = levels(60, [20, 32, 45], [1, 1, 1])
    seen = observe(frames(lamp(shape, off=off, on=on, background=background)), "blinking")
    assert seen.positions == (20, 32, 45)
    assert seen.event_times_s == pytest.approx([20 / 30, 32 / 30, 45 / 30])


def test_first_and_last_lit_frame_are_known() -> None:
    shape = levels(40, [5, 20], [1] * 6)
    assert [(b.first, b.last) for b in find_blinks(strip(frames(lamp(shape, off=DARK, on=LIT))))] == [
        (5, 10),
        (20, 25),
    ]


def test_a_faded_blink_is_dated_where_it_is_full() -> None:
    triangle = [0.2, 0.4, 0.6, 0.8, 1, 0.8, 0.6, 0.4, 0.2]
    seen = observe(frames(lamp(levels(60, [10, 30], triangle), off=DARK, on=LIT)), "blinking")
    assert seen.positions == (14, 34)


def test_fades_that_run_into_each_other_are_told_apart() -> None:
    # Peaks 7 frames apart, each four frames up and four down: the light never goes out in between.
    triangle = [0.2, 0.4, 0.6, 0.8, 1, 0.8, 0.6, 0.4, 0.2]
    shape = levels(80, [20 + 7 * i for i in range(5)], triangle)
    assert min(shape[25:50]) > 0.2
    assert observe(frames(lamp(shape, off=DARK, on=LIT)), "blinking").positions == (24, 31, 38, 45, 52)


def test_nothing_blinks_in_compressed_or_noisy_stills() -> None:
    still = lamp([0.0] * 60, off=DARK, on=LIT)
    assert observe(frames(still), "blinking").final_answer == 0
    assert observe(frames(compressed(still, crf=35)), "blinking").final_answer == 0
    assert observe(frames(noisy(still, 6)), "blinking").final_answer == 0


def test_compression_and_noise_do_not_move_a_blink() -> None:
    pictures = lamp(levels(60, [20, 28, 36], [1, 1, 1]), off=DARK, on=LIT)
    assert observe(frames(compressed(pictures, crf=30)), "blinking").positions == (20, 28, 36)
    assert observe(frames(noisy(pictures, 6)), "blinking").positions == (20, 28, 36)


def test_a_clip_may_begin_and_end_lit() -> None:
    shape = levels(40, [0, 20, 37], [1, 1, 1])
    assert observe(frames(lamp(shape, off=DARK, on=LIT)), "blinking").positions == (0, 20, 37)


def test_sparse_frames_hold_only_what_is_lit_in_them() -> None:
    everything = frames(lamp(levels(150, [30, 60, 75, 90], [1] * 6), off=DARK, on=LIT))
    # One frame a second: 0, 30, 60, 90, 120. Lit in three in a row: nothing shows that it went dark between them.
    assert observe(chosen(everything, [0, 30, 60, 90, 120]), "blinking").positions == (1,)
    # With one of the dark frames between the last two: two blinks. The one at 75 is lost.
    assert observe(chosen(everything, [0, 30, 60, 84, 90, 120]), "blinking").positions == (1, 4)
    # Half a second later in each: nothing is lit.
    assert observe(chosen(everything, [15, 45, 70, 105]), "blinking").final_answer == 0
    # Just before, at, and after: two of three frames are lit, and yet dark is how it rests.
    assert observe(chosen(everything, [27, 30, 33, 57, 60, 63]), "blinking").positions == (1, 4)
