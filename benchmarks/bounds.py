"""Bounds of clips of a regular and an irregular grid: what the frames show, and what readers make of it.

    python benchmarks/bounds.py [--clips 100] [--sampling fps:1,fps:2] [--grids paper,irregular] [--domains ...]

A line for each domain, grid and policy: exact counts that can be read off the frames (literal), those of the observer
who knows the grid (ceiling, with the mean probability of its answers: what it expects of itself), what that one gains,
and readers who try to beat it: the ideal observer under the prior that knows no grid, and the best constant answer.
Clips are drawn at random from the grid's clips with events; nothing is rendered.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter

import numpy as np

from lft.core.video.frames import Sampling
from lft.counting.audit.ceiling import ceiling_of_frames, supplied_frames
from lft.counting.audit.ideal.bound import ideal_of_frames, priors_of
from lft.counting.grid import Grid, expand
from lft.counting.rendering.schedule import draw
from lft.counting.spec import ClipSpec


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description="Bounds of clips, and readers who try to beat them.")
    parser.add_argument("--clips", type=int, default=100)
    parser.add_argument("--sampling", default="fps:1,fps:2")
    parser.add_argument("--grids", default="paper,irregular")
    parser.add_argument("--domains", default="bounce_ball,blinking,state_machine")
    parser.add_argument("--fast", action="store_true", help="without the ideal observer of the stated prior")
    args = parser.parse_args()
    print("per cent of clips with events whose count is right; se: standard error of a share, at most")
    for name in args.grids.split(","):
        every = [spec for spec in expand(Grid.load(name)) if spec.count]
        for domain in args.domains.split(","):
            specs = [spec for spec in every if spec.domain == domain]
            for sampling in args.sampling.split(","):
                print(line(name, domain, sampling, specs, args.clips, fast=args.fast), flush=True)


def line(name: str, domain: str, sampling: str, specs: list[ClipSpec], clips: int, *, fast: bool) -> str:
    """One line of the table."""
    ids = [spec.clip_id for spec in specs]
    grid, stated = (priors_of(ids, grid_known=known)[domain] for known in (True, False))
    chosen = np.random.default_rng(0).permutation(len(specs))[:clips]
    began = time.process_time()
    rows = []
    for spec in (specs[i] for i in chosen):
        trace = draw(spec).trace()
        frames = supplied_frames(trace, Sampling.parse(sampling))
        best = ideal_of_frames(trace, frames, grid)
        other = None if fast else ideal_of_frames(trace, frames, stated)
        assert best is not None
        right = other is not None and other.answer == spec.count
        rows.append(
            (
                ceiling_of_frames(trace, frames).correct,
                best.answer == spec.count,
                best.probability,
                right,
                spec.count,
            )
        )
    literal, ceiling, expected, ideal = (100 * float(np.mean([row[i] for row in rows])) for i in range(4))
    constant = 100 * Counter(row[4] for row in rows).most_common(1)[0][1] / len(rows)
    return (
        f"{name:<15} {domain:<14} {sampling:<7} literal {literal:5.1f}  ceiling {ceiling:5.1f}"
        f" (expects {expected:5.1f})  gain {expected - literal:+5.1f}"
        f"  stated prior {'-' if fast else f'{ideal:5.1f}':>5}  constant {constant:4.1f}"
        f"  n {len(rows)}, se {50 / len(rows) ** 0.5:.1f}, {time.process_time() - began:.1f} s of CPU"
    )


if __name__ == "__main__":
    main()
