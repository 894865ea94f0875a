"""`lft probe`: what a model knows at steps of its episodes, beside what it did."""

from __future__ import annotations

import json
from pathlib import Path

import click

from lft.agents.commands.asking import asked, episodes_of, options_of_asking
from lft.core.errors import InputError, RunIncomplete
from lft.core.records import Entries
from lft.core.terminal import table

_STAGES = ("rules", "state", "plan")


@click.command()
@click.argument("run_folder", metavar="RUN", type=click.Path(path_type=Path))
@click.option("--model", "model_spec", required=True, help="The model that played, with the same options.")
@click.option(
    "--stage", "stages", multiple=True, type=click.Choice(_STAGES), help="Only this one; by default all."
)
@click.option(
    "--steps", type=click.IntRange(1, 100), default=3, show_default=True, help="Steps of an episode."
)
@options_of_asking("the probes cost")
def probe(
    run_folder: Path,
    model_spec: str,
    stages: tuple[str, ...],
    steps: int,
    words: str,
    concurrency: int | None,
    max_cost: float | None,
    as_json: bool,
) -> None:
    """Ask a model at steps of its episodes what it knows: rules, state, plan.

    Each question is asked in a copy of the recorded conversation; the episode stays as it is. The answers are kept in
    RUN/probes/MODEL, a run as any other; the same command again asks what is missing. Exit status 1 if some are.
    """
    from lft import suites
    from lft.agents.probes import ProbeStudy, summary
    from lft.core import models
    from lft.core.files import write_json

    run = episodes_of(run_folder, "probe")
    study = ProbeStudy(run, words, stages or _STAGES, steps)
    model = models.load(model_spec, suites.providers())
    if not study.trials(model.name):
        raise InputError("nothing to ask about", where=run.folder, expected="a run with finished episodes")
    probes, result = asked(
        study,
        model,
        model_spec,
        run.folder / "probes",
        doing="probing",
        concurrency=concurrency,
        max_cost=max_cost,
    )
    document = {
        "run": str(run.folder), "probes": str(probes.folder), "model": model.name,
        "missing": result["missing"], "cost_usd": result["cost_usd"], "stages": summary(probes),
    }  # fmt: skip
    write_json(probes.folder / "summary.json", document)
    click.echo(json.dumps(document) if as_json else _said(document))
    if result["missing"]:
        raise RunIncomplete(result["stopped"] or "")


def _said(document: Entries) -> str:
    head = ["stage", "n", "right %", "chance %", "regret", "unreadable", "n/a"]
    rows = []
    for one in document["stages"]:
        right = "-"
        if one["accuracy"] is not None:
            right = "{:.1f} [{:.1f}–{:.1f}]".format(*(100 * one[k] for k in ("accuracy", "lower", "upper")))
        chance = "-" if one["chance"] is None else f"{100 * one['chance']:.1f}"
        regret = "-" if one["regret"] is None else f"{one['regret']:.1f}"
        rows.append(
            [
                one["stage"],
                str(one["n"]),
                right,
                chance,
                regret,
                str(one["unreadable"]),
                str(one["not_applicable"]),
            ]
        )
    lines = [table(head, rows), "", f"summary  {document['probes']}/summary.json"]
    if document["missing"]:
        lines.append(f"{document['missing']} probes are missing; the same command asks them again")
    return "\n".join(lines)
