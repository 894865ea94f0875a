"""Cells and surface files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from lft.core.errors import InputError
from lft.core.stats import wilson
from lft.counting.cells import Surface
from lft.counting.scores import frame, key_row

HEAD = "model,domain,frequency_hz,count,accuracy"


def row(
    seed: int, status: str, correct: bool | None = None, count: int = 2, **more: object
) -> dict[str, object]:
    key = {"clip": f"blinking/n{count:02d}_f1.0_s{seed:02d}", "model": "m", "sampling": "fps:1", "labels": "time",
           "prompt": "direct", "replicate": 0}  # fmt: skip
    return {**key_row(f"t{count}{seed}{more}", key, "ledger", "rate", status), "correct": correct, **more}


def test_a_cell_by_hand() -> None:
    # Four planned: two right, one wrong, one without an answer. accuracy 2/3 over the answered ones.
    scores = frame(
        [
            row(0, "answered", True, f1=1.0, recall=1.0),
            row(1, "answered", True, f1=0.5, recall=0.0),
            row(2, "answered", False, f1=0.0, recall=0.5),
            row(3, "missing"),
            row(0, "answered", True, count=0),
            row(1, "not_applicable", count=0),
        ]
    )
    table = Surface.of_scores(scores).table.set_index("count")
    cell = table.loc[2]
    assert (cell["n"], cell["n_missing"], cell["n_not_applicable"], cell["correct"]) == (3, 1, 0, 2)
    assert cell["accuracy"] == pytest.approx(2 / 3)
    assert cell["f1"] == pytest.approx(0.5)
    assert cell["recall"] == pytest.approx(0.5)
    # Wilson for 2 of 3: centre (2/3 + 0.640243) / 2.280486 = 0.573081, half 1.959964 sqrt(2/27 +
    # 0.106707)/2.280486.
    assert cell["lower"] == pytest.approx(0.2077, abs=1e-4)
    assert cell["upper"] == pytest.approx(0.9385, abs=1e-4)
    empty = table.loc[0]
    assert (empty["n"], empty["n_missing"], empty["n_not_applicable"]) == (1, 0, 1)
    assert pd.isna(empty["f1"])


def test_a_cell_without_answers_is_undetermined_not_zero() -> None:
    surface = Surface.of_scores(
        frame([row(s, "missing") for s in range(3)] + [row(0, "answered", True, count=1)])
    )
    assert surface.table.set_index("count").loc[2, "n"] == 0
    assert pd.isna(surface.table.set_index("count").loc[2, "accuracy"])
    assert surface.frontiers()["m", "blinking"].to_json()["count"] == {"1.0": "undetermined"}


def test_written_and_read_again(tmp_path: Path) -> None:
    surface = Surface.of_scores(frame([row(s, "answered", s < 8) for s in range(10)]))
    surface.table.to_csv(tmp_path / "s.csv", index=False)
    again = Surface.read_csv(tmp_path / "s.csv")
    assert again.frontiers() == surface.frontiers()
    assert again.frontiers()["m", "blinking"].count == {1.0: 2}


def test_several_conditions_are_kept_apart() -> None:
    scores = frame([row(s, "answered", s < 8) for s in range(10)])
    both = pd.concat([scores, scores.assign(sampling="fps:4", correct=0)])
    assert {name for name, _ in Surface.of_scores(both).frontiers()} == {"m [fps:1]", "m [fps:4]"}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "is not a CSV table"),
        (HEAD, "has no rows"),
        ("model,domain,count,accuracy\nm,d,1,1", "has no column frequency_hz"),
        (
            "model,domain,frequency,count,accuracy\nm,d,1,1,1",
            "has no column frequency_hz (it has 'frequency')",
        ),
        (
            f"{HEAD}\nm,d,1.0,1,0.5\nm,d,1.0,1,0.5",
            ":3: gives the cell model 'm', domain 'd', frequency_hz 1, count 1 twice",
        ),
        (f"{HEAD}\nm,d,1.0,1,80", ":2: accuracy is 80"),
        (f"{HEAD}\nm,d,1.0,1,-0.1", "accuracy is -0.1"),
        (f"{HEAD}\nm,d,1.0,1,inf", "accuracy is 'inf'"),
        (f"{HEAD}\nm,d,1.0,1,high", "accuracy is 'high'"),
        (f"{HEAD}\nm,d,nan,1,0.5", "frequency_hz is"),
        (f"{HEAD}\nm,d,0,1,0.5", "frequency_hz is 0"),
        (f"{HEAD}\nm,d,1.0,1.5,0.5", "count is 1.5"),
        (f"{HEAD}\nm,d,1.0,-1,0.5", "count is -1"),
        (f"{HEAD}\nm,,1.0,1,0.5", "domain is ''"),
        (f"{HEAD},n,correct\nm,d,1.0,1,0.5,10,11", "correct is 11"),
        (f"{HEAD},n,correct\nm,d,1.0,1,0.5,10,8", "accuracy is 0.5"),
    ],
)
def test_bad_files_are_named(tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / "s.csv").write_text(text)
    with pytest.raises(InputError) as error:
        Surface.read_csv(tmp_path / "s.csv")
    assert words in str(error.value)
    assert "expected" in str(error.value)
    assert "\n" not in str(error.value)


def test_other_unreadable_files(tmp_path: Path) -> None:
    (tmp_path / "bin.csv").write_bytes(bytes(range(256)))
    for name in ("bin.csv", "none.csv"):
        with pytest.raises(InputError):
            Surface.read_csv(tmp_path / name)


def test_empty_accuracy_is_missing(tmp_path: Path) -> None:
    (tmp_path / "s.csv").write_text(f"{HEAD}\nm,d,1.0,1,1.0\nm,d,1.0,2,\nm,d,1.0,3,1.0\n")
    assert Surface.read_csv(tmp_path / "s.csv").frontiers()["m", "d"].count == {1.0: "undetermined"}


def test_replicates_of_a_clip_are_worth_less_than_clips() -> None:
    def rows(alike: bool) -> list[dict[str, Any]]:
        rng = np.random.default_rng(0)
        made = []
        for s in range(40):
            clip = f"blinking/n02_f1.0_s{s:02d}"
            same = rng.random() < 0.5
            for r in range(3):
                key = {
                    "clip": clip,
                    "model": "m",
                    "sampling": "a",
                    "labels": "b",
                    "prompt": "c",
                    "replicate": r,
                }
                right = same if alike else rng.random() < 0.5
                made.append(key_row(f"{clip},{r}", key, "ledger", "rate", "answered") | {"correct": right})
        return made

    (alike,) = Surface.of_scores(frame(rows(True))).table.to_dict("records")
    (apart,) = Surface.of_scores(frame(rows(False))).table.to_dict("records")
    assert (alike["n"], alike["n_effective"]) == (
        120,
        pytest.approx(40),
    )  # three times the same answer is one
    assert apart["n_effective"] > 100
    low, high = wilson(alike["correct"] / 3, 40)
    assert (alike["lower"], alike["upper"]) == (pytest.approx(float(low)), pytest.approx(float(high)))
