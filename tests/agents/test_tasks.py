"""Rows of tasks and demonstrations: what is read is written back; what cannot be is refused with its place."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from lft.agents.scoring import Goal, Reference
from lft.agents.tasks import demonstrations, read_demonstration, read_task, tasks
from lft.core.errors import InputError

TASK: dict[str, Any] = {
    "id": "corridor/base", "environment": "corridor", "kind": "base", "seed": 3, "skipped_frames": 0,
    "preloaded": [["RIGHT", 2]], "decisions": 10, "pass": {"measure": "reached", "at_least": 1},
    "score": {"kind": "reference", "measure": "progress", "reference": 4.0}, "clips": ["corridor/a"],
    "start_hash": "00ff", "expert": [["RIGHT", 4]], "expert_score": 100.0, "random_score": 12.5, "why": "near the end",
}  # fmt: skip
DEMONSTRATION: dict[str, Any] = {
    "id": "corridor/a", "environment": "corridor", "seed": 1, "skipped_frames": 0, "preloaded": [],
    "actions": [["RIGHT", 5], ["UP", 1]], "end": "Victory", "claims": {"reached": 1.0}, "frames": 8,
}  # fmt: skip


def test_rows_are_read_and_written_back() -> None:
    task = read_task(TASK, where="row")
    assert task.goal == Goal("reached", 1.0)
    assert task.score == Reference("progress", 4.0)
    assert task.preloaded == (("RIGHT", 2),)
    assert json.loads(json.dumps(task.to_json())) == TASK
    one = read_demonstration(DEMONSTRATION, where="row")
    assert json.loads(json.dumps(one.to_json())) == DEMONSTRATION


@pytest.mark.parametrize(
    ("entry", "value", "said"),
    [
        ("kind", "bsae", "kind is 'bsae'"),
        ("id", "other/base", "id is 'other/base'"),
        ("decisions", 101, "decisions is 101"),
        ("decisions", True, "decisions is True"),
        ("preloaded", [["RIGHT", 0]], "preloaded has the run"),
        ("clips", [], "clips is []"),
        ("expert_score", 101, "expert_score is 101"),
        ("pass", {"measure": "reached"}, "at_least is None"),
        ("score", {"kind": "reference", "measure": "progress", "reference": 0}, "reference is 0"),
        ("score", {"kind": "survivl"}, "survival (did you mean this?)"),
        ("score", {"kind": "milestones", "milestones": [["a", 1]]}, "a milestone is ['a', 1]"),
    ],
)
def test_a_task_that_cannot_be_is_refused(entry: str, value: Any, said: str) -> None:
    with pytest.raises(InputError) as refused:
        read_task({**TASK, entry: value}, where="tasks.jsonl:7")
    assert str(refused.value).startswith("tasks.jsonl:7")
    assert said in str(refused.value)


@pytest.mark.parametrize(
    ("entry", "value"), [("end", "victory"), ("frames", 7), ("claims", []), ("seed", -1)]
)
def test_a_demonstration_that_cannot_be_is_refused(entry: str, value: Any) -> None:
    with pytest.raises(InputError):
        read_demonstration({**DEMONSTRATION, entry: value}, where="row")


def test_files_are_read_whole(tmp_path: Path) -> None:
    (tmp_path / "demonstrations.jsonl").write_text(json.dumps(DEMONSTRATION) + "\n")
    (tmp_path / "tasks.jsonl").write_text(json.dumps(TASK) + "\n")
    assert list(tasks(tmp_path)) == ["corridor/base"]
    assert list(demonstrations(tmp_path)) == ["corridor/a"]
    other = tmp_path / "other"
    other.mkdir()
    (other / "tasks.jsonl").write_text(json.dumps(TASK) + "\n")
    with pytest.raises(InputError, match=r"tasks.jsonl:1: no demonstration 'corridor/a'"):
        tasks(other)
