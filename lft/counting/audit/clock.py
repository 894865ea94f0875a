"""The clock of a condition: a linear relation of reported to true times, and scores after its correction.

    reported = offset_s + scale * true

The line is fitted to all answers of a model under one condition. Events and reports of a clip are paired
by rank; if the supplied frames are known, only events that they show are used (see `condition_clocks`). If the numbers
differ, the longer list is interpolated at the ranks of the shorter one. So neither misses nor inventions need to be
known, and there is no tolerance. The fit starts from the clips' middle times (Theil-Sen), which also detects a reversed
clock, and continues with least absolute deviations.

The clock of each clip is fitted to other clips (`FOLDS` groups). Times are corrected only if this
raises the F1 of held-out clips.

A permutation test for each clip shows whether times carry information: is its median reported time nearer to the
clip's own median than to those of other clips? p is the share of other clips that are as near. Without information p is
uniform on 0 to 1, so twice the share of clips with p > 0.5 estimates the share without information.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from statistics import median
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from lft.core.records import Entries, JsonObject
from lft.core.stats import wilson_pair
from lft.counting.match import match
from lft.counting.metrics import f1_score

if TYPE_CHECKING:
    from lft.counting.reported import ReportedEvent

FOLDS = 5
LEAST_CLIPS = 12  # answers with times, below which no clock is told
MOST_CLIPS = 400  # answers that a clock is fitted to; more do not make it better
_LEAST_GAIN = 0.02  # of F1, on clips that the clock was not fitted to
_LEAST_SCALE = 0.2  # a line less steep than this does not follow the true times
_SPREADS = 3.0  # residual spreads within which a displaced report stands for an event
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Clock:
    """The clock of a condition: reported = offset_s + scale * true, with residual spread `spread_s`.

    `informative`: whether the times follow the true ones. An infinite spread means too few answers.
    """

    offset_s: float = 0.0
    scale: float = 1.0
    spread_s: float = math.inf
    informative: bool = True

    @property
    def is_right(self) -> bool:
        """Whether no correction is needed."""
        return self.offset_s == 0 and self.scale == 1

    @property
    def reach_s(self) -> float:
        """The largest distance of a displaced report from its event, after correction; at least a period of the clip.
        0 if the times carry no information.
        """
        return _SPREADS * self.spread_s if self.informative else 0.0

    def columns(self) -> dict[str, float | None]:
        """The clock as columns of scores.csv; no reach with too few answers."""
        reach_s = self.reach_s if math.isfinite(self.reach_s) else None
        return {"clock_offset_s": self.offset_s, "clock_scale": self.scale, "clock_reach_s": reach_s}

    @classmethod
    def of_row(cls, row: Entries) -> Clock:
        """The clock in a row of scores.csv."""
        offset_s, scale, reach_s = (
            row.get(name) for name in ("clock_offset_s", "clock_scale", "clock_reach_s")
        )
        if scale is None or scale != scale or offset_s is None:
            return cls()
        known = reach_s is not None and reach_s == reach_s
        spread_s = float(reach_s) / _SPREADS if known and reach_s is not None else math.inf
        return cls(float(offset_s), float(scale), spread_s, spread_s > 0)


@dataclass(frozen=True)
class Told:
    """The true and reported times of one answer, increasing."""

    clip: str
    true_s: tuple[float, ...]
    reported_s: tuple[float, ...]
    window_s: float | tuple[float, ...]

    @cached_property
    def middles_s(self) -> tuple[float, float]:
        """Medians of the true and of the reported times."""
        return float(median(self.true_s)), float(median(self.reported_s))


@dataclass(frozen=True)
class Clocks:
    """The clocks of one condition: one for each fold of clips, and the line fitted to all clips.

    Attributes
    ----------
    folds : what clips of each fold are judged by; fitted to the others.
    line : (offset_s, scale) fitted to all clips, whether or not it is set right.
    error : standard errors of the two, from leaving out one fold at a time.
    spread_s : robust standard deviation of reported times around the line.
    clips, middles_s : clips and their true middles, for the permutation test.
    order : rank correlation of true and reported middles, -1 to 1; NaN where either does not vary.
    chances : p of the permutation test of each answer.
    spaced : share of lists of three and more that are spread evenly over the clip where the events are not; NaN
        without such lists.
    """

    folds: tuple[Clock, ...]
    line: tuple[float, float]
    error: tuple[float, float]
    spread_s: float
    clips: tuple[str, ...]
    middles_s: Floats
    order: float = math.nan
    chances: tuple[float, ...] = ()
    spaced: float = math.nan

    def document(self) -> JsonObject:
        """The entry of a summary: the line with 95 % intervals, whether it is corrected, information in the times.

        `uninformed` is twice the share of answers with p > 0.5, at most 1, with an interval.
        """
        from scipy.stats import t

        wide = float(t.ppf(0.975, FOLDS - 1))
        (offset_s, scale), (of_offset, of_scale) = self.line, self.error
        n, high = len(self.chances), sum(p > 0.5 for p in self.chances)
        share = min(1.0, 2 * high / n) if n else None
        bounds = wilson_pair(high, n)
        return {
            "n": len(self.clips),
            "offset_s": offset_s,
            "offset_interval": [offset_s - wide * of_offset, offset_s + wide * of_offset],
            "scale": scale,
            "scale_interval": [scale - wide * of_scale, scale + wide * of_scale],
            "spread_s": self.spread_s,
            "order": None if math.isnan(self.order) else self.order,
            "set_right": not all(clock.is_right for clock in self.folds),
            "informative": self.folds[0].informative,
            "uninformed": share,
            "uninformed_interval": None if bounds is None else [min(1.0, 2 * x) for x in bounds],
            "spaced": None if math.isnan(self.spaced) else self.spaced,
        }

    def of(self, clip: str) -> Clock:
        """The clock of a clip."""
        return self.folds[fold_of(clip)]

    def chance(self, told: Told) -> float | None:
        """p of the permutation test of one answer, under its clip's clock; None without other clips."""
        return _chance(told, self.of(told.clip), self._own.get(told.clip, []), self.middles_s)

    @cached_property
    def _own(self) -> dict[str, list[int]]:
        return _places(self.clips)


