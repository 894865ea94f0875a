"""A folder of clips: kept up to date through every interruption, read without trust."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lft.core.errors import InputError
from lft.counting.clips import MANIFEST, Clips
from lft.counting.domains import DOMAINS
from lft.counting.rendering.clip_folder import render_clips
from lft.counting.spec import ClipSpec

SPECS = [
    ClipSpec(d, n, 2.0, s, width=96, height=64, duration_s=3) for d in DOMAINS for s in (0, 1) for n in (1, 2)
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    render_clips(SPECS[:4], tmp_path / "clips")
    return tmp_path / "clips"


def contents(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != ".lock"
    }


def test_the_layout_is_the_promised_one(folder: Path) -> None:
    assert sorted(contents(folder)) == sorted(
        [MANIFEST]
        + [f"videos/bounce_ball/n0{n}_f2.0_s0{s}.mp4" for n in (1, 2) for s in (0, 1)]
        + [f"traces/bounce_ball/n0{n}_f2.0_s0{s}.json" for n in (1, 2) for s in (0, 1)]
    )
    clips = Clips.open(folder)
    assert [clip.clip_id for clip in clips] == [spec.clip_id for spec in SPECS[:4]]
    assert clips.faults() == {}
    for clip in clips:
        assert clip.trace.execute() == clip.spec.count
        assert clip.trace.video_sha256 == clip.video_sha256


def test_a_manifest_is_read_however_it_was_saved_or_refused_for_what_it_is(folder: Path) -> None:
    path = folder / MANIFEST
    lines = path.read_text().splitlines()
    for text in ("\n".join(lines), "\r\n".join(lines) + "\r\n", "\ufeff" + "\n".join(lines)):
        path.write_bytes(text.encode())
        assert len(Clips.open(folder)) == 4
    path.write_text("[" + ",".join(lines) + "]")
    with pytest.raises(InputError, match=r"manifest\.jsonl:1: .*one JSON object a line, not an array"):
        Clips.open(folder)
    path.write_text("[\n" + ",\n".join(lines) + "\n]\n")
    with pytest.raises(InputError, match=r"manifest\.jsonl:1: not JSON"):
        Clips.open(folder)


def test_the_folder_is_the_same_for_any_number_of_jobs_and_any_order(tmp_path: Path) -> None:
    render_clips(SPECS, tmp_path / "one", jobs=1)
    render_clips(SPECS, tmp_path / "two", jobs=2)
    render_clips(SPECS[::-1], tmp_path / "back", jobs=1)
    render_clips(SPECS, tmp_path / "back", jobs=1)  # nothing to do but the manifest's order
    assert contents(tmp_path / "one") == contents(tmp_path / "two") == contents(tmp_path / "back")


def test_only_what_is_missing_or_damaged_is_rendered_again(folder: Path) -> None:
    before = contents(folder)
    clips = list(Clips.open(folder))
    clips[0].video.write_bytes(clips[0].video.read_bytes()[:-1])
    clips[1].trace_path.unlink()
    assert len(Clips.open(folder).faults()) == 2
    counted: list[tuple[int, int]] = []
    outcome = render_clips(SPECS[:4], folder, seen=lambda done, total: counted.append((done, total)))
    assert (outcome.rendered, outcome.kept) == (2, 2)
    assert set(outcome.repaired) == {clips[0].clip_id, clips[1].clip_id}
    assert counted == [(3, 4), (4, 4)]
    assert contents(folder) == before


def test_a_clip_filmed_at_another_size_is_replaced_and_others_stay(folder: Path) -> None:
    larger = ClipSpec("bounce_ball", 1, 2.0, 0, width=128, height=64, duration_s=3)
    assert render_clips([larger], folder).rendered == 1
    clips = Clips.open(folder)
    assert len(clips) == 4
    assert clips[larger.clip_id].spec.width == 128


def test_a_torn_manifest_line_costs_one_clip(folder: Path) -> None:
    before = contents(folder)
    manifest = folder / MANIFEST
    manifest.write_bytes(manifest.read_bytes()[:-40])
    assert len(Clips.open(folder)) == 3
    assert render_clips(SPECS[:4], folder).rendered == 1
    assert contents(folder) == before


def test_two_renders_into_one_folder_are_refused(folder: Path) -> None:
    from filelock import FileLock

    with FileLock(str(folder / ".lock")), pytest.raises(InputError, match="another process renders"):
        render_clips(SPECS, folder)


RENDER = """
import sys
from dataclasses import replace
from pathlib import Path
from lft.counting.rendering.clip_folder import render_clips
from lft.counting.domains import DOMAINS
from lft.counting.spec import ClipSpec
specs = [ClipSpec(d, 6, 2.0, s, width=640, height=360) for d in DOMAINS for s in range(20)]
if __name__ == "__main__":
    print("ready", flush=True)
    render_clips(specs, Path(sys.argv[1]), jobs=2)
