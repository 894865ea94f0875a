"""Accuracy and trace scores: by domain, by region of the grid, by condition, and with intervals."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from typing import TYPE_CHECKING

from lft.core.conditions import CONDITION
from lft.core.records import Entries, JsonObject
from lft.core.reporting.tables import Table
from lft.core.stats import Paired, holm, paired
from lft.counting.audit.clusters import clusters_of, share_of
from lft.counting.audit.compare import models_compared
from lft.counting.cells import condition_order
from lft.counting.reporting.results import AUDIT, Results, Series
from lft.counting.reporting.tables.table import HEADS, domains_of, found_in, head_of, part_of, sizes

if TYPE_CHECKING:
    import pandas as pd
    from pandas import DataFrame

    from lft.core.reporting.tables import Rows

# As in table 1 B: positive counts only; counts of 4 and frequencies between 2.0 and 2.5 Hz are in no region.
LOW_COUNT, HIGH_COUNT = 3, 5
LOW_HZ, HIGH_HZ = 2.0, 2.5
REGIONS: dict[str, Callable[[DataFrame], pd.Series[bool]]] = {
    "low count, low frequency": lambda t: t["count"].between(1, LOW_COUNT) & (t["frequency_hz"] <= LOW_HZ),
    "high count, low frequency": lambda t: (t["count"] >= HIGH_COUNT) & (t["frequency_hz"] <= LOW_HZ),
    "low count, high frequency": lambda t: t["count"].between(1, LOW_COUNT) & (t["frequency_hz"] >= HIGH_HZ),
    "high count, high frequency": lambda t: (t["count"] >= HIGH_COUNT) & (t["frequency_hz"] >= HIGH_HZ),
}


_GUESSES = ("em_constant", "em_shuffled")
_PAIRED = tuple(field.name for field in fields(Paired))
_MEANS = ("vor", "vor_pooled", "precision", "recall", "f1", "acr", "rfr")


def by_domain(results: Results) -> Table:
    """Table 1 A: every rate by domain, the mean over domains, and all clips together."""
    rows: Rows = []
    for series in results.series:
        for domain in domains_of(series):
            rows.append(_row(series, domain))
        if len(domains_of(series)) > 1:
            whole = _rates(series.totals())
            nothing = dict.fromkeys(("em_lower", "em_upper", "f1_lower", "f1_upper"))
            means = whole | nothing | _macro(rows[-len(domains_of(series)) :])
            rows.append({**head_of(series), "domain": "macro average", **means})
            rows.append(_row(series, "all clips"))
    note = (
        "EM over all clips, with its 95 % interval, beside the best constant answer and the same answers shuffled over "
        "clips; P, R, F1, VOR, ACR and RFR are means over clips with events. Intervals: score intervals that take a "
        "clip, or clips that share a look, as one. Macro average: plain mean of the domains."
    )
    return Table("by_domain", "Accuracy and trace scores by domain", note, _aligned(rows), (*HEADS, "domain"))


def by_region(results: Results) -> Table:
    """Table 1 B: rates in the four corners of the grid, over all domains and by domain."""
    rows = []
    for series in results.series:
        domains = [d for d in domains_of(series) if d in results.grids]
        on_grid = series.scores[series.scores["domain"].isin(domains)]
        for domain in ["all domains", *domains] if len(domains) > 1 else domains:
            scores = on_grid if domain == "all domains" else part_of(series, domain)
            for region, inside in REGIONS.items():
                part = scores[inside(scores)]
                if len(part):
                    numbers = _numbers(part, found_in(part))
                    rows.append({**head_of(series), "domain": domain, "region": region, **numbers})
    note = (
        f"Clips with events only. Low count: N ≤ {LOW_COUNT}; high count: N ≥ {HIGH_COUNT}; "
        f"low frequency: F ≤ {LOW_HZ:g} Hz; high frequency: F ≥ {HIGH_HZ:g} Hz."
    )
    return Table("by_region", "By region of the grid", note, _aligned(rows), (*HEADS, "domain", "region"))


def interventions(results: Results) -> Table:
    """Table 1 C: one model's conditions by domain, each against the first on the same clips."""
    rows: Rows = []
    for model in dict.fromkeys(one.model for one in results.series):
        group = sorted(
            (s for s in results.series if s.model == model), key=lambda s: condition_order(s.condition)
        )
        if len(group) < 2:
            continue
        base = group[0]
        for domain in results.domains:
            parts = {series.slug: part_of(series, domain) for series in group}
            tests = holm(
                {
                    series.slug: found
                    for series in group[1:]
                    if (found := _paired(parts[base.slug], parts[series.slug])) is not None
                }
            )
            for series in group:
                if len(parts[series.slug]):
                    head = {"model": model, "domain": domain, **_condition(series)}
                    numbers = _numbers(parts[series.slug], series.totals(domain))
                    em = {name: numbers.pop(name) for name in ("em", "em_lower", "em_upper")}
                    rows.append({**head, **em, **_tested(tests.get(series.slug)), **numbers})
    note = (
        "Against the model's first condition in the table, on the clips answered under both (n paired): clips that "
        "turn from wrong to right (gained) and from right to wrong (lost), difference in EM with its 95 % interval, "
        "p of the paired exact test (McNemar's where each clip is asked once; else conditions swapped within whole "
        "clips or looks), corrected by Holm within model and domain."
    )
    heads = ("model", "domain", "run", *CONDITION)
    return Table("interventions", "Conditions of one model compared", note, _aligned(rows), heads)


