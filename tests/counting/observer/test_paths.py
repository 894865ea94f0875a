"""Contacts between frames that are far apart: by hand, and against the access ceiling."""

from __future__ import annotations

import numpy as np
import pytest

from lft.core.video.frames import Sampling
from lft.counting.audit.ceiling import ceiling_of_frames, supplied_frames
from lft.counting.observer import observe
from lft.counting.observer.paths import turns
from lft.counting.rendering.schedule import draw
from lft.counting.rendering.visual import states as drawn_states
from lft.counting.spec import ClipSpec
from tests.counting.drawn import bouncing, frames


def found(places: list[float], touching: tuple[int, ...] = ()) -> list[tuple[int, bool]]:
    """(step, at the upper wall) of each turn of an object between walls at 0 and 100, a frame a second."""
    shown = np.isin(np.arange(len(places)), touching)
    times_s = np.arange(len(places), dtype=np.float64)
    return [(t.step, t.up) for t in turns(np.array(places, dtype=np.float64), times_s, (0.0, 100.0), shown)]


@pytest.mark.parametrize(
    ("places", "expected"),
    [
        # Rest, out, rest: no speed is told, and the wall is where an object turns that turns at walls.
        ([50, 50, 80, 50, 50], [(2, True)]),
        # Places alike on either side of a touch: by the wall, 100 - 85 twice, and the next step as long.
        ([50, 50, 85, 85, 55, 50, 50], [(2, True)]),
        # At 20 a second it turns at 70: by the wall the step were 80 long. It turned in free air.
        ([30, 50, 70, 50, 30, 50, 70, 50, 30], []),
        ([50, 50, 50], []),
        ([10, 30, 50, 70, 90], []),
    ],
)
def test_turns_by_hand(places: list[float], expected: list[tuple[int, bool]]) -> None:
    assert found(places) == expected


def test_from_wall_to_wall_between_frames() -> None:
    # 100 a second: three steps between 70 and 30 go by one wall each, and either the step from rest or that
    # to rest by one more.
    assert len(found([50, 50, 70, 30, 70, 30, 50, 50])) == 4


def test_a_shown_contact_is_not_found_again() -> None:
    # 40 a second: 60 to the wall at 100 and back to 60, the touch on a frame.
    assert found([50, 50, 60, 100, 60, 50, 50], touching=(3,)) == []


@pytest.mark.parametrize("policy", ["fps:1", "fps:2", "fps:4", "fps:8"])
def test_the_ceiling_is_reached_and_not_passed(policy: str) -> None:
    # Clips of LFT's own timing, places known to a third of a pixel, no pictures.
    generator = np.random.default_rng(0)
    allowed = right = 0
    for count, frequency_hz in [(0, 1.0), *((n, f) for n in (1, 4, 10) for f in (0.5, 1.0, 1.5, 2.5, 4.0))]:
        schedule = draw(ClipSpec("bounce_ball", count, frequency_hz, 1))
        trace = schedule.trace()
        chosen = supplied_frames(trace, Sampling.parse(policy))
        places = 300 * np.array([float(state) for state in drawn_states(schedule)])[chosen]  # type: ignore[arg-type]
        places = places + generator.normal(0, 0.3, len(places))
        touching = (places < 3) | (places > 297)
        reported = len(turns(places, chosen / trace.fps, (0.0, 300.0), touching)) + int(touching.sum())
        best = ceiling_of_frames(trace, chosen)
        assert reported <= best.count
        allowed += best.correct
        right += best.correct and reported == count
    assert right == allowed


def test_a_ball_that_swings_in_free_air_is_never_taken_to_touch() -> None:
    # From 0.2 to 0.8 of the way, 1.2 s there and back, at several rates; walls are in the picture.
    for step in (1, 2, 4, 8, 15, 30):
        positions = [0.2 + 0.6 * abs((i / 18) % 2 - 1) for i in range(0, 240, step)]
        seen = observe(frames(bouncing(positions), fps=30 / step), "bounce_ball")
        assert seen.final_answer == 0, step
