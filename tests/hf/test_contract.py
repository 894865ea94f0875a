"""What the processors make of a request.

The frames, their order and their times, read back from the tensors.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from lft.core.ask import Limits, ask
from lft.core.models.hf_inputs import OWN_LABELS, clock, prepare
from lft.core.requests import Images, NotApplicable, Request, Text, Video
from lft.core.runs import Recorder
from lft.core.video.frames import Frames, Sampling, sample
from lft.core.video.media import Media
from tests.core.asking import lines_of
from tests.core.models.contract import EXPECTED_S, PROMPTS, trial
from tests.hf.conftest import FAMILIES
from tests.videos import STEP, numbered, write_video

Load = Callable[..., Any]
POLICIES = ["fps:1", "fps:4", "frames:8", "frames:5", "keyframes:0.1"]


def prepared(model: Any, request: Request) -> Any:
    return prepare(request, model._family, model._processor.video_processor, model._options)


def given(model: Any, made: Any) -> tuple[list[int], str]:
    """(frame numbers mod 31 in the pixel tensors, the prompt in words with its places for pictures)."""
    inputs = model.inputs([made])
    words = model._processor.tokenizer.decode(inputs["input_ids"][0])
    family = model._family
    if family == "internvl":
        pixels = inputs["pixel_values"].numpy()  # (n, 3, h, w), normalised as CLIP does
        processor = model._processor.video_processor
        mean, std = (np.array(v)[None, :, None, None] for v in (processor.image_mean, processor.image_std))
        levels = ((pixels * std + mean) * 255).mean(axis=(1, 2, 3))
        return [round(float(level) / STEP) % 31 for level in levels], words
    name = "videos" if made.videos else "images"
    patches = inputs["pixel_values_videos" if made.videos else "pixel_values"].numpy()
    grids = inputs["video_grid_thw" if made.videos else "image_grid_thw"].numpy()
    levels, start = [], 0
    processor = model._processor.video_processor if made.videos else model._processor.image_processor
    std, mean = np.array(processor.image_std), np.array(processor.image_mean)
    for time, height, width in grids:
        rows = patches[start : start + time * height * width]
        start += time * height * width
        # A row holds channels x two frames x pixels of one patch.
        pairs = rows.reshape(time, height * width, 3, 2, -1).mean(axis=(1, 4))
        frames = (pairs * std[:, None] + mean[:, None]).mean(axis=1) * 255
        levels += list(frames.ravel() if name == "videos" else frames[:, 0])
    return [round(float(level) / STEP) % 31 for level in levels], words


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("sampling", POLICIES)
@pytest.mark.parametrize("labels", ["none", "index", "time"])
def test_frames_are_those_of_the_policy_in_number_order_and_time(
    load: Load, clip: Media, family: str, sampling: str, labels: str
) -> None:
    model = load(family)
    times_s = EXPECTED_S[sampling]
    indices = [int(t * 30 + 1e-6) for t in times_s]
    numbers = [k % 31 for k in indices]
    for prompt in PROMPTS if sampling == "frames:8" else ["direct"]:
        made = prepared(model, trial(clip, sampling, labels, prompt).next(()))
        got, words = given(model, made)
        if made.videos and family != "internvl" and len(numbers) % 2:
            assert got.pop() == got[-1]  # the last frame is doubled to fill its pair
        assert got == numbers
        assert "How many blinks" in words
        assert beside(words, family, made) == expected_beside(labels, [k / 30 for k in indices], family, made)


def beside(words: str, family: str, made: Any) -> list[str]:
    """What stands before each picture."""
    if made.videos and family == "qwen3_vl":
        return re.findall(r"<(\d+\.\d) seconds>", words)
    if made.videos and family == "internvl":
        return re.findall(r"Frame(\d+): <img>", words)
    if made.videos:
        return []
    picture = "<img>" if family == "internvl" else r"<\|vision_start\|>"
    return re.findall(rf"(Frame \d+:|\d+\.\d\d s:){picture}", words)


def expected_beside(labels: str, shown_s: list[float], family: str, made: Any) -> list[str]:
    if made.videos and family == "qwen3_vl":
        padded = shown_s + shown_s[-1:] * (len(shown_s) % 2)
        return [f"{(a + b) / 2:.1f}" for a, b in zip(padded[::2], padded[1::2], strict=True)]
    if made.videos and family == "internvl":
        return [str(k + 1) for k in range(len(shown_s))]
    return {
        "none": [],
        "index": [f"Frame {k + 1}:" for k in range(len(shown_s))],
        "time": [f"{t:.2f} s:" for t in shown_s],
    }[labels]


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("labels", ["none", "index", "time"])
def test_frames_are_a_video_exactly_where_the_family_writes_the_labels(
    load: Load, clip: Media, family: str, labels: str
) -> None:
    made = prepared(load(family), trial(clip, "fps:1", labels, "direct").next(()))
    assert bool(made.videos) == (OWN_LABELS[family] == labels)
    assert bool(made.images) != bool(made.videos)


@pytest.mark.parametrize("family", ["qwen3_vl", "qwen2_5_vl"])
def test_uneven_frames_are_not_merged_in_pairs(load: Load, clip: Media, family: str) -> None:
    asked = trial(clip, "keyframes:0.1", OWN_LABELS[family], "direct").next(())
    assert len(prepared(load(family), asked).images) == 36
    with pytest.raises(NotApplicable, match="unevenly spaced frames"):
        prepared(load(family, "frames=video"), asked)


def test_labels_that_a_family_does_not_write_are_not_to_be_had_as_a_video(load: Load, clip: Media) -> None:
    asked = trial(clip, "fps:1", "index", "direct").next(())
    with pytest.raises(NotApplicable, match="writes time beside its frames; not to be had with labels index"):
        prepared(load("qwen3_vl", "frames=video"), asked)
    assert len(prepared(load("qwen3_vl", "frames=images"), asked).images) == 24


@pytest.mark.parametrize("family", FAMILIES)
def test_without_events_keyframes_send_no_frame(load: Load, clip: Media, family: str, tmp_path: Path) -> None:
    asked = trial(clip, "keyframes:0.1", "time", "direct", events_s=())
    with Recorder(tmp_path, {"suite": "counting"}) as recorder:
        # Random weights never end: the reply is cut off, which is no fault of the request.
        assert ask(recorder, load(family), [asked], Limits()).errors == {"truncated": 1}
    (line,) = lines_of(tmp_path)
    assert (line["images"], line["frame_times_s"], line["sent"]["given_as"]) == (0, [], "none")
    assert line["usage"]["by_modality"].keys() == {"text"}
    assert line["cost_usd"] == 0.0


# Native video: the model's own sampler chooses, and its choice is recorded.


@pytest.mark.parametrize(
    ("family", "options", "count"),
    [
        ("qwen3_vl", "", 48),  # its processor says 2 frames per second
        ("qwen3_vl", "fps=4", 96),
        ("qwen3_vl", "num_frames=10", 10),  # although its processor has a rate of its own
        ("qwen2_5_vl", "fps=1", 24),
        ("internvl", "", 8),  # its processor says 8 frames
        ("internvl", "num_frames=5", 5),
    ],
)
def test_native_video_is_sampled_by_the_models_own_sampler(
    load: Load, clip: Media, family: str, options: str, count: int
) -> None:
    model = load(family, options)
    made = prepared(model, trial(clip, "native", "none", "direct").next(()))
    times_s = made.sent["native_times_s"]
    assert len(times_s) == made.sent["video_frames"] == count
    assert times_s == sorted(times_s)
    numbers, words = given(model, made)
    assert numbers == [round(t * 30) % 31 for t in times_s]
    if family == "qwen3_vl":
        assert beside(words, family, made) == expected_beside("time", times_s, family, made)


def test_a_sampler_that_was_not_told_how_is_not_guessed(load: Load, clip: Media) -> None:
    with pytest.raises(NotApplicable, match=r"\?fps=1 or \?num_frames=8 does"):
        prepared(load("qwen2_5_vl"), Request((Video(clip),)))


# The traps, shown on the processors themselves, and that they are avoided.


def processed(model: Any, pixels: Any, **options: Any) -> str:
    words = "<|im_start|>user\n<|video_pad|>?<|im_end|>\n"
    inputs = model._processor(text=[words], videos=[pixels], videos_kwargs=options, return_tensors="pt")
    return str(model._processor.tokenizer.decode(inputs["input_ids"][0]))


def test_presampled_frames_stay_as_many_as_they_are(load: Load, clip: Media) -> None:
    model = load("qwen3_vl")
    frames = sample(clip, Sampling.parse("fps:2"))
    assert len(frames) == 48
    # The trap: 48 frames are taken for two seconds of video and sampled down to 4, two pairs.
    assert len(re.findall("seconds>", processed(model, frames.pixels))) == 2
    response = model.generate(Request((Images(frames, "time"), Text("?"))))
    assert len(response.sent["timestamps_s"]) == 24
    assert response.sent["video_grid_thw"][0][0] == 24


def test_times_are_those_of_the_clip_not_of_an_assumed_rate(load: Load, clip: Media) -> None:
    model = load("qwen3_vl")
    frames = sample(clip, Sampling.parse("fps:2"))
    # The trap: without metadata the 24 s are dated from 0.0 to 1.9.
    dated = re.findall(r"<(\d+\.\d) seconds>", processed(model, frames.pixels, do_sample_frames=False))
    assert (dated[0], dated[-1]) == ("0.0", "1.9")
    stamps = model.generate(Request((Images(frames, "time"), Text("?")))).sent["timestamps_s"]
    assert (stamps[0], stamps[-1]) == (0.2, 23.2)  # means of (0.0, 0.5) and (23.0, 23.5), to one decimal


def test_metadata_is_not_changed_from_call_to_call(load: Load, clip: Media) -> None:
    model = load("qwen3_vl")
    made = prepared(model, trial(clip, "frames:5", "time", "direct").next(()))
    before = [dict(m) | {"frames_indices": list(m["frames_indices"])} for m in made.metadata]
    first, second = (given(model, made)[1] for _ in range(2))
    assert first == second
    assert (
        made.metadata == before
    )  # the trap: the processor pads the list of an odd number of frames in place


@pytest.mark.parametrize("family", ["qwen3_vl", "qwen2_5_vl"])
def test_a_number_of_frames_needs_no_rate(load: Load, clip: Media, family: str) -> None:
    processor = load(family)._processor.video_processor
    with pytest.raises(ValueError, match="mutually exclusive"):  # the trap
        processor.sample_frames(SimpleNamespace(total_num_frames=720, fps=30.0), num_frames=8, fps=2)
    made = prepared(load(family, "num_frames=8"), Request((Video(clip),)))
    assert made.sent["video_frames"] == 8


def test_a_video_of_varying_rate_has_a_clock_of_its_own(tmp_path: Path, load: Load) -> None:
    # 30 frames: 15 at 30 Hz, then 15 at 5 Hz, in units of 1/30 s.
    stamps = [*range(15), *range(15, 15 + 15 * 6, 6)]
    media = Media.open(write_video(tmp_path / "vfr.mp4", numbered(30), pts=stamps))
    frames = sample(media, Sampling.parse("frames:6"))
    made = clock(frames)
    assert made["fps"] == 1000.0
    assert [k / made["fps"] for k in made["frames_indices"]] == pytest.approx(
        frames.times_s.tolist(), abs=5e-4
    )
    assert (
        clock(Frames(media, frames.frame_indices, frames.times_s))["total_num_frames"]
        >= made["frames_indices"][-1]
    )
