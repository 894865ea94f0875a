"""`observe`: what the supplied frames show, by domain."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lft.core.frames import Frames
from lft.counting.spec import domain as known_domain
from lft.counting.spec import named

Seen = tuple[float, int, str]  # time in seconds, position of the frame that shows it, what happened


@dataclass(frozen=True)
class Observation:
    """What was seen.

    Attributes
    ----------
    event_times_s : seconds, increasing, one per event.
    labels : what happened, one per event, such as `right wall` or `state 1 to state 3`.
    positions : the supplied frame (0-based) that shows each event, or the nearest to it.
    final_answer : how many events.
    """

    event_times_s: tuple[float, ...]
    labels: tuple[str, ...]
    positions: tuple[int, ...]
    final_answer: int


def observe(frames: Frames, domain: str) -> Observation:
    """The events of `domain` that `frames` hold evidence of, and nothing else.

    Streams the frames once; memory does not grow with their size, and with their number by at most 180 kB a frame.
    Raises `InputError` for an unknown domain.

    A disc that is dim, bright for one frame, and dim again has blinked once:

    >>> pixels = np.zeros((3, 90, 160, 3), np.uint8)
    >>> pixels[:, 30:60, 60:100] = np.array([40, 220, 40])[:, None, None, None]
    >>> observe(Frames.of_pixels(pixels, [0.0, 0.5, 1.0]), "blinking")
    Observation(event_times_s=(0.5,), labels=('blink',), positions=(1,), final_answer=1)
    """
    seen: list[Seen] = sorted(named(known_domain(domain).reader)(frames))
    return Observation(
        event_times_s=tuple(time_s for time_s, _, _ in seen),
        labels=tuple(label for _, _, label in seen),
        positions=tuple(position for _, position, _ in seen),
        final_answer=len(seen),
    )


def read_contacts(frames: Frames) -> list[Seen]:
    """Touches of something that stands still, with the wall's name."""
    from lft.counting.observer.contacts import find_contacts

    contacts = find_contacts(frames)
    across = sum(abs(c.toward[0]) for c in contacts) >= sum(abs(c.toward[1]) for c in contacts)
    names = ("left wall", "right wall") if across else ("top wall", "bottom wall")
    return [(c.time_s, c.position, names[c.toward[0 if across else 1] > 0]) for c in contacts]


def read_blinks(frames: Frames) -> list[Seen]:
    """Short departures from the resting appearance."""
    from lft.counting.observer.blinks import find_blinks
    from lft.counting.observer.pictures import strip

    return [(float(frames.times_s[b.position]), b.position, "blink") for b in find_blinks(strip(frames))]


def read_transitions(frames: Frames) -> list[Seen]:
    """Changes of appearance that last."""
    from lft.counting.observer.pictures import strip
    from lft.counting.observer.transitions import find_transitions

    return [
        (float(frames.times_s[t.position]), t.position, f"state {t.before} to state {t.after}")
        for t in find_transitions(strip(frames))
    ]
