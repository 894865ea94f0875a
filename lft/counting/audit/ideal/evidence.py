"""What frames show under a hypothesis, and what they do show: one rule for each kind of evidence.

    pulse     whether the object is lit: an event on one of the last `on` frames
    contact   the ball's place between the walls, exactly (a ratio of whole frames), as `lft.counting.motion`
              moves it; which wall comes first is open
    walk      the state's name; each change goes to one of the others, all equally likely

A hypothesis is N regular events with start s and period q, both in frames: event i = 1 .. N falls on frame
floor(s + (i - 1/2) q + 1/2). Arrays of hypotheses have the shape (m, 1), those of frames (1, k); float64 throughout.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from lft.counting.motion import hurrying, places, swinging
from lft.counting.spacing import crossing
from lft.counting.trace import Trace

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.intp]
Mask = npt.NDArray[np.bool_]
STATES = 4  # of a walk


@dataclass(frozen=True)
class Boxes:
    """Hypotheses and a box around each, float64 (m,): N; the place x in frames of event k; the period q; a weight.

    The box is x +- dx, q +- dq. With k = 1/2, x is the start s.
    """

    n: Floats
    k: Floats
    x: Floats
    q: Floats
    weight: Floats
    dx: float = 0.0
    dq: float = 0.0

    def __len__(self) -> int:
        return len(self.n)

    def take(self, index: Any) -> Boxes:
        """Some of them."""
        n, k, x, q, weight = (array[index] for array in (self.n, self.k, self.x, self.q, self.weight))
        return Boxes(n, k, x, q, weight, self.dx, self.dq)

    @property
    def s(self) -> Floats:
        """The start."""
        return self.x - (self.k - 0.5) * self.q

    def columns(self) -> tuple[Floats, Floats, Floats]:
        """N, s and q with the shape (m, 1)."""
        return self.n[:, None], self.s[:, None], self.q[:, None]

    def until(self, frames: Floats, early: Any = 0.0) -> Floats:
        """How many events have happened up to and including each frame, (m, k); `early`: as if so many frames
        earlier.
        """
        n, s, q = self.columns()
        count: Floats = np.clip(np.floor((frames + 0.5 - s + early) / q + 0.5), 0, n)
        return count

    def slack(self, frames: Floats) -> Floats:
        """By how many frames events near a frame may be elsewhere within the box, (m, k)."""
        if not self.dq:
            return np.full((len(self), 1), self.dx + 1e-9)
        n, s, q = self.columns()
        near = np.clip((frames - s) / q + 0.5, 0, n)
        return self.dx + (np.abs(near - self.k[:, None]) + 1) * self.dq + 1e-9


class Evidence(Protocol):
    """What the supplied frames of one clip show.

    `order` lists the frames (of a walk: the pairs of neighbours) by what they tell. `reach` is (first, last, part),
    or None where nothing is seen to happen: s + part * q is not after the frame `first`, s + (N - part) * q not
    before `last`. `anchor` is (low, frame), or None: the latest event up to that frame is at low or after it.
    """

    frames: Floats
    order: Indices
    reach: tuple[float, float, float] | None
    anchor: tuple[float, float] | None

    def possible(self, boxes: Boxes, chosen: Indices) -> Mask:
        """(m, v): whether some point of a box can agree with the chosen frames, under each of v variants."""
        ...

    def likelihood(self, points: Boxes, chosen: Indices) -> Floats:
        """(m, v): the probability of what the chosen frames show, under each of v equally likely variants."""
        ...

    def of_nothing(self) -> float:
        """The probability of what all frames show, without any event."""
        ...


class Pulse:
    """`lit`: whether each supplied frame is lit; `on_frames` (F) -> for how many frames a pulse lasts."""

    def __init__(self, lit: Mask, frames: Indices, fps: float) -> None:
        self.lit, self.frames, self.fps = lit, frames.astype(np.float64), fps
        lit_at, dark_at = np.flatnonzero(lit), np.flatnonzero(~lit)
        self.order = np.concatenate([lit_at, _nearest_first(dark_at, lit_at)])
        longest = on_frames(np.array([1e9]), fps)[0]
        self.reach = (self.frames[lit_at[0]], self.frames[lit_at[-1]] - longest, 0.5) if len(lit_at) else None
        self.anchor = (
            (self.frames[lit_at[0]] - longest + 0.5, self.frames[lit_at[0]]) if len(lit_at) else None
        )

    def possible(self, boxes: Boxes, chosen: Indices) -> Mask:
        frames, lit = self.frames[chosen][None, :], self.lit[chosen][None, :]
        slack, on = boxes.slack(frames), self._on(boxes)
        spread = slack + (1.0 if boxes.dq else 0.0)  # how long a pulse lasts may differ within the box
        most = boxes.until(frames, slack) - boxes.until(frames - on, -spread)
        least = boxes.until(frames, -slack) - boxes.until(frames - on, spread)
        able = np.where(lit, most >= 1, least < 1).all(axis=1)
        return np.asarray(able)[:, None]

    def likelihood(self, points: Boxes, chosen: Indices) -> Floats:
        agrees = (self.shown(points, self.frames[chosen]) == self.lit[chosen][None, :]).all(axis=1)
        return np.asarray(agrees, dtype=np.float64)[:, None]

    def shown(self, points: Boxes, frames: Floats) -> Mask:
        """(m, k): whether a frame is lit."""
        return points.until(frames[None, :]) - points.until(frames[None, :] - self._on(points)) >= 1

    def _on(self, boxes: Boxes) -> Floats:
        return on_frames(boxes.q, self.fps)[:, None]

    def of_nothing(self) -> float:
        return float(not self.lit.any())


class Contact:
    """`places`: the ball's place in each supplied frame, from the wall at 0 to that at 1; 1/2 is rest."""

    def __init__(self, places: list[Fraction], frames: Indices, fps: float, frame_count: int) -> None:
        self.frames, self.fps, self.frame_count = frames.astype(np.float64), fps, frame_count
        self.over = np.array([p.numerator for p in places], dtype=np.float64)
        self.under = np.array([p.denominator for p in places], dtype=np.float64)
        self.place = self.over / self.under
        moving = np.flatnonzero(self.place != 0.5)
        resting = _nearest_first(np.flatnonzero(self.place == 0.5), moving)
        ends, inner = moving[[0, -1]] if len(moving) > 1 else moving, moving[1:-1]
        self.order = np.concatenate([ends, resting[:2], inner, resting[2:]])
        self.reach = (self.frames[moving[0]], self.frames[moving[-1]], 0.0) if len(moving) else None
        self.anchor: tuple[float, float] | None = None

    def possible(self, boxes: Boxes, chosen: Indices) -> Mask:
        n, s, q = boxes.columns()
        frames, seen = self.frames[chosen][None, :], self.place[chosen][None, :]
        phase = np.clip((frames - s) / q, 0, n)  # contact i at i - 1/2
        at_end = (phase <= 0.5) | (phase >= n - 0.5)
        # Events lie up to half a frame off; beyond the last of them the leg between the two nearest is continued.
        off = (boxes.dx + (phase + 0.5) * boxes.dq + np.where(at_end, 1.01, 0.51)) / (q - 1)
        place = np.abs((phase + 0.5) % 2 - 1)
        return np.stack(
            [(np.abs(place - seen) <= off).all(axis=1), (np.abs(1 - place - seen) <= off).all(axis=1)], axis=1
        )

    def likelihood(self, points: Boxes, chosen: Indices) -> Floats:
        over, under = self.places_of(points, self.frames[chosen][None, :])
        seen_over, seen_under = self.over[chosen][None, :], self.under[chosen][None, :]
        first = (over * seen_under == seen_over * under).all(axis=1)
        second = ((under - over) * seen_under == seen_over * under).all(axis=1)
        return np.stack([first, second], axis=1) * 1.0

    def places_of(self, points: Boxes, frames: Floats) -> tuple[Floats, Floats]:
        """The ball's place as a ratio, (m, k) each, if the wall at 0 comes first."""
        n, s, q = points.columns()

        def event(i: Floats) -> Floats:
            return np.floor(s + (i - 0.5) * q + 0.5)

        count = points.until(frames)
        before = np.clip(count, 1, np.maximum(n - 1, 1))
        leg = np.where(n > 1, event(before + 1) - event(before), np.rint(q))
        since = np.where(
            count == 0, event(np.ones_like(count)) - frames, frames - event(np.maximum(count, 1))
        )
        resting = ((count == 0) | (count == n)) & (2 * since >= leg)
        over = np.where((count > 0) & (count % 2 == 0), leg - since, since)
        return np.where(resting, 1.0, over), np.where(resting, 2.0, leg)

    def of_nothing(self) -> float:
        there = [swinging(self.frame_count, Fraction(1) / round(self.fps), first) for first in (0, 1)]
        seen = [Fraction(int(a), int(b)) for a, b in zip(self.over, self.under, strict=True)]
        return sum([one[int(f)] for f in self.frames] == seen for one in there) / 2


