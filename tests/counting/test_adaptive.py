"""Sweeping until the frontier: identical frontiers, never a call in vain, whatever the order and the
concurrency.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lft.core.runs import Run
from lft.counting.adaptive import UntilFrontier, needed_cells
from lft.counting.cells import Surface
from lft.counting.frontier import Reaches, frontier, reaches_by_count
from lft.counting.spec import ClipSpec

PUBLISHED = Path(__file__).parents[2] / "results" / "published" / "surfaces.csv"
Place = tuple[float, int]


@dataclass(frozen=True)
class Question:
    id: str
    key: dict[str, Any]
    turns: int = 1


class Session:
    """A run folder that is answered from a table of right and wrong, `flying` calls at a time, in random
    order.
    """

    def __init__(self, folder: Path, answers: dict[Place, list[bool]], rng: random.Random) -> None:
        (folder / "manifest.json").write_text(json.dumps({"schema": "lft.run/1"}))
        self.run = Run.open(folder)
        self.file = folder / "responses.jsonl"
        self.planned = []
        self.right: dict[str, bool] = {}
        for (f, n), outcomes in answers.items():
            for seed, outcome in enumerate(outcomes):
                clip = ClipSpec("blinking", n, f, seed).clip_id
                self.planned.append(Question(clip, {"clip": clip, "model": "m", "sampling": "fps:1"}))
                self.right[clip] = outcome
        self.rng = rng
        rng.shuffle(self.planned)
        self.calls = 0

    def queue(self, tau: float) -> UntilFrontier:
        return UntilFrontier(self.run, self.planned, tau, lambda line, count: line.get("text") == "right")

    def record(self, trial: Any, status: str = "answered", **more: Any) -> None:
        text = "right" if self.right[trial.id] else "wrong"
        line = {"trial": trial.id, "key": {**trial.key, "turn": 0}, "status": status, "text": text, **more}
        with open(self.file, "a") as file:
            file.write(json.dumps(line) + "\n")

    def ask(self, queue: UntilFrontier, flying: int, stop_after: int = 10**9) -> None:
        """As a sweep does: fill up, wait for one, ask again."""
        air: list[Any] = []
        while True:
            while len(air) < flying and self.calls < stop_after:
                trial = next(queue, None)
                if trial is None:
                    break
                self.calls += 1
                air.append(trial)
            if not air:
                return
            self.record(air.pop(self.rng.randrange(len(air))))

    def decided(self, tau: float) -> dict[Place, Reaches]:
        """The surface as the run's record gives it."""
        cells: dict[Place, list[int]] = {}
        for trial in self.planned:
            n, f = int(trial.id.split("/n")[1][:2]), float(trial.id.split("_f")[1].split("_")[0])
            cells.setdefault((f, n), [0, 0, 0])[2] += 1
        for line in self.run.lines():
            n, f = int(line["trial"].split("/n")[1][:2]), float(line["trial"].split("_f")[1].split("_")[0])
            if line["status"] == "answered":
                cells[f, n][0] += line["text"] == "right"
                cells[f, n][1] += 1
        return {place: reaches_by_count(c, a, p - a, tau) for place, (c, a, p) in cells.items()}


def full(answers: dict[Place, list[bool]], tau: float) -> dict[Place, Reaches]:
    return {place: reaches_by_count(sum(r), len(r), 0, tau) for place, r in answers.items()}


def test_what_is_needed_by_hand() -> None:
    # Counts 1 2 3, frequencies 1 2 3 Hz; 1 Hz reaches counts 1 and 2, fails 3; 2 Hz fails 1.
    # Count frontier at 1 Hz needs 1, 2, 3; at 2 Hz only 1; at 3 Hz only 1.
    # Frequency frontier at N = 1 needs 1 and 2 Hz; at N = 2 also 2 Hz, not yet 3; at N = 3 only 1 Hz.
    cells: dict[Place, Reaches] = {(f, n): None for f in (1.0, 2.0, 3.0) for n in (1, 2, 3)}
    cells |= {(1.0, 1): True, (1.0, 2): True, (1.0, 3): False, (2.0, 1): False}
    assert needed_cells(cells) == {(1.0, 1), (1.0, 2), (1.0, 3), (2.0, 1), (3.0, 1), (2.0, 2)}


@pytest.fixture
def session(tmp_path: Path) -> Callable[..., Session]:
    number = 0

    def make(answers: dict[Place, list[bool]], seed: int = 0) -> Session:
        nonlocal number
        number += 1
        folder = tmp_path / str(number)
        folder.mkdir()
        return Session(folder, answers, random.Random(seed))

    return make


