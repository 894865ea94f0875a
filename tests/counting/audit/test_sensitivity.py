"""Tolerance x rule: by hand, and consistent with the scores."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import pytest

from lft.counting.audit.sensitivity import sensitivity
from lft.counting.parse import parse
from tests.counting.clips import trace_at

KEY = {"model": "m", "sampling": "fps:1", "labels": "time", "prompt": "structured_trace"}
# Events at 1.0 and 2.0 s at 2 Hz (rate tolerance 0.25 s). Reported: 1.2 (0.2 off), 2.4 (0.4 off).
TRACE = trace_at([30, 60], frequency_hz=2.0)
LEDGER = partial(parse, "1. 1.2 s - blink - count 1\n2. 2.4 s - blink - count 2\n\n\\boxed{2}")


def test_by_hand() -> None:
    rows = sensitivity([(KEY, LEDGER, TRACE)], rules=["ledger"])
    by_tolerance = {r["tolerance"]: r for r in rows if r["domain"] == "blinking"}
    assert list(by_tolerance) == ["rate", "1.0", "0.5", "0.25"]
    assert [r["f1"] for r in by_tolerance.values()] == [0.5, 1.0, 1.0, 0.5]
    assert [r["acr"] for r in by_tolerance.values()] == [1.0, 0.0, 0.0, 1.0]
    assert all((r["n"], r["em"], r["vor"]) == (1, 1.0, 1.0) for r in by_tolerance.values())
    # Chance over the span 0.75 .. 2.25 s: with 1.0 s either side every report falls in some window.
    assert by_tolerance["1.0"]["chance_f1"] > by_tolerance["rate"]["chance_f1"]


def test_rules_and_groups() -> None:
    empty = trace_at([])
    rows = sensitivity(
        [
            (KEY, LEDGER, TRACE),
            ({**KEY, "sampling": "fps:4"}, partial(parse, "no events\n\n\\boxed{0}"), empty),
        ],
        tolerances=["rate"],
    )
    found = {(r["sampling"], r["domain"], r["rule"]): r for r in rows}
    assert set(found) == {
        (s, d, r) for s in ("fps:1", "fps:4") for d in ("blinking", "all") for r in ("ledger", "mentions")
    }
    assert found["fps:4", "all", "ledger"]["f1"] is None
    assert found["fps:4", "all", "ledger"]["n_positive"] == 0
    assert found["fps:4", "all", "ledger"]["em"] == 1
    assert sensitivity([]) == []


def test_wilson_beside_em() -> None:
    four = [replace(TRACE, spec=replace(TRACE.spec, seed=seed)) for seed in range(4)]
    (row, _) = sensitivity([(KEY, LEDGER, trace) for trace in four], tolerances=[0.5], rules=["ledger"])
    assert row["em_lower"] == pytest.approx(4 / (4 + 3.841459), abs=1e-5)
    assert row["em_upper"] == 1
    (once, _) = sensitivity([(KEY, LEDGER, TRACE)] * 4, tolerances=[0.5], rules=["ledger"])
    assert (once["em_lower"], once["em_upper"]) == (0, 1)  # one clip, asked four times
