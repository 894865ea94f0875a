"""Fields of a CSV that a spreadsheet could take for a formula."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lft.core.scoring import csv_text, guarded, unguarded
from lft.counting.cells import Surface
from lft.counting.scores import COLUMNS, _read_csv

ATTACKS = ["=cmd|' /C calc'!A0", "+1", "-2+3", "@SUM(A1)", "\tx", "'=1", "'", "plain"]


@given(st.text())
def test_a_guarded_text_starts_no_formula_and_comes_back(text: str) -> None:
    assert guarded(text)[:1] not in ("=", "+", "-", "@", "\t", "\r")
    assert unguarded(guarded(text)) == text


@pytest.mark.parametrize("model", [text for text in ATTACKS if text != "\tx"])
def test_scores_hold_no_formula_and_read_back_as_they_were(model: str) -> None:
    row: dict[str, Any] = {
        **dict.fromkeys(COLUMNS), "trial": f"=1,{model}", "clip": "blinking/n01_f1.0_s00", "domain": "blinking",
        "count": 1, "frequency_hz": 1.0, "seed": 0, "model": model, "replicate": 0, "status": "answered",
        "reason": "-none", "look": "l", "schedule": "regular",
    }  # fmt: skip
    text = csv_text([row], COLUMNS)
    (_, fields) = csv.reader(io.StringIO(text))
    assert not [field for field in fields if field[:1] in ("=", "+", "-", "@")]
    table = _read_csv(io.StringIO(text))
    assert (table["model"][0], table["trial"][0], table["reason"][0]) == (model, f"=1,{model}", "-none")


def test_a_surface_with_a_guarded_name_is_read_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "surface.csv"
    path.write_text("model,domain,frequency_hz,count,accuracy\n'=cmd|x,blinking,1.0,1,0.5\n")
    assert Surface.read_csv(path).table["model"][0] == "=cmd|x"
