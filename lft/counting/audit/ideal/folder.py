"""Both bounds of every clip of a folder under one sampling policy, over several processes, kept beside the clips."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from lft.core.video.frames import Sampling
from lft.core.workers import over_processes
from lft.counting.audit.ceiling import Ceiling, ceiling_of_frames, supplied_frames
from lft.counting.audit.ideal.bound import Bounds, Ideal, ideal_of_frames, priors_of, rule_of
from lft.counting.audit.ideal.prior import Prior
from lft.counting.clips import Clip, Clips

_BATCH = 24


def bounds_in(
    clips: Clips,
    policy: Sampling,
    *,
    native_rate_hz: float | None = None,
    grid_known: bool = False,
    jobs: int = 1,
) -> list[tuple[Ceiling, Ideal | None]]:
    """(literal bound, ideal observer) of each clip, in their order; the ideal is None where a domain states no rule."""
    priors = priors_of((clip.clip_id for clip in clips), grid_known=grid_known)
    store = Bounds(priors, clips.folder)
    literals: list[Ceiling] = []
    keys: list[str | None] = []
    missing: list[tuple[Clip, str]] = []
    for clip in clips:
        frames = supplied_frames(clip.trace, policy, native_rate_hz=native_rate_hz)
        literals.append(ceiling_of_frames(clip.trace, frames))
        key = store.key(clip.trace, frames, policy.needs_moments) if rule_of(clip.trace) else None
        keys.append(key)
        if key and not store.knows(key):
            missing.append((clip, key))
    batches = [missing[i : i + _BATCH] for i in range(0, len(missing), _BATCH)]
    worker = partial(_worker, priors, policy, native_rate_hz)
    for key, ideal in over_processes(
        batches, worker, min(jobs, max(1, len(batches))), preload=("numpy", __name__)
    ):
        store.add(key, ideal)
    store.save()
    return [(literal, store.known(key) if key else None) for literal, key in zip(literals, keys, strict=True)]


def _worker(
    priors: Mapping[str, Prior], policy: Sampling, native_rate_hz: float | None
) -> Callable[[tuple[Clip, str]], tuple[str, Any]]:
    def worked_out(item: tuple[Clip, str]) -> tuple[str, Any]:
        clip, key = item
        frames = supplied_frames(clip.trace, policy, native_rate_hz=native_rate_hz)
        return key, ideal_of_frames(
            clip.trace, frames, priors[clip.spec.domain], chosen_by_events=policy.needs_moments
        )

    return worked_out