def fold_of(clip: str) -> int:
    """The fold of a clip, a function of its id."""
    return hashlib.sha256(clip.encode("utf-8", "replace")).digest()[0] % FOLDS


def set_right(report: ReportedEvent, clock: Clock) -> ReportedEvent:
    """A report with corrected times; of an interval the midpoint is corrected.

    >>> from lft.counting.reported import ReportedEvent
    >>> set_right(ReportedEvent(5.0, end_s=6.0), Clock(2.0, 0.5)).end_s
    8.0
    """
    time_s = _right(report.time_s, clock)
    end_s = None if report.end_s is None else time_s + (report.end_s - report.time_s) / abs(clock.scale)
    return replace(report, time_s=time_s, end_s=end_s)


def _right(time_s: float, clock: Clock) -> float:
    return max(0.0, (time_s - clock.offset_s) / clock.scale)


def clocks_of(answers: Sequence[Told]) -> Clocks | None:
    """The clocks of one condition, fitted to at most `MOST_CLIPS` of its answers; None if there are too few, or the
    clips' events are too close to each other for a line.
    """
    known = [told for told in answers if told.true_s and told.reported_s]
    known = [
        known[i] for i in np.unique(np.linspace(0, len(known) - 1, min(len(known), MOST_CLIPS)).astype(int))
    ]
    middles = np.array([told.middles_s[0] for told in known])
    if len(known) < LEAST_CLIPS or float(np.ptp(middles)) < 1.0:
        return None
    folds = np.array([fold_of(told.clip) for told in known])
    whole = _fit(known)
    fitted = [
        _fit([t for t, k in zip(known, folds, strict=True) if k != fold] or known) for fold in range(FOLDS)
    ]
    error = _jackknife([line[:2] for line in fitted])
    clocks = tuple(Clock(a, b, spread) for a, b, spread in fitted)
    if not _improves(known, clocks, folds):
        spreads = [_spread(known, 0.0, 1.0)] * FOLDS
        clocks = tuple(Clock(spread_s=spread) for spread in spreads)
    clips = tuple(told.clip for told in known)
    own = _places(clips)
    chances = [
        _chance(told, clocks[k], own[told.clip], middles) for told, k in zip(known, folds, strict=True)
    ]
    found = [p for p in chances if p is not None]
    # Of a reporter that does not look, the mean of n uniform p's is 1/2 with a standard error of 0.29 / sqrt(n).
    informative = not found or np.mean(found) < 0.5 - 2.6 * math.sqrt(1 / 12 / len(found))
    clocks = tuple(replace(clock, informative=bool(informative)) for clock in clocks)
    return Clocks(
        clocks, whole[:2], error, whole[2], clips, middles, _order(known), tuple(found), _spaced(known)
    )


