"""Probes: what a model knows at a step of its episode, asked in a copy of the conversation that is then thrown away.

    rules    which of four pictures follows an action. The action is drawn; the picture is what comes of it when it is
             played on a copy, the others are what comes of other actions, or of some decisions at random
    state    which of four descriptions is true of the present picture. The others are true of states close by whose
             picture is another
    plan     which action is best. An action is right if the expert, going on from it, ends no worse than going on at once:
             passed, then score, then decisions. `regret` is the score that it costs. Chance is the share of right actions

The conversation is the recorded one, up to a step's picture, made again from the run's answers and compared with the
recorded hash of its words; the question comes below the picture. Answers are a run of their own, RUN/probes/MODEL. An
answer in another form is asked for once more, then it is unreadable, and not scored.

`plan` lets the expert play on after every action: it is not asked where experts are slow (`lft.agents.retrace.SLOW`).
`state` is asked where the state was not told in words.
"""  # noqa: E501

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

from lft.agents.environments import registry
from lft.agents.environments.base import Environment, EnvironmentSpec, Picture
from lft.agents.names import NAME
from lft.agents.play import decide, hash_of
from lft.agents.retrace import SLOW
from lft.agents.rollout import TIMEOUT, repeating, roll
from lft.agents.scores import task_of
from lft.agents.scoring import Outcome, most_of
from lft.agents.study import AgentsStudy
from lft.agents.tasks import Task, unrolled
from lft.agents.words import Words, first_line
from lft.core.basic_suite import BasicStudy
from lft.core.records import Entries, JsonObject
from lft.core.requests import Images, Message, NotApplicable, Part, Request, Response, Text, said, user
from lft.core.run_lines import response_of, supplied
from lft.core.runs import ANSWERED, Episode, Run
from lft.core.trials import Done, Foreseen, OwnTrials, release
from lft.core.video.frames import Packed

STAGES = ("rules", "state", "plan")
PARTS = (*STAGES, "option", "form", "correction")
PROBED, UNREADABLE = "probed", "unreadable"
OPTIONS, RETRIES = 4, 1
Option = TypeVar("Option")
_LETTERS = "ABCD"
_WALKS, _LONGEST_WALK = 60, 6  # tries to come to a state close by, and their decisions
_LINE = re.compile(r"\[Answer: (.+)\]")


@dataclass(frozen=True)
class Probe:
    """A question at one state.

    Attributes
    ----------
    parts : what is said and shown.
    answers : what may be answered.
    right : which of these are right.
    regret : answer -> points of the task's score that it costs; None where that is no question.
    """

    parts: tuple[Part | str, ...]
    answers: tuple[str, ...]
    right: frozenset[str]
    regret: Mapping[str, float] | None = None

    @property
    def chance(self) -> float:
        """The share of right answers, 0 to 1."""
        return len(self.right) / len(self.answers)


def answer_in(text: str, answers: Sequence[str]) -> str | None:
    """What the first line of an answer names, if it is one of `answers`.

    >>> answer_in("[Answer: B]\\nIt moves on.", "ABCD"), answer_in("B", "ABCD"), answer_in("[Answer: E]", "ABCD")
    ('B', None, None)
    """
    found = _LINE.fullmatch(first_line(text))
    return found[1] if found and found[1] in answers else None


def rules_probe(environment: Environment, spec: EnvironmentSpec, words: Words, rng: random.Random) -> Probe:
    """Which picture follows an action; raises `NotApplicable` where there are not four different ones."""
    here, action = environment.snapshot(), rng.choice(spec.actions)
    truth = _after(environment, spec, here, [action]).picture()
    others = [[name] for name in rng.sample(spec.actions, len(spec.actions)) if name != action]
    pictures = {hash_of(truth): truth}
    for walk in [*others, *_walks(spec, rng)]:
        picture = _after(environment, spec, here, walk).picture()
        pictures.setdefault(hash_of(picture), picture)
        if len(pictures) == OPTIONS:
            break
    environment.restore(here)
    options = _shuffled(list(pictures.values()), rng)
    letter = next(k for k, one in zip(_LETTERS, options, strict=False) if one is truth)
    parts: list[Part | str] = [words.say("rules", action=action)]
    for name, picture in zip(_LETTERS, options, strict=True):
        parts += [words.say("option", letter=name), _image(picture)]
    return Probe(tuple(parts), tuple(_LETTERS), frozenset(letter))


def state_probe(environment: Environment, spec: EnvironmentSpec, words: Words, rng: random.Random) -> Probe:
    """Which description is true; raises `NotApplicable` where no four states close by differ in words and picture."""
    here, truth = environment.snapshot(), environment.words()
    found, looks = {truth: truth}, {hash_of(environment.picture())}
    for walk in _walks(spec, rng):
        after = _after(environment, spec, here, walk)
        look = hash_of(after.picture())
        if look not in looks and after.words() not in found and after.end is None:
            looks.add(look)
            found[after.words()] = after.words()
        if len(found) == OPTIONS:
            break
    environment.restore(here)
    options = _shuffled(list(found), rng)
    letter = next(k for k, one in zip(_LETTERS, options, strict=False) if one == truth)
    lines = [f"{words.say('option', letter=name)} {one}" for name, one in zip(_LETTERS, options, strict=True)]
    return Probe((words.say("state"), *lines), tuple(_LETTERS), frozenset(letter))


