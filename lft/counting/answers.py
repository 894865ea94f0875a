"""Imports answers from any tool as a run: a table with a clip id and a text per row becomes a run folder.

The table is CSV with a header, or JSON lines. Columns (in JSON lines: keys), the first two required:

    clip | clip_id | id               id of a clip in the folder, or the name of the file it was imported from
    text | response | output | answer the raw answer; an empty field, or null, is a trial without an answer
    model, sampling, labels, prompt   as in a run; the caller's default if missing. Sampling
                                      `unknown`: nobody recorded which frames were supplied
    replicate                         0, 1, ...; rows of one trial without it are numbered in their order
    frame_times_s                     a JSON list: when the supplied frames were on screen
    final_answer                      the final answer, if known: a count, or `none`
    events                            the reported events, if known: a JSON list of seconds, or of objects with
                                      time_s and, if need be, end_s, covers, label; or seconds with spaces between

`final_answer` and `events` are the reading of that answer (`reading` is `given` in scores.csv), and the text
is then optional. If one of them is empty, that part is read from the text.

Other columns are ignored. In JSON lines an empty string is an answer without text; a CSV cannot distinguish
the two. Without frame times, those of the sampling in LFT are used.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from lft.core.conditions import CONDITION, MODEL_CONDITION
from lft.core.errors import InputError, shown
from lft.core.files import sha256_of
from lft.core.manifest import provenance
from lft.core.records import Entries, Json, JsonObject
from lft.core.rows import rows_of
from lft.core.runs import ANSWERED, Recorder
from lft.core.video.frames import LABELS, UNKNOWN, Sampling, sample
from lft.core.video.media import Media
from lft.counting.clips import Clip, Clips, way_between
from lft.counting.metrics import METRICS_VERSION
from lft.counting.reported import ReportedEvent
from lft.counting.settling import settled

CLIP_COLUMNS = ("clip", "clip_id", "id")
TEXT_COLUMNS = ("text", "response", "output", "answer")
DEFAULTS: Mapping[str, str] = {
    "model": "imported",
    "sampling": UNKNOWN,
    "labels": "none",
    "prompt": "imported",
}
_LONGEST_NAME = 200
_MOST_NAMED = 5  # unknown clips that one error names

Trials = dict[str, tuple[JsonObject, Clip, "Answer"]]


@dataclass(frozen=True)
class Given:
    """The reading of an answer in a table: `events` None, or `answered` False, mean to read that part from the text."""

    events: tuple[ReportedEvent, ...] | None = None
    final_answer: int | None = None
    answered: bool = False


@dataclass(frozen=True)
class Answer:
    """One row. `text` None is a trial without an answer; `where` names the row, for errors."""

    clip: str
    text: str | None
    model: str
    sampling: str
    labels: str
    prompt: str
    replicate: int | None = None
    frame_times_s: tuple[float, ...] | None = None
    where: str = ""
    given: Given | None = None

    @property
    def axes(self) -> dict[str, str]:
        """model, sampling, labels and prompt."""
        return {name: getattr(self, name) for name in MODEL_CONDITION}


def read_answers(path: Path, defaults: Mapping[str, str] | None = None) -> Iterator[Answer]:
    """The rows of a table; raises `InputError` with line and column for an invalid one."""
    fallback = {**DEFAULTS, **(defaults or {})}
    for line, row in rows_of(path):
        yield _answer(row, fallback, f"{path}:{line}")


def _answer(row: Entries, defaults: Mapping[str, str], where: str) -> Answer:
    given = _given(row, where)
    clip_column = _column(row, CLIP_COLUMNS, where)
    text_column = _column(row, TEXT_COLUMNS, where) if given is None or set(TEXT_COLUMNS) & set(row) else ""
    clip, text = row[clip_column], row.get(text_column)
    if not isinstance(clip, str) or not clip.strip():
        raise InputError(
            f"the clip id is {shown(clip)}",
            where=f"{where}, column {clip_column}",
            expected="the id of a clip",
        )
    if isinstance(text, int | float) and not isinstance(text, bool):
        text = str(text)
    if text is not None and not isinstance(text, str):
        raise InputError(
            f"the answer is {shown(text)}", where=f"{where}, column {text_column}", expected="text, or null"
        )
    if text is None and given is not None:
        text = ""
    axes = {name: _name(row, name, defaults[name], where) for name in MODEL_CONDITION}
    return Answer(
        clip.strip(),
        text,
        **checked_axes(axes, where),
        replicate=_replicate(row, where),
        frame_times_s=_frame_times_s(row, where),
        where=where,
        given=given,
    )


def checked_axes(axes: dict[str, str], where: str, part: str = "column ") -> dict[str, str]:
    """The checked sampling in normal form, or `unknown`, and labels; native video has none.

    `part` is the word for a part of the source in errors (`column` for a table).
    """
    sampling = axes["sampling"]
    try:
        sampling = sampling if sampling == UNKNOWN else str(Sampling.parse(sampling))
    except InputError as error:
        raise InputError(str(error), where=f"{where}, {part}sampling") from None
    if axes["labels"] not in LABELS:
        raise InputError(
            f"labels are {shown(axes['labels'])}", where=f"{where}, {part}labels", expected=", ".join(LABELS)
        )
    return {**axes, "sampling": sampling, "labels": "none" if sampling == "native" else axes["labels"]}


def _column(row: Entries, names: tuple[str, ...], where: str) -> str:
    found = [name for name in names if name in row]
    if not found:
        raise InputError(
            f"no column {names[0]} (it has {', '.join(shown(c) for c in list(row)[:6])})",
            where=where, expected=f"a column called {' or '.join(names)}",
        )  # fmt: skip
    return found[0]


def _name(row: Entries, column: str, default: str, where: str) -> str:
    value = row.get(column)
    if value is None or value == "":
        return default
    if not isinstance(value, str) or not value.isprintable() or len(value) > _LONGEST_NAME:
        raise InputError(
            f"{column} is {shown(value)}", where=f"{where}, column {column}", expected="a short name"
        )
    return value.strip()


def _replicate(row: Entries, where: str) -> int | None:
    value = row.get("replicate")
    if value is None or value == "":
        return None
    if isinstance(value, str) and value.strip().isdecimal() and len(value) < 9:
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise InputError(
            f"replicate is {shown(value)}", where=f"{where}, column replicate", expected="0, 1, 2, ..."
        )
    return value


def _frame_times_s(row: Entries, where: str) -> tuple[float, ...] | None:
    value = row.get("frame_times_s")
    if value is None or value == "":
        return None
    try:
        times_s = [float(t) for t in (json.loads(value) if isinstance(value, str) else value)]
        if not all(math.isfinite(t) and t >= 0 for t in times_s) or times_s != sorted(times_s):
            raise ValueError("not increasing times")
    except (ValueError, TypeError, ArithmeticError, RecursionError) as error:
        raise InputError(
            f"frame_times_s is {shown(value)}", where=f"{where}, column frame_times_s",
            expected="a JSON list of seconds in order of time, such as [0.0, 0.5]",
        ) from error  # fmt: skip
    return tuple(times_s)


def _given(row: Entries, where: str) -> Given | None:
    """The reading in a row, or None."""
    events, answer = row.get("events"), row.get("final_answer")
    answered = answer is not None and answer != ""
    try:
        found = None if events is None or events == "" else _events(events)
    except (ValueError, TypeError, KeyError, RecursionError, InputError) as error:
        raise InputError(
            f"events is {shown(events)}" + (f" ({error})" if isinstance(error, InputError) else ""),
            where=f"{where}, column events",
            expected='[1.5, 3.0], [{"time_s": 1.5}], or 1.5 3.0',
        ) from None
    if found is None and not answered:
        return None
    if not answered or (isinstance(answer, str) and answer.strip().lower() == "none"):
        return Given(found, None, answered)
    if isinstance(answer, str) and answer.strip().isdecimal() and len(answer.strip()) < 10:
        answer = int(answer)
    if isinstance(answer, float) and answer.is_integer():  # spreadsheets write 3.0
        answer = int(answer)
    try:
        return Given(found, settled.count(answer), True)
    except InputError as error:
        raise InputError(str(error), where=f"{where}, column final_answer") from None


def _events(value: Json) -> tuple[ReportedEvent, ...]:
    if isinstance(value, str):
        text = value.strip()
        value = (
            json.loads(text) if text.startswith("[") else [float(part) for part in re.split(r"[\s;]+", text)]
        )
    if not isinstance(value, list):
        value = [value]
    return tuple(
        settled.event(one["time_s"], one.get("end_s"), one.get("covers", 1), one.get("label"))
        if isinstance(one, Mapping)
        else settled.event(one)
        for one in value
    )


def to_run(
    answers: Iterable[Answer], clips: Clips, folder: Path, *, source: Path, provider: str = "import"
) -> JsonObject:
    """Writes answers as the run in `folder` and returns counts: trials, answered, missing, models, the
    `conditions` of the answers; answers with unknown frames (`unknown_frames`), answers that became further replicates
    of a trial (`repeated`); new answers (`added`) and answers that the run already had (`already`).

    Importing the same answers again changes nothing; further ones are added. Raises `InputError` for unknown clips
    (with their number and some names) and for a trial that already has another answer.
    """
    found = _resolved(list(answers), clips, source)
    if not found:
        raise InputError("holds no answers", where=source, expected="a row per answer")
    several = len({a.model for _, a in found}) > 1
    trials: Trials = {}
    for clip, answer in _numbered(found):
        key = {"clip": clip.clip_id, **answer.axes, "replicate": answer.replicate}
        trial = ",".join(str(key[name]) for name in ("clip", *CONDITION, "replicate"))
        trial += f",{answer.model}" if several else ""
        if trial in trials:
            raise InputError(
                f"answers the trial {shown(trial)} again", where=answer.where, remedy="another replicate"
            )
        trials[trial] = (key, clip, answer)
    already, added = _write(folder, _manifest(folder, trials, clips, source, provider), trials)
    _keep_given(folder, trials, source)
    answered = sum(answer.text is not None for _, _, answer in trials.values())
    return {
        "run": str(folder),
        "trials": len(trials),
        "answered": answered,
        "missing": len(trials) - answered,
        "already": already,
        "added": added,
        "models": sorted({a.model for _, a in found}),
        "conditions": [dict(axes) for axes in sorted({tuple(a.axes.items()) for _, a in found})],
        "unknown_frames": sum(
            a.sampling == UNKNOWN and a.frame_times_s is None and a.text is not None for _, a in found
        ),
        "repeated": sum(a.replicate is None for _, a in found)
        - len({(clip.clip_id, *a.axes.values()) for clip, a in found if a.replicate is None}),
    }


def _resolved(answers: list[Answer], clips: Clips, source: Path) -> list[tuple[Clip, Answer]]:
    by_file: dict[str, list[Clip]] = {}
    for clip in clips:
        name = getattr(clip.spec, "source", "")
        for alias in {name, Path(name).stem} if name else ():
            by_file.setdefault(alias, []).append(clip)
    found, unknown = [], []
    for answer in answers:
        named = by_file.get(answer.clip, [])
        if answer.clip in clips:
            found.append((clips[answer.clip], answer))
        elif len(named) == 1:
            found.append((named[0], answer))
        else:
            unknown.append(answer)
    if unknown:
        names = ", ".join(f"{shown(a.clip)} ({_place(a.where)})" for a in unknown[:_MOST_NAMED])
        more = f" and {len(unknown) - _MOST_NAMED} more" if len(unknown) > _MOST_NAMED else ""
        one = next(iter(clips)).clip_id
        raise InputError(
            f"{len(unknown)} of {len(answers)} answers are about clips that {clips.folder} does not have: "
            f"{names}{more}",
            where=source, expected=f"ids as in {clips.folder}/manifest.jsonl, such as {one}",
        )  # fmt: skip
    return found


def _place(where: str) -> str:
    """
    >>> _place("answers.csv:4"), _place("texts/clap.txt")
    ('line 4', 'clap.txt')
    """
    _, colon, line = where.rpartition(":")
    return f"line {line}" if colon and line.isdecimal() else Path(where).name


def _numbered(found: list[tuple[Clip, Answer]]) -> Iterator[tuple[Clip, Answer]]:
    """Numbers rows of one trial without a replicate number in order."""
    next_one: Counter[tuple[str, ...]] = Counter()
    for clip, answer in found:
        if answer.replicate is None:
            trial = (clip.clip_id, *answer.axes.values())
            yield clip, replace(answer, replicate=next_one[trial])
            next_one[trial] += 1
        else:
            yield clip, answer


def _manifest(folder: Path, trials: Trials, clips: Clips, source: Path, provider: str) -> JsonObject:
    models = sorted({answer.model for _, _, answer in trials.values()})
    return {
        "suite": "counting",
        "sweep": {"name": "imported", "title": "Imported answers"},
        "model": {"spec": "", "name": ", ".join(models), "provider": provider},
        "prompts": {prompt: {"turns": 1} for prompt in sorted({a.prompt for _, _, a in trials.values()})},
        "questions": {},
        "clips_folder": way_between(folder, clips.folder),
        "clips": {clip.clip_id: clip.video_sha256 for _, clip, _ in trials.values()},
        "trials": {trial: key for trial, (key, _, _) in trials.items()},
        "imported": {"file": source.name, "sha256": _sha256_of(source, trials)},
        "metrics_version": METRICS_VERSION,
        **provenance(),
    }


def _sha256_of(source: Path, trials: Trials) -> str:
    """Of the table; of a folder of texts, over all their answers in order."""
    if source.is_file():
        return sha256_of(source)
    texts = (f"{trial}\0{answer.text}" for trial, (_, _, answer) in trials.items())
    return hashlib.sha256("\0".join(texts).encode("utf-8", "surrogatepass")).hexdigest()


def _write(folder: Path, manifest: Entries, trials: Trials) -> tuple[int, int]:
    """(answers that the run already had, answers written now)."""
    added = 0
    with Recorder(folder, manifest) as recorder:
        before = recorder.run.answers()
        for trial, (key, clip, answer) in trials.items():
            if answer.text is None:
                continue
            if trial in before:
                if before[trial].get("text") != answer.text:
                    raise InputError(
                        f"the trial {shown(trial)} already has another answer", where=answer.where,
                        remedy="--out with another folder, or a replicate of its own",
                    )  # fmt: skip
                continue
            recorder.append(
                {
                    "trial": trial,
                    "key": {**key, "turn": 0},
                    "status": ANSWERED,
                    "text": answer.text,
                    "native": answer.sampling == "native",
                    "frame_times_s": list(_supplied_s(clip, answer)),
                    "cost_usd": None,
                }
            )
            added += 1
    return len(before), added


def _keep_given(folder: Path, trials: Trials, source: Path) -> None:
    """Keeps what the table says of readings; what was kept from a table before is not kept again."""
    before = settled.latest(one for one in settled.read(folder) if one.by == settled.GIVEN)
    decisions = []
    for trial, (_, _, answer) in trials.items():
        if answer.given is None:
            continue
        sha256, why = settled.sha256_of_text(answer.text or ""), "given with the answer"
        parts = (answer.given.events, answer.given.final_answer, answer.given.answered)
        one = settled.Settled(trial, sha256, settled.GIVEN, source.name, *parts, why=why)
        if trial not in before or before[trial].decided != one.decided:
            decisions.append(one)
    settled.append(folder, decisions)


def _supplied_s(clip: Clip, answer: Answer) -> tuple[float, ...]:
    if answer.frame_times_s is not None:
        return answer.frame_times_s
    if answer.sampling in (UNKNOWN, "native"):
        return ()
    policy = Sampling.parse(answer.sampling)
    return _sampled_s(clip.video, answer.sampling, clip.trace.times_s if policy.needs_moments else ())


@lru_cache(maxsize=4096)
def _sampled_s(video: Path, sampling: str, event_times_s: tuple[float, ...]) -> tuple[float, ...]:
    frames = sample(Media.open(video), Sampling.parse(sampling), event_times_s)
    return tuple(round(float(t), 6) for t in frames.times_s)
