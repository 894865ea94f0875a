"""`lft power`: how much has to be asked for a difference to be found."""

from __future__ import annotations

import click

from lft.commands.dispatch import SweepCommand, current, tell


@click.command(cls=SweepCommand)
@click.argument("sweep_name", metavar="[SWEEP]", required=False)
@click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout.")
@click.pass_context
def power(ctx: click.Context, /, sweep_name: str | None, as_json: bool, **options: object) -> None:
    """How many clips a difference needs, how many seeds a frontier; in the words of the suite of SWEEP.

    Without --difference or --accuracy: a table of both. Tests and intervals are those of `lft audit`: with --replicates
    a clip is one piece, and its answers are worth r / (1 + (r - 1) c), c being their correlation.
    """
    tell(current(ctx).power(options), as_json)
