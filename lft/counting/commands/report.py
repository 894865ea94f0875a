"""`lft report` for runs of this suite: tables, figures and a page."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from lft.core.records import Entries
from lft.core.suite import Told
from lft.counting.commands.options import SENSITIVE

if TYPE_CHECKING:
    from pandas import DataFrame

    from lft.core.runs import Run


def reported(runs: Sequence[Run], out: Path | None, options: Entries) -> Told:
    """Tables, figures and a page in `out`, by default RUN/report for a single run, else results/report."""
    from lft.core.progress import Progress
    from lft.core.reporting.folder import building, move_in
    from lft.counting.clips import Clips
    from lft.counting.frontier import checked_tau
    from lft.counting.readings import bring_up_to_date
    from lft.counting.reporting import gallery, results
    from lft.counting.reporting.page import writer

    clips, tau, column = options["clips"], options["tau"], options["column"]
    sensitivity = options["sensitivity"]
    if clips is not None:
        Clips.open(clips)  # a folder that was named and is not there is no report without videos
    for run in runs:
        if told := bring_up_to_date(run, clips):
            click.echo(f"lft report: {told}", err=True)
    found = results.load([run.folder for run in runs], tau=checked_tau(tau))
    folder = out or (
        next(iter(found.runs.values())).folder / "report" if len(runs) == 1 else Path("results/report")
    )
    if unlike := _scored_unlike(found.scores):
        click.echo(f"lft report: {unlike}", err=True)
    reference = gallery.published_series(options["published"], tau) if options["with_published"] else []
    if sensitivity is None and len(found.scores) > SENSITIVE:
        sensitivity = False
        click.echo(
            "lft report: sensitivity to tolerance and rule is left out of so large a report; --sensitivity adds it",
            err=True,
        )
    _ = found.sure  # worked out once, before the processes part
    warnings: list[str] = []
    with building(folder) as built:
        # Figures and page share nothing but the results: they are made side by side.
        task = gallery.Task(built, tuple(reference), column, sensitivity, clips)
        with gallery.Making(found, task, processes=min(2, os.cpu_count() or 1)) as making:
            with Progress("writing the page, trial", total=len(found.scores)) as progress:
                written = writer.write(
                    found, built, final=folder, videos=options["videos"], clips_folder=clips, published=reference,
                    warn=warnings.append,
                    seen=progress.update,
                )  # fmt: skip
            for line in warnings:
                click.echo(f"lft report: {line}", err=True)
            with Progress("drawing figures and tables", total=making.parts) as progress:
                drawn = making.finish(progress.update)
        move_in(built, folder, [*written, *drawn])
    drawn = [folder / path.relative_to(built) for path in drawn]
    index = folder / "index.html"
    document = {
        "index": str(index),
        "figures": [str(p) for p in drawn if p.suffix == ".svg"],
        "tables": [str(p) for p in drawn if p.parent.name == "tables" and p.suffix == ".csv"],
        "trials": len(found.scores),
        "missing": sum(int(one.cells["n_missing"].sum()) for one in found.series),
    }
    text = (
        f"page     {index}\nfigures  {folder / 'figures.html'}\ntables   {folder / 'tables'}\n"
        f"next: open {index} in a browser (no server is needed)"
    )
    return Told(document, text)


def _scored_unlike(scores: DataFrame) -> str | None:
    """A warning about runs that scored the same clip under different rules or tolerances."""
    known = scores.dropna(subset=["tolerance_s"])
    if scores["rule"].nunique() <= 1 and (known.groupby("clip")["tolerance_s"].nunique() <= 1).all():
        return None
    ways = []
    for run, rows in scores.groupby("run", sort=False):
        low, high = rows["tolerance_s"].min(), rows["tolerance_s"].max()
        width = f"{low:g}" if low == high else f"{low:g} to {high:g}"
        ways.append(f"{run} by rule {'/'.join(sorted(rows['rule'].unique()))} within {width} s")
    return f"not scored alike, so not comparable: {'; '.join(ways)} (lft score RUN --rule --tolerance scores again)"
