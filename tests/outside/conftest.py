"""Rendered clips, a server of `wire_server` in this process, and the command line to put them together."""

from __future__ import annotations

import contextlib
import json
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from lft.cli import main
from tests.outside.wire_server import serve

GRID = """
domains: [blinking]
counts: [1, 2, 3]
frequencies_hz: [2.0]
seeds: 8
size: 96x64
duration_s: 2
"""
SWEEP = """
title: Outside
grid: outside
conditions:
  - sampling: ["fps:2"]
    labels: time
    prompt: direct
"""
KEYS = {
    "OPENAI_API_KEY": "sk-outside-1234567890",
    "GEMINI_API_KEY": "gm-outside-1234567890",
    "AZURE_OPENAI_API_KEY": "az-outside-1234567890",
    "ANTHROPIC_API_KEY": "an-outside-1234567890",
}


class Server:
    """A running server: its address, its folder, and the plan that it goes by, which may be changed."""

    def __init__(self, folder: Path, plan: dict[str, Any]) -> None:
        self.folder, self.plan = folder, plan
        self._http = serve(folder, plan)
        self.url = f"http://127.0.0.1:{self._http.server_address[1]}"
        threading.Thread(target=self._http.serve_forever, args=(0.02,), daemon=True).start()

    def close(self) -> None:
        self._http.shutdown()
        self._http.server_close()

    def noted(self, name: str) -> list[dict[str, Any]]:
        path = self.folder / name
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []

    @property
    def billed(self) -> list[dict[str, Any]]:
        return self.noted("ledger.jsonl")

    @property
    def requests(self) -> list[dict[str, Any]]:
        return self.noted("requests.jsonl")


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Server]]:
    """Starts servers; every provider's own address and keys are set for the last of them."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "outside.yaml").write_text(SWEEP)
    (tmp_path / "prices.yaml").write_text("m: {input: 1.0, output: 4.0}\n")
    for name in ("GOOGLE_API_KEY", "GOOGLE_CLOUD_PROJECT", "OPENAI_BASE_URL", "LFT_PRICES"):
        monkeypatch.delenv(name, raising=False)
    for name, value in KEYS.items():
        monkeypatch.setenv(name, value)
    with contextlib.ExitStack() as stack:

        def start(**plan: Any) -> Server:
            made = Server(tmp_path / f"server{len(list(tmp_path.glob('server*')))}", plan)
            stack.callback(made.close)
            for name in ("GOOGLE_GEMINI_BASE_URL", "GOOGLE_VERTEX_BASE_URL", "ANTHROPIC_BASE_URL"):
                monkeypatch.setenv(name, made.url)
            return made

        yield start


@pytest.fixture(scope="session")
def clips(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """24 clips: blinking, N = 1, 2, 3, two seconds, 96x64."""
    folder = tmp_path_factory.mktemp("outside")
    (folder / "grid_outside.yaml").write_text(GRID)
    assert run("render", "--grid", folder / "grid_outside.yaml", "--jobs", 1, "--out", folder / "clips") == 0
    return folder / "clips"


def run(*arguments: object) -> int:
    """The exit status of `lft ARGUMENTS`."""
    with pytest.raises(SystemExit) as stopped:
        main([str(a) for a in arguments])
    return int(stopped.value.code or 0)
