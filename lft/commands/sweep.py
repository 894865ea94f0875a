"""`lft sweep`: ask a model about the trials of an experiment."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from lft import suites
from lft.commands.dispatch import SweepCommand, defaults
from lft.core.errors import InputError, RunIncomplete, shown
from lft.core.planning import condition_of
from lft.core.records import Entries, Failure, Line
from lft.core.run_names import run_folder, slug
from lft.core.runs import Run
from lft.core.suite import Study, Suite
from lft.core.terminal import FiniteRange, not_applicable_lines, printable, printable_lines
from lft.core.trials import Trial

if TYPE_CHECKING:
    from lft.core.runs import Tally


@click.command(cls=SweepCommand)
@click.argument("sweep_name", metavar="SWEEP")
@click.option(
    "--model", "model_spec", required=True, help="Model spec, such as observer or gemini:NAME?temperature=0."
)
@click.option("--run", "run_name", help="Name of the run, or a path; the same name again resumes it.")
@click.option("--concurrency", type=click.IntRange(1, 1024), help="Calls in flight at most.")
@click.option("--rate-limit", help="Most calls started per minute, such as 60/min.")
@click.option("--max-cost", type=FiniteRange(0, min_open=True), help="Stop before the run costs more USD.")
@click.option(
    "--patience", help="How long the provider may be down before the sweep stops, such as 2h, 30m or 90s."
)
@click.option(
    "--retry",
    help="Failed trials to ask again, by kind: not-applicable, truncated, blocked, "
    "refused, rejected, unfinished. By default all but not-applicable.",
)
@click.option("--limit", type=click.IntRange(1), help="Only the first N trials.")
@click.option(
    "--batch",
    is_flag=True,
    help="Use the provider's batch jobs: cheaper, answers within a day (Gemini, OpenAI).",
)
@click.option("--cancel-batch", is_flag=True, help="Cancel the run's batch jobs; their answers are kept.")
@click.option(
    "--poll",
    type=FiniteRange(0.1, 3600),
    default=30.0,
    show_default=True,
    help="Seconds between polls of a batch job.",
)
@click.option("--preview", is_flag=True, help="Ask only one trial, and show it in full.")
@click.option("--dry-run", is_flag=True, help="Print the trials; ask nothing.")
@click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout.")
def sweep(
    sweep_name: str,
    model_spec: str,
    run_name: str | None,
    concurrency: int | None,
    rate_limit: str | None,
    max_cost: float | None,
    patience: str | None,
    retry: str | None,
    limit: int | None,
    batch: bool,
    cancel_batch: bool,
    poll: float,
    preview: bool,
    dry_run: bool,
    as_json: bool,
    **options: object,
) -> None:
    """Ask a model about the trials of an experiment.

    SWEEP is the name of a file in sweeps/ or a path. Answers are stored in the run folder; the same command again asks
    only missing trials.
    """
    from lft.core import models
    from lft.core.ask import Limits
    from lft.core.failure_kinds import checked_kinds
    from lft.core.progress import Progress
    from lft.core.run_sweep import conduct

    batch = batch or cancel_batch
    suite, study = study_of(sweep_name, options)
    if preview and (batch or study.is_adaptive):
        raise InputError(
            "--preview asks a single trial directly", remedy="--preview without --batch or --until-frontier"
        )
    if batch and (max_cost is not None or study.is_adaptive):
        raise InputError(
            "--batch asks everything at once, without a budget or a frontier",
            remedy="--limit N, or without --batch",
        )
    if dry_run:
        planned = study.trials(model_spec)[:limit]
        _remark(study, planned)
        _print_plan(suite, study, planned, as_json)
        return
    model = models.load(model_spec, suites.providers(), **study.context())
    planned, beside = study.trials(model.name)[:limit], ""
    if preview:
        planned, beside = suite.preview(study, planned)
    _remark(study, planned)
    limits = Limits(
        concurrency=int(concurrency or getattr(model, "concurrency", None) or 4),
        per_minute=_per_minute(rate_limit),
        max_cost_usd=max_cost,
        patience_s=_seconds(patience),
        retry=None if retry is None else checked_kinds(filter(None, retry.split(","))),
    )
    target = run_folder(run_name or f"{study.name}-{slug(model.name)}")
    errors: list[Failure] = []
    with Progress("asking", total=len(planned)) as progress:

        def seen(tally: Tally, trial: Trial, line: Line) -> None:
            errors.extend(filter(None, [line.get("error")]))
            progress.update(tally.kept + tally.answered + tally.not_applicable, _so_far(tally))

        def waiting(tally: Tally) -> None:
            progress.update(tally.kept + tally.answered + tally.not_applicable, printable(tally.waiting))

        result = conduct(
            target, suite.name, study, model, planned, limits, model_spec=model_spec, seen=seen, waiting=waiting,
            batch=(lambda line: click.echo(printable(line), err=True)) if batch else None,
            poll_s=poll, cancel_batch=cancel_batch,
        )  # fmt: skip
    if preview and not as_json:
        click.echo(f"{_shown(suite, target, planned[0].id, options)}\n\n{printable_lines(beside)}\n")
    click.echo(json.dumps(result) if as_json else _last_word(result, errors))
    if result["missing"]:
        raise RunIncomplete()


def study_of(sweep_name: str, options: Entries) -> tuple[Suite, Study]:
    """The suite of a sweep, and the sweep with these options."""
    suite, stem, document, path = suites.of_sweep(sweep_name)
    return suite, suite.study(stem, document, options, where=path)


def _remark(study: Study, planned: Sequence[Trial]) -> None:
    for line in study.remarks(planned):
        click.echo(f"lft: {line}", err=True)


def _shown(suite: Suite, folder: Path, trial: str, options: Entries) -> str:
    """The trial as `lft show` prints it."""
    run = Run.open(folder)
    if not any(line["trial"] == trial for line in run.lines()):
        return "nothing was sent"
    return suite.show(run, trial, None, defaults(suite, "show", options)).text


def _so_far(tally: Tally) -> str:
    from lft.core.cost import money

    words = [f"errors {tally.retried}"] if tally.retried else []
    return ", ".join([*words, money(tally.cost_usd)] if tally.cost_usd else words)


def _last_word(result: Entries, errors: Sequence[Failure]) -> str:
    from lft.core.cost import money
    from lft.core.failure_kinds import missing_lines

    lines = [
        f"{result['answered']} answered now, {result['kept']} kept from before"
        + (f", {result['not_applicable']} not applicable" if result["not_applicable"] else "")
        + f", {result['missing']} missing of {result['trials']} trials"
    ]
    if result["run_trials"] > result["trials"]:
        lines.append(f"in the whole run: {result['run_answered']} answered of {result['run_trials']} trials")
    lines += not_applicable_lines(result["reasons"])
    lines += missing_lines(result["missing_kinds"])
    if result["stopped"]:
        lines.append(f"stopped: {result['stopped']}")
    if result["errors"]:
        lines.append("errors on the way: " + ", ".join(f"{n} {kind}" for kind, n in result["errors"].items()))
        if result["missing"] and errors and not result["stopped"]:
            lines.append(f"the last of them: {errors[-1]['kind']}, {errors[-1]['message']}")
    if result["mixed"]:
        lines.append(
            "the adapter's code has changed since this run began: it has answers of both versions (manifest.json, "
            "adapters_before); another --run NAME asks all again"
        )
    cost = result["cost_usd"]
    lines.append("cost: " + ("none" if cost == 0 else money(cost)))
    lines.append(_next(result))
    return "\n".join(lines)


def _print_plan(suite: Suite, study: Study, planned: Sequence[Trial], as_json: bool) -> None:
    counts = Counter(condition_of(trial.key, suite.axes) for trial in planned)
    calls = sum(trial.foreseen.calls for trial in planned)
    if as_json:
        rows = [dict(zip(suite.axes, c, strict=True), trials=n) for c, n in counts.items()]
        click.echo(
            json.dumps({"sweep": study.name, "trials": len(planned), "calls": calls, "conditions": rows})
        )
        return
    click.echo(f"{study.title}: {len(planned)} trials, {calls} calls")
    for condition, count in counts.items():
        click.echo(f"  {count:6d}  " + "  ".join(condition))


def _next(result: Entries) -> str:
    if result["missing"]:
        return "next: run the same command again to ask the missing trials"
    if not result["run_answered"]:
        return "nothing to score: no trial of this run has an answer; try another --model or --sampling"
    return f"next: lft score {result['run']}"


def _seconds(text: str | None) -> float | None:
    """A duration such as 2h, 1h30m, 90s or 90 (seconds), in seconds."""
    if text is None:
        return None
    found = re.fullmatch(r"\s*(?:(\d{1,4})h)?\s*(?:(\d{1,6})m(?:in)?)?\s*(?:(\d{1,8}(?:\.\d+)?)s?)?\s*", text)
    if not found or not any(found.groups()):
        raise InputError(f"--patience is {shown(text)}", expected="a length of time, such as 2h, 30m or 90s")
    hours, minutes, seconds = (float(part or 0) for part in found.groups())
    return 3600 * hours + 60 * minutes + seconds


def _per_minute(text: str | None) -> float | None:
    if text is None:
        return None
    found = re.fullmatch(r"\s*(\d{1,6}(?:\.\d+)?)\s*(?:/\s*(?:min|minute|m))?\s*", text)
    if not found or float(found[1]) <= 0:
        raise InputError(f"--rate-limit is {shown(text)}", expected="calls a minute, such as 60/min")
    return float(found[1])
