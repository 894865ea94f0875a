"""What `lft audit` says first: few lines, ranked by hand-made tables whose order can be read off."""

from __future__ import annotations

from typing import Any

import pytest

from lft.counting.commands.audit_words import ranked

BASE = {"model": "m", "labels": "time", "prompt": "p"}


def compared(sampling: str, domain: str, lower: float, upper: float, p: float) -> dict[str, Any]:
    middle = (lower + upper) / 2
    return {**BASE, "domain": domain, "sampling": sampling, "against": "fps:1 time p", "n": 40,
            "difference": middle, "lower": lower, "upper": upper, "p_holm": p}  # fmt: skip


def rate(sampling: str, value: float, missing: int = 0) -> dict[str, Any]:
    return {**BASE, "sampling": sampling, "domain": "all", "rate": "em", "value": value, "lower": value - 0.1,
            "upper": min(1.0, value + 0.1), "n": 40, "clusters": 20, "n_missing": missing,
            "em_constant": 0.3, "em_shuffled": 0.2, "ceiling_correct": 0.9}  # fmt: skip


def fault(sampling: str, parameter: str, value: float, lower: float, upper: float) -> dict[str, Any]:
    return {**BASE, "sampling": sampling, "domain": "all", "frequency_hz": None, "parameter": parameter,
            "value": value, "lower": lower, "upper": upper}  # fmt: skip


def found(**more: Any) -> dict[str, list[dict[str, Any]]]:
    empty = ("pooled", "error_model", "comparisons", "models", "cells", "sensitivity")
    return {name: more.get(name, []) for name in empty}


@pytest.fixture(autouse=True)
def _eighty(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")


def test_sure_differences_come_first_by_the_least_that_they_can_be() -> None:
    rows = [
        compared("fps:2", "blinking", 0.4, 0.6, 0.001),  # of one domain: after those of all
        compared("fps:2", "all", 0.05, 0.65, 0.01),  # at least 5 points
        compared("fps:4", "all", -0.4, -0.2, 0.01),  # at least 20 points, downwards
        compared("fps:8", "all", -0.9, 0.9, 0.01),  # the interval holds 0
        compared("fps:9", "all", 0.2, 0.9, 0.06),  # p is too large
    ]
    lines = list(ranked(found(pooled=[rate("fps:1", 0.5), rate("fps:2", 0.5)], comparisons=rows), 0.8))
    at = lines.index("Exact counts, same clips: 3 of 5 differences significant (p <= 0.05, Holm)")
    assert lines[at + 1] == "  fps:4 against fps:1: -30 points [-40, -20], n 40, p 0.01"
    assert lines[at + 2] == "  fps:2 against fps:1: +35 points [+5, +65], n 40, p 0.01"
    assert lines[at + 3].startswith("  blinking, fps:2 against fps:1: +50 points")
    assert lines[at + 4].startswith("  open: 2, of which the largest is fps:9 against fps:1: +55 points")
    assert lines[0] == "everywhere: model m, labels time, prompt p"  # and nowhere else


def test_rates_are_best_first_and_missing_is_told_only_where_there_is_any() -> None:
    rows = [rate("fps:1", 0.5), rate("fps:4", 0.8), rate("fps:2", 0.6)]
    text = "\n".join(ranked(found(pooled=rows), 0.8))
    assert text.index("fps:4  ") < text.index("fps:2  ") < text.index("fps:1  ")
    assert "missing" not in text
    assert "missing" in "\n".join(ranked(found(pooled=[rate("fps:1", 0.5, missing=2)]), 0.8))


def test_faults_are_those_whose_whole_interval_matters() -> None:
    rows = [
        fault("fps:1", "miss", 0.3, 0.2, 0.4),  # ten times what matters (2 %)
        fault("fps:1", "false", 0.5, 0.1, 0.9),  # twice (0.05 a clip)
        fault("fps:1", "misadd", 0.3, 0.01, 0.9),  # may be nothing
        fault("fps:1", "jitter_s", 0.3, 0.25, 0.4),  # 1.25 times (0.2 s)
    ]
    lines = list(ranked(found(pooled=[rate("fps:1", 0.5), rate("fps:2", 0.5)], error_model=rows), 0.8))
    at = lines.index("Sure parameters of the error model: 3 of 4")
    assert [line.split(":", 2)[2].split("[")[0].strip() for line in lines[at + 1 : at + 4]] == [
        "30 %",
        "0.50",
        "0.30",
    ]


def test_a_hundred_rows_are_a_screen() -> None:
    comparisons = [
        compared(f"fps:{k}", d, 0.1 + k / 1000, 0.5, 0.01) for k in range(2, 52) for d in ("all", "a")
    ]
    sensitivity = [
        {**BASE, "sampling": f"fps:{k}", "domain": "all", "em": 0.5, "f1": f1, "acr": None}
        for k in range(1, 52) for f1 in (0.2, 0.2 + k / 100)
    ]  # fmt: skip
    tables = found(
        pooled=[rate("fps:1", 0.5), rate("fps:2", 0.4)], comparisons=comparisons, sensitivity=sensitivity
    )
    lines = [line for part in ranked(tables, 0.8) for line in part.splitlines()]
    assert len(lines) < 40
    assert max(map(len, lines)) <= 80
    assert "  and 92 more" in lines
    assert "  fps:51: trace F1 from 20.0 to 71.0 %" in lines
    assert lines[-1] == "rest     --all prints every table, --json gives them to programs"
