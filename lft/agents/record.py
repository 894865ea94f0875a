"""Demonstrations as files: a video, one decision a second, and a trace of what it shows.

results/demonstrations/videos/cliff_walking/a.mp4     H.264, the same bytes every time
results/demonstrations/traces/cliff_walking/a.json    per picture: caption, action, state, measures, hash
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from lft.agents.clips import Shown, captioned, played, video_of
from lft.agents.environments import registry
from lft.agents.play import hash_of
from lft.agents.tasks import Demonstration
from lft.core.errors import InputError
from lft.core.files import sha256_of, write_json
from lft.core.records import JsonObject
from lft.core.workers import over_processes


@dataclass(frozen=True)
class Recorded:
    """The files of a demonstration, with the hash of the video's bytes."""

    demonstration: str
    video: Path
    trace: Path
    frames: int
    sha256: str


def record(demonstrations: Iterable[Demonstration], folder: Path, jobs: int) -> Iterator[Recorded]:
    """Writes the files of demonstrations, in order of completion; raises `InputError` for one that comes to something
    else than its row claims.
    """
    batches: dict[str, list[Demonstration]] = {}
    for one in demonstrations:
        batches.setdefault(one.environment, []).append(one)
    yield from over_processes(list(batches.values()), partial(_recorder, folder), jobs)


def _recorder(folder: Path) -> Callable[[Demonstration], Recorded]:
    return partial(record_one, folder)


def record_one(folder: Path, demonstration: Demonstration) -> Recorded:
    """Writes the files of one demonstration."""
    spec = registry.get(demonstration.environment)
    shown = played(demonstration, spec, registry.make)
    _hold_to_claims(demonstration, shown[-1])
    name = demonstration.id.partition("/")[2]
    video = folder / "videos" / spec.name / f"{name}.mp4"
    trace = folder / "traces" / spec.name / f"{name}.json"
    captions = [one.words(step) for step, one in enumerate(shown)]
    video.parent.mkdir(parents=True, exist_ok=True)
    trace.parent.mkdir(parents=True, exist_ok=True)
    pictures = [captioned(one.picture, words) for one, words in zip(shown, captions, strict=True)]
    video.write_bytes(video_of(pictures))
    rows = [_row(step, one, words) for step, (one, words) in enumerate(zip(shown, captions, strict=True))]
    write_json(trace, {**demonstration.to_json(), "shown": rows})
    return Recorded(demonstration.id, video, trace, len(shown), sha256_of(video))


def _row(step: int, shown: Shown, words: tuple[str, ...]) -> JsonObject:
    return {
        "time_s": float(step),
        "caption": " ".join(words),
        "action": shown.action,
        "state": shown.state,
        "measures": shown.measures,
        "picture": hash_of(shown.picture),
    }


def _hold_to_claims(demonstration: Demonstration, last: Shown) -> None:
    for name, claimed in demonstration.claims.items():
        if last.measures.get(name) != claimed:
            raise InputError(
                f"ends with {name} {last.measures.get(name)}, its row claims {claimed}",
                where=demonstration.id,
                remedy="the versions of the packages with which it was found",
            )
