"""`lft import responses`: answers of any tool, scored as our own are."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from lft.cli import main
from lft.core.runs import Run
from lft.counting.clips import Clips
from lft.counting.scores import SCORE_COLUMNS, frame, score_run
from tests.fake_runs import make_clips, make_run
from tests.tiny_clips import tiny_clips

ONE = "bounce_ball/n01_f0.5_s00"


@pytest.fixture(scope="module")
def clips(tmp_path_factory: pytest.TempPathFactory) -> Clips:
    return make_clips(tmp_path_factory.mktemp("clips"))


def lft(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as stop:
        main([str(a) for a in arguments])
    out, err = capsys.readouterr()
    return int(stop.value.code or 0), out, err


def run_import(capsys: Any, clips: Clips, table: Path, out: Path, *more: object) -> tuple[int, str, str]:
    return lft(capsys, "import", "responses", table, "--clips", clips.folder, "--out", out, *more)


def write_csv(path: Path, rows: list[dict[str, Any]]) -> Path:
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


@pytest.mark.parametrize("suffix", ["csv", "jsonl"])
def test_imported_answers_score_as_in_the_run_that_made_them(
    suffix: str, clips: Clips, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = make_run(tmp_path / "made", clips, samplings=("native",), missing=[ONE])
    rows = [
        {"clip_id": line["key"]["clip"], "response": line.get("text", ""), "latency": "0.8"}
        for line in Run.open(made).lines()
    ]
    table = tmp_path / f"answers.{suffix}"
    if suffix == "csv":
        write_csv(table, rows)
    else:
        # Null, unlike "", is no answer.
        table.write_text("".join(json.dumps({**r, "response": r["response"] or None}) + "\n" for r in rows))
    status, out, _ = run_import(
        capsys,
        clips,
        table,
        tmp_path / "imported",
        "--model",
        "their-model",
        "--sampling",
        "native",
        "--json",
    )
    assert status == 0
    document = json.loads(out)
    assert (document["trials"], document["answered"], document["missing"]) == (len(rows), len(rows) - 1, 1)

    status, out, err = lft(capsys, "score", tmp_path / "imported", "--json")
    assert status == 1  # one trial has no answer
    assert "1 of" in err
    (condition,) = json.loads(out)["conditions"]
    assert (condition["model"], condition["sampling"], condition["labels"]) == (
        "their-model",
        "native",
        "none",
    )
    wanted = frame(score_run(Run.open(made), clips.trace)).set_index("clip").sort_index()
    got = frame(score_run(Run.open(tmp_path / "imported"), clips.trace)).set_index("clip").sort_index()
    columns = [c for c in SCORE_COLUMNS if c in wanted.columns]
    told = wanted["status"] == "answered"  # why an answer is missing is not imported
    same = [scores[told][columns].astype(object).fillna("").to_dict() for scores in (got, wanted)]
    assert same[0] == same[1]
    assert (got["correct"] == 0).any()
    assert (got["correct"] == 1).any()


def test_without_a_sampling_nothing_is_said_that_rests_on_the_frames(
    clips: Clips, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nobody knows which frames were supplied: no ceiling, and no cause of an answer that is too low."""
    three = "bounce_ball/n03_f0.5_s00"
    rows = [
        {"clip": ONE, "text": "\\boxed{1}"},
        {"clip": ONE, "text": "\\boxed{0}"},
        {"clip": three, "text": "1. 3.0 s\n\\boxed{1}"},
        {"clip": three, "text": "\\boxed{9}"},
    ]
    status, _, err = run_import(capsys, clips, write_csv(tmp_path / "a.csv", rows), tmp_path / "run")
    assert status == 0
    told = err.splitlines()
    assert len(told) == 2
    assert "which frames were supplied is not said of 4 answers" in told[0]
    assert "2 rows are of a trial that an earlier row answers: kept as its replicates 1, 2" in told[1]
    status, out, _ = lft(capsys, "score", tmp_path / "run", "--json")
    (condition,) = json.loads(out)["conditions"]
    assert (status, condition["sampling"]) == (0, "unknown")
    whole = condition["all"]
    assert (whole["em"], whole["ceiling_correct"], whole["literal_recall"]) == (0.25, None, None)
    assert whole["causes"] == {**dict.fromkeys(whole["causes"], 0), "overcounted": 1}
    assert whole["chance_f1"] is not None  # needs no frames
    assert lft(capsys, "score", tmp_path / "run")[1].count("wrong: cause unknown") == 2
    for command in ("audit", "report"):
        assert lft(capsys, command, tmp_path / "run")[0] == 0
    trial = f"{three},unknown,none,imported,0"
    assert "evidence" not in lft(capsys, "show", tmp_path / "run", trial)[1]
    # Frame times say it, whatever the sampling is called; and so does the one who knows that nobody knows.
    rows = [{"clip": three, "text": "\\boxed{1}", "frame_times_s": "[0.0, 3.0]"}]
    assert run_import(capsys, clips, write_csv(tmp_path / "b.csv", rows), tmp_path / "b")[2] == ""
    (condition,) = json.loads(lft(capsys, "score", tmp_path / "b", "--json")[1])["conditions"]
    assert condition["all"]["literal_recall"] < 1
    assert (
        condition["all"]["ceiling_correct"] == 1.0
    )  # the grid of this run is one clip: who knows it knows N
    rows = [{"clip": three, "text": "\\boxed{1}"}]
    table = write_csv(tmp_path / "c.csv", rows)
    assert run_import(capsys, clips, table, tmp_path / "c", "--sampling", "unknown")[2] == ""