def _order(known: Sequence[Told]) -> float:
    from scipy.stats import spearmanr

    true_s, said_s = zip(*(told.middles_s for told in known), strict=True)
    if len(set(true_s)) < 2 or len(set(said_s)) < 2:
        return math.nan
    return float(spearmanr(true_s, said_s).statistic)


def _spaced(known: Sequence[Told]) -> float:
    """Share of lists that are spread evenly over the clip: regular gaps, from its first part to its last. The end of
    the clip is the latest true event of any clip; clips whose events are spread evenly are not used.
    """
    end_s = max(told.true_s[-1] for told in known)
    open_ = [
        told for told in known if len(told.reported_s) > 2 and told.true_s[-1] - told.true_s[0] < 0.5 * end_s
    ]
    found = []
    for told in open_:
        gaps = np.diff(told.reported_s)
        gap = float(np.mean(gaps))
        whole = told.reported_s[-1] - told.reported_s[0] + gap >= 0.8 * end_s
        found.append(whole and float(np.max(np.abs(gaps - gap))) <= 0.2 * gap)
    return float(np.mean(found)) if found else math.nan


def _places(clips: Sequence[str]) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for place, clip in enumerate(clips):
        found.setdefault(clip, []).append(place)
    return found


def _chance(told: Told, clock: Clock, own: Sequence[int], middles_s: Floats) -> float | None:
    """p of the permutation test; `own` are the places of the clip itself among the middles."""
    others = np.delete(middles_s, own) if own else middles_s
    if not len(others):
        return None
    true_s, reported_s = told.middles_s
    at_s = (reported_s - clock.offset_s) / clock.scale
    own_s, other_s = abs(at_s - true_s), np.abs(at_s - others)
    nearer, as_near = np.sum(other_s < own_s - 1e-6), np.sum(np.abs(other_s - own_s) <= 1e-6)
    return float((nearer + 0.5 * as_near + 0.5) / (len(others) + 1))


