"""The certainty of a surface and its frontiers, for the figures in `certainty` and the tables in `frontiers`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lft.counting.audit.certainty import FrontierCertainty, frontier_certainty, with_certainty
from lft.counting.audit.psychometric import Contour, Fit, fit
from lft.counting.frontier import BELOW

if TYPE_CHECKING:
    from pandas import DataFrame

LEVELS = (0.8, 0.5)  # contours of the psychometric surface


@dataclass(frozen=True)
class Sure:
    """The certainty of one surface, that is one series and domain.

    Attributes
    ----------
    cells : its cells with `p_reaches`, the probability that the true accuracy is at least tau.
    posterior : distributions of the frontiers, and of those that a repeat would read; see
        `lft.counting.audit.certainty`.
    fitted : the psychometric surface, or None where too few cells were answered.
    """

    cells: DataFrame
    posterior: FrontierCertainty
    fitted: Fit | None

    def contours(self, level: float) -> dict[float, Contour]:
        """frequency_hz -> the count at which the fitted accuracy falls to `level`; empty without a fit."""
        rates = sorted({float(f) for f in self.cells.loc[self.cells["count"] > 0, "frequency_hz"]})
        return {f: self.fitted.contour(level, f) for f in rates} if self.fitted else {}


def sure_of(cells: DataFrame, tau: float) -> Sure:
    """The certainty of one series and domain."""
    return Sure(
        with_certainty(cells, tau),
        frontier_certainty(cells, tau),
        fit(cells),
    )


def span(shares: Mapping[str, float], coverage: float = 0.95) -> tuple[float, float]:
    """The central interval with this `coverage` of a frontier's distribution; 0 is below.

    >>> span({"2": 0.6, "3": 0.3, "below": 0.01, "1": 0.09})
    (1.0, 3.0)
    """
    known = sorted((0.0 if name == BELOW else float(name), share) for name, share in shares.items())
    edges, total = [], 0.0
    for want in ((1 - coverage) / 2, (1 + coverage) / 2):
        total, at = 0.0, known[-1][0]
        for value, share in known:
            total += share
            if total >= want - 1e-9:
                at = value
                break
        edges.append(at)
    return edges[0], edges[1]


def expected(shares: Mapping[str, float]) -> float:
    """The mean of a frontier's distribution; below counts as 0.

    >>> expected({"2": 0.5, "below": 0.5})
    1.0
    """
    return sum(share * float(name) for name, share in shares.items() if name != BELOW)


def at_least(shares: Mapping[str, float], value: float) -> float:
    """The share of a frontier's distribution at `value` or above."""
    return sum(share for name, share in shares.items() if name != BELOW and float(name) >= value - 1e-9)
