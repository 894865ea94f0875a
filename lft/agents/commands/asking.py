"""What commands share that ask a model about the episodes of a run: `lft judge`, `lft probe`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import click

from lft.core.errors import InputError
from lft.core.models import Model
from lft.core.runs import Run
from lft.core.suite import Study
from lft.core.terminal import FiniteRange


def options_of_asking(what: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """The options that both have; `what` costs money, and its words are in prompts/agents by the command's name."""

    def decorated(command: Callable[..., None]) -> Callable[..., None]:
        for option in (
            click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout."),
            click.option(
                "--max-cost", type=FiniteRange(0, min_open=True), help=f"Stop before {what} more USD."
            ),
            click.option("--concurrency", type=click.IntRange(1, 1024), help="Calls in flight at most."),
            click.option(
                "--words",
                default=command.__name__,
                show_default=True,
                help="A file in prompts/agents, or a path.",
            ),
        ):
            command = option(command)
        return command

    return decorated


def episodes_of(folder: Path, doing: str) -> Run:
    """A run of the suite; raises `InputError` for another."""
    run = Run.open(folder)
    if run.manifest.get("suite") != "agents" or "task_rows" not in run.manifest:
        raise InputError(f"no episodes to {doing}", where=run.folder, expected="a run of the suite agents")
    return run


def asked(
    study: Study,
    model: Model,
    model_spec: str,
    place: Path,
    *,
    doing: str,
    concurrency: int | None,
    max_cost: float | None,
) -> tuple[Run, dict[str, object]]:
    """Asks a study's trials, and keeps the answers in the model's folder in `place`: that run, and what came of it."""
    from lft.core.ask import Limits
    from lft.core.progress import Progress
    from lft.core.run_names import slug
    from lft.core.run_sweep import conduct

    planned, folder = study.trials(model.name), place / slug(model.name)
    limits = Limits(
        concurrency=int(concurrency or getattr(model, "concurrency", None) or 4), max_cost_usd=max_cost
    )
    with Progress(doing, total=len(planned)) as progress:
        result = conduct(
            folder, "agents", study, model, planned, limits, model_spec=model_spec,
            seen=lambda tally, _, __: progress.update(tally.kept + tally.answered + tally.not_applicable),
        )  # fmt: skip
    return Run.open(folder), result
