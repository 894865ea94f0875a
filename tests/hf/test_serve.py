"""The OpenAI-compatible adapter against a real server: `transformers serve` with a real, tiny Qwen3-VL."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from lft.core import models
from lft.core.ask import Limits, ask
from lft.core.requests import Images, ModelError, Request, Text, Video, said
from lft.core.runs import Recorder, Run
from lft.core.video.frames import Sampling, sample
from lft.core.video.media import Media
from tests.core.asking import MANIFEST, questions


@pytest.fixture(scope="module")
def spec(folders: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    pytest.importorskip("fastapi")
    pytest.importorskip("uvicorn")
    folder = folders("qwen3_vl")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    log = tmp_path_factory.mktemp("serve") / "log.txt"
    command = [str(Path(sys.executable).parent / "transformers"), "serve", str(folder)]
    command += ["--host", "127.0.0.1", "--port", str(port), "--device", "cpu"]
    with log.open("w") as told:
        server = subprocess.Popen(
            command, stdout=told, stderr=told, env={**os.environ, "HF_HUB_OFFLINE": "1"}
        )
    try:
        until_s = time.monotonic() + 120
        while time.monotonic() < until_s:
            assert server.poll() is None, log.read_text()
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=2).read()
                break
            except OSError:
                time.sleep(0.2)
        yield f"openai:{folder}@http://127.0.0.1:{port}/v1?max_tokens=6&temperature=0"
    finally:
        server.terminate()
        server.wait(20)


def test_frames_reach_the_model_as_in_this_process(spec: str, load: Callable[..., Any], clip: Media) -> None:
    """The same images, labels and words give as many tokens here and behind the server."""
    request = Request(
        (Images(sample(clip, Sampling.parse("fps:1")), "time"), Text("how many?")), system="be exact"
    )
    served = models.load(f"{spec}&quality=100").generate(request)
    here = load("qwen3_vl", "frames=images").generate(request)
    assert served.usage.input_tokens == here.usage.input_tokens
    assert served.usage.output_tokens == 6
    assert served.cost_usd is None


def test_a_conversation_goes_on(spec: str) -> None:
    request = Request((Text("one"), said("two"), Text("three")))
    assert models.load(spec).generate(request).usage.output_tokens == 6


def test_a_sweep_runs_against_it(spec: str, tmp_path: Path) -> None:
    with Recorder(tmp_path, MANIFEST) as recorder:
        tally = ask(recorder, models.load(spec), questions(4), Limits(concurrency=2))
    # Random weights never end, so each reply is cut off: no answer, but its text is kept.
    assert (tally.answered, tally.errors) == (0, {"truncated": 4})
    assert sum("text" in line for line in Run.open(tmp_path).lines()) == 4


def test_what_the_server_refuses_is_told(spec: str, clip: Media) -> None:
    # This server knows no media_io_kwargs.
    with pytest.raises(ModelError, match="media_io_kwargs") as caught:
        models.load(f"{spec}&fps=1").generate(Request((Video(clip), Text("?"))))
    assert caught.value.kind == "rejected"
