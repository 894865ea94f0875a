"""A suite that another package brings: swept, resumed, planned, scored, shown and reported by the common commands."""

from __future__ import annotations

import csv
import json
import os
import re
import signal
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from lft import suites
from lft.cli import main
from lft.core.runs import Run
from tests.fakes.provider import FakeProvider, Fault
from tests.fakes.wire import Call
from tests.suites import guessing

SWEEP = "suite: guessing\ntitle: Guess the number\nsecrets: [50, 42, 1]\nwords: [plain, polite]\n"
ENTRY_POINTS = (
    "[lft.suites]\nguessing = tests.suites.guessing:SUITE\ncounting = tests.suites.guessing:SUITE\n"
)


def halving(call: Call) -> str:
    """Guesses by halving 1 to 100, by the pictures alone: what is white is higher."""
    low, high = 1, 100
    guesses = [int(text) for role, kind, text in call.parts if role == "model" and kind == "text"]
    for guess, image in zip(guesses, call.images, strict=True):
        white = cv2.imdecode(np.frombuffer(image, np.uint8), cv2.IMREAD_GRAYSCALE).mean() > 128
        low, high = (guess + 1, high) if white else (low, guess - 1)
    return str((low + high) // 2)


def turns_of(secret: int) -> int:
    """How many guesses halving takes: 50 is the first, 42 the seventh (50 25 37 43 40 41 42), 1 the sixth (50 25 12 6
    3 1).
    """
    return {50: 1, 42: 7, 1: 6}[secret]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(suites.SUITES, "guessing", "tests.suites.guessing:SUITE")
    (tmp_path / "guess.yaml").write_text(SWEEP)
    return tmp_path


@pytest.fixture
def server() -> Iterator[FakeProvider]:
    with FakeProvider(halving) as fake:
        yield fake


def lft(*arguments: object) -> int:
    with pytest.raises(SystemExit) as stopped:
        main([str(a) for a in arguments])
    return int(stopped.value.code or 0)


def spec(server: FakeProvider) -> str:
    return f"openai:guesser@{server.url}/v1"


def swept(server: FakeProvider, *more: object) -> int:
    return lft("sweep", "guess.yaml", "--model", spec(server), "--run", "run", *more)


def documents(text: str) -> Any:
    return json.loads(text)


def test_it_is_swept_scored_shown_and_reported(
    here: Path, server: FakeProvider, capsys: pytest.CaptureFixture[str]
) -> None:
    assert swept(server) == 0
    assert len(server.calls) == 2 * (1 + 7 + 6)
    run = Run.open("run")
    assert run.manifest["suite"] == "guessing"
    found = {name: (one.end, one.kept) for name, one in run.episodes().items()}
    assert found == {
        f"{secret},{words}": ("found", {"guesses": turns_of(secret)})
        for secret in (50, 42, 1)
        for words in ("plain", "polite")
    }
    capsys.readouterr()
    assert lft("score", "run", "--json") == 0
    document = documents(capsys.readouterr().out)
    assert [one["words"] for one in document["conditions"]] == ["plain", "polite"]
    measures = document["conditions"][0]["measures"]
    assert measures["found"]["mean"] == 1.0
    assert measures["guesses"]["mean"] == pytest.approx((1 + 7 + 6) / 3)
    with open(run.folder / "scores.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert {row["trial"]: row["guesses"] for row in rows}["42,plain"] == "7"
    assert lft("show", "run", "42,plain") == 0
    told = capsys.readouterr().out
    assert 'end      found, {"guesses": 7}' in told
    assert "words    are those that were sent (hash agrees)" in told
    assert re.findall(r"--- answered\n(\d+)", told) == ["50", "25", "37", "43", "40", "41", "42"]
    assert "pictures so far: 6 observation" in told
    (sheet,) = re.findall(r"contact sheet: (\S+)", told)
    assert Path(sheet).is_file()
    assert lft("report", "run") == 0
    page = Path("results/runs/run/report/index.html").read_text()
    assert "Guess the number" in page
    assert "<td>guesser · polite</td>" in page
    assert (run.folder / "report" / "tables" / "trials.csv").is_file()
    assert lft("cost", "run", "--by", "words", "--json") == 0


def test_the_same_command_again_asks_nothing(here: Path, server: FakeProvider) -> None:
    assert swept(server) == 0
    asked = len(server.calls)
    assert swept(server) == 0
    assert len(server.calls) == asked


def test_it_takes_options_of_its_own_and_none_of_another_suite(
    here: Path, server: FakeProvider, capsys: pytest.CaptureFixture[str]
) -> None:
    assert swept(server, "--words", "polite") == 0
    assert {key["words"] for key in Run.open("run").trials().values()} == {"polite"}
    assert swept(server, "--sampling", "fps:1") == 2
    assert "--sampling" in capsys.readouterr().err
    assert lft("sweep", "--words", "polite", "--model", spec(server), "guess.yaml", "--run", "run") == 0
    assert lft("sweep", "guess.yaml", "--help") == 0
    assert "--words" in capsys.readouterr().out
    assert lft("sweep", "--help") == 0
    shown = capsys.readouterr().out
    assert "--until-frontier" in shown
    assert "--words" not in shown


def test_it_is_planned(here: Path, server: FakeProvider, capsys: pytest.CaptureFixture[str]) -> None:
    assert lft("plan", "guess.yaml", "--model", spec(server), "--run", "run", "--json") == 0
    document = documents(capsys.readouterr().out)
    assert [(row["words"], row["trials"], row["calls"]) for row in document["conditions"]] == [
        ("plain", 3, 30),  # ten each at most
        ("polite", 3, 30),
    ]
    assert document["total"]["input_tokens"] is None
    assert swept(server, "--limit", 3) == 0
    capsys.readouterr()
    assert lft("plan", "guess.yaml", "--model", spec(server), "--run", "run", "--json") == 0
    document = documents(capsys.readouterr().out)
    assert document["total"]["remaining"] == 3
    assert [row["measured"] for row in document["conditions"]] == [2, 1]  # 50 and 42 plain, 50 polite
    assert all(row["input_tokens"] for row in document["conditions"])
    assert lft("sweep", "guess.yaml", "--model", spec(server), "--dry-run") == 0
    assert "Guess the number: 6 trials, 60 calls" in capsys.readouterr().out


def test_what_is_not_applicable_in_mid_game_is_said_and_the_sweep_goes_on(
    here: Path, server: FakeProvider, capsys: pytest.CaptureFixture[str]
) -> None:
    (here / "guess.yaml").write_text(SWEEP.replace("[50, 42, 1]", "[300, 50]"))
    assert swept(server) == 0
    assert "not applicable, 2 trials: 300 is no number from 1 to 100" in capsys.readouterr().out
    one = Run.open("run").episodes()["300,plain"]
    assert (one.status, [line["text"] for line in one.answers]) == ("not_applicable", ["50", "75", "88"])
    assert lft("score", "run") == 0
    assert lft("show", "run", "300,plain") == 0
    assert "end      not_applicable" in capsys.readouterr().out


def test_a_conversation_that_is_too_long_ends_as_the_suite_says(here: Path, server: FakeProvider) -> None:
    message = (
        "This model's maximum context length is 64 tokens. However, your messages resulted in 70 tokens."
    )
    server.plan = lambda call: Fault(400, message=message) if len(call.images) == 3 else None
    assert swept(server) == 0
    ends = Counter((one.end, one.status) for one in Run.open("run").episodes().values())
    assert ends == {("found", "answered"): 2, ("overflow", "answered"): 4}


@pytest.mark.parametrize("fault", [Fault(429), Fault(503), Fault("truncated")])
def test_a_bad_moment_in_mid_game_costs_no_answer(here: Path, server: FakeProvider, fault: Fault) -> None:
    """The fourth call of each game fails once."""
    seen: set[str] = set()
    lock = threading.Lock()

    def plan(call: Call) -> Fault | None:
        with lock:
            name = repr(call.texts)
            first = len(call.images) == 3 and name not in seen
            seen.add(name)
            return fault if first else None

    server.plan = plan
    while swept(server, "--patience", "30s"):  # what was cut off is asked again by the next run
        pass
    episodes = Run.open("run").episodes().values()
    assert [one.end for one in episodes] == ["found"] * 6
    assert len(server.calls) == 2 * (1 + 7 + 6) + 4  # the games of 42 and of 1, in each of both words


def test_a_run_of_an_unknown_suite_is_refused_by_name(
    here: Path, server: FakeProvider, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert swept(server) == 0
    monkeypatch.delitem(suites.SUITES, "guessing")
    capsys.readouterr()
    for arguments in (
        ["score", "run"],
        ["show", "run"],
        ["report", "run"],
        ["cost", "run"],
        ["diff", "run", "run"],
    ):
        assert lft(*arguments) == 2
        error = capsys.readouterr().err
        assert "unknown suite 'guessing'" in error
        assert error.count("\n") == 1
    assert lft("sweep", "guess.yaml", "--model", "scripted:x.json") == 2
    assert "guess.yaml: unknown suite 'guessing'; expected counting" in capsys.readouterr().err


def test_scripted_answers_and_two_runs_compared(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "answers.json").write_text(json.dumps(["50", "1", "no idea"]))
    for name in ("a", "b"):
        arguments = ["sweep", "guess.yaml", "--model", "scripted:answers.json", "--words", "plain"]
        assert lft(*arguments, "--run", name, "--concurrency", 1) == 0
    ends = [one.end for one in Run.open("a").episodes().values()]
    assert ends == ["found", "no number", "found"]  # of 50: 50; of 42: 1, no idea; of 1: 50, 1
    capsys.readouterr()
    assert lft("diff", "a", "b", "--json") == 0
    assert documents(capsys.readouterr().out)["differs"] == []


@pytest.fixture
def installed(tmp_path: Path) -> Callable[..., subprocess.Popen[str]]:
    """`lft` as a process, beside a package that brings the suite by an entry point."""
    info = tmp_path / "site" / "guessing-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: guessing\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(ENTRY_POINTS)
    (tmp_path / "guess.yaml").write_text(SWEEP)
    root = Path(__file__).parents[2]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path / "site"), str(root)])}

    def start(*arguments: str) -> subprocess.Popen[str]:
        code = [sys.executable, "-c", "from lft.cli import main; main()", *arguments]
        return subprocess.Popen(
            code, cwd=tmp_path, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )

    return start


