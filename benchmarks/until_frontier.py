"""Share of the calls that `lft sweep --until-frontier` makes on the published surfaces, and whether the
frontiers agree.

    python benchmarks/until_frontier.py [--seeds 200] [SURFACE.csv]

Each cell of a surface is taken as 10 clips of which accuracy x 10 are answered rightly, in random order. The
full sweep is 730 calls a surface: 72 cells with events and the clips without.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np

from lft.counting.adaptive import Cell, Place, needed_cells
from lft.counting.cells import Surface
from lft.counting.frontier import frontier, reaches_by_count

SEEDS_PER_CELL, FULL_SWEEP = 10, 730
PUBLISHED = Path(__file__).parents[1] / "results" / "published" / "surfaces.csv"


def sweep(right: dict[Place, int], tau: float, rng: np.random.Generator) -> tuple[int, bool]:
    """(calls, whether both frontiers are those of the full sweep) of one surface."""
    left = {place: rng.permutation(np.arange(SEEDS_PER_CELL) < k).tolist() for place, k in right.items()}
    cells = {place: Cell(waiting=answers, planned=SEEDS_PER_CELL) for place, answers in left.items()}
    calls = 0
    while True:
        decided = {place: cell.reaches(tau) for place, cell in cells.items()}
        places = [p for p in sorted(needed_cells(decided)) if cells[p].may_ask(tau)]
        if not places:
            break
        for place in places:
            cell = cells[place]
            answer = cell.waiting.pop()
            cell.correct += answer
            cell.wrong += not answer
            calls += 1
    full = {place: reaches_by_count(k, SEEDS_PER_CELL, 0, tau) for place, k in right.items()}
    return calls, frontier({p: c.reaches(tau) for p, c in cells.items()}) == frontier(full)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("surface", nargs="?", type=Path, default=PUBLISHED)
    parser.add_argument("--seeds", type=int, default=200)
    parser.add_argument("--tau", type=float, default=0.8)
    options = parser.parse_args()
    rows = []
    for group, cells in Surface.read_csv(options.surface).groups():
        right = {
            (row["frequency_hz"], int(row["count"])): round(row["accuracy"] * SEEDS_PER_CELL)
            for row in cells[cells["count"] > 0].to_dict("records")
        }
        runs = [sweep(right, options.tau, np.random.default_rng(seed)) for seed in range(options.seeds)]
        rows.append(
            {
                **group,
                "calls": float(np.mean([calls for calls, _ in runs])),
                "share": float(np.mean([calls for calls, _ in runs])) / FULL_SWEEP,
                "identical": sum(same for _, same in runs),
                "runs": len(runs),
            }
        )
    total = {
        "share": float(np.mean([row["share"] for row in rows])),
        "identical": sum(row["identical"] for row in rows),
        "runs": sum(row["runs"] for row in rows),
    }
    print(json.dumps({"surfaces": rows, "all": total}, indent=1))


if __name__ == "__main__":
    main()