def plan_probe(
    environment: Environment, spec: EnvironmentSpec, words: Words, task: Task, before: Outcome
) -> Probe:
    """Which action is best; the expert goes on from each. `before` is how the episode stands."""
    here = environment.snapshot()
    worth = {}
    for action in (None, *spec.actions):
        environment.restore(here)
        worth[action] = _worth(environment, spec, task, before, action)
    environment.restore(here)
    best = worth.pop(None)
    right = frozenset(str(action) for action, value in worth.items() if value >= best)
    regret = {str(action): max(0.0, best[1] - value[1]) for action, value in worth.items()}
    return Probe((words.say("plan", actions=", ".join(spec.actions)),), spec.actions, right, regret)


def _worth(
    environment: Environment, spec: EnvironmentSpec, task: Task, before: Outcome, action: str | None
) -> tuple[bool, float, int]:
    """(passed, score, decisions left) if `action` is taken and the expert goes on; None: the expert goes on at once."""
    most, made = dict(before.most), before.decisions
    while environment.end is None and made < task.decisions:
        decide(environment, spec, environment.expert() if action is None else action)
        action, made = None, made + 1
        most = most_of([most, environment.measures])
    outcome = Outcome(before.start, dict(environment.measures), most, made, environment.end or TIMEOUT)
    passed = task.goal.is_met(outcome)
    score = round(task.score.points(outcome, passed=passed, limit=task.decisions), 6)
    return passed, score, task.decisions - made if passed else 0


