"""Capability surfaces as pictures: accuracy over count and frequency, one panel per domain.

A panel is a table of cells, N upwards and F to the right, both as categories (the grid is not evenly spaced).
The accuracy is printed in each cell. The count frontier is a line: everything under it was counted reliably
at that frequency. N = 0 is a strip of its own below the axis, because a clip without events has no frequency
and is no part of a frontier. A cell with another number of trials than most carries its n; a cell whose
trials are all missing is hatched; a cell that no trial was planned for is empty.

A surface here is a DataFrame with one row per cell (see `lft.counting.cells`), of which are used
    domain, frequency_hz, count      the cell
    n, n_missing                     trials scored, trials without an answer
    accuracy                         share of right answers in [0, 1]; NaN where n is 0
and a frontier maps frequency_hz -> N, "below" or "undetermined".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lft.counting.reporting import style
from lft.counting.spec import DOMAINS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from pandas import DataFrame

Frontier = Mapping[float, "int | str"]

_CELL_IN = (0.33, 0.215)  # width and height of a cell, at most
_LEFT_IN, _RIGHT_IN, _TOP_IN, _GAP_IN = 0.42, 0.58, 0.62, 0.14
_AXIS_IN, _LINE_IN = 0.42, 0.125  # below the cells: ticks and axis label; one line of the note
_STRIP_GAP = 0.35  # rows between the N = 0 strip and N = 1


@dataclass(frozen=True)
class Panel:
    """One domain of a surface: the cells of that domain only, and its count frontier."""

    domain: str
    cells: DataFrame
    frontier: Frontier


def surface(panels: Sequence[Panel], *, title: str, subtitle: str = "", tau: float = 0.8) -> Figure:
    """Draws one model under one condition, a panel per domain; call it inside `style.look()`.

    The figure is as wide as its cells need, up to 7 in (three panels of eight frequencies), and states n and
    the number of missing trials below.
    """
    import pandas as pd

    cells = pd.concat([panel.cells for panel in panels])
    counts = sorted({int(n) for n in cells["count"] if n > 0})
    columns = [_frequencies(panel.cells) for panel in panels]
    across = sum(max(len(c), 3) for c in columns)
    room = style.PAGE_IN - _LEFT_IN - _RIGHT_IN - _GAP_IN * (len(panels) - 1)
    cell_w = min(_CELL_IN[0], room / across)
    has_zero = bool((cells["count"] == 0).any())
    rows = len(counts) + (1 + _STRIP_GAP if has_zero else 0)
    width = max(
        _LEFT_IN + _RIGHT_IN + _GAP_IN * (len(panels) - 1) + cell_w * across,
        style.COLUMN_IN,
    )
    usual_n = int(cells.loc[cells["n"] > 0, "n"].mode().max()) if (cells["n"] > 0).any() else 0
    note = _note(cells, usual_n, tau, narrow=width <= style.COLUMN_IN + 0.6)
    bottom = _AXIS_IN + _LINE_IN * len(note)
    height = _TOP_IN + bottom + rows * _CELL_IN[1]
    made = style.figure(width, height)

    left = _LEFT_IN
    for position, (panel, frequencies) in enumerate(zip(panels, columns, strict=True)):
        panel_w = cell_w * max(len(frequencies), 3)
        box = (left / width, bottom / height, panel_w / width, rows * _CELL_IN[1] / height)
        axes = made.add_axes(box)
        _panel(axes, panel, counts, frequencies, usual_n=usual_n, first=position == 0, has_zero=has_zero)
        left += panel_w + _GAP_IN
    _scale(made, (left / width, bottom / height, 0.09 / width, rows * _CELL_IN[1] / height), tau)
    style.title(made, title, _LEFT_IN)
    made.text(
        _LEFT_IN / width, 1 - 0.23 / height, subtitle, ha="left", va="top", fontsize=7.5, color=style.QUIET
    )
    below: dict[str, Any] = {
        "ha": "left",
        "va": "bottom",
        "fontsize": 6.3,
        "color": style.QUIET,
        "linespacing": 1.3,
    }
    made.text(_LEFT_IN / width, 0.05 / height, "\n".join(note), **below)
    return made


def _frequencies(cells: DataFrame) -> list[float]:
    positive = cells.loc[cells["count"] > 0, "frequency_hz"]
    return sorted({float(f) for f in (positive if len(positive) else cells["frequency_hz"])})


def _panel(
    axes: Axes,
    panel: Panel,
    counts: Sequence[int],
    frequencies: Sequence[float],
    *,
    usual_n: int,
    first: bool,
    has_zero: bool,
) -> None:
    bottom = -(1 + _STRIP_GAP) if has_zero else 0.0
    axes.set_xlim(0, max(len(frequencies), 3))
    axes.set_ylim(bottom, len(counts))
    for spine in axes.spines.values():
        spine.set_visible(False)
    zero = panel.cells[panel.cells["count"] == 0]
    for row in panel.cells.to_dict("records"):
        if row["count"] == 0:
            # Filed once, it is one cell as wide as the panel; filed under each frequency, as in published
            # surfaces, a cell for each.
            if len(zero) == 1:
                _cell(axes, 0, bottom, len(frequencies), row, usual_n)
            elif row["frequency_hz"] in frequencies:
                _cell(axes, frequencies.index(row["frequency_hz"]), bottom, 1, row, usual_n)
        else:
            x, y = frequencies.index(float(row["frequency_hz"])), counts.index(int(row["count"]))
            _cell(axes, x, y, 1, row, usual_n)
    _frontier_line(axes, panel.frontier, frequencies, counts)

    middle = [i + 0.5 for i in range(len(frequencies))]
    axes.set_xticks(middle, [f"{f:g}" for f in frequencies])
    ticks = [i + 0.5 for i in range(len(counts))]
    names = [str(n) for n in counts]
    if has_zero:
        ticks, names = [bottom + 0.5, *ticks], ["0", *names]
    axes.set_yticks(ticks, names if first else [""] * len(names))
    axes.tick_params(length=0, pad=2)
    axes.set_xlabel("frequency (Hz)", labelpad=2)
    if first:
        axes.set_ylabel("count N", labelpad=2)
    axes.set_title(domain_name(panel.domain), pad=4)


def _cell(axes: Axes, x: float, y: float, columns: float, row: Mapping[Any, Any], usual_n: int) -> None:
    from matplotlib.patches import Rectangle

    n, n_missing = int(row["n"]), int(row["n_missing"])
    common: dict[str, Any] = {"linewidth": 1.0, "edgecolor": "white"}
    if n == 0:
        if not n_missing and int(row.get("n_not_asked") or 0):
            axes.plot(x + columns / 2, y + 0.5, ".", color="#98a2ae", markersize=3)
        if n_missing:
            look: dict[str, Any] = {
                "facecolor": style.MISSING,
                "edgecolor": "#98a2ae",
                "linewidth": 0,
                "hatch": "//////",
            }
            axes.add_patch(Rectangle((x, y), columns, 1, **look))
            axes.add_patch(Rectangle((x, y), columns, 1, fill=False, **common))
        return
    accuracy = float(row["accuracy"])
    colour = style.accuracy_map()(accuracy)
    axes.add_patch(Rectangle((x, y), columns, 1, facecolor=colour, **common))
    ink = style.QUIET if accuracy < 0.05 else style.text_on(colour)  # zeros recede, at a contrast of 5
    text: dict[str, Any] = {"ha": "center", "va": "center", "color": ink}
    if n == usual_n and n_missing == 0:
        axes.text(x + columns / 2, y + 0.48, f"{accuracy:.2f}", fontsize=6.5, **text)
    else:
        axes.text(x + columns / 2, y + 0.66, f"{accuracy:.2f}", fontsize=6.5, **text)
        axes.text(x + columns / 2, y + 0.22, f"n {n}", fontsize=5.2, **text)
    if n_missing:
        from matplotlib.patches import Polygon

        corner = [(x + columns, y + 1), (x + columns - 0.22, y + 1), (x + columns, y + 1 - 0.3)]
        axes.add_patch(Polygon(corner, facecolor=style.FRONTIER, linewidth=0))


def _frontier_line(
    axes: Axes, frontier: Frontier, frequencies: Sequence[float], counts: Sequence[int]
) -> None:
    """A step along the tops of the last reliable cells; broken, with a question mark, where undetermined."""
    from matplotlib.patheffects import Normal, Stroke

    xs: list[float] = []
    ys: list[float] = []
    for column, frequency in enumerate(frequencies):
        value = frontier.get(frequency, "undetermined")
        if value == "undetermined":
            height = float("nan")
            mark = axes.text(
                column + 0.5, 0.48, "?", ha="center", va="center", fontsize=7.5, color=style.FRONTIER
            )
            mark.set_path_effects([Stroke(linewidth=2.5, foreground="white"), Normal()])
        else:
            height = 0.0 if value == "below" else counts.index(int(value)) + 1.0
        xs += [column, column + 1]
        ys += [height, height]
    (line,) = axes.plot(
        xs, ys, color=style.FRONTIER, linewidth=1.7, solid_joinstyle="miter", clip_on=False, zorder=5
    )
    line.set_path_effects([Stroke(linewidth=3.2, foreground="white"), Normal()])


def _scale(made: Figure, box: tuple[float, float, float, float], tau: float) -> None:
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import Normalize

    axes = made.add_axes(box)
    bar = made.colorbar(ScalarMappable(Normalize(0, 1), style.accuracy_map()), cax=axes)
    bar.outline.set_visible(False)
    bar.set_ticks([0, 0.2, 0.4, 0.6, 0.8, 1.0])
    axes.tick_params(length=0, pad=2, labelsize=6.5)
    axes.axhline(tau, color=style.FRONTIER, linewidth=1.4)
    axes.set_ylabel("accuracy", labelpad=3)


def _note(cells: DataFrame, usual_n: int, tau: float, *, narrow: bool) -> list[str]:
    n, missing = int(cells["n"].sum()), int(cells["n_missing"].sum())
    line = f"Line: count frontier, τ = {tau:.2f} (every smaller N at least τ)."
    trials = f"Most cells n = {usual_n}; {n:,} trials, {missing:,} missing."
    some, none = cells["n"] > 0, cells["n"] == 0
    marks = []
    if (some & ((cells["n"] != usual_n) | (cells["n_missing"] > 0))).any():
        marks.append("n in the cell where it differs")
    if (some & (cells["n_missing"] > 0)).any():
        marks.append("corner: trials missing")
    if (none & (cells["n_missing"] > 0)).any():
        marks.append("hatched: all missing")
    if "n_not_asked" in cells and (none & (cells["n_not_asked"] > 0) & (cells["n_missing"] == 0)).any():
        marks.append("dot: not asked")
    notes = [line, trials] if narrow else [f"{line} {trials}"]
    if narrow and len(marks) > 1:
        return [*notes, marks[0] + ";", "; ".join(marks[1:]) + "."]
    return [*notes, "; ".join(marks) + "."] if marks else notes


def domain_name(domain: str) -> str:
    """A domain as people read it.

    >>> domain_name("bounce_ball")
    'Bounce ball'
    """
    return domain.replace("_", " ").capitalize()


def domain_order(domains: Sequence[str]) -> list[str]:
    """Domains in the order of `DOMAINS`, others after them by name."""
    known = list(DOMAINS)
    return sorted(set(domains), key=lambda d: (known.index(d) if d in known else len(known), d))
