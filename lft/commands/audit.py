"""`lft audit`: how sure the results of scored runs are."""

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
    """How sure the results of scored runs of one suite are, and how much they depend on choices.

    Of counting runs it prints what decides first: the comparisons that are sure, the rates of each condition, the
    faults that are sure, and the results that turn on a choice or on a single clip. It writes pooled.csv (rates with
    their intervals, EM beside what guesses reach), error_model.csv (misses, inventions, jitter and mis-adding, for all
    frequencies and at each), comparisons.csv and models.csv (conditions and models compared on the same clips by
    paired exact tests, Holm-corrected), cells.csv (with the probability that each truly reaches tau), frontiers.csv
    (their distribution), psychometric.csv (50 % and 80 % contours, and whether the surface fits), sensitivity.csv.
    """
    opened = [Run.open(run) for run in runs]
    tell(suites.of_runs(opened).audit(opened, out, options), as_json)
