"""Pairs of a reported and a true event: one-to-one, most pairs first, then smallest total deviation.

A pair is possible if |reported - true| <= tolerance, both sides rounded to the microsecond, ends included:
an event and a report exactly 1/(2F) apart can be paired at every frequency, despite float errors.
The rule is that of mir_eval's onset matching (a maximum bipartite matching), which does not specify the maximum
matching; here it is the one with the smallest sum of deviations.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lft.core.errors import InputError, shown
from lft.counting.windows import nearest_in_window

_US = 1_000_000  # microseconds in a second
LONGEST_TOLERANCE_S = 1e6  # eleven days; microseconds of it are exact
_LONGEST_S = 1e300  # whose microseconds still fit a float
_SMALL = 400  # event-report combinations below which plain loops are faster than arrays
_DENSE = 10_000  # size below which an assignment of the whole matrix is faster than a walk along its band


class Pair(NamedTuple):
    """A reported event and its true event; 0-based positions in the given lists.

    Unpacks as `reported_index, true_index, deviation_s`, the order in all lists and files of pairs (also `lft match
    --json`). `deviation_s` is |reported - true|, rounded to microseconds.
    """

    reported_index: int
    true_index: int
    deviation_s: float


@dataclass(frozen=True)
class Matching:
    """Pairs in order of the true times; every index occurs at most once."""

    pairs: tuple[Pair, ...]

    def __len__(self) -> int:
        return len(self.pairs)

    @property
    def total_deviation_s(self) -> float:
        """Sum of the pairs' deviations, seconds."""
        return math.fsum(pair.deviation_s for pair in self.pairs)


def match(
    true_times_s: Sequence[float], reported_times_s: Sequence[float], tolerance_s: float | Sequence[float]
) -> Matching:
    """The best matching of true times (first) and reported times (second), each in any order; either may be empty.

    Equation: argmin over one-to-one sets of possible pairs of (-number of pairs, sum of |t - u|). Among
    several minima, pairs do not cross: an earlier report belongs to an earlier event. If there is one tolerance
    per event, the windows must not overlap (`lft.counting.windows`).

    Raises `InputError` for a time or tolerance that is negative or not finite, or a tolerance above 1e6 s.

    Costs O(M log M) for M reports, plus the number of possible pairs.

    >>> match([1.0, 2.0], [1.1, 2.4], 0.25).pairs
    (Pair(reported_index=0, true_index=0, deviation_s=0.1),)
    >>> len(match([0.5], [0.375], 1 / 8))  # on the tolerance
    1
    """
    true_s = _check(true_times_s, "true time")
    reported_s = _check(reported_times_s, "reported time")
    found: list[tuple[int, int]] | None
    if isinstance(tolerance_s, Sequence | np.ndarray):
        found = nearest_in_window(true_s, reported_s, _check(tolerance_s, "tolerance"))
        return _matching(true_s, reported_s, found)
    _check([tolerance_s], "tolerance")
    found = _unopposed(true_s, reported_s, tolerance_s)
    if found is None:
        found = _best(np.asarray(true_s, np.float64), np.asarray(reported_s, np.float64), tolerance_s)
    return _matching(true_s, reported_s, found)


def _matching(true_s: Sequence[float], reported_s: Sequence[float], found: list[tuple[int, int]]) -> Matching:
    return Matching(tuple(Pair(r, t, round(abs(reported_s[r] - true_s[t]) * _US) / _US) for r, t in found))


def _unopposed(
    true_s: Sequence[float], reported_s: Sequence[float], tolerance_s: float
) -> list[tuple[int, int]] | None:
    """(reported, true) pairs in order of the true times if no event or report has a choice, else None.

    Most responses are short and of this kind: plain loops take a tenth of the time of an assignment.
    """
    if len(true_s) * len(reported_s) > _SMALL:
        return None
    limit_us = round(tolerance_s * _US)
    taken: set[int] = set()
    pairs: list[tuple[int, int]] = []
    for t in sorted(range(len(true_s)), key=true_s.__getitem__):
        time_s = true_s[t]
        near = [r for r, other_s in enumerate(reported_s) if round(abs(other_s - time_s) * _US) <= limit_us]
        if not near:
            continue
        if len(near) > 1 or near[0] in taken:
            return None
        taken.add(near[0])
        pairs.append((near[0], t))
    return pairs


def _best(
    true_s: npt.NDArray[np.float64], reported_s: npt.NDArray[np.float64], tolerance_s: float
) -> list[tuple[int, int]]:
    """The same for any lists: by an assignment, or for long lists by a walk along both."""
    true_order = np.argsort(true_s, kind="stable")
    reported_order = np.argsort(reported_s, kind="stable")
    way = _assigned if len(true_s) * len(reported_s) <= _DENSE else _aligned
    found = way(true_s[true_order], reported_s[reported_order], float(tolerance_s))
    return [(int(reported_order[r]), int(true_order[t])) for r, t in found]


