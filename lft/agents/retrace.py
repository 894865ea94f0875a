"""An episode of a run, played again from its recorded answers: the pictures, and whether they are the recorded ones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from lft.agents.environments import registry
from lft.agents.environments.base import Picture
from lft.agents.play import begin, decide, hash_of
from lft.agents.scores import task_of
from lft.agents.study import packages_of
from lft.agents.words import action_in
from lft.core.records import Entries
from lft.core.runs import Episode, Run


@dataclass(frozen=True)
class Said:
    """An answer, and why it was not accepted, if so (`lft.agents.words.FAULTS`)."""

    text: str
    fault: str | None


@dataclass(frozen=True)
class Step:
    """One state of an episode.

    Attributes
    ----------
    number : of the decision that it asks for, from 1 on; the last state has none to follow.
    picture : as it is played now.
    hash, recorded : of this picture, and of the one that the run recorded (None where it did not).
    state, words, measures : of the environment.
    said : the answers to it.
    action : the decision, or None.
    expert : the expert's action here, where it is known without a long search; None otherwise.
    """

    number: int
    picture: Picture
    hash: str
    recorded: str | None
    state: Entries
    words: str
    measures: Mapping[str, float]
    said: tuple[Said, ...]
    action: str | None
    expert: str | None

    @property
    def agrees(self) -> bool:
        """Whether the picture is the recorded one."""
        return self.recorded is None or self.hash == self.recorded


SEARCHED = ("atari", "procgen")  # families whose experts take seconds for a decision
SLOW = (*SEARCHED, "highway")  # and 0.2 s: once a step is no trouble, but a probe plays on for each action


def retraced(run: Run, episode: Episode, *, with_expert: bool = False) -> Iterator[Step]:
    """The states of an episode in order, the last one included, as far as it has come."""
    task = task_of(run, episode.key.get("task"))
    spec = registry.get(task.environment)
    lines = iter(episode.answers)
    environment = registry.make(spec)
    try:
        begin(environment, spec, task)
        actions: list[str] = []
        while True:
            picture, line, said, action, recorded = environment.picture(), None, [], None, None
            for line in lines:
                text, kept = str(line.get("text") or ""), line.get("kept") or {}
                recorded = recorded or kept.get("picture")
                action, fault = action_in(text, spec.actions)
                said.append(Said(text, fault))
                if action:
                    break
            if line is None:
                recorded = episode.kept.get("picture") if episode.end else None
            expert = None
            if with_expert and environment.end is None:
                expert = task.next_of_expert(actions)
                if expert is None and spec.family not in SEARCHED:
                    expert = environment.expert()
            yield Step(
                len(actions) + 1, picture, hash_of(picture), recorded, environment.state(), environment.words(),
                dict(environment.measures), tuple(said), action, expert,
            )  # fmt: skip
            if action is None:
                return
            decide(environment, spec, action)
            actions.append(action)
    finally:
        environment.close()


def changed_packages(run: Run, environment: str) -> dict[str, tuple[str, str]]:
    """Package -> (version of the run, version now), where they differ, of those an environment's pictures rest on."""
    before, now = dict(run.own.get("environment_packages") or {}), packages_of({environment})
    return {
        name: (str(before[name]), version)
        for name, version in now.items()
        if name in before and before[name] != version
    }
