"""Whether a task is fit: each criterion, on tasks of Cliff Walking whose numbers can be worked out by hand."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from lft.agents.checks import check, differences
from lft.agents.environments import registry
from lft.agents.environments.toy_text import CLIFF_WALKING
from lft.agents.play import hash_of
from lft.agents.scoring import Goal, Milestones, Survival
from lft.agents.tasks import Task
from tests.agents.live import live

ALONG = (("UP", 1), ("RIGHT", 11), ("DOWN", 1))  # the shortest way past the cliff


@pytest.fixture
def game() -> Iterator[Any]:
    made = live("cliff_walking")
    yield made
    made.close()


def _task(game: Any, **changes: Any) -> Task:
    game.reset(0)
    task = Task(
        "cliff_walking/one", "cliff_walking", "base", 0, 0, (), 30, Goal("reached", 1.0),
        Milestones((("reached", 1.0, 100.0),)), ("cliff_walking/a",), hash_of(game.picture()), ALONG, 100.0, 0.0,
    )  # fmt: skip
    return replace(task, **changes)


def test_a_fit_task(game: Any) -> None:
    found = check(_task(game), CLIFF_WALKING, game)
    assert found.faults == ()
    assert found.expert_score == 100.0
    # 13 steps: what is scored, reaching the goal, is decided by the last one. (Falling ends nothing.)
    assert found.consequence == 13
    assert found.moves is None, "no action waits"
    assert found.dynamics is None
    assert [action for _, action in found.choices] == ["UP", *["RIGHT"] * 11, "DOWN"]
    assert len({picture for picture, _ in found.choices}) == 13


def test_another_start_picture(game: Any) -> None:
    found = check(_task(game, start_hash="0" * 64), CLIFF_WALKING, game)
    assert [fault.partition(";")[0] for fault in found.faults] == ["its start picture is not the row's"]


def test_an_expert_that_does_not_pass(game: Any) -> None:
    found = check(_task(game, expert=(("UP", 1), ("RIGHT", 11))), CLIFF_WALKING, game)
    assert "its expert does not pass within 30 decisions" in found.faults
    assert any(fault.startswith("random play has") for fault in found.faults)


def test_an_expert_that_needs_more_decisions_than_there_are(game: Any) -> None:
    found = check(_task(game, decisions=12), CLIFF_WALKING, game)
    assert "its expert does not pass within 12 decisions" in found.faults


def test_a_task_that_random_play_solves(game: Any) -> None:
    # Whoever survives 30 decisions has 100 points, and nothing in Cliff Walking ends a game but the goal.
    found = check(_task(game, score=Survival()), CLIFF_WALKING, game)
    assert found.random_score == 100.0
    assert [
        fault for fault in found.faults if fault.startswith("random play has 100.0 points, the expert 100.0")
    ]


def test_nothing_is_decided_in_time(game: Any) -> None:
    # Up and down the first column for 60 decisions, then the way to the goal.
    late = (*((("UP", 1), ("DOWN", 1)) * 30), *ALONG)
    found = check(_task(game, decisions=100, expert=late), CLIFF_WALKING, game)
    assert "nothing is decided within 50 decisions" in found.faults


def test_more_decisions_than_may_be(game: Any) -> None:
    found = check(_task(game, decisions=101), CLIFF_WALKING, game)
    assert "101 decisions are more than 100" in found.faults


def test_attributes_that_are_not_those_declared(game: Any) -> None:
    one = check(_task(game), CLIFF_WALKING, game)
    assert differences(CLIFF_WALKING, [one]) == []
    assert differences(replace(CLIFF_WALKING, memory="several"), [one]) == [
        "declared to need several pictures; 0 equal pictures came with different actions of the expert's"
    ]
    turned = replace(one, choices=tuple((picture, "LEFT") for picture, _ in one.choices))
    assert len(differences(CLIFF_WALKING, [one, turned])) == 1
    moving = replace(one, moves=1.0)
    assert differences(CLIFF_WALKING, [moving]) == ["declared static; measured dynamic in 1 of 1 tasks"]


def test_what_waits_and_moves_is_seen_to_move() -> None:
    spec = registry.get("mountain_car")
    game = registry.make(spec)
    game.reset(0)
    task = Task(
        "mountain_car/one", "mountain_car", "base", 0, 0, (), 60, Goal("reached", 1.0),
        Milestones((("reached", 1.0, 100.0),)), ("mountain_car/a",), hash_of(game.picture()),
        (("RIGHT", 5), ("LEFT", 9)), 0.0, 0.0,
    )  # fmt: skip
    assert check(task, spec, game).dynamics == "dynamic"
    game.close()
