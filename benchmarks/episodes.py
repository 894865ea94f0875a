"""What an episode of the agents suite costs beside the environment and the provider.

    python benchmarks/episodes.py [--task tennis/base] [--at-once 8]

A server in a process of its own answers every request with one action. The whole history is sent at each step.

    start      CPU time of this process for a sweep of one episode that ends at its first picture: what is done once
    step       of a sweep of the whole episode, the CPU time of each later step (`all_ms`), that of the environment
               alone for the same actions (`environment_ms`), and the difference (`own_ms`); `encoded` counts
               the pictures that were encoded, `distinct` those that were shown and differ
    memory     `--at-once` episodes of that environment at the same time: the peak of resident memory (`all_mb`), and
               that of as many environments alone
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import multiprocessing
import sys
import tempfile
from pathlib import Path
from typing import Any

import cv2
from _timing import Steps
from adapters import in_a_process_of_its_own, peak_mb, serve

from lft.agents.environments import registry
from lft.agents.rollout import repeating, roll
from lft.agents.tasks import tasks
from lft.cli import main as lft
from lft.core.runs import Run
from lft.core.video.jpeg_cache import JPEGS


def swept(url: str, folder: str, *chosen: str) -> Run:
    run = Path(folder) / "run"
    given = ("sweep", "icl", "--model", f"openai:m@{url}", "--run", str(run), *chosen)
    with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
        lft([*given, "--json"])
    swept = Run.open(run)
    assert all(episode.end for episode in swept.episodes().values()), "an episode has no end"
    return swept


def step(url: str, silent_url: str, name: str, action: str) -> dict[str, float]:
    task = tasks()[name]
    spec = registry.get(task.environment)
    steps = Steps()
    encode, encoded = cv2.imencode, []

    def counted(*given: Any) -> Any:
        encoded.append(given[0])
        return encode(*given)

    with tempfile.TemporaryDirectory() as folder:  # imports, libraries, and the first connection
        swept(silent_url, folder, "--task", name)
    JPEGS.__init__()  # type: ignore[misc]
    with tempfile.TemporaryDirectory() as folder:
        run = steps.timed("start", lambda: swept(silent_url, folder, "--task", name))
        tries = sum(len(episode.answers) for episode in run.episodes().values())
    JPEGS.__init__()  # type: ignore[misc]
    cv2.imencode = counted
    with tempfile.TemporaryDirectory() as folder:
        run = steps.timed("whole", lambda: swept(url, folder, "--task", name))
        (episode,) = run.episodes().values()
    environment = registry.make(spec)
    player = repeating([action])
    alone = steps.timed("alone", lambda: roll(environment, spec, task, player, task.decisions, look=True))
    environment.close()
    number = len(episode.answers)
    last = episode.answers[-1]["pictures"]
    all_s, alone_s = (steps["whole"] - steps["start"]) / (number - tries), steps["alone"] / number
    found = {"all_ms": all_s, "environment_ms": alone_s, "own_ms": all_s - alone_s}
    return {
        "start_ms": round(1e3 * steps["start"]),
        "steps": number,
        **{what: round(1e3 * seconds, 1) for what, seconds in found.items()},
        "encoded": len(encoded),
        "shown": last["demonstration"] + last["observation"],
        "distinct": last["demonstration"] + len(set(alone.pictures[:number])),
    }


def memory(url: str, environment: str, at_once: int) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as folder:
        chosen = ("--env", environment, "--limit", str(at_once), "--concurrency", str(at_once))
        run = swept(url, folder, *chosen)
        answers = sum(len(episode.answers) for episode in run.episodes().values())
    return {"episodes": at_once, "steps": answers, "all_mb": peak_mb()}


def memory_alone(name: str, at_once: int) -> int:
    several = [registry.make(name) for _ in range(at_once)]
    for environment in several:
        environment.reset(0)
        environment.picture()
    return peak_mb()


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--task", default="tennis/base")
    parser.add_argument("--at-once", type=int, default=8)
    arguments = parser.parse_args()
    spec = registry.get(tasks()[arguments.task].environment)
    action = spec.noop or spec.actions[0]
    servers = [multiprocessing.Pipe() for _ in range(2)]  # they answer while their pipe is open
    for (_, theirs), text in zip(servers, (f"[Action: {action}]", "I do not know."), strict=True):
        multiprocessing.get_context("spawn").Process(target=serve, args=(theirs, text), daemon=True).start()
    urls = [f"http://127.0.0.1:{ours.recv()}/v1" for ours, _ in servers]
    result = {
        "step": in_a_process_of_its_own(step, *urls, arguments.task, action),
        "memory": in_a_process_of_its_own(memory, urls[0], spec.name, arguments.at_once),
    }
    result["memory"]["environments_mb"] = in_a_process_of_its_own(memory_alone, spec.name, arguments.at_once)
    for name, found in result.items():
        print(f"{name:8}" + "  ".join(f"{k} {v}" for k, v in found.items()), file=sys.stderr)
    print(json.dumps(result))


if __name__ == "__main__":
    main()
