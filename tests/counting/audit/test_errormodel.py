"""Parameter recovery in small, and the estimators by hand. The thousand runs are in
benchmarks/recovery.py.
"""

from __future__ import annotations

from types import ModuleType

import pytest

from lft.counting.audit.errormodel import error_model
from lft.counting.scores import frame
from tests.counting.test_scores import _row
from tests.scripts import benchmark


@pytest.fixture(scope="module")
def recovery() -> ModuleType:
    return benchmark("recovery")


def test_by_hand() -> None:
    # 2 of 5 events missed; 1 invented in 3 clips; 1 of 2 ledgers added up wrongly; off by 0.1 twice and 0.2
    # once: sqrt((2 * 0.01 + 0.04) / 3) = 0.1414.
    one = {"matched": 2, "missed": 1, "hallucinated": 1, "bias_s": 0.1, "rms_s": 0.1}
    two = {"matched": 1, "missed": 1, "hallucinated": 0, "bias_s": -0.2, "rms_s": 0.2}
    scores = frame(
        [
            _row("blinking/n03_f1.0_s00", ledger_consistent=True, **one),
            _row("blinking/n02_f1.0_s00", ledger_consistent=False, **two),
            _row("blinking/n00_f1.0_s00", matched=0, missed=0, hallucinated=0),
            _row("blinking/n03_f1.0_s01", "missing"),
        ]
    )
    found = error_model(scores, draws=100)
    assert found["miss"].value == pytest.approx(2 / 5)
    assert found["false"].value == pytest.approx(1 / 3)
    assert found["misadd"].value == pytest.approx(1 / 2)
    assert found["jitter_s"].value == pytest.approx(0.02**0.5)
    assert found["miss"].clusters == 2
    assert error_model(frame([_row("blinking/n03_f1.0_s01", "missing")])) == {}


def test_rounding_is_taken_off() -> None:
    # Whole seconds add 1/12 to the variance: sqrt(0.1 - 0.0833) = 0.1291.
    row = _row(
        "blinking/n03_f1.0_s00",
        matched=3,
        missed=0,
        hallucinated=0,
        bias_s=0.0,
        rms_s=0.1**0.5,
        resolution_s=1.0,
    )
    assert error_model(frame([row]), draws=10)["jitter_s"].value == pytest.approx(
        (0.1 - 1 / 12) ** 0.5, abs=1e-4
    )


def test_the_step_is_that_of_most_times() -> None:
    # Tenths, and one response whose only time happens to be whole: variance (9 * 0.01 + 0.01) / 10 - 0.01 / 12.
    tenths = {"matched": 9, "missed": 0, "hallucinated": 0, "bias_s": 0.0, "rms_s": 0.1, "resolution_s": 0.1}
    whole = tenths | {"matched": 1, "resolution_s": 1.0}
    scores = frame([_row("blinking/n10_f1.0_s00", **tenths), _row("blinking/n10_f1.0_s01", **whole)])
    assert error_model(scores, draws=10)["jitter_s"].value == pytest.approx(
        (0.01 - 0.01 / 12) ** 0.5, abs=1e-6
    )


def test_intervals_cover_the_truth(recovery: ModuleType) -> None:
    """100 runs: at a true coverage of 0.95, fewer than 0.87 happen about once in a thousand."""
    found = recovery.coverage(100, 27)
    for name, row in found.items():
        assert row["mean"] == pytest.approx(row["true"], rel=0.08), name
        assert row["covered"] >= 0.87, name
