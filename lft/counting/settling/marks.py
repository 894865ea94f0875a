"""An answer's text with what was read of it marked underneath, as compilers mark code.

    | I counted blinks at 1.1, 2.1 and 3.2 seconds.
    :                     ^^^  ^^^     ^^^

`^` stands under an entry that was read as an event, `?` under what the reading is unsure of, `!` under what is both.
The text is untrusted: control characters are shown, not obeyed.
"""

from __future__ import annotations

import itertools
import unicodedata
from collections.abc import Iterable, Iterator, Sequence

from lft.counting.reported import Span

EVENT, DOUBT, BOTH = "^", "?", "!"
_TAB = "    "


def marked(
    text: str, events: Iterable[Span] = (), doubts: Iterable[Span] = (), *, width: int = 96
) -> Iterator[tuple[str, str]]:
    """(line, marks under it) of a text, lines cut at `width` columns; the marks are "" where there are none.

    Spans are (start, end) in characters of `text`; an empty one marks nothing.

    >>> list(marked("at 1.1 and 2.1", [(3, 6)], [(11, 14)]))
    [('at 1.1 and 2.1', '   ^^^     ???')]
    """
    signs = [
        BOTH if event and doubt else EVENT if event else DOUBT if doubt else " "
        for event, doubt in zip(_covered(events, len(text)), _covered(doubts, len(text)), strict=True)
    ]
    cells: list[tuple[str, str]] = []
    for place, letter in enumerate(text):
        if letter == "\n":
            yield from _cut(cells, width)
            cells = []
        else:
            cells.append((_shown(letter), " " if letter.isspace() else signs[place]))
    if cells:
        yield from _cut(cells, width)


def marked_lines(
    text: str, events: Sequence[Span] = (), doubts: Sequence[Span] = (), *, width: int = 96
) -> list[str]:
    """The lines of `marked` as they are printed: `| ` before text, `: ` before marks."""
    lines = []
    for line, under in marked(text, events, doubts, width=max(20, width - 2)):
        lines.append(f"| {line}".rstrip())
        if under:
            lines.append(f": {under}")
    return lines or ["|"]


def _covered(spans: Iterable[Span], length: int) -> Iterator[int]:
    """How many spans cover each of `length` characters, in time linear in both."""
    changes = [0] * (length + 1)
    for start, end in spans:
        start, end = min(max(0, start), length), min(max(0, end), length)
        if start < end:
            changes[start] += 1
            changes[end] -= 1
    yield from itertools.accumulate(changes[:length])


def _cut(cells: Sequence[tuple[str, str]], width: int) -> Iterator[tuple[str, str]]:
    """One line of a text as lines of at most `width` columns, cut behind a space where there is one."""
    begin = 0
    while True:
        end, columns, space = begin, 0, begin
        while end < len(cells) and columns + _columns(cells[end][0]) <= max(width, 2):
            columns += _columns(cells[end][0])
            end += 1
            if cells[end - 1][0].isspace():
                space = end
        if end < len(cells) and space > begin:
            end = space
        part = cells[begin:end]
        yield (
            "".join(shown for shown, _ in part),
            "".join(sign * _columns(shown) for shown, sign in part).rstrip(),
        )
        begin = max(end, begin + 1)
        if begin >= len(cells):
            return


def _shown(letter: str) -> str:
    if letter == "\t":
        return _TAB
    return letter if letter.isprintable() else repr(letter)[1:-1]


def _columns(text: str) -> int:
    """Columns that a terminal gives to a text: wide letters take two, combining ones none."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text
    )
