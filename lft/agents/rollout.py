"""A start state played to an end in one go, and what that was worth."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from lft.agents.environments.base import Environment, EnvironmentSpec
from lft.agents.play import begin, decide, hash_of
from lft.agents.scoring import Goal, Outcome, Score, most_of
from lft.agents.tasks import Demonstration, Task

TIMEOUT = "timeout"  # the end of a rollout whose decisions are used up

Player = Callable[[Environment], str]  # the action that it takes now


@dataclass(frozen=True)
class Rollout:
    """Decisions and what they led to.

    Attributes
    ----------
    actions : one a decision.
    measures : in the start state and after each decision.
    pictures : hashes of the pictures, the start's first; empty if nobody looked.
    end : the environment's own end, or `TIMEOUT`.
    """

    actions: tuple[str, ...]
    measures: tuple[Mapping[str, float], ...]
    pictures: tuple[str, ...]
    end: str

    def outcome(self, decisions: int | None = None) -> Outcome:
        """What it came to, after all or the first decisions (1 or more)."""
        made = len(self.actions) if decisions is None else decisions
        end = self.end if made == len(self.actions) else TIMEOUT
        start, *later = self.measures[: made + 1]
        return Outcome(start, later[-1] if later else start, most_of(later or [start]), made, end)


def roll(
    environment: Environment,
    spec: EnvironmentSpec,
    start: Task | Demonstration,
    player: Player,
    decisions: int,
    *,
    look: bool = False,
) -> Rollout:
    """Plays from a start state until the environment ends or the decisions are used up."""
    begin(environment, spec, start)
    actions: list[str] = []
    measures = [environment.measures]
    pictures = [hash_of(environment.picture())] if look else []
    while len(actions) < decisions and not environment.end:
        actions.append(player(environment))
        decide(environment, spec, actions[-1])
        measures.append(environment.measures)
        if look:
            pictures.append(hash_of(environment.picture()))
    return Rollout(tuple(actions), tuple(measures), tuple(pictures), environment.end or TIMEOUT)


def worth(rollout: Rollout, goal: Goal, score: Score, limit: int) -> tuple[bool, float]:
    """Whether it passed, and its points, 0 to 100; `limit` is the task's number of decisions."""
    outcome = rollout.outcome()
    passed = goal.is_met(outcome)
    return passed, score.points(outcome, passed=passed, limit=limit)


def repeating(actions: Sequence[str]) -> Player:
    """Takes the given actions, one after another, then the last one again."""
    left = iter(actions)
    return lambda environment: next(left, actions[-1])


def at_random(spec: EnvironmentSpec, key: str) -> Player:
    """Takes every action equally often; the same ones for the same key."""
    chance = random.Random(key)
    return lambda environment: chance.choice(spec.actions)


def expert(environment: Environment) -> str:
    """Takes the expert's action."""
    return environment.expert()
