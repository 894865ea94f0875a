"""Tables: Markdown, HTML and LaTeX rows, CSV, tabs, columns set with blanks. One row is one event.

The head of a column says what it holds. Without a head, the column whose cells are all written as times holds them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import islice

from lft.counting.parsing import lexicon
from lft.counting.parsing.document import MAX_FUTILE_ROWS, TIMES_COLON, Reader, Span, Table, Unit
from lft.counting.parsing.tokens import Time

BLANKS = "  "  # the delimiter of columns set with blanks, two or more
MAX_CELLS = 64
MAX_ROWS = 20_000
_SEPARATOR = re.compile(r"[\s|:+=-]{3,}")
_BETWEEN_BLANKS = re.compile(r"[^\s|]+(?: [^\s|]+)*")
_TWO_CELLS = re.compile(r"\s{0,60}\S{1,60}(?: \S{1,60}){0,9}(?:  |\t)\s{0,60}\S")
_QUOTED = re.compile(r"[ \t]*\"[^\"\n]*\"")
_TRIMMED = ' \t"'
_ITEM = re.compile(r"\s*(?:[-*+]\s|\d+[.)]\s)")
_TIME_HEAD = re.compile(
    r"\b(?:time\w*|t|sec\w*|timestamps?|when|moment|seconds|zeit\w*|tiempo\w*|temps|tempo|instan\w*|interval|"
    r"range|mm:ss|seg\w*|hora|onset|"
    r"timecode)\b|\(s\)|时|時|秒|시간|समय|الوقت|врем|секунд"
)
_START_HEAD = re.compile(r"\b(?:start\w*|begin\w*|on|onset|from|lights? up|lit|in|von|debut|début|inicio)\b")
_HEAD = re.compile(f"{_TIME_HEAD.pattern}|{_START_HEAD.pattern}")
_END_HEAD = re.compile(r"\b(?:end\w*|stop\w*|off|offset|to|until|goes dark|dark|out|bis|fin|finish\w*)\b")
_NOT_TIME_HEAD = re.compile(
    r"\b(?:duration|gap|interval since|elapsed|spacing|since|length|evidence|note\w*|remark\w*|comment\w*|delta|"
    r"frames?|confiden\w*|certain\w*|score|prob\w*|fps)\b|[Δδ]"
)
_COUNT_HEAD = re.compile(rf"(?:{lexicon.COUNT_KEYS}|{lexicon.RUNNING_KEYS})")
_FRAME_HEAD = re.compile(r"\b(?:frames?|images?)\b")
_TIME_CELL = re.compile(
    r"[~\s(\[]{0,3}(?:t\s?=\s?)?\d[\d:.,'\"]{0,11}\s?(?:s|secs?|seconds?)?\s?(?:(?:-|to|→|until|[,/&;]|"
    r"and)\s?\d[\d:.,]{0,11}\s?(?:s|secs?|seconds?)?){0,12}\W{0,3}"
)
_DECIMAL_COMMA = re.compile(r"(\d{1,5}),(\d{1,3})(?:\s?s)?")
_SURE_TIME = re.compile(r"\d:\d|\d ?s\b|\d\.\d|\d ?sec")
_UNIT_CELL = re.compile(r"\d ?s(?:ec\w*)?\b")
_INTEGER = re.compile(r"\W{0,4}(\d{1,5})\W{0,4}")
_NO_CELL = re.compile(
    r"[\s_.,;:?*–—-]*|n(?:o|/?a|one|ein|on|il)?|false|no \w+|✗|✘|❌|否|start|end|initial|before|after"
)
_EMPTY_CELL = re.compile(r"[\s_–—-]*|n/?a|none")
_BEFORE_HEAD = re.compile(r"\b(?:before|from|old|previous|prior|last)\b")
_AFTER_HEAD = re.compile(r"\b(?:after|to|new|next|first)\b")


def cells(view: str, start: int, end: int, delimiter: str) -> list[Span]:
    """The (start, end) of each cell of one row, blanks and quotation marks trimmed; at most 64."""
    if delimiter == BLANKS:
        return [found.span() for found in islice(_BETWEEN_BLANKS.finditer(view, start, end), MAX_CELLS)]
    quoted = delimiter != "|" and '"' in view[start:end]
    spans: list[Span] = []
    at = start
    while len(spans) < MAX_CELLS:
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


def read(reader: Reader, start: int, end: int) -> Table | None:
    """The table that begins with the line at (start, end), or None."""
    if "table row" in reader.off or end - start > 100_000 or reader.futile_rows > MAX_FUTILE_ROWS:
        return None
    view = reader.view
    line = view[start:end]
    if "|" in line:
        delimiters: tuple[str, ...] = ("|",) if not _ITEM.match(line) else ()
    else:
        if end - start > 400 or end >= len(view) or _SURE_TIME.search(line):
            return None
        delimiters = tuple(mark for mark in "\t;," if mark in line)
        if not delimiters and not _ITEM.match(line) and _TWO_CELLS.match(line):
            delimiters = (BLANKS,)
        if not delimiters and ":" in line and len(line) < 60:
            delimiters = (":",)
        if delimiters and not _HEAD.search(line.replace("_", " ")):
            return None
    if not delimiters or TIMES_COLON.match(line):
        return None
    for delimiter in delimiters:
        futile = reader.futile_rows
        table = _table(reader, start, end, delimiter)
        if table is not None:
            reader.futile_rows = futile
            return table
    return None


def _table(reader: Reader, start: int, end: int, delimiter: str) -> Table | None:
    view = reader.view
    head = cells(view, start, end, delimiter)
    if len(head) < 2:
        return None
    names = [view[a:b].strip(" _\"'*").replace("_", " ") for a, b in head]
    headed = _is_head(names, delimiter)
    if not headed and delimiter != "|":
        return None
    lines = [(start, end)]
    at = end + 1
    ruled = False
    while at < len(view) and len(lines) < MAX_ROWS:
        stop = view.find("\n", at)
        stop = len(view) if stop < 0 else stop
        line = view[at:stop]
        if not line.strip() or (
            not (_TWO_CELLS.match(line) if delimiter == BLANKS else delimiter in line)
            and not _SEPARATOR.fullmatch(line)
        ):
            break
        if _SEPARATOR.fullmatch(line) and "-" in line:
            ruled = ruled or len(lines) == 1  # a line of dashes below the last row rules no head off
        else:
            lines.append((at, stop))
        at = stop + 1
    reader.futile_rows += len(lines)
    rows = [cells(view, a, b, delimiter) for a, b in lines]
    last = lines[-1][1] if not ruled else max(lines[-1][1], at - 1)
    across = _across(reader, names, rows)
    if across is not None:
        return Table(across, last)
    if not headed and not ruled:
        body = rows
        names = [""] * len(head)
    else:
        body = rows[1:]
        lines = lines[1:]
    if not body:
        return Table([], last) if ruled else None
    if delimiter == BLANKS:
        body = [_aligned(head, row, view, start, a) for row, (a, _) in zip(body, lines, strict=True)]
    elif delimiter != "|" and (not body or any(len(row) != len(head) for row in body[:1])):
        return None
    columns = _columns(view, names, body, headed)
    if columns is None:
        return None
    units = [unit for row, span in zip(body, lines, strict=True) for unit in _row(reader, columns, row, span)]
    if not units and delimiter != "|":
        return None
    return Table(units, last)


def _is_head(names: list[str], delimiter: str) -> bool:
    if any(_SURE_TIME.search(name) or len(name) > 60 for name in names):
        return False
    if delimiter != "|" and any(len(name.split()) > 4 or _INTEGER.fullmatch(name) for name in names):
        return False
    if delimiter == ":":
        return len(names) == 2 and all(names) and any(_TIME_HEAD.search(name) for name in names)
    return any(_TIME_HEAD.search(name) or _START_HEAD.search(name) for name in names)


def _aligned(head: list[Span], row: list[Span], view: str, head_at: int, row_at: int) -> list[Span]:
    """Cells of a row set with blanks, each under the head that it stands below; empty ones as empty spans."""
    if len(row) == len(head):
        return row
    placed = [(row_at, row_at)] * len(head)
    centres = [(a + b) / 2 - head_at for a, b in head]
    for a, b in row:
        middle = (a + b) / 2 - row_at
        nearest = min(range(len(head)), key=lambda k: abs(centres[k] - middle))
        placed[nearest] = (a, b)
    return placed


def _across(reader: Reader, names: list[str], rows: list[list[Span]]) -> list[Unit] | None:
    """Units of a table whose times stand across one row: "| Time | 0:05 | 0:06 |"."""
    view = reader.view
    if "row of times" in reader.off or len(rows) > 8 or len(names) < 3:
        return None
    for k, row in enumerate(rows):
        if (
            len(row) < 3
            or not _TIME_HEAD.search(view[slice(*row[0])])
            or _SURE_TIME.search(view[slice(*row[0])])
        ):
            continue
        if not all(_TIME_CELL.fullmatch(view[a:b]) or _EMPTY_CELL.fullmatch(view[a:b]) for a, b in row[1:]):
            continue
        units = []
        others = [other for j, other in enumerate(rows) if j != k]
        for column in range(1, len(row)):
            a, b = row[column]
            found = reader.times(a, b, all_bare=True)
            if not found:
                continue
            below = [other[column] for other in others if column < len(other)]
            unit = Unit(
                "row of times",
                a,
                b,
                a,
                found,
                said=[span for span in below if not _INTEGER.fullmatch(view[slice(*span)])],
            )
            unit.denied = bool(below) and all(_NO_CELL.fullmatch(view[slice(*span)]) for span in below)
            for other, span in zip(others, below, strict=False):
                if _COUNT_HEAD.search(view[slice(*other[0])]) and (
                    number := _INTEGER.fullmatch(view[slice(*span)])
                ):
                    unit.count = int(number[1])
            units.append(unit)
        return units or None
    return None


@dataclass(slots=True)
class Columns:
    """Numbers of the columns of each kind; `spans` if times are a beginning and an end, `unknown` if what is written as
    times is headed as something else (a gap, a confidence), `bare` if a number without a unit is a time."""

    times: list[int]
    spans: bool
    count: int | None
    ordinal: int | None
    frame: int | None
    flags: list[int]
    before_after: tuple[int, int] | None
    words: list[int]
    aside: list[int]
    milli: bool = False
    unknown: bool = False
    bare: bool = True


def _columns(view: str, names: list[str], body: list[list[Span]], headed: bool) -> Columns | None:
    width = len(names)

    def column(k: int) -> list[str]:
        return [view[row[k][0] : row[k][1]].strip(" *_") for row in body if k < len(row)]

    texts = [column(k) for k in range(width)]
    time_like = [k for k in range(width) if any(_TIME_CELL.fullmatch(cell) for cell in texts[k])]
    heads = [
        k
        for k in time_like
        if _TIME_HEAD.search(names[k]) and not _NOT_TIME_HEAD.search(names[k]) and not _is_count(names[k])
    ]
    starts = [k for k in time_like if _START_HEAD.search(names[k]) and not _NOT_TIME_HEAD.search(names[k])]
    ends = [
        k
        for k in time_like
        if _END_HEAD.search(names[k]) and k not in starts and not _NOT_TIME_HEAD.search(names[k])
    ]
    spans = False
    own = [k for k in heads if k not in starts and k not in ends]
    if own and names[own[0]] and not (starts and ends and len(own) == len(heads) == 0):
        chosen = own
    elif starts and ends:
        chosen, spans = [starts[0], ends[0]], True
    else:
        chosen = heads or starts
    written = not chosen
    if written:  # by what is written
        sure = [
            k
            for k in range(width)
            if texts[k]
            and sum(bool(_SURE_TIME.search(c)) and bool(_TIME_CELL.fullmatch(c)) for c in texts[k]) * 2
            > len(texts[k])
        ]
        chosen = [k for k in sure if not _NOT_TIME_HEAD.search(names[k])][:1]
        if sure and not chosen:
            return Columns(sure[:1], False, None, None, None, [], None, [], [], unknown=True)
    if not chosen:
        return None
    others = [k for k in range(width) if k not in chosen]
    integers = {k: [int(m[1]) for c in texts[k] if (m := _INTEGER.fullmatch(c))] for k in others}
    count = next((k for k in others if _is_count(names[k]) and integers[k]), None)
    frame = next((k for k in others if _FRAME_HEAD.search(names[k])), None)
    ordinal = next(
        (
            k
            for k in others
            if k not in (count, frame)
            and integers[k]
            and integers[k] == list(range(integers[k][0], integers[k][0] + len(integers[k])))
            and integers[k][0] <= 1
        ),
        None,
    )
    if count is None and not headed:
        count = next((k for k in others if k not in (ordinal, frame) and len(integers[k]) == len(body)), None)
    rest = [k for k in others if k not in (count, frame, ordinal) and not _NOT_TIME_HEAD.search(names[k])]
    before = next((k for k in rest if _BEFORE_HEAD.search(names[k])), None)
    after = next((k for k in rest if _AFTER_HEAD.search(names[k]) and k != before), None)
    flags = [k for k in rest if texts[k] and any(_NO_CELL.fullmatch(c) for c in texts[k])]
    pair = (before, after) if before is not None and after is not None else None
    milli = re.search(r"\bms\b|milli", names[chosen[0]]) is not None
    evidence = (_NOT_TIME_HEAD, _FRAME_HEAD, _BEFORE_HEAD, _AFTER_HEAD)
    aside = [k for k in others if any(head.search(names[k]) for head in evidence)]
    return Columns(
        chosen,
        spans,
        count,
        ordinal,
        frame,
        flags,
        pair,
        rest,
        aside,
        milli,
        bare=not (written and any(_UNIT_CELL.search(cell) for cell in texts[chosen[0]])),
    )


def _is_count(name: str) -> bool:
    return _COUNT_HEAD.search(name) is not None


def _cell_times(reader: Reader, a: int, b: int, milli: bool) -> list[Time]:
    """The times of a cell of times; a comma may be a decimal one."""
    cell = reader.view[a:b]
    if decimal := _DECIMAL_COMMA.fullmatch(cell):
        return [Time(a, b, float(f"{decimal[1]}.{decimal[2]}"), decimal=True)]
    found = reader.times(a, b, all_bare=True)
    for time in found if milli else ():
        time.time_s /= 1000
        time.end_s = None if time.end_s is None else time.end_s / 1000
    return found


def _row(reader: Reader, columns: Columns, row: list[Span], line: Span) -> list[Unit]:
    view = reader.view
    holders = [row[k] for k in columns.times if k < len(row)]
    found = [
        _cell_times(reader, a, b, columns.milli) if columns.bare or _SURE_TIME.search(view[a:b]) else []
        for a, b in holders
    ]
    if not any(found):
        return []
    start, end = row[0][0], line[1]
    words = [row[k] for k in columns.words if k < len(row) and k not in columns.times]
    denied = "columns" not in reader.off and any(
        k < len(row) and _NO_CELL.fullmatch(view[slice(*row[k])]) for k in columns.flags
    )
    if columns.before_after and max(columns.before_after) < len(row) and "columns" not in reader.off:
        before, after = (view[slice(*row[k])] for k in columns.before_after)
        denied = denied or before == after or bool(_EMPTY_CELL.fullmatch(after))
    said = [span for span in words if not _TIME_CELL.fullmatch(view[slice(*span)])]
    unit = Unit(
        "table row", start, end, start, [time for times in found for time in times], said=said, denied=denied
    )
    unit.denied = denied = denied or columns.unknown
    unit.aside = [row[k] for k in columns.aside if k < len(row)]
    if (
        columns.count is not None
        and columns.count < len(row)
        and (number := _INTEGER.fullmatch(view[slice(*row[columns.count])]))
    ):
        unit.count = int(number[1])
    if columns.ordinal is not None and columns.ordinal < len(row):
        cell = view[slice(*row[columns.ordinal])]
        number = _INTEGER.fullmatch(cell)
        unit.ordinal = int(number[1]) if number else None
        unit.denied = denied or (number is None and "columns" not in reader.off)
    if columns.spans and len(unit.times) == 2 and all(len(times) == 1 for times in found):
        unit.spanning = True
    elif len(holders) > 1 and sum(bool(times) for times in found) >= 1:
        units: list[Unit] = []
        for (a, b), times in zip(holders, found, strict=True):
            if times and not (units and _same(units[0].times, times)):
                units.append(Unit("table row", a, b, a, times, said=said, denied=denied, count=unit.count))
        if len(units) == 1:
            units[0].start, units[0].end, units[0].ordinal = start, end, unit.ordinal
            units[0].denied = unit.denied
        return units
    return [unit]


def _same(a: list[Time], b: list[Time]) -> bool:
    return len(a) == len(b) == 1 and abs(a[0].at_s - b[0].at_s) < 1.0
