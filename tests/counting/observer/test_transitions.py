"""State transitions from drawn pictures."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest

from lft.counting.observer import observe
from tests.counting.drawn import Picture, chosen, compressed, disc, frames, ground, nodes, noisy, polygon


def held(states: list[int], frames_each: int) -> list[float]:
    """Each state for as many frames, cut after cut."""
    return [float(s) for s in states for _ in range(frames_each)]


STATES = [0, 2, 1, 3, 0, 1]
CUTS = [8, 16, 24, 32, 40]  # each state for eight frames


@pytest.mark.parametrize("background", [(0, 0, 0), (255, 255, 255), (120, 60, 100)])
def test_a_cut_is_dated_at_the_first_frame_of_the_new_state(background: tuple[int, int, int]) -> None:
    seen = observe(frames(nodes(held(STATES, 8), background=background)), "state_machine")
    assert list(seen.positions) == CUTS
    assert seen.event_times_s == pytest.approx([c / 30 for c in CUTS])


def test_states_are_numbered_as_they_appear_and_known_again() -> None:
    seen = observe(frames(nodes(held(STATES, 8))), "state_machine")
    # 0 is state 1, 2 is state 2, 1 is state 3, 3 is state 4.
    assert seen.labels == (
        "state 1 to state 2", "state 2 to state 3", "state 3 to state 4",
        "state 4 to state 1", "state 1 to state 3",
    )  # fmt: skip


def test_compression_and_noise_do_not_move_a_transition() -> None:
    pictures = nodes(held(STATES, 8))
    assert list(observe(frames(compressed(pictures, crf=30)), "state_machine").positions) == CUTS
    assert list(observe(frames(noisy(pictures, 6)), "state_machine").positions) == CUTS


def test_nothing_changes_in_compressed_or_noisy_stills() -> None:
    still = nodes([2.0] * 60)
    assert observe(frames(compressed(still, crf=35)), "state_machine").final_answer == 0
    assert observe(frames(noisy(still, 6)), "state_machine").final_answer == 0


def test_a_slow_fade_ends_where_the_new_state_is_there() -> None:
    # From node 0 to node 1 in 40 frames, 3 to 4 levels a frame: no single step can be seen.
    shape = [0.0] * 20 + [i / 40 for i in range(40)] + [1.0] * 20
    seen = observe(frames(nodes(shape)), "state_machine")
    assert seen.final_answer == 1
    assert (
        50 / 30 <= seen.event_times_s[0] <= 61 / 30
    )  # in the last quarter of the fade, which nobody can date better


def _morphing(states: list[int], frames_each: int, rest: int) -> list[Picture]:
    """One shape that travels, grows and turns colour from state to state, slowing down at each."""
    look = [((60, 50), 14, (230, 60, 60)), ((250, 50), 22, (60, 230, 60)), ((160, 140), 18, (60, 90, 230))]
    pictures = []

    def draw(a: int, b: int, part: float) -> Picture:
        e = (1 - math.cos(math.pi * part)) / 2
        e = (1 - math.cos(math.pi * e)) / 2
        (xa, ya), ra, ca = look[a]
        (xb, yb), rb, cb = look[b]
        picture = ground()
        colour = [round(p + (q - p) * e) for p, q in zip(ca, cb, strict=True)]
        place, radius = (xa + (xb - xa) * e, ya + (yb - ya) * e), ra + (rb - ra) * e
        disc(picture, place, radius, (colour[0], colour[1], colour[2]))
        x, y = place
        polygon(picture, [(x - 5, y - 34), (x + 5, y - 34), (x, y - 26)], (240, 240, 240))
        return picture

    pictures += [draw(states[0], states[0], 0)] * 15
    for a, b in pairwise(states):
        pictures += [draw(a, b, i / frames_each) for i in range(1, frames_each + 1)] + [draw(b, b, 0)] * rest
    return pictures + [draw(states[-1], states[-1], 0)] * 15


def test_morphs_between_rests_are_told_apart() -> None:
    states = [0, 1, 2, 0, 2, 1, 0]
    seen = observe(frames(_morphing(states, 12, 20)), "state_machine")
    assert seen.final_answer == len(states) - 1
    assert seen.event_times_s == pytest.approx([(14 + 32 * k + 12) / 30 for k in range(6)], abs=0.11)


@pytest.mark.parametrize(("frames_each", "rest"), [(14, 2), (14, 0), (8, 0)])
def test_a_mark_that_never_rests_is_called_something_that_moves(frames_each: int, rest: int) -> None:
    """Between its ends it is no more in a state than a ball is: a count would be a guess."""
    seen = observe(frames(_morphing([0, 1, 2, 0, 2, 1, 0], frames_each, rest)), "state_machine")
    assert (seen.unfit, seen.final_answer) == ("something moves", 0)


def test_sparse_frames_show_one_change_however_many_there_were() -> None:
    everything = frames(nodes(held(STATES, 8)))
    # Frames 4 (state 0), 28 (state 3), 44 (state 1): three changes lie before the first difference, two
    # after.
    assert list(observe(chosen(everything, [4, 28, 44]), "state_machine").positions) == [1, 2]
    # Frames 4 and 36 show state 0 both: there and back leaves no trace.
    assert observe(chosen(everything, [4, 36]), "state_machine").final_answer == 0
    # Every frame in a state of its own.
    assert list(observe(chosen(everything, [4, 12, 20, 28, 36, 44]), "state_machine").positions) == [
        1,
        2,
        3,
        4,
        5,
    ]


def test_a_small_change_counts_where_states_are_shown_and_nowhere_else() -> None:
    # A square jumps far, loses its corners where it is, and jumps back; a clock ticks in the corner.
    pictures = []
    for i in range(60):
        picture = ground()
        left, cut = i < 20 or i >= 50, 9.0 if 30 <= i < 50 else 0.0
        x = 80.0 if left else 240.0
        half, near = 22.0, 22.0 - cut
        corners = [(near, half), (half, near), (half, -near), (near, -half)]
        corners += [(-a, -b) for a, b in corners]
        polygon(picture, [(x + a, 100 + b) for a, b in corners], (240, 200, 60))
        # The jump changes 2 x 44 x 44 = 3872 pixels, the cut corners 4 x 9 x 9 / 2 = 162, the clock 48.
        y = 8.0 + 10 * (i // 7 % 2)
        polygon(picture, [(300.0, y), (303.0, y), (303.0, y + 8), (300.0, y + 8)], (240, 240, 240))
        pictures.append(picture)
    assert list(observe(frames(pictures), "state_machine").positions) == [20, 30, 50]


def test_a_slow_fade_with_one_visible_step_is_one_transition() -> None:
    # Six levels a frame, but for one step of thirty: neither half of the fade is a state.
    shape = [0.0] * 20 + [0.04 * k for k in range(1, 10)] + [0.56 + 0.04 * k for k in range(12)] + [1.0] * 20
    assert observe(frames(nodes(shape)), "state_machine").final_answer == 1


@pytest.mark.parametrize("frames_each", [2, 3, 4])
def test_states_that_last_a_few_frames_are_told_apart(frames_each: int) -> None:
    # 0.07 to 0.13 s each. What changes next is where the last change was: the node that went on goes off.
    pictures = nodes([0.0] * 10 + held([2, 1, 3, 0, 1], frames_each) + [1.0] * 10)
    seen = observe(frames(compressed(pictures, crf=26)), "state_machine")
    assert list(seen.positions) == [10 + frames_each * k for k in range(5)]


def test_every_supplied_frame_may_show_another_state() -> None:
    # Eight frames a second, each in a state of its own, before and after rest.
    states = [0, 0, 0, 2, 1, 3, 0, 1, 2, 2, 2]
    assert list(observe(frames(nodes(states), fps=8.4), "state_machine").positions) == [3, 4, 5, 6, 7, 8]
