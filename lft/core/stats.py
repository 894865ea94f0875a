"""Intervals and tests, thin over statsmodels and scipy.

Conventions
-----------
Counts are whole numbers, rates lie in [0, 1], `level` is the coverage of an interval (0.95). Where there is
no data there is no interval: NaN in arrays, None where a pair is returned.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


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
    """A rate with its interval; `clusters` is what was resampled, `n` how many values there were."""

    value: float
    lower: float
    upper: float
    n: int
    clusters: int


def cluster_bootstrap(
    values: npt.ArrayLike,
    clusters: Sequence[Hashable] | npt.NDArray[Any],
    *,
    weights: npt.ArrayLike | None = None,
    level: float = 0.95,
    draws: int = 2000,
    seed: int = 0,
) -> Estimate | None:
    """A pooled rate, sum of values / sum of weights, with an interval from resampling whole clusters.

    Answers about one clip under several conditions hang together: a cluster (the clip) is drawn with all its
    values or not at all. Without `weights` the rate is the mean; with them, a ratio such as sum M / sum N.
    Percentile interval over `draws` seeded resamples. Values that are NaN are left out; None if none is left.

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
    step = max(1, 4_000_000 // count)  # bounded memory, whatever the number of clusters
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
    """Percentiles that make up for few clusters: resamples of n vary by sqrt((n - 1) / n) too little, and
    their normal tails should be Student's (Hesterberg 2015, the expanded percentile interval)."""
    from scipy.stats import norm, t

    if clusters < 2:
        return 0.0, 1.0
    wide = t.ppf((1 + level) / 2, clusters - 1) * (clusters / (clusters - 1)) ** 0.5
    return float(norm.cdf(-wide)), float(norm.cdf(wide))


@dataclass(frozen=True)
class Paired:
    """Two conditions on the same clips.

    Attributes
    ----------
    n : pairs. gained, lost : wrong before and right after; right before and wrong after.
    difference : accuracy after minus before, with `lower` and `upper` (95 %).
    odds_ratio : gained / lost, above 1 if the second condition helps; infinite or NaN where a side is 0.
    p, p_holm : two-sided exact McNemar test; the same after Holm's correction, if it was one of several.
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


def paired(before: npt.ArrayLike, after: npt.ArrayLike, *, level: float = 0.95) -> Paired:
    """Compares right (1) and wrong (0) answers to the same clips under two conditions.

    p: exact McNemar test, a binomial test of gained among gained + lost (1 if there are none), by
    statsmodels. Interval of the difference: Agresti and Min 2005, the Wald interval after adding 1/2 to each
    of the four counts.

    >>> found = paired([0, 0, 0, 0, 1, 1], [1, 1, 1, 0, 1, 0])
    >>> found.gained, found.lost, round(found.difference, 3), found.p
    (3, 1, 0.333, 0.625)
    """
    from scipy.stats import norm
    from statsmodels.stats.contingency_tables import mcnemar

    first, second = np.asarray(before, dtype=bool), np.asarray(after, dtype=bool)
    if first.shape != second.shape or first.ndim != 1 or not len(first):
        raise ValueError(
            f"two equally long lists of answers are needed, not {first.shape} and {second.shape}"
        )
    gained, lost = int((~first & second).sum()), int((first & ~second).sum())
    table = [[int((first & second).sum()), lost], [gained, int((~first & ~second).sum())]]
    p = float(mcnemar(table, exact=True).pvalue) if gained + lost else 1.0
    n = len(first)
    b, c, total = gained + 0.5, lost + 0.5, n + 2.0
    middle = (b - c) / total
    half = float(norm.ppf((1 + level) / 2)) * np.sqrt((b + c) - (b - c) ** 2 / total) / total
    low, high = max(-1.0, middle - half), min(1.0, middle + half)
    ratio = gained / lost if lost else (np.inf if gained else np.nan)
    return Paired(n, gained, lost, (gained - lost) / n, low, high, ratio, p, p)


def holm(tests: Mapping[str, Paired]) -> dict[str, Paired]:
    """The same tests with `p_holm` corrected for their number: the chance of one false alarm among them stays
    5 %.

    >>> few = {str(k): paired([0] * k, [1] * k) for k in (6, 7)}
    >>> [(t.p, t.p_holm) for t in holm(few).values()]
    [(0.03125, 0.03125), (0.015625, 0.03125)]
    """
    from statsmodels.stats.multitest import multipletests

    if not tests:
        return {}
    corrected = multipletests([t.p for t in tests.values()], method="holm")[1]
    return {name: replace(t, p_holm=float(p)) for (name, t), p in zip(tests.items(), corrected, strict=True)}


def probability_of_reaching(correct: npt.ArrayLike, total: npt.ArrayLike, tau: float) -> Floats:
    """Probability that the true rate is at least tau, given correct of total, elementwise; NaN without data.

    Equation: 1 - I_tau(correct + 1/2, total - correct + 1/2), the posterior under Jeffreys' prior.

    >>> round(float(probability_of_reaching(8, 10, 0.8)), 2)  # 8 of 10 say little about 80 %
    0.47
    """
    from scipy.stats import beta

    k, n = np.asarray(correct, dtype=np.float64), np.asarray(total, dtype=np.float64)
    return np.where(n > 0, beta.sf(tau, k + 0.5, n - k + 0.5), np.nan).astype(np.float64)
