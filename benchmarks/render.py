"""Rendering: plain `manim render` against `lft render`, on the same clips, by turns.

    python benchmarks/render.py --clips 12 --size 854x480 --size 1280x720

Draws clips of the paper grid at random over N, F and seed, the same number per domain. Each is rendered by
`manim render` in a process of its own, as a user would; in between, a fresh single process renders all of
them the fast way, cold, three times. CPU time is user plus system of the whole process, start and imports
included. With --workers 2 the wall time of two processes at once is compared too; with --check the frames
before encoding are compared bit for bit. Prints ratios, writes JSON.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from lft.counting.domains import DOMAINS
from lft.counting.grid import Grid, expand, parse_size
from lft.counting.spec import ClipSpec

REPOSITORY = Path(__file__).resolve().parent.parent
FAST = """
import json, resource, sys, time
from pathlib import Path
import lft.renderers.base
from lft.counting.rendering.scene import Renderer
from lft.counting.rendering.schedule import draw
from lft.counting.spec import ClipSpec
renderer, seconds = Renderer(), []
for i, document in enumerate(json.loads(sys.argv[1])):
    began = time.process_time()
    renderer.write(draw(ClipSpec(**document)), Path(sys.argv[2]) / f"{i}.mp4")
    seconds.append(time.process_time() - began)
