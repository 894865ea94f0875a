"""The example of a package with a domain works where it is installed beside LFT, from rendering to scores."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pandas as pd
import pytest

EXAMPLE = Path(__file__).resolve().parent.parent / "examples" / "pendulum"
GRID = "domains: [pendulum]\ncounts: [0, 4]\nfrequencies_hz: [1.0, 2.0]\nseeds: 1\nsize: 320x180\n"
SWEEP = "grid: pendulum\nconditions:\n  - {sampling: [native, 'fps:4', 'fps:1'], prompt: structured_trace}\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package as an installer leaves it: its modules, and the entry points of its pyproject.toml."""
    folder = tmp_path_factory.mktemp("example")
    shutil.copytree(EXAMPLE / "lft_pendulum", folder / "lft_pendulum")
    project = tomllib.loads((EXAMPLE / "pyproject.toml").read_text())["project"]
    info = folder / f"lft_pendulum-{project['version']}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"
    )
    points = project["entry-points"]["lft.domains"]
    lines = [f"{name} = {value}" for name, value in points.items()]
    (info / "entry_points.txt").write_text("\n".join(["[lft.domains]", *lines, ""]))
    (folder / "pendulum.yaml").write_text(GRID)
    (folder / "sweep.yaml").write_text(SWEEP)
    return folder


def run(folder: Path, *command: str) -> str:
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    done = subprocess.run(
        [sys.executable, *command], cwd=folder, env=environment, capture_output=True, text=True, timeout=600
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


def lft(folder: Path, *arguments: str) -> str:
    return run(folder, "-c", "from lft.cli import main; main()", *arguments)


def test_it_keeps_the_contract(folder: Path) -> None:
    shutil.copy(EXAMPLE / "test_pendulum.py", folder)
    code = "from test_pendulum import test_the_domain_keeps_the_contract as t; t(); print('kept')"
    assert run(folder, "-c", code).split() == ["kept"]
    run(folder, "-m", "doctest", "lft_pendulum/words.py")


def test_it_is_rendered_verified_asked_about_and_scored(folder: Path) -> None:
    # One clip without events and one of four each at 1 and 2 Hz: 3 clips, 8 events.
    lft(folder, "render", "--grid", "pendulum.yaml", "--jobs", "1", "--out", "clips")
    found = json.loads(lft(folder, "verify", "clips", "--jobs", "1", "--json"))
    assert (found["clips"], found["events"], found["faulty"]) == (3, 8, 0)
    lft(
        folder, "sweep", "sweep.yaml", "--model", "observer", "--clips", "clips", "--run", "results/runs/seen"
    )
    lft(folder, "score", "results/runs/seen")
    scores = pd.read_csv(folder / "results" / "runs" / "seen" / "scores.csv")
    assert len(scores) == 9
    # Every frame, and every quarter of a second, shows the bob on each side of the line between two changes half a
    # second or more apart.
    dense = scores[scores["sampling"].isin(["native", "fps:4"])]
    assert (dense["correct"] == 1).all()
    assert (dense.loc[dense["count"] > 0, "f1"] == 1).all()
    assert (dense["misidentified"].fillna(0) == 0).all()
    # At 2 Hz the bob is back after each second: whole seconds show at most the first and the last change.
    sparse = scores[
        (scores["sampling"] == "fps:1") & (scores["frequency_hz"] == 2.0) & (scores["count"] == 4)
    ]
    assert (sparse["correct"] == 0).all()
    assert (scores["correct"] <= scores["literal_correct"]).all()
