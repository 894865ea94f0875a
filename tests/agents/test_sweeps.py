"""The sweeps that come with the suite: their tasks and conditions."""

from __future__ import annotations

import pytest

from lft.agents.ladder import LADDER
from lft.agents.study import AgentsStudy
from lft.agents.tasks import tasks
from lft.core.errors import InputError
from lft.core.sweeps import read_sweep


def study(name: str, **options: object) -> AgentsStudy:
    suite, stem, document, path = read_sweep(name)
    assert suite == "agents"
    return AgentsStudy(stem, document, options, path)


@pytest.mark.parametrize(
    ("name", "conditions"), [("icl", 1), ("icl_ablation", 4), ("icl_demo", 7), ("icl_assistance", 4)]
)
def test_every_task_under_every_condition(name: str, conditions: int) -> None:
    one = study(name)
    assert len(one.conditions) == conditions
    ids = [trial.id for trial in one.trials("m", to_ask=False)]
    assert len(ids) == len(set(ids)) == conditions * len(tasks())


def test_the_ladder_has_the_rungs_that_its_table_reads() -> None:
    rungs = [(one.rules, one.assistance) for one in study("icl_assistance").conditions]
    assert rungs == [rung for rung, _ in LADDER]


def test_the_demo_has_two_tasks_of_at_least_six_environments() -> None:
    chosen = [task.environment for task in study("icl_demo_agents").tasks]
    assert len(set(chosen)) >= 6
    assert all(chosen.count(name) == 2 for name in chosen)


def test_options_of_the_command_line_choose() -> None:
    one = study("icl_ablation", environments=("taxi",), kinds=("base",), rules=("detailed",))
    assert [trial.id for trial in one.trials("m")] == [
        "taxi/base,detailed,none,none,all,frames",
        "taxi/base,detailed,shown,none,all,frames",
    ]
    # What is said of an axis on the command line stands for the list of conditions as a whole.
    assert [one.id for one in study("icl_assistance", assistance=("state",)).conditions] == [
        "basic,shown,state,all,frames"
    ]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"environments": ("txi",)}, "unknown environment 'txi'; expected taxi (did you mean this?)"),
        ({"rules": ("detaild",)}, "unknown rules 'detaild'; expected detailed (did you mean this?)"),
        ({"history": ("last:0",)}, "unknown history 'last:0'"),
        ({"history": ("last:K",)}, "a number for K"),
        ({"tasks": ("taxi/bse",)}, "unknown task 'taxi/bse'"),
    ],
)
def test_what_is_not_there_is_one_line(options: dict[str, tuple[str, ...]], said: str) -> None:
    with pytest.raises(InputError) as refused:
        study("icl", **options).trials("m")
    assert said in str(refused.value)
