"""The true accuracies of a surface, all cells at once: what each cell says, and what the others say of it.

Cells of ten clips say little one by one. Taken each on its own, nine cells of a true accuracy of 0.9 are all above 0.8
with a small probability only, and the frontier of the truth is thought too low. So the prior is joint: on the logit,
accuracy is a plane over log2 F and log2 N, plus deviations that neighbours share (they fall off with the distance in
octaves), plus a deviation of each cell's own. How large both deviations are is not given: the posterior averages over
sizes from none to very large, by how well each explains the cells. Where accuracy is flat, cells lend each other
certainty; where it breaks off, they stand alone. Nothing forces it to fall with N or F.

Given the sizes, the posterior is normal by Laplace's method: a normal prior, binomial cells, the mode by Newton's.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

_LEVEL_SD, _SLOPE_SD = 3.0, 2.0  # of the plane: logits, and logits an octave
_SHARED_SD = (0.05, 0.5, 1.2, 2.5)  # logits
_OWN_SD = (0.05, 0.3, 0.7, 1.5)
_OCTAVES = 2.0  # at which shared deviations of neighbours are correlated by 1 / e
_MOST_STEPS, _LONGEST_STEP = 100, 3.0


@dataclass(frozen=True)
class Joint:
    """A mixture of normal distributions of the logits of all cells.

    Attributes
    ----------
    weights : float64 (parts,), their sum is 1. modes : (parts, cells). covariances : (parts, cells, cells).
    """

    weights: Floats
    modes: Floats
    covariances: Floats

    def draw(self, draws: int, rng: np.random.Generator) -> Floats:
        """True accuracies drawn from the posterior, (draws, cells)."""
        from scipy.special import expit

        cells = self.modes.shape[1]
        drawn = []
        for part, many in enumerate(rng.multinomial(draws, self.weights)):
            if many:
                root = np.linalg.cholesky(self.covariances[part] + 1e-9 * np.eye(cells))
                drawn.append(self.modes[part] + rng.standard_normal((many, cells)) @ root.T)
        accuracy: Floats = expit(np.concatenate(drawn))
        return accuracy


def posterior(frequency_hz: Floats, count: Floats, n: Floats, correct: Floats) -> Joint:
    """The posterior of cells at the places (frequency_hz, count > 0), of which `correct` of `n` answers were right.

    All are float64 (cells,); n may be 0, and need not be whole.
    """
    prior = _priors(tuple(frequency_hz.tolist()), tuple(count.tolist()))
    total = float(n.sum())
    start = np.log((correct.sum() + 0.5) / (total - correct.sum() + 0.5))
    logits = np.full((len(prior), len(n)), start)
    for _ in range(_MOST_STEPS):
        aim, by_prior, _ = _newton(prior, logits, n, correct)
        step = np.clip(aim - logits, -_LONGEST_STEP, _LONGEST_STEP)
        logits = logits + step
        if np.abs(step).max(initial=0.0) < 1e-5:
            break
    _, by_prior, (root, spread) = _newton(prior, logits, n, correct)
    lower = np.linalg.cholesky(spread)
    known = np.linalg.solve(lower, root[:, :, None] * prior)
    evidence = (
        -0.5 * (by_prior * logits).sum(axis=1)
        + (correct * logits - n * np.logaddexp(0.0, logits)).sum(axis=1)
        - np.log(np.diagonal(lower, axis1=1, axis2=2)).sum(axis=1)
    )
    weights = np.exp(evidence - evidence.max())
    covariances = prior - np.swapaxes(known, 1, 2) @ known
    return Joint(weights / weights.sum(), logits, covariances)


def _newton(
    prior: Floats, logits: Floats, n: Floats, correct: Floats
) -> tuple[Floats, Floats, tuple[Floats, Floats]]:
    """Newton's next logits, the inverse of `prior` times these, and sqrt(W) with I + sqrt(W) prior sqrt(W), W being the
    binomial information. Source: Rasmussen and Williams 2006, algorithm 3.1.
    """
    from scipy.special import expit

    p = expit(logits)
    information = n * p * (1 - p) + 1e-10
    root = np.sqrt(information)
    spread = np.eye(len(n)) + root[:, :, None] * prior * root[:, None, :]
    wanted = information * logits + (correct - n * p)
    pulled = (prior @ wanted[:, :, None])[:, :, 0]
    by_prior = wanted - root * np.linalg.solve(spread, (root * pulled)[:, :, None])[:, :, 0]
    return (prior @ by_prior[:, :, None])[:, :, 0], by_prior, (root, spread)


@lru_cache(maxsize=64)
def _priors(frequency_hz: tuple[float, ...], count: tuple[float, ...]) -> Floats:
    """The prior covariance of the logits for each pair of sizes, (parts, cells, cells)."""
    places = [np.log2(np.asarray(axis, dtype=np.float64)) for axis in (frequency_hz, count)]
    x, y = (place - place.mean() for place in places)
    plane = _LEVEL_SD**2 + _SLOPE_SD**2 * (np.outer(x, x) + np.outer(y, y))
    shared = np.exp(-(np.abs(x[:, None] - x) + np.abs(y[:, None] - y)) / _OCTAVES)
    own = np.eye(len(x))
    return np.stack([plane + s * s * shared + o * o * own for s in _SHARED_SD for o in _OWN_SD])
