"""The tasks and demonstrations that come with the package."""

from __future__ import annotations

from collections import Counter, defaultdict

import pytest

from lft.agents.environments import registry
from lft.agents.play import begin, decide, hash_of
from lft.agents.tasks import Demonstration, demonstrations, tasks, unrolled
from tests.agents.live import live

TASKS, DEMONSTRATIONS = tasks(), demonstrations()
ENVIRONMENTS = sorted({task.environment for task in TASKS.values()})


def test_every_environment_has_its_share() -> None:
    assert set(registry.available()) == set(ENVIRONMENTS)
    assert (len(ENVIRONMENTS), len(TASKS) >= 342, len(DEMONSTRATIONS) >= 148) == (37, True, True)
    for name in ENVIRONMENTS:
        own = [task for task in TASKS.values() if task.environment == name]
        kinds = Counter(task.kind for task in own)
        assert kinds["base"] == 1
        assert len(own) >= 9
        assert kinds["replay"] >= 4
        assert len({clip for task in own for clip in task.clips}) >= 4, "every demonstration is of use"


def test_actions_measures_and_seeds_are_the_environments() -> None:
    for row in (*TASKS.values(), *DEMONSTRATIONS.values()):
        spec = registry.get(row.environment)
        runs = (*row.preloaded, *(row.actions if isinstance(row, Demonstration) else row.expert))
        assert {action for action, _ in runs} <= set(spec.actions)
        assert row.skipped_frames == 0 or spec.noop
        if isinstance(row, Demonstration):
            assert row.claims.keys() == spec.measures.keys()
        else:
            assert row.goal.measure in spec.measures
            assert row.decisions == spec.decisions


def test_kinds_are_what_they_say() -> None:
    for task in TASKS.values():
        assert bool(task.preloaded) == (task.kind == "replay")
        assert bool(task.skipped_frames) == (task.kind == "skip")


def test_start_states_differ() -> None:
    for name in ENVIRONMENTS:
        starts = [task.start_hash for task in TASKS.values() if task.environment == name]
        assert len(set(starts)) == len(starts)


def test_the_expert_leads_random_play() -> None:
    for task in TASKS.values():
        assert task.expert_score >= 95
        assert task.expert_score - task.random_score >= 30


def test_demonstrations_of_a_task_have_10_to_80_pictures() -> None:
    for task in TASKS.values():
        assert len(set(task.clips)) == len(task.clips)
        assert all(DEMONSTRATIONS[clip].environment == task.environment for clip in task.clips)
        assert 10 <= sum(DEMONSTRATIONS[clip].frames for clip in task.clips) <= 80


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_demonstrations_come_to_what_they_claim_and_show_no_start_of_their_tasks(name: str) -> None:
    spec = registry.get(name)
    game = live(spec)
    shown: dict[str, set[str]] = defaultdict(set)
    for one in (d for d in DEMONSTRATIONS.values() if d.environment == name):
        begin(game, spec, one)
        shown[one.id].add(hash_of(game.picture()))
        for action in unrolled(one.actions):
            assert not game.end, "a decision after the end"
            decide(game, spec, action)
            shown[one.id].add(hash_of(game.picture()))
        assert dict(game.measures) == dict(one.claims)
        ends = {"victory": "Victory", "terminated": "Terminated", "draw": "Draw", None: "Time Out"}
        assert ends[game.end] == one.end
    game.close()
    for task in (t for t in TASKS.values() if t.environment == name):
        assert not any(task.start_hash in shown[clip] for clip in task.clips)
