"""The wheel: built, installed apart from the checkout, and used from another folder."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that holds the wheel's own files and nothing else."""
    work = tmp_path_factory.mktemp("wheel")
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "wheel", "--no-deps", "-w", str(work), str(REPOSITORY)], check=True)
    (wheel,) = work.glob("lft_bench-*.whl")
    target = work / "site"
    subprocess.run([*pip, "install", "--no-deps", "--target", str(target), str(wheel)], check=True)
    return target


def run(installed: Path, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(installed)}
    return subprocess.run(
        [sys.executable, *arguments], cwd=folder, env=environment, capture_output=True, text=True, timeout=300
    )


def test_the_installed_package_is_the_one_used_and_holds_its_data(installed: Path, tmp_path: Path) -> None:
    code = (
        "import lft; from lft.core.prompts import Template; from lft.counting.sweep import Sweep, question;"
        "import lft.renderers; print(lft.__file__);"
        "print(Template.load('direct').turns[0][:10], question('blinking')['event'], Sweep.load('baseline').grid)"
    )
    done = run(installed, tmp_path, "-c", code)
    assert done.returncode == 0, done.stderr
    assert str(installed) in done.stdout
    assert "blink paper" in done.stdout


def test_the_installed_command_renders_and_verifies_a_clip(installed: Path, tmp_path: Path) -> None:
    lft = ("-c", "from lft.cli import main; main()")
    made = run(
        installed, tmp_path, *lft, "clip", "blinking", "--count", "2", "--frequency", "2", "--seed", "1",
        "--size", "320x180", "--out", "clips",
    )  # fmt: skip
    assert made.returncode == 0, made.stderr
    assert (tmp_path / "clips/videos/blinking/n02_f2.0_s01.mp4").stat().st_size > 1000
    checked = run(installed, tmp_path, *lft, "verify", "clips", "--json")
    assert checked.returncode == 0, checked.stderr


def test_types_are_shipped(installed: Path) -> None:
    assert (installed / "lft" / "py.typed").is_file()
