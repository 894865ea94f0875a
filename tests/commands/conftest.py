"""Small rendered clips and a provider on loopback, for commands that ask models."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from lft.cli import main
from tests.fakes.provider import FakeProvider

GRID = """
domains: [blinking]
counts: [0, 2]
frequencies_hz: [2.0]
seeds: [4]
size: 96x64
duration_s: 2
"""
SWEEP = """
title: Small
grid: small
conditions:
  - sampling: [native, "fps:4", "keyframes:0.1"]
    labels: time
    prompt: [direct, two_turn_verification]
"""


def run(*arguments: object) -> int:
    """The exit status of `lft ARGUMENTS`."""
    with pytest.raises(SystemExit) as stopped:
        main([str(a) for a in arguments])
    return int(stopped.value.code or 0)


@pytest.fixture(scope="session")
def rendered(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of clips: blinking, N = 0 and 2, two seconds, 96x64."""
    folder = tmp_path_factory.mktemp("rendered")
    (folder / "grid_small.yaml").write_text(GRID)
    assert run("render", "--grid", folder / "grid_small.yaml", "--jobs", 1, "--out", folder / "clips") == 0
    return folder / "clips"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working directory with a sweep file."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "small.yaml").write_text(SWEEP)
    return tmp_path


@pytest.fixture
def gemini(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeProvider]:
    """Gemini on loopback; a call is billed 1000 tokens in and 250 out."""
    with FakeProvider() as provider:
        monkeypatch.setenv("GEMINI_API_KEY", "test-key-a1b2c3")
        monkeypatch.setenv("GOOGLE_GEMINI_BASE_URL", provider.url)
        monkeypatch.delenv("GOOGLE_API_KEY", raising=False)
        yield provider
