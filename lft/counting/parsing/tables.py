"""Tables: Markdown, HTML, LaTeX, CSV, TSV, columns set with blanks. Either a header names a column of times, or
times stand across a row."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import islice, pairwise

from lft.counting.parsing import judging, numerals, times, words
from lft.counting.parsing.judging import Entry
from lft.counting.parsing.tokens import Time

_TIME = re.compile(
    r"^(?:event |video |approx(?:\.|imate)? |start |frame )?(?:time(?:stamp)?s?|ts?|seconds?|secs?|moment|"
    r"when|mm:ss|zeit\w*|tiempo|instante|temps|instant|horodatage|tempo|время|момент|시간|समय|الوقت|时间\w*|時間|"
    r"时刻|時刻|タイムスタンプ|timecode|time range|time interval|time window|interval|range)(?![a-z])"
)
_TIME_WORD = re.compile(
    r"t(?:im|em|iem)|sec|seg|sek|\b[ts]\b|moment|when|instan|zeit|врем|时|時|시간|समय|الوقت|mm:ss|range|interval"
)
_START = re.compile(r"\b(?:start|begin|onset|from)")
_END = re.compile(r"\b(?:end|stop|offset|finish|until)")
_NOT_TIME = re.compile(
    r"\b(?:since|gap|delta|duration|difference|elapsed|between|frame (?:no|number|index|#))|Δ"
)
_COUNT = re.compile(rf"(?:{words._COUNT_KEYS})")
_INDEX = re.compile(
    r"^(?:#|no\.?|index|idx|id|step|event ?(?:#|no\.?|number|id|index)|s\.?no\.?|entry|nr\.?|序号|番号|frame.*|n|"
    r"№|[a-z]{4,12} ?(?:#|no\.?|number))$"
)
_NO_INDEX = re.compile(r"-|start|end|initial|final|none|n/?a|before|after")
_IN_SECONDS = re.compile(r"\((?:in )?s(?:ec(?:onds?)?)?\)|\btimes?\b")
_UNIT = r"(?: ?\((?:in )?s(?:ec(?:onds?)?)?\))?"
_GOES_ON = re.compile(
    rf"(?:(?:lights?|lit|turns?|turned|goes|switche[sd]|becomes) )?(?:on|up|lit|bright|visible)(?: at)?{_UNIT}"
)
_GOES_OFF = re.compile(
    rf"(?:(?:turns?|turned|goes|switche[sd]|becomes) )?(?:off|dark|out|unlit|hidden)(?: at)?{_UNIT}"
)
_BETWEEN_TIMES = re.compile(r"[\s,;/&+]{1,5}(?:and\s)?")
_COVERS = re.compile(
    rf"(?:number of |no\.? of |# ?(?:of )?)?(?:\w{{1,12}} )?(?:{words.PLURALS})(?: here| in it)?"
)
_ASKED = re.compile(
    r"(?:wall |state )?(?:contact|touch|blink|flash|transition|change|event|hit|bounce|lit|on)s?"
    r"(?: (?:at|with|to|of|side|wall).*)?\??|(?:which )?(?:wall|side|surface)(?: touched| hit)?\??"
)
_BEFORE = re.compile(r"\b(?:before|prev\w*|old|from|vorher|antes|avant|prior)\b")
_AFTER = re.compile(r"\b(?:after|new|next|to|nachher|después|depois|après)\b")
_TOTAL = re.compile(r"(?:grand )?(?:total|sum|gesamt|summe|合计|总计)s?:?")
_DENIED = re.compile(r"(?:no|n|false|✗|✘|❌|nein|non|否)")
_HOLDS_TIME = re.compile(r"\d[:.]\d|\d ?s\b")
_SEPARATOR = re.compile(r"[\s|:+=-]{3,}")
BLANKS = "  "
_TWO_CELLS = re.compile(r"\s{0,60}\S{1,60}(?: \S{1,60}){0,9}(?:  |\t)\s{0,60}\S")
_BETWEEN_BLANKS = re.compile(r"[^\s|]+(?: [^\s|]+)*")
_QUOTED = re.compile(r"[ \t]*\"[^\"\n]*\"")
_TRIMMED = ' \t"'
_DIGITS = re.compile(r"\d")
_DECIMAL_COMMA = re.compile(r"\d{1,5},\d{1,3}")


@dataclass(slots=True)
class Header:
    """What the columns hold, by index; -1 if there is none.

    Attributes
    ----------
    delimiter : "|", a tab, ";", ",", `BLANKS` (two or more) or, of two columns, ":", "=" or "→".
    time, end, count : the columns of times, of the ends of intervals and of counts; `running` if the count is called
        that; `milliseconds` if the times are.
    skipped : columns that say nothing about the event.
    index : the column of numbers; a dash in it says that the row is no event.
    covers : the count says how many events an interval stands for.
    asked : columns that are named as an event is, so that an empty cell says that there is none.
    states : the columns of the state before and of that after.
    several : columns of times side by side, one for each wall.
    centres : where the columns stand in the line, for cells that are left empty between blanks.
    """

    delimiter: str
    width: int
    time: int
    end: int
    count: int
    running: bool
    skipped: frozenset[int]
    milliseconds: bool = False
    index: int = -1
    covers: bool = False
    asked: tuple[int, ...] = ()
    states: tuple[int, ...] = ()
    several: tuple[int, ...] = ()
    centres: tuple[float, ...] = ()


def is_separator(line: str) -> bool:
    """Whether a line is the rule below a Markdown header."""
    return "-" in line and _SEPARATOR.fullmatch(line) is not None


def cells(view: str, start: int, end: int, delimiter: str) -> list[tuple[int, int]]:
    """The (start, end) of each cell of one row, blanks and quotation marks trimmed; at most 64."""
    if delimiter == BLANKS:
        return [found.span() for found in islice(_BETWEEN_BLANKS.finditer(view, start, end), 64)]
    quoted = delimiter != "|" and '"' in view[start:end]
    spans: list[tuple[int, int]] = []
    at = start
    while len(spans) < 64:
        inside = _QUOTED.match(view, at, end) if quoted else None
        cut = view.find(delimiter, inside.end() if inside else at, end)
        a, b = at, end if cut < 0 else cut
        while a < b and view[a] in _TRIMMED:
            a += 1
        while b > a and view[b - 1] in _TRIMMED:
            b -= 1
        spans.append((a, b))
        if cut < 0:
            break
        at = cut + 1
    if delimiter == "|":
        if spans and spans[0][0] == spans[0][1]:
            spans = spans[1:]
        if spans and spans[-1][0] == spans[-1][1]:
            spans = spans[:-1]
    return spans


def header(view: str, start: int, end: int) -> Header | None:
    """The header that a line is, or None: cells of words, one of them a word for time."""
    line = view[start:end]
    ruled = next((mark for mark in "|\t;," if mark in line), None)
    if ruled:
        return _header(view, start, end, ruled)
    if len(line) > 160 or _DIGITS.search(line) or not _TIME_WORD.search(line):
        return None
    for delimiter in (BLANKS, *":=→"):
        found = _header(view, start, end, delimiter) if is_row(line, delimiter) else None
        below = _below(view, end) if found and (delimiter == BLANKS or found.width == 2) else None
        if not found or not below or not row(view, *below, found):
            continue
        spans = _in_columns(cells(view, *below, delimiter), below[0], found)
        if len(spans) != found.width:
            continue
        if delimiter == BLANKS or found.count >= 0 or not _DIGITS.search(view, *spans[1 - found.time]):
            return found
    return None


def _header(view: str, start: int, end: int, delimiter: str) -> Header | None:
    if end - start > 1000:
        return None
    spans = cells(view, start, end, delimiter)
    names = [view[a:b].strip(" _\"'").replace("_", " ") for a, b in spans]
    if len(names) < 2 or any(len(name) > 60 for name in names):
        return None
    if delimiter != "|" and any(len(name.split()) > 4 or re.search(r"\b\d", name) for name in names):
        return None
    if any(_HOLDS_TIME.search(name) for name in names):
        return None
    if any(name.isdigit() for name in names):
        return None
    time_columns, end_columns, several = _time_columns(names, ruled=delimiter in "|\t")
    if not time_columns:
        return None
    starts = [i for i in time_columns if i not in end_columns] or time_columns
    counts = [i for i, name in enumerate(names) if _COUNT.search(name) and i not in time_columns]
    running = [i for i in counts if words.RUNNING_KEY.search(names[i])]
    before = [i for i, name in enumerate(names) if _BEFORE.search(name) and i not in time_columns]
    after = [i for i, name in enumerate(names) if _AFTER.search(name) and i not in time_columns]
    covering = [] if counts else [i for i, name in enumerate(names) if _COVERS.fullmatch(name)]
    count = (running or counts or covering or [-1])[-1]
    skipped = {
        i
        for i, name in enumerate(names)
        if _INDEX.match(name) or _NOT_TIME.search(name) or i == count or i in counts
    }
    skipped |= set(time_columns)
    return Header(
        delimiter,
        len(names),
        starts[0],
        end_columns[0] if end_columns else -1,
        count,
        bool(running),
        frozenset(skipped),
        re.search(r"\bms\b|millisec", names[starts[0]]) is not None,
        next((i for i, name in enumerate(names) if _INDEX.match(name)), -1),
        bool(covering),
        tuple(i for i, name in enumerate(names) if i not in skipped and _ASKED.fullmatch(name)),
        (before[0], after[0]) if before and after else (),
        several,
        tuple((a + b) / 2 - start for a, b in spans),
    )


def _time_columns(names: list[str], *, ruled: bool) -> tuple[list[int], list[int], tuple[int, ...]]:
    """The columns of times, those of them that hold ends of intervals, and those that hold one event each."""
    found = [i for i, name in enumerate(names) if _is_time(name)]
    if found:
        return found, [i for i in found if _END.search(names[i]) and not _START.search(names[i])], ()
    on = [i for i, name in enumerate(names) if _GOES_ON.fullmatch(name)]
    off = [i for i, name in enumerate(names) if _GOES_OFF.fullmatch(name)]
    if len(on) == len(off) == 1:  # | Lights up (s) | Goes dark (s) |
        return on + off, off, ()
    found = [i for i, name in enumerate(names) if _IN_SECONDS.search(name)]
    if len(found) == 1 and ruled and not _NOT_TIME.search(names[found[0]]):
        return found, [], ()  # | Last frame dark | First frame lit | Blink time (s) |
    if len(found) < 2 or any(_NOT_TIME.search(name) for name in names):
        return [], [], ()
    return found, [], tuple(found)  # | Left wall (s) | Right wall (s) |


def is_row(line: str, delimiter: str) -> bool:
    """Whether a line has the delimiter of a table in it."""
    if delimiter == BLANKS:
        return _TWO_CELLS.match(line) is not None
    return delimiter in line


def _below(view: str, end: int) -> tuple[int, int] | None:
    """The line below, or the one below a rule."""
    for _ in range(2):
        start = end + 1
        if start >= len(view):
            return None
        end = view.find("\n", start, start + 1000)
        end = min(len(view), start + 1000) if end < 0 else end
        if not is_separator(view[start:end]):
            return start, end
    return None


def _is_time(name: str) -> bool:
    if _NOT_TIME.search(name):
        return False
    return (
        _TIME.match(name) is not None
        or re.fullmatch(r"(?:start|end|begin|onset|offset)(?: ?\(\w{1,10}\))?", name) is not None
    )


def row(view: str, start: int, end: int, columns: Header) -> list[Entry]:
    """The entry of a row, or one for each of several columns of times; none if no time cell holds a time."""
    spans = _in_columns(cells(view, start, end, columns.delimiter), start, columns)
    if columns.several:
        listed = [(spans[i], i) for i in columns.several if i < len(spans)]
        found_in = [(times_of, a, b) for (a, b), _ in listed if (times_of := _times(view, a, b))]
        return [Entry(found, a, b, "", True, True, False, marked=True, said=[]) for found, a, b in found_in]
    entry = _of_row(view, start, end, spans, columns) if len(spans) > columns.time else None
    return [entry] if entry else []


def _of_row(view: str, start: int, end: int, spans: list[tuple[int, int]], columns: Header) -> Entry | None:
    a, b = spans[columns.time]
    found = _times(view, a, b)
    if not found:
        return None
    if columns.end >= 0 and columns.end < len(spans):
        until = _times(view, *spans[columns.end])
        if until and until[0].at_s != found[0].at_s:
            found[0].time_s, found[0].end_s = sorted((found[0].time_s, until[0].at_s))
    if columns.milliseconds:
        for time in found:
            time.time_s /= 1000.0
    if any(_TOTAL.fullmatch(view, x, y) for x, y in spans):
        return None
    said = [(i, view[x:y]) for i, (x, y) in enumerate(spans) if i not in columns.skipped]
    if any(not _BETWEEN_TIMES.fullmatch(view, x.end, y.start) for x, y in pairwise(found)):
        found = found[:1]
    time_text = view[a : found[0].start] + " " + view[found[-1].end : b]
    shown = view[slice(*spans[columns.count])] if 0 <= columns.count < len(spans) else ""
    number = re.search(rf"(?<![\d.])({numerals.NUMBER})\W*$", shown)
    text = " ".join(cell for _, cell in said) + (
        "" if number else " " + shown
    )  # "end" in the place of a count
    entry = Entry(found, start, end, f"{text} {time_text}".strip(), True, False, False, marked=True)
    entry.said = [spans[i] for i, _ in said]
    if number and not number[1].startswith("-"):
        entry.count, entry.running = numerals.number(number[1]), columns.running
    elif inside := list(words.RUNNING.finditer(text)):
        judging.set_count(entry, inside)
    judging.judge(entry)
    if number and columns.covers and found[0].end_s is not None:
        entry.count, entry.stated = None, max(1, numerals.number(number[1]))
        entry.is_event = numerals.number(number[1]) > 0
    same = [view[slice(*spans[i])].strip(' "') for i in columns.states if i < len(spans)]
    if len(same) == 2 and same[0] == same[1] != "":
        entry.is_event = entry.affirmed = False  # the state before is the state after
    if any(view[slice(*spans[i])].strip("- .0") == "" for i in columns.asked if i < len(spans)) or (
        0 <= columns.index < len(spans) and _NO_INDEX.fullmatch(view, *spans[columns.index])
    ):
        entry.is_event = entry.affirmed = False
    if said and (
        any(_DENIED.fullmatch(cell) for _, cell in said) or not any(cell.strip("- ") for _, cell in said)
    ):
        entry.is_event = entry.affirmed = False
    return entry


def _in_columns(spans: list[tuple[int, int]], start: int, columns: Header) -> list[tuple[int, int]]:
    """The cells of one row, one for each column: between blanks an empty one leaves no trace but its place."""
    if columns.delimiter == BLANKS and 1 < len(spans) < columns.width:
        placed = [(start, start)] * columns.width
        for a, b in spans:
            centre = (a + b) / 2 - start
            placed[min(range(columns.width), key=lambda i: abs(columns.centres[i] - centre))] = a, b
        return placed
    if columns.delimiter in ":=→" and len(spans) > 2:  # "0:05: 1"; the times have colons of their own
        i = 1 if columns.time else len(spans) - 1
        return [(spans[0][0], spans[i - 1][1]), (spans[i][0], spans[-1][1])]
    return spans


def _times(view: str, start: int, end: int) -> list[Time]:
    """The times of a cell, of which every bare number and decimal comma is one."""
    cell = view[start:end]
    if _DECIMAL_COMMA.fullmatch(cell):
        return [Time(start, end, float(cell.replace(",", ".")), decimal=True)]
    found = times.find(cell, 0, len(cell), all_bare=True)  # what stands before the cell is no part of it
    for time in found:
        time.start, time.end = time.start + start, time.end + start
    return found


MAX_ROWS_BESIDE = 8  # of a table whose times stand across a row
_TIME_CELL = re.compile(
    r"[~\s]{0,2}\d[\d:.,'\"]{0,11}\s?"
    r"(?:(?:-|to)\s?\d[\d:.,]{0,11}\s?)?(?:s|secs?|seconds?)?\W{0,3}"
)


def across(view: str, start: int, end: int) -> list[Entry]:
    """The entries of a row of times, "| Time | 0:02 | 0:04 |", one for each cell; none if it is no such row."""
    delimiter = "|" if view.find("|", start, end) >= 0 else "\t"
    spans = cells(view, start, end, delimiter)
    name = view[slice(*spans[0])].strip(" _\"'")
    if len(spans) < 3 or _DIGITS.search(name) or not _is_time(name):
        return []
    if not all(_TIME_CELL.fullmatch(view, a, b) for a, b in spans[1:] if a < b):
        return []
    listed: list[Entry] = []
    for a, b in spans[1:]:
        found = times.find(view, a, b, all_bare=True)
        if len(found) != 1:
            return []
        listed.append(Entry(found, a, b, "", True, True, False, marked=True, said=[]))
    return listed


def beside(view: str, start: int, end: int, listed: list[Entry]) -> bool:
    """Adds to the entries of a row of times what another row of the same table says; whether it is such a row."""
    spans = cells(view, start, end, "|" if view.find("|", start, end) >= 0 else "\t")
    if len(spans) != len(listed) + 1:
        return False
    name = view[slice(*spans[0])]
    counting = _COUNT.search(name) is not None
    for entry, (a, b) in zip(listed, spans[1:], strict=True):
        cell = view[a:b]
        if counting:
            number = re.fullmatch(numerals.NUMBER, cell)
            entry.count = numerals.number(cell) if number else entry.count
            entry.running = words.RUNNING_KEY.search(name) is not None
        elif not cell.isdigit() and entry.said is not None and len(entry.said) < MAX_ROWS_BESIDE:
            entry.said.append((a, b))
            entry.text = f"{entry.text} {cell}".strip()
            judging.judge(entry)
            if _ASKED.fullmatch(name) and not cell.strip("- .0"):
                entry.is_event = False
    return True
