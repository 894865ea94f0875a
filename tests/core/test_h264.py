"""Held frames: a decoder must see the picture before, whatever the picture and the position."""

from __future__ import annotations

import io
import re
from typing import Any

import av
import numpy as np
import pytest
from av.bitstream import BitStreamFilterContext
from hypothesis import given
from hypothesis import strategies as st

from lft.core.video import writer as video_writer
from lft.core.video.h264 import Stills, _escaped, _unescaped, frame_number_bits, length_prefixed
from lft.core.video.writer import Format, Writer, encode, to_planes

FORMATS = [Format(64, 64, 30), Format(854, 480, 30), Format(192, 108, 60), Format(1280, 720, 15)]


def pictures(form: Format, count: int) -> list[Any]:
    """Noise over a moving block: nothing a still could get right by chance."""
    random = np.random.default_rng(form.width)
    made = []
    for i in range(count):
        picture = random.integers(0, 255, (form.height, form.width, 4), dtype=np.uint8)
        picture[: form.height // 2, i * 4 : i * 4 + 20] = 40 * i
        made.append(to_planes(picture))
    return made


def parameter_sets(form: Format) -> bytes:
    encoder = video_writer._encoder(form)
    encoder.open()
    return bytes(encoder.extradata)


@pytest.mark.parametrize("form", FORMATS, ids=str)
def test_held_pictures_come_back_unchanged(form: Format) -> None:
    # 40 frames and more: frame_num, 4 bits long, goes round twice.
    lengths = [17, 1, 3, 1, 1, 22]
    packets = encode(pictures(form, len(lengths)), form)
    held = Writer(form).group(packets, lengths)
    assert len(held) == sum(lengths)
    once = video_writer._decoded(packets, parameter_sets(form))
    shown = video_writer._decoded(held, parameter_sets(form))
    expected = [picture for picture, length in zip(once, lengths, strict=True) for _ in range(length)]
    assert len(shown) == len(expected)
    assert all(np.array_equal(a, b) for a, b in zip(shown, expected, strict=True))
    assert sum(map(len, held)) - sum(map(len, packets)) < 200 * len(held)


def test_a_number_set_anew_is_the_one_the_encoder_would_have_set() -> None:
    form = FORMATS[1]
    packets = encode(pictures(form, 4), form)
    stills = Stills(packets[1], frame_number_bits(parameter_sets(form)) or 0)
    assert stills.numbered(packets[1], 1) == packets[1]
    assert stills.numbered(packets[3], 19) == packets[3]  # modulo 16
    assert stills.numbered(stills.numbered(packets[2], 7), 2) == packets[2]


@given(st.binary(max_size=60), st.lists(st.integers(0, 4), max_size=60))
def test_escaping_keeps_start_codes_out_and_can_be_undone(any_bytes: bytes, low_bytes: list[int]) -> None:
    for data in (any_bytes, bytes(low_bytes)):
        escaped = _escaped(data)
        assert not re.search(rb"\x00\x00[\x00-\x02]", escaped)
        # A unit never ends in zero bytes, and always has a stop bit; neither does the payload of one.
        assert _unescaped(_escaped(data + b"\x80")) == data + b"\x80"


def test_streams_of_another_kind_are_left_to_the_encoder(monkeypatch: pytest.MonkeyPatch) -> None:
    form = FORMATS[0]
    made = pictures(form, 2)
    monkeypatch.setitem(
        video_writer._OPTIONS, "bf", "2"
    )  # pictures out of order: another picture order count
    assert frame_number_bits(parameter_sets(form)) is None
    writer = Writer(form)
    assert writer.runs(["a", "a", "b"]) == [("a", 1), ("a", 1), ("b", 1)]
    monkeypatch.undo()
    assert Stills.of(parameter_sets(form), encode(made, form)[0]) is None  # a key frame
    assert Stills.of(b"", encode(made, form)[1]) is None
    assert Writer(form).runs(["a", "a", "b"]) == [("a", 2), ("b", 1)]


def test_a_still_that_is_none_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    form = FORMATS[0]
    wrong = encode(pictures(form, 2), form)[1]  # changes the picture
    assert video_writer._proved_stills(form, parameter_sets(form), wrong) is None


def test_the_decoder_has_nothing_to_complain_of() -> None:
    import av.logging

    form = FORMATS[2]
    lengths = [40, 2, 18]
    held = Writer(form).group(encode(pictures(form, 3), form), lengths)
    before = av.logging.get_level()
    av.logging.set_level(av.logging.WARNING)
    try:
        with av.logging.Capture() as complaints:
            frames = video_writer._decoded(held, parameter_sets(form))
        assert len(frames) == 60
        assert complaints == []
        with av.logging.Capture() as complaints:  # half a packet, to see that complaints are heard
            video_writer._decoded([held[0][: len(held[0]) // 2]], parameter_sets(form))
        assert complaints
    finally:
        av.logging.set_level(before)


def test_files_hold_units_after_their_lengths_as_mp4_has_them() -> None:
    """Start codes inside an mp4 are read by ffmpeg's decoders and by no others."""
    form = FORMATS[0]
    writer = Writer(form)
    packets = encode(pictures(form, 3), form)
    with av.open(io.BytesIO(writer.file_of([writer.group(packets, [4, 1, 2])]))) as container:
        stream = container.streams.video[0]
        filter_ = BitStreamFilterContext("h264_mp4toannexb", stream)  # refuses lengths that do not add up
        held = [packet for packet in container.demux(stream) if packet.size]
        assert len(held) == 7
        for packet, expected in zip(held, writer.group(packets, [4, 1, 2]), strict=True):
            data = bytes(packet)
            assert int.from_bytes(data[:4], "big") == len(data) - 4  # one slice a picture
            (back,) = filter_.filter(packet)
            assert bytes(back).endswith(expected.lstrip(b"\0"))


def test_a_packet_of_several_units_keeps_them_apart() -> None:
    # Units 06 05, 65 88 80 and 41, after start codes of three and four bytes.
    assert length_prefixed(bytes.fromhex("0000010605 00000001658880 00000141")) == bytes.fromhex(
        "000000020605 00000003658880 0000000141"
    )
