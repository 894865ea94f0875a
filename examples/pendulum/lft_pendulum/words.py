"""What is asked about pendulums, and what a response may say of a crossing."""

from __future__ import annotations

import re

from lft.counting.trace import Event

QUESTION = """\
=== question
A pendulum swings about its pivot; an upright line marks the middle. Each time the bob passes from one side of the line to the other is one crossing. How many crossings happen in the video?
=== event
crossing
=== detail
the side on which the bob is afterwards
"""  # noqa: E501


def contradicts(label: str, event: Event) -> bool:
    """Whether a label names another side than the one on which the bob is afterwards.

    >>> crossed = Event(0, 1.0, 1.0, 30, "crossing", "left", "right", 1, (30, 60))
    >>> [contradicts(said, crossed) for said in ("to the left", "left to right", "from the left side", "passes")]
    [True, False, False, False]
    """
    sides = re.findall(r"\b(?<!from )(?<!from the )(left|right)\b", label.lower())
    return bool(sides) and sides[-1] != event.state_after
