"""Names of frames: equal names mean equal pixels, and streams that cannot promise it have none."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import av
import numpy as np
import pytest

from lft.core.errors import InputError
from lft.core.video import media as media_module
from lft.core.video.frames import Frames, Sampling, encode_jpeg, sample
from lft.core.video.jpeg_cache import JpegCache
from lft.core.video.media import Media, _decode
from lft.core.video.picture_groups import Kept, names_of
from lft.core.video.writer import Format, Writer, encode, to_planes
from tests.videos import number_of, numbered, write_video

FORM = Format(64, 48, 10)
PLAIN = {"bf": "0", "g": "10", "sc_threshold": "0", "crf": "5", "preset": "ultrafast"}


def seconds(*shown: Sequence[int]) -> bytes:
    """A file in which each entry is a second, one group, of ten frames with these numbers."""
    writer = Writer(FORM)
    rgba = [np.dstack([p, np.full(p.shape[:2], 255, np.uint8)]) for p in numbered(31, (64, 48))]
    return writer.file_of(
        writer.group(*zip(*[(p, n) for p, n in zip(encode([to_planes(rgba[k]) for k, _ in runs], FORM),
                                                   [n for _, n in runs], strict=True)], strict=True))
        for runs in ([(k, 10 // len(entry)) for k in entry] for entry in shown)
    )  # fmt: skip


def at(path: Path, data: bytes) -> Media:
    path.write_bytes(data)
    return Media.open(path)


def test_frames_of_one_name_look_the_same_and_others_differ(tmp_path: Path) -> None:
    media = at(tmp_path / "a.mp4", seconds([1], [1, 2], [1], [2, 1], [1, 2]))
    names = media.names()
    assert names is not None
    assert names.starts == (0, 10, 20, 30, 40)
    # The second second begins as the first does, and the fifth is the second again.
    assert names.names[:10] == names.names[20:30]
    assert names.names[10:15] == names.names[:5]
    assert names.names[40:] == names.names[10:20]
    assert not set(names.names[15:20]) & set(names.names[:10])
    pixels = {}
    for index, picture in _decode(media, range(50)):
        pixels.setdefault(names.names[index], picture)
        assert np.array_equal(pixels[names.names[index]], picture)


def test_group_by_group_gives_what_decoding_as_a_whole_gives(tmp_path: Path) -> None:
    media = at(tmp_path / "a.mp4", seconds([1], [1, 2], [1], [2, 1], [1, 2], [5, 6, 7, 8, 9]))
    assert [number_of(p) for _, p in media.pictures()][::5] == [1, 1, 1, 2, 1, 1, 2, 1, 1, 2, 5, 7]
    for wanted in ([0], [59], [7, 12, 58], [14, 15, 44, 45], list(range(60)), [3, 3, 41]):
        whole = list(_decode(media, sorted(set(wanted))))
        found = list(media.pictures(wanted))
        assert [i for i, _ in found] == [i for i, _ in whole] == sorted(set(wanted))
        assert all(np.array_equal(a, b) for (_, a), (_, b) in zip(found, whole, strict=True))


def test_with_no_room_for_recent_pictures_nothing_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(media_module, "_RECENT_BYTES", 0)
    media = at(tmp_path / "a.mp4", seconds([1], [1, 2], [1], [1]))
    assert [number_of(p) for _, p in media.pictures()] == [1] * 15 + [2] * 5 + [1] * 20


def test_an_ordinary_encoder_without_b_frames_has_names_too(tmp_path: Path) -> None:
    media = Media.open(write_video(tmp_path / "a.mp4", numbered(31), options=PLAIN))
    names = media.names()
    assert names is not None
    assert names.starts == (0, 10, 20, 30)
    assert len(set(names.names)) == 31
    assert [number_of(p) for _, p in media.pictures()] == list(range(31))
    assert [(i, number_of(p)) for i, p in media.pictures([29, 4, 11])] == [(4, 4), (11, 11), (29, 29)]


@pytest.mark.parametrize(
    ("suffix", "codec", "options"),
    [
        ("mp4", "libx264", {"bf": "3", "crf": "5", "preset": "fast"}),
        ("mp4", "libx264", {**PLAIN, "x264-params": "open-gop=1:keyint=10:bframes=2"}),
        ("mp4", "libx264", {**PLAIN, "x264-params": "intra-refresh=1:keyint=10"}),  # never a key frame again
        ("ts", "libx264", PLAIN),  # parameter sets inside the stream
        ("mp4", "mpeg4", {"qscale": "2"}),
        ("webm", "libvpx", {"b": "1M"}),
    ],
)
def test_a_stream_that_cannot_promise_it_is_decoded_as_a_whole(
    tmp_path: Path, suffix: str, codec: str, options: dict[str, str]
) -> None:
    path = write_video(tmp_path / f"a.{suffix}", numbered(31), codec=codec, options=options)
    media = Media.open(path)
    names = media.names()
    assert names is None or len(names.starts) == 1
    found, whole = list(media.pictures()), list(_decode(media, range(31)))
    assert [i for i, _ in found] == list(range(31))
    assert all(np.array_equal(a, b) for (_, a), (_, b) in zip(found, whole, strict=True))


def test_a_file_that_changed_is_named_anew(tmp_path: Path) -> None:
    path = tmp_path / "a.mp4"
    first = at(path, seconds([1], [2])).names()
    second = at(path, seconds([1], [3, 4])).names()
    assert first is not None
    assert second is not None
    assert first.names[:10] == second.names[:10]
    assert not set(first.names[10:]) & set(second.names[10:])


def test_a_missing_file_and_a_broken_one_are_one_line(tmp_path: Path) -> None:
    assert names_of(tmp_path / "none.mp4") is None
    media = at(tmp_path / "a.mp4", seconds([1], [2], [3]))
    assert media.names() is not None
    data = bytearray(media.path.read_bytes())
    with av.open(str(media.path)) as container:
        broken = [p for p in container.demux(video=0) if p.size][10]  # the key frame of the second group
    data[broken.pos : broken.pos + broken.size] = bytes(broken.size)
    media.path.write_bytes(data)
    assert media.names() is None
    with pytest.raises(InputError) as caught:
        list(media.pictures())
    assert "\n" not in str(caught.value)


# Encoded frames.


def test_encoded_frames_are_shared_between_clips_and_equal_to_those_of_one_clip(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clips = [
        at(tmp_path / f"{k}.mp4", seconds(*entry)) for k, entry in enumerate([([1], [1, 2]), ([1], [1])])
    ]
    cache = JpegCache()
    policy = Sampling.parse("fps:5")
    first = cache.encode(sample(clips[0], policy))
    assert first == encode_jpeg(sample(clips[0], policy))

    def forbidden(frames: Frames, quality: int = 90) -> list[bytes]:
        raise AssertionError("every frame of the second clip was seen in the first")

    expected = encode_jpeg(sample(clips[1], policy))
    monkeypatch.setattr("lft.core.video.jpeg_cache.encode_jpeg", forbidden)
    second = cache.encode(sample(clips[1], policy))
    assert second == expected
    assert second[0] is first[0]


def test_quality_and_files_without_names_keep_images_apart(tmp_path: Path) -> None:
    paths = [
        write_video(tmp_path / f"{k}.mp4", numbered(12)[k:], options={"bf": "2", "preset": "fast"})
        for k in (0, 5)
    ]
    cache = JpegCache()
    for path in paths:
        frames = sample(Media.open(path), Sampling.parse("fps:30"))
        assert Media.open(path).names() is None
        for quality in (90, 20, 90):
            assert cache.encode(frames, quality=quality) == encode_jpeg(frames, quality=quality)


def test_values_of_many_names_count_once_and_the_longest_unused_go() -> None:
    kept: Kept[bytes] = Kept(10)
    big, small = bytes(6), bytes(3)
    for name in "abc":
        kept.put(name, big)
    kept.put("d", small)
    assert kept.bytes == 9
    assert kept.get("a") is big
    kept.put("e", bytes(4))  # 13 bytes: b, c, which share their value with a, then d, which frees three, go
    assert [name for name in "abcde" if name in kept] == ["a", "e"]
    assert kept.bytes == 10
    kept.put("f", bytes(11))  # larger than all room
    assert kept.bytes == 0
    assert "f" not in kept


@pytest.mark.parametrize("content", [b"", b"hello", b"\x00\x00\x00\x18ftypmp42"])
def test_a_file_that_is_no_video_has_no_names(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "a.mp4").write_bytes(content)
    assert names_of(tmp_path / "a.mp4") is None
