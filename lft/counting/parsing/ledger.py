"""From entries to events: which entries are the ledger, and how many events each stands for.

* Entries form blocks: a list, table or JSON array under one heading.
* A block that repeats an earlier one (at least half of the shorter one's times) or stands under a heading of
  correction replaces it; a block under a heading of summary or final answer adds nothing to a ledger that is
  there.
* Within a block running counts decide: an entry whose count does not rise is no event; one whose count rises
  by k stands for k. Where most entries have a count, one without is an event only if the next count leaves
  room for it.
* Prose counts only if no list, table or JSON reports an event; a time that prose repeats is one event.
"""

from __future__ import annotations

import re
from itertools import pairwise

from lft.counting.parsing import blocks, contrast, headings, judging, words
from lft.counting.parsing.blocks import Block
from lft.counting.parsing.corrections import SAME_S
from lft.counting.parsing.judging import Entry
from lft.counting.parsing.labels import label
from lft.counting.report import ReportedEvent

MAX_EVENTS = 5_000
_ADDED = re.compile(
    r"\b(?:miss(?:ed|ing)|additional\w*|also|another|extra|overlooked|omitted|forgot\w*|new|add(?:ed)?)\b"
)
_INITIAL_HINTS = ("initial", "start", "beg", "open")


def read(text: str, view: str) -> tuple[list[ReportedEvent], str | None, list[tuple[int, int]]]:
    """Events, why the list was cut short (None if it was not), and the places of all entries."""
    found, prose, cut = blocks.collect(view)
    carry = 0
    chosen: list[Block] = []
    withdrawn = False
    for block in found:
        if block.empty:
            if chosen and headings.is_revision(block.lead):
                chosen, withdrawn = [], True
            continue
        first = block.first_count = next((e.count for e in block.entries if e.count is not None), None)
        if first is not None and 0 < carry < first:
            again = headings.is_revision(block.lead) or headings.is_check(block.lead)
            block.continues = first == carry + 1 or not again
        _count(block, carry if block.continues else 0, view)
        carry = block.last_count
        if block.events:
            chosen = _with(chosen, block)
    pairs = [pair for block in chosen for pair in block.events]
    if not pairs and prose and not withdrawn:
        loose = Block(0, "", prose)
        _count(loose, 0, view)
        pairs = _unrepeated(loose.events)
    events: list[ReportedEvent] = []
    for entry, covers in pairs:
        said = label(text, view, entry)
        for time in entry.times:
            end_s = None if time.end_s is None else round(time.end_s, 6)
            events.append(ReportedEvent(round(time.at_s, 6), end_s, covers, said, (entry.start, entry.end)))
            if len(events) == MAX_EVENTS:
                return events, f"only the first {MAX_EVENTS} events are kept", _spans(found)
    return events, cut, _spans(found)


def _spans(found: list[Block]) -> list[tuple[int, int]]:
    return [(entry.start, entry.end) for block in found for entry in block.entries]


def _count(block: Block, start: int, view: str) -> None:
    """Decides from words and running counts, which go on from `start`, what is an event and how many it covers."""
    listed = block.entries
    contrast.apply(listed, view)
    counts = _running_counts(listed)
    counted = counts > 0 and counts >= sum(entry.is_event and entry.count is None for entry in listed)
    last = start
    passes: list[list[tuple[Entry, int]]] = [[]]
    waiting: list[Entry] = []  # events by their words, without a count, since the last count
    for entry in listed:
        if entry.count is None:
            if entry.is_event and counted:
                waiting.append(entry)
            elif entry.is_event:
                passes[-1].append((entry, _covers(entry, entry.stated)))
                last += len(entry.times)
            continue
        if entry.count <= 1 < last:  # counting starts again: another pass over the same events
            passes.append([])
            last, waiting = 0, []
        if len(waiting) < entry.count - last:  # the count leaves room for them
            passes[-1] += [(other, 1) for other in waiting]
            last += len(waiting)
        waiting = []
        if entry.count > last and not _only_initial(entry):
            passes[-1].append((entry, _covers(entry, entry.count - last)))
        last = entry.count
    passes[-1] += [(entry, entry.stated) for entry in waiting if entry.affirmed]
    block.events = max(reversed(passes), key=len)  # the longest; of equals the last
    block.last_count = last


