"""`lft match`, `lft score`, `lft frontier`: from answers to pairs, scores and frontiers."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from lft.core.errors import InputError, RunIncomplete, shown

if TYPE_CHECKING:
    import pandas as pd

    from lft.counting.cells import Surface

_RULE = click.option(
    "--rule", default="ledger", show_default=True, help="Extraction rule: ledger or mentions."
)


@click.command()
@click.option(
    "--true", "true_list", required=True, help="True times in seconds, such as 1.0,2.0; may be empty."
)
@click.option("--reported", "reported_list", required=True, help="Reported times in seconds; may be empty.")
@click.option("--tolerance", required=True, help="Half-width of the window in seconds, ends included.")
@click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout.")
def match(true_list: str, reported_list: str, tolerance: str, as_json: bool) -> None:
    """Pair reported times with true ones.

    In the JSON document a pair is [reported index, true index, deviation in seconds]; precision and the other
    rates are null where there is no true event.
    """
    from lft.counting.match import match as pair_up
    from lft.counting.metrics import score_matching

    true_s, reported_s = _times("--true", true_list), _times("--reported", reported_list)
    width_s = _times("--tolerance", tolerance)
    if len(width_s) != 1:
        raise InputError(
            f"{shown(tolerance)} is not one number", where="--tolerance", remedy="seconds such as 0.25"
        )
    matching = pair_up(true_s, reported_s, width_s[0])
    found = score_matching(matching, len(true_s), len(reported_s), None)
    document = {
        "pairs": [[p.reported_index, p.true_index, p.deviation_s] for p in matching.pairs],
        "precision": found.precision,
        "recall": found.recall,
        "f1": found.f1,
        "vor": found.vor,
    }
    if as_json:
        click.echo(json.dumps(document))
        return
    for pair in matching.pairs:
        reported, true = reported_s[pair.reported_index], true_s[pair.true_index]
        click.echo(f"{reported:g} s for {true:g} s, {pair.deviation_s:g} s apart")
    rates = {name: document[name] for name in ("precision", "recall", "f1", "vor")}
    click.echo("  ".join(f"{k} {'-' if v is None else f'{v:.3f}'}" for k, v in rates.items()))


@click.command()
@click.argument("run", type=click.Path(path_type=Path))
@_RULE
@click.option("--tolerance", default="rate", show_default=True, help="rate (1 / 2F) or a number of seconds.")
@click.option(
    "--clips", "clips_folder", type=click.Path(path_type=Path), help="Where the run's clips are now."
)
@click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout.")
def score(run: Path, rule: str, tolerance: str, clips_folder: Path | None, as_json: bool) -> None:
    """Score a run: writes its scores.csv and summary.json, prints the summary.

    Exit status 1 if trials are missing: what is there is scored, missing ones are counted, never scored as
    wrong.
    """
    from lft.core.files import write_json
    from lft.core.runs import Run
    from lft.counting.metrics import tolerance_s
    from lft.counting.scores import frame, score_run, traces_of, write_scores
    from lft.counting.summary import summarise

    tolerance_s(tolerance, 1.0)
    opened = Run.open(run)
    run = opened.folder
    rows = list(score_run(opened, traces_of(opened, clips_folder), rule=rule, tolerance=tolerance))
    if not rows:
        raise InputError("has no trials", where=run, remedy="a run of `lft sweep`")
    write_scores(run / "scores.csv", rows)
    conditions = summarise(frame(rows))
    document = {"run": run.name, "rule": rule, "tolerance": tolerance, "conditions": conditions}
    write_json(run / "summary.json", document)
    if as_json:
        click.echo(json.dumps(document))
    else:
        _print_summary(document)
        _print_bins(document)
        click.echo(f"{run / 'scores.csv'}\n{run / 'summary.json'}")
    missing = sum(condition["all"]["n_missing"] for condition in conditions)
    if missing:
        raise RunIncomplete(
            f"{missing} of {len(rows)} trials have no answer; the same `lft sweep` asks them again"
        )


@click.command()
@click.argument("source", metavar="SURFACE.csv|RUN", type=click.Path(path_type=Path))
@click.option(
    "--tau", type=float, default=0.8, show_default=True, help="Accuracy that counts as reliable, inclusive."
)
@_RULE
@click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout.")
def frontier(source: Path, tau: float, rule: str, as_json: bool) -> None:
    """Count and frequency frontiers of a surface file, or of a run.

    The count frontier at a frequency is the largest count whose accuracy, and that of every smaller one,
    reaches tau: `below` if the first fails, `undetermined` if a cell that is needed was not measured.
    """
    from lft.counting.frontier import checked_tau, frontiers_json

    checked_tau(tau)
    document = frontiers_json(_surface(source, rule).frontiers(tau))
    if as_json:
        click.echo(json.dumps(document))
        return
    for model, domains in document.items():
        for domain, found in domains.items():
            _print_frontier(model, domain, found)


def _surface(source: Path, rule: str) -> Surface:
    from lft.counting.cells import Surface

    if not source.is_dir():
        return Surface.read_csv(source)
    return Surface.of_scores(_scores(source, rule))


def _scores(run: Path, rule: str) -> pd.DataFrame:
    from lft.core.runs import Run
    from lft.counting.scores import frame, score_run, traces_of

    opened = Run.open(run)
    return frame(score_run(opened, traces_of(opened), rule=rule, audited=False))


def _times(option: str, text: str) -> list[float]:
    times_s = []
    for part in text.split(",") if text.strip() else []:
        try:
            times_s.append(float(part))
        except ValueError:
            raise InputError(
                f"{shown(part)} is not a number", where=option, remedy="seconds such as 1.0,2.5"
            ) from None
    return times_s


_COLUMNS = {
    "EM %": "em",
    "95 %": "em_interval",
    "ceiling %": "ceiling_correct",
    "P %": "precision",
    "R %": "recall",
    "F1 %": "f1",
    "chance %": "chance_f1",
    "skill %": "skill_f1",
    "ACR %": "acr",
    "RFR %": "rfr",
}


def _print_summary(document: Mapping[str, Any]) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table

    console = Console(width=None if Console().is_terminal else 132)
    for condition in document["conditions"]:
        axes = " · ".join(
            condition[axis] for axis in ("model", "sampling", "labels", "prompt") if condition[axis]
        )
        rules = f"rule {document['rule']}, tolerance {document['tolerance']}"
        table = Table(title=f"{axes}  ({rules})", title_justify="left", box=box.SIMPLE, padding=0)
        table.add_column("domain")
        for name in ("n", "missing", *_COLUMNS, "VOR", "false alarms"):
            table.add_column(name, justify="right")
        rows = [*condition["domains"].items(), ("all", condition["all"])]
        for domain, row in rows:
            rates = [
                _interval(row[key]) if key == "em_interval" else _percent(row.get(key))
                for key in _COLUMNS.values()
            ]
            alarms = f"{_percent(row['false_alarm_rate'])} % of {row['n_empty']}" if row["n_empty"] else "-"
            vor = "-" if row["vor"] is None else f"{row['vor']:.2f}"
            table.add_row(domain, str(row["n"]), _missing(row), *rates, vor, alarms)
        console.print(table)
        causes = {cause: k for cause, k in condition["all"].get("causes", {}).items() if k}
        if causes:
            click.echo("wrong answers: " + ", ".join(f"{k} {cause}" for cause, k in causes.items()))
    click.echo(
        "EM over all clips with its Wilson interval, the rest over clips with events. Ceiling: exact counts that "
        "the supplied frames allow.\nChance: F1 of as many random times over the true active span; skill: F1 beyond it."
    )


def _print_bins(document: Mapping[str, Any]) -> None:
    """By how much there was to count, where videos were imported: their counts are many and few of each."""
    from lft.counting.bins import as_text
    from lft.counting.spec import DOMAINS

    for condition in document["conditions"]:
        if set(condition["domains"]) - set(DOMAINS):
            axes = " · ".join(condition[a] for a in ("model", "sampling", "labels", "prompt") if condition[a])
            click.echo(f"{axes}, by count\n{as_text(condition['bins'])}")


def _interval(value: Sequence[float] | None) -> str:
    return "-" if value is None else "–".join(_percent(x) for x in value)


def _missing(row: Mapping[str, Any]) -> str:
    others = (("n_not_applicable", "n/a"), ("n_not_asked", "not asked"))
    return " + ".join([str(row["n_missing"]), *(f"{row[key]} {words}" for key, words in others if row[key])])


def _percent(value: float | None) -> str:
    return "-" if value is None else f"{100 * value:.1f}"


def _print_frontier(model: str, domain: str, found: Mapping[str, Mapping[str, Any]]) -> None:
    click.echo(f"{model}, {domain}")
    click.echo("  largest count at     " + "  ".join(f"{f} Hz: {n}" for f, n in found["count"].items()))
    click.echo("  highest frequency at " + "  ".join(f"N={n}: {f}" for n, f in found["frequency"].items()))
