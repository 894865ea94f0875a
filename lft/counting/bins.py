"""Counting scores by bins of the true count, as in natural-video benchmarks.

Bins are 1-2, 3-4, ..., 29-30 and >30 events; clips without events are a bin of their own. Exact match and
off-by-one accuracy carry score intervals over clips, the normalised error one from resampling clips.
"""

from __future__ import annotations

import pandas as pd

from lft.core.records import JsonObject
from lft.core.stats import cluster_bootstrap
from lft.counting.audit.clusters import share_of

LARGEST = 30  # counts above share a bin


def bin_of(count: int) -> str:
    """The bin of a true count.

    >>> [bin_of(n) for n in (0, 1, 2, 3, 30, 31, 400)]
    ['0', '1-2', '1-2', '3-4', '29-30', '>30', '>30']
    """
    if count > LARGEST:
        return f">{LARGEST}"
    low = count - (count + 1) % 2
    return f"{low}-{low + 1}" if count else "0"


def counting(answered: pd.DataFrame) -> JsonObject:
    """Off-by-one accuracy and normalised error of answered trials (rows of scores.csv).

    off_by_one : share of clips with |answer - N| <= 1; no answer is wrong. Higher is better.
    nmae : mean of |answer - N| / N over the `n_nmae` clips with events; no answer counts as the answer 0.
        Range [0, inf), lower is better. Source: TransRAC (CVPR 2022), whose code divides by N + 0.1 so that
        N = 0 is defined; here such clips are left out.

    >>> rows = pd.DataFrame({"clip": ["a", "b", "c"], "count": [4, 2, 0], "final_answer": [5, None, 1]})
    >>> found = counting(rows)
    >>> round(found["off_by_one"], 3), found["nmae"], found["n_nmae"]
    (0.667, 0.625, 2)
    """
    answers = pd.to_numeric(answered["final_answer"], errors="coerce").astype(float)
    counts = answered["count"].astype(float)
    near = (answers - counts).abs() <= 1
    positive = counts > 0
    errors = (answers.fillna(0.0) - counts).abs()[positive] / counts[positive]
    spread = cluster_bootstrap(errors, list(answered["clip"][positive])) if len(errors) else None
    return {
        "off_by_one": float(near.mean()) if len(answered) else None,
        "off_by_one_interval": share_of(near, answered),
        "n_nmae": len(errors),
        "nmae": spread.value if spread else None,
        "nmae_interval": [spread.lower, spread.upper] if spread else None,
    }


def by_bin(scores: pd.DataFrame) -> list[JsonObject]:
    """One document per bin that occurs, in rising order: bin, n, n_missing, em, off_by_one, nmae with
    intervals, and the share of clips in which the supplied frames show every event (`literal_correct`).
    """
    table = []
    names = scores["count"].map(lambda n: bin_of(int(n)))
    for name in sorted(
        set(names), key=lambda b: int(b.partition("-")[0].replace(">", "") or 0) + (b[0] == ">")
    ):
        rows = scores[names == name]
        answered = rows[rows["status"] == "answered"]
        correct = int((answered["correct"] == 1).sum())
        ceilings = list(rows["literal_correct"].dropna()) if "literal_correct" in rows.columns else []
        table.append(
            {
                "bin": name,
                "n": len(answered),
                "n_missing": int((rows["status"] == "missing").sum()),
                "em": correct / len(answered) if len(answered) else None,
                "em_interval": share_of(answered["correct"] == 1, answered),
                **counting(answered),
                "literal_correct": sum(ceilings) / len(ceilings) if ceilings else None,
            }
        )
    return table


def as_text(bins: list[JsonObject]) -> str:
    """The table of `by_bin` as aligned lines; shares in per cent."""
    lines = ["  count      n  missing      EM %         95 %   off by one %    nMAE         literal %"]
    for row in bins:
        interval = row["em_interval"]
        between = f"{100 * interval[0]:.1f}–{100 * interval[1]:.1f}" if interval else "-"
        cells = (
            _share(row["em"]),
            between,
            _share(row["off_by_one"]),
            _number(row["nmae"]),
            _share(row["literal_correct"]),
        )
        widths = (10, 13, 15, 8, 18)
        lines.append(
            f"  {row['bin']:<6} {row['n']:5d} {row['n_missing']:8d}"
            + "".join(f"{cell:>{width}}" for cell, width in zip(cells, widths, strict=True))
        )
    return "\n".join(lines)


def _share(value: float | None) -> str:
    return "-" if value is None else f"{100 * value:.1f}"


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"
