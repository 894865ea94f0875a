"""An episode: a trial whose next request depends on what happened.

The first turn has the rules, the actions, the demonstrations and the start picture; each later one what came of the last
action. An answer whose first line is no `[Action: NAME]` is asked for again, up to three times, then the episode ends.
It also ends when the environment does, after the last decision of the task, and when the conversation has become too
long for the model.

    victory, terminated, draw     the environment's own ends
    timeout                       the task's decisions are made
    invalid                       no action in four answers to one picture
    overflow                      the conversation is too long, or the answer was cut off at the output limit

Each answer's line keeps the step, the hash of the picture that was shown, the state and the measures; the end keeps the
actions, and all that scoring needs. A live environment is kept while answers go on. Given answers that it has not seen,
an episode plays them from the start.
"""  # noqa: E501

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from lft.agents.condition import Condition
from lft.agents.environments.base import Environment, EnvironmentSpec
from lft.agents.names import NAME
from lft.agents.play import begin, decide, hash_of
from lft.agents.scoring import most_of
from lft.agents.supply import Make, Supply
from lft.agents.tasks import Task, rolled
from lft.agents.words import FAULTS, RETRIES, Words, action_in, introduced
from lft.core.records import Entries, JsonObject
from lft.core.requests import (
    Images,
    Message,
    ModelError,
    NotApplicable,
    Part,
    Request,
    Response,
    Text,
    said,
    user,
)
from lft.core.trials import Done, Foreseen
from lft.core.video.frames import Packed

TIMEOUT, INVALID, OVERFLOW = "timeout", "invalid", "overflow"
_TOO_LONG = ("tokens", "images", "bytes")  # limits of a model that a conversation may come to


@dataclass(frozen=True)
class Setting:
    """What the episodes of a sweep have in common."""

    words: Words
    supply: Supply
    make: Make


@dataclass
class _Course:
    """How far an episode has come. `steps` has the messages of each step, the present one last."""

    environment: Environment
    taken: list[str] = field(default_factory=list)  # the texts of the answers
    actions: list[str] = field(default_factory=list)
    faults: Counter[str] = field(default_factory=Counter)
    tries: int = 0  # answers to the present picture that were not accepted
    steps: list[list[Message]] = field(default_factory=list)
    start: dict[str, float] = field(default_factory=dict)
    most: dict[str, float] = field(default_factory=dict)
    shown: JsonObject = field(default_factory=dict)  # of the present picture: what the run keeps
    end: str | None = None


