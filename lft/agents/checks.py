"""Whether a task is fit for the set: same start every time, passed by its expert, not by chance, timely, bounded. And
two attributes, measured: does the picture move by itself, do equal pictures need different actions?
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from lft.agents.environments.base import Environment, EnvironmentSpec
from lft.agents.play import begin, decide, hash_of
from lft.agents.rollout import TIMEOUT, Rollout, at_random, repeating, roll, worth
from lft.agents.tasks import MOST_DECISIONS, Task, unrolled
from lft.core.records import Entries

RANDOM_SEEDS = 20
LEAST_LEAD = 30.0  # points of the expert above random play
CONSEQUENCE = 50  # decisions
_LOOKS = 10  # states along the expert's play in which waiting is tried


@dataclass(frozen=True)
class Checked:
    """What was found about a task.

    Attributes
    ----------
    task : its id.
    faults : what makes it unfit, in words; empty if it is fit.
    start_hash : of the start picture, as seen here.
    expert_score, random_score : 0 to 100; the latter is the mean of `RANDOM_SEEDS` rollouts.
    consequence : decisions after which something is decided: the expert has points, or half of random play is over.
    moves : share of the states along the expert's play in which waiting changes the picture; None if nothing waits.
    choices : (hash of the picture, action) along the expert's play.
    """

    task: str
    faults: tuple[str, ...]
    start_hash: str
    expert_score: float
    random_score: float
    consequence: int | None
    moves: float | None
    choices: tuple[tuple[str, str], ...]

    @property
    def dynamics(self) -> str | None:
        """ "dynamic" or "static", as measured; None if nothing waits."""
        return None if self.moves is None else "dynamic" if self.moves > 0.5 else "static"


def check(task: Task, spec: EnvironmentSpec, environment: Environment) -> Checked:
    """Plays a task: its start twice, its expert's actions, random play from 20 seeds."""
    begin(environment, spec, task)
    first = hash_of(environment.picture())
    expert = roll(environment, spec, task, repeating(unrolled(task.expert)), task.decisions, look=True)
    passed, expert_score = worth(expert, task.goal, task.score, task.decisions)
    chance = [
        roll(environment, spec, task, at_random(spec, f"{task.id} {seed}"), task.decisions)
        for seed in range(RANDOM_SEEDS)
    ]
    scores = [worth(one, task.goal, task.score, task.decisions)[1] for one in chance]
    random_score = sum(scores) / len(scores)
    consequence = _consequence(task, expert, chance)
    faults = [
        (expert.pictures[0] != first, "it does not start on the same picture twice"),
        (
            first != task.start_hash,
            "its start picture is not the row's; other versions of the packages draw others",
        ),
        (not passed, f"its expert does not pass within {task.decisions} decisions"),
        (
            expert_score - random_score < LEAST_LEAD,
            f"random play has {random_score:.1f} points, the expert {expert_score:.1f}: less than "
            f"{LEAST_LEAD:g} apart",
        ),
        (
            consequence is None or consequence > CONSEQUENCE,
            f"nothing is decided within {CONSEQUENCE} decisions",
        ),
        (task.decisions > MOST_DECISIONS, f"{task.decisions} decisions are more than {MOST_DECISIONS}"),
    ]
    return Checked(
        task.id,
        tuple(words for is_so, words in faults if is_so),
        first,
        expert_score,
        random_score,
        consequence,
        _moves(task, spec, environment, expert.actions),
        tuple(zip(expert.pictures, expert.actions, strict=False)),
    )


def memory_of(checked: Iterable[Checked]) -> tuple[str, int]:
    """ "several" or "single" for the tasks of an environment, as measured, and how many pictures came with several
    actions of the expert's.

    >>> one = Checked("e/a", (), "", 100.0, 0.0, 1, None, (("same picture", "LEFT"), ("other", "LEFT")))
    >>> two = Checked("e/b", (), "", 100.0, 0.0, 1, None, (("same picture", "RIGHT"),))
    >>> memory_of([one]), memory_of([one, two])
    (('single', 0), ('several', 1))
    """
    actions = defaultdict(set)
    for one in checked:
        for picture, action in one.choices:
            actions[picture].add(action)
    ambiguous = sum(len(found) > 1 for found in actions.values())
    return ("several" if ambiguous else "single"), ambiguous


def differences(spec: EnvironmentSpec, checked: Iterable[Checked]) -> list[str]:
    """Where the declared attributes of an environment are not those measured, in words."""
    found = list(checked)
    told = []
    memory, ambiguous = memory_of(found)
    if memory != spec.memory:
        told.append(
            f"declared to need {spec.memory} pictures; {ambiguous} equal pictures came with different actions "
            "of the expert's"
        )
    measured = [one.dynamics for one in found if one.dynamics]
    other = [one for one in measured if one != spec.dynamics]
    if other:
        told.append(f"declared {spec.dynamics}; measured {other[0]} in {len(other)} of {len(measured)} tasks")
    return told


def _consequence(task: Task, expert: Rollout, chance: Iterable[Rollout]) -> int | None:
    over = sorted(len(one.actions) for one in chance if one.end != TIMEOUT)
    half = over[RANDOM_SEEDS // 2 - 1] if len(over) >= RANDOM_SEEDS // 2 else None
    for decisions in range(1, len(expert.actions) + 1):
        if half is not None and decisions >= half:
            return half
        outcome = expert.outcome(decisions)
        passed = task.goal.is_met(outcome)
        lasting = task.score.points(outcome, passed=passed, limit=task.decisions) > 0
        if passed or (lasting and _happens(expert.measures[0], outcome.most)):
            return decisions
    return half


def _happens(start: Mapping[str, float], most: Entries) -> bool:
    return any(most[name] > value for name, value in start.items())


def _moves(
    task: Task, spec: EnvironmentSpec, environment: Environment, actions: tuple[str, ...]
) -> float | None:
    if spec.noop is None:
        return None
    begin(environment, spec, task)
    every = max(1, len(actions) // _LOOKS)
    changed = []
    for number, action in enumerate(actions):
        if number % every == 0:
            here, before = environment.snapshot(), hash_of(environment.picture())
            decide(environment, spec, spec.noop)
            changed.append(hash_of(environment.picture()) != before)
            environment.restore(here)
        decide(environment, spec, action)
    return sum(changed) / len(changed)
