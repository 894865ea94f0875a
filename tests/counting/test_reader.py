"""Every answer is read in its context, and what the reading is unsure of reaches the scores."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from lft.counting.audit.sensitivity import answers_of, sensitivity
from lft.counting.reader import Reader, context_of, noun_of
from lft.counting.reported import Context, Doubt, Reported, ReportedEvent
from lft.counting.scored_answer import judged
from lft.counting.scores import frame, score_run
from lft.counting.summary import totals
from tests.commands.conftest import run as lft
from tests.counting.clips import trace_at
from tests.fake_runs import make_clips, make_run, say_truth

Out = pytest.CaptureFixture[str]


def line_of(sampling: str, **more: Any) -> dict[str, Any]:
    return {"trial": "t", "key": {"clip": "blinking/n02_f1.0_s00", "sampling": sampling}, "text": "", **more}


def test_the_context_of_an_answer() -> None:
    # A clip of 24 s: frames:4 are the midpoints of four intervals of 6 s.
    reader = Reader(None, lambda _: trace_at([30, 60], frequency_hz=2.0))
    assert reader.context(line_of("frames:4")) == Context(24.0, (3.0, 9.0, 15.0, 21.0), "blink")
    # What was recorded comes first; a native video's frames are the provider's choice.
    assert reader.context(line_of("frames:4", frame_times_s=[1.0, 2.5])).frame_times_s == (1.0, 2.5)
    assert reader.context(line_of("native", native=True)).frame_times_s is None
    assert reader.context(line_of("unknown")).frame_times_s is None
    # Events at 30/30 and 60/30 s, each with a frame 0.5 s before and after it; 1.5 s is shared.
    keyframes = (0.5, 1.0, 1.5, 2.0, 2.5)
    assert reader.context(line_of("keyframes:0.5")).frame_times_s == keyframes
    assert context_of(trace_at([30, 60]), "keyframes:0.5").frame_times_s == keyframes
    # "Frame 1:" is written before the first where the labels are numbers; else an answer counts them as it likes.
    line = line_of("frames:4")
    numbered = reader.context({**line, "key": {**line["key"], "labels": "index"}})
    assert (numbered.frames_from, reader.context(line_of("frames:4")).frames_from) == (1, None)
    lost = Reader(None, lambda _: None)
    assert lost.context(line_of("frames:4")) == Context(None, None, "blink")


def test_the_noun_is_that_of_the_question_that_was_asked(tmp_path: Path) -> None:
    assert (noun_of("bounce_ball"), noun_of("nothing_of_the_kind")) == ("wall contact", "")
    clips = make_clips(tmp_path / "clips", domains=["blinking"], counts=[1], seeds=1)
    folder = make_run(tmp_path / "run", clips)
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest["questions"]["blinking"]["event"] = "flash of light"
    (folder / "manifest.json").write_text(json.dumps(manifest))
    from lft.core.runs import Run

    (line, *_) = Run.open(folder).lines()
    assert Reader(Run.open(folder), clips.trace).context(line).noun == "flash of light"
    (tmp_path / "clips" / "questions").mkdir()
    words = "=== question\nHow many?\n=== event\nhop\n=== detail\nwhat\n"
    (tmp_path / "clips" / "questions" / "frogs.txt").write_text(words)
    assert noun_of("frogs", tmp_path / "clips") == "hop"


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> list[Context | None]:
    """A parser that is unsure of everything; the contexts that it was given."""
    contexts: list[Context | None] = []

    def unsure(text: str, rule: str = "ledger", context: Context | None = None) -> Reported:
        contexts.append(context)
        doubts = (Doubt("unused-time", (3, 4)), Doubt("ordinals", (0, 2)), Doubt("unused-time", (5, 6)))
        return Reported((ReportedEvent(1.0, span=(0, 2), rule="list item"),), 1, None, doubts)

    monkeypatch.setattr("lft.counting.parse.parse", unsure)
    return contexts


def test_doubts_reach_scores_summary_and_what_is_shown(
    tmp_path: Path, seen: list[Context | None], monkeypatch: pytest.MonkeyPatch, capsys: Out
) -> None:
    monkeypatch.chdir(tmp_path)
    clips = make_clips(tmp_path / "clips", domains=["blinking"], counts=[0, 1], seeds=2)
    folder = make_run(tmp_path / "run", clips, samplings=("frames:4",), say=say_truth)
    from lft.core.runs import Run

    run = Run.open(folder)
    rows = list(score_run(run, clips.trace))
    assert {(row["doubts"], row["reading"]) for row in rows} == {("unused-time;ordinals", "program")}
    found = totals(frame(rows))
    assert (found["n_in_doubt"], found["doubts"]) == (
        len(rows),
        {"unused-time": len(rows), "ordinals": len(rows)},
    )
    one = judged(run, next(iter(run.answers().values())), clips.trace, rows[0]["clip"])
    told = {
        "code": "unused-time",
        "span": [3, 4],
        "detail": "",
        "meaning": "a time in the text that no event took",
    }
    assert one["doubts"][0] == told
    assert (one["reported"][0]["span"], one["reported"][0]["rule"], one["reading"]) == (
        [0, 2],
        "list item",
        "program",
    )
    assert sensitivity(answers_of(run, clips.trace))
    assert lft("score", folder, "--clips", clips.folder) == 0
    said = capsys.readouterr().out
    assert f"read in doubt: {len(rows)} of {len(rows)} answers (100.0 %)" in said
    assert "ordinals: numbers of entries skip or repeat" in said
    # Nobody read without knowing the clip: 24 s, its four frames, the word for an event.
    assert set(seen) == {Context(24.0, (3.0, 9.0, 15.0, 21.0), "blink")}
