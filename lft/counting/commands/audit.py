"""`lft audit`: how sure the results of scored runs are, and how much they depend on choices."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import click


@click.command()
@click.argument("runs", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--tau", type=float, default=0.8, show_default=True, help="Accuracy that counts as reliable, inclusive."
)
@click.option(
    "--against", help="Condition to compare with: 'SAMPLING LABELS PROMPT'. Default: each model's first."
)
@click.option(
    "--clips", "clips_folder", type=click.Path(path_type=Path), help="Where the runs' clips are now."
)
@click.option(
    "--no-sensitivity", is_flag=True, help="Leave out tolerance x rule, which scores every answer anew."
)
@click.option("--draws", type=click.IntRange(100), default=2000, show_default=True, help="Resamples.")
@click.option(
    "--out", type=click.Path(path_type=Path), help="Folder for the tables; default: audit/ in the first run."
)
@click.option("--all", "everything", is_flag=True, help="Print every table, not only what decides.")
@click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout.")
def audit(
    runs: tuple[Path, ...],
    tau: float,
    against: str | None,
    clips_folder: Path | None,
    no_sensitivity: bool,
    draws: int,
    out: Path | None,
    everything: bool,
    as_json: bool,
) -> None:
    """How sure the results of scored runs are, and how much they depend on choices.

    Prints what decides first: the comparisons that are sure, the rates of each condition, the faults that are sure,
    and the results that turn on a choice or on a single clip.

    Writes pooled.csv (rates with their intervals, EM beside what guesses reach), error_model.csv (misses, inventions,
    jitter and mis-adding, for all frequencies and at each), comparisons.csv and models.csv (conditions and models
    compared on the same clips by paired exact tests, Holm-corrected), cells.csv (with the probability that each truly
    reaches tau), frontiers.csv (their distribution), psychometric.csv (50 % and 80 % contours, and whether the surface
    fits), sensitivity.csv.
    """
    from lft.core.files import write_text
    from lft.core.runs import Run
    from lft.core.scoring import guarded
    from lft.counting.audit.findings import gather
    from lft.counting.commands.audit_tables import tables
    from lft.counting.commands.audit_words import ranked
    from lft.counting.frontier import checked_tau

    checked_tau(tau)
    opened = [Run.open(run) for run in runs]
    found = gather(
        opened,
        tau,
        against.split() if against else None,
        clips_folder,
        not no_sensitivity,
        draws,
        say=lambda told: click.echo(f"lft audit: {told}", err=True),
    )
    folder = out or opened[0].folder / "audit"
    import pandas as pd

    for name, rows in found.items():
        if rows:
            safe = [{k: guarded(v) if isinstance(v, str) else v for k, v in row.items()} for row in rows]
            write_text(folder / f"{name}.csv", pd.DataFrame(safe).to_csv(index=False, float_format="%.6g"))
    if as_json:
        click.echo(json.dumps(_plain(found)))
        return
    for line in tables(found, tau) if everything else ranked(found, tau):
        click.echo(line)
    click.echo(f"tables   {folder}/*.csv")


def _plain(value: object) -> object:
    """Without NaN, infinity and numpy's scalars, which JSON has no words for."""
    import math

    if isinstance(value, Mapping):
        return {str(k): _plain(v) for k, v in value.items()}
    if isinstance(value, list):
        return [_plain(v) for v in value]
    if hasattr(value, "item"):
        value = value.item()
    return None if isinstance(value, float) and not math.isfinite(value) else value
