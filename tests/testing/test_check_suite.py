"""The contract of suites holds for a suite of another package, and notices suites that are wrong in one way."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from lft.core.requests import Request, Response
from lft.core.suite import Told
from lft.core.trials import Done, Foreseen
from lft.suites import load
from lft.testing import check_suite
from tests.suites.guessing import SUITE, Game, Guesses, Guessing

SWEEP = {"title": "Guess", "secrets": [50, 3], "words": ["plain", "polite"]}
_CALLS = itertools.count()


def halving(request: Request) -> str:
    """The middle of what the hints leave."""
    low, high = 1, 100
    messages = request.messages
    for guess, hint in itertools.pairwise(messages):
        if guess.role == "model":
            low, high = (int(guess.text) + 1, high) if "higher" in hint.text else (low, int(guess.text) - 1)
    return str((low + high) // 2)


def test_a_suite_can_keep_the_contract() -> None:
    check_suite(SUITE, SWEEP, halving)  # found
    check_suite(SUITE, SWEEP, lambda request: "7")  # out of turns
    check_suite(SUITE, SWEEP, lambda request: "no idea")  # ends at once


def test_counting_keeps_the_contract() -> None:
    clips = Path(__file__).resolve().parents[1] / "data" / "old_run" / "clips"
    conditions = [{"sampling": ["native", "fps:1"], "prompt": ["direct", "two_turn_verification"]}]
    sweep = {"title": "Few", "grid": "few", "conditions": conditions}
    check_suite(load("counting"), sweep, lambda request: "\\boxed{2}", {"clips_folder": clips})


@dataclass(frozen=True)
class Forgetful(Game):
    """Says something else whenever it is asked."""

    def next(self, answers: Sequence[Response]) -> Request | Done:
        found = super().next(answers)
        return replace_kept(found, {"call": next(_CALLS)}) if isinstance(found, Request) else found


def replace_kept(request: Request, kept: Mapping[str, Any]) -> Request:
    return Request(request.messages, request.system, request.key, request.task, kept=kept)


@dataclass(frozen=True)
class Silent(Game):
    def next(self, answers: Sequence[Response]) -> Request | Done:
        return "over"  # type: ignore[return-value]


@dataclass(frozen=True)
class Underestimated(Game):
    foreseen = Foreseen(calls=2, images=100, most_images=100)


@dataclass(frozen=True)
class Pictureless(Game):
    foreseen = Foreseen(calls=10)


@dataclass(frozen=True)
class Wordless(Game):
    def next(self, answers: Sequence[Response]) -> Request | Done:
        found = super().next(answers)
        return replace(found, how="") if isinstance(found, Done) else found


def of(game: type[Game], **changes: Any) -> Guessing:
    """The suite with another game."""

    class Other(Guesses):
        def trials(self, model_name: str, *, to_ask: bool = True) -> list[Game]:
            return [game(one.id, one.key) for one in super().trials(model_name, to_ask=to_ask)]

    def study(self: Any, name: str, document: Any, options: Any, *, where: object = None) -> Guesses:
        return Other(name, document, options)

    return type("Wrong", (Guessing,), {"study": study, **changes})()  # type: ignore[no-any-return]


def one_id(self: Any, model_name: str, *, to_ask: bool = True) -> list[Game]:
    return [Game("same", {"secret": s, "words": "plain"}) for s in (1, 2)]


@pytest.mark.parametrize(
    ("suite", "says"),
    [
        (of(Game, name="Guess!"), "name is 'Guess!'"),
        (of(Game, axes=["words"]), "axes is ['words']; expected a tuple of texts"),
        (of(Game, axes=("words", "height")), "the key of 50,plain lacks the axis height"),
        (of(Game, commands={"play": "play"}), "command play is 'play'"),
        (of(Forgetful), "a new trial that is given the same answers goes on otherwise"),
        (of(Silent), "next() of 50,plain gave 'over'; expected a Request or Done"),
        (of(Underestimated), "asks once more; foreseen are 2 calls"),
        (of(Pictureless), "1 images in one request; foreseen are 0"),
        (of(Wordless), "how it ended is ''"),
        (of(Game, score=lambda self, run, options: Told({}, "", None)), "score() says nothing"),
        (of(Game, group=lambda self, by, key: None), "group('words') of 50,plain is no text"),
    ],
)
def test_a_suite_that_is_wrong_is_noticed(suite: Guessing, says: str) -> None:
    with pytest.raises(AssertionError) as found:
        check_suite(suite, SWEEP, lambda request: "7")
    assert says in str(found.value)


def test_trials_of_one_id_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Guesses, "trials", one_id)
    with pytest.raises(AssertionError, match="guessing: two trials have one id: \\['same', 'same'\\]"):
        check_suite(SUITE, SWEEP)
