"""P(what the frames show | N) for regular events of a known grid, exactly: a list of all that can happen.

A clip is one of the grid's cells (N, F) and a start. Of the starts only those matter between which some event moves to
another frame: within such an interval all clips are alike. So there are finitely many, each with the probability of its
interval, and what happened is always one of them. What the supplied frames would show is worked out once for all of
them; of blinks and contacts it is kept as a 64-bit digest.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from lft.counting.audit.ideal.evidence import (
    Boxes,
    Contact,
    Evidence,
    Floats,
    Indices,
    Pulse,
    Walk,
    on_frames,
    returns,
)
from lft.counting.audit.ideal.prior import Prior

MOST = (
    1 << 21
)  # intervals of starts that are listed; of a grid with more, every k-th stands for its neighbours
_AT_ONCE = 1 << 21  # values in memory at once, a row for each hypothesis
Every = Callable[[Prior, float, int], Boxes]
Codes = npt.NDArray[np.uint64]


def posterior(evidence: Evidence, prior: Prior, fps: float, frame_count: int) -> Floats:
    """For each count of the prior, how well it explains what the frames show, times its prior; not normalised."""
    counts = np.array(prior.counts)
    found = np.zeros(len(counts))
    agreeing_ = agreeing(evidence, hypotheses, prior, fps, frame_count)
    np.add.at(found, np.searchsorted(counts, agreeing_.n), agreeing_.weight)
    if counts[0] == 0:
        found[0] += prior.weight_of(0) * evidence.of_nothing()
    return found


def agreeing(evidence: Evidence, every: Every, prior: Prior, fps: float, frame_count: int) -> Boxes:
    """Those of all hypotheses `every(prior, fps, frame_count)` under which the frames can show what they show, each
    with its weight times the probability of that. What each of them would show is worked out once.
    """
    of = every(prior, fps, frame_count)
    frames = evidence.frames.tobytes()
    if isinstance(evidence, Walk):
        which, likely = _walked(evidence, _steps(every, prior, fps, frame_count, frames))
    else:
        codes, order = _shown(type(evidence), every, prior, fps, frame_count, frames)
        seen = evidence.lit if isinstance(evidence, Pulse) else _place(evidence)
        code = _digest(seen[None, :])[0]
        first, last = np.searchsorted(codes, code, "left"), np.searchsorted(codes, code, "right")
        which = order[first:last] % max(1, len(of))  # of contacts, each is there for either wall first
        likely = np.full(len(which), 0.5 if isinstance(evidence, Contact) else 1.0)
    chosen = of.take(which)
    return replace(chosen, weight=chosen.weight * likely)


@lru_cache(maxsize=4)
def hypotheses(prior: Prior, fps: float, frame_count: int) -> Boxes:
    """Every clip with events that the grid may hold, by N and F; weights are probabilities."""
    cells = [(n, f, w) for n, f, w in prior.cells if n]
    of_cell = [_starts(n, Fraction(round(fps)) / Fraction(str(f)), frame_count) for n, f, _ in cells]
    every = max(1, math.ceil(sum(len(starts) for starts, _ in of_cell) / MOST))
    columns: list[tuple[Floats, ...]] = []
    for (n, f, weight), (starts, lengths) in zip(cells, of_cell, strict=True):
        groups = np.arange(0, len(starts), every)
        share = np.add.reduceat(lengths, groups) / lengths.sum() if len(starts) else lengths
        kept = starts[np.minimum(groups + every // 2, len(starts) - 1)] if len(starts) else starts
        q = float(Fraction(round(fps)) / Fraction(str(f)))
        columns.append((np.full(len(kept), float(n)), kept, np.full(len(kept), q), share * weight))
    n_, s, q_, weights = (
        np.concatenate([c[i] for c in columns]) if columns else np.zeros(0) for i in range(4)
    )
    return Boxes(n_, np.full(len(n_), 0.5), s, q_, weights)


def _starts(count: int, q: Fraction, frame_count: int) -> tuple[Floats, Floats]:
    """Starts s in frames, each amid an interval in which no event changes its frame, and the intervals' lengths."""
    room = frame_count - count * q
    if room < 0:
        return np.zeros(0), np.zeros(0)
    if room == 0:
        return np.full(1, 1e-7), np.ones(1)  # of two frames that are equally near an event falls on the later
    # Event i is on frame floor(s + (i - 1/2) q + 1/2), which changes where the sum is whole.
    turns = sorted({-((i + Fraction(1, 2)) * q + Fraction(1, 2)) % 1 for i in range(count)})
    ends = np.add.outer(np.arange(math.ceil(room)), np.array(turns, dtype=np.float64)).ravel()
    ends = np.concatenate([[0.0], ends[(ends > 0) & (ends < float(room))], [float(room)]])
    lengths = np.diff(ends)
    kept = lengths > 1e-9
    return (ends[:-1] + lengths / 2)[kept], lengths[kept]


