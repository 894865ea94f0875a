"""Reading files with errors that name the place, and writing them atomically."""

from __future__ import annotations

import contextlib
import hashlib
import inspect
import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import msgspec

from lft.core.errors import InputError, shown
from lft.core.records import Json, JsonObject


@contextlib.contextmanager
def writing(path: Path, remedy: str = "a folder with free space and write access") -> Iterator[None]:
    """Turns an `OSError` while `path` is written into an `InputError`."""
    try:
        yield
    except OSError as error:
        raise InputError(f"cannot write: {error.strerror or error}", where=path, remedy=remedy) from error


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Yields a temporary path beside `path` with the same suffix; renames it to `path` unless the block raises."""
    path = Path(path)
    temporary: Path | None = None
    try:
        with writing(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            handle, name = tempfile.mkstemp(prefix=f".{path.stem}-", suffix=path.suffix, dir=path.parent)
            os.close(handle)
            temporary = Path(name)
            yield temporary
            os.chmod(temporary, 0o666 & ~_umask())
            os.replace(temporary, path)
    finally:
        if temporary is not None:
            temporary.unlink(missing_ok=True)


def write_text(path: Path, text: str) -> None:
    """Writes UTF-8 text atomically; a lone surrogate is written as its escape."""
    with replacing(Path(path)) as temporary:
        temporary.write_text(text, encoding="utf-8", errors="backslashreplace")


def write_json(path: Path, document: object) -> None:
    """Writes one JSON document atomically; NaN and infinity are refused."""
    write_text(path, json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False) + "\n")


def link_or_copy(source: Path, target: Path) -> None:
    """Makes `target` a hard link to `source`, or a copy if the file system has no hard links."""
    source, target = Path(source).resolve(), Path(target)
    if target.exists() and target.samefile(source):
        return
    beside = target.with_name(f".{target.name}-{os.getpid()}")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        os.link(source, beside)
        os.replace(beside, target)
    except OSError:
        beside.unlink(missing_ok=True)
        with replacing(target) as temporary:
            shutil.copyfile(source, temporary)


def read_text(path: Path) -> str:
    """UTF-8 text without a byte order mark; raises `InputError` for a missing, unreadable or non-text file."""
    try:
        return Path(path).read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError("not UTF-8 text", where=path, expected="a text file in UTF-8") from error
    except OSError as error:
        raise InputError(
            f"cannot read: {error.strerror or error}", where=path, expected="a readable file"
        ) from error


def read_json(path: Path) -> Json:
    """One JSON document; raises `InputError` with the file and the line of the fault."""
    try:
        return json.loads(read_text(path))
    except InputError:
        raise
    except (ValueError, RecursionError) as error:  # ValueError: also a number of thousands of digits
        raise InputError(f"not JSON: {error}", where=path, expected="one JSON document") from error


def read_json_lines(path: Path, *, torn_tail_allowed: bool = False) -> Iterator[JsonObject]:
    """Yields the objects of a JSON-lines file: `numbered_json_lines` without the numbers."""
    for _, item in numbered_json_lines(path, torn_tail_allowed=torn_tail_allowed):
        yield item


def numbered_json_lines(path: Path, *, torn_tail_allowed: bool = False) -> Iterator[tuple[int, JsonObject]]:
    """Yields (line number from 1, object) of a JSON-lines file.

    With `torn_tail_allowed` an incomplete last line, as a killed writer leaves it, is skipped. Any other faulty line
    raises `InputError` with its number. A byte order mark and Windows line ends are ignored.
    """
    try:
        with open(path, "rb") as lines:
            for number, data in enumerate(lines, start=1):
                if not data.strip():
                    continue
                try:
                    item = json_in(data)
                except (ValueError, RecursionError) as error:
                    line = data.decode("utf-8-sig", errors="replace")
                    if torn_tail_allowed and not line.endswith("\n") and line.lstrip().startswith("{"):
                        return
                    raise InputError(
                        f"not JSON: {error} in {shown(line.strip()[:200])}",
                        where=f"{path}:{number}",
                        expected="one JSON object a line",
                    ) from error
                if not isinstance(item, dict):
                    raise InputError(
                        f"a JSON object was expected, found {shown(item)}",
                        where=f"{path}:{number}",
                        expected="one JSON object a line, not an array of them",
                    )
                yield number, item
    except OSError as error:
        raise InputError(
            f"cannot read: {error.strerror or error}", where=path, expected="a readable file"
        ) from error


def json_in(line: bytes) -> Json:
    """One line as JSON. Falls back to Python's reader for lone surrogates, NaN and a byte order mark."""
    try:
        return msgspec.json.decode(line)
    except (ValueError, RecursionError):
        return json.loads(line.decode("utf-8-sig", errors="replace"))


def sha256_of(path: Path) -> str:
    """SHA-256 of a file's bytes, as 64 hex digits."""
    try:
        with open(path, "rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise InputError(
            f"cannot read: {error.strerror or error}", where=path, expected="a readable file"
        ) from error


def _umask() -> int:
    current = os.umask(0)
    os.umask(current)
    return current


def fingerprint(*places: Path) -> str:
    """Twelve hex digits of a SHA-256 over names and contents of the Python files at `places` (files or folders)."""
    found = hashlib.sha256()
    for place in places:
        for path in sorted(place.rglob("*.py")) if place.is_dir() else [place]:
            found.update(path.name.encode() + b"\0" + hashlib.sha256(path.read_bytes()).digest())
    return found.hexdigest()[:12]


def fingerprint_of(thing: object) -> str | None:
    """The fingerprint of the file that defines a class or function; None if there is no such file."""
    try:
        return fingerprint(Path(inspect.getfile(thing)))  # type: ignore[arg-type]
    except (OSError, TypeError):
        return None
