"""The look of a clip: all random choices that do not affect the measurement.

A choice depends only on (domain, clip, its name), by a SHA-256 digest: each clip has its own look and
sequence of states, so that a model's luck with one look is not counted several times. In clips of
version 1 the seed takes the place of the clip, and clips of one seed look the same at every count and frequency. A
choice that is added later changes no other, and the data do not depend on a library's random stream, which may change
between versions. Lengths are in scene units: a 16:9 picture is 14.22 units wide and 8 high, the origin at its centre.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from lft.counting.domains import DOMAINS, named
from lft.counting.spec import ClipSpec

T = TypeVar("T")

# Vivid, far from each other and from the near-black backgrounds, also for the common colour-vision
# deficiencies (Okabe and Ito, "Color Universal Design", 2008, lightened for dark ground).
COLOURS = ("#F0A830", "#5BB8F0", "#2EC79A", "#F2E34C", "#4A90E2", "#F0703C", "#DE8FC0", "#F4F4F4")
BACKGROUNDS = ("#0B0E14", "#101418", "#0D1117", "#12101A", "#0C1413", "#15120F")


def share(*names: object) -> float:
    """A number in [0, 1) that depends on `names` and nothing else: 53 bits of a SHA-256 digest.

    >>> share("blinking", 7, "shape") == share("blinking", 7, "shape") != share("blinking", 8, "shape")
    True
    """
    digest = hashlib.sha256("\x1f".join(map(str, names)).encode()).digest()
    return (int.from_bytes(digest[:8], "big") >> 11) / 2**53


@dataclass(frozen=True)
class Choices:
    """The choices of one clip, by name. `seed` is what they are drawn from: the clip's id, or in version 1 its seed."""

    domain: str
    seed: int | str

    def pick(self, name: str, options: Sequence[T]) -> T:
        """One of `options`, each equally likely."""
        return options[int(share(self.domain, self.seed, name) * len(options))]

    def between(self, name: str, low: float, high: float) -> float:
        """A number in [low, high), to four decimals."""
        return round(low + share(self.domain, self.seed, name) * (high - low), 4)

    def order(self, name: str, items: Sequence[T]) -> tuple[T, ...]:
        """`items` in an order that the seed decides."""
        ranks = [share(self.domain, self.seed, name, i) for i in range(len(items))]
        return tuple(items[i] for i in sorted(range(len(items)), key=ranks.__getitem__))


class Look(Protocol):
    """The look of any domain: a frozen dataclass with a background colour, #RRGGBB."""

    @property
    def background(self) -> str: ...


def drawn_from(spec: ClipSpec) -> int | str:
    """What the look and the states of a clip are drawn from; schedules differ in spacing alone, so it is not in it."""
    return spec.seed if spec.version == 1 else spec.clip_id


def draw_look(domain: str, seed: int | str) -> Look:
    """The look of every clip of `domain` that is drawn from `seed`."""
    look: Look = named(DOMAINS[domain].look)(Choices(domain, seed))
    return look


def draw_sequence(domain: str, look: Look, seed: int | str, count: int) -> tuple[str, ...]:
    """The states of a clip with `count` events, in words: before the first event, then after each."""
    states: tuple[str, ...] = named(DOMAINS[domain].sequence)(look, seed, count)
    return states
