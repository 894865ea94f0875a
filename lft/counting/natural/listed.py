"""Annotations of any videos: event times, intervals, or counts alone, as CSV, JSON or JSON lines.

CSV columns (keys in JSON; small and capital letters alike): `video` (or file, file_name, name, path, ...) and

    times_s    all times of one video in one field, "1.5 2.25 4" or a JSON list       (a row per video)
    time_s     one time; an empty one adds no event                                   (a row per event)
    start_s, end_s    one event that lasts                                            (a row per event)
    visible_s  how long each event at a time is visible; without it, what a few frames show is unknown
    count      how many events; beside times it must agree with them
    kind       what is done; optional (or type, label)

A time is in seconds, or written as a clock does (1:02.5, 0:01:02.5). JSON may be a list of such objects, or one
object from file names to a list of times, a count, or such an object, also below one key such as `videos` or
`database`. An event in a list is a time, a pair [start, end], or an object with time_s, with start_s and end_s, or
with `segment`, as in ActivityNet.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from pathlib import Path

from lft.core.errors import InputError, shown
from lft.core.files import read_json
from lft.core.records import Entries, Json, JsonObject
from lft.core.rows import rows_of
from lft.counting.natural.annotation import MOST_EVENTS, Annotation, Unusable, checked_count, plain_names

VIDEO = (
    "video", "name", "file", "file_name", "filename", "path", "video_name", "video_path", "file_path", "video_id",
)  # fmt: skip
TIMES = ("times_s", "event_times_s", "times", "timestamps", "events", "annotations", "segments")
TIME = ("time_s", "event_time_s", "time", "timestamp")
START = ("start_s", "start", "start_time_s", "start_time")
END = ("end_s", "end", "end_time_s", "end_time")
VISIBLE = ("visible_s",)
KIND = ("kind", "type", "label")
WRAPPERS = ("videos", "clips", "data", "database", "annotations", "items")
_REMEDY = "a column video and one of times_s, time_s, start_s and end_s, or count"

Event = float | tuple[float, float]


def read_listed(path: Path) -> list[Annotation | Unusable]:
    """The annotations of a file, one per video, in order; raises `InputError` if it holds none."""
    entries: dict[str, list[tuple[str, Entries]]] = {}
    for number, (where, row) in enumerate(_rows(Path(path))):
        name = _first(row, VIDEO)
        named = isinstance(name, str) and name.strip()
        # A row without a name stays a row of its own, to be refused in its place.
        entries.setdefault(str(name).strip() if named else f"\0{number}", []).append((where, row))
    return [_read(name, rows) for name, rows in entries.items()]


def _read(name: str, rows: Sequence[tuple[str, Entries]]) -> Annotation | Unusable:
    where, row = rows[0]
    try:
        if name.startswith("\0"):
            raise InputError(f"names no video ({shown(_first(row, VIDEO))})", where=where, expected=_REMEDY)
        return _annotation(name, rows)
    except InputError as fault:
        return Unusable(where, fault)


def _rows(path: Path) -> Iterator[tuple[str, Entries]]:
    if path.suffix.lower() != ".json":
        for line, row in rows_of(path, short_allowed=True):
            yield f"{path}:{line}", plain_names(row)
        return
    document = _unwrapped(read_json(path))
    if isinstance(document, dict):
        document = [_named(name, entry) for name, entry in document.items()]
    if not isinstance(document, list):
        raise InputError(
            f"found {shown(document)}", where=path, expected="a list, or an object of file names"
        )
    for number, row in enumerate(document, start=1):
        if not isinstance(row, dict):
            raise InputError(f"found {shown(row)}", where=f"{path}: entry {number}", expected="an object")
        yield f"{path}: entry {number}", plain_names(row)


def _unwrapped(document: object) -> Json:
    """What lies below the one key that holds the entries: keys beside it say something of the whole."""
    if not isinstance(document, dict):
        return document
    if isinstance(_first(plain_names(document), VIDEO), str):
        return [document]
    found = [document[name] for name in WRAPPERS if isinstance(document.get(name), dict | list)]
    entries = found[0] if len(found) == 1 else None
    objects = isinstance(entries, list) and all(isinstance(entry, dict) for entry in entries)
    return entries if objects or isinstance(entries, dict) else document


def _named(name: str, entry: Json) -> JsonObject:
    if isinstance(entry, dict):
        return {"video": name, **entry}
    return {"video": name, "times_s": entry} if isinstance(entry, list) else {"video": name, "count": entry}


def _annotation(name: str, rows: Sequence[tuple[str, Entries]]) -> Annotation:
    where = rows[0][0]
    counts = {
        checked_count(row["count"], f"{at}, column count") for at, row in rows if row.get("count") is not None
    }
    if len(counts) > 1:
        raise InputError(f"two counts, {' and '.join(map(str, sorted(counts)))}", where=where, expected="one")
    times: list[float] = []
    cycles: list[tuple[float, float]] = []
    said_when = False
    for at, row in rows:
        found = _events(row, at)
        said_when |= found is not None
        for event in found or []:
            if isinstance(event, tuple):
                cycles.append(event)
            else:
                times.append(event)
    if times and cycles:
        raise InputError("has both times and intervals", where=where, expected="one of the two for a video")
    number = len(times) + len(cycles)
    if number > MOST_EVENTS:
        raise InputError(f"{number} events", where=where, expected=f"at most {MOST_EVENTS}")
    if not said_when and not counts:
        columns = ", ".join(shown(name) for name in rows[0][1]) or "none"
        raise InputError(
            f"says neither when nor how many (columns: {columns})", where=where, expected=_REMEDY
        )
    if said_when and number == 0 and counts and counts != {0}:
        said_when = False  # an empty field of times beside a count
    if said_when and counts and counts != {number}:
        raise InputError(
            f"{number} events but the count {counts.pop()}", where=where, expected="numbers that agree"
        )
    return Annotation(
        name,
        number if said_when else counts.pop(),
        times_s=tuple(times) if said_when and not cycles else None,
        cycles_s=tuple(cycles) if cycles else None,
        kind=next((kind for _, row in rows if (kind := _kind(row))), ""),
        where=where,
        visible_s=_visible_s(rows) if times else None,
    )


def _visible_s(rows: Sequence[tuple[str, Entries]]) -> float | None:
    """How long each event of a video is visible, in seconds; None if no row says it."""
    said = {_seconds(value, at) for at, row in rows if (value := _first(row, VISIBLE)) is not None}
    if len(said) > 1:
        found = " and ".join(f"{value:g}" for value in sorted(said))
        raise InputError(f"two values of visible_s, {found}", where=rows[0][0], expected="one for a video")
    return said.pop() if said else None


def _kind(row: Entries) -> str:
    said = _first(row, KIND)
    if said is None:
        listed = _first(row, TIMES)
        events = listed if isinstance(listed, list) else []
        said = next(
            (kind for event in events if isinstance(event, dict) if (kind := _first(event, KIND))), ""
        )
    return " ".join(str(said).split())[:200]


def _events(row: Entries, where: str) -> list[Event] | None:
    """The events that one row names; None if it does not speak of times."""
    if any(column in row for column in (*START, *END, *TIME)) and not isinstance(_first(row, TIME), list):
        event = _event(row, where)
        return [] if event is None else [event]
    column = next((c for c in (*TIMES, *TIME) if c in row), None)
    if column is None:
        return None
    value = row[column]
    if value is None:
        return []
    if isinstance(value, str):
        value = _parsed(value, f"{where}, column {column}")
    if not isinstance(value, list):
        raise InputError(f"{column} is {shown(value)}", where=where, expected="a list of seconds")
    return [_item(item, f"{where}, column {column}") for item in value]


def _event(row: Entries, where: str) -> Event | None:
    """The event of one row or object: its start and end, or its time; None if it states neither."""
    ends = (_first(row, START), _first(row, END))
    if any(end is not None for end in ends):
        return _seconds(ends[0], where), _seconds(ends[1], where)
    time = _first(row, TIME)
    return None if time is None else _seconds(time, where)


def _item(value: object, where: str) -> Event:
    """One event of a list."""
    if isinstance(value, dict):
        named = plain_names(value)
        if named.get("segment") is not None:
            return _item(named["segment"], where)
        event = _event(named, where)
        if event is None:
            raise InputError(
                f"an event is {shown(value)}", where=where, expected="time_s, start_s and end_s, or segment"
            )
        return event
    if isinstance(value, list):
        if len(value) != 2:
            raise InputError(f"an event is {shown(value)}", where=where, expected="[start, end] in seconds")
        return _seconds(value[0], where), _seconds(value[1], where)
    return _seconds(value, where)


def _parsed(text: str, where: str) -> Json:
    if text.lstrip().startswith("["):
        try:
            return json.loads(text)
        except (ValueError, RecursionError) as error:
            raise InputError(f"not a JSON list: {error}", where=where, expected="[1.5, 2.25]") from error
    return text.replace(";", " ").replace(",", " ").split()


def _seconds(value: Json, where: str) -> float:
    """Seconds from a number, its text, or a clock's m:ss or h:mm:ss."""
    try:
        if isinstance(value, bool):
            raise ValueError
        if isinstance(value, str) and ":" in value:
            *larger, last = value.strip().split(":")
            whole = [int(part) for part in larger if part.isdecimal()]
            if len(whole) != len(larger) or not 1 <= len(whole) <= 2 or not 0 <= float(last) < 60:
                raise ValueError
            return math.fsum(part * 60.0 ** (len(whole) - i) for i, part in enumerate(whole)) + float(last)
        return float(value)
    except (TypeError, ValueError):
        raise InputError(
            f"a time is {shown(value)}", where=where, expected="seconds such as 1.5, or 0:01.5"
        ) from None


def _first(row: Entries, names: Sequence[str]) -> Json:
    return next((row[name] for name in names if row.get(name) is not None), None)
