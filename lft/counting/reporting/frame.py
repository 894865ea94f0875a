"""What the figures beside surfaces share: a panel per domain, a title and legend above, a note below."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lft.counting.reporting import style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from pandas import DataFrame


@dataclass(frozen=True)
class Drawn:
    """A figure, the numbers in it, its file name and its title."""

    name: str
    title: str
    figure: Figure
    data: DataFrame


LEFT_IN = 0.5


def row_of_panels(
    domains: Sequence[str],
    title: str,
    subtitle: str,
    *,
    rows_in: float,
    legend: int,
    left_in: float = LEFT_IN,
    text_in: float = LEFT_IN,
    below_in: float = 0.0,
) -> tuple[Figure, list[Axes]]:
    """A figure with a panel per domain and room for the words around.

    `text_in` is where the words begin, `below_in` room for long tick labels; inches.
    """
    width = style.PAGE_IN if len(domains) > 1 else style.COLUMN_IN + (left_in - LEFT_IN)
    lines = 1 + (legend - 1) // (6 if len(domains) > 1 else 2)
    top, bottom, gap, right = (
        (0.68 if subtitle else 0.55) + 0.16 * lines,
        (0.58 if len(domains) > 1 else 0.84) + below_in,
        0.3,
        0.28,
    )
    height = top + rows_in + bottom
    made = style.figure(width, height)
    panel = (width - left_in - right - gap * (len(domains) - 1)) / len(domains)
    axes = [
        made.add_axes(
            ((left_in + i * (panel + gap)) / width, bottom / height, panel / width, rows_in / height)
        )
        for i in range(len(domains))
    ]
    style.title(made, title, text_in)
    made.text(
        text_in / width, 1 - 0.23 / height, subtitle, ha="left", va="top", fontsize=7.5, color=style.QUIET
    )
    return made, axes


def accuracy_axis(axes: Axes, *, first: bool) -> None:
    axes.set_ylim(-0.02, 1.03)
    axes.set_yticks(
        [0, 0.2, 0.4, 0.6, 0.8, 1.0], ["0", "0.2", "0.4", "0.6", "0.8", "1.0"] if first else [""] * 6
    )
    axes.grid(axis="y", color="#e9ecf0", linewidth=0.6)
    axes.set_axisbelow(True)
    axes.tick_params(length=0)
    axes.spines["left"].set_visible(False)
    if first:
        axes.set_ylabel("accuracy")


def legend_of(
    made: Figure,
    handles: Sequence[Any],
    names: Sequence[str],
    *,
    text_in: float = LEFT_IN,
    columns: int = 6,
    top_in: float = 0.38,
) -> None:
    width, height = made.get_size_inches()
    made.legend(
        handles,
        names,
        loc="upper left",
        bbox_to_anchor=(text_in / width, 1 - top_in / height),
        borderaxespad=0,
        borderpad=0,
        ncols=min(len(names), columns if width > style.COLUMN_IN + 1.8 else 2),
        handlelength=1.6,
        columnspacing=1.2,
        handletextpad=0.5,
        labelspacing=0.35,
    )


def note(made: Figure, text: str, *, text_in: float = LEFT_IN) -> None:
    width, height = made.get_size_inches()
    if width < style.COLUMN_IN + 1.8:
        text = text.replace(". ", ".\n").replace("; bars", ";\nbars")
    look: dict[str, Any] = {
        "ha": "left",
        "va": "bottom",
        "fontsize": 6.3,
        "color": style.QUIET,
        "linespacing": 1.3,
    }
    made.text(text_in / width, 0.05 / height, text, **look)


def sizes(data: DataFrame) -> str:
    low, high = int(data["n"].min()), int(data["n"].max())
    each = f"n = {low}" if low == high else f"n = {low} to {high}"
    return f"Points: {each}; {int(data['n'].sum()):,} trials, {int(data['n_missing'].sum()):,} missing."
