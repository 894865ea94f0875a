"""The ideal observer who knows the grid: against a count of all starts, and above other readers on its own grid."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Hashable
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lft.core.video.frames import Sampling
from lft.counting.audit.ceiling import ceiling_of_frames, supplied_frames
from lft.counting.audit.ideal import listed, regular
from lft.counting.audit.ideal.bound import ideal_of_frames, priors_of, rule_of
from lft.counting.audit.ideal.evidence import Contact, Pulse, Walk, evidence_of, on_frames
from lft.counting.audit.ideal.prior import Prior
from lft.counting.domains import DOMAINS
from lft.counting.motion import places
from lft.counting.rendering.schedule import draw
from lft.counting.spec import ClipSpec
from tests.counting.test_schedule import PAPER_HZ

FPS, FRAMES = 10, 30
SUPPLIED = np.array([2, 7, 12, 17, 22, 27])
CELLS = [
    (1, 1.0),
    (1, 2.0),
    (2, 1.0),
    (2, 1.5),
    (3, 1.0),
    (3, 2.0),
]  # of one second and more: 3 / 1 Hz fills the clip
STARTS = 600  # even numbers of the room for starts; every interval of starts is a whole number of them


def _seen(rule: str, events: list[int], rate_hz: float, variant: tuple[int, ...]) -> tuple[Hashable, ...]:
    if rule == "pulse":
        on = int(on_frames(np.array([FPS / rate_hz]), FPS)[0])
        return tuple(any(e <= f < e + on for e in events) for f in SUPPLIED)
    if rule == "contact":
        there = places(events, range(FRAMES), variant[0], round(Fraction(FPS) / Fraction(str(rate_hz))))
        return tuple(there[f] for f in SUPPLIED)
    return tuple(variant[sum(e <= f for e in events)] for f in SUPPLIED)


@pytest.mark.parametrize("rule", ["pulse", "contact", "walk"])
def test_regular_events_against_every_start(rule: str) -> None:
    """Each cell is tried at 600 starts, evenly spread over its room, amid them; the list must give the same shares."""
    prior = Prior.of(CELLS, grid_known=True)
    total: dict[tuple[Hashable, ...], dict[int, float]] = defaultdict(lambda: defaultdict(float))
    for n, rate in CELLS:
        q = Fraction(FPS) / Fraction(str(rate))
        walks = [
            w
            for w in itertools.product(range(4), repeat=n + 1)
            if all(a != b for a, b in itertools.pairwise(w))
        ]
        variants = {"pulse": [()], "contact": [(0,), (1,)], "walk": walks}[rule]
        for j in range(STARTS):
            s = (FRAMES - n * q) * Fraction(2 * j + 1, 2 * STARTS)
            events = [int((s + (i + Fraction(1, 2)) * q + Fraction(1, 2)) // 1) for i in range(n)]
            for variant in variants:
                total[_seen(rule, events, rate, variant)][n] += 1 / STARTS / len(variants)
    for seen, shares in total.items():
        if rule == "pulse":
            evidence: Pulse | Contact | Walk = Pulse(np.array(seen, dtype=bool), SUPPLIED, FPS)
        elif rule == "contact":
            evidence = Contact(list(seen), SUPPLIED, FPS, FRAMES)  # type: ignore[arg-type]
        else:
            evidence = Walk(np.array(seen, dtype=np.intp), SUPPLIED)
        found = listed.posterior(evidence, prior, FPS, FRAMES)
        scale = 4.0 if rule == "walk" else 1.0  # there, given the first state that is shown
        for n in (1, 2, 3):
            # 600 starts tell an interval's share to 2 / 600, in each of up to two cells of a count.
            assert found[n - 1] == pytest.approx(shares[n] * scale, abs=scale * 4 / STARTS), (seen, n)


@settings(max_examples=60, deadline=None)
@given(
    domain=st.sampled_from(sorted(DOMAINS)),
    count=st.integers(1, 12),
    rate_hz=st.sampled_from(PAPER_HZ),
    seed=st.integers(0, 9999),
    policy=st.sampled_from(["fps:1", "fps:2", "fps:4", "frames:8", "native"]),
)
def test_what_happened_is_among_the_hypotheses(
    domain: str, count: int, rate_hz: float, seed: int, policy: str
) -> None:
    trace = draw(ClipSpec(domain, count, rate_hz, seed)).trace()
    frames = supplied_frames(trace, Sampling.parse(policy))
    evidence = evidence_of(trace, frames, rule_of(trace) or "")
    grid = Prior.of([(n, f) for n in (0, count, 12) for f in PAPER_HZ], grid_known=True)
    at = grid.counts.index(count)
    assert listed.posterior(evidence, grid, trace.fps, trace.frame_count)[at] > 0
    least = ceiling_of_frames(trace, frames).count
    if len(frames) < 200:
        stated = regular.posterior(
            evidence, Prior(), trace.fps, trace.frame_count, least, regular.truth_of(trace)
        )
        assert stated[count] > 0


@pytest.mark.parametrize("domain", sorted(DOMAINS))
def test_nobody_beats_the_observer_who_knows_the_grid_on_clips_of_the_grid(domain: str) -> None:
    # 128 clips of 40 cells. A difference of shares has a standard error of sqrt(0.5 / 128) = 0.06 at most; three of
    # them are 23 clips. The readers: the frames alone, other priors, and the best constant answer.
    cells = [(n, f) for n in (1, 2, 4, 8, 12) for f in PAPER_HZ]
    grid = Prior.of(cells, grid_known=True)
    others = [Prior(), Prior.of([(n, f) for n, f in cells if n > 2], grid_known=True)]
    right = np.zeros(5, dtype=int)
    for seed in range(128):
        n, f = cells[seed * 7 % len(cells)]
        trace = draw(ClipSpec(domain, n, f, seed)).trace()
        frames = supplied_frames(trace, Sampling.parse("fps:1"))
        answers = [ideal_of_frames(trace, frames, prior).answer for prior in (grid, *others)]  # type: ignore[union-attr]
        right += [*(a == n for a in answers), ceiling_of_frames(trace, frames).correct, n == 4]
    assert right[1:].max() <= right[0] + 23
    assert right[0] >= right[3]  # what the frames alone show is never thrown away, on so many clips


def test_the_grid_is_that_of_the_clips_named_domain_by_domain() -> None:
    found = priors_of(
        ["blinking/n03_f1.5_s00", "blinking/n00_f1.0_s00", "bounce_ball/n02_f4.0_s01"], grid_known=True
    )
    assert found["blinking"].counts == (0, 3)
    assert found["bounce_ball"].cells == ((2, 4.0, 1),)


def _worth(rule: str, prior: Prior, frames: list[int]) -> float:
    """How often the observer is right who is given these frames, over every clip that the prior may draw: the sum, over
    all that the frames can show, of the probability of the likeliest count."""
    at = np.array(frames, dtype=np.intp)
    clips = listed.hypotheses(prior, FPS, FRAMES)
    if rule == "pulse":
        lit = Pulse(np.zeros(len(at), dtype=bool), at, FPS).shown(clips, at.astype(float))
        every = {tuple(row) for row in lit.tolist()} | {(False,) * len(at)}
        evidence: list[Pulse | Contact] = [Pulse(np.array(row, dtype=bool), at, FPS) for row in every]
    else:
        over, under = Contact([Fraction(1, 2)] * len(at), at, FPS, FRAMES).places_of(clips, at[None, :] * 1.0)
        rows = {
            tuple(Fraction(int(a), int(b)) for a, b in zip(*row, strict=True))
            for row in zip(over, under, strict=True)
        }
        rows |= {tuple(1 - place for place in row) for row in rows}
        evidence = [Contact(list(row), at, FPS, FRAMES) for row in rows]
    found = np.array([listed.posterior(one, prior, FPS, FRAMES) for one in evidence])
    # Each clip is somewhere: of the grid every cell has the weight 1.
    assert found.sum() == pytest.approx(len(prior.cells))
    return float(found.max(axis=1).sum())


@settings(max_examples=40, deadline=None)
@given(
    rule=st.sampled_from(["pulse", "contact"]),
    cells=st.lists(st.sampled_from(CELLS), min_size=1, max_size=4, unique=True),
    frames=st.lists(st.integers(0, FRAMES - 1), min_size=2, max_size=7, unique=True),
    kept=st.integers(1, 6),
)
def test_more_frames_never_lower_the_bound(
    rule: str, cells: list[tuple[int, float]], frames: list[int], kept: int
) -> None:
    prior = Prior.of(cells, grid_known=True)
    fewer = sorted(frames[: min(kept, len(frames) - 1)])
    assert _worth(rule, prior, fewer) <= _worth(rule, prior, sorted(frames)) + 1e-9
