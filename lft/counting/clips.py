"""Clips on disk: a folder of videos, their traces, and a manifest with the paths and hashes of both.

manifest.jsonl                         one line per clip; during rendering in order of completion
    videos/<domain>/n03_f1.5_s07.mp4
    traces/<domain>/n03_f1.5_s07.json

Manifests are untrusted: paths are relative and must stay inside the folder.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path, PurePosixPath

from lft.core.errors import InputError, shown, unknown_name
from lft.core.files import read_json_lines, sha256_of, write_text
from lft.core.records import Json, JsonObject
from lft.core.runs import Run
from lft.counting.spec import AnySpec, spec_from_json
from lft.counting.trace import Trace

MANIFEST = "manifest.jsonl"
_RENDERED = "a folder that `lft render` wrote"


@dataclass(frozen=True)
class Clip:
    """One line of a manifest. `video` and `trace_path` are absolute, or relative to the working directory."""

    clip_id: str
    spec: AnySpec
    video: Path
    trace_path: Path
    video_sha256: str
    trace_sha256: str

    @cached_property
    def trace(self) -> Trace:
        """The truth; raises `InputError` if the file is of another clip or video."""
        if not self.trace_path.is_file():
            raise InputError("no such file", where=self.trace_path, expected="the trace of the clip")
        trace = Trace.read(self.trace_path)
        if trace.clip_id != self.clip_id:
            raise InputError(
                f"is the trace of {shown(trace.clip_id)}",
                where=self.trace_path,
                expected="the trace of this clip",
            )
        if trace.video_sha256 != self.video_sha256:
            raise InputError(
                "describes another video file", where=self.trace_path, remedy="`lft render` again"
            )
        if sha256_of(self.trace_path) != self.trace_sha256:
            raise InputError(
                "was changed since it was written",
                where=self.trace_path,
                remedy="restoring it, or `lft render`, which replaces it",
            )
        return trace

    def fault(self) -> str | None:
        """The problem of the files on disk (missing, changed), or None."""
        for path, expected in ((self.video, self.video_sha256), (self.trace_path, self.trace_sha256)):
            if not path.is_file():
                return f"{path.name} is missing"
            if sha256_of(path) != expected:
                return f"{path.name} is not the file that was rendered"
        return None


@dataclass(frozen=True)
class Clips:
    """The clips of a folder, in the manifest's order. Open with `Clips.open(folder)`."""

    folder: Path
    by_id: dict[str, Clip]

    @classmethod
    def open(cls, folder: Path | str) -> Clips:
        """Reads only the manifest; raises `InputError` if the folder is not a folder of clips."""
        folder = Path(folder)
        if not folder.is_dir():
            what = "is a file, not a folder of clips" if folder.exists() else "no such folder"
            raise InputError(what, where=folder, expected=_RENDERED)
        if not (folder / MANIFEST).is_file():
            raise InputError(f"holds no {MANIFEST}", where=folder, expected=_RENDERED)
        clips = read_manifest(folder)
        if not clips:
            raise InputError("lists no clips", where=folder / MANIFEST, expected=_RENDERED)
        return cls(folder, clips)

    def __len__(self) -> int:
        return len(self.by_id)

    def __iter__(self) -> Iterator[Clip]:
        return iter(self.by_id.values())

    def __getitem__(self, clip_id: str) -> Clip:
        if clip_id not in self.by_id:
            raise unknown_name("clip", clip_id, self._near(clip_id), where=self.folder)
        return self.by_id[clip_id]

    def __contains__(self, clip_id: object) -> bool:
        return clip_id in self.by_id

    def trace(self, clip_id: str) -> Trace:
        """The truth about one clip."""
        return self[clip_id].trace

    def faults(self) -> dict[str, str]:
        """Clips with missing or changed files, and their problems. Reads every file."""
        found = ((clip.clip_id, clip.fault()) for clip in self)
        return {clip_id: fault for clip_id, fault in found if fault}

    def _near(self, clip_id: str) -> list[str]:
        import difflib

        return difflib.get_close_matches(clip_id, list(self.by_id), n=3, cutoff=0.3) or list(self.by_id)[:3]


def clip_paths(clip_id: str) -> tuple[PurePosixPath, PurePosixPath]:
    """The paths of a clip's video and trace in its folder.

    >>> [str(path) for path in clip_paths("blinking/n03_f1.5_s07")]
    ['videos/blinking/n03_f1.5_s07.mp4', 'traces/blinking/n03_f1.5_s07.json']
    """
    return PurePosixPath(f"videos/{clip_id}.mp4"), PurePosixPath(f"traces/{clip_id}.json")


