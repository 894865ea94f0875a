"""Annotations in the form of RepCount (Hu et al., TransRAC, CVPR 2022).

A CSV with a row per video: `name` of the file, `count`, `type` of the action, and L1, L2, ...: frame numbers
of the cycles' boundaries, a start and an end for each cycle (2 N numbers, pauses between cycles allowed) or,
for cycles that follow upon each other, N + 1 numbers. A row with a count and no boundaries is a count alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

from lft.core.errors import InputError, shown
from lft.core.records import Entries
from lft.core.rows import rows_of
from lft.counting.natural.annotation import Annotation, Unusable, checked_count, plain_names

_BOUNDARY = re.compile(r"l(\d+)")


def read_repcount(path: Path) -> Iterator[Annotation | Unusable]:
    """The rows of a file; raises `InputError` if it is no such table."""
    for line, row in rows_of(path, short_allowed=True):
        where = f"{path}:{line}"
        named = plain_names(row)
        for column in ("name", "count"):
            if column not in named:
                raise InputError(
                    f"no column {column}", where=where, expected="the columns name, count, L1, L2, ..."
                )
        try:
            yield _annotation(named, where)
        except InputError as fault:
            yield Unusable(where, fault)


def _annotation(row: Entries, where: str) -> Annotation:
    if not isinstance(row["name"], str):
        raise InputError(
            f"the name is {shown(row['name'])}", where=f"{where}, column name", expected="a file name"
        )
    name = row["name"].strip()
    count = checked_count(row["count"], f"{where}, column count")
    frames = _boundaries(row, where)
    kind = " ".join(str(row.get("type") or "").split())[:200]
    if not count or not frames:
        if frames not in ([], [0]):
            raise InputError(f"{len(frames)} boundaries of no cycle", where=where, expected="a count above 0")
        return Annotation(name, count, kind=kind, where=where)
    if len(frames) == 2 * count:
        cycles = list(zip(frames[::2], frames[1::2], strict=True))
    elif len(frames) == count + 1:
        cycles = list(pairwise(frames))
    else:
        raise InputError(
            f"{len(frames)} boundaries for {count} cycles",
            where=where,
            expected=f"{2 * count} (a start and an end each) or {count + 1} (one after the other)",
        )
    return Annotation(name, count, cycles_frames=tuple(cycles), kind=kind, where=where)


def _boundaries(row: Entries, where: str) -> list[int]:
    """Frame numbers in the order of L1, L2, ...; an empty field ends them."""
    numbered = sorted((int(m[1]), name) for name in row if (m := _BOUNDARY.fullmatch(str(name))))
    frames: list[int] = []
    ended = None
    for _, name in numbered:
        value = row[name]
        if value is None:
            ended = ended or name
            continue
        if ended:
            raise InputError(
                f"{name.upper()} is {shown(value)} but {ended.upper()} is empty",
                where=where,
                expected="no gaps",
            )
        try:
            number = float(value)
        except (TypeError, ValueError):
            number = -1.0
        if not 0 <= number < 1e9 or number % 1:
            column = name.upper()
            raise InputError(
                f"{column} is {shown(value)}", where=f"{where}, column {column}", expected="a frame number"
            )
        frames.append(int(number))
    return frames
