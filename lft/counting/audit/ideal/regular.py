"""P(what the frames show | N) for regular events: an integral over start and period.

What a frame shows depends on (N, s, q) alone. First, hypotheses drawn from the prior, the same for every clip under one
policy, are held against the frames. Where too few of them agree, the frames tell much, and the plane of s and q is
searched: boxes that cannot agree are dropped, the others are cut in four, until one count alone is left, or until
enough of the points drawn in them agree. Where more boxes are left than are kept, a random part of them stands for
all. The error is that of a share of at least `ENOUGH` hypotheses that agree, 0.04 at most in one standard error, where
no box was given up. What happened is always among the hypotheses: its box is kept, and it is one of the points there,
with the weight of any other.
"""

from __future__ import annotations

import math
from dataclasses import replace
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from lft.counting.audit.ideal import listed
from lft.counting.audit.ideal.evidence import Boxes, Contact, Evidence, Floats
from lft.counting.audit.ideal.prior import Prior
from lft.counting.trace import Trace

DRAWN = 1 << 19  # hypotheses that are drawn from the prior
ENOUGH = 150  # hypotheses that agree, at least, of equal weights or worth as much
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
    if not isinstance(evidence, Contact):
        agreeing = listed.agreeing(evidence, _drawn, prior, fps, frame_count)
        if _worth(agreeing.weight) >= ENOUGH:
            np.add.at(found, np.searchsorted(counts, agreeing.n), agreeing.weight)
            if counts[0] == 0:  # as likely as each other count, of those that were drawn
                found[0] = evidence.of_nothing() * DRAWN / len(counts)
            return found
    nothing = evidence.of_nothing() if counts[0] == 0 else 0.0
    there = None if nothing else _as_box(evidence, truth)
    points = _searched(evidence, prior, fps, frame_count, least, np.random.default_rng(seed), there)
    np.add.at(found, np.searchsorted(counts, points.n), points.weight)
    found[0] += nothing
    return found


def _worth(weights: Floats) -> float:
    """How many equal weights would tell as much."""
    return float(weights.sum() ** 2 / (weights**2).sum()) if weights.any() else 0.0


@lru_cache(maxsize=4)
def _drawn(prior: Prior, fps: float, frame_count: int) -> Boxes:
    """Hypotheses from the prior, spread evenly, equal weights; those without events are not among them."""
    # Multiples of powers of 1 / g, where g^4 = g + 1, spread evenly in three dimensions.
    g = 1.2207440846057596
    u = (0.5 + np.outer(np.arange(1, DRAWN + 1), g ** -np.arange(1.0, 4.0))) % 1
    n = np.array(prior.counts, dtype=np.float64)[(u[:, 0] * len(prior.counts)).astype(int)]
    rate = prior.rates_hz[0] + u[:, 1] * (prior.rates_hz[-1] - prior.rates_hz[0])
    q = fps / rate
    fits = (n > 0) & (n * q <= frame_count + 1e-9)
    starts = u[:, 2] * np.maximum(frame_count - n * q, 0)
    return Boxes(n, np.full(DRAWN, 0.5), starts, q, np.ones(DRAWN)).take(fits)


def _searched(
    evidence: Evidence,
    prior: Prior,
    fps: float,
    frame_count: int,
    least: int,
    rng: np.random.Generator,
    there: Boxes | None,
) -> Boxes:
    """Hypotheses that agree, whose weights add up to P(what the frames show | N)."""
    boxes = _first(evidence, prior, fps, frame_count, least)
    while True:
        boxes = _within(evidence, boxes, frame_count)
        boxes = boxes.take(evidence.possible(boxes))
        if not len(boxes):
            return boxes
        if there is not None and (boxes.n == there.n).all():  # no other count agrees, and this one does
            return there
        fine = boxes.dx <= _FINE[0] and boxes.dq <= _FINE[1]
        if fine or (
            len(boxes) > _KEPT and not isinstance(evidence, Contact)
        ):  # places agree in small boxes only
            points = _tried(evidence, boxes, fps, frame_count, prior, rng, there)
            if _worth(points.weight) >= ENOUGH or boxes.dx <= _FINEST:
                return points
        boxes = _cut(_some(boxes, rng, there))


