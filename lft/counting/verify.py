"""Traces against pixels: every event of a clip on the frame that its trace names, and no other events.

The pixels are read by the embedded observer at every frame. Nothing here knows how a clip is drawn: neither
the renderers nor the schedule are imported (tests/counting/test_verify.py holds that), so that a fault of
theirs shows.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

import numpy as np

from lft.core.errors import InputError
from lft.core.files import sha256_of
from lft.core.video.frames import Sampling, sample
from lft.core.video.media import Media
from lft.core.workers import over_processes
from lft.counting.clips import Clip, Clips
from lft.counting.domains import domain, named
from lft.counting.observer.observe import Sighting
from lft.counting.trace import Event, Trace

_EXACT_S = 1e-6


def verify_clip(media: Media, trace: Trace) -> list[str]:
    """What the pixels and the trace disagree on, one line each; empty if they agree.

    Compared are the file's SHA-256, its size, number of frames and every presentation time; the frame of
    every event, the frames that show evidence of it, and that each state looks like itself and like no other.
    Raises `InputError` if the video cannot be decoded.
    """
    problems = _file_problems(media, trace)
    if (
        not trace.spec.regular
    ):  # what happens in an imported video was annotated by people; no code can read it
        media.check()
        return problems
    seen: list[Sighting] = sorted(named(domain(trace.spec.domain).reader)(sample(media, Sampling("native"))))
    pairs = _pair([event.frame_index for event in trace.events], [s.position for s in seen], _reach(trace))
    for event in trace.events:
        if event.index not in pairs:
            problems.append(
                f"event {event.index} ({event.type}) on frame {event.frame_index}: the pixels show none there"
            )
        else:
            problems += _event_problems(event, seen[pairs[event.index]])
    unnamed = sorted(set(range(len(seen))) - set(pairs.values()))
    problems += [
        f"the pixels show an event on frame {seen[j].position} that the trace does not name" for j in unnamed
    ]
    problems += _state_problems([(trace.events[i], seen[j]) for i, j in pairs.items()])
    return problems


def verify_clips(clips: Clips, *, jobs: int = 1) -> Iterator[tuple[str, list[str]]]:
    """Yields (clip id, problems) for every clip of a folder, in order of completion.

    A clip whose video or trace is missing, changed or unreadable has that as its problem.
    """
    batches = [[clip] for clip in clips]
    preload = ("numpy", "av", "cv2", __name__)
    yield from over_processes(
        batches, partial(_worker, min(jobs, len(batches))), min(jobs, len(batches)), preload=preload
    )


def _worker(jobs: int) -> Callable[[Clip], tuple[str, list[str]]]:
    import cv2

    if jobs > 1:
        cv2.setNumThreads(max(1, (os.cpu_count() or 1) // jobs))
    return _verified


def _verified(clip: Clip) -> tuple[str, list[str]]:
    problems: list[str] = []
    try:
        trace = Trace.read(clip.trace_path)
        if trace.clip_id != clip.clip_id or trace.spec != clip.spec:
            return clip.clip_id, [
                f"{_name(clip.trace_path)} is the trace of {trace.clip_id}, not of this clip"
            ]
        if sha256_of(clip.trace_path) != clip.trace_sha256:
            problems.append(f"{_name(clip.trace_path)} is not the file that the manifest names (SHA-256)")
        problems += verify_clip(Media.open(clip.video), trace)
    except InputError as error:
        problems.append(str(error))
    return clip.clip_id, problems


def _name(path: Path) -> str:
    return f"{path.parent.name}/{path.name}"


def _file_problems(media: Media, trace: Trace) -> list[str]:
    problems = []
    if sha256_of(media.path) != trace.video_sha256:
        problems.append("the video is not the file that the trace describes (SHA-256)")
    if (media.width, media.height) != (trace.width, trace.height):
        problems.append(
            f"the video is {media.width}x{media.height}, the trace says {trace.width}x{trace.height}"
        )
    if len(media) != trace.frame_count:
        problems.append(f"the video has {len(media)} frames, the trace says {trace.frame_count}")
    expected_s = np.asarray(trace.frame_times_s or np.arange(len(media)) / trace.fps)[: len(media)]
    wrong = np.flatnonzero(np.abs(media.frame_times_s[: len(expected_s)] - expected_s) > _EXACT_S)
    if len(wrong):
        at = int(wrong[0])
        problems.append(
            f"{len(wrong)} frames are not on time: frame {at} is at {media.frame_times_s[at]:.6f} s,"
            f" not {expected_s[at]:.6f} s"
        )
    return problems


def _event_problems(event: Event, sight: Sighting) -> list[str]:
    label = f"event {event.index} ({event.type})"
    if sight.position != event.frame_index:
        off = sight.position - event.frame_index
        return [
            f"{label} on frame {event.frame_index}: the pixels show it on frame {sight.position} ({off:+d})"
        ]
    if sight.evidence != event.evidence_frames:
        named, seen = "{} to {}".format(*event.evidence_frames), "{} to {}".format(*sight.evidence)
        return [f"{label} shows in frames {seen}, the trace says {named}"]
    return []


def _state_problems(pairs: Sequence[tuple[Event, Sighting]]) -> list[str]:
    """One name, one look: names of states and what the pixels show must correspond throughout."""
    look_of: dict[str, str] = {}
    name_of: dict[str, str] = {}
    problems = []
    for event, sight in pairs:
        for name, look in ((event.state_before, sight.before), (event.state_after, sight.after)):
            if look is None:
                continue
            if look_of.setdefault(name, look) != look or name_of.setdefault(look, name) != name:
                problems.append(
                    f"event {event.index} ({event.type}): the trace says {event.state_before} to"
                    f" {event.state_after},"
                    f" the pixels show {look}, elsewhere called {name_of.get(look, 'otherwise')}"
                )
                break
    return problems


def _pair(named: Sequence[int], seen: Sequence[int], reach: int) -> dict[int, int]:
    """Each named frame with the nearest seen one, each used once, nearest pairs first."""
    candidates = sorted(
        (abs(a - b), i, j) for i, a in enumerate(named) for j, b in enumerate(seen) if abs(a - b) <= reach
    )
    pairs: dict[int, int] = {}
    for _, i, j in candidates:
        if i not in pairs and j not in pairs.values():
            pairs[i] = j
    return dict(sorted(pairs.items()))


def _reach(trace: Trace) -> int:
    """Half the time between events, in frames: farther away it is another event."""
    return max(2, int(trace.fps / trace.spec.frequency_hz / 2))
