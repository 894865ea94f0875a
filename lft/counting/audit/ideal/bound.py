"""The ideal observer's count: the most probable N, given exactly what the supplied frames show and a stated prior.

No reader can distinguish two clips with equal supplied frames; the rest is the prior
(`lft.counting.audit.ideal.prior`). No observer with this knowledge is right more often, on average over clips from
the prior. If the grid is known, the prior is the distribution of the clips, so no reader of any kind
is right more often on average. This bound is called the ceiling.

Bounds are cached beside the clips, in bounds.jsonl, by a digest of their inputs.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from lft.core.records import Entries, Line
from lft.core.video.frames import Sampling
from lft.counting.audit.ceiling import ceiling_of_frames
from lft.counting.audit.ideal.prior import Prior
from lft.counting.domains import DOMAINS
from lft.counting.trace import Trace

VERSION = 4  # of how bounds are worked out; raised whenever one may come out otherwise
FILE = "bounds.jsonl"
Indices = npt.NDArray[np.intp]
_STATED = Prior()


@dataclass(frozen=True)
class Ideal:
    """The ideal observer's answer about one clip: the count and its probability, 0 to 1, under the prior."""

    answer: int
    probability: float


def rule_of(trace: Trace) -> str | None:
    """The evidence rule of a domain's ideal observer; None if the domain has none."""
    known = DOMAINS.get(trace.spec.domain)
    return known.ideal or None if known is not None and trace.spec.regular else None


def ideal_of_frames(
    trace: Trace, frames: Indices, prior: Prior | None = None, *, chosen_by_events: bool = False
) -> Ideal | None:
    """The ideal observer of a clip, given which frames were supplied (increasing indices).

    `chosen_by_events`: the frames are those around the events, and the observer knows it. None for a domain
    without a rule (`rule_of`).
    """
    rule = rule_of(trace)
    if rule is None:
        return None
    prior = prior or _STATED
    literal = ceiling_of_frames(trace, frames)
    if literal.correct and (
        chosen_by_events or (trace.events and _nothing_hides(trace, frames, rule, prior))
    ):
        return Ideal(trace.spec.count, 1.0)
    return _probable(trace, frames, rule, prior, literal.count)


def _probable(trace: Trace, frames: Indices, rule: str, prior: Prior, least: int) -> Ideal:
    from lft.counting.audit.ideal import free, listed, regular
    from lft.counting.audit.ideal.evidence import evidence_of

    evidence = evidence_of(trace, frames, rule)
    if trace.spec.schedule == "regular" and prior.grid_known:
        found = listed.posterior(evidence, prior, trace.fps, trace.frame_count)
    elif trace.spec.schedule == "regular":
        found = regular.posterior(
            evidence, prior, trace.fps, trace.frame_count, least, regular.truth_of(trace)
        )
    else:
        found = free.posterior(evidence, prior, trace.spec.schedule, trace.fps, trace.frame_count, least)
    total = float(found.sum())
    if (
        not total
    ):  # the prior excludes what happened, or the search met none of it: what is seen is what there is
        return Ideal(least, 0.0)
    best = int(np.argmax(found))
    return Ideal(prior.counts[best], float(found[best]) / total)