def clips_folder_of(run: Run) -> Path:
    """The folder of a run's clips, from its manifest."""
    return run.folder_of("clips_folder")


def traces_of(run: Run, folder: Path | None = None) -> Callable[[str], Trace]:
    """The traces of a run's clips, by clip id; `folder` overrides the manifest's folder of clips.

    Raises `InputError` if a clip is not the file that the run was asked about.
    """
    place = folder or clips_folder_of(run)
    clips = Clips.open(place)
    hashes = run.own.get("clips", {})

    def trace_of(clip_id: str) -> Trace:
        if clip_id not in clips:  # another clip would be another truth: none is proposed
            raise InputError(
                f"clip {shown(clip_id)}, which the run was asked about, is missing",
                where=place,
                remedy="--clips with the folder that has it, or importing or rendering the clip again",
            )
        trace: Trace = clips.trace(clip_id)
        if hashes.get(clip_id, trace.video_sha256) != trace.video_sha256:
            raise InputError(
                f"clip {shown(clip_id)} is not the file that the run was asked about",
                where=place,
                remedy="--clips with the folder that the run used",
            )
        return trace

    return cache(trace_of)


def way_between(run: Path, clips: Path) -> str:
    """The relative path from a run's folder to its clips; symbolic links are resolved if needed."""
    named = os.path.relpath(clips, run)
    if os.path.realpath(os.path.join(os.path.realpath(run), named)) == os.path.realpath(clips):
        return named
    return os.path.relpath(os.path.realpath(clips), os.path.realpath(run))


def read_manifest(folder: Path) -> dict[str, Clip]:
    """Clips by id; the last line of a clip counts, and an incomplete last line is ignored."""
    path = folder / MANIFEST
    clips = {}
    for number, line in enumerate(read_json_lines(path, torn_tail_allowed=True), start=1):
        clip = _clip(folder, line, where=f"{path}:{number}")
        clips[clip.clip_id] = clip
    return clips


def write_manifest(folder: Path, clips: dict[str, Clip]) -> None:
    """Writes the manifest atomically."""
    write_text(folder / MANIFEST, "".join(manifest_line(folder, clip) for clip in clips.values()))


def manifest_line(folder: Path, clip: Clip) -> str:
    """One clip as a line of the manifest."""
    document = {
        "id": clip.clip_id,
        "spec": clip.spec.to_json(),
        "path": clip.video.relative_to(folder).as_posix(),
        "trace_path": clip.trace_path.relative_to(folder).as_posix(),
        "sha256": clip.video_sha256,
        "trace_sha256": clip.trace_sha256,
    }
    return json.dumps(document, ensure_ascii=False, allow_nan=False) + "\n"


def _clip(folder: Path, line: JsonObject, *, where: str) -> Clip:
    try:
        clip_id, spec_document = line["id"], line["spec"]
        video, trace, hashes = line["path"], line["trace_path"], (line["sha256"], line["trace_sha256"])
    except KeyError as error:
        raise InputError(f"the entry {error} is missing", where=where, expected=_RENDERED) from error
    if not isinstance(spec_document, dict) or not all(isinstance(text, str) for text in (clip_id, *hashes)):
        raise InputError("an entry is of the wrong kind", where=where, expected=_RENDERED)
    spec = spec_from_json(spec_document, where=where)
    if spec.clip_id != clip_id:
        raise InputError(
            f"is filed as {shown(clip_id)} but specifies {spec.clip_id}", where=where, expected=_RENDERED
        )
    return Clip(clip_id, spec, _inside(folder, video, where), _inside(folder, trace, where), *hashes)


def _inside(folder: Path, name: Json, where: str) -> Path:
    """The path called `name`, which must be relative and stay in the folder, links followed."""
    if not isinstance(name, str) or not name or "\0" in name or not _writable(name):
        raise InputError(
            f"unusable path {shown(name)}", where=where, expected="a path relative to the manifest"
        )
    path = folder / name
    try:
        stays = path.resolve().is_relative_to(folder.resolve())
    except (OSError, RuntimeError) as error:  # links in a circle, a name that is too long
        raise InputError(
            f"unusable path {shown(name)} ({error})", where=where, expected="a path inside the folder"
        ) from None
    if Path(name).is_absolute() or not stays:
        raise InputError(
            f"the path {shown(name)} leaves the folder", where=where, expected="a path inside it"
        )
    return path


def _writable(name: str) -> bool:
    """Whether the file system can store a name; it cannot store a lone surrogate."""
    try:
        return bool(os.fsencode(name))
    except UnicodeError:
        return False
