"""Scoring and auditing 40,000 trials on one core: seconds of CPU time by step, and peak memory.

    python benchmarks/audit.py [--trials 40000]

The trials are a simulated reporter's answers about the 2,190 clips of the paper grid under several sampling
policies, written to a run folder and read from there, as `lft score` does it; then surfaces, summary,
sensitivity, certainty of the frontiers and psychometric fits.
"""

from __future__ import annotations

import argparse
import itertools
import json
import resource
import tempfile
from pathlib import Path
from typing import Any

from _timing import Steps

from lft.core.models import ModelSpec
from lft.core.requests import Request
from lft.core.runs import Run
from lft.counting.audit.certainty import frontier_certainty
from lft.counting.audit.psychometric import fit
from lft.counting.audit.sensitivity import answers_of, sensitivity
from lft.counting.cells import Surface
from lft.counting.domains import DOMAINS
from lft.counting.rendering.schedule import draw
from lft.counting.scores import frame, score_run, write_scores
from lft.counting.simulated import Simulated
from lft.counting.spec import ClipSpec
from lft.counting.summary import summarise

COUNTS, FREQUENCIES_HZ = (1, 2, 3, 4, 5, 6, 8, 10, 12), (0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0)
SAMPLINGS = ("fps:1", "fps:2", "fps:4", "fps:8", "fps:16", "keyframes:0.1", "native")
PROMPTS = ("structured_trace", "thinking", "role_prompting")


def a_run(folder: Path, trials: int) -> dict[str, Any]:
    """Writes a run of so many trials; returns the traces."""
    cells = [(0, 1.0), *itertools.product(COUNTS, FREQUENCIES_HZ)]
    specs = [ClipSpec(d, n, f, seed) for seed in range(10) for d in DOMAINS for n, f in cells]
    traces = {spec.clip_id: draw(spec).trace("0" * 64) for spec in specs}
    model = Simulated(
        ModelSpec.parse("simulated:miss=0.2,false=0.3,jitter_s=0.1,round_s=0.1,misadd=0.05"),
        traces.__getitem__,
    )
    conditions = [*itertools.product(SAMPLINGS, PROMPTS)]
    planned: dict[str, Any] = {}
    with open(folder / "responses.jsonl", "w") as file:
        for (sampling, prompt), clip in itertools.islice(itertools.product(conditions, traces), trials):
            key = {
                "clip": clip,
                "model": model.name,
                "sampling": sampling,
                "labels": "time",
                "prompt": prompt,
                "replicate": 0,
            }
            trial = f"{clip},{sampling},time,{prompt},0"
            planned[trial] = key
            text = model.generate(Request((), key={**key, "replicate": hash((sampling, prompt)) % 1000})).text
            file.write(
                json.dumps({"trial": trial, "key": {**key, "turn": 0}, "status": "answered", "text": text})
                + "\n"
            )
    (folder / "manifest.json").write_text(json.dumps({"schema": "lft.run/1", "trials": planned}))
    return traces


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--trials", type=int, default=40_000)
    options = parser.parse_args()
    steps = Steps()
    timed = steps.timed

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        traces = a_run(folder, options.trials)
        run = Run.open(folder)
        rows = timed("parse, match, score, audit", lambda: list(score_run(run, traces.__getitem__)))
        timed("write scores.csv", lambda: write_scores(folder / "scores.csv", rows))
        scores = timed("read scores.csv", lambda: frame(rows))
        timed("summary", lambda: summarise(scores))
        surface = timed("surfaces", lambda: Surface.of_scores(scores))
        groups = [cells for _, cells in surface.groups()]
        timed("certainty of frontiers", lambda: [frontier_certainty(cells) for cells in groups])
        timed("psychometric fits", lambda: [fit(cells) for cells in groups])
        timed("sensitivity", lambda: sensitivity(answers_of(run, traces.__getitem__)))
    document = {
        "trials": len(rows),
        "cpu_s": steps,
        "total_cpu_s": round(sum(steps.values()), 1),
        "peak_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
    }
    print(json.dumps(document, indent=1))


if __name__ == "__main__":
    main()
