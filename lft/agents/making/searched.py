"""Tasks and demonstrations of environments whose experts search (`plan`): Atari and Procgen.

A search is dear, so a *line* of play is found once, half of each plan at a time, and several start states
are taken from it; what the line does from there is what passes. Lines differ in seed, in skipped frames, and in a few
random decisions at their beginning. Demonstrations come from a line of their own.

`python -m lft.agents.making.searched ENVIRONMENT...` writes the rows of some environments anew.
"""

from __future__ import annotations

import itertools
import random
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from lft.agents.checks import check
from lft.agents.environments import registry
from lft.agents.environments.base import Environment, EnvironmentSpec
from lft.agents.making.__main__ import write
from lft.agents.making.recipes import Recipe
from lft.agents.play import begin, decide
from lft.agents.rollout import Rollout, repeating, roll
from lft.agents.scoring import Milestones
from lft.agents.tasks import Demonstration, Task, data_folder, rolled

_ENDS = {"victory": "Victory", "terminated": "Terminated", "draw": "Draw", "timeout": "Time Out"}
_SHOWN = (30, 24, 18, 12)  # decisions of the demonstrations
_CLIPS = (1, 2, 1, 2, 1, 2, 3, 1, 2, 1)  # demonstrations of the tasks in turn
_REACHED = Milestones(
    (("progress", 0.25, 10.0), ("progress", 0.5, 15.0), ("progress", 0.75, 15.0), ("reached", 1.0, 60.0))
)
_SCORE = Recipe(("score", 0.5), "reference")
_REACH = Recipe(("reached", 1.0), _REACHED)
RECIPES = {"maze": _REACH, "heist": _REACH, "leaper": _REACH, "coinrun": _REACH}  # of others: `_SCORE`


@dataclass(frozen=True)
class Line:
    """A play by plans.

    Attributes
    ----------
    seed, skipped_frames : where it begins.
    prefix : random decisions before the plans.
    actions : the decisions of the plans.
    over : whether the environment has ended after them.
    """

    seed: int
    skipped_frames: int
    prefix: tuple[str, ...]
    actions: tuple[str, ...]
    over: bool


