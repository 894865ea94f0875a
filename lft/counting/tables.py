"""The study's tables from scored runs, in the order of the published ones, with what those leave out.

Each row carries n, the missing trials and an interval; where the scores hold them, the ceiling (what the
supplied frames allow) and chance stand beside what was reached. Rates are fractions in [0, 1] in the data
(and the CSV) and percentages in print. See `lft.counting.tabletext` for the forms.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lft.counting.results import AUDIT, CONDITION, Results, Series, sampling_order
from lft.counting.style import CAUSES
from lft.counting.summary import summarise, totals

if TYPE_CHECKING:
    from pandas import DataFrame

    Rows = list[dict[str, Any]]

# As in table 1 B: positive counts only; counts of 4 and frequencies between 2.0 and 2.5 Hz lie in no region.
LOW_COUNT, HIGH_COUNT = 3, 5
LOW_HZ, HIGH_HZ = 2.0, 2.5
REGIONS: dict[str, Callable[[DataFrame], Any]] = {
    "low count, low frequency": lambda t: t["count"].between(1, LOW_COUNT) & (t["frequency_hz"] <= LOW_HZ),
    "high count, low frequency": lambda t: (t["count"] >= HIGH_COUNT) & (t["frequency_hz"] <= LOW_HZ),
    "low count, high frequency": lambda t: t["count"].between(1, LOW_COUNT) & (t["frequency_hz"] >= HIGH_HZ),
    "high count, high frequency": lambda t: (t["count"] >= HIGH_COUNT) & (t["frequency_hz"] >= HIGH_HZ),
}
_KINDS = ("matched", "missed", "merged", "hallucinated", "displaced", "misidentified")


@dataclass(frozen=True)
class Table:
    """One table.

    Attributes
    ----------
    name : its file name.
    title, note : what it shows; what a reader must know to read it.
    rows : one dict a row; all rows have the same keys, which are the columns of the CSV.
    heads : the leading columns, words that say what a row is.
    """

    name: str
    title: str
    note: str
    rows: Rows
    heads: tuple[str, ...]


def all_tables(results: Results) -> list[Table]:
    """Every table that the results can fill, in reading order."""
    made = [
        by_domain(results),
        by_region(results),
        interventions(results),
        boundary(results),
        count_frontiers(results),
        frequency_frontiers(results),
        intervals(results),
        causes(results),
        events(results),
        costs(results),
    ]
    return [table for table in made if table.rows]


def by_domain(results: Results) -> Table:
    """Table 1 A: every rate by domain, their plain mean, and all clips together."""
    rows: Rows = []
    for series in results.series:
        for domain in _domains(series):
            rows.append(_row(series, domain, _of_domain(series, domain)))
        if len(_domains(series)) > 1:
            macro = summarise(series.scores)[0]["macro"]
            whole = totals(series.scores)
            means = _rates({**whole, **macro, "em_interval": None}) | _audit_macro(
                rows[-len(_domains(series)) :]
            )
            rows.append({**_head(series), "domain": "macro average", **means})
            rows.append(_row(series, "all clips", series.scores))
    note = (
        "EM over all clips, with the Wilson 95 % interval; P, R, F1, VOR, ACR and RFR are means over clips "
        "with events. Macro average: plain mean of the domains."
    )
    return Table(
        "by_domain", "Accuracy and trace scores by domain", note, _aligned(rows), (*_HEADS, "domain")
    )


def by_region(results: Results) -> Table:
    """Table 1 B: rates in the four corners of the grid, over all domains and by domain."""
    rows = []
    for series in results.series:
        domains = _domains(series)
        for domain in ["all domains", *domains] if len(domains) > 1 else domains:
            scores = series.scores if domain == "all domains" else _of_domain(series, domain)
            for region, inside in REGIONS.items():
                part = scores[inside(scores)]
                if len(part):
                    rows.append({**_head(series), "domain": domain, "region": region, **_numbers(part)})
    note = (
        f"Clips with events only. Low count: N ≤ {LOW_COUNT}; high count: N ≥ {HIGH_COUNT}; "
        f"low frequency: F ≤ {LOW_HZ:g} Hz; high frequency: F ≥ {HIGH_HZ:g} Hz."
    )
    return Table("by_region", "By region of the grid", note, _aligned(rows), (*_HEADS, "domain", "region"))


def interventions(results: Results) -> Table:
    """Table 1 C: one model's conditions by domain, each against the first on the same clips."""
    rows = []
    for model in dict.fromkeys(one.model for one in results.series):
        group = sorted((s for s in results.series if s.model == model), key=_condition_order)
        if len(group) < 2:
            continue
        base = group[0]
        for domain in results.domains:
            for series in group:
                part = _of_domain(series, domain)
                if len(part):
                    paired = _paired(_of_domain(base, domain), part)
                    rows.append(
                        {"model": model, "domain": domain, **_condition(series), **_numbers(part), **paired}
                    )
    note = (
        "Gained and lost: clips that the condition turns from wrong to right and from right to wrong, "
        "against the model's first condition in the table, over clips answered under both (paired)."
    )
    heads = ("model", "domain", "run", *CONDITION)
    return Table("interventions", "Conditions of one model compared", note, _aligned(rows), heads)


