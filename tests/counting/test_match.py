"""Matching: hand-derived cases, brute force for small n, mir_eval's maximum matching, and its size limits."""

from __future__ import annotations

import itertools
import tracemalloc

import mir_eval
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lft.core.errors import InputError
from lft.counting import match as matching_module
from lft.counting.match import Matching, match

GRID_HZ = (0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0)


def indices(matching: Matching) -> list[tuple[int, int]]:
    return [(p.reported_index, p.true_index) for p in matching.pairs]


CASES = [
    # true, reported, tolerance, pairs (reported, true), total deviation
    ([], [], 1.0, [], 0.0),
    ([], [1.0], 1.0, [], 0.0),
    ([1.0], [], 1.0, [], 0.0),
    ([1.0, 2.0], [1.1, 2.4], 0.25, [(0, 0)], 0.1),
    # Greedy by distance would take (1.0, 1.1) and leave 0.2 alone; two pairs come first: 0.2-1.0 is 0.8,
    # 1.1-2.0 is 0.9.
    ([1.0, 2.0], [0.2, 1.1], 0.9, [(0, 0), (1, 1)], 1.7),
    # Two reports for one event: the nearer one.
    ([5.0], [4.8, 5.1, 5.3], 0.5, [(1, 0)], 0.1),
    # Two events for one report: the nearer one.
    ([5.0, 6.0], [5.6], 1.0, [(0, 1)], 0.4),
    # Order of the lists does not matter; indices are those of the given lists.
    ([2.0, 1.0], [2.1, 1.1], 0.2, [(1, 1), (0, 0)], 0.2),
    # Equal reports are still two reports.
    ([1.0, 2.0], [1.5, 1.5], 0.5, [(0, 0), (1, 1)], 1.0),
    # Tolerance 0: equal times only.
    ([1.0, 2.0], [1.0, 2.000001], 0.0, [(0, 0)], 0.0),
    # The sums of both pairings are equal (4): the one that does not cross.
    ([0.0, 1.0], [2.0, 3.0], 3.0, [(0, 0), (1, 1)], 4.0),
]


@pytest.mark.parametrize(("true", "reported", "tolerance", "pairs", "total"), CASES)
def test_by_hand(
    true: list[float], reported: list[float], tolerance: float, pairs: list[tuple[int, int]], total: float
) -> None:
    found = match(true, reported, tolerance)
    assert indices(found) == pairs
    assert found.total_deviation_s == pytest.approx(total, abs=1e-9)


@pytest.mark.parametrize("frequency_hz", GRID_HZ)
def test_times_on_the_tolerance_match(frequency_hz: float) -> None:
    """Every event of every start on a 30 Hz frame, reported exactly 1/(2F) early or late, in four float
    spellings.
    """
    half_s = 1 / (2 * frequency_hz)
    for frame, k in itertools.product(range(30, 720, 7), range(12)):
        event_s = frame / 30 + k / frequency_hz
        for reported_s in (event_s - half_s, event_s + half_s):
            for spelled in (
                reported_s,
                float(np.float64(reported_s)),
                float(repr(reported_s)),
                round(reported_s, 9),
            ):
                assert len(match([event_s], [spelled], half_s)) == 1
            # Two microseconds beyond is outside.
        assert len(match([event_s], [event_s + half_s + 2e-6], half_s)) == 0
    assert len(match([0.5], [0.375], 1 / (2 * 4.0))) == 1
    assert len(match([2 / 3], [1 / 3], 1 / (2 * 1.5))) == 1


def brute(true: list[int], reported: list[int], tolerance: int) -> tuple[int, int]:
    """(pairs, smallest deviation) over all one-to-one assignments, in whole units."""
    best = (0, 0)
    for size in range(1, min(len(true), len(reported)) + 1):
        for chosen in itertools.combinations(range(len(true)), size):
            for partners in itertools.permutations(range(len(reported)), size):
                apart = [abs(true[t] - reported[r]) for t, r in zip(chosen, partners, strict=True)]
                if max(apart) <= tolerance:
                    best = min(best, (-size, sum(apart)))
    return -best[0], best[1]


small = st.lists(st.integers(0, 30), max_size=5)


@settings(max_examples=300, deadline=None)
@given(small, small, st.integers(0, 20))
def test_brute_force_optimum(true: list[int], reported: list[int], tolerance: int) -> None:
    found = match([t / 8 for t in true], [r / 8 for r in reported], tolerance / 8)  # eighths: exact as floats
    assert (len(found), round(found.total_deviation_s * 8, 3)) == brute(true, reported, tolerance)


times = st.lists(st.floats(0, 24, allow_nan=False), max_size=40)


@settings(max_examples=200, deadline=None)
@given(times, times, st.floats(0.01, 2.0))
def test_size_is_that_of_mir_eval(true: list[float], reported: list[float], tolerance: float) -> None:
    # mir_eval compares unrounded floats: keep away from the edge, on which the two differ by design.
    apart = np.abs(np.subtract.outer(true, reported)) if true and reported else np.zeros((0, 0))
    if np.any(np.abs(apart - tolerance) < 2e-6):
        return
    theirs = mir_eval.util.match_events(np.array(true), np.array(reported), tolerance)
    assert len(match(true, reported, tolerance)) == len(theirs)


