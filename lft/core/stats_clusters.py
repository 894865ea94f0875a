"""Intervals for clustered values: replicates of an item, items that share a look.

Conventions as in `lft.core.stats`. A cluster is one independent unit. Intervals of shares do not collapse if all values
are 0 or all 1, and are never narrower than Wilson's for right and wrong answers.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from lft.core.stats import Clusters, Estimate, numbered

Floats = npt.NDArray[np.float64]


def share(values: npt.ArrayLike, clusters: Clusters, *, level: float = 0.95) -> Estimate | None:
    """The mean of values in [0, 1], such as right (1) and wrong (0) answers, with an interval that respects clusters.

    Wilson's interval on n / d values, where the design effect d is the variance of the mean between clusters over that
    of as many independent answers, at least 1 for values of 0 and 1. z is replaced by Student's t with (clusters - 1)
    degrees of freedom. If all values are equal, d is unknown, and each cluster counts as a single value. If every
    cluster has one value of 0 or 1, this is the Wilson interval. NaN values are left out; None if none is left.

    >>> found = share([1, 1, 1, 1, 1, 1], ["a", "a", "a", "b", "b", "b"])  # two items, three replicates, all right
    >>> found.value, round(found.lower, 2), found.upper
    (1.0, 0.01, 1.0)
    """
    v = np.asarray(values, dtype=np.float64)
    kept = ~np.isnan(v)
    if not kept.any():
        return None
    binary = bool(np.isin(v[kept], (0.0, 1.0)).all())
    return _ratio(v[kept], np.ones(int(kept.sum())), numbered(clusters)[kept], level, binary=binary)


def ratio(
    tops: npt.ArrayLike, bottoms: npt.ArrayLike, clusters: Clusters, *, level: float = 0.95
) -> Estimate | None:
    """sum(tops) / sum(bottoms) in [0, 1], such as failed steps of all steps, one of each per answer. `share` is the
    case of bottoms equal to 1. `n` is the sum of bottoms; None if it is 0.

    >>> found = ratio([1, 0, 3], [4, 4, 4], ["a", "a", "b"])  # 4 of 12, in two items
    >>> round(found.value, 3), found.n, found.clusters
    (0.333, 12, 2)
    """
    top, bottom = np.asarray(tops, dtype=np.float64), np.asarray(bottoms, dtype=np.float64)
    if not bottom.sum() > 0:
        return None
    return _ratio(top, bottom, numbered(clusters), level, binary=True)


def _ratio(
    tops: Floats, bottoms: Floats, of_cluster: npt.NDArray[np.intp], level: float, *, binary: bool
) -> Estimate:
    """`binary`: tops count a part of the things that bottoms count, so the variance is at least binomial."""
    _, of_cluster = np.unique(of_cluster, return_inverse=True)
    sums = np.bincount(of_cluster, tops).astype(np.float64)
    sizes = np.bincount(of_cluster, bottoms).astype(np.float64)
    n, count = float(sizes.sum()), len(sums)
    mean = min(1.0, max(0.0, float(sums.sum()) / n))
    z, effective = _normal(level), n
    if count < n or not binary:
        z = _student(level, count - 1)
        effective = _effective(sums, sizes, mean, most=n if binary else np.inf)
    low, high = score_interval(mean, effective, z)
    return Estimate(mean, low, high, round(n), count)


def score_interval(mean: float, n: float, z: float) -> tuple[float, float]:
    """The score interval of a mean in [0, 1] of n (not necessarily whole) values: |mean - p| <= z sqrt(p (1 - p)
    / n).
    """
    if not np.isfinite(z):
        return 0.0, 1.0
    wide = z * z / n
    centre = (mean + wide / 2) / (1 + wide)
    half = z * np.sqrt(mean * (1 - mean) / n + wide / (4 * n)) / (1 + wide)
    return float(max(0.0, min(mean, centre - half))), float(min(1.0, max(mean, centre + half)))


def sandwich(
    gradients: Floats, curvature: Floats, clusters: Clusters, *, level: float = 0.95
) -> tuple[Floats, int]:
    """Half-widths of Wald intervals of k fitted parameters, and the number of clusters.

    `gradients` (n, k): of each observation's log likelihood at the estimate; `curvature` (k, k): minus the second
    derivative of the whole. Variance: curvature^-1 (sum over clusters of g g') curvature^-1, g being a cluster's
    summed gradient, with the factor G / (G - 1) and Student's t with G - 1 degrees of freedom for G clusters; at
    least that of independent observations, curvature^-1. Infinite for a single cluster.
    """
    of_cluster = numbered(clusters)
    count = int(of_cluster.max()) + 1
    k = gradients.shape[1]
    if count < 2:
        return np.full(k, np.inf), count
    sums = np.stack([np.bincount(of_cluster, gradients[:, i], minlength=count) for i in range(k)], axis=1)
    inverse = np.linalg.pinv(curvature)
    middle = sums.T @ sums * count / (count - 1)
    variance = np.maximum(np.diag(inverse @ middle @ inverse), np.diag(inverse))
    return _student(level, count - 1) * np.sqrt(np.maximum(variance, 0.0)), count


def _effective(sums: Floats, sizes: Floats, mean: float, *, most: float) -> float:
    """The number of independent answers, right with probability `mean`, whose mean has the same variance; at most
    `most`.
    """
    count, n = len(sums), float(sizes.sum())
    spread = mean * (1 - mean)
    between = ((sums - mean * sizes) ** 2).sum() / n**2 * count / (count - 1) if count > 1 else 0.0
    if between <= 1e-15 or spread <= 0:
        return float(count)
    return float(min(most, spread / between))


def _normal(level: float) -> float:
    from scipy.stats import norm

    return float(norm.ppf((1 + level) / 2))


def _student(level: float, freedom: int) -> float:
    from scipy.stats import t

    return float(t.ppf((1 + level) / 2, freedom)) if freedom > 0 else float("inf")
