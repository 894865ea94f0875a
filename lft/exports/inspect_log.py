"""The answers in an Inspect AI log (`.eval` or `.json`) of LFT's own or any other task over the same clips.

The clip of a sample is `clip` in its metadata, else its id. Missing sampling, labels and prompt
are the caller's defaults. Epochs are replicates. A sample
with an error, or without output, is a trial without an answer.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from lft.core.conditions import MODEL_CONDITION
from lft.core.errors import InputError, shown
from lft.counting.answers import DEFAULTS, Answer, checked_axes


def read_log(path: Path, defaults: Mapping[str, str] | None = None) -> Iterator[Answer]:
    """The answers of a log; raises `InputError` if the file is not one."""
    try:
        from inspect_ai.log import read_eval_log
    except ImportError as error:
        raise InputError("inspect_ai is not installed", remedy="pip install 'lft-bench[export]'") from error
    if not Path(path).is_file():
        raise InputError("no such file", where=path, expected="a log of `inspect eval`")
    try:
        log = read_eval_log(str(path))
    except Exception as error:  # whatever a file that is no log makes a reader of several formats raise
        raise InputError(
            f"cannot be read as a log ({error})", where=path, expected="a log of `inspect eval`"
        ) from error
    fallback = {**DEFAULTS, "model": log.eval.model, **(defaults or {})}
    epochs = max((sample.epoch for sample in log.samples or []), default=1)
    for number, sample in enumerate(log.samples or [], start=1):
        where = f"{path}: sample {number}"
        metadata = sample.metadata if isinstance(sample.metadata, dict) else {}
        axes = checked_axes(
            {name: str(metadata.get(name) or fallback[name]) for name in MODEL_CONDITION}, where
        )
        replicate = _whole(metadata.get("replicate"), where)
        yield Answer(
            str(metadata.get("clip") or sample.id),
            sample.output.completion if sample.output.choices and not sample.error else None,
            axes["model"],
            axes["sampling"],
            axes["labels"],
            axes["prompt"],
            replicate=(replicate or 0) * epochs + sample.epoch - 1,
            where=where,
        )


def _whole(value: object, where: str) -> int | None:
    if value is None or (isinstance(value, int) and not isinstance(value, bool) and value >= 0):
        return value
    raise InputError(f"replicate is {shown(value)}", where=where, expected="0, 1, 2, ...")
