"""Completes a folder of clips: complete clips are kept, the rest is rendered.

Every file is written to a temporary name and renamed, and the manifest gets a line when a clip is done,
so an interrupted run can be resumed. At the end the manifest is sorted in
the order of the grid: the folder is then the same, byte for byte, for any number of jobs.
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby
from pathlib import Path

from lft.core.errors import InputError, RunIncomplete
from lft.core.files import replacing, sha256_of
from lft.core.workers import WorkerDied, over_processes
from lft.counting.clips import MANIFEST, Clip, clip_paths, manifest_line, read_manifest, write_manifest
from lft.counting.rendering.schedule import draw
from lft.counting.spec import VERSION, ClipSpec

_RAY_BATCH = 16  # clips per task: limits the loss with a node, and the memory of a result
_PRELOAD = ("lft.counting.rendering.scene", "lft.renderers.base")


@dataclass(frozen=True)
class Outcome:
    """What a run did: clips rendered, clips that were there, why earlier ones were done again, and their version."""

    rendered: int
    kept: int
    repaired: dict[str, str]
    version: int = VERSION


def render_clips(
    specs: Sequence[ClipSpec],
    folder: Path,
    *,
    jobs: int = 1,
    executor: str = "local",
    seen: Callable[[int, int], None] = lambda done, total: None,
) -> Outcome:
    """Renders the missing clips of `specs` into `folder`; other clips in it stay.

    A folder with clips of an earlier version is completed in that version, as runs depend on it.

    Parameters
    ----------
    jobs : processes to render with, on this machine.
    executor : `local`, or `ray` for the Ray cluster at RAY_ADDRESS or on this machine.
    seen : called with (done, total) as clips are done.

    Raises
    ------
    InputError : the folder cannot be written, or another process renders into it.
    RunIncomplete : workers died; what was done is kept.
    """
    folder = Path(folder)
    with _locked(folder):
        _remove_leftovers(folder)
        before = read_manifest(folder) if (folder / MANIFEST).exists() else {}
        wanted = {spec.clip_id: spec for spec in _as_begun(specs, before)}
        faults = {clip_id: _fault(before.get(clip_id), spec) for clip_id, spec in wanted.items()}
        missing = [spec for clip_id, spec in wanted.items() if faults[clip_id]]
        clips = {clip_id: clip for clip_id, clip in before.items() if not faults.get(clip_id)}
        kept = len(wanted) - len(missing)
        try:
            with _appending(folder) as append:
                done = _rendered(missing, folder, jobs, executor)
                for number, clip in enumerate(done, start=kept + 1):
                    clips[clip.clip_id] = clip
                    append(manifest_line(folder, clip))
                    seen(number, len(wanted))
        except WorkerDied as error:
            raise RunIncomplete(f"{error}; {len(clips)} clips are kept, the same command resumes") from None
        finally:
            _remove_leftovers(folder)
        order = {clip_id: place for place, clip_id in enumerate(wanted)}
        ordered = sorted(clips.values(), key=lambda clip: (order.get(clip.clip_id, len(order)), clip.clip_id))
        write_manifest(folder, {clip.clip_id: clip for clip in ordered})
    repaired = {clip_id: fault for clip_id, fault in faults.items() if fault and clip_id in before}
    return Outcome(
        len(missing), kept, repaired, min((spec.version for spec in wanted.values()), default=VERSION)
    )


def _as_begun(specs: Sequence[ClipSpec], before: Mapping[str, Clip]) -> Sequence[ClipSpec]:
    there = [before[spec.clip_id].spec for spec in specs if spec.clip_id in before]
    begun = min((spec.version for spec in there if isinstance(spec, ClipSpec)), default=VERSION)
    if begun == VERSION or any(spec.schedule != "regular" for spec in specs):
        return specs
    return [replace(spec, version=min(spec.version, begun)) for spec in specs]


def _fault(clip: Clip | None, spec: ClipSpec) -> str | None:
    if clip is None:
        return "not rendered"
    return "filmed otherwise" if clip.spec != spec else clip.fault()


def _batches(specs: Sequence[ClipSpec], jobs: int) -> list[list[ClipSpec]]:
    """Batches of clips of one look, which share pictures; split if there are fewer looks than jobs."""
    longest = max(1, -(-len(specs) // (2 * jobs))) if jobs > 1 else max(1, len(specs))
    return [look[i : i + longest] for look in _looks(specs) for i in range(0, len(look), longest)]


def _looks(specs: Sequence[ClipSpec]) -> list[list[ClipSpec]]:
    return [list(group) for _, group in groupby(specs, key=lambda spec: (spec.domain, spec.seed))]


def _rendered(specs: Sequence[ClipSpec], folder: Path, jobs: int, executor: str) -> Iterator[Clip]:
    if executor == "ray":
        from lft.core.ray_workers import over_ray

        batches = [
            look[i : i + _RAY_BATCH] for look in _looks(specs) for i in range(0, len(look), _RAY_BATCH)
        ]
        for spec, file in over_ray(batches, _film):
            yield _store(folder, spec, file)
    else:
        yield from over_processes(_batches(specs, jobs), partial(_film_here, folder), jobs, preload=_PRELOAD)


def _film() -> Callable[[ClipSpec], tuple[ClipSpec, bytes]]:
    """For a process elsewhere: gives the file's bytes back."""
    from lft.counting.rendering.scene import shared_renderer

    renderer = shared_renderer()
    return lambda spec: (spec, renderer.file_of(draw(spec)))