def _fit(known: Sequence[Told]) -> tuple[float, float, float]:
    """(offset_s, scale, spread_s) of the line through clips, by the best of a few starts."""
    from scipy.stats import theilslopes

    true_s, said_s = (np.array(side) for side in zip(*(told.middles_s for told in known), strict=True))
    with np.errstate(invalid="ignore"):  # of its interval, which is not used
        slope, at, *_ = theilslopes(said_s, true_s) if np.ptp(true_s) > 0 else (1.0, 0.0)
    starts = [(0.0, 1.0), (float(np.median(said_s - true_s)), 1.0), (float(np.median(said_s + true_s)), -1.0)]
    if abs(slope) >= _LEAST_SCALE:
        starts.append((float(at), float(slope)))
    alike = [told for told in known if len(told.true_s) == len(told.reported_s)]
    pairs = alike if len(alike) >= max(LEAST_CLIPS, len(known) // 5) else list(known)
    lines = [_refined(pairs, *start) for start in starts]
    costs = [_cost(pairs, *line) for line in lines]
    best = int(np.argmin(costs))
    if (
        abs(slope) < _LEAST_SCALE and costs[best] > 1.0
    ):  # the times follow nothing: say so, not what fits noise
        return float(at), float(slope), _spread(pairs, float(at), float(slope))
    return *lines[best], _spread(pairs, *lines[best])


def _refined(known: Sequence[Told], offset_s: float, scale: float) -> tuple[float, float]:
    """The line of least absolute deviations through rank pairs, from a start with the direction of time."""
    true_s, said_s, weight = _ranked(known, backwards=scale < 0)
    middle = float(np.average(true_s, weights=weight))
    a, b = offset_s, scale
    for _ in range(12):
        away = np.maximum(np.abs(said_s - a - b * true_s), 0.02)
        w = weight / away
        mean_t, mean_r = np.average(true_s, weights=w), np.average(said_s, weights=w)
        spread = np.average((true_s - mean_t) ** 2, weights=w)
        if spread < 1e-9:
            break
        b = float(np.average((true_s - mean_t) * (said_s - mean_r), weights=w) / spread)
        a = float(mean_r - b * mean_t)
    if abs(b) < _LEAST_SCALE or not math.isfinite(a + b * middle):
        return offset_s, scale
    return a, b


def _ranked(known: Sequence[Told], *, backwards: bool) -> tuple[Floats, Floats, Floats]:
    """True and reported times paired by rank, and a weight each: clips weigh alike."""
    true_s, said_s, weight = [], [], []
    for told in known:
        size = min(len(told.true_s), len(told.reported_s))
        true = _at_ranks(told.true_s, size)
        true_s.append(true[::-1] if backwards else true)
        said_s.append(_at_ranks(told.reported_s, size))
        weight.append(np.full(size, 1 / size))
    return np.concatenate(true_s), np.concatenate(said_s), np.concatenate(weight)


def _at_ranks(times_s: Sequence[float], size: int) -> Floats:
    """`size` of the sorted times, evenly over their ranks; between two ranks, between the two times."""
    values = np.asarray(times_s, dtype=np.float64)
    if len(values) == size:
        return values
    ranks = (np.arange(size) + 0.5) / size * len(values) - 0.5
    return np.interp(ranks, np.arange(len(values)), values)


def _cost(known: Sequence[Told], offset_s: float, scale: float) -> float:
    true_s, said_s, weight = _ranked(known, backwards=scale < 0)
    return float(np.average(np.abs(said_s - offset_s - scale * true_s), weights=weight))


def _spread(known: Sequence[Told], offset_s: float, scale: float) -> float:
    """Robust standard deviation of reported times around a line, seconds: 1.4826 median absolute deviations."""
    true_s, said_s, _ = _ranked(known, backwards=scale < 0)
    return float(1.4826 * np.median(np.abs(said_s - offset_s - scale * true_s)))


def _jackknife(lines: Sequence[tuple[float, float]]) -> tuple[float, float]:
    values = np.array(lines)
    errors = np.sqrt((FOLDS - 1) / FOLDS * ((values - values.mean(axis=0)) ** 2).sum(axis=0))
    return float(errors[0]), float(errors[1])


def _improves(known: Sequence[Told], clocks: Sequence[Clock], folds: npt.NDArray[np.intp]) -> bool:
    """Whether held-out clips score better with corrected times, beyond chance."""
    if any(abs(clock.scale) < _LEAST_SCALE for clock in clocks):
        return False
    gains = [f1_of(told, clocks[k]) - f1_of(told, Clock()) for told, k in zip(known, folds, strict=True)]
    error = float(np.std(gains, ddof=1)) / math.sqrt(len(gains))
    return float(np.mean(gains)) >= max(_LEAST_GAIN, 2.6 * error)


def f1_of(told: Told, clock: Clock) -> float:
    """F1 of an answer with corrected times and unchanged windows."""
    right = [_right(t, clock) for t in told.reported_s] if not clock.is_right else told.reported_s
    return f1_score(len(match(told.true_s, right, told.window_s)), len(told.reported_s), len(told.true_s))
