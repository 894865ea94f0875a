"""The documentation is true: its code runs, its commands, options and links exist, it builds."""

from __future__ import annotations

import contextlib
import importlib.util
import io
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import click
import pytest

from lft.cli import app, commands
from lft.suites import SUITES, load
from tests.checkout import REPOSITORY, Checkout
from tests.markdown import blocks

DOCS = REPOSITORY / "docs"
PAGES = [REPOSITORY / "README.md", *sorted(DOCS.rglob("*.md"))]
FOLLOWED_ELSEWHERE = {
    "adding-a-domain.md": "tests/counting/test_new_domain.py",
    "adding-a-suite.md": "tests/suites/test_guessing.py",
}

# The demonstration grid with fewer clips, (1 + 2 * 2) per domain, so that pages that render it run quickly.
SMALL_DEMO = """
domains: [bounce_ball, blinking, state_machine]
counts: [0, 1, 4]
frequencies_hz: [1.0, 4.0]
seeds: 1
size: 320x180
"""


def _id(page: Path) -> str:
    return page.relative_to(REPOSITORY).as_posix()


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    made = Checkout(tmp_path_factory.mktemp("workshop"))
    (made.folder / "sweeps" / "grid_demo.yaml").write_text(SMALL_DEMO)
    shutil.copytree(REPOSITORY / "results" / "published", made.folder / "results" / "published")
    done = made.run("lft", "render", "--grid", "demo", "--jobs", "1")
    assert done.returncode == 0, done.stderr
    return made


def _runnable(page: Path) -> bool:
    return page.name not in FOLLOWED_ELSEWHERE and any(
        block.mark == "run" or (block.language == "python" and not block.title) for block in blocks(page)
    )


def _runs() -> list[Any]:
    slow = {"first-hour.md": (pytest.mark.slow,)}
    return [pytest.param(p, marks=slow.get(p.name, ()), id=_id(p)) for p in PAGES if _runnable(p)]


