"""A sweep as a process of its own, to be killed: `python -m tests.core.night_child FOLDER SPEC COUNT
CONCURRENCY`.

With the word `nursery` before them, the same sweep once for each line on standard input, each in a fork,
whose process id is printed: the imports are paid once.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

from lft.core import models
from lft.core.ask import Limits, ask
from lft.core.runs import Recorder
from tests.core.asking import MANIFEST, questions


def main(folder: str, spec: str, count: str, concurrency: str) -> int:
    model = models.load(spec)
    with Recorder(Path(folder), MANIFEST) as recorder:
        print("begun", flush=True)
        limits = Limits(concurrency=int(concurrency), first_pause_s=0.01)
        try:
            tally = ask(recorder, model, questions(int(count)), limits)
        except KeyboardInterrupt:
            return 130
    print(
        json.dumps(
            {
                "answered": tally.answered,
                "missing": tally.missing,
                "errors": tally.errors,
                "stopped": tally.stopped,
            }
        )
    )
    return 1 if tally.missing else 0


def nursery(*arguments: str) -> int:
    models.load(arguments[1])  # imports the SDK; a fork makes its own client
    for _ in sys.stdin:
        child = os.fork()
        if child == 0:
            os._exit(main(*arguments))
        print(child, flush=True)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
    return 0


if __name__ == "__main__":
    words = sys.argv[1:]
    sys.exit(nursery(*words[1:]) if words[0] == "nursery" else main(*words))
