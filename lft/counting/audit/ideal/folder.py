"""Bounds of every clip of a folder under one sampling policy, over several processes, kept beside the clips."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from lft.core.video.frames import Sampling
from lft.core.workers import over_processes
from lft.counting.audit.ceiling import Ceiling, can_be_told, ceiling_of_frames, supplied_frames
from lft.counting.audit.ideal.bound import Bounds, Ideal, ideal_of_frames, priors_of, rule_of
from lft.counting.audit.ideal.prior import Prior
from lft.counting.clips import Clip, Clips

_BATCH = 48
_Item = tuple[Clip, str, Prior]  # a clip, the digest of a bound of it, what is known before


def bounds_in(
    clips: Clips, policy: Sampling, *, native_rate_hz: float | None = None, jobs: int = 1
) -> Iterator[tuple[Ceiling | None, Ideal | None, Ideal | None]]:
    """The literal bound of each clip, the ideal observer of the stated prior and the one who knows the grid, in the
    clips' order. The first is None if it is unknown how long an event is visible, the last two if a domain has no
    rule.
    """
    ids = [clip.clip_id for clip in clips]
    stated = Bounds(priors_of(ids), clips.folder)
    known = Bounds(priors_of(ids, grid_known=True), clips.folder)
    literals: list[Ceiling | None] = []
    keys: list[tuple[str, str] | None] = []
    missing: dict[bool, list[_Item]] = {False: [], True: []}
    for clip in clips:
        frames = supplied_frames(clip.trace, policy, native_rate_hz=native_rate_hz)
        told = can_be_told(clip.trace, frames)
        literals.append(ceiling_of_frames(clip.trace, frames) if told else None)
        if rule_of(clip.trace) is None:
            keys.append(None)
            continue
        of_clip = [store.key(clip.trace, frames, policy.needs_moments) for store in (stated, known)]
        keys.append((of_clip[0], of_clip[1]))
        for store, key in zip((stated, known), of_clip, strict=True):
            if not store.knows(key):
                missing[store is known].append((clip, key, store.prior(clip.trace)))
    batches = [some[i : i + _BATCH] for some in missing.values() for i in range(0, len(some), _BATCH)]
    worker = partial(_worker, policy, native_rate_hz)
    of_stated = {key for _, key, _ in missing[False]}
    for key, ideal in over_processes(
        batches, worker, min(jobs, max(1, len(batches))), preload=("numpy", __name__)
    ):
        (stated if key in of_stated else known).add(key, ideal)
    stated.save()
    known.save()
    for literal, of_both in zip(literals, keys, strict=True):
        yield (
            (literal, stated.known(of_both[0]), known.known(of_both[1])) if of_both else (literal, None, None)
        )


def _worker(policy: Sampling, native_rate_hz: float | None) -> Callable[[_Item], tuple[str, Ideal]]:
    def worked_out(item: _Item) -> tuple[str, Ideal]:
        clip, key, prior = item
        frames = supplied_frames(clip.trace, policy, native_rate_hz=native_rate_hz)
        found = ideal_of_frames(clip.trace, frames, prior, chosen_by_events=policy.needs_moments)
        assert found is not None  # its domain states a rule
        return key, found

    return worked_out
