"""Do the intervals hold, and do the tests err as often as they say? A thousand simulated runs of the paper grid.

    python benchmarks/coverage.py [frontiers] [pooled] [paired] [--runs 1000] [--truths ...] [--clips ...]

frontiers : how often the 95 % posterior of the count frontier holds the true one, for accuracies that are the same
    everywhere and (a fifth of the runs) for accuracies that fall with count or with rate; and how often the point
    frontier is too low.
pooled : how often the 95 % interval of EM, of one domain and of three, holds the true one when accuracy varies between
    the ten looks that all cells of a domain share.
paired : how often the paired test finds a difference between conditions that are alike, with one to five replicates.
The error model is held against the truth in recovery.py.
"""

from __future__ import annotations

import argparse
import itertools
import json
import sys
from collections.abc import Iterable
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.special import expit, logit

from lft.core.stats import paired
from lft.counting.audit.certainty import frontier_certainty
from lft.counting.audit.compare import pooled
from lft.counting.cells import with_intervals
from lft.counting.frontier import frontier, reaches_by_accuracy, reaches_by_count
from lft.counting.reporting.surface_certainty import span

COUNTS, FREQUENCIES_HZ = (1, 2, 3, 4, 5, 6, 8, 10, 12), (0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0)
PLACES = list(itertools.product(FREQUENCIES_HZ, COUNTS))
HZ, N = (np.array(axis, dtype=float) for axis in zip(*PLACES, strict=True))
TAU = 0.8

Floats = npt.NDArray[np.float64]

# True accuracies of the 72 cells.
TRUTHS: dict[str, Floats] = {
    **{f"{level:g} everywhere": np.full(len(N), level) for level in (0.85, 0.9, 0.95)},
    "falls with N": expit(5 - 1.6 * np.log2(N)),
    "falls with N and F": expit(4 - 1.2 * np.log2(N) - 0.8 * np.log2(HZ)),
    "0.95 up to N = 5, then 0.3": np.where(N <= 5, 0.95, 0.3),
    "0.9 up to 2 Hz, then 0.5": np.where(HZ <= 2, 0.9, 0.5),
}


