"""Playing: from a start state by decisions, and what a picture is called.

A decision holds an action for `hold` frames and waits for the rest of `frame_skip`. An environment that has ended stays
as it is.
"""

from __future__ import annotations

import hashlib

import numpy as np

from lft.agents.environments.base import Environment, EnvironmentSpec, Picture
from lft.agents.tasks import Demonstration, Task, unrolled
from lft.core.errors import InputError


def begin(environment: Environment, spec: EnvironmentSpec, start: Task | Demonstration) -> None:
    """Brings an environment to a start state: reset, opening frames skipped, decisions replayed."""
    environment.reset(start.seed)
    for _ in range(start.skipped_frames):
        if spec.noop is None:
            raise InputError(
                f"{spec.name} has no action that waits", where=start.id, expected="skipped_frames: 0"
            )
        environment.step(spec.noop)
    for action in unrolled(start.preloaded):
        decide(environment, spec, action)


def decide(environment: Environment, spec: EnvironmentSpec, action: str) -> None:
    """One decision, by the name of its action."""
    for held in spec.frames_of(action):
        if environment.end:
            return
        environment.step(held)


def hash_of(picture: Picture) -> str:
    """SHA-256 of a picture: "HEIGHTxWIDTH:" and then its bytes, row by row.

    >>> hash_of(np.zeros((2, 2, 3), np.uint8))[:7]
    '93bb064'
    """
    size = f"{picture.shape[0]}x{picture.shape[1]}:".encode()
    return hashlib.sha256(size + np.ascontiguousarray(picture).tobytes()).hexdigest()
