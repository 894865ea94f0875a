"""Figures of accuracy beside its ceiling, of causes, and of counting on natural videos."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from lft.core.conditions import CONDITION, condition_words
from lft.core.reporting import style
from lft.core.reporting.figure_layout import (
    Drawn,
    accuracy_axis,
    at_left,
    legend_of,
    names_of_bars,
    note,
    row_of_panels,
    sizes,
)
from lft.counting.reporting.cause_colours import CAUSE
from lft.counting.reporting.figures.surfaces import domain_name
from lft.counting.reporting.results import Results, Series, short_names, slug_of
from lft.counting.reporting.tables.outcomes import audited, cause_counts

if TYPE_CHECKING:
    from pandas import DataFrame


def allowed(series: Series, domains: Sequence[str]) -> Drawn | None:
    """Accuracy by frequency, over clips with events, and the frames' ceiling; None without one."""
    import pandas as pd

    from lft.counting.cells import with_bounds

    if "ceiling_correct" not in series.cells.columns or series.cells["ceiling_correct"].isna().all():
        return None
    measured = series.cells[(series.cells["count"] > 0) & (series.cells["n"] > 0)]
    domains = [d for d in domains if (measured["domain"] == d).any()]
    if not domains:
        return None
    title = f"{series.model}: accuracy and ceiling"
    names = ["accuracy", "ceiling", "not in the supplied frames"]
    made, axes_of = row_of_panels(len(domains), title, series.words, rows_in=1.55, legend=names)
    tables = []
    for domain, axes in zip(domains, axes_of, strict=True):
        cells = measured[measured["domain"] == domain]
        groups = cells.groupby("frequency_hz")
        means = groups[["accuracy", "ceiling_correct"]].mean()
        table = with_bounds(cells, "frequency_hz").join(means).reset_index()
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
        accuracy_axis(axes, first=at_left(axes, axes_of))
        axes.set_title(domain_name(domain), pad=5)
        tables.append(table.assign(domain=domain))
    handles, _ = axes_of[0].get_legend_handles_labels()
    legend_of(made, handles[::-1], names)
    data = pd.concat(tables, ignore_index=True)
    note(made, f"Mean over counts above 0; bars: Wilson 95 % interval of the pooled trials. {sizes(data)}")
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


def cause_bars(results: Results, domains: Sequence[str] | None = None, name: str = "causes") -> Drawn | None:
    """Shares of answered trials by outcome: one bar per series, one panel per domain; None without an audit."""
    import pandas as pd

    domains = results.domains if domains is None else domains
    series_of = [one for one in results.series if one.cells["domain"].isin(domains).any()]
    if not series_of or not audited(results.scores):
        return None
    title = "Why answers were wrong"
    height = max(0.9, 0.24 * len(series_of) + 0.1)
    names = short_names([one.key for one in series_of])
    shown, left = names_of_bars(names)
    scores = results.scores[results.scores["domain"].isin(domains)]
    used = [c for c, k in cause_counts(scores).items() if k]
    words = list(used)
    made, axes_of = row_of_panels(
        len(domains), title, "", rows_in=height, legend=words, left_in=left, text_in=0.1
    )
    rows = []
    for domain, axes in zip(domains, axes_of, strict=True):
        for place, series in enumerate(series_of):
            mine = series.scores[series.scores["domain"] == domain]
            found = cause_counts(mine)
            n, start = sum(found.values()), 0.0
            rows.append(
                {"series": names[place], "domain": domain, "n": n, "n_missing": _missing(mine), **found}
            )
            for cause, count in found.items():
                colour, hatch = CAUSE[cause]
                share = count / n if n else 0.0
                bar: style.Look = {
                    "color": colour,
                    "hatch": hatch,
                    "edgecolor": "white",
                    "linewidth": 0.4,
                    "height": 0.72,
                }
                axes.barh(place, share, left=start, label=cause if place == 0 else None, **bar)
                start += share
            axes.text(
                1.01, place, f"{n:,}" if n else "–", va="center", ha="left", fontsize=7, color=style.QUIET
            )
        axes.set_ylim(len(series_of) - 0.45, -0.55)
        axes.set_yticks(
            range(len(names)), shown if at_left(axes, axes_of) else [""] * len(names), linespacing=1.0
        )
        axes.set_xlim(0, 1)
        axes.set_xticks([0, 0.5, 1], ["0", "50", "100 %"])
        axes.tick_params(axis="y", length=0)
        axes.spines["left"].set_visible(False)
        axes.set_title(domain_name(domain), pad=5)
    data = pd.DataFrame(rows)
    handles = dict(zip(*axes_of[0].get_legend_handles_labels()[::-1], strict=True))
    legend_of(made, [handles[name] for name in words], words, text_in=0.1, top_in=0.26)
    n, missing = int(data["n"].sum()), int(data["n_missing"].sum())
    note(
        made,
        f"Share of answered trials; their number at the right. n = {n:,}, {missing:,} missing.",
        text_in=0.1,
    )
    return Drawn(name, title, made, data)


