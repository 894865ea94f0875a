"""Tables fit the terminal: what does not fit beside the first column goes below."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from lft.core.terminal import table, width

CELL = st.text(alphabet=st.characters(codec="utf-8"), max_size=12)


@given(
    st.integers(1, 12).flatmap(
        lambda n: st.lists(st.lists(CELL, min_size=n, max_size=n), min_size=1, max_size=4)
    ),
    st.integers(40, 120),
)
def test_every_cell_is_there_and_no_line_is_longer_than_it_must_be(
    lines: list[list[str]], columns: int
) -> None:
    text = table(lines[0], lines[1:], columns=columns)
    from lft.core.terminal import printable

    for line in lines:
        for cell in line:
            assert printable(cell).strip() in text
    # A block holds at least one column beside the first: 12 characters escaped are 120 at most.
    # Widths are columns of a terminal: wide letters take two, combining ones none.
    widest = [max(cell_len(printable(line[i])) for line in lines) for i in range(len(lines[0]))]
    bound = max(columns, widest[0] + 2 + max(widest[1:], default=0))
    assert all(cell_len(line) <= bound for line in text.split("\n"))


def test_the_environment_says_how_wide_it_is() -> None:
    import os
    from unittest.mock import patch

    with patch.dict(os.environ, {"COLUMNS": "132"}):
        assert width() == 132
    with patch.dict(os.environ, {"COLUMNS": "0"}):
        assert width() >= 40
