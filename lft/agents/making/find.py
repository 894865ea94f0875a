"""Finds the tasks and demonstrations of an environment: start states in turn, those that pass every check are kept."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations, cycle, islice

from lft.agents.checks import check
from lft.agents.environments.base import Environment, EnvironmentSpec
from lft.agents.making.recipes import Recipe
from lft.agents.making.starts import Start, demonstrated, replays, seeds, skips
from lft.agents.rollout import expert, repeating, roll
from lft.agents.tasks import Demonstration, Task, rolled
from lft.core.errors import InputError

FEWEST_FRAMES, MOST_FRAMES = 10, 80  # of all demonstrations of a task
LEAST_EXPERT = 95.0  # points
_ENDS = {"victory": "Victory", "terminated": "Terminated", "draw": "Draw", "timeout": "Time Out"}


def demonstrations(
    environment: Environment, spec: EnvironmentSpec, recipe: Recipe
) -> list[tuple[Demonstration, frozenset[str]]]:
    """One demonstration for each length of `Recipe.shown`, with the hashes of its pictures.

    Raises `InputError` if the expert's play gives fewer.
    """
    found: list[tuple[Demonstration, frozenset[str]]] = []
    starts = demonstrated(environment, spec, recipe)
    for letter, shown in zip("abcdefgh", recipe.shown, strict=False):
        for start in starts:
            one = _demonstration(environment, spec, recipe, start, f"{spec.name}/{letter}", shown)
            if one:
                found.append(one)
                break
        else:
            raise InputError(f"{spec.name}: no demonstration of up to {shown} decisions was found")
    return found


def tasks(
    environment: Environment,
    spec: EnvironmentSpec,
    recipe: Recipe,
    shown: Sequence[tuple[Demonstration, frozenset[str]]],
) -> Iterator[Task]:
    """The tasks that a recipe asks for; raises `InputError` if too few start states are fit."""
    kinds = [
        ("base", 1, iter([Start("base", recipe.base_seed)])),
        ("seed", recipe.seeds, seeds(recipe)),
        ("skip", recipe.skips, skips(spec, recipe)),
        ("replay", recipe.replays, replays(environment, spec, recipe)),
    ]
    clips = cycle(recipe.clips)
    met: set[str] = set()
    turn = 0
    for kind, wanted, starts in kinds:
        got = 0
        while got < wanted:
            how_many = next(clips)
            for start in starts:
                name = f"{spec.name}/{kind}" if kind == "base" else f"{spec.name}/{kind}-{got + 1}"
                task = _task(environment, spec, recipe, start, name, _chosen(shown, how_many, turn), met)
                if task:
                    break
            else:
                raise InputError(f"{spec.name}: {got} of {wanted} tasks of the kind {kind} were found")
            met.add(task.start_hash)
            got += 1
            turn += 1
            yield task


def _demonstration(
    environment: Environment, spec: EnvironmentSpec, recipe: Recipe, start: Start, name: str, shown: int
) -> tuple[Demonstration, frozenset[str]] | None:
    """What the expert does from a start state; its last part, where it is longer than what may be shown and ends."""
    whole = roll(environment, spec, start.as_demonstration(spec), expert, spec.decisions)
    before = max(len(whole.actions) - shown, 0) if whole.end != "timeout" else 0
    done = [action for action, times in start.preloaded for _ in range(times)]
    first = replace(start, preloaded=rolled([*done, *whole.actions[:before]])).as_demonstration(spec)
    actions = whole.actions[before : before + shown]
    if len(actions) + 2 < FEWEST_FRAMES:
        return None
    part = roll(environment, spec, first, repeating(actions), len(actions), look=True)
    measure = recipe.goal[0]
    if part.end == "terminated" or part.measures[-1][measure] <= part.measures[0][measure]:
        return None
    one = replace(
        first,
        id=name,
        actions=rolled(actions),
        end=_ENDS[part.end],
        claims=dict(part.measures[-1]),
        frames=len(actions) + 2,
    )
    return one, frozenset(part.pictures)


def _chosen(
    shown: Sequence[tuple[Demonstration, frozenset[str]]], how_many: int, turn: int
) -> list[list[tuple[Demonstration, frozenset[str]]]]:
    """Choices of so many demonstrations, those whose turn it is first, that have 10 to 80 pictures in all."""
    turned = [*islice(cycle(shown), turn % len(shown), turn % len(shown) + len(shown))]
    choices = [list(one) for one in combinations(turned, how_many)]
    return [one for one in choices if FEWEST_FRAMES <= sum(d.frames for d, _ in one) <= MOST_FRAMES]


def _task(
    environment: Environment,
    spec: EnvironmentSpec,
    recipe: Recipe,
    start: Start,
    name: str,
    choices: Sequence[Sequence[tuple[Demonstration, frozenset[str]]]],
    met: set[str],
) -> Task | None:
    """The task of a start state; None if it is not fit, was had before, or its demonstrations would show it."""
    played = roll(environment, spec, start.as_demonstration(spec), expert, spec.decisions, look=True)
    first = played.pictures[0]
    clips = next((c for c in choices if not any(first in pictures for _, pictures in c)), None)
    if first in met or clips is None or not played.actions:
        return None
    try:
        score = recipe.score_of(played)
    except ValueError:
        return None
    task = Task(
        name, spec.name, start.kind, start.seed, start.skipped_frames, start.preloaded, spec.decisions,
        recipe.goal_of(played), score, tuple(sorted(d.id for d, _ in clips)), first, rolled(played.actions), 0.0, 0.0,
        start.why or spec.why,
    )  # fmt: skip
    found = check(task, spec, environment)
    if found.faults or found.expert_score < LEAST_EXPERT:
        return None
    return replace(task, expert_score=round(found.expert_score, 2), random_score=round(found.random_score, 2))
