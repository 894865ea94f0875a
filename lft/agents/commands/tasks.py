"""`lft tasks`: the tasks of the suite, and whether they are fit."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from lft.agents.commands.choice import of_environments
from lft.core.errors import RunIncomplete

if TYPE_CHECKING:
    from lft.agents.checks import Checked
    from lft.agents.tasks import Task


@click.command()
@click.option(
    "--env", "environments", multiple=True, metavar="E", help="Of this environment only; may be repeated."
)
@click.option(
    "--check", is_flag=True, help="Play every task: same start, expert, random play, consequence, attributes."
)
@click.option("--jobs", type=click.IntRange(1, 256), help="Processes for --check; the cores of this machine.")
@click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout.")
def tasks(environments: tuple[str, ...], check: bool, jobs: int | None, as_json: bool) -> None:
    """The tasks: start states of environments, with what passes and how it is scored.

    With --check each is played: it must start on the same picture twice, and on the one in its row, which another
    process made; the expert must pass it, by 30 points more than random play from 20 seeds; something must be decided
    within 50 decisions; no more than 100 decisions. Declared attributes that are not those measured are printed. Exit
    status 1 if a task is not fit.
    """
    from lft.agents import tasks as rows

    chosen = of_environments(rows.tasks().values(), environments)
    checked = _checked(chosen, jobs) if check else {}
    differ = _differences(chosen, checked) if check else {}
    faulty = sum(bool(one.faults) for one in checked.values())
    if as_json:
        told: dict[str, object] = {"tasks": [{**t.to_json(), **_found(checked.get(t.id))} for t in chosen]}
        click.echo(json.dumps({**told, "faulty": faulty, "differences": differ} if check else told))
    else:
        click.echo(_each(chosen) if environments else _summary(chosen))
        for one in checked.values():
            for fault in one.faults:
                click.echo(f"{one.task}: {fault}")
        for name, words in differ.items():
            for line in words:
                click.echo(f"{name}: {line}")
        if check:
            click.echo(f"{len(checked)} tasks checked, {faulty} not fit")
    if faulty:
        raise RunIncomplete(f"{faulty} tasks are not fit")


def check_one(task: Task) -> Checked:
    """Checks a task in a fresh environment."""
    from lft.agents.checks import check
    from lft.agents.environments import registry

    spec = registry.get(task.environment)
    environment = registry.make(spec)
    try:
        return check(task, spec, environment)
    finally:
        environment.close()


def _checker() -> Any:
    return check_one


def _checked(chosen: Sequence[Task], jobs: int | None) -> dict[str, Checked]:
    from lft.core.progress import Progress
    from lft.core.workers import cores, over_processes

    found: dict[str, Checked] = {}
    with Progress("checking", total=len(chosen)) as progress:
        for one in over_processes([[task] for task in chosen], _checker, jobs or cores()):
            found[one.task] = one
            progress.advance(note=f"{sum(bool(c.faults) for c in found.values())} not fit")
    return {task.id: found[task.id] for task in chosen}


def _differences(chosen: Sequence[Task], checked: Mapping[str, Checked]) -> dict[str, list[str]]:
    from lft.agents.checks import differences
    from lft.agents.environments import registry

    found: dict[str, list[str]] = {}
    for name in dict.fromkeys(task.environment for task in chosen):
        words = differences(registry.get(name), [checked[t.id] for t in chosen if t.environment == name])
        if words:
            found[name] = words
    return found


def _found(checked: Checked | None) -> dict[str, object]:
    if checked is None:
        return {}
    return {
        "checked": {
            "faults": list(checked.faults),
            "start_hash": checked.start_hash,
            "expert_score": checked.expert_score,
            "random_score": checked.random_score,
            "consequence": checked.consequence,
            "dynamics": checked.dynamics,
        }
    }


def _summary(chosen: Sequence[Task]) -> str:
    from lft.agents.environments import registry
    from lft.agents.tasks import KINDS
    from lft.core.terminal import table

    lines = []
    for name in dict.fromkeys(task.environment for task in chosen):
        own, spec = [task for task in chosen if task.environment == name], registry.get(name)
        kinds = Counter(task.kind for task in own)
        lines.append([
            name, str(len(own)), *(str(kinds[kind]) for kind in KINDS), str(len({c for t in own for c in t.clips})),
            str(spec.decisions), spec.memory, spec.dynamics, _mean(t.expert_score for t in own),
            _mean(t.random_score for t in own),
        ])  # fmt: skip
    total = Counter(task.kind for task in chosen)
    clips = len({clip for task in chosen for clip in task.clips})
    lines.append(["all", str(len(chosen)), *(str(total[k]) for k in KINDS), str(clips), "", "", "", "", ""])
    head = ["environment", "tasks", *KINDS, "clips", "decisions", "memory", "dynamics", "expert", "random"]
    return table(head, lines)


def _each(chosen: Sequence[Task]) -> str:
    from lft.core.terminal import printable, table

    lines = [
        [t.id, str(t.decisions), str(len(t.clips)), f"{t.expert_score:.1f}", f"{t.random_score:.1f}"]
        for t in chosen
    ]
    why = "\n".join(f"{t.id}: {printable(t.why)}" for t in chosen)
    return f"{table(['task', 'decisions', 'clips', 'expert', 'random'], lines)}\n\n{why}"


def _mean(values: Iterable[float]) -> str:
    every = list(values)
    return f"{sum(every) / len(every):.1f}"
