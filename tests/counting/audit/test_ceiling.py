"""Access ceilings: by hand, against a search over all paths, and against the rendered motion."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lft.core.video.frames import Sampling
from lft.counting.audit.ceiling import ceiling, ceiling_of_frames, supplied_frames
from lft.counting.domains import DOMAINS
from lft.counting.domains.bounce_ball.literal import _positions
from lft.counting.rendering.schedule import draw
from lft.counting.rendering.visual import states as drawn_states
from lft.counting.spec import ClipSpec
from tests.counting.clips import trace_at, trace_by_id


def test_supplied_frames_by_hand() -> None:
    trace = trace_at([100])
    assert supplied_frames(trace, Sampling.parse("fps:1")).tolist() == list(range(0, 720, 30))
    assert supplied_frames(trace, Sampling.parse("frames:2")).tolist() == [180, 540]
    assert supplied_frames(trace, Sampling.parse("native")).tolist() == list(range(720))
    assert len(supplied_frames(trace, Sampling.parse("native"), native_rate_hz=1.0)) == 24
    # 100 / 30 s = 3.333 s, and 0.1 s either side: frames 97, 100, 103.
    assert supplied_frames(trace, Sampling.parse("keyframes:0.1")).tolist() == [97, 100, 103]


def test_a_blink_needs_a_frame_inside() -> None:
    # Blinks in frames 28-33, 58-59 and 90-95; frames 30, 60, 90 are inside the first and the third.
    trace = trace_at([28, 58, 90], evidence=[(28, 33), (58, 59), (90, 95)])
    found = ceiling_of_frames(trace, [30, 60, 90])
    assert found.evident == (True, False, True)
    assert (found.count, found.correct, found.frames) == (2, False, 3)
    assert found.recall == pytest.approx(2 / 3)


@pytest.mark.parametrize(
    ("states", "frames", "evident"),
    [
        # Transitions on frames 10, 20, 30; a frame of each state proves all of them.
        ("ABCD", [0, 15, 25, 35], (True, True, True)),
        # B and C unseen: one change from A to D is proved, credited to the last.
        ("ABCD", [0, 35], (False, False, True)),
        # There and back between frames vanishes; the change to D remains.
        ("ABAD", [0, 25, 35], (False, False, True)),
        ("ABAB", [0, 25], (False, False, False)),
        # Nothing after the last frame is seen.
        ("ABCD", [0, 15], (True, False, False)),
        # Nothing before the first frame either.
        ("ABCD", [15, 25], (False, True, False)),
        ("ABCD", [12], (False, False, False)),
        ("ABCD", [], (False, False, False)),
    ],
)
def test_transitions(states: str, frames: list[int], evident: tuple[bool, ...]) -> None:
    trace = trace_at([10, 20, 30], "state_machine", list(states))
    assert ceiling_of_frames(trace, frames).evident == evident


L, R = "left", "right"


@pytest.mark.parametrize(
    ("sides", "frames", "evident"),
    [
        # Contacts right, left, right on frames 100, 130, 160; rest before 85 and after 175.
        # Positions: 85 mid, 100 right, 115 mid, 130 left, 145 mid, 160 right, 175 mid.
        ([R, L, R], [0, 100, 130, 160, 300], (True, True, True)),  # every touch on a frame
        ([R, L, R], [0, 105, 120, 140, 165, 300], (True, True, True)),  # turns: up at 105, down by 120, ...
        ([R, L, R], [0, 300], (False, False, False)),  # rest, rest
        ([R, L, R], [0, 105, 300], (True, False, False)),  # out to the right and back: one contact at least
        ([R, L, R], [0, 105, 125, 300], (True, True, False)),  # right, then left, then the middle
        ([R, L, R], [105, 125], (False, False, False)),  # moving left: no turn is seen
        ([R, L, R], [0, 115, 145], (False, False, False)),  # the middle each time
        ([R, L, R], [100], (True, False, False)),  # one touch, nothing else
        # Equal places on the way out and back (95 and 105): the ball turned once between.
        ([R, L, R], [0, 95, 105, 300], (True, False, False)),
        # 105 and 155 lie alike too, with two contacts between; one is proved, and then the turn back to the
        # middle.
        ([R, L, R], [105, 155], (True, False, False)),
        # Two touches of one wall cannot be had without the other.
        ([R, L, R], [100, 160], (True, True, True)),
    ],
)
def test_contacts(sides: list[str], frames: list[int], evident: tuple[bool, ...]) -> None:
    trace = trace_at([100, 130, 160], "bounce_ball", ["middle", *sides])
    assert ceiling_of_frames(trace, frames).evident == evident


def test_one_contact() -> None:
    # At 1 Hz the ball leaves the middle 15 frames before the contact and is back 15 frames after it.
    trace = trace_at([100], "bounce_ball", ["middle", "top"])
    assert ceiling_of_frames(trace, [0, 92, 300]).correct
    assert not ceiling_of_frames(trace, [0, 80, 120]).correct


def least_contacts(positions: list[float]) -> int:
    """The least number of wall contacts on a path through all positions, by trying every choice of direction.

    Between frames the ball goes on (no contact, if the next position lies ahead) or turns at the wall ahead
    (one contact, then it may be anywhere); a touch is itself a contact. It may stay where it is only in the
    middle.
    """
    best = {+1: 0, -1: 0}  # direction after the first frame -> contacts so far
    if positions[0] in (0.0, 1.0):
        best = {-1 if positions[0] == 1.0 else +1: 1}
    for before, here in itertools.pairwise(positions):
        if here == before == 0.5:
            continue
        after: dict[int, int] = {}
        for direction, contacts in best.items():
            for turns in range(4):
                way = direction * (-1) ** turns
                if turns == 0 and not (here - before) * direction > 0:
                    continue
                if here in (0.0, 1.0):
                    if (here == 1.0) != (way == 1):
                        continue  # this wall is not ahead
                    after[-way] = min(after.get(-way, 99), contacts + turns + 1)
                else:
                    after[way] = min(after.get(way, 99), contacts + turns)
        best = after
    return min(best.values())


@settings(max_examples=300, deadline=None)
@given(
    st.integers(0, 11),
    st.sets(st.integers(0, 719), min_size=1, max_size=12),
    st.integers(1, 8),
    st.booleans(),
)
def test_contacts_against_every_path(start: int, frames: set[int], count: int, right_first: bool) -> None:
    times = [30 * start + 20 + 40 * k for k in range(count)]
    sides = [(R, L)[(k + right_first) % 2] for k in range(count)]
    trace = trace_at(times, "bounce_ball", ["middle", *sides], frequency_hz=0.75)
    walls = {label: float(k) for k, label in enumerate(dict.fromkeys(sides))}
    places = _positions(times, [walls[s] for s in sides], np.array(sorted(frames)), 40.0)
    same = places.round(9).tolist()  # two frames in one place may differ in the last bit
    assert ceiling_of_frames(trace, sorted(frames)).count == least_contacts(same) <= count


@pytest.mark.parametrize("count", [1, 2, 5, 12])
@pytest.mark.parametrize("frequency_hz", [0.5, 1.5, 4.0])
def test_positions_are_those_that_are_drawn(count: int, frequency_hz: float) -> None:
    schedule = draw(ClipSpec("bounce_ball", count, frequency_hz, 3))
    trace = schedule.trace()
    sides = [float(schedule.look.walls.index(e.state_after)) for e in trace.events]  # type: ignore[union-attr]
    ours = _positions([e.frame_index for e in trace.events], sides, np.arange(720), 30 / frequency_hz)
    theirs = np.array([float(s) for s in drawn_states(schedule)])  # type: ignore[arg-type]
    # For a single contact the drawn leg is rounded to whole frames.
    assert np.allclose(ours, theirs, atol=0.05 if count == 1 else 1e-9)


@settings(max_examples=100, deadline=None)
@given(
    st.sampled_from(sorted(DOMAINS)),
    st.sampled_from([1, 2, 5, 12]),
    st.sampled_from([0.5, 1.5, 4.0]),
    st.integers(0, 9),
    st.sets(st.integers(0, 719), max_size=40),
    st.sets(st.integers(0, 719), max_size=40),
)
def test_more_frames_never_show_less(
    domain: str, count: int, frequency_hz: float, seed: int, some: set[int], more: set[int]
) -> None:
    trace = draw(ClipSpec(domain, count, frequency_hz, seed)).trace()
    fewer = ceiling_of_frames(trace, sorted(some))
    assert fewer.count <= ceiling_of_frames(trace, sorted(some | more)).count <= count
    assert ceiling_of_frames(trace, range(720)).correct


def test_a_clip_without_events_can_always_be_counted() -> None:
    found = ceiling(trace_by_id("bounce_ball/n00_f1.0_s00"), Sampling.parse("fps:1"))
    assert (found.count, found.recall, found.correct) == (0, None, True)
