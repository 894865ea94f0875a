"""How sure a frontier is: the probability that each cell truly reaches tau, and the frontiers that this
allows.

A cell of 8 right in 10 has its truth above 80 % with a probability of 0.47 only, so a frontier that runs
through such cells is one of many. Two distributions are given: the bootstrap resamples each cell's clips, and
says how much the frontier would differ on other clips of the same kind; the posterior draws each cell's true
accuracy (Jeffreys' prior), and says where the frontier of the truth may lie. A cell with all or no clips
right does not vary in the first, so the second is the wider one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from lft.core.stats import probability_of_reaching
from lft.counting.frontier import _SLACK, BELOW, TAU

if TYPE_CHECKING:
    import pandas as pd

Distribution = dict[str, float]  # a frontier's value as text -> share of draws, largest first


@dataclass(frozen=True)
class FrontierCertainty:
    """For each frequency (count frontier) and each count (frequency frontier), how its values are
    distributed.
    """

    count: Mapping[float, Distribution]
    frequency: Mapping[int, Distribution]


def with_certainty(cells: pd.DataFrame, tau: float = TAU) -> pd.DataFrame:
    """A surface table with one more column, `p_reaches`: the probability that the cell's true accuracy is >=
    tau.
    """
    n, correct = _counts(cells)
    return cells.assign(p_reaches=probability_of_reaching(correct, n, tau))


def frontier_certainty(
    cells: pd.DataFrame, tau: float = TAU, *, draws: int = 2000, seed: int = 0, method: str = "posterior"
) -> FrontierCertainty:
    """The distribution of the frontiers of one surface (one model, domain and condition).

    `cells` needs frequency_hz, count, n and correct (or accuracy and n). Cells without answers count as not
    reaching tau: the distribution is that of the part that was measured. `method` is `posterior` or
    `bootstrap`.
    """
    positive = cells[cells["count"] > 0]
    frequencies = np.sort(positive["frequency_hz"].unique()).astype(float)
    counts = np.sort(positive["count"].unique()).astype(int)
    n, correct = _counts(positive)
    rng = np.random.default_rng(seed)
    if method == "bootstrap":
        rates = rng.binomial(
            n.astype(int), np.divide(correct, n, out=np.zeros_like(n), where=n > 0), (draws, len(n))
        )
        reaches = (n > 0) & (rates >= tau * n - _SLACK)
    elif method == "posterior":
        reaches = (n > 0) & (rng.beta(correct + 0.5, n - correct + 0.5, (draws, len(n))) >= tau)
    else:
        raise ValueError(f"method is {method!r}, not posterior or bootstrap")
    grid = np.zeros((draws, len(frequencies), len(counts)), dtype=bool)
    rows = np.searchsorted(frequencies, positive["frequency_hz"].to_numpy(float))
    columns = np.searchsorted(counts, positive["count"].to_numpy(int))
    grid[:, rows, columns] = reaches
    return FrontierCertainty(
        {float(f): _distribution(grid[:, i, :], list(counts)) for i, f in enumerate(frequencies)},
        {int(c): _distribution(grid[:, :, j], list(frequencies)) for j, c in enumerate(counts)},
    )


def _counts(cells: pd.DataFrame) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    n = cells["n"].to_numpy(float)
    given = cells["correct"] if "correct" in cells.columns else cells["accuracy"] * cells["n"]
    return np.nan_to_num(n), np.rint(np.nan_to_num(given.to_numpy(float)))


def _distribution(reaches: npt.NDArray[np.bool_], axis: Sequence[Any]) -> Distribution:
    """Shares of the values along `axis`, given for each draw (rows) which places reach tau."""
    lengths = np.cumprod(reaches, axis=1).sum(axis=1)
    found = Counter(lengths.tolist())
    named = {BELOW if k == 0 else str(axis[k - 1]): v / len(reaches) for k, v in found.items()}
    return dict(sorted(named.items(), key=lambda item: -item[1]))
