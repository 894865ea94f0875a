"""`lft diff`: what differs between two runs."""

from __future__ import annotations

import json
from pathlib import Path

import click

from lft import suites
from lft.commands.dispatch import RunCommand
from lft.core.records import Entries
from lft.core.rundiff import difference
from lft.core.runs import Run
from lft.core.terminal import printable, table

_SETTINGS, _TRIALS = 20, 5  # listed; --json has all
_LONGEST = 60
_WORDS = {
    "video": "video file",
    "frames": "supplied frames",
    "words": "words asked",
    "parameters": "parameters sent",
    "status": "status",
    "text": "text of the answer",
    "end": "end",
    "final_answer": "final answer",
}


@click.command(cls=RunCommand)
@click.argument("first", metavar="RUN", type=click.Path(path_type=Path))
@click.argument("second", metavar="RUN", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout.")
def diff(first: Path, second: Path, as_json: bool) -> None:
    """What differs between two runs: settings, frames, words, parameters, answers.

    Trials are matched by clip, sampling, labels, prompt and replicate, not by model. Frames are equal
    if their times and the video file are; `lft show RUN TRIAL` writes the hash of each frame's pixels. Final
    answers are read as in `lft score`, with settled readings.
    """
    runs = [Run.open(first), Run.open(second)]
    suite = suites.of_runs(runs)
    document = difference(runs[0], runs[1], suite.final_answer)
    click.echo(json.dumps(document) if as_json else _told(document))


def _told(document: Entries) -> str:
    names = document["runs"]
    lines = [f"a  {printable(names['a'])}", f"b  {printable(names['b'])}", ""]
    lines.append(
        f"{document['trials']} trials in both, {len(document['only_a'])} only in a, "
        f"{len(document['only_b'])} only in b"
    )
    if document["trials"]:
        rows = [
            [words, "-" if k is None else str(k), str(sum(aspect in one for one in document["differs"]))]
            for aspect, words in _WORDS.items()
            for k in [document["same"][aspect]]
        ]
        lines += ["", table(["of these", "same", "different"], rows)]
    settings = document["settings"]
    lines += ["", "settings: the same" if not settings else "settings that differ"]
    for one in settings[:_SETTINGS]:
        lines.append(f"  {printable(one['name'])}: {_short(one['a'])} | {_short(one['b'])}")
    if len(settings) > _SETTINGS:
        lines.append(f"  and {len(settings) - _SETTINGS} more (--json has all)")
    for one in document["differs"][:_TRIALS]:
        lines += ["", printable(one["trial"])]
        lines += [
            f"  {_WORDS[aspect]}: {_short(one[aspect][0])} | {_short(one[aspect][1])}"
            for aspect in _WORDS
            if aspect in one
        ]
    if len(document["differs"]) > _TRIALS:
        lines += ["", f"and {len(document['differs']) - _TRIALS} more trials (--json has all)"]
    return "\n".join(lines)


def _short(value: object) -> str:
    if isinstance(value, list) and len(value) > 3:
        return f"{len(value)} of them, {value[0]} to {value[-1]}"
    text = printable(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
