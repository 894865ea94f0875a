"""Entries: one line or sentence of a response, cut at its times, with what it says about them.

A *structured* entry is a line of a list or table: it starts with its time ("0:05 - right wall"), or names it
behind a label ("Right wall: 5.0 s"). It is an event unless its words say otherwise. Any other text is
*prose*: a time in it is an event only if the clause says that something happened.
"""

from __future__ import annotations

import re
from itertools import pairwise

from lft.counting.parsing import ellipsis, numerals, times, words
from lft.counting.parsing.judging import CONTENT, CROSSED, TIME, Entry, judge, set_count, stated
from lft.counting.parsing.tokens import Time

_LONGEST_ENTRY = 1500  # characters; what a longer line says beyond is not looked at
MARKER = re.compile(
    r"[ \t]{0,60}(?:>[ \t]{0,4}){0,3}(?P<mark>-{1,2}(?=[\s\[(])|\(?\d{1,4}[.)](?=\s)|\[\d{1,4}\](?=\s)|"
    r"#\d{1,4}[.:)]?(?=\s)"
    r"|\(?[a-h][.)](?=\s)|\d{1,3}(?:\ufe0f)?\u20e3)?[ \t]{0,20}(?:\[[ x✓]\]|[✓✔✅☑-])?[ \t]{0,20}"
)
_CUE_WORDS = (
    r"at|time(?:stamp)?s?(?:_s(?:ec)?)?|event times?|ts?|around|about|approximately|approx\.?|from|between|"
    r"sec(?:onds?)?|start(?: time)?|begin(?:s|ning)?|onset|end(?: time)?|in|video|the|mark|\d{1,4}|frames?|"
    r"when|moment|时间|時間|时刻|時刻|在|第|约|zeit|bei|um|tiempo|en|temps|à|tempo|время|на|в|시간|समय"
)
_LEAD = re.compile(
    rf"[\s\W]{{0,8}}(?:(?:{words.ORDINAL_LABEL.pattern}|{_CUE_WORDS})(?![a-z])[\s\W]{{0,6}}){{0,5}}"
)
_CLAUSE_LEAD = re.compile(
    rf"(?:[\s\W]{{0,4}}\b(?:and|then|finally|again|next|lastly|later|und|dann|y|luego|puis|"
    rf"et)\b){{0,3}}{_LEAD.pattern}"
)
_CALL = re.compile(r"[a-z_.]{1,24}\((?=\d)")
_COLON = re.compile(r"(?:[\s-]mark)?\s{0,2}:\s")
_ALONE = re.compile(r"(?:[\s-]mark)?\W{0,12}$|\s{0,2}:\s")
_NAMED_HEAD = re.compile(
    rf"[\s\W]{{0,8}}(?:{words.ORDINAL_LABEL.pattern})\s{{0,3}}(?:(?P<named>[:=](?!\d)|\bat\b)|[-(|,])"
)
_PROSE_LEAD = re.compile(r"[\s\W]{0,8}(?:at|from|between|in|around|about|approximately|when|by)\b")
_STRONG_CUT = re.compile(r"[;|。]|[.!?](?=\s)|\s/\s|\n")
_WEAK_CUT = re.compile(r",|\s(?:and|then|but|before|while|und|y|et)(?=\s)")
_ANY_CUT = re.compile(rf"{_STRONG_CUT.pattern}|{_WEAK_CUT.pattern}")
_SENTENCE_END = re.compile(r"[.!?](?=[\s\"')]|$)|[。！？]")
_ABBREVIATED = re.compile(r"(?:\b(?:approx|sec|no|vs|ca|i\.e|e\.g)|\b\d{1,3})$")
_ABOUT = r"(?:at )?(?:about |around |approximately |roughly |etwa |circa |environ )?"
_ANSWERED = re.compile(r"\s{1,3}(?:yes|no|yep|nope|correct|indeed|not)\b")
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
_BRACKETS = re.compile(r"[^()\n]{0,24}\)[^\w()\n]{0,6}(?:[\w\"']{1,12}[ \"']{0,2}){1,3}\((?:at |t ?= ?|~)?")
_PART = re.compile(
    r"\b(?:(?P<start>starts?(?: time)?|begins?|onset)|(?P<end>ends?(?: time)?|stops?|offset))\W*$"
)