class Walk:
    """`names`: the state that each supplied frame shows, as numbers."""

    def __init__(self, names: Indices, frames: Indices) -> None:
        self.frames, self.names, self.same = frames.astype(np.float64), names, names[1:] == names[:-1]
        changes = np.flatnonzero(~self.same)
        self.order = np.concatenate([changes, _nearest_first(np.flatnonzero(self.same), changes)])
        self.reach = (self.frames[changes[0] + 1], self.frames[changes[-1]], 0.5) if len(changes) else None
        self.anchor = (self.frames[changes[0]] + 0.5, self.frames[changes[0] + 1]) if len(changes) else None

    def possible(self, boxes: Boxes, chosen: Indices) -> Mask:
        before, after = self.frames[chosen][None, :], self.frames[chosen + 1][None, :]
        early, late = boxes.slack(before), boxes.slack(after)
        most = boxes.until(after, late) - boxes.until(before, -early)
        least = boxes.until(after, -late) - boxes.until(before, early)
        one = (most == 1) & (least == 1)
        able = np.where(self.same[chosen][None, :], ~one, most >= 1).all(axis=1)
        return np.asarray(able)[:, None]

    def likelihood(self, points: Boxes, chosen: Indices) -> Floats:
        steps = (
            points.until(self.frames[chosen + 1][None, :]) - points.until(self.frames[chosen][None, :])
        ).astype(int)
        table = returns(int(steps.max(initial=0)))
        likely: Floats = np.where(self.same[chosen][None, :], table[0][steps], table[1][steps]).prod(
            axis=1, keepdims=True
        )
        return likely

    def of_nothing(self) -> float:
        return float(self.same.all())