print(json.dumps({"seconds": seconds, "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}))
"""


def main() -> None:
    arguments = _arguments()
    results = [measure(size, arguments) for size in arguments.size]
    document = {"benchmark": "render", "machine": machine(), "results": results}
    arguments.out.parent.mkdir(parents=True, exist_ok=True)
    arguments.out.write_text(json.dumps(document, indent=1) + "\n")
    print(f"written to {arguments.out}")


def measure(size: str, arguments: argparse.Namespace) -> dict[str, Any]:
    """Stock and fast on one sample at one size."""
    specs = sample(size, arguments.clips, arguments.seed)
    stock, fast = [], []
    for i, spec in enumerate(specs):
        if i in (0, len(specs) // 2, len(specs) - 1):
            fast.append(render_fast(specs))
        stock.append(cpu_of(stock_command(spec), spec)[0])
        print(f"{size} {i + 1}/{len(specs)} {spec.clip_id}: stock {stock[-1]:.1f} s", file=sys.stderr)
    best = sorted(fast, key=lambda run: run["cpu_s"])[len(fast) // 2]
    result: dict[str, Any] = {
        "size": size,
        "fps": specs[0].fps,
        "clips": [spec.clip_id for spec in specs],
        "stock_cpu_s_per_clip": statistics.mean(stock),
        "fast_cpu_s_per_clip": best["cpu_s"] / len(specs),
        "cpu_ratio": sum(stock) / best["cpu_s"],
        "cpu_ratio_by_domain_without_start": {},
        "fast_peak_mb": max(run["peak_mb"] for run in fast),
    }
    print(f"\n{size}, {len(specs)} clips, CPU seconds a clip")
    for name in DOMAINS:
        mine = [i for i, spec in enumerate(specs) if spec.domain == name]
        slow, quick = sum(stock[i] for i in mine), sum(best["seconds"][i] for i in mine)
        result["cpu_ratio_by_domain_without_start"][name] = slow / quick
        print(f"  {name:14s} {slow / len(mine):7.2f} {quick / len(mine):7.3f}   {slow / quick:6.1f} x warm")
    print(
        f"  {'all':14s} {result['stock_cpu_s_per_clip']:7.2f} {result['fast_cpu_s_per_clip']:7.3f}"
        f"   {result['cpu_ratio']:6.1f} x, cold, with start and imports; peak {result['fast_peak_mb']:.0f} MB"
    )
    if arguments.workers > 1:
        result["wall"] = wall(specs, arguments.workers)
        print(
            "  {workers} workers, wall: {stock_s:.1f} s, {fast_s:.2f} s, {ratio:.1f} x".format(
                **result["wall"]
            )
        )
    if arguments.check:
        result["frames_compared"] = sum(
            compared(spec) for spec in specs[:: max(1, len(specs) // arguments.check)]
        )
        print(f"  {result['frames_compared']} frames before encoding are the same, bit for bit")
    return result


def sample(size: str, clips: int, seed: int) -> list[ClipSpec]:
    """Clips of the paper grid, equally many per domain, otherwise at random."""
    draw = random.Random(seed)
    by_domain = {name: expand(Grid.load("paper").filmed(size=size, domains=[name])) for name in DOMAINS}
    chosen = [
        spec for name in DOMAINS for spec in draw.sample(by_domain[name], max(1, clips // len(DOMAINS)))
    ]
    draw.shuffle(chosen)
    return chosen


def stock_command(spec: ClipSpec) -> list[str]:
    """`manim render` of the clip's scene with Manim's own settings."""
    scene = {"bounce_ball": "BounceBall", "blinking": "Blinking", "state_machine": "StateMachine"}[
        spec.domain
    ]
    return [
        *(sys.executable, "-m", "manim", "render", "-v", "ERROR", "--progress_bar", "none"),
        *("-r", f"{spec.width},{spec.height}", "--fps", str(spec.fps)),
        *(str(REPOSITORY / "renderers" / f"{spec.domain}.py"), scene),
    ]


def cpu_of(command: list[str], spec: ClipSpec | None = None) -> tuple[float, str]:
    """CPU seconds of a process and what it printed; Manim's files go to a folder that is removed."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, **({"LFT_CLIP": spec.clip_id} if spec else {})}
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, text=True, check=True
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, done.stdout


def render_fast(specs: list[ClipSpec]) -> dict[str, Any]:
    """One fresh process renders all of `specs`."""
    with tempfile.TemporaryDirectory() as folder:
        documents = json.dumps([spec.to_json() for spec in specs])
        cpu_s, printed = cpu_of([sys.executable, "-c", FAST, documents, folder])
    return {**json.loads(printed), "cpu_s": cpu_s}


def wall(specs: list[ClipSpec], workers: int) -> dict[str, Any]:
    """Wall time with `workers` processes at once, stock and fast."""
    from lft.counting.rendering.clip_folder import render_clips

    began = time.monotonic()
    with ThreadPoolExecutor(workers) as pool:
        list(pool.map(lambda spec: cpu_of(stock_command(spec), spec), specs))
    stock_s = time.monotonic() - began
    with tempfile.TemporaryDirectory() as folder:
        began = time.monotonic()
        render_clips(specs, Path(folder), jobs=workers)
        fast_s = time.monotonic() - began
    return {"workers": workers, "stock_s": stock_s, "fast_s": fast_s, "ratio": stock_s / fast_s}


def compared(spec: ClipSpec) -> int:
    """Compares every frame of a clip with plain Manim's, bit for bit; returns how many."""
    import numpy as np

    from lft.counting.rendering.manim_stage import Stage, render_stock
    from lft.counting.rendering.schedule import draw
    from lft.counting.rendering.visual import states

    schedule = draw(spec)
    shown, stage, count = states(schedule), Stage(schedule), 0

    def seen(picture: Any, repeats: int) -> None:
        nonlocal count
        for _ in range(repeats):
            if not np.array_equal(picture, stage.picture(shown[count])):
                raise SystemExit(f"frame {count} of {spec.clip_id} differs from plain Manim's")
            count += 1

    with tempfile.TemporaryDirectory() as folder:
        render_stock(schedule, Path(folder), seen)
    return count


def machine() -> str:
    """What this was measured on."""
    model = platform.processor()
    if Path("/proc/cpuinfo").exists():
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        model = next(
            (line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), model
        )
    return f"{os.cpu_count()} cores, {model}, Python {platform.python_version()}"


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--clips", type=int, default=6, help="clips in the sample")
    parser.add_argument("--size", action="append", help="WIDTHxHEIGHT; may be given several times")
    parser.add_argument("--seed", type=int, default=0, help="of the sample")
    parser.add_argument(
        "--workers", type=int, default=1, help="also compare wall times with this many processes"
    )
    parser.add_argument(
        "--check", type=int, default=0, metavar="CLIPS", help="compare the frames of so many clips"
    )
    parser.add_argument("--out", type=Path, default=REPOSITORY / "results" / "bench" / "render.json")
    arguments = parser.parse_args()
    arguments.size = arguments.size or ["854x480"]
    for size in arguments.size:
        parse_size(size)
    return arguments


if __name__ == "__main__":
    main()