def _parts(listed: Boxes, width: int) -> Iterator[Boxes]:
    each = max(1, _AT_ONCE // max(1, width))
    for first, last in pairwise([*range(0, len(listed), each), len(listed)]):
        yield listed.take(slice(first, last))


@lru_cache(maxsize=3)
def _shown(
    kind: type, every: Every, prior: Prior, fps: float, frame_count: int, frames: bytes
) -> tuple[Codes, npt.NDArray[np.intp]]:
    """Digests of what the frames show of each hypothesis, increasing, and which hypothesis each is of; of contacts
    first all that touch the wall at 0 first, then all that touch the other.
    """
    at = np.frombuffer(frames)
    listed = every(prior, fps, frame_count)
    codes: list[Codes] = []
    mirrored: list[Codes] = []
    if kind is Pulse:
        # A digest is a sum over lit frames, and a pulse lights the frames from its first to its last.
        so_far = np.zeros(len(at) + 1, dtype=np.uint64)
        np.cumsum(_digests(np.ones(len(at))), out=so_far[1:])
        for part in _parts(listed, int(listed.n.max(initial=0))):
            on = part.events()
            off = on + on_frames(part.q, fps).astype(np.intp)[:, None]
            lit = (so_far[np.searchsorted(at, frame)] for frame in (off, on))
            codes.append(np.subtract(*lit).sum(axis=1, dtype=np.uint64))
    else:
        resting = Contact([Fraction(1, 2)] * len(at), at.astype(np.intp), fps, frame_count)
        for part in _parts(listed, len(at)):
            over, under = resting.places_of(part, at[None, :])
            codes.append(_digest(over / under))
            mirrored.append(_digest((under - over) / under))
    together = np.concatenate([np.zeros(0, dtype=np.uint64), *codes, *mirrored])
    order = np.argsort(together, kind="stable")
    return together[order], order


def _place(evidence: Evidence) -> Floats:
    assert isinstance(evidence, Contact)
    return evidence.place


def _digest(values: npt.NDArray[np.bool_] | Floats) -> Codes:
    """(m, k) -> (m,): a number for each row; equal rows have equal ones, others hardly ever."""
    summed: Codes = _digests(values).sum(axis=1, dtype=np.uint64)
    return summed


def _digests(values: npt.NDArray[np.bool_] | Floats) -> Codes:
    """(..., k) -> (..., k): what each value adds to the digest of its row; 0 adds nothing."""
    bits = values.astype(np.float64).view(np.uint64)
    bits = (bits ^ (bits >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(32))) * np.uint64(0x94D049BB133111EB)
    bits ^= bits >> np.uint64(31)
    odd: Codes = np.array(
        2 * np.random.default_rng(0).integers(0, 1 << 62, values.shape[-1]) + 1, dtype=np.uint64
    )
    return bits * odd


@lru_cache(maxsize=2)
def _steps(every: Every, prior: Prior, fps: float, frame_count: int, frames: bytes) -> npt.NDArray[np.uint8]:
    """(pairs of neighbouring frames, hypotheses): how many events happen between the two."""
    at = np.frombuffer(frames)
    listed = every(prior, fps, frame_count)
    # Row j: after the frame before the j-th and up to the j-th; the first and the last row are not between frames.
    steps = np.zeros((len(at) + 1, len(listed)), dtype=np.uint8)
    each = np.arange(len(listed))
    for frame in listed.events().T:
        steps[np.searchsorted(at, frame), each] += 1
    return steps[1:-1]


def _walked(evidence: Walk, steps: npt.NDArray[np.uint8]) -> tuple[Indices, Floats]:
    """The hypotheses that can be, and the probability of what the frames show under each."""
    same, other = returns(int(steps.max(initial=0)))
    which = np.arange(steps.shape[1])
    likely = np.ones(len(which))
    for pair in evidence.order:
        taken = steps[pair] if len(which) == steps.shape[1] else steps[pair][which]
        likely = likely * (same if evidence.same[pair] else other)[taken]
        if len(which) and likely.min() == 0:
            which, likely = which[likely > 0], likely[likely > 0]
    return which, likely
