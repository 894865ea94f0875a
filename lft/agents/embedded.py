"""Agents that need no network: the bounds that stand beside every score.

    random[:SEED]         any action, each as likely
    constant:A[|B...]     always the same: the first of these actions that the environment has
    copy                  the actions of the first demonstration, one after another, whatever is seen; then again
    nearest               the action shown after the demonstration pictures that are most like the last ones seen
    expert                the recorded way that passes
    actions:FILE.json     a list of actions for each task: {"cliff_walking/base": ["UP", "RIGHT"]}

`nearest` sees what any model sees, pictures of the request, and reads the words below them from their pixels. `copy`,
`expert` and `actions` know which task it is, and nothing of the pictures.
"""

from __future__ import annotations

import random
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import ClassVar

import cv2
import numpy as np
import numpy.typing as npt

from lft.agents.clips import STRIP
from lft.agents.environments.base import Picture
from lft.agents.supply import action_below
from lft.agents.tasks import Task, demonstrations, unrolled
from lft.core.errors import InputError, shown
from lft.core.files import read_json, sha256_of
from lft.core.models import ModelSpec, without_options
from lft.core.models.ready import Needs
from lft.core.requests import Images, NotApplicable, Request, Response

_SIDE = 84  # pixels to which pictures are brought for comparison
_SEEN = 16  # demonstrations whose small pictures are kept
_KEPT = 4096  # pictures whose distances are kept


class _Agent:
    """An agent that answers with an action."""

    is_free = True
    concurrency = 2
    context: ClassVar = ("tasks",)
    provider: ClassVar[str]
    needs_name: ClassVar[str | None] = None

    def __init__(self, spec: ModelSpec, *, tasks: Mapping[str, Task] | None = None) -> None:
        without_options(spec, needs_name=self.needs_name)
        self.name = f"{self.provider}:{spec.name}" if spec.name else self.provider
        self._given, self._tasks = spec.name, tasks or {}

    @classmethod
    def name_of(cls, spec: ModelSpec) -> str:
        """As it stands in tables."""
        return f"{cls.provider}:{spec.name}" if spec.name else cls.provider

    def generate(self, request: Request) -> Response:
        """`[Action: NAME]`."""
        if request.task.get("suite") != "agents":
            raise NotApplicable(f"{self.provider} plays episodes of the suite agents, and nothing else")
        task = self._tasks[str(request.key["task"])]
        return Response(f"[Action: {self.choose(request, task, int(request.kept['step']))}]")

    def describe(self) -> dict[str, object]:
        """Its name."""
        return {"provider": self.provider}

    def choose(self, request: Request, task: Task, step: int) -> str:
        """The action of a step, from 1 on."""
        raise NotImplementedError


def _actions(task: Task) -> tuple[str, ...]:
    from lft.agents.environments.registry import get

    return get(task.environment).actions


class Random(_Agent):
    """Each action as likely; the same in every run of one seed, whatever is asked in which order."""

    provider = "random"

    def __init__(self, spec: ModelSpec, *, tasks: Mapping[str, Task] | None = None) -> None:
        seed = spec.name or "0"
        if not seed.isascii() or not seed.isdigit():
            raise InputError(
                f"{shown(seed)} after random:", where="model random", expected="random:SEED, as random:3"
            )
        super().__init__(ModelSpec(spec.provider, "", spec.options), tasks=tasks)
        self._seed, self.name = int(seed), self.name_of(spec)

    def describe(self) -> dict[str, object]:
        """Its seed."""
        return {"provider": self.provider, "seed": self._seed}

    def choose(self, request: Request, task: Task, step: int) -> str:
        where = f"{self._seed} {request.key.get('replicate', 0)} {task.id} {step}"
        return random.Random(where).choice(_actions(task))


class Constant(_Agent):
    """One action."""

    provider, needs_name = "constant", "an action, such as RIGHT, or several, such as RIGHT|FORWARD"

    def choose(self, request: Request, task: Task, step: int) -> str:
        known = _actions(task)
        for action in self._given.split("|"):
            if action in known:
                return action
        raise NotApplicable(f"{task.environment} has no action {self._given[:40]}")


class Copy(_Agent):
    """A demonstration's actions, blindly."""

    provider = "copy"

    def choose(self, request: Request, task: Task, step: int) -> str:
        if not any(getattr(part, "purpose", "") == "demonstration" for part in request.parts):
            raise NotApplicable("copy needs a demonstration")
        actions = unrolled(demonstrations()[task.clips[0]].actions)
        return actions[(step - 1) % len(actions)]


@dataclass(frozen=True)
class _Lesson:
    """A demonstration as it can be imitated: small pictures (n, pixels), and the action after each."""

    name: tuple[bytes, ...]
    looks: npt.NDArray[np.float32]
    actions: tuple[str, ...]


