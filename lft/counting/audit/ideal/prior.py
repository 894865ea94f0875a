"""What an ideal observer knows before it looks: how many events there may be, how fast, and how they are spaced.

Regular clips: N uniform on the counts that fit, F uniform on an interval, the start uniform. Irregular clips and
bursts: N uniform, F uniform on the rates of the grid, and events spaced as `lft.counting.spacing` spaces them. With
`grid_known`, N and F are uniform on the values of the grid, whatever the schedule.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

COUNTS = tuple(range(13))
RATES_HZ = (0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0)


@dataclass(frozen=True)
class Prior:
    """What may be, before anything is seen.

    Attributes
    ----------
    counts : the N that may be, increasing, each equally likely among those that fit.
    rates_hz : the F that may be, increasing: of regular events anything from the first to the last, unless the grid is
        known; else each of them.
    grid_known : whether counts and rates are those of the grid.
    """

    counts: tuple[int, ...] = COUNTS
    rates_hz: tuple[float, ...] = RATES_HZ
    grid_known: bool = False

    @classmethod
    def of(cls, cells: Iterable[tuple[int, float]], *, grid_known: bool = False) -> Prior:
        """The prior for clips of these (count, frequency_hz): 0 to 12 events at 0.5 to 4 Hz, or wider where they are.

        >>> Prior.of([(3, 1.0), (12, 4.0)]) == Prior(), Prior.of([(20, 6.0)]).rates_hz[-1]
        (True, 6.0)
        """
        there = set(cells)
        counts, rates = {n for n, _ in there}, {float(f) for n, f in there if n}
        if grid_known:
            return cls(tuple(sorted(counts)), tuple(sorted(rates or {1.0})), True)
        return cls(tuple(range(max([*counts, COUNTS[-1]]) + 1)), tuple(sorted(rates | set(RATES_HZ))))
