"""What an observer infers who knows that events are regular: from pixels and times of frames alone."""

from __future__ import annotations

import numpy as np
import pytest

from lft.core.video.frames import Frames
from lft.counting.observer.inferred import infer
from lft.counting.observer.observe import observe
from tests.counting.drawn import bounces, bouncing, lamp

FPS, LENGTH = 30, 720


def events(count: int, period: float, start: float) -> list[int]:
    """Frames of regular events: floor(start + (i - 1/2) period + 1/2), i = 1 .. count."""
    return [int(np.floor(start + (i + 0.5) * period + 0.5)) for i in range(count)]


def supplied(pictures: list[np.ndarray], which: range) -> Frames:
    return Frames.of_pixels(np.stack(pictures), [k / FPS for k in which])


def ball(at: list[int], leg: int, step: int) -> Frames:
    which = range(0, LENGTH, step)
    places = bounces(at, LENGTH, leg)
    return supplied(bouncing([places[k] for k in which]), which)


def lit(at: list[int], step: int, on: int = 4) -> Frames:
    which = range(0, LENGTH, step)
    shown = [any(e <= k < e + on for e in at) for k in which]
    return supplied(lamp([float(x) for x in shown], off=(30, 30, 30), on=(240, 200, 90)), which)


def test_a_ball_seen_twice_a_second_is_counted_by_who_knows_its_period() -> None:
    """Twelve contacts a quarter of a second and a bit apart (period 8 frames, 3.75 Hz) in 3.2 s: seven frames show the
    ball off the middle, and more contacts lie between two of them than any reader of frames can prove. Ends between two
    frames leave open by a period where the first one was.
    """
    at = events(12, 8.0, 203.0)
    seen = ball(at, 8, 15)
    assert observe(seen, "bounce_ball").final_answer < 12
    found = infer(seen, "bounce_ball")
    assert found.final_answer == 12
    assert found.event_times_s == pytest.approx([k / FPS for k in at], abs=8.5 / FPS)
    assert np.diff(found.event_times_s) == pytest.approx([8 / FPS] * 11, abs=0.01)


def test_inferred_times_lie_between_the_frames() -> None:
    """Contacts every 24 frames, seen every thirtieth: 8 of them, in no frame but by chance. The last is at 12.8 s;
    half a period later the ball rests in the middle. A ninth at 13.6 s would bring it there at 14.0 s, and the frames
    at 13 and 14 s would show the same: eight and nine explain them alike, and nothing else does.
    """
    at = events(8, 24.0, 203.0)
    seen = ball(at, 24, 30)
    assert observe(seen, "bounce_ball").final_answer < 8
    found = infer(seen, "bounce_ball")
    assert found.final_answer in (8, 9)
    assert found.event_times_s[:8] == pytest.approx([k / FPS for k in at], abs=0.1)
    assert set(found.positions) <= set(range(24))


def test_a_lamp_seen_four_times_a_second() -> None:
    """Blinks every 20 frames, of six, seen every seventh or eighth: some are in no frame, and are inferred."""
    at = events(8, 20.0, 100.0)
    which = [round(k * 7.5) for k in range(96)]
    shown = [float(any(e <= k < e + 6 for e in at)) for k in which]
    frames = Frames.of_pixels(
        np.stack(lamp(shown, off=(30, 30, 30), on=(240, 200, 90))), [k / FPS for k in which]
    )
    assert infer(frames, "blinking").final_answer == 8


def test_a_ball_that_never_moves_has_moved_between_two_frames_or_not_at_all() -> None:
    """At rest in each of 24 frames: a clip without contacts would show it swing, so the likeliest is a single one."""
    seen = supplied(bouncing([0.5] * 24), range(0, LENGTH, 30))
    assert observe(seen, "bounce_ball").final_answer == 0
    assert infer(seen, "bounce_ball").final_answer == 1


def test_close_frames_and_chosen_frames_are_read_as_they_are() -> None:
    at = events(3, 30.0, 100.0)
    every = lit(at, 2)
    assert infer(every, "blinking") == observe(every, "blinking")
    around = sorted({k + d for k in at for d in (-3, 0, 3)})
    shown = lamp(
        [float(any(e <= k < e + 4 for e in at)) for k in around], off=(30, 30, 30), on=(240, 200, 90)
    )
    chosen = Frames.of_pixels(np.stack(shown), [k / FPS for k in around])
    assert infer(chosen, "blinking") == observe(chosen, "blinking")


def test_what_no_regular_events_explain_is_read_as_it_is() -> None:
    """A blink seen in every one of four frames from 10 s on, and one alone at 2 s: no even spacing has both."""
    seen = lit([60, 300, 330, 360, 390], 30)
    assert infer(seen, "blinking") == observe(seen, "blinking")
