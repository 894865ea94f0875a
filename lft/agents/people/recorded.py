"""Demonstrations from what a person played: rows as in demonstrations.jsonl."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from lft.agents.scores import task_of
from lft.agents.tasks import Demonstration, read_demonstration
from lft.core.errors import InputError
from lft.core.files import numbered_json_lines
from lft.core.runs import ANSWERED, Run

ENDS = {"victory": "Victory", "terminated": "Terminated", "draw": "Draw", "timeout": "Time Out"}


def demonstrations_of(run: Run, who: str, before: Iterable[Demonstration]) -> list[Demonstration]:
    """What was played to an end in a run, as demonstrations; what is among `before` already is left out."""
    known = list(before)
    found: list[Demonstration] = []
    for episode in run.episodes().values():
        end = ENDS.get(str(episode.end))
        actions = tuple((str(action), int(times)) for action, times in episode.kept.get("actions") or ())
        if episode.status != ANSWERED or end is None or not actions:
            continue
        task = task_of(run, episode.key["task"])
        start = task.environment, task.seed, task.skipped_frames, task.preloaded
        taken = [*known, *found]
        if any(
            (o.environment, o.seed, o.skipped_frames, o.preloaded, o.actions) == (*start, actions)
            for o in taken
        ):
            continue
        ids = {one.id for one in taken}
        name = next(n for k in range(1, 10**6) if (n := f"{task.environment}/{who}{k}") not in ids)
        frames = sum(times for _, times in actions) + 2
        found.append(Demonstration(name, *start, actions, end, dict(episode.kept["last"]), frames))
    return found


def append(path: Path, run: Run, who: str) -> int:
    """Adds the demonstrations of a run to a file of rows; how many there were."""
    before = []
    if path.exists():
        for number, row in numbered_json_lines(path):
            before.append(read_demonstration(row, where=f"{path}:{number}"))
    found = demonstrations_of(run, who, before)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with open(path, "a", encoding="utf-8") as file:
            file.writelines(json.dumps(one.to_json()) + "\n" for one in found)
    except OSError as error:
        raise InputError.of_system(error) from error
    return len(found)