"""


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_a_run_that_is_stopped_leaves_whole_files_and_can_go_on(how: signal.Signals, tmp_path: Path) -> None:
    script, folder = tmp_path / "render.py", tmp_path / "clips"
    script.write_text(RENDER)
    process = subprocess.Popen(
        [sys.executable, str(script), str(folder)], start_new_session=True, stderr=subprocess.PIPE, text=True
    )
    deadline = time.monotonic() + 60
    while len(list(folder.glob("videos/*/*.mp4"))) < 4 and time.monotonic() < deadline:
        time.sleep(0.02)
    if how == signal.SIGINT:
        os.killpg(process.pid, how)  # as a terminal does: to the whole group
    else:
        process.kill()
    process.communicate(timeout=60)
    deadline = time.monotonic() + 20
    while _alive(process.pid) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not _alive(process.pid), "a worker outlived its parent"

    clips = Clips.open(folder)
    assert 1 <= len(clips) < 60
    assert clips.faults() == {}
    specs = [clip.spec for clip in clips]
    assert render_clips(specs, folder).rendered == 0
    assert list(folder.rglob(".n*")) == []


def _alive(group: int) -> bool:
    """Whether any process of the group runs (zombies apart)."""
    listed = subprocess.run(["ps", "-eo", "pgid=,stat="], capture_output=True, text=True).stdout.split("\n")
    return any(
        line.split()[0] == str(group) and "Z" not in line.split()[1] for line in listed if line.strip()
    )


def _entry(**change: Any) -> dict[str, Any]:
    spec = SPECS[0]
    return {
        "id": spec.clip_id,
        "spec": spec.to_json(),
        "path": f"videos/{spec.clip_id}.mp4",
        "trace_path": f"traces/{spec.clip_id}.json",
        "sha256": "0" * 64,
        "trace_sha256": "0" * 64,
        **change,
    }


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"path": "../outside.mp4"}, "leaves the folder"),
        ({"path": "/etc/passwd"}, "leaves the folder"),
        ({"trace_path": "traces/../../up.json"}, "leaves the folder"),
        ({"path": "a\0b"}, "unusable path"),
        ({"path": 7}, "unusable path 7"),
        ({"id": "blinking/n03_f1.5_s07"}, "is filed as 'blinking/n03_f1.5_s07' but specifies"),
        ({"id": 3}, "wrong kind"),
        ({"spec": []}, "wrong kind"),
        ({"spec": {"domain": "blinkin"}}, "clip spec"),
        ({"spec": {**SPECS[0].to_json(), "domain": "blinkin"}}, "unknown domain 'blinkin'"),
        ({"spec": {**SPECS[0].to_json(), "frequency_hz": "2"}}, "frequency"),
        ({"spec": {**SPECS[0].to_json(), "fsp": 3}}, "unknown key 'fsp'; expected fps"),
    ],
)
def test_a_manifest_is_not_trusted(change: dict[str, Any], said: str, tmp_path: Path) -> None:
    (tmp_path / MANIFEST).write_text(json.dumps(_entry(**change)) + "\n")
    with pytest.raises(InputError) as caught:
        Clips.open(tmp_path)
    assert said in str(caught.value)
    assert f"{MANIFEST}:1" in str(caught.value)


def test_a_link_out_of_the_folder_is_refused(tmp_path: Path) -> None:
    inside = tmp_path / "clips"
    inside.mkdir()
    (tmp_path / "elsewhere").mkdir()
    (inside / "videos").symlink_to(tmp_path / "elsewhere")
    (inside / MANIFEST).write_text(json.dumps(_entry()) + "\n")
    with pytest.raises(InputError, match="leaves the folder"):
        Clips.open(inside)


def test_a_missing_entry_is_named(tmp_path: Path) -> None:
    entry = _entry()
    del entry["trace_path"]
    (tmp_path / MANIFEST).write_text(json.dumps(entry) + "\n")
    with pytest.raises(InputError, match="entry 'trace_path' is missing"):
        Clips.open(tmp_path)


def test_what_is_no_folder_of_clips_says_so(tmp_path: Path, folder: Path) -> None:
    with pytest.raises(InputError, match="no such folder"):
        Clips.open(tmp_path / "nowhere")
    with pytest.raises(InputError, match="holds no manifest"):
        Clips.open(tmp_path)
    with pytest.raises(InputError, match=r"unknown clip 'bounce_ball/n01_f2\.0_s09'"):
        Clips.open(folder)["bounce_ball/n01_f2.0_s09"]


def test_a_trace_of_another_clip_or_file_is_refused(folder: Path) -> None:
    first, second, *_ = Clips.open(folder)
    mine = first.trace_path.read_text()
    first.trace_path.write_text(second.trace_path.read_text())
    with pytest.raises(InputError, match="is the trace of"):
        Clips.open(folder).trace(first.clip_id)
    document = json.loads(mine)
    document["video_sha256"] = "f" * 64
    first.trace_path.write_text(json.dumps(document))
    with pytest.raises(InputError, match="describes another video"):
        Clips.open(folder).trace(first.clip_id)


def edit_trace(folder: Path, edit: Any) -> Path:
    path = folder / "traces/bounce_ball/n02_f2.0_s00.json"
    document = json.loads(path.read_text())
    edit(document)
    path.write_text(json.dumps(document))
    return path


@pytest.mark.parametrize(
    ("edit", "words"),
    [
        (lambda d: None, "was changed since it was written"),  # the same truth in other bytes: whose is it?
        (lambda d: d.update(frame_count=90.5), "frame_count is 90.5, not a whole number"),
        (lambda d: d.update(width=True), "width is True"),
        (lambda d: d["events"][0].update(frame_index=10**400), "frame_index|on frame 1000"),
        (lambda d: d["events"][0].update(index=False), "index of an event is False"),
        (lambda d: d.update(colour="red"), "unknown entry 'colour'"),
        (lambda d: d["events"][0].update(time="1"), "unknown entry 'time'; expected time_s"),
        (lambda d: d["events"][0].update(time_s=float("nan")), "unusable time"),
        (lambda d: d.update(events=d["events"] * 500_000), "running count 1 at position 2|running count 1"),
    ],
)
def test_a_trace_edited_by_hand_is_refused_in_one_line(folder: Path, edit: Any, words: str) -> None:
    path = edit_trace(folder, edit)
    with pytest.raises(InputError, match=words) as refused:
        Clips.open(folder).trace("bounce_ball/n02_f2.0_s00")
    assert str(path) in str(refused.value)
    assert len(str(refused.value)) < 600


def test_links_in_a_circle_and_names_that_are_too_long_are_refused(folder: Path) -> None:
    path = folder / "traces/bounce_ball/n02_f2.0_s00.json"
    path.unlink()
    path.symlink_to(path.name)
    with pytest.raises(InputError, match="unusable path"):
        Clips.open(folder)
    path.unlink()
    path.mkdir()
    with pytest.raises(InputError, match="no such file"):
        Clips.open(folder).trace("bounce_ball/n02_f2.0_s00")


def test_a_folder_of_an_earlier_version_opens_and_is_completed_as_it_was_begun(tmp_path: Path) -> None:
    old = [replace(spec, version=1) for spec in SPECS[:4]]
    render_clips(old[:3], tmp_path)
    line = json.loads((tmp_path / MANIFEST).read_text().splitlines()[0])
    assert not {"version", "schedule"} & set(line["spec"])  # as files of that version were written
    outcome = render_clips(SPECS[:4], tmp_path)
    assert (outcome.rendered, outcome.kept, outcome.version) == (1, 3, 1)
    clips = Clips.open(tmp_path)
    assert [clip.spec for clip in clips] == old
    assert {clip.spec.look_id for clip in clips} == {"bounce_ball/s00", "bounce_ball/s01"}
    assert [clip.trace.spec for clip in clips] == old
