"""P(what the frames show | N) for regular events: an integral over start and period.

What a frame shows depends on (N, s, q) alone. First, hypotheses drawn from the prior, the same for every clip under one
policy, are held against the frames. Where too few of them agree, the frames tell much, and the plane of s and q is
searched: boxes that cannot agree are dropped, the others are cut in four, until they are small; points in these are
then tried exactly. Where more boxes agree than are kept, a random part of them stands for all. The error is that of a
mean over at least `ENOUGH` hypotheses that agree.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache

import numpy as np

from lft.counting.audit.ideal.evidence import Boxes, Contact, Evidence, Floats, Indices, Pulse, Walk, returns
from lft.counting.audit.ideal.prior import Prior

DRAWN = 1 << 15  # hypotheses that are drawn from the prior
ENOUGH = 60  # points of a search that agree, at least
_MANY = 500  # drawn hypotheses that agree (in weight): the frames tell so little that these tell all
_KEPT = 700  # boxes
_POINTS = 4000
_COARSE = (16.0, 1.75)  # frames: width of the first boxes in s and in q
_FINE, _FINEST = (0.25, 0.03), 0.01


def posterior(
    evidence: Evidence, prior: Prior, fps: float, frame_count: int, least: int, seed: int = 0
) -> Floats:
    """For each count of the prior, how well it explains what the frames show, times its prior; not normalised.

    `least` is the number of events that the frames prove.
    """
    counts = np.array(prior.counts)
    found = np.zeros(len(counts))
    rng = np.random.default_rng(seed)
    if not isinstance(evidence, Contact):
        weights = _agreeing(evidence, prior, fps, frame_count)
        total = weights.sum()
        if total and total**2 / (weights**2).sum() >= _MANY:
            drawn = _drawn(prior, fps, frame_count)
            return np.array([weights[drawn.n == n].sum() for n in counts])
    boxes = _searched(evidence, prior, fps, frame_count, least, rng)
    points = _tried(evidence, boxes, fps, frame_count, prior, rng)
    while len(points) < ENOUGH and len(boxes) and boxes.dx > _FINEST:  # what agrees is thinner than the boxes
        boxes = _possible(evidence, _within(evidence, _cut(_some(boxes, rng)), frame_count))
        points = _tried(evidence, boxes, fps, frame_count, prior, rng)
    np.add.at(found, np.searchsorted(counts, points.n), points.weight)
    if counts[0] == 0:
        found[0] = evidence.of_nothing()
    return found


@lru_cache(maxsize=4)
def _drawn(prior: Prior, fps: float, frame_count: int) -> Boxes:
    """Hypotheses from the prior, spread evenly (a Sobol sequence), equal weights."""
    from scipy.stats import qmc

    u = qmc.Sobol(3, seed=0).random(DRAWN)
    n = np.array(prior.counts, dtype=np.float64)[(u[:, 0] * len(prior.counts)).astype(int)]
    if prior.grid_known:
        rate = np.array(prior.rates_hz)[(u[:, 1] * len(prior.rates_hz)).astype(int)]
    else:
        rate = prior.rates_hz[0] + u[:, 1] * (prior.rates_hz[-1] - prior.rates_hz[0])
    q = fps / rate
    fits = n * q <= frame_count + 1e-9
    starts = u[:, 2] * np.maximum(frame_count - n * q, 0)
    return Boxes(n, np.full(DRAWN, 0.5), starts, q, np.ones(DRAWN)).take(fits)


def _agreeing(evidence: Evidence, prior: Prior, fps: float, frame_count: int) -> Floats:
    """The likelihood of each drawn hypothesis."""
    frames = evidence.frames.tobytes()
    if isinstance(evidence, Pulse):
        table = _lit(prior, fps, frame_count, frames)
        agrees: Floats = (table == evidence.lit[None, :]).all(axis=1) * 1.0
        return agrees
    assert isinstance(evidence, Walk)
    same, other = _steps(prior, fps, frame_count, frames)
    if not len(evidence.same):
        return np.ones(len(same))
    log = same @ evidence.same.astype(np.float32) + other @ (~evidence.same).astype(np.float32)
    return np.exp(log - log.max()).astype(np.float64) if log.max() > -1e4 else np.zeros(len(log))


@lru_cache(maxsize=2)
def _lit(prior: Prior, fps: float, frame_count: int, frames: bytes) -> np.typing.NDArray[np.bool_]:
    at = np.frombuffer(frames)
    empty = Pulse(np.zeros(len(at), dtype=bool), at.astype(np.intp), fps)
    return empty.shown(_drawn(prior, fps, frame_count), at)


@lru_cache(maxsize=2)
def _steps(
    prior: Prior, fps: float, frame_count: int, frames: bytes
) -> tuple[np.typing.NDArray[np.float32], ...]:
    """For each drawn hypothesis and pair of neighbours, log probabilities of the same and of a given other state."""
    at = np.frombuffer(frames)
    steps = np.diff(_drawn(prior, fps, frame_count).until(at[None, :]), axis=1).astype(int)
    logs = np.maximum(np.log(np.maximum(returns(int(steps.max(initial=0))), 1e-300)), -1e5).astype(np.float32)
    return logs[0][steps], logs[1][steps]


def _searched(
    evidence: Evidence, prior: Prior, fps: float, frame_count: int, least: int, rng: np.random.Generator
) -> Boxes:
    """Small boxes that together hold every hypothesis that agrees, or a random part of them with its weight."""
    if prior.grid_known:
        return _on_grid(evidence, prior, fps, frame_count, least)
    low, high = fps / prior.rates_hz[-1], fps / prior.rates_hz[0]
    left, right = (
        (evidence.anchor[0], evidence.anchor[1] + 0.5) if evidence.anchor else (0.0, float(frame_count))
    )
    across = max(1, math.ceil((right - left) / _COARSE[0]))
    along = max(1, math.ceil((high - low) / _COARSE[1]))
    dx, dq = (right - left) / across / 2, (high - low) / along / 2
    counts = [n for n in prior.counts if n >= max(1, least)]
    which = [(n, k) for n in counts for k in (range(1, n + 1) if evidence.anchor else (0.5,))]
    i, x, q = np.meshgrid(
        np.arange(len(which)),
        left + (np.arange(across) * 2 + 1) * dx,
        low + (np.arange(along) * 2 + 1) * dq,
        indexing="ij",
    )
    n, k = np.array(which, dtype=np.float64)[i.ravel()].T
    boxes = Boxes(n, k, x.ravel(), q.ravel(), np.full(n.size, 4 * dx * dq), dx, dq)
    while True:
        boxes = _possible(evidence, _within(evidence, boxes, frame_count))
        if not len(boxes) or (boxes.dx <= _FINE[0] and boxes.dq <= _FINE[1]):
            return boxes
        boxes = _cut(_some(boxes, rng))


def _some(boxes: Boxes, rng: np.random.Generator) -> Boxes:
    """At most `_KEPT` of them, which stand for all."""
    if len(boxes) <= _KEPT:
        return boxes
    chosen = boxes.take(rng.choice(len(boxes), _KEPT, replace=False))
    return replace(chosen, weight=chosen.weight * len(boxes) / _KEPT)


def _on_grid(evidence: Evidence, prior: Prior, fps: float, frame_count: int, least: int) -> Boxes:
    """Boxes of no width in q, one for each rate; starts at every quarter of a frame."""
    counts = np.array([n for n in prior.counts if n >= max(1, least)], dtype=np.float64)
    starts = (np.arange(4 * frame_count) + 0.5) / 4
    n, s, q = np.meshgrid(counts, starts, fps / np.array(prior.rates_hz), indexing="ij")
    boxes = Boxes(n.ravel(), np.full(n.size, 0.5), s.ravel(), q.ravel(), np.full(n.size, 0.25), 0.125, 0.0)
    return _possible(evidence, _within(evidence, boxes, frame_count))


def _within(evidence: Evidence, boxes: Boxes, frame_count: int) -> Boxes:
    """Those that fit into the clip and reach to where something is seen to happen."""
    slack = boxes.dx + boxes.dq * (boxes.n + 1) + 1
    kept = (boxes.s + boxes.n * boxes.q <= frame_count + slack) & (boxes.s >= -slack)
    if evidence.reach:
        first, last, part = evidence.reach
        kept &= (boxes.s + part * boxes.q <= first + slack) & (
            boxes.s + (boxes.n - part) * boxes.q >= last - slack
        )
    return boxes.take(kept)


def _possible(evidence: Evidence, boxes: Boxes) -> Boxes:
    able = None
    for chosen in _batches(evidence.order):
        new = evidence.possible(boxes, chosen)
        able = new if able is None else able & new
        kept = able.any(axis=1)
        boxes, able = boxes.take(kept), able[kept]
        if not len(boxes):
            break
    return boxes


def _cut(boxes: Boxes) -> Boxes:
    dx, dq = boxes.dx / 2, boxes.dq / 2
    return Boxes(
        np.tile(boxes.n, 4),
        np.tile(boxes.k, 4),
        np.concatenate([boxes.x - dx, boxes.x + dx, boxes.x - dx, boxes.x + dx]),
        np.concatenate([boxes.q - dq, boxes.q - dq, boxes.q + dq, boxes.q + dq]),
        np.tile(boxes.weight / 4, 4),
        dx,
        dq,
    )


def _tried(
    evidence: Evidence, boxes: Boxes, fps: float, frame_count: int, prior: Prior, rng: np.random.Generator
) -> Boxes:
    """Points drawn in the boxes that agree with the frames; their weights add up to P(what the frames show | N)."""
    if not len(boxes):
        return boxes
    each = max(1, _POINTS // len(boxes))
    points = boxes.take(np.repeat(np.arange(len(boxes)), each))
    points = replace(
        points,
        x=points.x + rng.uniform(-1, 1, len(points)) * boxes.dx,
        q=points.q + rng.uniform(-1, 1, len(points)) * boxes.dq,
        weight=points.weight / each,
        dx=0.0,
        dq=0.0,
    )
    points = points.take((points.s >= 0) & (points.s + points.n * points.q <= frame_count + 1e-9))
    if evidence.anchor and not prior.grid_known:  # so that each hypothesis is met once
        points = points.take(points.until(np.array([[evidence.anchor[1]]]))[:, 0] == points.k)
    # Densities: the start is uniform on what the span leaves (a span that fills the clip leaves one start, taken as
    # a quarter of a frame), F is uniform, so that q = fps / F has the density fps / q^2.
    density = 1 / np.maximum(frame_count - points.n * points.q, 0.25)
    if prior.grid_known:
        density /= len(prior.rates_hz)
    else:
        density *= fps / points.q**2 / (prior.rates_hz[-1] - prior.rates_hz[0])
    points = replace(points, weight=points.weight * density)
    likely = np.ones((len(points), 1))
    for chosen in _batches(evidence.order):
        likely = likely * evidence.likelihood(points, chosen)
        kept = (likely > 0).any(axis=1)
        points, likely = points.take(kept), likely[kept]
        if not len(points):
            break
    return replace(points, weight=points.weight * likely.mean(axis=1)) if len(points) else points


def _batches(order: Indices) -> Iterator[Indices]:
    """The frames by and by: first few, so that what cannot be is dropped early."""
    start, size = 0, 2
    while start < len(order):
        yield order[start : start + size]
        start, size = start + size, min(2 * size, 64)