def test_the_same_table_again_changes_nothing_and_another_answer_is_refused(
    clips: Clips, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = write_csv(tmp_path / "a.csv", [{"clip": ONE, "text": "\\boxed{1}"}])
    for _ in range(2):
        assert run_import(capsys, clips, table, tmp_path / "run")[0] == 0
    assert (tmp_path / "run" / "responses.jsonl").read_text().count("\n") == 1
    other = write_csv(tmp_path / "b.csv", [{"clip": ONE, "text": "\\boxed{2}"}])
    status, _, err = run_import(capsys, clips, other, tmp_path / "run")
    assert status == 2
    assert "b.csv:2: the trial" in err
    assert "already has another answer" in err


def test_conditions_models_and_replicates_come_from_the_table(
    clips: Clips, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [
        {
            "clip": ONE,
            "text": "\\boxed{1}",
            "model": "a",
            "sampling": "fps:1.0",
            "labels": "time",
            "prompt": "direct",
            "frame_times_s": "[0, 1.5]",
        },
        {
            "clip": ONE,
            "text": "\\boxed{2}",
            "model": "a",
            "sampling": "fps:1",
            "labels": "time",
            "prompt": "direct",
            "frame_times_s": "[0, 1.5]",
        },
        {
            "clip": ONE,
            "text": "\\boxed{3}",
            "model": "b",
            "sampling": "native",
            "labels": "time",
            "prompt": "",
            "frame_times_s": "",
        },
    ]
    status, out, _ = run_import(
        capsys, clips, write_csv(tmp_path / "a.csv", rows), tmp_path / "run", "--prompt", "mine", "--json"
    )
    assert status == 0
    assert json.loads(out)["models"] == ["a", "b"]
    found = {line["text"][-2]: line for line in Run.open(tmp_path / "run").lines()}
    keys = {
        n: tuple(line["key"][k] for k in ("model", "sampling", "labels", "prompt", "replicate"))
        for n, line in found.items()
    }
    assert keys == {
        "1": ("a", "fps:1", "time", "direct", 0),
        "2": ("a", "fps:1", "time", "direct", 1),
        "3": ("b", "native", "none", "mine", 0),
    }
    assert (found["1"]["frame_times_s"], found["1"]["native"]) == ([0, 1.5], False)
    assert found["3"]["native"] is True
    assert lft(capsys, "score", tmp_path / "run")[0] == 0


def test_an_empty_answer_in_json_is_an_answer_that_says_nothing(
    clips: Clips, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.jsonl").write_text(json.dumps({"id": ONE, "answer": ""}) + "\n\n")
    assert run_import(capsys, clips, tmp_path / "a.jsonl", tmp_path / "run")[0] == 0
    (row,) = score_run(Run.open(tmp_path / "run"), clips.trace)
    assert (row["status"], row["correct"], row["final_answer"]) == ("answered", False, None)


@pytest.mark.parametrize(
    ("name", "content", "complaint"),
    [
        ("a.csv", "", "holds no answers"),
        ("a.csv", "clip,text\n", "holds no answers"),
        ("a.csv", "name,text\nx,1\n", "a.csv:2: no column clip (it has 'name', 'text')"),
        ("a.csv", f"clip,said\n{ONE},1\n", "a.csv:2: no column text"),
        ("a.csv", f"clip,text\n{ONE},1,2\n", "a.csv:2: 3 fields under 2 columns"),
        ("a.csv", "clip,clip,text\n", "a.csv:1: two columns are called 'clip'"),
        ("a.csv", f'clip,text\n{ONE},"un\nended\n', "a.csv:2: not CSV"),
        # The row after a text of three lines begins on line 5.
        ("a.csv", f'clip,text\n{ONE},"one\ntwo\nthree"\n,4\n', "a.csv:5, column clip: the clip id is None"),
        ("a.csv", f"clip,text,sampling\n{ONE},1,fps\n", "a.csv:2, column sampling: unknown sampling 'fps'"),
        ("a.csv", f"clip,text,labels\n{ONE},1,times\n", "a.csv:2, column labels: labels are 'times'"),
        ("a.csv", f"clip,text,replicate\n{ONE},1,-1\n", "a.csv:2, column replicate: replicate is '-1'"),
        ("a.csv", f'clip,text,frame_times_s\n{ONE},1,"[2, 1]"\n', "a.csv:2, column frame_times_s"),
        ("a.csv", f"clip,text,model\n{ONE},1,{'m' * 300}\n", "a.csv:2, column model"),
        ("a.jsonl", '{"clip": "x"\n', "a.jsonl:1: not JSON"),
        ("a.jsonl", "\n[1]\n", "a.jsonl:2: found [1]"),
        ("a.jsonl", json.dumps({"clip": ONE, "text": ["1"]}), "a.jsonl:1, column text: the answer is ['1']"),
        ("a.jsonl", json.dumps({"clip": 7, "text": "1"}), "a.jsonl:1, column clip: the clip id is 7"),
        ("a.csv", "clip,text\nno/n01_f1.0_s00,1\n", "1 of 1 answers are about clips that"),
        ("a.csv", f"clip,text,replicate\n{ONE},1,0\n{ONE},2,0\n", "a.csv:3: answers the trial"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_with_line_and_column(
    name: str, content: str, complaint: str, clips: Clips, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / name).write_text(content)
    status, out, err = run_import(capsys, clips, tmp_path / name, tmp_path / "run")
    assert (status, out) == (2, "")
    assert complaint in err
    assert err.count("\n") == 1
    assert not (tmp_path / "run" / "responses.jsonl").exists() or "again" in complaint


def test_unknown_clips_are_counted_and_named(
    clips: Clips, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [{"clip": f"bounce_ball/n01_f0.5_s{s:02d}", "text": "1"} for s in range(9)]
    status, _, err = run_import(capsys, clips, write_csv(tmp_path / "a.csv", rows), tmp_path / "run")
    assert status == 2
    assert "7 of 9 answers" in err
    assert "'bounce_ball/n01_f0.5_s02' (line 4)" in err
    assert "and 2 more" in err
    assert not (tmp_path / "run").exists()


def test_files_that_are_not_text(clips: Clips, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.csv").write_bytes(b"clip,text\n\xff\xfe,1\n")
    assert "not UTF-8 text" in run_import(capsys, clips, tmp_path / "a.csv", tmp_path / "run")[2]
    assert "cannot read" in run_import(capsys, clips, tmp_path / "none.csv", tmp_path / "run")[2]


TABLES = {
    "semicolons.csv": "\ufeffclip;text\r\n%s;\\boxed{1}\r\n",
    "tabs.tsv": "text\tclip\n\\boxed{1}\t%s\n",
    "list.json": '[{"id": "%s", "output": "\\\\boxed{1}", "model": null}]',
    "commas_too_many.csv": "clip,text\n%s,\\boxed{1},,\n",
}


@pytest.mark.parametrize("name", TABLES)
def test_tables_as_people_have_them(
    name: str, clips: Clips, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / name).write_bytes((TABLES[name] % ONE).encode())
    assert run_import(capsys, clips, tmp_path / name, tmp_path / "run")[0] == 0
    (line,) = Run.open(tmp_path / "run").lines()
    assert (line["key"]["clip"], line["text"]) == (ONE, "\\boxed{1}")


def test_a_run_plans_exactly_what_was_imported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Of both tables: a trial for each row, none for clips, conditions or replicates that no row is about."""
    clips = tiny_clips(tmp_path / "clips")
    names = sorted(clips.by_id)[:3]
    write_csv(tmp_path / "a.csv", [{"clip": n, "text": "\\boxed{1}", "sampling": "fps:1"} for n in names[:2]])
    write_csv(tmp_path / "b.csv", [{"clip": names[2], "text": "", "prompt": "direct"}])
    for table in ("a.csv", "b.csv"):
        assert run_import(capsys, clips, tmp_path / table, tmp_path / "run")[0] == 0
    planned = Run.open(tmp_path / "run").trials()
    assert sorted((key["clip"], key["sampling"], key["prompt"], key["replicate"]) for key in planned.values()) == [
        (names[0], "fps:1", "imported", 0), (names[1], "fps:1", "imported", 0), (names[2], "unknown", "direct", 0),
    ]  # fmt: skip
    rows = frame(score_run(Run.open(tmp_path / "run"), clips.trace))
    assert rows.set_index("clip")["status"].to_dict() == dict(
        zip(names, ("answered", "answered", "missing"), strict=True)
    )
    # What is missing is not to be had by asking.
    status, _, err = lft(capsys, "score", tmp_path / "run")
    assert status == 1
    assert "1 of 3 trials have no answer; import them" in err
    status, _, err = lft(capsys, "show", tmp_path / "run", names[2])
    assert "was imported without an answer" in err
    status, out, err = lft(capsys, "show", tmp_path / "run", names[0], "--clips", clips.folder, "--json")
    assert "were not kept: the answers were imported" in (out + err)


def test_what_an_answer_reports_may_be_given(
    clips: Clips, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    three = "bounce_ball/n03_f0.5_s00"
    rows = [
        {"clip": three, "text": "all three of them", "final_answer": "3", "events": "[3.0, 5.0, 7.0]"},
        {"clip": three, "text": "1. 3.0 s - hit\n\\boxed{1}", "final_answer": "", "events": "3; 5.5"},
        {"clip": three, "text": "\\boxed{3}", "final_answer": "none", "events": ""},
        {
            "clip": three,
            "text": "",
            "final_answer": "3",
            "events": '[{"time_s": 4, "end_s": 5, "covers": 2}]',
        },
        {"clip": three, "text": "\\boxed{3}", "final_answer": "", "events": ""},
        {"clip": ONE, "text": "", "final_answer": "", "events": ""},
    ]
    table = write_csv(tmp_path / "a.csv", rows)
    assert run_import(capsys, clips, table, tmp_path / "run", "--sampling", "native")[0] == 0
    kept = (tmp_path / "run" / "settled.jsonl").read_bytes()
    assert run_import(capsys, clips, table, tmp_path / "run", "--sampling", "native")[0] == 0
    assert (tmp_path / "run" / "settled.jsonl").read_bytes() == kept
    assert lft(capsys, "score", tmp_path / "run")[0] == 1  # the last row is a trial without an answer
    scores = pd.read_csv(tmp_path / "run" / "scores.csv").set_index("replicate")
    scores = scores[scores["clip"] == three]
    assert scores["reading"].tolist() == ["given"] * 4 + ["program"]
    assert scores["final_answer"].fillna(-1).tolist() == [3, 1, -1, 3, 3]
    assert scores["reported"].tolist() == [3, 2, 0, 1, 0]
    # Events at 3, 5 and 7 s, tolerance 1 s: [3, 5, 7] and 3; 5.5 pair whole, 4 (the middle of 3 to 5) with one.
    assert scores["matched"].tolist() == [3, 2, 0, 1, 0]
    # The text holds nothing to be mentioned: what was given stands under both rules.
    assert lft(capsys, "score", tmp_path / "run", "--rule", "mentions")[0] == 1
    assert pd.read_csv(tmp_path / "run" / "scores.csv").set_index("replicate")["reported"][0].tolist()[0] == 3


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ({"final_answer": "-1"}, "the final answer is '-1'"),
        ({"final_answer": 2.5}, "the final answer is 2.5"),
        ({"events": "[1.0, -2]"}, "the time is -2"),
        ({"events": "soon"}, "events is 'soon'"),
        ({"events": "[1"}, "events is '[1'"),
        ({"events": [{"at": 1}]}, "events is"),
        ({"events": [{"time_s": 5, "end_s": 3}]}, "the interval ends at 3"),
    ],
)
def test_a_reading_that_is_none_is_named_by_line_and_column(
    clips: Clips, tmp_path: Path, capsys: pytest.CaptureFixture[str], row: dict[str, Any], words: str
) -> None:
    lines = [{"clip": ONE, "text": "\\boxed{1}"}, {"clip": ONE, "text": "x", **row}]
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    status, _, err = run_import(capsys, clips, tmp_path / "a.jsonl", tmp_path / "run")
    assert (status, err.count("\n")) == (2, 1)
    assert words in err
    assert f"a.jsonl:2, column {next(iter(row))}" in err
    assert not (tmp_path / "run").exists()
