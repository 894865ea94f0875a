"""P(what the frames show | N) for irregular events and bursts, exactly: a sum over all ways to place the events on
frames.

Given the state of the clip, what the frames show between an event on frame c and the next on frame b depends on these
two alone. So the sum goes from event to event: a vector over the frames that the n-th event may be on, times a matrix
of what may follow. What the spacing says of an interval is either in the matrix (bursts) or in the ends (irregular:
r^D is r^b / r^a).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from lft.counting import spacing
from lft.counting.audit.ideal.evidence import STATES, Contact, Evidence, Floats, Pulse, Walk
from lft.counting.audit.ideal.prior import Prior
from lft.counting.motion import WAIT

Array = npt.NDArray[np.float64]
UpTo = Callable[[npt.NDArray[np.intp]], npt.NDArray[np.intp]]  # frames -> how many of some kind up to each


@dataclass(frozen=True)
class Chain:
    """What the frames allow, over the `size` frames that events may be on.

    Attributes
    ----------
    between : (states, size, size), of an event on a and the next on b, by the state after the one on a.
    before : (states, size), of the first event, by the state after it.
    after : (states, size), of the last event, by the state before it.
    alone : (size,), of an event that is the only one.
    onward : (states, states): the probability of the next state.
    """

    between: Array
    before: Array
    after: Array
    alone: Array
    onward: Array

    @property
    def size(self) -> int:
        """How many frames events may be on."""
        return len(self.alone)

    def next(self, moved: Array) -> Array:
        """(states, size, columns) by the state before an event -> the same by the state after it."""
        stepped: Array = np.tensordot(self.onward, moved, axes=(0, 0))
        return stepped


def posterior(
    evidence: Evidence, prior: Prior, schedule: str, fps: float, frame_count: int, least: int
) -> Floats:
    """For each count of the prior, how well it explains what the frames show, times its prior; not normalised."""
    found = np.zeros(len(prior.counts))
    chain = _chain(evidence, fps, frame_count)
    cells = prior.cells or [(n, f, 1 / len(prior.rates_hz)) for n in prior.counts for f in prior.rates_hz]
    possible = {
        (n, f): weight
        for n, f, weight in cells
        if n >= max(1, least) and spacing.fits(schedule, n, f, fps, frame_count)
    }
    several = [(n, f) for n, f in possible if n > 1]
    of = _irregular if schedule == "irregular" else _bursts
    shares = of(chain, several, fps, frame_count) if several else {}
    lone = float(chain.alone.mean())
    for (n, f), weight in possible.items():
        found[prior.counts.index(n)] += weight * (shares[n, f] if n > 1 else lone)
    if prior.counts[0] == 0:
        found[0] = prior.weight_of(0) * evidence.of_nothing()
    return found


def _irregular(
    chain: Chain, cells: list[tuple[int, float]], fps: float, frame_count: int
) -> dict[tuple[int, float], float]:
    """(N, F) -> P(what the frames show). Columns: cells, by rising N, so that those which are done can go."""
    cells = sorted(cells)
    counts = np.array([n for n, _ in cells])
    tilts = np.array([max(spacing.irregular(n, f, fps, frame_count).tilt, 1e-9) for n, f in cells])
    # r^(b - a) as r^(b - m) r^(m - a), from the middle, so that neither leaves the range of numbers.
    powers = np.power(tilts[None, :], np.arange(chain.size)[:, None] - chain.size / 2.0)
    shares: dict[tuple[int, float], float] = {}
    state = chain.before[:, :, None] / powers[None]
    for n in range(2, int(counts[-1]) + 1):
        moved = np.matmul(chain.between.transpose(0, 2, 1), state)
        done = int((counts == n).sum())
        ended = (moved[:, :, :done] * chain.after[:, :, None] * powers[None, :, :done]).sum(axis=(0, 1))
        for (_, f), total in zip(cells[:done], ended, strict=True):
            shares[n, f] = float(total) / _all(n, f, fps, frame_count)
        cells, counts, powers = cells[done:], counts[done:], powers[:, done:]
        state = chain.next(moved[:, :, done:])
    return shares


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
    chain: Chain, cells: list[tuple[int, float]], fps: float, frame_count: int
) -> dict[tuple[int, float], float]:
    """(N, F) -> P(what the frames show)."""
    shares: dict[tuple[int, float], float] = {}
    near = cache(lambda gap: np.ascontiguousarray(np.diagonal(chain.between, gap, axis1=1, axis2=2)))
    apart = np.arange(chain.size)[None, :] - np.arange(chain.size)[:, None]
    for rate in sorted({f for _, f in cells}):
        most = max(n for n, f in cells if f == rate)
        far = chain.between * (apart >= spacing.least_pause(rate, fps))
        gaps = [int(gap) for gap in np.diff(spacing.run_frames(most, rate, fps))]
        # state[k]: (states, size, pauses so far), the k-th event of its run
        state = {0: np.zeros((*chain.before.shape, spacing.MOST_PAUSES + 1))}
        state[0][:, :, 0] = chain.before
        for n in range(2, most + 1):
            moved = {0: np.zeros_like(state[0])}
            moved[0][:, :, 1:] = np.matmul(
                far.transpose(0, 2, 1), np.sum([*state.values()], axis=0)[:, :, :-1]
            )
            for k, vectors in state.items():
                on = moved[k + 1] = np.zeros_like(vectors)
                on[:, gaps[k] :] = vectors[:, : chain.size - gaps[k]] * near(gaps[k])[:, :, None]
            ended = (np.sum([*moved.values()], axis=0) * chain.after[:, :, None]).sum(axis=(0, 1))
            ways = {
                p: sum(w for _, _, w in spacing.bursts(n, p, rate, fps, frame_count))
                for p in spacing.pauses(n)
            }
            shares[n, rate] = sum(float(ended[p]) / w / len(ways) for p, w in ways.items() if w)
            state = {k: chain.next(vectors) for k, vectors in moved.items()}
    return shares


def _chain(evidence: Evidence, fps: float, frame_count: int) -> Chain:
    low, high = spacing.room(fps, frame_count)
    at = np.arange(low, high + 1)
    apart = at[None, :] - at[:, None] >= spacing.least_gap(fps)
    if isinstance(evidence, Pulse):
        before, shown, after, lit, on = _pulses(evidence, at, fps)
        inside = (lit(at - 1)[None, :] <= lit(at + on - 1)[:, None]) & shown[:, None] & shown[None, :]
        alone = (before & shown & after) * 1.0
        return Chain(
            (apart & inside)[None] * 1.0, before[None] * 1.0, after[None] * 1.0, alone, np.ones((1, 1))
        )
    if isinstance(evidence, Walk):
        before, after, others, to = _visits(evidence, at)
        between = np.stack([apart & (other(at - 1)[None, :] == other(at - 1)[:, None]) for other in others])
        return Chain(between * 1.0, to.T @ before, to @ after, (before * (to @ after)).sum(axis=0), to)
    assert isinstance(evidence, Contact)
    begins, comes, ends, waits = _touches(evidence, at, spacing.crossing(fps))
    other = [
        1,
        0,
    ]  # states are the wall that was touched last: the one that comes first is either, equally likely
    stays = np.stack([late[None, :] == early[:, None] for early, late in waits])
    between = apart[None] & stays & comes[other][:, None, :]
    alone = (begins & ends).sum(axis=0) / 2.0
    return Chain(between * 1.0, begins / 2.0, ends[other] * 1.0, alone, np.array([[0.0, 1.0], [1.0, 0.0]]))


def _pulses(evidence: Pulse, at: npt.NDArray[np.intp], fps: float) -> tuple[Any, ...]:
    """Whether nothing is lit before an event, its frames are, nothing is after it; lit frames so far; its length."""
    on = spacing.pulse(fps)
    lit, dark = _so_far(evidence.frames, evidence.lit), _so_far(evidence.frames, ~evidence.lit)
    shown = dark(at + on - 1) == dark(at - 1)
    return lit(at - 1) == 0, shown, lit(at + on - 1) == evidence.lit.sum(), lit, on


def _visits(evidence: Walk, at: npt.NDArray[np.intp]) -> tuple[Array, Array, list[UpTo], Array]:
    """By state: whether all frames before an event show it, and all from it on; frames so far that show another; the
    walk.
    """
    others = [_so_far(evidence.frames, evidence.names != state) for state in range(STATES)]
    every = [int((evidence.names != state).sum()) for state in range(STATES)]
    before = np.stack([other(at - 1) == 0 for other in others]) * 1.0
    after = np.stack([other(at - 1) == total for other, total in zip(others, every, strict=True)]) * 1.0
    return before, after, others, (1 - np.eye(STATES)) / (STATES - 1)


def _so_far(frames: Floats, which: npt.NDArray[np.bool_]) -> UpTo:
    """A function (frames) -> how many of the supplied frames of a kind there are up to and including each."""
    chosen = frames[which]
    return lambda at: np.searchsorted(chosen, at, side="right")


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
