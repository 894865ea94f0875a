"""What commands share: tables as plain text that fits the terminal, and finite numbers as options."""

from __future__ import annotations

import math
import shutil
from collections.abc import Mapping, Sequence

import click

_GAP = "  "
_LONGEST_NAME = 160  # characters of a model's or a prompt's name


def printable(text: object) -> str:
    """Untrusted words for a terminal, on one line: control characters are shown, not obeyed.

    >>> printable("a\\x1b[2Jb")
    'a\\\\x1b[2Jb'
    """
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in str(text))


def plural(number: int, what: str) -> str:
    """
    >>> plural(1, "answer"), plural(2190, "trial")
    ('1 answer', '2,190 trials')
    """
    return f"{number:,} {what}" + ("" if number == 1 else "s")


def printable_lines(text: str) -> str:
    """Untrusted words for a terminal, line by line."""
    return "\n".join(map(printable, text.split("\n")))


def width() -> int:
    """Columns of the terminal; 80 where the output is no terminal. The environment's COLUMNS comes first."""
    return max(40, shutil.get_terminal_size((80, 24)).columns)


def table(head: Sequence[str], rows: Sequence[Sequence[str]], *, columns: int | None = None) -> str:
    """Aligned columns, the first to the left; what does not fit beside it goes into further blocks below.

    >>> print(table(["model", "n", "EM %"], [["replayed", "26", "19.2"], ["all", "78", "5.0"]]))
    model      n  EM %
    replayed  26  19.2
    all       78   5.0
    """
    most = columns or width()
    lines = [[printable(cell) for cell in line] for line in (head, *rows)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(head))]
    blocks: list[list[int]] = [[]]
    room = most - widths[0]
    for column in range(1, len(head)):
        need = len(_GAP) + widths[column]
        if need > room and blocks[-1]:
            blocks.append([])
            room = most - widths[0]
        room -= need
        blocks[-1].append(column)
    texts = [
        "\n".join(
            _GAP.join([line[0].ljust(widths[0]), *(line[i].rjust(widths[i]) for i in block)]).rstrip()
            for line in lines
        )
        for block in blocks
    ]
    return "\n\n".join(texts)


def aligned(lines: Sequence[Sequence[str]], *, left: int) -> str:
    """Columns of text, the first `left` to the left, numbers to the right.

    >>> print(aligned([("name", "n"), ("a", "12")], left=1))
    name   n
    a     12
    """
    widths = [max(len(line[column]) for line in lines) for column in range(len(lines[0]))]
    return "\n".join(
        _GAP.join(
            cell.ljust(width) if column < left else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    )


def condition_line(condition: Mapping[str, str]) -> str:
    """Model and condition as a heading: `hf:NAME · fps:1 · labels time · direct`."""
    from lft.core.conditions import MODEL_CONDITION  # whose frames are more than `lft --help` needs

    words = {"labels": "labels "}
    return " · ".join(
        _cut(printable(words.get(a, "") + condition[a])) for a in MODEL_CONDITION if condition.get(a)
    )


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST_NAME else f"{text[: _LONGEST_NAME - 1]}…"


def not_applicable_lines(reasons: Mapping[str, int]) -> list[str]:
    """Why trials were not applicable, the most frequent reasons first."""
    return [
        f"not applicable, {k} {'trial' if k == 1 else 'trials'}: {printable(reason)}"
        for reason, k in list(reasons.items())[:3]
    ]


class FiniteRange(click.FloatRange):
    """A `click.FloatRange` without `nan` and infinities, which click takes for numbers."""

    def convert(self, value: float, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """The number; ends the command with one line for anything else."""
        number = float(super().convert(value, param, ctx))
        if not math.isfinite(number):
            self.fail(f"{value!r} is not a finite number.", param, ctx)
        return number
