"""Episodes: a trial whose next request depends on the answers, and that says itself when it has ended.

The trial below walks: each answer is a number of steps, from 0 to its goal, with ten answers at most.
"""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lft.core.ask import Limits, ask
from lft.core.requests import Images, Message, ModelError, NotApplicable, Request, Response, Video, said, user
from lft.core.run_lines import supplied
from lft.core.runs import Recorder, Run, Tally
from lft.core.trials import Done, Foreseen
from lft.core.video.frames import Frames
from lft.core.video.media import Media
from tests.core.asking import lines_of
from tests.videos import numbered, write_video

MANIFEST: dict[str, Any] = {"suite": "walk", "model": {"name": "m"}, "ends": "recorded"}
QUICK = Limits(concurrency=3, first_pause_s=0.001)
Failure = ModelError | NotApplicable


@dataclass
class Walk:
    """`plays` counts how often the walk was begun, `steps` the steps that were walked, replayed ones included."""

    id: str
    goal: int = 3
    by_failure: Callable[[Failure], Done | None] = lambda failure: None
    refuses_at: int = 99
    plays: int = 0
    steps: int = 0
    places: list[int] = field(default_factory=list)  # while it is alive: 0, and where each answer led

    @property
    def key(self) -> dict[str, Any]:
        return {"walk": self.id, "goal": self.goal, "model": "m"}

    @property
    def foreseen(self) -> Foreseen:
        return Foreseen(10, 55, 10)

    def next(self, answers: Sequence[Response]) -> Request | Done:
        if len(self.places) > len(answers) + 1 or not self.places:
            self.places, self.plays = [0], self.plays + 1
        for answer in answers[len(self.places) - 1 :]:
            self.places.append(self.places[-1] + int(answer.text))
            self.steps += 1
        if self.places[-1] >= self.goal:
            return Done("arrived", {"place": self.places[-1], "answers": len(answers)})
        if len(answers) == 10:
            return Done("timeout", {"place": self.places[-1]})
        if len(answers) == self.refuses_at:
            raise NotApplicable(f"no picture of place {self.places[-1]}", limit="images")
        messages: list[Message] = []
        for place, answer in zip(self.places, answers, strict=False):
            messages += [user(picture(place), f"walk {self.id}, at {place}"), said(answer.text)]
        messages.append(user(picture(self.places[-1]), f"walk {self.id}, at {self.places[-1]}"))
        return Request(messages, key=self.key, kept={"place": self.places[-1]})

    def failed(self, answers: Sequence[Response], failure: Failure) -> Done | None:
        return self.by_failure(failure)

    def release(self) -> None:
        self.places = []


def picture(place: int) -> Images:
    pixels = np.full((1, 8, 8, 3), place, np.uint8)
    return Images(Frames.of_pixels(pixels, [0.0]), purpose="observation")


@dataclass
class Walker:
    """Answers 1; `fails(walk, turn, call)` may give an exception to raise instead."""

    fails: Callable[[str, int, int], Exception | None] = lambda walk, turn, call: None
    cost_usd: float = 0.0
    name: str = "m"
    asked: Counter[tuple[str, int]] = field(default_factory=Counter)
    answered: Counter[tuple[str, int]] = field(default_factory=Counter)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def describe(self) -> dict[str, Any]:
        return {"provider": "test"}

    def generate(self, request: Request) -> Response:
        place = (str(request.key["walk"]), int(request.key["turn"]))
        with self.lock:
            self.asked[place] += 1
            call = self.asked[place]
        if error := self.fails(*place, call):
            raise error
        with self.lock:
            self.answered[place] += 1
        return Response("1", cost_usd=self.cost_usd)


def sweep(folder: Path, model: Walker, trials: Sequence[Walk], limits: Limits = QUICK) -> Tally:
    with Recorder(folder, MANIFEST) as recorder:
        return ask(recorder, model, trials, limits)


def walks(count: int, **others: Any) -> list[Walk]:
    return [Walk(f"w{k}", **others) for k in range(count)]


def test_an_episode_ends_early_and_its_line_says_how(tmp_path: Path) -> None:
    tally = sweep(tmp_path, Walker(), walks(1))
    assert (tally.planned, tally.answered, tally.missing) == (1, 1, 0)
    *steps, end = lines_of(tmp_path)
    assert [(line["key"]["turn"], line["status"], line["kept"]) for line in steps] == [
        (k, "answered", {"place": k}) for k in range(3)
    ]
    assert end == {
        "trial": "w0",
        "key": {"walk": "w0", "goal": 3, "model": "m", "turn": 3},
        "status": "done",
        "end": "arrived",
        "kept": {"place": 3, "answers": 3},
    }
    (episode,) = Run.open(tmp_path).episodes().values()
    assert (episode.status, episode.end, len(episode.answers)) == ("answered", "arrived", 3)


