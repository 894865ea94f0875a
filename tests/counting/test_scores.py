"""From a run folder to scores.csv and its summary."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from lft.core.errors import InputError
from lft.core.runs import Run
from lft.core.scoring import csv_text
from lft.counting.match import match
from lft.counting.reported import Reported, ReportedEvent
from lft.counting.scores import (
    COLUMNS,
    frame,
    read_scores,
    score_row,
    score_run,
    score_text,
    write_scores,
)
from lft.counting.summary import summarise, totals
from lft.counting.trace import Trace
from tests.counting.clips import trace_of

LEDGER = "1. 0:01 - first (running count: 1)\n2. 0:02 - second (running count: 2)\n\nFinal answer: \\boxed{2}"


def traces(clip_id: str) -> Trace:
    return trace_of([1, 2] if clip_id.startswith("blinking/n02") else [])


def a_run(folder: Path, lines: list[dict[str, Any]], planned: list[str], **manifest: Any) -> Run:
    trials = {t: {"clip": t, "model": "m", "sampling": "fps:1", "labels": "time", "prompt": "direct", "replicate": 0}
              for t in planned}  # fmt: skip
    (folder / "manifest.json").write_text(json.dumps({"schema": "lft.run/1", "trials": trials, **manifest}))
    complete = [{"key": {**trials[line["trial"]], "turn": line.pop("turn", 0)}, **line} for line in lines]
    (folder / "responses.jsonl").write_text("".join(json.dumps(line) + "\n" for line in complete))
    return Run.open(folder)


def test_every_planned_trial_has_one_row(tmp_path: Path) -> None:
    two, none, more = "blinking/n02_f1.0_s00", "blinking/n00_f1.0_s00", "blinking/n02_f1.0_s01"
    run = a_run(
        tmp_path,
        [
            {"trial": two, "status": "error", "error": {"kind": "timeout", "message": "slow"}},
            {"trial": two, "status": "answered", "text": LEDGER},
            {"trial": none, "status": "not_applicable"},
            {"trial": more, "status": "error", "error": {"kind": "server", "message": "500"}},
        ],
        [two, none, more],
    )
    rows = {row["trial"]: row for row in score_run(run, traces)}
    assert list(rows) == [two, none, more]
    assert [rows[t]["status"] for t in rows] == ["answered", "not_applicable", "missing"]
    assert (rows[two]["correct"], rows[two]["f1"], rows[two]["exact_ledger"]) == (True, 1.0, True)
    assert (rows[two]["count"], rows[two]["frequency_hz"], rows[two]["tolerance_s"]) == (2, 1.0, 0.5)
    assert "correct" not in rows[more]  # no answer is not a wrong answer


def test_the_last_turn_counts(tmp_path: Path) -> None:
    clip = "blinking/n02_f1.0_s00"
    run = a_run(
        tmp_path,
        [
            {"trial": clip, "status": "answered", "text": "\\boxed{7}", "turn": 0},
            {"trial": clip, "status": "answered", "text": LEDGER, "turn": 1},
        ],
        [clip],
        prompts={"direct": {"turns": 2}},
    )
    (row,) = score_run(run, traces)
    assert row["final_answer"] == 2


def test_a_wrong_answer_by_hand() -> None:
    # Events at 1 and 2 s; the report at 3 s is 1.0 s from the nearest: outside 0.5 s, inside the fixed 1.0 s.
    text = "1. 0:03 - blink (running count: 1)\n\n\\boxed{1}"
    rate = score_text(text, trace_of([1, 2]))
    assert (rate["final_answer"], rate["correct"], rate["reported"], rate["matched"]) == (1, False, 1, 0)
    assert (rate["precision"], rate["recall"], rate["f1"], rate["vor"]) == (0, 0, 0, 0.5)
    fixed = score_text(text, trace_of([1, 2]), tolerance=1.0)
    assert (fixed["precision"], fixed["recall"]) == (1, 0.5)
    assert fixed["f1"] == pytest.approx(2 / 3)
    with pytest.raises(InputError, match="did you mean"):
        score_text(text, trace_of([1, 2]), rule="leger")


def test_a_merged_report_counts_once() -> None:
    # One report of 2.5 to 4 s that covers all four events: M = 1, K = 1, P = 1, R = 1/4.
    merged = Reported((ReportedEvent(2.5, end_s=4.0, covers=4),), 4)
    row = score_row(merged, match([1, 2, 3, 4], merged.times_s, 0.5), 4)
    assert (row["reported"], row["matched"], row["precision"], row["recall"]) == (1, 1, 1, 0.25)


def test_csv_and_back(tmp_path: Path) -> None:
    clip = "blinking/n02_f1.0_s00"
    run = a_run(
        tmp_path, [{"trial": clip, "status": "answered", "text": LEDGER}], [clip, "blinking/n02_f1.0_s01"]
    )
    rows = list(score_run(run, traces))
    write_scores(tmp_path / "scores.csv", rows)
    lines = (tmp_path / "scores.csv").read_text().splitlines()
    assert lines[0] == ",".join(COLUMNS)
    assert lines[1].startswith(
        f"{clip},{clip},blinking,2,1.0,0,m,fps:1,time,direct,0,ledger,0.5,answered,2,,1,2,2,1.0"
    )
    assert ",missing,,,,,,," in lines[2]
    assert read_scores(tmp_path / "scores.csv").equals(frame(rows))


def test_scores_say_what_a_clip_looks_like_also_those_made_before_they_did(tmp_path: Path) -> None:
    clip = "blinking/n02_f1.0_s00"
    run = a_run(tmp_path, [{"trial": clip, "status": "answered", "text": LEDGER}], [clip])
    rows = [{**row, "look": "blinking/s00"} for row in score_run(run, traces)]
    assert [(row["schedule"], row["count"]) for row in rows] == [("regular", 2)]
    new, old = tmp_path / "scores.csv", tmp_path / "old.csv"
    write_scores(new, rows)
    write_scores(old, rows, tuple(c for c in COLUMNS if c not in ("look", "schedule")))
    assert read_scores(old)[["look", "schedule"]].equals(read_scores(new)[["look", "schedule"]])


def test_unreadable_scores(tmp_path: Path) -> None:
    for text in ("", "a,b\n1,2\n"):
        (tmp_path / "scores.csv").write_text(text)
        with pytest.raises(InputError, match="not a scores table"):
            read_scores(tmp_path / "scores.csv")
    with pytest.raises(InputError, match="cannot read"):
        read_scores(tmp_path / "none.csv")


@pytest.mark.parametrize("value", ["nan", "inf", "many", "1e999"])
def test_a_score_that_is_no_number_is_named(tmp_path: Path, value: str) -> None:
    text = csv_text([_row("blinking/n02_f1.0_s00", f1=0.5, correct=True)], COLUMNS)
    (tmp_path / "scores.csv").write_text(text.replace(",0.5,", f",{value},"))
    with pytest.raises(InputError, match="is not a number in every row"):
        read_scores(tmp_path / "scores.csv")


def _row(clip: str, status: str = "answered", **scores: Any) -> dict[str, Any]:
    from lft.counting.scores import key_row

    key = {"clip": clip, "model": "m", "sampling": "native", "labels": "none", "prompt": "direct"}
    return key_row(clip, key, "ledger", "rate", status) | scores


def test_summary_by_hand() -> None:
    # VOR of the clips: 3/1 and 6/12, mean 1.75, pooled 9/13.
    one = {
        "final_answer": 1,
        "correct": True,
        "reported": 3,
        "vor": 3.0,
        "f1": 0.5,
        "acr": True,
        "rfr": False,
    }
    two = {
        "final_answer": 6,
        "correct": False,
        "reported": 6,
        "vor": 0.5,
        "f1": 0.6,
        "acr": False,
        "rfr": False,
    }
    scores = frame(
        [
            _row("blinking/n01_f1.0_s00", **one),
            _row("blinking/n12_f1.0_s00", **two),
            _row("blinking/n00_f1.0_s00", final_answer=0, correct=True, reported=0, false_alarm=False),
            _row("blinking/n00_f1.0_s01", correct=False, reported=1, false_alarm=True),
            _row("blinking/n02_f1.0_s00", "missing"),
            _row("blinking/n02_f1.0_s01", "not_applicable"),
        ]
    )
    found = totals(scores)
    assert (found["n"], found["n_missing"], found["n_not_applicable"], found["n_unparsed"]) == (4, 1, 1, 1)
    assert (found["n_positive"], found["n_empty"], found["correct"], found["em"]) == (2, 2, 2, 0.5)
    assert found["vor"] == pytest.approx(1.75)
    assert found["vor_pooled"] == pytest.approx(9 / 13)
    assert found["acr"] == 0.5  # of the positive clips
    assert found["false_alarm_rate"] == 0.5
    assert found["precision"] is None  # not in the rows


def test_macro_is_the_mean_of_the_domains() -> None:
    rows = [_row(f"{d}/n01_f1.0_s{s:02d}", final_answer=1, correct=s < k, reported=1) for d, k in
            (("blinking", 1), ("bounce_ball", 3)) for s in range(4)]  # fmt: skip
    rows.append(_row("bounce_ball/n01_f1.0_s04", final_answer=1, correct=True, reported=1))
    (condition,) = summarise(frame(rows))
    assert condition["macro"]["em"] == pytest.approx((1 / 4 + 4 / 5) / 2)
    assert condition["all"]["em"] == pytest.approx(5 / 9)
    assert csv_text(rows, COLUMNS).count("\n") == 10
