"""Counts the calls of LFT's functions while the trials of a sweep are asked and scored, until scores.csv is written.

Run as a script in a folder with `clips/`, `NAME.yaml` and `answers.json`: way_of_a_trial.py NAME. Prints JSON:
path below lft/ -> {path of the caller: calls}.
"""

from __future__ import annotations

import inspect
import json
import sys
import threading
from collections import Counter, defaultdict
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

PACKAGE = Path(__file__).resolve().parent.parent / "lft"


def main(name: str) -> None:
    """Sweeps and scores; what runs at import (bodies of modules and classes) is no function and does not count, nor do
    comprehensions and lambdas. The summary, which is worked out from the rows, is beside the way.
    """
    calls: dict[str, Counter[str]] = defaultdict(Counter)
    inside, function = f"{PACKAGE}/", inspect.CO_OPTIMIZED | inspect.CO_NEWLOCALS

    def called(frame: FrameType, event: str, _: Any) -> None:
        code, caller = frame.f_code, frame.f_back
        if event != "call" or not code.co_filename.startswith(inside) or code.co_name.startswith("<"):
            return
        if code.co_flags & function == function:
            while caller and not caller.f_code.co_filename.startswith(inside):
                caller = caller.f_back
            place = caller.f_code.co_filename.removeprefix(inside) if caller else ""
            calls[code.co_filename.removeprefix(inside)][place] += 1

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
    run("sweep", f"{name}.yaml", "--model", "scripted:answers.json", "--clips", "clips", "--run", name)
    import lft.counting.readings as readings

    def uncounted(made: Callable[..., Any]) -> Callable[..., Any]:
        def quiet(*arguments: Any, **options: Any) -> Any:
            sys.setprofile(None)
            found = made(*arguments, **options)
            sys.setprofile(called)
            return found

        return quiet

    for beside in ("frame", "summarise", "other_rule"):
        setattr(readings, beside, uncounted(getattr(readings, beside)))
    link = readings.link_or_copy

    def written(source: Path, target: Path) -> None:
        link(source, target)
        if target.name == "scores.csv":
            sys.setprofile(None)

    readings.link_or_copy = written  # type: ignore[assignment]
    run("score", f"results/runs/{name}")
    print(json.dumps(calls), file=printed)


if __name__ == "__main__":
    main(sys.argv[1])
