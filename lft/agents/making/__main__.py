"""python -m lft.agents.making ENVIRONMENT...: finds tasks and demonstrations anew and writes their rows."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from lft.agents.environments import registry
from lft.agents.making import find
from lft.agents.making.recipes import RECIPES
from lft.agents.tasks import Demonstration, Task, data_folder
from lft.core.files import read_json_lines, write_text


def make(name: str) -> tuple[list[Task], list[Demonstration]]:
    """The tasks and demonstrations of an environment."""
    spec, recipe = registry.get(name), RECIPES[name]
    environment = registry.make(spec)
    try:
        shown = find.demonstrations(environment, spec, recipe)
        found = []
        for task in find.tasks(environment, spec, recipe, shown):
            lead = f"expert {task.expert_score:.1f}, random {task.random_score:.1f}"
            print(f"{task.id}: {lead}; {task.why}", file=sys.stderr, flush=True)
            found.append(task)
    finally:
        environment.close()
    return found, [one for one, _ in shown]


def write(path: Path, name: str, rows: Iterable[Any]) -> None:
    """Puts the rows of an environment in a file, in place of those it has; environments in the registry's order."""
    kept = [row for row in read_json_lines(path) if row["environment"] != name] if path.exists() else []
    order = {known: number for number, known in enumerate(registry.available())}
    every = sorted(
        [*kept, *(row.to_json() for row in rows)], key=lambda row: order.get(row["environment"], len(order))
    )
    write_text(path, "".join(json.dumps(row) + "\n" for row in every))


def main(names: list[str]) -> None:
    folder = data_folder()
    folder.mkdir(exist_ok=True)
    for name in names or list(RECIPES):
        found, shown = make(name)
        write(folder / "demonstrations.jsonl", name, shown)
        write(folder / "tasks.jsonl", name, found)


if __name__ == "__main__":
    main(sys.argv[1:])