def of_line(view: str, start: int, end: int, *, seconds: bool = False) -> list[Entry]:
    """The entries of view[start:end], one line. `seconds`: bare whole numbers at the head are times.

    >>> [(e.times[0].at_s, e.is_event) for e in of_line("- 0:00 initial state", 0, 20)]
    [(0.0, False)]
    """
    marker = MARKER.match(view, start, end)
    body = marker.end() if marker else start
    marked = marker is not None and marker["mark"] is not None
    named = None if view[body : body + 1].isdigit() else _NAMED_HEAD.match(view, body, min(end, body + 80))
    bare: times.Head = "number" if seconds or (named and named["named"]) else "decimal"
    call = _CALL.match(view, body, min(end, body + 24))  # contact(5.0, "left wall")
    if call:
        named, bare = call, "number"
    found = times.find(view, named.end() if named else body, end, head=bare)
    if not found:
        return []
    prefix = view[body : found[0].start]
    leads = _is_lead(prefix)
    structured = leads and (
        marked or not _PROSE_LEAD.match(prefix) or _ALONE.match(view, found[-1].end, end) is not None
    )
    if not structured and len(prefix) <= 80 and not _SENTENCE_END.search(prefix):
        closing = prefix.rstrip()[-1:]
        structured = closing != "" and closing in (":-=([@|~→" if marked else ":=|")
        structured = structured or (call is not None and found[0].start == call.end())
    bracketed = not leads and _in_brackets(view, found)
    structured = structured or bracketed
    entries: list[Entry] = []
    crossed = CROSSED.search(view, start, found[0].start) is not None
    if structured or end - body < 40:
        entries = _cut(view, body, end, found, structured, marked, leads, bracketed)
        if crossed:  # "✘ 9.0 s - only the background"
            entries[0].is_event = entries[0].affirmed = False
        return entries
    announced = ""
    for sentence_start, sentence_end in _sentences(view, body, end):
        inside = [time for time in found if sentence_start <= time.start < sentence_end]
        if inside:
            head = view[sentence_start : inside[0].start]
            leads = _is_lead(head)
            before = len(entries)
            listing = leads and _COLON.match(view, inside[0].end, sentence_end) is not None
            entries += _cut(view, sentence_start, sentence_end, inside, listing, marked, leads)
            entries[before].announced, announced = announced, ""
        elif ellipsis.happens(view[sentence_start : min(sentence_end, sentence_start + 200)]):
            announced = view[sentence_start:sentence_end]
    return entries


def _in_brackets(view: str, found: list[Time]) -> bool:
    """Whether a line lists words, each with its time in brackets: "A (0:00) - C (0:02) - D (0:04)"."""
    gaps = [view[a.end : b.start] for a, b in pairwise(found)]
    return len(gaps) > 1 and all(len(gap) < 40 and _BRACKETS.fullmatch(gap) for gap in gaps)


def _is_lead(prefix: str) -> bool:
    """Whether nothing but marks, cue words and an ordinal label stands before the first time."""
    return not prefix or (len(prefix) <= 60 and _LEAD.fullmatch(prefix) is not None)


def _leads_clause(view: str, start: int, at: int) -> bool:
    """Whether a time stands at the head of its clause, so that what follows is what happens then."""
    near = max(start, at - 60)
    for found in _ANY_CUT.finditer(view, near, at):
        near = found.end()
    return _CLAUSE_LEAD.fullmatch(view, near, at) is not None


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


