"""Rates from 0.05 Hz to a quarter of the frame rate, at several frame rates and sizes, on clips of LFT's own.

At every supplied rate the observer reports no more events than happened, and no more than there is evidence of;
at the clip's own rate it and `verify` have every event on its frame.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from lft.core.video.frames import Sampling, sample
from lft.core.video.media import Media
from lft.counting.audit.ceiling import ceiling_of_frames, supplied_frames
from lft.counting.observer import observe
from lft.counting.rendering.scene import render
from lft.counting.rendering.schedule import draw
from lft.counting.spec import ClipSpec
from lft.counting.trace import Event, Trace
from lft.counting.verify import verify_clip

SAMPLINGS = ("fps:1", "fps:2", "fps:4", "fps:8", "native")

# (count, frequency_hz, seed, fps, width, height, duration_s): each rate at another frame rate, size and look.
FILMED = (
    (3, 7.5, 4, 30, 160, 90, 2),
    (5, 6.0, 5, 24, 128, 1280, 2),
    (4, 12.5, 6, 50, 1280, 128, 1),
    (6, 8.0, 7, 60, 426, 240, 2),
    (3, 4.0, 8, 25, 128, 1280, 2),
    (3, 1.0, 9, 25, 160, 90, 4),
    (2, 0.5, 10, 60, 426, 240, 5),
    (1, 0.1, 11, 24, 160, 90, 12),
    (0, 1.0, 12, 25, 160, 90, 6),
    (8, 1.0, 410, 24, 160, 90, 10),  # at fps:1 eight frames of ten are lit: each in a blink
)
DOMAINS = ("bounce_ball", "blinking", "state_machine")
SPECS = [
    ClipSpec(domain, count, frequency_hz, seed, fps=fps, width=width, height=height, duration_s=duration_s)
    for domain in DOMAINS
    for count, frequency_hz, seed, fps, width, height, duration_s in FILMED
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("rates")


@cache
def filmed(folder: Path, spec: ClipSpec) -> tuple[Media, Trace]:
    path = folder / f"{spec.domain}_{SPECS.index(spec)}.mp4"
    return render(draw(spec), path)


def named(spec: ClipSpec) -> str:
    return f"{spec.clip_id}-{spec.fps}fps-{spec.width}x{spec.height}"


@pytest.mark.parametrize("spec", SPECS, ids=named)
def test_no_more_is_reported_than_there_is_evidence_of(folder: Path, spec: ClipSpec) -> None:
    media, trace = filmed(folder, spec)
    for sampling in map(Sampling.parse, SAMPLINGS):
        seen = observe(sample(media, sampling), spec.domain)
        most = ceiling_of_frames(trace, supplied_frames(trace, sampling)).count
        assert seen.final_answer <= most, sampling
    assert seen.event_times_s == pytest.approx(trace.times_s, abs=1e-6)


@pytest.mark.parametrize("spec", [spec for spec in SPECS if spec.count], ids=named)
def test_verify_accepts_the_clip_and_catches_an_event_moved_by_one_frame(
    folder: Path, spec: ClipSpec
) -> None:
    media, trace = filmed(folder, spec)
    assert verify_clip(media, trace) == []
    index = spec.count // 2
    events = list(trace.events)
    events[index] = moved(events[index])
    found = verify_clip(media, replace(trace, events=tuple(events)))
    assert any(f"event {index} " in problem and "(-1)" in problem for problem in found)


def moved(event: Event) -> Event:
    """The event one frame later."""
    frame, (first, last) = event.frame_index + 1, event.evidence_frames
    return replace(event, frame_index=frame, evidence_frames=(first + 1, max(first + 1, last)))
