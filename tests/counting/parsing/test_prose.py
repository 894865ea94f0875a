"""Prose: which clause of a sentence is an event, and what a clause without a verb takes from its neighbours."""

from __future__ import annotations

import pytest

from lft.counting.parse import parse
from lft.counting.reported import Reported


def in_doubt(text: str) -> bool:
    result = parse(text)
    return any(doubt.of_the_events for doubt in result.doubts)


def times_s(text: str) -> list[float]:
    result = parse(text)
    return list(result.times_s) if isinstance(result, Reported) else []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # The verb of the first clause holds for the places behind it.
        ("The ball hits the left wall at 2 s, the right one at 4 s and the left one at 6 s.", [2, 4, 6]),
        # ... also where it comes last, as in Japanese,
        ("ボールは2秒で左の壁に、4秒で右の壁に当たります。", [2, 4]),
        # ... or stands in the sentence before, which has no time of its own.
        ("It touches a wall only once. That happens at 2.2 s.", [2.2]),
        # A clause with a verb of its own takes nothing: it says where the ball is.
        ("The ball hits the left wall at 2 s. At 3 s it is in the middle.", [2]),
        # After such a remark a place goes on with the event, a mere "again" does not.
        ("The ball hits the left wall at 2 s. At 3 s it is in the middle. At 4 s, the right wall.", [2, 4]),
        # A denied event is denied for what goes on from it.
        ("At 2 s there is no contact, and at 4 s neither.", []),
        # Nothing goes on from a heading that asks.
        ("The star flashes when? At 5 s it is dark.", []),
    ],
)
def test_a_clause_without_a_verb(text: str, expected: list[float]) -> None:
    assert times_s(text) == expected or in_doubt(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # What ends at the time is a state; what comes behind "when" happens then.
        ("A stays lit until 5 s, when B takes over.", [5]),
        ("A stays lit until 5 s.", []),
        ("Until 8.2 s the circle is unlit; it then lights up.", [8.2]),
        # A state that goes on to the end has no time of its own but its start, which is no change by itself.
        ("The star flashes at 3 s. From 6 s until the end at 24 s it is dark.", [3]),
        ("State A is active at 0 s. State C is active from 1 s to the end.", [1]),
    ],
)
def test_until(text: str, expected: list[float]) -> None:
    assert times_s(text) == expected or in_doubt(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # Coming near is an event unless the touch is denied.
        ("At 5 s the ball reaches the wall.", [5]),
        ("At 5 s the ball reaches for the wall but does not touch it.", []),
        ("You might think it hits again at 7 s, but it turns before the wall.", []),
        # Looking for events is none.
        ("I looked for flashes at 1.0 s, 2.0 s and 3.0 s.", []),
    ],
)
def test_what_is_denied(text: str, expected: list[float]) -> None:
    assert times_s(text) == expected or in_doubt(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("- minute 0, second 6: left wall\n- minute 1, second 8: right wall", [6, 68]),
        ("- 0分06秒：A → B，第1次\n- 0分08秒：B → D，第2次", [6, 8]),  # 第1次 is a running count, no time
        ("На 5-й секунде звезда вспыхивает, затем на 7-й и на 9-й секунде.", [5, 7, 9]),
        ("At the 7-second mark it flashes, at the 9-second mark again.", [7, 9]),
        ("1.5 seconds after the start the ball collides with the left wall.", [1.5]),
    ],
)
def test_how_times_are_written(text: str, expected: list[float]) -> None:
    assert times_s(text) == expected or in_doubt(text)


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("The ball touches the walls a total of six times during the video.", 6),
        ("The star blinks 3 times in total.", 3),
        ("There are 4 flashes in the video.", 4),
        ("The ball hits the walls about six or seven times in total.", None),  # two numbers are no count
    ],
)
def test_a_reply_of_one_sentence_that_counts_is_the_answer(text: str, count: int | None) -> None:
    result = parse(text)
    assert (result.final_answer if isinstance(result, Reported) else None) == count


def test_a_total_stated_as_such_is_one() -> None:
    for text in ("Total: 5", "The number of contacts is 5."):
        result = parse(text)
        assert isinstance(result, Reported)
        assert result.final_answer == 5
