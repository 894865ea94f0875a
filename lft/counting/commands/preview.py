"""What `lft sweep --preview` says: the way of one trial through the whole pipeline, before a sweep is paid for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lft.counting.sweep import ClipTrial


def first_with_events(planned: Sequence[ClipTrial]) -> list[ClipTrial]:
    """The trial to try: the first whose clip has events, else the first; none of none."""
    from lft.counting.spec import parse_clip_id

    positive = [trial for trial in planned if parse_clip_id(str(trial.key["clip"]))[1]]
    return list(positive[:1] or planned[:1])


def mock_line(trial: ClipTrial) -> str:
    """How a perfect answer, written for this trial's prompt, is read and scored: 1 right, F1 1 if nothing is amiss.

    An answer without a list of times has no F1; nor has a clip of which only the number of events is known.
    """
    import numpy as np

    from lft.counting.scores import score_text
    from lft.counting.simulated import Faults, account, written

    trace = trial.trace()
    if not trace.spec.timed:
        return "a perfect answer cannot be written: when the events of this clip happen is not known"
    told = account(trace, Faults(), np.random.default_rng(0))
    text = written(told, trial.condition.prompt, 0.0)
    scores = score_text(text, trace)
    f1 = "no list, so no F1" if not scores["reported"] else f"F1 {scores['f1']:.2f}"
    right = "right" if scores["correct"] else "NOT right"
    return f"a perfect answer to it is read as {scores['final_answer']}, {right}, {f1}"
