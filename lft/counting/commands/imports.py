"""`lft import`: answers and videos from elsewhere."""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from lft.core.records import JsonObject
from lft.core.terminal import LABELS, FiniteRange, condition_line, plural, printable

_MOST_LISTED = 20
_MOST_REMARKED = 20  # phrases on how videos are read
_MOST_NAMED = 5  # videos without a row
_CLIPS = click.option(
    "--clips", "clips_folder", type=click.Path(path_type=Path), required=True, help="The clips asked about."
)
_JSON = click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout.")


@click.group(name="import")
def import_() -> None:
    """Import answers or videos."""


@import_.command()
@click.argument("source", type=click.Path(path_type=Path), metavar="ANSWERS.csv|ANSWERS.jsonl|ANSWER.txt|DIR")
@click.option("--clips", "clips_folder", type=click.Path(path_type=Path), help="The clips asked about.")
@click.option("--out", type=click.Path(path_type=Path), required=True, help="Folder of the run.")
@click.option("--clip", help="The clip that one text file is about.")
@click.option("--model", help="The model, if the answers do not say.")
@click.option(
    "--sampling", help="native, fps:K, frames:K, keyframes:W or unknown, if the answers do not say."
)
@click.option("--labels", type=LABELS, help="The label beside each frame, if the answers do not say.")
@click.option("--prompt", help="A name of the prompt, if the answers do not say.")
@_JSON
def responses(
    source: Path,
    clips_folder: Path | None,
    out: Path,
    clip: str | None,
    model: str | None,
    sampling: str | None,
    labels: str | None,
    prompt: str | None,
    as_json: bool,
) -> None:
    """Import answers from any tool or chat page as a run.

    A table has the columns clip and text; optionally model, sampling, labels, prompt, replicate, frame_times_s;
    and final_answer and events, if it is known what an answer reports. A text file has one answer, about
    --clip. A folder is one of `lft prompt`, or has a text file per clip, named for its clip. Several answers
    to one question are X.txt, X.2.txt, X.3.txt. Without a
    sampling the supplied frames are unknown, and so are the bounds. A row without text is a trial
    without an answer. Score the run with `lft score`.
    """
    from lft.core.conditions import MODEL_CONDITION
    from lft.core.errors import InputError
    from lft.counting.answers import read_answers, to_run
    from lft.counting.by_hand import TEXT_SUFFIXES, read_texts
    from lft.counting.clips import Clips

    axes = dict(zip(MODEL_CONDITION, (model, sampling, labels, prompt), strict=True))
    given = {name: value for name, value in axes.items() if value}
    if source.is_dir() or source.suffix.lower() in TEXT_SUFFIXES or clip is not None:
        texts = read_texts(source, given, clip, clips_folder)
        answers = texts.answers
        if clips_folder is None and texts.clips and not texts.clips.is_dir():
            what = f"asks about clips in {texts.clips}, which does not exist: one of the folders was moved"
            raise InputError(what, where=source, remedy="--clips DIR with the folder of the clips")
        clips_folder = clips_folder or texts.clips
        sampling = sampling or ("said" if texts.clips else None)
        _print_unused(texts.unused, texts.clips is not None)
        if not any(answer.text for answer in answers):
            raise InputError("holds no answers", where=source, expected="the text of at least one answer")
    else:
        texts, answers = None, list(read_answers(source, given))
    if clips_folder is None:
        raise InputError("does not name its clips", where=source, remedy="--clips DIR")
    result = to_run(answers, Clips.open(clips_folder), out, source=source)
    if texts is not None:
        result["unused"] = [str(path) for path in texts.unused]
    _print_run(result, as_json, sampling, texts=texts is not None)


