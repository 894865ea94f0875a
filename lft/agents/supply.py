"""What a model is shown of demonstrations under a condition: pictures with their words, as images or as video files.

The controls change one thing at a time. `shuffled` and `reversed` keep each picture with the action that led to it, and
number them anew; `uncaptioned` leaves the strip empty; `captions` leaves the picture black; `other` are demonstrations of
an environment of another family.
"""  # noqa: E501

from __future__ import annotations

import hashlib
import random
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np

from lft.agents.clips import Shown, captioned, played, strip, video_of
from lft.agents.environments.base import Environment, EnvironmentSpec, Picture
from lft.agents.tasks import Demonstration, Task
from lft.core.errors import InputError
from lft.core.files import replacing
from lft.core.requests import Images, Video
from lft.core.video.frames import Packed
from lft.core.video.media import Media

CACHE = Path("results/demonstrations/cache")  # of video files, by their content
_MOST_KEPT = 64  # demonstrations whose pictures stay in memory, compressed

Make = Callable[[EnvironmentSpec], Environment]
SpecOf = Callable[[str], EnvironmentSpec]


class Supply:
    """Demonstrations as parts of a request. Each is played once, and shared by all trials of a sweep."""

    def __init__(self, known: Mapping[str, Demonstration], spec_of: SpecOf, make: Make) -> None:
        self._known, self._spec_of, self._make = known, spec_of, make
        self._lock = threading.Lock()
        self._packed: dict[tuple[str, str], Packed] = {}

    def clips_of(self, task: Task, demonstrations: str) -> tuple[Demonstration, ...]:
        """The demonstrations that belong to a task under a condition."""
        if demonstrations == "none":
            return ()
        if demonstrations != "other":
            return tuple(self._known[clip] for clip in task.clips)
        family = self._spec_of(task.environment).family
        others: dict[str, list[Demonstration]] = {}
        for one in self._known.values():
            if self._spec_of(one.environment).family != family:
                others.setdefault(one.environment, []).append(one)
        if not others:
            what = "there are no demonstrations of another family of environments"
            raise InputError(what, where=task.id, expected="demonstrations other than `other`")
        names = sorted(others)
        chosen = names[_number(task.environment) % len(names)]
        return tuple((others[chosen] * len(task.clips))[: len(task.clips)])

    def frames(self, task: Task, demonstrations: str) -> int:
        """How many pictures a task's demonstrations have under a condition."""
        return sum(one.frames for one in self.clips_of(task, demonstrations))

    def parts(self, task: Task, demonstrations: str, given: str) -> list[Images | Video]:
        """One part for each demonstration of a task."""
        clips = self.clips_of(task, demonstrations)
        packed = [self._pack(one, demonstrations) for one in clips]
        if given == "video":
            return [Video(Media.open(_file(one)), purpose="demonstration") for one in packed]
        return [Images(one.frames(), purpose="demonstration") for one in packed]

    def _pack(self, one: Demonstration, demonstrations: str) -> Packed:
        with self._lock:
            name = (one.id, demonstrations)
            if name not in self._packed:
                shown = played(one, self._spec_of(one.environment), self._make)
                while len(self._packed) >= _MOST_KEPT:
                    del self._packed[next(iter(self._packed))]
                self._packed[name] = Packed.of(pictures_of(shown, demonstrations, seed=one.id))
            return self._packed[name]


def pictures_of(shown: Sequence[Shown], demonstrations: str, *, seed: str) -> list[Picture]:
    """The pictures of a demonstration, with their words, under a condition; `seed` decides how they are shuffled."""
    order = list(range(len(shown)))
    if demonstrations == "shuffled":
        random.Random(f"shuffled {seed}").shuffle(order)
    elif demonstrations == "reversed":
        order.reverse()
    found = []
    for step, index in enumerate(order):
        one = shown[index]
        words = one.words(step)
        if demonstrations == "uncaptioned":
            words = ("",)
        picture = np.zeros_like(one.picture) if demonstrations == "captions" else one.picture
        found.append(captioned(picture, words))
    return found


def action_below(picture: Picture, step: int, actions: Sequence[str]) -> str | None:
    """The action that the words below a picture name, read from the pixels; None if they name none.

    >>> from lft.agents.clips import captioned
    >>> action_below(captioned(np.zeros((50, 160, 3), np.uint8), ("Step 3:", "Action: LEFT")), 3, ("UP", "LEFT"))
    'LEFT'
    """
    from lft.agents.clips import STRIP

    below = picture[-STRIP:]
    for action in actions:
        if np.array_equal(below, strip(picture.shape[1], (f"Step {step}:", f"Action: {action}"))):
            return action
    return None


def _file(packed: Packed) -> Path:
    """A video file of pictures, written once."""
    name = hashlib.sha256(b"".join(packed.names)).hexdigest()[:32]
    path = CACHE / f"{name}.mp4"
    if not path.exists():
        data = video_of([picture for _, picture in packed.pictures(range(len(packed.data)))])
        with replacing(path) as temporary:
            temporary.write_bytes(data)
    return path


def _number(text: str) -> int:
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big")
