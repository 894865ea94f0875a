"""Conditions and models compared: accuracy by count, averaged over frequency, with the line of tau.

Accuracy at a count is the mean of its cells over frequency, as in the published figures; its interval is
Wilson's on the same trials pooled.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lft.core.conditions import CONDITION, MODEL_CONDITION, condition_words
from lft.core.reporting import style
from lft.core.reporting.figure_layout import (
    Drawn,
    accuracy_axis,
    at_left,
    legend_of,
    note,
    row_of_panels,
    sizes,
)
from lft.core.video.frames import sampling_order
from lft.counting.reporting.figures.surfaces import domain_name
from lft.counting.reporting.results import SERIES, Results, Series, short_models, slug_of, unique

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from pandas import DataFrame

_TITLES = {
    "sampling": "Frame sampling",
    "labels": "Labels beside frames",
    "prompt": "Prompt",
    "model": "Models",
}


@dataclass(frozen=True)
class Comparison:
    """Series that differ in one axis only: `model` or one of `CONDITION`."""

    axis: str
    subtitle: str
    slug: str
    members: tuple[tuple[str, Series], ...]  # (level as people read it, series), in order


def comparisons(results: Results) -> list[Comparison]:
    """Every set of two or more series that differ in exactly one of model, sampling, labels and prompt.

    A native video has no labels, so it is compared with sampled frames of any labels.
    """
    found, taken = [], set[str]()
    on_grid = [one for one in results.series if one.cells["domain"].isin(results.grids).any()]
    models = short_models([one.model for one in on_grid])
    for axis in (*CONDITION, "model"):
        place = SERIES.index(axis)
        groups: dict[tuple[str, ...], list[Series]] = {}
        for series in on_grid:
            groups.setdefault(_rest(series, place), []).append(series)
        if axis == "sampling":
            _join_native(groups)
        for rest, members in groups.items():
            if len({one.key[place] for one in members}) < 2:
                continue
            if axis == "sampling":
                members = sorted(members, key=lambda one: sampling_order(one.key[2]))
            values = [one.key[place] for one in members]
            names = [
                (models[v] if axis == "model" else condition_words(axis, v))
                + (f" ({one.key[0]})" if values.count(v) > 1 else "")
                for v, one in zip(values, members, strict=True)
            ]
            kept = [a for a in MODEL_CONDITION if a != axis]
            words = [v if a == "model" else condition_words(a, v) for a, v in zip(kept, rest, strict=True)]
            if axis == "sampling" and any(one.key[2] == "native" for one in members) and "none" not in rest:
                words = [f"{w} beside sampled frames" if w.endswith(" labels") else w for w in words]
            slug = unique(f"by_{axis}-" + slug_of(rest), taken)
            found.append(Comparison(axis, " · ".join(words), slug, tuple(zip(names, members, strict=True))))
    return found


def _rest(series: Series, place: int) -> tuple[str, ...]:
    """The constant part of a key in a comparison: without the run and the compared axis."""
    return tuple(v for i, v in enumerate(series.key) if i not in (0, place))


def _join_native(groups: dict[tuple[str, ...], list[Series]]) -> None:
    """Adds native series to the groups (model, labels, prompt) of other labels that have none."""
    for (model, labels, prompt), members in list(groups.items()):
        native = [one for one in members if one.key[2] == "native"]
        for (other_model, other_labels, other_prompt), others in groups.items():
            same = (other_model, other_prompt) == (model, prompt) and other_labels != labels == "none"
            if native and same and not any(one.key[2] == "native" for one in others):
                others.extend(native)


def by_count(cells: DataFrame) -> DataFrame:
    """Accuracy by count, averaged over frequency: count, accuracy, lower, upper, n, n_missing."""
    from lft.counting.cells import with_bounds

    means = cells[cells["n"] > 0].groupby("count")["accuracy"].mean()
    return with_bounds(cells, "count").join(means).reset_index()


def intervention(comparison: Comparison, domains: Sequence[str], tau: float) -> Drawn:
    """Accuracy by count for each level of one axis, a panel per domain, with the line of tau."""
    import pandas as pd

    title = f"{_TITLES[comparison.axis]}: accuracy by count"
    seen = {str(d) for _, one in comparison.members for d in one.cells["domain"]}
    domains = [domain for domain in domains if domain in seen]
    made, axes_of = row_of_panels(
        len(domains),
        title,
        comparison.subtitle,
        rows_in=1.75,
        legend=[name for name, _ in comparison.members],
    )
    counts = sorted({int(n) for _, s in comparison.members for n in s.cells["count"]})
    positions = {n: i - (0.35 if n == 0 else 0) for i, n in enumerate(counts)}
    tables = []
    for domain, axes in zip(domains, axes_of, strict=True):
        axes.axhline(tau, color=style.THRESHOLD, linewidth=0.9, linestyle=(0, (4, 2)), zorder=1)
        for index, (name, series) in enumerate(comparison.members):
            table = by_count(series.cells[series.cells["domain"] == domain])
            tables.append(table.assign(domain=domain, **{comparison.axis: name}))
            _line(axes, table, positions, index, len(comparison.members), name)
        axes.set_xticks(list(positions.values()), [str(n) for n in counts])
        axes.set_xlim(min(positions.values()) - 0.45, len(counts) - 0.5)
        accuracy_axis(axes, first=at_left(axes, axes_of))
        axes.set_xlabel("count N")
        axes.set_title(domain_name(domain), pad=5)
    axes_of[-1].annotate(
        "τ", (1, tau), xycoords=("axes fraction", "data"), xytext=(3, 0), textcoords="offset points",
        va="center", color=style.THRESHOLD, fontsize=7,
    )  # fmt: skip
    handles, names = axes_of[0].get_legend_handles_labels()
    legend_of(made, handles, names)
    data = pd.concat(tables, ignore_index=True)
    note(made, f"Mean over frequencies; bars: Wilson 95 % interval of the pooled trials. {sizes(data)}")
    columns = ["domain", comparison.axis, "count", "accuracy", "lower", "upper", "n", "n_missing", "correct"]
    return Drawn(comparison.slug, f"{title} ({comparison.subtitle})", made, data[columns])


def _line(
    axes: Axes, table: DataFrame, positions: Mapping[int, float], index: int, of: int, name: str
) -> None:
    table = table[table["n"] > 0]
    shift = (index - (of - 1) / 2) * min(0.09, 0.5 / of)
    look: style.Look = {
        **style.line(index),
        "linewidth": 1.2,
        "markersize": 3.4,
        "markeredgecolor": "white",
        "markeredgewidth": 0.4,
    }
    for part, label in ((table[table["count"] > 0], name), (table[table["count"] == 0], None)):
        x = [positions[int(n)] + shift for n in part["count"]]
        axes.vlines(
            x,
            part["lower"],
            part["upper"],
            color=look["color"],
            linewidth=0.8 if of < 5 else 0.6,
            alpha=0.45 if of < 5 else 0.25,
            zorder=2,
        )
        axes.plot(x, part["accuracy"], label=label, zorder=3, **look)
