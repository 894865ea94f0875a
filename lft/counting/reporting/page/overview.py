"""The overview of the page: one row per series, its texts, and the series that the page opens on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from lft.core.conditions import CONDITION, condition_words
from lft.core.records import Entries, JsonObject
from lft.counting.reporting.figures.accounts import told
from lft.counting.reporting.results import Results, Series, short_models
from lft.counting.reporting.tables.outcomes import cause_counts

if TYPE_CHECKING:
    from pandas import DataFrame

_RULES = {
    "ledger": "events as the response's list asserts them (rule ledger)",
    "mentions": "every time that the response mentions (rule mentions)",
}


# Events of imported videos have no frequency: each has a window of its own.
_OWN_WINDOW = "half the event's own length (intervals) or half the gap to the nearest other event (instants)"


def overview(results: Results) -> JsonObject:
    """{"rows": one a series, in order; "start": the series to open on; "scoring": sentences; "few": a warning}."""
    models = short_models([one.model for one in results.series])
    rows = [{**_row(one, models[one.model], results.grids), **told(results, one)} for one in results.series]
    return {
        "rows": rows,
        "start": start([row["em"] for row in rows]),
        "scoring": _scoring(results),
        "few": _few(results),
    }


def start(em: Sequence[float | None]) -> int:
    """The series to open on: the first, or if it has no wrong answers the one with the lowest EM.

    >>> start([0.9, 0.4]), start([1.0, 0.4, 0.7]), start([None, 1.0]), start([])
    (0, 1, 1, 0)
    """
    known = [(value, i) for i, value in enumerate(em) if value is not None]
    if not known or em[0] not in (None, 1.0):
        return 0
    return min(known)[1]


def _row(series: Series, model: str, grids: Sequence[str]) -> JsonObject:
    found = series.totals()
    low, high = found["em_interval"] or (None, None)
    wrong = {cause: k for cause, k in cause_counts(series.scores).items() if cause != "correct"}
    most = max(wrong.values(), default=0)
    return {
        "model": model, "run": series.key[0],
        **{axis: condition_words(axis, series.condition[axis]) for axis in CONDITION},
        "n": found["n"], "missing": found["n_missing"],
        "em": found["em"], "ci": None if low is None else [low, high],
        "ceiling": found.get("ceiling_correct"), "guess": _guess(found),
        "f1": found["f1"], "chance": found.get("chance_f1"),
        "reach": reach(series, grids),
        "wrong": sum(wrong.values()), "most": most,
        "causes": [cause for cause, k in wrong.items() if most and k == most],
    }  # fmt: skip


def _guess(found: Entries) -> float | None:
    """EM of guessing: of the best constant answer or of the same answers shuffled over clips."""
    known = [found[name] for name in ("em_constant", "em_shuffled") if found.get(name) is not None]
    return max(known, default=None)


FEW = 5  # clips; a cell of fewer cannot tell an accuracy of tau from a much lower one


def _few(results: Results) -> str:
    """A warning if cells have one or two clips."""
    held = [_clips_a_cell(one, results.grids) for one in results.series]
    most = max((n for n in held if n is not None), default=0)
    if most not in (1, 2):
        return ""
    return f"{most} {'clip' if most == 1 else 'clips'} a cell: read the intervals, not the single cells."


def _clips_a_cell(series: Series, grids: Sequence[str]) -> int | None:
    """The most frequent number of clips in cells with events."""
    cells = series.cells[series.cells["domain"].isin(grids) & (series.cells["count"] > 0)]
    held = cells.loc[cells["n"] > 0, "n"]
    return int(held.mode().max()) if len(held) else None


def reach(series: Series, grids: Sequence[str]) -> JsonObject:
    """The largest reliable N over the domains on a grid: `n` (0: below; None: no such clip with events), `in` the
    domains that reach it, `each` domain's own, `few` clips a cell or None, and whether cells that were
    not measured leave it `open`: it may be larger.
    """
    found = {domain: one for domain, one in series.frontiers.items() if one.count and domain in grids}
    largest = max((one.largest_count for one in found.values()), default=None)
    best = [domain for domain, one in found.items() if largest and one.largest_count == largest]
    return {
        "n": largest,
        "in": [] if len(best) == len(found) else best,
        "each": [[domain, one.largest_count or 0] for domain, one in found.items()],
        "few": held if (held := _clips_a_cell(series, grids)) is not None and held < FEW else None,
        "open": any(n == "undetermined" for one in found.values() for n in one.count.values()),
    }


def _scoring(results: Results) -> list[str]:
    """Rule and tolerance in words; with the runs' names where they differ between runs."""
    said: dict[str, list[str]] = {}
    for run, rows in results.scores.groupby("run", sort=False):
        said.setdefault(scoring_words(rows), []).append(str(run))
    return [words if len(said) == 1 else f"{_listed(runs)}: {words}" for words, runs in said.items()]


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names) if len(names) < 5 else f"{', '.join(names[:3])} and {len(names) - 3} more runs"


def scoring_words(scores: DataFrame) -> str:
    """How the times of a scores table were read and paired.

    >>> import pandas as pd
    >>> rows = pd.DataFrame({"rule": ["ledger"] * 2, "tolerance_s": [1.0, 0.25], "frequency_hz": [0.5, 2.0]})
    >>> scoring_words(rows).split("; ")[1]
    'a time counts within ±1/(2F), half the period, of its event'
    """
    rules = [str(rule) for rule in scores["rule"].dropna().unique()]
    read = " or ".join(_RULES.get(rule, f"rule {rule}") for rule in rules) or "rule unknown"
    given = scores[scores["tolerance_s"].notna()]
    windows = []
    if len(given) and ((given["tolerance_s"] * given["frequency_hz"] - 0.5).abs() < 1e-5).all():
        windows.append("±1/(2F), half the period,")
    else:
        windows += [f"±{value:g} s" for value in sorted(given["tolerance_s"].unique())]
    said = [f"a time counts within {' or '.join(windows)} of its event"] if windows else []
    if len(given) < len(scores):
        said.append(f"{'where events have no frequency,' if said else 'a time counts'} within {_OWN_WINDOW}")
    return "; ".join([read, *said])
