"""Trials and models for tests of asking: small, in memory, with every call counted."""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lft.core.requests import ModelError, Request, Response, said, user
from lft.core.trials import Done, Foreseen

MANIFEST: dict[str, Any] = {
    "suite": "test",
    "model": {"name": "m"},
    "prompts": {"p": {"turns": 1}},
    "clips": {},
}


@dataclass(frozen=True)
class Question:
    """A trial whose words are its id and, in later turns, what was answered before."""

    id: str
    key: Mapping[str, Any]
    turns: int = 1

    @property
    def foreseen(self) -> Foreseen:
        return Foreseen(self.turns)

    def next(self, answers: Sequence[Response]) -> Request | Done:
        if len(answers) == self.turns:
            return Done("answered")
        messages = [user(f"question {self.id}")]
        for answer in answers:
            messages += [said(answer.text), user("look again")]
        return Request(messages, key=self.key)


def questions(count: int, *, turns: int = 1, **key: Any) -> list[Question]:
    return [
        Question(f"t{k:03d}", {"clip": f"c{k}", "prompt": "p", "replicate": 0, **key}, turns)
        for k in range(count)
    ]


@dataclass
class Counting:
    """Answers `answer of ID`; `fails(id, call number)` may give an exception to raise instead."""

    fails: Callable[[str, int], Exception | None] = lambda trial, call: None
    cost_usd: Callable[[str], float | None] = lambda trial: None
    name: str = "m"
    asked: Counter[str] = field(default_factory=Counter)
    requests: list[Request] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def generate(self, request: Request) -> Response:
        trial = request.text.split()[1]
        with self.lock:
            self.asked[trial] += 1
            call = self.asked[trial]
            self.requests.append(request)
        error = self.fails(trial, call)
        if error is not None:
            raise error
        return Response(f"answer of {trial}", cost_usd=self.cost_usd(trial))

    def describe(self) -> dict[str, Any]:
        return {"provider": "test"}


def always(kind: str) -> Callable[[str, int], Exception]:
    return lambda trial, call: ModelError(kind, f"planned {kind}")


def lines_of(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "responses.jsonl").read_text().splitlines()]
