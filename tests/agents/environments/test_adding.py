"""The page about adding an environment: its example keeps the contract, its recipe is one of the package."""

from __future__ import annotations

import re
import sys
import types
from pathlib import Path
from typing import Any

import pytest

from lft.agents.environments.base import EnvironmentSpec
from lft.agents.making import recipes
from tests.agents.environments import test_contract as contract

PAGE = Path(__file__).parents[3] / "docs" / "adding-an-environment.md"


@pytest.fixture
def strip(monkeypatch: pytest.MonkeyPatch) -> tuple[EnvironmentSpec, Any]:
    [code] = re.findall(
        r"```python title=\"[^\"]*strip.py\"\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.S
    )
    module = types.ModuleType("lft.agents.environments.strip")
    exec(compile(code, "strip.py", "exec"), module.__dict__)
    monkeypatch.setitem(sys.modules, module.__name__, module)
    return module.STRIP, module.Strip(module.STRIP)


def test_the_example_keeps_the_contract(strip: tuple[EnvironmentSpec, Any]) -> None:
    spec, game = strip
    game.reset(0)
    contract.test_goes_the_same_way_twice_and_after_another_seed(spec, game)
    contract.test_instances_leave_each_other_alone(spec, game)
    contract.test_a_snapshot_brings_everything_back(spec, game)
    contract.test_looking_changes_nothing(spec, game)
    contract.test_the_expert_takes_a_legal_action_and_leaves_the_state_alone(spec, game)
    contract.test_state_is_small_data_and_words_are_sentences(spec, game)
    game.reset(0)
    contract.test_the_picture_is_a_copy_and_shows_something(game)
    contract.test_nothing_happens_after_the_end(spec, game)


def test_the_recipe_is_the_package_s() -> None:
    [(name, entry)] = re.findall(r'^"(\w+)": (Recipe\(.*\)),$', PAGE.read_text(encoding="utf-8"), re.M)
    assert eval(entry, vars(recipes)) == recipes.RECIPES[name]
