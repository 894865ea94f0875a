"""Cuts a line or sentence at its times: each time, or list of times, gets the words that belong to it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from lft.counting.parsing import ellipsis, numerals, words
from lft.counting.parsing.judging import CONTENT, TIME, Entry, judge, set_count, stated
from lft.counting.parsing.tokens import Time

_LONGEST_ENTRY = 1500  # characters; what a longer line says beyond is not looked at
_CUE_WORDS = (
    r"at|time(?:stamp)?s?(?:_s(?:ec)?)?|event times?|ts?|around|about|approximately|approx\.?|from|between|"
    r"sec(?:onds?)?|start(?: time)?|begin(?:s|ning)?|on(?:set)?|end(?: time)?|in|video|the|mark|\d{1,4}|frames?|"
    r"when|moment|时间|時間|时刻|時刻|在|第|约|zeit|bei|um|tiempo|en|temps|à|tempo|время|на|в|시간|समय"
)
_LEAD = re.compile(
    rf"[\s\W]{{0,8}}(?:(?:{words.ORDINAL_LABEL.pattern}|{_CUE_WORDS})(?![a-z])[\s\W]{{0,6}}){{0,5}}"
)
_CLAUSE_LEAD = re.compile(
    rf"(?:[\s\W]{{0,4}}\b(?:and|then|finally|again|next|lastly|later|und|dann|y|luego|puis|"
    rf"et)\b){{0,3}}{_LEAD.pattern}"
)
_STRONG_CUT = re.compile(r"[;|。]|[.!?](?=\s)|\s/\s|\n")
_WEAK_CUT = re.compile(r",|\s(?:and|then|but|before|while|und|y|et)(?=\s)")
_TOTAL = re.compile(
    rf"(?:[.!;]|\s-)\s{{1,3}}(?:the )?total (?:number of )?(?:[a-z]{{1,12}} )?{words.EVENT_NOUNS}(?:\s?[:=]|\sis)\s"
    rf"(?P<n>{numerals.NUMBER})(?![\w:]|[.,]\d)"
)  # the sum of a list in one line
_SECOND = re.compile(rf"[,;.]\s{{1,3}}(?:[a-z]{{1,12}} )?{words.EVENT_NOUNS} #?2\b(?![.:]\d)")
_ARROW_CUT = re.compile(r"(?:→|->|=>)\s{1,3}(?:at |t ?= ?|[~@(])?$")  # right before a time
_ANY_CUT = re.compile(rf"{_STRONG_CUT.pattern}|{_WEAK_CUT.pattern}")
_ABOUT = r"(?:at )?(?:about |around |approximately |roughly |etwa |circa |environ )?"
_SUBORDINATE = re.compile(
    rf"\b(?:since|after|before|until|than|previously at|unlike|(?:wall|it|which|ball) left at|not)\s{_ABOUT}$"
)
_UNTIL = re.compile(rf"\b(?:until|till|up to|bis|hasta|jusqu'à|até|fino a|до)\s{{1,6}}{_ABOUT}\s{{0,4}}$")
_WHEN = re.compile(
    r"(?:[\s-]{0,6}mark\b)?[\s,;-]{0,6}(?:when|where|at (?:which|that) (?:point|time|moment|instant)|"
    r"whereupon|after which|(?:and )?from (?:then|there|that (?:point|moment)) on(?:wards?)?|and then|then|"
    r"als|dann|cuando|quand|quando|когда)\b"
)
_THEN = re.compile(r"[,;]\s(?:(?:and|it|the \w{1,12})\s){0,2}(?:then|when)\b")
_SEPARATOR = re.compile(r"^\W{0,4}(?:→|->|=>)(?=\s)(?! \w\b)")
_PART = re.compile(
    r"\b(?:(?P<start>starts?(?: time)?|begins?|onset)|(?P<end>ends?(?: time)?|stops?|offset))\W*$"
)


@dataclass(slots=True)
class Piece:
    """A line or sentence, view[start:end].

    Attributes
    ----------
    structured : it is an entry of a list; `marked` by a bullet or number.
    leads : its first time stands at its head, so that words follow their times.
    bracketed : its times stand in brackets behind their words.
    framed : an interval at its head, taken off it, frames its times.
    """

    view: str
    start: int
    end: int
    structured: bool
    marked: bool
    leads: bool
    bracketed: bool = False
    framed: bool = False


def is_lead(prefix: str) -> bool:
    """Whether nothing but marks, cue words and an ordinal label stands before the first time."""
    return not prefix or (len(prefix) <= 60 and _LEAD.fullmatch(prefix) is not None)


def cut(piece: Piece, found: list[Time]) -> list[Entry]:
    """The entries of a piece with these times, at least one."""
    view = piece.view
    groups: list[list[Time]] = []
    for time in found:
        if time.linked and groups:
            groups[-1].append(time)
        else:
            groups.append([time])
    piece.end = min(piece.end, max(found[-1].end, piece.start) + _LONGEST_ENTRY)
    if piece.structured and _pinned(groups, piece):
        groups.pop(0)
    piece.framed = piece.structured and len(groups) > 1 and _is_frame(groups, piece)
    if piece.framed:
        piece.start, piece.leads = groups.pop(0)[0].end, False
    running = _running(groups, piece)
    kept, bounds = _bounds(groups, piece, running)
    entries: list[Entry] = []
    for i, group in enumerate(kept):
        listed = piece.structured and (i == 0 or piece.leads or piece.framed or piece.bracketed)
        entry = _entry(view, bounds[i], bounds[i + 1], group, listed, piece.leads and i == 0, running)
        entry.marked = piece.marked
        beside = piece.structured and not listed and entries[-1].is_event
        if beside and (entry.is_event or ellipsis.goes_on(entry, entries[-1].text)):
            entry.structured = entry.is_event = True  # "Contacts: 2.5 s (left), 4.5 s (right)"
        entries.append(entry)
    if len(entries) == 1:
        _name(entries[0], view[piece.start : kept[0][0].start], piece)
    return entries


def _name(entry: Entry, head: str, piece: Piece) -> None:
    """What the words before its time say about an entry: an interval between events, a start, an end."""
    if piece.structured and not piece.leads and len(entry.times) == 1 and words.META.search(head):
        entry.is_event = entry.affirmed = False  # "Interval between contacts: 2.0 s"
    if len(head) < 60:
        part = _PART.search(head if not piece.leads or not CONTENT.search(entry.text) else entry.text)
        entry.part = (part.lastgroup or "") if part else ""


def _running(groups: list[list[Time]], piece: Piece) -> list[re.Match[str]]:
    """The running counts of a piece; one behind a list that is only the total of its times is cut off."""
    listed = sum(map(len, groups))
    total = None if piece.marked or listed < 2 else _TOTAL.search(piece.view, groups[-1][-1].end, piece.end)
    if total and numerals.number(total["n"]) == listed:
        piece.end = total.start() + 1
    running = words.running(piece.view, piece.start, piece.end)
    if piece.structured and not piece.leads and listed > 2 and len(running) == 1:
        at = running[0].start()
        if at > groups[-1][-1].end and numerals.number(running[0]["first"]) == listed:
            piece.end = at
            return []
    return running


def _bounds(
    groups: list[list[Time]], piece: Piece, running: list[re.Match[str]]
) -> tuple[list[list[Time]], list[int]]:
    """The times that have words of their own, and where these begin; at last, where the piece ends."""
    view = piece.view
    counted_once = piece.structured and piece.leads and len(running) == 1
    one_entry = counted_once and running[0].start() > groups[0][-1].end
    one_entry = one_entry and not _SECOND.search(view, groups[0][-1].end, running[0].start())
    bounds = [piece.start]
    kept = [groups[0]]
    for group in groups[1:]:
        a, b = kept[-1][-1].end, group[0].start
        between = view[a:b] if b - a < 400 else view[a : a + 200] + view[b - 200 : b]
        if len(between) < 80 and words.CORRECTION.search(between):
            kept[-1] = _corrected(kept[-1], between, group)
            continue
        if one_entry or (
            _SUBORDINATE.search(between[-32:]) and not _WHEN.match(view, group[-1].end, piece.end)
        ):
            continue
        at = view.find(")", a, b) + 1 if piece.bracketed else _boundary(view, a, b, _led(piece, kept[-1], b))
        if at is not None or not piece.structured:
            kept.append(group)
            bounds.append(a if at is None else at)
    return kept, [*bounds, piece.end]


def _led(piece: Piece, before: list[Time], at: int) -> bool:
    """Whether the words between two times follow the first."""
    if piece.structured or piece.leads:
        return piece.leads
    return any(_leads_clause(piece.view, piece.start, place) for place in (before[0].start, at))


def _leads_clause(view: str, start: int, at: int) -> bool:
    """Whether a time stands at the head of its clause, so that what follows is what happens then."""
    near = max(start, at - 60)
    for found in _ANY_CUT.finditer(view, near, at):
        near = found.end()
    return _CLAUSE_LEAD.fullmatch(view, near, at) is not None


def _corrected(before: list[Time], between: str, group: list[Time]) -> list[Time]:
    """The times of an entry once it corrects itself: "2 s, 4 s, 8 s - sorry, 6 s", "... - no, not 8 s"."""
    if between.rstrip().endswith("not") and len(group) == 1:
        return [time for time in before if abs(time.at_s - group[0].at_s) > 0.05] or group
    return [*before[:-1], *group]


def _pinned(groups: list[list[Time]], piece: Piece) -> bool:
    """Whether an interval only holds the one time behind it: "0:02 to 0:04: it flies left (contact at 0:04)"."""
    if len(groups) != 2 or len(groups[0]) > 1 or len(groups[1]) > 1:
        return False
    frame, time = groups[0][0], groups[1][0]
    if frame.end_s is None or time.end_s is not None or not frame.time_s <= time.time_s <= frame.end_s:
        return False
    near = piece.view[max(frame.end, time.start - 40) : time.start]
    return words.DONE.search(near) is not None and stated(piece.view[piece.start : piece.end]) == 1


def _is_frame(groups: list[list[Time]], piece: Piece) -> bool:
    """Whether an interval only frames the times behind it: "0:06 - 0:08: left (0:06), right (0:07), ..."."""
    first = groups[0][0]
    if len(groups[0]) > 1 or first.end_s is None:
        return False
    inside = [
        t.time_s
        for group in groups[1:]
        for t in group
        if t.end_s is None and first.time_s <= t.time_s <= first.end_s
    ]
    return (
        len(inside) > 1
        and set(inside) != {first.time_s, first.end_s}
        and stated(piece.view[piece.start : piece.end]) <= len(inside)
    )


def _boundary(view: str, a: int, b: int, leads: bool) -> int | None:
    """Where, between two times, the words of the second begin: before it if times lead."""
    near, far = max(a, b - 200), min(b, a + 200)
    for pattern in (_STRONG_CUT, _WEAK_CUT, _ARROW_CUT):
        if leads:
            cuts = [found.end() for found in pattern.finditer(view, near, b)]
            if cuts:
                return cuts[-1]
        else:
            found = pattern.search(view, a, far)
            if found:
                return found.end()
    return None


def _clause(view: str, start: int, end: int, group: list[Time]) -> str:
    a, b = group[0].start, group[-1].end
    left, right = max(start, a - 200), min(end, b + 200)
    for found in _ANY_CUT.finditer(view, left, a):
        left = found.end()
    found_after = _ANY_CUT.search(view, b, right)
    return f"{view[left:a]} {TIME} " + view[b : found_after.start() if found_after else right]


def _entry(
    view: str,
    start: int,
    end: int,
    group: list[Time],
    structured: bool,
    leads: bool,
    running: list[re.Match[str]],
) -> Entry:
    at = group[0].start if leads else start
    pieces = []
    for time in group:
        pieces.append(view[at : time.start])
        at = time.end
    text = f" {TIME} ".join([*pieces, view[at:end]])
    if leads and structured and ("→" in text or ">" in text):
        text = _SEPARATOR.sub(" ", text)  # an arrow behind the time is no move
    until = None if structured else _UNTIL.search(view, max(start, group[0].start - 40), group[0].start)
    moved_on = _moved_on(view, start, end, until.start(), group[-1].end) if until else None
    entry = Entry(
        group, start, end, text if moved_on is None else view[moved_on:end], structured, False, False
    )
    inside = [found for found in running if start <= found.start() < end]
    if inside:
        set_count(entry, inside)
        entry.counts = [found.span() for found in inside]
    if not structured and moved_on is None:
        entry.clause = _clause(view, start, end, group)
    behind = words.OPEN_END.match(view, group[-1].end, min(end, group[-1].end + 24))
    entry.structured = structured or moved_on is not None  # what comes behind "until 5 s, when" has its time
    judge(entry, open_end=group[-1].to_end or behind is not None)
    entry.structured = structured
    if until and moved_on is None and entry.stated == 1:
        entry.is_event = entry.affirmed = False
    return entry


def _moved_on(view: str, start: int, end: int, until: int, at: int) -> int | None:
    """Where what happens then begins: behind "until 5 s, when" or "until 8 s it is dark; it then"."""
    found = _WHEN.match(view, at, end)
    if not found and _leads_clause(view, start, until):
        found = _THEN.search(view, at, end)
    return found.end() if found else None