def test_the_line_counts_pictures_by_purpose_and_has_no_times_of_observations(tmp_path: Path) -> None:
    sweep(tmp_path, Walker(), walks(1))
    last = lines_of(tmp_path)[2]
    assert (last["pictures"], last["images"], last["frame_times_s"]) == ({"observation": 3}, 3, [])


def test_a_video_that_is_a_demonstration_is_no_evidence(tmp_path: Path) -> None:
    clip = Media.open(write_video(tmp_path / "v.mp4", numbered(3)))
    shown = supplied(Request((Video(clip, purpose="demonstration"), Video(clip), picture(1))))
    assert (shown["native"], shown["videos"]) == (True, {"demonstration": 1, "evidence": 1})
    shown = supplied(Request((Video(clip, purpose="demonstration"), picture(1))))
    assert (shown["native"], shown["videos"], shown["pictures"]) == (
        False, {"demonstration": 1}, {"observation": 1}
    )  # fmt: skip
    assert "videos" not in supplied(Request((Video(clip),)))


def test_the_same_command_again_asks_nothing(tmp_path: Path) -> None:
    model = Walker()
    sweep(tmp_path, model, walks(4))
    before = lines_of(tmp_path)
    tally = sweep(tmp_path, model, walks(4))
    assert (tally.kept, tally.answered) == (4, 0)
    assert lines_of(tmp_path) == before


def test_a_live_episode_is_played_once_and_one_that_goes_on_from_its_start(tmp_path: Path) -> None:
    (walk,) = walks(1, goal=5)
    sweep(
        tmp_path, Walker(lambda walk, turn, call: ModelError("blocked", "no") if turn == 3 else None), [walk]
    )
    assert (walk.plays, walk.steps) == (1, 3)
    assert walk.places == []  # released
    (again,) = walks(1, goal=5)
    model = Walker()
    sweep(tmp_path, model, [again])
    assert (again.plays, again.steps) == (1, 5)
    assert model.asked == {("w0", 3): 1, ("w0", 4): 1}


@pytest.mark.parametrize("by", ["the trial", "the model"])
def test_what_is_not_applicable_in_mid_episode_ends_it_by_name_and_the_sweep_goes_on(
    tmp_path: Path, by: str
) -> None:
    trials = walks(4)
    model = Walker()
    if by == "the trial":
        trials[1].refuses_at = 2
    else:
        model.fails = lambda walk, turn, call: (
            NotApplicable("too many", limit="images") if (walk, turn) == ("w1", 2) else None
        )
    tally = sweep(tmp_path, model, trials)
    assert (tally.answered, tally.not_applicable, tally.missing, tally.stopped) == (3, 1, 0, None)
    episode = Run.open(tmp_path).episodes()["w1"]
    assert (episode.status, episode.end, episode.last["limit"]) == ("not_applicable",) * 2 + ("images",)
    assert [line["text"] for line in episode.answers] == ["1", "1"]  # what was played is kept
    again = Walker()
    assert sweep(tmp_path, again, walks(4)).kept == 4
    assert not again.asked


def test_what_was_not_applicable_goes_on_where_it_was_when_told_to(tmp_path: Path) -> None:
    model = Walker(lambda walk, turn, call: NotApplicable("too long") if turn == 2 else None)
    sweep(tmp_path, model, walks(1))
    again = Walker()
    tally = sweep(tmp_path, again, walks(1), replace(QUICK, retry=["not-applicable"]))
    assert (tally.answered, again.asked) == (1, {("w0", 2): 1})
    assert Run.open(tmp_path).episodes()["w0"].end == "arrived"


@pytest.mark.parametrize(
    ("failure", "status"),
    [(NotApplicable("too long", limit="tokens"), "done"), (ModelError("truncated", "cut off"), "error")],
)
def test_a_suite_may_make_an_end_of_a_failure(tmp_path: Path, failure: Failure, status: str) -> None:
    def overflow(found: Failure) -> Done | None:
        return Done("overflow", {"why": str(found)})

    model = Walker(lambda walk, turn, call: failure if (walk, turn) == ("w0", 2) else None)
    tally = sweep(tmp_path, model, walks(2, by_failure=overflow), replace(QUICK, concurrency=1))
    assert (tally.answered, tally.not_applicable, tally.missing) == (2, 0, 0)
    mine = [line for line in lines_of(tmp_path) if line["trial"] == "w0"]
    assert mine[2]["status"] == status  # the call's own line
    assert (mine[-1]["status"], mine[-1]["end"], mine[-1]["kept"]) == (
        "done",
        "overflow",
        {"why": str(failure)},
    )
    episode = Run.open(tmp_path).episodes()["w0"]
    assert (episode.status, len(episode.answers), episode.last["key"]["turn"]) == ("answered", 2, 1)
    assert sweep(tmp_path, model, walks(2)).kept == 2
    assert not Run.open(tmp_path).lost()


