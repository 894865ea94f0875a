"""Error lines: one line, bounded, nothing obeyed by a terminal."""

from __future__ import annotations

from lft.core.errors import InputError


def test_a_name_with_control_characters_is_shown_not_obeyed() -> None:
    assert str(InputError("no such file", where="a\x1b[31m\x07b")) == "a\\x1b[31m\\x07b: no such file"


def test_a_lone_surrogate_in_a_name_can_be_printed() -> None:
    str(InputError("no such file", where="\udcff.mp4")).encode()


def test_a_long_place_is_cut_in_the_middle() -> None:
    line = str(InputError("no such file", where="a" * 5000 + "end"))
    assert len(line) < 450
    assert line.endswith("aend: no such file")
