"""`lft export --to lmms-eval`: tasks that its own loader lists and loads, scored as `lft score` does.

The loader is used where it can be imported, or from the search path in $LFT_LMMS_EVAL (it pins versions of
other packages, so it is best kept in a folder of its own).
"""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
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

LOADER = """
import json, sys
from lmms_eval.tasks import TaskManager
manager = TaskManager(include_path=sys.argv[1], include_defaults=False)
tasks = manager.load_task_or_group(["lft_tiny"])
task = tasks["lft_tiny_structured_trace"]
docs = list(task.test_docs())
items = [task.process_results(doc, [text]) for doc, text in zip(docs, json.loads(sys.argv[2]), strict=True)]
print(json.dumps({
    "listed": [manager.all_subtasks, manager.all_tags],
    "loaded": sorted(tasks),
    "texts": {doc["clip_id"]: task.doc_to_text(doc) for doc in docs},
    "direct": tasks["lft_tiny_direct"].doc_to_text(docs[0]),
    "visuals": [task.doc_to_visual(doc) for doc in docs],
    "targets": [task.doc_to_target(doc) for doc in docs],
    "kwargs": task.config.generation_kwargs,
    "metrics": {name: over([item[name] for item in items]) for name, over in task.aggregation().items()},
}))
"""


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


def wanted(clips: Clips) -> dict[str, Any]:
    """The summary of `TEXTS`, one for each clip in the folder's order."""
    key = {"model": "m", "sampling": "native", "labels": "none", "prompt": "p"}
    return totals(
        frame(
            key_row(c.clip_id, {"clip": c.clip_id, **key}, "ledger", "rate", "answered")
            | score_text(text, c.trace)
            for c, text in zip(clips, TEXTS, strict=True)
        )
    )


def test_its_own_loader_lists_loads_and_scores_the_tasks(
    exported: Path, clips: Clips, tmp_path: Path
) -> None:
    more = os.environ.get("LFT_LMMS_EVAL", "")
    if not more and importlib.util.find_spec("lmms_eval") is None:
        pytest.skip("lmms_eval is not installed; set LFT_LMMS_EVAL to a search path that has it")
    environment = {**os.environ, "PYTHONPATH": more, "HF_HOME": str(tmp_path), "HF_HUB_OFFLINE": "1"}
    done = subprocess.run(
        [sys.executable, "-c", LOADER, str(exported), json.dumps(TEXTS)],
        cwd=tmp_path, env=environment, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    found = json.loads(done.stdout.splitlines()[-1])
    assert "lft_tiny" in found["listed"][1]
    assert {"lft_tiny_direct", "lft_tiny_structured_trace"} <= set(found["loaded"]) <= set(found["listed"][0])
    assert found["direct"].endswith("\\boxed{N}")
    assert all("ledger" in text for text in found["texts"].values())
    assert [path for (path,) in found["visuals"]] == [
        str(exported / f"videos/{c.clip_id}.mp4") for c in clips
    ]
    assert [int(t) for t in found["targets"]] == [c.spec.count for c in clips]
    assert found["kwargs"]["until"] == []
    for name, value in found["metrics"].items():
        assert value == pytest.approx(wanted(clips)[name], abs=1e-9), name


def test_the_functions_of_its_tasks_score_as_we_do(exported: Path, clips: Clips) -> None:
    docs = [json.loads(line) for line in (exported / "samples.jsonl").read_text().splitlines()]
    items = [lmms_task.process_results(exported, d, [t]) for d, t in zip(docs, TEXTS, strict=True)]
    summary = wanted(clips)
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
