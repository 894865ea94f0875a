"""P(what the frames show | N) for regular events: an integral over start and period.

What a frame shows depends on (N, s, q) alone. First, hypotheses drawn from the prior, the same for every clip under one
policy, are held against the frames. Where too few of them agree, the frames tell much, and the plane of s and q is
searched: boxes that cannot agree are dropped, the others are cut in four, until they are small; points in these are
then tried exactly. Where more boxes agree than are kept, a random part of them stands for all. The error is that of a
mean over at least `ENOUGH` hypotheses that agree, or of the finest boxes. What happened is always among the hypotheses:
its box is kept and it is tried itself, so that where little agrees the bound errs on the high side.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from lft.counting.audit.ideal.evidence import Boxes, Contact, Evidence, Floats, Indices, Pulse, Walk, returns
from lft.counting.audit.ideal.prior import Prior
from lft.counting.trace import Trace

DRAWN = 1 << 15  # hypotheses that are drawn from the prior
ENOUGH = 60  # points of a search that agree, at least
_MANY = 500  # drawn hypotheses that agree (in weight): the frames tell so little that these tell all
_KEPT = 700  # boxes
_POINTS = 4000
_COARSE = (16.0, 1.75)  # frames: width of the first boxes in s and in q
_FINE, _FINEST = (0.25, 0.03), 0.01


Truth = tuple[float, float, float]


def truth_of(trace: Trace) -> Truth | None:
    """N, start and period of a clip, the latter two in frames; None without events."""
    if not trace.events:
        return None
    q = trace.fps / trace.spec.frequency_hz
    # Of two frames that are equally near an event falls on the later one.
    return float(trace.spec.count), max(0.0, trace.events[0].scheduled_s * trace.fps - q / 2) + 1e-7, q


def posterior(
    evidence: Evidence,
    prior: Prior,
    fps: float,
    frame_count: int,
    least: int,
    truth: Truth | None = None,
    seed: int = 0,
) -> Floats:
    """For each count of the prior, how well it explains what the frames show, times its prior; not normalised.

    `least` is the number of events that the frames prove; `truth` what happened, which is tried with the others.
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
    there = _as_box(evidence, truth)
    boxes = _searched(evidence, prior, fps, frame_count, least, rng, there)
    points = _tried(evidence, boxes, fps, frame_count, prior, rng, there)
    while len(points) < ENOUGH and len(boxes) and boxes.dx > _FINEST:  # what agrees is thinner than the boxes
        boxes = _possible(evidence, _within(evidence, _cut(_some(boxes, rng, there)), frame_count))
        points = _tried(evidence, boxes, fps, frame_count, prior, rng, there)
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
    evidence: Evidence,
    prior: Prior,
    fps: float,
    frame_count: int,
    least: int,
    rng: np.random.Generator,
    there: Boxes | None,
) -> Boxes:
    """Small boxes that together hold every hypothesis that agrees, or a random part of them with its weight."""
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
        boxes = _cut(_some(boxes, rng, there))


def _as_box(evidence: Evidence, truth: Truth | None) -> Boxes | None:
    """What happened, as a hypothesis: k and x as the boxes of a search have them."""
    if truth is None:
        return None
    n, s, q = (np.array([value]) for value in truth)
    point = Boxes(n, np.full(1, 0.5), s, q, np.ones(1))
    if evidence.anchor:
        k = np.maximum(1.0, point.until(np.array([[evidence.anchor[1]]]))[:, 0])
        point = replace(point, k=k, x=s + (k - 0.5) * q)
    return point


def _holding(boxes: Boxes, there: Boxes | None) -> npt.NDArray[np.bool_]:
    """Which box holds what happened: one of them, if any does."""
    if there is None:
        return np.zeros(len(boxes), dtype=bool)
    inside: npt.NDArray[np.bool_] = (boxes.n == there.n) & (boxes.k == there.k)
    inside &= (np.abs(boxes.x - there.x) <= boxes.dx + 1e-9) & (np.abs(boxes.q - there.q) <= boxes.dq + 1e-9)
    inside[np.flatnonzero(inside)[1:]] = False
    return inside


def _some(boxes: Boxes, rng: np.random.Generator, there: Boxes | None) -> Boxes:
    """At most `_KEPT` of them, which stand for all; the one that holds what happened stands for itself."""
    if len(boxes) <= _KEPT:
        return boxes
    holding = _holding(boxes, there)
    others = np.flatnonzero(~holding)
    kept = rng.choice(others, _KEPT - int(holding.sum()), replace=False)
    chosen = boxes.take(np.concatenate([np.flatnonzero(holding), kept]))
    scale = np.full(len(chosen), len(others) / len(kept))
    scale[: int(holding.sum())] = 1.0
    return replace(chosen, weight=chosen.weight * scale)


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
    evidence: Evidence,
    boxes: Boxes,
    fps: float,
    frame_count: int,
    prior: Prior,
    rng: np.random.Generator,
    there: Boxes | None,
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
    holding = np.flatnonzero(_holding(boxes, there))
    if there is not None and len(holding):
        points = _joined(points, replace(there, weight=boxes.weight[holding] / each))
    points = points.take((points.s >= 0) & (points.s + points.n * points.q <= frame_count + 1e-9))
    if evidence.anchor:  # so that each hypothesis is met once
        points = points.take(points.until(np.array([[evidence.anchor[1]]]))[:, 0] == points.k)
    # Densities: the start is uniform on what the span leaves (a span that fills the clip leaves one start, taken as
    # a quarter of a frame), F is uniform, so that q = fps / F has the density fps / q^2.
    density = 1 / np.maximum(frame_count - points.n * points.q, 0.25)
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


def _joined(first: Boxes, second: Boxes) -> Boxes:
    n, k, x, q, weight = (
        np.concatenate([getattr(part, name) for part in (first, second)])
        for name in ("n", "k", "x", "q", "weight")
    )
    return Boxes(n, k, x, q, weight)


def _batches(order: Indices) -> Iterator[Indices]:
    """The frames by and by: first few, so that what cannot be is dropped early."""
    start, size = 0, 2
    while start < len(order):
        yield order[start : start + size]
        start, size = start + size, min(2 * size, 64)
