"""A demonstration as pictures: what the player saw, above a strip that names the action that led to it.

The pictures follow from the decisions of a `Demonstration`, played in its environment. The picture stays unscaled; the
strip below is black, 40 pixels high, with white words: "Start State", "Step 3: Action: LEFT", and at the end a copy of
the last picture with how it ended. A second of video is one decision.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from lft.agents.environments.base import Environment, EnvironmentSpec, Picture
from lft.agents.play import begin, decide
from lft.agents.tasks import Demonstration, unrolled

STRIP = 40  # pixels
_FONT, _THICKNESS = cv2.FONT_HERSHEY_SIMPLEX, 1
_SCALES = (0.6, 0.5, 0.4, 0.35, 0.3, 0.25)
_MARGIN = 3  # pixels on either side of the words


@dataclass(frozen=True)
class Shown:
    """One picture of a demonstration.

    Attributes
    ----------
    picture : what the player saw.
    action : the decision that led to it; None at the start, and for the copy at the end.
    end : how it ended, on the copy at the end.
    state, measures : of the environment, as data.
    """

    picture: Picture
    action: str | None
    end: str | None
    state: object
    measures: Mapping[str, float]

    def words(self, step: int) -> tuple[str, ...]:
        """What stands below it, part by part, if it is picture `step` (0 is the first).

        >>> Shown(np.zeros((1, 1, 3), np.uint8), "LEFT", None, {}, {}).words(3)
        ('Step 3:', 'Action: LEFT')
        """
        if self.end:
            return (self.end,)
        return (f"Step {step}:", f"Action: {self.action}") if self.action else ("Start State",)


def played(
    demonstration: Demonstration, spec: EnvironmentSpec, make: Callable[[EnvironmentSpec], Environment]
) -> tuple[Shown, ...]:
    """All pictures of a demonstration, its environment played: the start, one a decision, the end."""
    environment = make(spec)
    try:
        begin(environment, spec, demonstration)
        shown = [_seen(environment, None)]
        for action in unrolled(demonstration.actions):
            decide(environment, spec, action)
            shown.append(_seen(environment, action))
    finally:
        environment.close()
    last = shown[-1]
    return (*shown, Shown(last.picture, None, demonstration.end, last.state, last.measures))


def captioned(picture: Picture, words: Sequence[str]) -> Picture:
    """The picture above a strip with words: on one line where there is room at a readable size, else on two."""
    height, width = picture.shape[:2]
    return np.concatenate([picture, strip(width, words)]) if height else picture


def strip(width: int, words: Sequence[str]) -> Picture:
    """A black strip of `STRIP` pixels with white words.

    >>> strip(160, ("Step 3:", "Action: LEFT")).shape
    (40, 160, 3)
    """
    black = np.zeros((STRIP, width, 3), np.uint8)
    one_line = [" ".join(words)]
    lines, scale = one_line, _scale_of(one_line, width)
    if scale < 0.4 and len(words) > 1:
        lines, scale = list(words), _scale_of(words, width)
    for number, line in enumerate(lines):
        (_, size), below = cv2.getTextSize(line, _FONT, scale, _THICKNESS)
        middle = STRIP * (2 * number + 1) // (2 * len(lines))
        place = (_MARGIN, middle + (size - below // 2) // 2)
        cv2.putText(black, line, place, _FONT, scale, (255, 255, 255), _THICKNESS, cv2.LINE_AA)
    return black


def _scale_of(lines: Sequence[str], width: int) -> float:
    """The largest size at which all lines fit; the smallest there is where none does."""
    for scale in _SCALES:
        if all(
            cv2.getTextSize(line, _FONT, scale, _THICKNESS)[0][0] <= width - 2 * _MARGIN for line in lines
        ):
            return scale
    return _SCALES[-1]


def _seen(environment: Environment, action: str | None) -> Shown:
    return Shown(environment.picture(), action, None, environment.state(), dict(environment.measures))


def video_of(pictures: Sequence[Picture]) -> bytes:
    """An H.264 file (mp4) that shows each picture for a second; the same bytes every time. Of an odd width or height,
    which H.264 has none of, a black line is added at the right or below.
    """
    from lft.core.video.writer import Format, Writer, encode, to_planes

    height, width = pictures[0].shape[:2]
    form = Format(width + width % 2, height + height % 2, 1)
    writer = Writer(form)
    groups = []
    for picture in pictures:
        opaque = np.zeros((form.height, form.width, 4), np.uint8)
        opaque[:height, :width, :3], opaque[..., 3] = picture, 255
        groups.append(writer.group(encode([to_planes(opaque)], form), [1]))
    return writer.file_of(groups)
