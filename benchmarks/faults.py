"""The confusion matrix of simulated faults: what a reporter does wrong (rows) against what LFT says of it (columns).

    python benchmarks/faults.py [--seeds 1] [--sampling native fps:4 fps:2 fps:1] [--schedule regular] [--json]

Each reporter sees what the supplied frames show (evidence=1) and has one fault. It answers about clips of the paper
grid (N 1 to 12, F 0.5 to 4 Hz, every domain); the run is scored as `lft score` does it. Each field is the size of a
finding: `#` is sure, `.` is likely. A fault is told apart from the others if its own finding is the only sure one
beside `no-frames`, which is true of every reporter that is given few frames; the last line of a table names those that
are not. `--schedule irregular` or `bursts` asks about clips whose events are spaced so (bursts from 1 Hz on).
"""

from __future__ import annotations

import argparse
import itertools
import json
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from lft.core.models import ModelSpec
from lft.core.requests import Request
from lft.core.runs import Run
from lft.counting import readings
from lft.counting.audit.verdict import LEAST
from lft.counting.domains import DOMAINS
from lft.counting.rendering.schedule import draw
from lft.counting.simulated import Simulated
from lft.counting.spec import ClipSpec

COUNTS, FREQUENCIES_HZ = (1, 2, 3, 4, 6, 8, 12), (0.5, 1.0, 2.0, 3.0, 4.0)
# Fault -> parameters of the reporter, and the finding that is its own.
FAULTS: dict[str, tuple[str, str | None]] = {
    "none but the frames": ("", None),
    "misses": ("miss=0.2", "misses"),
    "inventions": ("false=0.5", "inventions"),
    "mis-adding": ("misadd=0.3", "mis-adding"),
    "merged": ("merge=0.3", "merged"),
    "offset": ("offset_s=2", "offset"),
    "scale": ("scale=0.83", "scale"),
    "jitter": ("jitter_s=1.5", "jitter"),
    "reversed": ("reverse=1", "reversed"),
    "blind": ("blind=1", "blind"),
    "even": ("even=1", "even"),
    "constant answer": ("constant=4", "constant"),
    "rate x duration": ("rate=1", "rate"),
}


def found(
    parameters: str, sampling: str, specs: Sequence[ClipSpec], bounds: Path | None = None
) -> dict[str, Any]:
    """The summary of the one condition in which a simulated reporter answers about some clips. `bounds` is a folder
    that keeps their bounds for the next reporter.
    """
    traces = {spec.clip_id: draw(spec).trace("0" * 64) for spec in specs}
    known = ",".join(part for part in (parameters, "evidence=1") if part)
    model = Simulated(ModelSpec.parse(f"simulated:{known}"), traces.__getitem__)
    lines, planned = [], {}
    axes = {"model": model.name, "sampling": sampling, "labels": "time", "prompt": "structured_trace"}
    for clip in traces:
        key = {"clip": clip, **axes, "replicate": 0}
        planned[clip] = key
        text = model.generate(Request((), key=key)).text
        lines.append({"trial": clip, "key": {**key, "turn": 0}, "status": "answered", "text": text})
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "responses.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
        manifest = {"schema": "lft.run/1", "model": model.describe(), "trials": planned}
        manifest |= {"clips_folder": str(bounds.resolve())} if bounds else {}
        (folder / "manifest.json").write_text(json.dumps(manifest))
        _, document, _ = readings.read(Run.open(folder), traces.__getitem__)
    (condition,) = document["conditions"]
    return dict(condition)


def clips(seeds: int, schedule: str = "regular") -> list[ClipSpec]:
    """The clips that are asked about."""
    rates_hz = [f for f in FREQUENCIES_HZ if f >= 1 or schedule != "bursts"]
    cells = itertools.product(DOMAINS, COUNTS, rates_hz)
    return [ClipSpec(d, n, f, seed, schedule=schedule) for d, n, f in cells for seed in range(seeds)]


def mistaken(sure: dict[str, set[str]]) -> dict[str, set[str]]:
    """Of fault -> sure findings: the faults whose own finding is missing, or not alone beside `no-frames`; what is
    missing or too many.
    """
    own = {fault: {name} if name else set() for fault, (_, name) in FAULTS.items()}
    return {fault: apart for fault in sure if (apart := (sure[fault] - {"no-frames"}) ^ own[fault])}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--sampling", nargs="+", default=["native", "fps:4", "fps:2", "fps:1"])
    parser.add_argument("--schedule", default="regular", choices=["regular", "irregular", "bursts"])
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as bounds:
        tables(options, Path(bounds))


def tables(options: argparse.Namespace, bounds: Path) -> None:
    """Prints the table of each sampling, or all of them as JSON."""
    specs = clips(options.seeds, options.schedule)
    told: dict[str, dict[str, Any]] = {}
    for sampling in options.sampling:
        told[sampling] = {}
        if not options.json:
            print(f"\n{sampling}, {len(specs)} {options.schedule} clips")
            print(f"{'fault':<20} " + " ".join(f"{name[:10]:>10}" for name in LEAST))
        for fault, (parameters, _) in FAULTS.items():
            condition = found(parameters, sampling, specs, bounds)
            findings = {one["name"]: one for one in condition["verdict"]}
            told[sampling][fault] = {name: one["sure"] for name, one in findings.items()}
            if not options.json:
                marks = [_mark(findings.get(name)) for name in LEAST]
                print(f"{fault:<20} " + " ".join(f"{mark:>10}" for mark in marks), flush=True)
        if not options.json:
            sure = {
                fault: {name for name, how in found.items() if how == "sure"}
                for fault, found in told[sampling].items()
            }
            apart = "; ".join(
                f"{fault}: {', '.join(sorted(names))}" for fault, names in mistaken(sure).items()
            )
            print(f"{'mistaken':<20} {apart or 'none'}")
    if options.json:
        print(json.dumps(told, indent=1))


def _mark(finding: dict[str, Any] | None) -> str:
    return "-" if finding is None else f"{finding['size']:.2f}{'#' if finding['sure'] == 'sure' else '.'}"


if __name__ == "__main__":
    main()
