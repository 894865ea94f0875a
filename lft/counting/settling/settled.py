"""Settled readings of a run: RUN/settled.jsonl.

One line per decision, append-only; the last one of a trial applies. A line has the SHA-256 of the
text, so that a decision never applies to another text.

    trial, text_sha256     the answer
    events                 list of {time_s, end_s, covers, label}; absent: the program's reading
    final_answer           a count, or null for none; absent: the program's reading
    by, who, why           person, model or given (at import); a name; the reason
    drawn                  how the answer was selected: {"kind": "sample", "size", "seed", "of"}, or
                           {"kind": "doubtful"}
    at                     time, UTC
"""

from __future__ import annotations

import datetime
import hashlib
import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from lft.core.errors import InputError, shown
from lft.core.files import numbered_json_lines, replacing
from lft.core.records import Entries, Json, JsonObject
from lft.counting.reported import Reported, ReportedEvent, Unparsed

FILE = "settled.jsonl"
PERSON, MODEL, GIVEN = "person", "model", "given"
BY = (PERSON, MODEL, GIVEN)
LATEST_S = 100_000.0  # the latest time that an answer can report, as in `lft.counting.parse`
MOST_COUNTED = 10**9
_LONGEST_TEXT = 2000  # characters of a name, a reason or a label


@dataclass(frozen=True)
class Settled:
    """One decision. `events` None, and `answered` False, leave that part to the program."""

    trial: str
    text_sha256: str
    by: str
    who: str
    events: tuple[ReportedEvent, ...] | None = None
    final_answer: int | None = None
    answered: bool = False
    why: str = ""
    drawn: Entries = field(default_factory=dict)

    @property
    def decided(self) -> tuple[object, ...]:
        """The decision without spans and circumstances."""
        events = None if self.events is None else tuple(facts(event) for event in self.events)
        return self.by, events, self.final_answer, self.answered

    def to_json(self) -> JsonObject:
        """A line of the file."""
        line: JsonObject = {"trial": self.trial, "text_sha256": self.text_sha256}
        if self.events is not None:
            line["events"] = [dict(zip(_EVENT, facts(event), strict=True)) for event in self.events]
        if self.answered:
            line["final_answer"] = self.final_answer
        return line | {"by": self.by, "who": self.who, "why": self.why, "drawn": dict(self.drawn)}


_EVENT = ("time_s", "end_s", "covers", "label")


def facts(event: ReportedEvent) -> tuple[float, float | None, int, str | None]:
    """An event without its span and rule."""
    return event.time_s, event.end_s, event.covers, event.label


def sha256_of_text(text: str) -> str:
    """Of a response's text, 64 hex digits; any string has one."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def event(
    time_s: float, end_s: float | None = None, covers: int = 1, label: str | None = None
) -> ReportedEvent:
    """A settled event. Raises `InputError` for impossible values.

    `time_s` is the middle of an interval that ends at `end_s`.

    >>> event(2.0, covers=0)
    Traceback (most recent call last):
    lft.core.errors.InputError: it covers 0 events; expected a whole number from 1 on
    """
    if not _is_number(time_s) or not 0 <= time_s <= LATEST_S:
        expected = f"seconds from the start of the video, 0 to {LATEST_S:g}"
        raise InputError(f"the time is {shown(time_s)}", expected=expected)
    if end_s is not None and (not _is_number(end_s) or not time_s <= end_s <= min(2 * time_s, LATEST_S)):
        raise InputError(
            f"the interval ends at {shown(end_s)}", expected="an end that is not before its start"
        )
    if isinstance(covers, bool) or not isinstance(covers, int) or not 1 <= covers <= MOST_COUNTED:
        raise InputError(f"it covers {shown(covers)} events", expected="a whole number from 1 on")
    if label is not None and (not isinstance(label, str) or len(label) > _LONGEST_TEXT):
        raise InputError(f"the label is {shown(label)}", expected="a few words")
    return ReportedEvent(
        float(time_s), None if end_s is None else float(end_s), covers, label, rule="settled"
    )


def count(value: Json) -> int:
    """A final answer. Raises `InputError` for an invalid count.

    >>> count(4)
    4
    """
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= MOST_COUNTED:
        raise InputError(f"the final answer is {shown(value)}", expected="a whole number from 0 on")
    return value


def drawn_as(value: Json) -> JsonObject:
    """The checked entry `drawn`; raises `InputError` for an invalid one.

    >>> drawn_as({"kind": "sample", "size": 50, "seed": 0, "of": 312})
    {'kind': 'sample', 'size': 50, 'seed': 0, 'of': 312}
    """
    entries: JsonObject = dict(value) if isinstance(value, Mapping) else {"kind": value}
    numbers = ("size", "seed", "of") if entries.get("kind") == "sample" else ()
    whole = all(type(entries.get(name)) is int and 0 <= entries[name] <= MOST_COUNTED for name in numbers)
    if entries.get("kind") not in ("sample", "doubtful") or not whole or set(entries) != {"kind", *numbers}:
        raise InputError(f"drawn is {shown(value)}", expected="the entry as lft readings wrote it")
    return entries


def read(folder: Path) -> list[Settled]:
    """Every decision in a run's folder, in order; raises `InputError` with the line of an invalid one."""
    path = folder / FILE
    if not path.exists():
        return []
    return [
        _settled(line, f"{path}:{number}")
        for number, line in numbered_json_lines(path, torn_tail_allowed=True)
    ]


