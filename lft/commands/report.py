"""`lft report`: tables, figures and a page from scored runs."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from pandas import DataFrame

SENSITIVE = 10_000  # trials up to which tolerance and rule are part of every report: a few seconds


@click.command()
@click.argument("runs", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="RUN...")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    help="Folder to write: RUN/report, or results/report.",
)
@click.option("--tau", type=float, default=0.8, show_default=True, help="Accuracy that counts as reliable.")
@click.option(
    "--with-published", is_flag=True, help="Also draw the published surfaces, from results/published."
)
@click.option(
    "--published", type=click.Path(path_type=Path), default=Path("results/published/surfaces.csv"),
    show_default=True,
    help="The file that --with-published reads.",
)  # fmt: skip
@click.option(
    "--videos", type=click.Choice(["link", "copy", "none"]), default="link", show_default=True,
    help="link: played from where they are; copy: put beside the page, which can be sent then; none.",
)  # fmt: skip
@click.option(
    "--clips", type=click.Path(path_type=Path), help="Folder of the clips, if they moved since the sweep."
)
@click.option(
    "--sensitivity/--no-sensitivity",
    default=None,
    help=f"Also score every answer under each rule and tolerance. Default: up to {SENSITIVE:,} trials.",
)
@click.option(
    "--column", is_flag=True, help="Figures for one column of a paper, panels below each other, as PDF too."
)
@click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout.")
def report(
    runs: tuple[Path, ...],
    out: Path | None,
    tau: float,
    with_published: bool,
    published: Path,
    videos: str,
    clips: Path | None,
    sensitivity: bool | None,
    column: bool,
    as_json: bool,
) -> None:
    """Tables, figures and a page from one or more scored runs.

    The page is a folder: open its index.html in a browser, no server needed. A report into a folder that holds an
    earlier one replaces it, once it is whole; other files there stay, and none is written over. Exit status 0 even if
    trials are missing; every figure and table says how many.
    """
    from lft.core.progress import Progress
    from lft.core.reporting.folder import building, move_in
    from lft.core.runs import Run
    from lft.counting.clips import Clips
    from lft.counting.frontier import checked_tau
    from lft.counting.readings import bring_up_to_date
    from lft.counting.reporting import gallery, results
    from lft.counting.reporting.page import writer

    if clips is not None:
        Clips.open(clips)  # a folder that was named and is not there is no report without videos
    for run in map(Run.open, runs):
        if told := bring_up_to_date(run, clips):
            click.echo(f"lft report: {told}", err=True)
    found = results.load(runs, tau=checked_tau(tau))
    folder = out or (
        next(iter(found.runs.values())).folder / "report" if len(runs) == 1 else Path("results/report")
    )
    if unlike := _scored_unlike(found.scores):
        click.echo(f"lft report: {unlike}", err=True)
    reference = gallery.published_series(published, tau) if with_published else []
    if sensitivity is None and len(found.scores) > SENSITIVE:
        sensitivity = False
        click.echo(
            "lft report: tolerance and rule are left out of so large a report; --sensitivity adds them",
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
                    found, built, final=folder, videos=videos, clips_folder=clips, published=reference,
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
    if as_json:
        document = {
            "index": str(index),
            "figures": [str(p) for p in drawn if p.suffix == ".svg"],
            "tables": [str(p) for p in drawn if p.parent.name == "tables" and p.suffix == ".csv"],
            "trials": len(found.scores),
            "missing": sum(int(one.cells["n_missing"].sum()) for one in found.series),
        }
        click.echo(json.dumps(document))
        return
    click.echo(f"page     {index}")
    click.echo(f"figures  {folder / 'figures.html'}")
    click.echo(f"tables   {folder / 'tables'}")
    click.echo(f"next: open {index} in a browser (no server is needed)")


def _scored_unlike(scores: DataFrame) -> str | None:
    """What to say of runs of which the same clip was scored under different rules or tolerances."""
    known = scores.dropna(subset=["tolerance_s"])
    if scores["rule"].nunique() <= 1 and (known.groupby("clip")["tolerance_s"].nunique() <= 1).all():
        return None
    ways = []
    for run, rows in scores.groupby("run", sort=False):
        low, high = rows["tolerance_s"].min(), rows["tolerance_s"].max()
        width = f"{low:g}" if low == high else f"{low:g} to {high:g}"
        ways.append(f"{run} by rule {'/'.join(sorted(rows['rule'].unique()))} within {width} s")
    return f"not scored alike, so not comparable: {'; '.join(ways)} (lft score RUN --rule --tolerance scores again)"
