"""`lft judge`: another model's opinion of why episodes failed, and how far it agrees with people."""

from __future__ import annotations

import itertools
import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import click

from lft.agents.agreement import Agreement, agreement
from lft.agents.commands.asking import asked, episodes_of, options_of_asking
from lft.core.errors import InputError, RunIncomplete
from lft.core.records import Entries
from lft.core.terminal import plural, printable, table

Labels = Mapping[str, Mapping[str, str]]  # episode -> label -> word


@click.command()
@click.argument("run_folder", metavar="RUN", type=click.Path(path_type=Path))
@click.option("--model", "model_spec", required=True, help="The judge, such as gemini:NAME?temperature=0.")
@click.option(
    "--human",
    type=click.Path(path_type=Path),
    help="CSV or JSON lines: trial, rule, strategy, stage, and rater if several.",
)
@click.option("--every", is_flag=True, help="Judge the episodes that passed, too.")
@click.option("--no-pictures", is_flag=True, help="Show words alone.")
@options_of_asking("the judge costs")
def judge(
    run_folder: Path,
    model_spec: str,
    human: Path | None,
    every: bool,
    no_pictures: bool,
    words: str,
    concurrency: int | None,
    max_cost: float | None,
    as_json: bool,
) -> None:
    """Ask a model why the failed episodes of a run failed, in two independent requests an episode.

    The answers are kept in RUN/judge/MODEL, a run as any other; the same command again asks what is missing. Writes
    labels.csv and summary.json there. With --human, agreement with people: exact and Cohen's kappa, with intervals from
    10,000 resamples of environments. Exit status 1 if requests are missing.
    """
    from lft import suites
    from lft.agents import judge as judging
    from lft.core import models
    from lft.core.files import write_json, write_text
    from lft.core.rows import rows_of
    from lft.core.scoring import csv_text

    run = episodes_of(run_folder, "judge")
    model = models.load(model_spec, suites.providers())
    takes_schema = bool(getattr(model, "takes_schema", False))
    study = judging.JudgeStudy(run, words, every=every, pictures=not no_pictures, takes_schema=takes_schema)
    episodes, people = run.episodes(), {}
    if human is not None:
        people = judging.labels_by_people(
            rows_of(human), episodes, judging.allowed(study.schemas), where=human
        )
    if not study.trials(model.name):
        what = "no episode has ended yet" if every else "no episode that failed"
        raise InputError(what, where=run.folder, remedy="lft judge --every, after lft sweep")
    judged, result = asked(
        study,
        model,
        model_spec,
        run.folder / "judge",
        doing="judging",
        concurrency=concurrency,
        max_cost=max_cost,
    )
    folder = judged.folder
    labels = judging.labels_of(judged)
    ends = Counter(str(one.end) for one in judged.episodes().values() if one.is_complete)
    counts = {
        name: dict(Counter(one[name] for one in labels.values() if name in one).most_common())
        for name in judging.LABELS
    }
    environment_of = {trial: str(one.key["task"]).partition("/")[0] for trial, one in episodes.items()}
    document = {
        "run": str(run.folder), "judge": str(folder), "model": model.name, "episodes": len(study.episodes),
        "ends": dict(ends), "missing": result["missing"], "cost_usd": result["cost_usd"], "labels": counts,
        "agreement": {
            name: _entry(compared(labels, people, name, environment_of)) for name in judging.LABELS
        } if people else None,
        "between_people": {
            name: _entry(among(people, name, environment_of)) for name in judging.LABELS
        } if len(people) > 1 else None,
    }  # fmt: skip
    lines = [{"trial": trial, **one} for trial, one in labels.items()]
    write_text(folder / "labels.csv", csv_text(lines, ("trial", *judging.LABELS)))
    write_json(folder / "summary.json", document)
    click.echo(json.dumps(document) if as_json else _said(document))
    if result["missing"]:
        raise RunIncomplete(result["stopped"] or "")


def compared(
    labels: Labels, people: Mapping[str, Labels], name: str, environment_of: Mapping[str, str]
) -> Agreement | None:
    """The judge against every person, on the episodes that both labelled."""
    return agreement(
        [
            (environment_of[trial], labels[trial][name], one[name])
            for rater in people.values()
            for trial, one in rater.items()
            if name in one and name in labels.get(trial, {})
        ]
    )


def among(people: Mapping[str, Labels], name: str, environment_of: Mapping[str, str]) -> Agreement | None:
    """Each two people against one another."""
    return agreement(
        [
            (environment_of[trial], label[name], second[trial][name])
            for first, second in itertools.combinations(people.values(), 2)
            for trial, label in first.items()
            if name in label and name in second.get(trial, {})
        ]
    )


def _entry(found: Agreement | None) -> dict[str, object] | None:
    return found.to_json() if found else None


def _said(document: Entries) -> str:
    ends = ", ".join(f"{how} {k}" for how, k in document["ends"].items())
    lines = [
        f"{plural(document['episodes'], 'episode')} judged by {printable(document['model'])}: {ends}",
        "",
    ]
    rows = [
        [name, ", ".join(f"{word} {k}" for word, k in counts.items()) or "-"]
        for name, counts in document["labels"].items()
    ]
    lines += [f"{name.ljust(9)} {counts}" for name, counts in rows]
    for title, key in (
        ("agreement with people", "agreement"),
        ("people among themselves", "between_people"),
    ):
        if document[key]:
            head = [title, "n", "environments", "exact %", "kappa"]
            lines += ["", table(head, [_row(name, one) for name, one in document[key].items()])]
    lines += ["", f"labels   {document['judge']}/labels.csv", f"summary  {document['judge']}/summary.json"]
    if document["missing"]:
        lines.append(f"{document['missing']} requests are missing; the same command asks them again")
    return "\n".join(lines)


def _row(name: str, one: Entries | None) -> list[str]:
    if one is None:
        return [name, "0", "-", "-", "-"]
    exact = _with_interval(100 * one["exact"], one["exact_interval"], 100, 1)
    kappa = "-" if one["kappa"] is None else _with_interval(one["kappa"], one["kappa_interval"], 1, 2)
    return [name, str(one["n"]), str(one["clusters"]), exact, kappa]


def _with_interval(value: float, interval: tuple[float, float] | None, times: int, digits: int) -> str:
    if interval is None:
        return f"{value:.{digits}f}"
    low, high = (f"{times * end:.{digits}f}" for end in interval)
    return f"{value:.{digits}f} [{low}–{high}]"
