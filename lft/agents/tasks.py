"""Tasks and demonstrations: rows of JSON that come with the package, in lft/agents/data.

A task is a start state of an environment (a seed, frames that are skipped at the opening, decisions that are replayed),
a limit of decisions, what passes, how it is scored, and the demonstrations that belong to it. A demonstration is a
start state and the decisions of an expert; its pictures follow from them. Actions are written as runs:
[["RIGHT", 3], ["UP", 1]]. Each decision is one action, held and waited out as the environment says (`EnvironmentSpec`).

What a row says is checked when it is read; whether it is true is what `lft tasks --check` finds out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from lft.agents.scoring import Goal, Score, read_goal, read_score, score_json
from lft.core.config import checked_keys
from lft.core.errors import InputError, shown
from lft.core.files import numbered_json_lines
from lft.core.records import Entries, JsonObject

Runs = tuple[tuple[str, int], ...]  # actions with how often each is taken in a row

KINDS = ("base", "seed", "skip", "replay")
ENDS = ("Victory", "Terminated", "Time Out", "Draw")
MOST_DECISIONS = 100
MOST_CLIPS = 4


@dataclass(frozen=True)
class Task:
    """A start state, and what is to come of it.

    Attributes
    ----------
    id : such as "cliff_walking/base".
    environment : its name.
    kind : base, seed (another seed), skip (opening frames are skipped), replay (decisions are replayed).
    seed, skipped_frames, preloaded : the start state; preloaded decisions are not the model's.
    decisions : the most that the model makes, 1 to 100.
    goal : what passes.
    score : how it is scored.
    clips : ids of its demonstrations, 1 to 4.
    start_hash : of the start picture (`lft.agents.play.hash_of`).
    expert : decisions that pass it.
    expert_score, random_score : 0 to 100; of the expert, and the mean of random play over 20 seeds.
    why : what the start state is worth testing for.
    """

    id: str
    environment: str
    kind: str
    seed: int
    skipped_frames: int
    preloaded: Runs
    decisions: int
    goal: Goal
    score: Score
    clips: tuple[str, ...]
    start_hash: str
    expert: Runs
    expert_score: float
    random_score: float
    why: str = ""

    def next_of_expert(self, actions: Sequence[str]) -> str | None:
        """The expert's decision after `actions`; None where these have left its recorded way, or come to its end."""
        way, made = unrolled(self.expert), len(actions)
        return way[made] if made < len(way) and way[:made] == tuple(actions) else None

    def to_json(self) -> JsonObject:
        """The row, as `read_task` reads it."""
        entries = {k: v for k, v in vars(self).items() if k != "goal"}
        written: JsonObject = {}
        for name, value in entries.items():
            if name == "score":
                written["pass"] = dict(vars(self.goal))
                value = score_json(value)
            elif name in ("preloaded", "expert"):
                value = [list(run) for run in value]
            elif name == "clips":
                value = list(value)
            written[name] = value
        return written


@dataclass(frozen=True)
class Demonstration:
    """A start state, and the decisions of an expert in it.

    Attributes
    ----------
    id : such as "cliff_walking/a".
    environment : its name.
    seed, skipped_frames, preloaded : its start state.
    actions : the decisions that are shown.
    end : what is written on its last picture: Victory, Terminated, Time Out or Draw.
    claims : measures of its last state.
    frames : how many pictures it has: the start, one a decision, and the end.
    """

    id: str
    environment: str
    seed: int
    skipped_frames: int
    preloaded: Runs
    actions: Runs
    end: str
    claims: Mapping[str, float]
    frames: int

    def to_json(self) -> JsonObject:
        """The row, as `read_demonstration` reads it."""
        runs = {name: [list(run) for run in getattr(self, name)] for name in ("preloaded", "actions")}
        return {**vars(self), **runs, "claims": dict(self.claims)}


def unrolled(runs: Iterable[tuple[str, int]]) -> tuple[str, ...]:
    """One action a decision.

    >>> unrolled((("RIGHT", 2), ("UP", 1)))
    ('RIGHT', 'RIGHT', 'UP')
    """
    return tuple(action for action, times in runs for _ in range(times))


def rolled(actions: Iterable[str]) -> Runs:
    """Actions as runs; `unrolled` gives them back.

    >>> rolled(["RIGHT", "RIGHT", "UP"])
    (('RIGHT', 2), ('UP', 1))
    """
    runs: list[tuple[str, int]] = []
    for action in actions:
        if runs and runs[-1][0] == action:
            runs[-1] = (action, runs[-1][1] + 1)
        else:
            runs.append((action, 1))
    return tuple(runs)


def data_folder() -> Path:
    """Where tasks.jsonl and demonstrations.jsonl come with the package."""
    return Path(str(files("lft") / "agents" / "data"))


@cache
def tasks(folder: Path | None = None) -> dict[str, Task]:
    """id -> task, in the order of the file; raises `InputError` for a row that cannot be, or names a demonstration that
    is not there.
    """
    path, known = (folder or data_folder()) / "tasks.jsonl", demonstrations(folder)
    found: dict[str, Task] = {}
    for row, where in _rows(path):
        task = read_task(row, where=where)
        lacking = [clip for clip in task.clips if clip not in known]
        if lacking:
            raise InputError(
                f"no demonstration {shown(lacking[0])}", where=where, expected="a row of demonstrations.jsonl"
            )
        if task.id in found:
            raise InputError(f"a second task {shown(task.id)}", where=where, expected="an unused id")
        found[task.id] = task
    return found


