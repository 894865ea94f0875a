"""Examples in docstrings as code: without this, Markdown takes `>>>` for a quotation."""

from __future__ import annotations

import re
from typing import Any

import griffe

_EXAMPLE = re.compile(r"^(?P<indent> *)>>> .*\n?(?:(?P=indent)\S.*\n?)*", re.MULTILINE)


class Doctests(griffe.Extension):
    """Puts a fence around every example."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Changes the docstring of one object."""
        if obj.docstring:
            obj.docstring.value = fenced(obj.docstring.value)


def fenced(text: str) -> str:
    """A docstring with its examples in fences.

    An example ends at an empty line.
    """

    def fence(found: re.Match[str]) -> str:
        indent, body = found["indent"], found[0].rstrip("\n")
        return f"{indent}```pycon\n{body}\n{indent}```\n"

    return _EXAMPLE.sub(fence, text)
