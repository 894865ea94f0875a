"""What frames show under a hypothesis, and what they do show: one rule for each kind of evidence.

    pulse     whether the object is lit: an event on one of the last `on` frames
    contact   the ball's place between the walls, exactly (a ratio of whole frames), as `lft.counting.motion`
              moves it; which wall comes first is open
    walk      the state's name; each change goes to one of the others, all equally likely

A hypothesis is N regular events with start s and period q, both in frames: event i = 1 .. N falls on frame
floor(s + (i - 1/2) q + 1/2). Arrays of hypotheses have the shape (m, 1), those of frames (1, k); float64 throughout.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Protocol

import numpy as np
import numpy.typing as npt

from lft.counting.motion import hurrying, places, swinging
from lft.counting.spacing import crossing
from lft.counting.trace import Trace

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.intp]
Mask = npt.NDArray[np.bool_]
STATES = 4  # of a walk
NEVER = 1 << 30  # the frame of an event that does not happen


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

    def take(self, index: slice | npt.NDArray[np.intp] | npt.NDArray[np.bool_]) -> Boxes:
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

    def until(self, frames: Floats) -> Floats:
        """How many events have happened up to and including each frame, (m, k)."""
        n, s, q = self.columns()
        count: Floats = np.clip(np.floor((frames + 0.5 - s) / q + 0.5), 0, n)
        return count

    def spans(self) -> tuple[Indices, Indices]:
        """The first and the last frame that each event may be on within the box, (m, events); past the N-th event both
        are `NEVER`.
        """
        n, k, x, q = (array[:, None] for array in (self.n, self.k, self.x, self.q))
        i = np.arange(1.0, self.n.max(initial=0) + 1)[None, :]
        at, away = x + (i - k) * q + 0.5, self.dx + np.abs(i - k) * self.dq + 1e-9
        never = i > n
        first, last = (
            np.where(never, NEVER, np.floor(frame)).astype(np.intp) for frame in (at - away, at + away)
        )
        return first, last

    def events(self) -> Indices:
        """The frame of each event, (m, events); past the N-th event `NEVER`."""
        n, s, q = self.columns()
        i = np.arange(1.0, self.n.max(initial=0) + 1)[None, :]
        return np.where(i > n, NEVER, np.floor(s + (i - 0.5) * q + 0.5)).astype(np.intp)


class Evidence(Protocol):
    """What the supplied frames of one clip show.

    `reach` is (first, last, part), or None where nothing is seen to happen: s + part * q is not after the frame
    `first`, s + (N - part) * q not before `last`. `anchor` is (low, frame), or None: the latest event up to that frame
    is at low or after it.
    """

    frames: Floats
    reach: tuple[float, float, float] | None
    anchor: tuple[float, float] | None

    def possible(self, boxes: Boxes) -> Mask:
        """(m,): whether some point of a box can agree with the frames."""
        ...

    def likelihood(self, points: Boxes) -> Floats:
        """(m, v): the probability of what the frames show, under each of v equally likely variants."""
        ...

    def of_nothing(self) -> float:
        """The probability of what all frames show, without any event."""
        ...


class Pulse:
    """`lit`: whether each supplied frame is lit; `on_frames` (F) -> for how many frames a pulse lasts."""

    def __init__(self, lit: Mask, frames: Indices, fps: float) -> None:
        self.lit, self.frames, self.fps = lit, frames.astype(np.float64), fps
        self._lit, self._dark = _SoFar(frames[lit]), _SoFar(frames[~lit])
        lit_at = self.frames[lit]
        longest = on_frames(np.array([1e9]), fps)[0]
        self.reach = (lit_at[0], lit_at[-1] - longest, 0.5) if len(lit_at) else None
        self.anchor = (lit_at[0] - longest + 0.5, lit_at[0]) if len(lit_at) else None

    def possible(self, boxes: Boxes) -> Mask:
        first, last = boxes.spans()
        shortest, longest = (
            on_frames(boxes.q + d, self.fps).astype(np.intp)[:, None] for d in (-boxes.dq, boxes.dq)
        )
        # Lit frames between two events that neither can reach, and dark ones that one is sure to light.
        unlit = self._lit(_before_next(first) - 1) - self._lit(_after_former(last + longest - 1))
        sure = self._dark(first + shortest - 1) - self._dark(last - 1)
        return np.asarray((unlit <= 0).all(axis=1) & (sure <= 0).all(axis=1))

    def likelihood(self, points: Boxes) -> Floats:
        on = points.events()
        off = on + on_frames(points.q, self.fps).astype(np.intp)[:, None] - 1
        lit, dark = (so_far(off) - so_far(on - 1) for so_far in (self._lit, self._dark))
        agrees = (dark == 0).all(axis=1) & (lit.sum(axis=1) == self.lit.sum())
        return np.asarray(agrees, dtype=np.float64)[:, None]

    def shown(self, points: Boxes, frames: Floats) -> Mask:
        """(m, k): whether a frame is lit."""
        return points.until(frames[None, :]) - points.until(frames[None, :] - self._on(points)) >= 1

    def _on(self, boxes: Boxes) -> Floats:
        return on_frames(boxes.q, self.fps)[:, None]

    def of_nothing(self) -> float:
        return float(not self.lit.any())


class Contact:
    """`places`: the ball's place in each supplied frame, from the wall at 0 to that at 1; 1/2 is rest. `order` lists
    the frames, those that tell most first. `told` is a frame and its place as a ratio in lowest terms, None where the
    ball rests in all.
    """

    exact = True  # whether places are known exactly

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
        # Where the place has the largest denominator the fewest legs fit.
        told = moving[np.argmax(self.under[moving])] if self.exact and len(moving) else None
        self.anchor = (0.0, self.frames[told]) if told is not None else None
        self.told = (
            (int(self.frames[told]), int(self.over[told]), int(self.under[told]))
            if told is not None
            else None
        )

    def legs(self, n: int, longest: float) -> list[tuple[int, int, int]]:
        """(event k, its frame, a leg in frames) for each way in which n contacts may explain the place on the frame
        `told`: between contacts k and k + 1, whose leg it is, or within half a leg of the first or the last.
        """
        assert self.told is not None
        frame, over, under = self.told
        found = []
        for leg in range(under, int(longest) + 2, under):
            away = {over * leg // under, leg - over * leg // under} - {0, leg}
            near = min(away, default=0)
            found += [(k, frame - d, leg) for k in range(1, n) for d in (away or {0})]
            found += [(n, frame - near, leg)] + ([(1, frame + near, leg)] if near else [])
        return found

    def possible(self, boxes: Boxes) -> Mask:
        return np.asarray(self._by_and_by(self.possible_at, boxes).any(axis=1))

    def likelihood(self, points: Boxes) -> Floats:
        return self._by_and_by(self.likelihood_at, points)

    def _by_and_by(self, at: Callable[[Boxes, Indices], Floats], boxes: Boxes) -> Floats:
        """The product over frames, (m, v): first few frames, so that what cannot be is dropped early."""
        which, product = np.arange(len(boxes)), np.ones((len(boxes), 1))
        start, size = 0, 2
        while start < len(self.order) and len(which):
            product = product * at(boxes.take(which), self.order[start : start + size])
            kept = (product > 0).any(axis=1)
            which, product = which[kept], product[kept]
            start, size = start + size, min(2 * size, 64)
        found = np.zeros((len(boxes), product.shape[1]))
        found[which] = product
        return found

    def possible_at(self, boxes: Boxes, chosen: Indices) -> Floats:
        """As `possible`, of the chosen frames alone; (m, v) of 0 and 1, under each variant."""
        n, s, q = boxes.columns()
        frames, seen = self.frames[chosen][None, :], self.place[chosen][None, :]
        phase = np.clip((frames - s) / q, 0, n)  # contact i at i - 1/2
        at_end = (phase <= 0.5) | (phase >= n - 0.5)
        # Events lie up to half a frame off; beyond the last of them the leg between the two nearest is continued.
        off = boxes.dx + (np.abs(phase - boxes.k[:, None] + 0.5) + 0.5) * boxes.dq
        off = (off + np.where(at_end, 1.01, 0.51)) / (q - 1)
        place = np.abs((phase + 0.5) % 2 - 1)
        near = [(np.abs(p - seen) <= off).all(axis=1) for p in (place, 1 - place)]
        return np.stack(near, axis=1).astype(np.float64)

    def likelihood_at(self, points: Boxes, chosen: Indices) -> Floats:
        """As `likelihood`, of the chosen frames alone."""
        over, under = self.places_of(points, self.frames[chosen][None, :])
        seen_over, seen_under = self.over[chosen][None, :], self.under[chosen][None, :]
        first = (over * seen_under == seen_over * under).all(axis=1)
        second = ((under - over) * seen_under == seen_over * under).all(axis=1)
        return np.stack([first, second], axis=1).astype(np.float64)

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
    """`names`: the state that each supplied frame shows, as numbers. `order` lists the pairs of neighbours, those that
    tell most first.
    """

    def __init__(self, names: Indices, frames: Indices) -> None:
        self.frames, self.names, self.same = frames.astype(np.float64), names, names[1:] == names[:-1]
        # An event in slot j happens after the frame before the j-th and up to the j-th: 0 and `_end` are not between
        # frames.
        self._slot, self._end = _SoFar(frames), len(frames)
        self._still = np.concatenate([[False], self.same, [False]])
        self._made = np.concatenate([[False], ~self.same, [False]])
        self._changes = np.cumsum(self._made)
        changes = np.flatnonzero(~self.same)
        self.order = np.concatenate([changes, _nearest_first(np.flatnonzero(self.same), changes)])
        self.reach = (self.frames[changes[0] + 1], self.frames[changes[-1]], 0.5) if len(changes) else None
        self.anchor = (self.frames[changes[0]] + 0.5, self.frames[changes[0] + 1]) if len(changes) else None

    def possible(self, boxes: Boxes) -> Mask:
        first, last = (self._slot(frames - 1) for frames in boxes.spans())
        # Changes between two events that neither can be, and slots without a change in which one event is sure to be
        # and no other can.
        unmade = (
            self._changes[np.maximum(_before_next(first, self._end) - 1, 0)]
            - self._changes[_after_former(last, 0)]
        )
        lone = (_after_former(last)[:, :-1] < first) & (_before_next(first, self._end)[:, 1:] > last)
        sure = (first == last) & self._still[first] & lone
        return np.asarray((unmade <= 0).all(axis=1) & ~sure.any(axis=1))

    def likelihood(self, points: Boxes) -> Floats:
        slots = self._slot(points.events() - 1)
        table = returns(slots.shape[1])
        likely, made = np.ones(len(points)), np.zeros(len(points), dtype=np.intp)
        steps = np.zeros(len(points), dtype=np.intp)
        for i in range(slots.shape[1]):
            here = slots[:, i]
            new = here != slots[:, i - 1] if i else np.ones(len(points), dtype=bool)
            steps = np.where(new, 1, steps + 1)
            made += new & self._made[here]
            last = here != slots[:, i + 1] if i + 1 < slots.shape[1] else True
            seen = self._made[here] | self._still[here]
            likely *= np.where(seen & last, table[self._made[here].astype(np.intp), steps], 1.0)
        return np.where(made == self._changes[-1], likely, 0.0)[:, None]

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


class _SoFar:
    """How many of these frames there are up to and including a frame."""

    def __init__(self, frames: Indices) -> None:
        self._counts = np.zeros(int(frames[-1]) + 2 if len(frames) else 1, dtype=np.intp)
        self._counts[frames + 1] = 1
        self._counts = np.cumsum(self._counts)

    def __call__(self, at: Indices) -> Indices:
        return self._counts[np.clip(at + 1, 0, len(self._counts) - 1)]


def _before_next(first: Indices, end: int = NEVER) -> Indices:
    """(m, events) -> (m, events + 1): for the start of the clip and each event, the first frame of the next one."""
    return np.concatenate([first, np.full((len(first), 1), end)], axis=1)


def _after_former(last: Indices, start: int = -1) -> Indices:
    """(m, events) -> (m, events + 1): for each event and the end of the clip, the last frame of the one before."""
    return np.concatenate([np.full((len(last), 1), start), last], axis=1)


def _nearest_first(these: Indices, to: Indices) -> Indices:
    if not len(these) or not len(to):
        return these
    return these[np.argsort(np.abs(these[:, None] - to[None, :]).min(axis=1), kind="stable")]
