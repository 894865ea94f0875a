"""`lft import`: answers and videos that others made."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from lft.commands.tables import printable

_MOST_LISTED = 20
_MOST_NAMED = 5  # videos without a row
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
@click.option(
    "--sampling", help="native, fps:K, frames:K, keyframes:W or unknown, where it has no column sampling."
)
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

    Optional columns: model, sampling, labels, prompt, replicate, frame_times_s. Without a sampling it is unknown
    which frames were supplied, and so are the ceilings. A row without text is a trial without an answer. The run is
    scored by `lft score`, without any key.
    """
    from lft.counting.answers import AXES, read_answers, to_run
    from lft.counting.clips import Clips

    given = dict(zip(AXES, (model, sampling, labels, prompt), strict=True))
    answers = read_answers(table, {name: value for name, value in given.items() if value})
    _print_run(to_run(answers, Clips.open(clips_folder), out, source=table), as_json, sampling)


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
    _print_run(
        to_run(answers, Clips.open(clips_folder), out, source=log, provider="inspect"), as_json, sampling
    )


_VIDEOS = click.option(
    "--videos", "videos_folder", type=click.Path(path_type=Path), required=True, help="Folder of the videos."
)
_CLIPS_OUT = click.option(
    "--out", type=click.Path(path_type=Path), required=True, help="Folder of the clips to make."
)
_SKIP = click.option("--skip-faulty", is_flag=True, help="Leave faulty rows out, and say which.")


@import_.command()
@click.option(
    "--annotations", type=click.Path(path_type=Path), required=True, help="CSV: name, count, L1, ..."
)
@_VIDEOS
@_CLIPS_OUT
@click.option(
    "--domain", default="repetition", show_default=True, help="Name under which the clips are filed."
)
@_SKIP
@_JSON
def repcount(
    annotations: Path, videos_folder: Path, out: Path, domain: str, skip_faulty: bool, as_json: bool
) -> None:
    """Videos of repeated actions, annotated in the form of RepCount (TransRAC).

    L1, L2, ... are frame numbers: a start and an end for each cycle. A row without them is a count alone.
    """
    from lft.counting.natural.repcount import read_repcount

    _file(list(read_repcount(annotations)), videos_folder, out, domain, {}, skip_faulty, as_json)


@import_.command()
@click.argument("folder", required=False, type=click.Path(path_type=Path), metavar="[DIR]")
@click.option("--videos", "videos_folder", type=click.Path(path_type=Path), help="Folder of the videos; DIR.")
@click.option(
    "--annotations", type=click.Path(path_type=Path), required=True, help="CSV, JSON or JSON lines."
)
@_CLIPS_OUT
@click.option("--domain", default="natural", show_default=True, help="Name under which the clips are filed.")
@click.option("--event", help='What happens, in a word or two, such as "clap"; part of the question.')
@click.option("--question", "question_text", help="The whole question, instead of one made from --event.")
@_SKIP
@_JSON
def videos(
    folder: Path | None,
    videos_folder: Path | None,
    annotations: Path,
    out: Path,
    domain: str,
    event: str | None,
    question_text: str | None,
    skip_faulty: bool,
    as_json: bool,
) -> None:
    """Any videos with event times, intervals or counts.

    Columns: video, and times_s (all of one video), or time_s (a row per event), or start_s, end_s, or count;
    optionally kind. JSON: a list of such objects, an object from file names to lists of times or to counts, or
    the form of ActivityNet (segment, label). Times are seconds, or 1:02.5. Other common names are known, too:
    file_name, name or path; timestamp; start and end; label.
    """
    from lft.core.errors import InputError
    from lft.counting.natural.listed import read_listed

    where = videos_folder or folder
    if where is None:
        raise InputError("no folder of videos", remedy="lft import videos DIR --annotations FILE --out DIR")
    words = {}
    if event:
        words = {"event": " ".join(event.split())}
        words["question"] = (
            f"What is to be counted: {words['event']}. How many times does it happen in the video?"
        )
    if question_text:
        words["question"] = question_text.strip()
    _file(read_listed(annotations), where, out, domain, words, skip_faulty, as_json)


def _file(
    annotations: Any, videos: Path, out: Path, domain: str, words: dict[str, str], skip: bool, as_json: bool
) -> None:
    from lft.core.progress import Progress
    from lft.counting.natural.filing import file_videos
    from lft.counting.natural.folder import NoVideo

    with Progress("reading videos", total=len(annotations)) as progress:
        filed = file_videos(
            annotations, videos, out, domain=domain, words=words, skip_faulty=skip, seen=progress.update
        )
    absent = [row for row, fault in filed.skipped if isinstance(fault, NoVideo)]
    faulty = [fault for _, fault in filed.skipped if not isinstance(fault, NoVideo)]
    for fault in faulty[:_MOST_LISTED]:
        click.echo(f"left out: {fault}", err=True)
    if len(faulty) > _MOST_LISTED:
        click.echo(f"and {len(faulty) - _MOST_LISTED} more left out (--json has all)", err=True)
    if absent:
        click.echo(
            f"left out: {len(absent)} rows whose videos are not in {videos}, first {absent[0]}", err=True
        )
    if filed.without_row:
        names = [printable(path.name) for path in filed.without_row]
        more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
        click.echo(
            f"left out, as no row names them: {', '.join(names[:_MOST_NAMED])}{more} "
            "(a video without events has a row with count 0)",
            err=True,
        )
    for path in filed.kept:
        click.echo(f"kept, though no clip now: {path} (there may be no other copy)", err=True)
    specs = [clip.spec for clip in filed.clips]
    document = {
        "folder": str(out),
        "domain": domain,
        "clips": len(specs),
        "timed": sum(spec.timed for spec in specs),
        "events": sum(spec.count for spec in specs),
        "left_out": [{"row": row, "fault": str(fault)} for row, fault in filed.skipped],
        "without_row": [str(path) for path in filed.without_row],
        "removed": list(filed.removed),
        "kept": [str(path) for path in filed.kept],
    }
    if as_json:
        click.echo(json.dumps(document))
        return
    click.echo(
        f"{len(specs)} clips in {out}, {document['timed']} with event times, {document['events']} events"
    )
    if filed.skipped:
        click.echo(f"{len(filed.skipped)} rows left out")
    if filed.removed:
        click.echo(f"{len(filed.removed)} clips of an earlier import removed, as nothing names them now")
    click.echo(f"the question: {out / 'questions' / f'{domain}.txt'}")
    click.echo(f"next: lft sweep natural --clips {out} --model MODEL")


def _print_run(result: dict[str, Any], as_json: bool, sampling: str | None) -> None:
    if result["unknown_frames"] and sampling != "unknown":
        click.echo(
            f"lft: which frames were supplied is not said of {result['unknown_frames']} answers, so their ceilings "
            "and what these explain stay empty; --sampling native|fps:1|... says it, --sampling unknown that nobody "
            "knows",
            err=True,
        )
    if result["repeated"]:
        click.echo(
            f"lft: {result['repeated']} rows are of a trial that an earlier row answers: kept as its replicates 1, 2, "
            "...; a column replicate says which is which",
            err=True,
        )
    if as_json:
        click.echo(json.dumps(result))
        return
    click.echo(
        f"{result['answered']} answers of {', '.join(result['models'])}"
        + (f", {result['missing']} trials without one" if result["missing"] else "")
    )
    click.echo(f"next: lft score {result['run']}")
