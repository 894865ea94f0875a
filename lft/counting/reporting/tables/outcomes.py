"""Tables of outcomes: causes, fates of events, and cost."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from lft.core.conditions import CONDITION, MODEL_CONDITION
from lft.core.records import Entries, JsonObject
from lft.core.reporting.tables import Table
from lft.counting.reporting.cause_colours import CAUSE
from lft.counting.reporting.results import Results
from lft.counting.reporting.tables.table import HEADS, domains_of, head_of, part_of, sizes
from lft.counting.summary import totals

if TYPE_CHECKING:
    from pandas import DataFrame, Series

    Rows = list[JsonObject]

_KINDS = ("matched", "missed", "merged", "hallucinated", "displaced", "misidentified")


def causes(results: Results) -> Table:
    """Outcomes of answered trials: right, or wrong by cause. Empty without an audit."""
    rows: Rows = []
    for series in results.series if audited(results.scores) else ():
        for domain in domains_of(series):
            found = cause_counts(part_of(series, domain))
            counted = sizes(series.totals(domain))
            named = dict(found)
            ceiling = series.totals(domain).get("ceiling_correct")
            rows.append({**head_of(series), "domain": domain, **counted, "ceiling_correct": ceiling, **named})
    note = "Answered trials by outcome; the columns after the ceiling add up to n. Ceiling: EM that the frames allow."
    return Table("causes", "Why answers were wrong", note, rows, (*HEADS, "domain"))


def audited(scores: DataFrame) -> bool:
    """Whether the scores have causes."""
    known = [c for c in ("cause", "ledger_consistent") if c in scores.columns]
    return len(known) == 2 and bool(scores[known].notna().any(axis=None))


def cause_counts(scores: DataFrame) -> dict[str, int]:
    """Outcome -> answered trials, in the order of `CAUSE`."""
    answered = scores[scores["status"] == "answered"]
    outcome = outcomes(answered)
    return {cause: int((outcome == cause).sum()) for cause in CAUSE}


def outcomes(answered: DataFrame) -> Series[str]:
    """The outcome of each answered trial: `correct`, else the audit's cause, else `unparsed` or `wrong`."""
    import pandas as pd

    if audited(answered):
        cause = answered["cause"].astype(object).where(answered["cause"].isin(list(CAUSE)), "wrong")
    else:
        cause = pd.Series("wrong", index=answered.index, dtype=object)
        cause[answered["final_answer"].isna()] = "unparsed"
    return cause.where(answered["correct"] != 1, "correct")


def by_bins(results: Results) -> Table:
    """Counting on imported videos, by true count."""
    from lft.counting.bins import by_bin

    rows: Rows = []
    for series in results.series:
        for domain in domains_of(series):
            if domain in results.grids:
                continue
            for row in [*by_bin(part_of(series, domain)), whole(part_of(series, domain))]:
                found = {**head_of(series), "domain": domain, "bin": row["bin"], **sizes(row)}
                for name in ("em", "off_by_one", "nmae"):
                    low, high = spread(row, name) or (None, None)
                    found |= {name: row[name], f"{name}_lower": low, f"{name}_upper": high}
                rows.append({**found, "literal_correct": row["literal_correct"]})
    note = (
        "Exact match and off by one at most: Wilson 95 % interval. nMAE: mean of |answer - N| / N over clips with "
        "events, interval by resampling clips, none where clips do not differ; no answer counts as 0. "
        "Literal: exact counts that can be read off the supplied frames. How such events are spaced is not known, so "
        "there is no ideal observer of them and no ceiling."
    )
    return Table("by_bins", "Natural videos, by count", note, rows, (*HEADS, "domain", "bin"))


def whole(scores: DataFrame) -> JsonObject:
    """All bins of `lft.counting.bins.by_bin` together."""
    found = totals(scores)
    known = "literal_correct" in scores.columns and scores["literal_correct"].notna().any()
    literal = float(scores["literal_correct"].mean()) if known else None
    return {"bin": "all", **found, "literal_correct": literal}


def spread(row: Entries, name: str) -> tuple[float, float] | None:
    """The interval of a rate; None if it has no width, since resampling equal clips shows no spread."""
    interval: tuple[float, float] | None = row[f"{name}_interval"]
    return interval if interval and interval[0] < interval[1] else None


