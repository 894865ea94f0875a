"""From a text to blocks of entries: lines, table rows and JSON objects, each under its heading.

A line without a time may say more about the entry before it (its count, its type), take it back, name the
next one, or begin a new block.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, field

from lft.counting.parsing import corrections, ellipsis, entries, headings, judging, objects, tables, words
from lft.counting.parsing.judging import Entry

MAX_NUMBERS = 10_000
MAX_LINES = 50_000
MAX_LISTS = 200
_LONGEST_LINE = 1500  # characters


@dataclass(slots=True)
class Block:
    """Entries under one heading.

    Attributes
    ----------
    events : the entries that are events, each with how many it covers.
    first_count, last_count : the running counts at its ends.
    continues : its running counts go on from those of the block before.
    listing : it is a line of its own, "Contacts: 2 s, 4 s".
    empty : it stands for "no events".
    """

    start: int
    lead: str
    entries: list[Entry] = field(default_factory=list)
    events: list[tuple[Entry, int]] = field(default_factory=list)
    first_count: int | None = None
    last_count: int = 0
    continues: bool = False
    listing: bool = False
    empty: bool = False


_TOTAL_LINE = re.compile(
    r"[\s\W]{0,12}(?:grand |overall |the )?(?:totals?|summary|overall|in (?:total|summary|conclusion)|"
    r"final (?:answer|count)|conclusion|therefore|thus|hence)\b(?! time)"
)
_NUMBERS = re.compile(r"\d[\d:.]*|second")
_LETTERS_OR_DIGITS = re.compile(r"[^\W_]")
_BRACKET = re.compile(r"[{\[<]")
_DIGIT = re.compile(r"\d")
_LETTERS = re.compile(r"[^\W\d_]")


def collect(view: str) -> tuple[list[Block], list[Entry], str | None]:
    """Blocks in order, prose entries, and why reading stopped early."""
    reader = _Reader(view)
    reader.objects()
    reader.lines()
    lists = sorted(reader.written + reader.blocks, key=lambda block: block.start)
    for block in lists:
        if headings.rejects(block.lead):
            for entry in block.entries:
                entry.is_event, entry.count = False, None
    if len(lists) > MAX_LISTS:
        return lists[:MAX_LISTS], reader.prose, f"only the first {MAX_LISTS} lists were read"
    return lists, reader.prose, reader.cut


class _Reader:
    """Goes through the lines of a view; `block` is the one that is being filled, `lead` the last heading."""

    def __init__(self, view: str) -> None:
        self.view = view
        self.blocks: list[Block] = []
        self.prose: list[Entry] = []
        self.cut: str | None = None
        self.block: Block | None = None
        self.latest: Block | None = None  # the block before, once a heading has ended it
        self.written: list[Block] = []  # the blocks of JSON and the like
        self.lead = ""
        self.said = ""  # the words of the event before, for a clause that leaves its verb out
        self.said_end = 0
        self.seconds = False  # bare numbers at the head of a line are times
        self.header: tables.Header | None = None
        self.across: list[Entry] = []  # the entries of a row of times, while its table goes on

    def lines(self) -> None:
        seen = 0
        for i, (start, end) in enumerate(_lines(self.view)):
            line = self.view[start:end]
            numbers = len(_NUMBERS.findall(line))
            seen += numbers
            if seen > MAX_NUMBERS or i >= MAX_LINES:
                self.cut = f"only the first {MAX_NUMBERS} numbers of {MAX_LINES} lines were read"
                break
            if _LETTERS_OR_DIGITS.search(line) and not self._of_table(line, start, end):
                self._line(line, numbers, start, end)

    def _line(self, line: str, numbers: int, start: int, end: int) -> None:
        """Reads a line outside tables."""
        if numbers and self.block and _TOTAL_LINE.match(line):
            return
        found = entries.of_line(self.view, start, end, seconds=self.seconds) if numbers else []
        if not found:
            self._without_time(line[:300], numbers, start, end)
            return
        listed: list[Entry] = []
        if not found[0].marked or corrections.begins(line):
            listed = self._before(start)
            if corrections.apply(self.view, start, end, [listed, self.prose]):
                if headings.says_redo(line[:400]):
                    self._begin(line[:160], end)
                return
        self.said = ellipsis.share_verbs(found, self.said if start - self.said_end < 3 else "")
        self.said_end = end
        for entry in found:
            if not entry.structured and corrections.missed(entry, line, listed):
                listed.append(entry)
            else:
                self._take(entry, line, start)
        if not found[0].structured:
            if len(found) > 1:  # it may correct itself
                corrections.apply(self.view, start, end, [self.prose])
            if headings.says_redo(line[:400]):
                self._begin(line[:160], end)

    def _before(self, start: int) -> list[Entry]:
        """The entries of the list that ends above a place."""
        i = bisect_left(self.written, start, key=lambda block: block.start)
        above = [block for block in (self.latest, self.written[i - 1] if i else None) if block]
        return max(above, key=lambda block: block.start).entries if above else []

    def _begin(self, lead: str, end: int) -> None:
        self.said, self.said_end = (lead, end) if headings.announces(lead) else ("", 0)
        self.lead, self.block, self.seconds = lead, None, headings.says_seconds(lead)

    def _open(self, start: int, lead: str) -> Block:
        self.block = self.latest = Block(start, lead)
        self.blocks.append(self.block)
        return self.block

    def _of_table(self, line: str, start: int, end: int) -> bool:
        """Reads a line of a table that has a header, or times across a row; whether it is one."""
        if self.header and self.block and tables.is_row(line, self.header.delimiter):
            rule = tables.is_separator(line)
            listed = [] if rule else tables.row(self.view, start, end, self.header)
            self.block.entries += listed
            if listed or rule or self.header.delimiter in "|\t,;":
                return True
        self.header = None
        if "|" not in line and "\t" not in line:
            self.across = []
            if "," not in line and ";" not in line and _DIGIT.search(line):
                return False
        elif across := tables.across(self.view, start, end):
            self.across = across
            self._open(start, self.lead).entries += across
            return True
        elif self.across:
            return tables.beside(self.view, start, end, self.across)
        self.header = tables.header(self.view, start, end)
        if self.header:
            self._open(start, self.lead)
        return self.header is not None

    def _without_time(self, line: str, numbers: int, start: int, end: int) -> None:
        if self.block and self.block.entries and _continues(line, self.view, start, end, self.block):
            return
        if corrections.apply(self.view, start, end, [self._before(start), self.prose]):
            return
        if not headings.names_next(line) and (
            headings.is_heading(line) or (not numbers and len(line) < 160 and headings.says_seconds(line))
        ):
            self._begin(line, end)
        if headings.says_nothing(line):
            self.blocks.append(Block(start, self.lead, empty=True))

    def _take(self, entry: Entry, line: str, start: int) -> None:
        """Adds an entry to its block, or to the prose."""
        if not (entry.structured or entry.marked or (entry.count is not None and entry.is_event)):
            self.prose.append(entry)
            return
        listing = (len(entry.times) > 1 and not entry.marked) or (
            entry.start == start and not entry.marked and headings.reworks(line[:40])
        )
        block = self.block
        if block is None or listing or (block.listing and entry.marked):
            block = self._open(start, line[:160] if listing and _LETTERS.search(line) else self.lead)
            block.listing = listing
        before = block.entries[-1] if block.entries else None
        if before and entry.part == "end" and before.part == "start" and before.times[0].end_s is None:
            _join(before, entry)
        else:
            if entry.part == "end" and not entry.affirmed:
                entry.is_event = False
            block.entries.append(entry)

    def objects(self) -> None:
        """Takes the blocks written as JSON or YAML, and blanks them."""
        block: Block | None = None
        found: list[Entry] = []
        whole: list[tuple[int, int]] = []
        if "{" in self.view or "[" in self.view:
            found, whole, self.cut = objects.find(self.view)
        if not found and (":" in self.view or "=" in self.view):
            found = objects.records(self.view)
        if not found:
            return
        at = 0
        for entry in found:
            if entry.end <= at:
                continue
            between = self.view[max(at, entry.start - 400) : entry.start]
            if block is None or len(_LETTERS.findall(between)) > 40:
                lines = reversed(_BRACKET.split(between)[0].split("\n"))  # what stands above, not in it
                line = next((part for part in lines if len(_LETTERS.findall(part)) > 4), "")
                block = Block(entry.start, line)
                self.written.append(block)
            block.entries.append(entry)
            at = entry.end
        parts, at = [], 0
        for start, end in sorted(whole + [(entry.start, entry.end) for entry in found]):
            if end > at:
                start = max(start, at)
                parts += [self.view[at:start], re.sub(r"[^\n]", " ", self.view[start:end])]
                at = end
        self.view = "".join([*parts, self.view[at:]])


def _join(first: Entry, second: Entry) -> None:
    """Makes one entry of a line that gives the start and one that gives the end."""
    time = first.times[0]
    a, b = sorted((time.time_s, second.times[0].time_s))
    time.time_s, time.end_s = a, b if b > a else None
    if a == 0 and not first.affirmed:  # start and end of the clip
        first.is_event = False
    first.end = second.end
    if second.count is not None:
        first.count = second.count


def _lines(view: str) -> Iterator[tuple[int, int]]:
    """The (start, end) of each line; of one longer than `_LONGEST_LINE`, of pieces which together are the line."""
    at = 0
    for line in view.split("\n"):
        stop = at + len(line)
        while stop - at > _LONGEST_LINE:
            cut = view.rfind(" ", at + _LONGEST_LINE // 2, at + _LONGEST_LINE) + 1 or at + _LONGEST_LINE
            yield at, cut
            at = cut
        yield at, stop
        at = stop + 1


def _heads(entry: Entry, line: str, view: str, start: int) -> bool:
    """Whether an entry is a time that heads what the line says: directly below it, or below a heading or interval."""
    if _LETTERS.search(entry.text) or not entry.structured or start - entry.end > 40:
        return False
    if _TOTAL_LINE.match(line) or headings.CLOSING.search(line) or headings.is_heading(line):
        return False
    between = view[entry.end : start]
    own = view[max(0, entry.start - 8) : entry.start]
    return between.count("\n") < 2 or "#" in own or entry.times[0].end_s is not None


def _continues(line: str, view: str, start: int, end: int, block: Block) -> bool:
    """Whether a line without a time says more about the entry before it: count, type, retraction."""
    entry = block.entries[-1]
    if corrections.DROPPED.search(line):
        block.entries.pop()
        return True
    found = words.running(view, start, min(end, start + 300))
    if found and entry.count is None and not headings.CLOSING.search(line):
        judging.set_count(entry, found)
        return True
    if _heads(entry, line, view, start):
        entry.text += " " + line
        judging.judge(entry)
        return True
    return False
