"""Psychometric surfaces: parameter recovery, coverage of contours, the test of fit, and the ends."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from lft.counting.audit.psychometric import Fit, _curve, _design, _log_likelihood, _score, fit

GRID = [(f, n) for f in (0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0) for n in (1, 2, 3, 4, 5, 6, 8, 10, 12)]
TRUE = np.array([[4.0, -2.0, -1.5, 0.03]])
DESIGN = _design([f for f, _ in GRID], [n for _, n in GRID])


def drawn(rates: np.ndarray, seed: int, n: int = 10) -> pd.DataFrame:
    correct = np.random.default_rng(seed).binomial(n, rates)
    table = pd.DataFrame(GRID, columns=["frequency_hz", "count"])
    return table.assign(n=n, correct=correct)


def test_the_gradient_is_that_of_the_likelihood() -> None:
    data = drawn(_curve(TRUE, DESIGN)[0], 0)
    n, correct = data["n"].to_numpy(float), data["correct"].to_numpy(float)[None, :]
    at = np.array([[3.0, -1.5, -1.0, 0.05]])
    gradient, _ = _score(at, DESIGN, n, correct)
    for k in range(4):
        step = np.zeros((1, 4))
        step[0, k] = 1e-5
        up, down = (_log_likelihood(at + s * step, DESIGN, n, correct)[0] for s in (1, -1))
        assert gradient[0, k] == pytest.approx((up - down) / 2e-5, rel=1e-4)


def test_no_nearby_parameters_are_likelier() -> None:
    for seed in range(5):
        data = drawn(_curve(TRUE, DESIGN)[0], seed)
        found = fit(data, draws=2)
        assert found
        best = np.array([[found.a, found.b, found.c, found.lapse]])
        n, correct = data["n"].to_numpy(float), data["correct"].to_numpy(float)[None, :]
        top = _log_likelihood(best, DESIGN, n, correct)[0]
        rng = np.random.default_rng(seed)
        for scale in (0.3, 0.03, 0.003):
            other = best + rng.normal(0, scale, (200, 4)) * [1, 1, 1, 0.1]
            other = np.clip(other, [-60, -20, -20, 0], [60, 0, 0, 0.2])
            assert np.all(_log_likelihood(other, DESIGN, n, correct) <= top + 1e-4)


def test_parameters_and_contours_are_recovered() -> None:
    """60 surfaces: means near the truth, and the intervals of the 50 % and 80 % contours cover it."""
    truth = Fit(*TRUE[0].tolist(), 0.0, 1.0, TRUE)
    at = {level: truth.contour(level, 1.5).count for level in (0.5, 0.8)}
    covered = {0.5: 0, 0.8: 0}
    found = []
    for seed in range(60):
        one = fit(drawn(_curve(TRUE, DESIGN)[0], seed), draws=100, seed=seed)
        assert one
        found.append([one.a, one.b, one.c, one.lapse])
        for level in covered:
            contour = one.contour(level, 1.5)
            covered[level] += contour.lower <= at[level] <= contour.upper
    assert np.mean(found, axis=0) == pytest.approx(TRUE[0], rel=0.1, abs=0.02)
    assert min(covered.values()) >= 50  # 0.95 of 60 is 57; under 50 is four standard errors off


def test_contours_by_hand() -> None:
    # Without lapses accuracy is 1/2 where a + b log2 F + c log2 N = 0: at 1 Hz N = 2^(4 / 2) = 4, at 2 Hz
    # 2^(2 / 2) = 2.
    one = Fit(4.0, -2.0, -2.0, 0.0, 0.0, 1.0, np.array([[4.0, -2.0, -2.0, 0.0]]))
    assert one.contour(0.5, 1.0).count == pytest.approx(4)
    assert one.contour(0.5, 2.0).count == pytest.approx(2)
    assert one.contour(0.5, 8.0).count == 0  # not even one event
    assert one.accuracy(1.0, 4) == pytest.approx(0.5)
    assert one.accuracy([1.0, 1.0], [1, 4]).shape == (2,)
    flat = Fit(4.0, -2.0, 0.0, 0.0, 0.0, 1.0, np.array([[4.0, -2.0, 0.0, 0.0]]))
    assert flat.contour(0.5, 1.0).count == np.inf  # the count does not matter
    lapsing = Fit(4.0, -2.0, -2.0, 0.2, 0.0, 1.0, np.array([[4.0, -2.0, -2.0, 0.2]]))
    assert lapsing.contour(0.8, 1.0).count == 0  # one in five is wrong however easy


def test_the_test_of_fit() -> None:
    """Surfaces of the model are rejected one time in twenty; one with a hole in the middle always."""
    rates = _curve(TRUE, DESIGN)[0]
    rejected = sum(not fit(drawn(rates, seed), draws=99, seed=seed).fits for seed in range(60))  # type: ignore[union-attr]
    assert rejected <= 9  # 3 expected
    hole = np.where([f == 1.0 and n in (3, 4) for f, n in GRID], 0.0, rates)
    bad = fit(drawn(hole, 0), draws=99)
    assert bad
    assert not bad.fits


def test_extremes() -> None:
    for rate in (0.0, 1.0):
        found = fit(drawn(np.full(72, rate), 0), draws=20)
        assert found
        assert np.isfinite([found.a, found.b, found.c, found.lapse, found.deviance]).all()
        assert found.fits
        assert found.accuracy(1.0, 3) == pytest.approx(rate, abs=0.02)
    assert fit(drawn(np.full(72, 0.5), 0).head(3)) is None
    assert fit(drawn(np.full(72, 0.5), 0).assign(n=0, correct=0)) is None
