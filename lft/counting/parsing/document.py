"""The tree of a response: its sections, and in them items of lists, rows, objects and sentences, each with its times.

A *unit* is the smallest part that may assert an event: an item with the lines below it, a row of a table, an object,
or a sentence. Units do not overlap and stand in order of the text. Where a list may be cut in two ways (items with
items below them), the finer cut is kept as `parts` of the coarser.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import islice

from lft.counting.parsing import judging, lexicon, numerals, times, tokens
from lft.counting.parsing.lexicon import Off
from lft.counting.parsing.tokens import MAX_NUMBERS, Time

Span = tuple[int, int]
MAX_FUTILE_ROWS = (
    20_000  # rows looked through in vain: each line of such a block is tried as a head of a table
)
MAX_LINES = 20_000
MAX_LINE = 50_000  # characters of a line that items are looked for in


@dataclass(slots=True, eq=False)
class Unit:
    """One part of the response that may assert an event.

    Attributes
    ----------
    rule : the rule that found it; `structured` unless it is a sentence.
    start, end, body : its place, and where its words begin behind its mark and number.
    times : its times, intervals joined.
    ordinal : its number, if it has one; `labelled` if the number stands behind a word for the event ("Blink 1").
    section, lead : number of its section, and the words above its list.
    count, covers : running count and number of events, of columns and keys; else read from its words.
    denied : its column, key or list says that it is none.
    said : places of the words that say what happened, of rows and objects; None if it is all of it.
    parts : units in it that may be events of their own.
    spanning : its times are the beginning and end of one event.
    guessed : the word before its number is known from this response only.
    aside : places of numbers that are evidence or measures, by the head of their column.
    """

    rule: str
    start: int
    end: int
    body: int
    times: list[Time]
    ordinal: int | None = None
    labelled: bool = False
    section: int = 0
    lead: str = ""
    count: int | None = None
    covers: int | None = None
    denied: bool = False
    said: list[Span] | None = None
    parts: list[Unit] = field(default_factory=list)
    spanning: bool = False
    key: str = ""
    guessed: bool = False
    aside: list[Span] = field(default_factory=list)

    @property
    def structured(self) -> bool:
        """Whether it is an entry of a list rather than a sentence."""
        return self.rule != "sentence"


_MARK = re.compile(
    r"[ \t>]{0,40}(?P<bullet>[-+*][ \t]+)?(?:\[[x ]\][ \t]+)?"
    r"(?:(?:(?P<n>\d{1,3})(?:\)|\.(?![\d.]))|\((?P<p>\d{1,3})\)|\[(?P<b>\d{1,3})\]|\#(?P<h>\d{1,3})\b[.:)]?|"
    r"(?P<c>\d{1,3})[ \t]{0,4}[:-](?=\s)(?!\s{1,4}\d[\d.:]{0,6}\s?s(?:ec\w*)?\b)"
    r"|(?P<d>\d{1,3})[ \t]{0,4}(?:[,|;]|[ \t][ \t])(?=[ \t]{0,12}\d{1,5}\.\d)"
    r"|(?P<roman>x{0,2}(?:ix|iv|v?i{1,3}|v|x))[.)])(?:(?<=[,|;])|[ \t]+|$))?"
)
_FILLED = re.compile(r"[^\s]")
_QUICK_MARK = re.compile(r"[ \t]{0,40}(?:[-+*#(\[>]|\d|[ivx]{1,5}[.)])")
_HEADING = re.compile(r"\s{0,4}(?:#{1,6}\s|={3,}|-{3,}\s*$)")
_DIGIT = re.compile(r"\d")
_SENTENCE_END = re.compile(r"(?<=[.!?])[\"')*_]{0,3}\s+|[。！？!?]\s*|(?<=[;])\s+(?=at\b)")
_NEW_SENTENCE = re.compile(r"[a-z]{2}[.!]\s{1,3}(?:at|around|then|and|by|it)\b")
_HEAD_TIME = re.compile(r"[\s\W]{0,8}(?:(?:t|time|timestamp|ts)\b[\s\W]{0,4})?")
_NUMERALS = {
    name: k for k, name in enumerate(["i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x"], 1)
}
TIMES_COLON = re.compile(
    r"[\s\W]{0,8}(?:[\w-]{1,16} ){0,8}?(?:times|timestamps|moments|seconds|timecodes)\b[^:\d\n]{0,60}(?:\(s\)|"
    r"\([a-z ]{1,20}\))?[^:\d\n]{0,20}:[\s*_]{0,4}(?=\d)"
)
_UNDER_TIMES = re.compile(r"\b(?:times|timestamps|moments|seconds)\b[^\n]{0,60}$|\(time\b")
_BARE_LIST = re.compile(
    r"[\s*_(\[-]{0,6}\d{1,5}(?:\.\d{1,6})?(?:\s?(?:[,;|/&]|and|"
    r",\s?and)\s?\d{1,5}(?:\.\d{1,6})?){0,200}(?![\w:%])[\s*_)\].]{0,4}"
)
_A_FIELD = re.compile(r"[^:]{1,30}:\s?[*_]{0,2}\s?\w")
_BOX_LINE = re.compile(r"boxed|\bfinal answer|<answer|^\W*(?:answer|total)\b")
_FIELD = re.compile(
    r"[\s\W]{0,6}(?:t|time\w*|timestamp|when|at|moment|zeit|tiempo|start|onset)\b[^\n:]{0,20}:"
)
_SUB = re.compile(
    r"[\s\W]{0,6}(?:start|begin|end|peak|off|on|duration|phase|goes|lights|onset|offset|return|down|up)\w*\b"
)


# "Full swing 1 - ...": the same words with 1, 2, ... at the head of lines name the events, whatever the words.
_OWN_LABEL = re.compile(
    r"^[^\w\n]{0,8}(?P<words>[a-z][a-z'-]{1,16}(?: [a-z'-]{1,16}){0,2}) \#?(?P<n>\d{1,3})(?=\s{0,3}[:(=@|,~→-])",
    re.MULTILINE,
)
_NO_LABEL = re.compile(
    r".*\b(?:steps?|frames?|images?|parts?|phases?|pass|attempts?|try|round|scene|shot|segments?|windows?|intervals?|"
    r"sections?|questions?|states?|nodes?|clip|video|camera|times?|second|minute|at|from|to|samples?|checks?|"
    r"candidates?|options?|periods?|blocks?|stage|position|of|for|total|answer|half)"
)
MAX_LABELS = 1_000


def _own_label(view: str) -> str:
    """The words that number the lines of a view 1, 2, ..., k, or ""."""
    numbers: dict[str, list[int]] = {}
    for found in islice(_OWN_LABEL.finditer(view), MAX_LABELS):
        numbers.setdefault(found["words"], []).append(int(found["n"]))
    for said, run in numbers.items():
        if len(run) > 1 and run == list(range(1, len(run) + 1)) and not _NO_LABEL.fullmatch(said):
            return said
    return ""


def _nouns(noun: str, own: str) -> str:
    nouns = f"{lexicon.NOUNS}|entry|item|count|line|row|事件|ereignis|evento|événement|イベント|событие"
    return "|".join([*(re.escape(name) for name in (noun.lower(), own) if name), nouns])


@lru_cache(maxsize=16)
def _label_core(noun: str, own: str) -> re.Pattern[str]:
    """What every label holds, which is found many times faster than the label."""
    return re.compile(
        rf"(?:(?:{_nouns(noun, own)})\s{{0,2}}(?:no\.?|number|\#)?\s{{0,2}}\#?(?:\d{{1,3}}|{numerals.WORD})"
        rf"|(?:{numerals.ORDINALS}) (?:[\w-]{{1,12}} )?(?:{_nouns(noun, own)}))"
        r"(?![\w]|[.,:]\d|\s?s\b)(?=\s{0,4}(?:[:.)(=@|,~\[→-]|at\b|is\b|$|\d))"
    )


@lru_cache(maxsize=16)
def _label(noun: str, own: str) -> re.Pattern[str]:
    return re.compile(
        rf"[\s\W]{{0,8}}(?:(?:wall |state |[\w-]{{1,12}} )?(?:{_nouns(noun, own)})\s{{0,2}}(?:no\.?|number|"
        rf"\#)?\s{{0,2}}\#?(?P<n>\d{{1,3}}|{numerals.WORD})"
        rf"|(?:the )?(?P<nth>{numerals.ORDINALS}) (?:[\w-]{{1,12}} )?(?:{_nouns(noun, own)}))"
        r"(?![\w]|[.,:]\d|\s?s\b)(?=\s{0,4}(?:[:.)(=@|,~\[→-]|at\b|is\b|$|\d))[\s:.)-]{0,4}"
    )


def _tells(head: str, off: Off) -> bool:
    """Whether the words before a list of bare numbers say that something happened: "The lamp lights up at these
    moments:", but not "I looked at these moments:"."""
    judged = judging.said(" ".join(head.split()), False, off)
    return judged.polarity == judging.YES or (judged.begins and judged.polarity != judging.NO)


