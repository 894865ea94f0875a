"""Time expressions: where they stand and what they say.

A *timed* expression carries its own unit or form: `0:05`, `00:06.5`, `0:01:05` (h:mm:ss), `1 min 5 s`, `5.5
s`, `5,5 s`, `7500 ms`, `five seconds`. A bare number becomes a time
* after a cue (`t=1.5`, `time: 7`, `at 5.5`): a decimal after any cue, a whole number after `t=`, `time` or
  `second` only;
* as a member of a list or range that ends in a unit: `1.0, 2.0 and 3.0 s`, `5-6 s`;
* where the caller says so (a table column or JSON key of times, the head of a list entry).

A number with a unit that is a duration (`every 2.0 s`, `lasting 0.2 s`, `2 s apart`, `0.5 s later`) is no
time.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from lft.counting.parsing import words

_SECONDS = (
    r"s|sec|secs|second|seconds|sek|sekunden?|segundos?|secondes?|secondi|сек|секунд[аыу]?|с|초|秒|"
    r"ثانية|ثوان|ثواني|सेकंड|सेकेंड|सेकण्ड"
)
_UNIT = rf"(?:(?P<unit>{_SECONDS})|(?P<ms>ms|msecs?|milliseconds?|毫秒))(?![a-z0-9_]|'[a-z])"
_SMALL = words.NUMBER_WORD
_GAP = r"(?:-| {0,12})"  # between a number and its unit; what LaTeX commands leave is blank
_TIME = re.compile(
    r"(?<![0-9a-z_.:/])(?:"
    r"(?P<a>\d{1,3}):(?P<b>[0-5]\d)(?::(?P<c>\d{2,3})(?::\d{2,3})?)?"
    r"(?:[.,](?P<f>\d{1,9})(?!\d|:\d|\.\d))?(?!\d|:\d)"
    r"|(?P<m>\d{1,3}) ?(?:m|min|mins|minutes?)[, ]{0,2}(?:and )?"
    r"(?P<s>\d{1,2}(?:\.\d{1,9})?) ?(?:s|secs?|seconds?)(?![a-z])"
    rf"|(?P<number>\d{{1,6}}(?:\.\d{{1,9}}|,\d{{1,3}}(?={_GAP}(?:{_SECONDS})(?![a-z])))?)(?!\d|:\d)"
    rf"(?:{_GAP}{_UNIT})?"
    r")"
)
_WORDED = re.compile(
    rf"\b(?P<n>{_SMALL})(?:(?P<half> and a half)|"
    rf" point (?P<point>{_SMALL}(?: {_SMALL}){{0,2}}))?[ -]seconds?\b"
)
MAX_S = 100_000.0  # a number from here on, over a day, is no time

_DURATION_BEFORE = re.compile(
    r"(?:\b(?:every|each|per|for|lasts?|lasting|lasted|durations?(?: of| is)?|over|within|first|last|"
    r"next|another|"
    r"intervals?(?: of| is)?|periods?(?: of| is)?|spacing(?: of)?|gaps?(?: of)?|by|length(?: of| is)?|"
    r"total time|run ?time|alle|cada|toutes les|каждые|additional|full|entire|a)|每隔?|매|±|\+/-)"
    r"[\s:=]{0,2}(?:about|approximately|approx\.?|roughly|around|~|the|exactly|of)?\s?$"
)
_DURATION_AFTER = re.compile(
    r"\s?-?\s?(?:intervals?\b|apart\b|later\b|long\b|periods?\b|durations?\b|each\b|per\b|gaps?\b|"
    r"spacing|videos?\b|"
    r"clips?\b|footage|earlier\b|in (?:length|duration)|of (?:video|footage|motion|the (?:video|"
    r"clip))|delay|windows?\b|"
    r"before the|after the|between|间|間|ごと|おき)"
)
_NOT_SECONDS_AFTER = re.compile(r"\s?(?:hz|fps|%|px|pixels?|times\b|frames?\b|m/s|cm\b|°|/|x\b)")
_CUE_ANY = re.compile(
    r"(?:\b(?:ts?|time(?:stamp)?s?|at|around|about|approximately|approx\.?|near|from|between|second|"
    r"sec|when)|@)"
    r"(?:\s?\((?:s|sec|seconds|in seconds)\))?[\"'\s:=~\[(>]{0,6}$"
)
_CUE_STRONG = re.compile(
    r"(?:\bts?\s?[=:~]|\b(?:time(?:stamp)?s?|event times?|timestamps)(?:\s?\((?:s|sec|seconds|"
    r"in seconds)\))?[\"'\s]{0,2}[:=]|"
    r"\b(?:second|seconds|sec|segundo|sekunde|seconde)|第)[\"'\s=~\[(]{0,4}$"
)
_COUNT_BEFORE = re.compile(
    r"(?:count|total|tally|#|no\.?|event|contact|blink|state|frame|step|number)[\s:=#(]{0,3}$"
)
_NEGATIVE = re.compile(r"(?:[=:(]\s?|\bat\s|\btime\s)-\s?$")

_DASH = re.compile(
    r"[\s)\]]{0,4}(?:-{1,3}>?|to|until|till|through|thru|bis|hasta|à|至|到|から|→|=>"
    r"|~|\.\.\.?)"
    r"[\s(\[]{0,4}"
    r"(?:about |around |t ?= ?)?$"
)
_AND = re.compile(r"\s{0,4}(?:and|&|und|y|et|e|и|和|と)\s{1,4}(?:t ?= ?)?$")
_LIST = re.compile(
    r"\s{0,4}(?:[,;/&]|,?\s?(?:and then|and|then|und|y|et|e|и|和|と)\s|,)\s{0,4}"
    r"(?:and |then |again |finally )?"
    r"(?:at |around |about |~|t ?= ?|@ ?){0,2}$"
)
_SAME = re.compile(r"\s{0,3}[(\[/=,|~]\s{0,3}(?:~|or|i\.e\.,?|t ?=|at|about)?\s{0,3}$")
_BETWEEN = re.compile(r"\b(?:between|zwischen|entre)\s{1,3}(?:about |t ?= ?)?$")
_START_END = re.compile(
    r"[^\n.;]{0,60}\b(?:ends?|ending|stops?|off|finish\w*|until)\b(?: at| by)?[\s:=(~]{1,4}$"
)
_NO_WORDS = re.compile(r"[\s\W]{0,12}")
_INDEX_GAP = re.compile(r"\s{0,12}[|,;)\]]\s{0,12}")
_STARTS = re.compile(r"\b(?:starts?|starting|begins?|beginning|on|onset)\b(?: at| from)?[\s:=(~]{0,4}$")


@dataclass(slots=True)
class Time:
    """One expression. `end_s` is set for an interval; `linked` if it continues the list of the one before."""

    start: int
    end: int
    time_s: float
    end_s: float | None = None
    timed: bool = True
    clock: bool = False
    decimal: bool = False
    negative: bool = False
    linked: bool = False

    @property
    def at_s(self) -> float:
        """The midpoint of an interval, else the time."""
        return self.time_s if self.end_s is None else (self.time_s + self.end_s) / 2


Head = Literal["unit", "decimal", "number"]


def find(view: str, start: int, end: int, *, head: Head = "unit", all_bare: bool = False) -> list[Time]:
    """The times in view[start:end], in order, ranges joined.

    head: what may stand bare at the very beginning and be a time; all_bare: every bare number is one (a
    column of times).

    >>> [(t.time_s, t.end_s) for t in find("from 0:06 to 0:17, then at 18.0 and 19.5 s", 0, 42)]
    [(6.0, 17.0), (18.0, None), (19.5, None)]
    """
    tokens = _tokens(view, start, end)
    if not tokens:
        return []
    if len(tokens) == 1:
        _promote(view, start, tokens, [], head, all_bare)
        return tokens if tokens[0].timed else []
    gaps = [_gap(view, a, b) for a, b in pairwise(tokens)]
    _promote(view, start, tokens, gaps, head, all_bare)
    return _joined(view, start, tokens, gaps)


def _tokens(view: str, start: int, end: int) -> list[Time]:
    tokens: list[Time] = []
    for found in _TIME.finditer(view, start, end):
        at = found.start()
        minutes, more_minutes, text, unit, milli = found.group("a", "m", "number", "unit", "ms")
        if minutes is not None:
            a, b, c, f = float(minutes), float(found["b"]), found["c"], found["f"]
            if c is None:
                value = 60 * a + b
            elif len(c) == 2 and c < "60":
                value = 3600 * a + 60 * b + float(c)
            else:  # minutes, seconds and a fraction after a colon: 00:07:500
                value = 60 * a + b + float("0." + c)
            if f is not None:
                value += float("0." + f)
            tokens.append(Time(at, found.end(), value, clock=True, decimal=f is not None))
        elif more_minutes is not None:
            rest = found["s"]
            tokens.append(Time(at, found.end(), 60 * float(more_minutes) + float(rest), decimal="." in rest))
        else:
            timed = unit is not None or milli is not None
            if not timed and (
                "count" in view[max(start, at - 32) : at] or _NOT_SECONDS_AFTER.match(view, found.end(), end)
            ):
                continue
            value = float(text.replace(",", ".")) / (1000.0 if milli else 1.0)
            tokens.append(Time(at, found.end(), value, timed=timed, decimal="." in text or "," in text))
    if "second" in view[start:end]:
        tokens += [_worded(found) for found in _WORDED.finditer(view, start, end)]
        tokens.sort(key=lambda token: token.start)
    kept = []
    for token in tokens:
        before = view[max(start, token.start - 32) : token.start]
        if token.timed and (
            (len(before) > 1 and _DURATION_BEFORE.search(before))
            or (not token.clock and _DURATION_AFTER.match(view, token.end, min(end, token.end + 24)))
        ):
            continue
        if before[-2:].strip().endswith("-") and _NEGATIVE.search(before):
            token.negative = True
        if token.time_s < MAX_S:
            kept.append(token)
    return kept


def _worded(found: re.Match[str]) -> Time:
    value = float(words.number(found["n"]))
    if found["half"]:
        value += 0.5
    elif found["point"]:
        value += float("0." + "".join(str(words.number(w)) for w in found["point"].split(" ")))
    return Time(found.start(), found.end(), value, decimal=value % 1 != 0)


def _gap(view: str, a: Time, b: Time) -> str:
    """How two neighbours are joined: range, and (a range after "between"), list, or not at all."""
    if b.start - a.end > 28:
        return ""
    gap = view[a.end : b.start]
    if "\n" in gap:
        return ""
    if _DASH.match(gap):
        return "range"
    if _AND.match(gap):
        return "and"
    return "list" if _LIST.match(gap) else ""


def _promote(view: str, start: int, tokens: list[Time], gaps: list[str], head: Head, all_bare: bool) -> None:
    """Marks the bare numbers that are times."""
    if all(token.timed for token in tokens):
        return
    if all_bare:
        for token in tokens:
            token.timed = True
        return
    first = 0  # an index column or number may stand before: 1 | 7.0 | right wall
    if len(tokens) > 1 and not tokens[0].decimal and tokens[1].decimal:
        first = 1 if _INDEX_GAP.fullmatch(view, tokens[0].end, tokens[1].start) else 0
    at_head = head != "unit" and (head == "number" or tokens[first].decimal)
    at_head = at_head and _NO_WORDS.fullmatch(view, start, tokens[0].start) is not None
    for i, token in enumerate(tokens):
        if token.timed:
            continue
        before = view[max(start, token.start - 32) : token.start]
        if (at_head and i == first) or (_CUE_ANY if token.decimal else _CUE_STRONG).search(before):
            token.timed = True
            for later, gap in zip(
                tokens[i + 1 :], gaps[i:], strict=False
            ):  # a list behind a cue: t = 1.0, 2.0
                if not gap or later.timed or later.decimal != token.decimal:
                    break
                later.timed = True
    for i in range(len(tokens) - 2, -1, -1):  # a unit reaches back over a list or range: 1.0, 2.0 and 3.0 s
        this, following = tokens[i], tokens[i + 1]
        if this.timed or not following.timed or following.clock or not gaps[i]:
            continue
        if this.decimal != following.decimal and (gaps[i] != "range" or this.time_s > following.time_s):
            continue
        if not _COUNT_BEFORE.search(view[max(start, this.start - 16) : this.start]):
            this.timed = True


def _joined(view: str, start: int, tokens: list[Time], gaps: list[str]) -> list[Time]:
    times: list[Time] = []
    previous_index = -2
    chained = False  # the last interval came from a dash chain: 0:05 - 0:07 - 0:09 is a list
    for i, token in enumerate(tokens):
        if not token.timed:
            continue
        gap = gaps[i - 1] if i and previous_index == i - 1 else ""
        last = times[-1] if times else None
        previous_index = i
        if last is not None and not last.negative and not token.negative:
            between = view[last.end : token.start]
            if gap != "range" and last.end_s is None and _same(last, token, between):
                if token.decimal and not last.decimal:
                    last.time_s, last.decimal = token.time_s, True
                last.end = token.end
                continue
            is_range = gap == "range" or (
                gap == "and" and _BETWEEN.search(view, max(start, last.start - 20), last.start) is not None
            )
            if not is_range and len(between) < 70 and _START_END.match(between):
                is_range = _STARTS.search(view, max(start, last.start - 20), last.start) is not None
            if is_range and last.end_s is None and not chained:
                if token.time_s != last.time_s:
                    last.time_s, last.end_s = sorted((last.time_s, token.time_s))
                last.end = token.end
                continue
            if gap == "range" and last.end_s is not None:
                times[-1:] = [
                    Time(last.start, last.start + 1, last.time_s, linked=last.linked),
                    Time(last.end - 1, last.end, last.end_s, linked=True),
                ]
                chained = True
            token.linked = bool(gap)
            if not gap:
                chained = False
        times.append(token)
    return times


def _same(last: Time, token: Time, between: str) -> bool:
    """Whether one instant is given twice: 0:07 (7.2 s)."""
    return (
        last.clock != token.clock
        and len(between) < 16
        and abs(last.time_s - token.time_s) < 1.0
        and _SAME.match(between) is not None
    )
