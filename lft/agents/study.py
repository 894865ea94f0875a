"""A sweep of the agents suite: which tasks, under which conditions.

environments, kinds, tasks    the tasks that have one of these (environment, kind, id); all where none is named
per_environment               of each environment, so many tasks at most, of different kinds first
rules, demonstrations, assistance, history, given, conditions    see `lft.agents.condition`
replicates                    how often each is played (1)
words                         a file in prompts/agents, or the path of one (episode)
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

from lft.agents import tasks as rows
from lft.agents.condition import AXES, Condition, conditions_of
from lft.agents.environments import registry
from lft.agents.episode import Episode, Setting, hash_of_task
from lft.agents.supply import Supply
from lft.agents.tasks import KINDS, Task
from lft.agents.words import Words
from lft.core.basic_suite import BasicStudy
from lft.core.config import as_list, checked_keys
from lft.core.errors import InputError, shown, unknown_name
from lft.core.records import Entries, JsonObject

_KEYS = (
    "title",
    "environments",
    "kinds",
    "tasks",
    "per_environment",
    "replicates",
    "words",
    "conditions",
    *AXES,
)
SCORES_VERSION = 1

_OPTIONS = {"environments": "--env", "kinds": "--kind", "tasks": "--task"}  # of the command line


class AgentsStudy(BasicStudy):
    """Episodes: tasks times conditions times replicates."""

    def __init__(self, name: str, document: Entries, options: Entries, where: object = None) -> None:
        given = {k: list(v) if isinstance(v, tuple) else v for k, v in options.items()}
        own = {k: v for k, v in given.items() if k in _KEYS and v}
        entries = checked_keys({**document, **own}, _KEYS, where=where or f"sweep {name}")
        if own.keys() & {*AXES}:  # said on the command line, it holds for all
            entries.pop("conditions", None)
        super().__init__(name, entries, options)
        self._where = where or f"sweep {name}"
        self._own = frozenset(own)

    @cached_property
    def conditions(self) -> tuple[Condition, ...]:
        """In the order of the file."""
        axes = {k: v for k, v in self.document.items() if k in (*AXES, "conditions")}
        return conditions_of(axes, where=self._where)

    @cached_property
    def tasks(self) -> tuple[Task, ...]:
        """In the order of their file."""
        known = rows.tasks()
        environments = self._named("environments", {task.environment: None for task in known.values()})
        kinds, ids = self._named("kinds", KINDS), self._named("tasks", known)
        chosen = [
            task
            for task in known.values()
            if (not environments or task.environment in environments)
            and (not kinds or task.kind in kinds)
            and (not ids or task.id in ids)
        ]
        if not chosen:
            raise InputError(
                "no task is of these environments and kinds", where=self._where, remedy="lft tasks"
            )
        most = self._whole("per_environment", len(known))
        return tuple(task for task in chosen if _rank(task, chosen) < most)

    @cached_property
    def setting(self) -> Setting:
        """What its episodes share."""
        supply = Supply(rows.demonstrations(), registry.get, registry.make)
        return Setting(Words.load(str(self.document.get("words", "episode"))), supply, registry.make)

    def trials(self, model_name: str, *, to_ask: bool = True) -> list[Episode]:
        """Task by task."""
        return [
            Episode(task, registry.get(task.environment), condition, model_name, self.setting, replicate)
            for task in self.tasks
            for condition in self.conditions
            for replicate in range(self._whole("replicates", 1))
        ]

    def context(self) -> Entries:
        """The tasks, for agents that play by them."""
        return {"tasks": rows.tasks()}

    def manifest(self, folder: Path, trials: Sequence[Episode]) -> JsonObject:
        """Words, hashes of the tasks, and their rows, from which a run is scored."""
        words = self.setting.words
        used = {trial.task.id: trial.task for trial in trials}
        known = rows.demonstrations()
        return {
            "ends": "recorded",
            "prompts": {words.name: {"sha256": words.sha256, "words": dict(words.parts)}},
            "tasks": {
                name: hash_of_task(
                    task, registry.get(task.environment), [known[clip].to_json() for clip in task.clips]
                )
                for name, task in used.items()
            },
            "task_rows": {name: task.to_json() for name, task in used.items()},
            "environment_packages": packages_of({task.environment for task in used.values()}),
            "scores_version": SCORES_VERSION,
        }

    def check(self, folder: Path, trials: Sequence[Episode]) -> None:
        """Raises `InputError` where the packages of an environment are not installed."""
        families = {registry.get(t.task.environment).family: t.task.environment for t in trials}
        for environment in families.values():
            registry.make(environment).close()

    def _named(self, name: str, known: Entries | Sequence[str]) -> list[str]:
        values = as_list(self.document.get(name) or [])
        for value in values:
            if value not in known:
                where = _OPTIONS[name] if name in self._own else self._where
                raise unknown_name(name.removesuffix("s"), str(value), known, where=where)
        return values

    def _whole(self, name: str, default: int) -> int:
        value = self.document.get(name, default)
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            raise InputError(
                f"{name} is {shown(value)}", where=self._where, expected="a whole number from 1 on"
            )
        return value


def packages_of(environments: set[str]) -> dict[str, str]:
    """Package -> version, for what the pictures of these environments rest on."""
    from importlib.metadata import PackageNotFoundError, version

    by_family = {
        "toy text": ("gymnasium", "pygame-ce"), "classic control": ("gymnasium", "pygame-ce"),
        "minigrid": ("gymnasium", "minigrid"), "highway": ("highway-env", "pygame-ce"),
        "flappy bird": ("flappy-bird-gymnasium", "pygame-ce"), "atari": ("ale-py",),
        "procgen": ("procgen-mirror", "gym3"),
    }  # fmt: skip
    names = {name for one in environments for name in by_family.get(registry.get(one).family, ())}
    found = {}
    for name in sorted({"numpy", *names}):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def _rank(task: Task, chosen: Sequence[Task]) -> int:
    """The place of a task in its environment: the first of each kind, then the second of each."""
    own = [one for one in chosen if one.environment == task.environment]
    nth = [sum(other.kind == one.kind for other in own[:k]) for k, one in enumerate(own)]
    order = sorted(range(len(own)), key=lambda k: (nth[k], KINDS.index(own[k].kind)))
    return next(place for place, k in enumerate(order) if own[k] is task)
