"""Frontiers by hand, their edges, and those stated with the published surfaces."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lft.core.errors import InputError
from lft.counting.cells import Surface
from lft.counting.frontier import (
    Reaches,
    checked_tau,
    frontier,
    needed,
    reaches_by_accuracy,
    reaches_by_count,
)

PUBLISHED = Path(__file__).parents[2] / "results" / "published" / "surfaces.csv"
RATES = ("0.5", "1.0", "1.5", "2.0", "2.5", "3.0", "3.5", "4.0")


@pytest.mark.parametrize(
    ("column", "expected"),
    [
        # accuracies reach tau at N = 1, 2, 3, 5
        ([True, True, True, True], 5),
        ([True, True, False, True], 2),  # what comes after a failure does not count
        ([False, True, True, True], "below"),
        ([True, None, True, True], "undetermined"),  # missing before the first failure
        ([None, False, True, True], "undetermined"),
        ([True, False, None, None], 1),  # missing after it does not matter
        ([True, True, True, None], "undetermined"),
    ],
)
def test_count_frontier(column: list[Reaches], expected: int | str) -> None:
    cells = {(1.0, n): reaches for n, reaches in zip((1, 2, 3, 5), column, strict=True)}
    assert frontier(cells).count == {1.0: expected}


def test_absent_cells_are_not_measured() -> None:
    # N = 2 exists at 0.5 Hz only: at 1.0 Hz it is missing, and for N = 2 the rate of 1.0 Hz is.
    found = frontier({(0.5, 1): True, (0.5, 2): True, (1.0, 1): True})
    assert found.count == {0.5: 2, 1.0: "undetermined"}
    assert found.frequency == {1: 1.0, 2: "undetermined"}


def test_clips_without_events_take_no_part() -> None:
    assert frontier({(0.5, 0): False, (0.5, 1): True}).count == {0.5: 1}
    assert frontier({(0.5, 0): True}).count == {}


@pytest.mark.parametrize("planned", range(1, 31))
@pytest.mark.parametrize("tau", [0.1, 0.3, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0])
def test_tau_is_inclusive_whatever_the_floats(tau: float, planned: int) -> None:
    tenths = round(tau * 10)
    exact = next(k for k in range(planned + 1) if k * 10 >= tenths * planned)  # in whole numbers
    assert needed(tau, planned) == exact
    for correct in range(planned + 1):
        assert reaches_by_accuracy(correct / planned, tau) == (correct >= exact)
        assert reaches_by_count(correct, planned, 0, tau) == (correct >= exact)


def test_missing_trials_leave_a_cell_open_only_if_they_matter() -> None:
    # tau 0.8 of 10 planned: 8 right decide for, 3 wrong against.
    assert reaches_by_count(8, 8, 2, 0.8) is True
    assert reaches_by_count(7, 7, 3, 0.8) is None
    assert reaches_by_count(7, 10, 0, 0.8) is False
    assert reaches_by_count(0, 3, 7, 0.8) is False
    assert reaches_by_count(0, 2, 8, 0.8) is None
    assert reaches_by_count(0, 0, 0, 0.8) is None


@given(
    st.lists(st.booleans(), min_size=1, max_size=12),
    st.integers(0, 11),
    st.sampled_from([0.5, 0.8, 0.9, 1.0]),
)
def test_an_early_decision_is_the_final_one(answers: list[bool], asked: int, tau: float) -> None:
    asked = min(asked, len(answers))
    early = reaches_by_count(sum(answers[:asked]), asked, len(answers) - asked, tau)
    final = reaches_by_count(sum(answers), len(answers), 0, tau)
    assert early in (None, final)


def test_unmeasured_accuracy() -> None:
    assert reaches_by_accuracy(None, 0.8) is None
    assert reaches_by_accuracy(math.nan, 0.8) is None


@pytest.mark.parametrize("tau", [0.0, -0.1, 1.1, math.nan])
def test_unusable_tau(tau: float) -> None:
    with pytest.raises(InputError, match="tau"):
        checked_tau(tau)


def test_published_surfaces() -> None:
    """The frontiers that the study states for its surfaces."""
    found = Surface.read_csv(PUBLISHED).frontiers()
    bounce = found["Gemini 3.6 Flash", "bounce_ball"].to_json()["count"]
    assert bounce == {"0.5": 10, **dict.fromkeys(RATES[1:], "below")}
    state = found["Gemini 3.6 Flash", "state_machine"].to_json()
    assert state["count"] == dict(zip(RATES, (12, 12, 2, 1, 1, 1, "below", 1), strict=True))
    assert state["frequency"] == {"1": 3.0, "2": 1.5} | {str(n): 1.0 for n in (3, 4, 5, 6, 8, 10, 12)}
    largest = {
        model: max(f.largest_count for (m, _), f in found.items() if m == model)
        for model in {m for m, _ in found}
    }
    assert largest == {"Gemini 3.6 Flash": 12, "Qwen3-VL-8B": 2, "Qwen3-VL-32B": 1, "Qwen3-VL-235B": 1}
