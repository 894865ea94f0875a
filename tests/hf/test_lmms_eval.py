"""lmms-eval itself, from the search path in $LFT_LMMS_EVAL: its loader lists and loads an export, and a run of its
command gives the scores of `lft score`.
"""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from lft.counting.clips import Clips
from lft.exports import lmms_eval
from tests.exports.test_lmms_eval import TEXTS, wanted
from tests.tiny_clips import tiny_clips

pytestmark = pytest.mark.slow  # it takes seconds to import

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
    lmms_eval.export(clips, out, name="tiny")
    return out


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., str]:
    """python(argument, ...): what a Python that finds lmms-eval prints, offline."""
    more = os.environ.get("LFT_LMMS_EVAL", "")
    if not more and importlib.util.find_spec("lmms_eval") is None:
        pytest.skip("lmms_eval is not installed; `make test-hf` does that")
    home = tmp_path_factory.mktemp("home")
    environment = {**os.environ, "PYTHONPATH": more, "HF_HOME": str(home), "HF_HUB_OFFLINE": "1"}

    def run(*arguments: object) -> str:
        command = [sys.executable, *map(str, arguments)]
        done = subprocess.run(command, cwd=home, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr[-3000:]
        return done.stdout

    return run


def test_its_loader_lists_loads_and_scores_the_tasks(
    python: Callable[..., str], exported: Path, clips: Clips
) -> None:
    found = json.loads(python("-c", LOADER, exported, json.dumps(TEXTS)).splitlines()[-1])
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
        assert value == pytest.approx(wanted(clips, TEXTS)[name], abs=1e-9), name


def test_a_run_of_its_command_gives_the_scores_of_lft(
    python: Callable[..., str], exported: Path, clips: Clips, tmp_path: Path
) -> None:
    """The model `dummy` opens every video and says the same of each."""
    printed = python(
        "-m", "lmms_eval", "--include_path", exported, "--tasks", "lft_tiny_direct", "--model", "dummy",
        "--model_args", "response=\\boxed{3},decode_num_frames=2", "--output_path", tmp_path,
    )  # fmt: skip
    assert "lft_tiny_direct" in printed
    (path,) = tmp_path.rglob("*_results.json")
    results = json.loads(path.read_text())["results"]["lft_tiny_direct"]
    expected = wanted(clips, ["\\boxed{3}"] * len(clips))
    assert expected["em"] == 0.4  # two of the five clips hold three events
    for name in lmms_eval.METRICS:
        assert results[f"{name},none"] == pytest.approx(expected[name], abs=1e-9), name
