"""Access to evidence: accuracy by number of frames beside its bounds, one figure per model and domain, and a table.

Accuracy is drawn beside both bounds (literal and ideal observer), recall is of the events
that frames show. If accuracy follows the bound and recall is flat, frames were too few; if recall is low,
shown events were missed. Runs over clips with regular and irregular events are side by side: gains from
interpolation disappear on irregular clips.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np

from lft.core.conditions import CONDITION, condition_words
from lft.core.records import Entries, JsonObject
from lft.core.reporting import style
from lft.core.reporting.figure_layout import Drawn, accuracy_axis, at_left, legend_of, note, row_of_panels
from lft.core.reporting.tables import Table
from lft.core.video.frames import sampling_order
from lft.counting.audit.accounts import sums
from lft.counting.audit.clusters import share_of
from lft.counting.reporting.figures.comparisons import Comparison, comparisons
from lft.counting.reporting.figures.surfaces import domain_name, domain_order
from lft.counting.reporting.results import Results, slug_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from pandas import DataFrame

# Line -> its look. The bounds are thin and grey: nothing that a model did.
_LINES: dict[str, JsonObject] = {
    "accuracy": {"color": style.SERIES[0], "marker": "o", "linestyle": "-", "linewidth": 1.3},
    "recall of shown": {"color": style.SERIES[2], "marker": "s", "linestyle": "--", "linewidth": 1.1},
    "literal bound": {"color": "#7b8794", "marker": "", "linestyle": ":", "linewidth": 1.3},
    "ideal observer": {"color": "#7b8794", "marker": "", "linestyle": "-", "linewidth": 0.9},
}
_COLUMNS = {
    "accuracy": "accuracy",
    "recall of shown": "shown_recall",
    "literal bound": "literal_correct",
    "ideal observer": "ceiling_correct",
}
_ASIDE = {"accuracy": 0.04, "recall of shown": -0.04}  # so that intervals do not hide each other
_APART = 0.5  # on the axis, between rates and samplings that are none


def by_access(results: Results) -> Iterator[tuple[Comparison, DataFrame]]:
    """Each comparison of samplings with two or more frame rates, and its data: one row per schedule, domain and
    sampling, in the order of access.
    """
    import pandas as pd

    for comparison in comparisons(results):
        if comparison.axis != "sampling":
            continue
        scores = pd.concat([one.scores for _, one in comparison.members], ignore_index=True)
        scores = scores[scores["domain"].isin(results.grids)]
        rates = {s for s in scores["sampling"] if str(s).startswith("fps:")}
        if len(rates) < 2 or "evident" not in scores.columns:
            continue
        schedule = scores["schedule"] if "schedule" in scores.columns else "regular"
        scores = scores.assign(schedule=schedule).fillna({"schedule": "regular"})
        rows = [
            {"schedule": events, "domain": domain, "sampling": sampling, **_row(part)}
            for (events, domain, sampling), part in scores.groupby(["schedule", "domain", "sampling"])
        ]
        yield comparison, pd.DataFrame(_in_order(rows))


def _in_order(rows: list[JsonObject]) -> list[JsonObject]:
    domains = domain_order([row["domain"] for row in rows])
    schedules = sorted({row["schedule"] for row in rows}, key=lambda name: (name != "regular", name))

    def place(row: Entries) -> tuple[object, ...]:
        return domains.index(row["domain"]), schedules.index(row["schedule"]), access_order(row["sampling"])

    return sorted(rows, key=place)


def access_order(sampling: str) -> tuple[int, float, str]:
    """Sort key of samplings: rising frame rates, then frames and keyframes, then the file.

    >>> sorted(["native", "keyframes:0.1", "fps:16", "fps:2"], key=access_order)
    ['fps:2', 'fps:16', 'keyframes:0.1', 'native']
    """
    kind, size, name = sampling_order(sampling)
    return (9 if name == "native" else kind, size, name)


def _row(rows: DataFrame) -> JsonObject:
    answered = rows[rows["status"] == "answered"]
    found = sums(rows) or {}
    row: JsonObject = {"n": len(answered), "n_missing": int((rows["status"] == "missing").sum())}
    right = answered["correct"] == 1
    span = share_of(right, answered) if len(answered) else None
    row |= _bounded("accuracy", float(right.mean()) if len(answered) else None, span)
    for name in ("literal_correct", "ceiling_correct"):
        known = rows[name].dropna().astype(float).to_numpy() if name in rows.columns else np.array([])
        row[name] = float(known.mean()) if len(known) else None
    missed, span = found.get("miss_rate"), found.get("miss_interval")
    recall = None if missed is None else 1 - missed
    row |= _bounded("shown_recall", recall, (1 - span[1], 1 - span[0]) if span else None)
    return row | {name: found.get(name) for name in ("unreported", "unreported_supplied", "unsupported")}


def _bounded(name: str, value: float | None, span: tuple[float, float] | None) -> JsonObject:
    low, high = span or (None, None)
    return {name: value, f"{name}_lower": low, f"{name}_upper": high}


def table(results: Results) -> Table:
    """Accuracy and recall by access, with both bounds. Empty without several frame rates."""
    heads = ("model", "labels", "prompt", "schedule", "domain", "sampling")
    rows = []
    for comparison, found in by_access(results):
        series = comparison.members[0][1]
        one = {"model": series.model, **{axis: _shared(comparison, axis) for axis in ("labels", "prompt")}}
        rows += [{**one, **row} for row in found.astype(object).where(found.notna(), None).to_dict("records")]
    text = (
        "Exact counts beside what the frames allow: literal (what they show) and ceiling (an ideal observer). Recall "
        "is of events that frames show; unreported are events in no list, unreported supplied those that were shown."
    )
    return Table("access", "Access to evidence", text, rows, heads)


def _shared(comparison: Comparison, axis: str) -> str:
    """A condition that the samplings share; native video has no labels."""
    values = [one.condition[axis] for _, one in comparison.members if one.condition["sampling"] != "native"]
    return values[0] if values else "none"


def figure(comparison: Comparison, found: DataFrame, domain: str) -> Drawn | None:
    """One domain of a comparison: accuracy, recall of shown events and both bounds by access, one panel per
    schedule.
    """
    data = found[found["domain"] == domain]
    schedules = list(dict.fromkeys(data["schedule"]))
    samplings = sorted(set(data["sampling"]), key=access_order)
    if len(samplings) < 2:
        return None
    rates = [name for name in samplings if name.startswith("fps:")]
    at = {name: i + (0 if name in rates else _APART) for i, name in enumerate(samplings)}
    used = [name for name, column in _COLUMNS.items() if data[column].notna().any()]
    series = comparison.members[0][1]
    words = " · ".join(
        [
            style.shortened(series.model, 200, 7.0),
            *(condition_words(a, _shared(comparison, a)) for a in CONDITION[1:]),
        ]
    )
    title = f"{domain_name(domain)}: access to evidence"
    made, axes_of = row_of_panels(
        len(schedules), title, words, rows_in=1.75, legend=used, below_in=0.08, note_lines=2
    )
    for schedule, axes in zip(schedules, axes_of, strict=True):
        part = data[data["schedule"] == schedule]
        for name in used:
            _draw(axes, part, name, at, rates)
        axes.set_xticks(list(at.values()), [_tick(name) for name in at])
        axes.set_xlim(-0.4, max(at.values()) + 0.4)
        accuracy_axis(axes, first=at_left(axes, axes_of))
        axes.set_ylabel("percent" if at_left(axes, axes_of) else "")
        axes.set_xlabel("frames a second")
        axes.set_title(f"{schedule.capitalize()} events", pad=5)
    handles, names = axes_of[0].get_legend_handles_labels()
    legend_of(made, handles, names)
    n, missing = int(data["n"].sum()), int(data["n_missing"].sum())
    note(
        made,
        "Accuracy: exact counts, beside what the frames show and what an ideal observer makes of them. Recall: of "
        f"events that frames show. Bars: 95 % interval. n = {n:,}, {missing:,} missing.",
    )
    slug = f"access-{slug_of((domain,))}-{comparison.slug.removeprefix('by_sampling-')}"
    return Drawn(slug, f"{title} ({words})", made, data)


def _tick(sampling: str) -> str:
    kind, _, number = sampling.partition(":")
    words = {"fps": number, "native": "file", "keyframes": "key-\nframes", "frames": f"{number}\nframes"}
    return words.get(kind, sampling)


def _draw(axes: Axes, part: DataFrame, name: str, at: Mapping[str, float], rates: list[str]) -> None:
    """Rates joined by a line; other samplings as points, or short strokes for bounds."""
    column, look = _COLUMNS[name], _LINES[name]
    known = part[part[column].notna()]
    joined = known[known["sampling"].isin(rates)]
    alone = known[~known["sampling"].isin(rates)]
    marks = {**look, "markersize": 3.6, "markeredgecolor": "white", "markeredgewidth": 0.4}
    aside = _ASIDE.get(name, 0.0)
    axes.plot([at[s] + aside for s in joined["sampling"]], joined[column], label=name, zorder=3, **marks)
    if not look["marker"]:
        for sampling, value in zip(alone["sampling"], alone[column], strict=True):
            axes.plot([at[sampling] - 0.28, at[sampling] + 0.28], [value, value], zorder=3, **marks)
        return
    axes.plot(
        [at[s] + aside for s in alone["sampling"]], alone[column], zorder=4, **{**marks, "linestyle": ""}
    )
    low, high = known[f"{column}_lower"], known[f"{column}_upper"]
    x = [at[s] + aside for s in known["sampling"]]
    axes.vlines(
        x, low.astype(float), high.astype(float), color=look["color"], linewidth=0.8, alpha=0.45, zorder=2
    )
