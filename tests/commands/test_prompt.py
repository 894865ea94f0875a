"""Asking by hand: `lft prompt` writes what to paste, `lft import responses` takes the answers as text files."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path
from typing import Any

import cv2
import pytest

from lft.core.runs import Run
from lft.counting.clips import Clips
from tests.commands.conftest import run

TWO, NONE = "blinking/n02_f2.0_s04", "blinking/n00_f1.0_s04"


def told(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    status = run(*arguments)
    out, err = capsys.readouterr()
    return status, out, err


def asked(capsys: Any, *arguments: object) -> list[dict[str, Any]]:
    status, out, err = told(capsys, "prompt", *arguments, "--json")
    assert status == 0, err
    return list(json.loads(out)["trials"])


def test_frames_are_attached_in_order_and_their_times_stand_in_the_words(
    rendered: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (trial,) = asked(
        capsys, TWO, "--clips", rendered, "--sampling", "fps:4", "--prompt", "direct", "--out", tmp_path
    )
    # Two seconds at four a second; at 0.25 s frame 7 of 30 a second is on screen, which began at 7 / 30 s.
    on_screen_s = [int(k / 4 * 30) / 30 for k in range(8)]
    assert trial["frame_times_s"] == pytest.approx(on_screen_s, abs=1e-6)
    assert ", ".join(f"{t:.2f}" for t in on_screen_s) + "." in trial["turns"][0]
    assert [Path(p).name for p in trial["attach"]] == [f"{k:03d}.png" for k in range(1, 9)]
    picture = cv2.imread(trial["attach"][1])
    assert picture.shape == (64, 96, 3)
    # Hashed here by hand: height x width, then the pixels as RGB; frame 7 is the second one supplied.
    digest = hashlib.sha256(b"64x96:" + picture[..., ::-1].tobytes()).hexdigest()
    table = (Path(trial["folder"]) / "frames.csv").read_text().splitlines()
    assert table[0] == "position,frame_index,time_s,sha256"
    assert table[2] == f"1,7,{7 / 30:.6f},{digest}"
    assert (Path(trial["folder"]) / "prompt.txt").read_text() == trial["turns"][0] + "\n"


def test_a_conversation_has_a_file_for_each_turn_and_the_video_is_the_clip_s(
    rendered: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (trial,) = asked(capsys, TWO, "--clips", rendered, "--prompt", "two_turn_verification", "--out", tmp_path)
    assert len(trial["turns"]) == 2
    assert (Path(trial["folder"]) / "prompt-2.txt").is_file()
    assert Path(trial["attach"][0]).read_bytes() == Clips.open(rendered)[TWO].video.read_bytes()


def test_answers_put_into_the_folders_are_scored_and_empty_ones_are_missing(
    rendered: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "asked"
    first, second = asked(capsys, TWO, NONE, "--clips", rendered, "--sampling", "fps:4", "--out", out)
    (Path(first["folder"]) / "answer.txt").write_text("1. 0.8 s - lights up - count 1\n\\boxed{2}\n")
    asked(capsys, TWO, NONE, "--clips", rendered, "--sampling", "fps:4", "--out", out)  # keeps the answer
    assert run("import", "responses", out, "--model", "chat", "--out", tmp_path / "run") == 0
    capsys.readouterr()
    status, printed, err = told(capsys, "score", tmp_path / "run", "--json")
    assert status == 1
    assert "1 of 2 trials have no answer" in err
    (condition,) = json.loads(printed)["conditions"]
    assert (condition["model"], condition["sampling"], condition["labels"]) == ("chat", "fps:4", "time")
    assert (condition["all"]["n"], condition["all"]["correct"]) == (1, 1)
    (line,) = Run.open(tmp_path / "run").lines()
    assert line["frame_times_s"] == first["frame_times_s"]
    (Path(second["folder"]) / "answer.txt").write_text("no events\n\\boxed{0}")
    assert run("import", "responses", out, "--model", "chat", "--out", tmp_path / "run") == 0
    assert run("score", tmp_path / "run") == 0


def test_several_answers_to_one_question_are_its_replicates_in_order_of_their_numbers(
    rendered: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "asked"
    (trial,) = asked(capsys, TWO, "--clips", rendered, "--sampling", "fps:4", "--out", out)
    folder = Path(trial["folder"])
    for name, text in (
        ("answer.txt", "\\boxed{1}"),
        ("answer.2.txt", "\\boxed{2}"),
        ("answer.10.txt", "\\boxed{4}"),
    ):
        (folder / name).write_text(text)
    (folder / "answer-4.txt").write_text("\\boxed{9}")
    given = ("import", "responses", out, "--model", "chat", "--out", tmp_path / "run")
    status, printed, err = told(capsys, *given)
    assert status == 0
    assert "not used: " in err
    assert "answer-4.txt (answers are called answer.txt, answer.2.txt, answer.3.txt)" in err
    assert "row" not in printed + err
    assert "3 answers of chat\n" in printed
    assert "filed under: chat · fps:4 · labels time · structured_trace\n" in printed
    lines = sorted(Run.open(tmp_path / "run").lines(), key=lambda line: line["key"]["replicate"])
    assert [(one["key"]["replicate"], one["text"]) for one in lines] == [
        (0, "\\boxed{1}"), (1, "\\boxed{2}"), (2, "\\boxed{4}"),
    ]  # fmt: skip
    assert all(one["frame_times_s"] == trial["frame_times_s"] for one in lines)
    (folder / "answer.11.txt").write_text("\\boxed{5}")
    assert "4 answers of chat; added 1 to 3 already there\n" in told(capsys, *given)[1]
    # Asked folder and clips are no longer where they were to each other.
    (tmp_path / "far").mkdir()
    shutil.move(out, tmp_path / "far" / "away")
    status, _, err = told(
        capsys, "import", "responses", tmp_path / "far" / "away", "--out", tmp_path / "other"
    )
    assert status == 2
    assert "try --clips DIR" in err


def test_numbers_of_text_files_order_the_answers_to_a_clip(
    rendered: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    video = tmp_path / "clap.mp4"
    video.write_bytes(Clips.open(rendered)[TWO].video.read_bytes())
    assert run("import", "videos", video, "--count", 2, "--out", tmp_path / "mine") == 0
    texts = tmp_path / "texts"
    texts.mkdir()
    for tail, count in (("", 1), (".2", 2), (".3", 3), (".10", 10)):
        (texts / f"clap{tail}.txt").write_text(f"\\boxed{{{count}}}")
    (texts / "clap.pdf").write_bytes(b"%PDF")
    given = ("--clips", tmp_path / "mine", "--sampling", "frames:5", "--out", tmp_path / "run")
    capsys.readouterr()
    status, printed, err = told(capsys, "import", "responses", texts, *given)
    assert status == 0
    assert "clap.pdf" in err
    assert "filed under: imported · frames:5 · labels none · imported\n(set labels and prompt with" in printed
    lines = Run.open(tmp_path / "run").lines()
    assert sorted((line["key"]["replicate"], line["text"]) for line in lines) == [
        (0, "\\boxed{1}"), (1, "\\boxed{2}"), (2, "\\boxed{3}"), (3, "\\boxed{10}"),
    ]  # fmt: skip


def test_text_files_named_for_their_clips_are_answers_to_them(
    rendered: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    texts = tmp_path / "texts"
    (texts / "blinking").mkdir(parents=True)
    (texts / "blinking-n02_f2.0_s04.txt").write_text("\\boxed{2}")
    (texts / "blinking-n02_f2.0_s04.again.md").write_text("\\boxed{3}")
    (texts / "blinking" / "n00_f1.0_s04.txt").write_text("\\boxed{0}")
    given = ("--clips", rendered, "--out", tmp_path / "run", "--json")
    status, out, _ = told(capsys, "import", "responses", texts, *given)
    assert status == 0
    assert (json.loads(out)["trials"], json.loads(out)["answered"]) == (3, 3)
    keys = [(line["key"]["clip"], line["key"]["replicate"]) for line in Run.open(tmp_path / "run").lines()]
    assert sorted(keys) == [(NONE, 0), (TWO, 0), (TWO, 1)]


def test_one_text_file_and_one_own_video(
    rendered: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    video = tmp_path / "clap.mp4"
    video.write_bytes(Clips.open(rendered)[TWO].video.read_bytes())
    mine = tmp_path / "mine"
    assert run("import", "videos", video, "--times", "0.5,1.5", "--event", "clap", "--out", mine) == 0
    capsys.readouterr()
    (trial,) = asked(capsys, video, "--clips", mine)
    assert "clap" in trial["turns"][0]
    answer = tmp_path / "answer.txt"
    answer.write_text("1. 0.6 s\n2. 1.4 s\n\\boxed{2}")
    status = run(
        "import", "responses", answer, "--clip", "clap.mp4", "--clips", mine, "--out", tmp_path / "r"
    )
    assert status == 0
    capsys.readouterr()
    assert run("score", tmp_path / "r", "--json") == 0
    (condition,) = json.loads(capsys.readouterr().out)["conditions"]
    assert (condition["all"]["em"], condition["all"]["f1"]) == (1.0, 1.0)
    for called in ("clap.mp4", "clap", video):  # the trial is found by its video, too
        assert "natural/n02_f" in told(capsys, "show", tmp_path / "r", called)[1]
    status, _, err = told(capsys, "show", tmp_path / "r", "clop.mp4")
    assert status == 2
    assert "unknown trial 'clop.mp4'" in err


def test_a_few_answers_about_an_own_video_are_told_one_by_one(
    rendered: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    video, mine, out = tmp_path / "clap.mp4", tmp_path / "mine", tmp_path / "asked"
    video.write_bytes(Clips.open(rendered)[TWO].video.read_bytes())
    assert run("import", "videos", video, "--times", "0.4-0.7,1.3-1.6", "--event", "clap", "--out", mine) == 0
    capsys.readouterr()
    # A frame at 1 s lies in no event. At 4 a second, 0.5 s and 1.5 s alone do; at 8 a second, 0.5 and 0.625 s lie in
    # the first event, 1.375 and 1.5 s in the second: two each.
    status, printed, _ = told(
        capsys, "prompt", "clap.mp4", "--clips", mine, "--sampling", "frames:1", "--out", out
    )
    assert status == 0
    assert "Count every clap in the video. How many are there?\n" in printed
    assert "--- not to be pasted: your 1 frame shows 0 of 2 events; fps:8 shows 2\n" in printed
    (folder,) = out.iterdir()
    for name, text in (
        ("answer.txt", "1. 0.6 s - a clap - count 1\n\n\\boxed{1}"),
        ("answer.2.txt", "There are 2 events."),
        ("answer.3.txt", "I saw some of them in the beginning, perhaps 7 people were there, and it goes on."),
    ):
        (folder / name).write_text(text)
    assert run("import", "responses", out, "--out", tmp_path / "run") == 0
    capsys.readouterr()
    status, printed, _ = told(capsys, "score", tmp_path / "run")
    assert status == 0
    lines = printed.splitlines()
    assert lines[0].startswith(
        "answer 1, natural/n02_f4.0_s00: said 1, true 2; 1 of 2 events is reported in time, in 1 report; wrong: "
    )
    # What the words at the end say of an answer is how it was read.
    assert lines[1] == "answer 2, natural/n02_f4.0_s00: said 2, true 2; no time is reported; right"
    assert 'reply of one sentence\nthat counts the events ("There are 9 events.")' in printed
    assert lines[2].startswith("answer 3, natural/n02_f4.0_s00: no final answer, true 2; ")
    assert "found: too few answers to say (" in printed
    assert "found: nothing" not in printed
    assert "too few to place a frontier" not in printed
    assert "ceiling EM" not in printed
    # Rates and their legend say less than the three answers.
    assert "off by one" not in printed
    assert "rates of so few answers say little" in printed
    one = tmp_path / "one.txt"
    one.write_text("\\boxed{2}")
    given = ("import", "responses", one, "--clip", "clap.mp4", "--clips", mine, "--out", tmp_path / "single")
    assert "1 answer of imported\n" in told(capsys, *given)[1]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("prompt", "blinking/n02_f2.0_s05", "--clips", "{clips}"), "unknown clip"),
        (("prompt", "{file}", "--clips", "{clips}"), "is the video of no clip"),
        (("import", "responses", "{file}", "--clips", "{clips}", "--out", "r"), "does not say which clip"),
        (("import", "responses", "{file}", "--clip", "x", "--clips", "{clips}", "--out", "r"), "'x'"),
        (("import", "responses", "{empty}", "--clips", "{clips}", "--out", "r"), "holds no answers"),
        (("import", "videos", "{file}", "--times", "1,x", "--out", "r"), "'x' is not a number"),
        (
            ("import", "videos", "{file}", "--times", "1", "--count", "2", "--out", "r"),
            "1 times, but --count 2",
        ),
        (("import", "videos", "{file}", "--out", "r"), "no annotations"),
    ],
)
def test_what_cannot_be_asked_or_taken_is_said_in_one_line(
    arguments: tuple[str, ...],
    words: str,
    rendered: Path,
    here: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (here / "some.txt").write_text("\\boxed{1}")
    (here / "empty").mkdir()
    places = {"clips": rendered, "file": here / "some.txt", "empty": here / "empty"}
    status, _, err = told(capsys, *(a.format(**places) for a in arguments))
    assert status == 2
    assert words in err
    assert err.count("\n") == 1
    assert not (here / "r").exists()


def test_a_folder_without_any_answer_is_refused(
    rendered: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "asked"
    asked(capsys, TWO, "--clips", rendered, "--sampling", "frames:2", "--out", out)
    status, printed, err = told(capsys, "import", "responses", out, "--out", tmp_path / "run")
    assert (status, printed) == (2, "")
    assert "no answer" in err
