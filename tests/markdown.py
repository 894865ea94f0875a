"""Code blocks of the documentation, as the tests of it read them.

A block is a fence at the start of a line. The line before it may say what to do with it:

    <!-- run -->             a shell block that is run
    <!-- output -->          what the block before it prints
    <!-- not run: why -->    a Python block that needs what a test has not
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

_FENCE = re.compile(
    r"^(?:<!--\s*(?P<mark>[^>]*?)\s*-->\n)?```(?P<language>\w*)(?P<rest>[^\n`]*)\n(?P<text>.*?)^```\s*$",
    re.MULTILINE | re.DOTALL,
)


@dataclass(frozen=True)
class Block:
    """One code block; `title` is the file that it is, if it is one."""

    page: Path
    line: int
    language: str
    title: str | None
    mark: str
    text: str

    @property
    def where(self) -> str:
        return f"{self.page.name}:{self.line}"


def blocks(page: Path) -> list[Block]:
    """The code blocks of a page, in order."""
    text = page.read_text(encoding="utf-8")
    found = []
    for fence in _FENCE.finditer(text):
        title = re.search(r'title="([^"]+)"', fence["rest"])
        line = text.count("\n", 0, fence.start()) + 1
        mark = fence["mark"] or ""
        found.append(Block(page, line, fence["language"], title and title[1], mark, fence["text"]))
    return found
