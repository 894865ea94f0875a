"""The likelihood of a list of reported times, summed over all assignments of reports to events.

The model: each true time is kept with probability 1 - miss and moved by a normal error, and
there is a Poisson number of inventions, uniform over the clip. The assignment of reports to events is not
known, so the likelihood is a sum over all one-to-one assignments, crossing ones included:

    L = e^-false  sum over assignments  miss^unassigned events  (false h / T)^unassigned reports
                                        product over pairs of (1 - miss) P(report | event)

P is the probability of the report's step of h seconds under the normal error, so that rounding is part of the
model; a step at an end of the clip includes the mass outside. There is no tolerance: at a high
rate a report may belong to several events, and the sum weights them.

The sum is exact except for errors above five standard deviations. It processes the reports in order of time and
stores, for each set of events in reach, the weight of the assignments that used these; at most the `WIDEST` nearest
events are in reach.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.intp]

WIDEST = 12
_REACH = 5.0  # standard deviations
_MOST = 131_072  # weights held at once
_TINY = 1e-300


@dataclass(frozen=True)
class Lists:
    """Many responses as arrays. Rows are responses; times are sorted, in seconds, padded with infinity.

    Attributes
    ----------
    true_s, reported_s : float64 (responses, most events), (responses, most reports).
    events, reports : their numbers, without padding, intp (responses,).
    step_s : resolution of the reported times, above 0. duration_s : length of the clip.
    """

    true_s: Floats
    reported_s: Floats
    events: Indices
    reports: Indices
    step_s: Floats
    duration_s: Floats

    @classmethod
    def of(
        cls,
        true_s: Sequence[Sequence[float]],
        reported_s: Sequence[Sequence[float]],
        step_s: Sequence[float],
        duration_s: Sequence[float],
    ) -> Lists:
        """From lists of times in any order."""
        return cls(
            _padded(true_s),
            _padded(reported_s),
            np.array([len(times) for times in true_s], dtype=np.intp),
            np.array([len(times) for times in reported_s], dtype=np.intp),
            np.asarray(step_s, dtype=np.float64),
            np.asarray(duration_s, dtype=np.float64),
        )

    def __getitem__(self, rows: Indices | npt.NDArray[np.bool_]) -> Lists:
        return Lists(
            self.true_s[rows], self.reported_s[rows], self.events[rows], self.reports[rows],
            self.step_s[rows], self.duration_s[rows],
        )  # fmt: skip

    def __len__(self) -> int:
        return len(self.events)


@dataclass(frozen=True)
class Likelihood:
    """Of each response, float64 (responses,): the log likelihood, the expected number of reports that stand for an
    event, and the derivative of the log likelihood by log jitter.
    """

    log: Floats
    assigned: Floats
    by_jitter: Floats


def likelihood(lists: Lists, miss: float, false: float, jitter_s: float) -> Likelihood:
    """The likelihood of each response; 0 < miss < 1, false > 0 a clip, jitter_s > 0.

    By log(miss / (1 - miss)) its derivative is events - assigned - events * miss, by log false it is
    reports - assigned - false.

    >>> one = Lists.of([[5.0]], [[]], [0.1], [24.0])
    >>> round(float(np.exp(likelihood(one, 0.2, 0.3, 0.1).log[0])), 6)  # missed, nothing invented: 0.2 e^-0.3
    0.148164
    """
    low, high = _in_reach(lists, jitter_s)
    width = np.max(high - low, axis=1, initial=0)
    found = Likelihood(*(np.zeros(len(lists)) for _ in range(3)))
    for wide in np.unique(width):
        alike = np.flatnonzero(width == wide)
        alike = alike[np.argsort(-lists.reports[alike], kind="stable")]
        size = max(1, _MOST >> int(wide))
        for start in range(0, len(alike), size):
            rows = alike[start : start + size]
            part = _swept(lists[rows], low[rows], high[rows], int(wide), miss, false, jitter_s)
            for whole, some in zip(vars(found).values(), part, strict=True):
                whole[rows] = some
    return found


def _padded(lists: Sequence[Sequence[float]]) -> Floats:
    table = np.full((len(lists), max(map(len, lists), default=0)), np.inf)
    for row, times in zip(table, lists, strict=True):
        row[: len(times)] = np.sort(np.asarray(times, dtype=np.float64))
    return table


def _in_reach(lists: Lists, jitter_s: float) -> tuple[Indices, Indices]:
    """For each report, the half-open range of events in reach; both ends rise with the reports."""
    reach_s = (_REACH * jitter_s + lists.step_s / 2)[:, None]
    true_s = lists.true_s[:, None, :]
    real = np.where(np.isfinite(lists.reported_s), lists.reported_s, np.inf)[:, :, None]
    with np.errstate(invalid="ignore"):
        low = (true_s < real - reach_s[:, :, None]).sum(axis=2)
        high = (true_s <= real + reach_s[:, :, None]).sum(axis=2)
    n = lists.events[:, None]
    low, high = np.minimum(low, n), np.minimum(high, n)
    wide = high - low > WIDEST
    if wide.any():
        at = np.minimum((true_s < real).sum(axis=2), n)
        nearest = np.clip(at - WIDEST // 2, low, np.maximum(low, high - WIDEST))
        low = np.where(wide, nearest, low)
        high = np.where(wide, nearest + WIDEST, high)
        low, high = np.maximum.accumulate(low, axis=1), np.maximum.accumulate(high, axis=1)
        low = np.maximum(low, high - WIDEST)
    return low.astype(np.intp), high.astype(np.intp)


def _swept(
    lists: Lists, low: Indices, high: Indices, wide: int, miss: float, false: float, jitter_s: float
) -> tuple[Floats, Floats, Floats]:
    """The sum for responses with at most `wide` events in reach of a report, most reports first.

    `weights` (3, responses, 2^wide): the weight of each set of used events in reach, and its derivatives by the log of
    all pairs' weights and by log jitter. Bit k of a set is event `base` + k.
    """
    rows = len(lists)
    weights = np.zeros((3, rows, 1 << wide))
    weights[0, :, 0] = 1.0
    scale = np.zeros(rows)
    base = np.zeros(rows, dtype=np.intp)
    each = np.arange(wide)
    alone = false * lists.step_s / lists.duration_s
    for j in range(int(lists.reports.max(initial=0))):
        active = int(np.searchsorted(-lists.reports, -j, side="left"))  # rows with more than j reports
        _advance(weights, base, low[:active, j], wide, miss)
        index = base[:active, None] + each
        possible = index < high[:active, j, None]
        centre = np.take_along_axis(
            lists.true_s[:active], np.minimum(index, max(lists.true_s.shape[1] - 1, 0)), axis=1
        ) if wide else np.zeros((active, 0))  # fmt: skip
        pair, slope = _pair_weights(lists, active, j, np.where(possible, centre, 0.0), jitter_s)
        pair = np.where(possible, (1 - miss) * pair, 0.0)
        now = weights[:, :active]
        after = now * alone[:active, None]
        for k in each:
            shape = (3, active, 1 << (wide - k - 1), 2, 1 << k)
            source, target = now.reshape(shape)[:, :, :, 0], after.reshape(shape)[:, :, :, 1]
            w, g = pair[:, k, None, None], slope[:, k, None, None]
            target[0] += source[0] * w
            target[1] += (source[1] + source[0]) * w
            target[2] += (source[2] + source[0] * g) * w
        largest = np.maximum(after[0].max(axis=1), _TINY)
        weights[:, :active] = after / largest[:, None]
        scale[:active] += np.log(largest)
    for _ in range(wide):  # what is left of the window, then the events beyond it
        _advance(weights, base, np.minimum(base + 1, lists.events), wide, miss)
    total = np.maximum(weights[0].sum(axis=1), _TINY)
    log = np.log(total) + scale + (lists.events - base) * np.log(miss) - false
    return log, weights[1].sum(axis=1) / total, weights[2].sum(axis=1) / total


def _advance(weights: Floats, base: Indices, to: Indices, wide: int, miss: float) -> None:
    """Moves each window to begin at event `to`; an unused event that leaves it was missed."""
    while True:
        behind = np.flatnonzero(base[: len(to)] < to)
        if not len(behind):
            return
        if wide == 0:
            # Nothing is ever in reach: all events passed are missed.
            weights[:, behind, 0] *= miss ** (to[behind] - base[behind])
            base[behind] = to[behind]
            return
        halves = weights[:, behind].reshape(3, len(behind), 1 << (wide - 1), 2)
        weights[:, behind, : 1 << (wide - 1)] = halves[..., 0] * miss + halves[..., 1]
        weights[:, behind, 1 << (wide - 1) :] = 0.0
        base[behind] += 1


def _pair_weights(
    lists: Lists, active: int, j: int, centre_s: Floats, jitter_s: float
) -> tuple[Floats, Floats]:
    """P(report j | event) for events at `centre_s`, and the derivative of its logarithm by log jitter."""
    from scipy.special import log_ndtr

    report_s = lists.reported_s[:active, j, None]
    half_s, duration_s = lists.step_s[:active, None] / 2, lists.duration_s[:active, None]
    from_s = np.where(report_s - half_s <= 0, -np.inf, report_s - half_s)
    to_s = np.where(report_s + half_s >= duration_s, np.inf, report_s + half_s)
    a, b = (from_s - centre_s) / jitter_s, (to_s - centre_s) / jitter_s
    # The tail in which both ends lie keeps its digits if it is taken on the left.
    flip = a + b > 0
    a, b = np.where(flip, -b, a), np.where(flip, -a, b)
    top, bottom = log_ndtr(b), log_ndtr(a)
    mass = np.exp(top) * -np.expm1(np.minimum(bottom - top, 0.0))
    tails = [np.where(np.isfinite(x), x, 0.0) * np.exp(-0.5 * np.minimum(x * x, 1400.0)) for x in (a, b)]
    slope = (tails[0] - tails[1]) / np.sqrt(2 * np.pi) / np.maximum(mass, _TINY)
    return mass, slope
