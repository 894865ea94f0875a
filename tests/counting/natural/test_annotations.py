"""Annotations in every form that is read, and what is wrong with those that are not."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from lft.cli import main
from lft.core.errors import InputError
from lft.core.runs import Run
from lft.core.video.frames import Sampling
from lft.counting.audit.ceiling import ceiling
from lft.counting.clips import Clips, traces_of
from lft.counting.scores import frame, score_run, score_text
from tests.natural_videos import film


@pytest.fixture(scope="module")
def videos(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("videos")
    film(folder / "a.mp4", range(101), Fraction(1, 25))  # 4.0 s, and the last frame's while
    film(folder / "b.mp4", range(101), Fraction(1, 25))
    (folder / "test").mkdir()
    film(folder / "test" / "c.mp4", range(50), Fraction(1, 25))
    return folder


def lft(*arguments: object) -> int:
    with pytest.raises(SystemExit) as stop:
        main([str(a) for a in arguments])
    return int(stop.value.code or 0)


def repcount(videos: Path, out: Path, text: str, *more: str) -> int:
    table = out.parent / "annotations.csv"
    table.write_text(text)
    return lft("import", "repcount", "--annotations", table, "--videos", videos, "--out", out, *more)


def test_cycles_become_events_at_their_middle(videos: Path, tmp_path: Path) -> None:
    # As the published files have them: an unnamed index, floats, empty fields after the last boundary.
    text = (
        ",type,name,count,L1,L2,L3,L4,L5,L6,L7\n"
        "0,situp,a.mp4,3,0,25,25.0,50.0,75.0,100.0,\n"  # a pause between the second and the third
        "1,pull_up,b.mp4,4,5,15,25,35,45,,\n"  # one after the other: N + 1 boundaries
        "2,others,c.mp4,0,,,,,,,\n"
    )
    assert repcount(videos, tmp_path / "clips", text) == 0
    a, b, c = Clips.open(tmp_path / "clips")
    # Frames at 25 a second: cycles 0-1, 1-2 and 3-4 s.
    assert [(e.time_s, e.tolerance_s) for e in a.trace.events] == [(0.5, 0.5), (1.5, 0.5), (3.5, 0.5)]
    assert [e.evidence_frames for e in a.trace.events] == [(0, 24), (25, 49), (75, 99)]
    assert (a.clip_id, a.spec.kind, a.spec.timed) == ("repetition/n03_f1.0_s00", "situp", True)
    assert b.trace.times_s == pytest.approx((0.4, 0.8, 1.2, 1.6))
    assert b.trace.own_tolerances_s == pytest.approx((0.2,) * 4)
    assert b.spec.frequency_hz == 2.0  # 2.5 a second lies nearer to 2 than to 4
    assert (c.spec.count, c.spec.timed, c.trace.events) == (0, True, ())
    assert [c.spec.source for c in (a, b, c)] == ["a.mp4", "b.mp4", "c.mp4"]
    # A report at any moment of a cycle is a report of it; the pause belongs to none.
    found = score_text("1. 0.1 s - x\n2. 1.9 s - x\n3. 2.5 s - x\n\n\\boxed{3}", a.trace)
    assert (found["matched"], found["precision"], found["recall"]) == (
        2,
        pytest.approx(2 / 3),
        pytest.approx(2 / 3),
    )


def test_sixteen_frames_show_eight_repetitions_at_most(videos: Path, tmp_path: Path) -> None:
    frames = ",".join(str(5 * k) for k in range(21))
    header = ",".join(f"L{k + 1}" for k in range(21))
    text = f"name,count,{header}\na.mp4,20,{frames}\nb.mp4,20{',' * 21}\n"
    assert repcount(videos, tmp_path / "clips", text) == 0
    timed, counted = Clips.open(tmp_path / "clips")
    assert (timed.spec.timed, counted.spec.timed) == (True, False)
    for trace in (timed.trace, counted.trace):
        assert ceiling(trace, Sampling.parse("native")).count == 20
    assert ceiling(timed.trace, Sampling.parse("frames:16")).count <= 8
    # Of a count alone nobody knows how long an event is visible, so not what sixteen frames show.
    with pytest.raises(InputError, match="not known how long an event is visible"):
        ceiling(counted.trace, Sampling.parse("frames:16"))


def test_a_count_alone_is_scored_as_a_count(videos: Path, tmp_path: Path) -> None:
    assert repcount(videos, tmp_path / "clips", "name,count\na.mp4,4\nb.mp4,12\nc,0\n") == 0
    clips = Clips.open(tmp_path / "clips")
    import lft as library
    from lft.counting.sweep import Sweep

    answers = {
        "a.mp4": "1. 0.5 s - up\n2. 1.5 s - up\n\n\\boxed{5}",
        "b.mp4": "I am not sure.",
        "c.mp4": "\\boxed{0}",
    }
    run = library.sweep(
        Sweep.from_document("t", {"conditions": [{"sampling": "frames:6", "prompt": "zero_shot"}]}),
        lambda request: answers[clips[str(request.key["clip"])].spec.source],
        clips,
        tmp_path / "run",
    )
    assert lft("score", tmp_path / "run") == 0
    rows = frame(score_run(run, traces_of(run))).set_index("count")
    assert rows["correct"].to_dict() == {4: 0, 12: 0, 0: 1}
    assert rows["vor"].to_dict()[4] == 0.5  # two reports of four
    assert (
        rows.loc[[4, 12], ["precision", "recall", "f1", "acr", "rfr", "missed", "hallucinated"]]
        .isna()
        .all()
        .all()
    )
    # What six frames show of them is not known; 5 of 4 does not follow from a list of two, whatever they show.
    assert rows["evident"].fillna(-1).to_dict() == {4: -1, 12: -1, 0: 0}
    assert rows["evident_unknown"].fillna("").to_dict() == {4: "visible", 12: "visible", 0: ""}
    assert rows["cause"].fillna("").to_dict() == {4: "mis-added", 12: "unparsed", 0: ""}
    (condition,) = json.loads((tmp_path / "run" / "summary.json").read_text())["conditions"]
    everything = condition["all"]
    # |5 - 4| <= 1 and |0 - 0| <= 1; errors 1/4 and, without an answer, 12/12.
    assert everything["off_by_one"] == pytest.approx(2 / 3)
    assert (everything["nmae"], everything["n_nmae"]) == (pytest.approx(0.625), 2)
    assert [(b["bin"], b["n"]) for b in condition["bins"]] == [("0", 1), ("3-4", 1), ("11-12", 1)]
    assert all(0 <= x <= 1 for b in condition["bins"] for x in b["off_by_one_interval"])


def test_keyframes_need_event_times(videos: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert repcount(videos, tmp_path / "clips", "name,count\na.mp4,4\n") == 0
    capsys.readouterr()
    more = ("--clips", tmp_path / "clips", "--sampling", "keyframes:0.1", "--run", tmp_path / "run")
    assert lft("sweep", "natural", "--model", "simulated", *more) == 2
    assert "the times of events in clip" in capsys.readouterr().err


def test_models_that_need_more_than_a_video_say_so(videos: Path, tmp_path: Path) -> None:
    assert repcount(videos, tmp_path / "clips", "name,count\na.mp4,4\n") == 0
    for model in ("observer", "simulated"):
        run = tmp_path / model
        assert lft("sweep", "natural", "--model", model, "--clips", tmp_path / "clips", "--run", run) == 0
        lines = list(Run.open(run).lines())
        assert len(lines) == 6  # two samplings, three prompts
        assert {line["status"] for line in lines} == {"not_applicable"}


FORMS: list[tuple[str, str]] = [
    ("t.csv", "video,times_s\na.mp4,0.5 1.5 3\nb,\"[2.25]\"\n"),
    ("t.csv", "file_name,times_s,count\na.mp4,0.5;1.5;3,3\nb.mp4,2.25,1\n"),
    ("t.csv", "name,time_s\na.mp4,0.5\nb.mp4,2.25\na.mp4,3\na.mp4,1.5\n"),
    ("t.json", '{"a.mp4": [0.5, 1.5, 3], "b.mp4": [2.25]}'),
    ("t.json", '[{"video": "a.mp4", "times_s": [3, 0.5, 1.5]}, {"video": "b.mp4", "events": [2.25]}]'),
    ("t.json", '{"a.mp4": {"times_s": [0.5, 1.5, 3], "count": 3}, "b.mp4": {"time_s": 2.25}}'),
    ("t.jsonl", '{"video": "a.mp4", "times_s": [0.5, 1.5, 3]}\n{"video": "b.mp4", "times_s": [2.25]}\n'),
]  # fmt: skip


@pytest.mark.parametrize(("name", "content"), FORMS)
def test_event_times_in_every_form(name: str, content: str, videos: Path, tmp_path: Path) -> None:
    (tmp_path / name).write_text(content)
    out = tmp_path / "clips"
    assert lft("import", "videos", "--videos", videos, "--annotations", tmp_path / name, "--out", out) == 0
    a, b = Clips.open(out)
    assert a.trace.times_s == (0.5, 1.5, 3.0)
    assert a.trace.own_tolerances_s == (0.5, 0.5, 0.75)
    assert b.trace.times_s == (2.25,)
    assert b.trace.own_tolerances_s == (0.5,)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("t.csv", "video,start_s,end_s\na.mp4,1,2\na.mp4,2,2.5\n"),
        ("t.json", '{"a.mp4": [[1, 2], [2, 2.5]]}'),
    ],
)
def test_intervals_in_every_form(name: str, content: str, videos: Path, tmp_path: Path) -> None:
    (tmp_path / name).write_text(content)
    assert lft("import", "videos", videos, "--annotations", tmp_path / name, "--out", tmp_path / "clips") == 0
    (a,) = Clips.open(tmp_path / "clips")
    assert [(e.time_s, e.tolerance_s) for e in a.trace.events] == [(1.5, 0.5), (2.25, 0.25)]


@pytest.mark.parametrize(
    ("name", "content"), [("t.csv", "video,count\na.mp4,7\n"), ("t.json", '{"a.mp4": 7}')]
)
def test_counts_alone(name: str, content: str, videos: Path, tmp_path: Path) -> None:
    (tmp_path / name).write_text(content)
    assert lft("import", "videos", videos, "--annotations", tmp_path / name, "--out", tmp_path / "clips") == 0
    (a,) = Clips.open(tmp_path / "clips")
    assert (a.spec.count, a.spec.timed, a.trace.events) == (7, False, ())
    assert a.trace.execute() == 7


@pytest.mark.parametrize(
    ("kind", "content", "complaint"),
    [
        ("repcount", "name,L1\na.mp4,1\n", "annotations.csv:2: no column count"),
        (
            "repcount",
            "name,count,L1,L2\na.mp4,two,1,2\n",
            "annotations.csv:2, column count: the count is 'two'",
        ),
        ("repcount", "name,count,L1,L2\na.mp4,1.5,1,2\n", "the count is '1.5'"),
        ("repcount", "name,count,L1,L2\na.mp4,-1,1,2\n", "the count is '-1'"),
        ("repcount", "name,count,L1,L2\na.mp4,1,1,x\n", "annotations.csv:2, column L2: L2 is 'x'"),
        ("repcount", "name,count,L1,L2\na.mp4,1,1,2.5\n", "L2 is '2.5'"),
        ("repcount", "name,count,L1,L2,L3\na.mp4,1,1,,9\n", "L3 is '9' but L2 is empty"),
        ("repcount", "name,count,L1,L2\na.mp4,3,1,2\n", "2 boundaries for 3 cycles"),
        ("repcount", "name,count,L1,L2\na.mp4,1,9,3\n", "an event from 0.36 to 0.12 s"),
        (
            "repcount",
            "name,count,L1,L2\na.mp4,1,3,102\n",
            "annotations.csv:2: frame 102 of a video of 101 frames",
        ),
        ("repcount", "name,count,L1,L2,L3,L4\na.mp4,2,0,10,5,20\n", "before the one before it ends at 0.4 s"),
        ("repcount", "name,count\nz.mp4,1\n", "annotations.csv:2: no video is called 'z.mp4'"),
        ("repcount", "name,count\na.mp4,1\na.mp4,2\n", "'a.mp4' was annotated before"),
        ("repcount", "name,count\n../annotations.csv,1\n", "no video is called '../annotations.csv'"),
        ("repcount", "name,count\n,1\n", "column name: the name is None"),
        ("videos", "video,times_s\na.mp4,0.5 x\n", "annotations.csv:2, column times_s: a time is 'x'"),
        ("videos", "video,times_s\na.mp4,[0.5\n", "not a JSON list"),
        ("videos", "video,times_s\na.mp4,9\n", "annotations.csv:2: an event at 9 s of a video of 4.0"),
        ("videos", "video,times_s\na.mp4,-1\n", "an event at -1 s"),
        ("videos", "video,times_s\na.mp4,1 nan\n", "an event at nan s"),
        ("videos", "video,times_s\na.mp4,1 1\n", "two events at 1 s"),
        ("videos", "video,times_s,count\na.mp4,1 2,3\n", "2 events but the count 3"),
        ("videos", "video,count\na.mp4,3\na.mp4,4\n", "two counts, 3 and 4"),
        ("videos", "video,kind\na.mp4,jump\n", "says neither when nor how many"),
        ("videos", "times_s\n1\n", "names no video"),
        ("videos", "video,start_s\na.mp4,1\n", "a time is None"),
        ("videos", "video\n", "no annotated video could be used"),
    ],
)
def test_what_is_wrong_is_said_with_its_row(
    kind: str, content: str, complaint: str, videos: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = tmp_path / "annotations.csv"
    table.write_text(content)
    arguments = ("--annotations", table, "--videos", videos, "--out", tmp_path / "clips")
    assert lft("import", kind, *arguments) == 2
    err = capsys.readouterr().err.splitlines()[-1]
    assert complaint in err
    assert not (tmp_path / "clips").exists()


def test_faulty_rows_can_be_left_out(
    videos: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = "name,count,L1,L2\na.mp4,1,,\nz.mp4,1,,\nb.mp4,2,,\nc.mp4,3,1,2\n"
    assert repcount(videos, tmp_path / "clips", text) == 2
    assert "2 of 4 rows cannot be used: " in (err := capsys.readouterr().err)
    assert err.endswith("or --skip-faulty to leave them out\n")
    assert repcount(videos, tmp_path / "clips", text, "--skip-faulty", "--json") == 0
    out, err = capsys.readouterr()
    document: dict[str, Any] = json.loads(out)
    assert (document["clips"], len(document["left_out"])) == (2, 2)
    assert "annotations.csv:3: no video is called 'z.mp4'" in document["left_out"][0]["fault"]
    assert "1 rows whose videos are not in" in err
    assert "left out: " in err
    assert "annotations.csv:5: 2 boundaries for 3 cycles" in err
    # A row keeps its number, whatever is left out before it.
    assert [c.clip_id[-3:] for c in Clips.open(tmp_path / "clips")] == ["s00", "s02"]


def test_the_question_is_a_file_that_can_be_edited(videos: Path, tmp_path: Path) -> None:
    (tmp_path / "t.json").write_text('{"a.mp4": [1]}')
    out = tmp_path / "clips"
    words = ("--domain", "doors", "--event", "door slam", "--question", "How often does a door slam?")
    assert lft("import", "videos", videos, "--annotations", tmp_path / "t.json", "--out", out, *words) == 0
    path = out / "questions" / "doors.txt"
    assert "How often does a door slam?" in path.read_text()
    (a,) = Clips.open(out)
    assert a.clip_id.startswith("doors/")
    assert a.trace.events[0].type == "door slam"
    path.write_text(path.read_text().replace("How often", "How many times"))
    from lft.counting.sweep import Sweep, trials

    (trial,) = trials(Sweep.from_document("t", {"conditions": [{"prompt": "direct"}]}), Clips.open(out), "m")
    assert "How many times does a door slam?" in trial.next(()).text


def test_domains_share_a_folder(videos: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "clips"
    assert repcount(videos, out, "name,count\na.mp4,4\nb.mp4,2\n") == 0
    (tmp_path / "t.json").write_text('{"a.mp4": [1]}')
    assert lft("import", "videos", videos, "--annotations", tmp_path / "t.json", "--out", out) == 0
    assert {c.spec.domain for c in Clips.open(out)} == {"repetition", "natural"}
    assert (
        lft(
            "import",
            "videos",
            videos,
            "--annotations",
            tmp_path / "t.json",
            "--out",
            out,
            "--domain",
            "blinking",
        )
        == 2
    )
    assert "a domain that LFT renders" in capsys.readouterr().err


def test_answers_may_name_the_video_instead_of_the_clip(videos: Path, tmp_path: Path) -> None:
    assert repcount(videos, tmp_path / "clips", "name,count\na.mp4,4\nb.mp4,2\n") == 0
    (tmp_path / "answers.csv").write_text("id,text\na.mp4,4\nb,\\boxed{3}\n")
    table = ("import", "responses", tmp_path / "answers.csv")
    assert lft(*table, "--clips", tmp_path / "clips", "--out", tmp_path / "run") == 0
    assert lft("score", tmp_path / "run") == 0
    found = {
        r["count"]: r["correct"]
        for r in score_run(Run.open(tmp_path / "run"), Clips.open(tmp_path / "clips").trace)
    }
    assert found == {4: True, 2: False}


def test_an_export_carries_the_question_and_no_licence_is_made_up(videos: Path, tmp_path: Path) -> None:
    pytest.importorskip("pyarrow", reason="needs lft-bench[export]")
    assert repcount(videos, tmp_path / "clips", "name,count\na.mp4,4\nc.mp4,2\n") == 0
    assert lft("export", tmp_path / "clips", "--to", "hf", "--out", tmp_path / "hf") == 0
    assert "license: unknown" in (tmp_path / "hf" / "README.md").read_text()
    import pyarrow.parquet as pq

    rows = pq.read_table(tmp_path / "hf" / "metadata.parquet").to_pylist()
    assert [(row["count"], row["source"], row["timed"]) for row in rows] == [
        (4, "a.mp4", False),
        (2, "c.mp4", False),
    ]
    assert all("repetition" in row["question"] for row in rows)
    assert (tmp_path / "hf" / "questions" / "repetition.txt").is_file()
    assert not Clips.open(tmp_path / "hf").faults()


def test_sensitivity_and_audit_know_that_a_count_is_all_there_is(videos: Path, tmp_path: Path) -> None:
    from lft.counting.audit.sensitivity import _scored

    assert repcount(videos, tmp_path / "clips", "name,count\na.mp4,2\n") == 0
    (a,) = Clips.open(tmp_path / "clips")
    assert _scored((0.5, 1.5), 2, a.trace, "rate") == {"correct": 1.0}
    assert _scored((), 0, a.trace, 0.5) == {"correct": 0.0}
