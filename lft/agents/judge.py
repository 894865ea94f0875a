"""The judge: another model is shown an episode and says why it failed, in two requests that know nothing of each other.

    transfer   rule: successful, unsuccessful; strategy: correct, underfit, overfit. Only where there were demonstrations
    stage      knowledge_induction, state_grounding, planning, action_commitment, none; and the step at which it shows

It sees what the model saw and said, the state in words, the detailed rules, and how it ended. Its answer is one JSON
object by a schema. Any other is asked for again, twice at most, with what is wrong with it; then the request ends
without labels. The words are in prompts/agents/judge.txt. What it says is an opinion: beside it stand what people said
(`lft.agents.agreement`) and what interventions show.

A judge's answers are a run of their own, in the folder of the run that it judges: RUN/judge/MODEL. They are recorded,
billed and resumed as those of every run.
"""  # noqa: E501

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path

from lft.agents import tasks as rows
from lft.agents.environments import registry
from lft.agents.environments.base import NotInstalled
from lft.agents.names import NAME
from lft.agents.retrace import Said, Step, retraced
from lft.agents.scores import row_of, task_of
from lft.agents.supply import Supply
from lft.agents.words import FAULTS, Words, introduced
from lft.core.basic_suite import BasicStudy
from lft.core.errors import InputError
from lft.core.records import Entries, Json, JsonObject
from lft.core.requests import Images, Message, NotApplicable, Part, Request, Response, said, user
from lft.core.runs import ANSWERED, Episode, Run
from lft.core.trials import Done, Foreseen, OwnTrials
from lft.core.video.frames import Packed

REQUESTS = {"transfer": ("rule", "strategy"), "stage": ("stage",)}  # and the labels that each gives
LABELS = tuple(label for labels in REQUESTS.values() for label in labels)
PARTS = (
    *("opening", "demonstrations", "clip", "begins", "step", "answer", "refused", "end", "transfer", "stage"),
    *("correction", "transfer_schema", "stage_schema"),
)
JUDGED, INVALID = "judged", "invalid"
RETRIES = 2
_LONGEST_ANSWER = 2000  # characters of an answer that the judge is shown
_THOUGHT = re.compile(r"\s*<think(ing)?>.*?</think(ing)?>", re.DOTALL)


def read(text: str, schema: Entries, steps: int | None = None) -> tuple[JsonObject | None, str]:
    """(judgement, ""), or (None, what is wrong with the answer). `steps`: how many states the episode had.

    >>> schema = {"type": "object", "properties": {"stage": {"enum": ["planning", "none"]}}, "required": ["stage"]}
    >>> read('{"stage": "planning"}', schema)
    ({'stage': 'planning'}, '')
    >>> read("Planning, I think.", schema)
    (None, 'there is no JSON object in it')
    >>> read('{"stage": "planning"} or rather {"stage": "none"}', schema)
    (None, 'it has several JSON objects that say different things')
    """
    try:
        from jsonschema import Draft202012Validator
    except ModuleNotFoundError as error:
        raise NotInstalled(f"the judge needs the package jsonschema; try {registry.INSTALL}") from error
    words = _THOUGHT.sub("", text, count=1).strip()
    if not words:
        return None, "it is empty"
    try:
        found = list(_objects(words))
    except _Twice as error:
        return None, f"the entry {error} is given twice, with different values"
    if not found:
        return None, "there is no JSON object in it"
    if any(one != found[0] for one in found):
        return None, "it has several JSON objects that say different things"
    faults = sorted(Draft202012Validator(schema).iter_errors(found[0]), key=lambda one: list(one.path))
    if faults:
        entry = "/".join(map(str, faults[0].path))
        return None, (f"{entry}: " if entry else "") + " ".join(faults[0].message.split())[:200]
    contradiction = _contradiction(found[0], steps)
    return (None, contradiction) if contradiction else (found[0], "")


def _contradiction(judgement: Entries, steps: int | None) -> str:
    """What of a judgement is at odds with the rest of it, or with the episode."""
    stage, step = judgement.get("stage"), judgement.get("step")
    if stage is None or step is None:
        return ""
    if (stage == "none") != (step == 0):
        return f"the stage {stage} does not go with step {step}"
    if steps is not None and step > steps:
        return f"there is no step {step}, the last is {steps}"
    return ""


class _Twice(Exception):
    pass


