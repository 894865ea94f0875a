"""The distribution of frontiers: by hand where it is simple, and the probability of a cell."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from lft.counting.audit.certainty import frontier_certainty, with_certainty
from lft.counting.cells import Surface, reaching
from lft.counting.frontier import frontier
from lft.counting.reporting.surface_certainty import span

COUNTS, FREQUENCIES_HZ = (1, 2, 3, 4, 5, 6, 8, 10, 12), (0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0)


def cells(rows: list[tuple[float, int, int, int]]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=["frequency_hz", "count", "n", "correct"])


def test_probability_of_each_cell() -> None:
    found = with_certainty(cells([(1.0, 1, 10, 8), (1.0, 2, 10, 10), (1.0, 3, 0, 0)]))
    assert found["p_reaches"][0] == pytest.approx(0.47, abs=0.01)
    assert found["p_reaches"][1] > 0.95
    assert pd.isna(found["p_reaches"][2])


def test_certain_cells_give_one_frontier() -> None:
    found = frontier_certainty(cells([(1.0, 1, 500, 500), (1.0, 2, 500, 500), (1.0, 3, 500, 0)]))
    for where in (found, found.repeat):
        assert where.count[1.0]["2"] > 0.99
        assert where.frequency[2]["1.0"] > 0.99
        assert where.frequency[3] == {"below": 1.0}
    assert found.too_low[1.0] < 0.01


def test_cells_lend_each_other_certainty_where_accuracy_is_flat() -> None:
    # 72 cells of 9 of 10 each. One by one each is above 0.8 with a probability of 0.79, nine at once with 0.12;
    # together they are 648 of 720, which is 0.9 give or take 0.01.
    flat = cells([(f, n, 10, 9) for f in FREQUENCIES_HZ for n in COUNTS])
    found = frontier_certainty(flat)
    assert float(with_certainty(flat)["p_reaches"][0]) ** 9 < 0.15
    assert all(shares["12"] > 0.6 for shares in found.count.values())


def test_a_point_frontier_is_too_low_where_cells_are_few() -> None:
    # All nine cells of ten clips must have 8 right: at a true 0.9, with probability 0.93^9 = 0.52. So about half of the
    # repeats stop short of 12 (draws of the truth lie on both sides of 0.9).
    flat = cells([(f, n, 10, 9) for f in FREQUENCIES_HZ for n in COUNTS])
    found = frontier_certainty(flat)
    assert 0.35 < np.mean(list(found.too_low.values())) < 0.6
    many = frontier_certainty(flat.assign(n=400, correct=360))
    assert np.mean(list(many.too_low.values())) < 0.02


def test_a_cliff_stays_a_cliff() -> None:
    data = cells([(f, n, 10, 10 if n <= 5 else 1) for f in FREQUENCIES_HZ for n in COUNTS])
    for shares in frontier_certainty(data).count.values():
        assert shares["5"] > 0.75
        assert sum(shares.get(str(n), 0) for n in (6, 8, 10, 12)) < 0.02


def test_nothing_forces_accuracy_to_fall() -> None:
    # One event is never counted, five always: the frontier is below, whatever comes after.
    found = frontier_certainty(cells([(1.0, n, 40, 40 * (n > 1)) for n in COUNTS]))
    assert found.count[1.0]["below"] > 0.95
    assert found.frequency[5]["1.0"] > 0.95


def test_the_posterior_of_one_cell_is_that_of_its_answers() -> None:
    # A single cell: prior logit normal with variance 9 + (shared and own deviations); by numerical integration.
    data = cells([(1.0, 1, 40, 30)])
    share = frontier_certainty(data, draws=40_000).count[1.0]["1"]
    x = np.linspace(-8, 8, 4001)
    p = 1 / (1 + np.exp(-x))
    weight = np.exp(30 * np.log(p) + 10 * np.log1p(-p) - 0.5 * x**2 / 11)
    assert share == pytest.approx(weight[p >= 0.8].sum() / weight.sum(), abs=0.03)


def test_it_covers_flat_surfaces() -> None:
    """Thirty runs of eight frequencies each; independent cells covered 0.13, 0.27 and 0.61."""
    rng = np.random.default_rng(0)
    for n in (2, 5, 10):
        held = []
        for _ in range(30):
            found = frontier_certainty(
                cells([(f, c, n, int(rng.binomial(n, 0.9))) for f in FREQUENCIES_HZ for c in COUNTS]),
                draws=300,
            )
            held += [span(shares)[1] == 12 for shares in found.count.values()]
        assert np.mean(held) >= 0.9, n


def test_replicates_count_for_what_they_are_worth() -> None:
    data = cells([(1.0, n, 30, 27) for n in COUNTS])
    once, thrice = (frontier_certainty(data.assign(n_effective=worth)) for worth in (30.0, 10.0))
    assert thrice.count[1.0]["12"] < once.count[1.0]["12"] - 0.05
    assert once.count[1.0] == frontier_certainty(data).count[1.0]


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


def test_published_surface(tmp_path: object) -> None:
    """State machine at 0.5 Hz: every cell was 10 of 10, and yet a frontier of 12 is not certain."""
    from tests.counting.test_frontier import PUBLISHED

    surface = Surface.read_csv(PUBLISHED).table
    part = surface[(surface["model"] == "Gemini 3.6 Flash") & (surface["domain"] == "state_machine")]
    found = frontier_certainty(part.assign(n=10.0)).count[0.5]
    assert next(iter(found)) == "12"
    assert 0.5 < found["12"] < 0.95
