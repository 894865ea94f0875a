"""No module outside a domain's folder knows the domain by its name, nor its events by theirs."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from lft.counting.domains import BUILT_IN, DOMAINS

PACKAGE = Path(__file__).resolve().parents[3] / "lft"
# Where the words belong: the domains and their scenes, and what is read in answers.
AT_HOME = ("counting/domains/", "counting/parsing/", "renderers/")
WORDS = {w for name in BUILT_IN for w in (name, DOMAINS[name].event_type)}
WALLS = {f"{side} wall" for side in ("left", "right", "top", "bottom")}
NAMED = re.compile(rf"\b({'|'.join(sorted(WORDS | WALLS))})s?\b")


def _said(source: str) -> Iterator[tuple[int, str]]:
    """(line, text) of every string of a module that is no docstring and no example of a command (`lft clip ...`)."""
    tree = ast.parse(source)
    described = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and node.body
        if isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        if not isinstance(node, ast.Constant) or not isinstance(node.value, str) or id(node) in described:
            continue
        if not node.value.startswith("lft "):
            yield node.lineno, node.value


def _imports(source: str) -> Iterator[tuple[int, str]]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom):
            yield node.lineno, node.module or ""
        elif isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)


def _found(source: str) -> list[str]:
    texts = [*_said(source), *_imports(source)]
    return [f"line {line}: {found[0]}" for line, text in texts if (found := NAMED.search(text))]


def test_the_words_are_looked_for() -> None:
    source = (
        '"""A blink."""\nfrom lft.counting.domains.blinking import look\nx = "wall_contact"\ny = "blinked"\n'
    )
    assert _found(source) == ["line 3: wall_contact", "line 2: blinking"]
    assert {"bounce_ball", "transition", "blink", "left wall"} <= WORDS | WALLS


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(path, id=name)
        for path in sorted(PACKAGE.rglob("*.py"))
        if not (name := path.relative_to(PACKAGE).as_posix()).startswith(AT_HOME)
    ],
)
def test_domains_are_known_in_their_folders_alone(path: Path) -> None:
    assert not _found(path.read_text(encoding="utf-8"))
