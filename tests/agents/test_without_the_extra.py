"""Without the extra `agents` each command says in one line what to install, and the other suite needs nothing of it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.checkout import REPOSITORY

BLOCKED = (
    "gymnasium",
    "minigrid",
    "ale_py",
    "highway_env",
    "flappy_bird_gymnasium",
    "procgen",
    "gym3",
    "pygame",
)


def lft(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """A command, with modules in the way of the extra's, for processes that it starts as well."""
    stubs = folder / "stubs"
    stubs.mkdir(exist_ok=True)
    for name in BLOCKED:
        (stubs / f"{name}.py").write_text(
            f"raise ModuleNotFoundError('No module named {name}', name='{name}')"
        )
    started = [sys.executable, "-c", "from lft.cli import main; main()", *arguments]
    path = os.pathsep.join([str(stubs), str(REPOSITORY)])
    return subprocess.run(
        started, capture_output=True, text=True, cwd=folder, env={**os.environ, "PYTHONPATH": path}
    )


@pytest.mark.parametrize(
    "arguments",
    [
        ("sweep", "icl", "--model", "random", "--env", "cliff_walking"),
        ("record", "--env", "cliff_walking"),
        ("tasks", "--env", "cliff_walking", "--check"),
        ("play", "cliff_walking/base", "--no-browser"),
    ],
    ids=lambda arguments: str(arguments[0]),
)
def test_what_to_install_is_one_line(arguments: tuple[str, ...], tmp_path: Path) -> None:
    done = lft(tmp_path, *arguments)
    assert done.returncode == 2, done.stderr
    (line,) = done.stderr.splitlines()
    assert "pip install 'lft-bench[agents]'" in line
    assert "make demo-agents" in line
    assert not done.stdout


def test_tasks_are_listed_and_planned_without_it(tmp_path: Path) -> None:
    done = lft(tmp_path, "tasks", "--env", "cliff_walking")
    assert done.returncode == 0, done.stderr
    assert "cliff_walking/base" in done.stdout
    done = lft(tmp_path, "plan", "icl", "--model", "random", "--env", "cliff_walking")
    assert (done.returncode, done.stderr) == (0, "")


def test_the_other_suite_needs_nothing_of_it(tmp_path: Path) -> None:
    done = lft(tmp_path, "plan", "demo", "--model", "observer")
    assert (done.returncode, done.stderr) == (0, "")