def frontiers(
    runs: int,
    rng: np.random.Generator,
    truths: Iterable[str] = TRUTHS,
    clips_a_cell: Iterable[int] = (2, 5, 10, 40),
) -> list[dict[str, Any]]:
    """Coverage of the count frontiers of all frequencies together, for each truth and number of clips a cell."""
    rows = []
    for name, clips in itertools.product(truths, clips_a_cell):
        accuracy = TRUTHS[name]
        true = frontier({p: reaches_by_accuracy(a, TAU) for p, a in zip(PLACES, accuracy, strict=True)}).count
        held, low, width = [], [], []
        many = runs if "everywhere" in name else max(1, runs // 5)
        for _ in range(many):
            right = rng.binomial(clips, accuracy)
            counts = pd.DataFrame({"frequency_hz": HZ, "count": N.astype(int), "n": clips, "correct": right})
            point = frontier(
                {p: reaches_by_count(int(k), clips, 0, TAU) for p, k in zip(PLACES, right, strict=True)}
            )
            found = frontier_certainty(with_intervals(counts), TAU, draws=500).count
            for at, value in true.items():
                truth, (lower, upper) = _number(value), span(found[at])
                held.append(lower <= truth <= upper)
                low.append(_number(point.count[at]) < truth)
                width.append(
                    COUNTS.index(int(upper)) - (COUNTS.index(int(lower)) if lower else -1) if upper else 0
                )
        rows.append(
            {
                "truth": name,
                "clips_a_cell": clips,
                "runs": many,
                "covered": round(float(np.mean(held)), 3),
                "point_too_low": round(float(np.mean(low)), 3),
                "mean_width_counts": round(float(np.mean(width)), 2),
            }
        )
        print(rows[-1], file=sys.stderr)
    return rows


def pooled_em(runs: int, rng: np.random.Generator) -> list[dict[str, Any]]:
    """Coverage of the pooled EM of runs whose looks differ by a normal effect on the logit."""
    rows = []
    nodes, weights = np.polynomial.hermite_e.hermegauss(40)
    for domains, spread, replicates in ((1, 0.3, 1), (1, 0.6, 1), (1, 1.0, 1), (3, 0.6, 1), (3, 0.6, 3)):
        easy = logit(np.append(TRUTHS["falls with N and F"], 0.9))  # 72 cells and the clips without events
        true = float((expit(easy[:, None] + spread * nodes) @ weights).mean() / weights.sum())
        domain, look, cell, replicate = (
            x.ravel()
            for x in np.meshgrid(range(domains), range(10), range(73), range(replicates), indexing="ij")
        )
        table = pd.DataFrame({
            "domain": domain.astype(str), "look": look, "replicate": replicate, "status": "answered",
            "clip": [f"{d}/{c}/{k}" for d, c, k in zip(domain, cell, look, strict=True)],
            "count": np.where(cell == 72, 0, 1), "reported": 0,
            **dict.fromkeys(("precision", "recall", "f1", "vor", "acr", "rfr"), np.nan),
        })  # fmt: skip
        held = []
        for _ in range(runs):
            effect = rng.normal(0, spread, (domains, 10))
            table["correct"] = (rng.random(len(table)) < expit(easy[cell] + effect[domain, look])).astype(int)
            em = pooled(table[["correct", *(c for c in table if c != "correct")]])["em"]
            held.append(em.lower <= true <= em.upper)
        rows.append(
            {
                "domains": domains,
                "looks": 10 * domains,
                "logit_sd": spread,
                "replicates": replicates,
                "covered": round(float(np.mean(held)), 3),
            }
        )
    return rows


def type_one(runs: int, rng: np.random.Generator) -> list[dict[str, Any]]:
    """Share of p <= 0.05 between two conditions that are alike: every clip has a difficulty of its own."""
    rows = []
    for clips, replicates, looks in (
        (730, 1, 0),
        (730, 3, 0),
        (60, 3, 0),
        (30, 5, 0),
        (2190, 3, 30),
        (730, 3, 10),
    ):
        hits, held = [], []
        cluster = np.repeat(np.arange(clips) % looks if looks else np.arange(clips), replicates)
        for _ in range(runs):
            # With looks, each condition takes to each look in its own way.
            taste = rng.normal(0, 0.6, (2, looks))[:, cluster] if looks else np.zeros((2, len(cluster)))
            ease = np.repeat(rng.normal(0.5, 2.0, clips), replicates)
            first, second = rng.random((2, clips * replicates)) < expit(ease + taste)
            found = paired(first, second, clusters=cluster)
            hits.append(found.p <= 0.05)
            held.append(found.lower <= 0 <= found.upper)
        rows.append(
            {
                "clips": clips,
                "replicates": replicates,
                "shared_looks": looks,
                "p_below_5_percent": round(float(np.mean(hits)), 3),
                "interval_covers_0": round(float(np.mean(held)), 3),
            }
        )
    return rows


def _number(value: float | str) -> float:
    return 0.0 if isinstance(value, str) else float(value)


PARTS = {"frontiers": frontiers, "pooled": pooled_em, "paired": type_one}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []])
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument(
        "--truths", nargs="+", choices=TRUTHS, default=[*TRUTHS], help="of frontiers: only these"
    )
    parser.add_argument(
        "--clips", nargs="+", type=int, default=[2, 5, 10, 40], help="of frontiers: clips a cell"
    )
    options = parser.parse_args()
    rng = np.random.default_rng(0)
    parts = {**PARTS, "frontiers": partial(frontiers, truths=options.truths, clips_a_cell=options.clips)}
    found = {part: parts[part](options.runs, rng) for part in options.parts or PARTS}
    print(json.dumps({"runs": options.runs, **found}, indent=1))


if __name__ == "__main__":
    main()
