"""The distribution of frontiers: by hand where it is simple, and the probability of a cell."""

from __future__ import annotations

import pandas as pd
import pytest

from lft.counting.audit.certainty import frontier_certainty, with_certainty
from lft.counting.cells import Surface, reaching
from lft.counting.frontier import frontier


def cells(rows: list[tuple[float, int, int, int]]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=["frequency_hz", "count", "n", "correct"])


def test_probability_of_each_cell() -> None:
    found = with_certainty(cells([(1.0, 1, 10, 8), (1.0, 2, 10, 10), (1.0, 3, 0, 0)]))
    assert found["p_reaches"][0] == pytest.approx(0.47, abs=0.01)
    assert found["p_reaches"][1] > 0.95
    assert pd.isna(found["p_reaches"][2])


def test_certain_cells_give_one_frontier() -> None:
    data = cells([(1.0, 1, 500, 500), (1.0, 2, 500, 500), (1.0, 3, 500, 0)])
    for method in ("posterior", "bootstrap"):
        found = frontier_certainty(data, method=method)
        assert found.count == {1.0: {"2": 1.0}}
        assert found.frequency == {1: {"1.0": 1.0}, 2: {"1.0": 1.0}, 3: {"below": 1.0}}


def test_bootstrap_by_hand() -> None:
    # 8 of 10 resampled: P(X >= 8) for X ~ Bin(10, 0.8) is 0.6778; the cell beyond is always right.
    found = frontier_certainty(cells([(1.0, 1, 10, 8), (1.0, 2, 10, 10)]), draws=40_000, method="bootstrap")
    assert found.count[1.0]["2"] == pytest.approx(0.6778, abs=0.01)
    assert found.count[1.0]["below"] == pytest.approx(0.3222, abs=0.01)
    assert "1" not in found.count[1.0]


def test_posterior_multiplies_along_the_prefix() -> None:
    data = with_certainty(cells([(1.0, 1, 10, 9), (1.0, 2, 10, 9)]))
    one, two = data["p_reaches"]
    found = frontier_certainty(data, draws=40_000).count[1.0]
    assert found["2"] == pytest.approx(one * two, abs=0.01)
    assert found["1"] == pytest.approx(one * (1 - two), abs=0.01)
    assert found["below"] == pytest.approx(1 - one, abs=0.01)


def test_agrees_with_the_frontier_where_nothing_is_in_doubt() -> None:
    data = cells([(f, n, 2000, 2000 if f * n <= 3 else 0) for f in (0.5, 1.0, 2.0) for n in (1, 2, 4, 8)])
    plain = frontier(reaching(data.assign(accuracy=data["correct"] / data["n"]), 0.8))
    sure = frontier_certainty(data)
    assert {f: next(iter(d)) for f, d in sure.count.items()} == {f: str(n) for f, n in plain.count.items()}
    assert {n: next(iter(d)) for n, d in sure.frequency.items()} == {
        n: str(f) for n, f in plain.frequency.items()
    }


def test_shares_add_up_and_are_seeded() -> None:
    data = cells([(f, n, 10, (7 * n + int(10 * f)) % 11) for f in (0.5, 1.0) for n in (1, 2, 3)])
    found = frontier_certainty(data)
    assert all(
        sum(d.values()) == pytest.approx(1) for d in (*found.count.values(), *found.frequency.values())
    )
    assert found == frontier_certainty(data)
    with pytest.raises(ValueError, match="method"):
        frontier_certainty(data, method="guess")


def test_published_surface(tmp_path: object) -> None:
    """State machine at 0.5 Hz: every cell was 10 of 10, and yet a frontier of 12 is not certain."""
    from tests.counting.test_frontier import PUBLISHED

    surface = Surface.read_csv(PUBLISHED).table
    part = surface[(surface["model"] == "Gemini 3.6 Flash") & (surface["domain"] == "state_machine")]
    found = frontier_certainty(part.assign(n=10.0)).count[0.5]
    assert next(iter(found)) == "12"
    assert 0.5 < found["12"] < 0.95
