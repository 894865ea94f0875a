"""A night: rate limits, 40 minutes of outage (on a fast clock), bad trials, two kills and a restart of both ends.

Every good trial is answered once, every bad one has its kind, and the cost equals the server's own sum.
"""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from lft.core.cost import Prices, billed, most_usd
from lft.core.runs import Run
from tests.outside.conftest import KEYS, SWEEP
from tests.outside.test_providers import CHAT_KINDS, GEMINI_KINDS

ROOT = Path(__file__).resolve().parents[2]
FASTER = 240.0  # the clock of the sweep: ten seconds are forty minutes
OUTAGE_S = 10.0


class Night:
    """Both ends as processes of their own."""

    def __init__(self, folder: Path, clips: Path, provider: str, *more: str) -> None:
        with socket.socket() as found:
            found.bind(("127.0.0.1", 0))
            self.port = int(found.getsockname()[1])
        self.folder, self.server_folder = folder, folder / "server"
        (folder / "outside.yaml").write_text(SWEEP)
        (folder / "prices.yaml").write_text("m: {input: 1.0, output: 4.0}\n")
        url = f"http://127.0.0.1:{self.port}"
        spec = f"openai:m@{url}/v1" if provider == "openai" else "gemini:m"
        words = [
            "sweep",
            "outside.yaml",
            "--clips",
            str(clips),
            "--model",
            spec,
            "--run",
            str(folder / "run"),
        ]
        child = [sys.executable, "-m", "tests.outside.compressed", str(FASTER)]
        self._command = [*child, *words, "--patience", "6h", *more]
        path = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH", ""))))
        self._environment = {**os.environ, **KEYS, "GOOGLE_GEMINI_BASE_URL": url, "PYTHONPATH": path}
        self._environment.pop("LFT_PRICES", None)
        self._processes: list[subprocess.Popen[bytes]] = []

    def server(self, **plan: Any) -> subprocess.Popen[bytes]:
        words = ["--port", str(self.port), "--folder", str(self.server_folder), "--plan", json.dumps(plan)]
        return self._start([sys.executable, "-m", "tests.outside.wire_server", *words], ROOT)

    def sweep(self) -> subprocess.Popen[bytes]:
        return self._start(self._command, self.folder)

    def _start(self, words: list[str], where: Path) -> subprocess.Popen[bytes]:
        log = open(self.folder / "log.txt", "ab")  # noqa: SIM115  # the child's, for its life
        made = subprocess.Popen(words, cwd=where, env=self._environment, stdout=log, stderr=log)
        self._processes.append(made)
        return made

    def until(self, there: Callable[[], bool]) -> None:
        """Waits for a state of the files; the time is only a bound on a test that hangs."""
        for _ in range(2400):
            if there():
                return
            time.sleep(0.05)
        raise AssertionError((self.folder / "log.txt").read_text()[-2000:])

    def lines(self) -> int:
        path = self.folder / "run/responses.jsonl"
        return path.read_bytes().count(b"\n") if path.exists() else 0

    def close(self) -> None:
        for process in self._processes:
            process.kill()
            process.wait()


@pytest.fixture
def night(tmp_path: Path, clips: Path) -> Iterator[Callable[..., Night]]:
    made: list[Night] = []

    def start(provider: str, *more: str) -> Night:
        made.append(Night(tmp_path, clips, provider, *more))
        return made[-1]

    yield start
    for one in made:
        one.close()


def check(night: Night, kinds: dict[str, str]) -> None:
    run = Run.open(night.folder / "run")
    lines = list(run.lines())
    ledger = [json.loads(line) for line in (night.server_folder / "ledger.jsonl").read_text().splitlines()]
    good = {entry["question"] for entry in ledger if entry["kind"] is None}
    answered = Counter(line["trial"] for line in lines if line["status"] == "answered")
    assert set(answered.values()) == {1}
    assert len(answered) == len(good)
    beyond = [a for a in run.answers().values() if a["status"] != "answered"]
    faults = Counter(line["error"]["kind"] for line in run.faults().values())
    assert len(answered) + len(beyond) + sum(faults.values()) == 24
    assert {line["limit"] for line in beyond} | set(faults) <= set(kinds.values())
    prices, model = Prices.load(night.folder / "prices.yaml"), run.manifest["model"]
    mine = sum(line["cost_usd"] for line in billed(lines, model, prices))
    theirs = sum(entry["usd"] for entry in ledger)
    _, most = most_usd(run.lost(), lines, model, prices)
    assert most is not None
    # What a kill lost was billed and is in no line: it lies within the stated bound, and nothing else differs.
    assert mine - 1e-9 <= theirs <= mine + most + 1e-9
    if not run.lost():
        assert mine == pytest.approx(theirs)


def longest_wait_min(night: Night) -> int:
    """The longest wait for the provider that progress lines told of, whole minutes."""
    told = re.findall(r"waiting (?:(\d+) h )?(?:(\d+) min)?", (night.folder / "log.txt").read_text())
    return max((60 * int(hours or 0) + int(minutes or 0) for hours, minutes in told), default=0)


@pytest.mark.parametrize("provider", ["openai", "gemini"])
def test_a_night(night: Callable[..., Night], provider: str) -> None:
    kinds = CHAT_KINDS if provider == "openai" else GEMINI_KINDS
    plan = {"bad": dict.fromkeys(kinds, 0.03), "limited": 0.3, "latency_s": 0.05}
    one = night(provider)
    server = one.server(**plan)
    for many in (6, 14):  # killed in the midst, twice
        sweep = one.sweep()
        one.until(lambda many=many: one.lines() >= many)  # type: ignore[misc]
        sweep.kill()
        sweep.wait()
    server.kill()  # both ends are gone; the server comes back later, and is overloaded for a while
    server.wait()
    before = one.lines()
    sweep = one.sweep()
    one.until(lambda: one.lines() > before + 1)
    one.server(**plan, outages=[[0.0, OUTAGE_S]])
    assert sweep.wait() in (0, 1)
    check(one, kinds)
    assert longest_wait_min(one) >= 30


@pytest.mark.parametrize("provider", ["openai", "gemini"])
def test_a_night_of_batch_jobs(night: Callable[..., Night], provider: str) -> None:
    kinds = CHAT_KINDS if provider == "openai" else GEMINI_KINDS
    bad = dict.fromkeys(kinds, 0.03)
    plan = {"bad": bad, "falls": {"create": 1, "poll": 3}, "job_s": 3.0, "limited_jobs": 0.3}
    one = night(provider, "--batch", "--poll", "60")
    server = one.server(**plan)
    state, jobs = one.folder / "run/batch.json", one.server_folder / f"{provider}.json"
    sweep = one.sweep()
    one.until(state.exists)  # noted, and perhaps not made
    sweep.kill()
    sweep.wait()
    sweep = one.sweep()
    one.until(lambda: jobs.exists() and bool(json.loads(jobs.read_text())["jobs"]))
    sweep.kill()
    sweep.wait()
    server.kill()
    server.wait()
    sweep = one.sweep()
    one.server(**plan, outages=[[0.0, OUTAGE_S]])
    assert sweep.wait() in (0, 1)
    check(one, kinds)
    assert "trying again in 60 s" in (one.folder / "log.txt").read_text()  # the longest of the growing pauses
    assert len(json.loads(jobs.read_text())["jobs"]) == 1
