"""Sampling policies: which times are asked for, and that the frame supplied is the one on screen then."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lft.core.errors import InputError
from lft.core.video.frames import Frames, Sampling, encode_jpeg, encode_jpeg_all, sample
from lft.core.video.media import Media
from tests.videos import number_of, numbered, write_video


@pytest.mark.parametrize(
    ("policy", "count"),
    [
        ("fps:1", 24),
        ("fps:2", 48),
        ("fps:4", 96),
        ("fps:8", 192),
        ("fps:10", 240),
        ("fps:16", 384),
        ("frames:8", 8),
    ],
)
def test_how_many_frames_a_24_second_clip_gives(policy: str, count: int) -> None:
    assert len(Sampling.parse(policy).times_s(24.0)) == count


def test_a_part_second_at_the_end_is_sampled_too() -> None:
    # ceil(2.5 * 2) = 5 frames: 0, 0.5, 1, 1.5, 2.0; ceil(2.6 * 2) = 6, the last at 2.5 s < 2.6 s.
    assert Sampling.parse("fps:2").times_s(2.5).tolist() == [0, 0.5, 1, 1.5, 2]
    assert Sampling.parse("fps:2").times_s(2.6).tolist() == [0, 0.5, 1, 1.5, 2, 2.5]


def test_frames_are_midpoints_of_equal_intervals() -> None:
    assert Sampling.parse("frames:4").times_s(24.0).tolist() == [3, 9, 15, 21]


def test_keyframes_are_in_time_order_clipped_and_unique() -> None:
    # 0.05 - 0.1 lies before the video; 0.2 is asked for twice (0.1 + 0.1 and 0.3 - 0.1).
    times = Sampling.parse("keyframes:0.1").times_s(24.0, [0.3, 0.05, 0.1])
    assert times.tolist() == [0.0, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4]
    assert len(Sampling.parse("keyframes:0.1").times_s(24.0, [])) == 0


@pytest.mark.parametrize(
    "text",
    [
        "",
        "fps",
        "fps:",
        "fps:0",
        "fps:-1",
        "fps:nan",
        "fps:inf",
        "frames:2.5",
        "native:1",
        "every:2",
        "fps:1e9",
    ],
)
def test_unusable_policies_are_refused_with_what_would_work(text: str) -> None:
    with pytest.raises(InputError, match="expected native, fps:K"):
        Sampling.parse(text)


@given(st.sampled_from(["native", "fps:1", "fps:0.5", "fps:12.5", "frames:7", "keyframes:0.25"]))
def test_a_policy_survives_being_written_and_read(text: str) -> None:
    assert str(Sampling.parse(text)) == text


@given(
    rate=st.sampled_from([0.5, 1, 2, 4, 7.5, 10, 16, 30]),
    duration_ms=st.integers(100, 100_000),
)
def test_asked_times_increase_and_stay_inside(rate: float, duration_ms: int) -> None:
    times = Sampling("fps", rate).times_s(duration_ms / 1000)
    assert times[0] == 0
    assert np.all(np.diff(times) > 0)
    assert times[-1] < duration_ms / 1000
    assert times[-1] + 1 / rate >= duration_ms / 1000 - 1e-9


def test_the_supplied_frame_is_the_one_on_screen(tmp_path: Path) -> None:
    # 25 frames per second: at 4 Hz the times 0, .25, .5, .75 fall on or after frames 0, 6, 12, 18 (0, .24, .48, .72 s).
    path = write_video(tmp_path / "a.mp4", numbered(25), time_base=Fraction(1, 25))
    frames = sample(Media.open(path), Sampling.parse("fps:4"))
    assert frames.frame_indices.tolist() == [0, 6, 12, 18]
    np.testing.assert_allclose(frames.times_s, [0, 0.24, 0.48, 0.72], atol=1e-6)
    assert [number_of(p) for p in frames.pictures()] == [0, 6, 12, 18]


def test_rates_above_the_videos_own_repeat_frames(tmp_path: Path) -> None:
    path = write_video(tmp_path / "a.mp4", numbered(4), time_base=Fraction(1, 2), pts=[0, 1, 2, 3])
    frames = sample(Media.open(path), Sampling.parse("fps:4"))
    # Frames last half a second each, but the file says that the last one ends after 1/30 s: 1.533 * 4 is 7 samples.
    assert frames.frame_indices.tolist() == [0, 0, 1, 1, 2, 2, 3]
    assert [number_of(p) for p in frames.pictures()] == [0, 0, 1, 1, 2, 2, 3]
    assert frames.pixels.shape == (7, 48, 64, 3)


def test_native_gives_every_frame(tmp_path: Path) -> None:
    frames = sample(Media.open(write_video(tmp_path / "a.mp4", numbered(10))), Sampling.parse("native"))
    assert len(frames) == 10


def test_unchanged_frames_are_encoded_once_and_one_pass_serves_all() -> None:
    pixels = np.zeros((6, 32, 32, 3), np.uint8)
    pixels[3:] = 200
    whole = Frames.of_pixels(pixels, [0, 1, 2, 3, 4, 5])
    part = Frames(whole.source, np.array([1, 5]), np.array([1.0, 5.0]))
    all_images, two = encode_jpeg_all([whole, part])
    assert len({id(image) for image in all_images}) == 2
    assert two == [all_images[1], all_images[5]]
    decoded = cv2.imdecode(np.frombuffer(two[1], np.uint8), cv2.IMREAD_COLOR)
    assert abs(int(decoded.mean()) - 200) <= 1


def test_jpeg_keeps_red_red() -> None:
    red = np.zeros((1, 16, 16, 3), np.uint8)
    red[..., 0] = 255
    decoded = cv2.imdecode(
        np.frombuffer(encode_jpeg(Frames.of_pixels(red, [0.0]))[0], np.uint8), cv2.IMREAD_COLOR
    )
    assert decoded[8, 8, 2] > 240  # OpenCV gives blue, green, red
    assert decoded[8, 8, 0] < 15


def test_frames_check_their_shapes() -> None:
    with pytest.raises(ValueError, match="uint8"):
        Frames.of_pixels(np.zeros((2, 4, 4, 3)), [0, 1])  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="must be"):
        Frames.of_pixels(np.zeros((2, 4, 4, 3), np.uint8), [0.0])
    with pytest.raises(ValueError, match="time order"):
        Frames(
            Frames.of_pixels(np.zeros((2, 4, 4, 3), np.uint8), [0, 1]).source,
            np.array([1, 0]),
            np.array([1.0, 0.0]),
        )