def on_frames(q: Floats, fps: float) -> Floats:
    """For how many frames a pulse lasts where the period is q frames: min(0.2 s, 0.4 periods), at least three and at
    most half of it.

    >>> on_frames(np.array([7.5, 60.0]), 30.0).tolist()
    [3.0, 6.0]
    """
    usual = np.maximum(3.0, np.floor(np.minimum(0.2 * fps, 0.4 * q) + 0.5 + 1e-9))
    lasting: Floats = np.minimum(usual, np.maximum(1.0, np.floor(q) // 2))
    return lasting


@lru_cache(maxsize=8)
def returns(most: int) -> Floats:
    """(2, most + 1): the probability that k steps of the walk lead back, and that they lead to a given other state.

    >>> returns(2).round(3).tolist()
    [[1.0, 0.0, 0.333], [0.0, 0.333, 0.222]]
    """
    power = (-1 / (STATES - 1)) ** np.arange(most + 1, dtype=np.float64)
    return np.stack([1 / STATES + (1 - 1 / STATES) * power, (1 - power) / STATES])


def evidence_of(trace: Trace, frames: Indices, rule: str) -> Evidence:
    """What supplied frames of a clip (increasing indices) show, by the rule that its domain names."""
    if rule == "pulse":
        lit = np.zeros(trace.frame_count, dtype=bool)
        for event in trace.events:
            lit[event.evidence_frames[0] : event.evidence_frames[1] + 1] = True
        return Pulse(lit[frames], frames, trace.fps)
    if rule == "contact":
        return Contact(_places(trace, frames), frames, trace.fps, trace.frame_count)
    words = [trace.events[0].state_before, *(e.state_after for e in trace.events)] if trace.events else [""]
    which = np.searchsorted([e.frame_index for e in trace.events], frames, side="right")
    numbers = {word: number for number, word in enumerate(dict.fromkeys(words))}
    return Walk(np.array([numbers[words[k]] for k in which], dtype=np.intp), frames)


def _places(trace: Trace, frames: Indices) -> list[Fraction]:
    """Where the ball is, if the wall touched first is the one at 0; which it is says nothing of the count."""
    if not trace.events:
        speed = Fraction(str(trace.spec.frequency_hz)) / round(trace.fps)
        there = swinging(trace.frame_count, speed, 0)
    else:
        times = [e.frame_index for e in trace.events]
        if getattr(trace.spec, "schedule", "regular") == "regular":
            lone = round(Fraction(round(trace.fps)) / Fraction(str(trace.spec.frequency_hz)))
            return list(places(times, frames.tolist(), 0, lone))
        there = hurrying(times, trace.frame_count, 0, crossing(trace.fps))
    return [there[int(frame)] for frame in frames]


def _nearest_first(these: Indices, to: Indices) -> Indices:
    if not len(these) or not len(to):
        return these
    return these[np.argsort(np.abs(these[:, None] - to[None, :]).min(axis=1), kind="stable")]
