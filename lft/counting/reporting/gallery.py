"""Figures and tables of scored runs as files, and one plain page that lists them.

    figures/NAME.png .svg .csv      every figure with the numbers in it
    tables/NAME.csv .md .tex        every table
    figures.html                    all of them on one page, no script

File names come from the runs' own names, made safe; the page escapes whatever text it shows.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lft.core.files import write_text
from lft.counting.reporting import comparisons, panels, style, tables, tabletext
from lft.counting.reporting.figures import Panel, domain_order, surface
from lft.counting.reporting.frame import Drawn
from lft.counting.reporting.results import Results, Series
from lft.counting.spec import DOMAINS

if TYPE_CHECKING:
    from pandas import DataFrame

_SURFACE_COLUMNS = (
    "domain", "frequency_hz", "count", "n", "n_missing", "n_not_applicable", "n_not_asked",
    "correct", "accuracy", "lower", "upper", "ceiling_correct", "ceiling_recall",
    "precision", "recall", "f1", "chance_f1", "skill_f1", "vor", "acr", "rfr",
)  # fmt: skip


_MOST_COUNTS = 16  # different counts that a surface can show


@dataclass(frozen=True)
class Entry:
    """A figure on disk: file name without suffix, what it shows, its section, whether it spans the page."""

    name: str
    title: str
    section: str
    n: int
    n_missing: int


def write(
    results: Results,
    folder: Path,
    published: Sequence[Series] = (),
    more: Sequence[tables.Table] = (),
) -> list[Path]:
    """Writes figures, tables (and `more`) and figures.html into `folder`; returns what was written."""
    entries: list[Entry] = []
    paths: list[Path] = []
    taken: set[str] = set()
    with style.look():
        for section, drawn in _drawn(results, published):
            name = _unique(drawn.name, taken)
            stem = folder / "figures" / name
            paths += style.save(drawn.figure, stem)
            write_text(stem.with_name(name + ".csv"), _csv(drawn.data))
            paths.append(stem.with_name(name + ".csv"))
            missing = int(drawn.data["n_missing"].sum()) if "n_missing" in drawn.data else 0
            entries.append(Entry(name, drawn.title, section, int(drawn.data["n"].sum()), missing))
    made = [*tables.all_tables(results), *more]
    for table in made:
        stem = folder / "tables" / table.name
        for suffix, text in (
            (".csv", tabletext.to_csv(table)),
            (".md", tabletext.to_markdown(table)),
            (".tex", tabletext.to_latex(table)),
        ):
            write_text(stem.with_suffix(suffix), text)
            paths.append(stem.with_suffix(suffix))
    page = folder / "figures.html"
    write_text(page, _page(results, entries, made))
    return [*paths, page]


def _drawn(results: Results, published: Sequence[Series]) -> Iterator[tuple[str, Drawn]]:
    """Figures one by one, so that only one is in memory, each with the section that it belongs to."""
    on_grid = [d for d in results.domains if is_grid(d, results)]
    for series in results.series:
        if series.cells["domain"].isin(on_grid).any():
            yield "Capability surfaces", draw_surface(series, results.tau, on_grid)
    for series in published:
        yield "Published surfaces", draw_surface(series, results.tau)
    for comparison in comparisons.comparisons(results) if on_grid else ():
        yield "Conditions compared", comparisons.intervention(comparison, on_grid, results.tau)
    for series in results.series:
        drawn = panels.allowed(series, on_grid)
        if drawn:
            yield "Accuracy and what the frames allowed", drawn
    for domain in (d for d in results.domains if d not in DOMAINS):
        drawn = panels.by_bins(results, domain)
        if drawn:
            yield "Natural videos", drawn
    drawn = panels.cause_bars(results)
    if drawn:
        yield "Causes", drawn


def is_grid(domain: str, results: Results) -> bool:
    """Whether a domain's clips lie on a grid of counts. Natural videos have any count."""
    counts = {int(n) for s in results.series for n in s.cells.loc[s.cells["domain"] == domain, "count"]}
    return domain in DOMAINS or len(counts) <= _MOST_COUNTS


def draw_surface(series: Series, tau: float, of: Sequence[str] | None = None) -> Drawn:
    """The surface of one series, a panel per domain (only those in `of`)."""
    domains = [str(d) for d in series.cells["domain"].unique() if of is None or d in of]
    domains = domain_order(domains)
    shown = [Panel(d, series.cells[series.cells["domain"] == d], series.frontiers[d].count) for d in domains]
    words = f"{series.words} · {series.source}" if series.source else series.words
    figure = surface(shown, title=series.model, subtitle=words, tau=tau)
    columns = [c for c in _SURFACE_COLUMNS if c in series.cells.columns]
    data = series.cells.loc[series.cells["domain"].isin(domains), columns].sort_values(
        ["domain", "frequency_hz", "count"]
    )
    return Drawn(f"surface-{series.slug}", f"{series.model}, {words}", figure, data)


def published_series(path: Path, tau: float) -> list[Series]:
    """The surfaces of a file of published accuracies (see `Surface.read_csv`), one series a model.

    Where the file gives no n, each cell is taken to stand on 10 trials, as the published study states.
    """
    from lft.counting.cells import Surface, reaching
    from lft.counting.frontier import frontier

    table = Surface.read_csv(path).table
    if "n" not in table.columns:
        table = table.assign(n=table["accuracy"].notna() * 10, n_missing=0)
    found = []
    for model, cells in table.groupby("model", sort=False):
        frontiers = {
            # By the printed accuracies: no whole number of right answers out of 10 need lie behind them.
            str(d): frontier(reaching(part.drop(columns="correct", errors="ignore"), tau))
            for d, part in cells.groupby("domain", sort=False)
        }
        key = ("published", str(model), "native", "none", "structured_trace")
        slug = "published-" + re.sub(r"[^A-Za-z0-9.]+", "-", str(model))
        found.append(Series(key, slug, cells.iloc[:0], cells, frontiers, "as published"))
    return found


def _unique(name: str, taken: set[str]) -> str:
    base = re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-.")[:140] or "figure"
    wanted, number = base, 1
    while wanted.lower() in taken:
        number += 1
        wanted = f"{base}-{number}"
    taken.add(wanted.lower())
    return wanted


def _csv(data: DataFrame) -> str:
    safe = data.copy()
    for column in safe.columns:
        if safe[column].dtype == object or str(safe[column].dtype) == "str":
            safe[column] = [tabletext.safe_field(v) if isinstance(v, str) else v for v in safe[column]]
    return str(safe.to_csv(index=False, float_format="%.6g", lineterminator="\n"))


def _page(results: Results, entries: Sequence[Entry], made: Sequence[tables.Table]) -> str:
    from importlib.resources import files

    import jinja2

    environment = jinja2.Environment(
        autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    template = environment.from_string(
        (files("lft.counting.reporting") / "page_assets" / "figures.html").read_text("utf-8")
    )
    sections: dict[str, list[Entry]] = {}
    for entry in entries:
        sections.setdefault(entry.section, []).append(entry)
    printed: list[dict[str, Any]] = []
    for table in made:
        heads, cells, numeric = tabletext.printed(table)
        printed.append(
            {
                "name": table.name,
                "title": table.title,
                "note": table.note,
                "heads": heads,
                "rows": cells,
                "numeric": numeric,
            }
        )
    return template.render(
        runs=list(dict.fromkeys(one.key[0] for one in results.series)),
        sections=sections,
        tables=printed,
        n=sum(int(one.cells["n"].sum()) for one in results.series),
        n_missing=sum(int(one.cells["n_missing"].sum()) for one in results.series),
        tau=results.tau,
    )
