"""Fingerprints of source files, by which a run notices that the code which makes its answers was changed."""

from __future__ import annotations

import hashlib
import inspect
from pathlib import Path


def fingerprint(*places: Path) -> str:
    """Twelve hex digits of the SHA-256 over the Python files at `places`, files or folders, by name and content."""
    found = hashlib.sha256()
    for place in places:
        for path in sorted(place.rglob("*.py")) if place.is_dir() else [place]:
            found.update(path.name.encode() + b"\0" + hashlib.sha256(path.read_bytes()).digest())
    return found.hexdigest()[:12]


def fingerprint_of(thing: object) -> str | None:
    """The fingerprint of the file that defines a class or function; None where there is no such file."""
    try:
        return fingerprint(Path(inspect.getfile(thing)))  # type: ignore[arg-type]
    except (OSError, TypeError):
        return None
