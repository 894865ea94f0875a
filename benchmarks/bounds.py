"""Bounds of clips of regular and other grids: what the frames show, and what readers make of it.

    python benchmarks/bounds.py [--clips 100] [--sampling fps:1,fps:2] [--grids paper,irregular] [--jobs 1]

A line for each domain, grid and policy, in per cent of the clips with events, each gain and excess with its standard
error over the same clips:
    literal     exact counts that can be read off the frames
    ceiling     those of the observer who knows how events are spaced and the grid
    expects     what that one expects of itself: the mean probability of its answers
    gain        ceiling less literal, answered and expected
    excess      how much more than the ceiling each reader is right who tries to beat it: `literal`; `stated`, the ideal
                observer under the prior that knows no grid; `regular`, who knows the grid's counts and rates and
                presumes regular events; `constant`, who always gives the most frequent count
Clips are drawn at random from the grid's clips with events; nothing is rendered. `native` supplies every frame. Where
the frames leave no doubt all readers but `constant` are taken to be right.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Callable
from functools import partial

import numpy as np

from lft.core.video.frames import Sampling
from lft.core.workers import over_processes
from lft.counting.audit.ceiling import ceiling_of_frames, supplied_frames
from lft.counting.audit.ideal import listed
from lft.counting.audit.ideal.bound import ideal_of_frames, priors_of, rule_of
from lft.counting.audit.ideal.evidence import Indices, evidence_of
from lft.counting.audit.ideal.prior import Prior
from lft.counting.grid import Grid, expand
from lft.counting.rendering.schedule import draw
from lft.counting.spec import ClipSpec
from lft.counting.trace import Trace

READERS = ("literal", "stated", "regular", "constant")
Row = dict[str, float]  # of one clip: 1 for each reader that is right, `expects`


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description="Bounds of clips, and readers who try to beat them.")
    parser.add_argument("--clips", type=int, default=100)
    parser.add_argument("--sampling", default="fps:1,fps:2")
    parser.add_argument("--grids", default="paper,irregular")
    parser.add_argument("--domains", default="bounce_ball,blinking,state_machine")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--fast", action="store_true", help="without the ideal observer of the stated prior")
    args = parser.parse_args()
    for name in args.grids.split(","):
        every = [spec for spec in expand(Grid.load(name)) if spec.count]
        for domain in args.domains.split(","):
            specs = [spec for spec in every if spec.domain == domain]
            for sampling in args.sampling.split(","):
                chosen = np.random.default_rng(0).permutation(len(specs))[: args.clips]
                began = time.perf_counter()
                start = partial(
                    _reading, Sampling.parse(sampling), *_priors(specs), not args.fast, _constant(specs)
                )
                clips = [specs[i] for i in chosen]
                batches = [clips[i : i + 20] for i in range(0, len(clips), 20)]
                rows = list(
                    over_processes(batches, start, args.jobs, preload=("numpy", "lft.counting.audit"))
                )
                print(
                    line(f"{name:<10} {domain:<14} {sampling:<8}", rows, time.perf_counter() - began),
                    flush=True,
                )


def line(title: str, rows: list[Row], wall_s: float) -> str:
    """One line of the table."""
    of = {name: 100 * np.array([row[name] for row in rows]) for name in rows[0]}

    def difference(first: str, second: str) -> str:
        apart = of[first] - of[second]
        return f"{apart.mean():+5.1f} ({apart.std() / len(apart) ** 0.5:.1f})"

    excess = ", ".join(f"{name} {difference(name, 'ceiling')}" for name in READERS if name in of)
    return (
        f"{title} literal {of['literal'].mean():5.1f}  ceiling {of['ceiling'].mean():5.1f}"
        f"  expects {of['expects'].mean():5.1f}  gain {difference('ceiling', 'literal')}"
        f" expected {difference('expects', 'literal')}  excess: {excess}  n {len(rows)}, {wall_s:.0f} s"
    )


def _priors(specs: list[ClipSpec]) -> tuple[Prior, Prior]:
    ids = [spec.clip_id for spec in specs]
    known, stated = (priors_of(ids, grid_known=grid_known)[specs[0].domain] for grid_known in (True, False))
    return known, stated


def _constant(specs: list[ClipSpec]) -> int:
    return Counter(spec.count for spec in specs).most_common(1)[0][0]


def _reading(
    policy: Sampling, known: Prior, stated: Prior, slow: bool, constant: int
) -> Callable[[ClipSpec], Row]:
    def read(spec: ClipSpec) -> Row:
        trace = draw(spec).trace()
        frames = supplied_frames(trace, policy)
        literal = ceiling_of_frames(trace, frames)
        best = ideal_of_frames(trace, frames, known, chosen_by_events=policy.needs_moments)
        assert best is not None
        answers = {"ceiling": best.answer, "constant": constant}
        doubt = best.probability < 1
        if slow:
            other = doubt and ideal_of_frames(trace, frames, stated, chosen_by_events=policy.needs_moments)
            answers["stated"] = other.answer if other else best.answer
        if spec.schedule != "regular":
            answers["regular"] = (
                _presuming_regular(trace, frames, known, literal.count) if doubt else best.answer
            )
        right = {name: float(answer == spec.count) for name, answer in answers.items()}
        return {**right, "literal": float(literal.correct), "expects": best.probability}

    return read


def _presuming_regular(trace: Trace, frames: Indices, known: Prior, seen: int) -> int:
    """What the frames show, where nothing regular explains them."""
    rule = rule_of(trace)
    assert rule is not None
    found = listed.posterior(evidence_of(trace, frames, rule), known, trace.fps, trace.frame_count)
    return known.counts[int(np.argmax(found))] if found.sum() else seen


if __name__ == "__main__":
    main()
