"""`lft sweep --preview`: one trial through the whole pipeline, before a sweep is paid for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lft.counting.sweep import ClipTrial


def first_with_events(planned: Sequence[ClipTrial]) -> list[ClipTrial]:
    """The first trial whose clip has events, else the first, if there is one."""
    from lft.counting.spec import parse_clip_id

    positive = [trial for trial in planned if parse_clip_id(str(trial.key["clip"]))[1]]
    return list(positive[:1] or planned[:1])


def mock_line(trial: ClipTrial) -> str:
    """The reading and score of a perfect answer to this trial's prompt: right, and F1 1 if the pipeline works.

    There is no F1 if the prompt asks for no times, or if only the number of events is known.
    """
    import numpy as np

    from lft.counting.scores import score_text
    from lft.counting.simulated import Faults, account, written

    trace = trial.trace()
    if not trace.spec.timed:
        return "a perfect answer cannot be written: the times of this clip's events are unknown"
    told = account(trace, Faults(), np.random.default_rng(0))
    text = written(told, trial.condition.prompt, 0.0)
    scores = score_text(text, trace)
    f1 = "no list, so no F1" if not scores["reported"] else f"F1 {scores['f1']:.2f}"
    right = "right" if scores["correct"] else "NOT right"
    return f"a perfect answer to it is read as {scores['final_answer']}, {right}, {f1}"