@import_.command()
@click.argument("log", type=click.Path(path_type=Path), metavar="LOG.eval")
@_CLIPS
@click.option("--out", type=click.Path(path_type=Path), required=True, help="Folder of the run.")
@click.option("--sampling", help="The sampling, if the samples do not say.")
@click.option("--labels", type=LABELS, help="The label beside each frame, if the samples do not say.")
@click.option("--prompt", help="A name of the prompt, if the samples do not say.")
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
    """Import the answers in a log of Inspect AI as a run. The clip of a sample is in its metadata, or is its id."""
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
_REPLACE = click.option(
    "--replace",
    is_flag=True,
    help="Remove existing clips of the domain that this import does not name.",
)
_SKIP = click.option("--skip-faulty", is_flag=True, help="Leave out faulty rows, and list them.")


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
@_REPLACE
@_JSON
def repcount(
    annotations: Path,
    videos_folder: Path,
    out: Path,
    domain: str,
    skip_faulty: bool,
    replace: bool,
    as_json: bool,
) -> None:
    """Import videos of repeated actions with annotations in the format of RepCount (TransRAC).

    L1, L2, ... are frame numbers: a start and an end for each cycle. A row without them has only a count.
    """
    from lft.counting.natural.repcount import read_repcount

    _file(list(read_repcount(annotations)), videos_folder, out, domain, {}, skip_faulty, replace, as_json)


@import_.command()
@click.argument("folder", required=False, type=click.Path(path_type=Path), metavar="[DIR|VIDEO]")
@click.option("--videos", "videos_folder", type=click.Path(path_type=Path), help="Folder of the videos; DIR.")
@click.option("--annotations", type=click.Path(path_type=Path), help="CSV, JSON or JSON lines.")
@click.option(
    "--times",
    help="Event times of one VIDEO in seconds, such as 1.0,2.5, or from when until when it is visible, such as "
    '1.0-1.4,2.5-2.8; "" for no event.',
)
@click.option(
    "--count", type=click.IntRange(0, 9999), help="Number of events in one VIDEO, if times are unknown."
)
@click.option(
    "--visible-s",
    type=FiniteRange(0, min_open=True),
    help="How long each event at a time is visible, in seconds: half before its time, half after.",
)
@_CLIPS_OUT
@click.option("--domain", default="natural", show_default=True, help="Name under which the clips are filed.")
@click.option("--event", help='The event in a word or two, such as "clap"; part of the question.')
@click.option("--question", "question_text", help="The whole question, instead of one made from --event.")
@_SKIP
@_REPLACE
@_JSON
def videos(
    folder: Path | None,
    videos_folder: Path | None,
    annotations: Path | None,
    times: str | None,
    count: int | None,
    visible_s: float | None,
    out: Path,
    domain: str,
    event: str | None,
    question_text: str | None,
    skip_faulty: bool,
    replace: bool,
    as_json: bool,
) -> None:
    """Import videos with event times, intervals or counts: a folder with a table, or one video with --times or --count.

    A time alone does not say how long an event is visible, and then it is not known what a few frames show of it:
    --visible-s says it, or a start and an end of each event.

    Columns: video, and times_s (all of one video), or time_s (a row per event), or start_s, end_s, or count;
    optionally visible_s and kind. JSON: a list of such objects, an object from file names to lists of times or to
    counts, or the ActivityNet format (segment, label). Times are seconds, or 1:02.5. Other common names are accepted:
    file_name, name or path; timestamp; start and end; label. Existing clips stay; a video that is imported
    again, with other times, replaces its clip.
    """
    from lft.core.errors import InputError
    from lft.counting.natural.listed import read_listed

    where = videos_folder or folder
    if where is None or (annotations is None and times is None and count is None):
        raise InputError(
            "no videos, or no annotations",
            remedy="lft import videos DIR --annotations FILE --out DIR, or VIDEO --times 1.0,2.5 --out DIR",
        )
    if annotations is not None and (times is not None or count is not None):
        raise InputError("--times and --count describe one video", remedy="them without --annotations")
    words = {}
    if event:
        words = {"event": " ".join(event.split())}
        words["question"] = f"Count every {words['event']} in the video. How many are there?"
    if question_text:
        words["question"] = question_text.strip()
    if annotations is None:
        known, where = [_of_one(where, times, count)], where.parent
    else:
        known = read_listed(annotations)
    if visible_s is not None:
        known = [_visible(one, visible_s) for one in known]
    _file(known, where, out, domain, words, skip_faulty, replace, as_json, one=annotations is None)


