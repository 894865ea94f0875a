"""`lft score`: scores a run."""

from __future__ import annotations

from pathlib import Path

import click

from lft import suites
from lft.commands.dispatch import RunCommand, tell
from lft.core.runs import Run


@click.command(cls=RunCommand)
@click.argument("run", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout.")
def score(run: Path, as_json: bool, **options: object) -> None:
    """Score a run: writes its scores.csv and summary.json, prints the summary.

    Exit status 1 if trials are missing: they are counted, never scored as wrong. For
    a counting run both files are for the latest rule and tolerance; readings/ keeps the scores of each.
    """
    opened = Run.open(run)
    tell(suites.of_run(opened).score(opened, options), as_json)
