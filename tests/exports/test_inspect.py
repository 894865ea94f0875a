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

# A model that says the given texts, one after the other; it sees nothing, only the texts matter here.
SPEAKER = """
import json, sys
from inspect_ai import eval
from inspect_ai.model import ModelOutput, ModelUsage, get_model

said = iter(json.loads(sys.argv[3]))

def say(input, tools, tool_choice, config):
    output = ModelOutput.from_content("mockllm/model", next(said))
    # Else it counts tokens, for which it goes online.
    output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
    return output

model = get_model("mockllm/model", custom_outputs=say)
logs = [
    eval(
        spec, task_args=json.loads(arguments), model=model, display="none", log_dir=sys.argv[1],
        max_samples=1, epochs=epochs,
    )[0]
    for spec, arguments, epochs in json.loads(sys.argv[2])
]
print(json.dumps([
    {
        "status": log.status,
        "path": log.location,
        "task": log.eval.task,
        "error": str(log.error and log.error.message),
        "metrics": {k: m.value for s in (log.results.scores if log.results else []) for k, m in
        s.metrics.items()}, "kinds": [
            c.type for m in log.samples[0].messages if isinstance(m.content, list) for c in m.content
        ],
        "roles": [m.role for m in log.samples[0].messages],
        "ids": [s.id for s in log.samples],
    }
    for log in logs
]))
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
def logs(exported: Path, tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    pytest.importorskip("inspect_ai", reason="needs lft-bench[export]")
    tasks = [
        ("lft/baseline", "{}", 1),
        ("baseline.py", json.dumps({"sampling": "fps:1", "prompt": "two_turn_verification"}), 1),
        ("lft/baseline", "{}", 2),
    ]
    said = [*TEXTS, *(text for answer in TEXTS for text in ("first look", answer)), *TEXTS, *TEXTS]
    home = tmp_path_factory.mktemp("home")
    done = subprocess.run(
        [sys.executable, "-c", SPEAKER, str(home / "logs"), json.dumps(tasks), json.dumps(said)],
        cwd=exported, env={**os.environ, "HOME": str(home)}, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    found: list[dict[str, Any]] = json.loads(done.stdout.splitlines()[-1])
    return found


def test_the_task_runs_by_name_and_by_file(logs: list[dict[str, Any]], clips: Clips) -> None:
    assert [log["status"] for log in logs] == ["success", "success", "error"]
    assert "-T replicates=N instead of --epochs N" in logs[2]["error"]
    assert logs[0]["task"] == "lft/baseline"
    assert sorted(i.split(",")[0] for i in logs[0]["ids"]) == sorted(clips.by_id)


def test_a_clip_is_shown_as_our_own_sweep_shows_it(logs: list[dict[str, Any]]) -> None:
    assert logs[0]["kinds"][:2] == ["video", "text"]
    assert logs[0]["roles"] == ["user", "assistant"]
    # Four frames at one a second, each after its time, then the question; then the second turn.
    assert logs[1]["kinds"][:9] == ["text", "image"] * 4 + ["text"]
    assert logs[1]["roles"] == ["user", "assistant", "user", "assistant"]


@pytest.mark.parametrize("number", [0, 1])
def test_its_metrics_are_those_of_lft_score_for_the_same_texts(
    number: int, logs: list[dict[str, Any]], clips: Clips, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = logs[number]
    run = tmp_path / "run"
    for _ in range(2):  # importing again changes nothing
        with pytest.raises(SystemExit) as stop:
            main(
                ["import", "inspect", log["path"], "--clips", str(clips.folder), "--out", str(run), "--json"]
            )
        assert not stop.value.code
    assert json.loads(capsys.readouterr().out.splitlines()[-1])["answered"] == 5
    scores = frame(score_run(Run.open(run), clips.trace))
    (condition,) = summarise(scores)
    assert condition["sampling"] == ("native", "fps:1")[number]
    assert condition["prompt"] == ("structured_trace", "two_turn_verification")[number]
    assert 0 < condition["all"]["em"] < 1
    for name, value in log["metrics"].items():
        assert value == pytest.approx(condition["all"][name], abs=1e-9), name
    assert {"em", "precision", "recall", "f1", "vor", "acr", "rfr", "false_alarm_rate"} <= set(log["metrics"])
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
