"""The label of an event: what its entry says happened, in the words of the response.

Left out are times with the preposition before them, running counts, and marks: "The star flashes at 0:03 and
0:05, so twice" is "The star flashes, so twice".
"""

from __future__ import annotations

import re
from functools import lru_cache

from lft.counting.parsing.claims import Claim

MAX_LABEL = 160  # characters
_MARKS = re.compile(r"\*+|__+|`+|\$+")
_EMPTY_BRACKETS = re.compile(r"[(\[]\s{0,4}[)\]]")
_LOOSE = re.compile(r"\s+(?=[,.;:!?](?:\s|$))|(?<=[,;])\s*[,;]+")
_PREPOSITION = re.compile(
    r"(?:(?:\b(?:at|around|from|between|near|by|on|in|about|approximately|approx\.?|roughly|time(?:stamp)?|t|"
    r"again|and|the)|[@~=:(,&])\s{0,3}){1,4}$"
)
_LABEL_HEAD = re.compile(
    r"^(?:[\s\W]|(?:at|from|t|time|timestamp|between|s|mark)\s?[=:,\s]){1,12}(?=\w)", re.IGNORECASE
)
_MARK_WORD = re.compile(r"\s?-?\s?mark\b")


def label(text: str, view: str, entry: Claim) -> str | None:
    """What the entry says, from the response as it was written, without times, counts and marks."""
    if entry.said is not None:
        return _tidy("; ".join(part for a, b in entry.said[:8] if (part := _shown(text, view, a, b).strip())))
    return _tidy(" ".join(_shown(text, view, a, b) for a, b in _own_words(view, entry)))


@lru_cache(maxsize=4096)  # ledgers say the same words again and again
def _tidy(said: str) -> str | None:
    said = _LOOSE.sub("", _EMPTY_BRACKETS.sub(" ", " ".join(said.split())))
    said = _LABEL_HEAD.sub("", said).strip(" \t-–—:;,.|*_`#\"'=~$→([{}")
    if said.count(")") > said.count("("):
        said = said.rstrip(") ]")
    return said[:MAX_LABEL].strip() or None


def _own_words(view: str, entry: Claim) -> list[tuple[int, int]]:
    """The places of the entry's words around its times and running counts."""
    start, end = entry.start, min(entry.end, entry.start + 400)
    first, last = entry.times[0], entry.times[-1]
    start = max(start, min(entry.unit.body, first.start))
    head_end = first.start
    preposition = _PREPOSITION.search(view, max(start, first.start - 32), first.start)
    if preposition:
        head_end = preposition.start()
    mark = _MARK_WORD.match(view, last.end, end)
    cuts = [(head_end, mark.end() if mark else last.end)]
    cuts += [_with_brackets(view, span) for span in entry.counts if span[1] <= end]
    spans, at = [], start
    for a, b in sorted(cuts):
        if at < a:
            spans.append((at, min(a, end)))
        at = max(at, b)
    if at < end:
        spans.append((at, end))
    return spans


def _shown(text: str, view: str, start: int, end: int) -> str:
    """A piece of the response without its marks."""
    end = min(end, start + 400)
    shown = text[start:end]
    if "\\" not in shown and "<" not in shown and "&" not in shown and "~~" not in shown:
        return _MARKS.sub(" ", shown)
    return "".join(o if v != " " else " " for o, v in zip(shown, view[start:end], strict=True))


def _with_brackets(view: str, span: tuple[int, int]) -> tuple[int, int]:
    a, b = span
    opening = view.rfind("(", max(0, a - 24), a)
    if opening >= 0 and ")" not in view[opening:a]:
        closing = view.find(")", b, b + 24)
        if closing >= 0 and "(" not in view[b:closing]:
            return opening, closing + 1
    return a, b
