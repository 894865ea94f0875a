"""Transitions read off pixels; knows nothing of how clips are drawn."""

from __future__ import annotations

from lft.core.video.frames import Frames
from lft.counting.observer.observe import Sighting
from lft.counting.observer.pictures import strip
from lft.counting.observer.transitions import find_transitions


def read(frames: Frames) -> list[Sighting]:
    """Changes of appearance that last; a look is numbered when it is first seen."""
    found = find_transitions(strip(frames))
    ends = [*(t.position - 1 for t in found[1:]), len(frames) - 1][: len(found)]
    sightings = []
    for t, end in zip(found, ends, strict=True):
        before, after = f"state {t.before}", f"state {t.after}"
        time_s = float(frames.times_s[t.position])
        sightings.append(
            Sighting(time_s, t.position, f"{before} to {after}", (t.position, end), before, after)
        )
    return sightings