def _nothing_hides(trace: Trace, frames: Indices, rule: str, prior: Prior) -> bool:
    """Whether frames are so close that each event leaves a mark of its own, whatever the prior may draw."""
    from lft.counting import spacing
    from lft.counting.audit.ideal.evidence import on_frames

    if trace.spec.schedule == "regular":
        period = trace.fps / prior.rates_hz[-1]
        gap, on = int(period), int(on_frames(np.array([period]), trace.fps)[0])
        first, last = period / 2 + 0.5, trace.frame_count - period / 2 + 0.5
    else:
        gap, on = spacing.least_gap(trace.fps), spacing.pulse(trace.fps)
        first, last = spacing.room(trace.fps, trace.frame_count)
    if not len(frames) or frames[0] >= int(first) or frames[-1] < int(last):
        return False
    # A frame in each pulse and in each pause; three or more on each way of the ball; one event between two frames.
    needed = {"pulse": min(on, gap - on), "contact": min(2, gap // 2), "walk": gap}[rule]
    return bool(np.diff(frames).max(initial=0) <= needed)


class Bounds:
    """Ideal observers of clips under the prior of their domain; cached in `folder`, if it is writable."""

    def __init__(self, priors: Mapping[str, Prior], folder: Path | None = None) -> None:
        self._priors = priors
        self._path = folder / FILE if folder else None
        self._known = dict(_stored(self._path)) if self._path else {}
        self._new: dict[str, Ideal] = {}

    def prior(self, trace: Trace) -> Prior:
        """The prior of a clip."""
        return self._priors.get(trace.spec.domain, _STATED)

    def of(self, trace: Trace, frames: Indices, *, chosen_by_events: bool = False) -> Ideal | None:
        """As `ideal_of_frames`."""
        if rule_of(trace) is None:
            return None
        key = self.key(trace, frames, chosen_by_events)
        if key not in self._known:
            found = ideal_of_frames(trace, frames, self.prior(trace), chosen_by_events=chosen_by_events)
            assert found is not None
            self.add(key, found)
        return self._known[key]

    def key(self, trace: Trace, frames: Indices, chosen_by_events: bool) -> str:
        """A digest of everything that the bound depends on."""
        spec = trace.spec
        events = [(e.frame_index, *e.evidence_frames, e.state_before == e.state_after) for e in trace.events]
        states = [e.state_after for e in trace.events] if rule_of(trace) == "walk" else []
        said = [VERSION, rule_of(trace), getattr(spec, "schedule", ""), spec.count, spec.frequency_hz, trace.fps,
                trace.frame_count, events, states, chosen_by_events, repr(self.prior(trace))]  # fmt: skip
        digest = hashlib.sha256(json.dumps(said).encode())
        digest.update(np.ascontiguousarray(frames, dtype="<i8").tobytes())
        return digest.hexdigest()[:32]

    def add(self, key: str, found: Ideal) -> None:
        """Adds a bound that was computed elsewhere."""
        self._known[key] = self._new[key] = found

    def known(self, key: str) -> Ideal:
        """A cached bound, or None."""
        return self._known[key]

    def knows(self, key: str) -> bool:
        """Whether a bound is cached or not defined."""
        return key in self._known

    def save(self) -> None:
        """Writes new bounds; ignored if the folder is not writable."""
        if self._path is None or not self._new:
            return
        lines = [
            json.dumps({"key": k, "n": x.answer, "p": round(x.probability, 6)}) for k, x in self._new.items()
        ]
        with contextlib.suppress(OSError), open(self._path, "a", encoding="utf-8") as file:
            file.write("".join(f"{line}\n" for line in lines))
        self._new = {}


def _stored(path: Path) -> Iterable[tuple[str, Ideal]]:
    """Bounds in the cache file; invalid lines are ignored."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
    except (OSError, UnicodeError):
        return
    for line in lines:
        try:
            entry = json.loads(line)
            yield str(entry["key"]), Ideal(int(entry["n"]), float(entry["p"]))
        except (ValueError, KeyError, TypeError):
            continue


def priors_of(clip_ids: Iterable[str], *, grid_known: bool = False) -> dict[str, Prior]:
    """domain -> the prior for these clips; see `Prior.of`.

    >>> priors_of(["blinking/n03_f1.5_s07", "blinking/n03_f1.5_s08"], grid_known=True)["blinking"].cells
    ((3, 1.5, 1),)
    """
    from lft.counting.spec import parse_clip_id

    cells: dict[str, list[tuple[int, float]]] = {}
    for clip_id in clip_ids:
        domain, n, f, _ = parse_clip_id(str(clip_id))
        if domain in DOMAINS:
            cells.setdefault(domain, []).append((n, f))
    return {domain: Prior.of(there, grid_known=grid_known) for domain, there in cells.items()}


def ideals_of(
    trace_of: Callable[[str], Trace],
    frames_of: Callable[[Entries, Line | None], Indices | None],
    bounds: Bounds,
) -> Callable[[Entries, Line | None], Ideal | None]:
    """A function (row, response line or None) -> the ideal observer, None where frames or rule are not known."""
    known: dict[tuple[str, str], Ideal | None] = {}

    def of(row: Entries, line: Line | None) -> Ideal | None:
        frames = frames_of(row, line)
        if frames is None:
            return None
        place = (
            str(row["clip"]),
            frames.tobytes().hex() if row["sampling"] == "unknown" else str(row["sampling"]),
        )
        if place not in known:
            kind = str(row["sampling"]).partition(":")[0]
            aimed = kind == "keyframes" and Sampling.parse(str(row["sampling"])).needs_moments
            known[place] = bounds.of(trace_of(str(row["clip"])), frames, chosen_by_events=aimed)
        return known[place]

    return of
