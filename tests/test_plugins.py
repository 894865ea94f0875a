"""Another installed package brings a model provider and a domain, by entry points."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

MODULE = '''
from dataclasses import replace

from lft.core.models import ModelSpec
from lft.core.requests import Request, Response
from lft.counting.domains import DOMAINS, Domain

DOMAIN = replace(DOMAINS["blinking"], name="strobe", event_type="flash", question="my_plugin:QUESTION")
QUESTION = """=== question
How often does the lamp flash?
=== event
flash
=== detail
its colour
"""


class Mine:
    def __init__(self, spec: ModelSpec) -> None:
        self.name = f"mine-{spec.name}"

    def describe(self) -> dict[str, str]:
        return {"provider": "mine"}

    def generate(self, request: Request) -> Response:
        assert "How often does the lamp flash?" in request.text
        return Response("\\\\boxed{2}")
'''
ENTRY_POINTS = """[lft.models]
mine = my_plugin:Mine
scripted = my_plugin:Mine
broken = my_plugin:NoSuchThing

[lft.domains]
strobe = my_plugin:DOMAIN
blinking = my_plugin:DOMAIN
wrong = my_plugin:QUESTION
"""
GRID = "domains: [strobe]\ncounts: [2]\nfrequencies_hz: [2.0]\nseeds: 1\nsize: 160x96\n"
SWEEP = "grid: strobe\nconditions:\n  - {sampling: 'fps:4', prompt: direct}\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("plugin")
    (folder / "my_plugin.py").write_text(MODULE)
    info = folder / "my_plugin-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: my-plugin\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(ENTRY_POINTS)
    (folder / "strobe.yaml").write_text(GRID)
    (folder / "sweep.yaml").write_text(SWEEP)
    return folder


def lft(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    code = ("-c", "from lft.cli import main; main()")
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    return subprocess.run(
        [sys.executable, *code, *arguments], cwd=folder, env=environment, capture_output=True, text=True
    )


def test_its_domain_is_rendered_verified_and_asked_about_and_its_model_answers(folder: Path) -> None:
    for arguments in (
        ["render", "--grid", "strobe.yaml", "--jobs", "1", "--out", "clips"],
        ["verify", "clips", "--jobs", "1"],
        ["sweep", "sweep.yaml", "--model", "mine:one", "--clips", "clips", "--run", "run"],
        ["score", "run"],
    ):
        done = lft(folder, *arguments)
        assert done.returncode == 0, done.stderr
    (condition,) = json.loads((folder / "results" / "runs" / "run" / "summary.json").read_text())[
        "conditions"
    ]
    assert condition["model"] == "mine-one"
    assert (condition["domains"]["strobe"]["n"], condition["domains"]["strobe"]["em"]) == (1, 1.0)


def test_the_grids_of_the_study_stay_what_they_are(folder: Path) -> None:
    """With another domain installed: the same three domains, and the same clips of them."""
    checks = ["test_grid.py", "test_schedule.py"]
    tests = [str(Path(__file__).parent / "counting" / name) for name in checks]
    names = "paper_grid or demo_grid or between_versions"
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *tests, "-k", names],
        cwd=Path(__file__).parents[1], capture_output=True, text=True,
        env={**os.environ, "PYTHONPATH": str(folder)},
    )  # fmt: skip
    assert (done.returncode, done.stdout.split()[0]) == (0, "..."), done.stdout + done.stderr


def test_what_cannot_be_used_is_said_and_ours_stay(folder: Path) -> None:
    listed = json.loads(lft(folder, "models", "--json").stdout)["providers"]
    assert [row["provider"] for row in listed][-2:] == ["broken", "mine"]
    assert lft(folder, "render", "--grid", "strobe.yaml", "--jobs", "1", "--out", "clips").returncode == 0
    done = lft(folder, "sweep", "sweep.yaml", "--model", "broken:x", "--clips", "clips", "--run", "other")
    assert done.returncode == 2
    assert "the domain 'wrong' of my_plugin:QUESTION is left out (not a Domain called wrong)" in done.stderr
    assert "the provider broken cannot be loaded" in done.stderr.splitlines()[-1]
    code = (
        "from lft.core.models import PROVIDERS; from lft.counting.domains import DOMAINS;"
        "print(PROVIDERS['scripted'], DOMAINS['blinking'].name)"
    )
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    assert done.stdout.split() == ["lft.core.models.scripted:Scripted", "blinking"]