def _missing(scores: DataFrame) -> int:
    return int((scores["status"] == "missing").sum())


_MOST_BINNED = 4  # series in one figure of bins, before it is split by sampling


def binned(results: Results, domain: str) -> list[tuple[Series, ...]]:
    """The series of each figure of bins of a domain: all, or of more than a few those of one sampling and labels."""
    known = [one for one in results.series if (one.cells["domain"] == domain).any()]
    if len(known) <= _MOST_BINNED:
        return [tuple(known)]
    groups: dict[tuple[str, ...], list[Series]] = {}
    for one in known:
        groups.setdefault(one.key[2:4], []).append(one)
    return [tuple(group) for group in groups.values()]


def by_bins(series_of: Sequence[Series], domain: str) -> Drawn | None:
    """Exact match, off-by-one accuracy and normalised error by bins of the true count, for one domain."""
    import pandas as pd

    from lft.counting.bins import by_bin

    rows = []
    for series, name in zip(series_of, short_names([one.key for one in series_of]), strict=True):
        scores = series.scores[series.scores["domain"] == domain]
        rows += [{"series": name, **row} for row in by_bin(scores)] if len(scores) else []
    bins = list(dict.fromkeys(row["bin"] for row in rows))
    names = list(dict.fromkeys(row["series"] for row in rows))
    if not any(row["n"] for row in rows):
        return None
    bins.sort(key=_low)
    title = f"{domain_name(domain)}: counting by how much there was to count"
    shared = [
        condition_words(axis, same.pop())
        for axis in CONDITION
        if len(same := {one.condition[axis] for one in series_of}) == 1
    ]
    words_below = " · ".join(word for word in shared if word)
    measures = {"em": "Exact match (%)", "off_by_one": "Off by one at most (%)", "nmae": "Error / true count"}
    made, axes_of = row_of_panels(len(measures), title, words_below, rows_in=1.6, legend=names, below_in=0.16)
    shift = min(0.12, 0.7 / len(names))
    for (measure, words), axes in zip(measures.items(), axes_of, strict=True):
        for index, name in enumerate(names):
            known = [r for r in rows if r["series"] == name and r[measure] is not None]
            x = [bins.index(r["bin"]) + (index - (len(names) - 1) / 2) * shift for r in known]
            look = style.line(index)
            spans = [r[f"{measure}_interval"] or (r[measure], r[measure]) for r in known]
            axes.vlines(
                x,
                [s[0] for s in spans],
                [s[1] for s in spans],
                color=look["color"],
                linewidth=0.8,
                alpha=0.45,
            )
            values = [r[measure] for r in known]
            axes.plot(x, values, linewidth=1.0, markersize=3.4, label=name, **look)
        axes.set_xticks(range(len(bins)), bins)
        if len(bins) > 6:
            axes.tick_params(axis="x", rotation=90, labelsize=7)
        axes.set_xlabel("true count")
        axes.set_title(words, pad=5)
        axes.tick_params(length=0)
        if measure == "nmae":
            axes.set_ylim(0, None)
            axes.grid(axis="y", color="#e9ecf0", linewidth=0.6)
        else:
            accuracy_axis(axes, first=True)
            axes.set_ylabel("")
    handles, labels = axes_of[0].get_legend_handles_labels()
    legend_of(made, handles, labels)
    data = pd.DataFrame(rows)
    for measure in measures:
        pairs = data.pop(f"{measure}_interval")
        data[f"{measure}_lower"] = [p[0] if p else None for p in pairs]
        data[f"{measure}_upper"] = [p[1] if p else None for p in pairs]
    note(made, f"Bars: 95 % intervals (Wilson; of the error, resampled clips). {sizes(data)}")
    name = "-".join(["bins", slug_of((domain, *series_of[0].key[2:4]))])
    return Drawn(name, f"{title} ({words_below})" if words_below else title, made, data)


def _low(name: str) -> int:
    return 10**9 if name[0] == ">" else int(name.partition("-")[0])
