"""Shared by the scores of all suites: the format of scores.csv, and counts of trials that were not applicable."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterable, Sequence

from lft.core.records import Entries, Json, Line
from lft.core.runs import NOT_APPLICABLE

_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def guarded(text: str) -> str:
    """Text for a CSV field, escaped so that no spreadsheet reads it as a formula; `unguarded` reverses it.

    >>> guarded("=cmd|' /C calc'!A0"), guarded("plain"), guarded("'tis")
    ("'=cmd|' /C calc'!A0", 'plain', "''tis")
    """
    return "'" + text if text[:1] in (*_FORMULA, "'") else text


def unguarded(text: str) -> str:
    """The reverse of `guarded`.

    >>> [unguarded(guarded(t)) for t in ("=1", "'=1", "'", "a", "")]
    ['=1', "'=1", "'", 'a', '']
    """
    return text[1:] if text[:1] == "'" and text[1:2] in (*_FORMULA, "'") else text


def csv_text(rows: Iterable[Entries], columns: Sequence[str]) -> str:
    """Rows as CSV: a missing value is empty, booleans are 1 and 0, numbers have at most six decimals.

    >>> csv_text([{"a": True, "b": 1 / 3}, {"b": "=1"}], ("a", "b"))
    "a,b\\n1,0.333333\\n,'=1\\n"
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    for row in rows:
        writer.writerow([_field(row.get(column)) for column in columns])
    return out.getvalue()


def not_applicable(lines: Iterable[Line]) -> dict[str, int]:
    """Reason for not applicable -> number of trials, most frequent first; reasons that differ only in numbers are
    merged.

    >>> line = {"status": "not_applicable", "reason": "96 images; m takes 50"}
    >>> not_applicable([line, {**line, "reason": "192 images; m takes 50"}, {"status": "answered"}])
    {'96 images; m takes 50': 2}
    """
    words: dict[str, str] = {}
    counts: Counter[str] = Counter()
    for line in lines:
        if line.get("status") == NOT_APPLICABLE:
            reason = str(line.get("reason") or "no reason was recorded")
            alike = re.sub(r"\d+", "…", reason)
            counts[words.setdefault(alike, reason)] += 1
    return dict(counts.most_common())


def _field(value: Json) -> str | float:
    if value is None:
        return ""
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, str):
        return guarded(value)
    return round(value, 6) if isinstance(value, float) else value
