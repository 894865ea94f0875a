"""`lft frontier`: count and frequency frontiers of a surface file or of a run."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

import click

from lft.core.errors import InputError
from lft.core.records import Entries, JsonObject
from lft.core.terminal import condition_line, printable, table
from lft.counting.commands.options import RULES

if TYPE_CHECKING:
    import pandas as pd

    from lft.counting.cells import Surface


@click.command()
@click.argument("source", metavar="SURFACE.csv|RUN", type=click.Path(path_type=Path))
@click.option(
    "--tau", type=float, default=0.8, show_default=True, help="Accuracy that counts as reliable, inclusive."
)
@click.option("--rule", type=RULES, default="ledger", show_default=True, help="Extraction rule of a run.")
@click.option("--clips", type=click.Path(path_type=Path), help="Current folder of the run's clips.")
@click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout.")
def frontier(source: Path, tau: float, rule: str, clips: Path | None, as_json: bool) -> None:
    """Count and frequency frontiers of a surface file, or of a run.

    The count frontier at a frequency is the largest count whose accuracy, and that of every smaller one,
    reaches tau: `below` if the first fails, `undetermined` (? in the table) if a cell before the first failure was not
    measured. Accuracy is that of the final answers, which does not depend on the tolerance. If the number of answers
    per cell is known, each count frontier has a 95 % posterior interval and the frontier expected of another run of
    the same size.
    """
    from lft.counting.frontier import checked_tau, frontiers_json

    checked_tau(tau)
    surface = _surface(source, rule, clips)
    if as_json:
        document = frontiers_json(surface.frontiers(tau))
        for (model, domain), sure in zip(surface.frontiers(tau), _sure(surface, tau), strict=True):
            if sure:
                document[model][domain]["certainty"] = sure
        click.echo(json.dumps(document))
        return
    click.echo(_text(surface, tau))


def _surface(source: Path, rule: str, clips: Path | None) -> Surface:
    from lft.core.runs import RUNS, Run
    from lft.counting.cells import Surface
    from lft.counting.clips import traces_of
    from lft.counting.scores import frame, score_run

    named = source.name == str(source) and (RUNS / source).is_dir()  # a run by its name
    if source.is_file() or not (source.is_dir() or named):
        return Surface.read_csv(source)
    run = Run.open(source)
    scores = frame(score_run(run, traces_of(run, clips), rule=rule, audited=False))
    if scores.empty:
        raise InputError("has no trials", where=run.folder, expected="a run of `lft sweep`")
    return Surface.of_scores(scores)


def _sure(surface: Surface, tau: float) -> list[JsonObject | None]:
    """For each surface in the order of `by_condition`, by frequency: interval of the true count frontier (`lower`,
    `upper`; 0 is below), expected frontier of a repeat (`repeat`), and probability that it is too low (`p_too_low`).
    None if the number of answers per cell is unknown.
    """
    from lft.counting.audit.certainty import frontier_certainty
    from lft.counting.reporting.surface_certainty import expected, span

    found: list[JsonObject | None] = []
    for _, cells, _ in surface.by_condition(tau):
        if not _trials(cells).sum() or "n" not in cells:
            found.append(None)
            continue
        sure = frontier_certainty(cells, tau)
        rows = {}
        for frequency, shares in sure.count.items():
            low, high = span(shares)
            rows[str(frequency)] = {
                "lower": low,
                "upper": high,
                "repeat": round(expected(sure.repeat.count[frequency]), 2),
                "p_too_low": round(sure.too_low[frequency], 3),
            }
        found.append({"count": rows})
    return found


def _text(surface: Surface, tau: float) -> str:
    blocks = []
    words = set[str]()
    sizes = set[int]()
    low: list[float] = []
    sures = iter(_sure(surface, tau))
    for heading, group in groupby(surface.by_condition(tau), key=lambda one: condition_line(one[0])):
        known = [(one, sure) for one, sure in ((one, next(sures)) for one in group) if one[2].count]
        found = [one for one, _ in known]
        if not found:
            blocks.append(f"{heading}\n\nno clips with events, so no frontier")
            continue
        trials = {int(n) for _, cells, _ in found for n in _trials(cells)}
        sizes |= trials
        lines = [heading + (f"  ({_span(trials)} a cell)" if trials else "")]
        for axis in ("count", "frequency"):
            reaches = [(g["domain"], getattr(reach, axis)) for g, _, reach in found]
            words |= {str(value) for _, values in reaches for value in values.values()}
            if axis == "count":
                reaches = _with_certainty(reaches, [sure for _, sure in known])
                low += [row["p_too_low"] for _, sure in known if sure for row in sure["count"].values()]
            lines.append(_axis(axis, reaches))
        blocks.append("\n\n".join(lines))
    notes = [f"tau {tau:g}"]
    notes += ["below: the first cell fails"] if "below" in words else []
    notes += ["?: undetermined, a needed cell was not measured"] if "undetermined" in words else []
    blocks.append("; ".join(notes) + _how_low(low) + _how_weak(sizes, tau))
    return "\n\n".join(blocks)


def _axis(axis: str, reaches: Sequence[tuple[str, Mapping[float, object]]]) -> str:
    places = sorted({at for _, values in reaches for at in values})
    if axis == "count":
        head = ["largest N at", *(f"{at:g} Hz" for at in places)]
    else:
        head = ["highest Hz at", *(f"N={at}" for at in places)]
    rows = [[printable(domain), *(_value(values.get(at)) for at in places)] for domain, values in reaches]
    return table(head, rows)


def _with_certainty(
    reaches: Sequence[tuple[str, Mapping[float, object]]], sures: Sequence[Entries | None]
) -> list[tuple[str, Mapping[float, object]]]:
    """The rows of the table; below each domain its interval and the expected repeat."""
    rows: list[tuple[str, Mapping[float, object]]] = []
    for (domain, values), sure in zip(reaches, sures, strict=True):
        rows.append((domain, values))
        if sure:
            by = {float(at): one for at, one in sure["count"].items()}
            rows.append(("  95 %", {at: f"{one['lower']:g}-{one['upper']:g}" for at, one in by.items()}))
            rows.append(("  repeat", {at: f"{one['repeat']:.1f}" for at, one in by.items()}))
    return rows


def _how_low(low: Sequence[float]) -> str:
    if not low:
        return ""
    return (
        "\n95 %: interval of the true frontier; repeat: expected frontier of another run"
        f"\nof this size. It would be below the true one in {100 * sum(low) / len(low):.0f} % of the cases, on"
        "\naverage over the table: one unlucky cell ends a frontier."
    )


def _value(value: object) -> str:
    if value is None:
        return "-"
    if isinstance(value, str):
        return "?" if value == "undetermined" else value
    return f"{value:g}"


def _trials(cells: pd.DataFrame) -> pd.Series[int]:
    """The number of trials of each cell, if known."""
    part = cells[(cells["count"] > 0) & cells["n"].notna() & (cells["n"] > 0)] if "n" in cells else cells[:0]
    return part["n"] if "n" in part else part["count"]


def _span(sizes: set[int]) -> str:
    low, high = min(sizes), max(sizes)
    return f"{low if low == high else f'{low} to {high}'} {'trial' if high == 1 else 'trials'}"


def _how_weak(sizes: set[int], tau: float) -> str:
    """The uncertainty of the smallest cell even if every answer is right."""
    from lft.core.stats import wilson_pair

    bound = wilson_pair(min(sizes), min(sizes)) if sizes else None
    if bound is None or bound[0] >= tau:
        return ""
    n = min(sizes)
    return (
        f"\nweak: {n} of {n} right leaves a true accuracy of {bound[0]:.2f} possible (95 %), so another"
        "\nclip may move a frontier. `lft audit RUN` gives the certainty of each frontier,"
        "\n`lft power --accuracy 0.9` the number of seeds needed."
    )
