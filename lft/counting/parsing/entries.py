"""Entries: one line of a response, in pieces that are cut at their times, with what it says about them.

A *structured* entry is a line of a list or table: it starts with its time ("0:05 - right wall"), or names it
behind a label ("Right wall: 5.0 s"). It is an event unless its words say otherwise. Any other text is
*prose*: a time in it is an event only if the clause says that something happened.
"""

from __future__ import annotations

import re
from itertools import pairwise

from lft.counting.parsing import ellipsis, times, words
from lft.counting.parsing.cutting import Piece, cut, is_lead
from lft.counting.parsing.judging import CROSSED, Entry
from lft.counting.parsing.tokens import Time

MARKER = re.compile(
    r"[ \t]{0,60}(?:>[ \t]{0,4}){0,3}(?P<mark>-{1,2}(?=[\s\[(])|\(?\d{1,4}[.)](?=\s)|\[\d{1,4}\](?=\s)|"
    r"#\d{1,4}[.:)]?(?=\s)"
    r"|\(?[a-h][.)](?=\s)|\d{1,3}(?:\ufe0f)?\u20e3)?[ \t]{0,20}(?:\[[ x✓]\]|[✓✔✅☑-])?[ \t]{0,20}"
)
_COLON = re.compile(r"(?:[\s-]mark)?(?:\s{0,2}:|\s-)\s")
_ALONE = re.compile(r"(?:[\s-]mark)?\W{0,12}$|\s{0,2}:\s")
_NAMED_HEAD = re.compile(
    rf"[\s\W]{{0,8}}(?:{words.ORDINAL_LABEL.pattern})\s{{0,3}}(?:(?P<named>[:=](?!\d)|\bat\b)|[-(|,])"
    r"|[\s\W]{0,8}(?:the )?(?:time(?:stamp)?s|moments) (?:\([a-z ]{1,12}\) )?(?:of|where|when) [a-z ]{1,40}"
    r"(?:\([a-z ]{1,12}\))?\s{0,2}(?P<times>[:=])\s{0,2}\[?"
)
_PROSE_LEAD = re.compile(r"[\s\W]{0,8}(?:at|from|between|in|around|about|approximately|when|by)\b")
_SENTENCE_END = re.compile(r"[.!?](?=[\s\"')]|$)|[。！？]")
_ABBREVIATED = re.compile(r"(?:\b(?:approx|sec|no|vs|ca|i\.e|e\.g)|\b\d{1,3})$")
_ANSWERED = re.compile(r"\s{1,3}(?:yes|no|yep|nope|correct|indeed|not)\b")
_BRACKETS = re.compile(r"[^()\n]{0,24}\)[^\w()\n]{0,6}(?:[\w\"']{1,12}[ \"']{0,2}){1,3}\((?:at |t ?= ?|~)?")


def of_line(view: str, start: int, end: int, *, seconds: bool = False) -> list[Entry]:
    """The entries of view[start:end], one line. `seconds`: bare whole numbers at the head are times.

    >>> [(e.times[0].at_s, e.is_event) for e in of_line("- 0:00 initial state", 0, 20)]
    [(0.0, False)]
    """
    marker = MARKER.match(view, start, end)
    body = marker.end() if marker else start
    marked = marker is not None and marker["mark"] is not None
    named = None if view[body : body + 1].isdigit() else _NAMED_HEAD.match(view, body, min(end, body + 80))
    bare: times.Head = "number" if seconds or (named and named.lastgroup) else "decimal"
    found = times.find(view, named.end() if named else body, end, head=bare)
    if not found:
        return []
    prefix = view[body : found[0].start]
    leads = is_lead(prefix)
    bracketed = not leads and _in_brackets(view, found)
    structured = bracketed
    if leads:
        structured = (
            marked or not _PROSE_LEAD.match(prefix) or _ALONE.match(view, found[-1].end, end) is not None
        )
    structured = structured or _labelled(prefix, marked)
    if not structured and end - body >= 40:
        return _prose(view, body, end, found, marked)
    listed = cut(Piece(view, body, end, structured, marked, leads, bracketed), found)
    if CROSSED.search(view, start, found[0].start):  # "✘ 9.0 s - only the background"
        listed[0].is_event = listed[0].affirmed = False
    return listed


def _labelled(prefix: str, marked: bool) -> bool:
    """Whether what stands before the first time of a line is a label: "Right wall: "."""
    closing = prefix.rstrip()[-1:]
    if not closing or closing not in (":-=([@|~→" if marked else ":=|"):
        return False
    return len(prefix) <= 80 and not _SENTENCE_END.search(prefix)


def _in_brackets(view: str, found: list[Time]) -> bool:
    """Whether a line lists words, each with its time in brackets: "A (0:00) - C (0:02) - D (0:04)"."""
    gaps = [view[a.end : b.start] for a, b in pairwise(found)]
    return len(gaps) > 1 and all(len(gap) < 40 and _BRACKETS.fullmatch(gap) for gap in gaps)


def _prose(view: str, start: int, end: int, found: list[Time], marked: bool) -> list[Entry]:
    """The entries of a line, sentence by sentence; one without a time may announce the events of the next."""
    listed: list[Entry] = []
    announced = ""
    for a, b in _sentences(view, start, end):
        inside = [time for time in found if a <= time.start < b]
        if inside:
            leads = is_lead(view[a : inside[0].start])
            structured = leads and _COLON.match(view, inside[0].end, b) is not None
            entries = cut(Piece(view, a, b, structured, marked, leads), inside)
            entries[0].announced, announced = announced, ""
            listed += entries
        elif ellipsis.happens(view[a : min(b, a + 200)]):
            announced = view[a:b]
    return listed


def _sentences(view: str, start: int, end: int) -> list[tuple[int, int]]:
    spans, at = [], start
    for found in _SENTENCE_END.finditer(view, start, end):
        if view[found.start()] == "?" and _ANSWERED.match(view, found.end(), end):
            continue
        if not _ABBREVIATED.search(view, max(at, found.start() - 6), found.start()) or found.end() - at > 60:
            spans.append((at, found.end()))
            at = found.end()
    spans.append((at, end))
    return spans