@settings(max_examples=200, deadline=None)
@given(times, times, st.floats(0, 2.0), st.floats(0, 10))
def test_properties(true: list[float], reported: list[float], tolerance: float, shift: float) -> None:
    found = match(true, reported, tolerance)
    assert (
        len({p.reported_index for p in found.pairs}) == len({p.true_index for p in found.pairs}) == len(found)
    )
    for pair in found.pairs:
        assert abs(true[pair.true_index] - reported[pair.reported_index]) <= tolerance + 1e-6
        assert pair.deviation_s == pytest.approx(
            abs(true[pair.true_index] - reported[pair.reported_index]), abs=1e-6
        )
    in_order = [(true[p.true_index], reported[p.reported_index]) for p in found.pairs]
    assert in_order == sorted(in_order)
    assert len(match(true, true, tolerance)) == len(true)
    assert match(true, true, tolerance).total_deviation_s == 0
    back = match(reported, true, tolerance)
    assert len(back) == len(found)
    assert back.total_deviation_s == pytest.approx(found.total_deviation_s, abs=1e-4)
    moved = match([t + shift for t in true], [r + shift for r in reported], tolerance)
    assert abs(len(moved) - len(found)) <= _on_the_edge(true, reported, tolerance)


def _on_the_edge(true: list[float], reported: list[float], tolerance: float) -> int:
    apart = np.abs(np.subtract.outer(true, reported)) if true and reported else np.zeros((0, 0))
    return int(np.sum(np.abs(apart - tolerance) < 2e-6))


lattice = st.lists(st.integers(0, 60), max_size=30)  # many ties
floats = st.lists(st.floats(0, 8), max_size=30)


@settings(max_examples=400, deadline=None)
@given(lattice | floats, lattice | floats, st.integers(0, 60) | st.floats(0, 8))
def test_walking_along_finds_what_the_assignment_finds(true: list, reported: list, tolerance: float) -> None:
    """The way of long lists gives as many pairs with the same sum, uncrossed, as the way of short ones."""
    true_s, reported_s = (np.sort(np.array(v, np.float64) / 8) for v in (true, reported))
    walked = matching_module._aligned(true_s, reported_s, tolerance / 8)
    assigned = matching_module._assigned(true_s, reported_s, tolerance / 8)
    assert len(walked) == len(assigned)
    sums = [sum(abs(true_s[t] - reported_s[r]) for r, t in pairs) for pairs in (walked, assigned)]
    assert sums[0] == pytest.approx(
        sums[1], abs=1e-6 * (1 + len(walked))
    )  # each is rounded to the microsecond
    assert all(a[0] < b[0] and a[1] < b[1] for a, b in itertools.pairwise(walked))


def test_whole_numbers_stay_exact_beyond_64_bits() -> None:
    # 3,000 pairs within the longest tolerance, 1e12 microseconds: worth 3,000 * 3,000 * 1e12 = 9e18 > 2**62. Shifted
    # by 0.25 s, each report is nearest to its own event; any other pairing is longer in sum.
    true = np.arange(3000.0)
    pairs = matching_module._aligned(true, true + 0.25, 1e6)
    assert pairs == [(i, i) for i in range(3000)]


def test_twenty_thousand_times_are_paired_without_a_matrix() -> None:
    # Events 0.1 s apart, each reported 0.04 s late, every third not at all: 13,333 pairs, in one chain of windows
    # (tolerance 0.25 s), which no splitting into independent parts would shorten. A matrix would take 2 GB.
    true = [k / 10 for k in range(20_000)]
    reported = [t + 0.04 for k, t in enumerate(true) if k % 3]
    tracemalloc.start()
    found = match(true, reported, 0.25)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(found) == len(reported) == 13_333
    assert found.total_deviation_s == pytest.approx(0.04 * 13_333)
    assert peak < 60e6


def test_very_many_reports_stay_small() -> None:
    reported = np.random.default_rng(0).uniform(0, 24, 100_000).tolist()
    true = [6 + k / 2 for k in range(12)]
    tracemalloc.start()
    found = match(true, reported, 0.25)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(found) == 12
    assert (
        peak < 20e6
    )  # the full cost matrix would be 9.6 MB three times over; the arrays of times are 0.8 MB each


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -1.0])
@pytest.mark.parametrize("place", range(3))
def test_unusable_numbers_are_refused(value: float, place: int) -> None:
    arguments: list[list[float]] = [[1.0], [1.0], [1.0]]
    arguments[place] = [value]
    with pytest.raises(InputError, match="expected"):
        match(arguments[0], arguments[1], arguments[2][0])


def test_huge_finite_times_do_not_match() -> None:
    assert indices(match([1.0], [1e300, 1.0], 0.5)) == [(1, 0)]


@pytest.mark.parametrize("tolerance", [1e308, 1.1e6, float("inf"), 10**400])
def test_a_tolerance_beyond_all_bounds_is_refused(tolerance: float) -> None:
    for true in ([1.0], [1.0] * 500):  # plain loops, arrays
        with pytest.raises(InputError, match="tolerance"):
            match(true, [1.0], tolerance)


def test_the_longest_tolerance_and_far_reports_are_matched() -> None:
    assert len(match([1.0], [2.0, 1e299], 1e6)) == 1
    assert len(match([1.0] * 500, [2.0, 1e299], 1e6)) == 1
