"""What the environments have in common: actions that are checked, measures that are kept, an end that is final."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Generic, TypeVar

from lft.agents.environments.base import End, EnvironmentSpec

# pygame.gfxdraw keeps the corners of a polygon in one buffer of the process and releases the interpreter lock: pictures
# that are drawn by several threads at once have corners of each other.
PYGAME = threading.Lock()

Kept = TypeVar("Kept")  # all that changes in play, beside measures and end


class Game(Generic[Kept]):
    """The common half of an `Environment`. A subclass plays: it draws, describes and counts.

    `_measures` (name -> value, all 0 at the start) and `_end` are the subclass's to set.
    """

    def __init__(self, spec: EnvironmentSpec) -> None:
        self.spec = spec
        self._measures = dict.fromkeys(spec.measures, 0.0)
        self._end: End | None = None

    def reset(self, seed: int) -> None:
        self._measures = dict.fromkeys(self.spec.measures, 0.0)
        self._end = None
        self._start(seed)

    def step(self, action: str) -> None:
        if action not in self.spec.actions:
            raise ValueError(f"{action!r} is not in {self.spec.actions}")
        if self._end is None:
            self._play(action)

    @property
    def measures(self) -> Mapping[str, float]:
        return dict(self._measures)

    @property
    def end(self) -> End | None:
        return self._end

    def snapshot(self) -> tuple[Kept, Mapping[str, float], End | None]:
        return self._kept(), dict(self._measures), self._end

    def restore(self, snapshot: tuple[Kept, Mapping[str, float], End | None]) -> None:
        kept, measures, self._end = snapshot
        self._measures = dict(measures)
        self._take_back(kept)

    def close(self) -> None:
        """Nothing is held. (gymnasium's own `close` would end pygame for every other environment of the process.)"""

    def _start(self, seed: int) -> None:
        """Starts anew from a seed."""
        raise NotImplementedError

    def _play(self, action: str) -> None:
        """One frame under an action that there is, before the end."""
        raise NotImplementedError

    def _kept(self) -> Kept:
        """All that changes in play, beside measures and end; later play must not change it."""
        raise NotImplementedError

    def _take_back(self, kept: Kept) -> None:
        """Back to what `_kept` gave; it may be asked for again."""
        raise NotImplementedError