def boundary(results: Results) -> Table:
    """Table 2: the largest count frontier at any frequency and domain, with the accuracy by domain."""
    rows = []
    for series in results.series:
        reach = {domain: found.largest_count for domain, found in series.frontiers.items()}
        largest = max(reach.values())
        best = [d for d in _domains(series) if largest and reach[d] == largest]
        hz = sorted({f for d in best for f, n in series.frontiers[d].count.items() if n == largest})
        open_cells = sum(n == "undetermined" for f in series.frontiers.values() for n in f.count.values())
        row = {
            **_head(series),
            "largest_count": largest,
            "in_domain": ", ".join(best),
            "at_hz": " ".join(f"{f:g}" for f in hz),
            "undetermined": open_cells,
            "n": int(series.cells["n"].sum()),
            "n_missing": int(series.cells["n_missing"].sum()),
        }
        for domain in results.domains:
            found = totals(_of_domain(series, domain))
            row |= {f"em_{domain}": found["em"], f"n_{domain}": found["n"]}
        rows.append(row)
    note = (
        f"Largest N whose accuracy, and that of every smaller positive N, reaches τ = {results.tau:.2f} at "
        "some frequency; 0 if none does. Undetermined: frequencies at which missing trials leave it open."
    )
    return Table("boundary", "Largest reliable count", note, rows, _HEADS)


def count_frontiers(results: Results) -> Table:
    """The count frontier at each frequency."""
    columns = sorted({f for s in results.series for found in s.frontiers.values() for f in found.count})
    rows = [
        {
            **_head(series),
            "domain": domain,
            **_sizes(series, domain),
            **{f"{f:g} Hz": found.count.get(f, "") for f in columns},
        }
        for series in results.series
        for domain, found in _in_order(series)
    ]
    note = f"Largest N counted reliably (τ = {results.tau:.2f}) at each frequency, every smaller N included."
    return Table("count_frontiers", "Count frontiers", note, rows if columns else [], (*_HEADS, "domain"))


def frequency_frontiers(results: Results) -> Table:
    """The frequency frontier at each count."""
    columns = sorted({n for s in results.series for found in s.frontiers.values() for n in found.frequency})
    rows = [
        {
            **_head(series),
            "domain": domain,
            **_sizes(series, domain),
            **{f"N = {n}": found.frequency.get(n, "") for n in columns},
        }
        for series in results.series
        for domain, found in _in_order(series)
    ]
    note = f"Highest frequency in Hz counted reliably (τ = {results.tau:.2f}) at each count, lower ones included."
    return Table(
        "frequency_frontiers", "Frequency frontiers", note, rows if columns else [], (*_HEADS, "domain")
    )


def intervals(results: Results) -> Table:
    """Table 4: right answers out of how many, with the Wilson 95 % interval."""
    rows = []
    for series in results.series:
        domains = _domains(series)
        for domain in [*domains, "all clips"] if len(domains) > 1 else domains:
            found = totals(series.scores if domain == "all clips" else _of_domain(series, domain))
            rows.append(
                {
                    **_head(series),
                    "domain": domain,
                    **_sizes_of(found),
                    "correct": found["correct"],
                    **_em(found),
                }
            )
    return Table(
        "intervals", "Accuracy with intervals", "Wilson score interval, 95 %.", rows, (*_HEADS, "domain")
    )


def causes(results: Results) -> Table:
    """What became of each answered trial: right, or wrong for which cause. Empty without an audit."""
    rows: Rows = []
    for series in results.series if "cause" in results.scores.columns else ():
        for domain in _domains(series):
            found = cause_counts(_of_domain(series, domain))
            sizes = _sizes_of(totals(_of_domain(series, domain)))
            rows.append(
                {**_head(series), "domain": domain, **sizes, **{CAUSES[c][0]: k for c, k in found.items()}}
            )
    note = "Answered trials by outcome; the columns after the missing ones add up to n."
    return Table("causes", "Why answers were wrong", note, rows, (*_HEADS, "domain"))


def cause_counts(scores: DataFrame) -> dict[str, int]:
    """Outcome -> answered trials, in the order of `CAUSES`."""
    answered = scores[scores["status"] == "answered"]
    outcome = outcomes(answered)
    return {cause: int((outcome == cause).sum()) for cause in CAUSES}


def outcomes(answered: DataFrame) -> Any:
    """The outcome of each answered trial: `correct`, else the audit's cause, else `unparsed` or `wrong`."""
    import pandas as pd

    if "cause" in answered.columns:
        cause = answered["cause"].astype(object).where(answered["cause"].isin(list(CAUSES)), "wrong")
    else:
        cause = pd.Series("wrong", index=answered.index, dtype=object)
        cause[answered["final_answer"].isna()] = "unparsed"
    return cause.where(answered["correct"] != 1, "correct")


