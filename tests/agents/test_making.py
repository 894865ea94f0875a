"""Finding tasks and demonstrations: what comes out is fit, and the same each time."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from lft.agents.environments import registry
from lft.agents.making import find
from lft.agents.making.__main__ import write
from lft.agents.making.recipes import RECIPES
from lft.agents.rollout import Rollout
from lft.agents.scoring import Goal, Reference
from lft.agents.tasks import Demonstration, Task
from lft.core.errors import InputError
from tests.agents.live import live


def _found(name: str, **changes: object) -> tuple[list[Task], list[Demonstration]]:
    spec, recipe = registry.get(name), replace(RECIPES[name], **changes)  # type: ignore[arg-type]
    game = live(spec)
    shown = find.demonstrations(game, spec, recipe)
    found = list(find.tasks(game, spec, recipe, shown))
    game.close()
    return found, [one for one, _ in shown]


def test_the_rows_of_the_package_are_found_again() -> None:
    from lft.agents import tasks

    found, shown = _found("lava_crossing")
    assert found == [task for task in tasks.tasks().values() if task.environment == "lava_crossing"]
    assert shown == [one for one in tasks.demonstrations().values() if one.environment == "lava_crossing"]


def test_too_few_start_states_is_said() -> None:
    with pytest.raises(InputError, match="lava_crossing: 0 of 1 tasks of the kind skip were found"):
        _found("lava_crossing", seeds=0, skips=1, replays=0)  # no action waits


def test_a_goal_is_a_share_of_what_the_expert_gains() -> None:
    # From 2 to 12 overtaken cars: 60 % of 10 is 6, so 8 pass; the reference is 10.
    measures = ({"overtaken": 2.0, "crashed": 0.0}, {"overtaken": 12.0, "crashed": 0.0})
    rollout = Rollout(("FASTER",), measures, (), "timeout")
    assert RECIPES["highway"].goal_of(rollout) == Goal("overtaken", 8.0)
    assert RECIPES["highway"].score_of(rollout) == Reference("overtaken", 10.0)
    with pytest.raises(ValueError, match="gains no overtaken"):
        RECIPES["highway"].score_of(Rollout(("IDLE",), measures[:1] * 2, (), "timeout"))


def test_rows_take_the_place_of_those_of_their_environment(tmp_path: Path) -> None:
    path = tmp_path / "demonstrations.jsonl"
    one = Demonstration("taxi/a", "taxi", 0, 0, (), (("UP", 8),), "Time Out", {}, 10)
    other = replace(one, id="cliff_walking/a", environment="cliff_walking")
    write(path, "taxi", [one, replace(one, id="taxi/b")])
    write(path, "cliff_walking", [other])
    write(path, "taxi", [one])
    assert [json.loads(line)["id"] for line in path.read_text().splitlines()] == ["cliff_walking/a", "taxi/a"]
