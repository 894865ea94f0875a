"""A ball that hurries across and waits: what is the least that it must have touched."""

from __future__ import annotations

import itertools

from hypothesis import given, settings
from hypothesis import strategies as st

from lft.core.video.frames import Sampling
from lft.counting import spacing
from lft.counting.audit.ceiling import ceiling_of_frames, supplied_frames
from lft.counting.domains.bounce_ball.hurrying import least_contacts
from lft.counting.motion import hurrying
from lft.counting.rendering.schedule import draw
from lft.counting.rendering.visual import states
from lft.counting.spec import ClipSpec


def test_the_least_is_the_fewest_events_of_any_clip_that_looks_so() -> None:
    # Every clip of 26 frames with up to three contacts, four frames or more apart, seen on six frames: what any clip
    # shows is explained by as many contacts as the fewest among the clips that show it, or by fewer.
    fewest: dict[tuple[object, ...], int] = {}
    seen_on = [0, 5, 10, 15, 20, 25]
    for n in range(1, 4):
        for events in itertools.combinations(range(4, 22), n):
            if all(b - a >= 4 for a, b in itertools.pairwise(events)):
                for wall in (0, 1):
                    there = hurrying(events, 26, wall, 2)
                    fewest.setdefault(tuple(there[f] for f in seen_on), n)
    exact = 0
    for seen, n in fewest.items():
        least = least_contacts(seen_on, list(seen), 2)  # type: ignore[arg-type]
        assert least <= n, seen
        exact += least == n
    assert exact > 0.9 * len(fewest)


@settings(max_examples=40, deadline=None)
@given(
    schedule=st.sampled_from(["irregular", "bursts"]),
    count=st.integers(1, 12),
    rate_hz=st.sampled_from([1.0, 2.0, 3.5]),
    seed=st.integers(0, 9999),
    fps=st.sampled_from([24, 30, 60]),
)
def test_the_ball_touches_on_event_frames_only_and_the_literal_reader_invents_none(
    schedule: str, count: int, rate_hz: float, seed: int, fps: int
) -> None:
    drawn = draw(ClipSpec("bounce_ball", count, rate_hz, seed, fps=fps, schedule=schedule))
    shown = states(drawn)
    assert [f for f, place in enumerate(shown) if place in (0, 1)] == list(drawn.event_frames)
    trace = drawn.trace()
    native = ceiling_of_frames(trace, supplied_frames(trace, Sampling.parse("native")))
    assert native.count == count
    for policy in ("fps:1", "fps:2", "frames:8"):
        frames = supplied_frames(trace, Sampling.parse(policy)).tolist()
        places = [shown[f] for f in frames]
        assert least_contacts(frames, places, spacing.crossing(fps)) <= count  # type: ignore[arg-type]
