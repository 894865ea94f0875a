"""Shared by commands: tables that fit the terminal, text for a terminal, and types of options."""

from __future__ import annotations

import io
import math
import shutil
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import click

from lft.core.errors import unknown_name

if TYPE_CHECKING:  # click 8.1 has no type parameter
    _Choice = click.Choice[str]
else:
    _Choice = click.Choice

_GAP = 2  # columns between two of a table
_WIDEST = 100_000  # of a table that is not split
_LONGEST_NAME = 160  # characters of a model's or a prompt's name


def printable(text: object) -> str:
    """Untrusted text for a terminal, on one line, with control characters escaped.

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
    """Untrusted text for a terminal, line by line."""
    return "\n".join(map(printable, text.split("\n")))


def width() -> int:
    """Columns of the terminal, or of the environment variable COLUMNS; 80 if the output is not a terminal."""
    return max(40, shutil.get_terminal_size((80, 24)).columns)


def table(
    head: Sequence[str], rows: Sequence[Sequence[str]], *, left: int = 1, columns: int | None = None
) -> str:
    """A table, the first `left` columns aligned left, the others right; the heading is bold on a terminal.

    Columns that do not fit into `columns` (default: the terminal) go into further blocks below, beside the left ones.

    >>> print(table(["model", "n", "EM %"], [["replayed", "26", "19.2"], ["all", "78", "5.0"]]))
    model      n  EM %
    replayed  26  19.2
    all       78   5.0
    """
    from rich.cells import cell_len

    most = columns or width()
    lines = [[printable(cell) for cell in line] for line in (head, *rows)]
    widths = [max(cell_len(line[i]) for line in lines) for i in range(len(head))]
    beside = sum(widths[:left]) + _GAP * (left - 1)
    blocks: list[list[int]] = [[]]
    room = most - beside
    for column in range(left, len(head)):
        need = _GAP + widths[column]
        if need > room and blocks[-1]:
            blocks.append([])
            room = most - beside
        room -= need
        blocks[-1].append(column)
    return "\n\n".join(_drawn(lines, [*range(left), *block], left) for block in blocks)


def _drawn(lines: Sequence[Sequence[str]], columns: Sequence[int], left: int) -> str:
    import rich.table
    from rich.console import Console
    from rich.text import Text

    grid = rich.table.Table(box=None, pad_edge=False, padding=(0, _GAP, 0, 0))
    for column in columns:
        grid.add_column(Text(lines[0][column]), justify="left" if column < left else "right", no_wrap=True)
    for line in lines[1:]:
        grid.add_row(*(Text(line[column]) for column in columns))
    console = Console(
        file=io.StringIO(), width=_WIDEST, force_terminal=sys.stdout.isatty(), highlight=False, emoji=False
    )
    with console.capture() as drawn:
        console.print(grid, crop=False)
    return "\n".join(line.rstrip() for line in drawn.get().rstrip("\n").split("\n"))


class Closed(_Choice):
    """A `click.Choice` whose error names the nearest choice."""

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The value; raises `InputError` if it is none of the choices."""
        if value not in self.choices:
            raise unknown_name((param and param.name) or "value", value, self.choices)
        return value


LABELS = Closed(("none", "index", "time"))


def condition_line(condition: Mapping[str, str]) -> str:
    """Model and condition as a heading: `hf:NAME · fps:1 · labels time · direct`."""
    from lft.core.conditions import MODEL_CONDITION  # not needed by `lft --help`

    words = {"labels": "labels "}
    return " · ".join(
        _cut(printable(words.get(a, "") + condition[a])) for a in MODEL_CONDITION if condition.get(a)
    )


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST_NAME else f"{text[: _LONGEST_NAME - 1]}…"


def not_applicable_lines(reasons: Mapping[str, int]) -> list[str]:
    """The three most frequent reasons why trials were not applicable."""
    return [
        f"not applicable, {k} {'trial' if k == 1 else 'trials'}: {printable(reason)}"
        for reason, k in list(reasons.items())[:3]
    ]


class FiniteRange(click.FloatRange):
    """A `click.FloatRange` that refuses `nan` and infinities."""

    def convert(self, value: float, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """The number; fails for anything else."""
        number = float(super().convert(value, param, ctx))
        if not math.isfinite(number):
            self.fail(f"{value!r} is not a finite number.", param, ctx)
        return number
