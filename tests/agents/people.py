"""`lft play` in a process of its own, for tests."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

_CODE = """
import sys
from pathlib import Path
from lft.agents import tasks
from lft.cli import main
tasks.data_folder = lambda: Path("data").resolve()
main(sys.argv[1:])
"""


class Played:
    """A context manager: the command runs, `address` is its page; whatever is left of it is ended."""

    def __init__(self, *arguments: str, folder: Path) -> None:
        self._arguments: Sequence[str] = ("play", *arguments, "--no-browser", "--json")
        self._folder = folder

    def __enter__(self) -> Played:
        self._process = subprocess.Popen(
            [sys.executable, "-c", _CODE, *self._arguments], cwd=self._folder, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
        )  # fmt: skip
        assert self._process.stderr
        said = ""
        for line in self._process.stderr:
            said += line
            if found := re.search(r"http://127\.0\.0\.1:\d+/\?token=\S+", line):
                self.address = found[0]
                return self
        raise AssertionError(said)

    def __exit__(self, *_: object) -> None:
        if self._process.poll() is None:
            self._process.kill()
        self._process.communicate()

    def ended(self) -> tuple[int, str]:
        """(exit status, what it printed), once it has ended."""
        out, _ = self._process.communicate(timeout=60)
        return self._process.returncode, out

    def interrupt(self) -> None:
        """Ctrl-C."""
        self._process.send_signal(signal.SIGINT)

    def kill(self) -> None:
        """As a power cut ends it."""
        self._process.kill()
