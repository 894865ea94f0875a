"""Schedules: exact times, the promised distribution, and states that chain."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lft.core.errors import InputError
from lft.counting.domains import DOMAINS
from lft.counting.motion import REST
from lft.counting.rendering.schedule import draw
from lft.counting.rendering.visual import states
from lft.counting.spec import ClipSpec

PAPER_HZ = (0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0)


@st.composite
def specs(draw_: st.DrawFn) -> ClipSpec:
    fps = draw_(st.sampled_from((15, 24, 25, 30, 50, 60)))
    frequency_hz = draw_(st.sampled_from([f for f in (*PAPER_HZ, 0.7, 1.1, 6.0) if fps / f >= 4]))
    count = draw_(st.integers(0, int(24 * frequency_hz)))
    return ClipSpec(
        draw_(st.sampled_from(sorted(DOMAINS))), count, frequency_hz, draw_(st.integers(0, 999_999)), fps=fps
    )


def test_events_that_fill_the_clip_have_no_freedom() -> None:
    # N = 12 at F = 0.5 Hz: span 24 s, start 0, event i at (i - 1/2) / F = 1, 3 .. 23 s, frames 30, 90 .. 690.
    schedule = draw(ClipSpec("state_machine", 12, 0.5, 3))
    assert schedule.start_s == 0
    assert schedule.event_frames == tuple(range(30, 720, 60))
    assert [e.time_s for e in schedule.trace().events] == [float(t) for t in range(1, 24, 2)]


def test_spacing_at_3_5_hz_is_never_off_by_more_than_half_a_frame() -> None:
    # 30 / 3.5 = 8.571 frames: gaps of 8 and 9 frames, whose sum stays within half a frame of the exact one.
    schedule = draw(ClipSpec("bounce_ball", 12, 3.5, 0))
    assert set(np.diff(schedule.event_frames)) == {8, 9}
    for frame, time_s in zip(schedule.event_frames, schedule.scheduled_s, strict=True):
        assert abs(Fraction(frame, 30) - time_s) <= Fraction(1, 60)


@settings(max_examples=150, deadline=None)
@given(specs())
def test_every_schedule_keeps_its_promises(spec: ClipSpec) -> None:
    schedule = draw(spec)
    assert schedule == draw(spec)
    assert 0 <= schedule.start_s <= spec.duration_s - spec.active_span_s
    step = 1 / Fraction(str(spec.frequency_hz))
    for i, time_s in enumerate(schedule.scheduled_s):
        assert time_s == schedule.start_s + (i + Fraction(1, 2)) * step
    assert schedule.trace().execute() == spec.count
    shown = states(schedule)
    assert len(shown) == spec.frame_count


@settings(max_examples=60, deadline=None)
@given(specs())
def test_the_ball_touches_on_its_event_frames_and_on_no_other(spec: ClipSpec) -> None:
    spec = ClipSpec("bounce_ball", spec.count, spec.frequency_hz, spec.seed, fps=spec.fps)
    schedule = draw(spec)
    shown = states(schedule)
    touches = [i for i, position in enumerate(shown) if position in (0, 1)]
    assert touches == list(schedule.event_frames)
    if spec.count:
        walls = [schedule.look.walls[int(shown[i])] for i in touches]  # type: ignore[union-attr, arg-type]
        assert tuple(walls) == schedule.states[1:]
        steps = [abs(b - a) for a, b in pairwise(shown)]  # type: ignore[operator]
        for first, last in pairwise(touches):  # one speed on each leg
            assert set(steps[first:last]) == {Fraction(1, last - first)}
        assert all(position == REST for position in shown[: max(0, int(schedule.start_s * spec.fps) - 2)])
    else:
        assert all(Fraction(1, 5) <= position <= Fraction(4, 5) for position in shown)  # type: ignore[operator]
        assert all(len(set(shown[i : i + 3])) > 1 for i in range(len(shown) - 2))  # never at rest


@settings(max_examples=60, deadline=None)
@given(specs())
def test_blinks_are_on_from_their_event_for_at_least_three_frames_and_off_between(spec: ClipSpec) -> None:
    spec = ClipSpec("blinking", spec.count, spec.frequency_hz, spec.seed, fps=spec.fps)
    schedule = draw(spec)
    shown = [False, *states(schedule), False]
    rises = [i for i in range(spec.frame_count) if shown[i + 1] and not shown[i]]
    falls = [i for i in range(1, spec.frame_count + 1) if shown[i] and not shown[i + 1]]
    assert rises == list(schedule.event_frames)
    for event, fall in zip(schedule.trace().events, falls, strict=True):
        first, last = event.evidence_frames
        assert (first, last) == (event.frame_index, fall - 1)
        assert last - first + 1 == min(schedule.on_frames, spec.frame_count - first)
        # Dark for at least as long as lit, so that dark is how it rests.
        least_gap = min((b - a for a, b in pairwise(rises)), default=spec.fps / spec.frequency_hz)
        assert min(3, least_gap // 2) <= schedule.on_frames <= max(1, least_gap / 2)


@pytest.mark.parametrize(
    ("frequency_hz", "frames"),
    [(0.5, 6), (1.0, 6), (2.0, 6), (2.5, 5), (3.5, 3), (4.0, 3), (5.0, 3), (6.0, 2), (7.5, 2)],
)
def test_how_long_a_blink_is_on(frequency_hz: float, frames: int) -> None:
    # min(0.2, 0.4 / F) s at 30 fps: 0.2 s = 6 frames; 0.4 / 2.5 = 0.16 s = 4.8; 0.4 / 3.5 = 0.114 s = 3.4.
    # At least three frames, but no more than half the time to the next blink: 5 frames at 6 Hz, 4 at 7.5 Hz.
    assert draw(ClipSpec("blinking", 2, frequency_hz, 0)).on_frames == frames


def test_the_highlight_switches_on_its_frame_and_stays() -> None:
    schedule = draw(ClipSpec("state_machine", 6, 2.0, 5))
    shown = states(schedule)
    switches = [i for i in range(1, 720) if shown[i] != shown[i - 1]]
    assert switches == list(schedule.event_frames)
    assert tuple(shown[i] for i in switches) == schedule.states[1:]
    assert schedule.trace().events[-1].evidence_frames[1] == 719


def test_each_clip_has_a_look_and_states_of_its_own() -> None:
    # 60 clips of one seed: 60 looks, and the first transition is to each of the other three nodes at some time.
    drawn = [
        draw(ClipSpec("state_machine", n, f, 4)) for n in range(1, 11) for f in (1.0, 1.5, 2.0, 2.5, 3.0, 3.5)
    ]
    assert (
        len({schedule.look for schedule in drawn}) == len({schedule.spec.look_id for schedule in drawn}) == 60
    )
    assert len({schedule.states[:2] for schedule in drawn}) == 12


def test_in_version_1_a_seed_fixes_the_look_and_the_first_transitions_whatever_the_count() -> None:
    few, many = (draw(ClipSpec("state_machine", n, 2.0, 4, version=1)) for n in (3, 12))
    assert few.look == many.look
    assert few.spec.look_id == many.spec.look_id == "state_machine/s04"
    assert few.states == many.states[:4]
    assert few.start_s != many.start_s


def test_starts_are_uniform() -> None:
    # Distance of 2,000 starts from the uniform distribution (Kolmogorov): over 0.0364 once in a hundred.
    starts = np.sort([float(draw(ClipSpec("blinking", 6, 2.0, s)).start_s) / 21 for s in range(2000)])
    distance = np.max(np.abs(starts - (np.arange(2000) + 0.5) / 2000))
    assert distance < 0.0364


def test_seeds_differ_in_look() -> None:
    for domain in DOMAINS:
        assert len({draw(ClipSpec(domain, 0, 1.0, seed)).look for seed in range(10)}) == 10


def test_schedules_do_not_change_between_versions() -> None:
    # Stored traces stand on these; a change here needs a new version of the grid.
    got = {d: draw(ClipSpec(d, 3, 1.5, 7)).event_frames for d in FROZEN}
    assert got == FROZEN


FROZEN = {
    "bounce_ball": (39, 59, 79),
    "blinking": (668, 688, 708),
    "state_machine": (80, 100, 120),
}


def test_no_global_random_state_is_read_or_moved() -> None:
    np.random.seed(1)
    first = draw(ClipSpec("blinking", 3, 1.0, 1))
    after = np.random.random()
    np.random.seed(1)
    assert np.random.random() == after
    assert draw(ClipSpec("blinking", 3, 1.0, 1)) == first


def test_what_cannot_be_filmed_is_refused() -> None:
    with pytest.raises(InputError, match="last 26 s"):
        draw(ClipSpec("blinking", 13, 0.5, 0))
    with pytest.raises(InputError, match="under four frames"):
        draw(ClipSpec("blinking", 1, 4.0, 0, fps=15))
