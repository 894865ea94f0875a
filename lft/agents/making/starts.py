"""Start states that may become tasks: the base one, other seeds, skipped opening frames, and decision points that are
reached by replayed decisions.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

from lft.agents.environments.base import Environment, EnvironmentSpec
from lft.agents.making.recipes import Recipe
from lft.agents.play import begin, decide, hash_of
from lft.agents.tasks import Demonstration, Runs, rolled

_REPLAY_SEEDS = 500  # seeds of replayed starts begin here, those of demonstrations at 1000
_DEMONSTRATION_SEEDS = 1000
_TRAP = 8  # decisions for which an action is repeated to see whether it ends the game


@dataclass(frozen=True)
class Start:
    """A start state, before it is a task. `why` says what it is worth testing for."""

    kind: str
    seed: int
    skipped_frames: int = 0
    preloaded: Runs = ()
    why: str = ""

    def as_demonstration(self, spec: EnvironmentSpec) -> Demonstration:
        """As what `begin` takes."""
        return Demonstration(
            f"{spec.name}/start", spec.name, self.seed, self.skipped_frames, self.preloaded, (), "", {}, 2
        )


def seeds(recipe: Recipe) -> Iterator[Start]:
    """Other seeds than the base task's, in turn."""
    for seed in range(recipe.base_seed + 1, recipe.base_seed + 200):
        yield Start("seed", seed, why="another seed")


def skips(spec: EnvironmentSpec, recipe: Recipe) -> Iterator[Start]:
    """The opening without the first decisions, spent waiting: 1, 2, 3, ... of them."""
    if spec.noop is None:
        return
    for decisions in range(1, 60):
        yield Start("skip", recipe.base_seed, decisions * spec.frame_skip, why="opening frames skipped")


def replays(environment: Environment, spec: EnvironmentSpec, recipe: Recipe) -> Iterator[Start]:
    """Decision points of plays with mistakes, the one of each play at which most is decided."""
    for number in range(80):
        seed = recipe.base_seed if recipe.fixed else _REPLAY_SEEDS + number
        found = _decision_points(environment, spec, recipe, seed, random.Random(f"{spec.name} {number}"))
        if found:
            interest, start = max(found, key=lambda one: one[0])
            if interest >= 0.5:
                yield start


def demonstrated(environment: Environment, spec: EnvironmentSpec, recipe: Recipe) -> Iterator[Start]:
    """Start states of demonstrations: seeds that no task has, or, where seeds change nothing, what play leads to."""
    for number in range(200):
        if not recipe.fixed:
            yield Start("seed", _DEMONSTRATION_SEEDS + number)
            continue
        chance = random.Random(f"{spec.name} shown {number}")
        begin(environment, spec, Start("base", recipe.base_seed).as_demonstration(spec))
        done = _played(environment, spec, chance, chance.randint(*recipe.replayed), recipe.mistakes)
        if not environment.end:
            yield Start("replay", recipe.base_seed, 0, rolled(done))


def _played(
    environment: Environment, spec: EnvironmentSpec, chance: random.Random, decisions: int, mistakes: float
) -> list[str]:
    done: list[str] = []
    while len(done) < decisions and not environment.end:
        wrong = chance.random() < mistakes
        done.append(chance.choice(spec.actions) if wrong else environment.expert())
        decide(environment, spec, done[-1])
    return done


def _decision_points(
    environment: Environment, spec: EnvironmentSpec, recipe: Recipe, seed: int, chance: random.Random
) -> list[tuple[float, Start]]:
    """(how much is decided, start state) along a play in which some decisions are random."""
    begin(environment, spec, Start("base", seed).as_demonstration(spec))
    least, most = recipe.replayed
    at = sorted(chance.sample(range(least, most + 1), min(4, most + 1 - least)))
    done: list[str] = []
    found = []
    for decisions in at:
        done += _played(environment, spec, chance, decisions - len(done), recipe.mistakes)
        if environment.end:
            break
        interest, why = _interest(environment, spec, done[-1])
        found.append((interest, Start("replay", seed, 0, rolled(done), why)))
    return found


def _interest(environment: Environment, spec: EnvironmentSpec, last: str) -> tuple[float, str]:
    """How much is decided here, and what: actions that end the game badly, or a turn of the expert's."""
    expert, here = environment.expert(), environment.snapshot()
    traps, still = [], []
    before = hash_of(environment.picture())
    for action in spec.actions:
        for number in range(_TRAP):
            decide(environment, spec, action)
            if number == 0 and hash_of(environment.picture()) == before:
                still.append(action)
            if environment.end == "terminated":
                traps.append(action)
                break
        environment.restore(here)
    if traps and set(traps) != set(spec.actions):
        return 1 + len(traps) / len(spec.actions), f"trap: {_listed(traps)}, repeated, ends the game"
    if expert != last:
        return 1.0, f"decision point: {expert} after {last}"
    if still:
        return 0.5, f"{_listed(still)} would change nothing"
    return 0.0, ""


def _listed(actions: list[str]) -> str:
    return actions[0] if len(actions) == 1 else f"{', '.join(actions[:-1])} or {actions[-1]}"
