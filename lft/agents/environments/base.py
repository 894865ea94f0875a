"""What an environment is to the suite. One file per family builds them; nothing else imports their packages.

A *frame* is one step of the environment itself. A *decision* of the suite holds an action for some frames and then
waits: that is the suite's business (`lft.agents.episode`), not the environment's.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from lft.core.errors import InputError
from lft.core.records import Entries

End = Literal["victory", "terminated", "draw"]
Picture = NDArray[np.uint8]


class Environment(Protocol):
    """One environment, live. Everything that it does follows from the seed and the actions.

    A fresh instance, or one that was reset, with the same seed and the same actions goes through the same pictures and
    states, in this and in every other process.
    """

    def reset(self, seed: int) -> None:
        """Starts anew."""
        ...

    def step(self, action: str) -> None:
        """One frame under an action, by its name in `EnvironmentSpec.actions`. Does nothing once `end` is set."""
        ...

    def picture(self) -> Picture:
        """What a player sees: shape (height, width, 3), RGB, unscaled. A copy."""
        ...

    def state(self) -> Entries:
        """The state that matters to a player, as small JSON data: equal states have equal data."""
        ...

    def words(self) -> str:
        """The state in words, one short sentence per fact. No advice."""
        ...

    @property
    def measures(self) -> Mapping[str, float]:
        """What tasks are scored on, such as {"score": 30.0, "reached": 0.0, "lives": 3.0}: see `EnvironmentSpec`."""
        ...

    @property
    def end(self) -> End | None:
        """How the environment itself has ended, or None."""
        ...

    def expert(self) -> str:
        """The action that the expert takes now. It may search on a copy; the environment stays as it is."""
        ...

    def snapshot(self) -> Any:
        """The whole state, opaque, for `restore` on an instance of the same environment in the same process."""
        ...

    def restore(self, snapshot: Any) -> None:
        """Back to a snapshot."""
        ...

    def close(self) -> None:
        """Lets go of what it holds."""
        ...


@dataclass(frozen=True)
class EnvironmentSpec:
    """One of the environments of the suite.

    Attributes
    ----------
    name : such as "cliff_walking"; in tasks, sweeps and tables.
    title : as a person says it, and as the model is told.
    family : "toy text", "classic control", "minigrid", "highway", "flappy bird", "atari", "procgen".
    place : "module:callable" of what makes a live `Environment` from this spec.
    actions : names as the model writes them, upper case.
    noop : the action that waits, or None where there is none (an action is then held for the whole decision).
    rules : "basic" only says what no picture shows; "detailed" all that a player needs.
    measures : name -> what it counts, in a few words, for each of `Environment.measures`.
    frame_skip : frames per decision.
    hold : frames for which a decision's action is held (1..frame_skip); noop after.
    decisions : the most decisions of a task, at most 100.
    memory : "single" if one picture is enough to act well, "several" if not (declared; measured by
        `lft tasks --check`).
    dynamics : "static" or "dynamic" (moves by itself under noop).
    options : what `place` needs to know, such as {"rom": "freeway"}.
    why : why it is in the set, by the six criteria, one sentence.
    """

    name: str
    title: str
    family: str
    place: str
    actions: tuple[str, ...]
    noop: str | None
    rules: Mapping[str, str]
    measures: Mapping[str, str]
    frame_skip: int
    hold: int
    decisions: int
    memory: Literal["single", "several"]
    dynamics: Literal["static", "dynamic"]
    options: Entries = field(default_factory=dict)
    why: str = ""

    def frames_of(self, action: str) -> tuple[str, ...]:
        """The action of each frame of a decision: held, then waiting.

        >>> from lft.agents.environments.registry import get
        >>> get("flappy_bird").frames_of("FLAP")
        ('FLAP', 'NOOP', 'NOOP', 'NOOP')
        """
        wait = action if self.noop is None else self.noop
        return (action,) * self.hold + (wait,) * (self.frame_skip - self.hold)


class NotInstalled(InputError):
    """The packages of the environments are not there; the message says what to install."""
