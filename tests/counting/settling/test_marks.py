"""Marks under a text: where they stand, in any script, at any width."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from lft.counting.settling.marks import marked, marked_lines


def test_marks_stand_under_what_they_mark() -> None:
    # 0123456789... "1.1" at 3..6, "4" at 18..19 on the second line.
    text = "at 1.1 s, it lit\nso 4"
    assert marked_lines(text, [(3, 6)], [(20, 21)]) == ["| at 1.1 s, it lit", ":    ^^^", "| so 4", ":    ?"]
    # What is both an event and in doubt has a mark of its own; blanks carry none.
    assert list(marked("1 2 3", [(0, 3)], [(2, 5)])) == [("1 2 3", "^ ! ?")]


def test_wide_letters_take_two_columns_and_control_characters_are_shown() -> None:
    assert list(marked("在 1 秒", [(2, 3)])) == [("在 1 秒", "   ^")]
    assert list(marked("a\x1b[2J 7", [(6, 7)])) == [("a\\x1b[2J 7", "         ^")]
    assert marked_lines("") == ["|"]


def test_long_lines_are_cut_behind_a_space() -> None:
    assert list(marked("one two three", [(8, 13)], width=8)) == [("one two ", ""), ("three", "^^^^^")]
    assert [line for line, _ in marked("abcdefgh", width=3)] == ["abc", "def", "gh"]


spans = st.lists(st.tuples(st.integers(-3, 40), st.integers(-3, 40)), max_size=4)


@given(st.text(max_size=40), spans, spans, st.integers(2, 30))
def test_nothing_of_the_text_is_lost_and_no_line_break_is_made_up(
    text: str, events: list[tuple[int, int]], doubts: list[tuple[int, int]], width: int
) -> None:
    lines = list(marked(text, events, doubts, width=width))
    kept = "".join(line for line, _ in lines)
    plain = "".join(c for c in text if c.isprintable())
    assert re.sub(r"\s", "", plain) == "" or all(c in kept for c in plain)
    assert all(len("\n".join(pair).splitlines()) <= 2 for pair in lines)
    assert all(set(under) <= {" ", "^", "?", "!"} for _, under in lines)
