"""What the adapters of hosted models add to a provider's own time, and how much memory a dense sweep holds.

    python benchmarks/adapters.py [--trials 1000] [--video FILE]

A server in a process of its own reads each request and answers at once. `overhead` is CPU time of this
process per call: encoding, base64, JSON, sending, reading the reply. `cold` is the first call about a clip,
which decodes and encodes its frames; `warm` is every further one. `bare` is the same bytes sent by
http.client, so `ratio` = warm / bare says what an adapter costs over just sending. The memory line asks
`--trials` trials at fps:16, eight at once, about eight clips, and reports the peak of resident memory.
"""

from __future__ import annotations

import argparse
import http.client
import json
import multiprocessing
import os
import resource
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

GEMINI = {
    "candidates": [{"content": {"parts": [{"text": "\\boxed{3}"}], "role": "model"}, "finishReason": "STOP"}],
    "usageMetadata": {"promptTokenCount": 10, "candidatesTokenCount": 5},
}
OPENAI = {
    "id": "x",
    "object": "chat.completion",
    "created": 1,
    "model": "m",
    "choices": [
        {"index": 0, "message": {"role": "assistant", "content": "\\boxed{3}"}, "finish_reason": "stop"}
    ],
    "usage": {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15},
}


class Handler(BaseHTTPRequestHandler):
    """Reads a request whole and answers at once."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *_: Any) -> None: ...

    def do_POST(self) -> None:
        left = int(self.headers["Content-Length"])
        while left:
            left -= len(self.rfile.read(min(left, 1 << 20)))
        reply = json.dumps(GEMINI if "generateContent" in self.path else OPENAI).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(reply)))
        self.end_headers()
        self.wfile.write(reply)


def serve(port: Any) -> None:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    port.send(server.server_address[1])
    server.serve_forever()


@dataclass(frozen=True)
class Question:
    """A trial over frames of one clip."""

    id: str
    key: dict[str, Any]
    media: Any
    policy: str
    turns: int = 1

    def request(self, answers: tuple[str, ...]) -> Any:
        from lft.core.frames import Sampling, sample
        from lft.core.requests import Images, Request, Text

        frames = sample(self.media, Sampling.parse(self.policy))
        return Request((Images(frames, "time"), Text("How many?")), key=self.key)


def cpu_s(call: Any) -> float:
    """CPU seconds of this process, all threads."""
    begun = time.process_time()
    call()
    return time.process_time() - begun


def overheads(model: Any, media: Any, port: int, policy: str) -> dict[str, float]:
    from lft.core import encoded

    request = Question("q", {}, media, policy).request(())
    model.generate(Question("q", {}, media, "frames:1").request(()))  # imports and connection
    encoded.JPEGS.__init__()  # type: ignore[misc]
    cold = cpu_s(lambda: model.generate(request))
    warm = sorted(cpu_s(lambda: model.generate(request)) for _ in range(15))[7]
    images = encoded.JPEGS.encode(request.parts[0].frames)
    body = b"0" * (sum(map(len, images)) * 4 // 3)
    connection = http.client.HTTPConnection("127.0.0.1", port)

    def bare() -> None:
        connection.request("POST", "/", body)
        connection.getresponse().read()

    bare()
    sent = sorted(cpu_s(bare) for _ in range(15))[7]
    return {
        "images": len(images),
        "request_mb": round(len(body) / 1e6, 2),
        "cold_ms": round(cold * 1e3, 1),
        "warm_ms": round(warm * 1e3, 1),
        "bare_ms": round(sent * 1e3, 2),
        "ratio": round(warm / max(sent, 1e-6), 1),
    }


def memory(model: Any, media: list[Any], trials: int) -> dict[str, float]:
    from lft.core.ask import Limits, ask
    from lft.core.runs import Recorder

    def all_trials() -> Iterator[Question]:
        for k in range(trials):
            clip = media[k * len(media) // trials]
            yield Question(f"t{k}", {"clip": str(k), "prompt": "p"}, clip, "fps:16")

    before_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    begun = time.monotonic()
    with tempfile.TemporaryDirectory() as folder, Recorder(Path(folder), {"suite": "bench"}) as recorder:
        tally = ask(recorder, model, all_trials(), Limits(concurrency=8))
    assert tally.answered == trials, tally
    peak_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    seconds = round(time.monotonic() - begun, 1)
    return {"trials": trials, "peak_mb": round(peak_mb), "before_mb": round(before_mb), "seconds": seconds}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--trials", type=int, default=1000)
    parser.add_argument("--video", type=Path, help="instead of a synthetic clip of 1280x720")
    arguments = parser.parse_args()
    ours, theirs = multiprocessing.Pipe()
    server = multiprocessing.get_context("spawn").Process(target=serve, args=(theirs,), daemon=True)
    server.start()
    port = ours.recv()
    os.environ.update(GEMINI_API_KEY="benchmark-only", GOOGLE_GEMINI_BASE_URL=f"http://127.0.0.1:{port}")
    from lft.core import models
    from lft.core.media import Media

    with tempfile.TemporaryDirectory() as folder:
        paths = (
            [arguments.video] * 8
            if arguments.video
            else [moving(Path(folder) / f"{k}.mp4", k) for k in range(8)]
        )
        media = [Media.open(path) for path in paths]
        result: dict[str, Any] = {}
        for name in ("gemini:m", f"openai:m@http://127.0.0.1:{port}/v1"):
            for policy in ("fps:4", "fps:16"):
                found = overheads(models.load(name), media[0], port, policy)
                result[f"{name.partition(':')[0]} {policy}"] = found
        for name in ("gemini:m", f"openai:m@http://127.0.0.1:{port}/v1"):
            result[f"{name.partition(':')[0]} memory"] = memory(models.load(name), media, arguments.trials)
    server.terminate()
    for name, found in result.items():
        print(f"{name:16} " + "  ".join(f"{k} {v}" for k, v in found.items()), file=sys.stderr)
    print(json.dumps(result))


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