def _objects(text: str) -> Iterator[JsonObject]:
    """The JSON objects in a text, one after another."""
    decoder, place = json.JSONDecoder(object_pairs_hook=_unique), 0
    while (place := text.find("{", place)) >= 0:
        try:
            found, place = decoder.raw_decode(text, place)
        except (ValueError, RecursionError):
            place += 1
            continue
        yield found


def _unique(pairs: list[tuple[str, Json]]) -> JsonObject:
    found: JsonObject = {}
    for name, value in pairs:
        if found.get(name, value) != value:
            raise _Twice(name)
        found[name] = value
    return found


class JudgeTrial:
    """One of the two requests about one episode."""

    foreseen = Foreseen(1 + RETRIES)

    def __init__(
        self, study: JudgeStudy, run: Run, trial: str, episode: Episode, about: str, model: str
    ) -> None:
        self._study, self._run, self._trial, self._episode = study, run, trial, episode
        self.about = about
        self.id = f"{trial}#{about}"
        self.key: Entries = {"episode": trial, "model": model, "about": about}
        self._shown: tuple[Message, int] | None = None

    def next(self, answers: Sequence[Response]) -> Request | Done:
        """The question, again after an answer that cannot be used, or the end."""
        if self._shown is None:
            self._shown = self._message()
        first, steps = self._shown
        schema = self._study.schemas[self.about]
        faults: list[str] = []
        messages = [first]
        for answer in answers:
            judgement, fault = read(answer.text, schema, steps)
            if judgement is not None:
                return Done(JUDGED, {**judgement, **({"faults": faults} if faults else {})})
            faults.append(fault)
            messages += [said(answer.text), user(self._study.words.say("correction", fault=fault))]
        if len(faults) > RETRIES:
            return Done(INVALID, {"faults": faults})
        task = {"suite": NAME, "kind": "judge"}
        held = schema if self._study.takes_schema else None
        return Request(messages, key=self.key, task=task, response_schema=held, kept={"try": len(faults)})

    def release(self) -> None:
        """Lets go of the pictures."""
        self._shown = None

    def _message(self) -> tuple[Message, int]:
        """What the judge is shown and asked, and how many states the episode had."""
        run, say = self._run, self._study.words.say
        task = task_of(run, self._episode.key.get("task"))
        spec = registry.get(task.environment)
        goal = f"{spec.measures.get(task.goal.measure, task.goal.measure)}: at least {task.goal.at_least:g}"
        parts: list[Part | str] = [
            say("opening", title=spec.title, rules=spec.rules["detailed"], goal=goal, decisions=task.decisions,
                actions=", ".join(spec.actions))
        ]  # fmt: skip
        parts += self._demonstrations(task)
        parts.append(say("begins"))
        steps = 0
        for step in retraced(run, self._episode):
            if not step.agrees:
                what = f"the picture before step {step.number} is not the recorded one"
                raise NotApplicable(f"{what}; try the packages of the run", limit="packages")
            steps = step.number
            parts += self._step(step)
        passed = "It passed." if row_of(run, self._episode)["pass"] else "It did not pass."
        made = self._episode.kept.get("decisions")
        parts.append(say("end", made=made, decisions=task.decisions, end=self._episode.end, passed=passed))
        return user(*parts, say(self.about)), steps

    def _demonstrations(self, task: rows.Task) -> list[Part | str]:
        kind = str(self._episode.key.get("demonstrations"))
        if kind == "none" or not self._study.pictures:
            return []
        return introduced(self._study.words, "demonstrations", self._study.supply.parts(task, kind, "frames"))

    def _step(self, step: Step) -> Iterator[Part | str]:
        say = self._study.words.say
        yield say("step", step=step.number, state=step.words)
        if self._study.pictures:
            yield Images(Packed.of([step.picture]).frames(), purpose="observation")
        for one in step.said:
            text = _shortened(one)
            yield (
                say("refused", fault=FAULTS[one.fault], answer=text)
                if one.fault
                else say("answer", answer=text)
            )


def _shortened(one: Said) -> str:
    left_out = len(one.text) - _LONGEST_ANSWER
    return one.text if left_out <= 0 else f"{one.text[:_LONGEST_ANSWER]} (… {left_out} more characters)"