def _first(evidence: Evidence, prior: Prior, fps: float, frame_count: int, least: int) -> Boxes:
    """Boxes that together hold everything that the prior may draw, and of each hypothesis one that does."""
    low, high = fps / prior.rates_hz[-1], fps / prior.rates_hz[0]
    counts = [n for n in prior.counts if n >= max(1, least)]
    if isinstance(evidence, Contact) and evidence.told:
        ways = [(n, *way) for n in counts for way in evidence.legs(n, high + 1) if way[2] >= low - 1]
        n, k, x, leg = np.array([(way,) * 8 for way in ways], dtype=np.float64).reshape(-1, 4).T
        q = leg + np.tile(
            np.arange(-7, 8, 2) / 8, len(ways)
        )  # two contacts a leg apart: the period is within a frame
        return Boxes(n, k, x, q, np.full(n.size, 0.25), 0.5, 0.125)
    left, right = (
        (evidence.anchor[0], evidence.anchor[1] + 0.5) if evidence.anchor else (0.0, float(frame_count))
    )
    across = max(1, math.ceil((right - left) / _COARSE[0]))
    along = max(1, math.ceil((high - low) / _COARSE[1]))
    dx, dq = (right - left) / across / 2, (high - low) / along / 2
    which = [(n, k) for n in counts for k in (range(1, n + 1) if evidence.anchor else (0.5,))]
    i, x, q = np.meshgrid(
        np.arange(len(which)),
        left + (np.arange(across) * 2 + 1) * dx,
        low + (np.arange(along) * 2 + 1) * dq,
        indexing="ij",
    )
    n, k = np.array(which, dtype=np.float64)[i.ravel()].T
    return Boxes(n, k, x.ravel(), q.ravel(), np.full(n.size, 4 * dx * dq), dx, dq)


def _as_box(evidence: Evidence, truth: Truth | None) -> Boxes | None:
    """What happened, as a hypothesis: k and x as the boxes of a search have them."""
    if truth is None:
        return None
    n, s, q = (np.array([value]) for value in truth)
    point = Boxes(n, np.full(1, 0.5), s, q, np.ones(1))
    if evidence.anchor:
        k = _latest(point, evidence.anchor[1])
        point = replace(point, k=k, x=s + (k - 0.5) * q)
    return point


def _latest(points: Boxes, frame: float) -> Floats:
    """(m,): which event is the latest up to a frame; before all of them the first."""
    latest: Floats = np.maximum(1.0, points.until(np.array([[frame]]))[:, 0])
    return latest


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
    x = points.x + rng.uniform(-1, 1, len(points)) * boxes.dx
    q = points.q + rng.uniform(-1, 1, len(points)) * boxes.dq
    if there is not None:  # one of the points of its box, with no more weight than the others
        first = np.flatnonzero(_holding(boxes, there)) * each
        x[first], q[first] = there.x, there.q
    points = replace(points, x=x, q=q, weight=points.weight / each, dx=0.0, dq=0.0)
    fits = (points.s >= 0) & (points.s + points.n * points.q <= frame_count + 1e-9)
    points = points.take(
        fits & (points.q >= fps / prior.rates_hz[-1] - 1e-9) & (points.q <= fps / prior.rates_hz[0] + 1e-9)
    )
    if evidence.anchor:  # so that each hypothesis is met once
        points = points.take(_latest(points, evidence.anchor[1]) == points.k)
    # Densities: the start is uniform on what the span leaves (a span that fills the clip leaves one start, taken as
    # a quarter of a frame), F is uniform, so that q = fps / F has the density fps / q^2.
    density = 1 / np.maximum(frame_count - points.n * points.q, 0.25)
    density *= fps / points.q**2 / (prior.rates_hz[-1] - prior.rates_hz[0])
    points = replace(points, weight=points.weight * density * evidence.likelihood(points).mean(axis=1))
    return points.take(points.weight > 0)
