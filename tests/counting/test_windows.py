"""Tolerances of single events, and the matching within them."""

from __future__ import annotations

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lft.core.errors import InputError
from lft.counting.bins import bin_of
from lft.counting.match import match
from lft.counting.spec import Footage, filed_hz, spec_from_json
from lft.counting.windows import half_gaps_s

milliseconds = st.integers(0, 4000)


@given(st.lists(milliseconds, min_size=1, max_size=4, unique=True), st.lists(milliseconds, max_size=4))
def test_the_matching_is_the_best_there_is(true_ms: list[int], reported_ms: list[int]) -> None:
    true_s, reported_s = [t / 1000 for t in sorted(true_ms)], [t / 1000 for t in reported_ms]
    widths_s = half_gaps_s(true_s)
    found = match(true_s, reported_s, widths_s)
    best = (0, 0.0)
    slots: list[int | None] = [*range(len(reported_s)), *[None] * len(true_s)]
    for chosen in set(permutations(slots, len(true_s))):
        apart = [abs(reported_s[r] - t) for r, t in zip(chosen, true_s, strict=True) if r is not None]
        widths = [w for r, w in zip(chosen, widths_s, strict=True) if r is not None]
        if all(a <= w + 5e-7 for a, w in zip(apart, widths, strict=True)):
            best = max(best, (len(apart), -sum(apart)))
    assert len(found) == best[0]
    assert found.total_deviation_s == pytest.approx(-best[1], abs=1e-6)
    assert all(p.deviation_s <= widths_s[p.true_index] + 5e-7 for p in found.pairs)


def test_windows_of_neighbours_touch_and_a_report_between_counts_once() -> None:
    assert half_gaps_s([1.0, 2.0]) == (0.5, 0.5)
    assert [(p.reported_index, p.true_index) for p in match([1.0, 2.0], [1.5], (0.5, 0.5)).pairs] == [(0, 0)]
    assert len(match([1.0, 2.0], [1.5, 1.5], (0.5, 0.5))) == 2
    assert len(match([1.0, 2.0], [], (0.5, 0.5))) == len(match([], [1.0], ())) == 0


def test_equal_tolerances_are_as_one() -> None:
    true_s, reported_s = [1.0, 2.0, 3.0], [0.6, 2.1, 2.4, 3.6]
    assert match(true_s, reported_s, (0.5,) * 3).pairs == match(true_s, reported_s, 0.5).pairs


def test_unusable_tolerances_are_refused() -> None:
    with pytest.raises(InputError, match="tolerance -1"):
        match([1.0], [1.0], (-1.0,))


@given(st.floats(1e-6, 1e6))
def test_a_rate_is_filed_under_the_nearest_power_of_two(rate_hz: float) -> None:
    filed = filed_hz(rate_hz)
    assert 1 / 16 <= filed <= 16
    if 1 / 16 <= rate_hz <= 16:
        assert 2**-0.5 - 1e-9 <= filed / rate_hz <= 2**0.5 + 1e-9


@given(st.integers(0, 9999))
def test_a_count_lies_in_its_bin(count: int) -> None:
    low, _, high = bin_of(count).replace(">30", "31-9999").partition("-")
    assert int(low) <= count <= int(high or low)
    assert bin_of(count) == bin_of(count + 1) or count == 0 or count % 2 == 0


def test_footage_and_back() -> None:
    spec = Footage("natural", 3, 0.5, 0, 23.976, 63, 47, 12.5, "a b.mkv", False, "hop")
    assert spec_from_json(spec.to_json()) == spec
    for change, complaint in (
        ({"domain": "blinking"}, "a domain that LFT renders"),
        ({"domain": "No Good"}, "unusable domain"),
        ({"count": -1}, "count is -1"),
        ({"fps": 0}, "fps is 0"),
        ({"duration_s": float("nan")}, "duration_s is nan"),
        ({"frequency_hz": 99.0}, "1/16 to 16 Hz"),
        ({"source": "../x.mp4"}, "without folders"),
        ({"timed": 1}, "of the wrong kind"),
        ({"colour": "red"}, "unknown key 'colour'"),
    ):
        with pytest.raises(InputError, match=complaint):
            spec_from_json({**spec.to_json(), **change})
    with pytest.raises(InputError, match="missing"):
        spec_from_json({"source": "a.mp4"})
