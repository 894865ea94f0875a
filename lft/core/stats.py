"""Intervals and tests, thin over statsmodels and scipy.

Conventions
-----------
Counts are whole numbers, rates lie in [0, 1], `level` is the coverage of an interval (0.95). Where there is
no data there is no interval: NaN in arrays, None where a pair is returned.
"""

from __future__ import annotations

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
