"""`observe`: what the supplied frames show, by domain."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lft.core.video.frames import Frames
from lft.counting.observer.kinds import unfit
from lft.counting.spec import domain as known_domain
from lft.counting.spec import named

if TYPE_CHECKING:
    from lft.counting.observer.contacts import Contact


@dataclass(frozen=True, order=True)
class Sighting:
    """One event as the pixels show it.

    Attributes
    ----------
    time_s : seconds; of the frame that shows it, or between two frames if only what is around it does.
    position : the supplied frame (0-based) that shows it, or the nearest.
    label : what happened, such as `right wall` or `state 1 to state 3`.
    evidence : positions of the first and last frame that show it.
    before, after : what the pixels tell of the state before and after, or None: a wall, the number of a look.
    """

    time_s: float
    position: int
    label: str
    evidence: tuple[int, int]
    before: str | None = None
    after: str | None = None


@dataclass(frozen=True)
class Observation:
    """What was seen.

    Attributes
    ----------
    event_times_s : seconds, increasing, one per event.
    labels : what happened, one per event, such as `right wall` or `state 1 to state 3`.
    positions : the supplied frame (0-based) that shows each event, or the nearest to it.
    final_answer : how many events.
    unfit : why the clip is not one of the domain, in words, and then no events; None if it is, or if the frames
        cannot tell.
    """

    event_times_s: tuple[float, ...]
    labels: tuple[str, ...]
    positions: tuple[int, ...]
    final_answer: int
    unfit: str | None = None


def observe(frames: Frames, domain: str) -> Observation:
    """The events of `domain` that `frames` hold evidence of, and nothing else.

    Streams the frames twice (three times for a ball in a scene that appears or vanishes); memory does not grow with
    their size, and with their number by at most 180 kB a frame. Raises `InputError` for an unknown domain.

    A disc that is dim, bright for one frame, and dim again has blinked once:

    >>> import numpy as np
    >>> pixels = np.zeros((3, 90, 160, 3), np.uint8)
    >>> pixels[:, 30:60, 60:100] = np.array([40, 220, 40])[:, None, None, None]
    >>> observe(Frames.of_pixels(pixels, [0.0, 0.5, 1.0]), "blinking")
    Observation(event_times_s=(0.5,), labels=('blink',), positions=(1,), final_answer=1, unfit=None)
    """
    return read(frames, domain)[0]


def read(frames: Frames, domain: str) -> tuple[Observation, list[Sighting]]:
    """As `observe`, with what the domain's reader saw."""
    reader = named(known_domain(domain).reader)
    reason = unfit(frames, domain)
    if reason is not None:
        return Observation((), (), (), 0, reason), []
    seen: list[Sighting] = sorted(reader(frames))
    told = Observation(
        event_times_s=tuple(sighting.time_s for sighting in seen),
        labels=tuple(sighting.label for sighting in seen),
        positions=tuple(sighting.position for sighting in seen),
        final_answer=len(seen),
    )
    return told, seen


def read_contacts(frames: Frames) -> list[Sighting]:
    """Touches of something that stands still, with the wall's name."""
    from lft.counting.observer.contacts import find_contacts

    contacts = find_contacts(frames)
    walls = [None, *_walls(contacts)]
    return [
        Sighting(c.time_s, c.position, str(walls[i + 1]), (c.position, c.position), walls[i], walls[i + 1])
        for i, c in enumerate(contacts)
    ]


def read_blinks(frames: Frames) -> list[Sighting]:
    """Short departures from the resting appearance."""
    from lft.counting.observer.blinks import find_blinks
    from lft.counting.observer.pictures import strip

    return [
        Sighting(float(frames.times_s[b.position]), b.position, "blink", (b.first, b.last))
        for b in find_blinks(strip(frames))
    ]


def read_transitions(frames: Frames) -> list[Sighting]:
    """Changes of appearance that last; a look is numbered when it is first seen."""
    from lft.counting.observer.pictures import strip
    from lft.counting.observer.transitions import find_transitions

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


def _walls(contacts: Sequence[Contact]) -> list[str]:
    """Which wall each contact was with, by the direction in which the object came."""
    across = sum(abs(c.toward[0]) for c in contacts) >= sum(abs(c.toward[1]) for c in contacts)
    names = ("left wall", "right wall") if across else ("top wall", "bottom wall")
    return [names[c.toward[0 if across else 1] > 0] for c in contacts]
