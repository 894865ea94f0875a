"""Contacts read off pixels, with the name of the wall; knows nothing of how clips are drawn."""

from __future__ import annotations

from collections.abc import Sequence

from lft.core.video.frames import Frames
from lft.counting.observer.contacts import Contact, find_contacts
from lft.counting.observer.observe import Sighting


def read(frames: Frames) -> list[Sighting]:
    """Touches of something that stands still, with the wall's name."""
    contacts = find_contacts(frames)
    walls = [None, *_walls(contacts)]
    return [
        Sighting(c.time_s, c.position, str(walls[i + 1]), (c.position, c.position), walls[i], walls[i + 1])
        for i, c in enumerate(contacts)
    ]


def _walls(contacts: Sequence[Contact]) -> list[str]:
    """Which wall each contact was with, by the direction in which the object came."""
    across = sum(abs(c.toward[0]) for c in contacts) >= sum(abs(c.toward[1]) for c in contacts)
    names = ("left wall", "right wall") if across else ("top wall", "bottom wall")
    return [names[c.toward[0 if across else 1] > 0] for c in contacts]
