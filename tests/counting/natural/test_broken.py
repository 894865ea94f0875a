"""Files that are damaged, cut, late, or of odd form: what is read of them, and what is said of it at import.

Groups of `broken_videos.write` are 12 frames long at 25 a second. In the order of decoding packets go I0 P3 B1 B2 P6 B4
B5 P9 B7 B8 I12 B10 B11 P15 ...: without the first 5 the first frame that can be decoded is 12, since 7 to 11 refer to
frames that are gone.
"""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import pytest

from lft.core.errors import InputError
from lft.core.video.frames import Sampling, sample
from lft.core.video.media import Media
from lft.counting.clips import Clips
from lft.counting.reporting.page.data import _step
from lft.counting.sweep import evidence_words
from lft.counting.verify import verify_clip
from tests.broken_videos import flip, packed, two_streams, write
from tests.counting.natural.test_annotations import lft
from tests.natural_videos import film
from tests.videos import number_of, write_video


def numbers(media: Media) -> list[int]:
    return [number_of(picture) for _, picture in media.pictures()]


def filed(video: Path, out: Path, times: str = "", *more: object) -> int:
    return lft("import", "videos", video, "--times", times, "--out", out, *more)


@pytest.mark.parametrize("name", ["a.ts", "a.avi", "a.mkv", "a.mp4", "edit_list.mp4"])
@pytest.mark.parametrize(("without", "first"), [(5, 12), (12, 24), (14, 24)])
def test_a_cut_inside_a_group_leaves_what_can_be_decoded(
    name: str, without: int, first: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    more = {"use_editlist": "0"} if name == "a.mp4" else {}
    media = Media.open(write(tmp_path / name, 48, without=without, more=more))
    left = 48 - first
    assert len(media) == left
    assert media.duration_s == pytest.approx(left / 25)
    np.testing.assert_allclose(media.frame_times_s, np.arange(left) / 25, atol=2e-3)  # Matroska counts in ms
    assert numbers(media) == [k % 31 for k in range(first, 48)]
    # Every frame of every policy is there, and the import says what is not.
    assert [number_of(p) for p in sample(media, Sampling.parse("frames:3")).pictures()] == [
        (first + int(left * share)) % 31 for share in (1 / 6, 3 / 6, 5 / 6)
    ]
    assert filed(media.path, tmp_path / "clips") == 0
    err = capsys.readouterr().err
    lost = without and media.lost[1]
    assert f"{name}: {lost} of its {left + lost} frames cannot be decoded, {lost} of them at the start" in err
    (clip,) = Clips.open(tmp_path / "clips")
    assert (clip.trace.frame_count, clip.trace.duration_s) == (left, pytest.approx(left / 25))
    assert verify_clip(Media.open(clip.video), clip.trace) == []


@pytest.mark.parametrize("seed", range(4))
def test_flipped_bytes_are_told_and_what_is_left_is_on_time(seed: int, tmp_path: Path) -> None:
    media = Media.open(flip(write(tmp_path / "a.mp4", 60, size=(160, 120)), seed))
    assert not media.whole
    assert len(media) == 60 - media.lost[1]
    assert media.remarks()
    pictures = dict(media.pictures())
    assert sorted(pictures) == list(range(len(media)))
    # Groups before and after the damaged ones are what they were, each frame at its own time.
    for index in [*range(20), *range(len(media) - 10, len(media))]:
        assert number_of(pictures[index]) == round(media.frame_times_s[index] * 25) % 31


def test_damage_in_a_file_that_is_believed_is_found_at_import(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without B-frames, groups are told by their packets and not decoded; an import decodes them all the same."""
    options = {
        "preset": "ultrafast",
        "bf": "0",
        "qp": "10",
        "x264-params": "keyint=10:scenecut=0:slices=1:threads=1:sliced-threads=0",
    }
    path = write(tmp_path / "a.mp4", 60, options=options, size=(160, 120))
    assert Media.open(path).names() is not None
    Media.open(path).check()
    data = bytearray(path.read_bytes())
    with av.open(str(path)) as container:
        packet = [p for p in container.demux(container.streams.video[0]) if p.size][
            33
        ]  # no key frame: one unit
    for at in range(packet.pos + 12, packet.pos + packet.size):  # behind lengths and the slice's header
        data[at] ^= 0xFF
    path.write_bytes(data)
    assert Media.open(path).names() is not None
    assert filed(path, tmp_path / "clips") == 2
    assert "frames cannot be decoded" in capsys.readouterr().err


@pytest.mark.parametrize("cover", [False, True])
def test_the_default_stream_is_taken_not_the_first(cover: bool, tmp_path: Path) -> None:
    # The other stream is larger or smaller, and shows other numbers.
    path = two_streams(tmp_path / "a.mkv", (256, 192) if cover else (80, 60), (128, 96), cover)
    media = Media.open(path)
    assert (media.width, media.height) == (128, 96)
    assert numbers(media) == list(range(30))


@pytest.mark.parametrize(("name", "sound"), [("a.mp4", "aac"), ("a.webm", "libopus"), ("a.mkv", "aac")])
def test_pictures_that_start_after_the_sound(
    name: str, sound: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Pictures from 1 s on. A player shows 1.4 s when frame 10 comes: that is 0.4 s of the clip."""
    codec = "libvpx-vp9" if name == "a.webm" else "libx264"
    options = {} if name == "a.webm" else None
    path = write(tmp_path / name, 50, codec=codec, options=options, start_s=1.0, sound=sound)
    assert filed(path, tmp_path / "clips", "1.4,2.2") == 0
    assert "pictures start 1.0" in capsys.readouterr().err
    (clip,) = Clips.open(tmp_path / "clips")
    assert clip.trace.times_s == pytest.approx((0.4, 1.2), abs=0.011)
    assert clip.spec.start_s == pytest.approx(1, abs=0.011)
    media = Media.open(clip.video)
    assert number_of(next(media.pictures([clip.trace.events[0].frame_index]))[1]) in (9, 10)
    assert verify_clip(media, clip.trace) == []
    # Before the first picture nothing can be seen.
    assert filed(path, tmp_path / "none", "0.4") == 2
    assert "whose first picture comes at 1.0" in capsys.readouterr().err


def test_sound_from_the_start_moves_nothing(tmp_path: Path) -> None:
    for name in ("a.mp4", "a.mkv", "a.ts"):
        assert Media.open(write(tmp_path / name, 30, sound="aac")).start_s == 0


@pytest.mark.parametrize("lag", [0, 1, 2])
def test_packed_b_frames_come_one_by_one(lag: int, tmp_path: Path) -> None:
    media = Media.open(packed(tmp_path / "a.avi", 41, lag=lag))
    assert numbers(media) == [k % 31 for k in range(41)]
    np.testing.assert_allclose(media.frame_times_s, np.arange(41) / 25, atol=1e-6)
    assert media.remarks() == []


@pytest.mark.parametrize("aspect", [Fraction(2), Fraction(1, 2), Fraction(16, 11)])
def test_pixels_are_made_square(aspect: Fraction, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(tmp_path / "a.mp4", 30, pixel_aspect=aspect)
    # 64x48 in the file; the shorter side of a pixel grows: 128x48, 64x96, 64 * 16 / 11 = 93.09.
    shape = {2: (128, 48), Fraction(1, 2): (64, 96)}.get(aspect, (93, 48))
    media = Media.open(path)
    assert (media.width, media.height) == shape
    pictures = [picture for _, picture in media.pictures()]
    assert {picture.shape for picture in pictures} == {(shape[1], shape[0], 3)}
    assert [number_of(picture) for picture in pictures] == list(range(30))
    assert filed(path, tmp_path / "clips") == 0
    assert f"shown and supplied as {shape[0]}x{shape[1]}" in capsys.readouterr().err
    (clip,) = Clips.open(tmp_path / "clips")
    assert (clip.trace.width, clip.trace.height) == shape


@pytest.mark.parametrize(("name", "codec"), [("a.gif", "gif"), ("a.ts", "libx264"), ("a.avi", "mpeg4")])
def test_what_is_cut_short_is_not_taken_for_whole(name: str, codec: str, tmp_path: Path) -> None:
    path = write(tmp_path / name, 40, codec=codec, size=(160, 120))
    assert len(Media.open(path)) == 40
    data = path.read_bytes()
    for share in (0.5, 0.8, 0.99):
        cut = int(len(data) * share)
        path.write_bytes(data[: cut + 1 if cut % 188 == 0 else cut])  # between two packets nothing is torn
        with pytest.raises(InputError, match="is cut short after"):
            Media.open(path)


def test_a_transport_stream_cut_between_two_packets_is_doubted(tmp_path: Path) -> None:
    """Frames of noise take many packets each: of the last eight cuts one at most falls between two frames."""
    noise = np.random.default_rng(0).integers(0, 255, (12, 96, 128, 3), np.uint8)
    path = write_video(tmp_path / "a.ts", noise)
    assert Media.open(path).remarks() == []
    data = path.read_bytes()
    doubted = 0
    for packets in range(len(data) // 188 - 12, len(data) // 188 - 4):
        path.write_bytes(data[: 188 * packets])
        try:
            doubted += any("likely cut short" in remark for remark in Media.open(path).remarks())
        except InputError as error:
            doubted += "is cut short" in str(error)
    assert doubted >= 7


def test_a_raw_stream_is_refused_with_what_it_lacks(tmp_path: Path) -> None:
    path = write(tmp_path / "a.h264", 30, form="h264")
    with pytest.raises(
        InputError, match="says of no frame when it is shown, as raw h264 does; try the same stream"
    ):
        Media.open(path)


def test_one_frame_lasts_as_long_as_it_does(tmp_path: Path) -> None:
    media = Media.open(write(tmp_path / "a.mp4", 1))
    assert (len(media), media.duration_s) == (1, pytest.approx(0.04))
    assert evidence_words(media.duration_s, None, "none") == "The video lasts 0.04 seconds."
    assert evidence_words(24.0, None, "none") == "The video lasts 24.0 seconds."


def test_how_the_page_steps() -> None:
    assert _step([k / 24 for k in range(100)]) == 24
    assert _step([round(k / 29.97, 3) for k in range(100)]) == pytest.approx(29.97, abs=0.01)  # rounded to ms
    assert _step([0.0, 0.04, 0.9, 1.0]) == [0.0, 0.04, 0.9, 1.0]
    assert _step([0.0]) is None


def test_a_sweep_in_which_nothing_was_applicable_says_that_there_is_nothing_to_score(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    film(tmp_path / "a.mp4", range(25), Fraction(1, 25))
    assert filed(tmp_path / "a.mp4", tmp_path / "clips", "0.5") == 0
    sweep = tmp_path / "sweep.yaml"
    sweep.write_text(
        json.dumps({"conditions": [{"sampling": "native", "labels": "none", "prompt": "chain_of_thought"}]})
    )
    capsys.readouterr()
    # A pair of text and pictures only: the file itself cannot be given.
    arguments = ("--model", "observer", "--clips", tmp_path / "clips", "--run", tmp_path / "run")
    lft("sweep", sweep, *arguments)
    out = capsys.readouterr().out
    assert "1 not applicable" in out
    assert "next: lft score" not in out
    assert "nothing to score" in out
