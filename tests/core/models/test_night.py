"""A provider's bad night, through the SDKs and a real socket.

And processes killed or interrupted on the way.
"""

from __future__ import annotations

import hashlib
import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from lft.core.runs import Run
from tests.core.asking import lines_of
from tests.core.models.conftest import HOSTED
from tests.fakes.provider import FakeProvider, Fault
from tests.fakes.wire import Call

REPOSITORY = Path(__file__).resolve().parents[3]
TRIALS = 200


class BadNight:
    """30 % 429, 5 % 500, 2 % dropped, 1 % stalled; a trial's n-th call meets the same fate in every run."""

    def __init__(self) -> None:
        self.seen: Counter[str] = Counter()
        self.met: Counter[Any] = Counter()
        self.lock = threading.Lock()

    def __call__(self, call: Call) -> Fault | None:
        words = call.texts[0]
        with self.lock:
            self.seen[words] += 1
            share = random.Random(f"{words} {self.seen[words]}").random()
            fault = self._fault(share)
            self.met[fault.what if fault else "answered"] += 1
        return fault

    @staticmethod
    def _fault(share: float) -> Fault | None:
        if share < 0.30:
            return Fault(429, retry_after="0.02")
        if share < 0.35:
            return Fault(500)
        if share < 0.37:
            return Fault("drop")
        return Fault("stall") if share < 0.38 else None


def answer(call: Call) -> str:
    """Depends on the question alone."""
    time.sleep(0.01)
    return hashlib.sha256(call.texts[0].encode()).hexdigest()


def expected() -> dict[str, str]:
    return {f"t{k:03d}": hashlib.sha256(f"question t{k:03d}".encode()).hexdigest() for k in range(TRIALS)}


def spec_of(provider: str, fake: FakeProvider) -> str:
    if provider == "gemini":
        return "gemini:gemini-3.6-flash?timeout_s=3"
    return f"openai:some-model@{fake.url}/v1?api_key_env=OPENAI_API_KEY&timeout_s=3"


def start(folder: Path, spec: str, count: int = TRIALS, concurrency: int = 8) -> subprocess.Popen[str]:
    command = [
        sys.executable,
        "-m",
        "tests.core.night_child",
        str(folder),
        spec,
        str(count),
        str(concurrency),
    ]
    child = subprocess.Popen(
        command, cwd=REPOSITORY, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert child.stdout is not None
    first = child.stdout.readline()
    assert first == "begun\n", child.communicate()
    return child


@pytest.mark.parametrize("provider", HOSTED)
def test_a_sweep_through_a_bad_night_ends_complete(fake: FakeProvider, tmp_path: Path, provider: str) -> None:
    fake.plan, fake.answer, fake.stall_s = BadNight(), answer, 9.0
    child = start(tmp_path, spec_of(provider, fake))
    out, err = child.communicate(timeout=120)
    assert child.returncode == 0, (out, err)
    last = json.loads(out)
    assert (last["answered"], last["missing"], last["stopped"]) == (TRIALS, 0, None)
    assert {t: line["text"] for t, line in Run.open(tmp_path).answers().items()} == expected()
    met = fake.plan.met
    assert last["errors"] == {
        "rate_limit": met[429],
        "server": met[500],
        "connection": met["drop"],
        "timeout": met["stall"],
    }
    assert min(last["errors"].values()) > 0
    assert met["answered"] == TRIALS  # each was answered once


def test_killing_it_ten_times_changes_nothing(fake: FakeProvider, tmp_path: Path) -> None:
    fake.plan, fake.answer = BadNight(), answer
    chance = random.Random(7)
    arguments = [str(tmp_path), spec_of("openai", fake), str(TRIALS), "8"]
    command = [sys.executable, "-m", "tests.core.night_child", "nursery", *arguments]
    with subprocess.Popen(
        command, cwd=REPOSITORY, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as nursery:
        assert nursery.stdin is not None
        assert nursery.stdout is not None
        for _ in range(10):
            print("go", file=nursery.stdin, flush=True)
            child = int(next(line for line in nursery.stdout if line.strip().isdigit()))
            wanted = fake.answered + chance.randint(1, 15)
            until_s = time.monotonic() + 30
            while fake.answered < wanted and time.monotonic() < until_s:
                time.sleep(chance.uniform(0, 0.005))
            os.kill(child, signal.SIGKILL)
            assert next(line for line in nursery.stdout if line.startswith("-")) == f"-{signal.SIGKILL:d}\n"
        before = len(Run.open(tmp_path).answers())
        assert 10 <= before < TRIALS
        print("go", file=nursery.stdin, flush=True)
        nursery.stdin.close()
        told = nursery.stdout.read().split()
    assert told[-1] == "0"
    assert {t: line["text"] for t, line in Run.open(tmp_path).answers().items()} == expected()
    answered = Counter(line["trial"] for line in lines_of(tmp_path) if line["status"] == "answered")
    assert set(answered.values()) == {1}
    assert len(answered) == TRIALS


def test_control_c_ends_it_and_keeps_what_was_in_flight(fake: FakeProvider, tmp_path: Path) -> None:
    def slow(call: Call) -> str:
        time.sleep(0.5)
        return "x"

    fake.answer = slow
    child = start(tmp_path, spec_of("openai", fake), concurrency=4)
    until_s = time.monotonic() + 20
    while fake.in_flight < 4 and time.monotonic() < until_s:
        time.sleep(0.01)
    child.send_signal(signal.SIGINT)
    _, err = child.communicate(timeout=60)
    assert child.returncode == 130, err
    assert "Traceback" not in err
    assert len(Run.open(tmp_path).answers()) == fake.answered >= 4


def test_fewer_calls_are_in_flight_after_rate_limits_and_more_again_later(
    fake: FakeProvider, tmp_path: Path
) -> None:
    """The server serves four at once. The sweep, allowed sixteen, must come down, yet use what there is."""

    def crowded(call: Call) -> Fault | None:
        with fake.lock:
            return Fault(429, retry_after="0.01") if fake.in_flight > 4 else None

    fake.plan, fake.answer = crowded, answer
    child = start(tmp_path, spec_of("openai", fake), concurrency=16)
    out, err = child.communicate(timeout=120)
    last = json.loads(out)
    assert (child.returncode, last["missing"]) == (0, 0), err
    # Without adapting, each of 200 answers would meet about three refusals (16 at four places).
    assert 0 < last["errors"]["rate_limit"] < TRIALS