class Nearest(_Agent):
    """Imitates from pictures: no training, no network.

    The last `LAST` pictures are compared with as many in a row of each demonstration, since one has no speed: near are
    those whose pixels differ least in the mean. Of equally near places the earliest counts. A place that was followed
    in front of the very same picture is not followed again before every other: what it led to was no way on.
    """

    provider = "nearest"
    LAST = 2

    def __init__(self, spec: ModelSpec, *, tasks: Mapping[str, Task] | None = None) -> None:
        super().__init__(spec, tasks=tasks)
        self._lessons: OrderedDict[tuple[bytes, ...], _Lesson] = OrderedDict()
        self._far: OrderedDict[tuple[tuple[bytes, ...], bytes], npt.NDArray[np.float32]] = OrderedDict()
        self._lock = Lock()

    def describe(self) -> dict[str, object]:
        """How many pictures are compared."""
        return {"provider": self.provider, "pictures": self.LAST}

    def choose(self, request: Request, task: Task, step: int) -> str:
        images = [part for part in request.parts if isinstance(part, Images)]
        actions = _actions(task)
        lessons = [self._lesson(part, actions) for part in images if part.purpose == "demonstration"]
        known = [action for lesson in lessons for action in lesson.actions]
        if not known:
            raise NotApplicable("nearest needs demonstrations as images, with the words below them")
        seen = [part for part in images if part.purpose == "observation"]
        names = [_name(part) for part in seen]
        followed: set[int] = set()
        for at in (k for k, name in enumerate(names) if name == names[-1]):
            if len(followed) == len(known):
                followed.clear()
            distance = self._distances(lessons, seen[max(0, at + 1 - self.LAST) : at + 1])
            distance[list(followed)] = np.inf
            place = int(np.argmin(distance))
            followed.add(place)
        return known[place]

    def _distances(self, lessons: Sequence[_Lesson], seen: Sequence[Images]) -> npt.NDArray[np.float32]:
        """How far each place of the demonstrations is from the pictures seen, the present one last. Before the first
        picture of a demonstration is the first again.
        """
        found = []
        for lesson in (one for one in lessons if one.actions):
            places = np.arange(len(lesson.actions))
            parts = [
                self._from(lesson, part)[np.maximum(places - ago, 0)]
                for ago, part in enumerate(reversed(seen))
            ]
            found.append(np.mean(parts, axis=0))
        return np.concatenate(found)

    def _from(self, lesson: _Lesson, part: Images) -> npt.NDArray[np.float32]:
        """How far each picture of a demonstration is from one that was seen."""
        name = lesson.name, _name(part)
        with self._lock:
            if name in self._far:
                return self._far[name]
        seen = _small(next(iter(part.frames.pictures())))
        distance: npt.NDArray[np.float32] = np.abs(lesson.looks - seen).mean(axis=1)
        with self._lock:
            self._far[name] = distance
            while len(self._far) > _KEPT:
                self._far.popitem(last=False)
        return distance

    def _lesson(self, part: Images, actions: Sequence[str]) -> _Lesson:
        name = (*getattr(part.frames.source, "names", ()), *(a.encode() for a in actions))
        with self._lock:
            if name not in self._lessons:
                pictures = list(part.frames.pictures())
                after = [action_below(p, step, actions) for step, p in enumerate(pictures)][1:]
                pairs = [(_small(p[:-STRIP]), a) for p, a in zip(pictures, after, strict=False) if a]
                looks = np.stack([p for p, _ in pairs]) if pairs else np.zeros((0, 0), np.float32)
                self._lessons[name] = _Lesson(name, looks, tuple(a for _, a in pairs))
                while len(self._lessons) > _SEEN:
                    self._lessons.popitem(last=False)
            return self._lessons[name]


def _name(part: Images) -> bytes:
    """A hash of the one picture of an observation."""
    return bytes(getattr(part.frames.source, "names", (b"",))[0])


def _small(picture: Picture) -> npt.NDArray[np.float32]:
    shrunk = cv2.resize(picture, (_SIDE, _SIDE), interpolation=cv2.INTER_AREA)
    return shrunk.astype(np.float32).reshape(-1)


class Expert(_Agent):
    """The recorded way, and its last action again where it has come to its end."""

    provider = "expert"

    def choose(self, request: Request, task: Task, step: int) -> str:
        way = unrolled(task.expert)
        return way[min(step, len(way)) - 1]


class Actions(_Agent):
    """The actions of a file; after the last of a task's, it has none, and says nothing."""

    provider, needs_name = "actions", "a JSON file of lists of actions by task"

    def __init__(self, spec: ModelSpec, *, tasks: Mapping[str, Task] | None = None) -> None:
        super().__init__(spec, tasks=tasks)
        self._path = Path(spec.name)
        found = read_json(self._path)
        lists = found.values() if isinstance(found, dict) else [None]
        if not all(isinstance(one, list) and all(isinstance(a, str) for a in one) for one in lists):
            expected = '{"TASK": ["ACTION", ...]}'
            raise InputError(
                "is no mapping of tasks to lists of actions", where=self._path, expected=expected
            )
        self._lists: dict[str, list[str]] = found
        self.name = "actions"

    @classmethod
    def name_of(cls, spec: ModelSpec) -> str:
        return "actions"

    def describe(self) -> dict[str, object]:
        """The file and its hash."""
        return {"provider": self.provider, "file": self._path.name, "sha256": sha256_of(self._path)}

    def generate(self, request: Request) -> Response:
        """`[Action: NAME]`; without words after the last."""
        known = self._lists.get(str(request.key.get("task")))
        if known is None:
            raise NotApplicable(f"the file has no actions for {request.key.get('task')}")
        step = int(request.kept["step"])
        return Response(f"[Action: {known[step - 1]}]" if step <= len(known) else "[no action is left]")


_PACKAGES, _INSTALL = ("gymnasium",), "pip install 'lft-bench[agents]'"
NEEDS = {
    "random": Needs("random[:SEED]", "any action, each as likely (agents)", _PACKAGES, _INSTALL),
    "constant": Needs("constant:ACTION", "always the same action (agents)", _PACKAGES, _INSTALL),
    "copy": Needs("copy", "the actions of a demonstration, blindly (agents)", _PACKAGES, _INSTALL),
    "nearest": Needs(
        "nearest", "the action after the most similar demonstration pictures (agents)", _PACKAGES, _INSTALL
    ),
    "expert": Needs("expert", "the recorded way that passes (agents)", _PACKAGES, _INSTALL),
    "actions": Needs("actions:FILE.json", "a list of actions for each task (agents)", _PACKAGES, _INSTALL),
}
