"""`lft plan` and `lft cost`: what a sweep would take, and what runs have taken."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from lft.core.conditions import CONDITION
from lft.core.cost import PRICED, Prices, Spent, billed, money, most_usd
from lft.core.errors import InputError
from lft.core.models import ModelSpec, factory_of, unknown_provider
from lft.core.models.limits import OWN_SERVER, Limit
from lft.core.terminal import FiniteRange, not_applicable_lines


@click.command()
@click.argument("sweep_name", metavar="SWEEP")
@click.option("--model", "model_spec", required=True, help="Model spec, as for lft sweep.")
@click.option("--sampling", multiple=True, help="Instead of the sweep's own.")
@click.option("--labels", multiple=True, help="Instead of the sweep's own.")
@click.option("--prompt", multiple=True, help="Instead of the sweep's own.")
@click.option(
    "--prompts",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="A folder with conditions/ and questions/ of one's own, which come before LFT's.",
)
@click.option("--clips", "clips_folder", type=click.Path(path_type=Path), help="Folder of rendered clips.")
@click.option(
    "--run", "run_name", help="The run that lft sweep would write; its answers need not be paid again."
)
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
    help="For the sample: stop before it costs more USD.",
)
@click.option("--power", "with_power", is_flag=True, help="Also say what so many clips and seeds can show.")
@click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout.")
def plan(
    sweep_name: str,
    model_spec: str,
    sampling: tuple[str, ...],
    labels: tuple[str, ...],
    prompt: tuple[str, ...],
    prompts: Path | None,
    clips_folder: Path | None,
    run_name: str | None,
    earlier: tuple[Path, ...],
    sample: int | None,
    max_cost: float | None,
    with_power: bool,
    as_json: bool,
) -> None:
    """Trials, calls, images, tokens and cost of a sweep, before it is asked.

    Tokens and cost are means over trials of the same condition: from the run itself as far as it has come,
    from the runs given with --from, or from a sample that --sample asks now (its answers are kept for the
    sweep).
    """
    from lft.commands.sweep import left_out_line, run_folder, slug, warn_of_repeats
    from lft.core.runs import Run
    from lft.counting.clips import Clips
    from lft.counting.plan import PlannedClips, measure
    from lft.counting.plan import plan as make_plan
    from lft.counting.sweep import PROVIDERS, Sweep, clips_come_from, own_clips, trials

    experiment = Sweep.load(sweep_name).with_conditions(sampling, labels, prompt)
    folder = clips_folder or Path("results/clips") / experiment.grid
    rendered = clips_folder is not None or folder.exists()
    if not rendered and experiment.grid == "natural":
        raise InputError("no clips there", where=folder, remedy=clips_come_from(experiment.grid))
    clips: Any = Clips.open(folder) if rendered else PlannedClips.of_grid(experiment.grid)
    if rendered and clips_folder is None:
        clips, others = own_clips(experiment.grid, clips)
        if others:
            click.echo(f"lft plan: {left_out_line(others, experiment.grid, folder)}", err=True)
    spec = ModelSpec.parse(model_spec)
    if spec.provider not in PROVIDERS:
        raise unknown_provider(spec, PROVIDERS)
    prices = None
    if spec.provider in PRICED:
        prices = Prices.load()  # as the sweep will: a fault in it shows before anything is paid
    name = model_name(spec)
    planned = list(trials(experiment, clips, name, prompts=prompts))
    if rendered:
        warn_of_repeats(planned)
    target = run_folder(run_name or f"{experiment.name}-{slug(name)}")
    if sample:
        if not rendered:
            raise InputError("no clips to ask about", where=folder, remedy=clips_come_from(experiment.grid))
        _ask_sample(target, experiment, model_spec, clips, planned, sample, max_cost)
    runs = [Run.open(path) for path in earlier]
    own = Run.open(target) if target.is_dir() else None
    made = make_plan(
        planned,
        {clip.clip_id: clip.spec for clip in clips},
        measured=measure([*([own] if own else []), *runs], name, prices),
        settled=own.answers() if own else (),
        takes=limits_of(spec),
        takes_schema=bool(getattr(factory_of(spec, PROVIDERS), "takes_schema", False)),
    )
    shows = _power_of(planned) if with_power else {}
    if as_json:
        document = {"sweep": experiment.name, "model": name, "run": str(target), **made.to_json(), **shows}
        click.echo(json.dumps(document))
    else:
        click.echo(_told(experiment.title, name, made))
        for line in not_taken(made, spec):
            click.echo(line)
        if shows:
            click.echo(_power_text(shows["power"]))


def _power_of(planned: Sequence[Any]) -> dict[str, Any]:
    """What the clips of a sweep can show: `lft.counting.audit.power.of_study`."""
    from lft.counting.audit.power import of_study
    from lft.counting.spec import parse_clip_id

    clips = {str(trial.key["clip"]) for trial in planned}
    cells: dict[tuple[Any, ...], int] = {}
    for clip in clips:
        domain, count, frequency_hz, _ = parse_clip_id(clip)
        if count:
            cells[domain, count, frequency_hz] = cells.get((domain, count, frequency_hz), 0) + 1
    return {"power": of_study(len(clips), min(cells.values(), default=0))}


def _power_text(found: Mapping[str, Any]) -> str:
    lines = [f"{found['clips']} clips under two conditions, exact paired test:"]
    for row in found["differences"]:
        lines.append(f"  a difference of {row['difference']:g} is found with probability {row['power']:.2f}")
    if found["seeds"]:
        lines.append(f"{found['seeds']} seeds a cell, on the right side of 0.8:")
    for row in found["cells"]:
        lines.append(f"  true accuracy {row['accuracy']:g}: with probability {row['certainty']:.2f}")
    return "\n".join([*lines, "`lft power` answers the other way round: how many are needed"])


def declared_limit(spec: ModelSpec) -> Limit:
    """What a model takes in one request, as its adapter declares."""
    from lft.counting.sweep import PROVIDERS

    declared = getattr(factory_of(spec, PROVIDERS), "limits", None)
    found = declared(spec) if declared else OWN_SERVER
    assert isinstance(found, Limit)
    return found


def limits_of(spec: ModelSpec) -> Callable[[int, bool], bool]:
    """Whether a model takes a request with so many images, and with a video, as its adapter declares."""
    found = declared_limit(spec)
    return lambda images, video: (
        (found.images is None or images <= found.images) and (found.video or not video)
    )


def limits_in_words(spec: ModelSpec, native: bool) -> str:
    """Why a model does not take what is beyond its declared limits: a video, or so many images."""
    found = declared_limit(spec)
    if native:
        return "the model takes no video"
    source = (
        f" ({found.source}, {found.read}; ?max_images=N says otherwise)"
        if found.source and found.read
        else ""
    )
    return f"the model takes {found.images} images at most{source}"


def not_taken(made: Any, spec: ModelSpec) -> list[str]:
    """The reasons why trials of a plan are not applicable, each once with the number of trials."""
    counts: Counter[str] = Counter()
    for row in made.rows:
        if row.not_applicable:
            reason = "an answer by a JSON schema; the model takes none"
            if not row.schema_refused:
                reason = limits_in_words(spec, row.sampling == "native")
            counts[reason] += row.not_applicable
    return not_applicable_lines(counts)


def model_name(spec: ModelSpec) -> str:
    """The name under which a model stands in tables, without making it (which may need a key)."""
    from lft.core.models import name_of
    from lft.counting.sweep import PROVIDERS

    return name_of(spec, PROVIDERS)


def _ask_sample(
    target: Path,
    experiment: Any,
    model_spec: str,
    clips: Any,
    planned: Sequence[Any],
    each: int,
    max_cost: float | None,
) -> None:
    from lft.core import models
    from lft.core.ask import Limits
    from lft.counting.plan import sample_of
    from lft.counting.run_sweep import conduct
    from lft.counting.sweep import PROVIDERS

    model = models.load(model_spec, PROVIDERS, truth=clips.trace)
    chosen = sample_of(planned, each)
    limits = Limits(concurrency=getattr(model, "concurrency", 4), max_cost_usd=max_cost)
    result = conduct(target, experiment, model, clips, chosen, limits, model_spec=model_spec)
    click.echo(f"sample: {result['answered']} answered, {result['missing']} missing", err=True)
    if result["stopped"]:
        click.echo(f"stopped: {result['stopped']}", err=True)


def _told(title: str, name: str, made: Any) -> str:
    heads = (
        *CONDITION,
        "trials",
        "not applicable",
        "to ask",
        "calls",
        "images",
        "tokens in",
        "tokens out",
        "cost",
    )
    lines: list[Sequence[str]] = [heads]
    for row in made.rows:
        lines.append((row.sampling, row.labels, row.prompt, *_cells(vars(row)), money(row.usd)))
    names = ("trials", "not_applicable", "remaining", "calls", "images", "input_tokens", "output_tokens")
    lines.append(("all", "", "", *_cells({n: made.total(n) for n in names}), money(made.total("usd"))))
    text = f"{title}, {name}\n" + _table(lines)
    measured = sum(row.measured for row in made.rows)
    if any(row.input_tokens is None or row.usd is None for row in made.rows):
        text += "\nunknown: no trial of that condition was measured, or the model has no known price;"
        text += (
            "\n  --sample 3 asks a few, --from RUN takes an earlier run, prices.yaml holds prices of your own"
        )
    return text + (f"\nestimates rest on {measured} measured trials" if measured else "")


def _cells(row: Mapping[str, Any]) -> tuple[str, ...]:
    names = ("trials", "not_applicable", "remaining", "calls", "images", "input_tokens", "output_tokens")
    return tuple("unknown" if row[name] is None else f"{row[name]:,}" for name in names)


def _table(lines: Sequence[Sequence[str]]) -> str:
    """Columns of text, the first three to the left, numbers to the right."""
    widths = [max(len(line[column]) for line in lines) for column in range(len(lines[0]))]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if column < 3 else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    )


_BY = ("experiment", "model", "domain", *CONDITION)


@click.command()
@click.argument("runs", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--by", type=click.Choice(_BY), default="experiment", show_default=True, help="One row for each."
)
@click.option(
    "--as-paid",
    is_flag=True,
    help="By the prices that were known when each answer came, not by those of now.",
)
@click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout.")
def cost(runs: tuple[Path, ...], by: str, as_paid: bool, as_json: bool) -> None:
    """Trials, tokens and cost of runs, by experiment, density (--by sampling) or domain.

    Tokens are those that the provider reported, failed attempts included where it billed them. Their cost is worked
    out now, by the prices that are known now. The cost of a row is unknown while any of its calls has no known price.
    Calls that were begun and never ended are counted apart, with the most that they can have cost.
    """
    from lft.core.runs import Run

    prices = None if as_paid else Prices.load()
    rows: dict[str, Spent] = {}
    total = Spent()
    lost, most = 0, 0.0
    for path in runs:
        run = Run.open(path)
        model = run.manifest.get("model") or {}
        for line in billed(run.lines(), model, prices):
            spent = rows.setdefault(_group(by, run, line["key"]), Spent())
            spent.add(line)
            total.add(line)
        for line in run.answers().values():
            if line["status"] == "answered":
                rows[_group(by, run, line["key"])].trials += 1
                total.trials += 1
        count, usd = most_usd(run.lost(), run.lines(), model, prices or Prices.load())
        lost, most = lost + count, most + (math.nan if usd is None else usd)
    possible = None if math.isnan(most) else most
    if as_json:
        documents = [{by: name, **_as_json(spent)} for name, spent in rows.items()]
        beside = {"calls": lost, "most_usd": possible}
        click.echo(json.dumps({"rows": documents, "total": _as_json(total), "unaccounted": beside}))
        return
    lines: list[Sequence[str]] = [
        (by, "", "", "trials", "calls", "tokens in", "tokens out", "thought", "cost")
    ]
    for name, spent in (*rows.items(), ("all", total)):
        numbers = (spent.trials, spent.calls, spent.input_tokens, spent.output_tokens, spent.thought_tokens)
        lines.append((name, "", "", *(f"{n:,}" for n in numbers), money(spent.usd_or_unknown)))
    click.echo(_table(lines))
    if lost:
        click.echo(unaccounted_line(lost, possible))


def unaccounted_line(calls: int, most: float | None) -> str:
    """Calls of which nothing is known (lost to a kill, timed out), and the most that they can have cost."""
    what = "1 call" if calls == 1 else f"{calls:,} calls"
    return f"possible beside it: {what} whose tokens nobody knows (in flight, lost, timed out), at most {money(most)}"


def _group(by: str, run: Any, key: Mapping[str, Any]) -> str:
    if by == "experiment":
        return str(run.manifest.get("sweep", {}).get("name") or run.folder.name)
    if by == "domain":
        return str(key.get("clip", "")).partition("/")[0]
    return str(key.get(by, ""))


def _as_json(spent: Spent) -> dict[str, Any]:
    return {**vars(spent), "usd": spent.usd_or_unknown}
