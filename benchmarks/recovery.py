"""Parameter recovery: a simulated reporter of known faults, through text, parser and scorer, a thousand
times.

    python benchmarks/recovery.py [--runs 1000] [--clips 90]

Prints, for every parameter, how often the 95 % interval covers the true value, and the mean estimate. Traces
are those of rendered clips (0.5 Hz, so that the windows of 1 s are wide beside the errors of time).
"""

from __future__ import annotations

import argparse
import json

import numpy as np

from lft.core.models import ModelSpec
from lft.core.requests import Request
from lft.counting.audit.errormodel import error_model
from lft.counting.schedule import draw
from lft.counting.scores import frame, key_row, score_text
from lft.counting.simulated import Simulated
from lft.counting.spec import ClipSpec
from lft.counting.trace import Trace

TRUTH = {"miss": 0.15, "false": 0.3, "misadd": 0.1, "jitter_s": 0.1}
SPEC = "simulated:miss=0.15,false=0.3,misadd=0.1,jitter_s=0.1,round_s=0.1"
DOMAINS, COUNTS = ("bounce_ball", "blinking", "state_machine"), (2, 3, 5)


def clips(number: int) -> dict[str, Trace]:
    """Traces of `number` clips over all domains and some counts."""
    specs = [ClipSpec(DOMAINS[k % 3], COUNTS[k // 3 % 3], 0.5, k // 9) for k in range(number)]
    return {spec.clip_id: draw(spec).trace("0" * 64) for spec in specs}


def one_run(seed: int, traces: dict[str, Trace], tolerance: float) -> dict[str, tuple[float, float, float]]:
    """(estimate, lower, upper) of each parameter."""
    model = Simulated(ModelSpec.parse(f"{SPEC}?seed={seed}"), traces.__getitem__)
    rows = []
    for clip, trace in traces.items():
        key = {
            "clip": clip,
            "model": model.name,
            "sampling": "native",
            "labels": "none",
            "prompt": "structured_trace",
        }
        text = model.generate(Request((), key=key)).text
        row = key_row(clip, key, "ledger", tolerance, "answered")
        rows.append(row | score_text(text, trace, tolerance=tolerance, evident=len(trace.events)))
    found = error_model(frame(rows), draws=1000, seed=seed)
    return {name: (e.value, e.lower, e.upper) for name, e in found.items()}


def coverage(runs: int, number_of_clips: int, tolerance: float = 0.4) -> dict[str, dict[str, float]]:
    """Per parameter: true value, mean estimate, share of runs whose interval covers it."""
    traces = clips(number_of_clips)
    found = [one_run(seed, traces, tolerance) for seed in range(runs)]
    return {
        name: {
            "true": true,
            "mean": float(np.mean([f[name][0] for f in found])),
            "covered": float(np.mean([f[name][1] <= true <= f[name][2] for f in found])),
        }
        for name, true in TRUTH.items()
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--clips", type=int, default=90)
    options = parser.parse_args()
    print(json.dumps({"runs": options.runs, **coverage(options.runs, options.clips)}, indent=1))


if __name__ == "__main__":
    main()
