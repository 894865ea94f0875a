"""Capability surfaces as pictures: accuracy over count and frequency, one panel per domain.

A panel is a table of cells, N upwards and F to the right, both as categories (the grid is not evenly spaced).
The accuracy, in percent, is printed in each cell. The count frontier is a line: cells under it were counted
reliably at that frequency. N = 0 is a separate strip below the axis, because a clip without events has no frequency
and is not part of a frontier. A cell with an unusual number of trials shows its n; a cell whose
trials are all missing is hatched; a cell without planned trials is empty.

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

from lft.core.reporting import style
from lft.counting.domains import DOMAINS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from pandas import DataFrame

Frontier = Mapping[float, "int | str"]

_CELL_IN = 0.33  # width of a cell, at most
_LOW_IN, _HIGH_IN = 0.19, 0.24  # height of a cell: of one line, and where some cells carry their n as well
_LEFT_IN, _RIGHT_IN, _TOP_IN, _GAP_IN = 0.42, 0.58, 0.62, 0.14
_NOTE_PT = 7.0
_AXIS_IN, _LINE_IN = 0.42, 0.135  # below the cells: ticks and axis label; one line of the note
_STRIP_GAP = 0.35  # rows between the N = 0 strip and N = 1


@dataclass(frozen=True)
class Panel:
    """One domain of a surface: the cells of that domain only, and its count frontier."""

    domain: str
    cells: DataFrame
    frontier: Frontier


def surface(
    panels: Sequence[Panel],
    *,
    title: str,
    subtitle: str = "",
    tau: float = 0.8,
    shown: str = "accuracy",
    told: str = "",
) -> Figure:
    """Draws one model under one condition, a panel per domain; call it inside `style.look()`.

    The figure is as wide as its cells need, up to 7 in (three panels of eight frequencies), or one column with
    the panels below each other; it states n and the number of missing trials below. `shown` is the column that
    the cells show, `accuracy` or `p_reaches`, `told` a sentence on it for the note.
    """
    import pandas as pd

    cells = pd.concat([panel.cells for panel in panels])
    counts = sorted({int(n) for n in cells["count"] if n > 0})
    columns = [_frequencies(panel.cells) for panel in panels]
    stacked = style.in_column()
    gap = _GAP_IN if not stacked else _AXIS_IN + 0.3
    widths = [max(len(c), 3) for c in columns]
    across = max(widths) if stacked else sum(widths)
    between = 0.0 if stacked else gap * (len(panels) - 1)
    most = style.COLUMN_IN if stacked else style.PAGE_IN
    cell_w = min(_CELL_IN, (most - _LEFT_IN - _RIGHT_IN - between) / across)
    has_zero = bool((cells["count"] == 0).any()) and shown == "accuracy"
    rows = len(counts) + (1 + _STRIP_GAP if has_zero else 0)
    width = max(_LEFT_IN + _RIGHT_IN + between + cell_w * across, style.COLUMN_IN)
    usual_n = int(cells.loc[cells["n"] > 0, "n"].mode().max()) if (cells["n"] > 0).any() else 0
    differs = (cells["n"] > 0) & ((cells["n"] != usual_n) | (cells["n_missing"] > 0))
    panel_h = rows * (_HIGH_IN if differs.any() else _LOW_IN)
    open_ = any("undetermined" in panel.frontier.values() for panel in panels)
    words = _note(
        cells,
        usual_n,
        open_,
        told or f"Line: count frontier, τ = {tau_words(tau)} (every smaller N at least τ).",
    )
    note = style.wrapped(words, 72 * (width - _LEFT_IN - 0.08), _NOTE_PT)
    bottom = _AXIS_IN + _LINE_IN * len(note)
    down = len(panels) if stacked else 1
    height = _TOP_IN + bottom + panel_h * down + gap * (down - 1)
    made = style.figure(width, height)

    left, low = _LEFT_IN, height - _TOP_IN - panel_h
    for position, (panel, frequencies) in enumerate(zip(panels, columns, strict=True)):
        panel_w = cell_w * widths[position]
        axes = made.add_axes((left / width, low / height, panel_w / width, panel_h / height))
        first = stacked or position == 0
        _panel(axes, panel, counts, frequencies, usual_n=usual_n, first=first, has_zero=has_zero, shown=shown)
        if stacked:
            low -= panel_h + gap
        else:
            left += panel_w + gap
    right = _LEFT_IN + cell_w * across + between + _GAP_IN
    top = height - _TOP_IN - panel_h
    _scale(made, (right / width, top / height, 0.09 / width, panel_h / height), tau, shown)
    style.title(made, title, _LEFT_IN)
    style.subtitle(made, subtitle, _LEFT_IN)
    below: style.Look = {
        "ha": "left",
        "va": "bottom",
        "fontsize": _NOTE_PT,
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
    shown: str,
) -> None:
    bottom = -(1 + _STRIP_GAP) if has_zero else 0.0
    axes.set_xlim(0, max(len(frequencies), 3))
    axes.set_ylim(bottom, len(counts))
    for spine in axes.spines.values():
        spine.set_visible(False)
    zero = panel.cells[panel.cells["count"] == 0]
    for row in panel.cells.to_dict("records"):
        if row["count"] == 0 and not has_zero:
            continue
        if row["count"] == 0:
            # Filed once, it is one cell as wide as the panel; filed under each frequency, as in published
            # surfaces, a cell for each.
            if len(zero) == 1:
                _cell(axes, 0, bottom, len(frequencies), row, usual_n, shown)
            elif row["frequency_hz"] in frequencies:
                _cell(axes, frequencies.index(row["frequency_hz"]), bottom, 1, row, usual_n, shown)
        else:
            x, y = frequencies.index(float(row["frequency_hz"])), counts.index(int(row["count"]))
            _cell(axes, x, y, 1, row, usual_n, shown)
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


def _cell(
    axes: Axes, x: float, y: float, columns: float, row: Mapping[Any, Any], usual_n: int, shown: str
) -> None:
    from matplotlib.patches import Rectangle

    n, n_missing = int(row["n"]), int(row["n_missing"])
    common: style.Look = {"linewidth": 1.0, "edgecolor": "white"}
    if n == 0:
        if not n_missing and int(row.get("n_not_asked") or 0):
            axes.plot(x + columns / 2, y + 0.5, ".", color="#98a2ae", markersize=3)
        if n_missing:
            look: style.Look = {
                "facecolor": style.MISSING,
                "edgecolor": "#98a2ae",
                "linewidth": 0,
                "hatch": "//////",
            }
            axes.add_patch(Rectangle((x, y), columns, 1, **look))
            axes.add_patch(Rectangle((x, y), columns, 1, fill=False, **common))
        return
    value = float(row[shown])
    colour = style.accuracy_map()(value) if shown == "accuracy" else style.certainty_map()(value)
    axes.add_patch(Rectangle((x, y), columns, 1, facecolor=colour, **common))
    ink = style.QUIET if value < 0.05 else style.text_on(colour)  # zeros recede, at a contrast of 5
    text: style.Look = {"ha": "center", "va": "center", "color": ink}
    if shown == "p_reaches" and 0.05 <= value <= 0.95:
        text["weight"] = "bold"  # these are the cells that the clips leave open
    words = f"{100 * value:.0f}" if shown == "accuracy" else percent_words(value)
    if n == usual_n and n_missing == 0:
        axes.text(x + columns / 2, y + 0.48, words, fontsize=7, **text)
    else:
        axes.text(x + columns / 2, y + 0.7, words, fontsize=7, **text)
        axes.text(x + columns / 2, y + 0.26, f"n {n}", fontsize=7, **text)
    if n_missing:
        from matplotlib.patches import Polygon

        corner = [(x + columns, y + 1), (x + columns - 0.22, y + 1), (x + columns, y + 1 - 0.3)]
        axes.add_patch(Polygon(corner, facecolor=style.THRESHOLD, linewidth=0))


def _frontier_line(
    axes: Axes, frontier: Frontier, frequencies: Sequence[float], counts: Sequence[int]
) -> None:
    """A step line along the tops of the last reliable cells; dashed, with a question mark, if undetermined."""
    from matplotlib.patheffects import Normal, Stroke

    xs: list[float] = []
    ys: list[float] = []
    for column, frequency in enumerate(frequencies):
        value = frontier.get(frequency, "undetermined")
        if value == "undetermined":
            height = float("nan")
            mark = axes.text(
                column + 0.5, 0.48, "?", ha="center", va="center", fontsize=7.5, color=style.THRESHOLD
            )
            mark.set_path_effects([Stroke(linewidth=2.5, foreground="white"), Normal()])
        else:
            height = 0.0 if value == "below" else counts.index(int(value)) + 1.0
        xs += [column, column + 1]
        ys += [height, height]
    (line,) = axes.plot(
        xs, ys, color=style.THRESHOLD, linewidth=1.7, solid_joinstyle="miter", clip_on=False, zorder=5
    )
    line.set_path_effects([Stroke(linewidth=3.2, foreground="white"), Normal()])


def _scale(made: Figure, box: tuple[float, float, float, float], tau: float, shown: str) -> None:
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import Normalize

    axes = made.add_axes(box)
    colours = style.accuracy_map() if shown == "accuracy" else style.certainty_map()
    bar = made.colorbar(ScalarMappable(Normalize(0, 1), colours), cax=axes)
    bar.outline.set_visible(False)
    axes.tick_params(length=0, pad=2, labelsize=7)
    if shown == "accuracy":
        bar.set_ticks([0, 0.2, 0.4, 0.6, 0.8, 1.0], labels=["0", "20", "40", "60", "80", "100"])
        axes.axhline(tau, color=style.THRESHOLD, linewidth=1.4)
    else:
        bar.set_ticks([0, 0.25, 0.5, 0.75, 1.0], labels=["0", "25", "50", "75", "100"])
    axes.set_ylabel("accuracy (%)" if shown == "accuracy" else "probability (%)", labelpad=3)


def tau_words(tau: float) -> str:
    """A threshold in percent.

    >>> tau_words(0.8), tau_words(0.925)
    ('80 %', '92.5 %')
    """
    return f"{100 * tau:g} %"


def percent_words(share: float) -> str:
    """A probability in percent, never rounded to a certainty.

    >>> percent_words(0.474), percent_words(0.9991), percent_words(0.0003)
    ('47', '>99', '<1')
    """
    if share < 0.005:
        return "<1"
    return ">99" if share >= 0.995 else f"{100 * share:.0f}"


def _note(cells: DataFrame, usual_n: int, open_: bool, line: str) -> str:
    n, missing = int(cells["n"].sum()), int(cells["n_missing"].sum())
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
    if open_:
        marks.append("?: undetermined, as a cell that decides it was not measured")
    more = "; ".join(marks)
    return " ".join([line, trials, *([f"{more}."] if more else [])])


def domain_name(domain: str) -> str:
    """The name of a domain in words.

    >>> domain_name("bounce_ball")
    'Bounce ball'
    """
    return domain.replace("_", " ").capitalize()


def domain_order(domains: Sequence[str]) -> list[str]:
    """Domains in the order of `DOMAINS`, others after them by name."""
    known = list(DOMAINS)
    return sorted(set(domains), key=lambda d: (known.index(d) if d in known else len(known), d))
