"""From entries to events: which entries are the ledger, and how many events each stands for.

* Entries form blocks: a list, table or JSON array under one heading.
* A block that repeats an earlier one (at least half of the shorter one's times) or stands under a heading of correction
  replaces it; a block under a heading of summary or final answer adds nothing to a ledger that is there.
* Within a block running counts decide: an entry whose count does not rise is no event; one whose count rises by k stands
  for k. Where most entries have a count, one without is an event only if the next count leaves room for it.
* Prose counts only if no list, table or JSON reports an event; a time that prose repeats is one event.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from lft.counting.parsing import entries, objects, tables, times, words
from lft.counting.parsing.entries import Entry
from lft.counting.report import ReportedEvent

MAX_EVENTS = 5_000
MAX_NUMBERS = 10_000
MAX_LINES = 50_000
_SAME_S = 0.05
_LONGEST_LINE = 1500  # characters


@dataclass(slots=True)
class Block:
    """Entries under one heading; `events` are the entries that are events, each with what it covers."""

    start: int
    lead: str
    entries: list[Entry] = field(default_factory=list)
    events: list[tuple[Entry, int]] = field(default_factory=list)
    last_count: int = 0


_CLOSING = re.compile(r"\b(?:summary|summari[sz]|recap|conclusion|final answer|overview|in total|answer|therefore|totals?)\b|答案|"
                      r"总结|まとめ|zusammenfassung|resumen|résumé")  # fmt: skip
_REVISED = re.compile(
    r"\b(?:correct(?:ed|ion|ing)|revis(?:ed|ion|ing)|updated?|final (?:event )?(?:ledger|list|log|timeline|events)|recount|"
    r"re-count|wait|actually|second pass|pass (?:2|two)|turn (?:2|two)|re-?examin\w*|re-?evaluat\w*|re-?analy\w*|"
    r"start over|try again)\b"
)
_VERIFYING = re.compile(r"\b(?:verif\w*|double-?check\w*|re-?check\w*|confirm\w*|validat\w*|cross-?check\w*)\b")
_DRAFT = re.compile(
    r"\b(?:analysis|reasoning|observations?|draft|preliminary|first pass|initial (?:pass|scan|ledger|list|estimate)|"
    r"pass (?:1|one)|walk-?through|scratch|thinking|thoughts|notes|rough)\b"
)
_LEDGER = re.compile(r"\b(?:ledger|event log|log|timeline|event list|list of events)\b|事件(?:列表|记录|日志)|台帐|記録")
_HEADING = re.compile(
    rf"^\s*(?:#{{1,6}}\s|={{3,}}|-{{3,}}\s*$)|[:：]\s*$|{_CLOSING.pattern}|{_REVISED.pattern}|{_VERIFYING.pattern}|"
    rf"{_DRAFT.pattern}|{_LEDGER.pattern}|\blet me\b|\bphase\b|\bpart\b|boxed"
)
_TOTAL_LINE = re.compile(
    r"[\s\W]{0,12}(?:grand |overall |the )?(?:totals?|summary|overall|in (?:total|summary|conclusion)|final (?:answer|count)|"
    r"conclusion|therefore|thus|hence)\b(?! time)"
)
_ONLY_STATE = re.compile(r"\W*(?:in |is |now )?(?:state|node)\s\W?(\w{1,12})\W*")
_LABEL_LINE = re.compile(rf"[\s\W]{{0,12}}(?:{words.ORDINAL_LABEL.pattern})")
_ATTRIBUTE = re.compile(
    r"[\s\W]{0,12}(?:event(?: type)?|type|description|details?|action|contact|surface|wall|change|transition|state|from|to|"
    r"what|note|observation|evidence|status)\b[^:\n]{0,20}:"
)
_DROPPED = re.compile(
    r"\b(?:scratch|disregard|ignore|retract|remove|drop|delete|strike) (?:that|this|the last|the previous|it)\b"
    r"|\b(?:that|this|the last|the previous)(?: last)?(?: one| entry| event| contact| blink| transition)?"
    r" (?:is|was|'s) (?:wrong|not an?|a mistake|incorrect|a false)"
)
_CORRECTING = re.compile(
    r"[\s\W]{0,8}(?:but )?(?:wait|actually|correction|hold on|oops|on second thought|no,|hmm|sorry|scratch|upon re-?\w+|"
    r"on closer|looking (?:again|closer))\b"
)
_NOT_SO = re.compile(
    r"\b(?:did ?n.t|did not|does ?n.t|does not|was ?n.t|was not|is ?n.t|is not|not an?|no (?:contact|blink|transition|event|"
    r"change|hit)|remove|false|never|didn't)\b"
)
_SWAPPED = re.compile(r"\b(?:instead of|rather than)\b")
_SECONDS_SAID = re.compile(r"\((?:in )?s(?:ec(?:onds?)?)?\)|\bin seconds\b|\btime_s\b|\btimestamp\b")
_NUMBERS = re.compile(r"\d[\d:.]*|second")
_LETTERS_OR_DIGITS = re.compile(r"[^\W_]")
_LETTERS = re.compile(r"[^\W\d_]")


def read(text: str, view: str) -> tuple[list[ReportedEvent], str | None, list[tuple[int, int]]]:
    """Events, why the list was cut short (None if it was not), and the places of all entries of the ledger."""
    blocks, prose, cut = _collect(view)
    carry = 0
    chosen: list[Block] = []
    for block in blocks:
        first = next((entry.count for entry in block.entries if entry.count is not None), None)
        _count(block, carry if first is not None and first > carry else 0)
        carry = block.last_count
        if block.events:
            chosen = _with(chosen, block)
    pairs = [pair for block in chosen for pair in block.events]
    if not pairs and prose:
        loose = Block(0, "", prose)
        _count(loose, 0)
        pairs = _unrepeated(loose.events)
    events: list[ReportedEvent] = []
    for entry, covers in pairs:
        label = _label(text, view, entry)
        for time in entry.times:
            end_s = None if time.end_s is None else round(time.end_s, 6)
            events.append(ReportedEvent(round(time.at_s, 6), end_s, covers, label, (entry.start, entry.end)))
            if len(events) == MAX_EVENTS:
                return events, f"only the first {MAX_EVENTS} events are kept", _spans(blocks)
    return events, cut, _spans(blocks)


def _spans(blocks: list[Block]) -> list[tuple[int, int]]:
    return [(entry.start, entry.end) for block in blocks for entry in block.entries]


def _collect(view: str) -> tuple[list[Block], list[Entry], str | None]:
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
        found = (
            entries.of_line(view, start, end, seconds=head_is_time)
            if numbers
            else []
        )
        if numbers and block and block.entries and _TOTAL_LINE.match(line):
            continue
        if not found:
            short = line if len(line) < 300 else line[:300]
            if block and block.entries and _continues(short, view, start, end, block):
                continue
            if _LABEL_LINE.match(short) and not _LEDGER.search(short):
                named = short
            elif not numbers and len(line) < 160 and _SECONDS_SAID.search(line):  # column names aligned by spaces
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
                if entry.part == "end" and before and before.part == "start" and before.times[0].end_s is None:
                    pair = sorted((before.times[0].time_s, entry.times[0].time_s))
                    before.times[0].time_s, before.times[0].end_s = pair[0], pair[1] if pair[1] > pair[0] else None
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
            line = next((part for part in reversed(between.split("\n")) if len(_LETTERS.findall(part)) > 4), "")
            block = Block(entry.start, line)
            blocks.append(block)
        block.entries.append(entry)
        parts.append(view[at : entry.start])
        parts.append(re.sub(r"[^\n]", " ", view[entry.start : entry.end]))
        at = entry.end
    parts.append(view[at:])
    return "".join(parts)


def _continues(line: str, view: str, start: int, end: int, block: Block) -> bool:
    """Whether a line without a time says more about the entry before it: its count, its type, its retraction."""
    entry = block.entries[-1]
    if _DROPPED.search(line):
        block.entries.pop()
        return True
    found = list(words.RUNNING.finditer(view, start, min(end, start + 300)))
    if found and entry.count is None and not _CLOSING.search(line):
        entries.set_count(entry, found)
        return True
    if _ATTRIBUTE.match(line) and start - entry.end < 300:
        entry.text += " " + line
        entries.judge(entry)
        return True
    return False


def _correct(line: str, said: list[times.Time], block: Block | None, prose: list[Entry]) -> bool:
    """Applies "wait, 0:05 was not a contact" and "0:07 should be 0:08" to the entries before; whether it did."""
    before = [*(block.entries if block else []), *prose]
    swap = re.search(r"\bshould (?:be|have been)\b|\bnot\b.{0,40}\bbut\b", line)
    if (swap or _SWAPPED.search(line)) and len(said) >= 2:
        wrong, right = (said[1], said[0]) if _SWAPPED.search(line) and not swap else (said[0], said[1])
        for entry in before:
            for time in entry.times:
                if abs(time.at_s - wrong.at_s) <= _SAME_S:
                    time.time_s, time.end_s = right.time_s, right.end_s
                    return True
    if _NOT_SO.search(line) or words.RETRACTED.search(line):
        for entry in before:
            entry.times = [t for t in entry.times if all(abs(t.at_s - wrong.at_s) > _SAME_S for wrong in said)]
        if block:
            block.entries = [entry for entry in block.entries if entry.times]
        prose[:] = [entry for entry in prose if entry.times]
        return True
    return False


def _count(block: Block, start: int) -> None:
    """Decides from words and running counts which entries are events, and what each covers."""
    listed = block.entries
    counts = [entry.count for entry in listed if entry.count is not None]
    if not counts:
        _drop_unchanged_states(listed)
    if not counts and len(listed) > 1 and all(entry.trailing is not None for entry in listed):
        trailing = [entry.trailing or 0 for entry in listed]
        if trailing[0] <= 1 and all(b - a in (0, 1) for a, b in zip(trailing, trailing[1:], strict=False)):
            for entry in listed:
                entry.count = entry.trailing
            counts = trailing
    if len(counts) > 1 and not any(entry.running for entry in listed):
        falls = [(a, b) for a, b in zip(counts, counts[1:], strict=False) if b < a]
        if len(set(counts)) == 1 or any(b > 1 for _, b in falls):  # "count" is how many this entry covers
            for entry in listed:
                if entry.count is not None:
                    entry.is_event = entry.is_event and entry.count > 0
                    entry.stated = max(entry.stated, entry.count)
                    entry.count = None
            counts = []
    counted = 2 * len(counts) >= len(listed) and bool(counts)
    last = start
    events: list[tuple[Entry, int]] = []
    waiting: list[Entry] = []  # events by their words, without a count, since the last count
    for entry in listed:
        if entry.count is None:
            if entry.is_event:
                if counted:
                    waiting.append(entry)
                else:
                    events.append((entry, 1 if len(entry.times) > 1 else entry.stated))
                    last += len(entry.times)
            continue
        if entry.count <= 1 < last:  # counting starts again: what stands before is repeated
            events, last = [], 0
        room = entry.count - last - 1
        if waiting and room >= len(waiting):
            events += [(other, 1) for other in waiting]
            last += len(waiting)
        waiting = []
        rise = entry.count - last
        if rise > 0 and not _only_initial(entry):
            events.append((entry, 1 if len(entry.times) > 1 else rise))
        last = entry.count
    if counted:
        events += [(entry, entry.stated) for entry in waiting if entry.affirmed]
    block.events = events
    block.last_count = last


def _drop_unchanged_states(listed: list[Entry]) -> None:
    """In a log of states, an entry that names the state before it is no event."""
    before = ""
    for entry in listed:
        named = _ONLY_STATE.fullmatch(entry.text) if "state" in entry.text or "node" in entry.text else None
        state = named[1] if named else ""
        if state and state == before:
            entry.is_event = False
        before = state


def _only_initial(entry: Entry) -> bool:
    if words.INITIAL.search(entry.text):
        entries.judge(entry)
    return not entry.affirmed and not entry.is_event and words.INITIAL.search(entry.text) is not None


def _with(chosen: list[Block], block: Block) -> list[Block]:
    """The ledger after one more block: added, replaced by it, or kept without it."""
    if not chosen:
        return [block]
    old = [time.at_s for b in chosen for entry, _ in b.events for time in entry.times]
    new = [time.at_s for entry, _ in block.events for time in entry.times]
    lead = block.lead
    if _REVISED.search(lead):
        return [block]
    if _VERIFYING.search(lead):
        return [block] if 2 * len(new) >= len(old) else chosen
    if _CLOSING.search(lead) and not _LEDGER.search(lead):
        return chosen
    drafts = [b for b in chosen if _DRAFT.search(b.lead) and not _LEDGER.search(b.lead)]
    if _LEDGER.search(lead) and len(drafts) == len(chosen):
        return [block]
    if _opposite(chosen[-1].lead, lead):
        return [*chosen, block]
    shared = _shared(old, new)
    if 2 * shared >= min(len(old), len(new)):
        return [block] if len(new) >= len(old) else chosen
    return [*chosen, block]


def _opposite(a: str, b: str) -> bool:
    """Whether two headings name different walls or states, so that equal times are different events."""
    sides = ("left", "right", "top", "bottom", "upper", "lower")
    return {side for side in sides if side in a} != {side for side in sides if side in b}


def _shared(old: list[float], new: list[float]) -> int:
    left, shared = sorted(old), 0
    i = 0
    for time in sorted(new):
        while i < len(left) and left[i] < time - _SAME_S:
            i += 1
        if i < len(left) and left[i] <= time + _SAME_S:
            shared, i = shared + 1, i + 1
    return shared


def _unrepeated(pairs: list[tuple[Entry, int]]) -> list[tuple[Entry, int]]:
    """Prose events, each time once; an interval around other times of its own is their frame, no event."""
    seen: set[int] = set()
    singles = sorted(time.at_s for entry, _ in pairs for time in entry.times if time.end_s is None)
    kept = []
    for entry, covers in pairs:
        left = []
        for time in entry.times:
            if time.end_s is not None and sum(time.time_s <= t <= time.end_s for t in singles) >= 2:
                continue
            key = round(time.at_s / _SAME_S)
            if key not in seen:
                seen.add(key)
                left.append(time)
        if left:
            entry.times = left
            kept.append((entry, covers))
    return kept


_MARKS = re.compile(r"\*+|__+|`+|\$+")
_EMPTY_BRACKETS = re.compile(r"[(\[]\s{0,4}[)\]]")
_LABEL_HEAD = re.compile(r"^(?:[\s\W]|(?:at|from|t|time|timestamp|between|s)\s?[=:,\s]){1,12}(?=\w)", re.IGNORECASE)


def _label(text: str, view: str, entry: Entry) -> str | None:
    """What the entry says, from the response as it was written, without times, counts and marks."""
    start, end = entry.start, min(entry.end, entry.start + 400)
    shown = text[start:end]
    if "\\" not in shown and "<" not in shown and "&" not in shown and "~~" not in shown:
        shown = _MARKS.sub(lambda found: " " * len(found[0]), shown)
    else:
        shown = "".join(o if v != " " else " " for o, v in zip(text[start:end], view[start:end], strict=True))
    if entry.said is not None:
        label = "; ".join(part for a, b in entry.said if (part := shown[max(a - start, 0) : max(b - start, 0)].strip()))
    else:
        pieces, at = [], start
        cuts = [(time.start, time.end) for time in entry.times]
        cuts += [_with_brackets(view, match.span()) for match in words.RUNNING.finditer(view, start, end)]
        for a, b in sorted(cuts):
            pieces.append(shown[max(at - start, 0) : max(a - start, 0)])
            at = max(at, b)
        pieces.append(shown[max(at - start, 0) :])
        label = _EMPTY_BRACKETS.sub(" ", " ".join(" ".join(pieces).split()))
    label = _LABEL_HEAD.sub("", label)
    label = label.strip(" \t-–—:;,.|*_`#\"'=~$→([{}")
    if label.count(")") > label.count("("):
        label = label.rstrip(") ]")
    return label[:160].strip() or None


def _with_brackets(view: str, span: tuple[int, int]) -> tuple[int, int]:
    a, b = span
    opening = view.rfind("(", max(0, a - 24), a)
    if opening >= 0 and ")" not in view[opening:a]:
        closing = view.find(")", b, b + 24)
        if closing >= 0 and "(" not in view[b:closing]:
            return opening, closing + 1
    return a, b
