"""`lft export --to lmms-eval`: tasks scored as `lft score` does; lmms-eval itself runs in tests/hf."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from lft.cli import main
from lft.core.prompts import Template
from lft.counting.clips import Clips
from lft.counting.scores import frame, key_row, score_text
from lft.counting.summary import totals
from lft.exports import lmms_task
from tests.tiny_clips import tiny_clips

TEXTS = [
    "no events\n\\boxed{0}",
    "1. 2.5 s - lit - count 1\n2. 3.5 s - lit - count 2\n\n\\boxed{2}",
    "1. 2.3 s - lit - count 1\n\n\\boxed{3}",
    "I cannot tell.",
    "1. 2.2 s - A -> B - count 1\n2. 2.8 s - B -> A - count 2\n\n\\boxed{3}",
]


@pytest.fixture(scope="module")
def clips(tmp_path_factory: pytest.TempPathFactory) -> Clips:
    return tiny_clips(tmp_path_factory.mktemp("clips"))


@pytest.fixture(scope="module")
def exported(clips: Clips, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("lmms") / "out"
    with pytest.raises(SystemExit) as stop:
        main(["export", str(clips.folder), "--to", "lmms-eval", "--out", str(out), "--name", "Tiny"])
    assert not stop.value.code
    return out


def wanted(clips: Clips, texts: list[str]) -> dict[str, Any]:
    """The summary of `lft score` for texts, one for each clip in the folder's order."""
    key = {"model": "m", "sampling": "native", "labels": "none", "prompt": "p"}
    return totals(
        frame(
            key_row(c.clip_id, {"clip": c.clip_id, **key}, "ledger", "rate", "answered")
            | score_text(text, c.trace)
            for c, text in zip(clips, texts, strict=True)
        )
    )


def test_the_functions_of_its_tasks_score_as_we_do(exported: Path, clips: Clips) -> None:
    docs = [json.loads(line) for line in (exported / "samples.jsonl").read_text().splitlines()]
    items = [lmms_task.process_results(exported, d, [t]) for d, t in zip(docs, TEXTS, strict=True)]
    summary = wanted(clips, TEXTS)
    for name in lmms_task.METRICS:
        assert lmms_task.aggregate(name)([item[name] for item in items]) == pytest.approx(summary[name]), name
    assert summary["em"] == 0.8  # all but "I cannot tell."
    assert summary["acr"] > 0


def test_only_conditions_that_one_message_can_carry_become_tasks(exported: Path) -> None:
    names = {path.stem.removeprefix("lft_tiny_") for path in exported.glob("*.yaml")}
    assert {"direct", "structured_trace"} <= names
    for name in names:
        template = Template.load(name)
        assert (len(template.turns), template.system, template.thinking) == (1, None, False)
    assert "two_turn_verification" not in names
    assert "role_prompting" not in names


def test_every_doc_has_the_words_of_every_task(exported: Path) -> None:
    docs = [json.loads(line) for line in (exported / "samples.jsonl").read_text().splitlines()]
    for doc in docs:
        for path in exported.glob("*.yaml"):
            prompt = path.stem.removeprefix("lft_tiny_")
            text = lmms_task.doc_to_text(doc, {"prompt": prompt, "post_prompt": " END"})
            assert text.startswith("The video lasts ")
            assert doc["question"] in text
            assert text.endswith(" END")


def test_an_average_over_nothing_is_no_number(exported: Path, clips: Clips) -> None:
    docs = [json.loads(line) for line in (exported / "samples.jsonl").read_text().splitlines()]
    empty = next(d for d in docs if d["count"] == 0)
    row = lmms_task.process_results(exported, empty, ["\\boxed{0}"])["f1"]
    assert lmms_task.aggregate("f1")([row]) != lmms_task.aggregate("f1")([row])  # NaN
    assert lmms_task.aggregate("em")([row]) == 1.0