def _of_one(video: Path, times: str | None, count: int | None) -> Any:
    """The annotation of one video from the command line."""
    from lft.core.errors import InputError
    from lft.counting.commands.match import times_of
    from lft.counting.natural.annotation import Annotation

    if not video.is_file():
        raise InputError(
            "is not a video file", where=video, expected="a file; a folder needs --annotations FILE"
        )
    if times is None:
        return Annotation(video.name, int(count or 0), where="--count")
    parts = [part.strip() for part in times.split(",")]
    with_ends = any("-" in part[1:] and "e-" not in part for part in parts)
    cycles_s = tuple(_span(part) for part in parts) if with_ends else None
    times_s = None if with_ends else tuple(times_of("--times", times))
    number = len(cycles_s or times_s or ())
    if count is not None and count != number:
        raise InputError(f"{number} times, but --count {count}", where="--times", expected="one of the two")
    return Annotation(video.name, number, times_s, cycles_s=cycles_s, where="--times")


def _span(part: str) -> tuple[float, float]:
    """A start and an end of `--times`."""
    from lft.core.errors import InputError, shown

    start, _, end = part.partition("-")
    try:
        return float(start), float(end)
    except ValueError:
        raise InputError(
            f"{shown(part)} is not a start and an end", where="--times", expected="1.0-1.4 for each event"
        ) from None


def _visible(known: Any, visible_s: float) -> Any:
    """An annotation whose events are visible for so long, where they are times and nothing else is said."""
    from dataclasses import replace

    from lft.counting.natural.annotation import Annotation

    instants = isinstance(known, Annotation) and known.times_s and known.visible_s is None
    return replace(known, visible_s=visible_s) if instants else known


