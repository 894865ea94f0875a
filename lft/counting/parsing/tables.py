"""Tables: Markdown, HTML, LaTeX, CSV, TSV, columns set with blanks. Either a header names a column of times, or
times stand across a row."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import islice, pairwise

from lft.counting.parsing import columns, judging, numerals, times, words
from lft.counting.parsing.columns import Columns
from lft.counting.parsing.judging import Entry
from lft.counting.parsing.tokens import Time

BLANKS = "  "  # the delimiter of columns set with blanks, two or more
MAX_ROWS_BESIDE = 8  # of a table whose times stand across a row
_LONGEST_HEADER = 1000
_Span = tuple[int, int]
_TIME_WORD = re.compile(
    r"t(?:im|em|iem)|sec|seg|sek|\b[ts]\b|moment|when|instan|zeit|врем|时|時|시간|समय|الوقت|mm:ss|range|interval"
)
_HOLDS_TIME = re.compile(r"\d[:.]\d|\d ?s\b|^\d+$")
_NUMBER_FIRST = re.compile(r"\b\d")
_SEPARATOR = re.compile(r"[\s|:+=-]{3,}")
_TWO_CELLS = re.compile(r"\s{0,60}\S{1,60}(?: \S{1,60}){0,9}(?:  |\t)\s{0,60}\S")
_BETWEEN_BLANKS = re.compile(r"[^\s|]+(?: [^\s|]+)*")
_QUOTED = re.compile(r"[ \t]*\"[^\"\n]*\"")
_TRIMMED = ' \t"'
_DIGIT = re.compile(r"\d")
_DECIMAL_COMMA = re.compile(r"\d{1,5},\d{1,3}")
_BETWEEN_TIMES = re.compile(r"[\s,;/&+]{1,5}(?:and\s)?")
_LAST_NUMBER = re.compile(rf"(?<![\d.])({numerals.NUMBER})\W*$")
_TOTAL = re.compile(r"(?:grand )?(?:total|sum|gesamt|summe|合计|总计)s?:?")
_DENIED = re.compile(r"(?:no|n|false|✗|✘|❌|nein|non|否)")
_NO_NUMBER = re.compile(r"-|start|end|initial|final|none|n/?a|before|after")
_TIME_CELL = re.compile(
    r"[~\s]{0,2}\d[\d:.,'\"]{0,11}\s?"
    r"(?:(?:-|to)\s?\d[\d:.,]{0,11}\s?)?(?:s|secs?|seconds?)?\W{0,3}"
)


@dataclass(slots=True)
class Header:
    """The delimiter of a table ("|", a tab, ";", ",", `BLANKS` or, of two columns, ":", "=" or "→"), what its columns
    hold, and where they stand in the line, for cells that are left empty between blanks."""

    delimiter: str
    columns: Columns
    centres: list[float]


def is_separator(line: str) -> bool:
    """Whether a line is the rule below a Markdown header."""
    return "-" in line and _SEPARATOR.fullmatch(line) is not None


def is_row(line: str, delimiter: str) -> bool:
    """Whether a line has the delimiter of a table in it."""
    return _TWO_CELLS.match(line) is not None if delimiter == BLANKS else delimiter in line


def cells(view: str, start: int, end: int, delimiter: str) -> list[_Span]:
    """The (start, end) of each cell of one row, blanks and quotation marks trimmed; at most 64."""
    if delimiter == BLANKS:
        return [found.span() for found in islice(_BETWEEN_BLANKS.finditer(view, start, end), 64)]
    quoted = delimiter != "|" and '"' in view[start:end]
    spans: list[_Span] = []
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
    if len(line) > 160 or _DIGIT.search(line) or not _TIME_WORD.search(line):
        return None
    for delimiter in (BLANKS, *":=→"):  # which other text has as well: the line below must be a row
        found = _header(view, start, end, delimiter) if is_row(line, delimiter) else None
        below = _below(view, end) if found and (delimiter == BLANKS or found.columns.width == 2) else None
        if not found or not below or not row(view, *below, found):
            continue
        spans = _in_columns(cells(view, *below, delimiter), below[0], found)
        if len(spans) != found.columns.width:
            continue
        if delimiter == BLANKS or found.columns.counts:
            return found
        if not _DIGIT.search(view, *spans[1 - found.columns.times[0]]):
            return found
    return None


def _header(view: str, start: int, end: int, delimiter: str) -> Header | None:
    if end - start > _LONGEST_HEADER:
        return None
    spans = cells(view, start, end, delimiter)
    names = [view[a:b].strip(" _\"'").replace("_", " ") for a, b in spans]
    if len(names) < 2 or any(len(name) > 60 or _HOLDS_TIME.search(name) for name in names):
        return None
    if delimiter != "|" and any(len(name.split()) > 4 or _NUMBER_FIRST.search(name) for name in names):
        return None
    found = columns.named(names, ruled=delimiter in "|\t")
    return Header(delimiter, found, [(a + b) / 2 - start for a, b in spans]) if found else None


def _below(view: str, end: int) -> _Span | None:
    """The line below, or the one below a rule."""
    for _ in range(2):
        start = end + 1
        if start >= len(view):
            return None
        end = view.find("\n", start, start + _LONGEST_HEADER)
        end = min(len(view), start + _LONGEST_HEADER) if end < 0 else end
        if not is_separator(view[start:end]):
            return start, end
    return None


def row(view: str, start: int, end: int, head: Header) -> list[Entry]:
    """The entry of a row, or one for each of several columns of times; none if no time cell holds a time."""
    spans = _in_columns(cells(view, start, end, head.delimiter), start, head)
    if any(_TOTAL.fullmatch(view, a, b) for a, b in spans):
        return []
    if len(head.columns.times) > 1:
        return [
            _bare(found, a, b) for a, b in _of(spans, head.columns.times) if (found := _times(view, a, b))
        ]
    found = _times_of_row(view, spans, head.columns)
    return [_of_row(view, start, end, spans, head.columns, found)] if found else []


def _of(spans: list[_Span], at: list[int]) -> list[_Span]:
    return [spans[i] for i in at if i < len(spans)]


def _bare(found: list[Time], start: int, end: int) -> Entry:
    return Entry(found, start, end, "", True, True, False, marked=True, said=[])


def _times_of_row(view: str, spans: list[_Span], of: Columns) -> list[Time]:
    """The times of a row, several if nothing but them stands in the cell; an interval if there is a column of ends."""
    found = [time for a, b in _of(spans, of.times) for time in _times(view, a, b)]
    if not found:
        return []
    until = [time for a, b in _of(spans, of.ends) for time in _times(view, a, b)]
    if until and until[0].at_s != found[0].at_s:
        found[0].time_s, found[0].end_s = sorted((found[0].time_s, until[0].at_s))
    for time in found if of.milliseconds else ():
        time.time_s /= 1000.0
    if any(not _BETWEEN_TIMES.fullmatch(view, a.end, b.start) for a, b in pairwise(found)):
        return found[:1]
    return found


def _of_row(view: str, start: int, end: int, spans: list[_Span], of: Columns, found: list[Time]) -> Entry:
    said = _of(spans, of.said)
    text = " ".join(view[a:b] for a, b in said)
    (a, b) = spans[of.times[0]]
    shown = " ".join(view[x:y] for x, y in _of(spans, of.counts))
    number = _LAST_NUMBER.search(shown)
    beside = f"{view[a : found[0].start]} {view[found[-1].end : b]}"
    whole = f"{text} {'' if number else shown} {beside}".strip()  # "end" may stand in the place of a count
    entry = Entry(found, start, end, whole, True, False, False, marked=True, said=said)
    if number and not number[1].startswith("-"):
        entry.count, entry.running = numerals.number(number[1]), of.running
    elif inside := list(words.RUNNING.finditer(text)):
        judging.set_count(entry, inside)
    judging.judge(entry)
    if entry.count is not None and of.covers and found[0].end_s is not None:
        entry.is_event, entry.stated = entry.count > 0, max(1, entry.count)
        entry.count = None
    if _denied(view, spans, of):
        entry.is_event = entry.affirmed = False
    return entry


def _denied(view: str, spans: list[_Span], of: Columns) -> bool:
    """Whether a cell says that the row is no event: an empty one, "no", a dash for a number, the state as before."""
    said = [view[a:b] for a, b in _of(spans, of.said)]
    if said and (any(map(_DENIED.fullmatch, said)) or not any(cell.strip("- ") for cell in said)):
        return True
    if any(not view[a:b].strip("- .0") for a, b in _of(spans, of.asked)):
        return True
    if any(_NO_NUMBER.fullmatch(view, a, b) for a, b in _of(spans, of.numbers)):
        return True
    states = [view[a:b].strip(' "') for a, b in _of(spans, of.before + of.after)]
    return len(states) == 2 and states[0] == states[1] != ""


def _in_columns(spans: list[_Span], start: int, head: Header) -> list[_Span]:
    """The cells of one row, one for each column: between blanks an empty one leaves no trace but its place."""
    if head.delimiter == BLANKS and 1 < len(spans) < head.columns.width:
        placed = [(start, start)] * head.columns.width
        for a, b in spans:
            centre = (a + b) / 2 - start
            placed[min(range(len(placed)), key=lambda i: abs(head.centres[i] - centre))] = a, b
        return placed
    if head.delimiter in ":=→" and len(spans) > 2:  # "0:05: 1"; the times have colons of their own
        i = 1 if head.columns.times[0] else len(spans) - 1
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


def across(view: str, start: int, end: int) -> list[Entry]:
    """The entries of a row of times, "| Time | 0:02 | 0:04 |", one for each cell; none if it is no such row."""
    (a, b), *others = cells(view, start, end, "|" if "|" in view[start:end] else "\t") or [(start, start)]
    name = view[a:b].strip(" _\"'")
    if len(others) < 2 or _DIGIT.search(name) or not columns.is_time(name):
        return []
    if not all(_TIME_CELL.fullmatch(view, a, b) for a, b in others if a < b):
        return []
    listed = [_bare(times.find(view, a, b, all_bare=True), a, b) for a, b in others]
    return listed if all(len(entry.times) == 1 for entry in listed) else []


def beside(view: str, start: int, end: int, listed: list[Entry]) -> bool:
    """Adds to the entries of a row of times what another row of the same table says; whether it is such a row."""
    spans = cells(view, start, end, "|" if "|" in view[start:end] else "\t")
    if len(spans) != len(listed) + 1:
        return False
    name = view[slice(*spans[0])]
    for entry, (a, b) in zip(listed, spans[1:], strict=True):
        cell = view[a:b]
        if columns.is_count(name):
            number = re.fullmatch(numerals.NUMBER, cell)
            entry.count = numerals.number(cell) if number else entry.count
            entry.running = words.RUNNING_KEY.search(name) is not None
        elif not cell.isdigit() and entry.said is not None and len(entry.said) < MAX_ROWS_BESIDE:
            entry.said.append((a, b))
            entry.text = f"{entry.text} {cell}".strip()
            judging.judge(entry)
            if columns.is_asked(name) and not cell.strip("- .0"):
                entry.is_event = False
    return True
