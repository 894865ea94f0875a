"""Two runs side by side: every aspect is told apart, and nothing that is the same is said to differ."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from lft.core.rundiff import difference
from lft.core.runs import Run
from tests.commands.conftest import run as lft
from tests.fake_runs import make_clips, make_run


@pytest.fixture
def pair(tmp_path: Path) -> tuple[Path, Path]:
    clips = make_clips(tmp_path / "clips")
    return (
        make_run(tmp_path / "a", clips, samplings=("fps:1",)),
        make_run(tmp_path / "b", clips, samplings=("fps:1",)),
    )


def compared(pair: tuple[Path, Path]) -> dict[str, Any]:
    return difference(Run.open(pair[0]), Run.open(pair[1]), lambda _: lambda line: len(line["text"]))


def change(folder: Path, **entries: Any) -> str:
    """Changes the first line of a run; gives its trial."""
    path = folder / "responses.jsonl"
    first, *rest = path.read_text().splitlines(keepends=True)
    line = json.loads(first) | entries
    path.write_text(json.dumps(line) + "\n" + "".join(rest))
    return str(line["trial"])


def test_a_run_and_the_same_again(pair: tuple[Path, Path]) -> None:
    found = compared(pair)
    assert (found["differs"], found["only_a"], found["only_b"]) == ([], [], [])
    assert [one["name"] for one in found["settings"]] == []
    assert found["same"]["text"] == found["trials"] > 0


@pytest.mark.parametrize(
    ("entries", "aspect"),
    [
        ({"frame_times_s": [0.0, 7.5]}, "frames"),
        ({"prompt_sha256": "0" * 64}, "words"),
        ({"sent": {"temperature": 1}}, "parameters"),
        ({"text": "another answer altogether, at 99.0 s"}, "text"),
    ],
)
def test_what_differs_in_one_trial_is_said_of_that_one_alone(
    entries: dict[str, Any], aspect: str, pair: tuple[Path, Path]
) -> None:
    change(pair[1], **entries)
    found = compared(pair)
    (one,) = found["differs"]
    assert set(one) - {"trial", "final_answer"} == {aspect}
    assert one[aspect][1] == next(iter(entries.values()))


def test_settings_and_trials_that_only_one_run_has(pair: tuple[Path, Path]) -> None:
    path = pair[1] / "manifest.json"
    manifest = json.loads(path.read_text())
    manifest["versions"] = {**manifest.get("versions", {}), "numpy": "0.1"}
    gone = next(iter(manifest["trials"]))
    path.write_text(json.dumps(manifest))
    lines = (pair[1] / "responses.jsonl").read_text().splitlines(keepends=True)
    (pair[1] / "responses.jsonl").write_text("".join(x for x in lines if json.loads(x)["trial"] != gone))
    found = compared(pair)
    assert [one["name"] for one in found["settings"]] == ["versions.numpy"]
    (one,) = found["differs"]
    assert one["status"] == ["answered", "missing"]


def test_the_command_prints_both_forms(pair: tuple[Path, Path], capsys: pytest.CaptureFixture[str]) -> None:
    change(pair[1], text="\x1b[2J\\boxed{77}")
    assert lft("diff", *pair) == 0
    out = capsys.readouterr().out
    assert "\x1b" not in out
    assert "| 77" in out
    assert lft("diff", *pair, "--json") == 0
    assert json.loads(capsys.readouterr().out)["differs"][0]["final_answer"][1] == 77


def test_answers_are_read_in_their_context_and_as_they_were_settled(
    pair: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    from lft.counting.settling import settled

    text = "I cannot say."
    trial = change(pair[0], text=text)
    change(pair[1], text=text)

    def final_answers() -> list[Any]:
        assert lft("diff", *pair, "--json") == 0
        return [
            one["final_answer"]
            for one in json.loads(capsys.readouterr().out)["differs"]
            if "final_answer" in one
        ]

    assert final_answers() == []
    decided = settled.Settled(
        trial, settled.sha256_of_text(text), "person", "ann", final_answer=7, answered=True
    )
    settled.append(pair[0], [decided])
    assert final_answers() == [[7, None]]


def test_the_clips_of_a_run_give_its_reader_their_lengths(pair: tuple[Path, Path]) -> None:
    from lft.counting.reader import reader_of

    path = pair[0] / "manifest.json"
    manifest = json.loads(path.read_text())
    path.write_text(json.dumps({**manifest, "clips_folder": "../clips"}))
    run = Run.open(pair[0])
    (line, *_) = run.lines()
    assert reader_of(run).context(line).duration_s == 24.0
    path.write_text(json.dumps({**manifest, "clips_folder": "../nowhere"}))
    assert reader_of(Run.open(pair[0])).context(line).duration_s is None
