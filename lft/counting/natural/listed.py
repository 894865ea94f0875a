"""Annotations of any videos: event times, intervals, or counts alone, as CSV, JSON or JSON lines.

CSV columns (keys in JSON): `video` (or name, file, file_name, path) and

    times_s    all times of one video in one field, "1.5 2.25 4" or a JSON list       (a row per video)
    time_s     one time; an empty one adds no event                                   (a row per event)
    start_s, end_s    one event that lasts                                            (a row per event)
    count      how many events; beside times it must agree with them
    kind       what is done; optional (or type, label)

JSON may be a list of such objects, in which `times_s` may also hold [start, end] pairs, or one object from
file names to a list of times, a count, or such an object.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from lft.core.errors import InputError, shown
from lft.core.files import read_json
from lft.core.rows import rows_of
from lft.counting.natural.annotation import MOST_EVENTS, Annotation, checked_count

VIDEO = ("video", "name", "file", "file_name", "path")
TIMES = ("times_s", "event_times_s", "times", "events")
TIME = ("time_s", "event_time_s", "time")
KIND = ("kind", "type", "label")
_REMEDY = "a column video and one of times_s, time_s, start_s and end_s, or count"


def read_listed(path: Path) -> list[Annotation]:
    """The annotations of a file, one per video, in order; raises `InputError` naming the row."""
    entries: dict[str, list[tuple[str, Mapping[str, Any]]]] = {}
    for where, row in _rows(Path(path)):
        name = _first(row, VIDEO)
        if not isinstance(name, str) or not name.strip():
            raise InputError(f"names no video ({shown(name)})", where=where, remedy=_REMEDY)
        entries.setdefault(name.strip(), []).append((where, row))
    return [_annotation(name, rows) for name, rows in entries.items()]


def _rows(path: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    if path.suffix.lower() != ".json":
        for line, row in rows_of(path):
            yield f"{path}:{line}", row
        return
    document = read_json(path)
    if isinstance(document, dict):
        document = [_named(name, entry) for name, entry in document.items()]
    if not isinstance(document, list):
        raise InputError(f"found {shown(document)}", where=path, remedy="a list, or an object of file names")
    for number, row in enumerate(document, start=1):
        if not isinstance(row, dict):
            raise InputError(f"found {shown(row)}", where=f"{path}: entry {number}", remedy="an object")
        yield f"{path}: entry {number}", row


def _named(name: str, entry: Any) -> dict[str, Any]:
    if isinstance(entry, dict):
        return {"video": name, **entry}
    return {"video": name, "times_s": entry} if isinstance(entry, list) else {"video": name, "count": entry}


def _annotation(name: str, rows: Sequence[tuple[str, Mapping[str, Any]]]) -> Annotation:
    where = rows[0][0]
    counts = {
        checked_count(row["count"], f"{at}, column count") for at, row in rows if _given(row.get("count"))
    }
    kinds = [" ".join(str(_first(row, KIND) or "").split())[:200] for _, row in rows]
    if len(counts) > 1:
        raise InputError(f"two counts, {' and '.join(map(str, sorted(counts)))}", where=where, remedy="one")
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
        raise InputError("has both times and intervals", where=where, remedy="one or the other for a video")
    number = len(times) + len(cycles)
    if number > MOST_EVENTS:
        raise InputError(f"{number} events", where=where, remedy=f"at most {MOST_EVENTS}")
    if not said_when and not counts:
        raise InputError("says neither when nor how many", where=where, remedy=_REMEDY)
    if said_when and number == 0 and counts and counts != {0}:
        said_when = False  # an empty field of times beside a count
    if said_when and counts and counts != {number}:
        raise InputError(
            f"{number} events but the count {counts.pop()}", where=where, remedy="numbers that agree"
        )
    return Annotation(
        name,
        number if said_when else counts.pop(),
        times_s=tuple(times) if said_when and not cycles else None,
        cycles_s=tuple(cycles) if cycles else None,
        kind=next((kind for kind in kinds if kind), ""),
        where=where,
    )


def _events(row: Mapping[str, Any], where: str) -> list[float | tuple[float, float]] | None:
    """The events that one row names; None if it does not speak of times."""
    if "start_s" in row or "end_s" in row:
        ends = (row.get("start_s"), row.get("end_s"))
        return [_event(list(ends), where)] if any(map(_given, ends)) else []
    column = next((c for c in TIME if c in row), None)
    if column:
        return [_event(row[column], where)] if _given(row[column]) else []
    column = next((c for c in TIMES if c in row), None)
    if column is None:
        return None
    value = row[column]
    if value is None or value == "":
        return []
    if isinstance(value, str):
        value = _parsed(value, f"{where}, column {column}")
    if not isinstance(value, list):
        raise InputError(f"{column} is {shown(value)}", where=where, remedy="a list of seconds")
    return [_event(item, f"{where}, column {column}") for item in value]


def _parsed(text: str, where: str) -> Any:
    if text.lstrip().startswith("["):
        try:
            return json.loads(text)
        except (ValueError, RecursionError) as error:
            raise InputError(f"not a JSON list: {error}", where=where, remedy="[1.5, 2.25]") from error
    return text.replace(";", " ").replace(",", " ").split()


def _event(value: Any, where: str) -> float | tuple[float, float]:
    if isinstance(value, list):
        if len(value) != 2:
            raise InputError(f"an event is {shown(value)}", where=where, remedy="[start, end] in seconds")
        return _seconds(value[0], where), _seconds(value[1], where)
    return _seconds(value, where)


def _seconds(value: Any, where: str) -> float:
    try:
        if isinstance(value, bool):
            raise ValueError
        return float(value)
    except (TypeError, ValueError):
        raise InputError(f"a time is {shown(value)}", where=where, remedy="seconds such as 1.5") from None


def _first(row: Mapping[str, Any], names: Sequence[str]) -> Any:
    return next((row[name] for name in names if _given(row.get(name))), None)


def _given(value: Any) -> bool:
    return value is not None and value != ""
