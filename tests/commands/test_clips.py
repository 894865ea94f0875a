"""`lft render` and `lft clip` as they are typed."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path

import pytest

from lft.cli import main
from lft.counting.clips import Clips

GRID = """
domains: [blinking, state_machine]
counts: [0, 2]
frequencies_hz: [2.0]
seeds: [4]
size: 96x64
duration_s: 2
"""


def run(*arguments: object) -> int:
    with pytest.raises(SystemExit) as stopped:
        main([str(a) for a in arguments])
    return int(stopped.value.code or 0)


@pytest.fixture
def grid(tmp_path: Path) -> Path:
    path = tmp_path / "grid_small.yaml"
    path.write_text(GRID)
    return path


def test_render_makes_the_clips_of_a_grid_and_then_keeps_them(
    grid: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "clips"
    assert run("render", "--grid", grid, "--jobs", 1, "--out", out, "--json") == 0
    captured = capsys.readouterr()
    assert json.loads(captured.out) == {"folder": str(out), "rendered": 4, "kept": 0}
    assert "rendering 4/4" in captured.err
    assert run("render", "--grid", grid, "--jobs", 1, "--out", out) == 0
    told = capsys.readouterr().out
    assert told == f"0 clips rendered, 4 kept, in {out}\nnext: lft verify {out}\n"


def test_render_says_what_was_damaged(grid: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "clips"
    run("render", "--grid", grid, "--jobs", 1, "--out", out)
    clip = Clips.open(out)["blinking/n02_f2.0_s04"]
    clip.video.write_bytes(b"")
    capsys.readouterr()
    assert run("render", "--grid", grid, "--jobs", 1, "--out", out) == 0
    captured = capsys.readouterr()
    assert "1 clip rendered, 3 kept" in captured.out
    assert (
        "rendered again: blinking/n02_f2.0_s04 (n02_f2.0_s04.mp4 is not the file that was rendered)"
        in captured.err
    )


def test_render_of_one_domain_at_another_rate_and_size(grid: Path, tmp_path: Path) -> None:
    arguments = (
        "--domain",
        "blinking",
        "--fps",
        15,
        "--size",
        "64x64",
        "--jobs",
        1,
        "--out",
        tmp_path / "clips",
    )
    assert run("render", "--grid", grid, *arguments) == 0
    specs = [clip.spec for clip in Clips.open(tmp_path / "clips")]
    assert {(s.domain, s.fps, s.width, s.height) for s in specs} == {("blinking", 15, 64, 64)}


def test_the_default_folder_is_named_after_the_grid(
    grid: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run("render", "--grid", grid, "--domain", "blinking", "--jobs", 1) == 0
    assert len(Clips.open(tmp_path / "results" / "clips" / "small")) == 2


def test_clip_makes_one_clip_in_the_same_layout(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    size = ("--size", "96x64", "--fps", 15)
    assert (
        run("clip", "blinking", "--count", 3, "--frequency", 1.5, "--seed", 7, "--out", tmp_path, *size) == 0
    )
    video, trace = capsys.readouterr().out.splitlines()
    assert video.endswith("videos/blinking/n03_f1.5_s07.mp4")
    assert trace.endswith("traces/blinking/n03_f1.5_s07.json")
    assert run("clip", "bounce_ball", "--count", 1, "--seed", 2, "--out", tmp_path, *size, "--json") == 0
    document = json.loads(capsys.readouterr().out)
    assert document["clip_id"] == "bounce_ball/n01_f1.0_s02"
    assert Path(document["video"]).is_file()
    assert [clip.clip_id for clip in Clips.open(tmp_path)] == [
        "bounce_ball/n01_f1.0_s02",
        "blinking/n03_f1.5_s07",
    ]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("clip", "blinkng", "-n", 1), "unknown domain 'blinkng'; expected blinking (did you mean this?)"),
        (("clip", "blinking", "-n", 13, "-f", 0.5), "13 events at 0.5 Hz last 26 s"),
        (("clip", "blinking", "-n", -1), "count is -1"),
        (("clip", "blinking", "-n", 1, "-f", "nan"), "the frequency is not positive"),
        (("clip", "blinking", "-n", 1, "-f", "inf"), "the frequency is not positive"),
        (("clip", "blinking", "-n", 1, "--size", "big"), "--size: unusable size 'big'"),
        (("clip", "blinking", "-n", 1, "--size", "0x0"), "width is 0"),
        (("clip", "blinking", "-n", 1, "--fps", 1000), "fps is 1000"),
        (("clip", "blinking", "-n", 1, "--fps", 0), "fps is 0; expected a whole number from 10 to 240"),
        (("render", "--fps", 0), "fps is 0; expected a whole number from 10 to 240"),
        (("render", "--grid", "papr"), "unknown grid 'papr'; expected paper"),
        (
            ("render", "--grid", "demo", "--domain", "bounce"),
            "unknown domain 'bounce'; expected bounce_ball",
        ),
        (("render", "--jobs", 0), "jobs"),
    ],
)
def test_wrong_usage_is_one_line(
    arguments: tuple[object, ...], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(*arguments, "--out", tmp_path / "out") == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    assert said in captured.err
    assert not (tmp_path / "out").exists()


def test_a_folder_that_cannot_be_written_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").touch()
    assert run("clip", "blinking", "-n", 1, "--out", tmp_path / "file" / "out") == 2
    assert capsys.readouterr().err.splitlines()[0].startswith("lft: ")


def test_names_in_a_manifest_and_a_trace_do_not_reach_the_terminal_as_control_characters(
    rendered: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("click.utils.should_strip_ansi", lambda *_, **__: False)  # as on a terminal
    shutil.copytree(rendered, tmp_path / "clips")
    lines = [json.loads(line) for line in (tmp_path / "clips/manifest.jsonl").read_text().splitlines()]
    clip = next(line for line in lines if line["spec"]["count"] == 2)
    trace = tmp_path / "clips" / clip["trace_path"]
    document = json.loads(trace.read_text())
    document["events"][0]["type"] = "\x1b]0;pwn\x07"
    event = document["events"][0]  # moved, consistently: only the pixels know better
    event |= {"frame_index": event["frame_index"] - 5, "time_s": (event["frame_index"] - 5) / 30}
    event |= {
        "scheduled_s": event["time_s"],
        "evidence_frames": [event["frame_index"], event["frame_index"] + 2],
    }
    trace.write_text(json.dumps(document))
    clip["trace_sha256"] = hashlib.sha256(trace.read_bytes()).hexdigest()
    other = next(line for line in lines if line["spec"]["count"] == 0)
    other["path"] = "videos/\x1b[31mred.mp4"
    (tmp_path / "clips/manifest.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert run("verify", tmp_path / "clips", "--jobs", 1) == 1
    told = capsys.readouterr()
    assert "pwn" in told.out
    assert "\x1b" not in told.out + told.err
    assert (
        run("render", "--grid", rendered.parent / "grid_small.yaml", "--out", tmp_path / "clips", "--jobs", 1)
        == 0
    )
    told = capsys.readouterr()
    assert "rendered again: " in told.err
    assert "\x1b" not in told.out + told.err
