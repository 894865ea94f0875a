"""Irregular spacing of events: exact draws, and their distributions.

Everything is in whole frames of the clip. Events are at least `least_gap` frames from each other and from both ends: a
blink of `pulse` frames has dark frames after it, and a ball has time to reach the other wall.

irregular   Any N frames with that least gap are possible. If the first and the last are D frames apart, their
            probability is proportional to r^D, with r such that D is (N - 1) / F on average. Of all distributions
                            with that mean rate it has maximum entropy: seen events carry as little information as
                            possible on unseen
                ones.
bursts      Runs of events at rate F, on the nearest frames, with 1 to 3 pauses (as N allows, equally likely) of at
                            least two periods. Given their number, all runs, pauses and starts that fit are equally
                            likely, so the
                span carries no information on the rate.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import combinations

Share = Callable[[object], float]
MOST_PAUSES = 3


def least_gap(fps: float) -> int:
    """The least number of frames between events: a sixth of a second, at least four.

    >>> least_gap(30.0), least_gap(60.0), least_gap(10.0)
    (5, 10, 4)
    """
    return max(4, round(fps / 6))


def pulse(fps: float) -> int:
    """The frames of a blink: a tenth of a second, at least three.

    >>> pulse(30.0), pulse(60.0)
    (3, 6)
    """
    return max(3, round(fps / 10))


def crossing(fps: float) -> int:
    """The frames of a ball's crossing if intervals are not regular: a fifteenth of a second, at least two. It waits for
    the rest of an interval, see `lft.counting.motion.hurrying`.

    >>> crossing(30.0), crossing(60.0)
    (2, 4)
    """
    return max(2, round(fps / 15))


def room(fps: float, frame_count: int) -> tuple[int, int]:
    """(first, last) frame that an event may be on."""
    return least_gap(fps), frame_count - 1 - least_gap(fps)


@dataclass(frozen=True)
class Irregular:
    """The distribution of irregular events: `tilt` is r, `distances[i]` the probability that D is `least + i`."""

    tilt: float
    least: int
    distances: tuple[float, ...]


@lru_cache(maxsize=4096)
def irregular(count: int, frequency_hz: float, fps: float, frame_count: int) -> Irregular:
    """The distribution for N >= 2 events. Raises `ValueError` if N events at that mean rate do not fit.

    >>> found = irregular(12, 0.5, 30.0, 720)
    >>> round(sum(p * (found.least + i) for i, p in enumerate(found.distances)) / 30, 3)
    22.0
    """
    ways = _ways(count, fps, frame_count)
    least = (count - 1) * least_gap(fps)
    wanted = float((count - 1) * Fraction(fps) / Fraction(str(frequency_hz))) - least
    if not ways or not 0 <= wanted <= len(ways) - 1:
        raise ValueError("these events do not fit")
    if wanted == 0:
        return Irregular(0.0, least, (1.0,))
    low, high = 0.0, 4.0
    for _ in range(200):  # only sums, products and quotients, so that every machine finds the same
        tilt = (low + high) / 2
        if _mean(ways, tilt) < wanted:
            low = tilt
        else:
            high = tilt
    weights = _weights(ways, tilt)
    total = sum(weights)
    return Irregular(tilt, least, tuple(w / total for w in weights))


@lru_cache(maxsize=256)
def _ways(count: int, fps: float, frame_count: int) -> tuple[float, ...]:
    """For D = (N - 1) gap + i, i = 0, 1, ...: the number of sets of N frames, relative to the largest."""
    first, last = room(fps, frame_count)
    least = (count - 1) * least_gap(fps)
    found = [
        (last - first + 1 - least - i) * math.comb(i + count - 2, count - 2)
        for i in range(last - first + 1 - least)
    ]
    return tuple(n / max(found) for n in found) if found else ()


def _weights(ways: Sequence[float], tilt: float) -> list[float]:
    """ways[i] tilt^i, relative to the largest."""
    found, power = [], 1.0
    for n in ways:
        found.append(n * power)
        power *= tilt
        if power > 1e250:  # only ratios count
            found, power = [w / 1e250 for w in found], power / 1e250
    return found


def _mean(ways: Sequence[float], tilt: float) -> float:
    weights = _weights(ways, tilt)
    return sum(i * w for i, w in enumerate(weights)) / sum(weights)


def draw_irregular(
    count: int, frequency_hz: float, fps: int, frame_count: int, share: Share
) -> tuple[int, ...]:
    """N event frames, increasing; `share` (name) returns random numbers in [0, 1)."""
    first, last = room(fps, frame_count)
    if count == 0:
        return ()
    if count == 1:
        return (first + int(share("first") * (last - first + 1)),)
    found = irregular(count, frequency_hz, float(fps), frame_count)
    spare = _pick(found.distances, share("distance"))
    distance = found.least + spare
    start = first + int(share("first") * (last - first + 1 - distance))
    # Spare frames are split among the gaps, all splits equally likely: N - 2 bars among spare + N - 2 places.
    bars = _subset(spare + count - 2, count - 2, share)
    parts = [b - a - 1 for a, b in zip((-1, *bars), (*bars, spare + count - 2), strict=True)]
    frames = [start]
    for part in parts:
        frames.append(frames[-1] + least_gap(fps) + part)
    return tuple(frames)


def _pick(probabilities: Sequence[float], at: float) -> int:
    total = 0.0
    for i, p in enumerate(probabilities):
        total += p
        if at < total:
            return i
    return max(i for i, p in enumerate(probabilities) if p)


def _subset(places: int, size: int, share: Share) -> list[int]:
    """A random subset of `size` numbers below `places`, increasing."""
    rest = list(range(places))
    return sorted(rest.pop(int(share(("bar", i)) * len(rest))) for i in range(size))


def run_frames(size: int, frequency_hz: float, fps: float) -> tuple[int, ...]:
    """The frames of a run of events, counted from its first: the nearest to k / F.

    >>> run_frames(4, 3.5, 30.0)
    (0, 9, 17, 26)
    """
    period = Fraction(fps) / Fraction(str(frequency_hz))
    return tuple(math.floor(k * period + Fraction(1, 2)) for k in range(size))


def least_pause(frequency_hz: float, fps: float) -> int:
    """The least number of frames from the last event of a run to the first of the next: two periods."""
    return math.ceil(2 * Fraction(fps) / Fraction(str(frequency_hz)))


def pauses(count: int) -> tuple[int, ...]:
    """The possible numbers of pauses among N events.

    >>> pauses(1), pauses(2), pauses(12)
    ((0,), (1,), (1, 2, 3))
    """
    return tuple(range(1, min(MOST_PAUSES, count - 1) + 1)) or (0,)


@lru_cache(maxsize=4096)
def bursts(
    count: int, pause_count: int, frequency_hz: float, fps: float, frame_count: int
) -> tuple[tuple[tuple[int, ...], int, int], ...]:
    """All partitions of N events into runs: (sizes of the runs, spare frames, number of pauses and starts that fit)."""
    first, last = room(fps, frame_count)
    found = []
    for cuts in combinations(range(1, count), pause_count):
        sizes = tuple(b - a for a, b in zip((0, *cuts), (*cuts, count), strict=True))
        lasting = sum(run_frames(size, frequency_hz, fps)[-1] for size in sizes)
        spare = last - first - lasting - pause_count * least_pause(frequency_hz, fps)
        if spare >= 0:
            found.append((sizes, spare, math.comb(spare + pause_count + 1, pause_count + 1)))
    return tuple(found)


def draw_bursts(count: int, frequency_hz: float, fps: int, frame_count: int, share: Share) -> tuple[int, ...]:
    """N event frames, increasing. Raises `ValueError` if they do not fit."""
    if count == 0:
        return ()
    possible = pauses(count)
    number = possible[int(share("pauses") * len(possible))]
    ways = bursts(count, number, frequency_hz, float(fps), frame_count)
    if not ways:
        raise ValueError("these events do not fit")
    total = sum(n for _, _, n in ways)
    sizes, spare, _ = ways[_pick([n / total for _, _, n in ways], share("runs"))]
    bars = _subset(
        spare + number + 1, number + 1, share
    )  # before the first run, in each pause, and what is left
    extra = [b - a - 1 for a, b in zip((-1, *bars), bars, strict=False)]
    frames: list[int] = []
    at = room(fps, frame_count)[0] + extra[0]
    for size, more in zip(sizes, (*extra[1:], 0), strict=True):
        run = run_frames(size, frequency_hz, fps)
        frames += [at + frame for frame in run]
        at += run[-1] + least_pause(frequency_hz, fps) + more
    return tuple(frames)


def fits(schedule: str, count: int, frequency_hz: float, fps: float, frame_count: int) -> bool:
    """Whether N events at rate F fit into the clip with this spacing, for every possible number of pauses."""
    period = Fraction(fps) / Fraction(str(frequency_hz))
    first, last = room(fps, frame_count)
    if count == 0:
        return True
    if first > last or period < least_gap(fps):
        return False
    if schedule == "bursts":
        return all(bursts(count, k, frequency_hz, fps, frame_count) for k in pauses(count))
    return count == 1 or (count - 1) * period <= last - first
