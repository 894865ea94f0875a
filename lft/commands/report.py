"""`lft report`: tables, figures and a page from scored runs."""

from __future__ import annotations

from pathlib import Path

import click

from lft import suites
from lft.commands.dispatch import RunCommand, tell
from lft.core.runs import Run


@click.command(cls=RunCommand)
@click.argument("runs", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="RUN...")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    help="Folder to write: RUN/report, or results/report.",
)
@click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout.")
def report(runs: tuple[Path, ...], out: Path | None, as_json: bool, **options: object) -> None:
    """Tables, figures and a page from one or more scored runs of one suite.

    The report is a folder: open its index.html in a browser, no server needed. It replaces an earlier report in the
    same folder; other files stay and are never overwritten. Exit status 0 even if
    trials are missing; every figure and table gives their number.
    """
    opened = [Run.open(run) for run in runs]
    tell(suites.of_runs(opened).report(opened, out, options), as_json)
