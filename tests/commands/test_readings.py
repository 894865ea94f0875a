"""`lft readings`: a sheet goes round, and what does not belong into the run is refused by name."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from lft.core.runs import Run
from lft.counting import parse as parsing
from lft.counting.clips import Clips
from lft.counting.reported import Context, Doubt, Reported, ReportedEvent, Unparsed
from tests.commands.conftest import run
from tests.fake_runs import make_clips, make_run, say_truth

Out = pytest.CaptureFixture[str]
ODD = "It lit at 3.0 and, hmm, 5.0 s. \\boxed{3}"


@pytest.fixture(scope="module")
def clips(tmp_path_factory: pytest.TempPathFactory) -> Clips:
    return make_clips(tmp_path_factory.mktemp("clips"), domains=["blinking"])


@pytest.fixture
def odd_run(tmp_path: Path, clips: Clips, monkeypatch: pytest.MonkeyPatch) -> Path:
    """10 answers: those to N = 3 (4 clips) say `ODD`, the others the truth. Whatever says "hmm" is read in doubt."""
    monkeypatch.chdir(tmp_path)
    read = parsing.parse

    def unsure(text: str, rule: str = "ledger", context: Context | None = None) -> Reported | Unparsed:
        if "hmm" not in text:
            return read(text, rule, context)
        place = text.index("hmm")
        doubts = (Doubt("unused-time", (place, place + 3), "5.0 s"), Doubt("unclear-answer", (0, 2)))
        return Reported((ReportedEvent(3.0, span=(10, 13), rule="prose"),), 3, None, doubts)

    monkeypatch.setattr(parsing, "parse", unsure)
    return make_run(
        tmp_path / "run", clips, samplings=("fps:1",),
        say=lambda trace, frames, rng: ODD if trace.spec.count == 3 else say_truth(trace, frames, rng),
    )  # fmt: skip


@pytest.fixture
def sheet(odd_run: Path, clips: Clips, capsys: Out) -> Path:
    assert run("readings", odd_run, "--doubtful", "--clips", clips.folder) == 0
    assert "4 answers, all that are read in doubt" in capsys.readouterr().out
    return odd_run / "sheets" / "doubtful.txt"


def fill(
    path: Path, *, who: str = "Ann", why: str = "", change: Callable[[str], str] = lambda text: text
) -> None:
    """Fills in every entry of a sheet."""
    text = re.sub(r"(?m)^who:$", f"who: {who}".rstrip(), path.read_text())
    text = re.sub(r"(?m)^why:$", f"why: {why}".rstrip(), text)
    path.write_text(change(text))


def document(out: Out) -> Any:
    return json.loads(out.readouterr().out)


def test_a_sheet_shows_what_was_read_and_what_is_unsure(sheet: Path) -> None:
    text = sheet.read_text()
    # 3.0 stands at 10..13, hmm at 19..22; the first two characters carry the other doubt.
    assert "| It lit at 3.0 and, hmm, 5.0 s. \\boxed{3}\n: ??        ^^^      ???\n" in text
    assert "? unused-time: 5.0 s\n? unclear-answer: a number that may or may not be the final answer" in text
    assert text.count("\nevent: 3\nanswer: 3\nwho:\nwhy:\n") == 4


def test_the_sheet_goes_round(odd_run: Path, sheet: Path, clips: Clips, capsys: Out) -> None:
    where = ("--clips", clips.folder)
    assert run("score", odd_run, *where) == 0
    before = capsys.readouterr().out
    assert "read in doubt: 4 of 10 answers (40.0 %)" in before
    assert f"lft readings {odd_run} --doubtful" in before
    # All four report 3.0 and 5.0 s, and 2 in the end; one stays open.
    fill(
        sheet,
        why="hmm is no denial",
        change=lambda t: t.replace("event: 3\nanswer: 3", "event: 3.0\nevent: 0:05 s | late\nanswer: 2"),
    )
    text = sheet.read_text()
    head, last = text[: text.rindex("=== 4")], text[text.rindex("=== 4") :]
    last = last.replace("event: 3.0\nevent: 0:05 s | late\nanswer: 2", "event: 3\nanswer: 3")
    sheet.write_text(head + last.replace("who: Ann", "who:").replace("why: hmm is no denial", "why:"))
    assert run("readings", odd_run, "--apply", sheet, *where, "--json") == 0
    assert document(capsys)["settled"] == 3
    assert run("score", odd_run, *where) == 0
    after = capsys.readouterr().out
    assert "read in doubt: 1 of 10 answers (10.0 %)" in after
    assert "readings settled: 3 by a person; as the program reads them:" in after
    scores = pd.read_csv(odd_run / "scores.csv")
    odd = scores[scores["count"] == 3]
    assert sorted(odd["reading"]) == ["person", "person", "person", "program"]
    assert sorted(zip(odd["reported"], odd["final_answer"], strict=True)) == [(1, 3), (2, 2), (2, 2), (2, 2)]
    summary = json.loads((odd_run / "summary.json").read_text())
    (condition,) = summary["conditions"]
    # N = 3: as the program reads them all four are right, with what was settled one is; the other six are right.
    assert (condition["unsettled"]["correct"], condition["all"]["correct"]) == (10, 7)
    assert summary["settled"]["stale"] == 0
    # Applied once more nothing changes; there is nothing new to decide.
    kept = (odd_run / "settled.jsonl").read_bytes()
    assert run("readings", odd_run, "--apply", sheet, *where) == 0
    assert (odd_run / "settled.jsonl").read_bytes() == kept
    assert [json.loads(line)["who"] for line in kept.splitlines()] == ["Ann"] * 3


def test_reports_are_made_of_what_is_settled_now(
    odd_run: Path, sheet: Path, clips: Clips, capsys: Out
) -> None:
    assert run("score", odd_run, "--clips", clips.folder) == 0
    fill(sheet)
    assert run("readings", odd_run, "--apply", sheet, "--clips", clips.folder) == 0
    capsys.readouterr()
    more = ("--clips", clips.folder, "--draws", "100", "--no-sensitivity")
    assert run("audit", odd_run, *more) == 0
    assert "readings were settled since it was scored; scored again (ledger, rate)" in capsys.readouterr().err
    assert run("audit", odd_run, *more) == 0
    assert "scored again" not in capsys.readouterr().err


def test_a_random_sample_gives_the_reader_s_own_error_rate(odd_run: Path, clips: Clips, capsys: Out) -> None:
    where = ("--clips", clips.folder)
    sheets = [odd_run / "sheets" / "sample-10-seed-7.txt", odd_run / "again.txt"]
    assert run("readings", odd_run, "--sample", 10, "--seed", 7, *where) == 0
    assert run("readings", odd_run, "--sample", 10, "--seed", 7, "--out", sheets[1], *where) == 0
    drawn = [re.findall(r"(?m)^@ trial.*$", path.read_text()) for path in sheets]
    assert drawn[0] == drawn[1]
    assert len(set(drawn[0])) == 10
    capsys.readouterr()
    # All ten are looked at; the four odd ones are read otherwise, each of them with a doubt.
    fill(
        sheets[0],
        why="5.0 s too",
        change=lambda t: t.replace("event: 3\nanswer: 3", "event: 3\nevent: 5\nanswer: 3"),
    )
    assert run("readings", odd_run, "--apply", sheets[0], *where) == 0
    assert (
        "10 answers settled, 4 of them differently from the reading; 0 left open" in capsys.readouterr().out
    )
    assert run("readings", odd_run, *where, "--json") == 0
    found = document(capsys)
    rate = found["error_rate"]
    assert (rate["misread"], rate["settled"], rate["silent"], rate["events"], rate["answer"]) == (
        4,
        10,
        0,
        4,
        0,
    )
    assert rate["samples"] == [{"size": 10, "seed": 7, "of": 10}]
    # Wilson for 0 of 10: upper end z^2 / (10 + z^2) = 3.8415 / 13.8415.
    assert rate["silent_interval"] == pytest.approx((0, 0.27754), abs=1e-4)
    assert (found["in_doubt"], found["read_by"]) == (0, {"person": 10})
    assert run("score", odd_run, *where) == 0
    said = capsys.readouterr().out
    assert "errors of the parser, from a random sample (10 of 10 answers, seed 7):" in said
    assert "misread: 4 of 10 (95 %: 16.8–68.7 %); the events 4, the final answer 0" in said


def line_of(path: Path, words: str) -> int:
    return next(n for n, line in enumerate(path.read_text().splitlines(), 1) if words in line)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("event: 3\n", "event: -3\n", "event is '-3'"),
        ("event: 3\n", "event: nan\n", "event is 'nan'"),
        ("event: 3\n", "event: 3,5\n", "event is '3,5'"),
        ("event: 3\n", "event: 100001\n", "the time is 100001"),
        ("event: 3\n", "event: 6 to 4\n", "the interval ends at 4 s, before 6 s"),
        ("event: 3\n", "event: 3 x0\n", "it covers 0 events"),
        ("event: 3\n", "evnt: 3\n", "did you mean event:"),
        ("event: 3\n", "", "the entry has no line event:"),
        ("answer: 3\n", "answer: three\n", "answer is 'three'"),
        ("answer: 3\n", "answer:\n", "answer is ''"),
        ("answer: 3\n", "answer: 3\nanswer: 4\n", "a second line answer:"),
        ("event: 3\n", "event: 4\n", "half filled in: why: is empty"),
        ("who: Ann\n", "who:\nwhy: it is clear\n", "half filled in: who: is empty"),
        ("event: 3\nanswer: 3\nwho: Ann\n", "event: 4\nanswer: 3\nwho:\n", "half filled in: who: is empty"),
        ("| It lit", "| It did not light", "the text of the answer was edited"),
        ("@ trial", "@ trail", "stands where nothing of its kind is"),
        ("@ keys   text ", "@ keys   text f", "has changed since the sheet was written"),
        ("blinking/n03_f0.5_s00", "blinking/n03_f0.5_s09", "unknown trial 'blinking/n03_f0.5_s09"),
    ],
)
def test_a_faulty_sheet_is_refused_with_its_line_and_nothing_is_applied(
    odd_run: Path, sheet: Path, clips: Clips, capsys: Out, old: str, new: str, words: str
) -> None:
    fill(sheet)
    assert old in sheet.read_text()
    place = sheet.read_text().index(old)
    sheet.write_text(
        sheet.read_text().replace(old, new, 1).replace("why: it is clear\nwhy:", "why: it is clear", 1)
    )
    assert run("readings", odd_run, "--apply", sheet, "--clips", clips.folder) == 2
    told = capsys.readouterr().err
    assert words in told
    assert told.count("\n") == 1
    number = int(re.search(rf"{re.escape(str(sheet))}:(\d+)", told)[1])  # type: ignore[index]
    # The fault is in the first entry that the change is made in: at its own line, or at the head of the entry.
    assert abs(number - sheet.read_text()[:place].count("\n") - 1) <= 12
    assert not (odd_run / "settled.jsonl").exists()


def test_a_sheet_of_another_run_and_no_sheet_at_all(
    odd_run: Path, sheet: Path, clips: Clips, tmp_path: Path, capsys: Out
) -> None:
    other = make_run(tmp_path / "other", clips, model="someone else")
    fill(sheet)
    assert run("readings", other, "--apply", sheet, "--clips", clips.folder) == 2
    assert "is a sheet of the run 'run', not of 'other'" in capsys.readouterr().err
    (tmp_path / "notes.txt").write_text("# nothing\n")
    for path, words in (
        (tmp_path / "notes.txt", "is not a sheet of readings"),
        (tmp_path / "no.txt", "cannot read"),
    ):
        assert run("readings", odd_run, "--apply", path, "--clips", clips.folder) == 2
        assert words in capsys.readouterr().err
    # A run that was moved is the same run.
    odd_run.rename(tmp_path / "moved")
    moved = tmp_path / "moved" / "sheets" / "doubtful.txt"
    assert run("readings", tmp_path / "moved", "--apply", moved, "--clips", clips.folder) == 0


def test_a_sheet_is_never_written_over(odd_run: Path, sheet: Path, clips: Clips, capsys: Out) -> None:
    fill(sheet)
    work = sheet.read_bytes()
    assert run("readings", odd_run, "--doubtful", "--clips", clips.folder) == 2
    assert "exists already, and may be filled in" in capsys.readouterr().err
    assert sheet.read_bytes() == work
    for words in (("--doubtful", "--sample", "3"), ("--out", "x.txt"), ("--sample", "0")):
        assert run("readings", odd_run, *words) == 2
        capsys.readouterr()
    assert run("readings", odd_run, "--apply", sheet, "--clips", clips.folder) == 0
    assert run("readings", odd_run, "--doubtful", "--out", "more.txt", "--clips", clips.folder) == 2
    assert "no answer is read in doubt" in capsys.readouterr().err


def test_a_decision_about_another_text_is_not_used(
    odd_run: Path, sheet: Path, clips: Clips, capsys: Out
) -> None:
    fill(sheet)
    assert run("readings", odd_run, "--apply", sheet, "--clips", clips.folder) == 0
    responses = odd_run / "responses.jsonl"
    lines = [json.loads(line) for line in responses.read_text().splitlines()]
    changed = next(line for line in lines if line["text"] == ODD)
    changed["text"] = "No, \\boxed{0}"
    responses.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert run("score", odd_run, "--clips", clips.folder) == 0
    assert "1 settled for texts that the run no longer has: ignored" in capsys.readouterr().out
    scores = pd.read_csv(odd_run / "scores.csv").set_index("trial")
    assert scores.loc[changed["trial"], "final_answer"] == 0
    assert scores.loc[changed["trial"], "reading"] == "program"
    assert len(Run.open(odd_run).answers()) == 10


def test_editors_may_strip_blanks_and_change_line_ends(odd_run: Path, sheet: Path, clips: Clips) -> None:
    fill(sheet)
    lines = [line.rstrip() for line in sheet.read_text().splitlines()]
    sheet.write_bytes(("\ufeff" + "\r\n".join(lines)).encode())
    assert run("readings", odd_run, "--apply", sheet, "--clips", clips.folder) == 0
    assert line_of(odd_run / "settled.jsonl", "Ann") == 1


def test_show_marks_what_was_read_and_what_is_in_doubt(
    odd_run: Path, clips: Clips, capsys: Out, monkeypatch: pytest.MonkeyPatch
) -> None:
    from types import SimpleNamespace

    from lft.counting.commands.show import _said
    from lft.counting.scored_answer import judged

    opened = Run.open(odd_run)
    line = next(line for line in opened.lines() if line["text"] == ODD)
    found = judged(opened, line, clips.trace, line["key"]["clip"])
    attempt = {"text": ODD + "\x1b[2J", "counts": True}
    lines = _said(attempt, found)
    assert lines[:2] == [f"| {ODD}\\x1b[2J", ": ??        ^^^      ???"]
    assert lines[2:] == [
        "? unused-time: 5.0 s",
        "? unclear-answer: a number that may or may not be the final answer",
    ]
    assert _said({"text": "an earlier attempt"}, found) == ["an earlier attempt"]
    # The page is told the same, in numbers of characters.
    from lft.counting.reporting.page.data import trial
    from lft.counting.reporting.trial_views import View

    row = {"trial": "t", "clip": line["key"]["clip"], "seed": 0, "status": "answered"}
    report = SimpleNamespace(**vars(parsing.parse(ODD)))
    view = View(
        row, "correct", None, None, line, Reported(report.events, 3, None, report.doubts), (), "person"
    )
    told = trial(view, None)
    assert told["reading"] == "person"
    assert told["doubts"][0] == ["unused-time", 19, 22, "5.0 s"]
    assert [entry[4:6] for entry in told["reported"]] == [[10, 13]]


def test_what_was_not_drawn_is_no_part_of_a_random_sample(odd_run: Path, clips: Clips, capsys: Out) -> None:
    where = ("--clips", clips.folder)
    small, whole = odd_run / "small.txt", odd_run / "whole.txt"
    assert run("readings", odd_run, "--sample", 3, "--out", small, *where) == 0
    assert run("readings", odd_run, "--sample", 10, "--out", whole, *where) == 0
    entries = [part.partition("\n")[2] for part in whole.read_text().split("\n=== ")[1:]]
    stranger = next(entry for entry in entries if entry.splitlines()[0] not in small.read_text())
    small.write_text(small.read_text() + "\n=== 4 of 4\n" + stranger)
    fill(small)
    capsys.readouterr()
    assert run("readings", odd_run, "--apply", small, *where) == 2
    assert "the random sample of this sheet does not hold" in capsys.readouterr().err
    for line in ('@ drawn  {"kind": "sample", "size": [], "seed": 0, "of": 10}', "@ drawn  all of them"):
        whole.write_text(re.sub(r"(?m)^@ drawn.*$", line, whole.read_text()))
        assert run("readings", odd_run, "--apply", whole, *where) == 2
        assert "drawn is" in capsys.readouterr().err
    assert not (odd_run / "settled.jsonl").exists()
