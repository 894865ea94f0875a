"""`observe`: what the supplied frames show, by domain."""

from __future__ import annotations

from dataclasses import dataclass

from lft.core.video.frames import Frames
from lft.counting.domains import domain as known_domain
from lft.counting.domains import named
from lft.counting.observer.kinds import unfit


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
    known = known_domain(domain)
    reader = named(known.reader)
    reason = unfit(frames, known.change)
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
