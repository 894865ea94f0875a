"""Counts the files of LFT whose functions run while one trial is swept and scored, up to the writing of scores.csv.

Run as a script in a folder with `clips/`, `one.yaml` and `answers.json`; prints a JSON list of paths below lft/.
"""

from __future__ import annotations

import inspect
import json
import sys
import threading
from pathlib import Path
from types import FrameType
from typing import Any

PACKAGE = Path(__file__).resolve().parent.parent / "lft"
SCORES = Path("results/runs/way/scores.csv")


def main() -> None:
    """Sweeps and scores; what runs at import (bodies of modules and classes) is no function and does not count."""
    seen: set[str] = set()
    inside, function = f"{PACKAGE}/", inspect.CO_OPTIMIZED | inspect.CO_NEWLOCALS

    def called(frame: FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        name = code.co_filename
        if event == "call" and name.startswith(inside) and code.co_flags & function == function:
            seen.add(name.removeprefix(inside))

    def run(*arguments: str) -> None:
        from lft.cli import main as lft

        threading.setprofile(called)
        sys.setprofile(called)
        try:
            lft(list(arguments))
        except SystemExit as ended:
            if ended.code:
                raise
        finally:
            sys.setprofile(None)
            threading.setprofile(None)

    sys.stdout, printed = sys.stderr, sys.stdout
    run("sweep", "one.yaml", "--model", "scripted:answers.json", "--clips", "clips", "--run", "way")
    import lft.counting.readings as readings

    link = readings.link_or_copy

    def written(source: Path, target: Path) -> None:
        link(source, target)
        if target.name == SCORES.name:
            sys.setprofile(None)

    readings.link_or_copy = written  # type: ignore[assignment]
    run("score", str(SCORES.parent))
    print(json.dumps(sorted(seen)), file=printed)


if __name__ == "__main__":
    main()
