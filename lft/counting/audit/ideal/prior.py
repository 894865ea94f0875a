"""What an ideal observer knows before it looks: how many events there may be, how fast, and how they are spaced.

Stated: of regular clips N uniform on the counts that fit, F uniform on an interval, the start uniform; of irregular
clips and bursts N uniform, F uniform on the rates of the grid, and events spaced as `lft.counting.spacing` spaces them.
With the grid known, a clip is one of the grid's: each cell (N, F) is as likely as the clips say that there are.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

COUNTS = tuple(range(13))
RATES_HZ = (0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0)


@dataclass(frozen=True)
class Prior:
    """What may be, before anything is seen.

    Attributes
    ----------
    counts : the N that may be, increasing; without `cells`, each equally likely among those that fit.
    rates_hz : the F that may be, increasing: of regular events anything from the first to the last, unless the grid is
        known; else each of them.
    cells : (N, F, weight) of a known grid, increasing; weights are whole numbers without a common divisor. Empty where
        the grid is not known.
    """

    counts: tuple[int, ...] = COUNTS
    rates_hz: tuple[float, ...] = RATES_HZ
    cells: tuple[tuple[int, float, int], ...] = ()

    @property
    def grid_known(self) -> bool:
        """Whether counts and rates are those of the grid."""
        return bool(self.cells)

    def weight_of(self, count: int) -> float:
        """How likely N is, up to a factor: with the grid known its weight, else 1."""
        return float(sum(w for n, _, w in self.cells if n == count)) if self.cells else 1.0

    @classmethod
    def of(cls, cells: Iterable[tuple[int, float]], *, grid_known: bool = False) -> Prior:
        """The prior for clips of these (count, frequency_hz), one entry a clip: 0 to 12 events at 0.5 to 4 Hz, or wider
        where they are.

        >>> Prior.of([(3, 1.0), (12, 4.0)]) == Prior(), Prior.of([(20, 6.0)]).rates_hz[-1]
        (True, 6.0)
        >>> Prior.of([(0, 1.0), (0, 1.0), (3, 2.0), (3, 2.0)], grid_known=True).cells
        ((0, 1.0, 1), (3, 2.0, 1))
        """
        there = Counter((n, float(f)) for n, f in cells)
        counts, rates = {n for n, _ in there}, {f for n, f in there if n}
        if grid_known:
            common = math.gcd(*there.values())
            weighed = tuple((n, f, k // common) for (n, f), k in sorted(there.items()))
            return cls(tuple(sorted(counts)), tuple(sorted(rates or {1.0})), weighed)
        return cls(tuple(range(max([*counts, COUNTS[-1]]) + 1)), tuple(sorted(rates | set(RATES_HZ))))
