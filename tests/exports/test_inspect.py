"""Inspect AI: its eval over exported clips scores as `lft score` does, and its log becomes a run."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from lft.cli import main
from lft.core.runs import Run
from lft.counting.clips import Clips
from lft.counting.scores import frame, score_run
from lft.counting.summary import summarise
from tests.tiny_clips import tiny_clips

# The task of the export with Inspect's mock model, which says the given texts one after the other.
SAID = """
from inspect_ai import Task, task, task_with
from inspect_ai.model import ModelOutput, get_model

from baseline import baseline

TEXTS = {texts}


def said(texts: list[str], made: Task, **changes) -> Task:
    outputs = [ModelOutput.from_content("mockllm/model", text) for text in texts]
    model = get_model("mockllm/model", memoize=False, custom_outputs=outputs)
    return task_with(made, model=model, **changes)


@task
def once() -> Task:
    return said(TEXTS, baseline())


@task
def two_turns() -> Task:
    twice = [text for answer in TEXTS for text in ("first look", answer)]
    return said(twice, baseline(sampling="fps:1", prompt="two_turn_verification"))


@task
def epochs() -> Task:
    return said(TEXTS * 2, baseline(), epochs=2)
"""
pytestmark = pytest.mark.slow  # Inspect alone takes seconds to import

TEXTS = [
    "no events\n\\boxed{0}",
    "1. 2.5 s - lit - count 1\n2. 3.5 s - lit - count 2\n\n\\boxed{2}",
    "1. 2.3 s - lit - count 1\n\n\\boxed{3}",
    "I cannot tell.",
    "1. 2.2 s - A -> B - count 1\n2. 2.8 s - B -> A - count 2\n3. 3.3 s - A -> B - count 3\n\n\\boxed{3}",
]


@pytest.fixture(scope="module")
def clips(tmp_path_factory: pytest.TempPathFactory) -> Clips:
    return tiny_clips(tmp_path_factory.mktemp("clips"))


@pytest.fixture(scope="module")
def exported(clips: Clips, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("inspect") / "out"
    with pytest.raises(SystemExit) as stop:
        main(["export", str(clips.folder), "--to", "inspect", "--out", str(out)])
    assert not stop.value.code
    return out


@pytest.fixture(scope="module")
def logs(exported: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What `inspect eval`, the command, leaves of five tasks, by the task's name."""
    pytest.importorskip("inspect_ai", reason="needs lft-bench[export]")
    from inspect_ai.log import list_eval_logs, read_eval_log

    (exported / "said.py").write_text(SAID.format(texts=json.dumps(TEXTS)))
    tasks = ["lft/baseline", "baseline.py", "said.py@once", "said.py@two_turns", "said.py@epochs"]
    home = tmp_path_factory.mktemp("home")
    done = subprocess.run(
        [
            sys.executable, "-m", "inspect_ai", "eval", *tasks, "--model", "mockllm/model", "--display", "none",
            "--log-dir", str(home / "logs"), "--max-tasks", "1", "--max-samples", "1",
        ],
        cwd=exported, env={**os.environ, "HOME": str(home), "TIKTOKEN_CACHE_DIR": str(home)},
        capture_output=True, text=True,
    )  # fmt: skip
    found = [read_eval_log(info) for info in list_eval_logs(str(home / "logs"), descending=False)]
    assert len(found) == len(tasks), done.stderr[-3000:]
    return {log.eval.task: log for log in found}


def metrics(log: Any) -> dict[str, float]:
    return {name: metric.value for score in log.results.scores for name, metric in score.metrics.items()}


def test_the_tasks_run_by_name_and_by_file_without_a_network(logs: dict[str, Any], clips: Clips) -> None:
    """The mock model as it is says nothing that counts: the commands of the documentation, run as they are."""
    for name in ("lft/baseline", "baseline"):
        log = logs[name]
        assert log.status == "success", log.error
        assert sorted(str(s.id).split(",")[0] for s in log.samples) == sorted(clips.by_id)
        assert metrics(log)["em"] == metrics(log)["f1"] == 0
        assert log.stats.model_usage["mockllm/model"].output_tokens > 0


def test_epochs_are_refused_in_favour_of_replicates(logs: dict[str, Any]) -> None:
    log = logs["epochs"]
    assert log.status == "error"
    assert "-T replicates=N instead of --epochs N" in log.error.message


def test_a_clip_is_shown_as_our_own_sweep_shows_it(logs: dict[str, Any]) -> None:
    def kinds(log: Any) -> list[str]:
        parts = (m.content for m in log.samples[0].messages)
        return [c.type for content in parts if isinstance(content, list) for c in content]

    def roles(log: Any) -> list[str]:
        return [m.role for m in log.samples[0].messages]

    assert kinds(logs["once"])[:2] == ["video", "text"]
    assert roles(logs["once"]) == ["user", "assistant"]
    # Four frames at one a second, each after its time, then the question; then the second turn.
    assert kinds(logs["two_turns"])[:9] == ["text", "image"] * 4 + ["text"]
    assert roles(logs["two_turns"]) == ["user", "assistant", "user", "assistant"]


@pytest.mark.parametrize(
    ("name", "sampling", "prompt"),
    [
        ("once", "native", "structured_trace"),
        ("two_turns", "fps:1", "two_turn_verification"),
    ],
)
def test_its_metrics_are_those_of_lft_score_for_the_same_texts(
    name: str,
    sampling: str,
    prompt: str,
    logs: dict[str, Any],
    clips: Clips,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    log = logs[name]
    where = str(log.location).removeprefix("file:")
    run = tmp_path / "run"
    for _ in range(2):  # importing again changes nothing
        with pytest.raises(SystemExit) as stop:
            main(["import", "inspect", where, "--clips", str(clips.folder), "--out", str(run), "--json"])
        assert not stop.value.code
    assert json.loads(capsys.readouterr().out.splitlines()[-1])["answered"] == 5
    scores = frame(score_run(Run.open(run), clips.trace))
    (condition,) = summarise(scores)
    assert (condition["sampling"], condition["prompt"]) == (sampling, prompt)
    assert 0 < condition["all"]["em"] < 1
    for metric, value in metrics(log).items():
        assert value == pytest.approx(condition["all"][metric], abs=1e-9), metric
    assert {"em", "precision", "recall", "f1", "vor", "acr", "rfr", "false_alarm_rate"} <= set(metrics(log))
    asked = sorted(clips, key=lambda c: (c.spec.seed, c.spec.domain, c.spec.count))
    assert {line["key"]["clip"]: line["text"] for line in Run.open(run).lines()} == {
        clip.clip_id: text for clip, text in zip(asked, TEXTS, strict=True)
    }


def test_an_export_asks_what_it_asked_when_it_was_made(exported: Path) -> None:
    assert (exported / "prompts" / "conditions" / "structured_trace.txt").is_file()
    from lft.counting.sweep import question

    assert question("blinking", exported / "prompts") == question("blinking")


def test_what_is_no_log_is_refused(clips: Clips, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("inspect_ai", reason="needs lft-bench[export]")
    (tmp_path / "a.eval").write_bytes(b"PK\x03\x04 not a zip")
    for name, complaint in (("a.eval", "cannot be read as a log"), ("none.eval", "no such file")):
        with pytest.raises(SystemExit) as stop:
            main(
                [
                    "import",
                    "inspect",
                    str(tmp_path / name),
                    "--clips",
                    str(clips.folder),
                    "--out",
                    str(tmp_path / "r"),
                ]
            )
        assert stop.value.code == 2
        err = capsys.readouterr().err
        assert complaint in err
        assert err.count("\n") == 1
