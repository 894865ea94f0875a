"""Cluster bootstrap, paired tests and certainty: by hand, by simulation, and against other
implementations.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binomtest

from lft.core.stats import Paired, cluster_bootstrap, holm, paired, probability_of_reaching


def test_the_estimate_is_the_pooled_rate() -> None:
    found = cluster_bootstrap([1, 0, 3], ["a", "a", "b"], weights=[2, 2, 4])
    assert found is not None
    assert found.value == 4 / 8
    assert (found.n, found.clusters) == (3, 2)
    assert found.lower <= found.value <= found.upper


def test_missing_values_are_left_out() -> None:
    found = cluster_bootstrap([1.0, np.nan, 0.0], ["a", "b", "c"])
    assert found is not None
    assert (found.value, found.n, found.clusters) == (0.5, 2, 2)
    assert cluster_bootstrap([], []) is None
    assert cluster_bootstrap([np.nan], ["a"]) is None


def test_seeded() -> None:
    values, clusters = np.random.default_rng(0).random(50), np.arange(50) // 5
    assert cluster_bootstrap(values, clusters) == cluster_bootstrap(values, clusters)
    assert cluster_bootstrap(values, clusters) != cluster_bootstrap(values, clusters, seed=1)


def test_repeats_of_a_clip_add_no_certainty() -> None:
    """The same 40 answers copied ten times: the interval of clusters stays, that of values would shrink by
    3.
    """
    once = np.random.default_rng(0).random(40) < 0.5
    alone = cluster_bootstrap(once, np.arange(40))
    copied = cluster_bootstrap(np.tile(once, 10), np.tile(np.arange(40), 10))
    naive = cluster_bootstrap(np.tile(once, 10), np.arange(400))
    assert alone is not None
    assert copied is not None
    assert naive is not None
    assert copied.upper - copied.lower == pytest.approx(alone.upper - alone.lower, rel=0.05)
    assert naive.upper - naive.lower < 0.4 * (alone.upper - alone.lower)


def test_coverage_with_correlated_answers() -> None:
    """400 runs of 40 clips under 5 conditions; each clip has its own difficulty. 0.95 - 4 standard errors =
    0.906.
    """
    rng = np.random.default_rng(0)
    covered = 0
    for run in range(400):
        ease = rng.beta(2, 2, 40)
        answers = rng.random((40, 5)) < ease[:, None]
        found = cluster_bootstrap(answers.ravel(), np.repeat(np.arange(40), 5), draws=500, seed=run)
        assert found is not None
        covered += found.lower <= 0.5 <= found.upper
    assert 0.906 <= covered / 400 <= 0.99


def test_many_clusters_use_bounded_memory() -> None:
    found = cluster_bootstrap(np.ones(100_000), np.arange(100_000), draws=50)
    assert found is not None
    assert (found.value, found.lower, found.upper) == (1, 1, 1)


def test_mcnemar_by_hand() -> None:
    # Changed: 1 lost, 5 gained. Two-sided binomial: 2 (C(6,0) + C(6,1)) / 64 = 14/64.
    before = [1] + [0] * 5 + [1] * 4
    after = [0] + [1] * 5 + [1] * 4
    found = paired(before, after)
    assert (found.n, found.gained, found.lost) == (10, 5, 1)
    assert found.p == pytest.approx(14 / 64)
    assert found.difference == pytest.approx(0.4)
    assert found.odds_ratio == 5
    # Agresti and Min: (5.5 - 1.5) / 12, half-width 1.96 sqrt(7 - 16/12) / 12.
    assert (found.lower + found.upper) / 2 == pytest.approx(4 / 12)
    assert (found.upper - found.lower) / 2 == pytest.approx(1.959964 * (7 - 16 / 12) ** 0.5 / 12, abs=1e-6)


def test_mcnemar_ends() -> None:
    same = paired([1, 0], [1, 0])
    assert (same.p, same.difference) == (1.0, 0.0)
    assert np.isnan(same.odds_ratio)
    assert paired([0, 0], [1, 1]).odds_ratio == np.inf
    for bad in (([], []), ([1], [1, 0])):
        with pytest.raises(ValueError, match="equal length"):
            paired(*bad)


def test_mcnemar_is_the_binomial_test() -> None:
    rng = np.random.default_rng(0)
    for _ in range(50):
        before, after = rng.random(60) < 0.5, rng.random(60) < 0.6
        found = paired(before, after)
        assert found.p == pytest.approx(binomtest(found.gained, found.gained + found.lost, 0.5).pvalue)


def test_interval_of_a_difference_covers() -> None:
    rng = np.random.default_rng(0)
    covered = 0
    for _ in range(1000):
        u = rng.random(100)
        found = paired(u < 0.4, (u < 0.3) | (u > 0.75))  # accuracies 0.4 and 0.55
        covered += found.lower <= 0.15 <= found.upper
    assert 0.93 <= covered / 1000 <= 0.985


def test_holm_by_hand() -> None:
    def with_p(p: float) -> Paired:
        return Paired(10, 1, 1, 0.0, 0.0, 0.0, 1.0, p, p)

    # Sorted 0.01, 0.02, 0.03, 0.04 times 4, 3, 2, 1: 0.04, 0.06, 0.06, then never below the one before: 0.06.
    found = holm({"a": with_p(0.04), "b": with_p(0.01), "c": with_p(0.03), "d": with_p(0.02)})
    assert {k: round(t.p_holm, 10) for k, t in found.items()} == {"a": 0.06, "b": 0.04, "c": 0.06, "d": 0.06}
    assert holm({}) == {}


def test_probability_of_reaching() -> None:
    # Jeffreys with no errors in n: 1 - I_0.8(n + 1/2, 1/2). It grows with n; 8 of 10 is under one half.
    found = probability_of_reaching([8, 10, 80, 0, 0], [10, 10, 100, 10, 0], 0.8)
    assert 0.4 < found[0] < 0.5
    assert found[1] > 0.95
    assert found[2] == pytest.approx(0.5, abs=0.05)
    assert found[3] < 1e-6
    assert np.isnan(found[4])
