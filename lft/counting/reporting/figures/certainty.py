"""Figures of the uncertainty of a surface and its frontiers.

Two figures of each surface: the probability that each cell's true accuracy reaches tau, and, over logarithmic
count and frequency, the frontier with its posterior interval beside the contours of the psychometric
surface. If the psychometric surface does not fit, its contours are dashed and marked.
The computations are in `lft.counting.audit.certainty` and `lft.counting.audit.psychometric`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from lft.core.records import JsonObject
from lft.core.reporting import style
from lft.core.reporting.figure_layout import Drawn, at_left, legend_of, note, row_of_panels, sizes
from lft.counting.frontier import BELOW
from lft.counting.reporting.figures.surfaces import Panel, domain_name, surface, tau_words
from lft.counting.reporting.surface_certainty import LEVELS, Sure, at_least, expected, span

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

    from lft.counting.reporting.results import Results, Series

_FLOOR = -0.75  # where "below" is drawn, in octaves of N


def certainty(series: Series, results: Results) -> Drawn | None:
    """The probability of each cell to reach tau; None if no domain is on a grid."""
    import pandas as pd

    known = {d: results.sure[series.slug, d] for d in results.grids if (series.slug, d) in results.sure}
    if not known:
        return None
    panels = [Panel(d, one.cells, series.frontiers[d].count) for d, one in known.items()]
    tau = tau_words(results.tau)
    title = f"{series.model}: how sure each cell is to reach τ = {tau}"
    figure = surface(
        panels, title=title, subtitle=series.words, tau=results.tau, shown="p_reaches",
        told=f"Probability that the cell's true accuracy is at least {tau} (percent; Jeffreys' prior). Line: count "
        "frontier as measured.",
    )  # fmt: skip
    data = pd.concat([one.cells for one in known.values()], ignore_index=True)
    kept = [
        "domain", "frequency_hz", "count", "n", "n_missing", "correct", "accuracy", "lower", "upper", "p_reaches",
        "ceiling_correct",
    ]  # fmt: skip
    data = data[[c for c in kept if c in data.columns]]
    return Drawn(f"certainty-{series.slug}", f"{title} ({series.words})", figure, data)


def contours(series: Series, results: Results) -> Drawn | None:
    """The count frontier with its interval, and the fitted contours, by frequency."""
    import pandas as pd

    known = {d: results.sure[series.slug, d] for d in results.grids if (series.slug, d) in results.sure}
    if not known:
        return None
    title = f"{series.model}: frontier and fitted contours"
    names = [
        "frontier, 95 % of its posterior",
        *(f"fitted: {level:.0%} right".replace("%", " %") for level in LEVELS),
    ]
    words = (
        "Bars: where 95 % of the frontier's posterior lies; bands: 95 % of the fitted contour. "
        "Broken contours: the fitted surface does not agree with the cells (p < 0.05). "
    )
    made, axes_of = row_of_panels(
        len(known), title, series.words, rows_in=1.9, legend=names, note_lines=2, left_in=0.62, text_in=0.1
    )
    rows = []
    for (domain, one), axes in zip(known.items(), axes_of, strict=True):
        counts = sorted({int(n) for n in one.cells["count"] if n > 0})
        rates = sorted({float(f) for f in one.cells.loc[one.cells["count"] > 0, "frequency_hz"]})
        _contours(axes, one, rates, counts)
        rows += _frontiers(axes, one, series.frontiers[domain].count, rates, domain)
        _log_axes(axes, rates, counts, first=at_left(axes, axes_of))
        fitted = one.fitted
        if fitted is None or not fitted.fits:
            said = "too few cells to fit" if fitted is None else f"does not fit, p = {fitted.p_fit:.3f}"
            axes.text(0.98, 0.97, said, transform=axes.transAxes, ha="right", va="top", fontsize=7)
        axes.set_title(domain_name(domain), pad=5)
    legend_of(made, _handles(), names, text_in=0.1)
    data = pd.DataFrame(rows)
    note(made, words + sizes(data), text_in=0.1)
    return Drawn(f"frontier-{series.slug}", f"{title} ({series.words})", made, data)


_LOOKS: dict[float, JsonObject] = {
    0.8: {"color": style.ACCENT, "linewidth": 1.4},
    0.5: {"color": "#4a4a4a", "linewidth": 1.1},
}


def _contours(axes: Axes, one: Sure, rates: Sequence[float], counts: Sequence[int]) -> None:
    x = np.log2(rates)
    for level in LEVELS:
        found = one.contours(level)
        if not found:
            continue
        line, low, high = (
            [_octave(value, counts) for value in values]
            for values in zip(*((c.count, c.lower, c.upper) for c in found.values()), strict=True)
        )
        fits = one.fitted is not None and one.fitted.fits
        look = _LOOKS[level]
        axes.plot(x, line, linestyle="-" if fits else (0, (2, 2)), zorder=3, **look)
        if fits:
            axes.fill_between(x, low, high, color=look["color"], alpha=0.16, linewidth=0, zorder=1)


def _frontiers(
    axes: Axes, one: Sure, measured: Mapping[float, int | str], rates: Sequence[float], domain: str
) -> list[JsonObject]:
    """Draws the frontier with its interval; the rows of the figure's data."""
    counts = sorted({int(n) for n in one.cells["count"] if n > 0})
    rows = []
    levels = {level: one.contours(level) for level in LEVELS}
    for rate in rates:
        x, value, shares = np.log2(rate), measured.get(rate, "undetermined"), one.posterior.count[rate]
        low, high = span(shares)
        axes.vlines(
            x, _octave(low, counts), _octave(high, counts), color=style.THRESHOLD, linewidth=1.6, alpha=0.55
        )
        known = 0.0 if value == BELOW else float(value) if value != "undetermined" else None
        if known is not None:
            axes.plot(x, _octave(known, counts), "s", color=style.THRESHOLD, markersize=4.2, zorder=4,
                      markeredgecolor="white", markeredgewidth=0.5)  # fmt: skip
        cells = one.cells[(one.cells["frequency_hz"] == rate) & (one.cells["count"] > 0)]
        fitted = one.fitted
        row: JsonObject = {
            "domain": domain, "frequency_hz": rate,
            "n": int(cells["n"].sum()), "n_missing": int(cells["n_missing"].sum()),
            "frontier": value, "lower": low, "upper": high,
            "p_at_least": at_least(shares, known) if known else None,
        }  # fmt: skip
        again = one.posterior.repeat.count[rate]
        row["repeat_expected"], (row["repeat_lower"], row["repeat_upper"]) = expected(again), span(again)
        row["p_too_low"] = one.posterior.too_low[rate]
        for level, found in levels.items():
            for name in ("count", "lower", "upper"):
                contour = getattr(found[rate], name) if found else None
                row[f"fitted_{100 * level:.0f}_{name}"] = contour if contour != float("inf") else None
        row |= {"p_fit": fitted.p_fit if fitted else None, "fits": fitted.fits if fitted else None}
        rows.append(row)
    return rows