@dataclass(slots=True)
class _Line:
    start: int
    end: int
    body: int
    indent: int
    mark: str  # "number", "bullet", "label", "timed", "heading" or ""
    ordinal: int | None
    labelled: bool
    times: list[Time]
    blank_before: bool


class Reader:
    """Goes through the lines of a view and collects units; `left_out` says what was not read."""

    def __init__(self, text: str, view: str, noun: str, off: Off) -> None:
        self.text, self.view, self.off = text, view, off
        self.under_times = False
        own = "" if "labelled line" in off else _own_label(view)
        self.guessed = own != "" and not _label(noun, "").match(f"{own} 1:")
        own = own if self.guessed else ""
        self.label, self.label_core = _label(noun, own), _label_core(noun, own)
        self.numbers = tokens.find(view, 0, len(view))
        self.starts = [number.start for number in self.numbers]
        self.futile_rows = 0
        self.left_out: str | None = None

    def times(self, start: int, end: int, head: times.Head = "unit", *, all_bare: bool = False) -> list[Time]:
        """The times of a piece, while the number of numbers is bounded."""
        low, high = bisect_left(self.starts, start), bisect_left(self.starts, end)
        if high == MAX_NUMBERS:
            self.left_out = f"only the first {MAX_NUMBERS} numbers were read"
        if self.view[end : end + 1] == ":":  # a cell before a colon, which is no clock
            return times.find(self.view, start, end, head=head, all_bare=all_bare)
        if low == high:
            return []
        found = [number.copy() for number in self.numbers[low:high]]
        return times.find(self.view, start, end, head=head, all_bare=all_bare, found=found)

    def prose(self, start: int, end: int) -> _Line:
        """A piece of a line, as a line of prose."""
        return _Line(start, end, start, 0, "", None, False, self.times(start, end), False)

    def line(self, start: int, end: int, blank_before: bool) -> _Line:
        """What one line is."""
        view = self.view
        first = _FILLED.search(self.text, start, end)
        indent = (first.start() if first else end) - start
        heads = _HEADING.match(view, start, end)
        if heads and not (
            "labelled line" not in self.off
            and self.label.match(view, heads.end(), min(end, heads.end() + 80))
        ):
            return _Line(
                start, end, start, indent, "heading", None, False, self.times(start, end), blank_before
            )
        mark, ordinal, labelled, body = "", None, False, heads.end() if heads else start
        if (
            not heads
            and _QUICK_MARK.match(view, start, end)
            and (found := _MARK.match(view, start, end))
            and found.end() > start + indent
        ):
            body = found.end()
            number = found["n"] or found["p"] or found["b"] or found["h"] or found["c"] or found["d"]
            if number or found["roman"]:
                mark, ordinal = "number", int(number) if number else _NUMERALS.get(found["roman"], 0)
            elif found["bullet"]:
                mark = "bullet"
        if "labelled line" not in self.off and (named := self.label.match(view, body, min(end, body + 80))):
            value = named["n"] or named["nth"]
            ordinal, labelled = numerals.ordinal(value), True
            mark, body = mark if mark == "bullet" else "label", named.end()
        found_times = self.times(body, end, "number" if labelled else "decimal" if mark else "unit")
        if not found_times and not labelled and (listed := self._bare_times(body, end)):
            return _Line(
                start, listed[-1].end, body, indent, mark or "timed", ordinal, labelled, listed, blank_before
            )
        if not mark and found_times and "timed line" not in self.off:
            head = _HEAD_TIME.match(view, start, end)
            if (
                head
                and head.end() >= found_times[0].start
                and view[found_times[0].end : found_times[0].end + 1] != "?"
                and not _NEW_SENTENCE.search(view, found_times[0].end, found_times[-1].start)
            ):
                mark = "timed"
        if mark in ("number", "bullet") and "list item" in self.off:
            mark = "" if not found_times else "timed" if "timed line" not in self.off else ""
        return _Line(start, end, body, indent, mark, ordinal, labelled, found_times, blank_before)

    def _bare_times(self, start: int, end: int) -> list[Time]:
        """Bare numbers that words before them say are times: "Times of contact: 2.0, 4.5", or a line of them below."""
        if end - start > 2000 or not _DIGIT.search(self.view, start, end):
            return []
        named = TIMES_COLON.match(self.view, start, end)
        at = named.end() if named else start
        bare = _BARE_LIST.match(self.view, at, end)
        if not bare or (bare.end() < end and not named):
            return []
        if named and len(named[0].split()) > 5 and not _tells(named[0], self.off):
            return []
        if not named and not (self.under_times or "." in bare[0]):
            return []
        found = self.times(at, bare.end(), all_bare=True)
        return [time if k == 0 or time.linked else replace(time, linked=True) for k, time in enumerate(found)]


