"""A suite of another package, whole: a number from 1 to 100 is guessed in up to ten turns, told by a picture each time
whether it is higher (white) or lower (black).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import click
import numpy as np

from lft.core.basic_suite import BasicStudy, BasicSuite
from lft.core.config import checked_keys
from lft.core.requests import Images, ModelError, NotApplicable, Request, Response, said, user
from lft.core.runs import Episode, Run
from lft.core.trials import Done, Foreseen
from lft.core.video.frames import Frames

MOST = 10
WORDS = {"plain": "Guess a number from 1 to 100.", "polite": "Please guess a number from 1 to 100."}


@dataclass(frozen=True)
class Game:
    id: str
    key: Mapping[str, Any]
    foreseen = Foreseen(calls=MOST, images=MOST * (MOST - 1) // 2, most_images=MOST - 1)

    def next(self, answers: Sequence[Response]) -> Request | Done:
        secret, words = int(self.key["secret"]), WORDS[str(self.key["words"])]
        messages = [user(words)]
        for answer in answers:
            found = re.search(r"\d+", answer.text)
            if not found:
                return Done("no number", {"guesses": len(answers)})
            if int(found[0]) == secret:
                return Done("found", {"guesses": len(answers)})
            higher = int(found[0]) < secret
            hint = Frames.of_pixels(np.full((1, 16, 16, 3), 255 * higher, np.uint8), [0.0])
            hint_words = "It is higher." if higher else "It is lower."
            messages += [said(answer.text), user(Images(hint, purpose="observation"), hint_words)]
        if len(answers) == MOST:
            return Done("out of turns", {"guesses": MOST})
        if secret > 100 and len(answers) == 3:
            raise NotApplicable(f"{secret} is no number from 1 to 100")
        return Request(messages, key=self.key, task={"suite": "guessing"}, kept={"guess": len(answers) + 1})

    def failed(self, answers: Sequence[Response], failure: ModelError | NotApplicable) -> Done | None:
        too_long = isinstance(failure, NotApplicable) and failure.limit == "tokens"
        return Done("overflow", {"guesses": len(answers)}) if too_long and answers else None


class Guesses(BasicStudy):
    def trials(self, model_name: str, *, to_ask: bool = True) -> list[Game]:
        entries = checked_keys(self.document, ("title", "secrets", "words"), where=f"sweep {self.name}")
        words = self.options.get("words") or entries.get("words", ["plain"])
        keys = [{"secret": s, "model": model_name, "words": w} for s in entries["secrets"] for w in words]
        return [Game(f"{key['secret']},{key['words']}", key) for key in keys]


class Guessing(BasicSuite):
    name = "guessing"
    axes = ("words",)
    measures: ClassVar = {"found": "found", "guesses": "guesses"}
    cluster = "secret"
    options: ClassVar = {"sweep": [click.Option(["--words"], multiple=True, help="plain or polite.")]}

    def study(
        self, name: str, document: Mapping[str, Any], options: Mapping[str, Any], *, where: object = None
    ) -> Guesses:
        return Guesses(name, document, options)

    def row(self, run: Run, trial: str, episode: Episode) -> dict[str, Any]:
        return {"found": int(episode.end == "found"), "guesses": episode.kept.get("guesses")}


SUITE = Guessing()
