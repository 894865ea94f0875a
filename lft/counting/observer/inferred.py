"""The most probable count, for who knows that events are regular: what lies between the frames is inferred.

What the supplied frames show (where the ball is, whether the lamp is lit, which state it is) is read off the pixels,
with no more than the times of the frames beside it. The count is the one that explains it best if N is uniform on
0 to 12, F uniform on 0.5 to 4 Hz and the start uniform, by the posterior of the ideal observer
(`lft.counting.audit.ideal`). That one is given the truth of each frame; here places carry an error of `_PLACE_ERROR`,
and the length of the clip and its frame rate are guessed from the frames' times.

Frames that are close together leave nothing to infer, and frames that are not evenly spaced were chosen by someone:
they are read as they are.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from lft.core.video.frames import Frames
from lft.counting.audit.ideal import regular
from lft.counting.audit.ideal.evidence import Boxes, Contact, Evidence, Pulse, Walk
from lft.counting.audit.ideal.prior import Prior
from lft.counting.domains import domain as known_domain
from lft.counting.motion import swinging
from lft.counting.observer.contacts import places_between
from lft.counting.observer.observe import Observation, Sighting, read

_CLOSE_S = 0.1  # between frames: no event passes unseen
_EVEN = 0.1  # of a step: frames that differ by more from even spacing were chosen by someone
_RATES_HZ = (30, 25, 24, 50, 60, 48, 100, 120, 240)  # frame rates of videos, the usual first
_ON_A_FRAME_S = 0.002
_PLACE_ERROR = (
    0.0025,
    0.01,
)  # of the way between the walls, one standard deviation; the second where the first fits nothing
_CUT = 4.0  # standard deviations that exclude
_KEPT, _FINE = 1500, (0.3, 0.04)  # boxes of a search for times; frames of start and of period
Floats = npt.NDArray[np.float64]


class SeenPlaces(Contact):
    """Places of a ball as pixels give them, float64 (k, n): a hypothesis is the likelier the nearer it comes to them.

    Each of the k rows is a way to read the pixels; with either wall first there are 2 k equally likely variants.
    """

    exact = False

    def __init__(
        self, seen: Floats, frames: npt.NDArray[np.intp], fps: float, frame_count: int, error: float
    ) -> None:
        resting = np.abs(seen[0] - 0.5) <= 2 * error
        super().__init__(
            [Fraction(1, 2) if rests else Fraction(x) for rests, x in zip(resting, seen[0], strict=True)],
            frames, fps, frame_count,
        )  # fmt: skip
        self.rows, self.error = np.where(resting[None, :], 0.5, seen), error

    def possible_at(self, boxes: Boxes, chosen: npt.NDArray[np.intp]) -> Floats:
        n, s, q = boxes.columns()
        phase = np.clip((self.frames[chosen][None, :] - s) / q, 0, n)
        at_end = (phase <= 0.5) | (phase >= n - 0.5)
        off = (boxes.dx + (phase + 0.5) * boxes.dq + np.where(at_end, 1.01, 0.51)) / (q - 1)
        place, off = np.abs((phase + 0.5) % 2 - 1), off + _CUT * self.error
        return np.stack([(away <= off).all(axis=1) for away in self._away(place, chosen)], axis=1).astype(
            np.float64
        )

    def likelihood_at(self, points: Boxes, chosen: npt.NDArray[np.intp]) -> Floats:
        over, under = self.places_of(points, self.frames[chosen][None, :])
        return np.stack([self._near(away) for away in self._away(over / under, chosen)], axis=1)

    def _away(self, place: Floats, chosen: npt.NDArray[np.intp]) -> list[Floats]:
        """How far places, (m, k), are from those seen, by variant."""
        return [np.abs(p - row[chosen][None, :]) for row in self.rows for p in (place, 1 - place)]

    def _near(self, away: Floats) -> Floats:
        """(m,): the product over frames of a bell curve that ends at `_CUT`."""
        away = away / self.error
        near: Floats = np.where((away <= _CUT).all(axis=-1), np.exp(-0.5 * (away**2).sum(axis=-1)), 0.0)
        return near

    def of_nothing(self) -> float:
        frames = self.frames.astype(int)
        way = swinging(self.frame_count, Fraction(1) / round(self.fps), 0)
        there = np.array([[float(way[f]) for f in frames]])
        return float(np.mean([self._near(away) for away in self._away(there, np.arange(len(frames)))]))


def infer(frames: Frames, domain: str) -> Observation:
    """The events of `domain` that explain `frames` best, if events are regular; what the frames show, where nothing can
    be inferred or nothing regular explains them.
    """
    seen, sightings = read(frames, domain)
    times_s = frames.times_s
    steps_s = np.diff(times_s)
    rule = known_domain(domain).ideal
    # A ball that one frame alone shows off the middle seems to be no ball; its place tells more.
    if (
        (seen.unfit and rule != "contact")
        or not rule
        or len(times_s) < 3
        or float(np.median(steps_s)) <= _CLOSE_S
        or _uneven(steps_s)
    ):
        return seen
    fps = _rate_hz(times_s)
    end_s = times_s[-1] + (times_s[0] if times_s[0] > 0 else float(np.median(steps_s)))
    frame_count = round(end_s * fps)
    prior = Prior()
    proved = seen.final_answer if rule != "contact" else 0  # contacts are seen by rules of their own
    for evidence in _evidence(
        frames, rule, sightings, fps, frame_count, still=seen.unfit is None and not sightings
    ):
        found = regular.posterior(evidence, prior, fps, frame_count, proved)
        if found.sum() > 0:
            count = prior.counts[int(np.argmax(found))]
            if count == seen.final_answer:
                return seen
            events_s = _times(evidence, prior, count, frame_count, fps)
            return _told(events_s, times_s, seen)
    return seen


def _uneven(steps_s: Floats) -> bool:
    usual = float(np.median(steps_s))
    return bool(np.abs(steps_s - usual).max() > max(_EVEN * usual, 0.05))


def _rate_hz(times_s: Floats) -> float:
    """The first usual frame rate at which every time is that of a frame; 30 if there is none."""
    for rate in _RATES_HZ:
        if float(np.abs(times_s * rate - np.rint(times_s * rate)).max()) <= _ON_A_FRAME_S * rate:
            return float(rate)
    return float(_RATES_HZ[0])


def _evidence(
    frames: Frames, rule: str, sightings: list[Sighting], fps: float, frame_count: int, *, still: bool
) -> list[Evidence]:
    """What the frames show, in the terms of the ideal observer; the strictest reading first."""
    # A frame supplied for a time is the one on screen then.
    indices = np.floor(frames.times_s * fps + _ON_A_FRAME_S * fps).astype(np.intp)
    if rule == "pulse":
        lit = np.zeros(len(frames), dtype=bool)
        for sighting in sightings:
            lit[sighting.evidence[0] : sighting.evidence[1] + 1] = True
        return [Pulse(lit, indices, fps)]
    if rule == "walk":
        names = np.zeros(len(frames), dtype=np.intp)
        words: dict[str | None, int] = {}
        for sighting in sightings:
            words.setdefault(sighting.before, len(words))
            names[sighting.position :] = words.setdefault(sighting.after, len(words))
        return [Walk(names, indices)]
    places = places_between(frames)
    if places is None:
        # A ball that is never seen to move rests mid-way.
        places = np.full((int(still), len(frames)), 0.5)
    if not len(places):
        return []
    there = ~np.isnan(places[0])
    # Once is enough of a frame that is supplied twice.
    which = np.flatnonzero(there)[np.unique(indices[there], return_index=True)[1]]
    return [SeenPlaces(places[:, which], indices[which], fps, frame_count, error) for error in _PLACE_ERROR]


def _times(evidence: Evidence, prior: Prior, count: int, frame_count: int, fps: float) -> list[float]:
    """When `count` regular events happened, seconds, by the likeliest start and period."""
    if not count:
        return []
    low, high = fps / prior.rates_hz[-1], min(fps / prior.rates_hz[0], frame_count / count)
    dx, dq = 4.0, (high - low) / 16 / 2
    s, q = np.meshgrid(np.arange(dx, frame_count, 2 * dx), low + dq * np.arange(1, 32, 2), indexing="ij")
    same = np.full(s.size, float(count))
    boxes = Boxes(same, np.full(s.size, 0.5), s.ravel(), q.ravel(), np.ones(s.size), dx, dq)
    rng = np.random.default_rng(0)
    while len(boxes):
        boxes = boxes.take(evidence.possible(boxes))
        fits = boxes.x + count * boxes.q <= frame_count + boxes.dx + count * boxes.dq
        boxes = boxes.take(fits)
        if len(boxes) > _KEPT:
            boxes = boxes.take(np.sort(rng.choice(len(boxes), _KEPT, replace=False)))
        if not len(boxes) or (boxes.dx <= _FINE[0] and boxes.dq <= _FINE[1]):
            break
        boxes = _quarters(boxes)
    if not len(boxes):
        return []
    likely = evidence.likelihood(replace(boxes, dx=0.0, dq=0.0)).max(axis=1)
    # The middle one of those that are the likeliest.
    best = np.flatnonzero(likely >= likely.max() * (1 - 1e-9))
    chosen = boxes.take(best[[len(best) // 2]])
    return [float((chosen.x[0] + (i + 0.5) * chosen.q[0]) / fps) for i in range(count)]


def _quarters(boxes: Boxes) -> Boxes:
    parts = [
        replace(
            boxes,
            x=boxes.x + a * boxes.dx / 2,
            q=boxes.q + b * boxes.dq / 2,
            dx=boxes.dx / 2,
            dq=boxes.dq / 2,
        )
        for a in (-1, 1)
        for b in (-1, 1)
    ]

    def joined(name: str) -> Floats:
        return np.concatenate([getattr(part, name) for part in parts])

    n, k, x, q, weight = map(joined, ("n", "k", "x", "q", "weight"))
    return Boxes(n, k, x, q, weight, boxes.dx / 2, boxes.dq / 2)


def _told(events_s: list[float], times_s: Floats, seen: Observation) -> Observation:
    """Inferred events as an observation: each with the nearest frame, and the label of what was seen there, if any."""
    known = dict(zip(seen.positions, seen.labels, strict=True))
    nearest = [int(np.argmin(np.abs(times_s - time_s))) for time_s in events_s]
    labels = tuple(known.get(position, "inferred") for position in nearest)
    return Observation(tuple(events_s), labels, tuple(nearest), len(events_s))