def models_against_each_other(results: Results) -> Table:
    """Each pair of models under the same condition, on the clips that both answered."""
    names = ("model", "against", "domain", *CONDITION)
    rows = [
        {
            **{name: row[name] for name in names},
            **_tested(Paired(**{k: row[k] for k in _PAIRED})),
            "n_clusters": row["clusters"],
        }
        for row in models_compared(results.scores)
    ]
    note = (
        "Exact match of the first model less the other's, on the clips answered by both (n paired), with its 95 % "
        "interval; gained: right by the first only, lost: by the other only. p as for conditions, corrected by Holm "
        "within condition and domain."
    )
    # Model and other model are said in every row, even if there are two models only.
    return Table("models", "Models compared on the same clips", note, _aligned(rows), ("domain", *CONDITION))


def intervals(results: Results) -> Table:
    """Table 4: right answers with the 95 % interval."""
    rows = []
    for series in results.series:
        domains = domains_of(series)
        for domain in [*domains, "all clips"] if len(domains) > 1 else domains:
            found = series.totals(None if domain == "all clips" else domain)
            rows.append(
                {
                    **head_of(series),
                    "domain": domain,
                    **sizes(found),
                    "correct": found["correct"],
                    **_em(found),
                    **{name: found.get(name) for name in ("ceiling_correct", "em_relative", *_GUESSES)},
                }
            )
    note = (
        "Score interval, 95 %: Wilson's where each clip is answered once and has a look of its own; else clips or "
        "looks are clusters. Ceiling: EM that the supplied frames allow; relative: EM over it. Constant: EM of the "
        "best answer that is always the same; shuffled: of these answers dealt out to the clips at random."
    )
    return Table("intervals", "Accuracy with intervals", note, _aligned(rows), (*HEADS, "domain"))


def _condition(series: Series) -> JsonObject:
    return {"run": series.key[0], **series.condition}


def _row(series: Series, domain: str) -> JsonObject:
    of = None if domain == "all clips" else domain
    scores = series.scores if of is None else part_of(series, of)
    return {**head_of(series), "domain": domain, **_numbers(scores, series.totals(of))}


def _numbers(scores: DataFrame, found: Entries) -> JsonObject:
    low, high = _spread(scores)
    return _rates(found) | {"f1_lower": low, "f1_upper": high} | _audit(scores)


def _em(found: Entries) -> JsonObject:
    low, high = found.get("em_interval") or (None, None)
    return {"em": found.get("em"), "em_lower": low, "em_upper": high}


def _rates(found: Entries) -> JsonObject:
    guesses = {name: found.get(name) for name in _GUESSES}
    return {
        **sizes(found),
        **_em(found),
        **guesses,
        **{name: found.get(name) for name in ("n_positive", *_MEANS)},
    }


def _audit(scores: DataFrame) -> JsonObject:
    answered = scores[scores["status"] == "answered"]
    known = [c for c in AUDIT if c in scores.columns]
    found = {c: float(answered[c].mean()) if answered[c].notna().any() else None for c in known}
    if found.get("skill_f1") is not None and found.get("chance_f1") is not None:
        # Of the means: the mean of single clips' skills is ruled by those that chance nearly solves.
        chance = float(answered["chance_f1"].mean())
        found["skill_f1"] = (float(answered["f1"].mean()) - chance) / (1 - chance) if chance < 1 else None
    return found


def _spread(scores: DataFrame) -> tuple[float | None, float | None]:
    """The 95 % interval of the mean F1 over clips with events."""
    answered = scores[(scores["status"] == "answered") & (scores["count"] > 0)]
    return share_of(answered["f1"], answered) or (None, None)


def _macro(rows: Rows) -> JsonObject:
    """The mean over domains of each rate; None if a domain has none."""
    rates = [c for c in rows[0] if c in ("em", *_MEANS, *AUDIT)]
    whole = {c: all(row[c] is not None for row in rows) for c in rates}
    return {c: sum(row[c] for row in rows) / len(rows) if whole[c] else None for c in rates}


def _aligned(rows: Rows) -> Rows:
    columns = list(dict.fromkeys(c for row in rows for c in row))
    return [{c: row.get(c) for c in columns} for row in rows]


def _paired(base: DataFrame, other: DataFrame) -> Paired | None:
    keys = ["clip", "replicate"]
    first, second = (part[part["status"] == "answered"] for part in (base, other))
    first = first.assign(_cluster=clusters_of(first))
    both = first.merge(second, on=keys, suffixes=("", "_other"))
    if both.empty:
        return None
    return paired(
        both["correct"] == 1, both["correct_other"] == 1, clusters=both["_cluster"].to_numpy(object)
    )


def _tested(test: Paired | None) -> JsonObject:
    names = ("difference", "gained", "lost")
    found: JsonObject = {name: getattr(test, name) if test else None for name in names}
    found["difference_lower"], found["difference_upper"] = (test.lower, test.upper) if test else (None, None)
    found |= {"p": test.p if test else None, "p_holm": test.p_holm if test else None}
    return found | {"n_paired": test.n if test else None}
