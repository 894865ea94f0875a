"""Clips as a folder of Inspect AI tasks: the clips, the current prompts, and a task file.

In the folder, `inspect eval lft/baseline` and `inspect eval baseline.py` are the same task.
"""

from __future__ import annotations

import shlex
from pathlib import Path

from lft.core.files import write_text
from lft.counting.clips import Clips
from lft.exports.clipset import conditions, copy_clips, copy_prompts

_TASK = '''"""{title}: count and time the events of the {count} clips beside this file.

    pip install "lft-bench[export]"
    inspect eval baseline.py --model MODEL -T sampling=fps:1 -T prompt=direct

`lft import inspect LOG.eval --clips .` makes a run of the log.
"""

from pathlib import Path

from inspect_ai import Task, task
from lft.exports import inspect_tasks


@task
def baseline(
    sampling: str = "native",
    labels: str = "time",
    prompt: str = "structured_trace",
    replicates: int = 1,
    rule: str = "ledger",
    tolerance: str = "rate",
) -> Task:
    folder = str(Path(__file__).resolve().parent)
    return inspect_tasks.baseline(folder, sampling, labels, prompt, replicates, rule, tolerance)
'''


def export(clips: Clips, out: Path, *, name: str) -> str:
    """Writes the folder and returns how to run it."""
    placed = copy_clips(clips, out)
    copy_prompts(placed, conditions(), out)
    title = " ".join(name.replace("\\", "").replace('"', "").split())
    write_text(out / "baseline.py", _TASK.format(title=title, count=len(placed)))
    return f"cd {shlex.quote(str(out))} && inspect eval lft/baseline --model MODEL"
