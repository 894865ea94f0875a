"""The label of an event: what its entry says happened, as it was written."""

from __future__ import annotations

import re

from lft.counting.parsing import words
from lft.counting.parsing.entries import Entry

_MARKS = re.compile(r"\*+|__+|`+|\$+")
_EMPTY_BRACKETS = re.compile(r"[(\[]\s{0,4}[)\]]")
_LABEL_HEAD = re.compile(
    r"^(?:[\s\W]|(?:at|from|t|time|timestamp|between|s)\s?[=:,\s]){1,12}(?=\w)", re.IGNORECASE
)


def label(text: str, view: str, entry: Entry) -> str | None:
    """What the entry says, from the response as it was written, without times, counts and marks."""
    start, end = entry.start, min(entry.end, entry.start + 400)
    shown = text[start:end]
    if "\\" not in shown and "<" not in shown and "&" not in shown and "~~" not in shown:
        shown = _MARKS.sub(lambda found: " " * len(found[0]), shown)
    else:
        shown = "".join(o if v != " " else " " for o, v in zip(text[start:end], view[start:end], strict=True))
    if entry.said is not None:
        said = "; ".join(
            part for a, b in entry.said if (part := shown[max(a - start, 0) : max(b - start, 0)].strip())
        )
    else:
        pieces, at = [], start
        cuts = [(time.start, time.end) for time in entry.times]
        cuts += [_with_brackets(view, match.span()) for match in words.running(view, start, end)]
        for a, b in sorted(cuts):
            pieces.append(shown[max(at - start, 0) : max(a - start, 0)])
            at = max(at, b)
        pieces.append(shown[max(at - start, 0) :])
        said = _EMPTY_BRACKETS.sub(" ", " ".join(" ".join(pieces).split()))
    said = _LABEL_HEAD.sub("", said)
    said = said.strip(" \t-–—:;,.|*_`#\"'=~$→([{}")
    if said.count(")") > said.count("("):
        said = said.rstrip(") ]")
    return said[:160].strip() or None


def _with_brackets(view: str, span: tuple[int, int]) -> tuple[int, int]:
    a, b = span
    opening = view.rfind("(", max(0, a - 24), a)
    if opening >= 0 and ")" not in view[opening:a]:
        closing = view.find(")", b, b + 24)
        if closing >= 0 and "(" not in view[b:closing]:
            return opening, closing + 1
    return a, b
