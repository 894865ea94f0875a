r"""Numbers that may be times: how they are written and what they are worth.

A *timed* one carries its own unit or form: `0:05`, `00:06.5`, `0:01:05` (h:mm:ss), `0'07"`, `1 min 5 s`,
`5.5 s`, `5,5 s`, `7500 ms`, `five seconds`. A number with a unit that is a duration (`every 2.0 s`, `lasting
0.2 s`, `2 s apart`, `0.5 s later`) is no time; one with another unit (Hz, px, %) neither.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from itertools import islice

from lft.counting.parsing import numerals

_SECONDS = (
    r"s|sec|secs|second|seconds|sek|sekunden?|segundos?|secondes?|second[io]|секунд[аыуе]?|saniyede|saniye|"
    r"сек|с|초|秒|ثانية|ثوان|ثواني|सेकंड|सेकेंड|सेकण्ड"
)
_UNIT = rf"(?:(?P<unit>{_SECONDS})|(?P<ms>ms|msecs?|milliseconds?|毫秒))(?![a-z0-9_]|'[a-z])"
_SMALL = numerals.WORD
# Between a number and its unit: what LaTeX commands leave is blank; "7-second", "5th second", "2-й секунде".
_GAP = r"(?:-(?:й|я|ой|ю) |-|(?:st|nd|rd|th|[ºª]|ème|e) (?=s)|\. ?(?=se[kc]|san)| {0,12})"
_AND = r"[,.]? ?(?:(?:and|und|y|et|e|и) )?"
_TIME = re.compile(
    r"(?<![0-9a-z_./])(?<![0-9]:)(?:"
    r"(?P<a>\d{1,3}):(?P<b>[0-5]\d)(?::(?P<c>\d{2,3})(?::\d{2,3})?)?"
    r"(?:[.,](?P<f>\d{1,9})(?!\d|:\d|\.\d))?(?!\d|:\d)"
    r"|(?P<pm>\d{1,3})'(?P<ps>[0-5]?\d(?:\.\d{1,9})?)(?:\"|'')"
    rf"|(?P<m>\d{{1,3}}) ?(?:m|min|mins|minut\w{{1,3}}|мин\w{{0,3}}|分|분|मिनट){_AND}"
    rf"(?P<s>\d{{1,2}}(?:\.\d{{1,9}})?) ?(?:{_SECONDS})(?![a-z])"
    rf"|(?P<number>\d{{1,6}}(?:\.\d{{1,9}}|,\d{{1,3}}(?={_GAP}(?:{_SECONDS})(?![a-z])))?)(?!\d|:\d)"
    rf"(?:{_GAP}{_UNIT})?"
    r")"
)
_WORDED = re.compile(
    rf"\b(?P<n>{_SMALL})(?:(?P<half> and a half)|"
    rf" point (?P<point>{_SMALL}(?: {_SMALL}){{0,2}}))?[ -]seconds?\b"
)
_MINUTE_FIRST = re.compile(
    rf"\b(?:min|minut\w{{0,3}}|"
    rf"минут\w) (?P<m>\d{{1,3}}){_AND}(?:{_SECONDS}) (?P<s>[0-5]?\d(?:\.\d{{1,9}})?)(?!\d|:\d)"
)
MAX_NUMBERS = 5_000
MAX_S = 100_000.0  # a number from here on, over a day, is no time

_DURATION_BEFORE = re.compile(
    r"(?:\b(?:(?:stay\w*|remain\w*) (?:on|lit|bright|visible|active)|"
    r"every|each|per|for|lasts?|lasting|lasted|durations?(?: of| is)?|over|within|first|last|next|"
    r"another|intervals?(?: of| is)?|periods?(?: of| is)?|spacing(?: of)?|gaps?(?: of)?|(?<=[a-z,] )by|length(?: of|"
    r" is)?|"
    r"(?:video|clip|footage|recording) (?:is|was)(?: only| just)?|"
    r"total time|run ?time|alle|cada|toutes les|каждые|additional|full|entire|a(?=\s))|每隔?|매|±|\+/-)"
    r"[\s:=]{0,2}(?:about|approximately|approx\.?|roughly|around|~|the|exactly|of)?\s?$"
)
_DURATION_AFTER = re.compile(
    r"\s?-?\s?(?:intervals?\b|apart\b|later\b|long\b|periods?\b|durations?\b|each\b|per\b|gaps?\b|spacing|"
    r"videos?\b|clips?\b|footage|earlier\b|in (?:length|duration)|of (?:video|footage|motion|the (?:video|"
    r"clip))|delay|windows?\b|before the|after the(?! (?:start|begin|clip|video))|between|间|間|ごと|おき)"
)
_FROM_START = re.compile(
    r" (?:after|from|past) the (?:start|beginning|outset)(?: of (?:the|this) (?:video|clip|recording))?"
)
_THE = re.compile(
    r"\s?(?:la|el|los|las|le|les|o|os|as|y|e|lo|il|por|et|se|,)\s"
)  # "a 3 s la estrella": no English article
_NOT_SECONDS_AFTER = re.compile(
    r"\s?(?:hz|fps|%|px|pixels?|units?\b|cm\b|deg|times\b|frames?\b|m/s|cm\b|°|/(?!\s?\d+\.\d)|x\b|次|回|度|번)"
    r"| (?:[a-z]+ ){0,3}(?:per|each|every) second\b"
)
_COUNT_BEFORE = re.compile(r"\bcount(?:er|s)?\b[^\d,;.]{0,20}$")
_NEGATIVE = re.compile(r"(?:[=:(]\s?|\bat\s|\btime\s)-\s?$")


@dataclass(slots=True, eq=False)
class Time:
    """One expression. `end_s` is set for an interval; `linked` if it continues the list of the one before; `to_end`
    if it goes on to the end of the clip."""

    start: int
    end: int
    time_s: float
    end_s: float | None = None
    timed: bool = True
    clock: bool = False
    decimal: bool = False
    negative: bool = False
    linked: bool = False
    to_end: bool = False

    def copy(self) -> Time:
        """Another of the same, as it was found."""
        return Time(
            self.start, self.end, self.time_s, None, self.timed, self.clock, self.decimal, self.negative
        )

    @property
    def at_s(self) -> float:
        """The midpoint of an interval, else the time."""
        return self.time_s if self.end_s is None else (self.time_s + self.end_s) / 2


def find(view: str, start: int, end: int) -> list[Time]:
    """The numbers of view[start:end] that are or may be times, in order; `timed` says which one is by itself.

    >>> [(t.time_s, t.timed) for t in find("0:07 or 7.5 at 30 fps", 0, 21)]
    [(7.0, True), (7.5, False)]
    """
    found: list[Time] = []
    low, high = start, start - 1  # the line that was looked at last
    for match in _TIME.finditer(view, start, end):
        if len(found) == MAX_NUMBERS:
            break
        if match.start() > high:
            low, high = _line(view, match.start(), start, end)
        time = _read(match, view, low, high)
        if time is not None and _stands(time, view, low, high):
            found.append(time)
    if view.find("second", start, end) >= 0:
        worded = [_worded(match) for match in _WORDED.finditer(view, start, end)]
        found += [time for time in worded if _stands(time, view, *_line(view, time.start, start, end))]
        found.sort(key=lambda time: time.start)
    if view.find("min", start, end) >= 0 or view.find("мин", start, end) >= 0:
        found = _minute_first(view, start, end, found)
    return found


def _line(view: str, at: int, start: int, end: int) -> tuple[int, int]:
    """The line of a place within view[start:end]."""
    stop = view.find("\n", at, end)
    return max(start, view.rfind("\n", start, at) + 1), end if stop < 0 else stop


def _stands(time: Time, view: str, start: int, end: int) -> bool:
    """Whether a number is no duration by the words beside it; takes in "after the start", and a sign."""
    if time.time_s >= MAX_S:
        return False
    if time.timed and (counted := _FROM_START.match(view, time.end, end)) is not None:
        time.end = counted.end()
    before = view[max(start, time.start - 32) : time.start]
    said = before.rstrip(" \t:=~")[-1:]
    if said == "-":
        time.negative = _NEGATIVE.search(before) is not None
    if not time.timed:
        return True
    if (said.isalpha() or said in ("±", "-", ".")) and _DURATION_BEFORE.search(before):
        return before[-3:].strip() == "a" and _THE.match(view, time.end, end) is not None
    return time.clock or _DURATION_AFTER.match(view, time.end, min(end, time.end + 24)) is None


def _read(found: re.Match[str], view: str, start: int, end: int) -> Time | None:
    at, stop = found.span()
    minutes, primed, more_minutes, text, unit, milli = found.group("a", "pm", "m", "number", "unit", "ms")
    if text is not None:
        timed = unit is not None or milli is not None
        if not timed and stop < end and _NOT_SECONDS_AFTER.match(view, stop, end):
            return None
        before = view[max(start, at - 32) : at]
        if not timed and "count" in before and _COUNT_BEFORE.search(before):
            return None
        value = float(text.replace(",", ".")) / (1000.0 if milli else 1.0)
        return Time(at, stop, value, timed=timed, decimal="." in text or "," in text)
    if minutes is not None:
        b, c, f = found.group("b", "c", "f")
        value = 60 * float(minutes) + float(b)
        if c is not None:  # h:mm:ss; else minutes, seconds and a fraction after a colon: 00:07:500
            value = 60 * value + float(c) if len(c) == 2 and c < "60" else value + float("0." + c)
        if f is not None:
            value += float("0." + f)
        return Time(at, stop, value, clock=True, decimal=f is not None)
    whole, rest = (primed, found["ps"]) if primed is not None else (more_minutes, found["s"])
    return Time(at, stop, 60 * float(whole) + float(rest), clock=primed is not None, decimal="." in rest)


def _minute_first(view: str, start: int, end: int, found: list[Time]) -> list[Time]:
    """The times with those written "minute 0, second 6" in the place of their parts."""
    wholes = [
        Time(match.start(), match.end(), 60 * float(match["m"]) + float(match["s"]))
        for match in islice(_MINUTE_FIRST.finditer(view, start, end), MAX_NUMBERS)
    ]
    ends = [whole.end for whole in wholes]

    def is_part(time: Time) -> bool:
        k = bisect_right(ends, time.start)
        return k < len(wholes) and wholes[k].start < time.end

    return sorted([*(time for time in found if not is_part(time)), *wholes], key=lambda time: time.start)


def _worded(found: re.Match[str]) -> Time:
    value = float(numerals.number(found["n"]))
    if found["half"]:
        value += 0.5
    elif found["point"]:
        value += float("0." + "".join(str(numerals.number(w)) for w in found["point"].split(" ")))
    return Time(found.start(), found.end(), value, decimal=value % 1 != 0)
