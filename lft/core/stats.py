"""Intervals and tests, built on statsmodels and scipy.

Conventions
-----------
Counts are whole numbers, rates are in [0, 1], `level` is the coverage of an interval (0.95). Without data the result
is NaN in arrays, and None for a pair.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Clusters = Sequence[Hashable] | npt.NDArray[np.object_] | npt.NDArray[np.intp]


def wilson(correct: npt.ArrayLike, total: npt.ArrayLike, *, level: float = 0.95) -> tuple[Floats, Floats]:
    """Lower and upper end of the Wilson score interval of correct / total, elementwise.

    Equation: the p that solve |p_hat - p| = z sqrt(p (1 - p) / total); NaN where total is 0.
    Range [0, 1]; always holds p_hat. Source: Wilson 1927, by statsmodels `proportion_confint`.

    >>> low, high = wilson(143, 730)
    >>> round(float(low), 3), round(float(high), 3)
    (0.169, 0.226)
    """
    from statsmodels.stats.proportion import proportion_confint

    k, n = np.broadcast_arrays(np.asarray(correct, dtype=np.float64), np.asarray(total, dtype=np.float64))
    if np.any(n < 0) or np.any(k < 0) or np.any(k > n):
        raise ValueError("counts must satisfy 0 <= correct <= total")
    some = n > 0
    low, high = proportion_confint(
        np.where(some, k, 0.0), np.where(some, n, 1.0), alpha=1 - level, method="wilson"
    )
    return (
        np.where(some, np.clip(low, 0.0, 1.0), np.nan).astype(np.float64),
        np.where(some, np.clip(high, 0.0, 1.0), np.nan).astype(np.float64),
    )


def wilson_pair(correct: int, total: int, *, level: float = 0.95) -> tuple[float, float] | None:
    """`wilson` of one rate, or None without data.

    >>> wilson_pair(0, 0) is None
    True
    """
    if not total:
        return None
    low, high = wilson(correct, total, level=level)
    return float(low), float(high)


@dataclass(frozen=True)
class Estimate:
    """A rate with its interval, from `n` values in `clusters` clusters."""

    value: float
    lower: float
    upper: float
    n: int
    clusters: int


def cluster_bootstrap(
    values: npt.ArrayLike,
    clusters: Clusters,
    *,
    weights: npt.ArrayLike | None = None,
    level: float = 0.95,
    draws: int = 2000,
    seed: int = 0,
) -> Estimate | None:
    """A pooled rate, sum of values / sum of weights, with an interval from resampling whole clusters.

    Answers about one item under several conditions are correlated: a cluster (the item) is drawn with all its
    values or not at all. Without `weights` the rate is the mean; with weights it is a ratio such as sum M / sum N.
    Percentile interval over `draws` seeded resamples. NaN values are left out; None if none is left.

    >>> found = cluster_bootstrap([1, 1, 0, 0], ["a", "a", "b", "b"])
    >>> found.value, found.lower, found.upper, found.clusters
    (0.5, 0.0, 1.0, 2)
    """
    v = np.asarray(values, dtype=np.float64)
    w = np.ones_like(v) if weights is None else np.asarray(weights, dtype=np.float64)
    kept = ~(np.isnan(v) | np.isnan(w))
    if not kept.any() or w[kept].sum() == 0:
        return None
    _, of_cluster = np.unique(np.asarray([str(c) for c in clusters])[kept], return_inverse=True)
    sums, sizes = np.bincount(of_cluster, v[kept]), np.bincount(of_cluster, w[kept])
    count = len(sums)
    rng = np.random.default_rng(seed)
    rates = np.empty(draws)
    step = max(1, 4_000_000 // count)  # bounds the memory
    for start in range(0, draws, step):
        size = min(step, draws - start)
        times = rng.multinomial(count, np.full(count, 1 / count), size=size)
        drawn = times @ sizes
        rates[start : start + size] = np.divide(
            times @ sums, drawn, out=np.full(size, np.nan), where=drawn > 0
        )
    low, high = np.nanquantile(rates, _expanded(level, count))
    return Estimate(float(sums.sum() / sizes.sum()), float(low), float(high), int(kept.sum()), count)


def _expanded(level: float, clusters: int) -> tuple[float, float]:
    """Percentiles of the expanded percentile interval (Hesterberg 2015): resamples of n clusters have a standard
    deviation too small by sqrt((n - 1) / n), and normal tails instead of Student's.
    """
    from scipy.stats import norm, t

    if clusters < 2:
        return 0.0, 1.0
    wide = t.ppf((1 + level) / 2, clusters - 1) * (clusters / (clusters - 1)) ** 0.5
    return float(norm.cdf(-wide)), float(norm.cdf(wide))


@dataclass(frozen=True)
class Paired:
    """Two conditions on the same items.

    Attributes
    ----------
    n : pairs. gained, lost : wrong before and right after; right before and wrong after. clusters : independent units.
    difference : accuracy after minus before, with `lower` and `upper` (95 %).
    odds_ratio : gained / lost, above 1 if the second condition helps; infinite or NaN if a count is 0.
    p, p_holm : two-sided exact test; the same with Holm's correction for several tests.
    """

    n: int
    gained: int
    lost: int
    difference: float
    lower: float
    upper: float
    odds_ratio: float
    p: float
    p_holm: float
    clusters: int = 0


def paired(
    before: npt.ArrayLike,
    after: npt.ArrayLike,
    *,
    clusters: Clusters | None = None,
    level: float = 0.95,
) -> Paired:
    """Compares right (1) and wrong (0) answers about the same items under two conditions.

    p: exact permutation test that swaps the two conditions within whole clusters (each pair, without `clusters`). With
    g gained and l lost in a cluster, the sum of +-(g - l) over clusters has a known distribution if all signs are
    equally likely; p is the probability of a sum at least as far from 0 as the observed one. If each cluster is one
    pair this is McNemar's exact test. With several pairs per cluster, sums equal to the observed one in size count
    half (the mid-p value); without this the test is conservative. Interval of the difference: Agresti and Min 2005,
    the Wald interval after adding 1/2 to each of the four counts; if clusters have several pairs, the counts are first
    divided by the design effect, and z is Student's t.

    >>> found = paired([0, 0, 0, 0, 1, 1], [1, 1, 1, 0, 1, 0])
    >>> found.gained, found.lost, round(found.difference, 3), found.p
    (3, 1, 0.333, 0.625)
    >>> found = paired([0] * 12, [1] * 12, clusters=list("aabbccddeeff"))  # +2 six times: half of 2 / 64
    >>> found.clusters, round(found.p, 6)
    (6, 0.015625)
    """
    first, second = np.asarray(before, dtype=bool), np.asarray(after, dtype=bool)
    if first.shape != second.shape or first.ndim != 1 or not len(first):
        raise ValueError(f"shapes {first.shape} and {second.shape}; expected two lists of equal length")
    gained, lost = int((~first & second).sum()), int((first & ~second).sum())
    n = len(first)
    which = np.arange(n) if clusters is None else numbered(clusters)
    turned = np.bincount(which, second.astype(float) - first.astype(float)).astype(np.float64)
    p = _swapped(np.rint(turned).astype(int), mid=len(turned) < n)
    effect, z = _paired_effect(turned, np.bincount(which).astype(float), gained + lost, level)
    b, c, total = gained / effect + 0.5, lost / effect + 0.5, n / effect + 2.0
    middle = (b - c) / total
    half = z * np.sqrt((b + c) - (b - c) ** 2 / total) / total
    value = (gained - lost) / n
    low, high = max(-1.0, min(value, middle - half)), min(1.0, max(value, middle + half))
    ratio = gained / lost if lost else (np.inf if gained else np.nan)
    return Paired(n, gained, lost, value, float(low), float(high), ratio, p, p, len(turned))


def _swapped(turned: npt.NDArray[np.int_], *, mid: bool) -> float:
    """Two-sided p of a sum of whole numbers with random signs; with `mid`, sums equal to the observed one in size count
    half. 1 if all are 0.
    """
    if not turned.any():
        return 1.0
    from scipy.stats import binom

    sizes, many = np.unique(np.abs(turned[turned != 0]), return_counts=True)
    chances = np.ones(1)  # of each sum from -(total) to total, in steps of 1
    for size, m in zip(sizes.tolist(), many.tolist(), strict=True):
        one = np.zeros(2 * size * m + 1)
        # For small m exact fractions, which agree with results worked by hand.
        exact = m <= 200
        one[:: 2 * size] = (
            [math.comb(m, k) / 2**m for k in range(m + 1)] if exact else binom.pmf(np.arange(m + 1), m, 0.5)
        )
        chances = np.convolve(chances, one)
    sums = np.arange(len(chances)) - len(chances) // 2
    seen = abs(int(turned.sum()))
    farther, as_far = (float(chances[part].sum()) for part in (np.abs(sums) > seen, np.abs(sums) == seen))
    return min(1.0, farther + (as_far / 2 if mid else as_far))


def _paired_effect(turned: Floats, sizes: Floats, discordant: int, level: float) -> tuple[float, float]:
    """The design effect of a paired difference, at least 1, and the quantile for its interval.

    Without discordant pairs, or without differences between clusters, each cluster counts as one pair.
    """
    from scipy.stats import norm, t

    count, n = len(turned), float(sizes.sum())
    if count == n:
        return 1.0, float(norm.ppf((1 + level) / 2))
    if count < 2:
        return n, np.inf
    mean = turned.sum() / n
    alone = discordant / n - mean * mean
    between = ((turned - mean * sizes) ** 2).sum() / n * count / (count - 1)
    effect = between / alone if alone > 0 and between > 0 else n / count
    return float(max(1.0, effect)), float(t.ppf((1 + level) / 2, count - 1))


def numbered(clusters: Clusters) -> npt.NDArray[np.intp]:
    """Clusters as whole numbers from 0, in order of appearance."""
    known: dict[Hashable, int] = {}
    return np.array([known.setdefault(one, len(known)) for one in clusters], dtype=np.intp)


def holm(tests: Mapping[str, Paired]) -> dict[str, Paired]:
    """The same tests with Holm's correction in `p_holm`: the family-wise error rate stays at 5 %.

    >>> few = {str(k): paired([0] * k, [1] * k) for k in (6, 7)}
    >>> [(round(t.p, 6), round(t.p_holm, 6)) for t in holm(few).values()]
    [(0.03125, 0.03125), (0.015625, 0.03125)]
    """
    from statsmodels.stats.multitest import multipletests

    if not tests:
        return {}
    corrected = multipletests([t.p for t in tests.values()], method="holm")[1]
    return {name: replace(t, p_holm=float(p)) for (name, t), p in zip(tests.items(), corrected, strict=True)}


def probability_of_reaching(correct: npt.ArrayLike, total: npt.ArrayLike, threshold: float) -> Floats:
    """Probability that the true rate is at least `threshold`, given correct of total, elementwise; NaN without data.

    Equation: 1 - I_threshold(correct + 1/2, total - correct + 1/2), the posterior under Jeffreys' prior.

    >>> round(float(probability_of_reaching(8, 10, 0.8)), 2)  # 8 of 10 say little about 80 %
    0.47
    """
    from scipy.stats import beta

    k, n = np.asarray(correct, dtype=np.float64), np.asarray(total, dtype=np.float64)
    return np.where(n > 0, beta.sf(threshold, k + 0.5, n - k + 0.5), np.nan).astype(np.float64)