@cache
def demonstrations(folder: Path | None = None) -> dict[str, Demonstration]:
    """id -> demonstration, in the order of the file; raises `InputError` for a row that cannot be."""
    found: dict[str, Demonstration] = {}
    for row, where in _rows((folder or data_folder()) / "demonstrations.jsonl"):
        one = read_demonstration(row, where=where)
        if one.id in found:
            raise InputError(f"a second demonstration {shown(one.id)}", where=where, expected="an unused id")
        found[one.id] = one
    return found


def read_task(row: Entries, *, where: object) -> Task:
    """A task from its row."""
    names = ["pass" if name == "goal" else name for name in Task.__dataclass_fields__]
    entries = _Entries(checked_keys(row, names, where=where), where)
    kind = entries.text("kind")
    if kind not in KINDS:
        raise InputError(f"kind is {shown(kind)}", where=where, expected=", ".join(KINDS))
    clips = entries.of("clips", list, "a list of ids")
    if not 1 <= len(clips) <= MOST_CLIPS or not all(isinstance(clip, str) for clip in clips):
        raise InputError(f"clips is {shown(clips)}", where=where, expected=f"1 to {MOST_CLIPS} ids")
    return Task(
        entries.id(), entries.text("environment"), kind, *entries.start(),
        entries.whole("decisions", 1, MOST_DECISIONS),
        read_goal(row.get("pass"), where=f"{where}: pass"), read_score(row.get("score"), where=f"{where}: score"),
        tuple(clips), entries.text("start_hash"), entries.runs("expert"),
        entries.number("expert_score"), entries.number("random_score"), str(row.get("why", "")),
    )  # fmt: skip


def read_demonstration(row: Entries, *, where: object) -> Demonstration:
    """A demonstration from its row."""
    entries = _Entries(checked_keys(row, Demonstration.__dataclass_fields__, where=where), where)
    end = entries.text("end")
    if end not in ENDS:
        raise InputError(f"end is {shown(end)}", where=where, expected=", ".join(ENDS))
    claims = entries.of("claims", dict, "a mapping of measures")
    actions, frames = entries.runs("actions"), entries.whole("frames", 3, 10_000)
    if frames != len(unrolled(actions)) + 2:
        what = f"{frames} frames for {len(unrolled(actions))} decisions"
        raise InputError(what, where=where, expected="two more than decisions: the start and the end")
    return Demonstration(
        entries.id(), entries.text("environment"), *entries.start(), actions, end, claims, frames
    )


class _Entries:
    """The entries of a row, each checked as it is taken."""

    def __init__(self, row: Entries, where: object) -> None:
        self._row, self._where = row, where

    def of(self, name: str, kind: type, expected: str) -> Any:
        value = self._row.get(name)
        if not isinstance(value, kind) or isinstance(value, bool):
            raise InputError(f"{name} is {shown(value)}", where=self._where, expected=expected)
        return value

    def text(self, name: str) -> str:
        value = self.of(name, str, "text")
        if not value:
            raise InputError(f"{name} is empty", where=self._where, expected="text")
        return str(value)

    def id(self) -> str:
        value, environment = self.text("id"), self.text("environment")
        if not value.startswith(f"{environment}/") or not value.isprintable() or " " in value:
            what = f"id is {shown(value)}"
            raise InputError(what, where=self._where, expected=f"{environment}/NAME without spaces")
        return value

    def whole(self, name: str, least: int, most: int) -> int:
        value = int(self.of(name, int, f"a whole number, {least} to {most}"))
        if not least <= value <= most:
            raise InputError(f"{name} is {value}", where=self._where, expected=f"{least} to {most}")
        return value

    def number(self, name: str) -> float:
        value = float(self.of(name, (int, float), "0 to 100"))  # type: ignore[arg-type]
        if not 0 <= value <= 100:
            raise InputError(f"{name} is {value}", where=self._where, expected="0 to 100")
        return value

    def start(self) -> tuple[int, int, Runs]:
        return (
            self.whole("seed", 0, 2**31 - 1),
            self.whole("skipped_frames", 0, 10**6),
            self.runs("preloaded"),
        )

    def runs(self, name: str) -> Runs:
        found = []
        for run in self.of(name, list, "runs such as [['RIGHT', 3], ['UP', 1]]"):
            action, times = run if isinstance(run, list) and len(run) == 2 else (None, None)
            if (
                not isinstance(action, str)
                or isinstance(times, bool)
                or not isinstance(times, int)
                or times < 1
            ):
                what = f"{name} has the run {shown(run)}"
                raise InputError(what, where=self._where, expected="[action, times from 1 on]")
            found.append((action, times))
        return tuple(found)


def _rows(path: Path) -> Iterator[tuple[JsonObject, str]]:
    if path.exists():
        for number, row in numbered_json_lines(path):
            yield row, f"{path}:{number}"
