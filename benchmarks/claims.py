"""What the published study's clips, frames and rules allowed: every figure that LFT quotes, recomputed.

    python benchmarks/claims.py [--draws 20000] [--json]

Everything is computed from results/published and from the timing of the published clips, as read off nine of
them: 30 frames per second; each change is an animation of min(0.4, 0.8 / F) s, rounded up to whole frames,
and a wait, rounded down, so that at several rates the events come faster than stated (at 2 Hz every 14 frames
instead of 15). A blink lights up and fades within such an animation; half of it, min(0.2, 0.4 / F) s, it is
stated to be on. Event i is due at start + 1 / (2 F) + (i - 1) periods, start uniform in [0, 24 - N / F], and
frames are supplied at 0, 1, .. 23 s.

The published clips' own starts are not known, so what turns on them has a range beside it: the central 95 %
over many draws of as many clips. How many cells lie outside their interval also turns on the ceiling's own
error (drawn here from a hundred starts a cell) and on four published shares that are no tenths (.77 is 7.7 of
10 clips). Where the folder of reference data is there ($LFT_SHARED, else `shared` beside the checkout), the
published showcases are read as well.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
from scipy.stats import binom

from lft.counting.audit.chance import active_span_s, best_of_format, chance_f1
from lft.counting.parse import Reported, parse

PUBLISHED = Path(__file__).parents[1] / "results" / "published"
COUNTS, FREQUENCIES_HZ = (1, 2, 3, 4, 5, 6, 8, 10, 12), (0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0)
CELLS = [(f, n) for f in FREQUENCIES_HZ for n in COUNTS]
LENGTH_S, FPS, SEEDS, MODEL = 24.0, 30, 10, "Gemini 3.6 Flash"

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Claim:
    """A figure as quoted, and as found here; with the range over draws of the clips where it has one."""

    name: str
    quoted: float | None
    found: float
    low: float | None = None
    high: float | None = None


def animation_s(frequency_hz: float) -> float:
    """How long one change is in motion in the published clips."""
    return min(0.4, 0.8 / frequency_hz)


def period_s(frequency_hz: float) -> float:
    """From one event to the next in the published clips: whole frames of motion and of rest.

    >>> [round(period_s(f) * 30) for f in (0.5, 1.0, 1.5, 2.0)]
    [60, 30, 19, 14]
    """
    motion = len(np.arange(0, animation_s(frequency_hz), 1 / FPS))
    return (motion + int(FPS * (1 / frequency_hz - animation_s(frequency_hz)))) / FPS


def due_s(frequency_hz: float, count: int, draws: int, rng: np.random.Generator) -> Floats:
    """Event times (draws, count), starts drawn at random."""
    start = rng.uniform(0, LENGTH_S - count / frequency_hz, (draws, 1))
    return start + 1 / (2 * frequency_hz) + np.arange(count) * period_s(frequency_hz)


def all_shown(begin_s: Floats, end_s: Floats) -> float:
    """Share of rows in which each interval [begin, end) holds a whole second up to 23."""
    first = np.ceil(begin_s - 1e-9)
    return float(np.mean(np.all((first < end_s - 1e-9) & (first <= LENGTH_S - 1), axis=1)))


def state_ceiling(draws: int) -> Floats:
    """Exact-count ceiling of each cell: a frame of every state between two transitions."""
    rng = np.random.default_rng(0)
    found = []
    for f, n in CELLS:
        times = due_s(f, n, draws, rng)
        found.append(all_shown(times, np.hstack([times[:, 1:], np.full((draws, 1), LENGTH_S)])))
    return np.array(found)


def blink_ceiling(draws: int, on_s: dict[float, float]) -> float:
    """Exact-count ceiling over the 730 clips, N = 0 among them: a frame inside every blink."""
    rng = np.random.default_rng(0)
    shown = [all_shown(t, t + on_s[f]) for f, n in CELLS for t in [due_s(f, n, draws, rng)]]
    return (SEEDS + SEEDS * sum(shown)) / (SEEDS + SEEDS * len(CELLS))


def published_accuracy(domain: str) -> Floats:
    """Gemini's accuracy in the cells of `CELLS`."""
    with open(PUBLISHED / "surfaces.csv", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["model"] == MODEL and row["domain"] == domain]
    by_cell = {(float(r["frequency_hz"]), int(r["count"])): float(r["accuracy"]) for r in rows}
    return np.array([by_cell[cell] for cell in CELLS])


def published(table: str, row: str, column: str) -> float:
    """One number of a published table."""
    with open(PUBLISHED / f"{table}.csv", newline="") as file:
        return next(float(r[column]) for r in csv.DictReader(file) if row in r.values())


def chance(cells: list[tuple[float, int]]) -> float:
    """Mean expected F1 of as many random times as events over the active span."""
    found = []
    for f, n in cells:
        times, half = [(i + 0.5) / f for i in range(n)], 1 / (2 * f)
        found.append(chance_f1(times, n, half, active_span_s(times, half, LENGTH_S)))
    return float(np.mean(found))


def whole_seconds_at(frequency_hz: float, draws: int = 2000) -> float:
    """Share of events that a whole second lies close enough to."""
    half = 1 / (2 * frequency_hz)
    phases = (np.arange(draws) + 0.5) / draws
    return float(np.mean([best_of_format([1 + phase], 1.0, half).recall for phase in phases]))


