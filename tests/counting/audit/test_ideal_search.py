"""Events instead of frames held against what is shown: the same as frame by frame, and boxes lose nothing."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from lft.counting.audit.ideal import regular
from lft.counting.audit.ideal.evidence import (
    Boxes,
    Contact,
    Evidence,
    Indices,
    Pulse,
    Walk,
    on_frames,
    returns,
)
from lft.counting.audit.ideal.prior import Prior

FPS, FRAMES = 30.0, 720
RNG = np.random.default_rng(1)
SUPPLIED = np.arange(3, FRAMES, 11)


def _some(size: int) -> Boxes:
    n = RNG.integers(1, 13, size).astype(float)
    q = FPS / RNG.uniform(0.5, 4, size)
    fits = n * q <= FRAMES
    s = RNG.uniform(0, 1, size) * np.maximum(FRAMES - n * q, 0)
    return Boxes(n, np.full(size, 0.5), s, q, np.ones(size)).take(fits)


def _evidence(rule: str, clip: Boxes, supplied: Indices = SUPPLIED) -> Evidence:
    """What the frames show of one clip, frame by frame."""
    at = supplied.astype(float)
    if rule == "pulse":
        return Pulse(Pulse(np.zeros(len(at), bool), supplied, FPS).shown(clip, at)[0], supplied, FPS)
    if rule == "walk":
        return Walk(clip.until(at[None, :])[0].astype(np.intp) % 3, supplied)
    over, under = Contact([Fraction(1, 2)] * len(at), supplied, FPS, FRAMES).places_of(clip, at[None, :])
    places = [Fraction(int(a), int(b)) for a, b in zip(over[0], under[0], strict=True)]
    return Contact(places, supplied, FPS, FRAMES)


@pytest.mark.parametrize("rule", ["pulse", "walk"])
def test_event_by_event_is_as_likely_as_frame_by_frame(rule: str) -> None:
    points = _some(3000)
    at = SUPPLIED.astype(float)
    for i in range(0, 60, 3):
        seen = _evidence(rule, points.take([i]))
        found = seen.likelihood(points)[:, 0]
        if isinstance(seen, Pulse):
            expected = (seen.shown(points, at) == seen.lit[None, :]).all(axis=1) * 1.0
        else:
            assert isinstance(seen, Walk)
            steps = np.diff(points.until(at[None, :]), axis=1).astype(int)
            table = returns(12)
            expected = np.where(seen.same[None, :], table[0][steps], table[1][steps]).prod(axis=1)
        assert found == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("rule", ["pulse", "contact", "walk"])
def test_a_box_that_holds_what_happened_is_possible(rule: str) -> None:
    # A box of any size around the clip itself, the clip anywhere within it.
    clips = _some(400)
    for i in range(len(clips)):
        clip = clips.take([i])
        seen = _evidence(rule, clip)
        dx, dq = RNG.uniform(0.01, 8), RNG.uniform(0.001, 0.875)
        x, q = clip.x + RNG.uniform(-dx, dx), clip.q + RNG.uniform(-dq, dq)
        assert seen.possible(Boxes(clip.n, clip.k, x, q, clip.weight, dx, dq)).all(), (rule, clip)


def test_of_places_the_first_boxes_hold_what_happened() -> None:
    prior = Prior()
    for i, clip in enumerate(map(_some(300).take, ([i] for i in range(200)))):
        seen = _evidence("contact", clip)
        assert isinstance(seen, Contact)
        there = regular._as_box(seen, (float(clip.n[0]), float(clip.s[0]), float(clip.q[0])))
        if seen.told is None:
            continue
        boxes = regular._first(seen, prior, FPS, FRAMES, 0)
        assert regular._holding(boxes, there).sum() == 1, (i, clip)


def test_the_search_gives_what_very_many_clips_of_the_prior_give() -> None:
    """200,000 clips are drawn from the prior; of those that look like a given one, the shares of the counts."""
    drawn = [_some(100_000) for _ in range(2)]
    compared = 0
    for rule in ("pulse", "walk"):
        for clip in (drawn[0].take([i]) for i in range(10)):
            seen = _evidence(rule, clip, np.arange(3, FRAMES, 60))
            total = np.zeros(13)
            agreeing = 0
            for some in drawn:
                likely = seen.likelihood(some).mean(axis=1)
                agreeing += int((likely > 0).sum())
                total += np.bincount(some.n.astype(int), likely, 13)
            if agreeing < 400 or seen.of_nothing():  # too few to compare with
                continue
            truth = (float(clip.n[0]), float(clip.s[0]), float(clip.q[0]))
            found = regular.posterior(seen, Prior(), FPS, FRAMES, 1, truth)
            # At least 150 and 400 hypotheses: a standard error of sqrt(0.25 / 150 + 0.25 / 400) = 0.048 at most.
            assert found / found.sum() == pytest.approx(total / total.sum(), abs=0.19)
            compared += 1
    assert compared >= 2


def test_pulses_last_as_long_as_the_period_allows() -> None:
    assert on_frames(np.array([7.5, 10.0, 15.0, 60.0]), FPS).tolist() == [3, 4, 6, 6]
