"""Accounts summed over answers: unreported events, and how many of them were not supplied.

Sums are over answers with an account and without doubt; the others are counted. Intervals are 95 %,
from the variance between clips (Student's t over the sums of each clip), so replicates of a clip are one cluster.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pandas as pd

from lft.core.records import Entries, JsonObject
from lft.core.terminal import plural
from lft.counting.audit.account import FRAMES, SIGNS, TERMS
from lft.counting.audit.ceiling import UNKNOWN
from lft.counting.audit.clusters import clusters_of, ratio_of


def accounted(scores: pd.DataFrame) -> pd.DataFrame:
    """The answers whose account is summed: answered, with a final answer, read without doubt."""
    rows = scores[(scores["status"] == "answered") & scores["final_answer"].notna()]
    if "unsupported" not in rows.columns:
        return rows.iloc[:0]
    rows = rows[rows["unsupported"].notna()]
    return rows[rows["doubted"] != 1] if "doubted" in rows.columns else rows


def sums(scores: pd.DataFrame) -> JsonObject | None:
    """The summed account of a table of scores; None if no answer has one.

    n, doubted, unanswered : answers summed, left out as doubted, and without a final answer.
    events, answered : sum of N and of answers. Their difference is the signed sum of the terms.
    TERMS, guessed : sums, None if unknown for all answers; `intervals` has (low, high) of each.
    unreported, unreported_supplied : events that lists do not report, and those of them that were shown.
    shown, miss_rate, miss_interval : events with evidence; the share of them that was not reported.
    by_frames : {number of frames that show an event: {missed, shown, rate, interval}} of answers with a list.
    unlisted : answers without a list, whose terms are net.
    visible_unknown : answers about clips of which it is not known how long an event is visible.
    """
    rows = accounted(scores)
    if not len(rows):
        return None
    answered = scores[scores["status"] == "answered"]
    found: JsonObject = {
        "n": len(rows),
        "doubted": int((answered["doubted"] == 1).sum()) if "doubted" in answered.columns else 0,
        "unanswered": int(answered["final_answer"].isna().sum()),
        "unlisted": int(rows["ledger_consistent"].isna().sum()),
        "visible_unknown": int((rows["evident_unknown"] == "visible").sum())
        if "evident_unknown" in rows
        else 0,
        "events": int(rows["count"].sum()),
        "answered": int(rows["final_answer"].sum()),
    }
    intervals: JsonObject = {}
    for name in (*TERMS, "guessed"):
        known = rows[rows[name].notna()]
        found[name] = int(known[name].sum()) if len(known) else None
        intervals[name] = _interval(known, name) if len(known) else None
    known = rows[rows["not_supplied"].notna()]
    hidden = (found["not_supplied"] or 0) - (found["guessed"] or 0)
    shown = int((known["count"] - known["not_supplied"]).sum())
    missed = found["shown_unreported"] or 0
    return {
        **found,
        "intervals": intervals,
        "by_frames": _by_frames(rows),
        "known": len(known),
        "unreported": hidden + missed if len(known) else None,
        "unreported_supplied": missed if len(known) else None,
        "shown": shown if len(known) else None,
        "miss_rate": missed / shown if shown else None,
        "miss_interval": ratio_of(
            known["shown_unreported"], known["count"] - known["not_supplied"], clusters_of(known)
        ),
    }


def _by_frames(rows: pd.DataFrame) -> dict[str, JsonObject]:
    """Shown and missed events by the number of frames that show them, with cluster intervals."""
    if "missed_by_frames" not in rows.columns:
        return {}
    parts: dict[str, list[tuple[str, int, int]]] = {}
    known = rows[rows["missed_by_frames"].notna()]
    for cluster, text in zip(clusters_of(known), known["missed_by_frames"], strict=True):
        for entry in str(text).split():
            name, _, counts = entry.partition(":")
            missed, _, shown = counts.partition("/")
            parts.setdefault(name, []).append((str(cluster), int(missed), int(shown)))
    found = {}
    for name in (name for name in FRAMES if name in parts):
        left = [one[1] for one in parts[name]]
        seen = [one[2] for one in parts[name]]
        found[name] = {
            "missed": sum(left),
            "shown": sum(seen),
            "rate": sum(left) / sum(seen),
            "interval": ratio_of(left, seen, [one[0] for one in parts[name]]),
        }
    return found


def adds_up(found: Entries) -> bool:
    """Whether the identity holds for a sum of accounts."""
    signed = sum(SIGNS[name] * (found[name] or 0) for name in TERMS)
    return bool(found["events"] - found["answered"] == signed)


def together(accounts: Sequence[Entries]) -> JsonObject:
    """The sum of several accounts, such as those of all samplings of a model, for `sentence`."""
    names = (
        "n",
        "known",
        "unlisted",
        "visible_unknown",
        *TERMS,
        "guessed",
        "unreported",
        "unreported_supplied",
        "shown",
    )
    return {name: sum(one[name] or 0 for one in accounts) for name in names}


def sentence(found: Entries | None) -> str:
    """The answer to "too few frames, or missed what it was shown?".

    >>> known = {"known": 9, "n": 9, "unreported": 244, "unreported_supplied": 73, "unsupported": 0, "guessed": 0}
    >>> sentence({**known, "unlisted": 0})
    '171 of 244 unreported events were in no supplied frame, 73 were shown.'
    """
    if found is None:
        return "No answer has an account."
    if not found["known"]:
        left = plural(found["not_known"] or 0, "event")
        were = "was" if found["not_known"] == 1 else "were"
        if found.get("visible_unknown"):
            return (
                f"{left} {were} not reported; {UNKNOWN['visible']}, so not which of them the frames showed."
            )
        return f"{left} {were} not reported; {UNKNOWN['frames']} (--native-rate says it of native video)."
    unreported, shown = found["unreported"], found["unreported_supplied"]
    lucky = (
        f" (by luck or inference, {found['guessed']:,} of them stand for a true event)"
        if found["guessed"]
        else ""
    )
    words = f"{found['unsupported']:,} reports had no evidence{lucky}" if found["unsupported"] else ""
    if found["unlisted"] == found["n"]:
        words = f"{shown:,} events fewer than the frames show were counted, and {found['unsupported']:,} more"
        return f"No answer has a list; over clips, {words}."
    if not unreported:
        return f"Every event was reported{f'; {words}' if words else ''}."
    said = f"{unreported - shown:,} of {unreported:,} unreported events were in no supplied frame, {shown:,} were shown"
    if found["known"] < found["n"]:
        words += f"{'; ' if words else ''}of {found['not_known'] or 0:,} more the supply is not known"
    return f"{said}{f'; {words}' if words else ''}."


def mean_interval(rows: pd.DataFrame, values: pd.Series[float]) -> tuple[float, float, float] | None:
    """(mean, low, high) of a value per answer, clips being clusters; None with fewer than two clips."""
    from scipy.special import stdtrit

    of_clip = pd.factorize(rows["clip"])[0]
    if not len(of_clip) or of_clip.max() < 1:
        return None
    total, sizes = np.bincount(of_clip, np.asarray(values, float)), np.bincount(of_clip)
    clips, n = len(sizes), int(sizes.sum())
    mean = float(total.sum()) / n
    off = total - mean * sizes
    half = float(stdtrit(clips - 1, 0.975)) * math.sqrt(float((off**2).sum()) * clips / (clips - 1)) / n
    return mean, mean - half, mean + half


def _interval(rows: pd.DataFrame, name: str) -> list[float] | None:
    found = mean_interval(rows, rows[name])
    return None if found is None else [found[1] * len(rows), found[2] * len(rows)]
