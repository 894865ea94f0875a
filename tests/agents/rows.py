"""Rows of tasks and demonstrations for tests, made from an environment by its own expert."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from lft.agents import tasks
from lft.agents.environments import registry
from lft.agents.play import begin, decide, hash_of
from lft.agents.scoring import Goal, Reference, Score
from lft.agents.tasks import Demonstration, Runs, Task, rolled


def made(
    environment: str,
    seeds: Sequence[int],
    *,
    preloaded: Runs = (),
    decisions: int = 40,
    goal: Goal | None = None,
    score: Score | None = None,
) -> tuple[list[Task], list[Demonstration]]:
    """A task for each seed but the last, of which a demonstration is made."""
    spec = registry.get(environment)
    live = registry.make(spec)
    found = []
    for number, seed in enumerate(seeds):
        task = Task(
            f"{environment}/{'seed' if number else 'base'}{number or ''}", environment, "seed" if number else "base",
            seed, 0, preloaded, decisions, goal or Goal("reached", 1), score or Reference("reached", 1.0),
            (f"{environment}/a",), "00", (), 100.0, 0.0,
        )  # fmt: skip
        begin(live, spec, task)
        start_hash, actions = hash_of(live.picture()), []
        while live.end is None and len(actions) < decisions:
            actions.append(live.expert())
            decide(live, spec, actions[-1])
        found.append(replace(task, start_hash=start_hash, expert=rolled(actions)))
    live.close()
    shown = found.pop()
    end = "Victory" if live.end == "victory" else "Time Out"
    clip = Demonstration(
        f"{environment}/a", environment, shown.seed, 0, preloaded, shown.expert, end, {},
        len(actions) + 2,
    )  # fmt: skip
    return found, [clip]


@contextmanager
def known(folder: Path, several: Sequence[tuple[Sequence[Task], Sequence[Demonstration]]]) -> Iterator[None]:
    """These rows are the suite's, for a time."""
    for name, rows in (
        ("tasks", [task for found, _ in several for task in found]),
        ("demonstrations", [clip for _, found in several for clip in found]),
    ):
        lines = "".join(json.dumps(row.to_json()) + "\n" for row in rows)
        (folder / f"{name}.jsonl").write_text(lines)
    before = tasks.data_folder
    tasks.data_folder = lambda: folder
    _forget()
    try:
        yield
    finally:
        tasks.data_folder = before
        _forget()


def _forget() -> None:
    tasks.tasks.cache_clear()
    tasks.demonstrations.cache_clear()


def document(text: str) -> Mapping[str, Any]:
    found: Mapping[str, Any] = json.loads(text)
    return found
