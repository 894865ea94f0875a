"""Parts of a domain that are each wrong in one way. The right ones are those of `blinking`."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace

from lft.core.video.frames import Frames
from lft.counting.domains.blinking import look as right
from lft.counting.domains.blinking.reader import read
from lft.counting.observer.observe import Sighting
from lft.counting.rendering.look import Choices
from lft.counting.rendering.schedule import Schedule
from lft.counting.rendering.visual import State
from lft.counting.trace import Event, Trace
from lft.renderers.base import Points
from lft.renderers.blinking import Blinking

_CALLS = itertools.count()
QUESTION = "=== question\nHow often does it flash?\n=== event\nflash\n"


class WithMemory(Blinking):
    """Draws the lit shape a little larger each time."""

    drawn = 0

    def points_in(self, state: State) -> Sequence[Points]:
        self.drawn += 1
        return [points * (1 + 0.002 * self.drawn) for points in super().points_in(state)]


class OfAnother(Blinking):
    domain = "flashing"


def look_by_chance(choices: Choices) -> right.BlinkLook:
    return replace(right.look(choices), radius=1.0 + next(_CALLS) / 1000)


def look_for_all(choices: Choices) -> right.BlinkLook:
    return right.look(Choices("blinking", 0))


def look_without_colour(choices: Choices) -> right.BlinkLook:
    return replace(right.look(choices), background="dark")


def sequence_short(look: right.BlinkLook, seed: int | str, count: int) -> tuple[str, ...]:
    return ("off",) * count


def frames_late(schedule: Schedule) -> tuple[State, ...]:
    shown = right.frames(schedule)
    return (shown[0], *shown[:-1])


def frames_short(schedule: Schedule) -> tuple[State, ...]:
    return right.frames(schedule)[:-1]


def frames_once_more(schedule: Schedule) -> tuple[State, ...]:
    """A flash that no event of the trace names, half a second before the end."""
    shown = list(right.frames(schedule))
    shown[-15:-10] = [True] * 5
    return tuple(shown)


def read_drawn(frames: Frames) -> list[Sighting]:
    """Right, but beside the code that draws."""
    return read(frames)


def proves_nothing(trace: Trace, frames: object) -> list[bool]:
    return [False] * len(trace.events)


def contradicts_all(label: str, event: Event) -> bool:
    return True


class Strobe(Blinking):
    domain = "strobe"
