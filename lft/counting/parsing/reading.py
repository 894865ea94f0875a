"""One reading of one response: the steps of this package in their order."""

from __future__ import annotations

import re
from dataclasses import dataclass

from lft.counting.parsing import (
    account,
    answer,
    claims,
    document,
    frames,
    labels,
    objects,
    resolve,
    tables,
)
from lft.counting.parsing.document import Reader, Span
from lft.counting.parsing.lexicon import Off
from lft.counting.parsing.text import enumerated, plain, unmarked, visible
from lft.counting.reported import Context, Doubt, ReportedEvent

MAX_ACCOUNT = 400_000  # characters
_INSIDE = re.compile(r"[^\n]")


@dataclass(frozen=True)
class Read:
    """What was read: events in order of the text, the answer or why there is none, doubts, what was left out."""

    events: tuple[ReportedEvent, ...]
    answer: int | None
    problem: str | None
    doubts: tuple[Doubt, ...]
    left_out: str | None
    shown: str


def read(text: str, context: Context, off: Off) -> Read:
    """Reads a response under the ledger rule."""
    shown = visible(plain(text))
    view, unsure = enumerated(unmarked(shown))
    reader = Reader(text, view, context.noun, off)
    found = objects.read(reader)
    if found.taken:
        pieces, at = [], 0
        for start, end in found.taken:
            pieces += [view[at:start], _INSIDE.sub(" ", view[start:end])]
            at = end
        reader.view = "".join([*pieces, view[at:]])
    units = document.read(reader, tables.read)
    if found.units:
        units = sorted([*found.units, *units], key=lambda unit: unit.start)
    doubts = frames.supply(reader.view, units, context, off)
    reader.view = view
    doubts += [Doubt("ordinals", at, "the number of an entry or the start of an interval") for at in unsure]
    made = claims.make(view, units, context.noun, off)
    said = answer.read(
        shown, lambda: [(claim.start, claim.end) for claim in made if claim.unit.structured], off
    )
    resolved = resolve.resolve(view, made, said.value, context, off)
    endless = (
        f"only {MAX_ACCOUNT} characters are accounted for" if len(view) > MAX_ACCOUNT and units else None
    )
    parts = (found.left_out, reader.left_out, resolved.left_out, endless)
    left_out = "; ".join(part for part in parts if part) or None
    if not left_out and "numbers agree" not in off:
        resolved = account.by_numbers(view, reader.numbers, made, resolved, said.value, context)
    doubts += resolved.doubts + said.doubts
    if not left_out:
        doubts += account.doubts(text, view, reader.numbers, made, resolved, said.value, context, off)
    if found.torn:
        doubts.append(Doubt("cut-off", (max(0, len(text) - 40), len(text)), "the object does not end"))
    events = resolved.events
    if len(events) > resolve.MAX_EVENTS:
        events, kept = events[: resolve.MAX_EVENTS], f"only the first {resolve.MAX_EVENTS} events are kept"
        left_out = f"{left_out}; {kept}" if left_out else kept
    if left_out:
        doubts.append(Doubt("too-long", (0, len(text)), left_out))
    reported = tuple(
        ReportedEvent(
            round(event.time.at_s, 6),
            None if event.time.end_s is None else round(event.time.end_s, 6),
            event.covers,
            labels.label(text, view, event.claim),
            _trimmed(text, event.claim.start, event.claim.end),
            event.claim.rule,
        )
        for event in events
    )
    doubts += _out_of_clip(reported, context)
    return Read(
        reported, said.value, said.problem, tuple(sorted(doubts, key=lambda d: d.span)), left_out, shown
    )


def boxed(text: str, off: Off) -> Read | None:
    """The answer alone, where a box holds it and no list need be read; None where none does."""
    shown = visible(plain(text))
    if not answer.has_box(shown):
        return None
    said = answer.read(shown, off=off)
    doubts = (*said.doubts, *account.several_boxes(unmarked(shown)))
    return Read((), said.value, said.problem, doubts, None, shown)


def _trimmed(text: str, start: int, end: int) -> Span:
    while start < end - 1 and text[start].isspace():
        start += 1
    while end > start + 1 and text[end - 1].isspace():
        end -= 1
    return start, end


def _out_of_clip(events: tuple[ReportedEvent, ...], context: Context) -> list[Doubt]:
    if context.duration_s is None:
        return []
    last = context.duration_s + 0.5
    outside = [event for event in events if event.time_s > last]
    return [
        Doubt("out-of-clip", event.span, f"{event.time_s:g} s in a clip of {context.duration_s:g} s")
        for event in outside[:5]
    ]
