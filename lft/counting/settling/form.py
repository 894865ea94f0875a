"""Sheets: plain text files in which people settle what answers report.

A sheet holds one entry an answer. Lines that begin with a sign are for reading and stay as they are; lines with a
name and a colon are filled in:

    === 1 of 12
    @ trial  blinking/n02_f1.0_s00,fps:1,time,structured_trace,0
    @ keys   text 0123456789abcdef, read 0123456789abcdef, shown 0123456789abcdef
    ? count-differs: 3 events, final answer 4

    | I counted blinks at 1.1, 2.1 and 3.2 seconds. Total: 4
    :                     ^^^  ^^^     ^^^                 ?

    event: 1.1
    event: 2.1
    event: 3.2
    answer: 4
    who:
    why:

`who` settles an entry; one without it stays open. The keys tell an entry that was filled in from one that was not,
and a text that is no longer the one that was read.
"""

from __future__ import annotations

import difflib
import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from lft.core.errors import InputError, shown
from lft.core.files import read_text
from lft.core.records import Entries, JsonObject
from lft.core.runs import Run
from lft.counting.reported import DOUBTS, Reported, ReportedEvent, Unparsed
from lft.counting.settling.marks import marked_lines
from lft.counting.settling.settled import MOST_COUNTED, drawn_as, event

MOST_SHOWN = 20_000  # characters of an answer in a sheet
_FIELDS = ("event", "answer", "who", "why")
_NONE = "none"
_TIME = r"(?:\d{1,6}(?:\.\d{0,9})?|\d{1,4}:[0-5]?\d(?:\.\d{0,9})?)"
_EVENT = re.compile(
    rf"(?P<start>{_TIME})\s*s?(?:\s+to\s+(?P<end>{_TIME})\s*s?)?(?:\s+x\s?(?P<covers>\d{{1,9}}))?"
    rf"\s*(?:\|\s*(?P<label>.*))?"
)
_EVENT_FORM = "seconds (7.25 or 0:07.25), `4 to 6`, `7.25 x3`, words behind `|`, or none"
_LONGEST_FIELD = 2000  # characters

_HOW = """\
# What do these answers report? Settle what was read of them.
#
# Under each answer, ^ marks what was read as an event, ? what the reading is unsure of, ! what is both. Say what the
# ANSWER reports, whether or not it is true: no need to see the video.
#
#   event:   one line for each event that the answer reports, in seconds from the start: 7.25, or 0:07.25.
#            `4 to 6`: somewhere in that interval. `7.25 x3`: one entry for three events. Words about it
#            may follow a `|`. No event at all: `event: none`.
#   answer:  the final answer, a whole number; `none` if it gives none.
#   who:     your name or initials. This settles the entry. Without it the entry stays open.
#   why:     a few words, needed where you changed something.
#
# Leave every other line as it is. Then:  lft readings {run} --apply {sheet}
"""


@dataclass(frozen=True)
class Entry:
    """One answer of a sheet, as it is written into it."""

    trial: str
    text: str
    report: Reported | Unparsed


@dataclass
class Filled:
    """One entry of a sheet, as it was read back. `line` is that of its head; `at` those of its fields, for errors."""

    line: int
    trial: str = ""
    keys: dict[str, str] = field(default_factory=dict)
    shown: list[str] = field(default_factory=list)
    events: list[str] = field(default_factory=list)
    answer: str | None = None
    who: str = ""
    why: str = ""
    at: dict[str, int] = field(default_factory=dict)

    @property
    def changed(self) -> bool:
        """Whether events or answer are others than the sheet was written with."""
        return _digest(_prefilled(self.events, self.answer or "")) != self.keys.get("read")


@dataclass(frozen=True)
class Sheet:
    """A sheet that was read: of which run, how its answers were drawn, and its entries."""

    path: Path
    run: str
    drawn: Entries
    entries: Sequence[Filled]


def identity(run: Run) -> str:
    """What tells a run from others, though it may be moved or go on: 16 hex digits."""
    manifest = run.own
    model, sweep = (manifest.get(name) or {} for name in ("model", "sweep"))
    facts = [manifest.get("suite"), model.get("name"), sweep.get("name"), manifest.get("begun")]
    facts.append(manifest.get("imported"))
    return _digest(json.dumps(facts, sort_keys=True, default=str))