def _file(
    annotations: Any,
    videos: Path,
    out: Path,
    domain: str,
    words: dict[str, str],
    skip: bool,
    replace: bool,
    as_json: bool,
    one: bool = False,
) -> None:
    from lft.core.progress import Progress
    from lft.counting.natural.filing import file_videos
    from lft.counting.natural.folder import NoVideo
    from lft.counting.spec import source_of

    with Progress("reading videos", total=len(annotations)) as progress:
        filed = file_videos(
            annotations,
            videos,
            out,
            domain=domain,
            words=words,
            skip_faulty=skip,
            replace=replace,
            seen=progress.update,
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
    if filed.without_row and not one:
        names = [printable(path.name) for path in filed.without_row]
        more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
        click.echo(
            f"left out, as no row names them: {', '.join(names[:_MOST_NAMED])}{more} "
            "(a video without events needs a row with count 0)",
            err=True,
        )
    for name, phrase in filed.remarks[:_MOST_REMARKED]:
        click.echo(f"{printable(name)}: {phrase}", err=True)
    if len(filed.remarks) > _MOST_REMARKED:
        click.echo(f"and {len(filed.remarks) - _MOST_REMARKED} more such remarks (--json has all)", err=True)
    for path in filed.kept:
        click.echo(f"kept, although it is no longer a clip: {path} (it may be the only copy)", err=True)
    specs = [clip.spec for clip in filed.clips]
    document = {
        "folder": str(out),
        "domain": domain,
        "clips": len(specs),
        "timed": sum(spec.timed for spec in specs),
        "events": sum(spec.count for spec in specs),
        "visible": sum(spec.evidence != "unknown" for spec in specs),
        "left_out": [{"row": row, "fault": str(fault)} for row, fault in filed.skipped],
        "without_row": [str(path) for path in filed.without_row],
        "remarks": [{"video": name, "remark": phrase} for name, phrase in filed.remarks],
        "stay": filed.stay,
        "replaced": [{"video": name, "was": was, "is": now} for name, was, now in filed.replaced],
        "removed": list(filed.removed),
        "kept": [str(path) for path in filed.kept],
    }
    if as_json:
        click.echo(json.dumps(document))
        return
    events = plural(sum(spec.count for spec in specs), "event")
    beside = (
        f", beside {plural(filed.stay, 'clip')} that {'was' if filed.stay == 1 else 'were'} there"
        if filed.stay
        else ""
    )
    click.echo(
        f"{plural(len(specs), 'clip')} in {out}, {document['timed']} with event times, {events}{beside}"
    )
    for clip in filed.clips[:_MOST_NAMED] if len(specs) <= _MOST_NAMED else ():
        click.echo(f"{printable(source_of(clip.spec))} is {clip.clip_id}")
    if unknown := [clip.spec for clip in filed.clips if clip.spec.evidence == "unknown"]:
        click.echo(
            f"not known how long an event is visible in {plural(len(unknown), 'clip')}: what a few frames show of "
            "them cannot be told; --visible-s says it, or a start and an end of each event"
        )
    for name, was, now in filed.replaced[:_MOST_LISTED]:
        click.echo(
            f"{printable(name)} was there as {was}: that clip is replaced"
            + (f" by {now}" if was != now else "")
        )
    if filed.skipped:
        click.echo(f"{plural(len(filed.skipped), 'row')} left out")
    if filed.removed:
        click.echo(
            f"{plural(len(filed.removed), 'clip')} of an earlier import removed, as this import does not name them"
        )
    click.echo(f"the question: {out / 'questions' / f'{domain}.txt'}")
    one_name = printable(source_of(specs[0]))
    click.echo(
        f"next: lft prompt {shlex.quote(one_name)} --clips {out} --sampling frames:10 --out asked   (a chat page)"
    )
    click.echo(f"or:   lft sweep natural --clips {out} --model MODEL")


def _print_unused(unused: Sequence[Path], asked: bool) -> None:
    """Lists the files of a folder that are not answers."""
    if unused:
        names = ", ".join(printable(path) for path in unused[:_MOST_NAMED])
        more = f" and {len(unused) - _MOST_NAMED} more" if len(unused) > _MOST_NAMED else ""
        how = "answer.txt, answer.2.txt, answer.3.txt" if asked else "CLIP.txt, CLIP.2.txt, CLIP.3.txt"
        click.echo(f"lft: not used: {names}{more} (answers are called {how})", err=True)


def _print_run(result: JsonObject, as_json: bool, sampling: str | None, *, texts: bool = False) -> None:
    if result["unknown_frames"] and sampling != "unknown":
        click.echo(
            f"lft: which frames were supplied is not said of {plural(result['unknown_frames'], 'answer')}, so their "
            "ceilings and what these explain stay empty; --sampling native|fps:1|... says it, --sampling unknown "
            "that nobody knows",
            err=True,
        )
    if result["repeated"] and not texts:
        rows = plural(result["repeated"], "row") + (" is" if result["repeated"] == 1 else " are")
        click.echo(
            f"lft: {rows} of a trial that an earlier row answers: kept as its replicates 1, 2, ...; a column replicate "
            "says which is which",
            err=True,
        )
    if as_json:
        click.echo(json.dumps(result))
        return
    said = f"{plural(result['answered'], 'answer')} of {', '.join(map(printable, result['models']))}"
    if result["missing"]:
        said += f", {plural(result['missing'], 'trial')} without one"
    if result["already"]:
        said += f"; added {result['added']} to {result['already']} already there"
    click.echo(said)
    if result["repeated"] and texts:
        number = plural(result["repeated"], "file")
        click.echo(
            f"{number} with a further answer to a question: its replicates 1, 2, ... in order of their numbers"
        )
    for condition in result["conditions"][:_MOST_NAMED]:
        click.echo(f"filed under: {condition_line(condition)}")
    if texts and any(one["prompt"] == "imported" for one in result["conditions"]):
        click.echo("(set labels and prompt with --labels and --prompt, as in `lft prompt`)")
    click.echo(f"next: lft score {result['run']}")
