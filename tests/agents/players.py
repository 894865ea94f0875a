"""Servers that play: a fake provider whose answers follow from how far the conversation is."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from lft.agents.tasks import Task, unrolled
from tests.fakes.provider import FakeProvider, Fault
from tests.fakes.wire import Call

Script = Sequence[str | Fault]


def said(call: Call) -> list[str]:
    """What the model answered before, as the request tells it."""
    return [
        content for role, kind, content in call.parts if role in ("model", "assistant") and kind == "text"
    ]


def expert_script(task: Task) -> list[str]:
    """The answers of one who knows the way."""
    return [f"[Action: {action}]\nI saw it done." for action in unrolled(task.expert)]


def player(scripts: Mapping[str, Script]) -> FakeProvider:
    """A provider that answers the n-th turn of a conversation with the n-th entry of the script whose name stands in the
    first words; a fault is made once, then the entry after it counts, in whose place it stood.
    """  # noqa: E501
    made: set[tuple[str, int]] = set()

    def script_of(call: Call) -> tuple[str, Script]:
        return next((name, script) for name, script in scripts.items() if name in call.texts[0])

    def entry(call: Call) -> str | Fault:
        name, script = script_of(call)
        turn = len(said(call))
        answers = [k for k, one in enumerate(script) if isinstance(one, str)]
        place = answers[turn] if turn < len(answers) else len(script) - 1
        before = place - 1
        if before >= 0 and isinstance(script[before], Fault) and (name, before) not in made:
            made.add((name, before))
            return script[before]
        return script[place]

    def plan(call: Call) -> Fault | None:
        found = entry(call)
        return found if isinstance(found, Fault) else None

    def answer(call: Call) -> str:
        found = entry(call)
        assert isinstance(found, str)
        return found

    return FakeProvider(answer, plan)


Server = Callable[[Mapping[str, Script]], FakeProvider]
