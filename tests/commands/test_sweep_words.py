"""What `lft sweep` says beside its result: repeated frames, the last error, an end from outside."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from lft.core.runs import Run
from tests.commands.conftest import run
from tests.fakes.provider import FakeProvider, Fault
from tests.fakes.wire import Call

Out = pytest.CaptureFixture[str]


@pytest.mark.parametrize("command", ["sweep", "plan"])
def test_frames_above_the_videos_rate_are_said_to_be_repeats(
    here: Path, rendered: Path, capsys: Out, command: str
) -> None:
    asked = (command, "small.yaml", "--model", "observer", "--clips", rendered, "--prompt", "direct")
    assert run(*asked, "--sampling", "fps:100", "--sampling", "fps:30", "--sampling", "frames:61") == 0
    told = [line for line in capsys.readouterr().err.splitlines() if "repeats" in line]
    # Two seconds at 30 frames per second: 60 frames, asked for 200 times and 61 times.
    assert told == [
        "lft: fps:100 supplies 200 frames of blinking/n00_f1.0_s04, 60 of them different: the video has 30 a "
        "second, the others are repeats",
        "lft: frames:61 supplies 61 frames of blinking/n00_f1.0_s04, 60 of them different: the video has 30 a "
        "second, the others are repeats",
    ]


def test_what_is_missing_comes_with_the_last_error(
    here: Path, rendered: Path, gemini: FakeProvider, capsys: Out
) -> None:
    gemini.plan = lambda call: Fault("blocked_answer")
    asked = ("sweep", "small.yaml", "--model", "gemini:m", "--clips", rendered, "--sampling", "fps:1")
    assert run(*asked, "--prompt", "direct") == 1
    out = capsys.readouterr().out
    assert "errors on the way: 2 blocked\nthe last of them: blocked, the answer was blocked: SAFETY\n" in out


def test_another_condition_of_a_run_and_what_a_model_does_not_take(
    here: Path, rendered: Path, capsys: Out
) -> None:
    """Two clips: two trials a condition. The second sweep kept none of its own, and the run holds four answers."""
    asked = ("sweep", "small.yaml", "--model", "observer", "--clips", rendered, "--prompt", "direct")
    for sampling, told in (
        ("fps:4", "2 answered now, 0 kept from before, 0 missing of 2 trials\ncost"),
        (
            "fps:2",
            "2 answered now, 0 kept from before, 0 missing of 2 trials\n"
            "in the whole run: 4 answered of 4 trials\ncost",
        ),
    ):
        assert run(*asked, "--sampling", sampling, "--run", here / "run") == 0
        assert told in capsys.readouterr().out


def test_why_trials_are_not_applicable_is_said_once(
    here: Path, rendered: Path, monkeypatch: pytest.MonkeyPatch, capsys: Out
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-none-of-yours")
    words = ("small.yaml", "--model", "openai:gpt-5", "--clips", rendered)
    more = ("--sampling", "native", "--prompt", "direct", "--run", here / "run")
    assert run("plan", *words, *more) == 0
    assert capsys.readouterr().out.count("not applicable, 2 trials: the model takes no video\n") == 1
    for _ in range(2):  # also of trials that were settled before
        assert run("sweep", *words, *more) == 0
        told = [line for line in capsys.readouterr().out.splitlines() if line.startswith("not applicable, ")]
        assert len(told) == 1
        assert told[0].startswith("not applicable, 2 trials: ")
        assert "video" in told[0]
    run("score", here / "run")
    assert capsys.readouterr().out.splitlines().count(told[0]) == 1


@pytest.mark.parametrize("command", ["sweep", "plan"])
def test_clips_of_natural_videos_are_imported_not_rendered(here: Path, capsys: Out, command: str) -> None:
    assert run(command, "natural", "--model", "observer") == 2
    err = capsys.readouterr().err
    assert "lft import videos DIR --annotations FILE --out results/clips/natural" in err
    assert "render" not in err


def test_verified_clips_of_an_own_grid_lead_to_a_sweep_that_fits(rendered: Path, capsys: Out) -> None:
    assert run("verify", rendered, "--jobs", "1") == 0
    assert f"next: lft sweep baseline --model observer --clips {rendered}\n" in capsys.readouterr().out


@pytest.mark.parametrize(("name", "status"), [("SIGTERM", 143), ("SIGHUP", 129)])
def test_a_request_to_end_keeps_the_answers_under_way(
    here: Path, rendered: Path, gemini: FakeProvider, name: str, status: int
) -> None:
    def slow(call: Call) -> str:
        time.sleep(1.0)
        return r"\boxed{1}"

    gemini.answer = slow
    words = (
        "sweep",
        "small.yaml",
        "--model",
        "gemini:m",
        "--clips",
        str(rendered),
        "--run",
        str(here / "run"),
    )
    command = [sys.executable, "-c", "from lft.cli import main; main()", *words, "--concurrency", "2"]
    repository = str(Path(__file__).resolve().parents[2])
    child = subprocess.Popen(
        command, env={**os.environ, "PYTHONPATH": repository}, stderr=subprocess.PIPE, text=True
    )
    until_s = time.monotonic() + 60
    while gemini.in_flight < 2 and time.monotonic() < until_s:
        time.sleep(0.01)
    child.send_signal(getattr(signal, name))
    _, err = child.communicate(timeout=60)
    assert child.returncode == status, err
    assert "lft: interrupted; finished work is kept" in err
    settled = Run.open(here / "run").turns()
    assert sum(len(turns) for turns in settled.values()) == gemini.answered >= 2