@dataclass(slots=True)
class Table:
    """Units of a table, and where it ends."""

    units: list[Unit]
    end: int


def read(reader: Reader, table_at: Callable[[Reader, int, int], Table | None]) -> list[Unit]:
    """The units of a view in which objects are blanked, in order; `table_at` reads a table that begins with a line."""
    view = reader.view
    units: list[Unit] = []
    section, lead = 0, ""
    fresh_lead = True
    at, count, blank = 0, 0, True
    pending: list[_Line] = []

    def flush() -> None:
        nonlocal pending
        if pending:
            units.extend(_tree(reader, pending, section, lead))
            pending = []

    while at < len(view):
        count += 1
        if count > MAX_LINES or reader.left_out:
            reader.left_out = reader.left_out or f"only the first {MAX_LINES} lines were read"
            break
        stop = view.find("\n", at)
        stop = len(view) if stop < 0 else stop
        if not _FILLED.search(view, at, stop):
            blank, at = True, stop + 1
            continue
        table = table_at(reader, at, stop)
        if table is not None:
            flush()
            for unit in table.units:
                unit.section, unit.lead = section, lead
            units += table.units
            at, blank, fresh_lead = table.end + 1, False, False
            continue
        reader.under_times = _UNDER_TIMES.search(lead) is not None
        line = reader.line(at, stop, blank)
        if line.mark == "heading":
            flush()
            words = view[line.start : min(line.end, line.start + 200)]
            section += 1
            lead = words if not fresh_lead else f"{lead}\n{words}"[-240:]
            fresh_lead = True
            if line.times:
                units += _sentences(reader, line, section, lead)
        else:
            if fresh_lead or line.times:
                fresh_lead = fresh_lead and not line.times
            if line.mark == "" and not line.times and (not pending or _turns(view, line)):
                flush()
                section += 1
                lead = view[line.start : min(line.end, line.start + 240)]
            pending.append(line)
        at, blank = stop + 1, False
    flush()
    if reader.futile_rows > MAX_FUTILE_ROWS:
        reader.left_out = reader.left_out or f"only the first {MAX_FUTILE_ROWS} rows without times were read"
    if reader.guessed:
        for unit in units:
            unit.guessed = unit.labelled
    return units


