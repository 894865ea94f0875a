"""Figures beside the surfaces: conditions compared, what the frames allowed, and why answers were wrong.

Accuracy at a count is the mean of its cells over frequency, as in the published figures; its interval is
Wilson's on the same trials pooled. Every figure here comes with the DataFrame that it draws (`Drawn.data`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lft.counting import style
from lft.counting.figures import domain_name
from lft.counting.results import CONDITION, SERIES, Results, Series, condition_words, sampling_order
from lft.counting.tables import cause_counts

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from pandas import DataFrame

_TITLES = {
    "sampling": "Frame sampling",
    "labels": "Labels beside frames",
    "prompt": "Prompt",
    "model": "Models",
}


@dataclass(frozen=True)
class Drawn:
    """A figure, the numbers in it, its file name and its title."""

    name: str
    title: str
    figure: Figure
    data: DataFrame


@dataclass(frozen=True)
class Comparison:
    """Series that differ in one axis only: `model` or one of `CONDITION`."""

    axis: str
    subtitle: str
    slug: str
    members: tuple[tuple[str, Series], ...]  # (level as people read it, series), in order


def comparisons(results: Results) -> list[Comparison]:
    """Every set of two or more series that differ in exactly one of model, sampling, labels and prompt."""
    found = []
    for axis in ("sampling", "labels", "prompt", "model"):
        place = SERIES.index(axis)
        groups: dict[tuple[str, ...], list[Series]] = {}
        for series in results.series:
            rest = tuple(v for i, v in enumerate(series.key) if i not in (0, place))
            groups.setdefault(rest, []).append(series)
        for rest, members in groups.items():
            if len({one.key[place] for one in members}) < 2:
                continue
            order = {"sampling": lambda s: sampling_order(s.key[2])}.get(axis, lambda s: (0, 0.0, ""))
            members = sorted(members, key=order)
            values = [one.key[place] for one in members]
            names = [
                condition_words(axis, v) + (f" ({one.key[0]})" if values.count(v) > 1 else "")
                for v, one in zip(values, members, strict=True)
            ]
            kept = [a for a in ("model", *CONDITION) if a != axis]
            subtitle = " · ".join(
                condition_words(a, v) if a != "model" else v for a, v in zip(kept, rest, strict=True)
            )
            slug = f"by_{axis}-" + "-".join(rest)
            found.append(Comparison(axis, subtitle, slug, tuple(zip(names, members, strict=True))))
    return found


def by_count(cells: DataFrame) -> DataFrame:
    """Accuracy by count, averaged over frequency: count, accuracy, lower, upper, n, n_missing."""
    from lft.core.stats import wilson

    some = cells[cells["n"] > 0]
    sums = cells.groupby("count")[["n", "n_missing", "correct"]].sum()
    table = sums.join(some.groupby("count")["accuracy"].mean())
    table["lower"], table["upper"] = wilson(table["correct"], table["n"])
    return table.reset_index()


def intervention(comparison: Comparison, domains: Sequence[str], tau: float) -> Drawn:
    """Accuracy by count for each level of one axis, a panel per domain, with the line of tau."""
    import pandas as pd

    title = f"{_TITLES[comparison.axis]}: accuracy by count"
    made, axes_of = _row_of_panels(
        domains, title, comparison.subtitle, rows_in=1.75, legend=len(comparison.members)
    )
    counts = sorted({int(n) for _, s in comparison.members for n in s.cells["count"]})
    positions = {n: i - (0.35 if n == 0 else 0) for i, n in enumerate(counts)}
    tables = []
    for domain, axes in zip(domains, axes_of, strict=True):
        axes.axhline(tau, color=style.FRONTIER, linewidth=0.9, linestyle=(0, (4, 2)), zorder=1)
        for index, (name, series) in enumerate(comparison.members):
            table = by_count(series.cells[series.cells["domain"] == domain])
            tables.append(table.assign(domain=domain, **{comparison.axis: name}))
            _line(axes, table, positions, index, len(comparison.members), name)
        axes.set_xticks(list(positions.values()), [str(n) for n in counts])
        axes.set_xlim(min(positions.values()) - 0.45, len(counts) - 0.5)
        _percent_axis(axes, first=axes is axes_of[0])
        axes.set_xlabel("count N")
        axes.set_title(domain_name(domain), pad=5)
    axes_of[-1].annotate(
        "τ", (1, tau), xycoords=("axes fraction", "data"), xytext=(3, 0), textcoords="offset points",
        va="center", color=style.FRONTIER, fontsize=7,
    )  # fmt: skip
    handles, names = axes_of[0].get_legend_handles_labels()
    _legend(made, handles, names)
    data = pd.concat(tables, ignore_index=True)
    _note(made, f"Mean over frequencies; bars: Wilson 95 % interval of the pooled trials. {_sizes(data)}")
    columns = ["domain", comparison.axis, "count", "accuracy", "lower", "upper", "n", "n_missing", "correct"]
    return Drawn(comparison.slug, f"{title} ({comparison.subtitle})", made, data[columns])


def _line(
    axes: Axes, table: DataFrame, positions: Mapping[int, float], index: int, of: int, name: str
) -> None:
    table = table[table["n"] > 0]
    shift = (index - (of - 1) / 2) * min(0.09, 0.5 / of)
    colour = style.SERIES[index % len(style.SERIES)]
    # A ninth series takes the first colour again, with a broken line.
    look: dict[str, Any] = {
        "color": colour,
        "linewidth": 1.2,
        "linestyle": "-" if index < len(style.SERIES) else "--",
    }
    marker: dict[str, Any] = {
        "marker": style.MARKERS[index % len(style.MARKERS)],
        "markersize": 3.4,
        "markeredgecolor": "white",
        "markeredgewidth": 0.4,
    }
    for part, label in ((table[table["count"] > 0], name), (table[table["count"] == 0], None)):
        x = [positions[int(n)] + shift for n in part["count"]]
        axes.vlines(x, part["lower"], part["upper"], color=colour, linewidth=0.8, alpha=0.45, zorder=2)
        axes.plot(x, part["accuracy"], label=label, zorder=3, **look, **marker)


def allowed(series: Series, domains: Sequence[str]) -> Drawn | None:
    """Accuracy by frequency, over clips with events, and the ceiling of the frames; None without a ceiling."""
    import pandas as pd

    from lft.core.stats import wilson

    if "ceiling_correct" not in series.cells.columns or series.cells["ceiling_correct"].isna().all():
        return None
    domains = [d for d in domains if (series.cells["domain"] == d).any()]
    title = f"{series.model}: accuracy and what the frames allowed"
    made, axes_of = _row_of_panels(domains, title, series.words, rows_in=1.55, legend=3)
    tables = []
    for domain, axes in zip(domains, axes_of, strict=True):
        cells = series.cells[
            (series.cells["domain"] == domain) & (series.cells["count"] > 0) & (series.cells["n"] > 0)
        ]
        groups = cells.groupby("frequency_hz")
        table = (
            groups[["accuracy", "ceiling_correct"]].mean().join(groups[["n", "n_missing", "correct"]].sum())
        )
        table["lower"], table["upper"] = wilson(table["correct"], table["n"])
        table = table.reset_index()
        x = list(range(len(table)))
        axes.fill_between(
            x,
            table["ceiling_correct"],
            1.0,
            facecolor="#e4e7ec",
            linewidth=0,
            hatch="////",
            label="not in the supplied frames",
        )
        axes.plot(
            x,
            table["ceiling_correct"],
            color=style.INK,
            linewidth=1.0,
            linestyle=(0, (4, 2)),
            label="ceiling",
        )
        axes.vlines(x, table["lower"], table["upper"], color=style.ACCENT, linewidth=0.9, alpha=0.5)
        axes.plot(
            x,
            table["accuracy"],
            color=style.ACCENT,
            linewidth=1.4,
            marker="o",
            markersize=3.4,
            label="accuracy",
        )
        axes.set_xticks(x, [f"{f:g}" for f in table["frequency_hz"]])
        axes.set_xlabel("frequency (Hz)")
        _percent_axis(axes, first=axes is axes_of[0])
        axes.set_title(domain_name(domain), pad=5)
        tables.append(table.assign(domain=domain))
    handles, names = axes_of[0].get_legend_handles_labels()
    _legend(made, handles[::-1], names[::-1])
    data = pd.concat(tables, ignore_index=True)
    _note(made, f"Mean over counts above 0; bars: Wilson 95 % interval of the pooled trials. {_sizes(data)}")
    columns = [
        "domain",
        "frequency_hz",
        "accuracy",
        "lower",
        "upper",
        "ceiling_correct",
        "n",
        "n_missing",
        "correct",
    ]
    return Drawn(f"ceiling-{series.slug}", f"{title} ({series.words})", made, data[columns])


def cause_bars(results: Results) -> Drawn | None:
    """Shares of answered trials by outcome: a bar a series, a panel a domain; None without an audit."""
    import pandas as pd

    if "cause" not in results.scores.columns:
        return None
    domains = results.domains
    title = "Why answers were wrong"
    height = max(0.9, 0.24 * len(results.series) + 0.1)
    names = [results.name(one) for one in results.series]
    left = min(2.2, max(len(n) for n in names) * 0.058 + 0.15)
    made, axes_of = _row_of_panels(domains, title, "", rows_in=height, legend=8, left_in=left, text_in=0.1)
    rows = []
    for domain, axes in zip(domains, axes_of, strict=True):
        for place, series in enumerate(results.series):
            found = cause_counts(series.scores[series.scores["domain"] == domain])
            n, start = sum(found.values()), 0.0
            rows.append({"series": names[place], "domain": domain, "n": n, **found})
            for cause, count in found.items():
                label, colour, hatch = style.CAUSES[cause]
                share = count / n if n else 0.0
                bar: dict[str, Any] = {
                    "color": colour,
                    "hatch": hatch,
                    "edgecolor": "white",
                    "linewidth": 0.4,
                    "height": 0.72,
                }
                axes.barh(place, share, left=start, label=label if place == 0 else None, **bar)
                start += share
            axes.text(1.01, place, f"{n:,}", va="center", ha="left", fontsize=6.2, color=style.QUIET)
        axes.set_ylim(len(results.series) - 0.45, -0.55)
        axes.set_yticks(range(len(names)), names if axes is axes_of[0] else [""] * len(names))
        axes.set_xlim(0, 1)
        axes.set_xticks([0, 0.5, 1], ["0", "50", "100 %"])
        axes.tick_params(axis="y", length=0)
        axes.spines["left"].set_visible(False)
        axes.set_title(domain_name(domain), pad=5)
    data = pd.DataFrame(rows)
    handles, labels = axes_of[0].get_legend_handles_labels()
    used = [h for h, name in zip(handles, labels, strict=True) if data[_cause(name)].sum()]
    _legend(
        made, used, [name for name in labels if data[_cause(name)].sum()], text_in=0.1, columns=4, top_in=0.26
    )
    _note(
        made,
        f"Share of answered trials; their number at the right. n = {int(data['n'].sum()):,}.",
        text_in=0.1,
    )
    return Drawn("causes", title, made, data)


def _cause(words: str) -> str:
    return next(cause for cause, (label, _, _) in style.CAUSES.items() if label == words)


_LEFT_IN = 0.5


def _row_of_panels(
    domains: Sequence[str],
    title: str,
    subtitle: str,
    *,
    rows_in: float,
    legend: int,
    left_in: float = _LEFT_IN,
    text_in: float = _LEFT_IN,
) -> tuple[Figure, list[Axes]]:
    """A figure with a panel per domain and room for the words around; `text_in` is where they begin."""
    width = style.PAGE_IN if len(domains) > 1 else style.COLUMN_IN + (left_in - _LEFT_IN)
    lines = 1 + (legend - 1) // (6 if len(domains) > 1 else 2)
    top, bottom, gap, right = (0.68 if subtitle else 0.55) + 0.16 * lines, 0.58, 0.3, 0.28
    height = top + rows_in + bottom
    made = style.figure(width, height)
    panel = (width - left_in - right - gap * (len(domains) - 1)) / len(domains)
    axes = [
        made.add_axes(
            ((left_in + i * (panel + gap)) / width, bottom / height, panel / width, rows_in / height)
        )
        for i in range(len(domains))
    ]
    made.text(text_in / width, 1 - 0.06 / height, title, ha="left", va="top", fontsize=9.5, weight="bold")
    made.text(
        text_in / width, 1 - 0.23 / height, subtitle, ha="left", va="top", fontsize=7.5, color=style.QUIET
    )
    return made, axes


def _percent_axis(axes: Axes, *, first: bool) -> None:
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


def _legend(
    made: Figure,
    handles: Sequence[Any],
    names: Sequence[str],
    *,
    text_in: float = _LEFT_IN,
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


def _note(made: Figure, text: str, *, text_in: float = _LEFT_IN) -> None:
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


def _sizes(data: DataFrame) -> str:
    low, high = int(data["n"].min()), int(data["n"].max())
    each = f"n = {low}" if low == high else f"n = {low} to {high}"
    return f"Points: {each}; {int(data['n'].sum()):,} trials, {int(data['n_missing'].sum()):,} missing."
