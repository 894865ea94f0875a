"""The user's videos: found by the names in annotations, and never lost when an import is repeated."""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path, PurePosixPath

from lft.core.errors import InputError, shown
from lft.core.files import sha256_of
from lft.counting.clips import Clip
from lft.counting.natural.annotation import Annotation

SUFFIXES = (
    ".mp4", ".mov", ".m4v", ".mkv", ".webm", ".avi", ".mpg", ".mpeg", ".ts", ".mts", ".m2ts", ".wmv", ".flv", ".3gp",
    ".ogv", ".gif",
)  # fmt: skip


class NoVideo(InputError):
    """An annotation without its video."""


class Folder:
    """The videos in a folder and below it. Raises `InputError` if the folder does not exist."""

    def __init__(self, videos: Path) -> None:
        if not videos.is_dir():
            raise InputError(
                "no such folder", where=videos, remedy="--videos with the folder of the video files"
            )
        self.videos = videos
        self._by_name: dict[str, list[Path]] = {}
        for path in sorted(_below(videos)):
            if path.suffix.lower() in SUFFIXES and path.is_file():
                for name in {_alike(path.name), _alike(path.stem)}:
                    self._by_name.setdefault(name, []).append(path)

    def find(self, annotation: Annotation) -> Path:
        """The file with that name in the folder, or the only one below it; never one outside.

        Absolute names, names of other systems and names with `..` are searched by their last part; case and
        Unicode normalisation are ignored.
        """
        parts = PurePosixPath(annotation.video.replace("\\", "/")).parts
        inside = bool(parts) and not {"/", ".."} & set(parts) and "\0" not in annotation.video
        if inside and (path := self.videos.joinpath(*parts)).is_file():
            return path
        last = parts[-1] if parts else ""
        found = self._by_name.get(_alike(last), [])
        if not found and PurePosixPath(last).suffix.lower() in SUFFIXES:  # converted since it was annotated
            found = self._by_name.get(_alike(PurePosixPath(last).stem), [])
        if len(found) > 1:  # the one in the folder that the name gives, if only one is
            alike = [_common_tail(path.parts, parts) for path in found]
            found = [path for path, n in zip(found, alike, strict=True) if n == max(alike)]
        if len(found) == 1:
            return found[0]
        what = f"{len(found)} files are called" if found else "no video is called"
        raise (InputError if found else NoVideo)(
            f"{what} {shown(annotation.video)} in {self.videos}",
            where=annotation.where,
            expected="its path below that folder",
        )

    def others(self, named: Iterable[Path], out: Path) -> tuple[Path, ...]:
        """The videos that are not named, in order; without those in out/videos."""
        known, made = {path.resolve() for path in named}, (out / "videos").resolve()
        found = sorted({path for paths in self._by_name.values() for path in paths})
        ends = ((path, path.resolve()) for path in found)
        return tuple(
            path for path, end in ends if end not in known and made not in path.parent.resolve().parents
        )

    def has(self, clip: Clip) -> bool:
        """Whether the video of an imported clip is among these."""
        named = self._by_name.get(_alike(getattr(clip.spec, "source", "")), [])
        return any(not path.samefile(clip.video) and sha256_of(path) == clip.video_sha256 for path in named)


def _below(folder: Path) -> Iterator[Path]:
    """Every file below, also in linked folders; each folder once, so that circular links end."""
    entered: set[str] = set()
    for root, folders, names in os.walk(folder, followlinks=True):
        real = os.path.realpath(root)
        if real in entered:
            folders.clear()
            continue
        entered.add(real)
        folders.sort()
        yield from (Path(root, name) for name in names)


def remove_stale(
    before: Iterable[Clip], now: Sequence[Clip], out: Path, found: Folder
) -> tuple[tuple[str, ...], tuple[Path, ...]]:
    """Removes files of an earlier import in `out` that no clip needs: (ids of such clips, videos that stay).

    A video stays if it may be the only copy: unless it has another hard link or is
    unchanged among the user's videos. A file that was changed since the import stays too.
    """
    needed = {path for clip in now for path in (clip.video, clip.trace_path)}
    gone: list[str] = []
    kept: list[Path] = []
    for clip in before:
        if clip.clip_id not in {one.clip_id for one in now}:
            gone.append(clip.clip_id)
        trace_path, video = (
            out / f"traces/{clip.clip_id}.json",
            out / f"videos/{clip.clip_id}{clip.video.suffix}",
        )
        if clip.trace_path == trace_path not in needed and _is(trace_path, clip.trace_sha256):
            trace_path.unlink()
        if clip.video != video or video in needed or not video.is_file():
            continue
        if video.stat().st_nlink > 1 or (_is(video, clip.video_sha256) and found.has(clip)):
            video.unlink()
        else:
            kept.append(video)
    return tuple(gone), tuple(kept)


def _common_tail(one: Sequence[str], other: Sequence[str]) -> int:
    """How many parts two paths share at their end."""
    pairs = zip(reversed(one), reversed(other), strict=False)
    return next((n for n, (a, b) in enumerate(pairs) if _alike(a) != _alike(b)), min(len(one), len(other)))


def _is(path: Path, sha256: str) -> bool:
    return path.is_file() and sha256_of(path) == sha256


def _alike(name: str) -> str:
    return unicodedata.normalize("NFC", name).casefold()
