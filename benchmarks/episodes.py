"""What an episode of the agents suite costs beside the environment and the provider.

    python benchmarks/episodes.py [--task breakout/base] [--at-once 8]

A server in a process of its own answers every request with one action. The whole history is sent at each step.

    step       CPU time of this process for a step of one episode (`all_ms`), that of the environment
               alone for the same actions and the demonstrations' (`environment_ms`), and the difference (`own_ms`);
               `encoded` counts the pictures that were encoded, `distinct` those that were shown and differ
    memory     `--at-once` episodes of that environment at the same time: the peak of resident memory
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import multiprocessing
import sys
import tempfile
import time
from http.server import ThreadingHTTPServer
from pathlib import Path
from typing import Any

import cv2
from adapters import OPENAI, Handler, in_a_process_of_its_own, peak_mb

from lft.agents.clips import played
from lft.agents.environments import registry
from lft.agents.rollout import repeating, roll
from lft.agents.tasks import demonstrations, tasks
from lft.cli import main as lft
from lft.core.runs import Run


def serve(port: Any, action: str) -> None:
    """Answers for ever."""
    OPENAI["choices"][0]["message"]["content"] = f"[Action: {action}]"  # type: ignore[index]
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    port.send(server.server_address[1])
    server.serve_forever()


def swept(url: str, folder: str, *chosen: str) -> Run:
    run = Path(folder) / "run"
    given = ("sweep", "icl", "--model", f"openai:m@{url}", "--run", str(run), *chosen)
    with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
        lft([*given, "--json"])
    swept = Run.open(run)
    assert all(episode.end for episode in swept.episodes().values()), "an episode has no end"
    return swept


def step(url: str, name: str, action: str) -> dict[str, float]:
    task = tasks()[name]
    spec = registry.get(task.environment)
    encode, encoded = cv2.imencode, []

    def counted(*given: Any) -> Any:
        encoded.append(given[0])
        return encode(*given)

    cv2.imencode = counted
    with tempfile.TemporaryDirectory() as folder:  # imports, and the first connection
        swept(url, folder, "--task", "cliff_walking/base")
    encoded.clear()
    with tempfile.TemporaryDirectory() as folder:
        began_s = time.process_time()
        run = swept(url, folder, "--task", name)
        all_s = time.process_time() - began_s
        (episode,) = run.episodes().values()
    began_s = time.process_time()
    for clip in task.clips:
        played(demonstrations()[clip], spec, registry.make)
    environment = registry.make(spec)
    alone = roll(environment, spec, task, repeating([action]), task.decisions, look=True)
    environment.close()
    alone_s = time.process_time() - began_s
    steps = len(episode.answers)
    last = episode.answers[-1]["pictures"]
    shown = last["demonstration"] + last["observation"]
    found = {"all_ms": all_s, "environment_ms": alone_s, "own_ms": all_s - alone_s}
    return {
        "steps": steps,
        **{what: round(1e3 * seconds / steps, 1) for what, seconds in found.items()},
        "encoded": len(encoded),
        "shown": shown,
        "distinct": last["demonstration"] + len(set(alone.pictures[:steps])),
    }


def memory(url: str, environment: str, at_once: int) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as folder:
        chosen = ("--env", environment, "--limit", str(at_once), "--concurrency", str(at_once))
        run = swept(url, folder, *chosen)
        answers = sum(len(episode.answers) for episode in run.episodes().values())
    return {"episodes": at_once, "steps": answers, "peak_mb": peak_mb()}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--task", default="breakout/base")
    parser.add_argument("--at-once", type=int, default=8)
    arguments = parser.parse_args()
    spec = registry.get(tasks()[arguments.task].environment)
    action = spec.noop or spec.actions[0]
    ours, theirs = multiprocessing.Pipe()
    server = multiprocessing.get_context("spawn").Process(target=serve, args=(theirs, action), daemon=True)
    server.start()
    url = f"http://127.0.0.1:{ours.recv()}/v1"
    result = {
        "step": in_a_process_of_its_own(step, url, arguments.task, action),
        "memory": in_a_process_of_its_own(memory, url, spec.name, arguments.at_once),
    }
    server.terminate()
    for name, found in result.items():
        print(f"{name:8}" + "  ".join(f"{k} {v}" for k, v in found.items()), file=sys.stderr)
    print(json.dumps(result))


if __name__ == "__main__":
    main()