@pytest.mark.parametrize("page", _runs())
def test_the_code_of_a_page_runs(page: Path, workshop: Checkout, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(workshop.folder)
    names: dict[str, Any] = {"__name__": "page"}
    printed = ""
    for block in blocks(page):
        if block.title and block.language in ("yaml", "text", "csv"):
            Path(block.title).write_text(block.text, encoding="utf-8")
        elif block.title or block.mark.startswith("not run"):
            continue
        elif block.mark == "output":
            assert printed.split() == block.text.split(), f"{block.where}: printed {printed!r}"
        elif block.language == "python":
            with contextlib.redirect_stdout(io.StringIO()) as out:
                exec(compile(block.text, block.where, "exec"), names)
            printed = out.getvalue()
        elif block.mark == "run":
            done = workshop.run("sh", "-euc", block.text)
            assert done.returncode == 0, f"{block.where}\n{done.stdout}{done.stderr}"
            printed = done.stdout


def test_every_page_that_is_not_run_here_is_followed_elsewhere() -> None:
    for test in FOLLOWED_ELSEWHERE.values():
        assert (REPOSITORY / test).is_file()


def test_a_provider_added_as_the_page_says_can_be_swept(tmp_path: Path, workshop: Checkout) -> None:
    made = Checkout(tmp_path / "checkout")
    made.follow(DOCS / "adding-a-model.md", {"lft/core/models/__init__.py": "PROVIDERS: dict[str, str] = {"})
    clips = str(workshop.folder / "results/clips/demo")
    sweep = ("lft", "sweep", "demo", "--clips", clips, "--sampling", "fps:1", "--run", "mine", "--limit", "3")
    done = made.run(*sweep, "--model", "mine:first?temperature=0.5")
    assert done.returncode == 0, done.stderr
    assert "3 answered" in done.stdout
    refused = made.run(*sweep, "--model", "mine:first?temprature=0.5")
    assert refused.returncode == 2
    assert "temperature (did you mean this?)" in refused.stderr


def _command_lines(page: Path) -> list[str]:
    """Lines that name a command: of shell blocks, and of text with `lft ...` in it."""
    text = page.read_text(encoding="utf-8").replace("\\\n", " ")
    return [line for line in text.splitlines() if re.search(r"\blft [a-z]", line)]


def _options(command: click.Command) -> set[str]:
    found = {"--help"}
    for part in (command, *getattr(command, "commands", {}).values()):
        own = [*part.get_params(click.Context(part))]
        own += [option for name in SUITES for option in load(name).options.get(str(part.name), ())]
        found |= {option for parameter in own for option in parameter.opts}
    return found


@pytest.mark.parametrize("page", PAGES, ids=_id)
def test_commands_and_options_exist(page: Path) -> None:
    for line in _command_lines(page):
        named = set(re.findall(r"(?:`|^|\| |&& )lft ([a-z]+)\b", line))  # in code, not in a sentence
        assert named <= set(commands()), f"{page.name}: {line}"
        if len(named) == 1:
            command = app.get_command(click.Context(app), named.pop())
            assert command is not None
            given = set(re.findall(r"(?<![\w-])(--[a-z][a-z-]+)", line))
            assert given <= _options(command), f"{page.name}: {line}"


def test_the_first_hour_makes_what_make_demo_makes() -> None:
    # The page goes on from `make demo`; another model under the same run name would be refused.
    made = [
        line.strip().replace("$(LFT)", "lft") for line in (REPOSITORY / "Makefile").read_text().splitlines()
    ]
    page = (REPOSITORY / "docs" / "first-hour.md").read_text()
    (sweep,) = [line for line in made if line.startswith("lft sweep demo --model 'simulated")]
    assert sweep in page


def test_every_command_is_documented() -> None:
    text = (DOCS / "commands.md").read_text(encoding="utf-8")
    assert [name for name in commands() if f"`lft {name}`" not in text] == []


@pytest.mark.parametrize("page", PAGES, ids=_id)
def test_make_targets_exist(page: Path) -> None:
    targets = set(re.findall(r"^([a-z-]+):", (REPOSITORY / "Makefile").read_text(), re.MULTILINE))
    named = set(re.findall(r"(?:`|^|&& )make ([a-z-]+)", page.read_text(encoding="utf-8"), re.MULTILINE))
    assert named <= targets


@pytest.mark.parametrize("page", PAGES, ids=_id)
def test_links_lead_somewhere(page: Path) -> None:
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if not re.match(r"https?:|#|mailto:", target):
            assert (page.parent / target.partition("#")[0]).exists(), f"{page.name}: {target}"


def test_prompts_and_sweeps_that_pages_name_exist() -> None:
    for page in PAGES:
        for path in re.findall(r"`((?:sweeps|prompts|tests|lft|renderers)/[\w./-]+\.\w+)`", page.read_text()):
            given = {block.title for block in blocks(page)}
            fits = "DOMAIN" in path or (REPOSITORY / path).exists() or path in given
            assert fits, f"{page.name}: {path}"


def _pictures() -> Any:
    path = DOCS / "pictures" / "make.py"
    spec = importlib.util.spec_from_file_location("lft_docs_pictures", path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_pictures_can_be_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = _pictures()
    monkeypatch.setattr(made, "HERE", tmp_path)
    for name in ("trace", "sampling", "pairs", "surface"):
        getattr(made, name)()
        assert (tmp_path / f"{name}.svg").stat().st_size > 5000
        assert not (tmp_path / f"{name}.png").exists()


def test_every_picture_is_shown_and_can_be_made() -> None:
    made = _pictures()
    shown = {m for page in PAGES for m in re.findall(r"\]\((?:docs/)?pictures/([\w.-]+)\)", page.read_text())}
    stored = {path.name for path in (DOCS / "pictures").iterdir() if path.suffix in (".png", ".svg")}
    assert shown <= stored
    assert all(callable(getattr(made, Path(name).stem)) for name in stored)


@pytest.mark.slow
def test_the_docs_build_without_warnings_and_fetch_nothing(tmp_path: Path) -> None:
    pytest.importorskip("mkdocs")
    pytest.importorskip("mkdocstrings")
    site = tmp_path / "site"
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "-d", str(site)],
        cwd=REPOSITORY,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1", "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    pages = list(site.rglob("*.html"))
    assert len(pages) >= 15
    for page in pages:
        text = page.read_text(encoding="utf-8")
        loaded = re.findall(r"<(?:script|img|iframe|source)[^>]*\ssrc=\"?(https?:[^\s\">]+)", text)
        links = re.findall(r"<link[^>]*>", text)
        loaded += [link for link in links if re.search("stylesheet|preconnect|icon", link) and "http" in link]
        assert not loaded, f"{page.name} loads {loaded}"
