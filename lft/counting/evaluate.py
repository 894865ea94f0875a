"""`evaluate`: compares reported with true times in one call.

For times that are not from a run. Rates are those of `lft.counting.metrics`, pairs those of
`lft.counting.match`. As in mir_eval, the reference is the first argument.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lft.counting.match import Pair, match
from lft.counting.metrics import score_matching


@dataclass(frozen=True)
class Evaluation:
    """The result of `evaluate`, with N true events, M reported ones and K pairs.

    Attributes
    ----------
    n_true, n_reported, n_matched : N, M, K.
    precision : K / M, in [0, 1]; 0 if nothing was reported.
    recall : K / N, in [0, 1].
    f1 : 2 K / (M + N), in [0, 1].
    vor : volume ratio M / N, in [0, inf), best at 1.
    mean_deviation_s : mean of |reported - true| over the pairs, seconds; None without pairs.
    pairs : the pairs in the order of the true times; each unpacks as reported_index, true_index, deviation_s.

    `precision`, `recall`, `f1` and `vor` are None if N = 0: no rate is defined for a clip without events.
    """

    n_true: int
    n_reported: int
    n_matched: int
    precision: float | None
    recall: float | None
    f1: float | None
    vor: float | None
    mean_deviation_s: float | None
    pairs: tuple[Pair, ...]


def evaluate(
    true_s: Sequence[float], reported_s: Sequence[float], tolerance_s: float | Sequence[float]
) -> Evaluation:
    """Precision, recall, F1 and volume ratio of reported event times, and the pairs.

    Equation: P = K / M, R = K / N, F1 = 2 K / (M + N), VOR = M / N, with K the largest number of one-to-one pairs
    with |t - u| <= tolerance_s; of those, the pairs with the smallest total deviation are returned.

    Parameters
    ----------
    true_s : (N,) true times, seconds >= 0, in any order; a list, tuple or array, which may be empty.
    reported_s : (M,) reported times, likewise.
    tolerance_s : half-width of the window, seconds, ends included; or (N,), one for each true event, whose windows must
        not overlap. The default of `lft score` is 1 / (2 F) for events at F Hz.

    Raises `InputError` for a time or tolerance that is negative or not finite, or a tolerance above 1e6 s.

    Differs from `mir_eval.onset.f_measure` on the edge of the window (times are compared after rounding to the
    microsecond) and on N = 0, where mir_eval returns 0 and this returns None.

    Two true events; 1.1 pairs with 1.0, and 2.4 is outside the window of 2.0:

    >>> found = evaluate([1.0, 2.0], [1.1, 2.4], tolerance_s=0.25)
    >>> found.precision, found.recall, found.f1, found.vor, found.mean_deviation_s
    (0.5, 0.5, 0.5, 1.0, 0.1)
    >>> [(reported_index, true_index) for reported_index, true_index, deviation_s in found.pairs]
    [(0, 0)]
    >>> evaluate([], [3.0], 0.25).precision is None
    True
    """
    matching = match(true_s, reported_s, tolerance_s)
    n_true, n_reported, n_matched = len(true_s), len(reported_s), len(matching)
    rates = score_matching(matching, n_true, n_reported, None)
    mean_s = matching.total_deviation_s / n_matched if n_matched else None
    return Evaluation(
        n_true,
        n_reported,
        n_matched,
        rates.precision,
        rates.recall,
        rates.f1,
        rates.vor,
        mean_s,
        matching.pairs,
    )
