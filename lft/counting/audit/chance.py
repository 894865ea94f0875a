"""Scores of guesses, random times and rounded times, as references for EM and F1.

Chance of a count: the best constant answer, and the model's own answers shuffled over clips.

Chance of a trace: a reporter that lists M uniformly random times, where M is the model's own number of reports, matched
by the same rule; over the whole clip, or over the true active span (from half a period before the first
event to half a period after the last). Windows of 1 / (2 F)
tile that span, so there chance is high: M = N gives an expected F1 of 1 - (1 - 1/N)^N.

Format: the best scores of a reporter whose times are multiples of a resolution, such as whole seconds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from lft.counting.metrics import f1_score
from lft.counting.reported import ReportedEvent

DRAWS = 256  # standard error of one clip's expected F1: under 0.01; of a mean over clips: far below
SEED = 20260801
_LONGEST = 4_000_000  # uniform numbers held at once
_US = 1_000_000

Floats = npt.NDArray[np.float64]


def best_constant(counts: npt.ArrayLike) -> float | None:
    """EM of the best constant answer; None without clips.

    >>> best_constant([0, 1, 1, 3])
    0.5
    """
    of = np.asarray(counts, dtype=np.float64)
    return float(np.unique(of, return_counts=True)[1].max() / len(of)) if len(of) else None


def shuffled(answers: npt.ArrayLike, counts: npt.ArrayLike) -> float | None:
    """Expected EM of a model's answers (NaN if missing) shuffled over clips: the sum over
    counts of the share of answers times the share of clips; None without clips.

    >>> shuffled([1, 1, 2, float("nan")], [1, 2, 2, 3])  # 2/4 * 1/4 + 1/4 * 2/4
    0.25
    """
    said, of = np.asarray(answers, dtype=np.float64), np.asarray(counts, dtype=np.float64)
    if not len(of):
        return None
    known, many = np.unique(of, return_counts=True)
    given = (said[:, None] == known[None, :]).sum(axis=0)
    return float(given @ many) / (len(said) * len(of))


def chance_f1(
    true_times_s: Sequence[float],
    reported: int,
    tolerance_s: float | Sequence[float],
    span_s: tuple[float, float],
) -> float:
    """Expected F1 of `reported` times drawn uniformly from `span_s` (from, to), by seeded draws.

    Equation: 2 E[K] / (M + N). Range [0, 1]; 0 if nothing is reported; needs N >= 1. Where the windows are
    disjoint, E[K] = sum over events of 1 - (1 - w_i / L)^M, w_i being the part of window i inside a span of
    length L.

    >>> round(chance_f1([0.5, 1.5], 2, 0.5, (0.0, 2.0)), 1)  # 1 - (1 - 1/2)^2
    0.8
    """
    if not reported:
        return 0.0
    # Starts differ between clips, the pattern of events within the span hardly does: shift before
    # caching.
    low_s, high_s = span_s
    shifted = tuple(round((t - low_s) * _US) for t in true_times_s)
    widths_s = tolerance_s if isinstance(tolerance_s, Sequence) else (tolerance_s,)
    half_us = tuple(round(width_s * _US) for width_s in widths_s)
    pairs = _expected_pairs(shifted, reported, half_us, round((high_s - low_s) * _US))
    return 2 * pairs / (reported + len(true_times_s))


def active_span_s(true_times_s: Sequence[float], half_s: float, duration_s: float) -> tuple[float, float]:
    """From `half_s` (half a period) before the first event to `half_s` after the last, clipped to the clip."""
    return max(0.0, min(true_times_s) - half_s), min(duration_s, max(true_times_s) + half_s)


def skill(f1: float, chance: float) -> float | None:
    """(F1 - chance) / (1 - chance): 1 is perfect, 0 is chance, negative is worse; None where chance is
    perfect.

    A single event fills its active span, so a single report there cannot show skill.
    """
    return (f1 - chance) / (1 - chance) if chance < 1 - 1e-9 else None


@lru_cache(maxsize=65536)
def _expected_pairs(
    true_us: tuple[int, ...], reported: int, half_us: tuple[int, ...], length_us: int
) -> float:
    times, flat = _draws(reported)
    rows = len(times)
    order = np.argsort(true_us, kind="stable")
    centres = np.asarray(true_us, dtype=np.float64)[order] / length_us
    half = np.broadcast_to(np.asarray(half_us, dtype=np.float64), len(order))[order] / length_us
    # Row r of the flat copy lies in [2r, 2r + 1], so one search finds the first report at or after each
    # window's start.
    offsets = 2.0 * np.arange(rows)
    starts = np.clip(centres - half, 0.0, 1.5)
    first = np.searchsorted(flat, starts[:, None] + offsets) - reported * np.arange(rows)
    matched = 0
    taken = np.zeros(rows, dtype=np.intp)  # reports up to here are used or too early for every further event
    each = np.arange(rows)
    for end, from_here in zip(centres + half, first, strict=True):
        taken = np.maximum(taken, from_here)
        there = taken < reported
        inside = there & (times[each, np.minimum(taken, reported - 1)] <= end)
        matched += int(inside.sum())
        taken += inside
    return matched / rows


@lru_cache(maxsize=64)
def _draws(reported: int) -> tuple[Floats, Floats]:
    """Sorted uniform numbers (draws, reported), and the same end to end with row r raised by 2r."""
    rows = int(np.clip(_LONGEST // reported, 8, DRAWS))
    times = np.sort(np.random.default_rng((SEED, reported)).random((rows, reported)), axis=1)
    return times, (times + 2.0 * np.arange(rows)[:, None]).ravel()


@dataclass(frozen=True)
class Format:
    """The best possible scores with one resolution; see `best_of_format`."""

    resolution_s: float
    recall: float
    precision: float
    f1: float


def resolution_s(events: Sequence[ReportedEvent]) -> float | None:
    """The coarsest of 1, 0.1, 0.01 and 0.001 s of which every written time is a multiple; None without times.

    Of an interval the two ends are used, not the midpoint.

    >>> resolution_s([ReportedEvent(7.0), ReportedEvent(9.5, end_s=10.0)])
    1.0
    >>> resolution_s([ReportedEvent(7.0), ReportedEvent(9.5)])
    0.1
    """
    written: list[float] = []
    for event in events:
        ends = (event.time_s,) if event.end_s is None else (event.end_s, 2 * event.time_s - event.end_s)
        written += ends
    if not written:
        return None
    times_s = np.asarray(written)
    for step_s in (1.0, 0.1, 0.01):
        if np.all(np.abs(times_s / step_s - np.rint(times_s / step_s)) < 1e-6 / step_s):
            return step_s
    return 0.001


def best_of_format(
    true_times_s: Sequence[float], step_s: float, tolerance_s: float | Sequence[float]
) -> Format:
    """The best recall, precision and F1 of times that are multiples of `step_s`, for N >= 1 events.

    An event can be matched if a multiple is within the tolerance (inclusive, to the microsecond). Recall R is the
    share of such events; so are precision and F1 of a reporter that lists every event. The best precision
    and F1 are those of a reporter that lists only such events: P = 1, F1 = 2 R / (1 + R) (all 0 if there are
    none).

    >>> best_of_format([1.0, 1.25, 1.5, 1.75], 1.0, 0.125).recall  # at 4 Hz one event in four lies near a second
    0.25
    """
    times_us = np.rint(np.asarray(true_times_s, dtype=np.float64) * _US)
    step_us = step_s * _US
    apart_us = np.rint(np.abs(times_us - np.rint(times_us / step_us) * step_us))
    met = int(np.sum(apart_us <= np.rint(np.asarray(tolerance_s) * _US)))
    return Format(step_s, met / len(times_us), float(met > 0), f1_score(met, met, len(times_us)))
