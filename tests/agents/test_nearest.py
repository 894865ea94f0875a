"""`nearest` on pictures of a dot: what it follows is worked out by hand."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from lft.agents.clips import captioned
from lft.agents.embedded import Nearest
from lft.agents.environments.base import Picture
from lft.agents.tasks import tasks
from lft.core.models import ModelSpec
from lft.core.requests import Images, Request, user
from lft.core.video.frames import Packed

TASK = tasks()["cart_pole/base"]  # its actions are LEFT and RIGHT


def dot(place: int) -> Picture:
    picture = np.zeros((84, 168, 3), np.uint8)
    picture[40:48, 12 * place : 12 * place + 12] = 255
    return picture


def images(pictures: Sequence[Picture], purpose: str) -> Images:
    return Images(Packed.of(pictures).frames(), purpose=purpose)  # type: ignore[arg-type]


def demonstration(places: Sequence[int], actions: Sequence[str]) -> Images:
    words = [("Start State",), *((f"Step {n}:", f"Action: {a}") for n, a in enumerate(actions, start=1))]
    shown = [captioned(dot(place), said) for place, said in zip(places, words, strict=True)]
    return images([*shown, captioned(dot(places[-1]), ("Victory",))], "demonstration")


def choice(agent: Nearest, shown: Images, seen: Sequence[int]) -> str:
    parts = [shown, *(images([dot(place)], "observation") for place in seen)]
    request = Request(
        [user(*parts)], key={"task": TASK.id}, task={"suite": "agents"}, kept={"step": len(seen)}
    )
    return agent.choose(request, TASK, len(seen))


@pytest.fixture
def agent() -> Nearest:
    return Nearest(ModelSpec("nearest", "", {}), tasks={TASK.id: TASK})


def test_the_way_it_came_decides_between_equal_pictures(agent: Nearest) -> None:
    # The dot goes to the right over 2 and comes back over 2: after 1, 2 comes RIGHT, after 3, 2 comes LEFT. With one
    # picture alone both places are equally near, and the earlier one would always win.
    there_and_back = demonstration([1, 2, 3, 2, 1], ["RIGHT", "RIGHT", "LEFT", "LEFT"])
    assert choice(agent, there_and_back, [1, 2]) == "RIGHT"
    assert choice(agent, there_and_back, [3, 2]) == "LEFT"
    assert choice(agent, there_and_back, [2]) == "RIGHT"


def test_what_led_back_to_the_same_picture_is_not_followed_again(agent: Nearest) -> None:
    # Seen is 2 all the time. Two dots apart are d from each other. First the second place (RIGHT) is at 0. Then,
    # with the picture before, the first place is (d + d) / 2 off, the third (d + 0) / 2: LEFT of the third, then of
    # the first. With all three used up it begins anew: the second and the third, d / 2, are equal, the earlier counts.
    shown = demonstration([1, 2, 3, 2], ["LEFT", "RIGHT", "LEFT"])
    assert [choice(agent, shown, [2] * steps) for steps in (1, 2, 3, 4)] == ["RIGHT", "LEFT", "LEFT", "RIGHT"]


def test_without_words_below_it_cannot_play(agent: Nearest) -> None:
    from lft.core.requests import NotApplicable

    shown = images([captioned(dot(1), ("",)), captioned(dot(2), ("",))], "demonstration")
    with pytest.raises(NotApplicable, match="with the words below them"):
        choice(agent, shown, [1])
