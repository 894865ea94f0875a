"""Scores of one response.

Conventions
-----------
N true events, M reported events, K pairs (see `lft.counting.match`). A merged report counts once in M and
is paired at most once. Rates are fractions in [0, 1], higher is better, unless stated otherwise. None means "does
not apply": all rates but `correct` and `false_alarm` are defined only for clips with events. A response that could
not be parsed reports nothing: M = 0, and its answer is wrong.

The definitions are those of "The Low-Frequency Trap" (arXiv 2608.06361); each docstring says where this
differs.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from lft.core.errors import InputError, shown
from lft.core.records import Entries
from lft.counting.match import LONGEST_TOLERANCE_S, Matching
from lft.counting.trace import Trace

METRICS_VERSION = 5  # raised whenever the meaning of a score changes
FAITHFUL_F1 = 0.80  # F1 of a faithful trace: ACR below, RFR at or above


@dataclass(frozen=True)
class VideoScore:
    """Every score of one response.

    Attributes
    ----------
    count, reported, matched : N, M, K.
    final_answer : the answer taken from the response, None if there is none.
    correct : exact match (EM), final_answer == N.
    precision, recall, f1, vor : None on a clip without events.
    acr, rfr : right answer without, wrong answer with a faithful trace; None on a clip without events.
    false_alarm : on a clip without events, whether an event was reported or a count above 0 answered; else
        None.
    """

    count: int
    reported: int
    matched: int
    final_answer: int | None
    correct: bool
    precision: float | None
    recall: float | None
    f1: float | None
    vor: float | None
    acr: bool | None
    rfr: bool | None
    false_alarm: bool | None


def tolerance_s(rule: str | float, frequency_hz: float) -> float:
    """Half-width of the matching window in seconds: `rate` is 1 / (2 F); a number is itself.

    >>> tolerance_s("rate", 4.0), tolerance_s("0.5", 4.0)
    (0.125, 0.5)
    """
    if rule == "rate":
        return 1 / (2 * frequency_hz)
    try:
        value = float(rule)
    except (ValueError, OverflowError):
        value = math.nan
    if not 0 < value <= LONGEST_TOLERANCE_S:
        raise InputError(
            f"unusable tolerance {shown(rule)}",
            expected=f"rate, or seconds above 0 and up to {LONGEST_TOLERANCE_S:,.0f}, such as 0.5",
        )
    return value


def window_s(rule: str | float, trace: Trace) -> float | tuple[float, ...]:
    """The half-width of the matching windows of a clip: one number, or one per event.

    `rate` is 1 / (2 F) for events at a frequency, otherwise half the gap to the nearest neighbour.
    """
    own_s = trace.own_tolerances_s
    return own_s if rule == "rate" and own_s is not None else tolerance_s(rule, trace.spec.frequency_hz)


def row_window_s(row: Entries, trace: Trace | None) -> float | tuple[float, ...]:
    """The same from a row of scores.csv: an empty `tolerance_s` means one per event."""
    value = row.get("tolerance_s")
    if value is None or value == "" or value != value:
        return (trace.own_tolerances_s if trace else None) or ()
    return float(value)


def score_matching(matching: Matching, count: int, reported: int, final_answer: int | None) -> VideoScore:
    """All scores from a matching, N, M and the answer.

    >>> from lft.counting.match import match
    >>> s = score_matching(match([1.0, 2.0], [1.1, 2.4], 0.25), 2, 2, 2)
    >>> s.precision, s.recall, s.f1, s.vor, s.correct, s.acr
    (0.5, 0.5, 0.5, 1.0, True, True)
    """
    matched = len(matching)
    correct = exact_match(final_answer, count)
    if count == 0:
        alarm = reported > 0 or (final_answer or 0) > 0
        return VideoScore(0, reported, 0, final_answer, correct, None, None, None, None, None, None, alarm)
    f1 = f1_score(matched, reported, count)
    return VideoScore(
        count,
        reported,
        matched,
        final_answer,
        correct,
        precision(matched, reported),
        recall(matched, count),
        f1,
        volume_ratio(reported, count),
        is_acr(correct, f1),
        is_rfr(correct, f1),
        None,
    )


def exact_match(final_answer: int | None, count: int) -> bool:
    """EM: final_answer == N, over all clips, those without events included. No answer is wrong.

    Source: the published study. A transport error is no response and never reaches this function.
    """
    return final_answer == count


def precision(matched: int, reported: int) -> float:
    """P = K / M, range [0, 1]. 0 when nothing was reported (M = 0), as in the published showcases."""
    return matched / reported if reported else 0.0


def recall(matched: int, count: int) -> float:
    """R = K / N, range [0, 1]; N >= 1."""
    return matched / count


def f1_score(matched: int, reported: int, count: int) -> float:
    """F1 = 2 P R / (P + R) = 2 K / (M + N), range [0, 1]; 0 when nothing was reported; N >= 1."""
    return 2 * matched / (reported + count)


def volume_ratio(reported: int, count: int) -> float:
    """VOR = M / N, range [0, inf), best at 1; 0 when nothing was reported; N >= 1.

    Averaged over clips as published; the pooled sum M / sum N is given beside it, since clips with few events
    dominate the mean of ratios.
    """
    return reported / count


def is_acr(correct: bool, f1: float) -> bool:
    """ACR of one clip: right answer and F1 < 0.80, a count without a faithful trace. Lower is better. The rate is over
    all positive clips.
    """
    return correct and f1 < FAITHFUL_F1 - 1e-9


def is_rfr(correct: bool, f1: float) -> bool:
    """RFR of one clip: wrong answer although F1 >= 0.80, a faithful trace. Lower is better. The rate is over all
    positive clips.
    """
    return not correct and f1 >= FAITHFUL_F1 - 1e-9
