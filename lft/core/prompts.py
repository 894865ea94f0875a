"""Prompts as plain text files, so that they can be read, edited and cited exactly.

A prompt file is a sequence of sections. A line `=== name` opens one; its text runs to the next such line.

    === options          optional: `key: value` lines, such as `thinking: on`
    === system           optional: system instruction
    === user             the first turn, and again for each further turn of the same conversation
    === schema           optional: a JSON schema of the answer, for providers with structured output

`{name}` is replaced by a value when the prompt is rendered; an unknown name is an error.
`{{` and `}}` give literal braces.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from lft.core.errors import InputError, shown, unknown_name
from lft.core.files import read_text
from lft.core.records import Entries, JsonObject

_SECTIONS = ("options", "system", "user", "schema")
_HEADER = re.compile(r"^===[ \t]*(\w+)[ \t]*$", re.MULTILINE)
_PLACE = re.compile(r"\{\{|\}\}|\{(\w+)\}")


def folder() -> Path:
    """The folder of the built-in prompt files."""
    return Path(str(files("lft") / "prompts"))


def sections(text: str, *, where: object = None) -> list[tuple[str, str]]:
    """(name, text) of each section, in order; text before the first header must be empty or `#` comment lines.

    >>> sections("# why\\n=== user\\nHow many?\\n")
    [('user', 'How many?')]
    """
    parts = _HEADER.split(text)
    stray = [line for line in parts[0].splitlines() if line.strip() and not line.startswith("#")]
    if stray:
        raise InputError(
            f"text before the first section: {shown(stray[0])}",
            where=where,
            expected="a line `=== user` first",
        )
    return [(name, body.strip()) for name, body in zip(parts[1::2], parts[2::2], strict=True)]


def fill(text: str, values: Mapping[str, str], *, where: object = None) -> str:
    """Replaces `{name}` by its value; raises `InputError` for a name that has none.

    >>> fill("{n} of {{1, 2}}", {"n": "one"})
    'one of {1, 2}'
    """

    def one(found: re.Match[str]) -> str:
        if found[0] in ("{{", "}}"):
            return found[0][0]
        if found[1] not in values:
            error = unknown_name("placeholder", found[1], values, where=where)
            raise InputError(f"{error}, or {{{{{found[1][:40]}}}}} for literal braces")
        return values[found[1]]

    return _PLACE.sub(one, text)


@dataclass(frozen=True)
class Template:
    """A prompt condition.

    Attributes
    ----------
    name : file name without suffix.
    system : system instruction with placeholders, or None.
    turns : the user's text in each turn, with placeholders; at least one.
    thinking : whether extended reasoning is asked for.
    schema : a JSON schema of the answer, or None.
    sha256 : of the file's text; a run stores it to notice a change.
    """

    name: str
    system: str | None
    turns: tuple[str, ...]
    thinking: bool
    sha256: str
    schema: Entries | None = None

    @classmethod
    def load(cls, name: str, prompt_folder: Path | None = None) -> Template:
        """The condition in `conditions/NAME.txt` of `prompt_folder`, else of the package; or the file at the path
        `name`.
        """
        places = [place / "conditions" for place in (prompt_folder, folder()) if place]
        path = next((p for p in (place / f"{name}.txt" for place in places) if p.is_file()), Path())
        if name.endswith(".txt") and Path(name).is_file():
            path = Path(name)
        elif not re.fullmatch(r"\w+", name) or not path.is_file():
            raise unknown_name("prompt", name, [p.stem for place in places for p in place.glob("*.txt")])
        return cls.parse(path.stem, read_text(path), where=path)

    @classmethod
    def parse(cls, name: str, text: str, *, where: object = None) -> Template:
        """A condition from the text of a prompt file."""
        found = sections(text, where=where)
        for section, _ in found:
            if section not in _SECTIONS:
                raise unknown_name("section", section, _SECTIONS, where=where)
        turns = tuple(body for section, body in found if section == "user")
        systems = [body for section, body in found if section == "system"]
        if not turns or not all(turns) or len(systems) > 1:
            what = "missing user section, or several system sections"
            raise InputError(
                what, where=where, expected="one or more `=== user` with text, at most one `=== system`"
            )
        schemas = [_schema(body, where) for section, body in found if section == "schema"]
        if len(schemas) > 1:
            raise InputError("several schema sections", where=where, expected="one")
        options: dict[str, str] = {}
        for section, body in found:
            if section == "options":
                options.update(_options(body, where))
        digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
        thinking, schema = options.get("thinking") == "on", schemas[0] if schemas else None
        return cls(name, systems[0] if systems else None, turns, thinking, digest, schema)

    def render(self, values: Mapping[str, str]) -> Rendered:
        """The prompt with every placeholder filled."""
        where = f"prompt {self.name}"
        system = fill(self.system, values, where=where) if self.system else None
        turns = tuple(fill(turn, values, where=where) for turn in self.turns)
        return Rendered(system, turns, self.thinking, self.schema)


@dataclass(frozen=True)
class Rendered:
    """A prompt as it is sent. `sha256` is of all its words."""

    system: str | None
    turns: tuple[str, ...]
    thinking: bool
    schema: Entries | None = None

    @property
    def sha256(self) -> str:
        """64 hex digits over the system instruction and all turns."""
        return hashlib.sha256("\x00".join((self.system or "", *self.turns)).encode()).hexdigest()


def _schema(body: str, where: object) -> JsonObject:
    try:
        schema = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise InputError(
            f"the schema is not JSON: {error}", where=where, expected="one JSON schema"
        ) from None
    if not isinstance(schema, dict) or schema.get("type") != "object":
        raise InputError(
            f"the schema is {shown(schema)}", where=where, expected='a JSON object of "type": "object"'
        )
    return schema


def _options(body: str, where: object) -> dict[str, str]:
    pairs = [line.partition(":") for line in body.splitlines() if line.strip()]
    options = {key.strip(): value.strip() for key, _, value in pairs}
    for key, value in options.items():
        if key != "thinking":
            raise unknown_name("option", key, ("thinking",), where=where)
        if value not in ("on", "off"):
            raise InputError(f"thinking is {shown(value)}", where=where, expected="on or off")
    return options
