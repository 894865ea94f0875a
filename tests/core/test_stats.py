"""Intervals against hand-derived values and the published table of Wilson intervals."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest

from lft.core.stats import wilson, wilson_pair


def test_wilson_by_hand() -> None:
    # z = 1.959964, n = 10, p = 0.8: centre (p + z^2/2n) / (1 + z^2/n) = (0.8 + 0.192073) / 1.384146 =
    # 0.716740, half-width z sqrt(p(1-p)/n + z^2/4n^2) / (1 + z^2/n) = 1.959964 * sqrt(0.016 + 0.00960365) /
    # 1.384146 = 0.226577.
    low, high = wilson(8, 10)
    assert low == pytest.approx(0.716740 - 0.226577, abs=2e-6)
    assert high == pytest.approx(0.716740 + 0.226577, abs=2e-6)


def test_wilson_ends_and_empty() -> None:
    low, high = wilson([0, 5, 0], [5, 5, 0])
    # p = 0: lower is 0, upper z^2 / (n + z^2) = 3.841459 / 8.841459; p = 1 mirrors it.
    assert low[0] == 0
    assert high[0] == pytest.approx(0.434482, abs=1e-6)
    assert high[1] == 1
    assert low[1] == pytest.approx(1 - 0.434482, abs=1e-6)
    assert np.isnan(low[2])
    assert np.isnan(high[2])
    assert wilson_pair(0, 0) is None


@pytest.mark.parametrize(("correct", "total"), [(3, 2), (-1, 4), (0, -1)])
def test_impossible_counts(correct: int, total: int) -> None:
    with pytest.raises(ValueError, match="correct"):
        wilson(correct, total)


def test_published_wilson_table(shared: Path) -> None:
    table = json.loads((shared / "published" / "tables.json").read_text())["table_4_wilson_95"]
    for _, correct, total, accuracy, lower, upper in table["rows"]:
        low, high = wilson(correct, total)
        assert math.isclose(100 * correct / total, accuracy, abs_tol=0.0501)
        assert [round(100 * float(low), 1), round(100 * float(high), 1)] == [lower, upper]
