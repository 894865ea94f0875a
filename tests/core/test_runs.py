"""Run folders: torn lines, two writers, changes that are refused, disks that are full."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest

from lft.core.errors import InputError
from lft.core.runs import Recorder, Run
from tests.core.asking import MANIFEST, lines_of

REPOSITORY = Path(__file__).resolve().parents[2]


def line(trial: str, status: str = "answered", turn: int = 0, **more: Any) -> dict[str, Any]:
    return {"trial": trial, "key": {"clip": "c", "prompt": "p", "turn": turn}, "status": status, **more}


def test_a_line_torn_anywhere_is_dropped_and_the_run_goes_on(tmp_path: Path) -> None:
    with Recorder(tmp_path, MANIFEST) as recorder:
        recorder.append(line("a", text="first"))
        recorder.append(line("b", text="zwölf ☃"))
    path = tmp_path / "responses.jsonl"
    whole = path.read_bytes()
    first = whole.index(b"\n") + 1
    for cut in range(first, len(whole) + 1):
        path.write_bytes(whole[:cut])
        # A line that lacks only its newline is whole.
        before = {"a"} if cut < len(whole) - 1 else {"a", "b"}
        assert set(Run.open(tmp_path).answers()) == before, cut
        with Recorder(tmp_path, MANIFEST) as recorder:
            assert set(recorder.run.answers()) == before, cut
            recorder.append(line("c", text="third"))
        assert {entry["trial"] for entry in lines_of(tmp_path)} == before | {"c"}, cut


def test_a_first_line_torn_leaves_an_empty_run(tmp_path: Path) -> None:
    with Recorder(tmp_path, MANIFEST):
        pass
    (tmp_path / "responses.jsonl").write_bytes(b'{"trial": "a", "ke')
    with Recorder(tmp_path, MANIFEST) as recorder:
        recorder.append(line("b"))
    assert [entry["trial"] for entry in lines_of(tmp_path)] == ["b"]


@pytest.mark.parametrize(
    ("spoilt", "words"),
    [
        ('{"trial": "a"\n{"trial": "b", "key": {}}\n', "responses.jsonl:1"),
        ("[1]\n", "a JSON object was expected"),
        ('{"trial": 3, "key": {}}\n', "a line without trial and key"),
    ],
)
def test_a_line_spoilt_in_the_middle_is_named(tmp_path: Path, spoilt: str, words: str) -> None:
    with Recorder(tmp_path, MANIFEST):
        pass
    (tmp_path / "responses.jsonl").write_text(spoilt)
    with pytest.raises(InputError, match=words):
        Run.open(tmp_path).answers()


def test_the_first_answer_stands(tmp_path: Path) -> None:
    with Recorder(tmp_path, MANIFEST) as recorder:
        recorder.append(line("a", "error"))
        recorder.append(line("a", text="one"))
        recorder.append(line("a", text="two"))
    assert Run.open(tmp_path).answers()["a"]["text"] == "one"


def test_a_second_writer_is_refused_in_this_process_and_in_another(tmp_path: Path) -> None:
    code = textwrap.dedent(f"""
        from pathlib import Path
        from lft.core.errors import InputError
        from lft.core.runs import Recorder
        try:
            Recorder(Path({str(tmp_path)!r}), {MANIFEST!r}).__enter__()
        except InputError as error:
            print(error)
    """)
    with Recorder(tmp_path, MANIFEST) as recorder:
        with pytest.raises(InputError, match="another sweep is writing to this run"):
            Recorder(tmp_path, MANIFEST).__enter__()
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=REPOSITORY)
        assert "another sweep is writing to this run" in done.stdout, done.stderr
        recorder.append(line("a"))
    with Recorder(tmp_path, MANIFEST) as recorder:  # free again
        recorder.append(line("b"))
    assert len(lines_of(tmp_path)) == 2


BEFORE: dict[str, Any] = {
    "suite": "counting",
    "model": {"spec": "gemini:x?seed=1", "name": "x", "provider": "gemini", "options": {"temperature": 0.0}},
    "prompts": {"direct": {"sha256": "aa", "turns": 1}},
    "questions": {"blinking": {"question": "How many?"}},
    "clips": {"blinking/n01": "11"},
    "trials": {"a": {"clip": "blinking/n01", "model": "x", "prompt": "direct"}},
}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"suite": "other"}, "the suite"),
        ({"model": {**BEFORE["model"], "name": "y"}}, r"the model's name \('x' before, 'y' now\)"),
        (
            {"model": {**BEFORE["model"], "options": {"temperature": 1.0}}},
            r"temperature \(0.0 before, 1.0 now\)",
        ),
        ({"model": {**BEFORE["model"], "options": {}}}, r"temperature \(0.0 before, None now\)"),
        ({"prompts": {"direct": {"sha256": "bb", "turns": 1}}}, "prompt direct"),
        ({"questions": {"blinking": {"question": "How often?"}}}, "question blinking"),
        ({"clips": {"blinking/n01": "22"}}, "clip blinking/n01"),
        (
            {"clips": {"blinking/n01": "22"}, "prompts": {"direct": {"sha256": "b"}}},
            "prompt direct, clip blinking/n01",
        ),
    ],
)
def test_a_run_whose_ground_has_changed_is_refused_naming_what(
    tmp_path: Path, change: dict[str, Any], words: str
) -> None:
    with Recorder(tmp_path, BEFORE) as recorder:
        recorder.append(line("a"))
    kept = (tmp_path / "manifest.json").read_bytes()
    with pytest.raises(InputError, match=f"changed since this run began: .*{words}"):
        Recorder(tmp_path, {**BEFORE, **change}).__enter__()
    assert (tmp_path / "manifest.json").read_bytes() == kept
    with Recorder(tmp_path, BEFORE):  # the refusal has let go of the folder
        pass


@pytest.mark.parametrize(
    "change",
    [
        {
            "model": {**BEFORE["model"], "spec": "gemini:x?timeout_s=9&seed=1"}
        },  # how it is written, not what it says
        {"prompts": {"thinking": {"sha256": "cc", "turns": 1}}},
        {"clips": {"blinking/n02": "33"}},
        {"versions": {"openai": "9"}},
    ],
)
def test_more_clips_and_conditions_may_join(tmp_path: Path, change: dict[str, Any]) -> None:
    with Recorder(tmp_path, BEFORE):
        pass
    with Recorder(tmp_path, {**BEFORE, **change}) as recorder:
        manifest = recorder.run.manifest
    assert manifest["clips"] == {**BEFORE["clips"], **change.get("clips", {})}
    assert manifest["prompts"] == {**BEFORE["prompts"], **change.get("prompts", {})}


def test_a_full_disk_keeps_every_earlier_answer(tmp_path: Path) -> None:
    code = textwrap.dedent(f"""
        import resource
        from pathlib import Path
        from lft.core.ask import Limits, ask
        from lft.core.errors import InputError
        from lft.core.runs import Recorder
        from tests.core.asking import MANIFEST, Counting, questions
        with Recorder(Path({str(tmp_path)!r}), MANIFEST) as recorder:
            resource.setrlimit(resource.RLIMIT_FSIZE, (5000, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))
            try:
                ask(recorder, Counting(), questions(200), Limits())
            except InputError as error:
                print(error)
    """)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=REPOSITORY)
    assert "cannot write: File too large; every earlier answer is kept" in done.stdout, done.stderr
    data = (tmp_path / "responses.jsonl").read_bytes()
    assert 4000 < len(data) <= 5000
    assert data.endswith(b"\n")
    kept = lines_of(tmp_path)
    from lft.core.ask import Limits, ask
    from tests.core.asking import Counting, questions

    with Recorder(tmp_path, MANIFEST) as recorder:
        tally = ask(recorder, Counting(), questions(200), Limits())
    assert (tally.kept, tally.answered) == (len(kept), 200 - len(kept))
    assert lines_of(tmp_path)[: len(kept)] == kept


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda folder: None, "no such run"),
        (lambda folder: folder.mkdir(), "holds no manifest.json"),
        (lambda folder: (folder.mkdir(), (folder / "manifest.json").write_text("{")), "not JSON"),
        (
            lambda folder: (folder.mkdir(), (folder / "manifest.json").write_text("[]")),
            "is not a lft.run/1 document",
        ),
    ],
)
def test_what_is_not_a_run_is_said_to_be_none(tmp_path: Path, make: Any, words: str) -> None:
    make(tmp_path / "run")
    with pytest.raises(InputError, match=words):
        Run.open(tmp_path / "run")


def test_responses_without_a_manifest_are_not_taken_over(tmp_path: Path) -> None:
    (tmp_path / "responses.jsonl").write_text(json.dumps(line("a")) + "\n")
    with pytest.raises(InputError, match="has responses but no manifest"):
        Recorder(tmp_path, MANIFEST).__enter__()


def test_a_run_is_printed_without_its_manifest(tmp_path: Path) -> None:
    with Recorder(tmp_path / "r", MANIFEST | {"trials": {f"t{i}": {} for i in range(1000)}}):
        pass
    assert repr(Run.open(tmp_path / "r")) == f"Run(folder={tmp_path / 'r'!r})"


def test_a_bare_name_is_looked_for_where_sweeps_put_their_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "results" / "runs" / "mine"
    folder.mkdir(parents=True)
    (folder / "manifest.json").write_text('{"schema": "lft.run/1"}')
    monkeypatch.chdir(tmp_path)
    assert Run.open("mine").folder == Path("results/runs/mine")
    with pytest.raises(InputError, match="no such run"):
        Run.open("yours")
