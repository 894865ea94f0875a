"""P(what the frames show | N) for irregular events and bursts, exactly: a sum over all ways to place the events on
frames.

Given the state of the clip, what the frames show between an event on frame c and the next on frame b depends on these
two alone. So the sum goes from event to event: a vector over the frames that the n-th event may be on, times a matrix
of what may follow. What the spacing says of an interval is either in the matrix (bursts) or in the ends (irregular:
r^D is r^b / r^a).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from lft.counting import spacing
from lft.counting.audit.ideal.evidence import STATES, Contact, Evidence, Floats, Pulse, Walk
from lft.counting.audit.ideal.prior import Prior
from lft.counting.rendering.visual import WAIT

Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Chain:
    """What the frames allow, over the `size` frames that events may be on; states are those after an event.

    Attributes
    ----------
    first : (states, size, size), of the first event on a and the second on b, by the state after the first.
    between, last, both : the same for two events inside, for the last two, and where there are no others.
    onward : (states, states): the probability of the next state.
    """

    first: Array
    between: Array
    last: Array
    both: Array
    onward: Array


def posterior(
    evidence: Evidence, prior: Prior, schedule: str, fps: float, frame_count: int, least: int
) -> Floats:
    """For each count of the prior, how well it explains what the frames show, times its prior; not normalised."""
    found = np.zeros(len(prior.counts))
    of = _irregular if schedule == "irregular" else _bursts
    cells = prior.cells or [(n, f, 1 / len(prior.rates_hz)) for n in prior.counts for f in prior.rates_hz]
    possible = {
        (n, f): weight
        for n, f, weight in cells
        if n >= max(1, least) and spacing.fits(schedule, n, f, fps, frame_count)
    }
    for (n, f), share in zip(possible, of(evidence, list(possible), fps, frame_count), strict=True):
        found[prior.counts.index(n)] += share * possible[n, f]
    if prior.counts[0] == 0:
        found[0] = prior.weight_of(0) * evidence.of_nothing()
    return found


def _lone(evidence: Evidence, fps: float, frame_count: int) -> float:
    """P(what the frames show) for a single event, anywhere."""
    low, high = spacing.room(fps, frame_count)
    at = np.arange(low, high + 1)
    return float(_alone(evidence, at, fps).mean())


def _irregular(
    evidence: Evidence, possible: list[tuple[int, float]], fps: float, frame_count: int
) -> list[float]:
    chain = _chain(evidence, fps, frame_count)
    most = max((n for n, _ in possible), default=0)
    several = [(n, f) for n, f in possible if n > 1]
    tilts = np.array([max(spacing.irregular(n, f, fps, frame_count).tilt, 1e-9) for n, f in several])
    counts = np.array([n for n, _ in several])
    size = chain.first.shape[1]
    # r^(b - a) as r^(b - m) r^(m - a), from the middle, so that neither leaves the range of numbers.
    powers = (
        np.power(tilts[None, :], np.arange(size)[:, None] - size / 2.0)
        if len(several)
        else np.ones((size, 0))
    )
    shares: dict[tuple[int, float], float] = {}
    before = np.broadcast_to(1 / powers, (len(chain.onward), *powers.shape))
    state = before
    for n in range(2, most + 1):
        ends = np.flatnonzero(counts == n)
        if len(ends):
            legs, vectors = (chain.both, before) if n == 2 else (chain.last, state)
            after = _step(vectors[:, :, ends], legs, chain.onward)
            for column, total in zip(ends, (after * powers[None, :, ends]).sum(axis=(0, 1)), strict=True):
                where = several[column]
                shares[where] = float(total) / _all(*where, fps, frame_count)
        if n < most:
            state = _step(state, chain.first if n == 2 else chain.between, chain.onward)
    lone = _lone(evidence, fps, frame_count)
    return [shares[n, f] if n > 1 else lone for n, f in possible]


def _step(vectors: Array, legs: Array, onward: Array) -> Array:
    """From the n-th event to the next: (states, size, columns) -> the same, by the state after the next."""
    moved = np.matmul(legs.transpose(0, 2, 1), vectors)
    stepped: Array = np.tensordot(onward, moved, axes=(0, 0))
    return stepped


@lru_cache(maxsize=4096)
def _all(count: int, rate_hz: float, fps: float, frame_count: int) -> float:
    """The sum of r^D over all ways to place the events."""
    import math

    found = spacing.irregular(count, rate_hz, fps, frame_count)
    low, high = spacing.room(fps, frame_count)
    return math.fsum(
        max(found.tilt, 1e-9) ** (found.least + i)
        * (high - low + 1 - found.least - i)
        * math.comb(i + count - 2, count - 2)
        for i in range(len(found.distances))
    )


def _bursts(
    evidence: Evidence, possible: list[tuple[int, float]], fps: float, frame_count: int
) -> list[float]:
    shares: dict[tuple[int, float], float] = {}
    chain = _chain(evidence, fps, frame_count)
    lone = _lone(evidence, fps, frame_count)
    for rate in sorted({f for _, f in possible}):
        most = max(n for n, f in possible if f == rate)
        shares |= {(n, rate): share for n, share in _runs(chain, rate, most, fps, frame_count)}
        shares[1, rate] = lone
    return [shares[where] for where in possible]


def _runs(chain: Chain, rate_hz: float, most: int, fps: float, frame_count: int) -> list[tuple[int, float]]:
    """(N, P(what the frames show)) for N = 2 .. most. Columns: pauses so far, place in the run."""
    size, states = chain.first.shape[1], len(chain.onward)
    gaps = np.diff(spacing.run_frames(most + 1, rate_hz, fps))
    apart = np.arange(size)[None, :] - np.arange(size)[:, None]
    far: Array = (apart >= spacing.least_pause(rate_hz, fps)).astype(np.float64)
    found = []
    # state[p][k]: (states, size), p pauses so far, the k-th event of its run
    state: dict[tuple[int, int], Array] = {(0, 0): np.ones((states, size))}
    start = dict(state)
    for n in range(2, most + 1):
        ended = _burst_step(
            start if n == 2 else state, chain.both if n == 2 else chain.last, chain.onward, gaps, far
        )
        possible = spacing.pauses(n)
        total = 0.0
        for p in possible:
            ways = sum(w for _, _, w in spacing.bursts(n, p, rate_hz, fps, frame_count))
            total += (
                sum(float(v.sum()) for (q, _), v in ended.items() if q == p) / ways / len(possible)
                if ways
                else 0
            )
        found.append((n, total))
        if n < most:
            state = _burst_step(state, chain.first if n == 2 else chain.between, chain.onward, gaps, far)
    return found


def _burst_step(
    state: dict[tuple[int, int], Array], legs: Array, onward: Array, gaps: npt.NDArray[np.intp], far: Array
) -> dict[tuple[int, int], Array]:
    size = legs.shape[1]
    after: dict[tuple[int, int], Array] = {}
    for (p, k), vector in state.items():
        gap = int(gaps[k])
        moved = np.zeros_like(vector)
        moved[:, gap:] = vector[:, : size - gap] * np.diagonal(legs, gap, axis1=1, axis2=2)
        after[p, k + 1] = onward.T @ moved
    for p in sorted({p for p, _ in state}):
        if p < spacing.MOST_PAUSES:
            vector = np.sum([v for (q, _), v in state.items() if q == p], axis=0)
            moved = np.matmul((legs * far[None, :, :]).transpose(0, 2, 1), vector[:, :, None])[:, :, 0]
            begun = onward.T @ moved
            after[p + 1, 0] = after[p + 1, 0] + begun if (p + 1, 0) in after else begun
    return after


def _chain(evidence: Evidence, fps: float, frame_count: int) -> Chain:
    low, high = spacing.room(fps, frame_count)
    at = np.arange(low, high + 1)
    apart = at[None, :] - at[:, None] >= spacing.least_gap(fps)
    if isinstance(evidence, Pulse):
        before, shown, after, lit, on = _pulses(evidence, at, fps)
        inside = (lit(at - 1)[None, :] <= lit(at + on - 1)[:, None]) & shown[:, None] & shown[None, :]
        between = (apart & inside)[None] * 1.0
        return _of(between, before[None], after[None], np.ones((1, 1)))
    if isinstance(evidence, Walk):
        before, after, others, to = _visits(evidence, at)
        between = (
            np.stack([apart & (other(at - 1)[None, :] == other(at - 1)[:, None]) for other in others]) * 1.0
        )
        return _of(between, to.T @ before, to @ after, to)
    assert isinstance(evidence, Contact)
    return _contacts(evidence, at, apart, spacing.crossing(fps))


def _of(between: Array, before: Array, after: Array, onward: Array) -> Chain:
    """`before`: by the state after the first event; `after`: by the state before the last, whatever it leads to."""
    first, last = between * before[:, :, None], between * after[:, None, :]
    return Chain(first, between, last, first * after[:, None, :], onward)


def _alone(evidence: Evidence, at: npt.NDArray[np.intp], fps: float) -> Array:
    """(size,): P(what the frames show) for a single event on each frame."""
    if isinstance(evidence, Pulse):
        before, shown, after, _, _ = _pulses(evidence, at, fps)
        agree: Array = (before & shown & after) * 1.0
        return agree
    if isinstance(evidence, Walk):
        before, after, _, to = _visits(evidence, at)
        alone: Array = (before * (to @ after)).sum(axis=0)
        return alone
    assert isinstance(evidence, Contact)
    begins, _, ends, _ = _touches(evidence, at, spacing.crossing(fps))
    touched: Array = (begins & ends).sum(axis=0) / 2.0
    return touched


def _pulses(evidence: Pulse, at: npt.NDArray[np.intp], fps: float) -> tuple[Any, ...]:
    """Whether nothing is lit before an event, its frames are, nothing is after it; lit frames so far; its length."""
    on = spacing.pulse(fps)
    lit, dark = _so_far(evidence.frames, evidence.lit), _so_far(evidence.frames, ~evidence.lit)
    shown = dark(at + on - 1) == dark(at - 1)
    return lit(at - 1) == 0, shown, lit(at + on - 1) == evidence.lit.sum(), lit, on


def _visits(evidence: Walk, at: npt.NDArray[np.intp]) -> tuple[Array, Array, list[Any], Array]:
    """By state: whether all frames before an event show it, and all from it on; frames so far that show another; the
    walk.
    """
    others = [_so_far(evidence.frames, evidence.names != state) for state in range(STATES)]
    every = [int((evidence.names != state).sum()) for state in range(STATES)]
    before = np.stack([other(at - 1) == 0 for other in others]) * 1.0
    after = np.stack([other(at - 1) == total for other, total in zip(others, every, strict=True)]) * 1.0
    return before, after, others, (1 - np.eye(STATES)) / (STATES - 1)


def _so_far(frames: Floats, which: npt.NDArray[np.bool_]) -> Any:
    """A function (frames) -> how many of the supplied frames of a kind there are up to and including each."""
    chosen = frames[which]
    return lambda at: np.searchsorted(chosen, at, side="right")


def _contacts(evidence: Contact, at: npt.NDArray[np.intp], apart: npt.NDArray[np.bool_], leg: int) -> Chain:
    """States are the wall that was touched last: the one that comes first is either, equally likely."""
    begins, comes, ends, waits = _touches(evidence, at, leg)
    other = [1, 0]
    stays = np.stack([late[None, :] == early[:, None] for early, late in waits])
    between = apart[None] & stays & comes[other][:, None, :]
    first = (between & begins[:, :, None]) / 2
    last = between & ends[other][:, None, :]
    both = first * ends[other][:, None, :]
    return Chain(first, between * 1.0, last * 1.0, both, np.array([[0.0, 1.0], [1.0, 0.0]]))


def _touches(evidence: Contact, at: npt.NDArray[np.intp], leg: int) -> tuple[Any, ...]:
    """By wall, for a contact on each frame: (2, size) whether frames show it as the first one, whether they show the
    ball come from the other wall and leave, whether they show that it was the last; and of each wall two arrays
    (size,), the frames that show the ball elsewhere than waiting near it, up to when it has left, and up to when it
    goes across.
    """
    left = int(np.ceil(float(WAIT) * leg))  # frames after which it waits
    come, mid = (
        int(np.ceil(float(1 - WAIT) * leg)) - 1,
        int(np.ceil(leg / 2)) - 1,
    )  # for which it is on its way
    begins, comes, ends, waits = [], [], [], []
    for over in (evidence.over, evidence.under - evidence.over):
        seen = dict(
            zip(evidence.frames.astype(int).tolist(), zip(over, evidence.under, strict=True), strict=True)
        )

        def agrees(offsets: range, seen: dict[int, Any] = seen) -> npt.NDArray[np.bool_]:
            """Whether frames so far off a contact show the ball as far from the wall, or are not there."""
            return np.array(
                [
                    all(
                        (f + d) not in seen or abs(d) * seen[f + d][1] == seen[f + d][0] * leg
                        for d in offsets
                    )
                    for f in at.tolist()
                ]
            )

        leaves = agrees(range(left))
        rests = _so_far(evidence.frames, evidence.place != 0.5)
        elsewhere = over * WAIT.denominator != evidence.under * WAIT.numerator
        away = _so_far(evidence.frames, elsewhere)
        begins.append(leaves & agrees(range(-mid, 0)) & (rests(at - mid - 1) == 0))
        comes.append(leaves & agrees(range(-come, 0)))
        ends.append(leaves & (away(at + left - 1) == elsewhere.sum()))
        waits.append((away(at + left - 1), np.maximum(away(at - come - 1), 0)))
    return np.stack(begins), np.stack(comes), np.stack(ends), waits
