"""`lft plan`: trials, tokens and cost of a sweep before it is run."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from lft import suites
from lft.commands.dispatch import SweepCommand
from lft.core.cost import PRICED, Prices, money
from lft.core.models import ModelSpec, factory_of, name_of, unknown_provider
from lft.core.models.limits import OWN_SERVER, Limit
from lft.core.records import Entries
from lft.core.suite import Study, Suite
from lft.core.terminal import FiniteRange, not_applicable_lines, table
from lft.core.trials import Trial

if TYPE_CHECKING:
    from lft.core.planning import Plan


@click.command(cls=SweepCommand)
@click.argument("sweep_name", metavar="SWEEP")
@click.option("--model", "model_spec", required=True, help="Model spec, as for lft sweep.")
@click.option("--run", "run_name", help="The run of the sweep; its answers need not be paid again.")
@click.option(
    "--from",
    "earlier",
    multiple=True,
    type=click.Path(path_type=Path),
    help="Runs to take tokens and prices from.",
)
@click.option(
    "--sample", type=click.IntRange(1, 1000), help="First ask this many trials of each condition (paid)."
)
@click.option(
    "--max-cost",
    type=FiniteRange(0, min_open=True),
    help="Budget of the sample in USD.",
)
@click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout.")
def plan(
    sweep_name: str,
    model_spec: str,
    run_name: str | None,
    earlier: tuple[Path, ...],
    sample: int | None,
    max_cost: float | None,
    as_json: bool,
    **options: object,
) -> None:
    """Trials, calls, images, tokens and cost of a sweep, before it is run.

    Tokens and cost are means over trials of the same condition: in the run itself so far,
    in the runs given with --from, or in a sample that --sample asks now (the sweep keeps its answers).
    """
    from lft.commands.sweep import study_of
    from lft.core.planning import measure
    from lft.core.planning import plan as make_plan
    from lft.core.run_names import run_folder, slug
    from lft.core.runs import Run

    suite, study = study_of(sweep_name, options)
    spec, providers = ModelSpec.parse(model_spec), suites.providers()
    if spec.provider not in providers:
        raise unknown_provider(spec, providers)
    prices = None
    if spec.provider in PRICED:
        prices = Prices.load()  # as the sweep will: a fault in it shows before anything is paid
    name = name_of(spec, providers)
    planned = study.trials(name, to_ask=sample is not None)
    for line in study.remarks(planned):
        click.echo(f"lft: {line}", err=True)
    target = run_folder(run_name or f"{study.name}-{slug(name)}")
    if sample:
        _ask_sample(target, suite, study, model_spec, planned, sample, max_cost)
    own = Run.open(target) if target.is_dir() else None
    folders = {path.resolve(): path for path in earlier if not own or path.resolve() != target.resolve()}
    runs = [Run.open(path) for path in folders.values()]  # a run is counted once, however often it is named
    made = make_plan(
        planned,
        suite.axes,
        measured=measure([*([own] if own else []), *runs], name, suite.axes, prices),
        settled=own.answers() if own else (),
        takes=limits_of(spec),
        takes_schema=bool(getattr(factory_of(spec, providers), "takes_schema", False)),
    )
    notes = suite.plan_notes(study, planned, options)
    if as_json:
        document = {"sweep": study.name, "model": name, "run": str(target), **made.to_json()}
        click.echo(json.dumps(document | (dict(notes.document) if notes else {})))
        return
    click.echo(_told(study.title, name, suite.axes, made))
    for line in not_taken(made, spec):
        click.echo(line)
    if notes:
        click.echo(notes.text)


def declared_limit(spec: ModelSpec) -> Limit:
    """The limits of a model for one request, from its adapter."""
    declared = getattr(factory_of(spec, suites.providers()), "limits", None)
    found = declared(spec) if declared else OWN_SERVER
    assert isinstance(found, Limit)
    return found


def limits_of(spec: ModelSpec) -> Callable[[int, bool], bool]:
    """Whether a model takes a request with so many images, and with a video, according to its adapter."""
    found = declared_limit(spec)
    return lambda images, video: (
        (found.images is None or images <= found.images) and (found.video or not video)
    )


def limits_in_words(spec: ModelSpec, native: bool) -> str:
    """The declared limit that a video, or so many images, exceeds."""
    found = declared_limit(spec)
    if native:
        return "the model takes no video"
    source = (
        f" ({found.source}, {found.read}; ?max_images=N says otherwise)"
        if found.source and found.read
        else ""
    )
    return f"the model takes {found.images} images at most{source}"


def not_taken(made: Plan, spec: ModelSpec) -> list[str]:
    """The reasons why trials of a plan are not applicable, with the number of trials."""
    counts: Counter[str] = Counter()
    for row in made.rows:
        if row.not_applicable:
            reason = "the prompt has a JSON schema; the model takes none"
            if not row.schema_refused:
                reason = limits_in_words(spec, row.video)
            counts[reason] += row.not_applicable
    return not_applicable_lines(counts)


def _ask_sample(
    target: Path,
    suite: Suite,
    study: Study,
    model_spec: str,
    planned: Sequence[Trial],
    each: int,
    max_cost: float | None,
) -> None:
    from lft.core import models
    from lft.core.ask import Limits
    from lft.core.planning import sample_of
    from lft.core.run_sweep import conduct

    model = models.load(model_spec, suites.providers(), **study.context())
    chosen = sample_of(planned, each, suite.axes)
    limits = Limits(concurrency=getattr(model, "concurrency", 4), max_cost_usd=max_cost)
    result = conduct(target, suite.name, study, model, chosen, limits, model_spec=model_spec)
    click.echo(f"sample: {result['answered']} answered, {result['missing']} missing", err=True)
    if result["stopped"]:
        click.echo(f"stopped: {result['stopped']}", err=True)


def _told(title: str, name: str, axes: Sequence[str], made: Plan) -> str:
    heads = (
        *axes,
        "trials",
        "not applicable",
        "to ask",
        "calls",
        "images",
        "tokens in",
        "tokens out",
        "cost",
    )
    lines: list[Sequence[str]] = []
    for row in made.rows:
        lines.append((*row.condition.values(), *_cells(vars(row)), money(row.usd)))
    names = ("trials", "not_applicable", "remaining", "calls", "images", "input_tokens", "output_tokens")
    blank = ["all", *[""] * len(axes)][: len(axes)]
    lines.append((*blank, *_cells({n: made.total(n) for n in names}), money(made.total("usd"))))
    text = f"{title}, {name}\n" + table(heads, lines, left=len(axes))
    measured = sum(row.measured for row in made.rows)
    if any(row.remaining and not row.measured for row in made.rows):
        text += "\nunknown tokens: no trial of that condition was measured;"
        text += "\n  --sample 3 asks a few, --from RUN takes an earlier run"
    if any(row.remaining and row.measured and row.input_tokens is None for row in made.rows):
        text += "\nunknown tokens: the provider did not count them in every answer"
    if any(row.remaining and row.measured and row.usd is None for row in made.rows):
        text += "\nunknown cost: the model has no known price; prices.yaml holds prices of your own"
    return text + (f"\nestimates rest on {measured} measured trials" if measured else "")


def _cells(row: Entries) -> tuple[str, ...]:
    names = ("trials", "not_applicable", "remaining", "calls", "images", "input_tokens", "output_tokens")
    return tuple("unknown" if row[name] is None else f"{row[name]:,}" for name in names)
