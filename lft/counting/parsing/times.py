r"""Time expressions: where they stand and what they say.

`tokens` finds the numbers. A bare one is a time
* after a cue (`t=1.5`, `time: 7`, `at 5.5`): a decimal after any cue, a whole number after `t=`, `time` or
  `second` only;
* as a member of a list or range that ends in a unit (`1.0, 2.0 and 3.0 s`, `5-6 s`), or that goes on behind one
  (`at 3 s and again at 5`);
* in a rising list behind a range that holds it (`0:04 to 0:06: 4, 5, 6`);
* where the caller says so (a table column or JSON key of times, the head of a list entry).
Two times joined by a dash, "to" or the like are an interval; a chain of such (`0:05 - 0:07 - 0:09`) is a list.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Literal

from lft.counting.parsing import tokens
from lft.counting.parsing.tokens import Time

_CUE_ANY = re.compile(
    r"(?:\b(?:ts?(?:_s)?|time(?:stamp)?s?(?:_s(?:ec)?)?|at|around|about|approximately|approx\.?|near|from|"
    r"between|second|sec|when)|@)"
    r"(?:\s?\((?:s|sec|seconds|in seconds)\))?[\"'\s:=~\[(>]{0,6}$"
)
_CUE_STRONG = re.compile(
    r"(?:\bts?\s?[=:~]|\bt(?:ime)?(?:_s(?:ec(?:onds)?)?| \(s\))\s?[=:]|\b(?:time(?:stamp)?s?|event times?|"
    r"timestamps)(?:\s?\((?:s|sec|seconds|in seconds)\))?[\"'\s]{0,2}[:=]|\b(?:second|seconds|sec|segundo|"
    r"sekunde|seconde|secondo|секунд[аеу]|الثانية)|第)[\"'\s=~\[(]{0,4}$"
)
_NO_CUE = re.compile(r"[\s\d|,.;*-]*")
_AGAIN_AT = re.compile(r"(?:\bat|@)\s{1,2}$")
_CLOSED = re.compile(r"\s{0,2}(?:[.,;)\n]|and\b|$)")
_OPENS = re.compile(r"[:(\[]\s{0,3}$")
_COUNT_BEFORE = re.compile(
    r"(?:count|total|tally|#|no\.?|event|contact|blink|state|frame|step|number)[\s:=#(]{0,3}$"
)
_DASH = re.compile(
    r"[\s)\]]{0,4}(?:-{1,3}>?|to|until|till|through|thru|bis|hasta|à|至|到|から|→|=>"
    r"|~|\.\.\.?)"
    r"[\s(\[]{0,4}"
    r"(?:about |around |t ?= ?)?$"
)
_TO_END = re.compile(
    r"\s{0,3}(?:to|until|till|through) the (?:very )?end(?: of the (?:video|clip))?(?: at|"
    r",)?\s{0,3}\(?(?:about |around )?$"
)
_AND = re.compile(r"\s{0,4}(?:(?:and|&|und|y|et|e|и)\s{1,4}|(?:和|と|及)\s{0,4})(?:t ?= ?)?$")
_LIST = re.compile(
    r"(?:-(?:й|я|ю|ой|е))?"
    r"\s{0,4}(?:[,/&|]|;(?!\s{0,4}at\b)|,?\s?(?:and then|and|then|und|y|et|e|и)\s|和|と|及|와|과|,)\s{0,4}"
    r"(?:and |then |again |finally )?"
    r"(?:at |around |about |на |bei |um |nach |~|t ?= ?|@ ?){0,2}$"
)
_SAME = re.compile(r"\s{0,3}[(\[/=,|~]\s{0,3}(?:~|or|i\.e\.,?|t ?=|at|about)?\s{0,3}$")
_BETWEEN = re.compile(
    r"\b(?:between|zwischen|entre)\s{1,3}(?:the )?(?:(?:frame|time|second|mark)s? )?(?:at )?(?:about |t ?= ?)?$"
)
_START_END = re.compile(
    r"[^\n.;]{0,60}\b(?:ends?|ending|stops?|off|finish\w*|until)\b(?: at| by)?[\s:=(~]{1,4}$"
)
_NO_WORDS = re.compile(r"[\s\W]{0,12}")
_INDEX_GAP = re.compile(r"\s{0,12}[|,;)\]]\s{0,12}|\s{2,12}")
_STARTS = re.compile(
    r"\b(?:starts?|starting|begins?|beginning|on|onset)\b(?: again)?(?: at| from)?[\s:=(~]{0,4}$"
)


Head = Literal["unit", "decimal", "number"]


def find(
    view: str,
    start: int,
    end: int,
    *,
    head: Head = "unit",
    all_bare: bool = False,
    found: list[Time] | None = None,
) -> list[Time]:
    """The times in view[start:end], in order, ranges joined; `found`: its numbers, where they are known.

    head: what may stand bare at the very beginning and be a time; all_bare: every bare number is one (a
    column of times).

    >>> [(t.time_s, t.end_s) for t in find("from 0:06 to 0:17, then at 18.0 and 19.5 s", 0, 42)]
    [(6.0, 17.0), (18.0, None), (19.5, None)]
    """
    found = tokens.find(view, start, end) if found is None else found
    if not found:
        return []
    if len(found) == 1 and found[0].timed:
        return found
    gaps = [_gap(view, a, b) for a, b in pairwise(found)]
    _promote(view, start, end, found, gaps, head, all_bare)
    if len(found) == 1:
        return found if found[0].timed else []
    return _joined(view, start, found, gaps)


def _gap(view: str, a: Time, b: Time) -> str:
    """How two neighbours are joined: range, and (a range after "between"), list, or not at all."""
    if b.start - a.end > 48:
        return ""
    gap = view[a.end : b.start]
    if "\n" in gap:
        return ""
    if _TO_END.match(gap):
        return "end"
    if _DASH.match(gap):
        return "range"
    if _AND.match(gap):
        return "and"
    return "list" if _LIST.match(gap) else ""


def _promote(
    view: str, start: int, end: int, found: list[Time], gaps: list[str], head: Head, all_bare: bool
) -> None:
    """Marks the bare numbers that are times."""
    bare = [i for i, time in enumerate(found) if not time.timed]
    if not bare:
        return
    if all_bare:
        for i in bare:
            found[i].timed = True
        return
    first = 0  # an index column or number may stand before: 1 | 7.0 | right wall
    if len(found) > 1 and not found[0].decimal and found[1].decimal:
        first = 1 if _INDEX_GAP.fullmatch(view, found[0].end, found[1].start) else 0
    at_head = head != "unit" and (head == "number" or found[first].decimal)
    at_head = at_head and _NO_WORDS.fullmatch(view, start, found[0].start) is not None
    for i in bare:
        time = found[i]
        if not time.timed and (_has_cue(view, start, time) or (at_head and i == first)):
            time.timed = True
            for k in range(i + 1, len(found)):  # t = 1.0, 2.0
                if not gaps[k - 1] or found[k].timed or found[k].decimal != time.decimal:
                    break
                found[k].timed = True
    _reach_back(view, start, found, gaps)
    for i in bare:  # "at 3 s and again at 5": an "at" behind a time goes on with the next
        if i and not found[i].timed and found[i - 1].timed and gaps[i - 1] in ("and", "list"):
            again = _AGAIN_AT.search(view, found[i - 1].end, found[i].start)
            found[i].timed = again is not None and _CLOSED.match(view, found[i].end, end) is not None
    _promote_listed(view, found, gaps)


def _has_cue(view: str, start: int, time: Time) -> bool:
    """Whether a word before a bare number says that it is a time; in "second 5" the word belongs to it."""
    near = max(start, time.start - 32)
    before = view[near : time.start]
    if _NO_CUE.fullmatch(before):
        return False
    cue = (_CUE_ANY if time.decimal else _CUE_STRONG).search(before)
    if cue and cue[0].startswith("sec") and re.search(r"\d\s?$", before[: cue.start()]):
        return False  # "6.3 seconds (3)": the unit of another
    if cue and cue[0].startswith(("sec", "第", "sek", "seg", "сек")):
        time.start = near + cue.start()
    return cue is not None


def _reach_back(view: str, start: int, found: list[Time], gaps: list[str]) -> None:
    """A unit reaches back over a list or range: 1.0, 2.0 and 3.0 s."""
    for i in range(len(found) - 2, -1, -1):
        this, following = found[i], found[i + 1]
        if this.timed or not following.timed or following.clock or not gaps[i]:
            continue
        if this.decimal != following.decimal and (gaps[i] != "range" or this.time_s > following.time_s):
            continue
        this.timed = not _COUNT_BEFORE.search(view[max(start, this.start - 16) : this.start])


def _promote_listed(view: str, found: list[Time], gaps: list[str]) -> None:
    """A rising list behind the range or start that holds it: "from 0:04 to 0:06: 4, 5, 6", "from 3 s on: 3, 4, 5"."""
    held: tuple[float, float] | None = None
    i = 0
    while i < len(found):
        if found[i].timed:
            if i and gaps[i - 1] == "range" and found[i - 1].timed:
                held = found[i - 1].time_s, found[i].time_s
            i += 1
            continue
        stop = i + 1
        while stop < len(found) and not found[stop].timed and gaps[stop - 1] in ("list", "and"):
            stop += 1
        run = [time.time_s for time in found[i:stop]]
        rising = len(run) > 1 and all(a < b for a, b in pairwise(run))
        held_now = rising and held is not None and held[0] <= run[0] and run[-1] <= held[1]
        if rising and i and found[i - 1].timed:
            every = "every" in view[found[i - 1].end : found[i].start] and found[i - 1].time_s < run[0]
            held_now = held_now or every or found[i - 1].time_s == run[0]
        if held_now and _OPENS.search(view, max(0, found[i].start - 4), found[i].start):
            for time in found[i:stop]:
                time.timed = True
        i = stop


def _joined(view: str, start: int, found: list[Time], gaps: list[str]) -> list[Time]:
    times: list[Time] = []
    chained = False  # the last interval came from a dash chain: 0:05 - 0:07 - 0:09 is a list
    for i, (token, gap) in enumerate(zip(found, ["", *gaps], strict=True)):
        before = found[i - 1] if i else None
        if not token.timed:
            continue
        if before is None or not before.timed:
            gap = ""
        last = times[-1] if times else None
        if gap == "end" and last is not None:
            last.end, last.to_end = token.end, True
            continue
        if last is not None and not last.negative and not token.negative:
            if gap != "range" and last.end_s is None and _same(last, token, view[last.end : token.start]):
                if token.decimal and not last.decimal:
                    last.time_s, last.decimal = token.time_s, True
                last.end = token.end
                continue
            if last.end_s is None and not chained and _is_range(view, start, last, token, gap):
                if token.time_s != last.time_s:
                    last.time_s, last.end_s = sorted((last.time_s, token.time_s))
                last.end = token.end
                continue
            if gap == "range" and last.end_s is not None and before is not None:
                times[-1:] = [
                    Time(last.start, found[i - 2].end, last.time_s, linked=last.linked),
                    Time(before.start, last.end, last.end_s, linked=True),
                ]
                chained = True
            token.linked = bool(gap)
            chained = chained and token.linked
        times.append(token)
    return times


def _is_range(view: str, start: int, last: Time, token: Time, gap: str) -> bool:
    """Whether two times are the ends of an interval: "5-6 s", "between 5 and 6 s", "starts at 5 s and ends at 6 s"."""
    if gap == "and":
        return _BETWEEN.search(view, max(start, last.start - 40), last.start) is not None
    if gap == "range" or token.start - last.end >= 70 or not _START_END.match(view, last.end, token.start):
        return gap == "range"
    if view[last.end] == ")" and view[token.start - 1] in "(~≈":
        return False  # "low -> on (5 s), on -> off (9 s)": two entries
    return _STARTS.search(view, max(start, last.start - 20), last.start) is not None


def _same(last: Time, token: Time, between: str) -> bool:
    """Whether one instant is given twice: 0:07 (7.2 s)."""
    finer = token.decimal and not last.decimal and "(" in between and abs(last.time_s - token.time_s) < 0.5
    return (
        (last.clock != token.clock or finer)
        and len(between) < 16
        and abs(last.time_s - token.time_s) < 1.0
        and _SAME.match(between) is not None
    )
