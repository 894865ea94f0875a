"""`lft import`: answers and videos that others made."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

_CLIPS = click.option(
    "--clips", "clips_folder", type=click.Path(path_type=Path), required=True, help="The clips asked about."
)
_JSON = click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout.")


@click.group(name="import")
def import_() -> None:
    """Answers, or videos, that others made."""


@import_.command()
@click.argument("table", type=click.Path(path_type=Path), metavar="ANSWERS.csv|ANSWERS.jsonl")
@_CLIPS
@click.option("--out", type=click.Path(path_type=Path), required=True, help="Folder of the run.")
@click.option("--model", help="Who answered, where the table has no column model.")
@click.option("--sampling", help="native, fps:K, frames:K or keyframes:W, where it has no column sampling.")
@click.option("--labels", help="none, index or time, where the table has no column labels.")
@click.option("--prompt", help="A name for what was asked, where the table has no column prompt.")
@_JSON
def responses(
    table: Path,
    clips_folder: Path,
    out: Path,
    model: str | None,
    sampling: str | None,
    labels: str | None,
    prompt: str | None,
    as_json: bool,
) -> None:
    """Answers from any tool, as a run: a table with the columns clip and text.

    Optional columns: model, sampling, labels, prompt, replicate, frame_times_s. A row without text is a trial
    without an answer. The run is scored by `lft score`, without any key.
    """
    from lft.counting.answers import AXES, read_answers, to_run
    from lft.counting.clips import Clips

    given = dict(zip(AXES, (model, sampling, labels, prompt), strict=True))
    answers = read_answers(table, {name: value for name, value in given.items() if value})
    _print_run(to_run(answers, Clips.open(clips_folder), out, source=table), as_json)


@import_.command()
@click.argument("log", type=click.Path(path_type=Path), metavar="LOG.eval")
@_CLIPS
@click.option("--out", type=click.Path(path_type=Path), required=True, help="Folder of the run.")
@click.option("--sampling", help="What was shown, where the samples do not say.")
@click.option("--labels", help="What was written beside each frame, where the samples do not say.")
@click.option("--prompt", help="A name for what was asked, where the samples do not say.")
@_JSON
def inspect(
    log: Path,
    clips_folder: Path,
    out: Path,
    sampling: str | None,
    labels: str | None,
    prompt: str | None,
    as_json: bool,
) -> None:
    """The answers in a log of Inspect AI, as a run.

    A sample's metadata names its clip, or its id does.
    """
    from lft.counting.answers import to_run
    from lft.counting.clips import Clips
    from lft.exports.inspect_log import read_log

    given = {"sampling": sampling, "labels": labels, "prompt": prompt}
    answers = read_log(log, {name: value for name, value in given.items() if value})
    _print_run(to_run(answers, Clips.open(clips_folder), out, source=log, provider="inspect"), as_json)


def _print_run(result: dict[str, Any], as_json: bool) -> None:
    if as_json:
        click.echo(json.dumps(result))
        return
    click.echo(
        f"{result['answered']} answers of {', '.join(result['models'])}"
        + (f", {result['missing']} trials without one" if result["missing"] else "")
    )
    click.echo(f"next: lft score {result['run']}")
