"""A copy of the repository in which a page of the docs can be followed, with an `lft` command of its own."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from tests.markdown import blocks

REPOSITORY = Path(__file__).resolve().parent.parent


class Checkout:
    """Everything that is named here runs in the copy, never in the repository."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for name in ("lft", "renderers", "prompts", "sweeps"):
            ignored = shutil.ignore_patterns("__pycache__")
            shutil.copytree(REPOSITORY / name, folder / name, symlinks=True, ignore=ignored)
        command = folder / "bin" / "lft"
        command.parent.mkdir()
        # Guarded: worker processes import the script that started them.
        start = 'from lft.cli import main\n\nif __name__ == "__main__":\n    main()\n'
        command.write_text(f"#!{sys.executable}\n{start}")
        command.chmod(0o755)
        path = f"{command.parent}{os.pathsep}{os.environ['PATH']}"
        self.environment = {**os.environ, "PATH": path, "PYTHONPATH": str(folder)}

    def run(self, *command: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command, cwd=self.folder, env=self.environment, capture_output=True, text=True, timeout=600
        )

    def follow(self, page: Path, tables: dict[str, str]) -> None:
        """Takes every file that a page gives.

        `tables` names the files that exist, each with the line that opens the table to add an entry to.
        """
        for block in blocks(page):
            if block.title in tables:
                _add_entry(self.folder / block.title, tables[block.title], block.text)
            elif block.title:
                target = self.folder / block.title
                assert not target.exists(), f"{block.where} would replace {block.title}"
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_text(block.text, encoding="utf-8")


def _add_entry(path: Path, opening: str, entry: str) -> None:
    text = path.read_text(encoding="utf-8")
    end = text.index("\n}\n", text.index(opening)) + 1
    path.write_text(text[:end] + entry + text[end:], encoding="utf-8")