def test_a_sweep_that_is_killed_in_mid_game_goes_on_without_asking_again(
    installed: Callable[..., subprocess.Popen[str]], server: FakeProvider, tmp_path: Path
) -> None:
    reached = threading.Event()

    def plan(call: Call) -> Fault | None:
        if len(call.images) < 4 or reached.is_set():
            return None
        reached.set()
        return Fault("stall")

    server.plan, server.stall_s = plan, 60.0
    arguments = [
        "sweep",
        "guess.yaml",
        "--model",
        spec(server),
        "--run",
        "run",
        "--words",
        "plain",
        "--concurrency",
        "1",
    ]
    first = installed(*arguments)
    assert reached.wait(60)
    first.send_signal(signal.SIGKILL)
    first.communicate()
    answered = [
        line for line in Run.open(tmp_path / "results/runs/run").lines() if line["status"] == "answered"
    ]
    assert len(answered) == len(server.calls) - 1
    second = installed(*arguments)
    assert second.wait(120) == 0, second.communicate()
    assert len(server.calls) == 1 + 7 + 6 + 1  # only the call that stalled was made twice
    ends = {name: one.end for name, one in Run.open(tmp_path / "results/runs/run").episodes().items()}
    assert ends == dict.fromkeys(["50,plain", "42,plain", "1,plain"], "found")


def test_our_own_suite_stays_what_it_is(installed: Callable[..., subprocess.Popen[str]]) -> None:
    done = installed("sweep", "--help")
    out, _ = done.communicate()
    assert "--until-frontier" in out


def test_the_documentation_has_this_very_suite() -> None:
    page = (Path(__file__).parents[2] / "docs" / "adding-a-suite.md").read_text()
    assert f'```python title="guessing.py"\n{Path(guessing.__file__).read_text()}```\n' in page
    assert f'```yaml title="guess.yaml"\n{SWEEP}```\n' in page


def test_an_audit_that_the_suite_does_not_have_is_said_in_one_line(
    here: Path, server: FakeProvider, capsys: pytest.CaptureFixture[str]
) -> None:
    swept(server)
    capsys.readouterr()
    assert lft("audit", "run") == 2
    said = capsys.readouterr().err.strip().splitlines()
    assert len(said) == 1
    assert "the suite guessing has no audit" in said[0]
