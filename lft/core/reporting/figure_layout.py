"""The layout of figures: panels in a row, a title and a legend above, a note below.

Panels are side by side across both columns of a page, or below each other in one column (`style.look(column=True)`).
Legends and notes are laid out by the width of their text, so that nothing exceeds the figure.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lft.core.reporting import style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from pandas import DataFrame


@dataclass(frozen=True)
class Drawn:
    """A figure with its data, file name and title."""

    name: str
    title: str
    figure: Figure
    data: DataFrame


LEFT_IN = 0.5
_LEGEND_PT, _NOTE_PT, _LINE_IN, _NOTE_IN = 7.0, 7.0, 0.16, 0.128
_HANDLE_PT, _GAP_PT = 15.0, 8.4  # of a legend: sign and the space after it; space between columns


def row_of_panels(
    panels: int,
    title: str,
    subtitle: str,
    *,
    rows_in: float,
    legend: Sequence[str],
    left_in: float = LEFT_IN,
    text_in: float = LEFT_IN,
    below_in: float = 0.0,
    note_lines: int = 1,
) -> tuple[Figure, list[Axes]]:
    """A figure with `panels` panels and room for the text around them.

    `legend` has the texts of the legend, `text_in` is the left edge of text, `below_in` the room for long tick
    labels, in inches. `note_lines` lines of note fit below at page width, two more in one column.
    """
    stacked = style.in_column() or panels == 1
    width = (
        style.PAGE_IN if not stacked else style.COLUMN_IN + (0 if style.in_column() else left_in - LEFT_IN)
    )
    _, lines = _grid(legend, width - text_in)
    top = (0.68 if subtitle else 0.55) + _LINE_IN * lines
    below = 0.36 + below_in  # ticks and the name of the axis
    bottom = below + _NOTE_IN * (note_lines + (2 if stacked else 0)) + 0.08
    right, gap = 0.28, (below + 0.3 if stacked else 0.3)
    down = panels if stacked else 1
    height = top + rows_in * down + gap * (down - 1) + bottom
    made = style.figure(width, height)
    across = 1 if stacked else panels
    panel = (width - left_in - right - gap * (across - 1)) / across
    axes = []
    for i in range(panels):
        column, row = (0, i) if stacked else (i, 0)
        low = height - top - rows_in - row * (rows_in + gap)
        axes.append(
            made.add_axes(
                ((left_in + column * (panel + gap)) / width, low / height, panel / width, rows_in / height)
            )
        )
    style.title(made, title, text_in)
    style.subtitle(made, subtitle, text_in)
    return made, axes


def at_left(axes: Axes, among: Sequence[Axes]) -> bool:
    """Whether a panel is at the left, where the axis is labelled."""
    return bool(abs(axes.get_position().x0 - among[0].get_position().x0) < 1e-6)


def names_of_bars(names: Sequence[str]) -> tuple[list[str], float]:
    """Names at the left of bars, in two lines if needed, and their width in inches."""
    room = 72 * (1.3 if style.in_column() else 2.7)
    shown = []
    for name in names:
        first, *rest = style.wrapped(name, room, _NOTE_PT) or [""]
        lines = [first, " ".join(rest)] if rest else [first]
        shown.append([style.shortened(line, room, _NOTE_PT) for line in lines])
    widest = max((style.text_width_pt(line, _NOTE_PT) for lines in shown for line in lines), default=0.0)
    return ["\n".join(lines) for lines in shown], widest / 72 + 0.2


def accuracy_axis(axes: Axes, *, first: bool) -> None:
    axes.set_ylim(-0.02, 1.03)
    axes.set_yticks([0, 0.2, 0.4, 0.6, 0.8, 1.0], ["0", "20", "40", "60", "80", "100"] if first else [""] * 6)
    axes.grid(axis="y", color="#e9ecf0", linewidth=0.6)
    axes.set_axisbelow(True)
    axes.tick_params(length=0)
    axes.spines["left"].set_visible(False)
    if first:
        axes.set_ylabel("accuracy (%)")


def lines_of(names: Sequence[str], room_in: float) -> int:
    """The number of lines, each 0.16 in high, of a legend with these names."""
    return _grid(names, room_in)[1] if names else 0


def legend_of(
    made: Figure,
    handles: Sequence[Any],
    names: Sequence[str],
    *,
    text_in: float = LEFT_IN,
    top_in: float = 0.38,
) -> None:
    """The legend below the title, in as many columns as fit; names wider than the figure are shortened."""
    width, height = made.get_size_inches()
    columns, _ = _grid(names, width - text_in)
    room = 72 * (width - text_in - 0.1) - _HANDLE_PT
    made.legend(
        handles,
        [style.shortened(name, room, _LEGEND_PT) for name in names],
        loc="upper left",
        bbox_to_anchor=(text_in / width, 1 - top_in / height),
        borderaxespad=0,
        borderpad=0,
        ncols=columns,
        handlelength=1.6,
        columnspacing=1.2,
        handletextpad=0.5,
        labelspacing=0.35,
    )


def _grid(names: Sequence[str], room_in: float) -> tuple[int, int]:
    """Columns and lines of a legend: entries are filled in column by column, as matplotlib does."""
    room = 72 * (room_in - 0.1)
    widths = [_HANDLE_PT + style.text_width_pt(name, _LEGEND_PT) for name in names]
    for columns in range(len(names), 1, -1):
        lines = -(-len(names) // columns)
        # matplotlib distributes n entries over c columns: the first n % c columns have one more.
        short, more = divmod(len(names), columns)
        at, total = 0, -_GAP_PT
        for size in [short + 1] * more + [short] * (columns - more):
            total += max(widths[at : at + size], default=0.0) + _GAP_PT
            at += size
        if total <= room:
            return columns, lines
    return 1, max(len(names), 1)


def note(made: Figure, text: str, *, text_in: float = LEFT_IN) -> None:
    """The note below, in lines that fit."""
    width, height = made.get_size_inches()
    look: style.Look = {
        "ha": "left",
        "va": "bottom",
        "fontsize": _NOTE_PT,
        "color": style.QUIET,
        "linespacing": 1.3,
    }
    lines = style.wrapped(text, 72 * (width - text_in - 0.08), _NOTE_PT)
    made.text(text_in / width, 0.05 / height, "\n".join(lines), **look)


def sizes(data: DataFrame) -> str:
    low, high = int(data["n"].min()), int(data["n"].max())
    each = f"n = {low}" if low == high else f"n = {low} to {high}"
    return f"Points: {each}; {int(data['n'].sum()):,} trials, {int(data['n_missing'].sum()):,} missing."
