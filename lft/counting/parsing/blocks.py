"""From a text to blocks of entries: lines, table rows and JSON objects, each under its heading.

A line without a time may say more about the entry before it (its count, its type), take it back, name the
next one, or begin a new block.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from lft.counting.parsing import entries, objects, tables, times, words
from lft.counting.parsing.entries import Entry

MAX_NUMBERS = 10_000
MAX_LINES = 50_000
SAME_S = 0.05  # times closer than this are one
_LONGEST_LINE = 1500  # characters


@dataclass(slots=True)
class Block:
    """Entries under one heading; `events` are the entries that are events, each with what it covers."""

    start: int
    lead: str
    entries: list[Entry] = field(default_factory=list)
    events: list[tuple[Entry, int]] = field(default_factory=list)
    last_count: int = 0


CLOSING = re.compile(
    r"\b(?:summary|summari[sz]|recap|conclusion|final answer|overview|in total|answer|therefore|totals?)\b"
    r"|答案|"
    r"总结|まとめ|zusammenfassung|resumen|résumé"
)
REVISED = re.compile(
    r"\b(?:correct(?:ed|ion|ing)|revis(?:ed|ion|ing)|updated?|final (?:event )?(?:ledger|list|log|"
    r"timeline|events)|recount|"
    r"re-count|wait|actually|second pass|pass (?:2|two)|turn (?:2|two)|re-?examin\w*|re-?evaluat\w*|"
    r"re-?analy\w*|"
    r"start over|try again)\b"
)
VERIFYING = re.compile(
    r"\b(?:verif\w*|double-?check\w*|re-?check\w*|confirm\w*|validat\w*|cross-?check\w*)\b"
)
DRAFT = re.compile(
    r"\b(?:analysis|reasoning|observations?|draft|preliminary|first pass|initial (?:pass|scan|ledger|"
    r"list|estimate)|"
    r"pass (?:1|one)|walk-?through|scratch|thinking|thoughts|notes|rough)\b"
)
LEDGER = re.compile(
    r"\b(?:ledger|event log|log|timeline|event list|list of events)\b|事件(?:列表|记录|日志)|台帐|記録"
)
_HEADING = re.compile(
    rf"^\s*(?:#{{1,6}}\s|={{3,}}|-{{3,}}\s*$)|[:：]\s*$|{CLOSING.pattern}|{REVISED.pattern}|"
    rf"{VERIFYING.pattern}|"
    rf"{DRAFT.pattern}|{LEDGER.pattern}|\blet me\b|\bphase\b|\bpart\b|boxed"
)
_TOTAL_LINE = re.compile(
    r"[\s\W]{0,12}(?:grand |overall |the )?(?:totals?|summary|overall|in (?:total|summary|"
    r"conclusion)|final (?:answer|count)|"
    r"conclusion|therefore|thus|hence)\b(?! time)"
)
_LABEL_LINE = re.compile(rf"[\s\W]{{0,12}}(?:{words.ORDINAL_LABEL.pattern})")
_ATTRIBUTE = re.compile(
    r"[\s\W]{0,12}(?:event(?: type)?|type|description|details?|action|contact|surface|wall|change|"
    r"transition|state|from|to|"
    r"what|note|observation|evidence|status)\b[^:\n]{0,20}:"
)
_DROPPED = re.compile(
    r"\b(?:scratch|disregard|ignore|retract|remove|drop|delete|strike) (?:that|this|the last|"
    r"the previous|it)\b"
    r"|\b(?:that|this|the last|the previous)(?: last)?(?: one| entry| event| contact| blink| transition)?"
    r" (?:is|was|'s) (?:wrong|not an?|a mistake|incorrect|a false)"
)
_CORRECTING = re.compile(
    r"[\s\W]{0,8}(?:but )?(?:wait|actually|correction|hold on|oops|on second thought|no,|hmm|sorry|"
    r"scratch|upon re-?\w+|"
    r"on closer|looking (?:again|closer))\b"
)
_NOT_SO = re.compile(
    r"\b(?:did ?n.t|did not|does ?n.t|does not|was ?n.t|was not|is ?n.t|is not|not an?|no (?:contact|"
    r"blink|transition|event|"
    r"change|hit)|remove|false|never|didn't)\b"
)
_SWAPPED = re.compile(r"\b(?:instead of|rather than)\b")
_SECONDS_SAID = re.compile(r"\((?:in )?s(?:ec(?:onds?)?)?\)|\bin seconds\b|\btime_s\b|\btimestamp\b")
_NUMBERS = re.compile(r"\d[\d:.]*|second")
_LETTERS_OR_DIGITS = re.compile(r"[^\W_]")
_LETTERS = re.compile(r"[^\W\d_]")


def collect(view: str) -> tuple[list[Block], list[Entry], str | None]:
    """Blocks in order, prose entries, and why reading stopped early."""
    blocks: list[Block] = []
    if "{" in view or "[" in view:
        view = _collect_objects(view, blocks)
    prose: list[Entry] = []
    block: Block | None = None
    header: tables.Header | None = None
    lead, named, at, seen, cut = "", "", 0, 0, None
    lines, head_is_time = 0, False
    for line in _pieces(view):
        start, end = at, at + len(line)
        at = end + (end < len(view) and view[end] == "\n")
        if not line or line.isspace():
            continue
        lines += 1
        if not _LETTERS_OR_DIGITS.search(line):
            continue
        numbers = len(_NUMBERS.findall(line))
        seen += numbers
        if seen > MAX_NUMBERS or lines > MAX_LINES:
            cut = f"only the first {MAX_NUMBERS} numbers of {MAX_LINES} lines were read"
            break
        if header and header.delimiter in line:
            if not tables.is_separator(line):
                entry = tables.row(view, start, end, header)
                if entry and block:
                    block.entries.append(entry)
            continue
        header = None
        if "|" in line or "\t" in line or (("," in line or ";" in line) and len(line) < 160):
            header = tables.header(view, start, end)
            if header:
                block = Block(start, lead)
                blocks.append(block)
                continue
        found = entries.of_line(view, start, end, seconds=head_is_time) if numbers else []
        if numbers and block and block.entries and _TOTAL_LINE.match(line):
            continue
        if not found:
            short = line if len(line) < 300 else line[:300]
            if block and block.entries and _continues(short, view, start, end, block):
                continue
            if _LABEL_LINE.match(short) and not LEDGER.search(short):
                named = short
            elif (
                not numbers and len(line) < 160 and _SECONDS_SAID.search(line)
            ):  # column names aligned by spaces
                lead, named, block, head_is_time = short, "", None, True
            elif len(line) < 160 and _HEADING.search(short):
                lead, named, block = short, "", None
                head_is_time = _SECONDS_SAID.search(lead) is not None
            continue
        if _CORRECTING.match(line) and _correct(line[:400], times.find(view, start, end), block, prose):
            continue
        for entry in found:
            if named and not _LETTERS.search(entry.text):
                entry.text = named
                entries.judge(entry)
            named = ""
            if entry.structured or entry.marked or (entry.count is not None and entry.is_event):
                listing = len(entry.times) > 1 and not entry.marked
                if block is None or listing:
                    block = Block(start, lead if not listing else line[:160])
                    blocks.append(block)
                before = block.entries[-1] if block.entries else None
                if (
                    entry.part == "end"
                    and before
                    and before.part == "start"
                    and before.times[0].end_s is None
                ):
                    pair = sorted((before.times[0].time_s, entry.times[0].time_s))
                    before.times[0].time_s, before.times[0].end_s = (
                        pair[0],
                        pair[1] if pair[1] > pair[0] else None,
                    )
                    if pair[0] == 0 and not before.affirmed:  # start and end of the clip
                        before.is_event = False
                    before.end, before.count = entry.end, before.count if entry.count is None else entry.count
                    continue
                block.entries.append(entry)
            else:
                prose.append(entry)
    blocks.sort(key=lambda b: b.start)
    return blocks, prose, cut


def _pieces(view: str) -> Iterator[str]:
    """Lines; a longer one than `_LONGEST_LINE` in pieces that end at a space, which together are the line."""
    for line in view.split("\n"):
        if len(line) <= _LONGEST_LINE:
            yield line
            continue
        at = 0
        while at < len(line):
            cut = line.rfind(" ", at + _LONGEST_LINE // 2, at + _LONGEST_LINE) + 1
            cut = min(cut or at + _LONGEST_LINE, len(line))
            yield line[at:cut]
            at = cut


def _collect_objects(view: str, blocks: list[Block]) -> str:
    """Adds the blocks written as JSON; returns the view without them."""
    parts, at = [], 0
    block: Block | None = None
    for entry in objects.find(view):
        if entry.end <= at:
            continue
        between = view[max(at, entry.start - 400) : entry.start]
        if block is None or len(_LETTERS.findall(between)) > 40:
            line = next(
                (part for part in reversed(between.split("\n")) if len(_LETTERS.findall(part)) > 4), ""
            )
            block = Block(entry.start, line)
            blocks.append(block)
        block.entries.append(entry)
        parts.append(view[at : entry.start])
        parts.append(re.sub(r"[^\n]", " ", view[entry.start : entry.end]))
        at = entry.end
    parts.append(view[at:])
    return "".join(parts)


def _continues(line: str, view: str, start: int, end: int, block: Block) -> bool:
    """Whether a line without a time says more about the entry before it: count, type, retraction."""
    entry = block.entries[-1]
    if _DROPPED.search(line):
        block.entries.pop()
        return True
    found = words.running(view, start, min(end, start + 300))
    if found and entry.count is None and not CLOSING.search(line):
        entries.set_count(entry, found)
        return True
    if _ATTRIBUTE.match(line) and start - entry.end < 300:
        entry.text += " " + line
        entries.judge(entry)
        return True
    return False


def _correct(line: str, said: list[times.Time], block: Block | None, prose: list[Entry]) -> bool:
    """Applies "wait, 0:05 was not a contact" or "0:07 should be 0:08" to earlier entries; whether it did."""
    before = [*(block.entries if block else []), *prose]
    swap = re.search(r"\bshould (?:be|have been)\b|\bnot\b.{0,40}\bbut\b", line)
    if (swap or _SWAPPED.search(line)) and len(said) >= 2:
        wrong, right = (said[1], said[0]) if _SWAPPED.search(line) and not swap else (said[0], said[1])
        for entry in before:
            for time in entry.times:
                if abs(time.at_s - wrong.at_s) <= SAME_S:
                    time.time_s, time.end_s = right.time_s, right.end_s
                    return True
    if _NOT_SO.search(line) or words.RETRACTED.search(line):
        for entry in before:
            entry.times = [t for t in entry.times if all(abs(t.at_s - wrong.at_s) > SAME_S for wrong in said)]
        if block:
            block.entries = [entry for entry in block.entries if entry.times]
        prose[:] = [entry for entry in prose if entry.times]
        return True
    return False
