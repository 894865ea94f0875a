"""Batch jobs: one file of requests, found again by name, each trial answered once."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lft.core.batch import ask_batch
from lft.core.errors import InputError
from lft.core.models import Model
from lft.core.runs import Recorder, Run, Tally
from lft.core.video.media import Media
from tests.core.asking import MANIFEST, Counting, lines_of, questions
from tests.core.models.test_contract import EXPECTED_S, frame_number, trial
from tests.core.test_episodes import MANIFEST as WALKS
from tests.core.test_episodes import Walk
from tests.fakes.provider import FakeProvider, Fault

Load = Callable[..., Model]
TWO_TURNS = {**MANIFEST, "prompts": {"p": {"turns": 2}}}


def sweep(folder: Path, model: Any, trials: Any, manifest: dict[str, Any] = MANIFEST, **more: Any) -> Tally:
    with Recorder(folder, manifest) as recorder:
        return ask_batch(recorder, model, trials, poll_s=0.01, **more)


def state(folder: Path) -> list[dict[str, Any]]:
    jobs: list[dict[str, Any]] = json.loads((folder / "batch.json").read_text())["jobs"]
    return jobs


def test_a_job_answers_every_trial_at_half_the_price(fake: FakeProvider, load: Load, tmp_path: Path) -> None:
    tally = sweep(tmp_path, load("gemini"), questions(5))
    assert (tally.answered, tally.missing) == (5, 0)
    assert len(fake.jobs) == 1
    direct = load("gemini").generate(questions(1)[0].next(())).cost_usd
    assert direct
    assert tally.cost_usd == pytest.approx(5 * direct / 2)
    assert [line["text"] for line in lines_of(tmp_path)] == [r"1. 3.5 s - left wall - count 1 \boxed{1}"] * 5
    assert all(line["sent"]["batch"] for line in lines_of(tmp_path))
    again = sweep(tmp_path, load("gemini"), questions(5))
    assert (again.kept, again.answered, len(fake.jobs)) == (5, 0, 1)


def test_frames_words_and_settings_are_those_of_a_direct_call(
    fake: FakeProvider, load: Load, clip: Media, tmp_path: Path
) -> None:
    asked = trial(clip, "frames:8", "time", "role_prompting")
    model = load("gemini", "temperature=0&thinking_level=low&seed=3")
    sweep(tmp_path, model, [asked])
    model.generate(asked.next(()))
    batch, direct = fake.calls
    assert [frame_number(image) for image in batch.images] == [
        int(t * 30 + 1e-6) % 31 for t in EXPECTED_S["frames:8"]
    ]
    assert batch.parts == direct.parts
    assert batch.system == direct.system
    assert batch.document["generationConfig"] == direct.document["generationConfig"]
    (line,) = lines_of(tmp_path)
    assert line["sent"]["images"] == line["images"] == 8


def test_turns_follow_one_another_in_jobs_of_their_own(
    fake: FakeProvider, load: Load, tmp_path: Path
) -> None:
    tally = sweep(tmp_path, load("gemini"), questions(3, turns=2), TWO_TURNS)
    assert (tally.answered, len(fake.jobs)) == (3, 2)
    assert [line["key"]["turn"] for line in lines_of(tmp_path)] == [0, 0, 0, 1, 1, 1]
    assert [role for role, _, _ in fake.calls[-1].parts] == ["user", "model", "user"]


def test_what_failed_is_asked_again_by_the_next_run_only(
    fake: FakeProvider, load: Load, tmp_path: Path
) -> None:
    fake.plan = lambda call: Fault(500) if "t001" in call.texts[0] and len(fake.jobs) == 1 else None
    tally = sweep(tmp_path, load("gemini"), questions(3))
    assert (tally.answered, tally.missing, tally.errors) == (2, 1, {"server": 1})
    tally = sweep(tmp_path, load("gemini"), questions(3))
    assert (tally.kept, tally.answered) == (2, 1)


class Killed(BaseException):
    """Stands for a kill: nothing after it runs."""


@pytest.mark.parametrize("moment", ["before", "after", "waiting", "recording"])
def test_a_kill_at_any_moment_neither_pays_twice_nor_loses(
    fake: FakeProvider, load: Load, tmp_path: Path, moment: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from lft.core.models.gemini_batch import GeminiBatch

    def kill(*_: Any, **__: Any) -> Any:
        raise Killed

    real = GeminiBatch.submit
    with monkeypatch.context() as patched:
        if moment == "before":  # the job is noted, not made
            patched.setattr(GeminiBatch, "submit", kill)
        elif moment == "after":  # the job is made, its name not noted

            def submit(self: Any, lines: Any, display_name: str) -> str:
                real(self, lines, display_name)
                raise Killed

            patched.setattr(GeminiBatch, "submit", submit)
        elif moment == "waiting":
            patched.setattr(GeminiBatch, "results", kill)
        else:
            append, count = Recorder.append, iter(range(100))

            def dies_at_the_third(self: Recorder, line: Any) -> None:
                if next(count) == 2:
                    raise Killed
                append(self, line)

            patched.setattr(Recorder, "append", dies_at_the_third)
        with pytest.raises(Killed):
            sweep(tmp_path, load("gemini"), questions(4))
    tally = sweep(tmp_path, load("gemini"), questions(4))
    assert tally.missing == 0
    assert len(fake.jobs) == 1
    assert sorted(line["trial"] for line in lines_of(tmp_path)) == [q.id for q in questions(4)]
    assert all(job["done"] for job in state(tmp_path))


def test_a_lost_job_is_made_again_by_the_next_run(fake: FakeProvider, load: Load, tmp_path: Path) -> None:
    told: list[str] = []
    fake.job_polls = 10**6

    def lose(line: str) -> None:
        told.append(line)
        for job in fake.jobs.values():
            job["lost"] = True

    tally = sweep(tmp_path, load("gemini"), questions(2), told=lose)
    assert (tally.answered, tally.missing) == (0, 2)
    assert told[-1] == "job batches/job0 expired; the same command again asks its 2 trials"
    fake.job_polls = 0
    assert sweep(tmp_path, load("gemini"), questions(2)).answered == 2


def test_large_sweeps_are_cut_into_jobs(fake: FakeProvider, load: Load, tmp_path: Path) -> None:
    tally = sweep(tmp_path, load("gemini"), questions(10), most_bytes=400)
    assert tally.answered == 10
    assert len(fake.jobs) > 2
    assert sum(len(job["requests"]) for job in fake.jobs.values()) == 10


def test_what_cannot_be_given_is_settled_without_a_job(
    fake: FakeProvider, load: Load, clip: Media, tmp_path: Path
) -> None:
    tally = sweep(tmp_path, load("gemini", "max_images=4"), [trial(clip, "frames:8", "none", "direct")])
    assert (tally.not_applicable, tally.missing, len(fake.jobs)) == (1, 0, 0)


def test_a_job_of_a_wider_command_is_not_lost(fake: FakeProvider, load: Load, tmp_path: Path) -> None:
    fake.job_polls = 10**6

    def stop(line: str) -> None:
        raise Killed

    with pytest.raises(Killed):
        sweep(tmp_path, load("gemini"), questions(4), told=stop)
    fake.job_polls = 0
    # A narrower command takes in all that the job holds, and counts its own.
    assert sweep(tmp_path, load("gemini"), questions(2)).answered == 2
    assert len(Run.open(tmp_path).answers()) == 4
    assert sweep(tmp_path, load("gemini"), questions(4)).kept == 4
    assert len(fake.jobs) == 1


def test_other_models_have_no_batch(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="has no batch jobs; expected gemini:NAME"):
        sweep(tmp_path, Counting(), questions(1))


def test_what_was_not_applicable_is_asked_when_a_limit_changes(
    fake: FakeProvider, load: Load, clip: Media, tmp_path: Path
) -> None:
    asked = trial(clip, "frames:8", "none", "direct")
    sweep(tmp_path, load("gemini", "max_images=4"), [asked])
    assert sweep(tmp_path, load("gemini", "max_images=4"), [asked]).kept == 1
    assert sweep(tmp_path, load("gemini", "max_images=40"), [asked]).answered == 1


def test_an_episode_is_asked_step_by_step_and_ends_early(
    fake: FakeProvider, load: Load, tmp_path: Path
) -> None:
    fake.answer = lambda call: "1"
    walks = [Walk("w0", goal=1), Walk("w1", goal=3), Walk("w2", goal=3, refuses_at=2)]
    tally = sweep(tmp_path, load("gemini"), walks, WALKS)
    assert (tally.answered, tally.not_applicable, tally.missing, len(fake.jobs)) == (2, 1, 0, 3)
    found = {name: (one.end, len(one.answers)) for name, one in Run.open(tmp_path).episodes().items()}
    assert found == {"w0": ("arrived", 1), "w1": ("arrived", 3), "w2": ("not_applicable", 2)}
    assert all(walk.places == [] for walk in walks)  # let go between jobs
    again = sweep(tmp_path, load("gemini"), walks, WALKS)
    assert (again.kept, again.answered, len(fake.jobs)) == (3, 0, 3)


def test_an_episode_that_a_job_left_goes_on_without_asking_again(
    fake: FakeProvider, load: Load, tmp_path: Path
) -> None:
    fake.answer = lambda call: "1"
    fake.plan = lambda call: Fault(500) if len(fake.jobs) == 2 else None
    tally = sweep(tmp_path, load("gemini"), [Walk("w0")], WALKS)
    assert (tally.answered, tally.missing, len(fake.jobs)) == (0, 1, 2)
    tally = sweep(tmp_path, load("gemini"), [Walk("w0")], WALKS)
    assert (tally.answered, len(fake.jobs)) == (1, 4)
    assert [line["key"]["turn"] for line in lines_of(tmp_path)] == [0, 1, 1, 2, 3]