class JudgeStudy(BasicStudy):
    """What is asked about the episodes of a run.

    `every` asks about the episodes that passed, too; `pictures` shows pictures beside the words; `takes_schema` says
    whether the judge can be held to a schema.
    """

    def __init__(
        self, run: Run, words: str, *, every: bool = False, pictures: bool = True, takes_schema: bool = False
    ) -> None:
        super().__init__(
            "judge", {"title": "Judge", "words": words, "every": every, "pictures": pictures}, {}
        )
        self._run = run
        self.every, self.pictures, self.takes_schema = every, pictures, takes_schema
        self.words = Words.load(words, PARTS)
        self.schemas = {about: self._schema(f"{about}_schema") for about in REQUESTS}

    @cached_property
    def supply(self) -> Supply:
        """Demonstrations as the model saw them."""
        return Supply(rows.demonstrations(), registry.get, registry.make)

    @cached_property
    def episodes(self) -> dict[str, Episode]:
        """Those that are judged, by trial, in the order of the run's plan."""
        held = self._run.episodes()
        planned = [k for k in dict.fromkeys([*self._run.trials(), *held]) if k in held]
        answered = {k: held[k] for k in planned if held[k].status == ANSWERED}
        return {k: one for k, one in answered.items() if self.every or not row_of(self._run, one)["pass"]}

    def trials(self, model_name: str, *, to_ask: bool = True) -> list[JudgeTrial]:
        """Two for each episode; one where there were no demonstrations."""
        return [
            JudgeTrial(self, self._run, trial, one, about, model_name)
            for trial, one in self.episodes.items()
            for about in REQUESTS
            if about != "transfer" or one.key.get("demonstrations") != "none"
        ]

    def manifest(self, folder: Path, trials: OwnTrials) -> JsonObject:
        """The words, and hashes of what is judged."""
        words = {self.words.name: {"sha256": self.words.sha256, "words": dict(self.words.parts)}}
        shown = {"pictures": str(self.pictures)}
        return {
            "ends": "recorded",
            "prompts": words,
            "questions": {"shown": shown},
            "episodes": {trial: _hash_of(one) for trial, one in self.episodes.items()},
        }

    def _schema(self, part: str) -> JsonObject:
        try:
            found = json.loads(self.words.parts[part])
        except ValueError as error:
            raise InputError(f"{part} is not JSON: {error}", where=self.words.name) from None
        if not isinstance(found, dict):
            raise InputError(f"{part} is no JSON object", where=self.words.name, expected="a JSON schema")
        return found


def _hash_of(episode: Episode) -> str:
    document = [dict(episode.key), [line.get("text") for line in episode.answers], episode.end]
    return hashlib.sha256(json.dumps(document).encode("utf-8", "surrogatepass")).hexdigest()


def labels_of(judge: Run) -> dict[str, dict[str, str]]:
    """Episode -> its labels, as a judge's run holds them; episodes without any are left out."""
    found: dict[str, dict[str, str]] = {}
    for one in judge.episodes().values():
        if one.end == JUDGED:
            names = REQUESTS.get(str(one.key.get("about")), ())
            found.setdefault(str(one.key["episode"]), {}).update({n: str(one.kept[n]) for n in names})
    return found


def allowed(schemas: Mapping[str, Entries]) -> dict[str, tuple[str, ...]]:
    """Label -> the words that it may have."""
    return {
        name: tuple(schemas[about]["properties"][name]["enum"])
        for about, names in REQUESTS.items()
        for name in names
    }


def labels_by_people(
    table: Iterable[tuple[int, Entries]],
    known: Entries,
    words: Mapping[str, tuple[str, ...]],
    *,
    where: object,
) -> dict[str, dict[str, dict[str, str]]]:
    """Rater -> episode -> labels, from rows with the columns `trial`, `rule`, `strategy`, `stage` (an empty one is no
    label) and, for several people, `rater`.
    """
    found: dict[str, dict[str, dict[str, str]]] = {}
    for number, row in table:
        place, trial, rater = f"{where}:{number}", str(row.get("trial") or ""), str(row.get("rater") or "")
        if trial not in known:
            raise InputError(f"no episode {trial!r}"[:160], where=place, expected="a trial of the run")
        if trial in found.setdefault(rater, {}):
            what = f"a second row of {trial}" + (f" by {rater}" if rater else "")
            raise InputError(what, where=place, expected="one row an episode, or a column rater")
        labels = {name: str(row[name]).strip() for name in LABELS if row.get(name)}
        for name, label in labels.items():
            if label not in words[name]:
                raise InputError(f"{name} is {label!r}"[:160], where=place, expected=", ".join(words[name]))
        found[rater][trial] = labels
    return found