def _assigned(
    true_s: npt.NDArray[np.float64], reported_s: npt.NDArray[np.float64], tolerance_s: float
) -> list[tuple[int, int]]:
    """(report, event) positions of the best pairs of two sorted arrays, in order."""
    from scipy.optimize import linear_sum_assignment

    limit_us = np.rint(tolerance_s * _US)
    apart_us = _apart_us(true_s[:, None], reported_s[None, :])
    possible = apart_us <= limit_us
    # One more pair must outweigh any sum of deviations. All numbers are integers far below 2**53, so the
    # float arithmetic of the assignment is exact. A pair that is not possible costs nothing, as staying alone
    # does.
    one_pair_us = len(true_s) * limit_us + 1
    rows, columns = linear_sum_assignment(np.where(possible, apart_us - one_pair_us, 0.0))
    real = possible[rows, columns]
    # Times on a line: pairing both sides in order never lengthens the sum nor exceeds the longest deviation.
    return list(zip(np.sort(columns[real]).tolist(), np.sort(rows[real]).tolist(), strict=True))


def _aligned(
    true_s: npt.NDArray[np.float64], reported_s: npt.NDArray[np.float64], tolerance_s: float
) -> list[tuple[int, int]]:
    """The same in time and memory of the possible pairs.

    There is a best matching without crossings. It is found row by row: best[j] is the value of the best
    matching of the events so far with the first j reports. A row is stored only for reports within the tolerance of
    its event: beyond them best is constant, and later events do not reach earlier reports.
    """
    limit_us = np.rint(tolerance_s * _US)
    slack_s = tolerance_s + 2 / _US  # the exact comparison is made below, on rounded numbers
    low = np.searchsorted(reported_s, true_s - slack_s, side="left").tolist()
    high = np.searchsorted(reported_s, true_s + slack_s, side="right").tolist()
    # One more pair outweighs any sum of deviations; whole numbers, in Python's own where 64 bits do not hold them.
    most = min(len(true_s), len(reported_s))
    one_pair = most * int(limit_us) + 1
    kind: type = np.int64 if (most + 1) * one_pair < 2**62 else object
    rows: list[tuple[int, npt.NDArray[np.uint8], npt.NDArray[np.uint8]]] = []
    start = 0
    best: npt.NDArray[np.int64] | npt.NDArray[np.object_] = np.zeros(1, dtype=kind)
    for time_s, first, last in zip(true_s, low, high, strict=True):
        # The row before over [first, last], constant beyond its end.
        known = best[min(first - start, len(best) - 1) : last - start + 1]
        before = np.concatenate([known, np.repeat(best[-1:], last - first + 1 - len(known))])
        apart_us = _apart_us(reported_s[first:last], time_s)
        possible = apart_us <= limit_us
        worth = np.where(possible, one_pair - np.where(possible, apart_us, 0).astype(kind), 0)
        paired = before[:-1] + worth
        taken = possible & (paired > before[1:])
        best = np.maximum.accumulate(np.concatenate([before[:1], np.maximum(paired, before[1:])]))
        rows.append((first, np.packbits(taken), np.packbits(best[1:] == best[:-1])))
        start = first
    return _traced(rows, high)


def _traced(
    rows: list[tuple[int, npt.NDArray[np.uint8], npt.NDArray[np.uint8]]], high: Sequence[int]
) -> list[tuple[int, int]]:
    """The pairs that lead to the end of the last row; among equals the earlier report and event are paired."""
    pairs: list[tuple[int, int]] = []
    j = high[-1] if high else 0
    for i in range(len(rows) - 1, -1, -1):
        first, taken, spare = rows[i]
        j = min(j, high[i])
        while j > first and _bit(spare, j - first - 1):
            j -= 1
        if j > first and _bit(taken, j - first - 1):
            j -= 1
            pairs.append((j, i))
    return pairs[::-1]


def _bit(packed: npt.NDArray[np.uint8], place: int) -> int:
    return int(packed[place >> 3]) >> (7 - (place & 7)) & 1


def _apart_us(a: npt.NDArray[np.float64], b: npt.NDArray[np.float64] | float) -> npt.NDArray[np.float64]:
    # The difference is rounded, not each time: thirds of a second would drift by one microsecond otherwise.
    apart_us: npt.NDArray[np.float64] = np.rint(np.abs(a - b) * _US)
    return apart_us


def _check(values: Sequence[float], kind: str) -> Sequence[float]:
    """`values` as floats, checked to be finite and not negative."""
    try:
        times_s = [float(value) for value in values]
    except (TypeError, ValueError, OverflowError) as error:
        raise InputError(
            f"{kind}s {shown(values)} are not numbers", expected="seconds such as 1.5"
        ) from error
    longest_s = LONGEST_TOLERANCE_S if kind == "tolerance" else _LONGEST_S
    for time_s in times_s:
        if not 0 <= time_s <= longest_s:
            raise InputError(f"{kind} {time_s:g} s", expected=f"a number of seconds from 0 to {longest_s:g}")
    return times_s