def line(
    environment: Environment,
    spec: EnvironmentSpec,
    seed: int,
    skipped_frames: int,
    prefix: int,
    length: int,
    key: str,
) -> Line | None:
    """A line of so many decisions; None if the random ones end the game, or the plans lose it in a third of them."""
    chance = random.Random(f"{spec.name} {key}")
    first = _start(spec, seed, skipped_frames, ())
    begin(environment, spec, first)
    by_chance = tuple(chance.choice(spec.actions) for _ in range(prefix))
    for action in by_chance:
        decide(environment, spec, action)
    actions: list[str] = []
    while len(actions) < length and not environment.end:
        plan, before = environment.plan(), environment.measures  # type: ignore[attr-defined]
        for action in plan if spec.dynamics == "static" else plan[: (len(plan) + 1) // 2]:
            actions.append(action)
            decide(environment, spec, action)
            if environment.end or len(actions) == length:
                break
        if spec.dynamics == "static" and environment.measures == before:
            return None  # the search has found no way
    reaches = RECIPES.get(spec.name, _SCORE).goal[0] == "reached"
    died = environment.end == "terminated" and 3 * len(actions) < length
    if not actions or died or (reaches and environment.end != "victory"):
        return None
    return Line(seed, skipped_frames, by_chance, tuple(actions), environment.end is not None)


def _start(
    spec: EnvironmentSpec, seed: int, skipped_frames: int, preloaded: tuple[str, ...]
) -> Demonstration:
    return Demonstration(
        f"{spec.name}/start", spec.name, seed, skipped_frames, rolled(preloaded), (), "", {}, 3
    )


def demonstrations(environment: Environment, spec: EnvironmentSpec) -> list[tuple[Demonstration, set[str]]]:
    """Four parts of lines that are only shown, with the hashes of their pictures."""
    found: list[tuple[Demonstration, set[str]]] = []
    goal = RECIPES.get(spec.name, _SCORE).goal[0]
    for number in range(40):
        if spec.family == "procgen":
            one = line(environment, spec, 1000 + number, 0, 0, spec.decisions, f"shown {number}")
        else:
            by_chance = 5 + number if number < 6 else 1 + number % 5  # few where many lose the game
            one = line(environment, spec, 0, 0, by_chance, sum(_SHOWN) + 20, f"shown {number}")
        at = 0
        while one is not None and at < len(one.actions):
            shown = _SHOWN[len(found)]
            if one.over and goal == "reached":  # the part that ends with the aim
                at = max(0, len(one.actions) - shown)
            part = _part(environment, spec, one, at, shown, f"{spec.name}/{'abcd'[len(found)]}", goal)
            if part is not None:
                found.append(part)
                if len(found) == len(_SHOWN):
                    return found
            at += shown if goal != "reached" else len(one.actions)
    raise SystemExit(f"{spec.name}: only {len(found)} demonstrations")


def _part(
    environment: Environment, spec: EnvironmentSpec, one: Line, at: int, shown: int, name: str, goal: str
) -> tuple[Demonstration, set[str]] | None:
    actions = one.actions[at : at + shown]
    if len(actions) < 8:
        return None
    start = _start(spec, one.seed, one.skipped_frames, (*one.prefix, *one.actions[:at]))
    played = roll(environment, spec, start, repeating(actions), len(actions), look=True)
    if played.end == "terminated" or played.measures[-1][goal] <= played.measures[0][goal]:
        return None
    row = replace(
        start, id=name, actions=rolled(actions), end=_ENDS[played.end], claims=dict(played.measures[-1]),
        frames=len(actions) + 2,
    )  # fmt: skip
    return row, set(played.pictures)


def candidates(environment: Environment, spec: EnvironmentSpec) -> Iterator[tuple[str, Line, int, str]]:
    """(kind, line, decisions of it that are replayed, why) for every start state that may become a task."""
    most = spec.decisions
    if spec.family == "procgen":
        for seed in range(80):
            found = line(environment, spec, seed, 0, 0, most, "seed")
            if found is not None:
                yield "seed", found, 0, "another level"
                for at in (5, 10):
                    if len(found.actions) > at + 8:
                        yield "replay", found, at, _why(found, at)
        return
    for number in range(20):
        skipped = 0 if number == 0 else (2 * spec.frame_skip + 1) * number
        found = line(environment, spec, 0, skipped, 0, most + (0 if number else 24), "base")
        if found is not None:
            yield "skip", found, 0, "opening frames skipped"
            if number == 0:
                for at in (12, 24):
                    yield "replay", found, at, _why(found, at)
        if number >= 3:
            found = line(environment, spec, 0, 0, 3, most + 16, f"random {number}")
            if found is not None:
                for at in (0, 8, 16):
                    yield "replay", found, at, _why(found, at)


def _why(found: Line, at: int) -> str:
    if at == 0:
        return "three random decisions before"
    before, turn = found.actions[at - 1 : at + 1]
    return (
        f"decision point: {turn} after {before}"
        if turn != before
        else f"in mid-play: the expert goes on with {turn}"
    )


def tasks(
    environment: Environment, spec: EnvironmentSpec, shown: list[tuple[Demonstration, set[str]]]
) -> Iterator[Task]:
    """One base task, others of other starts and of replayed decisions, each checked."""
    wanted = (
        {"base": 1, "seed": 5, "replay": 4}
        if spec.family == "procgen"
        else {"base": 1, "skip": 3, "replay": 5}
    )
    got = dict.fromkeys(wanted, 0)
    turns, met, refused = itertools.count(), set[str](), 0
    for kind, found, at, why in candidates(environment, spec):
        if not got["base"] and kind != "replay" and not found.skipped_frames:
            kind, why = "base", spec.why
        if got[kind] < wanted[kind]:
            number = next(turns)
            name = f"{spec.name}/{kind}" + (f"-{got[kind] + 1}" if kind != "base" else "")
            task = _task(environment, spec, name, kind, found, at, why, shown, number)
            if isinstance(task, str) or task.start_hash in met:
                refused += 1
                print(
                    f"{name}: refused: {task if isinstance(task, str) else 'had before'}",
                    file=sys.stderr,
                    flush=True,
                )
                if refused > 12:
                    break
                continue
            met.add(task.start_hash)
            got[kind] += 1
            yield task
        if got == wanted:
            return
    print(f"{spec.name}: only {got} of {wanted}", file=sys.stderr, flush=True)


def _task(
    environment: Environment,
    spec: EnvironmentSpec,
    name: str,
    kind: str,
    found: Line,
    at: int,
    why: str,
    shown: list[tuple[Demonstration, set[str]]],
    number: int,
) -> Task | str:
    """The task of a start state, or why it is none."""
    recipe = RECIPES.get(spec.name, _SCORE)
    start = _start(spec, found.seed, found.skipped_frames, (*found.prefix, *found.actions[:at]))
    actions = found.actions[at : at + spec.decisions]
    played: Rollout = roll(environment, spec, start, repeating(actions), len(actions), look=True)
    first = played.pictures[0]
    how_many = _CLIPS[number % len(_CLIPS)]
    turned = [shown[(number + i) % len(shown)] for i in range(len(shown))]
    clips = [row.id for row, pictures in turned if first not in pictures][:how_many]
    if len(clips) < how_many:
        return "a demonstration shows its start"
    try:
        score = recipe.score_of(played)
    except ValueError as error:
        return str(error)
    task = Task(
        name, spec.name, kind, start.seed, start.skipped_frames, start.preloaded, spec.decisions,
        recipe.goal_of(played), score, tuple(sorted(clips)), first, rolled(played.actions), 0.0, 0.0, why,
    )  # fmt: skip
    checked = check(task, spec, environment)
    if checked.faults:
        return "; ".join(checked.faults)
    return replace(
        task, expert_score=round(checked.expert_score, 2), random_score=round(checked.random_score, 2)
    )


def main(names: list[str]) -> None:
    """Writes the rows of some environments."""
    folder = data_folder()
    folder.mkdir(exist_ok=True)
    for name in names:
        spec = registry.get(name)
        environment: Any = registry.make(spec)
        shown = demonstrations(environment, spec)
        found = []
        for task in tasks(environment, spec, shown):
            lead = f"expert {task.expert_score:.1f}, random {task.random_score:.1f}, {task.goal}"
            print(f"{task.id}: {lead}; {task.why}", file=sys.stderr, flush=True)
            found.append(task)
        environment.close()
        write(folder / "demonstrations.jsonl", name, [row for row, _ in shown])
        write(folder / "tasks.jsonl", name, found)


if __name__ == "__main__":
    main(sys.argv[1:])