def _turns(view: str, line: _Line) -> bool:
    """Whether a sentence without a time between entries begins another list: "Wait, let me recount."."""
    if line.indent > 1 or line.end - line.start > 240:
        return False
    words = view[line.start : line.end]
    if not line.blank_before and _A_FIELD.match(words):
        return False
    return any(
        lexicon.words(name).search(words) for name in ("revised", "rejecting", "closing", "heading")
    ) or words.rstrip(" *_").endswith(":")


def _tree(reader: Reader, lines: list[_Line], section: int, lead: str) -> list[Unit]:
    """The units of lines that follow each other without a heading."""
    units: list[Unit] = []
    i = 0
    while i < len(lines):
        line = lines[i]
        if not line.mark:
            units += _inline(reader, line, section, lead) or _sentences(reader, line, section, lead)
            i += 1
            continue
        j = i + 1
        while j < len(lines) and _belongs(reader, line, lines[j], lines[j - 1]):
            j += 1
        units += _item(reader, line, lines[i + 1 : j], section, lead)
        i = j
    return units


def _belongs(reader: Reader, head: _Line, line: _Line, before: _Line) -> bool:
    """Whether a line stands below an item."""
    if "details" in reader.off:
        return False
    text = reader.view[line.start : line.end]
    if _BOX_LINE.search(text):
        return False
    if line.indent > head.indent and (line.mark or not line.blank_before):
        return True
    if line.mark == "" and not line.blank_before and head.mark in ("number", "bullet", "label"):
        if head.labelled and (":" in text[:24] or _SUB.match(text)):
            return True
        first = reader.text[line.start + line.indent : line.start + line.indent + 1]
        return (
            not line.times
            and first.islower()
            and not reader.view[before.start : before.end].rstrip().endswith((".", "!"))
        )
    if head.labelled and line.mark == "timed" and not line.blank_before and _FIELD.match(text):
        return True
    if head.mark == "timed" and line.mark == "" and not line.times and not line.blank_before:
        return ":" in text[:24]
    if line.labelled or line.mark in ("", "number", "label"):
        return False
    if head.mark in ("label", "number") and line.mark == "bullet":
        return True
    if head.mark == "timed" and line.mark == "bullet":
        return True
    return (
        head.mark == "bullet"
        and head.labelled
        and line.mark == "bullet"
        and not head.times
        and line.indent >= head.indent
        and bool(_FIELD.match(text) or not line.times)
    )