def test_a_cut_answer_in_mid_episode_is_asked_again_by_the_next_run_and_nothing_else_is(
    tmp_path: Path,
) -> None:
    model = Walker(
        lambda walk, turn, call: ModelError("truncated", "cut") if turn == 1 and call == 1 else None
    )
    tally = sweep(tmp_path, model, walks(2))
    assert (tally.answered, tally.missing) == (0, 2)
    assert Run.open(tmp_path).episodes()["w0"].status == "missing"
    assert sweep(tmp_path, model, walks(2)).answered == 2
    assert set(model.answered.values()) == {1}


def test_rate_limits_in_mid_episode_ask_nothing_twice(tmp_path: Path) -> None:
    model = Walker(lambda walk, turn, call: ModelError("rate_limit", "429") if turn and call < 3 else None)
    tally = sweep(tmp_path, model, walks(5))
    assert (tally.answered, tally.errors) == (5, {"rate_limit": 20})  # two for each of two turns of five
    assert set(model.answered.values()) == {1}


def test_an_outage_in_mid_episode_asks_nothing_twice(tmp_path: Path) -> None:
    """Calls 4 to 20 fail, whoever makes them; trials that are put back go on from their last answer."""
    made = 0
    lock = threading.Lock()

    def fails(walk: str, turn: int, call: int) -> Exception | None:
        nonlocal made
        with lock:
            made += 1
            return ModelError("server", "503", is_down=True) if 4 <= made <= 20 else None

    model = Walker(fails)
    tally = sweep(tmp_path, model, walks(4), replace(QUICK, attempts=1))
    assert (tally.answered, tally.missing, tally.stopped) == (4, 0, None)
    assert set(model.answered.values()) == {1}


def test_a_budget_stops_in_mid_episode_and_is_kept(tmp_path: Path) -> None:
    model = Walker(cost_usd=1.0)
    tally = sweep(tmp_path, model, walks(3), replace(QUICK, max_cost_usd=2.5))
    assert tally.cost_usd == 2.0
    assert tally.stopped == "the budget of 2.5 USD does not allow another call"
    assert sweep(tmp_path, model, walks(3)).answered == 3
    assert set(model.answered.values()) == {1}


def test_an_episode_that_never_ends_is_left_and_the_others_are_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from lft.core import trials

    monkeypatch.setattr(trials, "MOST_TURNS", 5)
    endless, short = Walk("w0", goal=99), Walk("w1")
    tally = sweep(tmp_path, Walker(), [endless, short])
    assert (tally.answered, tally.missing, tally.errors) == (1, 1, {"raised": 1})
    assert lines_of(tmp_path)[-1]["trial"] in ("w0", "w1")
    (line,) = [line for line in lines_of(tmp_path) if line["status"] == "error"]
    assert line["error"]["message"] == "the trial has not ended after 5 answers"


def test_an_interrupted_sweep_ends_at_once_and_goes_on_from_the_last_answers(tmp_path: Path) -> None:
    model, seen = Walker(), 0

    def interrupts(tally: Tally, trial: Any, line: Any) -> None:
        nonlocal seen
        seen += 1
        if seen == 4:
            raise KeyboardInterrupt

    with Recorder(tmp_path, MANIFEST) as recorder, pytest.raises(KeyboardInterrupt):
        ask(recorder, model, walks(4, goal=9), QUICK, seen=interrupts)
    assert len(lines_of(tmp_path)) < 12  # no more than was in flight
    assert sweep(tmp_path, model, walks(4, goal=9)).answered == 4
    assert set(model.answered.values()) == {1}


def test_a_next_request_is_made_when_the_answer_before_it_is_on_disk(tmp_path: Path) -> None:
    on_disk = []

    class Watched(Walk):
        def next(self, answers: Sequence[Response]) -> Request | Done:
            path = tmp_path / "responses.jsonl"
            on_disk.append(len(path.read_text().splitlines()) if path.exists() else 0)
            return super().next(answers)

    sweep(tmp_path, Walker(), [Watched("w0")])
    assert on_disk == [0, 1, 2, 3]


def test_an_end_before_anything_was_asked(tmp_path: Path) -> None:
    tally = sweep(tmp_path, Walker(), [Walk("w0", goal=0)])
    assert tally.answered == 1
    run = Run.open(tmp_path)
    assert run.episodes()["w0"].end == "arrived"
    assert run.answers()["w0"]["status"] == "done"


def test_a_run_says_what_is_no_end(tmp_path: Path) -> None:
    sweep(tmp_path, Walker(), walks(1))
    path = tmp_path / "manifest.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "ends": "somehow"}))
    with pytest.raises(ValueError, match="ends is 'somehow'"):
        Run.open(tmp_path)
