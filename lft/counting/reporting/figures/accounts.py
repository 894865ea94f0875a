"""Summed accounts, as a table and as one figure (see `lft.counting.audit.account`)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from lft.core.conditions import MODEL_CONDITION
from lft.core.errors import InputError
from lft.core.files import read_json
from lft.core.records import Entries, JsonObject
from lft.core.reporting import style
from lft.core.reporting.figure_layout import Drawn, at_left, legend_of, names_of_bars, note, row_of_panels
from lft.core.reporting.tables import Table
from lft.counting.audit.account import TERMS
from lft.counting.audit.accounts import sentence, sums
from lft.counting.reporting.figures.surfaces import domain_name
from lft.counting.reporting.results import Results, Series, short_names
from lft.counting.reporting.tables.table import HEADS, domains_of, head_of, part_of

if TYPE_CHECKING:
    from pandas import DataFrame

# Part of a bar -> its style. The first three are the true events; reports without evidence are on top.
_PARTS = {
    "reported, shown": ("#3f78b8", ""),
    "shown, unreported": ("#edc202", ""),
    "not supplied": ("#bdc7d3", "////"),
    "supply not known": ("#e8ebef", "...."),
    "reported without evidence": ("#6334a0", "\\\\\\\\"),
}


def table(results: Results) -> Table:
    """The account of every series: all clips, then by domain, by frequency and by count. Empty without an audit."""
    rows = [
        {**head_of(series), "of": of, **_row(found)}
        for series in results.series
        for of, part in _parts(series, results.grids)
        if (found := sums(part)) is not None
    ]
    text = (
        "Events minus answered = not supplied + shown but unreported + not known - unsupported - mis-added, exactly. "
        "95 % intervals from the spread between clips. Miss rate: of events shown, the share that was not reported. "
        "Answers read in doubt are left out, and counted."
    )
    return Table("account", "Where the events went", text, rows, (*HEADS, "of"))


def _parts(series: Series, grids: Sequence[str]) -> Iterator[tuple[str, DataFrame]]:
    yield "all clips", series.scores
    domains = domains_of(series)
    if len(domains) > 1:
        yield from ((domain, part_of(series, domain)) for domain in domains)
    grid = series.scores[series.scores["domain"].isin(grids) & (series.scores["count"] > 0)]
    for name, unit in (("frequency_hz", "{:g} Hz"), ("count", "N = {:g}")):
        for value, part in grid.groupby(name):
            yield unit.format(value), part


def _row(found: Entries) -> JsonObject:
    row: JsonObject = {"n": found["n"], "doubted": found["doubted"], "events": found["events"]}
    row["answered"] = found["answered"]
    for name in (*TERMS, "guessed"):
        low, high = found["intervals"][name] or (None, None)
        row |= {name: found[name], f"{name}_lower": low, f"{name}_upper": high}
    low, high = found["miss_interval"] or (None, None)
    return {**row, "miss_rate": found["miss_rate"], "miss_rate_lower": low, "miss_rate_upper": high}


def told(results: Results, series: Series) -> JsonObject:
    """`sentence` and `found` of a series for the top of the page; findings are those of the run's summary."""
    return {"sentence": sentence(sums(series.scores)), "found": _findings(results, series)}


def _findings(results: Results, series: Series) -> list[str]:
    run = results.runs.get(series.key[0])
    path = run.folder / "summary.json" if run else None
    try:
        document = read_json(path) if path and path.is_file() else {}
    except InputError:
        return []
    wanted = {"model": series.model, **series.condition}
    for condition in document.get("conditions") or []:
        if all(str(condition.get(axis, "")) == wanted[axis] for axis in MODEL_CONDITION):
            found = condition.get("verdict") or []
            return [f"{one['name']} ({one['sure']}): {one['evidence']}" for one in found]
    return []


def figure(results: Results) -> Drawn | None:
    """One bar per series, one panel per domain: fates of events, and reports without evidence. None without an
    audit.
    """
    import pandas as pd

    rows = []
    names = short_names([one.key for one in results.series])
    domains = results.domains
    for name, series in zip(names, results.series, strict=True):
        for domain in domains:
            found = sums(part_of(series, domain))
            missing = int((part_of(series, domain)["status"] == "missing").sum())
            if found is not None and found["events"]:
                rows.append({"series": name, "domain": domain, **_shares(found), "n_missing": missing})
    if not rows:
        return None
    data = pd.DataFrame(rows)
    domains = [domain for domain in domains if (data["domain"] == domain).any()]
    title = "Where the events went"
    used = [part for part in _PARTS if (data[part] > 0).any()]
    shown, left = names_of_bars(names)
    legend = [*used, "answers"]
    made, axes_of = row_of_panels(
        len(domains), title, "", rows_in=max(0.9, 0.24 * len(names) + 0.1), legend=legend, left_in=left, text_in=0.1,
        note_lines=2,
    )  # fmt: skip
    widest = float(max(1.0, (data[list(_PARTS)].sum(axis=1)).max(), data["answers"].max()))
    handles: JsonObject = {}
    for domain, axes in zip(domains, axes_of, strict=True):
        for row in data[data["domain"] == domain].to_dict("records"):
            place, start = names.index(row["series"]), 0.0
            for part, (colour, hatch) in _PARTS.items():
                look: style.Look = {
                    "color": colour,
                    "hatch": hatch,
                    "edgecolor": "white",
                    "linewidth": 0.4,
                }
                (bar,) = axes.barh(place, row[part], left=start, height=0.72, **look)
                handles.setdefault(part, bar)
                start += row[part]
            (mark,) = axes.plot(row["answers"], place, "D", color=style.INK, markersize=3.2, zorder=4)
            handles.setdefault("answers", mark)
        axes.axvline(1.0, color=style.INK, linewidth=0.8)
        axes.set_ylim(len(names) - 0.45, -0.55)
        axes.set_yticks(
            range(len(names)), shown if at_left(axes, axes_of) else [""] * len(names), linespacing=1.0
        )
        axes.set_xlim(0, min(widest, 2.5) * 1.02)
        axes.set_xticks([0, 0.5, 1], ["0", "50", "100 %"])
        axes.tick_params(axis="y", length=0)
        axes.spines["left"].set_visible(False)
        axes.set_title(domain_name(domain), pad=5)
    legend_of(made, [handles[name] for name in legend], legend, text_in=0.1, top_in=0.26)
    n, missing = int(data["n"].sum()), int(data["n_missing"].sum())
    note(
        made,
        "Per true event (100 %): shown and reported, shown and not reported, in no supplied frame; on top, "
        f"what was reported without evidence. Diamond: sum of answers. n = {n:,}, {missing:,} missing.",
        text_in=0.1,
    )
    return Drawn("account", title, made, data)


def _shares(found: Entries) -> JsonObject:
    events = found["events"]
    left = {name: found[name] or 0 for name in TERMS}
    hidden = left["not_supplied"] + left["shown_unreported"] + left["not_known"]
    parts = {
        "reported, shown": events - hidden,
        "shown, unreported": left["shown_unreported"],
        "not supplied": left["not_supplied"],
        "supply not known": left["not_known"],
        "reported without evidence": left["unsupported"],
    }
    return {
        "n": found["n"],
        "events": events,
        **{part: value / events for part, value in parts.items()},
        "mis-added": left["mis_added"] / events,
        "answers": found["answered"] / events,
    }
