"""Tolerances of events without a frequency: half the gap to the nearest neighbour.

Such windows touch but do not overlap, so a report is in one window, or on the border of two: the
best matching pairs each event with the nearest report in its window.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from lft.counting.spec import NOMINAL_HZ

LONE_S = 1 / (
    2 * NOMINAL_HZ
)  # of an event without neighbours: that of the frequency such clips are filed under
_US = 1_000_000


def half_gaps_s(times_s: Sequence[float]) -> tuple[float, ...]:
    """Half the distance of each of increasing times to its nearest neighbour; `LONE_S` for a single one.

    >>> half_gaps_s([1.0, 2.0, 5.0]), half_gaps_s([3.0])
    ((0.5, 0.5, 1.5), (0.5,))
    """
    if len(times_s) == 1:
        return (LONE_S,)
    gaps = [b - a for a, b in pairwise(times_s)]
    return tuple(min(gaps[max(i - 1, 0) : i + 1]) / 2 for i in range(len(times_s)))


def nearest_in_window(
    true_s: Sequence[float], reported_s: Sequence[float], half_widths_s: Sequence[float]
) -> list[tuple[int, int]]:
    """(reported, true) index pairs in order of the true times; windows may touch but not overlap.

    Ends are inclusive, compared in whole microseconds, as in `lft.counting.match`. Of two equally near reports the
    earlier one is paired.
    """
    free = sorted(range(len(reported_s)), key=lambda r: reported_s[r])
    pairs = []
    for t in sorted(range(len(true_s)), key=lambda t: true_s[t]):
        limit_us = round(half_widths_s[t] * _US)
        apart_us = {r: round(abs(reported_s[r] - true_s[t]) * _US) for r in free}
        inside = [r for r in free if apart_us[r] <= limit_us]
        if inside:
            best = min(inside, key=lambda r: apart_us[r])
            free.remove(best)
            pairs.append((best, t))
    return pairs