def events(results: Results) -> Table:
    """Table 8: true and reported events by what became of them. Empty without an audit."""
    rows: Rows = []
    known = [kind for kind in _KINDS if kind in results.scores.columns]
    for series in results.series if len(known) > 1 else ():
        for domain in _domains(series):
            part = _of_domain(series, domain)
            answered = part[part["status"] == "answered"]
            positive = answered[answered["count"] > 0]
            rows.append(
                {
                    **_head(series),
                    "domain": domain,
                    **_sizes_of(totals(part)),
                    "true events": int(positive["count"].sum()),
                    **{kind: int(positive[kind].sum()) for kind in known},
                    "clips with events": len(positive),
                }
            )
    note = "Clips with events. Matched + missed are the true events; displaced and misidentified lie within."
    return Table("events", "Events by what became of them", note, rows, (*_HEADS, "domain"))


def costs(results: Results) -> Table:
    """Tables 10 to 12: answers, tokens and cost of each run and condition, as the provider reported them."""
    rows: dict[tuple[str, str, str, str, str], dict[str, Any]] = {}
    for name, run in results.runs.items():
        for line in run.lines():
            usage, key = line.get("usage") or {}, line["key"]
            head = tuple(str(key.get(part, "")) for part in ("model", *CONDITION))
            row = rows.setdefault(
                (name, *head),  # type: ignore[arg-type]
                {"run": name, **dict(zip(("model", *CONDITION), head, strict=True)), "n": 0, "errors": 0}
                | {"input_tokens": None, "output_tokens": None, "thought_tokens": None, "cost_usd": None},
            )
            row["n" if line.get("status") == "answered" else "errors"] += line.get("status") in (
                "answered",
                "error",
            )
            for column, value in ({**usage, "cost_usd": line.get("cost_usd")}).items():
                if column in row and isinstance(value, int | float) and not isinstance(value, bool):
                    row[column] = (row[column] or 0) + value
    told = [row for row in rows.values() if row["input_tokens"] is not None or row["cost_usd"] is not None]
    return Table(
        "costs",
        "Calls, tokens and cost",
        "As the provider reported them; n counts answered calls.",
        told,
        _HEADS,
    )


# What rows share.

_HEADS = ("model", "run", *CONDITION)


def _head(series: Series) -> dict[str, Any]:
    return {"model": series.model, "run": series.key[0], **series.condition}


def _condition(series: Series) -> dict[str, Any]:
    return {"run": series.key[0], **series.condition}


def _domains(series: Series) -> list[str]:
    from lft.counting.figures import domain_order

    return domain_order([str(d) for d in series.scores["domain"].unique()])


def _in_order(series: Series) -> Iterator[tuple[str, Any]]:
    from lft.counting.figures import domain_order

    for domain in domain_order(list(series.frontiers)):
        yield domain, series.frontiers[domain]


def _of_domain(series: Series, domain: str) -> DataFrame:
    return series.scores[series.scores["domain"] == domain]


def _condition_order(series: Series) -> Any:
    return (sampling_order(series.condition["sampling"]), series.condition["labels"] != "none")


def _row(series: Series, domain: str, scores: DataFrame) -> dict[str, Any]:
    return {**_head(series), "domain": domain, **_numbers(scores)}


def _numbers(scores: DataFrame) -> dict[str, Any]:
    found = totals(scores)
    return _rates(found) | _audit(scores)


def _sizes_of(found: Mapping[str, Any]) -> dict[str, Any]:
    return {"n": found.get("n"), "n_missing": found.get("n_missing")}


def _sizes(series: Series, domain: str) -> dict[str, Any]:
    cells = series.cells[series.cells["domain"] == domain]
    return {"n": int(cells["n"].sum()), "n_missing": int(cells["n_missing"].sum())}


def _em(found: Mapping[str, Any]) -> dict[str, Any]:
    low, high = found.get("em_interval") or (None, None)
    return {"em": found.get("em"), "em_lower": low, "em_upper": high}


def _rates(found: Mapping[str, Any]) -> dict[str, Any]:
    names = ("n_positive", "vor", "vor_pooled", "precision", "recall", "f1", "acr", "rfr")
    return {**_sizes_of(found), **_em(found), **{name: found.get(name) for name in names}}


def _audit(scores: DataFrame) -> dict[str, Any]:
    answered = scores[scores["status"] == "answered"]
    known = [c for c in AUDIT if c in scores.columns]
    return {c: float(answered[c].mean()) if answered[c].notna().any() else None for c in known}


def _audit_macro(rows: Rows) -> dict[str, Any]:
    known = [c for c in AUDIT if rows and all(row.get(c) is not None for row in rows)]
    return {c: sum(row[c] for row in rows) / len(rows) for c in known}


def _aligned(rows: Rows) -> Rows:
    columns = list(dict.fromkeys(c for row in rows for c in row))
    return [{c: row.get(c) for c in columns} for row in rows]


def _paired(base: DataFrame, other: DataFrame) -> dict[str, Any]:
    keys = ["clip", "replicate"]
    both = base[base["status"] == "answered"].merge(
        other[other["status"] == "answered"], on=keys, suffixes=("", "_other")
    )
    right, now = both["correct"] == 1, both["correct_other"] == 1
    return {"n_paired": len(both), "gained": int((~right & now).sum()), "lost": int((right & ~now).sum())}
