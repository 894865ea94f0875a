"""Parameter recovery: a simulated reporter of known faults, through text, parser and error model, a thousand times.

    python benchmarks/recovery.py [--runs 1000] [--seeds 10] [--jobs 2] [--model miss=0.15,...] [--sampling native]
        [--texts 100] [--kept runs.jsonl]

The clips are those of the paper grid: 730 a domain, 2,190 in all; each run has answers of its own. Prints, for every
frequency and for all together, how often the 95 % interval of each parameter covers the true value, and the mean
estimate. `--sampling fps:1` supplies frames that do not show every event; the reporter then knows only what they show.
The first `--texts` runs go the whole way: what the reporter tells is written as an answer and read by the parser, and
the benchmark stops where one is read otherwise than it was meant. The others pass the lists on as they are.
`--kept` names a file with one line for each finished run: started again with it, only the missing runs are made.
"""

from __future__ import annotations

import argparse
import itertools
import json
import sys
from collections.abc import Mapping, Sequence
from functools import cache, partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

from lft.core.models import ModelSpec
from lft.core.requests import Request
from lft.core.video.frames import Sampling
from lft.counting.audit.ceiling import ceiling
from lft.counting.audit.errormodel import Heard, by_frequency, error_model, heard
from lft.counting.domains import DOMAINS
from lft.counting.parse import parse
from lft.counting.rendering.schedule import draw
from lft.counting.reported import Reported, ReportedEvent
from lft.counting.simulated import Faults, Simulated
from lft.counting.spec import ClipSpec
from lft.counting.trace import Trace

FAULTS = "miss=0.15,false=0.3,misadd=0.1,jitter_s=0.1,round_s=0.1"
PARAMETERS = ("miss", "false", "misadd", "jitter_s")
COUNTS, FREQUENCIES_HZ = (1, 2, 3, 4, 5, 6, 8, 10, 12), (0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0)

Found = dict[tuple[str, str], tuple[float, float, float]]  # (Hz or all, parameter) -> estimate, lower, upper


@cache
def clips(seeds: int, domains: tuple[str, ...]) -> dict[str, Trace]:
    """Traces of the paper grid with so many seeds."""
    cells = [(0, 1.0), *itertools.product(COUNTS, FREQUENCIES_HZ)]
    specs = [ClipSpec(d, n, f, s) for s, d, (n, f) in itertools.product(range(seeds), domains, cells)]
    return {spec.clip_id: draw(spec).trace("0" * 64) for spec in specs}


@cache
def shown(seeds: int, domains: tuple[str, ...], sampling: str) -> dict[str, tuple[bool, ...]]:
    """For each clip, which events the frames show."""
    policy = Sampling.parse(sampling)
    return {clip: ceiling(trace, policy).evident for clip, trace in clips(seeds, domains).items()}


def answers(
    run: int, faults: str, seeds: int, domains: tuple[str, ...], sampling: str, *, texts: bool = True
) -> list[Heard]:
    """What is heard of one reporter about every clip; `AssertionError` where a text is not read as it was meant."""
    traces, evident = clips(seeds, domains), shown(seeds, domains, sampling)
    model = Simulated(ModelSpec.parse(f"simulated:{faults}?seed={run}"), traces.__getitem__)
    key = {"sampling": sampling, "labels": "none", "prompt": "structured_trace"}
    found = []
    for clip, trace in traces.items():
        told = model.tells({**key, "clip": clip})
        # Times are written with three decimals.
        events = tuple(ReportedEvent(round(t, 3)) for t, _ in told.ledger)
        meant = heard(Reported(events, told.answer), trace, evident[clip], clip)
        if texts:
            text = model.generate(Request((), key={**key, "clip": clip})).text
            was_read = heard(parse(text, "ledger"), trace, evident[clip], clip)
            assert was_read == meant, f"{clip}: {text}"
        found.append(meant)
    return found


def one_run(
    run: int,
    *,
    faults: str = FAULTS,
    seeds: int = 10,
    domains: Sequence[str] = tuple(DOMAINS),
    sampling: str = "native",
    texts: bool = True,
) -> Found:
    """Every estimate of one run."""
    known = faults if sampling == "native" else f"{faults},evidence=1"
    told = answers(run, known, seeds, tuple(domains), sampling, texts=texts)
    models = {f"{f:g}": model for f, model in by_frequency(told).items()} | {"all": error_model(told)}
    return {
        (at, name): (e.value, e.lower, e.upper)
        for at, model in models.items()
        for name, e in model.parameters.items()
    }


def coverage(found: Sequence[Found], truth: Mapping[str, float]) -> dict[str, dict[str, dict[str, float]]]:
    """At each frequency and over all, for each parameter: true value, mean estimate, share of runs that cover it."""
    table: dict[str, dict[str, dict[str, float]]] = {}
    for at, name in dict.fromkeys(place for one in found for place in one):
        triples = np.array([one[at, name] for one in found if (at, name) in one])
        covered = (triples[:, 1] <= truth[name]) & (truth[name] <= triples[:, 2])
        row = {
            "true": truth[name],
            "mean": triples[:, 0].mean(),
            "covered": covered.mean(),
            "runs": len(triples),
        }
        table.setdefault(at, {})[name] = {key: round(float(value), 4) for key, value in row.items()}
    return table


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--model", default=FAULTS)
    parser.add_argument("--sampling", default="native")
    parser.add_argument("--texts", type=int, default=100, help="runs that go through text and parser")
    parser.add_argument("--kept", type=Path, help="file of finished runs, one a line, to go on from")
    options = parser.parse_args()
    truth: dict[str, Any] = vars(Faults.parse(options.model))
    work = partial(
        _numbered,
        through_text=options.texts,
        faults=options.model,
        seeds=options.seeds,
        sampling=options.sampling,
    )
    found = _finished(options.kept)
    missing = [run for run in range(options.runs) if run not in found]
    with get_context("spawn").Pool(options.jobs) as pool:
        for run, one in pool.imap_unordered(work, missing, chunksize=2):
            found[run] = one
            print(f"\r{len(found)} of {options.runs} runs", end="", file=sys.stderr)
            if options.kept:
                with options.kept.open("a") as kept:
                    kept.write(json.dumps([run, [[*place, *e] for place, e in one.items()]]) + "\n")
    settings = {
        "model": options.model,
        "sampling": options.sampling,
        "clips": len(clips(options.seeds, tuple(DOMAINS))),
    }
    table = coverage([found[run] for run in range(options.runs)], truth)
    print(json.dumps({**settings, "runs": options.runs, "covered": table}, indent=1))


def _numbered(run: int, *, through_text: int, **settings: Any) -> tuple[int, Found]:
    return run, one_run(run, texts=run < through_text, **settings)


def _finished(kept: Path | None) -> dict[int, Found]:
    """Runs of an earlier start, by number."""
    if kept is None or not kept.exists():
        return {}
    runs = (json.loads(line) for line in kept.read_text().splitlines())
    return {run: {(at, name): (*e,) for at, name, *e in places} for run, places in runs}


if __name__ == "__main__":
    main()
