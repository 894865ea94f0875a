"""Docstrings of LFT as Markdown: sections of `name : description` as lists, examples as code."""

from __future__ import annotations

import re
from typing import Any

import griffe

_ITEMS = ("Attributes", "Parameters", "Raises")
_ITEM = re.compile(r"(?P<names>[A-Za-z_*][\w*, ]*) : (?P<words>.*)")
_EXAMPLE = re.compile(r"^(?P<indent> *)>>> .*\n?(?:(?P=indent)\S.*\n?)*", re.MULTILINE)


class Docstrings(griffe.Extension):
    """Puts every docstring into Markdown before it is shown."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Changes the docstring of one object."""
        if obj.docstring:
            obj.docstring.value = markdown(obj.docstring.value)


def markdown(text: str) -> str:
    """One docstring as Markdown."""
    lines = text.splitlines()
    out: list[str] = []
    in_items = False
    skip = False
    for line, after in zip(lines, [*lines[1:], ""], strict=True):
        if skip:  # the dashes under a heading
            skip = False
        elif line and not line.startswith(" ") and re.fullmatch(r"-{3,}", after.strip()):
            out += [f"**{line}**", ""]
            in_items, skip = line in _ITEMS, True
        elif in_items and (item := _ITEM.fullmatch(line)):
            names = ", ".join(f"`{name.strip()}`" for name in item["names"].split(","))
            out.append(f"- {names}: {item['words']}")
        elif in_items and line.startswith("    "):
            out.append(f"    {line.strip()}")
        else:
            in_items = in_items and not line
            out.append(line)
    parts = re.split(r"(`[^`\n]+`|^ *>>> .*\n?(?:^ *\S.*\n?)*|^    .*$)", "\n".join(out), flags=re.MULTILINE)
    parts[::2] = [re.sub(r"<(?=[A-Za-z/])", "&lt;", part) for part in parts[::2]]  # <name> is no tag
    return _EXAMPLE.sub(_fence, "".join(parts))


def _fence(found: re.Match[str]) -> str:
    """An example in a fence; it ends at an empty line."""
    indent, body = found["indent"], found[0].rstrip("\n")
    return f"{indent}```pycon\n{body}\n{indent}```\n"
