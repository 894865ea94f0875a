"""What the task files of an lmms-eval export call: what is shown, asked, scored and averaged.

lmms-eval gives the video to the model as it is and lets it sample. An answer is scored as by `lft score`; the
items that lmms-eval passes on are rows of scores.csv, and a metric is one entry of their summary.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

from lft.core.records import Entries, JsonObject
from lft.counting.clips import Clips
from lft.counting.scores import frame, key_row, score_text
from lft.counting.summary import totals

METRICS = ("em", "precision", "recall", "f1", "vor", "vor_pooled", "acr", "rfr", "false_alarm_rate")
DEFAULT_PROMPT = "structured_trace"
Doc = Entries


def doc_to_visual(folder: Path, doc: Doc) -> list[str]:
    """The path of the clip's video."""
    return [str(folder / str(doc["file_name"]))]


def doc_to_text(doc: Doc, kwargs: Entries | None) -> str:
    """The words of the prompt condition that the task names, between its pre_prompt and post_prompt."""
    given = kwargs or {}
    texts = json.loads(doc["texts"])
    words = texts[given.get("prompt", DEFAULT_PROMPT)]
    return f"{given.get('pre_prompt', '')}{words}{given.get('post_prompt', '')}"


def process_results(folder: Path, doc: Doc, results: Sequence[str]) -> JsonObject:
    """The scored answer, once under each metric's name."""
    trace = _clips(folder).trace(str(doc["clip_id"]))
    key = {"clip": doc["clip_id"], "model": "", "sampling": "native", "labels": "none", "prompt": ""}
    row = key_row(str(doc["clip_id"]), key, "ledger", "rate", "answered") | score_text(str(results[0]), trace)
    return dict.fromkeys(METRICS, row)


def aggregate(name: str) -> Callable[[Sequence[Entries]], float]:
    """A function from rows to the metric `name`, NaN where it does not apply to any."""

    def over(rows: Sequence[Entries]) -> float:
        value = totals(frame(rows))[name]
        return float("nan") if value is None else float(value)

    return over


@cache
def _clips(folder: Path) -> Clips:
    return Clips.open(folder)