def _item(reader: Reader, head: _Line, below: list[_Line], section: int, lead: str) -> list[Unit]:
    """The units of an item and the lines below it."""
    end = below[-1].end if below else head.end
    timed = [line for line in below if line.times]
    if not below:
        return _inline(reader, head, section, lead) or [
            _unit(reader, head, head.end, head.times, section, lead)
        ]
    inside = _tree(reader, below, section, lead) if timed else []
    entries = [unit for unit in inside if unit.structured]
    whole = _unit(
        reader, head, end, head.times + [time for line in timed for time in line.times], section, lead
    )
    if not timed:
        return [whole]
    fields = (len(timed) == 1 and not head.times) or all(
        _FIELD.match(reader.view, line.start) or _SUB.match(reader.view, line.body) for line in timed
    )
    interval = len(head.times) == 1 and head.times[0].end_s is not None
    if head.ordinal is None and not fields and (not head.times or interval):
        if head.times:
            for unit in inside:
                unit.lead = f"{lead}\n{reader.view[head.start : head.end]}"[-240:]
            return inside
        words = reader.view[head.start : min(head.end, head.start + 160)]
        for unit in inside:
            unit.lead = f"{lead}\n{words}"[-240:]
        return inside
    if head.ordinal is None and head.times and not interval:
        return [_unit(reader, head, head.end, head.times, section, lead), *inside] if not fields else [whole]
    whole.parts = entries
    if not head.labelled and not fields and not head.times and len(entries) > 1:
        words = reader.view[head.body : min(head.end, head.body + 160)]
        for unit in inside:
            unit.lead = f"{lead}\n{words}"[-240:]
        return inside
    return [whole]


def _unit(reader: Reader, line: _Line, end: int, found: list[Time], section: int, lead: str) -> Unit:
    rule = {"label": "labelled line", "timed": "timed line"}.get(line.mark, "list item")
    start = line.start + line.indent
    return Unit(rule, start, end, line.body, found, line.ordinal, line.labelled, section, lead)


