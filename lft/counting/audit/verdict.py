"""Findings about a condition, from scores and clock, with evidence and certainty.

Each finding has a size with a 95 % interval and a smallest size that matters (`LEAST`). It is `sure` if the whole
interval is above that, `likely` if only the estimate is; otherwise there is no finding. Constant answers, and answers
that follow the rate, explain other findings and are reported alone. If times carry no
information, misses and inventions are computed from counts per clip instead of pairs.

    no-frames     events that no supplied frame shows
    misses        events that were shown and not reported, per shown event
    inventions    reports of no event, per answer
    guesses       reports of events that no supplied frame shows, per answer: by luck, or inferred
    mis-adding    answers that differ from the sum of their own list
    merged        events that share an entry that counts once
    offset        all times too late (or early) by so many seconds
    scale         all times too far apart (or near), by a factor
    reversed      times run backwards: the later the event, the earlier the report
    jitter        times scatter around the true ones
    blind         times do not follow the events
    even          times are spread evenly over the clip
    constant      answers are always the same number
    rate          answers follow the rate of the events times a fixed length, not their number
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from lft.core.records import Entries, JsonObject
from lft.core.stats import wilson_pair
from lft.counting.audit.accounts import accounted, mean_interval
from lft.counting.audit.clusters import clusters_of, ratio_of

if TYPE_CHECKING:
    import pandas as pd

# Finding -> the smallest size that matters, in its unit.
LEAST = {
    "no-frames": 0.02, "misses": 0.02, "inventions": 0.05, "guesses": 0.05, "mis-adding": 0.02, "merged": 0.02,
    "offset": 0.1, "scale": 0.03, "reversed": 0.5, "jitter": 0.2, "blind": 0.5, "even": 0.5, "constant": 0.8,
    "rate": 0.8,
}  # fmt: skip
LEAST_ANSWERS = 12
Span = tuple[float, float]


@dataclass(frozen=True)
class Finding:
    """One finding: name, size with 95 % interval, `sure` or `likely`, and a sentence of evidence."""

    name: str
    size: float
    lower: float
    upper: float
    sure: str
    evidence: str

    def document(self) -> JsonObject:
        """The entry of a summary."""
        return asdict(self)


def verdict(scores: pd.DataFrame, clock: Entries | None) -> list[Finding]:
    """The findings of one condition, in the order of the module docstring, the most certain and largest first.

    `scores` are its rows of scores.csv, `clock` the document of `Clocks`. Fewer than twelve answers give none.
    """
    rows = accounted(scores)
    if len(rows) < LEAST_ANSWERS:
        return []
    alone = [found for found in (_constant(rows), _rate(rows)) if found]
    if alone:
        return [*_no_frames(rows), *alone]
    blind = clock is not None and not clock["informative"]
    return [*_no_frames(rows), *_counting(rows, blind=blind), *_times(clock)]


def words(findings: list[Finding]) -> str:
    """The findings as one line, most of it evidence.

    >>> words([])
    'nothing that stands out'
    """
    return "; ".join(f"{f.name} ({f.sure}): {f.evidence}" for f in findings) or "nothing that stands out"


def _found(name: str, size: float, span: Span | None, evidence: str) -> list[Finding]:
    if span is None or size < LEAST[name]:
        return []
    low, high = span
    return [Finding(name, size, low, high, "sure" if low >= LEAST[name] else "likely", evidence)]


def _no_frames(rows: pd.DataFrame) -> list[Finding]:
    known = rows[rows["not_supplied"].notna()]
    hidden, events = int(known["not_supplied"].sum()), int(known["count"].sum())
    if not events:
        return []
    span = ratio_of(known["not_supplied"], known["count"], clusters_of(known))
    return _found(
        "no-frames", hidden / events, span, f"{hidden:,} of {events:,} events are in no supplied frame"
    )


def _counting(rows: pd.DataFrame, *, blind: bool) -> list[Finding]:
    known = rows[rows["not_supplied"].notna()]
    listed = rows[rows["ledger_consistent"].notna()]
    found: list[Finding] = []
    if len(known):
        shown = known["count"] - known["not_supplied"]
        told = known["final_answer"] - known["mis_added"]
        merged = known["merged"].fillna(0.0)
        missed = (known["shown_unreported"] - merged).clip(lower=0)
        beyond = known["unsupported"] - known["guessed"].fillna(0.0)
        guessed = known["guessed"].fillna(0.0)
        how = ""
        if blind:
            missed, beyond = (shown - told - merged).clip(lower=0), (told - shown).clip(lower=0)
            how = ", by counts alone"
        total, of = float(missed.sum()), float(shown.sum())
        if of:
            span = ratio_of(missed, shown, clusters_of(known))
            found += _found(
                "misses", total / of, span, f"{_percent(total / of, span)} of shown events not reported{how}"
            )
        for name, values, what in (
            ("inventions", beyond, "reports an answer stand for nothing"),
            ("guesses", guessed, "events an answer reported that no frame shows"),
        ):
            if blind and name == "guesses":
                continue
            mean = mean_interval(known, values)
            if mean:
                found += _found(
                    name, mean[0], mean[1:], f"{mean[0]:z.2f} [{mean[1]:z.2f}, {mean[2]:z.2f}] {what}{how}"
                )
    if len(listed):
        wrong = listed["mis_added"] != 0
        span = ratio_of(wrong, wrong * 0 + 1, clusters_of(listed))
        share = float(wrong.mean())
        found += _found(
            "mis-adding", share, span, f"{_percent(share, span)} of answers are not their list's sum"
        )
        events = float(listed["count"].sum())
        if events:
            share = float(listed["merged"].fillna(0).sum()) / events
            span = ratio_of(listed["merged"].fillna(0), listed["count"], clusters_of(listed))
            found += _found(
                "merged", share, span, f"{_percent(share, span)} of events share an entry that counts once"
            )
    return found


def _times(clock: Entries | None) -> list[Finding]:
    if clock is None:
        return []
    order = clock["order"]
    tail = "" if order is None else f", rank correlation {order:+z.2f}"
    if not clock["informative"]:
        share, span = clock["uninformed"], clock["uninformed_interval"]
        n = clock["n"]
        if (clock["spaced"] or 0.0) >= 0.5:
            bounds = wilson_pair(round(clock["spaced"] * n), n)
            return _found(
                "even", clock["spaced"], bounds, f"{100 * clock['spaced']:z.0f} % of lists are spread evenly"
            )
        if share is None:
            return []
        said = f"{_percent(share, span)} of answers have times that tell nothing{tail}"
        # The test of all answers together decides; the share says how many.
        return [
            Finding("blind", share, span[0], span[1], "sure" if span[0] >= LEAST["blind"] else "likely", said)
        ]
    found: list[Finding] = []
    scale, offset_s = clock["scale"], clock["offset_s"]
    if scale < 0:
        found += _found("reversed", -scale, _mirrored(clock["scale_interval"]), f"scale {scale:z.2f}{tail}")
    else:
        low, high = clock["scale_interval"]
        away = abs(scale - 1)
        span = (max(0.0, low - 1, 1 - high), max(abs(low - 1), abs(high - 1)))
        found += _found(
            "scale", away, span, f"times are {scale:z.2f} [{low:z.2f}, {high:z.2f}] of the true ones"
        )
        low, high = clock["offset_interval"]
        span = (max(0.0, low, -high), max(abs(low), abs(high)))
        if not any(one.name == "scale" and one.sure == "sure" for one in found):
            found += _found(
                "offset", abs(offset_s), span, f"times are {offset_s:+z.2f} s [{low:+z.2f}, {high:+z.2f}] off"
            )
    spread_s = clock["spread_s"]
    half = 1.96 * spread_s / (2 * clock["n"]) ** 0.5
    found += _found(
        "jitter", spread_s, (spread_s - half, spread_s + half), f"times scatter by {spread_s:z.2f} s"
    )
    return found


def _mirrored(span: Span) -> Span:
    return -span[1], -span[0]


def _constant(rows: pd.DataFrame) -> Finding | None:
    """The same answer for many different counts."""
    if rows["count"].nunique() < 3:
        return None
    answers = rows["final_answer"].value_counts()
    most, k = int(answers.index[0]), int(answers.iloc[0])
    said = f"{k:,} of {len(rows):,} answers are {most}, for {rows['count'].nunique()} different counts"
    found = _found("constant", k / len(rows), wilson_pair(k, len(rows)), said)
    right = float((rows["count"] == most).mean())
    return found[0] if found and right < 0.5 else None


def _rate(rows: pd.DataFrame) -> Finding | None:
    """Answers that are one length times the frequency, whatever the count; a length that the counts do not share."""
    positive = rows[(rows["count"] > 1) & (rows["frequency_hz"] > 0)]
    if len(positive) < LEAST_ANSWERS or positive["frequency_hz"].nunique() < 2:
        return None
    length_s = float((positive["final_answer"] / positive["frequency_hz"]).median())
    expected = length_s * positive["frequency_hz"]

    def near(values: pd.Series[float]) -> pd.Series[bool]:
        return (values - expected).abs() <= (0.06 * expected).clip(lower=1.0)

    k = int(near(positive["final_answer"]).sum())
    if length_s < 2 or float(near(positive["count"]).mean()) > 0.5:
        return None
    said = f"{k:,} of {len(positive):,} answers are {length_s:z.1f} s times the rate of events"
    found = _found("rate", k / len(positive), wilson_pair(k, len(positive)), said)
    return found[0] if found else None


def _percent(share: float, span: Span | None) -> str:
    return f"{100 * share:z.0f} %" + (f" [{100 * span[0]:z.0f}, {100 * span[1]:z.0f}]" if span else "")
