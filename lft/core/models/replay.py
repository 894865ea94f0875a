"""`replay:FILE.jsonl`: stored answers of an earlier run, found by the trial's key.

Item, condition, replicate and turn of a trial must agree; tables show the name of the earlier model.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from lft.core.errors import InputError
from lft.core.files import read_json_lines, sha256_of
from lft.core.models import ModelSpec, without_options
from lft.core.records import JsonObject, Key
from lft.core.requests import ModelError, Request, Response


class Replay:
    """Answers with the latest stored answer to the same question."""

    is_free = True
    takes_schema = True  # it repeats what was answered under one

    def __init__(self, spec: ModelSpec) -> None:
        without_options(spec, needs_name="a responses.jsonl file")
        self._path = Path(spec.name)
        self._texts: dict[tuple[str, ...], JsonObject] = {}
        names = set()
        for line in read_json_lines(self._path, torn_tail_allowed=True):
            key = line.get("key")
            if (
                line.get("status") == "answered"
                and isinstance(key, Mapping)
                and isinstance(line.get("text"), str)
            ):
                self._texts[_identity(key)] = line
                names.add(str(key.get("model")))
        if not self._texts:
            raise InputError("holds no answers", where=self._path, expected="a responses.jsonl of a run")
        self.name = names.pop() if len(names) == 1 else "replay"

    def generate(self, request: Request) -> Response:
        """The stored answer; `ModelError` (kind `empty`) if there is none."""
        line = self._texts.get(_identity(request.key))
        if line is None:
            raise ModelError("empty", "no stored answer to this trial")
        return Response(line["text"], finish_reason=str(line.get("finish_reason") or "stop"))

    def describe(self) -> JsonObject:
        """The file's hash."""
        return {"provider": "replay", "file": self._path.name, "sha256": sha256_of(self._path)}


def _identity(key: Key) -> tuple[str, ...]:
    """The key without the model: trial and turn."""
    return tuple(f"{name}={value}" for name, value in sorted(key.items()) if name != "model")
