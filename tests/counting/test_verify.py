"""Traces against pixels: what agrees passes, and each kind of disagreement is named."""

from __future__ import annotations

import ast
import importlib
import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from lft.cli import main
from lft.core.files import sha256_of
from lft.core.video.media import Media
from lft.counting.clips import MANIFEST, Clip, Clips, write_manifest
from lft.counting.domains import BUILT_IN, DOMAINS
from lft.counting.rendering.clip_folder import render_clips
from lft.counting.spec import ClipSpec
from lft.counting.trace import Event, Trace
from lft.counting.verify import verify_clip

BOUNCE, BLINK, STATE = (
    ClipSpec("bounce_ball", 3, 2.0, 1, width=320, height=180, duration_s=4),
    ClipSpec("blinking", 3, 2.0, 1, width=320, height=180, duration_s=4),
    ClipSpec("state_machine", 4, 2.0, 1, width=320, height=180, duration_s=4),
)


@pytest.fixture(scope="module")
def rendered(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("verify") / "clips"
    empty = [replace(spec, count=0, frequency_hz=1.0) for spec in (BOUNCE, BLINK)]
    render_clips([BOUNCE, BLINK, STATE, *empty], folder)
    return folder


@pytest.fixture
def folder(rendered: Path, tmp_path: Path) -> Path:
    """A copy that a test may damage."""
    return Path(shutil.copytree(rendered, tmp_path / "clips"))


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as ended:
        main(list(arguments))
    out, err = capsys.readouterr()
    return int(ended.value.code or 0), out, err


def problems(folder: Path, spec: ClipSpec) -> list[str]:
    clip = Clips.open(folder)[spec.clip_id]
    return verify_clip(Media.open(clip.video), Trace.read(clip.trace_path))


def rewrite(folder: Path, spec: ClipSpec, change: Callable[[Trace], Trace]) -> None:
    """Changes a trace and its line in the manifest, so that only the pixels can tell."""
    clips = Clips.open(folder)
    clip = clips[spec.clip_id]
    change(clip.trace).write(clip.trace_path)
    named = replace(clip, trace_sha256=sha256_of(clip.trace_path))
    write_manifest(folder, {**clips.by_id, clip.clip_id: named})


def moved(event: Event, by: int) -> Event:
    frame = event.frame_index + by
    first, last = event.evidence_frames
    return replace(
        event,
        frame_index=frame,
        time_s=frame / 30,
        scheduled_s=frame / 30,
        evidence_frames=(first + by, max(first + by, last)),
    )


def renumbered(trace: Trace, events: list[Event]) -> Trace:
    """The trace with other events, consistent in itself."""
    chained: list[Event] = []
    for index, event in enumerate(events):
        before = chained[-1].state_after if chained else event.state_before
        chained.append(replace(event, index=index, running_count=index + 1, state_before=before))
    spec = replace(trace.spec, count=len(events))
    return replace(trace, spec=spec, clip_id=spec.clip_id, events=tuple(chained))


def test_rendered_clips_agree_with_their_traces(rendered: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, "verify", str(rendered), "--jobs", "1", "--json")
    assert status == 0
    # 3 + 3 + 4 events and two clips without any.
    assert json.loads(out) == {"clips": 5, "events": 10, "faulty": 0, "problems": {}}


@pytest.mark.parametrize("spec", [BOUNCE, BLINK, STATE], ids=lambda spec: spec.domain)
def test_an_event_moved_by_two_frames_is_reported(folder: Path, spec: ClipSpec) -> None:
    def change(trace: Trace) -> Trace:
        events = list(trace.events)
        events[1] = moved(events[1], 2)
        if spec is STATE:  # the state before it lasts two frames longer
            first, last = events[0].evidence_frames
            events[0] = replace(events[0], evidence_frames=(first, last + 2))
        return replace(trace, events=tuple(events))

    frame = Clips.open(folder)[spec.clip_id].trace.events[1].frame_index
    rewrite(folder, spec, change)
    (problem, *others) = [p for p in problems(folder, spec) if "event 1" in p]
    assert f"on frame {frame + 2}: the pixels show it on frame {frame} (-2)" in problem
    assert not others


@pytest.mark.parametrize("spec", [BOUNCE, BLINK, STATE], ids=lambda spec: spec.domain)
def test_a_missing_and_an_invented_event_are_reported(folder: Path, spec: ClipSpec) -> None:
    clip = Clips.open(folder)[spec.clip_id]
    trace, media = clip.trace, Media.open(clip.video)
    without = renumbered(trace, [trace.events[0], *trace.events[2:]])
    frame = trace.events[1].frame_index
    assert f"the pixels show an event on frame {frame} that the trace does not name" in verify_clip(
        media, without
    )
    # One more, between the last event and the end.
    last = trace.events[-1]
    frame = (last.frame_index + trace.frame_count) // 2
    invented = replace(moved(last, frame - last.frame_index), evidence_frames=(frame, frame))
    found = verify_clip(media, renumbered(trace, [*trace.events, invented]))
    assert f"event {len(trace.events)} ({last.type}) on frame {frame}: the pixels show none there" in found


def test_a_wrong_state_is_reported(folder: Path) -> None:
    clip = Clips.open(folder)[STATE.clip_id]
    events = list(clip.trace.events)
    before, after = events[0].state_before, events[0].state_after
    assert any(e.state_before == after for e in events[2:])
    # The first event is said to lead to a state of another name: one look, two names.
    other = next(name for name in "ABCD" if name not in {before, after})
    events[0] = replace(events[0], state_after=other)
    events[1] = replace(events[1], state_before=other)
    found = verify_clip(Media.open(clip.video), replace(clip.trace, events=tuple(events)))
    assert any(f"the trace says {before} to {other}, the pixels show" in problem for problem in found) or any(
        f"elsewhere called {other}" in problem for problem in found
    )


def test_walls_that_are_mixed_up_are_reported(folder: Path) -> None:
    clip = Clips.open(folder)[BOUNCE.clip_id]
    events = list(clip.trace.events)
    wrong = events[0].state_after
    events[1] = replace(events[1], state_after=wrong)
    events[2] = replace(events[2], state_before=wrong)
    found = verify_clip(Media.open(clip.video), replace(clip.trace, events=tuple(events)))
    assert any("event 1 (wall_contact): the trace says" in problem for problem in found)


def test_a_blink_of_another_length_is_reported(folder: Path) -> None:
    clip = Clips.open(folder)[BLINK.clip_id]
    first, last = clip.trace.events[0].evidence_frames
    events = (replace(clip.trace.events[0], evidence_frames=(first, last + 1)), *clip.trace.events[1:])
    found = verify_clip(Media.open(clip.video), replace(clip.trace, events=events))
    assert found == [
        f"event 0 (blink) shows in frames {first} to {last}, the trace says {first} to {last + 1}"
    ]


def test_a_trace_of_another_clip_is_reported(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    clips = Clips.open(folder)
    shutil.copy(clips[BLINK.clip_id].trace_path, clips[BOUNCE.clip_id].trace_path)
    status, out, err = run(capsys, "verify", str(folder), "--jobs", "1")
    assert status == 1
    assert f"{BOUNCE.clip_id}: " in out
    assert f"is the trace of {BLINK.clip_id}, not of this clip" in out
    assert "1 of 5 clips disagree with their traces" in err


def test_a_clip_cut_short_is_reported(folder: Path) -> None:
    clip = Clips.open(folder)[BOUNCE.clip_id]
    recut(clip, 100)
    found = problems(folder, BOUNCE)
    assert "the video is not the file that the trace describes (SHA-256)" in found
    assert "the video has 100 frames, the trace says 120" in found
    clip.video.write_bytes(clip.video.read_bytes()[:3000])
    recorded = Clips.open(folder)
    from lft.counting.verify import verify_clips

    faulty = {clip_id: lines for clip_id, lines in verify_clips(recorded) if lines}
    assert list(faulty) == [BOUNCE.clip_id]


@pytest.mark.parametrize("content", [None, b"", b"<html>not a video</html>"])
def test_a_missing_or_foreign_file_is_reported_and_the_rest_is_checked(
    folder: Path, capsys: pytest.CaptureFixture[str], content: bytes | None
) -> None:
    video = Clips.open(folder)[STATE.clip_id].video
    video.unlink()
    if content is not None:
        video.write_bytes(content)
    status, out, _ = run(capsys, "verify", str(folder), "--jobs", "1", "--json")
    document = json.loads(out)
    assert (status, document["clips"], document["faulty"]) == (1, 5, 1)
    assert list(document["problems"]) == [STATE.clip_id]


def test_a_folder_without_clips_is_wrong_usage(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for folder, what in ((tmp_path / "none", "no such folder"), (tmp_path, "holds no manifest.jsonl")):
        status, out, err = run(capsys, "verify", str(folder))
        assert (status, out) == (2, "")
        assert what in err
        assert err.count("\n") == 1
    (tmp_path / MANIFEST).write_text('{"id": 3}\n')
    status, _, err = run(capsys, "verify", str(tmp_path))
    assert status == 2
    assert "manifest.jsonl:1" in err


def test_observing_one_video(rendered: Path, capsys: pytest.CaptureFixture[str]) -> None:
    clip = Clips.open(rendered)[BLINK.clip_id]
    status, out, _ = run(capsys, "observe", str(clip.video), "--domain", "blinking", "--json")
    document = json.loads(out)
    assert status == 0
    assert [e["time_s"] for e in document["events"]] == pytest.approx(clip.trace.times_s, abs=1e-6)
    assert document["final_answer"] == 3
    assert len(document["frame_times_s"]) == 120
    key = ("--sampling", "keyframes:0.1")
    status, _, err = run(capsys, "observe", str(clip.video), "--domain", "blinking", *key)
    assert status == 2
    assert "--trace" in err
    status, out, _ = run(
        capsys,
        "observe",
        str(clip.video),
        "--domain",
        "blinking",
        *key,
        "--trace",
        str(clip.trace_path),
        "--json",
    )
    document = json.loads(out)
    assert status == 0
    assert document["final_answer"] == 3
    assert len(document["frame_times_s"]) == 9
    status, _, err = run(capsys, "observe", str(clip.video), "--domain", "blinkin")
    assert status == 2
    assert "did you mean" in err


DRAWING = {"scene", "schedule", "look", "frames", "motion", "visual", "manim_stage", "manim"}


def test_the_check_shares_no_code_with_what_it_checks() -> None:
    """Neither the check nor the readers of pixels import a scene, a schedule, a look or a visual state."""
    package = Path(__file__).resolve().parents[2] / "lft" / "counting"
    modules = sorted({d.reader.partition(":")[0] for d in DOMAINS.values()})
    assert modules == [f"lft.counting.domains.{name}.reader" for name in sorted(BUILT_IN)]
    readers = [Path(str(importlib.import_module(module).__file__)) for module in modules]
    readers += sorted((package / "observer").glob("*.py"))
    # A model that knows how clips are drawn is no reader of pixels; nothing that checks imports it.
    readers.remove(package / "observer" / "inferred.py")
    for path in [package / "verify.py", *readers]:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [a.name for a in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            for name in names:
                last = name.rpartition(".")[2]
                assert "renderers" not in name, path
                assert last != "inferred" or path.name in ("__init__.py", "model.py"), path
                assert last not in DRAWING or name == "lft.core.video.frames", path


def recut(clip: Clip, frames: int) -> None:
    """The video again, with only its first frames."""
    import av

    pictures = [picture for _, picture in Media.open(clip.video).pictures(range(frames))]
    with av.open(str(clip.video), "w") as container:
        stream = container.add_stream("libx264", rate=30, options={"crf": "18"})
        stream.height, stream.width = pictures[0].shape[:2]
        stream.pix_fmt = "yuv420p"
        for picture in pictures:
            container.mux(stream.encode(av.VideoFrame.from_ndarray(picture, format="rgb24")))
        container.mux(stream.encode(None))