def events(results: Results) -> Table:
    """Table 8: true and reported events by kind. Empty without an audit."""
    rows: Rows = []
    for series in results.series if audited(results.scores) else ():
        domains = domains_of(series)
        for domain in [*domains, "all clips"] if len(domains) > 1 else domains:
            part = series.scores if domain == "all clips" else part_of(series, domain)
            found = series.totals(None if domain == "all clips" else domain)
            row: JsonObject = {**head_of(series), "domain": domain, **sizes(found)}
            rows.append({**row, **event_counts(part), "literal_recall": found.get("literal_recall")})
    note = (
        "Clips with events. Matched + missed are the true events; merged, displaced and misidentified lie within. "
        "Wrong accumulation: clips with a wrong answer and F1 of at least 0.80; "
        "mis-added: those of them whose answer is not what their own list adds up to."
    )
    return Table("events", "Events by what became of them", note, rows, (*HEADS, "domain"))


def event_counts(scores: DataFrame) -> dict[str, int]:
    """The rows of table 8: events by kind, and clips whose events were summed wrongly."""
    answered = scores[(scores["status"] == "answered") & (scores["count"] > 0)]
    known = [kind for kind in _KINDS if kind in scores.columns]
    failed = answered["rfr"] == 1
    return {
        "true events": int(answered["count"].sum()),
        **{kind: int(answered[kind].sum()) for kind in known},
        "wrong accumulation": int(failed.sum()),
        "mis-added": int((failed & (answered["ledger_consistent"] == 0)).sum()),
        "clips with events": len(answered),
    }


def sensitivity(results: Results, clips_folder: Path | None = None) -> Table:
    """Table 9: the same answers under every extraction rule and tolerance. Parses every response twice."""
    from lft.counting.audit.sensitivity import answers_of
    from lft.counting.audit.sensitivity import sensitivity as under_all
    from lft.counting.clips import traces_of

    rows: Rows = []
    for name, run in results.runs.items():
        found = under_all(answers_of(run, traces_of(run, clips_folder)))
        heads = MODEL_CONDITION
        rows += [{"model": row["model"], "run": name, **{k: row[k] for k in (*heads, *row)}} for row in found]
    note = (
        "tolerance: rate is 1/(2F), a number is seconds. Chance: as many random times over the active span."
    )
    return Table(
        "sensitivity", "Tolerance and extraction rule", note, rows, (*HEADS, "domain", "rule", "tolerance")
    )


def costs(results: Results) -> tuple[Table, Table]:
    """Tables 10 to 12: answers, errors, tokens and cost of each run and condition with their total, and by domain."""
    spent = _spent(results)
    rows = _grouped(spent, HEADS)
    if len(rows) > 1:
        rows.append({**dict.fromkeys(HEADS, ""), "model": "total", **_summed(rows)})
    heads = ("model", "run", "domain")
    of_domain = _grouped(spent, heads) if len({row["domain"] for row in spent}) > 1 else []
    title, note = (
        "Calls, tokens and cost",
        (
            "As the provider reported them; n counts answered calls, errors those that failed, which are asked again. "
            "Unknown is left empty, never zero."
        ),
    )
    return Table("costs", title, note, rows, HEADS), Table(
        "costs_by_domain", f"{title} by domain", note, of_domain, heads
    )


_SPENT = ("input_tokens", "output_tokens", "thought_tokens", "cost_usd")


def _spent(results: Results) -> Rows:
    """Answered and failed calls, tokens and cost, by model, run, condition and domain; unknown is None."""
    rows: dict[tuple[str, ...], JsonObject] = {}
    for name, run in results.runs.items():
        for line in run.lines():
            if line.get("status") not in ("answered", "error"):
                continue
            usage, key = line.get("usage") or {}, line["key"]
            head = {
                "model": str(key.get("model", "")),
                "run": name,
                **{a: str(key.get(a, "")) for a in CONDITION},
            }
            head["domain"] = str(key.get("clip", "")).partition("/")[0]
            row = rows.setdefault(
                tuple(head.values()), {**head, "n": 0, "errors": 0, **dict.fromkeys(_SPENT)}
            )
            row["n" if line["status"] == "answered" else "errors"] += 1
            for column, value in ({**usage, "cost_usd": line.get("cost_usd")}).items():
                if column in _SPENT and isinstance(value, int | float) and not isinstance(value, bool):
                    row[column] = (row[column] or 0) + value
    return [row for row in rows.values() if row["input_tokens"] is not None or row["cost_usd"] is not None]


def _grouped(rows: Rows, heads: Sequence[str]) -> Rows:
    groups: dict[tuple[str, ...], Rows] = {}
    for row in rows:
        groups.setdefault(tuple(row[head] for head in heads), []).append(row)
    return [{**dict(zip(heads, key, strict=True)), **_summed(group)} for key, group in groups.items()]


def _summed(rows: Rows) -> JsonObject:
    """The sum of each column over rows; None if one value is unknown."""
    columns = ("n", "errors", *_SPENT)
    return {c: None if any(row[c] is None for row in rows) else sum(row[c] for row in rows) for c in columns}
