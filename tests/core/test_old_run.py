"""A run of before episodes, stored as it was written: no line says how a trial ended, the prompts say how many turns.

15 trials of five tiny clips: 11 answered, two not applicable (one of them in its second turn), one
blocked, one cut off in its second turn.
"""

from __future__ import annotations

import csv
import json
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import lft
from lft.cli import main
from lft.core.requests import Request, Response
from lft.core.runs import Run

STORED = Path(__file__).parents[1] / "data" / "old_run"


class Old:
    """The model that the run was made with, as it describes itself; it answers everything now."""

    name = "old"

    def __init__(self) -> None:
        self.asked: Counter[tuple[str, str, str, int]] = Counter()

    def describe(self) -> dict[str, Any]:
        return {"provider": "test", "options": {"temperature": 0.5}, "settings": {"max_tokens": 64}}

    def generate(self, request: Request) -> Response:
        self.asked[*(request.key[name] for name in ("clip", "sampling", "labels", "turn"))] += 1
        return Response(r"\boxed{3}", cost_usd=0.0)


@pytest.fixture
def old(tmp_path: Path) -> Path:
    return Path(shutil.copytree(STORED, tmp_path / "old"))


def scored(folder: Path, *arguments: str) -> dict[str, Any]:
    with pytest.raises(SystemExit) as stopped:
        main(["score", str(folder), *arguments])
    assert stopped.value.code == 1  # trials are missing
    with open(folder / "scores.csv", newline="") as file:
        rows = {row["trial"]: row for row in csv.DictReader(file)}
    return {"rows": rows, "summary": json.loads((folder / "summary.json").read_text())}


def test_it_scores_the_same_to_the_last_digit(old: Path) -> None:
    """Columns and entries that came since may stand beside those of then."""
    with open(STORED / "run" / "scores.csv", newline="") as file:
        before = list(csv.DictReader(file))
    summary = json.loads((STORED / "run" / "summary.json").read_text())
    now = scored(old / "run")
    assert list(now["rows"]) == [row["trial"] for row in before]
    for row in before:
        found = now["rows"][row["trial"]]
        assert {name: found[name] for name in row} == row
    for then, since in zip(summary["conditions"], now["summary"]["conditions"], strict=True):
        assert {name: since["all"][name] for name in then["all"]} == then["all"]


def test_it_goes_on_with_what_is_missing_and_asks_nothing_twice(old: Path) -> None:
    model = Old()
    run = lft.sweep(str(old / "old.yaml"), model, old / "clips", old / "run", progress=False)
    assert model.asked == {
        ("blinking/n00_f1.0_s00", "native", "none", 0): 1,
        ("blinking/n03_f1.5_s01", "fps:2", "time", 1): 1,
    }
    statuses = Counter(line["status"] for line in run.answers().values())
    assert statuses == {"answered": 13, "not_applicable": 2}
    assert {line["status"] for line in run.lines()} == {"answered", "error", "not_applicable"}


def test_its_trials_are_read_as_episodes(old: Path) -> None:
    episodes = Run.open(old / "run").episodes()
    found = Counter((one.status, one.end, len(one.answers)) for one in episodes.values())
    # Eight of ten trials in two turns, three of five in one; the blocked one has nothing that is settled.
    assert found == {
        ("answered", None, 2): 8,
        ("answered", None, 1): 3,
        ("not_applicable", "not_applicable", 1): 1,
        ("not_applicable", "not_applicable", 0): 1,
        ("missing", None, 1): 1,
    }


def test_it_is_shown_and_reported(old: Path, capsys: pytest.CaptureFixture[str]) -> None:
    trial = "blinking/n02_f1.0_s00,fps:2,time,two_turn_verification,0"
    for arguments in (["show", str(old / "run"), trial], ["report", str(old / "run"), "--json"]):
        with pytest.raises(SystemExit) as stopped:
            main(arguments)
        assert stopped.value.code == 0
        if arguments[0] == "show":
            told = capsys.readouterr().out
            assert "words    are those that were sent (hash agrees)" in told
            assert told.count("--- asked") == 2
    assert (old / "run" / "report" / "index.html").is_file()
