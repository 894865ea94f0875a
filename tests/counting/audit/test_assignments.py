"""The likelihood over assignments: by hand, and against the sum written out."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm

from lft.counting.audit.assignments import WIDEST, Lists, likelihood

CLIP_S = 24.0


def written_out(
    true_s: list[float], reported_s: list[float], miss: float, false: float, jitter_s: float, step_s: float
) -> float:
    """The likelihood as its equation says it, one assignment after the other."""

    def pair(report_s: float, event_s: float) -> float:
        low = -math.inf if report_s - step_s / 2 <= 0 else report_s - step_s / 2
        high = math.inf if report_s + step_s / 2 >= CLIP_S else report_s + step_s / 2
        return float(norm.cdf((high - event_s) / jitter_s) - norm.cdf((low - event_s) / jitter_s))

    total = 0.0
    for k in range(min(len(true_s), len(reported_s)) + 1):
        for events in itertools.combinations(true_s, k):
            for reports in itertools.permutations(reported_s, k):
                alone = miss ** (len(true_s) - k) * (false * step_s / CLIP_S) ** (len(reported_s) - k)
                total += alone * math.prod(
                    (1 - miss) * pair(r, t) for r, t in zip(reports, events, strict=True)
                )
    return math.log(total) - false


def test_by_hand() -> None:
    # One event at 5, one report in the step from 4.95 to 5.05 s, jitter 0.05: it is the event, with probability
    # 0.8 * (Phi(1) - Phi(-1)) = 0.8 * 0.6827, or it is missed and the report invented: 0.2 * 0.3 * 0.1 / 24; times
    # e^-0.3.
    one = likelihood(Lists.of([[5.0]], [[5.0]], [0.1], [CLIP_S]), 0.2, 0.3, 0.05)
    both = 0.8 * 0.682689, 0.2 * 0.3 * 0.1 / 24
    assert float(one.log[0]) == pytest.approx(math.log(sum(both)) - 0.3, abs=1e-6)
    assert float(one.assigned[0]) == pytest.approx(both[0] / sum(both))


def test_reports_may_cross() -> None:
    # Two events 0.1 s apart, jitter 0.1: both ways to assign the two reports count, 1 + e^-1 times the straight one
    # (squared distances 0 + 0 against 0.01 + 0.01, over 2 * 0.01), in the limit of small steps.
    lists = Lists.of([[5.0, 5.1]], [[5.0, 5.1]], [1e-4], [CLIP_S])
    straight = 2 * math.log(0.8 * 1e-4 / (0.1 * math.sqrt(2 * math.pi)))
    found = float(likelihood(lists, 0.2, 1e-9, 0.1).log[0])
    assert found == pytest.approx(straight + math.log(1 + math.exp(-1)), abs=1e-4)


@settings(max_examples=60, deadline=None)
@given(
    start_s=st.floats(0.0, 22.0),
    rate_hz=st.sampled_from([0.5, 2.0, 4.0]),
    count=st.integers(0, 4),
    reported=st.lists(st.floats(-1.0, 2.0), max_size=4),
    jitter_s=st.sampled_from([0.05, 0.2, 0.7]),
    step_s=st.sampled_from([0.001, 0.1, 1.0]),
)
def test_it_is_the_sum_over_all_assignments(
    start_s: float, rate_hz: float, count: int, reported: list[float], jitter_s: float, step_s: float
) -> None:
    true_s = [min(start_s + k / rate_hz, CLIP_S - 0.04) for k in range(count)]
    reported_s = [min(max(round((start_s + r) / step_s) * step_s, 0.0), CLIP_S) for r in reported]
    lists = Lists.of([true_s], [reported_s], [step_s], [CLIP_S])
    # Pairs more than five standard deviations apart are left out: at most 0.8 * 1.5e-6 / 0.05 beside 0.2 * 0.3 / 24.
    assert float(likelihood(lists, 0.2, 0.3, jitter_s).log[0]) == pytest.approx(
        written_out(true_s, reported_s, 0.2, 0.3, jitter_s, step_s), abs=0.02
    )


def test_derivatives() -> None:
    rng = np.random.default_rng(0)
    true = [sorted(rng.uniform(5, 8, rng.integers(0, 7))) for _ in range(20)]
    reported = [np.round(rng.uniform(4.5, 8.5, rng.integers(0, 7)), 1).tolist() for _ in range(20)]
    lists = Lists.of(true, reported, [0.1] * 20, [CLIP_S] * 20)
    at, h = likelihood(lists, 0.2, 0.3, 0.3), 1e-5

    def log(miss: float = 0.2, false: float = 0.3, jitter_s: float = 0.3) -> np.ndarray:
        return likelihood(lists, miss, false, jitter_s).log

    def odds(logit: float) -> float:
        return 1 / (1 + math.exp(-logit))

    logit = math.log(0.2 / 0.8)
    by_miss = (log(miss=odds(logit + h)) - log(miss=odds(logit - h))) / (2 * h)
    by_false = (log(false=0.3 * math.exp(h)) - log(false=0.3 * math.exp(-h))) / (2 * h)
    by_jitter = (log(jitter_s=0.3 * math.exp(h)) - log(jitter_s=0.3 * math.exp(-h))) / (2 * h)
    assert by_miss == pytest.approx(lists.events * 0.8 - at.assigned, abs=1e-4)
    assert by_false == pytest.approx(lists.reports - at.assigned - 0.3, abs=1e-4)
    assert by_jitter == pytest.approx(at.by_jitter, abs=1e-4)


def test_responses_do_not_touch_each_other() -> None:
    # Together, alone, and in another order: the same numbers, whatever the lengths.
    rng = np.random.default_rng(1)
    true = [sorted(rng.uniform(0, 24, n)) for n in (0, 3, 12, 40, 1, 12)]
    reported = [sorted(rng.uniform(0, 24, m)) for m in (2, 0, 30, 35, 1, 12)]
    whole = likelihood(Lists.of(true, reported, [0.01] * 6, [CLIP_S] * 6), 0.3, 2.0, 0.4).log
    for k, (t, r) in enumerate(zip(true, reported, strict=True)):
        alone = likelihood(Lists.of([t], [r], [0.01], [CLIP_S]), 0.3, 2.0, 0.4).log
        assert float(alone[0]) == pytest.approx(float(whole[k]), rel=1e-9)


def test_events_beyond_the_widest_window_cost_little() -> None:
    # Forty events a quarter of a second apart and a jitter of 1 s: a report has forty in reach, of which the nearest
    # `WIDEST` are weighed. Those within 1.5 s are always among them.
    true_s = [5 + 0.25 * k for k in range(40)]
    lists = Lists.of([true_s], [[7.0, 12.0]], [0.1], [CLIP_S])
    found = likelihood(lists, 0.5, 0.3, 1.0)
    assert WIDEST * 0.25 / 2 >= 1.5
    assert math.isfinite(float(found.log[0]))
    assert 1.5 < float(found.assigned[0]) < 2
