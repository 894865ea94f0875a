"""Checks traces against pixels: every event of a clip is on the frame in its trace, and there are no others.

The embedded observer reads the pixels of every frame. Neither
the renderers nor the schedule are imported (checked by tests/counting/test_verify.py), so that their errors are found.
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
    """Disagreements of pixels and trace, one line each; empty if they agree.

    It compares the file's SHA-256, size, number of frames and presentation times; the frame of
    every event, the frames that show it, and whether states and looks correspond one to one.
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

    A missing, changed or unreadable video or trace is a problem too.
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
    """Checks that names of states and looks correspond one to one."""
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
    """Pairs each frame in the trace with the nearest seen one, each used once, nearest pairs first."""
    candidates = sorted(
        (abs(a - b), i, j) for i, a in enumerate(named) for j, b in enumerate(seen) if abs(a - b) <= reach
    )
    pairs: dict[int, int] = {}
    for _, i, j in candidates:
        if i not in pairs and j not in pairs.values():
            pairs[i] = j
    return dict(sorted(pairs.items()))


def _reach(trace: Trace) -> int:
    """Half the time between events, in frames: the largest distance of a pair."""
    return max(2, int(trace.fps / trace.spec.frequency_hz / 2))