def _film_here(folder: Path) -> Callable[[ClipSpec], Clip]:
    """For a process on this machine: writes the file itself."""
    from lft.counting.rendering.scene import Renderer

    renderer = Renderer()
    return lambda spec: _store(folder, spec, renderer.file_of(draw(spec)))


def _store(folder: Path, spec: ClipSpec, file: bytes) -> Clip:
    video, trace_path = (folder / path for path in clip_paths(spec.clip_id))
    with replacing(video) as temporary:
        temporary.write_bytes(file)
    trace = draw(spec).trace(hashlib.sha256(file).hexdigest())
    trace.write(trace_path)
    return Clip(spec.clip_id, spec, video, trace_path, trace.video_sha256, sha256_of(trace_path))


@contextlib.contextmanager
def _locked(folder: Path) -> Iterator[None]:
    from filelock import FileLock, Timeout

    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = FileLock(str(folder / ".lock"))
        lock.acquire(timeout=0)
    except Timeout:
        raise InputError(
            "another process renders into this folder",
            where=folder,
            remedy="the same command when it has ended",
        ) from None
    except OSError as error:
        raise InputError(
            f"cannot write: {error.strerror}", where=folder, expected="a writable folder"
        ) from error
    try:
        yield
    finally:
        lock.release()


@contextlib.contextmanager
def _appending(folder: Path) -> Iterator[Callable[[str], None]]:
    """Adds lines to the manifest; each is with the system before the next clip counts as done."""
    path = folder / MANIFEST
    _end_with_newline(path)
    try:
        with open(path, "ab", buffering=0) as file:

            def append(line: str) -> None:
                data = line.encode()
                if file.write(data) != len(data):
                    raise OSError(28, "No space left on device")

            yield append
    except OSError as error:
        raise InputError(
            f"cannot write: {error.strerror}; every clip before is kept",
            where=path,
            remedy="the same command after freeing space",
        ) from error


def _end_with_newline(path: Path) -> None:
    """Ends a line that a killed writer left torn, so that the next one does not join it."""
    if path.exists() and (data := path.read_bytes()) and not data.endswith(b"\n"):
        with open(path, "r+b") as file:
            file.truncate(data.rfind(b"\n") + 1)


def _remove_leftovers(folder: Path) -> None:
    """Removes what a killed writer left beside its target. The folder is locked: nobody is writing there."""
    for kind, suffix in (("videos", ".mp4"), ("traces", ".json")):
        for path in (folder / kind).glob(f"*/.*{suffix}"):
            path.unlink(missing_ok=True)
