"""`lft power`: the sample size that a difference needs."""

from __future__ import annotations

import click

from lft.commands.dispatch import SweepCommand, current, tell


@click.command(cls=SweepCommand)
@click.argument("sweep_name", metavar="[SWEEP]", required=False)
@click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout.")
@click.pass_context
def power(ctx: click.Context, /, sweep_name: str | None, as_json: bool, **options: object) -> None:
    """Number of clips that a difference needs, and of seeds that a frontier needs, for the suite of SWEEP.

    Without --difference or --accuracy: a table of both. Tests and intervals are those of `lft audit`: with r replicates
    a clip counts as r / (1 + (r - 1) c) independent answers, where c is the correlation.
    """
    tell(current(ctx).power(options), as_json)
