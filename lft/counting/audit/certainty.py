"""How sure a frontier is: the probability that each cell truly reaches tau, where the frontier of the truth may lie,
and what a point frontier is worth.

A cell of 8 right in 10 has its truth above 80 % with a probability of 0.47 only, so a frontier that runs through such
cells is one of many. Its posterior draws the true accuracies of all cells at once (`lft.counting.audit.jointsurface`).
From each draw the same number of clips is answered anew, too: the point frontiers of such repeats say what another run
would read, and how often that is below the truth. It often is, since one unlucky cell ends a frontier: of true
accuracies of 0.9 everywhere, ten clips a cell, 49 % of the point frontiers are too low (`benchmarks/coverage.py`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from lft.core.stats import probability_of_reaching
from lft.counting.audit.jointsurface import posterior
from lft.counting.frontier import _SLACK, BELOW, TAU

if TYPE_CHECKING:
    import pandas as pd

Distribution = dict[str, float]  # a frontier's value as text -> share of draws, largest first


@dataclass(frozen=True)
class Frontiers:
    """For each frequency (count frontier) and each count (frequency frontier), how its values are distributed."""

    count: Mapping[float, Distribution]
    frequency: Mapping[int, Distribution]


@dataclass(frozen=True)
class FrontierCertainty(Frontiers):
    """Where the frontiers of the truth lie, with what runs of the same size would read.

    Attributes
    ----------
    repeat : the point frontiers of such runs.
    too_low : frequency -> probability that the point frontier of such a run is below the true one.
    """

    repeat: Frontiers
    too_low: Mapping[float, float]


def with_certainty(cells: pd.DataFrame, tau: float = TAU) -> pd.DataFrame:
    """A surface table with one more column, `p_reaches`: the probability that the cell's true accuracy is >=
    tau, by its own answers alone.
    """
    n, correct = _counts(cells)
    return cells.assign(p_reaches=probability_of_reaching(correct, n, tau))


def frontier_certainty(
    cells: pd.DataFrame, tau: float = TAU, *, draws: int = 2000, seed: int = 0
) -> FrontierCertainty:
    """The distribution of the frontiers of one surface (one model, domain and condition).

    `cells` needs frequency_hz, count, n and correct (or accuracy and n); with n_effective, clips asked several times
    count for what they are worth. Cells without answers count as not reaching tau: the distribution is that of the
    part that was measured.
    """
    positive = cells[cells["count"] > 0]
    frequencies = np.sort(positive["frequency_hz"].unique()).astype(float)
    counts = np.sort(positive["count"].unique()).astype(int)
    rows = np.searchsorted(frequencies, positive["frequency_hz"].to_numpy(float))
    columns = np.searchsorted(counts, positive["count"].to_numpy(int))
    n, correct = _counts(positive)
    true, again = _drawn(positive, n, correct, tau, draws, np.random.default_rng(seed))

    def on_grid(reaches: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
        grid = np.zeros((draws, len(frequencies), len(counts)), dtype=bool)
        grid[:, rows, columns] = reaches
        return grid

    truth, repeat = (_distributions(on_grid(x), frequencies, counts) for x in (true, again))
    lengths = [np.cumprod(on_grid(x), axis=2).sum(axis=2) for x in (again, true)]
    low = (lengths[0] < lengths[1]).mean(axis=0)
    return FrontierCertainty(
        truth.count,
        truth.frequency,
        repeat,
        {float(f): float(p) for f, p in zip(frequencies, low, strict=True)},
    )


def _drawn(
    cells: pd.DataFrame,
    n: npt.NDArray[np.float64],
    correct: npt.NDArray[np.float64],
    tau: float,
    draws: int,
    rng: np.random.Generator,
) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
    """Whether each cell reaches tau in truth, and in another run of the same size; (draws, cells)."""
    if not n.sum():
        none = np.zeros((draws, len(n)), dtype=bool)
        return none, none
    joint = posterior(cells["frequency_hz"].to_numpy(float), cells["count"].to_numpy(float), n, correct)
    accuracy = joint.draw(draws, rng)
    asked = np.maximum(np.rint(n), 1).astype(int)
    right = rng.binomial(asked, accuracy)
    return (n > 0) & (accuracy >= tau), (n > 0) & (right >= tau * asked - _SLACK)


def _counts(cells: pd.DataFrame) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Answers, and right ones among them; of clips asked several times, what these are worth."""
    n = np.nan_to_num(cells["n"].to_numpy(float))
    given = cells["correct"] if "correct" in cells.columns else cells["accuracy"] * cells["n"]
    correct = np.rint(np.nan_to_num(given.to_numpy(float)))
    if "n_effective" not in cells.columns:
        return n, correct
    worth = cells["n_effective"].to_numpy(float)
    worth = np.where(np.isnan(worth), n, worth)
    return worth, np.divide(correct * worth, n, out=np.zeros_like(n), where=n > 0)


def _distributions(
    reaches: npt.NDArray[np.bool_], frequencies: npt.NDArray[np.float64], counts: npt.NDArray[np.int_]
) -> Frontiers:
    """Of draws (draws, frequencies, counts)."""
    return Frontiers(
        {float(f): _distribution(reaches[:, i, :], list(counts)) for i, f in enumerate(frequencies)},
        {int(c): _distribution(reaches[:, :, j], list(frequencies)) for j, c in enumerate(counts)},
    )


def _distribution(reaches: npt.NDArray[np.bool_], axis: Sequence[float]) -> Distribution:
    """Shares of the values along `axis`, given for each draw (rows) which places reach tau."""
    lengths = np.cumprod(reaches, axis=1).sum(axis=1)
    found = Counter(lengths.tolist())
    named = {BELOW if k == 0 else str(axis[k - 1]): v / len(reaches) for k, v in found.items()}
    return dict(sorted(named.items(), key=lambda item: -item[1]))
