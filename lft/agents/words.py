"""The words of an episode: prompts/agents/NAME.txt, part by part, and what an answer must look like."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from lft.core.errors import InputError, unknown_name
from lft.core.files import read_text
from lft.core.prompts import fill, folder, sections
from lft.core.requests import Part
from lft.core.terminal import plural

PARTS = (
    *("first", "demonstrations", "uncaptioned", "captions", "clip", "start", "later", "state", "plan"),
    *("question", "correction", "left_out"),
)
RETRIES = 3  # of one step
FAULTS = {
    "empty": "it is empty",
    "no_action": "its first line does not name an action",
    "unknown": "it names no action that there is",
}
_LINE = re.compile(r"\[Action: (.+)\]")
_THOUGHT = re.compile(r"\s*<think(ing)?>.*?</think(ing)?>", re.DOTALL)


@dataclass(frozen=True)
class Words:
    """The parts of a file of words, by name; `sha256` is of the file's text."""

    name: str
    parts: Mapping[str, str]
    sha256: str

    @classmethod
    def load(cls, name: str, expected: tuple[str, ...] = PARTS) -> Words:
        """Those of prompts/agents/NAME.txt, or of the file that `name` is the path of; it has the `expected` parts."""
        place = folder() / "agents"
        path = Path(name) if name.endswith(".txt") else place / f"{name}.txt"
        if not path.is_file():
            raise unknown_name("words", name, [p.stem for p in place.glob("*.txt")])
        text = read_text(path)
        found = sections(text, where=path)
        for part, _ in found:
            if part not in expected:
                raise unknown_name("part", part, expected, where=path)
        lacking = [part for part in expected if part not in dict(found)]
        if lacking or len(found) != len(expected):
            what = f"lacks the part {lacking[0]}" if lacking else "has a part twice"
            raise InputError(what, where=path, expected="each part once")
        digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
        return cls(path.stem, dict(found), digest)

    def say(self, part: str, **values: object) -> str:
        """A part with its names filled in."""
        return fill(self.parts[part], {k: str(v) for k, v in values.items()}, where=f"{self.name}: {part}")


def first_line(answer: str) -> str:
    """The first line of an answer; thinking in tags before it, and blanks around it, do not count.

    >>> first_line("<think>Left?</think>\\n [Action: LEFT] \\nThe goal is there.")
    '[Action: LEFT]'
    """
    said = _THOUGHT.sub("", answer, count=1).strip()
    return said.splitlines()[0].strip() if said else ""


def introduced(words: Words, heading: str, clips: Sequence[Part]) -> list[Part | str]:
    """Demonstrations below the part of `words` that says what they are, each with its number; nothing for none."""
    found: list[Part | str] = [words.say(heading, clips=plural(len(clips), "demonstration"))] if clips else []
    for number, clip in enumerate(clips, start=1):
        found += [words.say("clip", number=number, clips=len(clips)), clip]
    return found


def action_in(answer: str, actions: tuple[str, ...]) -> tuple[str | None, str | None]:
    """(action, None), or (None, fault in `FAULTS`). The first line is `[Action: NAME]`, and nothing else, with a name
    that is exactly one of `actions`. Thinking in tags before it, and blanks around the line, do not count.

    >>> action_in("[Action: LEFT]\\nThe goal is there.", ("LEFT", "RIGHT"))
    ('LEFT', None)
    >>> [action_in(text, ("LEFT",))[1] for text in ("", "Go [Action: LEFT]", "[Action: left]", "I think\\n[Action: LEFT]")]
    ['empty', 'no_action', 'unknown', 'no_action']
    """  # noqa: E501
    said = first_line(answer)
    if not said:
        return None, "empty"
    found = _LINE.fullmatch(said)
    if not found:
        return None, "no_action"
    return (found[1], None) if found[1] in actions else (None, "unknown")
