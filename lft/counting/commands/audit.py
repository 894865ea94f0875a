"""`lft audit` for counting runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from lft.core.suite import Options, Told

if TYPE_CHECKING:
    from lft.core.runs import Run


def audited(runs: Sequence[Run], out: Path | None, options: Options) -> Told:
    """The most important results, or every table; writes the tables as files."""
    import pandas as pd

    from lft.core.files import write_text
    from lft.core.scoring import guarded
    from lft.counting.audit.findings import gather
    from lft.counting.commands.audit_tables import tables
    from lft.counting.commands.audit_words import ranked
    from lft.counting.frontier import checked_tau

    tau, against = options["tau"], options["against"]
    checked_tau(tau)
    found = gather(
        list(runs),
        tau,
        against.split() if against else None,
        options["clips_folder"],
        not options["no_sensitivity"],
        options["draws"],
        say=lambda told: click.echo(f"lft audit: {told}", err=True),
    )
    folder = out or runs[0].folder / "audit"
    for name, rows in found.items():
        if rows:
            safe = [{k: guarded(v) if isinstance(v, str) else v for k, v in row.items()} for row in rows]
            write_text(folder / f"{name}.csv", pd.DataFrame(safe).to_csv(index=False, float_format="%.6g"))
    lines = [*(tables(found, tau) if options["everything"] else ranked(found, tau))]
    return Told(
        {name: _plain(table) for name, table in found.items()},
        "\n".join([*lines, f"tables   {folder}/*.csv"]),
    )


def _plain(value: object) -> object:
    """Values for JSON: without NaN, infinity and numpy scalars."""
    import math

    if isinstance(value, Mapping):
        return {str(k): _plain(v) for k, v in value.items()}
    if isinstance(value, list):
        return [_plain(v) for v in value]
    if hasattr(value, "item"):
        value = value.item()
    return None if isinstance(value, float) and not math.isfinite(value) else value
