"""Chance and format: by hand, against closed forms, and against plain simulation."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lft.counting.audit.chance import (
    active_span_s,
    best_constant,
    best_of_format,
    chance_f1,
    resolution_s,
    shuffled,
    skill,
)
from lft.counting.match import match
from lft.counting.reported import ReportedEvent

COUNTS = (1, 2, 3, 4, 5, 6, 8, 10, 12)


def tiled(count: int, frequency_hz: float) -> tuple[list[float], float]:
    half_s = 1 / (2 * frequency_hz)
    return [3 + (2 * i + 1) * half_s for i in range(count)], half_s


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("reported", [1, 3, 12, 100])
def test_tiling_windows_have_a_closed_form(count: int, reported: int) -> None:
    # Windows tile the span: each is hit by none of M times with probability (1 - 1/N)^M.
    times, half = tiled(count, 2.0)
    expected = 2 * count * (1 - (1 - 1 / count) ** reported) / (count + reported)
    found = chance_f1(times, reported, half, active_span_s(times, half, 24.0))
    assert found == pytest.approx(expected, abs=0.03)  # 256 draws


def test_over_the_clip_the_windows_are_smaller() -> None:
    # One event, one report: its window is 0.5 s of 24.
    assert chance_f1([12.0], 1, 0.25, (0.0, 24.0)) == pytest.approx(0.5 / 24, abs=0.03)
    assert chance_f1([12.0], 0, 0.25, (0.0, 24.0)) == 0


def test_as_many_random_times_as_events_over_the_grid() -> None:
    """Knowing only when the activity was: the mean over the counts of the grid, and over high counts."""
    found = {
        n: chance_f1(tiled(n, 2.0)[0], n, 0.25, active_span_s(tiled(n, 2.0)[0], 0.25, 24.0)) for n in COUNTS
    }
    assert np.mean(list(found.values())) == pytest.approx(0.715, abs=0.01)  # mean of 1 - (1 - 1/N)^N
    assert np.mean([v for n, v in found.items() if n >= 5]) == pytest.approx(0.658, abs=0.015)


@settings(max_examples=25, deadline=None)
@given(
    st.lists(st.floats(0.5, 20), min_size=1, max_size=8),
    st.integers(1, 12),
    st.floats(0.05, 1.5),
)
def test_against_the_matcher(times: list[float], reported: int, tolerance: float) -> None:
    """Overlapping windows too: as drawing times and matching them gives."""
    rng = np.random.default_rng(1)
    pairs = [len(match(times, rng.uniform(0, 24, reported), tolerance)) for _ in range(400)]
    expected = 2 * np.mean(pairs) / (reported + len(times))
    error = 2 * np.std(pairs) / (reported + len(times)) * (1 / 400 + 1 / 256) ** 0.5
    assert chance_f1(times, reported, tolerance, (0.0, 24.0)) == pytest.approx(expected, abs=5 * error + 0.02)


def test_very_many_reports_stay_small() -> None:
    times, half = tiled(12, 4.0)
    assert chance_f1(times, 50_000, half, (0.0, 24.0)) == pytest.approx(2 * 12 / 50_012, rel=1e-6)


def test_same_every_time() -> None:
    assert chance_f1([1.0, 2.0], 3, 0.5, (0.0, 9.0)) == chance_f1([1.0, 2.0], 3, 0.5, (0.0, 9.0))


def test_active_span_stays_in_the_clip() -> None:
    assert active_span_s([1.0, 2.0], 0.5, 24.0) == (0.5, 2.5)
    assert active_span_s([0.2, 23.9], 0.5, 24.0) == (0.0, 24.0)


def test_skill() -> None:
    assert skill(1.0, 0.4) == 1
    assert skill(0.4, 0.4) == 0
    assert skill(0.1, 0.4) == pytest.approx(-0.5)
    assert skill(1.0, 1.0) is None


def test_resolution_of_what_was_written() -> None:
    def of(*times: float) -> float | None:
        return resolution_s([ReportedEvent(t) for t in times])

    assert of() is None
    assert of(1, 2, 3) == 1.0
    assert of(1, 2.5) == 0.1
    assert of(1.25, 2) == 0.01
    assert of(1.125) == of(1 / 3) == 0.001
    assert resolution_s([ReportedEvent(13.5, end_s=14.0)]) == 1.0  # 13 to 14


@pytest.mark.parametrize(
    ("frequency_hz", "share"),
    [
        # Events 1 / F apart over whole seconds: within 1 / (2F) of a second lies the share min(1, 1 / F).
        (0.5, 1.0),
        (1.0, 1.0),
        (2.0, 0.5),
        (4.0, 0.25),
    ],
)
def test_whole_seconds_reach_one_in_f(frequency_hz: float, share: float) -> None:
    rng = np.random.default_rng(0)
    reached = [
        best_of_format(rng.uniform(0, 12) + np.arange(12) / frequency_hz, 1.0, 1 / (2 * frequency_hz)).recall
        for _ in range(400)
    ]
    assert np.mean(reached) == pytest.approx(share, abs=0.01)


def test_best_of_format_by_hand() -> None:
    # Tenths, tolerance 0.02: 1.0 and 1.28 can be met (1.3 is 0.02 away, inclusive), 1.55 not (0.05 away).
    found = best_of_format([1.0, 1.28, 1.55], 0.1, 0.02)
    assert found.recall == pytest.approx(2 / 3)
    assert found.precision == 1
    assert found.f1 == pytest.approx(4 / 5)  # two reports, two pairs, three events
    assert best_of_format([1.5], 1.0, 0.1).f1 == 0


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.floats(0.5, 20), min_size=1, max_size=6),
    st.lists(st.integers(0, 24), max_size=8),
    st.floats(0.05, 0.6),
)
def test_no_report_beats_its_format(times: list[float], seconds: list[int], tolerance: float) -> None:
    pairs = len(match(times, seconds, tolerance))
    best = best_of_format(times, 1.0, tolerance)
    assert pairs / len(times) <= best.recall
    assert 2 * pairs / (len(times) + len(seconds)) <= best.f1


def test_what_guesses_at_the_count_reach() -> None:
    # Paper grid of one domain: 80 clips of each N from 1 on, 10 of N = 0; always "1" is right on 80 of 730.
    counts = [0] * 10 + [n for n in (1, 2, 3, 4, 5, 6, 8, 10, 12) for _ in range(80)]
    assert best_constant(counts) == pytest.approx(80 / 730)
    # A model that always says 3, shuffled, is right as often as before; one that never answers, never.
    assert shuffled([3] * 730, counts) == pytest.approx(80 / 730)
    assert shuffled([float("nan")] * 730, counts) == 0
    assert (best_constant([]), shuffled([], [])) == (None, None)


def test_shuffling_by_formula_is_shuffling() -> None:
    rng = np.random.default_rng(0)
    counts = rng.integers(0, 4, 40)
    answers = np.where(rng.random(40) < 0.5, counts, rng.integers(0, 4, 40)).astype(float)
    drawn = [np.mean(rng.permutation(answers) == counts) for _ in range(4000)]
    assert shuffled(answers, counts) == pytest.approx(np.mean(drawn), abs=4 * np.std(drawn) / 4000**0.5)
