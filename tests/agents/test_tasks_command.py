"""`lft tasks`: what is listed, what --check finds, exit statuses."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from click.testing import CliRunner

from lft.agents import tasks as rows
from lft.agents.commands.tasks import tasks
from lft.core.errors import InputError, RunIncomplete


def test_the_list_is_the_rows() -> None:
    done = CliRunner().invoke(tasks, ["--env", "taxi", "--json"])
    assert done.exit_code == 0
    assert json.loads(done.stdout) == {
        "tasks": [
            json.loads(json.dumps(t.to_json())) for t in rows.tasks().values() if t.environment == "taxi"
        ]
    }


def test_a_table_by_environment_and_one_by_task() -> None:
    summary = CliRunner().invoke(tasks, [], env={"COLUMNS": "200"}).stdout
    assert summary.splitlines()[0].split() == [
        "environment", "tasks", "base", "seed", "skip", "replay", "clips", "decisions", "memory", "dynamics", "expert",
        "random",
    ]  # fmt: skip
    assert summary.splitlines()[-1].split()[1] == str(len(rows.tasks()))
    each = CliRunner().invoke(tasks, ["--env", "taxi"]).stdout
    assert "taxi/base" in each
    assert "another seed" in each


def test_an_unknown_environment_is_refused() -> None:
    done = CliRunner().invoke(tasks, ["--env", "taxy"])
    assert isinstance(done.exception, InputError)


def test_check_says_which_tasks_are_not_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("gymnasium")
    own = {one.id: one for one in rows.tasks().values() if one.environment == "taxi"}
    faulty = replace(own["taxi/base"], expert=(("UP", 1),))
    monkeypatch.setattr(rows, "tasks", lambda: {**own, "taxi/base": faulty})
    done = CliRunner().invoke(tasks, ["--env", "taxi", "--check", "--jobs", "1", "--json"])
    assert isinstance(done.exception, RunIncomplete)
    told = json.loads(done.stdout)
    assert told["faulty"] == 1
    found = {row["id"]: row["checked"] for row in told["tasks"]}
    assert "its expert does not pass within 40 decisions" in found["taxi/base"]["faults"]
    assert all(one["faults"] == [] for name, one in found.items() if name != "taxi/base")
    # What is measured here is what the row says: random play from 20 seeds is the same anywhere.
    measured = {name: round(one["random_score"], 2) for name, one in found.items()}
    assert measured == {name: one.random_score for name, one in own.items()}
    assert told["differences"] == {}