def _cut(
    view: str,
    start: int,
    end: int,
    found: list[Time],
    structured: bool,
    marked: bool,
    leads: bool,
    bracketed: bool = False,
) -> list[Entry]:
    """Gives each time, or list of times, the words that belong to it; of `bracketed` ones those before its bracket."""
    groups: list[list[Time]] = []
    for time in found:
        if time.linked and groups:
            groups[-1].append(time)
        else:
            groups.append([time])
    end = min(end, max(found[-1].end, start) + _LONGEST_ENTRY)
    if structured and _pinned(groups, view, start, end):
        groups.pop(0)
    framed = structured and len(groups) > 1 and _is_frame(groups, view, start, end)
    if framed:
        start, leads = groups.pop(0)[0].end, False
    running = words.running(view, start, end)
    if structured and not leads and len(groups) > 2 and len(running) == 1:
        listed = sum(map(len, groups))
        at = running[0].start()
        if (
            at > groups[-1][-1].end and numerals.number(running[0]["first"]) == listed
        ):  # their total, no running count
            end, running = at, []
    one_entry = structured and leads and len(running) == 1 and running[0].start() > groups[0][-1].end
    bounds = [start]
    kept = [groups[0]]
    for group in groups[1:]:
        previous = kept[-1]
        a, b = previous[-1].end, group[0].start
        between = view[a:b] if b - a < 400 else view[a : a + 200] + view[b - 200 : b]
        if len(between) < 80 and words.CORRECTION.search(between):
            kept[-1] = _corrected(kept[-1], between, group)
            continue
        if one_entry or (_SUBORDINATE.search(between[-32:]) and not _WHEN.match(view, group[-1].end, end)):
            continue
        if bracketed:
            cut: int | None = view.find(")", a, b) + 1
        else:
            led = leads or (
                not structured
                and (_leads_clause(view, start, previous[0].start) or _leads_clause(view, start, b))
            )
            cut = _boundary(view, a, b, led)
        if cut is None and structured:
            continue
        kept.append(group)
        bounds.append(cut if cut is not None else a)
    bounds.append(end)
    entries: list[Entry] = []
    for i, group in enumerate(kept):
        entry = _entry(
            view,
            bounds[i],
            bounds[i + 1],
            group,
            structured and (i == 0 or leads or framed or bracketed),
            leads and i == 0,
            running,
        )
        entry.marked = marked
        if (
            structured
            and not entry.structured
            and entries[-1].is_event
            and (entry.is_event or ellipsis.goes_on(entry, entries[-1].text))
        ):
            entry.structured = entry.is_event = True  # "Contacts: 2.5 s (left), 4.5 s (right)"
        entries.append(entry)
    first = view[start : kept[0][0].start]
    if structured and not leads and len(entries) == len(kept[0]) == 1 and words.META.search(first):
        entries[0].is_event = entries[0].affirmed = False  # "Interval between contacts: 2.0 s"
    if len(entries) == 1 and len(first) < 60:
        said = first if not leads or not CONTENT.search(entries[0].text) else entries[0].text
        part = _PART.search(said)
        entries[0].part = (part.lastgroup or "") if part else ""
    return entries


def _corrected(before: list[Time], between: str, group: list[Time]) -> list[Time]:
    """The times of an entry once it corrects itself: "2 s, 4 s, 8 s - sorry, 6 s", "... - no, not 8 s"."""
    if between.rstrip().endswith("not") and len(group) == 1:
        return [time for time in before if abs(time.at_s - group[0].at_s) > 0.05] or group
    return [*before[:-1], *group]


def _pinned(groups: list[list[Time]], view: str, start: int, end: int) -> bool:
    """Whether an interval only holds the one time behind it: "0:02 to 0:04: it flies left (contact at 0:04)"."""
    if len(groups) != 2 or len(groups[0]) > 1 or len(groups[1]) > 1:
        return False
    frame, time = groups[0][0], groups[1][0]
    if frame.end_s is None or time.end_s is not None or not frame.time_s <= time.time_s <= frame.end_s:
        return False
    near = view[max(frame.end, time.start - 40) : time.start]
    return words.DONE.search(near) is not None and stated(view[start:end]) == 1


def _is_frame(groups: list[list[Time]], view: str, start: int, end: int) -> bool:
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
        and stated(view[start:end]) <= len(inside)
    )


def _boundary(view: str, a: int, b: int, leads: bool) -> int | None:
    """Where, between two times, the words of the second begin: before it if times lead."""
    near, far = max(a, b - 200), min(b, a + 200)
    for pattern in (_STRONG_CUT, _WEAK_CUT):
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
    pieces, at = [], start
    if leads:
        at = group[0].start
    for time in group:
        pieces.append(view[at : time.start])
        at = time.end
    pieces.append(view[at:end])
    text = f" {TIME} ".join(pieces)
    if leads and structured and ("→" in text or ">" in text):
        text = _SEPARATOR.sub(" ", text)  # an arrow behind the time is no move
    until = None if structured else _UNTIL.search(view, max(start, group[0].start - 40), group[0].start)
    moved_on = _WHEN.match(view, group[-1].end, end) if until else None
    if (
        until and not moved_on and _leads_clause(view, start, until.start())
    ):  # "until 8 s it is dark; it then lights up"
        moved_on = _THEN.search(view, group[-1].end, end)
    if moved_on:
        text = view[moved_on.end() : end]  # "stays there until 5 s, when it moves to A"
    entry = Entry(group, start, end, text, structured, False, False)
    inside = [found for found in running if start <= found.start() < end]
    if inside:
        set_count(entry, inside)
        entry.counts = [found.span() for found in inside]
    if not structured and not moved_on:
        entry.clause = _clause(view, start, end, group)
    entry.structured = structured or moved_on is not None  # what comes behind "until 5 s, when" has its time
    open_end = group[-1].to_end or (
        words.OPEN_END.match(view, group[-1].end, min(end, group[-1].end + 24)) is not None
    )
    judge(entry, open_end=open_end)
    entry.structured = structured
    if until and not moved_on and entry.stated == 1:
        entry.is_event = entry.affirmed = False
    return entry
