"""Reads users' tables: CSV with a header, JSON lines or a JSON list. Rows have their line number, for errors.

The delimiter of a CSV is the most frequent of comma, semicolon and tab in its header.
"""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TextIO

from lft.core.errors import InputError, shown
from lft.core.records import JsonObject

_MOST_CHARACTERS = 10_000_000  # of one field
_DELIMITERS = ",;\t"


def rows_of(path: Path, *, short_allowed: bool = False) -> Iterator[tuple[int, JsonObject]]:
    """(line number, row) of a CSV file with a header, of JSON lines, or of a JSON list (by suffix or first character).

    An empty field of a CSV is None; with `short_allowed` so are missing fields at the end of a row. In a JSON list the
    number is that of the entry.
    """
    try:
        with open(path, encoding="utf-8-sig", newline="") as file:
            first = file.read(1)
            json_lines = Path(path).suffix.lower() in (".jsonl", ".ndjson") or first == "{"
            file.seek(0)
            if first == "[" and not json_lines:
                yield from _json_list(file.read(), path)
            else:
                yield from (_json_rows(file, path) if json_lines else _csv_rows(file, path, short_allowed))
    except UnicodeDecodeError as error:
        raise InputError(
            "not UTF-8 text", where=path, expected="a CSV or JSON lines file in UTF-8"
        ) from error
    except OSError as error:
        raise InputError(
            f"cannot read: {error.strerror or error}", where=path, expected="a readable file"
        ) from error


def _json_rows(file: Iterable[str], path: Path) -> Iterator[tuple[int, JsonObject]]:
    for number, line in enumerate(file, start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise InputError(
                f"not JSON: {error}", where=f"{path}:{number}", expected="one JSON object a line"
            ) from error
        if not isinstance(row, dict):
            raise InputError(
                f"found {shown(row)}", where=f"{path}:{number}", expected="one JSON object a line"
            )
        yield number, row


def _json_list(text: str, path: Path) -> Iterator[tuple[int, JsonObject]]:
    try:
        rows = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"not JSON: {error}", where=path, expected="a list of JSON objects") from error
    for number, row in enumerate(rows, start=1):
        if not isinstance(row, dict):
            raise InputError(
                f"found {shown(row)}", where=f"{path}:{number}", expected="a list of JSON objects"
            )
        yield number, row


def _csv_rows(file: TextIO, path: Path, short_allowed: bool) -> Iterator[tuple[int, JsonObject]]:
    csv.field_size_limit(_MOST_CHARACTERS)
    head = file.readline(_MOST_CHARACTERS)
    file.seek(0)
    reader = csv.reader(file, strict=True, delimiter=max(_DELIMITERS, key=head.count))
    line = 1
    header: list[str] | None = None
    try:
        for fields in reader:
            begun, line = line, reader.line_num + 1
            if not any(field.strip() for field in fields):
                continue
            if header is None:
                header = [name.strip() for name in fields]
                twice = [name for name, n in Counter(header).items() if n > 1 and name]
                if twice:
                    raise InputError(f"two columns are called {shown(twice[0])}", where=f"{path}:{begun}")
                continue
            while len(fields) > len(header) and not fields[-1].strip():
                fields.pop()
            if short_allowed:
                fields += [""] * (len(header) - len(fields))
            if len(fields) != len(header):
                raise InputError(
                    f"{len(fields)} fields under {len(header)} columns", where=f"{path}:{begun}",
                    expected="as many fields as the header has, with quotes round a field that holds a comma",
                )  # fmt: skip
            yield begun, {name: field or None for name, field in zip(header, fields, strict=True)}
    except csv.Error as error:
        raise InputError(
            f"not CSV: {error}", where=f"{path}:{line}", expected="a CSV file with a header"
        ) from error