def text_of(run: Run, entries: Sequence[Entry], drawn: Entries, path: Path) -> str:
    """A sheet, ready to be filled in."""
    lines = [_HOW.format(run=run.folder, sheet=path)]
    lines.append(f"@ run    {run.folder.name} {identity(run)}")
    lines.append(f"@ drawn  {json.dumps(dict(drawn))}")
    for number, entry in enumerate(entries, start=1):
        lines += ["", *_entry_lines(number, len(entries), entry)]
    return "\n".join(lines) + "\n"


def _entry_lines(number: int, total: int, entry: Entry) -> Iterator[str]:
    report = entry.report
    events = report.events if isinstance(report, Reported) else ()
    text = entry.text[:MOST_SHOWN]
    marks = marked_lines(text, [e.span for e in events], [d.span for d in report.doubts])
    if len(entry.text) > MOST_SHOWN:
        marks.append(f"| ({len(entry.text) - MOST_SHOWN} more characters; lft show has all)")
    answer = report.final_answer if isinstance(report, Reported) else None
    written = [_written(one) for one in events] or [_NONE]
    said = _NONE if answer is None else str(answer)
    keys = {
        "text": key_of_text(entry.text),
        "read": _digest(_prefilled(written, said)),
        "shown": _digest(_flat(marks)),
    }
    yield f"=== {number} of {total}"
    yield f"@ trial  {json.dumps(entry.trial)}"
    yield f"@ keys   {', '.join(f'{name} {key}' for name, key in keys.items())}"
    for doubt in report.doubts:
        yield f"? {doubt.code}: {_one_line(doubt.detail or DOUBTS.get(doubt.code, ''))}"
    if report.reason:
        yield f"? {_one_line(report.reason)}"
    yield ""
    yield from marks
    yield ""
    yield from (f"event: {one}" for one in written)
    yield f"answer: {said}"
    yield "who:"
    yield "why:"


def _written(one: ReportedEvent) -> str:
    """An event in the form in which it is filled in."""
    if one.end_s is None:
        time = _number(one.time_s)
    else:
        time = f"{_number(2 * one.time_s - one.end_s)} to {_number(one.end_s)}"
    covers = f" x{one.covers}" if one.covers > 1 else ""
    label = f" | {_one_line(one.label)}" if one.label and one.label.strip() else ""
    return f"{time}{covers}{label}"


def _number(seconds: float) -> str:
    return f"{max(0.0, seconds):.6f}".rstrip("0").rstrip(".")


def read_sheet(path: Path) -> Sheet:
    """Reads a sheet back; raises `InputError` with the line for anything that is none."""
    run, drawn, entries = "", {}, list[Filled]()
    for number, raw in enumerate(read_text(path).splitlines(), start=1):
        line, where = raw.strip(), f"{path}:{number}"
        if not line or line.startswith(("#", "?", ":")):
            continue
        if line.startswith("==="):
            entries.append(Filled(number))
        elif line.startswith("@"):
            name, _, value = line[1:].strip().partition(" ")
            if not entries and name == "run":
                run = value.strip()
            elif not entries and name == "drawn":
                drawn = _drawn(value, where)
            elif entries and name == "trial":
                entries[-1].trial = _trial(value.strip(), where)
            elif entries and name == "keys":
                entries[-1].keys = dict(
                    pair.split(" ", 1) for pair in value.strip().split(", ") if " " in pair
                )
            else:
                raise InputError(f"{shown(line)} stands where nothing of its kind is", where=where)
        elif line.startswith("|") and entries:
            entries[-1].shown.append(line)
        else:
            _fill(entries, line, number, where)
    if not run or not entries:
        raise InputError(
            "is not a sheet of readings", where=path, expected="one that `lft readings RUN` wrote"
        )
    for entry in entries:
        if not entry.trial or set(entry.keys) != {"text", "read", "shown"}:
            raise InputError("the entry has lost its lines with @", where=f"{path}:{entry.line}")
        if _digest(_flat(entry.shown)) != entry.keys["shown"]:
            where = f"{path}:{entry.line}"
            raise InputError("the text of the answer was edited", where=where, expected="the text as it was")
    return Sheet(path, run, drawn, entries)


