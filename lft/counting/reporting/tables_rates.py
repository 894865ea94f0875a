"""Accuracy and trace scores: by domain, by region of the grid, by condition, and with intervals."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from lft.core.stats import Paired, cluster_bootstrap, holm, paired
from lft.counting.cells import condition_order
from lft.counting.reporting.results import AUDIT, CONDITION, Results, Series
from lft.counting.reporting.table import HEADS, Table, domains_of, found_in, head_of, part_of, sizes

if TYPE_CHECKING:
    from pandas import DataFrame

    from lft.counting.reporting.table import Rows

# As in table 1 B: positive counts only; counts of 4 and frequencies between 2.0 and 2.5 Hz lie in no region.
LOW_COUNT, HIGH_COUNT = 3, 5
LOW_HZ, HIGH_HZ = 2.0, 2.5
REGIONS: dict[str, Callable[[DataFrame], Any]] = {
    "low count, low frequency": lambda t: t["count"].between(1, LOW_COUNT) & (t["frequency_hz"] <= LOW_HZ),
    "high count, low frequency": lambda t: (t["count"] >= HIGH_COUNT) & (t["frequency_hz"] <= LOW_HZ),
    "low count, high frequency": lambda t: t["count"].between(1, LOW_COUNT) & (t["frequency_hz"] >= HIGH_HZ),
    "high count, high frequency": lambda t: (t["count"] >= HIGH_COUNT) & (t["frequency_hz"] >= HIGH_HZ),
}


_DRAWS = 500  # resamples for the interval of F1
_MEANS = ("vor", "vor_pooled", "precision", "recall", "f1", "acr", "rfr")


def by_domain(results: Results) -> Table:
    """Table 1 A: every rate by domain, their plain mean, and all clips together."""
    rows: Rows = []
    for series in results.series:
        for domain in domains_of(series):
            rows.append(_row(series, domain, part_of(series, domain)))
        if len(domains_of(series)) > 1:
            whole = _rates(found_in(series.scores))
            nothing = dict.fromkeys(("em_lower", "em_upper", "f1_lower", "f1_upper"))
            means = whole | nothing | _macro(rows[-len(domains_of(series)) :])
            rows.append({**head_of(series), "domain": "macro average", **means})
            rows.append(_row(series, "all clips", series.scores))
    note = (
        "EM over all clips, with the Wilson 95 % interval; P, R, F1, VOR, ACR and RFR are means over clips "
        "with events, the interval of F1 by resampling clips; none where clips do not differ. "
        "Macro average: plain mean of the domains."
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
                    rows.append({**head_of(series), "domain": domain, "region": region, **_numbers(part)})
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
                    numbers = _numbers(parts[series.slug])
                    em = {name: numbers.pop(name) for name in ("em", "em_lower", "em_upper")}
                    rows.append({**head, **em, **_tested(tests.get(series.slug)), **numbers})
    note = (
        "Against the model's first condition in the table, on the clips answered under both (n paired): clips that "
        "turn from wrong to right (gained) and from right to wrong (lost), difference in EM with its 95 % interval, "
        "exact McNemar p, corrected by Holm within model and domain."
    )
    heads = ("model", "domain", "run", *CONDITION)
    return Table("interventions", "Conditions of one model compared", note, _aligned(rows), heads)


def intervals(results: Results) -> Table:
    """Table 4: right answers out of how many, with the Wilson 95 % interval."""
    rows = []
    for series in results.series:
        domains = domains_of(series)
        for domain in [*domains, "all clips"] if len(domains) > 1 else domains:
            found = found_in(series.scores if domain == "all clips" else part_of(series, domain))
            rows.append(
                {
                    **head_of(series),
                    "domain": domain,
                    **sizes(found),
                    "correct": found["correct"],
                    **_em(found),
                    **{name: found.get(name) for name in ("ceiling_correct", "em_relative")},
                }
            )
    note = "Wilson score interval, 95 %. Ceiling: EM that the supplied frames allow; relative: EM over it."
    return Table("intervals", "Accuracy with intervals", note, _aligned(rows), (*HEADS, "domain"))


def _condition(series: Series) -> dict[str, Any]:
    return {"run": series.key[0], **series.condition}


def _row(series: Series, domain: str, scores: DataFrame) -> dict[str, Any]:
    return {**head_of(series), "domain": domain, **_numbers(scores)}


def _numbers(scores: DataFrame) -> dict[str, Any]:
    found = found_in(scores)
    low, high = _spread(scores)
    return _rates(found) | {"f1_lower": low, "f1_upper": high} | _audit(scores)


def _em(found: Mapping[str, Any]) -> dict[str, Any]:
    low, high = found.get("em_interval") or (None, None)
    return {"em": found.get("em"), "em_lower": low, "em_upper": high}


def _rates(found: Mapping[str, Any]) -> dict[str, Any]:
    return {**sizes(found), **_em(found), **{name: found.get(name) for name in ("n_positive", *_MEANS)}}


def _audit(scores: DataFrame) -> dict[str, Any]:
    answered = scores[scores["status"] == "answered"]
    known = [c for c in AUDIT if c in scores.columns]
    found = {c: float(answered[c].mean()) if answered[c].notna().any() else None for c in known}
    if found.get("skill_f1") is not None and found.get("chance_f1") is not None:
        # Of the means: the mean of single clips' skills is ruled by those that chance nearly solves.
        chance = float(answered["chance_f1"].mean())
        found["skill_f1"] = (float(answered["f1"].mean()) - chance) / (1 - chance) if chance < 1 else None
    return found


def _spread(scores: DataFrame) -> tuple[float | None, float | None]:
    """The 95 % interval of the mean F1 over clips with events, by resampling clips."""
    answered = scores[(scores["status"] == "answered") & (scores["count"] > 0)]
    if answered["f1"].nunique() < 2:  # one clip, or the same score for all: resampling would show no spread
        return None, None
    found = cluster_bootstrap(answered["f1"].to_numpy(float), answered["clip"].to_numpy(), draws=_DRAWS)
    return (found.lower, found.upper) if found else (None, None)


def _macro(rows: Rows) -> dict[str, Any]:
    """The plain mean over domains of each rate; None where a domain lacks it, which would go unseen in a mean."""
    rates = [c for c in rows[0] if c in ("em", *_MEANS, *AUDIT)]
    whole = {c: all(row[c] is not None for row in rows) for c in rates}
    return {c: sum(row[c] for row in rows) / len(rows) if whole[c] else None for c in rates}


def _aligned(rows: Rows) -> Rows:
    columns = list(dict.fromkeys(c for row in rows for c in row))
    return [{c: row.get(c) for c in columns} for row in rows]


def _paired(base: DataFrame, other: DataFrame) -> Paired | None:
    keys = ["clip", "replicate"]
    both = base[base["status"] == "answered"].merge(
        other[other["status"] == "answered"], on=keys, suffixes=("", "_other")
    )
    return paired(both["correct"] == 1, both["correct_other"] == 1) if len(both) else None


def _tested(test: Paired | None) -> dict[str, Any]:
    names = ("difference", "gained", "lost")
    found: dict[str, Any] = {name: getattr(test, name) if test else None for name in names}
    found["difference_lower"], found["difference_upper"] = (test.lower, test.upper) if test else (None, None)
    found |= {"p": test.p if test else None, "p_holm": test.p_holm if test else None}
    return found | {"n_paired": test.n if test else None}
