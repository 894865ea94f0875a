"""What the adapters of hosted models add to a provider's own time, and how much memory a dense sweep holds.

    python benchmarks/adapters.py [--clips 9] [--trials 1000]

A server in a process of its own reads each request and answers, at once or after `--provider-ms`.

    calls      CPU time of this process for one call about a clip of the paper grid at 1280x720: `first` decodes
               and encodes its frames, `later` is every further call about it; `bare` is the same bytes sent
               by http.client
    sweep      the clips under six questions each at fps:4, one call at a time, by a provider that takes
               `--provider-ms`: CPU time a trial; of it `path`, which falls into the call itself; the rest is
               spent while the provider answers another. `wall` is what a trial takes beyond the provider's
               time, on a machine with nothing else to do
    memory     `--trials` trials at fps:16, eight at once, about eight clips of which no two frames are equal:
               the peak of resident memory
"""

from __future__ import annotations

import argparse
import http.client
import json
import logging
import multiprocessing
import os
import random
import re
import resource
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from statistics import mean
from typing import Any

from lft.core import models
from lft.core.ask import Limits, ask
from lft.core.requests import Images, Request, Text
from lft.core.runs import Recorder
from lft.core.video import jpeg_cache
from lft.core.video.frames import Sampling, sample
from lft.core.video.media import Media
from lft.counting.grid import Grid, expand
from lft.counting.rendering.scene import Renderer
from lft.counting.rendering.schedule import draw


def gemini(text: str) -> dict[str, Any]:
    return {
        "candidates": [{"content": {"parts": [{"text": text}], "role": "model"}, "finishReason": "STOP"}],
        "usageMetadata": {"promptTokenCount": 10, "candidatesTokenCount": 5},
    }


def openai(text: str) -> dict[str, Any]:
    return {
        "id": "x",
        "object": "chat.completion",
        "created": 1,
        "model": "m",
        "choices": [{"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15},
    }


class Handler(BaseHTTPRequestHandler):
    """Reads a request whole and answers at once."""

    protocol_version = "HTTP/1.1"
    wbufsize = -1  # head and body in one packet: apart, the second waits 40 ms for the first to be confirmed
    takes_s = 0.0
    text = ""

    def log_message(self, *_: Any) -> None: ...

    def do_POST(self) -> None:
        began_s = time.monotonic()
        left = int(self.headers["Content-Length"])
        while left:
            left -= len(self.rfile.read(min(left, 1 << 20)))
        time.sleep(max(0.0, Handler.takes_s - (time.monotonic() - began_s)))
        reply = json.dumps((gemini if "generateContent" in self.path else openai)(Handler.text)).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(reply)))
        self.end_headers()
        self.wfile.write(reply)
        self.wfile.flush()


def serve(port: Any, text: str = "\\boxed{3}") -> None:
    """Answers with a text for ever; a number that comes through the pipe is how long an answer takes from then on."""
    Handler.text = text
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    port.send(server.server_address[1])
    threading.Thread(target=server.serve_forever, daemon=True).start()
    while True:
        Handler.takes_s = port.recv()


@dataclass(frozen=True)
class Question:
    """A trial over frames of one clip."""

    id: str
    key: dict[str, Any]
    media: Any
    policy: str

    def next(self, answers: Any) -> Any:
        frames = sample(self.media, Sampling.parse(self.policy))
        return Request((Images(frames, "time"), Text("How many?")), key=self.key)


def cpu_s(call: Any) -> float:
    """CPU seconds of this process, all threads."""
    begun = time.process_time()
    call()
    return time.process_time() - begun