def _fill(entries: list[Filled], line: str, number: int, where: str) -> None:
    name, colon, value = line.partition(":")
    name, value = name.strip().lower(), value.strip()
    if not colon or name not in _FIELDS or not entries:
        near = difflib.get_close_matches(name, _FIELDS, 1)
        guess = f"; did you mean {near[0]}:" if near else ""
        raise InputError(
            f"{shown(line)} is no field{guess}", where=where, expected="event:, answer:, who: or why:"
        )
    entry = entries[-1]
    if len(value) > _LONGEST_FIELD:
        raise InputError(
            f"{name} has {len(value)} characters", where=where, expected=f"at most {_LONGEST_FIELD}"
        )
    if name == "event":
        entry.events.append(value)
        entry.at[f"event {len(entry.events)}"] = number
        return
    if name in entry.at:
        raise InputError(f"a second line {name}:", where=where, expected="one in each entry")
    entry.at[name] = number
    setattr(entry, name, value)


def events_of(entry: Filled, path: Path) -> tuple[ReportedEvent, ...]:
    """The events as they are filled in; raises `InputError` with the line of one that cannot be read."""
    if not entry.events:
        where = f"{path}:{entry.line}"
        raise InputError(
            "the entry has no line event:", where=where, expected="event: none, if it reports no event"
        )
    if [value.lower() for value in entry.events] == [_NONE]:
        return ()
    return tuple(
        _event(value, f"{path}:{entry.at[f'event {number}']}")
        for number, value in enumerate(entry.events, start=1)
    )


def _event(value: str, where: str) -> ReportedEvent:
    found = _EVENT.fullmatch(value)
    if not found:
        raise InputError(f"event is {shown(value)}", where=where, expected=_EVENT_FORM)
    start_s, label = _seconds(found["start"]), (found["label"] or "").strip() or None
    covers = int(found["covers"] or 1)
    try:
        if not found["end"]:
            return event(start_s, None, covers, label)
        end_s = _seconds(found["end"])
        if end_s < start_s:
            raise InputError(
                f"the interval ends at {end_s:g} s, before {start_s:g} s", expected="start to end"
            )
        return event((start_s + end_s) / 2, end_s, covers, label)
    except InputError as error:
        raise InputError(str(error), where=where) from None


def _seconds(text: str) -> float:
    minutes, colon, seconds = text.rpartition(":")
    return (60 * int(minutes) if colon else 0) + float(seconds)


def answer_of(entry: Filled, path: Path) -> int | None:
    """The final answer as it is filled in, None for none; raises `InputError` with its line."""
    value = (entry.answer or "").strip()
    if value.lower() == _NONE:
        return None
    if not re.fullmatch(r"[0-9]{1,10}", value) or int(value) > MOST_COUNTED:
        where = f"{path}:{entry.at.get('answer', entry.line)}"
        raise InputError(f"answer is {shown(value)}", where=where, expected="a whole number, or none")
    return int(value)


def key_of_text(text: str) -> str:
    """What an entry says of the text that it was written about."""
    return _digest(text)


def _prefilled(events: Sequence[str], answer: str) -> str:
    """Events and answer in one form, however they are spaced."""
    return "\n".join(" ".join(value.split()) for value in (*events, answer))


def _flat(lines: Iterable[str]) -> str:
    """Lines of text of a sheet without the ends that editors strip, and without the marks."""
    return "\n".join(line.rstrip() for line in lines if line.startswith("|"))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _one_line(text: str) -> str:
    return "".join(c if c.isprintable() else " " for c in " ".join(text.split()))[:300]


def _drawn(value: str, where: str) -> JsonObject:
    try:
        return drawn_as(json.loads(value))
    except (ValueError, RecursionError, InputError):
        raise InputError(f"drawn is {shown(value)}", where=where, remedy="restoring the line") from None


def _trial(value: str, where: str) -> str:
    try:
        trial = json.loads(value)
    except (ValueError, RecursionError):
        trial = None
    if not isinstance(trial, str):
        raise InputError(f"trial is {shown(value)}", where=where, remedy="restoring the line")
    return trial
