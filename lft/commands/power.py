"""`lft power`: how many clips a difference needs, how many seeds a frontier."""

from __future__ import annotations

import json

import click


@click.command()
@click.option(
    "--difference", type=float, help="Difference in accuracy between two conditions on the same clips."
)
@click.option(
    "--discordant", type=float, help="Share of clips that change at all; default |difference| + 0.1."
)
@click.option(
    "--power",
    "wanted",
    type=float,
    default=0.8,
    show_default=True,
    help="Probability to find the difference.",
)
@click.option("--alpha", type=float, default=0.05, show_default=True, help="Level of the exact McNemar test.")
@click.option("--accuracy", type=float, help="True accuracy of a cell, to be told from tau.")
@click.option(
    "--tau", type=float, default=0.8, show_default=True, help="Accuracy that counts as reliable, inclusive."
)
@click.option(
    "--certainty", type=float, default=0.95, show_default=True, help="Probability that the frontier is right."
)
@click.option("--cells", type=int, default=1, show_default=True, help="Cells that the frontier runs through.")
@click.option("--replicates", type=int, default=1, show_default=True, help="How often each clip is asked.")
@click.option(
    "--correlation",
    type=float,
    default=1.0,
    show_default=True,
    help="Of answers within a clip, with replicates; 1: they add nothing.",
)
@click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout.")
def power(
    difference: float | None,
    discordant: float | None,
    wanted: float,
    alpha: float,
    accuracy: float | None,
    tau: float,
    certainty: float,
    cells: int,
    replicates: int,
    correlation: float,
    as_json: bool,
) -> None:
    """How many clips a difference needs, how many seeds a frontier.

    Without --difference or --accuracy: a table of both. Tests and intervals are those of `lft audit`: with --replicates
    a clip is one piece, and its answers are worth r / (1 + (r - 1) c), c being their correlation.
    """
    from lft.counting.audit.power import clips_needed, seeds_needed, with_replicates

    differences = (
        [difference] if difference is not None else [0.02, 0.05, 0.1, 0.2] if accuracy is None else []
    )
    accuracies = (
        [accuracy] if accuracy is not None else [0.5, 0.6, 0.7, 0.9, 0.95] if difference is None else []
    )
    document = {
        "clips": [
            {
                "difference": d,
                "power": wanted,
                "alpha": alpha,
                "clips": with_replicates(
                    clips_needed(d, discordant=discordant, power=wanted, alpha=alpha), replicates, correlation
                ),
            }
            for d in differences
        ],
        "seeds": [
            {
                "accuracy": a,
                "tau": tau,
                "certainty": certainty,
                "cells": cells,
                "seeds": with_replicates(
                    seeds_needed(a, tau=tau, certainty=certainty, cells=cells), replicates, correlation
                ),
            }
            for a in accuracies
        ],
    }
    if as_json:
        click.echo(json.dumps(document))
        return
    each = f", asked {replicates} times each" if replicates > 1 else ""
    for row in document["clips"]:
        clips = row["clips"] or "more than 20,000"
        click.echo(
            f"a difference of {row['difference']:g} is found with probability {wanted:g} on {clips} clips{each}"
        )
    for row in document["seeds"]:
        seeds = row["seeds"] or "more than 2,000"
        many = f"{cells} cells" if cells > 1 else "a cell"
        click.echo(
            f"{many} of true accuracy {row['accuracy']:g}: on the right side of {tau:g} with probability "
            f"{certainty:g} from {seeds} seeds on{each}"
        )
