"""Episodes against servers that play, in both wire forms: retries, rate limits, overflow, answers that are cut off; and
sweeps that are killed.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from lft.agents.tasks import tasks
from lft.core.runs import Episode, Run
from tests.agents.players import expert_script, player
from tests.agents.test_suite import SWEEP, lft
from tests.fakes.provider import FakeProvider, Fault
from tests.fakes.wire import Call

GAME = "You play Cliff Walking"
TRIAL = "cliff_walking/base,basic,shown,none,all,frames"
TOO_LONG = (
    "This model's maximum context length is 4096 tokens. However, your messages resulted in 9000 tokens."
)


@pytest.fixture(params=["openai", "gemini"])
def wire(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("GEMINI_API_KEY", "none-of-yours")
    monkeypatch.setenv("GOOGLE_GEMINI_BASE_URL", "http://127.0.0.1:9")
    return str(request.param)


def spec(server: FakeProvider, wire: str) -> str:
    return f"openai:player@{server.url}/v1" if wire == "openai" else "gemini:player"


def swept(server: FakeProvider, wire: str, *more: object) -> Episode:
    Path("two.yaml").write_text(SWEEP)
    os.environ["GOOGLE_GEMINI_BASE_URL"] = server.url  # set back by the fixture
    arguments = ("--model", spec(server, wire), "--run", "run", "--task", "cliff_walking/base", *more)
    lft("sweep", "two.yaml", *arguments)
    return Run.open("run").episodes()[TRIAL]


def way() -> list[str]:
    return expert_script(tasks()["cliff_walking/base"])


def test_an_episode_with_wrong_forms_and_a_rate_limit_is_won(cliff: Path, wire: str) -> None:
    steps = way()
    script = [*steps[:2], "I go right.", *steps[2:5], Fault(429, retry_after="0"), *steps[5:]]
    with player({GAME: script}) as server:
        one = swept(server, wire)
    assert (one.end, one.kept["faults"], one.kept["decisions"]) == ("victory", {"no_action": 1}, 13)
    assert len(one.answers) == 14
    pictures = one.answers[-1]["pictures"]
    assert pictures == {"demonstration": 15, "observation": 13}
    # What the server saw last: 28 pictures, and each of its own answers where it was given.
    last = server.calls[-1]
    assert len(last.images) == 28
    assert [content for role, kind, content in last.parts if kind == "text" and role != "user"] == [
        line["text"] for line in one.answers[:-1]
    ]
    assert lft("replay", "run") == 0


def test_no_action_in_four_answers_ends_an_episode_as_invalid(cliff: Path, wire: str) -> None:
    with player({GAME: [*way()[:1], *["Hm."] * 4]}) as server:
        one = swept(server, wire)
    assert (one.end, len(one.answers), one.kept["decisions"]) == ("invalid", 5, 1)


def test_a_conversation_that_becomes_too_long_overflows(cliff: Path, wire: str) -> None:
    with player({GAME: [*way()[:5], Fault(400, message=TOO_LONG), "-"]}) as server:
        one = swept(server, wire)
    assert (one.end, one.kept["limit"], one.kept["decisions"]) == ("overflow", "context", 5)
    assert one.kept["last"]["reached"] == 0.0
    assert lft("replay", "run") == 0


def test_an_answer_that_is_cut_off_overflows(cliff: Path, wire: str) -> None:
    with player({GAME: [*way()[:3], Fault("truncated", body="[Action: RI"), "-"]}) as server:
        one = swept(server, wire)
    assert (one.end, one.kept["limit"], len(one.answers)) == ("overflow", "output", 3)


def test_a_server_that_is_away_leaves_an_episode_to_the_next_run(cliff: Path, wire: str) -> None:
    script = [*way()[:4], Fault("blocked_answer"), *way()[4:]]
    with player({GAME: script}) as server:
        one = swept(server, wire)
        assert (one.end, one.status, len(one.answers)) == (None, "missing", 4)
        asked = len(server.calls)
        one = swept(server, wire)
    assert (one.end, one.kept["decisions"]) == ("victory", 13)
    assert len(server.calls) == asked + 9  # the first four answers are not asked for again


@pytest.mark.slow
def test_twenty_kills_change_nothing(cliff: Path) -> None:
    Path("two.yaml").write_text(SWEEP + "replicates: 3\n")
    script = [*way()[:2], "I go right.", *way()[2:]]
    with player({GAME: script}) as server:
        model = spec(server, "openai")
        assert lft("sweep", "two.yaml", "--model", model, "--run", "whole") == 0
        code = (
            "from pathlib import Path; from lft.agents import tasks; import sys;"
            "tasks.data_folder = lambda: Path('data'); from lft.cli import main; main(sys.argv[1:])"
        )
        arguments = [sys.executable, "-c", code, "sweep", "two.yaml", "--model", model, "--run", "killed"]
        rng, scripted = random.Random(0), server.plan
        for kill in range(20):
            reached, left = threading.Event(), [rng.randint(1, 4)]

            def plan(
                call: Call, *, held: bool = kill % 2 == 0, reached: Any = reached, left: Any = left
            ) -> Any:
                """In a call that is not answered or, every second time, just when an answer comes."""
                left[0] -= 1
                if left[0] == 0:
                    reached.set()
                return Fault("stall") if held and left[0] <= 0 else scripted(call)

            server.plan = plan
            process = subprocess.Popen(arguments, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            assert reached.wait(120)
            time.sleep(rng.uniform(0, 0.03))
            os.kill(process.pid, signal.SIGKILL)
            assert process.wait() == -signal.SIGKILL
            server.plan = scripted
        assert subprocess.run(arguments, capture_output=True).returncode == 0
    whole, killed = (Run.open(name).episodes() for name in ("whole", "killed"))
    assert {name: played(one) for name, one in killed.items()} == {
        name: played(one) for name, one in whole.items()
    }
    assert lft("replay", "killed") == 0


def played(one: Episode) -> Any:
    """All that an episode is, but for calls and times."""
    return (
        one.end,
        json.dumps(one.kept, sort_keys=True),
        [(line["text"], line["kept"]) for line in one.answers],
    )
