"""Pairs of a reported and a true event: one-to-one, most pairs first, then smallest total deviation.

A pair is possible when |reported - true| <= tolerance, both sides rounded to the microsecond, ends included:
an event and a report that are exactly 1/(2F) apart pair at every frequency, whatever floats they came from.
The rule is that of mir_eval's onset matching (a maximum bipartite matching), which leaves open which maximum
matching; here it is the one with the smallest sum of deviations.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from lft.core.errors import InputError, shown

_US = 1_000_000  # microseconds in a second


@dataclass(frozen=True)
class Pair:
    """A reported event and the true one it stands for; 0-based positions in the given lists.

    `deviation_s` is |reported - true|, in whole microseconds.
    """

    reported_index: int
    true_index: int
    deviation_s: float


@dataclass(frozen=True)
class Matching:
    """Pairs in the order of the true events' times; every index occurs at most once."""

    pairs: tuple[Pair, ...]

    def __len__(self) -> int:
        return len(self.pairs)

    @property
    def total_deviation_s(self) -> float:
        """Sum of the pairs' deviations, seconds."""
        return math.fsum(pair.deviation_s for pair in self.pairs)


def match(true_times_s: Sequence[float], reported_times_s: Sequence[float], tolerance_s: float) -> Matching:
    """The best matching of two lists of times, in any order; each list may be empty.

    Equation: argmin over one-to-one sets of possible pairs of (-number of pairs, sum of |t - u|). Where
    several are best, pairs do not cross: an earlier report goes to an earlier event.

    Raises `InputError` for a time or tolerance that is negative or not finite. Costs O(M log M) for M reports
    plus an assignment among at most c reports an event, c being the events within two tolerances of it.

    >>> match([1.0, 2.0], [1.1, 2.4], 0.25).pairs
    (Pair(reported_index=0, true_index=0, deviation_s=0.1),)
    >>> len(match([0.5], [0.375], 1 / 8))  # on the tolerance
    1
    """
    true_s = _times(true_times_s, "true time")
    reported_s = _times(reported_times_s, "reported time")
    _times([tolerance_s], "tolerance")
    if not len(true_s) or not len(reported_s):
        return Matching(())
    true_order = np.argsort(true_s, kind="stable")
    reported_order = np.argsort(reported_s, kind="stable")
    rows, columns = _assign(true_s[true_order], reported_s[reported_order], float(tolerance_s))
    return Matching(
        tuple(
            Pair(int(r), int(t), int(_apart_us(reported_s[r], true_s[t])) / _US)
            for r, t in zip(reported_order[columns], true_order[rows], strict=True)
        )
    )


def _assign(
    true_s: npt.NDArray[np.float64], reported_s: npt.NDArray[np.float64], tolerance_s: float
) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Positions of the paired events and reports in two sorted arrays."""
    from scipy.optimize import linear_sum_assignment

    limit_us = np.rint(tolerance_s * _US)
    kept = _taking_part(true_s, reported_s, tolerance_s)
    apart_us = _apart_us(true_s[:, None], reported_s[kept][None, :])
    possible = apart_us <= limit_us
    # One more pair must outweigh any sum of deviations. All numbers are integers far below 2**53, so the
    # float arithmetic of the assignment is exact. A pair that is not possible costs nothing, as staying alone
    # does.
    one_pair_us = len(true_s) * limit_us + 1
    rows, columns = linear_sum_assignment(np.where(possible, apart_us - one_pair_us, 0.0))
    real = possible[rows, columns]
    # Times on a line: pairing both sides in order never lengthens the sum nor exceeds the longest deviation.
    return np.sort(rows[real]), kept[np.sort(columns[real])]


def _taking_part(
    true_s: npt.NDArray[np.float64], reported_s: npt.NDArray[np.float64], tolerance_s: float
) -> npt.NDArray[np.intp]:
    """Positions of the reports that some best matching needs.

    A report within reach of event i is wanted otherwise only by events within two tolerances of i. If there
    are c of those, i included, then one of the c nearest reports is left for i: a farther one is never
    needed.
    """
    slack_s = tolerance_s + 2 / _US  # the exact comparison is made later, on rounded numbers
    low = np.searchsorted(reported_s, true_s - slack_s, side="left")
    high = np.searchsorted(reported_s, true_s + slack_s, side="right")
    rivals = np.searchsorted(true_s, true_s + 2 * slack_s, side="right") - np.searchsorted(
        true_s, true_s - 2 * slack_s, side="left"
    )
    kept: list[npt.NDArray[np.intp]] = []
    for time_s, first, last, wanted in zip(true_s, low, high, rivals, strict=True):
        middle = int(np.searchsorted(reported_s, time_s))
        around = np.arange(max(first, middle - wanted), min(last, middle + wanted), dtype=np.intp)
        kept.append(around)
    return np.unique(np.concatenate(kept))


def _apart_us(a: npt.ArrayLike, b: npt.ArrayLike) -> npt.NDArray[np.float64]:
    # The difference is rounded, not each time: thirds of a second would drift by one microsecond otherwise.
    apart_us: npt.NDArray[np.float64] = np.rint(np.abs(np.subtract(a, b, dtype=np.float64)) * _US)
    return apart_us


def _times(values: Sequence[float], kind: str) -> npt.NDArray[np.float64]:
    try:
        times_s = np.asarray(values, dtype=np.float64).reshape(-1)
    except (TypeError, ValueError, OverflowError) as error:
        raise InputError(f"{kind}s {shown(values)} are not numbers", remedy="seconds such as 1.5") from error
    bad = ~(np.isfinite(times_s) & (times_s >= 0))
    if bad.any():
        raise InputError(f"{kind} {times_s[bad][0]:g} s", remedy="a finite number of seconds, 0 or more")
    return times_s
