"""Supplied frames: clips decoded once, sampled by several policies at once, and encoded as JPEG.

    python benchmarks/sampling.py --clips 12

Draws clips of the paper grid at random, renders them, and takes frames of each as a sweep does: `fps:4`
alone, four policies in one decoding pass, each of the four in a pass of its own; and every frame as pixels.
CPU time, so that a busy machine does not matter; clips a second are what two cores give. Prints ratios,
writes JSON.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from lft.core.video.frames import Sampling, encode_jpeg_all, sample
from lft.core.video.media import Media
from lft.counting.grid import Grid, expand
from lft.counting.rendering.scene import Renderer
from lft.counting.rendering.schedule import draw

REPOSITORY = Path(__file__).resolve().parent.parent
POLICIES = tuple(map(Sampling.parse, ("fps:1", "fps:4", "fps:16", "frames:32")))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--clips", type=int, default=12)
    parser.add_argument("--size", default="854x480")
    parser.add_argument("--out", type=Path, default=REPOSITORY / "results" / "bench" / "sampling.json")
    arguments = parser.parse_args()
    specs = random.Random(0).sample(expand(Grid.load("paper").filmed(size=arguments.size)), arguments.clips)
    with tempfile.TemporaryDirectory() as folder:
        renderer, videos = Renderer(), []
        for index, spec in enumerate(specs):
            videos.append(Path(folder) / f"{index}.mp4")
            renderer.write(draw(spec), videos[-1])
        del renderer
        before_mb = _peak_mb()
        every_s = cpu_s(videos, lambda media: sum(1 for _ in media.pictures()))
        one_s = cpu_s(videos, lambda media: encode_jpeg_all([sample(media, Sampling.parse("fps:4"))]))
        together_s = cpu_s(videos, lambda media: encode_jpeg_all([sample(media, p) for p in POLICIES]))
        apart_s = cpu_s(videos, lambda media: [encode_jpeg_all([sample(media, p)]) for p in POLICIES])
    result = {
        "benchmark": "sampling",
        "size": arguments.size,
        "clips": len(specs),
        "every_frame_cpu_s_per_clip": every_s,
        "fps4_jpeg_cpu_s_per_clip": one_s,
        "fps4_jpeg_clips_per_s_on_two_cores": 2 / one_s,
        "four_policies_apart_to_together_ratio": apart_s / together_s,
        "peak_mb": _peak_mb(),
        "peak_mb_before": before_mb,
    }
    for name, value in result.items():
        print(f"{name:40s} {value:.3f}" if isinstance(value, float) else f"{name:40s} {value}")
    arguments.out.parent.mkdir(parents=True, exist_ok=True)
    arguments.out.write_text(json.dumps(result, indent=1) + "\n")
    print(f"written to {arguments.out}")


def cpu_s(videos: list[Path], work: Callable[[Media], object]) -> float:
    """CPU seconds a clip, threads included."""
    began_s = time.process_time()
    for video in videos:
        work(Media.open(video))
    return (time.process_time() - began_s) / len(videos)


def _peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    main()
