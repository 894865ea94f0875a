"""Sweep files, and the requests that each condition makes of a clip."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from importlib.resources import files
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from lft.core.conditions import Condition
from lft.core.errors import InputError
from lft.core.requests import Images, Response, Text, Video
from lft.core.sweeps import read_sweep
from lft.core.trials import Done
from lft.counting.names import NAME
from lft.counting.spec import ClipSpec
from lft.counting.sweep import Sweep, question, trials
from tests.videos import numbered, write_video

SWEEPS = sorted(
    p.stem
    for p in Path(str(files("lft") / "sweeps")).glob("*.yaml")
    if not p.stem.startswith("grid_") and read_sweep(p.stem)[0] in (None, NAME)
)


@dataclass
class OneClip:
    """Stands for a folder of clips: one two-second video with two events."""

    folder: Path
    times_s: tuple[float, ...] = (0.5, 1.5)

    def __iter__(self) -> Any:
        path = self.folder / "v.mp4"
        if not path.exists():
            write_video(path, numbered(60), time_base=Fraction(1, 30))
        spec = ClipSpec("blinking", len(self.times_s), 1.0, 3)
        trace = SimpleNamespace(times_s=self.times_s)
        yield SimpleNamespace(clip_id=spec.clip_id, spec=spec, video=path, trace=trace, video_sha256="0")


def requests_of(
    clips: OneClip, monkeypatch: pytest.MonkeyPatch, answers: tuple[str, ...] = (), **condition: str
) -> Any:
    sweep = Sweep.from_document("t", {"conditions": [condition]})
    (trial,) = trials(sweep, clips, "m")
    return trial, trial.next(answers)


@pytest.mark.parametrize("name", SWEEPS)
def test_every_sweep_that_comes_with_lft_can_be_read(name: str) -> None:
    sweep = Sweep.load(name)
    assert sweep.conditions
    assert sweep.title != name


def test_lists_inside_a_condition_are_crossed_and_repeats_drop_out() -> None:
    sweep = Sweep.from_document(
        "t",
        {
            "conditions": [
                {
                    "sampling": ["native", "fps:1.0"],
                    "labels": ["time", "none"],
                    "prompt": ["direct", "thinking"],
                }
            ]
        },
    )
    # native has no labels, so its two collapse: (1 native + 2 fps) x 2 prompts.
    assert len(sweep.conditions) == 6
    assert Condition("fps:1", "time", "direct") in sweep.conditions
    assert {c.labels for c in sweep.conditions if c.sampling == "native"} == {"none"}


def test_the_command_line_replaces_an_axis() -> None:
    sweep = Sweep.load("prompting").with_conditions(["fps:1", "fps:2"], [], ["direct"])
    assert sweep.conditions == (Condition("fps:1", "time", "direct"), Condition("fps:2", "time", "direct"))


@pytest.mark.parametrize(
    ("document", "complaint"),
    [
        ({}, "no conditions"),
        ({"condition": []}, "conditions .did you mean"),
        ({"conditions": [{"sample": "native"}]}, "sampling .did you mean"),
        ({"conditions": [{"labels": "tim", "sampling": "fps:1"}]}, "time .did you mean"),
        ({"conditions": ["native"]}, "expected a mapping"),
        ({"conditions": [{"sampling": "fps:x"}]}, "no usable number"),
        ({"conditions": [{"sampling": "native"}], "replicates": 0}, "replicates is 0"),
    ],
)
def test_faulty_sweeps_are_refused(document: dict[str, Any], complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        Sweep.from_document("t", document, where="t.yaml")


def test_native_sends_the_file_and_the_question(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    trial, request = requests_of(OneClip(tmp_path), monkeypatch, sampling="native")
    video, text = request.parts
    assert isinstance(video, Video)
    assert isinstance(text, Text)
    assert "The video lasts 2.0 seconds." in text.text
    assert question("blinking")["question"] in text.text
    assert trial.id == "blinking/n02_f1.0_s03,native,none,structured_trace,0"
    assert dict(request.task) == {"suite": "counting", "domain": "blinking"}


def test_frames_are_sent_in_order_with_their_times(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _, request = requests_of(OneClip(tmp_path), monkeypatch, sampling="fps:2", labels="time", prompt="direct")
    images, text = request.parts
    assert isinstance(images, Images)
    assert images.frames.times_s.tolist() == pytest.approx([0, 0.5, 1, 1.5])
    assert [images.label(k) for k in range(2)] == ["0.00 s:", "0.50 s:"]
    assert "4 frames are given, in order of time," in text.text
    assert "time of each frame" in text.text


def test_without_labels_no_time_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _, request = requests_of(OneClip(tmp_path), monkeypatch, sampling="fps:2", labels="none", prompt="direct")
    assert request.parts[0].label(0) is None
    assert "time of each frame" not in request.parts[1].text


def test_keyframes_surround_the_true_events(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _, request = requests_of(OneClip(tmp_path), monkeypatch, sampling="keyframes:0.1", labels="none")
    # 0.4, 0.5, 0.6 and 1.4, 1.5, 1.6 s: frames 12, 15, 18, 42, 45, 48 at 30 frames per second.
    assert request.parts[0].frames.frame_indices.tolist() == [12, 15, 18, 42, 45, 48]


def test_keyframes_of_a_clip_without_events_send_no_frame(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, request = requests_of(OneClip(tmp_path, ()), monkeypatch, sampling="keyframes:0.1")
    assert request.images == 0
    assert all(isinstance(part, Text) for part in request.parts)
    assert "No frame is given" in request.text


def test_a_second_turn_holds_the_first_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    trial, first = requests_of(
        OneClip(tmp_path), monkeypatch, sampling="native", prompt="two_turn_verification"
    )
    assert trial.turns == 2
    assert len(first.parts) == 2
    second = trial.next((Response("1. 0.5 s - lit - count 1\n\\boxed{1}"),))
    assert [(m.role, len(m.parts)) for m in second.messages] == [("user", 2), ("model", 1), ("user", 1)]
    assert second.parts[2].text.startswith("1. 0.5 s")
    assert trial.next((Response("one"), Response("two"))) == Done("answered")


def test_the_request_holds_nothing_of_the_truth(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _, request = requests_of(OneClip(tmp_path), monkeypatch, sampling="fps:1", labels="time")
    assert "n02" not in request.text
    assert set(request.task) == {"suite", "domain"}


def test_filters_that_fit_no_clip_are_refused(tmp_path: Path) -> None:
    sweep = Sweep.from_document("t", {"conditions": [{}], "domains": ["bounce_ball"]})
    with pytest.raises(InputError, match=r"domains names 'bounce_ball', which no clip in .* has"):
        list(trials(sweep, OneClip(tmp_path), "m"))


@pytest.mark.parametrize(
    ("entries", "words"),
    [
        ({"domains": ["blinking", "blinkin"]}, "domains names 'blinkin'.*expected one of blinking"),
        ({"counts": [2, 99]}, "counts names 99.*expected one of 2"),
        ({"frequencies_hz": [9.5]}, "frequencies_hz names 9.5"),
        ({"seeds": [999]}, "seeds names 999"),
        ({"counts": [2, "a"]}, "counts names 'a'; expected whole numbers"),
        ({"counts": [True]}, "counts names True"),
        ({"seeds": [0, 0.5]}, "seeds names 0.5; expected whole numbers"),
        ({"frequencies_hz": ["1"]}, "frequencies_hz names '1'; expected numbers"),
        ({"domains": [3]}, "domains names 3; expected names of domains"),
        ({"seeds": []}, "seeds is empty"),
        ({"replicates": True}, "replicates is True; expected a whole number from 1 to 1000"),
        ({"replicates": 10**9}, "replicates is 1000000000; expected a whole number from 1 to 1000"),
        ({"title": b"x"}, "title is b'x'"),
    ],
)
def test_a_filter_that_would_ask_less_than_is_written_is_refused(
    tmp_path: Path, entries: dict[str, Any], words: str
) -> None:
    with pytest.raises(InputError, match=words):
        list(trials(Sweep.from_document("t", {"conditions": [{}], **entries}), OneClip(tmp_path), "m"))


def test_seeds_come_first_so_that_a_part_covers_the_grid(tmp_path: Path) -> None:
    def clip(count: int, seed: int) -> Any:
        spec = ClipSpec("blinking", count, 1.0, seed)
        return SimpleNamespace(
            clip_id=spec.clip_id, spec=spec, video=tmp_path, trace_path=tmp_path, video_sha256="0"
        )

    class Several(list[Any]):
        folder = tmp_path

    clips = Several([clip(2, 1), clip(1, 1), clip(2, 0), clip(1, 0)])
    asked = [t.id.split(",")[0] for t in trials(Sweep.load("baseline"), clips, "m")]
    assert asked == [f"blinking/n{n:02d}_f1.0_s{s:02d}" for s in (0, 1) for n in (1, 2)]
