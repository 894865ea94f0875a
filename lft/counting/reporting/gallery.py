"""Figures and tables of scored runs as files, and one plain page that lists them.

    figures/NAME.png .svg .csv      every figure with its data
    figures/NAME.pdf                with `Task.column`: the same figure for one column of a paper
    tables/NAME.csv .md .tex        every table
    figures.html                    all of them on one page, no script

File names are sanitised names of runs; the page escapes all text.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from lft.core.errors import InputError
from lft.core.files import write_text
from lft.core.records import JsonObject
from lft.core.reporting import style
from lft.core.reporting.figure_layout import Drawn
from lft.core.reporting.tables import Table, to_csv, to_latex, to_markdown
from lft.core.scoring import guarded
from lft.counting.reporting.figures import access, accounts, certainty, comparisons, panels
from lft.counting.reporting.figures.surfaces import Panel, domain_order, surface, tau_words
from lft.counting.reporting.results import Results, Series, slug_of, unique
from lft.counting.reporting.tables import study, table_text

if TYPE_CHECKING:
    from pandas import DataFrame

_SURFACE_COLUMNS = (
    "domain", "frequency_hz", "count", "n", "n_missing", "n_not_applicable", "n_not_asked",
    "correct", "accuracy", "lower", "upper", "ceiling_correct", "literal_recall",
    "precision", "recall", "f1", "chance_f1", "skill_f1", "vor", "acr", "rfr",
)  # fmt: skip


@dataclass(frozen=True)
class Entry:
    """A figure on disk: file name without suffix, title, section and part, number of trials."""

    name: str
    title: str
    section: str
    part: str
    n: int
    n_missing: int


@dataclass(frozen=True)
class Task:
    """Options of a report.

    `column`: figures one column wide, panels below each other, as PDF too. `sensitivity`: score every answer under each
    rule and tolerance, with the clips of `clips_folder` if they moved; None: if the clips exist.
    """

    folder: Path
    published: tuple[Series, ...] = ()
    column: bool = False
    sensitivity: bool | None = False
    clips_folder: Path | None = None


def write(results: Results, folder: Path, published: Sequence[Series] = ()) -> list[Path]:
    """Writes figures, tables and figures.html into `folder`; returns what was written."""
    with Making(results, Task(folder, tuple(published)), processes=0) as making:
        return making.finish()


class Making:
    """Creates figures and tables, in other processes if possible; `finish` waits for them."""

    def __init__(self, results: Results, task: Task, *, processes: int) -> None:
        self._parts = _Parts(results, task)
        self.parts = len(self._parts.jobs) + 1
        # Results are too large to send with each part: a process builds its own parts once, when it starts.
        self._pool = (
            ProcessPoolExecutor(processes, initializer=_start, initargs=(results, task))
            if processes
            else None
        )
        # The tables first: they are the longest part.
        self._tables = self._pool.submit(_tables_here) if self._pool else None
        figures = range(len(self._parts.jobs))
        self._figures = [self._pool.submit(_figure_here, i) for i in figures] if self._pool else []

    def __enter__(self) -> Making:
        return self

    def __exit__(self, *_: object) -> None:
        if self._pool:
            self._pool.shutdown(cancel_futures=True)

    def finish(self, seen: Callable[[int], None] = lambda done: None) -> list[Path]:
        """Writes the remaining files and returns every path; `seen` is called with the number of finished parts."""
        paths: list[Path] = []
        entries: list[Entry] = []
        for done in range(self.parts - 1):
            found = self._figures[done].result() if self._pool else self._parts.figure(done)
            if found:
                entries.append(found[0])
                paths += found[1]
            seen(done + 1)
        made = self._tables.result() if self._tables else self._parts.tables()
        seen(self.parts)
        folder = self._parts.task.folder
        for table in made:
            stem = folder / "tables" / table.name
            printed = table_text.printed(table)
            for suffix, text in (
                (".csv", to_csv(table)),
                (".md", to_markdown(table, printed)),
                (".tex", to_latex(table, printed)),
            ):
                write_text(stem.with_suffix(suffix), text)
                paths.append(stem.with_suffix(suffix))
        page = folder / "figures.html"
        write_text(page, _page(self._parts.results, entries, made, pdf=self._parts.task.column))
        return [*paths, page]


class _Parts:
    """The figures and tables of results, each created on request."""

    def __init__(self, results: Results, task: Task) -> None:
        self.results, self.task, self.jobs = results, task, _jobs(results, task.published)

    def figure(self, number: int) -> tuple[Entry, list[Path]] | None:
        section, part, make = self.jobs[number]
        with style.look(column=self.task.column):
            drawn = make()
            if drawn is None:
                return None
            stem = self.task.folder / "figures" / drawn.name
            paths = [*style.save(drawn.figure, stem)]
            if self.task.column:
                paths.append(style.save_pdf(drawn.figure, stem))
        paths.append(stem.with_name(drawn.name + ".csv"))
        write_text(paths[-1], _csv(drawn.data))
        missing = int(drawn.data["n_missing"].sum()) if "n_missing" in drawn.data else 0
        n = int(drawn.data["n"].sum())
        return Entry(drawn.name, drawn.title, section, part or drawn.title, n, missing), paths

    def tables(self) -> list[Table]:
        from lft.counting.reporting.tables.outcomes import sensitivity

        made = study.all_tables(self.results)
        if self.task.sensitivity is False:
            return made
        try:
            more = sensitivity(self.results, self.task.clips_folder)
        except InputError:
            if self.task.sensitivity:
                raise
            return made
        return [*made, more] if more.rows else made


_here: _Parts  # of a process that was started to draw; set once, by `_start`


def _start(results: Results, task: Task) -> None:
    global _here
    _here = _Parts(results, task)


def _figure_here(number: int) -> tuple[Entry, list[Path]] | None:
    return _here.figure(number)


def _tables_here() -> list[Table]:
    return _here.tables()


Job = tuple[str, str, "Callable[[], Drawn | None]"]


def _jobs(results: Results, published: Sequence[Series]) -> list[Job]:
    """Section, part and function of each figure, most important first; one figure is in memory at a time.

    A section without parts, "", has one for each figure.
    """
    on_grid, jobs = results.grids, list[Job]()
    series = [one for one in results.series if one.cells["domain"].isin(on_grid).any()]

    def add(section: str, make: Callable[..., Drawn | None], *arguments: object, part: str = "") -> None:
        jobs.append((section, part, partial(make, *arguments)))

    add("Where the events went", accounts.figure, results)
    for comparison, found in access.by_access(results):
        for domain in dict.fromkeys(found["domain"]):
            add("Access to evidence", access.figure, comparison, found, domain)
    if on_grid:
        add("Causes", panels.cause_bars, results, on_grid)
    for domain in results.domains:
        if domain not in on_grid:
            add("Causes", panels.cause_bars, results, [domain], f"causes-{slug_of((domain,))}")
    for comparison in comparisons.comparisons(results):
        add("Conditions compared", comparisons.intervention, comparison, on_grid, results.tau)
    for domain in results.domains:
        if domain not in on_grid:
            for members in panels.binned(results, domain):
                add("Natural videos", panels.by_bins, members, domain)
    for one in series:
        for draw in (
            partial(draw_surface, one, results.tau, on_grid), partial(panels.allowed, one, on_grid),
            partial(certainty.certainty, one, results), partial(certainty.contours, one, results),
        ):  # fmt: skip
            add("By condition", draw, part=results.name(one))
    for one in published:
        add("Published surfaces", draw_surface, one, results.tau, part=one.model)
    return jobs


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
    found, taken = [], set[str]()
    for model, printed in table.groupby("model", sort=False):
        cells = _zero_once(printed)
        frontiers = {
            # By the printed accuracies: no whole number of right answers out of 10 need lie behind them.
            str(d): frontier(reaching(part.drop(columns="correct", errors="ignore"), tau))
            for d, part in cells.groupby("domain", sort=False)
        }
        key = ("published", str(model), "native", "none", "structured_trace")
        slug = unique(slug_of(("published", str(model))), taken)
        found.append(Series(key, slug, cells.iloc[:0], cells, frontiers, "as published"))
    return found


def _zero_once(cells: DataFrame) -> DataFrame:
    """Cells of one model in which the single value of N = 0, printed at each frequency of a domain, occurs once.

    Values that differ between frequencies were measured there, and stay.
    """
    zero = cells["count"] == 0
    one = cells.groupby(["domain", "count"])["accuracy"].transform("nunique") == 1
    return cells[~(zero & one & cells.duplicated(["domain", "count"]))]


def _csv(data: DataFrame) -> str:
    safe = data.copy()
    for column in safe.columns:
        if safe[column].dtype == object or str(safe[column].dtype) == "str":
            safe[column] = [guarded(v) if isinstance(v, str) else v for v in safe[column]]
    return str(safe.to_csv(index=False, float_format="%.6g", lineterminator="\n"))


def _parted(cell: str) -> tuple[str, str]:
    """A value and its interval, which stands below it."""
    value, mark, interval = cell.partition(" [")
    return value, mark.strip() + interval


_MOST_COLUMNS = 8  # of numbers that a table on the page has; the files have all of them
# Those that are shown first where there are more.
_MATTER = (
    "n", "missing", "EM (%)", "ceiling EM (%)", "off by one (%)", "F1 (%)", "chance F1 (%)", "R (%)", "P (%)",
    "difference (points)", "p (Holm)",
)  # fmt: skip


def _printed(table: Table) -> JsonObject:
    """A table for the page: one column that names a row, and the most important numbers."""
    shown, same = table_text.without_same(table)
    heads, cells, numeric = table_text.printed(shown)
    lead = next((i for i, number in enumerate(numeric) if number), len(heads))
    kept = list(range(lead, len(heads)))
    if len(kept) > _MOST_COLUMNS:
        plain = [head.partition(" [")[0] for head in heads]
        ranked = sorted(kept, key=lambda i: (_MATTER.index(plain[i]) if plain[i] in _MATTER else 99, i))
        kept = sorted(ranked[:_MOST_COLUMNS])
    left = len(heads) - lead - len(kept)
    return {
        "name": table.name,
        "title": table.title,
        "note": f"{table.note} {same}".strip(),
        "left": f"{left} more columns are in the files." if left else "",
        "lead": " · ".join(heads[:lead]),
        "heads": [heads[i] for i in kept],
        "rows": [(row[:lead], [_parted(row[i]) for i in kept]) for row in cells],
        "numeric": [numeric[i] for i in kept],
    }


def _page(results: Results, entries: Sequence[Entry], made: Sequence[Table], *, pdf: bool) -> str:
    from importlib.resources import files

    import jinja2

    environment = jinja2.Environment(
        autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    template = environment.from_string(
        (files("lft.counting.reporting") / "page" / "assets" / "figures.html").read_text("utf-8")
    )
    sections: dict[str, dict[str, list[Entry]]] = {}
    for entry in entries:
        sections.setdefault(entry.section, {}).setdefault(entry.part, []).append(entry)
    printed = [_printed(table) for table in made]
    return template.render(
        runs=list(dict.fromkeys(one.key[0] for one in results.series)),
        sections=sections,
        tables=printed,
        pdf=pdf,
        n=sum(int(one.cells["n"].sum()) for one in results.series),
        n_missing=sum(int(one.cells["n_missing"].sum()) for one in results.series),
        tau=tau_words(results.tau),
    )
