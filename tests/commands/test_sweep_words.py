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
    assert "lft: interrupted; what was done is kept" in err
    settled = Run.open(here / "run").turns()
    assert sum(len(turns) for turns in settled.values()) == gemini.answered >= 2
