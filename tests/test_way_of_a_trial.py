"""docs/architecture.md draws the way of a trial: every file whose functions run has a room there."""

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
SWEEP = """title: One
grid: one
domains: [blinking]
counts: [2]
conditions:
  - {sampling: 'fps:4', labels: time, prompt: structured_trace}
"""
ANSWER = "1. 0:01.0 - on (running count: 1)\n2. 0:02.0 - on (running count: 2)\n\n\\boxed{2}"


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    folder = tmp_path_factory.mktemp("way")
    tiny_clips(folder / "clips")
    (folder / "one.yaml").write_text(SWEEP)
    (folder / "answers.json").write_text(json.dumps([ANSWER]))
    done = subprocess.run(
        [sys.executable, way_of_a_trial.__file__], cwd=folder, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    return [str(name) for name in json.loads(done.stdout)]


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


def test_every_file_on_the_way_has_a_room(files: list[str]) -> None:
    known = rooms()
    assert not [
        name
        for name in files
        if not any(name == r or (r.endswith("/") and name.startswith(r)) for r in known)
    ]


def test_the_number_of_files_is_the_one_that_is_said(files: list[str]) -> None:
    said = re.search(r"Functions of (\d+) files run", (DOCS / "architecture.md").read_text("utf-8"))
    assert said
    assert int(said[1]) - 6 <= len(files) <= int(said[1])
