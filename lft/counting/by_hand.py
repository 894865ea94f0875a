"""Asking without an adapter: prompt, attachments and answer file for a chat page.

`write_task` writes a folder for one trial:

    OUT/bounce_ball-n03_f1.5_s07/
        prompt.txt          what to paste; prompt-2.txt and so on for the further turns of a conversation
        video.mp4           what to attach, for the sampling `native`
        frames/001.png ...  what to attach otherwise, in order of their names
        frames.csv          index, time and hash of the pixels of each
            answer.txt          empty, for the answer to the last turn; answer.2.txt, answer.3.txt are further answers
    trial.json          the trial

`read_texts` reads the answers of such folders, and of other text files, for `lft.counting.answers.to_run`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from lft.core.conditions import CONDITION, MODEL_CONDITION, Condition
from lft.core.errors import InputError, shown
from lft.core.files import link_or_copy, read_json, read_text, replacing, sha256_of, write_json, write_text
from lft.core.prompts import Rendered, Template
from lft.core.records import Entries, JsonObject
from lft.core.video.frames import Frames, Sampling, frame_table, sample
from lft.core.video.media import Media
from lft.counting.answers import DEFAULTS, Answer, checked_axes
from lft.counting.audit.ceiling import can_be_told, ceiling, ceiling_of_frames
from lft.counting.clips import MANIFEST, Clip, Clips
from lft.counting.sweep import evidence_words, question_about

TRIAL, ANSWER = "trial.json", "answer.txt"
TEXT_SUFFIXES = (".txt", ".md")
_WRITTEN = (
    "prompt.txt",
    "prompt-*.txt",
    "video.*",
    "frames.csv",
    "frames/*",
)  # by `write_task`, beside TRIAL
_NUMBER = re.compile(r"\d{1,6}", re.ASCII)
_ANSWERS = re.compile(r"answer(\.\d{1,6})?\.(txt|md)", re.ASCII)
_CLIP_FORMS = "a clip id, or the video of a clip; `lft import videos` makes a clip from your own video"
_MOST_CHARACTERS = 2_000_000  # of one answer, as many as are read


def find_clip(name: str, folder: Path | None, results: Path) -> tuple[Clips, Clip]:
    """The clip called `name`: an id, the file name of an imported video, or the path of a clip's video.

    `folder` is the folder of clips; by default all folders of clips in `results` and the folder of the
    video are searched. Raises `InputError` unless there is exactly one such clip.
    """
    folders = [folder] if folder else sorted(p.parent for p in results.glob(f"*/{MANIFEST}"))
    video = Path(name)
    if video.is_file() and not folder:
        folders += [parent for parent in video.resolve().parents if (parent / MANIFEST).is_file()]
    if not folders:
        raise InputError("no clips there", where=results, remedy="lft render --grid demo, or --clips DIR")
    opened = [Clips.open(one) for one in dict.fromkeys(one.resolve() for one in folders)]
    found = [(clips, clip) for clips in opened for clip in clips_called(name, clips)]
    if len(found) == 1:
        return found[0]
    if found:
        places = ", ".join(str(clips.folder) for clips, _ in found)
        raise InputError(f"{len(found)} clips are called {shown(name)}", where=places, remedy="--clips DIR")
    if video.is_file():
        raise InputError("is the video of no clip", where=video, expected=_CLIP_FORMS)
    if len(opened) == 1:
        return opened[0], opened[0][name]  # raises with the nearest names
    raise InputError(f"no clip is called {shown(name)}", where=results, expected=_CLIP_FORMS)


def clips_called(name: str, clips: Clips) -> list[Clip]:
    """The clips of a folder that are called `name`: see `find_clip`."""
    # A video is identified by its content: an imported one may be anywhere.
    digest = sha256_of(Path(name)) if Path(name).is_file() else None
    return [clip for clip in clips if name in _names(clip) or clip.video_sha256 == digest]


def _names(clip: Clip) -> set[str]:
    source = str(getattr(clip.spec, "source", ""))
    return {clip.clip_id, source, Path(source).stem} - {""}


def words_for(clips: Clips, clip: Clip, condition: Condition, prompts: Path | None = None) -> JsonObject:
    """The question about a clip: `turns` (their words), `frame_times_s` (empty for `native`), `events_shown`."""
    _, frames, words = _asked(clips, clip, condition, prompts)
    return {
        "turns": _turns(words),
        "frame_times_s": _times_s(frames),
        "events_shown": events_shown(clip, frames),
    }


_FINER = ("fps:1", "fps:2", "fps:4", "fps:8", "fps:16")


def events_shown(clip: Clip, frames: Frames | None) -> JsonObject | None:
    """The number of events that the frames show: `shown`, `events`, and, if a finer sampling shows more, the coarsest
    that shows most (`finer`, with `finer_shown`). None without event times or events, and for the video itself.

    If it is unknown how long an event is visible, `shown` is None, and `away_s` holds the least and the greatest
    distance of an event from its nearest frame, in seconds.
    """
    if frames is None or not clip.spec.timed or not clip.spec.count:
        return None
    trace = clip.trace
    if not can_be_told(trace, np.unique(frames.frame_indices)):
        away_s = [round(float(np.abs(frames.times_s - t).min()), 6) for t in trace.times_s]
        return {"shown": None, "events": clip.spec.count, "away_s": [min(away_s), max(away_s)]}
    shown = ceiling_of_frames(trace, sorted({int(i) for i in frames.frame_indices})).count
    found: JsonObject = {"shown": shown, "events": clip.spec.count}
    if shown < clip.spec.count:
        counts = {name: ceiling(trace, Sampling.parse(name)).count for name in _FINER}
        best = max(counts, key=counts.__getitem__)  # the first of equals
        if counts[best] > shown:
            found |= {"finer": best, "finer_shown": counts[best]}
    return found


def write_task(
    clips: Clips, clip: Clip, condition: Condition, out: Path, prompts: Path | None = None
) -> JsonObject:
    """Writes the folder of one trial into `out` and returns its content: `clip`, `folder`, `turns` (their words),
    `attach` (paths, in order), `frame_times_s` (empty for `native`), `events_shown`.

    An existing answer stays. Raises `InputError` for an unusable prompt or sampling.
    """
    _, frames, words = _asked(clips, clip, condition, prompts)
    names = [condition.sampling.replace(":", "_"), condition.labels, Path(condition.prompt).stem]
    folder = out / f"{clip.clip_id.replace('/', '-')}.{'-'.join(names)}"
    attach = [_video(clip, folder)] if frames is None else _pictures(frames, folder)
    if frames is not None:
        write_text(folder / "frames.csv", frame_table(frames))
    turns = _turns(words)
    for number, text in enumerate(turns, start=1):
        write_text(folder / ("prompt.txt" if number == 1 else f"prompt-{number}.txt"), text + "\n")
    document = {
        "clip": clip.clip_id,
        "sampling": condition.sampling,
        "labels": condition.labels,
        "prompt": Path(condition.prompt).stem,
        "frame_times_s": _times_s(frames),
        "prompt_sha256": words.sha256,
        "clips": os.path.relpath(clips.folder, folder),
    }
    write_json(folder / TRIAL, document)
    if not (folder / ANSWER).exists():
        write_text(folder / ANSWER, "")
    return {
        "clip": clip.clip_id,
        "folder": str(folder),
        "turns": turns,
        "attach": attach,
        "frame_times_s": _times_s(frames),
        "events_shown": events_shown(clip, frames),
    }


def _asked(
    clips: Clips, clip: Clip, condition: Condition, prompts: Path | None
) -> tuple[Media, Frames | None, Rendered]:
    """The video, its supplied frames (None: the video itself) and the words."""
    media, frames = Media.open(clip.video), None
    policy = Sampling.parse(condition.sampling)
    if policy.needs_moments and not clip.spec.timed:
        raise InputError(f"the times of events in clip {clip.clip_id} are unknown", expected="fps:1")
    if policy.kind != "native":
        frames = sample(media, policy, clip.trace.times_s if policy.needs_moments else ())
    template = Template.load(condition.prompt, prompts)
    if template.schema:
        what = f"the prompt {template.name} has a schema of its answer, which a chat page does not take"
        raise InputError(what, remedy="structured_trace, or a model that is swept")
    values = question_about(clip.spec.domain, clips, prompts)
    return media, frames, template.render({**values, "evidence": _evidence(media, frames, condition)})


def _times_s(frames: Frames | None) -> list[float]:
    return [] if frames is None else [round(float(t), 6) for t in frames.times_s]


def _evidence(media: Media, frames: Frames | None, condition: Condition) -> str:
    """The words about frames, with a list of their times, since a chat page has no labels beside frames."""
    if frames is None:
        return evidence_words(media.duration_s, None, "none")
    at_events = Sampling.parse(condition.sampling).needs_moments
    words, labels = (
        evidence_words(media.duration_s, len(frames), "none", at_events=at_events),
        condition.labels,
    )
    if labels == "time" and len(frames):
        times = ", ".join(f"{t:.2f}" for t in frames.times_s)
        return f"{words} Their times, in seconds from the start of the video: {times}."
    return f"{words} They are numbered from 1 in this order." if labels == "index" and len(frames) else words


def _turns(words: Rendered) -> list[str]:
    """A chat page has no place for a system instruction, so it opens the first turn."""
    first = "\n\n".join(part for part in (words.system, words.turns[0]) if part)
    return [first, *words.turns[1:]]


def _video(clip: Clip, folder: Path) -> str:
    path = folder / f"video{clip.video.suffix}"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    link_or_copy(clip.video, path)
    return str(path)


def _pictures(frames: Frames, folder: Path) -> list[str]:
    import cv2

    width = max(3, len(str(len(frames))))
    for old in (folder / "frames").glob("*.png"):
        old.unlink()
    paths = []
    for number, picture in enumerate(frames.pictures(), start=1):
        path = folder / "frames" / f"{number:0{width}d}.png"
        done, data = cv2.imencode(".png", picture[..., ::-1])
        if not done:
            raise RuntimeError("OpenCV could not encode a frame")
        with replacing(path) as temporary:
            temporary.write_bytes(data.tobytes())
        paths.append(str(path))
    return paths


@dataclass(frozen=True)
class Texts:
    """The content of a text file or a folder of them.

    answers : one per file, in order of their numbers (`X.txt`, `X.2.txt`, `X.3.txt`). clips : the folder of clips
    that the files name, or None. unused : files that are neither answers nor files of `lft prompt`.
    """

    answers: list[Answer]
    clips: Path | None = None
    unused: tuple[Path, ...] = ()


def read_texts(
    path: Path, given: Mapping[str, str], clip_name: str | None = None, clips_folder: Path | None = None
) -> Texts:
    """The answers in a text file or a folder.

    - a text file: one answer, to the clip `clip_name`
    - a folder with `trial.json` and `answer.txt`, or with such folders; `answer.2.txt` and so on are further
      answers to the same question; an empty answer is a trial without an answer
    - any other folder: each text file is the answer to the clip in its name, `blinking-n03_f1.5_s07.txt`
      or `blinking/n03_f1.5_s07.txt`, with an optional part after a dot (`....2.txt` is a further replicate), or
      to the imported video in its name, with an optional number

    `given` are model, sampling, labels and prompt for files without them.
    """
    if not path.is_dir():
        if clip_name is None:
            raise InputError("does not say which clip it is about", where=path, remedy="--clip ID")
        return Texts([_answer(path, clip_name, {}, given)])
    if clip_name is not None:
        raise InputError("--clip is for one text file", where=path, remedy="no --clip for a folder")
    tasks = sorted({*path.glob(TRIAL), *path.glob(f"*/{TRIAL}")})
    if tasks:
        return _of_tasks(path, tasks, given)
    files = sorted(_files(path), key=lambda file: (file.parent, *_order(file)))
    texts = [file for file in files if file.suffix.lower() in TEXT_SUFFIXES]
    if not texts:
        raise InputError(
            "holds no answers", where=path, expected="a text file per clip, or folders of lft prompt"
        )
    own = _own_names(clips_folder)
    answers = [_answer(text, _clip_of(text, path, own), {}, given) for text in texts]
    return Texts(answers, unused=tuple(file for file in files if file not in texts))


def _files(folder: Path) -> Iterator[Path]:
    """Every file in a folder and below it but the hidden ones, which the system makes."""
    return (file for file in folder.rglob("*") if file.is_file() and not file.name.startswith("."))


def _order(file: Path) -> tuple[str, int, str]:
    """Sort key: name, then number; the file without a number first.

    >>> sorted(map(Path, ("a.10.txt", "a.2.txt", "a.txt", "b.txt")), key=_order)[0].name
    'a.txt'
    """
    name, _, tail = file.stem.rpartition(".")
    return (name, int(tail), file.name) if name and _NUMBER.fullmatch(tail) else (file.stem, 1, file.name)


def _own_names(clips_folder: Path | None) -> set[str]:
    """The names of the videos that a folder of clips was imported from, with and without suffix."""
    if clips_folder is None:
        return set()
    return {name for clip in Clips.open(clips_folder) for name in _names(clip)}


def _of_tasks(path: Path, tasks: list[Path], given: Mapping[str, str]) -> Texts:
    answers: list[Answer] = []
    folders: dict[Path, Path] = {}
    used: set[Path] = set()
    for task in tasks:
        document = read_json(task)
        if not isinstance(document, dict) or not all(
            isinstance(document.get(name), str) for name in ("clip", "clips", *CONDITION)
        ):
            raise InputError(
                "is not a trial of `lft prompt`", where=task, expected="the file as it was written"
            )
        times_s = document.get("frame_times_s")
        files = _answer_files(task.parent)
        for file in files:
            answer = _answer(file, document["clip"], document, given)
            if times_s and all(isinstance(t, int | float) and not isinstance(t, bool) for t in times_s):
                answer = replace(answer, frame_times_s=tuple(float(t) for t in times_s))
            answers.append(answer)
        used |= {task, *files, *(file for name in _WRITTEN for file in task.parent.glob(name))}
        folders[(task.parent / document["clips"]).resolve()] = task
    if len(folders) > 1:
        raise InputError(
            f"asks about clips of {len(folders)} folders",
            where=tasks[0].parent.parent,
            remedy="one import for each",
        )
    clips = next(iter(folders))
    unused = tuple(sorted(file for file in _files(path) if file not in used))
    return Texts(answers, clips, unused)


def _answer_files(folder: Path) -> list[Path]:
    """The answers of a trial in order of their numbers; `answer.1.txt` replaces an empty `answer.txt`."""
    named = (file for file in folder.glob("answer*") if _ANSWERS.fullmatch(file.name))
    found = sorted(named, key=_order)
    first = folder / ANSWER
    if first in found and not read_text(first).strip() and [_order(file)[1] for file in found].count(1) > 1:
        found.remove(first)
    return found or [first]


def _answer(path: Path, clip: str, said: Entries, given: Mapping[str, str]) -> Answer:
    text = read_text(path)
    if len(text) > _MOST_CHARACTERS:
        raise InputError(
            f"an answer of {len(text)} characters", where=path, expected=f"up to {_MOST_CHARACTERS}"
        )
    said_of = {name: str(given.get(name) or said.get(name) or DEFAULTS[name]) for name in MODEL_CONDITION}
    axes: JsonObject = {**checked_axes(said_of, str(path), part="")}
    return Answer(clip, (text.strip() and text) or None, **axes, where=str(path))


def _clip_of(text: Path, folder: Path, own: Collection[str]) -> str:
    """The clip in a file's name; `own` are names of imported videos, optionally followed by a number."""
    name = text.relative_to(folder).with_suffix("").as_posix()
    head, _, tail = name.rpartition(".")
    if name in own or (head in own and _NUMBER.fullmatch(tail)):
        return name if name in own else head
    head, dash, rest = name.partition("-")
    if dash and "/" not in name and rest.startswith("n"):
        name = f"{head}/{rest}"
    return _without_tail(name)


def _without_tail(name: str) -> str:
    """
    >>> _without_tail("blinking/n03_f1.5_s07.second try"), _without_tail("clap.mp4")
    ('blinking/n03_f1.5_s07', 'clap.mp4')
    """
    from lft.counting.spec import parse_clip_id

    parts = name.split(".")
    for end in range(len(parts), 0, -1):
        stem = ".".join(parts[:end])
        try:
            parse_clip_id(stem)
        except InputError:
            continue
        return stem
    return name
