"""Readers that are each wrong in one way."""

from __future__ import annotations

from dataclasses import replace

from lft.core.video.frames import Frames
from lft.counting.domains.blinking.reader import read
from lft.counting.observer.observe import Sighting


def read_one_late(frames: Frames) -> list[Sighting]:
    return [replace(s, position=min(s.position + 1, len(frames) - 1)) for s in read(frames)]


def read_guessing(frames: Frames) -> list[Sighting]:
    """Finds an event in every supplied frame, if they are few."""
    if len(frames) > 60:
        return read(frames)
    return [Sighting(float(t), i, "blink", (i, i)) for i, t in enumerate(frames.times_s)]
