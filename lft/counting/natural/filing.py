"""Annotated videos, checked against the files and filed as a folder of clips.

videos/DOMAIN/n07_f0.5_s03.mp4       the user's own file, linked where the file system can
traces/DOMAIN/n07_f0.5_s03.json      when each event happens, by the file's presentation time stamps
questions/DOMAIN.txt                 what is asked about them; edit it before asking
manifest.jsonl
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from lft.core.errors import InputError, shown
from lft.core.files import link_or_copy, sha256_of, write_text
from lft.core.media import Media
from lft.counting.clips import MANIFEST, Clip, read_manifest, write_manifest
from lft.counting.footage import Footage, domain_name, filed_hz
from lft.counting.natural.annotation import Annotation, Happening
from lft.counting.sweep import question
from lft.counting.trace import Event, Trace

SUFFIXES = (
    ".mp4",
    ".mov",
    ".m4v",
    ".mkv",
    ".webm",
    ".avi",
    ".mpg",
    ".mpeg",
    ".ts",
    ".wmv",
    ".flv",
    ".3gp",
    ".ogv",
)
_EPSILON_S = 1e-6


@dataclass(frozen=True)
class Filed:
    """What an import did: the clips in order, and (row, fault) of those that were left out."""

    clips: tuple[Clip, ...]
    skipped: tuple[tuple[str, str], ...]


def file_videos(
    annotations: Iterable[Annotation],
    videos: Path,
    out: Path,
    *,
    domain: str,
    words: dict[str, str] | None = None,
    skip_faulty: bool = False,
    seen: Callable[[int], None] = lambda done: None,
) -> Filed:
    """Checks every annotation against its video and writes the clips of `domain` into `out`.

    Clips of other domains in `out` stay; those of this one are replaced. `words` replaces question, event or
    detail. Raises `InputError` for the first faulty row, unless `skip_faulty`; nothing is written before all
    rows have been checked.
    """
    domain_name(domain, where="--domain")
    index = _index(videos)
    ready: list[tuple[Footage, Media, tuple[Happening, ...], str]] = []
    skipped: list[tuple[str, str]] = []
    named: dict[Path, str] = {}
    for number, annotation in enumerate(annotations):
        try:
            path = _find(annotation, videos, index)
            if path in named:
                raise InputError(
                    f"{shown(annotation.video)} was annotated before ({named[path]})", where=annotation.where
                )
            media = Media.open(path)
            happenings = annotation.happenings(media)
            spec = _footage(annotation, media, happenings, domain, number)
        except InputError as error:
            if not skip_faulty:
                raise
            skipped.append((annotation.where, str(error)))
            continue
        named[path] = annotation.where
        ready.append((spec, media, happenings, sha256_of(path)))
        seen(number + 1)
    if not ready:
        raise InputError(
            "no annotated video could be used", where=videos, remedy="annotations of videos that are there"
        )
    clips = tuple(_write(out, *one, event_type=_event_type(domain, words)) for one in ready)
    others = read_manifest(out) if (out / MANIFEST).exists() else {}
    kept = {clip_id: clip for clip_id, clip in others.items() if clip.spec.domain != domain}
    write_manifest(out, {**kept, **{clip.clip_id: clip for clip in clips}})
    _write_question(out, domain, words or {})
    return Filed(clips, tuple(skipped))


def _footage(
    annotation: Annotation, media: Media, happenings: Sequence[Happening], domain: str, seed: int
) -> Footage:
    return Footage(
        domain=domain,
        count=annotation.count,
        frequency_hz=filed_hz(_mean_rate_hz(annotation, media, happenings)),
        seed=seed,
        fps=len(media) / media.duration_s,
        width=media.width,
        height=media.height,
        duration_s=media.duration_s,
        source=media.path.name,
        timed=annotation.timed,
        kind=annotation.kind,
    )


def _mean_rate_hz(annotation: Annotation, media: Media, happenings: Sequence[Happening]) -> float:
    """Events per second while they happen: over the cycles, over the gaps, or over the whole video."""
    if not annotation.count:
        return 0.0
    if happenings and annotation.times_s is None:
        return len(happenings) / sum(h.end_s - h.start_s for h in happenings)
    if len(happenings) > 1:
        return (len(happenings) - 1) / (happenings[-1].time_s - happenings[0].time_s)
    return annotation.count / media.duration_s


def _write(
    out: Path, spec: Footage, media: Media, happenings: Sequence[Happening], digest: str, *, event_type: str
) -> Clip:
    suffix = media.path.suffix.lower()
    video = out / "videos" / f"{spec.clip_id}{suffix if suffix in SUFFIXES else '.mp4'}"
    trace_path = out / "traces" / f"{spec.clip_id}.json"
    link_or_copy(media.path, video)
    trace = Trace(
        clip_id=spec.clip_id,
        spec=spec,
        fps=spec.fps,
        frame_count=len(media),
        width=media.width,
        height=media.height,
        video_sha256=digest,
        events=tuple(_event(i, h, media, event_type) for i, h in enumerate(happenings)),
        frame_times_s=tuple(media.frame_times_s.tolist()),
    )
    trace.execute()
    trace.write(trace_path)
    return Clip(spec.clip_id, spec, video, trace_path, digest, sha256_of(trace_path))


def _event(index: int, happening: Happening, media: Media, event_type: str) -> Event:
    frame = media.frame_at(happening.time_s)
    # Frames that come on in [start, end): two events that touch share none.
    first, after = np.searchsorted(
        media.frame_times_s, [happening.start_s - _EPSILON_S, happening.end_s - _EPSILON_S], side="left"
    )
    return Event(
        index=index,
        time_s=happening.time_s,
        scheduled_s=happening.time_s,
        frame_index=frame,
        type=event_type,
        state_before=str(index),
        state_after=str(index + 1),
        running_count=index + 1,
        evidence_frames=(min(int(first), frame), max(int(after) - 1, frame)),
        tolerance_s=happening.tolerance_s,
    )


def _index(videos: Path) -> dict[str, list[Path]]:
    """Every video below the folder by file name, and by file name without suffix."""
    if not videos.is_dir():
        raise InputError("no such folder", where=videos, remedy="--videos with the folder of the video files")
    index: dict[str, list[Path]] = {}
    for path in sorted(videos.rglob("*")):
        if path.suffix.lower() in SUFFIXES and path.is_file():
            for name in {path.name, path.stem}:
                index.setdefault(name, []).append(path)
    return index


def _find(annotation: Annotation, videos: Path, index: dict[str, list[Path]]) -> Path:
    """The file of that name in the folder, or the only one below it; never one outside."""
    name = annotation.video
    inside = "\0" not in name and (videos / name).resolve().is_relative_to(videos.resolve())
    if not inside:
        raise InputError(
            f"the path {shown(name)} leaves the folder", where=annotation.where, remedy="a file name"
        )
    if (videos / name).is_file():
        return videos / name
    found = index.get(Path(name).name, [])
    if len(found) == 1:
        return found[0]
    what = f"{len(found)} files are called" if found else "no video is called"
    raise InputError(
        f"{what} {shown(name)} in {videos}", where=annotation.where, remedy="its path below that folder"
    )


def _event_type(domain: str, words: dict[str, str] | None) -> str:
    return (words or {}).get("event") or question(_base(domain))["event"]


def _base(domain: str) -> str:
    return domain if domain in ("repetition", "natural") else "natural"


def _write_question(out: Path, domain: str, words: dict[str, str]) -> None:
    values = question(_base(domain)) | words
    text = "".join(f"=== {name}\n{values[name]}\n" for name in ("question", "event", "detail"))
    write_text(out / "questions" / f"{domain}.txt", f"# What is asked about the {domain} clips.\n{text}")