def test_one_cell_stops_when_it_is_decided(session: Callable[..., Session]) -> None:
    s = session({(1.0, 1): [True] * 10})
    s.ask(s.queue(0.8), flying=1)
    assert s.calls == 8  # 8 of 10 are right: the others cannot change it
    s = session({(1.0, 1): [False] * 10})
    s.ask(s.queue(0.8), flying=1)
    assert s.calls == 3  # 7 of 10 at best
    s = session({(1.0, 1): [False] * 10})
    s.ask(s.queue(0.8), flying=16)
    assert s.calls == 3  # no fourth call while three may decide


surfaces = st.dictionaries(
    st.tuples(st.sampled_from([0.5, 1.0, 1.5]), st.sampled_from([1, 2, 3])),
    st.lists(st.booleans(), min_size=1, max_size=6),
    min_size=1,
)


@settings(max_examples=60, deadline=None)
@given(surfaces, st.sampled_from([0.5, 0.8, 1.0]), st.integers(1, 9), st.randoms(use_true_random=False))
def test_frontiers_are_identical(
    tmp_path_factory: pytest.TempPathFactory,
    answers: dict[Place, list[bool]],
    tau: float,
    flying: int,
    rng: random.Random,
) -> None:
    """Any surface (ragged ones too), any tau, any number of seeds, any order, any concurrency."""
    s = Session(tmp_path_factory.mktemp("run"), answers, rng)
    s.ask(s.queue(tau), flying)
    assert frontier(s.decided(tau)) == frontier(full(answers, tau))


@settings(max_examples=30, deadline=None)
@given(surfaces, st.integers(0, 20), st.integers(1, 9), st.randoms(use_true_random=False))
def test_resuming_asks_nothing_twice(
    tmp_path_factory: pytest.TempPathFactory,
    answers: dict[Place, list[bool]],
    stop_after: int,
    flying: int,
    rng: random.Random,
) -> None:
    s = Session(tmp_path_factory.mktemp("run"), answers, rng)
    s.ask(s.queue(0.8), flying, stop_after)
    s.ask(s.queue(0.8), flying)
    trials = [line["trial"] for line in s.run.lines()]
    assert len(trials) == len(set(trials)) == s.calls
    assert frontier(s.decided(0.8)) == frontier(full(answers, 0.8))


def test_a_failed_call_makes_room_for_another_seed(session: Callable[..., Session]) -> None:
    s = session({(1.0, 1): [True] * 10})
    queue = s.queue(0.8)
    first = next(queue)
    for attempt in range(1, 6):
        s.record(first, "error", attempt=attempt, error={"kind": "server", "message": ""})
    s.ask(queue, flying=4)
    answered = [line["trial"] for line in s.run.lines() if line["status"] == "answered"]
    assert len(answered) == 8
    assert first.id not in answered


def test_not_applicable_trials_leave_the_cell(session: Callable[..., Session]) -> None:
    s = session({(1.0, 1): [True] * 10})
    queue = s.queue(0.8)
    for _ in range(5):
        s.record(next(queue), "not_applicable")
    s.ask(queue, flying=1)
    assert sum(line["status"] == "answered" for line in s.run.lines()) == 4  # 4 of the 5 that remain


def test_clips_without_events_are_not_asked(session: Callable[..., Session]) -> None:
    s = session({(1.0, 0): [True] * 3, (1.0, 1): [False] * 3})
    queue = s.queue(0.8)
    s.ask(queue, flying=1)
    assert s.calls == 1  # at tau 0.8 one of three wrong decides
    assert len(queue.not_needed) == 5


def test_published_surfaces(session: Callable[..., Session]) -> None:
    """Every published surface, seeds in random order: the same frontiers, for about a sixth of the calls."""
    calls = total = 0
    surface = Surface.read_csv(PUBLISHED)
    for number, (_, cells) in enumerate(surface.groups()):
        rng = random.Random(number)
        answers = {}
        for row in cells[cells["count"] > 0].to_dict("records"):
            right = round(row["accuracy"] * 10)
            outcomes = [True] * right + [False] * (10 - right)
            answers[row["frequency_hz"], int(row["count"])] = rng.sample(outcomes, 10)
        s = session(answers, number)
        s.ask(s.queue(0.8), flying=rng.randrange(1, 9))
        assert frontier(s.decided(0.8)) == frontier(full(answers, 0.8))
        calls += s.calls
        total += 730
    assert 0.13 < calls / total < 0.21
