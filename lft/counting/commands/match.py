"""`lft match`: pairs reported times with true times."""

from __future__ import annotations

import json
from pathlib import Path

import click

from lft.core.errors import InputError, shown
from lft.core.files import read_text


@click.command()
@click.option(
    "--true",
    "true_list",
    required=True,
    help="True times in seconds, such as 1.0,2.0, or @FILE; may be empty.",
)
@click.option(
    "--reported", "reported_list", required=True, help="Reported times in seconds, or @FILE; may be empty."
)
@click.option("--tolerance", required=True, help="Half-width of the window in seconds, ends included.")
@click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout.")
def match(true_list: str, reported_list: str, tolerance: str, as_json: bool) -> None:
    """Pair reported times with true ones.

    In the JSON document a pair is [reported index, true index, deviation in seconds]; precision and the other
    rates are null where there is no true event. Lists too long for a command line are read from a file, @FILE, with
    commas, spaces or line ends between the times.
    """
    from lft.counting.evaluate import evaluate

    true_s, reported_s = times_of("--true", true_list), times_of("--reported", reported_list)
    width_s = times_of("--tolerance", tolerance)
    if len(width_s) != 1:
        raise InputError(
            f"{shown(tolerance)} is not one number", where="--tolerance", expected="seconds such as 0.25"
        )
    found = evaluate(true_s, reported_s, width_s[0])
    rates = {name: getattr(found, name) for name in ("precision", "recall", "f1", "vor")}
    if as_json:
        click.echo(json.dumps({"pairs": found.pairs, **rates}))
        return
    for pair in found.pairs:
        reported, true = reported_s[pair.reported_index], true_s[pair.true_index]
        click.echo(f"{reported:g} s for {true:g} s, {pair.deviation_s:g} s apart")
    click.echo("  ".join(f"{k} {'-' if v is None else f'{v:.3f}'}" for k, v in rates.items()))


def times_of(option: str, text: str) -> list[float]:
    """Seconds separated by commas, or in the file of `@FILE`; raises `InputError` for other text."""
    if text.startswith("@"):
        text = ",".join(read_text(Path(text[1:])).replace(",", " ").split())
    times_s = []
    for part in text.split(",") if text.strip() else []:
        try:
            times_s.append(float(part))
        except ValueError:
            raise InputError(
                f"{shown(part)} is not a number", where=option, expected="seconds such as 1.0,2.5"
            ) from None
    return times_s
