"""The structure is part of the contract: what imports what, and how quickly the command answers."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parent.parent / "lft"
HEAVY = (
    "manim",
    "torch",
    "transformers",
    "matplotlib",
    "cv2",
    "av",
    "pandas",
    "scipy",
    "google",
    "openai",
    "ray",
)


def _imports(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module)
    return found


@pytest.mark.parametrize(
    "path", sorted((PACKAGE / "core").rglob("*.py")), ids=lambda p: p.relative_to(PACKAGE).as_posix()
)
def test_the_core_knows_nothing_of_events(path: Path) -> None:
    suites = {name for name in _imports(path) if name.startswith("lft.") and not name.startswith("lft.core")}
    assert not suites


@pytest.mark.parametrize(
    "module", ["lft", "lft.cli", "lft.core.models", "lft.counting.spec", "lft.counting.trace"]
)
def test_light_modules_load_nothing_heavy(module: str) -> None:
    code = f"import sys, json, {module}; print(json.dumps(sorted(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = {name.partition(".")[0] for name in json.loads(done.stdout)}
    assert not loaded & set(HEAVY)


def test_help_loads_no_command() -> None:
    code = "import sys; from lft.cli import app\ntry: app(['--help'])\nexcept SystemExit: pass\n"
    code += "print([m for m in sys.modules if m.startswith('lft.commands.')], 'numpy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip().endswith("[] False")


def test_every_command_in_the_table_can_be_loaded_and_says_what_it_does() -> None:
    import click

    from lft.cli import COMMANDS, app

    for name, (_, line) in COMMANDS.items():
        command = app.get_command(click.Context(app), name)
        assert isinstance(command, click.Command), name
        assert command.name == name
        assert command.help, name
        assert line.endswith(".")
