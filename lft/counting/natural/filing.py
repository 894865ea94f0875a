"""Stores annotated videos, checked against the files, as a folder of clips.

videos/DOMAIN/n07_f0.5_s03.mp4       the user's own file, linked where the file system can
traces/DOMAIN/n07_f0.5_s03.json      when each event happens, by the file's presentation time stamps
questions/DOMAIN.txt                 what is asked about them; edit it before asking
manifest.jsonl
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from lft.core.errors import InputError, shown
from lft.core.files import link_or_copy, sha256_of, write_text
from lft.core.video.media import Media
from lft.counting.clips import MANIFEST, Clip, read_manifest, write_manifest
from lft.counting.natural.annotation import Annotation, Happening, Unusable
from lft.counting.natural.folder import SUFFIXES, Folder, remove_stale
from lft.counting.spec import Footage, domain_name, filed_hz, source_of
from lft.counting.sweep import question
from lft.counting.trace import Event, Trace

_EPSILON_S = 1e-6


@dataclass(frozen=True)
class Filed:
    """The result of an import.

    Attributes
    ----------
    clips : the clips, in the order of the annotations.
    skipped : (row, fault) of those that were left out.
    stay : number of unchanged clips of the domain from earlier imports.
    replaced : (file, id before, id now) of videos whose clip has been replaced.
    removed : clips of an earlier import that are no longer annotated; their files are removed.
    kept : their videos that stay, as they may be the only copies.
    without_row : videos of the folder without a row.
    remarks : (file, phrase) about the reading of a video, such as undecodable frames.
    """

    clips: tuple[Clip, ...]
    skipped: tuple[tuple[str, InputError], ...]
    removed: tuple[str, ...] = ()
    kept: tuple[Path, ...] = ()
    without_row: tuple[Path, ...] = ()
    remarks: tuple[tuple[str, str], ...] = ()
    stay: int = 0
    replaced: tuple[tuple[str, str, str], ...] = ()


def file_videos(
    annotations: Sequence[Annotation | Unusable],
    videos: Path,
    out: Path,
    *,
    domain: str,
    words: dict[str, str] | None = None,
    skip_faulty: bool = False,
    replace: bool = False,
    seen: Callable[[int], None] = lambda done: None,
) -> Filed:
    """Checks every annotation against its video and writes the clips of `domain` into `out`.

    Existing clips in `out` stay, but a file that is imported again replaces its own clip. With `replace`
    all other clips of `domain` are removed. An existing question of the domain
    stays; `words` replaces question, event or detail. Raises `InputError` for faulty rows, unless `skip_faulty`, and,
    without `replace`, for a video with the name but not the content of an existing one, and for words that would
    change the question of existing clips. Nothing is written before all checks have passed.
    """
    domain_name(domain, where="--domain")
    if not annotations:
        raise InputError("no annotated video could be used: there are no rows", expected="a row for a video")
    found = Folder(videos)
    faults: dict[int, tuple[str, InputError]] = {}
    named: dict[Path, tuple[int, Annotation]] = {}
    for number, annotation in enumerate(annotations):
        try:
            if isinstance(annotation, Unusable):
                raise annotation.fault
            path = found.find(annotation)
            if path in named:
                what = f"{shown(annotation.video)} was annotated before ({named[path][1].where})"
                raise InputError(what, where=annotation.where)
            named[path] = (number, annotation)
        except InputError as error:
            faults[number] = (annotation.where, error)
    _refuse(faults, annotations, skip_faulty)  # before any video is read
    before = read_manifest(out) if (out / MANIFEST).exists() else {}
    there = _There([clip for clip in before.values() if clip.spec.domain == domain], replace=replace)
    read: list[tuple[int, Annotation, Media, tuple[Happening, ...], str]] = []
    for done, (path, (number, annotation)) in enumerate(named.items(), start=1):
        try:
            media = Media.open(path)
            media.check()
            happenings = annotation.happenings(media)
            digest = sha256_of(path)
            there.take(number, path.name, digest, where=out)
            read.append((number, annotation, media, happenings, digest))
        except InputError as error:
            faults[number] = (annotation.where, error)
        seen(done)
    _refuse(faults, annotations, skip_faulty)
    asked = _asked(out, domain, words or {})
    if words and there.stay and asked != _asked(out, domain, {}):
        names = ", ".join(str(getattr(clip.spec, "source", clip.clip_id)) for clip in there.stay[:3])
        raise InputError(
            f"another question would be asked about what is there as well ({names})",
            where=out / "questions" / f"{domain}.txt",
            remedy="--domain NAME for another kind of event, or no --event and no --question",
        )
    seeds = there.seeds([number for number, *_ in read])
    specs = [
        _footage(annotation, media, happenings, domain, seed)
        for seed, (_, annotation, media, happenings, _) in zip(seeds, read, strict=True)
    ]
    clips = tuple(
        _write(out, spec, media, happenings, digest, event_type=asked["event"])
        for spec, (_, _, media, happenings, digest) in zip(specs, read, strict=True)
    )
    stale = [clip for clip in before.values() if clip.spec.domain == domain and clip not in there.stay]
    gone = {clip.clip_id for clip in stale}
    stay = {clip_id: clip for clip_id, clip in before.items() if clip_id not in gone}
    write_manifest(out, {**stay, **{clip.clip_id: clip for clip in clips}})
    _write_question(out, domain, asked, new=bool(words))
    removed, kept = remove_stale(stale, [*stay.values(), *clips], out, found)
    skipped = tuple(faults[number] for number in sorted(faults))
    remarks = tuple((media.path.name, phrase) for _, _, media, _, _ in read for phrase in media.remarks())
    numbers = [number for number, *_ in read]
    replaced = there.replaced(dict(zip(numbers, clips, strict=True)))
    removed = tuple(clip_id for clip_id in removed if clip_id not in {was for _, was, _ in replaced})
    others = found.others(named, out)
    return Filed(clips, skipped, removed, kept, others, remarks, len(there.stay), replaced)


class _There:
    """The existing clips of a domain, and those that rows of an import replace.

    With `replace` none of them stays, and rows are numbered from 0.
    """

    def __init__(self, clips: Sequence[Clip], *, replace: bool) -> None:
        self.stay = [] if replace else list(clips)
        self._former: dict[int, Clip] = {}  # by row
        self._taken = {clip.spec.seed for clip in self.stay}

    def take(self, row: int, name: str, digest: str, *, where: Path) -> None:
        """Finds the earlier clip of the same file; raises `InputError` for another file with its name."""
        alike = [clip for clip in self.stay if clip.video_sha256 == digest]
        named = [clip for clip in self.stay if getattr(clip.spec, "source", "") == name]
        former = next((clip for clip in alike if clip in named), alike[0] if alike else None)
        if former is None and named:
            raise InputError(
                f"{shown(name)} differs from the file with that name in {named[0].clip_id}",
                where=where,
                remedy="another name or --out for it, or --replace, which removes all clips of the domain first",
            )
        if former is not None:
            self.stay.remove(former)
            self._former[row] = former

    def seeds(self, rows: Sequence[int]) -> list[int]:
        """The seed of each row: that of its former clip, else its number, or the next free one."""
        taken = set(self._taken)
        found = []
        for row in rows:
            seed = self._former[row].spec.seed if row in self._former else row
            while row not in self._former and seed in taken:
                seed += 1
            taken.add(seed)
            found.append(seed)
        return found

    def replaced(self, clips: Mapping[int, Clip]) -> tuple[tuple[str, str, str], ...]:
        """(file, id before, id now) of each row whose clip has become another."""
        pairs = ((former, clips[row]) for row, former in self._former.items() if row in clips)
        return tuple(
            (source_of(now.spec), former.clip_id, now.clip_id)
            for former, now in pairs
            if (former.clip_id, former.trace_sha256) != (now.clip_id, now.trace_sha256)
        )


def _refuse(
    faults: dict[int, tuple[str, InputError]], annotations: Sequence[Annotation | Unusable], skip: bool
) -> None:
    """Raises `InputError` for the first of the faults; if they may be skipped, only where nothing is left."""
    if not faults or (skip and len(faults) < len(annotations)):
        return
    _, first = faults[min(faults)]
    if len(annotations) == 1:
        raise first
    if len(faults) == len(annotations):
        raise InputError(f"no annotated video could be used ({len(faults)} rows): {first}")
    raise InputError(
        f"{len(faults)} of {len(annotations)} rows cannot be used: {first}, or --skip-faulty to leave them out"
    )


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
        start_s=round(media.clock_s, 3),
        evidence=annotation.evidence,
    )


def _mean_rate_hz(annotation: Annotation, media: Media, happenings: Sequence[Happening]) -> float:
    """Events per second, over the cycles, the gaps, or the whole video."""
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


def _asked(out: Path, domain: str, words: dict[str, str]) -> dict[str, str]:
    """The question: that in the folder, which may have been edited, with `words` taking precedence."""
    if (out / "questions" / f"{domain}.txt").is_file():
        return question(domain, out) | words
    return question(domain if domain == "repetition" else "natural") | words


def _write_question(out: Path, domain: str, asked: dict[str, str], *, new: bool) -> None:
    path = out / "questions" / f"{domain}.txt"
    if new or not path.is_file():
        text = "".join(f"=== {name}\n{asked[name]}\n" for name in ("question", "event", "detail"))
        write_text(path, f"# What is asked about the {domain} clips.\n{text}")
