"""A psychometric surface: accuracy as a smooth function of how many and how fast.

    accuracy = (1 - lapse) * logistic(a + b log2 F + c log2 N)

fitted by maximum likelihood to right and wrong answers, with the lapse rate between 0 and 0.2 and b, c <= 0
(more and faster is not easier). Where it fits, it uses all cells at once and so draws contours that single
cells of ten clips cannot; whether it fits is tested, and a surface that it does not fit is marked so. Clips
without events take no part. psignifit fits one stimulus dimension, so two are fitted here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    import pandas as pd

Floats = npt.NDArray[np.float64]

_LOWEST = np.array([-60.0, -20.0, -20.0, 0.0])  # slopes beyond 20 an octave are a step
_HIGHEST = np.array([60.0, 0.0, 0.0, 0.2])
_STARTS = np.array(
    [[1.0, -1.0, -1.0, 0.02], [4.0, -4.0, -1.0, 0.02], [4.0, -1.0, -4.0, 0.02], [-1.0, -0.5, -0.5, 0.1]]
)
_MOST_STEPS = 200
_TINY = 1e-9


@dataclass(frozen=True)
class Fit:
    """A fitted surface.

    Attributes
    ----------
    a, b, c, lapse : parameters, as in the module's first lines.
    deviance : twice the log-likelihood that a free rate for every cell gains over the fit.
    p_fit : share of surfaces drawn from the fit whose deviance is at least as large; small means it does not
        fit.
    fits : p_fit >= 0.05.
    draws : float (n, 4), parameters refitted to surfaces drawn from the fit, for intervals.
    """

    a: float
    b: float
    c: float
    lapse: float
    deviance: float
    p_fit: float
    draws: Floats

    @property
    def fits(self) -> bool:
        """Whether the surface agrees with the data at the 5 % level."""
        return self.p_fit >= 0.05

    def accuracy(self, frequency_hz: npt.ArrayLike, count: npt.ArrayLike) -> Floats:
        """Fitted accuracy, elementwise."""
        design = _design(frequency_hz, count)
        flat = _curve(np.array([[self.a, self.b, self.c, self.lapse]]), design.reshape(-1, 3))[0]
        return np.asarray(flat.reshape(design.shape[:-1]), dtype=np.float64)

    def contour(self, level: float, frequency_hz: float, *, coverage: float = 0.95) -> Contour:
        """The count at which accuracy falls to `level` at a frequency; see `Contour`."""
        found = _count_at(np.array([[self.a, self.b, self.c, self.lapse]]), level, frequency_hz)[0]
        low, high = np.quantile(
            _count_at(self.draws, level, frequency_hz),
            [(1 - coverage) / 2, (1 + coverage) / 2],
            method="nearest",
        )
        return Contour(float(found), float(low), float(high))


@dataclass(frozen=True)
class Contour:
    """A count N (not whole) with its interval: 0 if the level is not reached at all, infinite if it never
    falls to it.
    """

    count: float
    lower: float
    upper: float


def fit(cells: pd.DataFrame, *, draws: int = 200, seed: int = 0) -> Fit | None:
    """Fits the surface to cells with frequency_hz, count, n and correct; None if fewer than four have
    answers.
    """
    data = cells[(cells["count"] > 0) & (cells["n"] > 0)]
    if len(data) < 4:
        return None
    n, correct = data["n"].to_numpy(float), data["correct"].to_numpy(float)
    design = _design(data["frequency_hz"].to_numpy(float), data["count"].to_numpy(float))
    best = _maximise(design, n, correct[None, :].repeat(len(_STARTS), 0), _STARTS)
    best = best[[np.argmax(_log_likelihood(best, design, n, correct))]]
    rates = _curve(best, design)[0]
    drawn = np.random.default_rng(seed).binomial(n.astype(int), rates, (draws, len(n))).astype(float)
    refits = _maximise(design, n, drawn, best.repeat(draws, 0))
    found = float(_deviance(_curve(best, design), n, correct)[0])
    deviances = _deviance(_curve(refits, design), n, drawn)
    p_fit = float((1 + np.sum(deviances >= found - 1e-9)) / (draws + 1))
    a, b, c, lapse = (float(x) for x in best[0])
    return Fit(a, b, c, lapse, found, p_fit, refits)


def _design(frequency_hz: npt.ArrayLike, count: npt.ArrayLike) -> Floats:
    f, n = np.broadcast_arrays(np.asarray(frequency_hz, float), np.asarray(count, float))
    return np.stack([np.ones(f.shape), np.log2(f), np.log2(n)], axis=-1)


def _curve(parameters: Floats, design: Floats) -> Floats:
    """Accuracy (fits, cells) for parameters (fits, 4) and a design (cells, 3)."""
    from scipy.special import expit

    rates: Floats = (1 - parameters[:, 3:]) * expit(np.einsum("fk,ck->fc", parameters[:, :3], design))
    return rates


def _log_likelihood(parameters: Floats, design: Floats, n: Floats, correct: Floats) -> Floats:
    p = np.clip(_curve(parameters, design), _TINY, 1 - _TINY)
    total: Floats = (correct * np.log(p) + (n - correct) * np.log1p(-p)).sum(axis=-1)
    return total


def _maximise(design: Floats, n: Floats, correct: Floats, starts: Floats) -> Floats:
    """Maximum likelihood within the bounds, all fits (rows of `correct` and `starts`) at once.

    Fisher scoring with Levenberg's damping, each fit at its own: a step that does not help is shortened.
    """
    best = np.clip(starts, _LOWEST, _HIGHEST)
    going = np.arange(len(best))  # fits that still improve
    now, right = best, correct
    value = _log_likelihood(now, design, n, right)
    damping = np.full(len(now), 1e-2)
    for _ in range(_MOST_STEPS):
        tried = _step(now, damping, design, n, right)
        reached = _log_likelihood(tried, design, n, right)
        better = reached >= value
        done = (better & (reached - value < 1e-7)) | (damping >= 1e8)
        now = np.where(better[:, None], tried, now)
        value = np.where(better, reached, value)
        damping = np.where(better, np.maximum(damping / 4, 1e-9), damping * 8)
        best[going] = now
        left = ~done
        going, now, right, value, damping = going[left], now[left], right[left], value[left], damping[left]
        if not len(going):
            break
    return best


def _step(now: Floats, damping: Floats, design: Floats, n: Floats, correct: Floats) -> Floats:
    gradient, information = _score(now, design, n, correct)
    # At a bound, a direction that leads out is closed.
    closed = ((now <= _LOWEST) & (gradient < 0)) | ((now >= _HIGHEST) & (gradient > 0))
    gradient = np.where(closed, 0.0, gradient)
    information = np.where(closed[:, :, None] | closed[:, None, :], 0.0, information)
    diagonal = np.einsum("fkk->fk", information)  # a view: writing to it changes the matrix
    diagonal += damping[:, None] * (diagonal + 1e-3) + np.where(closed, 1.0, 1e-9)
    step = np.linalg.solve(information, gradient[:, :, None])[:, :, 0]
    return np.clip(now + step, _LOWEST, _HIGHEST)


def _score(parameters: Floats, design: Floats, n: Floats, correct: Floats) -> tuple[Floats, Floats]:
    """Gradient (fits, 4) and expected information (fits, 4, 4) of the log-likelihood."""
    from scipy.special import expit

    s = expit(np.einsum("fk,ck->fc", parameters[:, :3], design))
    keep = 1 - parameters[:, 3:]
    p = np.clip(keep * s, _TINY, 1 - _TINY)
    change = np.concatenate(
        [(keep * s * (1 - s))[:, :, None] * design[None, :, :], -s[:, :, None]], axis=2
    )  # dp / d(parameter), (fits, cells, 4)
    weight = 1 / (p * (1 - p))
    gradient = np.einsum("fc,fck->fk", (correct - n * p) * weight, change)
    information = np.einsum("fc,fck,fcl->fkl", n * weight, change, change)
    return gradient, information


def _deviance(rates: Floats, n: Floats, correct: Floats) -> Floats:
    from scipy.special import xlogy

    p = np.clip(rates, _TINY, 1 - _TINY)
    fitted = xlogy(correct, p) + xlogy(n - correct, 1 - p)
    free = xlogy(correct, correct / n) + xlogy(n - correct, 1 - correct / n)
    total: Floats = 2 * (free - fitted).sum(axis=-1)
    return total


def _count_at(parameters: Floats, level: float, frequency_hz: float) -> Floats:
    """N at which accuracy is `level`, for each row of parameters; 0 below N = 1, infinite if it never falls
    there.
    """
    a, b, c, lapse = parameters.T
    share = np.clip(level / (1 - lapse), None, 1 - 1e-12)
    line = np.log(share / (1 - share))
    at_one = a + b * np.log2(frequency_hz)
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        octaves = np.where(c < 0, (at_one - line) / -c, np.inf)
        counts = np.exp2(np.minimum(octaves, 1000))
    return np.where((at_one < line) | (level >= 1 - lapse), 0.0, np.where(octaves > 999, np.inf, counts))
