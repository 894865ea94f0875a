"""`lft audit`: the uncertainty of the results of scored runs."""

from __future__ import annotations

from pathlib import Path

import click

from lft import suites
from lft.commands.dispatch import RunCommand, tell
from lft.core.runs import Run


@click.command(cls=RunCommand)
@click.argument("runs", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="RUN...")
@click.option(
    "--out", type=click.Path(path_type=Path), help="Folder for the tables; default: audit/ in the first run."
)
@click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout.")
def audit(runs: tuple[Path, ...], out: Path | None, as_json: bool, **options: object) -> None:
    """Uncertainty of the results of scored runs of one suite, and their dependence on choices.

    For counting runs it prints the most important results first: significant comparisons, rates of each condition,
    sure faults, and results that depend on rule, tolerance or a single clip. It writes pooled.csv (rates with
    intervals, EM beside guessing), error_model.csv (misses, inventions, jitter and mis-adding, for all
    frequencies and for each), comparisons.csv and models.csv (conditions and models compared on the same clips by
    paired exact tests, Holm-corrected), cells.csv (with the probability that each reaches tau), frontiers.csv
    (posterior distribution), psychometric.csv (50 % and 80 % contours, goodness of fit), sensitivity.csv.
    """
    opened = [Run.open(run) for run in runs]
    tell(suites.of_runs(opened).audit(opened, out, options), as_json)
