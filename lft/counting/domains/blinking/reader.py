"""Blinks read off pixels; knows nothing of how clips are drawn."""

from __future__ import annotations

from lft.core.video.frames import Frames
from lft.counting.observer.blinks import find_blinks
from lft.counting.observer.observe import Sighting
from lft.counting.observer.pictures import strip


def read(frames: Frames) -> list[Sighting]:
    """Short departures from the resting appearance."""
    return [
        Sighting(float(frames.times_s[b.position]), b.position, "blink", (b.first, b.last))
        for b in find_blinks(strip(frames))
    ]
