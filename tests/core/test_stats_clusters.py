"""Intervals of clustered values: by hand, at the ends, and by simulation."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest

from lft.core.stats import paired, wilson
from lft.core.stats_clusters import sandwich, share


@given(right=st.integers(0, 30), n=st.integers(1, 30))
def test_single_answers_have_the_wilson_interval(right: int, n: int) -> None:
    right = min(right, n)
    found = share([1] * right + [0] * (n - right), np.arange(n))
    assert found is not None
    low, high = wilson(right, n)
    assert (found.lower, found.upper) == (pytest.approx(float(low)), pytest.approx(float(high)))


def test_by_hand() -> None:
    # Three clips, two replicates each: 2, 2 and 0 right of 2. Mean 2/3; about it the clusters sum to 2/3, 2/3, -4/3:
    # variance (24/9) / 36 * 3/2 = 1/9; of single answers 2/9, so they are worth 2, and t with 2 degrees is 4.3027.
    found = share([1, 1, 1, 1, 0, 0], list("aabbcc"))
    assert found is not None
    z, n, p = 4.302653, 2, 2 / 3
    middle = (p + z * z / 2 / n) / (1 + z * z / n)
    half = z / (1 + z * z / n) * (p * (1 - p) / n + z * z / 4 / n**2) ** 0.5
    assert (found.lower, found.upper) == (
        pytest.approx(middle - half, abs=1e-6),
        pytest.approx(middle + half, abs=1e-6),
    )


def test_the_ends_leave_room() -> None:
    # Four clips, three replicates, all right: four clusters, not [1, 1].
    found = share([1] * 12, np.repeat(np.arange(4), 3))
    assert found is not None
    assert (found.value, found.upper, found.lower < 0.51) == (1.0, 1.0, True)
    one = share([1, 1], ["a", "a"])
    assert one is not None
    assert (one.lower, one.upper) == (0.0, 1.0)
    assert share([], []) is None
    assert share([np.nan], ["a"]) is None


@settings(max_examples=50)
@given(values=st.lists(st.floats(0, 1), min_size=1, max_size=20), clusters=st.integers(1, 6))
def test_the_interval_holds_the_mean(values: list[float], clusters: int) -> None:
    found = share(values, [k % clusters for k in range(len(values))])
    assert found is not None
    assert 0 <= found.lower <= found.value + 1e-12
    assert found.value - 1e-12 <= found.upper <= 1


@pytest.mark.parametrize(("accuracy", "clips", "replicates"), [(0.98, 10, 3), (0.5, 10, 3), (0.9, 40, 5)])
def test_it_covers_with_replicates(accuracy: float, clips: int, replicates: int) -> None:
    """1,000 runs in which clips differ (beta, correlation 0.5 within a clip); the bootstrap had 0.33 for the first."""
    rng = np.random.default_rng(0)
    cluster = np.repeat(np.arange(clips), replicates)
    held = 0
    for _ in range(1000):
        ease = rng.beta(accuracy, 1 - accuracy, clips)
        found = share(rng.random(len(cluster)) < ease[cluster], cluster)
        assert found is not None
        held += found.lower <= accuracy <= found.upper
    assert held / 1000 >= 0.93


def test_it_covers_means_with_a_mass_at_one() -> None:
    """F1 of sixty clips, half of them 1, the others anywhere: 0.95 less four standard errors is 0.92."""
    rng = np.random.default_rng(0)
    held = 0
    for _ in range(1000):
        values = np.where(rng.random(60) < 0.5, 1.0, rng.beta(2, 2, 60))
        found = share(values, np.arange(60))
        assert found is not None
        held += found.lower <= 0.75 <= found.upper
    assert 0.92 <= held / 1000 <= 0.985


def test_the_sandwich_of_a_mean() -> None:
    # A normal mean with variance 1: gradients x - mean, curvature n. In clusters of one the variance is that of x / n.
    x = np.random.default_rng(0).normal(0, 2, 200)
    half, count = sandwich((x - x.mean())[:, None], np.array([[200.0]]), np.arange(200))
    assert count == 200
    assert half[0] == pytest.approx(1.972 * x.std(ddof=1) / 200**0.5, rel=1e-3)
    doubled, count = sandwich(
        np.repeat(x - x.mean(), 2)[:, None], np.array([[400.0]]), np.repeat(np.arange(200), 2)
    )
    assert (doubled[0], count) == (pytest.approx(half[0]), 200)


def test_swapping_single_pairs_is_mcnemar() -> None:
    rng = np.random.default_rng(0)
    for _ in range(30):
        before, after = rng.random(60) < 0.5, rng.random(60) < 0.6
        found = paired(before, after, clusters=rng.permutation(60))
        assert found.p == pytest.approx(binomtest(found.gained, found.gained + found.lost, 0.5).pvalue)


def test_swapping_clusters_is_a_permutation_test() -> None:
    # Against all 2^7 swaps, with sums exactly as far counted half.
    rng = np.random.default_rng(1)
    signs = np.array(np.meshgrid(*[[-1, 1]] * 7)).reshape(7, -1)
    cluster = np.repeat(np.arange(7), 4)
    for _ in range(20):
        before, after = rng.random((2, 28)) < rng.beta(1, 1, 7)[cluster]
        turned = np.bincount(cluster, after.astype(float) - before)
        sums, seen = np.abs(turned @ signs), abs(turned.sum())
        expected = (sums > seen).mean() + (sums == seen).mean() / 2 if turned.any() else 1.0
        assert paired(before, after, clusters=cluster).p == pytest.approx(expected)


def test_the_paired_test_keeps_its_level_with_replicates() -> None:
    """1,000 runs of 80 clips, three replicates, nothing changed: McNemar on the answers rejects in about a tenth."""
    rng = np.random.default_rng(0)
    cluster = np.repeat(np.arange(80), 3)
    hits, held = 0, 0
    for _ in range(1000):
        taste = 1 / (
            1 + np.exp(-rng.normal(0, 2, (2, 80)))
        )  # each condition takes to each clip in its own way
        found = paired(*(rng.random(240) < side[cluster] for side in taste), clusters=cluster)
        hits += found.p <= 0.05
        held += found.lower <= 0 <= found.upper
    assert 0.03 <= hits / 1000 <= 0.07
    assert held / 1000 >= 0.92
