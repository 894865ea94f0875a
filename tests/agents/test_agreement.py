"""Exact agreement, Cohen's kappa and their intervals, against values worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest

from lft.agents.agreement import agreement


def test_kappa_by_hand() -> None:
    # 20 pairs: both yes 8, yes/no 3, no/yes 1, both no 8.
    # exact = 16/20 = 0.8. First says yes 11/20, second 9/20: chance = 0.55*0.45 + 0.45*0.55 = 0.495.
    # kappa = (0.8 - 0.495) / 0.505 = 0.305/0.505 = 61/101.
    pairs = [("e", "y", "y")] * 8 + [("e", "y", "n")] * 3 + [("e", "n", "y")] + [("e", "n", "n")] * 8
    found = agreement(pairs)
    assert found is not None
    assert (found.n, found.clusters, found.exact) == (20, 1, pytest.approx(0.8))
    assert found.kappa == pytest.approx(61 / 101)
    assert found.exact_interval is None
    assert found.kappa_interval is None


def test_kappa_of_three_labels_agrees_with_statsmodels() -> None:
    from statsmodels.stats.inter_rater import cohens_kappa

    counts = np.array([[7, 2, 1], [0, 5, 3], [4, 1, 9]])
    pairs = [("e", str(i), str(j)) for (i, j), k in np.ndenumerate(counts) for _ in range(k)]
    found = agreement(pairs)
    assert found is not None
    assert found.kappa == pytest.approx(cohens_kappa(counts).kappa)


def test_the_interval_of_two_environments_is_what_their_resamples_can_be() -> None:
    # a: x/x, y/y: exact 1, kappa 1. b: x/y, y/x: exact 0, chance 1/2, kappa -1. Both: exact 1/2, chance 1/2, kappa 0.
    # A resample is aa (1/4), ab (1/2) or bb (1/4): kappa 1, 0 or -1. Each end has far more than 2.5 %.
    found = agreement([("a", "x", "x"), ("a", "y", "y"), ("b", "x", "y"), ("b", "y", "x")])
    assert found is not None
    assert (found.exact, found.kappa, found.undefined) == (0.5, 0.0, 0)
    assert found.exact_interval == (0.0, 1.0)
    assert found.kappa_interval == (-1.0, 1.0)


def test_rare_resamples_are_as_rare_as_they_should_be() -> None:
    # Four environments of one pair each; one disagrees. A resample of four draws holds it k times with probability
    # C(4, k) (1/4)^k (3/4)^(4-k): 81, 108, 54, 12, 1 of 256 for k = 0..4; exact is 1 - k/4.
    # k = 4 has 1/256 = 0.4 %, k >= 3 has 13/256 = 5.1 %: the 2.5 % point of exact is 0.25 (k = 3), the 97.5 % point 1.
    found = agreement([("a", "x", "x"), ("b", "y", "y"), ("c", "x", "x"), ("d", "x", "y")])
    assert found is not None
    assert found.exact_interval == (0.25, 1.0)
    # kappa has no value in a resample where both raters give one label alone. Of a, c (x/x), b (y/y), d (x/y) that is
    # so in those of a and c alone, (2/4)^4 = 16/256, of b alone and of d alone: d alone is x against y, whose chance is
    # 0 and kappa 0, a value. So 16/256 + 1/256 = 17/256 of 10,000 = 664; four standard deviations are 100.
    assert abs(found.undefined - 664) < 100


def test_one_label_for_all_has_no_kappa() -> None:
    found = agreement([("a", "x", "x"), ("b", "x", "x")])
    assert found is not None
    assert (found.exact, found.kappa, found.kappa_interval, found.undefined) == (1.0, None, None, 10_000)
    assert agreement([]) is None