def calls(model: Any, media: list[Any], port: int, policy: str) -> dict[str, float]:
    """Means over clips, in ms of CPU time; `most` is the dearest first call."""
    firsts, laters, bares, sizes = [], [], [], []
    for clip in media:
        request = Question("q", {}, clip, policy).next(())
        model.generate(Question("q", {}, clip, "frames:1").next(()))  # imports and connection
        jpeg_cache.JPEGS.__init__()  # type: ignore[misc]
        firsts.append(cpu_s(lambda request=request: model.generate(request)))
        laters.append(sorted(cpu_s(lambda request=request: model.generate(request)) for _ in range(9))[4])
        images = jpeg_cache.JPEGS.encode(request.parts[0].frames)
        body = b"0" * (sum(map(len, images)) * 4 // 3)
        connection = http.client.HTTPConnection("127.0.0.1", port)

        def bare(connection: Any = connection, body: bytes = body) -> None:
            connection.request("POST", "/", body)
            connection.getresponse().read()

        bare()
        bares.append(sorted(cpu_s(bare) for _ in range(9))[4])
        sizes.append(len(body) / 1e6)
    found = {"first_ms": mean(firsts) * 1e3, "most_ms": max(firsts) * 1e3, "later_ms": mean(laters) * 1e3}
    found |= {"bare_ms": mean(bares) * 1e3, "request_mb": mean(sizes)}
    return {"images": request.images, **{k: round(v, 1) for k, v in found.items()}}


def sweep(model: Any, media: list[Any], pipe: Any, provider_ms: float) -> dict[str, float]:
    jpeg_cache.JPEGS.__init__()  # type: ignore[misc]
    questions = [
        Question(f"{k} {q}", {"clip": str(k), "prompt": f"p{q}"}, clip, "fps:4")
        for k, clip in enumerate(media)
        for q in range(6)
    ]
    pipe.send(provider_ms / 1e3)
    with tempfile.TemporaryDirectory() as folder, Recorder(Path(folder), {"suite": "bench"}) as recorder:
        cpu_began_s, began_s = time.process_time(), time.monotonic()
        timed = Timed(model)
        tally = ask(recorder, timed, questions, Limits(concurrency=1))
        cpu_ms, wall_ms = (time.process_time() - cpu_began_s) * 1e3, (time.monotonic() - began_s) * 1e3
    pipe.send(0.0)
    assert tally.answered == len(questions), tally
    found = {
        "cpu_ms": cpu_ms / len(questions),
        "path_ms": mean(timed.path_s) * 1e3,
        "path_most_ms": max(timed.path_s) * 1e3,
        "wall_ms": wall_ms / len(questions) - provider_ms,
    }
    return {"trials": len(questions), **{k: round(v, 1) for k, v in found.items()}}


class Timed:
    """A model, and the CPU seconds of each call in the thread that makes it."""

    def __init__(self, model: Any) -> None:
        self._model, self.name, self.prepare = model, model.name, model.prepare
        self.path_s: list[float] = []

    def generate(self, request: Request) -> Any:
        began_s = time.thread_time()
        response = self._model.generate(request)
        self.path_s.append(time.thread_time() - began_s)
        return response

    def describe(self) -> dict[str, Any]:
        """Nothing of it is kept."""
        return {}


def in_a_process_of_its_own(work: Any, *arguments: Any) -> Any:
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        return pool.submit(work, *arguments).result()


def memory(spec: str, paths: list[Path], trials: int) -> dict[str, float]:
    model, media = models.load(spec), [Media.open(path) for path in paths]

    def all_trials() -> Iterator[Question]:
        for k in range(trials):
            clip = media[k * len(media) // trials]
            yield Question(f"t{k}", {"clip": str(k), "prompt": "p"}, clip, "fps:16")

    begun = time.monotonic()
    with tempfile.TemporaryDirectory() as folder, Recorder(Path(folder), {"suite": "bench"}) as recorder:
        tally = ask(recorder, model, all_trials(), Limits(concurrency=8))
    assert tally.answered == trials, tally
    return {"trials": trials, "peak_mb": peak_mb(), "seconds": round(time.monotonic() - begun, 1)}


def peak_mb() -> int:
    """Most resident memory of this process; where the system tells, not that of the process that began it."""
    status = Path("/proc/self/status")
    found = re.search(r"VmHWM:\s+(\d+) kB", status.read_text()) if status.exists() else None
    return round(int(found[1]) / 1024 if found else resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--clips", type=int, default=9)
    parser.add_argument("--trials", type=int, default=1000)
    parser.add_argument("--provider-ms", type=float, default=400.0)
    arguments = parser.parse_args()
    logging.disable(logging.INFO)  # Manim has every library's log printed
    ours, theirs = multiprocessing.Pipe()
    server = multiprocessing.get_context("spawn").Process(target=serve, args=(theirs,), daemon=True)
    server.start()
    port = ours.recv()
    os.environ.update(GEMINI_API_KEY="benchmark-only", GOOGLE_GEMINI_BASE_URL=f"http://127.0.0.1:{port}")
    names = {"gemini": "gemini:m", "openai": f"openai:m@http://127.0.0.1:{port}/v1"}
    result: dict[str, Any] = {}

    def note(name: str, found: dict[str, float]) -> None:
        result[name] = found
        print(f"{name:16} " + "  ".join(f"{k} {v}" for k, v in found.items()), file=sys.stderr)

    with tempfile.TemporaryDirectory() as folder:
        clips = [Media.open(path) for path in drawn(Path(folder), arguments.clips)]
        for name, spec in names.items():
            for policy in ("fps:4", "fps:16"):
                note(f"{name} {policy}", calls(models.load(spec), clips, port, policy))
            note(f"{name} sweep", sweep(models.load(spec), clips, ours, arguments.provider_ms))
        dense = [moving(Path(folder) / f"{k}.mp4", k) for k in range(8)]
        for name, spec in names.items():
            note(f"{name} memory", in_a_process_of_its_own(memory, spec, dense, arguments.trials))
    server.terminate()
    print(json.dumps(result))


def drawn(folder: Path, count: int) -> list[Path]:
    """Clips of the paper grid, drawn at random, as many of each domain."""
    renderer, paths = Renderer(), []
    specs = expand(Grid.load("paper"))
    for domain in sorted({spec.domain for spec in specs}):
        some = [spec for spec in specs if spec.domain == domain]
        for spec in random.Random(0).sample(some, max(1, count // 3)):
            paths.append(folder / f"{domain}-{len(paths)}.mp4")
            renderer.write(draw(spec), paths[-1])
    return paths


def moving(path: Path, seed: int) -> Path:
    """24 s of a disc that moves, 1280x720 at 30 frames per second, so that no two frames are equal."""
    import av
    import cv2
    import numpy as np

    with av.open(str(path), "w") as container:
        stream = container.add_stream("libx264", rate=30)
        stream.width, stream.height, stream.pix_fmt = 1280, 720, "yuv420p"
        stream.options = {"crf": "18", "preset": "ultrafast"}
        for k in range(720):
            picture = np.full((720, 1280, 3), 30 + seed, np.uint8)
            cv2.circle(
                picture, (100 + int(1080 * abs((k / 45) % 2 - 1)), 360), 40, (250, 180, 60), -1, cv2.LINE_AA
            )
            container.mux(stream.encode(av.VideoFrame.from_ndarray(picture, format="rgb24")))
        container.mux(stream.encode(None))
    return path


if __name__ == "__main__":
    main()
