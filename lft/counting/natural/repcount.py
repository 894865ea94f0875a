"""Annotations in the form of RepCount (Hu et al., TransRAC, CVPR 2022).

A CSV with a row per video: `name` of the file, `count`, `type` of the action, and L1, L2, ...: frame numbers
of the cycles' boundaries, a start and an end for each cycle (2 N numbers, pauses between cycles allowed) or,
for cycles that follow upon each other, N + 1 numbers. A row with a count and no boundaries is a count alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

from lft.core.errors import InputError, shown
from lft.core.rows import rows_of
from lft.counting.natural.annotation import Annotation, checked_count

_BOUNDARY = re.compile(r"L(\d+)")


def read_repcount(path: Path) -> Iterator[Annotation]:
    """The annotations of a file; raises `InputError` with line and column for what cannot be read."""
    for line, row in rows_of(path):
        where = f"{path}:{line}"
        for column in ("name", "count"):
            if column not in row:
                raise InputError(
                    f"no column {column}", where=where, remedy="the columns name, count, L1, L2, ..."
                )
        name = row["name"]
        if not isinstance(name, str) or not name.strip():
            raise InputError(
                f"the name is {shown(name)}", where=f"{where}, column name", remedy="a file name"
            )
        yield _annotation(name.strip(), row, where)


def _annotation(name: str, row: Mapping[str, Any], where: str) -> Annotation:
    count = checked_count(row["count"], f"{where}, column count")
    frames = _boundaries(row, where)
    kind = " ".join(str(row.get("type") or "").split())[:200]
    if not count or not frames:
        if frames not in ([], [0]):
            raise InputError(f"{len(frames)} boundaries of no cycle", where=where, remedy="a count above 0")
        return Annotation(name, count, kind=kind, where=where)
    if len(frames) == 2 * count:
        cycles = list(zip(frames[::2], frames[1::2], strict=True))
    elif len(frames) == count + 1:
        cycles = list(pairwise(frames))
    else:
        raise InputError(
            f"{len(frames)} boundaries for {count} cycles",
            where=where,
            remedy=f"{2 * count} (a start and an end each) or {count + 1} (one after the other)",
        )
    return Annotation(name, count, cycles_frames=tuple(cycles), kind=kind, where=where)


def _boundaries(row: Mapping[str, Any], where: str) -> list[int]:
    """Frame numbers in the order of L1, L2, ...; an empty field ends them."""
    numbered = sorted((int(m[1]), name) for name in row if (m := _BOUNDARY.fullmatch(str(name))))
    frames: list[int] = []
    ended = None
    for _, name in numbered:
        value = row[name]
        if value is None or value == "":
            ended = ended or name
            continue
        if ended:
            raise InputError(f"{name} is {shown(value)} but {ended} is empty", where=where, remedy="no gaps")
        try:
            number = float(value)
        except (TypeError, ValueError):
            number = -1.0
        if not 0 <= number < 1e9 or number % 1:
            raise InputError(
                f"{name} is {shown(value)}", where=f"{where}, column {name}", remedy="a frame number"
            )
        frames.append(int(number))
    return frames
