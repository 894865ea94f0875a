"""Metrics by hand, and the identities that tie them together."""

from __future__ import annotations

import mir_eval
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lft.core.errors import InputError
from lft.counting.evaluate import evaluate
from lft.counting.match import match
from lft.counting.metrics import VideoScore, score_matching, tolerance_s


def score(times_s: list[float], answer: int | None, true_s: list[float]) -> VideoScore:
    return score_matching(match(true_s, times_s, 0.5), len(true_s), len(times_s), answer)


def test_by_hand() -> None:
    # N = 4 at 1..4 s, M = 5, tolerance 0.5: 1.2 and 2.5 pair, 2.5 is on the edge of 2 and of 3; 7, 8, 9 pair
    # with none. K = 2, P = 2/5, R = 2/4, F1 = 4/9, VOR = 5/4; the answer 4 is right but the trace is not
    # faithful: ACR.
    s = score([1.2, 2.5, 7, 8, 9], 4, [1, 2, 3, 4])
    assert (s.count, s.reported, s.matched) == (4, 5, 2)
    assert s.precision == pytest.approx(2 / 5)
    assert s.recall == pytest.approx(2 / 4)
    assert s.f1 == pytest.approx(4 / 9)
    assert s.vor == pytest.approx(5 / 4)
    assert (s.correct, s.acr, s.rfr, s.false_alarm) == (True, True, False, None)


@pytest.mark.parametrize(
    ("matched", "reported", "count", "answer", "acr", "rfr"),
    [
        # F1 = 2K / (M + N)
        (4, 4, 6, 6, False, False),  # 0.8 is faithful: right answer, no ACR
        (4, 4, 6, 4, False, True),  # 0.8 inclusive: wrong answer, RFR
        (7, 8, 10, 10, True, False),  # 14/18 = 0.778: ACR
        (7, 8, 10, 8, False, False),  # wrong and unfaithful: neither
        (5, 5, 5, 5, False, False),
        (5, 5, 5, 6, False, True),
        (5, 5, 5, None, False, True),  # no answer is a wrong one
    ],
)
def test_acr_and_rfr_at_their_threshold(
    matched: int, reported: int, count: int, answer: int | None, acr: bool, rfr: bool
) -> None:
    times_s = [float(i) for i in range(count)]
    given_s = times_s[:matched] + [1000.0 + i for i in range(reported - matched)]
    s = score_matching(match(times_s, given_s, 0.1), count, reported, answer)
    assert s.matched == matched
    assert (s.acr, s.rfr) == (acr, rfr)


def test_nothing_reported() -> None:
    s = score([], 2, [1, 2])
    assert (s.precision, s.recall, s.f1, s.vor) == (0, 0, 0, 0)
    assert (s.correct, s.acr) == (True, True)
    assert score([], None, [1, 2]) == VideoScore(2, 0, 0, None, False, 0.0, 0.0, 0.0, 0.0, False, False, None)


@pytest.mark.parametrize(
    ("times_s", "answer", "correct", "alarm"),
    [([], 0, True, False), ([3.0], 0, True, True), ([], 2, False, True), ([], None, False, False)],
)
def test_clip_without_events(times_s: list[float], answer: int | None, correct: bool, alarm: bool) -> None:
    s = score(times_s, answer, [])
    assert (s.correct, s.false_alarm) == (correct, alarm)
    assert (s.precision, s.recall, s.f1, s.vor, s.acr, s.rfr) == (None,) * 6


def test_evaluate_by_hand() -> None:
    # The case of `test_by_hand`: 1.2 pairs with 1, 2.5 with 2 (as near to 3; pairs do not cross). Deviations 0.2 and
    # 0.5 s, mean 0.35 s.
    found = evaluate(np.array([1.0, 2, 3, 4]), (1.2, 2.5, 7, 8, 9), 0.5)  # type: ignore[arg-type]
    assert (found.n_true, found.n_reported, found.n_matched) == (4, 5, 2)
    assert (found.precision, found.recall, found.f1, found.vor) == pytest.approx((2 / 5, 2 / 4, 4 / 9, 5 / 4))
    assert found.mean_deviation_s == pytest.approx(0.35)
    assert [tuple(pair) for pair in found.pairs] == [(0, 0, 0.2), (1, 1, 0.5)]


def test_a_pair_names_the_report_first() -> None:
    # Report 1 stands for event 0: reversed order would be told apart.
    ((reported_index, true_index, deviation_s),) = evaluate([2.0], [9.0, 2.1], 0.25).pairs
    assert (reported_index, true_index, deviation_s) == (1, 0, 0.1)


@pytest.mark.parametrize(
    ("true_s", "reported_s", "rates"),
    [([], [], (None,) * 4), ([], [1.0], (None,) * 4), ([1.0], [], (0.0, 0.0, 0.0, 0.0))],
)
def test_evaluate_nothing(
    true_s: list[float], reported_s: list[float], rates: tuple[float | None, ...]
) -> None:
    found = evaluate(true_s, reported_s, 0.5)
    assert (found.precision, found.recall, found.f1, found.vor) == rates
    assert (found.n_matched, found.mean_deviation_s, found.pairs) == (0, None, ())


def test_evaluate_with_a_window_for_each_event() -> None:
    # 0.4 s off: outside the window of the first event (0.25 s), inside that of the second (0.5 s).
    found = evaluate([1.0, 5.0], [1.4, 5.4], np.array([0.25, 0.5]))  # type: ignore[arg-type]
    assert [pair.true_index for pair in found.pairs] == [1]


@given(
    st.lists(st.integers(1, 690), min_size=1, max_size=12, unique=True),
    st.lists(st.floats(0, 24), max_size=20),
)
def test_agrees_with_mir_eval(frames: list[int], reported: list[float]) -> None:
    true = sorted(f / 30 for f in frames)
    apart = np.abs(np.subtract.outer(true, reported)) if reported else np.zeros((1, 1)) + 9
    if np.any(np.abs(apart - 0.25) < 2e-6):  # on the edge the two differ by design
        return
    s = score_matching(match(true, reported, 0.25), len(true), len(reported), None)
    f1, precision, recall = mir_eval.onset.f_measure(np.array(true), np.array(sorted(reported)), window=0.25)
    assert (s.f1, s.precision, s.recall) == pytest.approx((f1, precision, recall))


def test_tolerances() -> None:
    assert tolerance_s("rate", 2.5) == pytest.approx(0.2)
    assert tolerance_s(1, 2.5) == 1.0
    for bad in ("wide", "-1", "nan", "inf", "", "0", "1e-400", "1e308", "1000001", 10**400):
        with pytest.raises(InputError, match="rate, or seconds"):
            tolerance_s(bad, 1.0)


def test_published_showcases(shared: object) -> None:
    """Scores of the nine published responses, given what a careful reader takes from them, by the fixed 1.0
    s.
    """
    import json
    from pathlib import Path

    cases = json.loads((Path(str(shared)) / "real" / "cases.json").read_text())["cases"]
    for case in cases:
        reader = case["reader"]
        times = case["published_times_s"]
        s = score_matching(
            match(times, reader["events"], 1.0), len(times), len(reader["events"]), reader["final_answer"]
        )
        if case["published_scores"]["category"] in (
            "faithful",
            "missed",
        ):  # where both rules see the same events
            assert 100 * (s.f1 or 0) == pytest.approx(case["published_scores"]["f1_pct"], abs=0.05)