_BEFORE_CORE = 64  # characters of a label before its core, at most
_INLINE = re.compile(r"(?:^|(?<=[\s;,.:|]))(?:\(?(?P<n>\d{1,3})[.)](?=\s)|\#(?P<h>\d{1,3})\b[.:)]?)")


_NEXT_ITEM = re.compile(r"[,;|]\s{0,3}(?:and |then )?[(\[*]{0,2}$")
_SET_OFF = re.compile(r"[)\]]?\s?[-:=(→]")
_CLOSING = re.compile(r"[.!?]\s|\s(?:[-(]\s?)?(?=(?:total|final|so)\b)")


def _inline(reader: Reader, line: _Line, section: int, lead: str) -> list[Unit]:
    """Numbered items that share a line: "1. 2.0 s left 2. 4.0 s right", "Blink 1: 2.0 s, Blink 2: 4.0 s"."""
    if "inline items" in reader.off or len(line.times) < 2 or line.end - line.start > MAX_LINE:
        return []
    view = reader.view
    starts: list[tuple[int, int, int, bool]] = []
    first = line.start + line.indent
    expected = None
    for mark in _INLINE.finditer(view, line.start, line.end):
        value = int(mark["n"] or mark["h"])
        if expected is None or value == expected:
            starts.append((mark.start(), mark.end(), value, False))
            expected = value + 1
    if len(starts) < 2:
        starts, expected = [], None
        at = line.start
        while (core := reader.label_core.search(view, at, line.end)) and (
            found := reader.label.search(view, max(at, core.start() - _BEFORE_CORE), line.end)
        ):
            begin = found.start() + len(found[0]) - len(found[0].lstrip(" \t\n,.;:-()[]>*"))
            value = numerals.ordinal(found["n"] or found["nth"])
            if expected is None or value == expected:
                starts.append((begin, found.end(), value, True))
                expected = value + 1
            at = max(found.end(), at + 1)
    if len(starts) < 2 and line.mark in ("timed", "bullet", "") and len(line.times) > 1:
        each = [time.start for time in line.times]
        apart = all(_NEXT_ITEM.search(view, max(line.start, at - 8), at) for at in each[1:]) and not any(
            t.linked for t in line.times
        )
        named = all(_SET_OFF.match(view, time.end, time.end + 4) for time in line.times)
        split = all(";" in view[max(line.start, at - 4) : at] for at in each[1:])
        starts = [(at, at, 0, False) for at in each] if apart and (named or split) else []
    if len(starts) < 2 or starts[0][0] > first + 60 or starts[0][2] > starts[1][2]:
        return []
    units = []
    for i, (begin, body, value, labelled) in enumerate(starts):
        end = starts[i + 1][0] if i + 1 < len(starts) else _closing(view, body, line.end)
        found_times = reader.times(body, end, "number" if labelled else "decimal")
        units.append(
            Unit("inline items", begin, end, body, found_times, value or None, labelled, section, lead)
        )
    if sum(bool(unit.times) for unit in units) < len(units):
        return []
    rest, before = reader.prose(units[-1].end, line.end), reader.prose(line.start, starts[0][0])
    return [*_sentences(reader, before, section, lead), *units, *_sentences(reader, rest, section, lead)]


def _closing(view: str, start: int, end: int) -> int:
    """Where the last of the items of a line ends: at the first end of a sentence."""
    found = _CLOSING.search(view, start, end)
    return found.start() + 1 if found else end


def _sentences(reader: Reader, line: _Line, section: int, lead: str) -> list[Unit]:
    """The sentences of a line of prose that have a time or say something of a list."""
    units = []
    at, k = line.start, 0
    view = reader.view
    for cut in [*(found.end() for found in _SENTENCE_END.finditer(view, line.start, line.end)), line.end]:
        if cut <= at:
            continue
        first = k
        while k < len(line.times) and line.times[k].start < cut:
            k += 1
        inside = line.times[first:k]
        if inside or cut - at > 2:
            units.append(Unit("sentence", at, cut, at, inside, section=section, lead=lead))
        at = cut
    return units