def claims(draws: int = 20_000) -> list[Claim]:
    """Every quoted figure with what is found."""
    ceiling, gemini = state_ceiling(draws), published_accuracy("state_machine")
    # The published cells stand on ten clips each: so does the ceiling that they are held against, many times
    # over.
    rng = np.random.default_rng(1)
    tens = rng.binomial(SEEDS, ceiling, (2000, len(CELLS))) / SEEDS
    correlations = np.array([np.corrcoef(one, gemini)[0, 1] for one in tens])
    estimates = rng.binomial(100, ceiling, (2000, len(CELLS))) / 100
    crowded = [k for k, (f, n) in enumerate(CELLS) if n >= 5 and f >= 2.5]
    half_on = {f: animation_s(f) / 2 for f in FREQUENCIES_HZ}
    in_motion = {f: animation_s(f) for f in FREQUENCIES_HZ}
    denied = "* 00:00 - 00:23: no change, running count 0\n\n\\boxed{0}"
    return [
        Claim(
            "state machine: mean ceiling of the 72 cells",
            0.355,
            float(ceiling.mean()),
            *middle(tens.mean(axis=1)),
        ),
        Claim("state machine: mean published accuracy", 0.356, float(gemini.mean())),
        Claim(
            "state machine: correlation, ten clips a cell",
            0.98,
            float(correlations.mean()),
            *middle(correlations),
        ),
        _counted(
            "state machine: cells of 72 outside the ceiling's 95 % interval", 3, outside(gemini, estimates)
        ),
        Claim("... expected, at 5 %", 3.6, 0.05 * len(CELLS)),
        _counted("... of a model at the ceiling, whose counts are whole", None, outside(tens, ceiling)),
        Claim("state machine: ceiling at N >= 5 and F >= 2.5 Hz", 0.0, float(ceiling[crowded].mean())),
        Claim("blinking: ceiling of 730 clips, on as stated", 0.085, blink_ceiling(draws, half_on)),
        Claim("blinking: ceiling of 730 clips, fade counted in full", 0.147, blink_ceiling(draws, in_motion)),
        Claim("blinking: published", 0.064, published("table_1a_domains", "blinking", "em_pct") / 100),
        Claim("chance F1 over the grid, M = N", 0.72, chance(CELLS)),
        Claim("chance F1 at N >= 5 and F >= 2.5 Hz", 0.66, chance([CELLS[k] for k in crowded])),
        Claim(
            "published F1, all domains", 0.36, published("table_1a_domains", "macro_average", "f1_pct") / 100
        ),
        Claim(
            "published F1, high count and frequency",
            0.28,
            published("table_1b_regions", "high_count_high_frequency", "f1_pct") / 100,
        ),
        Claim("whole seconds: share of events at 4 Hz within 0.125 s", 0.25, whole_seconds_at(4.0)),
        Claim("a denied range: reports under the published rule", 2, _reports(denied, "mentions")),
        Claim("a denied range: reports of its ledger", 0, _reports(denied, "ledger")),
    ]


def outside(accuracy: Floats, ceiling: Floats) -> Floats:
    """How many cells of each surface lie outside the central 95 % of ten clips at the ceiling."""
    low, high = binom.ppf(0.025, SEEDS, ceiling), binom.ppf(0.975, SEEDS, ceiling)
    return np.sum((accuracy * SEEDS < low - 1e-6) | (accuracy * SEEDS > high + 1e-6), axis=-1).astype(float)


def middle(values: Floats) -> tuple[float, float]:
    """The central 95 %."""
    return float(np.quantile(values, 0.025)), float(np.quantile(values, 0.975))


def _counted(name: str, quoted: float | None, counts: Floats) -> Claim:
    return Claim(name, quoted, float(counts.mean()), *middle(counts))


def showcases() -> list[Claim]:
    """The published showcases of wrong accumulation whose response lists its events; none without the data."""
    beside = Path(__file__).resolve().parents[2] / "shared"
    folder = Path(os.environ.get("LFT_SHARED", beside)) / "real"
    if not (folder / "cases.json").is_file():
        print(f"no reference data at {folder.parent}: set LFT_SHARED for the showcases", file=sys.stderr)
        return []
    found = []
    for case in json.loads((folder / "cases.json").read_text(encoding="utf-8"))["cases"]:
        told = parse(case["response"], "ledger")
        if (
            case["published_scores"]["category"] in ("acr", "rfr")
            and isinstance(told, Reported)
            and told.events
        ):
            name = f"showcase {case['id']} of wrong accumulation, {case['count']} events"
            assert told.final_answer is not None
            found.append(Claim(f"{name}: in its ledger", None, len(told.events)))
            found.append(Claim(f"{name}: answer less ledger", 0, told.final_answer - len(told.events)))
    return found


def _reports(text: str, rule: str) -> float:
    return float(len(getattr(parse(text, rule), "events", ())))


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--draws", type=int, default=20_000, help="simulated clips a cell")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    found = claims(options.draws) + showcases()
    if options.json:
        print(json.dumps([vars(claim) for claim in found], indent=1))
        return
    width = max(len(claim.name) for claim in found)
    print(f"{'':{width}}  quoted   found  95 % of draws")
    for claim in found:
        quoted = "" if claim.quoted is None else f"{claim.quoted:.3g}"
        drawn = "" if claim.low is None else f"  {claim.low:.3g} to {claim.high:.3g}"
        print(f"{claim.name:{width}}  {quoted:>6}  {claim.found:6.3g}{drawn}")


if __name__ == "__main__":
    main()