class Episode:
    """One task under one condition, played by one model."""

    def __init__(
        self,
        task: Task,
        spec: EnvironmentSpec,
        condition: Condition,
        model: str,
        setting: Setting,
        replicate: int = 0,
    ) -> None:
        self.task, self.spec, self.condition = task, spec, condition
        self._setting = setting
        self._course: _Course | None = None
        self.id = f"{task.id},{condition.id}" + (f",{replicate}" if replicate else "")
        self.key: Entries = {
            "task": task.id,
            "model": model,
            **vars(condition),
            "replicate": replicate,
        }

    @property
    def foreseen(self) -> Foreseen:
        """At most: every decision is made, after as many retries as there may be."""
        n, window = self.task.decisions, self.condition.window
        shown = self._setting.supply.frames(self.task, self.condition.demonstrations)
        video = self.condition.given == "video" and shown > 0
        pinned = 0 if video else shown
        pictures = [pinned + (step if window is None else min(step, window + 1)) for step in range(1, n + 1)]
        return Foreseen((1 + RETRIES) * n, (1 + RETRIES) * sum(pictures), max(pictures), video)

    def next(self, answers: Sequence[Response]) -> Request | Done:
        """The request after these answers, or the end."""
        texts = [answer.text for answer in answers]
        course = self._course
        if course is None or course.taken != texts[: len(course.taken)]:
            self.release()
            course = self._course = self._begun()
        for text in texts[len(course.taken) :]:
            if course.end is None:
                self._take(course, text)
            course.taken.append(text)
        return self._done(course, course.end) if course.end else self._request(course)

    def failed(self, answers: Sequence[Response], failure: ModelError | NotApplicable) -> Done | None:
        """A conversation that has become too long, or an answer that was cut off, ends the episode; a model that cannot
        be given the first turn has not played.
        """
        too_long = isinstance(failure, NotApplicable) and failure.limit in _TOO_LONG and answers
        cut_off = isinstance(failure, ModelError) and failure.kind == "truncated"
        if not (too_long or cut_off):
            return None
        self.next(answers)
        assert self._course is not None
        return self._done(self._course, OVERFLOW, limit="context" if too_long else "output")

    def release(self) -> None:
        """Lets go of the environment."""
        if self._course is not None:
            self._course.environment.close()
        self._course = None

    def _begun(self) -> _Course:
        environment = self._setting.make(self.spec)
        begin(environment, self.spec, self.task)
        course = _Course(environment)
        course.start = dict(environment.measures)
        course.most = dict(course.start)
        course.steps.append([user(*self._first(), *self._present(course))])
        if course.shown["picture"] != self.task.start_hash:
            what = "the start picture is not the recorded one"
            remedy = "the packages that the task was made with; lft tasks --check says more"
            raise NotApplicable(f"{what}; try {remedy}", limit="packages")
        return course

    def _take(self, course: _Course, text: str) -> None:
        """Takes in an answer."""
        course.steps[-1].append(said(text))
        action, fault = action_in(text, self.spec.actions)
        if action is None:
            assert fault is not None
            course.faults[fault] += 1
            course.tries += 1
            if course.tries > RETRIES:
                course.end = INVALID
                return
            say, names = self._setting.words.say, ", ".join(self.spec.actions)
            course.steps[-1].append(user(say("correction", fault=FAULTS[fault], actions=names)))
            return
        course.tries = 0
        decide(course.environment, self.spec, action)
        course.actions.append(action)
        course.most = most_of([course.most, course.environment.measures])
        course.end = course.environment.end
        if course.end is None and len(course.actions) == self.task.decisions:
            course.end = TIMEOUT
        course.steps.append([user(*self._present(course))])

    def _first(self) -> list[Part | str]:
        """The rules and the demonstrations."""
        say, task, condition = self._setting.words.say, self.task, self.condition
        rules = self.spec.rules[condition.rules]
        names = ", ".join(self.spec.actions)
        told = say("first", title=self.spec.title, rules=rules, decisions=task.decisions, actions=names)
        clips = self._setting.supply.parts(task, condition.demonstrations, condition.given)
        own = condition.demonstrations in ("uncaptioned", "captions")
        heading = condition.demonstrations if own else "demonstrations"
        return [told, *introduced(self._setting.words, heading, clips)]

    def _present(self, course: _Course) -> list[Part | str]:
        """The present picture, and the question; notes what the run keeps of it."""
        say, environment, step = self._setting.words.say, course.environment, len(course.actions) + 1
        picture = environment.picture()
        course.shown = {
            "picture": hash_of(picture),
            "measures": dict(environment.measures),
            "state": json.loads(json.dumps(environment.state())),
        }
        found: list[Part | str] = [say("start", decisions=self.task.decisions)]
        if course.actions:
            found = [say("later", action=course.actions[-1], step=step, decisions=self.task.decisions)]
        if environment.end:
            return found  # nothing more is asked
        found.append(Images(Packed.of([picture]).frames(), purpose="observation"))
        if self.condition.assistance != "none":
            found.append(say("state", state=environment.words()))
        if self.condition.assistance == "plan":
            course.shown["expert"] = self._expert(course)
            found.append(say("plan", action=course.shown["expert"]))
        return [*found, say("question")]

    def _expert(self, course: _Course) -> str:
        """The expert's action: from its recorded way as long as the model keeps to it, else found now."""
        return self.task.next_of_expert(course.actions) or course.environment.expert()

    def _request(self, course: _Course) -> Request:
        window, steps = self.condition.window, course.steps
        kept = {
            "step": len(course.actions) + 1,
            "try": course.tries,
            **(course.shown if not course.tries else {}),
        }
        if window is not None and len(steps) > window + 1:
            first, dropped = steps[0][0], len(steps) - window - 1
            pinned = first.parts[: _pinned(first)]
            note = self._setting.words.say("left_out", first=1, last=dropped)
            messages = [Message("user", (*pinned, Text(note))), *_flat(steps[dropped:])]
            kept["left_out"] = dropped
        else:
            messages = _flat(steps)
        task = {"suite": NAME, "kind": "episode", "environment": self.spec.name}
        return Request(messages, key=self.key, task=task, kept=kept)

    def _done(self, course: _Course, end: str, **more: str) -> Done:
        kept = {
            "decisions": len(course.actions),
            "actions": [list(run) for run in rolled(course.actions)],
            "start": course.start,
            "most": course.most,
            "last": course.shown["measures"],
            "state": course.shown["state"],
            "picture": course.shown["picture"],
            **({"faults": dict(course.faults)} if course.faults else {}),
            **more,
        }
        return Done(end, kept)


def _flat(steps: Sequence[Sequence[Message]]) -> list[Message]:
    return [message for step in steps for message in step]


def _pinned(first: Message) -> int:
    """How many parts of the first turn stay when its step is left out: all before the words at the start picture."""
    pictures = [k for k, part in enumerate(first.parts) if getattr(part, "purpose", "") == "observation"]
    return pictures[0] - 1


def hash_of_task(task: Task, spec: EnvironmentSpec, clips: Sequence[Entries]) -> str:
    """SHA-256 over what a task stands on: its row, those of its demonstrations, and its environment's entries."""
    entries = {k: v for k, v in vars(spec).items() if k != "why"}
    document = {"task": task.to_json(), "clips": list(clips), "environment": entries}
    return hashlib.sha256(json.dumps(document, sort_keys=True, default=dict).encode()).hexdigest()
