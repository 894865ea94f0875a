"""docs/architecture.md draws the way of a trial: every file on it has a row there, and few work for each trial."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests import way_of_a_trial
from tests.tiny_clips import tiny_clips

DOCS = Path(__file__).resolve().parent.parent / "docs"
SWEEP = """title: One or two clips
grid: one
domains: [blinking]
counts: COUNTS
conditions:
  - {sampling: 'fps:4', labels: time, prompt: structured_trace}
"""
ANSWER = "1. 0:01.0 - on (running count: 1)\n2. 0:02.0 - on (running count: 2)\n\n\\boxed{2}"
# Packages with a way in: what they call among themselves is not met by who reads past them.
ROOMS = (
    "core/video/",
    "core/models/",
    "counting/parsing/",
    "counting/audit/",
    "counting/domains/",
    "counting/settling/",
)
WAYS_IN = {"counting/parsing/": "counting/parse.py"}
Calls = dict[str, dict[str, int]]  # file -> {file of the caller: calls}


@pytest.fixture(scope="module")
def ways(tmp_path_factory: pytest.TempPathFactory) -> tuple[Calls, Calls]:
    """The calls for a sweep of one trial, and for one of two."""
    folder = tmp_path_factory.mktemp("way")
    tiny_clips(folder / "clips")
    (folder / "answers.json").write_text(json.dumps([ANSWER]))
    found = []
    for name, counts in (("one", "[2]"), ("two", "[2, 3]")):
        (folder / f"{name}.yaml").write_text(SWEEP.replace("COUNTS", counts))
        command = [sys.executable, way_of_a_trial.__file__, name]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, done.stderr
        found.append(json.loads(done.stdout))
    return found[0], found[1]


def met(one: Calls, two: Calls) -> list[str]:
    """The files that work for each trial, which are called more often for two than for one; of a room those that are
    called from outside of it.
    """
    found = []
    for name, callers in two.items():
        room = next((room for room in ROOMS if name.startswith(room)), None)
        inner = (room or "", WAYS_IN.get(room or "", room or ""))
        outside = room is None or any(caller and not caller.startswith(inner) for caller in callers)
        if outside and sum(callers.values()) > sum(one.get(name, {}).values()):
            found.append(name)
    return sorted(found)


def rooms() -> list[str]:
    """Paths below lft/ in the first column of the first table; a bare name is in the folder of the one before."""
    text = (DOCS / "architecture.md").read_text("utf-8").partition("## Beside the way")[0]
    found: list[str] = []
    for row in re.findall(r"^\| (`lft/.*?) \|", text, re.M):
        folder = ""
        for name in re.findall(r"`([^`]+)`", row):
            if name.startswith("lft/"):
                name = name.removeprefix("lft/")
                folder = name.rstrip("/").rpartition("/")[0]
            else:
                name = f"{folder}/{name}"
            found.append(name)
    return found


def test_every_file_on_the_way_has_a_room(ways: tuple[Calls, Calls]) -> None:
    known = rooms()
    assert not [
        name
        for name in ways[1]
        if not any(name == r or (r.endswith("/") and name.startswith(r)) for r in known)
    ]


def test_few_files_work_for_each_trial_and_their_number_is_the_one_that_is_said(
    ways: tuple[Calls, Calls],
) -> None:
    text = (DOCS / "architecture.md").read_text("utf-8")
    said = re.search(r"Functions of (\d+) files run .*?(\d+) files that work for each trial", text, re.S)
    assert said
    files = met(*ways)
    assert len(files) <= 30, files
    assert len(files) == int(said[2])
    assert int(said[1]) - 6 <= len(ways[1]) <= int(said[1])


def test_what_runs_once_a_command_is_not_met() -> None:
    one = {
        "core/ask.py": {"core/run_sweep.py": 2},
        "cli.py": {"": 1},
        "core/video/media.py": {"core/video/frames.py": 1},
    }
    two = {
        "core/ask.py": {"core/run_sweep.py": 3},
        "cli.py": {"": 1},
        "core/video/media.py": {"core/video/frames.py": 2},
    }
    assert met(one, two) == ["core/ask.py"]
