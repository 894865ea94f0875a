"""Finding tasks along lines of play."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from lft.agents.making import searched
from lft.agents.rollout import repeating, roll
from lft.agents.tasks import unrolled
from tests.agents.live import live


@pytest.fixture
def maze() -> Iterator[Any]:
    game = live("maze")
    yield game
    game.close()


def test_a_line_is_found_again_and_reaches_what_is_to_be_reached(maze: Any) -> None:
    found = searched.line(maze, maze.spec, 1, 0, 0, maze.spec.decisions, "seed")
    assert found is not None
    assert found.over
    assert searched.line(maze, maze.spec, 1, 0, 0, maze.spec.decisions, "seed") == found


def test_a_line_that_is_too_short_to_reach_it_is_none(maze: Any) -> None:
    whole = searched.line(maze, maze.spec, 1, 0, 0, maze.spec.decisions, "seed")
    assert whole is not None
    assert searched.line(maze, maze.spec, 1, 0, 0, len(whole.actions) - 1, "seed") is None


def test_tasks_from_a_line_start_on_it_and_pass(maze: Any) -> None:
    shown = searched.demonstrations(maze, maze.spec)
    assert [row.end for row, _ in shown] == ["Victory"] * 4
    kinds = []
    for task in searched.tasks(maze, maze.spec, shown):
        kinds.append(task.kind)
        played = roll(maze, maze.spec, task, repeating(unrolled(task.expert)), task.decisions, look=True)
        assert played.end == "victory"
        assert played.pictures[0] == task.start_hash
        assert not any(task.start_hash in pictures for row, pictures in shown if row.id in task.clips)
        if len(kinds) == 3:
            break
    assert kinds == ["base", "replay", "replay"]