def latest(decisions: Iterable[Settled]) -> dict[str, Settled]:
    """trial -> the decision that applies."""
    return {one.trial: one for one in decisions}


def append(folder: Path, decisions: Iterable[Settled]) -> None:
    """Adds decisions, all or (a full disk, another writer) none."""
    from filelock import FileLock, Timeout

    path = folder / FILE
    at = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    lines = [json.dumps({**one.to_json(), "at": at}, ensure_ascii=True, allow_nan=False) for one in decisions]
    if not lines:
        return
    try:
        with FileLock(str(folder / ".settling"), timeout=10):
            before = path.read_bytes() if path.exists() else b""
            kept = before[: before.rfind(b"\n") + 1]  # without what a killed writer left
            with replacing(path) as temporary:
                temporary.write_bytes(kept + "".join(f"{line}\n" for line in lines).encode())
    except Timeout:
        raise InputError(
            "another command is settling readings", where=path, remedy="the same command when it has ended"
        ) from None
    except OSError as error:
        raise InputError.of_system(error) from None


def digest(folder: Path) -> str | None:
    """SHA-256 of the decisions of a run, None without any; stored with scores."""
    path = folder / FILE
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.exists() else None


def settle(report: Reported | Unparsed, one: Settled, rule: str) -> Reported | Unparsed:
    """The program's reading, with the decision in its place.

    Decisions of a person or a model replace the reading of the rule `ledger`; that of `mentions` is unchanged. Events
    that were given with the answer apply under both rules, as the text may not have them. The final answer is the same
    under both. Doubts of a settled part are removed.
    """
    with_events = one.events is not None and (rule == "ledger" or one.by == GIVEN)
    if not with_events and not one.answered:
        return report
    events = report.events if isinstance(report, Reported) else ()
    answer = report.final_answer if isinstance(report, Reported) else None
    reason = report.reason
    if with_events:
        assert one.events is not None
        places = {_place(event): event.span for event in events}
        events = tuple(
            ReportedEvent(*facts(event), span=places.get(_place(event), (0, 0)), rule=one.by)
            for event in one.events
        )
    if one.answered:
        answer = one.final_answer
        reason = None if answer is not None else f"no final answer, as settled by {one.who or one.by}"
    doubts = tuple(
        doubt
        for doubt in report.doubts
        if (doubt.of_the_events and not with_events) or (doubt.of_the_answer and not one.answered)
    )
    if not events and answer is None and isinstance(report, Unparsed) and not one.answered:
        return Unparsed(report.reason, doubts)
    return Reported(events, answer, reason, doubts)


def _place(event: ReportedEvent) -> tuple[float, float | None]:
    """The key by which an unchanged event is found in the text again."""
    return round(event.time_s, 5), None if event.end_s is None else round(event.end_s, 5)


def _is_number(value: object) -> bool:
    return not isinstance(value, bool) and isinstance(value, int | float) and math.isfinite(value)


def _settled(line: Entries, where: str) -> Settled:
    try:
        for name in ("trial", "text_sha256", "who", "why"):
            if not isinstance(line.get(name, ""), str):
                raise InputError(f"{name} is {shown(line[name])}", expected="text")
        if line.get("by") not in BY:
            raise InputError(f"by is {shown(line.get('by'))}", expected=", ".join(BY))
        drawn = drawn_as(line["drawn"]) if line.get("drawn") not in (None, {}) else {}
        events = None
        if "events" in line:
            if not isinstance(line["events"], list) or not all(
                isinstance(e, Mapping) for e in line["events"]
            ):
                raise InputError(
                    f"events are {shown(line['events'])}", expected="a list of objects with time_s"
                )
            events = tuple(
                event(e.get("time_s"), e.get("end_s"), e.get("covers", 1), e.get("label"))
                for e in line["events"]
            )
        answered = "final_answer" in line
        answer = line["final_answer"] if answered and line["final_answer"] is None else None
        if answered and line["final_answer"] is not None:
            answer = count(line["final_answer"])
        return Settled(
            str(line["trial"]), str(line["text_sha256"]), str(line["by"]), str(line.get("who", "")),
            events, answer, answered, str(line.get("why", "")), drawn,
        )  # fmt: skip
    except KeyError as missing:
        raise InputError(
            f"has no {missing.args[0]}", where=where, expected="a line that lft readings wrote"
        ) from None
    except InputError as error:
        raise InputError(f"{error}", where=where) from None