def _octave(count: float, counts: Sequence[int]) -> float:
    """The position of a count in octaves; values outside the range are drawn at the edge."""
    if count < counts[0]:
        return _FLOOR + float(np.log2(counts[0]))
    return float(np.log2(min(count, counts[-1] * 1.12)))


def _log_axes(axes: Axes, rates: Sequence[float], counts: Sequence[int], *, first: bool) -> None:
    shown = [n for n in counts if n in (1, 2, 3, 4, 6, 8, 12) or len(counts) < 7]
    bottom = _FLOOR + float(np.log2(counts[0]))
    axes.set_yticks(
        [bottom, *np.log2(shown)], ["below", *map(str, shown)] if first else [""] * (len(shown) + 1)
    )
    axes.set_ylim(bottom - 0.3, float(np.log2(counts[-1])) + 0.35)
    axes.set_xticks(np.log2(rates), [f"{f:g}" for f in rates])
    axes.set_xlim(float(np.log2(rates[0])) - 0.25, float(np.log2(rates[-1])) + 0.25)
    axes.grid(axis="y", color="#e9ecf0", linewidth=0.6)
    axes.set_axisbelow(True)
    axes.tick_params(length=0)
    axes.spines["left"].set_visible(False)
    axes.set_xlabel("frequency (Hz)")
    if first:
        axes.set_ylabel("count N")
    if len(rates) > 5:
        for label, rate in zip(axes.get_xticklabels(), rates, strict=True):
            label.set_visible(float(np.log2(rate)).is_integer() or rate in (1.5, 3.0))


def _handles() -> list[Line2D]:
    from matplotlib.lines import Line2D

    bar = Line2D([], [], color=style.THRESHOLD, linewidth=1.6, alpha=0.7, marker="s", markersize=4.2)
    return [bar, *(Line2D([], [], **_LOOKS[level]) for level in LEVELS)]
