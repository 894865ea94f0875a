"""The summary of a scores table: one row per model, condition and domain, as in the published main table.

Every rate has its number of clips. EM is over all clips, other rates over clips with events; VOR is
given as the mean over clips, as published, and pooled (sum M / sum N). `all` pools all answered trials;
`macro` is the mean of the domains' rates, as in the published macro average.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

import pandas as pd

from lft.core.conditions import MODEL_CONDITION, condition_of
from lft.core.records import Entries, JsonObject
from lft.counting.audit.accounts import sentence, sums
from lft.counting.audit.causes import CAUSES, UNCLEAR
from lft.counting.audit.chance import best_constant, shuffled
from lft.counting.audit.clusters import share_of
from lft.counting.audit.verdict import verdict
from lft.counting.bins import by_bin, counting
from lft.counting.cells import condition_order
from lft.counting.reader import PROGRAM

KINDS = ("count", "reported", "matched", "missed", "merged", "hallucinated", "displaced", "misidentified")
_TOLD = ("cause", "ceiling_correct", "chance_f1", "ledger_consistent")  # an audit fills one of them at least
RATES = ("precision", "recall", "f1", "vor", "acr", "rfr")


def summarise(
    scores: pd.DataFrame, clocks: Mapping[tuple[str, ...], Entries | None] | None = None
) -> list[JsonObject]:
    """One document per model and condition: {model, sampling, labels, prompt, domains: {...}, macro: {...},
    all: {...}, bins: [...]} (see `lft.counting.bins`), and the audit: account (see `lft.counting.audit.accounts`),
    sentence, clock (that of `clocks`, by condition) and verdict (see `lft.counting.audit.verdict`).

    Values that do not apply, or without an answered trial, are None.
    """
    return [
        {
            **condition,
            **_found(rows, (clocks or {}).get(tuple(condition.values()))),
            "domains": domains,
            "all": totals(rows),
            "macro": _macro(domains),
            "bins": by_bin(rows),
        }
        for condition, rows in _conditions(scores)
        for domains in [{str(d): totals(part) for d, part in rows.groupby("domain", sort=True)}]
    ]


def _found(rows: pd.DataFrame, clock: Entries | None) -> JsonObject:
    """The findings in a condition, most important first; empty for scores without an audit."""
    if rows.reindex(columns=["unsupported"]).isna().all(axis=None):
        return {"verdict": [], "account": None, "sentence": sentence(None), "clock": clock}
    account = sums(rows)
    told = None
    if clock is not None:
        positive = rows[rows["clock_f1"].notna()]
        told = {**clock, "f1_reported": _mean(positive["f1"]), "f1_set_right": _mean(positive["clock_f1"])}
    return {
        "verdict": [finding.document() for finding in verdict(rows, told)],
        "account": account,
        "sentence": sentence(account),
        "clock": told,
    }


def other_rule(conditions: list[JsonObject], scores: pd.DataFrame, rule: str) -> list[JsonObject]:
    """The summary with an entry `other_rule` per condition: totals of the same answers under the other rule.

    `scores` are of the same trials by `rule`; the audit is not repeated.
    """
    by_key = {tuple(condition.values()): rows for condition, rows in _conditions(scores)}
    found = []
    for condition in conditions:
        whole = totals(by_key[condition_of(condition)], counting_errors=False)
        names = ("n_positive", "n_no_event_listed", *RATES, "vor_pooled", "n_empty", "false_alarm_rate")
        found.append({**condition, "other_rule": {"rule": rule, **{name: whole[name] for name in names}}})
    return found


def as_the_program_reads(conditions: list[JsonObject], scores: pd.DataFrame) -> list[JsonObject]:
    """The summary with an entry `unsettled` per condition with settled readings: totals without them.

    `scores` are of the same trials by the same rule, as read by the program.
    """
    by_key = {tuple(condition.values()): rows for condition, rows in _conditions(scores)}
    names = ("correct", "em", "em_interval", *RATES, "vor_pooled", "false_alarm_rate", "n_in_doubt")
    found = []
    for condition in conditions:
        more = {}
        if condition["all"]["settled"]:
            whole = totals(by_key[condition_of(condition)], counting_errors=False)
            more = {"unsettled": {name: whole[name] for name in names}}
        found.append({**condition, **more})
    return found


def totals(scores: pd.DataFrame, *, counting_errors: bool = True) -> JsonObject:
    """n, n_missing with reasons (`missing`, by `failure_kinds`), n_not_applicable, n_not_asked, n_unparsed with
    reasons, n_in_doubt with doubts, correct, em with its interval and guessing levels (`em_constant`: the
    best constant answer; `em_shuffled`: the same answers shuffled over clips), means, and the
    false-alarm rate; with `counting_errors` those of `lft.counting.bins`, with a resampled interval (slow). Clusters of
    intervals are clips, or shared looks.
    """
    answered = scores[scores["status"] == "answered"]
    positive = answered[answered["count"] > 0]
    empty = answered[answered["count"] == 0]
    n, correct = len(answered), int((answered["correct"] == 1).sum())
    unasked = ("not_applicable", "not_asked")
    other = {f"n_{status}": int((scores["status"] == status).sum()) for status in unasked}
    return {
        "n": n,
        "n_missing": len(scores) - n - sum(other.values()),
        "missing": _kinds(scores[scores["status"] == "missing"]),
        **other,
        "n_unparsed": int(answered["final_answer"].isna().sum()),
        "unparsed": _reasons(answered[answered["final_answer"].isna()]),
        **_doubts(answered),
        "correct": correct,
        "em": correct / n if n else None,
        "em_interval": share_of(answered["correct"] == 1, answered),
        "em_constant": best_constant(answered["count"]),
        "em_shuffled": shuffled(pd.to_numeric(answered["final_answer"], errors="coerce"), answered["count"]),
        **(counting(answered) if counting_errors else {}),
        "n_positive": len(positive),
        "n_no_event_listed": int((positive["reported"] == 0).sum()),
        **{name: _mean(positive[name]) for name in RATES},
        "vor_pooled": float(positive["reported"].sum() / positive["count"].sum()) if len(positive) else None,
        "n_empty": len(empty),
        "false_alarm_rate": _mean(empty["false_alarm"]),
        "false_alarm_interval": share_of(empty["false_alarm"] == 1, empty),
        **_audit(answered, positive),
    }


def _kinds(missing: pd.DataFrame) -> dict[str, int]:
    """Failure kinds of missing trials, most frequent first."""
    return {str(kind): int(k) for kind, k in missing["reason"].dropna().value_counts().items()}


def _kinds_of(answered: pd.DataFrame, column: str) -> dict[str, int]:
    """How often each text of a column occurs, most frequent first."""
    return dict(Counter(_texts(answered, column)).most_common())


def _reasons(unparsed: pd.DataFrame) -> dict[str, int]:
    """Reasons for no final answer, most frequent first; reasons that differ only in numbers are merged."""
    reasons = unparsed["reason"].fillna("no final answer").astype(str).str.replace(r"\d+", "…", regex=True)
    return {str(reason): int(k) for reason, k in reasons.value_counts().items()}


def _doubts(answered: pd.DataFrame) -> JsonObject:
    """Number of doubtful readings by code, most frequent first, and of readings not made by the program, by who."""
    codes = Counter(code for doubts in _texts(answered, "doubts") for code in doubts.split(";"))
    by = Counter(_texts(answered, "reading"))
    return {
        "n_in_doubt": len(_texts(answered, "doubts")),
        "doubts": dict(codes.most_common()),
        "settled": {who: k for who, k in by.most_common() if who != PROGRAM},
    }


def _texts(answered: pd.DataFrame, column: str) -> list[str]:
    """The texts of a column; none in old scores without it."""
    return [str(text) for text in answered[column].dropna()] if column in answered.columns else []


def _audit(answered: pd.DataFrame, positive: pd.DataFrame) -> JsonObject:
    """Bounds, chance and causes; empty for scores without an audit.

    `skill_f1` is (mean F1 - mean chance) / (1 - mean chance), since single clips can have a chance of 1.
    `em_relative` is EM divided by that of the ideal observer. RFR is split by whether
    the answer follows from the ledger (`rfr_omission`) or not (`rfr_misaddition`).
    """
    if "cause" not in answered.columns or answered.reindex(columns=_TOLD).isna().all(axis=None):
        return {}
    ceiling, chance, f1 = (_mean(t[c]) for t, c in
                           ((answered, "ceiling_correct"), (positive, "chance_f1"), (positive, "f1")))  # fmt: skip
    failed = positive["rfr"] == 1
    causes = {cause: int((answered["cause"] == cause).sum()) for cause in CAUSES}
    return {
        "ceiling_correct": ceiling,
        "literal_correct": _mean(answered["literal_correct"]),
        "em_relative": float((answered["correct"] == 1).mean()) / ceiling if ceiling else None,
        "literal_recall": _mean(positive["literal_recall"]),
        "format_f1": _mean(positive["format_f1"]),
        "chance_f1": chance,
        "skill_f1": None if f1 is None or chance is None or chance >= 1 else (f1 - chance) / (1 - chance),
        "ledger_consistent": _mean(answered["ledger_consistent"]),
        "n_with_ledger": int(answered["ledger_consistent"].notna().sum()),
        "rfr_misaddition": float((failed & (positive["ledger_consistent"] == 0)).mean())
        if len(positive)
        else None,
        "rfr_omission": float((failed & (positive["ledger_consistent"] != 0)).mean())
        if len(positive)
        else None,
        "causes": causes,
        "evident_unknown": _kinds_of(answered, "evident_unknown"),
        "cause_shares": cause_shares(causes),
        "events": {kind: int(positive[kind].sum()) for kind in KINDS},
    }


def cause_shares(causes: Mapping[str, int]) -> dict[str, dict[str, float]]:
    """For each cause: its share of the wrong answers read without doubt, and the range that doubtful ones leave open.

    >>> cause_shares({"missed": 6, "merged": 2, "unclear-reading": 2})["missed"]
    {'share': 0.75, 'least': 0.6, 'most': 0.8}
    """
    doubted = causes.get(UNCLEAR, 0)
    wrong = sum(causes.values())
    return {
        cause: {"share": k / (wrong - doubted), "least": k / wrong, "most": (k + doubted) / wrong}
        for cause, k in causes.items()
        if k and cause != UNCLEAR
    }


def _conditions(scores: pd.DataFrame) -> Iterator[tuple[dict[str, str], pd.DataFrame]]:
    groups = [
        (
            {k: "" if v != v else str(v) for k, v in zip(MODEL_CONDITION, values, strict=True)},
            rows,
        )  # v != v: NaN
        for values, rows in scores.groupby(list(MODEL_CONDITION), sort=True, dropna=False)
    ]
    yield from sorted(groups, key=lambda one: (one[0]["model"], *condition_order(one[0])))


def _macro(domains: dict[str, JsonObject]) -> JsonObject:
    names = ("em", *RATES, "vor_pooled", "false_alarm_rate")
    known = {name: [d[name] for d in domains.values() if d[name] is not None] for name in names}
    # A mean over only some domains would be misleading.
    return {name: sum(v) / len(v) if len(v) == len(domains) else None for name, v in known.items()}


def _mean(column: pd.Series[float]) -> float | None:
    return float(column.mean()) if len(column) and column.notna().any() else None
