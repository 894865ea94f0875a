"""`scripted:FILE`: answers from a list, in order. For tests and prompt development.

FILE is a JSON list. An item is the answer's text, or an object: {"text": ...} or {"error": kind,
"message": ...}. After the last item the list starts again.
"""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

from lft.core.errors import InputError
from lft.core.files import read_json, sha256_of
from lft.core.models import ModelSpec, without_options
from lft.core.records import JsonObject
from lft.core.requests import ModelError, Request, Response


class Scripted:
    """Answers any request with the next item of its list."""

    name = "scripted"
    is_free = True
    takes_schema = True  # its file says what it answers

    def __init__(self, spec: ModelSpec) -> None:
        without_options(spec, needs_name="a JSON file with a list of answers")
        self._path = Path(spec.name)
        items = read_json(self._path)
        if not isinstance(items, list) or not items or not all(isinstance(i, (str, dict)) for i in items):
            raise InputError(
                "not a list of answers", where=self._path, expected='a JSON list such as ["\\\\boxed{1}"]'
            )
        self._items: list[Any] = items
        self._next = 0
        self._lock = threading.Lock()

    def generate(self, request: Request) -> Response:
        """The next answer, or its error."""
        with self._lock:
            item = self._items[self._next % len(self._items)]
            self._next += 1
        if isinstance(item, str):
            return Response(item)
        if "error" in item:
            raise ModelError(str(item["error"]), str(item.get("message", "scripted")))
        return Response(str(item.get("text", "")), finish_reason=str(item.get("finish_reason", "stop")))

    def describe(self) -> JsonObject:
        """The file and its hash."""
        return {"provider": "scripted", "file": self._path.name, "sha256": sha256_of(self._path)}