def _covers(entry: Entry, stated: int) -> int:
    return 1 if len(entry.times) > 1 else stated


def _running_counts(listed: list[Entry]) -> int:
    """How many entries have a running count, once those that say what one entry covers are read as such."""
    counts = [entry.count for entry in listed if entry.count is not None]
    if not _are_per_entry(listed, counts):
        return len(counts)
    for entry in listed:
        if entry.count is not None:
            entry.is_event = entry.is_event and entry.count > 0
            entry.stated = max(entry.stated, entry.count)
            entry.count = None
    return 0


def _are_per_entry(listed: list[Entry], counts: list[int]) -> bool:
    """Whether "count" says what each entry covers: its times, always the same, or falling; and not called running."""
    if len(counts) < 2:
        return False
    if max(counts) > 1 and all(entry.count in (None, len(entry.times)) for entry in listed):
        return True  # rows of one wall each, with all its times
    if any(entry.running for entry in listed):
        return False
    return len(set(counts)) == 1 or any(1 < b < a for a, b in pairwise(counts))


def _only_initial(entry: Entry) -> bool:
    if not any(hint in entry.text for hint in _INITIAL_HINTS) or not words.INITIAL.search(entry.text):
        return False
    judging.judge(entry)
    return not entry.affirmed and not entry.is_event


def _with(chosen: list[Block], block: Block) -> list[Block]:
    """The ledger after one more block: added, replaced by it, or kept without it."""
    if not chosen or block.continues:
        return [*chosen, block]
    lead = block.lead
    old = [time.at_s for b in chosen for entry, _ in b.events for time in entry.times]
    new = [time.at_s for entry, _ in block.events for time in entry.times]
    if headings.is_revision(lead):
        return [block]
    if headings.is_check(
        lead
    ):  # it replaces what it goes through to the end; else it may name what was missed
        if len(block.entries) >= len(old):
            return [block]
        block.events = [
            pair for pair in block.events if _ADDED.search(pair[0].text) and not _among(pair[0], old)
        ]
        return [*chosen, block] if block.events else chosen
    if headings.CLOSING.search(lead) and not headings.LEDGER.search(lead):
        return chosen
    drafts = [b for b in chosen if headings.DRAFT.search(b.lead) and not headings.LEDGER.search(b.lead)]
    if (headings.LEDGER.search(lead) or headings.ASSERTED.search(lead)) and len(drafts) == len(chosen):
        return [block]
    if _opposite(chosen[-1].lead, lead):
        return [*chosen, block]
    afresh = block.first_count is not None and block.first_count <= 1
    if 2 * _shared(old, new) >= min(len(old), len(new)):
        return [block] if afresh or len(drafts) == len(chosen) or len(new) >= len(old) else chosen
    return [*chosen, block]


def _among(entry: Entry, old: list[float]) -> bool:
    return any(abs(time.at_s - other) <= SAME_S for time in entry.times for other in old)


def _opposite(a: str, b: str) -> bool:
    """Whether two headings name different walls or states, so that equal times are different events."""
    sides = ("left", "right", "top", "bottom", "upper", "lower")
    return {side for side in sides if side in a} != {side for side in sides if side in b}


def _shared(old: list[float], new: list[float]) -> int:
    left, shared = sorted(old), 0
    i = 0
    for time in sorted(new):
        while i < len(left) and left[i] < time - SAME_S:
            i += 1
        if i < len(left) and left[i] <= time + SAME_S:
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
            key = round(time.at_s / SAME_S)
            if key not in seen:
                seen.add(key)
                left.append(time)
        if left:
            entry.times = left
            kept.append((entry, covers))
    return kept
