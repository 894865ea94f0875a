"""The ideal observer: by hand, against a count of all hypotheses, and against the literal bound."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Hashable

import numpy as np
import pytest

from lft.core.video.frames import Sampling
from lft.counting import spacing
from lft.counting.audit.ceiling import ceiling_of_frames, supplied_frames
from lft.counting.audit.ideal import free
from lft.counting.audit.ideal.bound import Bounds, ideal_of_frames
from lft.counting.audit.ideal.evidence import Contact, Pulse, Walk
from lft.counting.audit.ideal.prior import Prior
from lft.counting.motion import hurrying
from lft.counting.rendering.schedule import draw
from lft.counting.spec import ClipSpec
from tests.counting.clips import trace_at

FPS, FRAMES = 10.0, 30  # three seconds: small enough to list everything that can happen
SUPPLIED = np.array([2, 7, 12, 17, 22, 27])
RATES = (1.0, 2.0)


def test_what_the_frames_show_fully_is_answered_rightly() -> None:
    for domain, n in itertools.product(("bounce_ball", "blinking", "state_machine"), (0, 1, 5, 12)):
        trace = draw(ClipSpec(domain, n, 2.0, 1)).trace()
        found = ideal_of_frames(trace, supplied_frames(trace, Sampling.parse("native")))
        assert found is not None
        assert found.answer == n, (domain, n)


def test_equal_spacing_tells_of_events_between_frames() -> None:
    # Blinks at 2 Hz on frames 30, 45 ... 135; every 30th frame is supplied: 30, 60, 90, 120 are lit. The literal reader
    # sees no dark frame between: one event. Four lit frames 30 apart are four events at least to one who knows how long
    # a blink lasts.
    at = [30 + 15 * k for k in range(8)]
    trace = trace_at(at, frequency_hz=2.0, evidence=[(frame, frame + 5) for frame in at])
    frames = np.arange(0, 720, 30)
    assert ceiling_of_frames(trace, frames).count == 1
    found = ideal_of_frames(trace, frames)
    assert found is not None
    assert found.answer >= 4


def test_a_bound_is_kept_and_read_again(tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:  # type: ignore[no-untyped-def]
    trace = draw(ClipSpec("blinking", 3, 2.0, 1)).trace()
    frames = np.arange(0, 720, 30)
    first = Bounds({}, tmp_path)
    found = first.of(trace, frames)
    first.save()
    monkeypatch.setattr(
        "lft.counting.audit.ideal.bound.ideal_of_frames", lambda *a, **k: pytest.fail("not kept")
    )
    again = Bounds({}, tmp_path).of(trace, frames)
    assert found is not None
    assert again is not None
    assert again.answer == found.answer
    with pytest.raises(pytest.fail.Exception):
        Bounds({"blinking": Prior(counts=(1, 2))}, tmp_path).of(trace, frames)


def _shown(
    kind: str, events: tuple[int, ...], rate_hz: float, variant: tuple[int, ...]
) -> tuple[Hashable, ...]:
    """What the supplied frames show; `variant`: the first wall, or the states before the first event and after each."""
    if kind == "pulse":
        on = spacing.pulse(FPS)
        return tuple(any(e <= f < e + on for e in events) for f in SUPPLIED)
    if kind == "walk":
        return tuple(variant[sum(e <= f for e in events)] for f in SUPPLIED)
    there = hurrying(events, FRAMES, variant[0], spacing.crossing(FPS))
    return tuple(there[f] for f in SUPPLIED)


def _variants(kind: str, count: int) -> list[tuple[int, ...]]:
    if kind == "pulse":
        return [()]
    if kind == "contact":
        return [(0,), (1,)]
    return [
        w
        for w in itertools.product(range(4), repeat=count + 1)
        if all(a != b for a, b in itertools.pairwise(w))
    ]


@pytest.mark.parametrize("kind", ["pulse", "contact", "walk"])
def test_irregular_events_against_a_list_of_all_that_can_happen(kind: str) -> None:
    """P(what is seen, N), summed over every placing of up to three events, is what the recursion gives."""
    low, high = spacing.room(FPS, FRAMES)
    gap = spacing.least_gap(FPS)
    total: dict[tuple[Hashable, ...], dict[int, float]] = defaultdict(lambda: defaultdict(float))
    counts = (0, 1, 2, 3)
    for n, rate in itertools.product((1, 2, 3), RATES):
        sets = [
            c
            for c in itertools.combinations(range(low, high + 1), n)
            if all(b - a >= gap for a, b in itertools.pairwise(c))
        ]
        tilt = spacing.irregular(n, rate, FPS, FRAMES).tilt if n > 1 else 1.0
        weights = [tilt ** (c[-1] - c[0]) for c in sets]
        variants = _variants(kind, n)
        for chosen, weight in zip(sets, weights, strict=True):
            for variant in variants:
                seen = _shown(kind, chosen, rate, variant)
                total[seen][n] += weight / sum(weights) / len(variants) / len(RATES)
    checked = list(total)[:: max(1, len(total) // 60)]
    for seen in checked:
        if kind == "pulse":
            evidence: Pulse | Contact | Walk = Pulse(np.array(seen, dtype=bool), SUPPLIED, FPS)
        elif kind == "contact":
            evidence = Contact(list(seen), SUPPLIED, FPS, FRAMES)  # type: ignore[arg-type]
        else:
            evidence = Walk(np.array(seen, dtype=np.intp), SUPPLIED)
        found = free.posterior(evidence, Prior(counts, RATES), "irregular", FPS, FRAMES, 0)
        scale = 4.0 if kind == "walk" else 1.0  # there, given the first state that is shown
        for n in (1, 2, 3):
            assert found[n] == pytest.approx(total[seen][n] * scale, rel=1e-9, abs=1e-12), (seen, n)


@pytest.mark.parametrize("kind", ["pulse", "contact", "walk"])
def test_bursts_against_a_list_of_all_that_can_happen(kind: str) -> None:
    """P(what is seen, N), summed over every way to part up to three events into runs and to place these."""
    low, high = spacing.room(FPS, FRAMES)
    rate = 2.0  # five frames; runs of 1 to 2 events with pauses of ten frames or more
    total: dict[tuple[Hashable, ...], dict[int, float]] = defaultdict(lambda: defaultdict(float))
    for n in (1, 2, 3):
        for pauses in spacing.pauses(n):
            chosen = []
            for frames in itertools.combinations(range(low, high + 1), n):
                gaps = [b - a for a, b in itertools.pairwise(frames)]
                if all(gap == 5 or gap >= 10 for gap in gaps) and sum(gap >= 10 for gap in gaps) == pauses:
                    chosen.append(frames)
            for frames, variant in itertools.product(chosen, _variants(kind, n)):
                share = 1 / len(chosen) / len(_variants(kind, n)) / len(spacing.pauses(n))
                total[_shown(kind, frames, rate, variant)][n] += share
    for seen in list(total)[:: max(1, len(total) // 60)]:
        if kind == "pulse":
            evidence: Pulse | Contact | Walk = Pulse(np.array(seen, dtype=bool), SUPPLIED, FPS)
        elif kind == "contact":
            evidence = Contact(list(seen), SUPPLIED, FPS, FRAMES)  # type: ignore[arg-type]
        else:
            evidence = Walk(np.array(seen, dtype=np.intp), SUPPLIED)
        found = free.posterior(evidence, Prior((0, 1, 2, 3), (rate,)), "bursts", FPS, FRAMES, 0)
        scale = 4.0 if kind == "walk" else 1.0  # there, given the first state that is shown
        for n in (1, 2, 3):
            assert found[n] == pytest.approx(total[seen][n] * scale, rel=1e-9, abs=1e-12), (seen, n)


@pytest.mark.parametrize("domain", ["bounce_ball", "blinking", "state_machine"])
def test_on_average_over_the_prior_the_ideal_is_not_below_the_literal(domain: str) -> None:
    # Clips as the prior draws them: N from 0 to 12, F from the rates of the grid. 60 clips: four standard errors of a
    # difference of shares are 4 * sqrt(2 * 0.25 / 60) = 0.37 at most; the ideal gains more often than it loses.
    frames = np.arange(0, 720, 30)
    right = {"literal": 0, "ideal": 0}
    for seed in range(60):
        n, f = seed * 5 % 13, (0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0)[seed * 3 % 8]
        trace = draw(ClipSpec(domain, n, f, seed)).trace()
        found = ideal_of_frames(trace, frames)
        assert found is not None
        right["ideal"] += found.answer == n
        right["literal"] += ceiling_of_frames(trace, frames).correct
    assert right["ideal"] >= right["literal"] - 4
