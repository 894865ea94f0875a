"""Media: exact presentation times, whatever the container says, and clear refusals."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import pytest

from lft.core.errors import InputError
from lft.core.video.media import Media
from tests.natural_videos import film, trim_start
from tests.videos import number_of, numbered, write_video


def with_index_first(source: Path, target: Path) -> Path:
    with (
        av.open(str(source)) as made,
        av.open(str(target), "w", options={"movflags": "+faststart"}) as moved,
    ):
        stream = moved.add_stream_from_template(made.streams.video[0])
        for packet in made.demux(made.streams.video[0]):
            if packet.dts is not None:
                packet.stream = stream
                moved.mux(packet)
    return target


def test_constant_rate_times_are_exact(tmp_path: Path) -> None:
    media = Media.open(write_video(tmp_path / "a.mp4", numbered(45)))
    assert len(media) == 45
    np.testing.assert_allclose(media.frame_times_s, np.arange(45) / 30, atol=1e-9)
    assert media.duration_s == pytest.approx(1.5)


def test_variable_rate_and_late_first_frame(tmp_path: Path) -> None:
    # Stamps in 1/1000 s: the first frame is at 2.000 s, gaps are 40, 100, 10, 850 ms. Times count from the first frame.
    stamps = [2000, 2040, 2140, 2150, 3000]
    path = write_video(tmp_path / "v.mkv", numbered(5), pts=stamps, time_base=Fraction(1, 1000))
    media = Media.open(path)
    np.testing.assert_allclose(media.frame_times_s, [0, 0.04, 0.14, 0.15, 1.0], atol=1e-6)
    # On screen at 0.9 s is the frame that came at 0.15 s.
    assert [media.frame_at(t) for t in (0.0, 0.039, 0.04, 0.9, 1.0, 5.0, -1.0)] == [0, 0, 1, 3, 4, 4, 0]


def test_every_frame_is_found_at_its_own_time(tmp_path: Path) -> None:
    path = write_video(
        tmp_path / "n.mp4", numbered(48), pts=[1001 * k for k in range(48)], time_base=Fraction(1, 24000)
    )
    media = Media.open(path)
    assert [media.frame_at(float(t)) for t in media.frame_times_s] == list(range(48))


def test_b_frames_do_not_disturb_order(tmp_path: Path) -> None:
    path = write_video(tmp_path / "b.mp4", numbered(31), options={"bf": "3", "crf": "5", "preset": "fast"})
    media = Media.open(path)
    assert [number_of(p) for _, p in media.pictures()] == list(range(31))
    assert [(i, number_of(p)) for i, p in media.pictures([20, 3, 3, 7])] == [(3, 3), (7, 7), (20, 20)]


def test_what_an_edit_list_trims_off_is_not_there(tmp_path: Path) -> None:
    path = trim_start(film(tmp_path / "t.mp4", range(25), Fraction(1, 25)), 0.2)
    media = Media.open(path)
    # Five of the 25 frames are cut; times count from the first frame that is left.
    assert len(media) == 20
    np.testing.assert_allclose(media.frame_times_s, np.arange(20) / 25, atol=1e-9)
    assert [number_of(p) for _, p in media.pictures()] == list(range(5, 25))


def test_asking_for_no_frames_gives_none(tmp_path: Path) -> None:
    media = Media.open(write_video(tmp_path / "a.mp4", numbered(3)))
    assert list(media.pictures([])) == []


def test_a_frame_that_is_not_there_is_refused(tmp_path: Path) -> None:
    media = Media.open(write_video(tmp_path / "a.mp4", numbered(3)))
    with pytest.raises(InputError, match="frame 3 of 3"):
        list(media.pictures([3]))


@pytest.mark.parametrize("content", [b"", b"not a video", b"\x00\x00\x00\x18ftypmp42" + b"\x00" * 64])
def test_what_is_no_video_gets_one_line(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "x.mp4"
    path.write_bytes(content)
    with pytest.raises(InputError) as caught:
        Media.open(path)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_missing_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        Media.open(tmp_path / "none.mp4")


def test_truncated_file_is_refused(tmp_path: Path) -> None:
    path = write_video(tmp_path / "a.mp4", numbered(60, (320, 240)))
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    with pytest.raises(InputError):
        list(Media.open(path).pictures())


def test_damage_inside_a_file_with_a_sound_index_is_said_and_the_rest_is_read(tmp_path: Path) -> None:
    path = write_video(
        tmp_path / "a.mp4",
        np.random.default_rng(0).integers(0, 255, (30, 48, 64, 3), np.uint8),
        options={"movflags": "+faststart"},
    )
    data = bytearray(path.read_bytes())
    data[len(data) // 2 : len(data) // 2 + 4000] = bytes(4000)
    path.write_bytes(data)
    media = Media.open(path)
    lost = media.lost[1]
    assert lost
    assert len(media) == 30 - lost
    assert [index for index, _ in media.pictures()] == list(range(30 - lost))
    assert f"{lost} of its 30 frames cannot be decoded" in media.remarks()[0]


@pytest.mark.parametrize("kept", [0.5, 0.99])
def test_a_file_cut_short_behind_its_index_is_refused_before_any_frame(tmp_path: Path, kept: float) -> None:
    # The index comes first and lists 30 frames; what is left would else pass for a shorter video.
    noise = np.random.default_rng(0).integers(0, 255, (30, 48, 64, 3), np.uint8)
    path = with_index_first(write_video(tmp_path / "b.mp4", noise), tmp_path / "a.mp4")
    path.write_bytes(path.read_bytes()[: int(path.stat().st_size * kept)])
    with pytest.raises(InputError, match=r"is cut short after \d+ of 30 frames"):
        Media.open(path)


def test_audio_only_file_is_refused(tmp_path: Path) -> None:
    import av

    path = tmp_path / "sound.wav"
    with av.open(str(path), "w") as container:
        stream = container.add_stream("pcm_s16le", rate=8000, layout="mono")
        frame = av.AudioFrame.from_ndarray(np.zeros((1, 800), np.int16), format="s16", layout="mono")
        frame.sample_rate = 8000
        container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
    with pytest.raises(InputError, match="no video stream"):
        Media.open(path)


@pytest.mark.parametrize("suffix", ["mkv", "webm"])
@pytest.mark.parametrize("kept", [0.5, 0.9, 0.999])
def test_a_matroska_file_cut_short_is_refused(tmp_path: Path, suffix: str, kept: float) -> None:
    codec, options = ("libvpx", {"deadline": "realtime"}) if suffix == "webm" else ("libx264", None)
    path = write_video(tmp_path / f"a.{suffix}", numbered(20), codec=codec, options=options)
    assert len(Media.open(path)) == 20
    data = path.read_bytes()
    path.write_bytes(data[: int(len(data) * kept)])
    with pytest.raises(InputError, match=r"cut short|holds no frames"):
        Media.open(path)


@pytest.mark.parametrize("suffix", ["png", "jpg", "svg"])
def test_a_picture_is_no_video(tmp_path: Path, suffix: str) -> None:
    import cv2

    path = tmp_path / f"a.{suffix}"
    if suffix == "svg":
        path.write_text('<svg xmlns="http://www.w3.org/2000/svg"/>')
    else:
        cv2.imwrite(str(path), numbered(1)[0])
    with pytest.raises(InputError, match="is a picture, not a video"):
        Media.open(path)


def test_a_video_of_one_frame_is_one(tmp_path: Path) -> None:
    assert len(Media.open(write_video(tmp_path / "a.mkv", numbered(1)))) == 1