def _walks(spec: EnvironmentSpec, rng: random.Random) -> Iterator[list[str]]:
    """Decisions at random, more and more of them."""
    for k in range(_WALKS):
        yield rng.choices(spec.actions, k=1 + k * _LONGEST_WALK // _WALKS)


def _after(environment: Environment, spec: EnvironmentSpec, here: Any, actions: Sequence[str]) -> Environment:
    environment.restore(here)
    for action in actions:
        decide(environment, spec, action)
    return environment


def _shuffled(options: list[Option], rng: random.Random) -> list[Option]:
    if len(options) < OPTIONS:
        raise NotApplicable(f"there are not {OPTIONS} different states close by", limit="options")
    rng.shuffle(options)
    return options


def _image(picture: Picture) -> Images:
    return Images(Packed.of([picture]).frames(), purpose="evidence")


class ProbeTrial:
    """One question at one step of one episode."""

    foreseen = Foreseen(1 + RETRIES)

    def __init__(
        self, study: ProbeStudy, trial: str, episode: Episode, step: int, stage: str, model: str
    ) -> None:
        self._study, self._trial, self._episode, self._step = study, trial, episode, step
        self.stage = stage
        self.id = f"{trial}#{step}#{stage}"
        task, environment = str(episode.key["task"]), str(episode.key["task"]).partition("/")[0]
        self.key: Entries = {
            "probe": self.id, "model": model, "episode": trial, "task": task, "environment": environment,
            "step": step, "stage": stage,
        }  # fmt: skip
        self._asked: tuple[Message, ...] = ()
        self.probe: Probe | None = None

    def next(self, answers: Sequence[Response]) -> Request | Done:
        """The question in its conversation, once more after an answer in another form, or the end."""
        if self.probe is None:
            self.probe = self._made()
            form = self._study.words.say("form", answers=self._names)
            self._asked = (*self._conversation(), user(*self.probe.parts, form))
        messages = list(self._asked)
        for answer in answers:
            found = answer_in(answer.text, self.probe.answers)
            if found is not None:
                return Done(PROBED, self._kept(found))
            correction = self._study.words.say("correction", answers=self._names)
            messages += [said(answer.text), user(correction)]
        if len(answers) > RETRIES:
            return Done(UNREADABLE, {"chance": self.probe.chance})
        task = {"suite": NAME, "kind": "probe"}
        return Request(messages, key=self.key, task=task, kept={"try": len(answers)})

    def release(self) -> None:
        """Lets go of the pictures."""
        self.probe, self._asked = None, ()

    @property
    def _names(self) -> str:
        assert self.probe is not None
        return ", ".join(self.probe.answers)

    def _kept(self, answer: str) -> JsonObject:
        assert self.probe is not None
        kept = {"answer": answer, "right": answer in self.probe.right, "truth": sorted(self.probe.right),
                "chance": self.probe.chance}  # fmt: skip
        return kept | ({"regret": self.probe.regret[answer]} if self.probe.regret is not None else {})

    def _made(self) -> Probe:
        task = task_of(self._study.run, self._episode.key["task"])
        spec, rng, words = registry.get(task.environment), random.Random(self.id), self._study.words
        actions = unrolled((str(a), int(n)) for a, n in self._episode.kept["actions"])[: self._step - 1]
        environment = registry.make(spec)
        try:
            before = roll(environment, spec, task, repeating(actions), len(actions)).outcome()
            if self.stage == "rules":
                return rules_probe(environment, spec, words, rng)
            if self.stage == "state":
                return state_probe(environment, spec, words, rng)
            return plan_probe(environment, spec, words, task, before)
        finally:
            environment.close()

    def _conversation(self) -> tuple[Message, ...]:
        """What had been said and shown when the step's picture was asked about."""
        lines = self._episode.answers
        place = next(k for k, line in enumerate(lines) if (line.get("kept") or {}).get("step") == self._step)
        trial = copy(self._study.episodes_now[self._trial])  # several probes of one episode may be under way
        try:
            request = trial.next([response_of(line) for line in lines[:place]])
        finally:
            release(trial)
        assert isinstance(request, Request)
        if supplied(request)["prompt_sha256"] != lines[place].get("prompt_sha256"):
            raise NotApplicable("the conversation cannot be made again as it was recorded", limit="words")
        *before, last = request.messages
        question = Text(self._study.sweep.setting.words.say("question"))
        return (*before, Message(last.role, tuple(part for part in last.parts if part != question)))


class ProbeStudy(BasicStudy):
    """Probes at `steps` steps of each episode of a run, spread over it, about each of `stages`."""

    def __init__(self, run: Run, words: str, stages: Sequence[str] = STAGES, steps: int = 3) -> None:
        super().__init__(
            "probes", {"title": "Probes", "words": words, "stages": list(stages), "steps": steps}, {}
        )
        self.run, self.words = run, Words.load(words, PARTS)
        self._stages, self._steps = stages, steps

    @cached_property
    def sweep(self) -> AgentsStudy:
        """The run's sweep."""
        entries = dict(self.run.manifest.get("sweep") or {})
        return AgentsStudy(str(entries.pop("name", "")), entries, {}, self.run.folder)

    @cached_property
    def episodes_now(self) -> JsonObject:
        """The trials of the run's sweep, by id; they are copied where they are played."""
        name = str(self.run.manifest["model"]["name"])
        return {trial.id: trial for trial in self.sweep.trials(name)}

    def trials(self, model_name: str, *, to_ask: bool = True) -> list[ProbeTrial]:
        """Episode by episode, step by step."""
        held = self.run.episodes()
        found = []
        for trial in self.run.trials():
            episode = held.get(trial)
            if episode is None or episode.status != ANSWERED or trial not in self.episodes_now:
                continue
            family = registry.get(task_of(self.run, episode.key["task"]).environment).family
            for step in spread(int(episode.kept["decisions"]), self._steps):
                for stage in self._stages:
                    is_told = stage == "state" and episode.key.get("assistance") != "none"
                    if not is_told and (stage != "plan" or family not in SLOW):
                        found.append(ProbeTrial(self, trial, episode, step, stage, model_name))
        return found

    def manifest(self, folder: Path, trials: OwnTrials) -> JsonObject:
        """The words."""
        words = {self.words.name: {"sha256": self.words.sha256, "words": dict(self.words.parts)}}
        return {"ends": "recorded", "prompts": words}


def spread(decisions: int, count: int) -> list[int]:
    """`count` steps of an episode, the middles of as many equal parts; all of a shorter one.

    >>> spread(20, 3), spread(2, 3), spread(0, 3)
    ([4, 11, 17], [1, 2], [])
    """
    if decisions <= count:
        return list(range(1, decisions + 1))
    return [1 + (2 * k + 1) * decisions // (2 * count) for k in range(count)]


def summary(probes: Run) -> list[JsonObject]:
    """For each stage: how many were answered, accuracy with its interval, chance, regret, unreadable answers, and what
    could not be asked. Environments are resampled; with one alone, tasks.
    """
    from lft.core.stats_clusters import share

    found = []
    episodes = [one for one in probes.episodes().values() if one.is_complete]
    for stage in STAGES:
        own = [one for one in episodes if one.key.get("stage") == stage]
        read = [one for one in own if one.end == PROBED]
        if not own:
            continue
        several = len({one.key["environment"] for one in read}) > 1
        clusters = [str(one.key["environment" if several else "task"]) for one in read]
        right = share([float(one.kept["right"]) for one in read], clusters) if read else None
        regrets = [float(one.kept["regret"]) for one in read if "regret" in one.kept]
        found.append(
            {
                "stage": stage, "n": len(read), "accuracy": right.value if right else None,
                "lower": right.lower if right else None, "upper": right.upper if right else None,
                "chance": sum(float(one.kept["chance"]) for one in read) / len(read) if read else None,
                "regret": sum(regrets) / len(regrets) if regrets else None,
                "unreadable": sum(one.end == UNREADABLE for one in own),
                "not_applicable": sum(one.status != ANSWERED for one in own),
            }
        )  # fmt: skip
    return found
