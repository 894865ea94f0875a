"""The structure is part of the contract: what imports what, and how quickly the command answers."""

from __future__ import annotations

import ast
import json
import re
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


def _modules() -> dict[str, Path]:
    """Every module of the package by its dotted name, the scenes (a linked folder) among them."""
    files = [*PACKAGE.rglob("*.py"), *(PACKAGE / "renderers").glob("*.py")]
    named = {
        path.relative_to(PACKAGE.parent).with_suffix("").as_posix().replace("/", "."): path for path in files
    }
    return {name.removesuffix(".__init__"): path for name, path in named.items()}


MODULES = _modules()
SUITES = sorted(  # a folder that is neither shared nor made for other tools
    path.name
    for path in PACKAGE.iterdir()
    if (path / "__init__.py").is_file()
    and path.name not in ("core", "commands", "exports", "renderers", "testing")
)


def _imports(path: Path) -> set[str]:
    """The modules of LFT that a file imports, at its head, in a function or for types only."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            parts = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= {part for part in parts if part in MODULES} or {node.module}
            if not all(part in MODULES for part in parts):
                found.add(node.module)
    return {name for name in found if name in MODULES}


IMPORTS = {name: _imports(path) - {name} for name, path in MODULES.items()}


def _circles(arrows: dict[str, set[str]]) -> list[list[str]]:
    """Groups of names that lead back to themselves: what is left when all that leads nowhere is taken away."""
    left = dict(arrows)
    while ends := [name for name, to in left.items() if not to & left.keys()]:
        for name in ends:
            del left[name]
    while starts := [name for name in left if not any(name in to for to in left.values())]:
        for name in starts:
            del left[name]
    return [sorted(left)] if left else []


def test_circles_are_found() -> None:
    arrows = {"a": {"b"}, "b": {"c"}, "c": {"b", "d"}, "d": set[str]()}
    assert _circles(arrows) == [["b", "c"]]
    assert not _circles({"a": {"b", "c"}, "b": {"c"}, "c": set()})


def test_no_module_leads_back_to_itself() -> None:
    assert not _circles(IMPORTS)


@pytest.mark.parametrize("name", [name for name in MODULES if name.startswith("lft.core")])
def test_the_core_imports_the_core_alone(name: str) -> None:
    assert not {other for other in IMPORTS[name] if not other.startswith("lft.core")}


@pytest.mark.parametrize("suite", SUITES)
def test_a_suite_imports_no_other_and_no_common_command(suite: str) -> None:
    others = tuple(f"lft.{other}." for other in (*SUITES, "commands") if other != suite)
    arrows = {
        (name, to)
        for name, imports in IMPORTS.items()
        if name.startswith(f"lft.{suite}")
        for to in imports
        if f"{to}.".startswith((*others, "lft.cli.", "lft.api."))
    }
    assert not arrows


def test_nothing_but_the_command_line_imports_its_commands() -> None:
    arrows = {
        (name, to) for name, imports in IMPORTS.items() for to in imports if to.startswith("lft.commands.")
    }
    assert not {arrow for arrow in arrows if not arrow[0].startswith(("lft.commands", "lft.cli"))}


# Words of the suites: what they ask about, what happens in it, and what they call their files and rules.
SUITE_WORDS = {
    *(
        "clip",
        "clips",
        "event",
        "events",
        "domain",
        "domains",
        "trace",
        "traces",
        "ledger",
        "frontier",
        "frontiers",
    ),
    *("observer", "simulated", "counting", "ceiling", "bounce", "blink", "blinking"),
}
# (file, word) -> where the word has another meaning than a suite's
OTHER_MEANINGS = {
    ("core/models/openai_client.py", "event"): "hooks of an HTTP client",
    ("core/stats.py", "clip"): "numpy's bound on numbers",
}


def _words(line: str) -> set[str]:
    """The words of a line of code, parts of identifiers among them; `threading.Event` is none."""
    line = re.sub(r"threading\.Event", "", line)
    return {word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+", line)}


def test_words_are_found_inside_identifiers() -> None:
    assert _words("def clip_trace(EventTimes, x2domain): # threading.Event") >= {
        "clip",
        "trace",
        "event",
        "domain",
    }
    assert "event" not in _words("stop: threading.Event")
    assert not _words("traceback of an eventual eclipse") & SUITE_WORDS


@pytest.mark.parametrize(
    "path", sorted((PACKAGE / "core").rglob("*.py")), ids=lambda p: p.relative_to(PACKAGE).as_posix()
)
def test_the_core_speaks_the_words_of_no_suite(path: Path) -> None:
    name = path.relative_to(PACKAGE).as_posix()
    found = {
        (number, word)
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
        for word in _words(line) & SUITE_WORDS
        if (name, word) not in OTHER_MEANINGS
    }
    assert not found


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

    from lft.cli import app, commands

    for name, listed in commands().items():
        command = app.get_command(click.Context(app), name)
        assert isinstance(command, click.Command), name
        assert command.name == name
        assert command.help, name
        assert listed.help.endswith(".")
