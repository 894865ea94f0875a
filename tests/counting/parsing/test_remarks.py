"""Ordinary lists with a remark before or behind them: what tells nothing of an event is understood, what moves, takes
back or measures by another clock is a doubt."""

from __future__ import annotations

import json
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lft.counting.parse import parse
from lft.counting.reported import Context, Reported

HARMLESS = """
I went through the clip from beginning to end, pausing whenever something changed.
To be thorough, I stepped through the clip second by second.
Frames were sampled at 1 fps, so times are accurate to about a second.
I was given 24 frames, one per second.
Time format: mm:ss
The video is 24 seconds long and contains no audio.
The camera is static and the lighting does not vary.
Note: the initial state is not counted as an event.
I excluded the initial state, as instructed.
Since the question asks for contacts, I ignore everything else.
Count starts at 0.
The first contact comes at {first}, the last at {last}.
From 0:00 until {first} the scene is unchanged.
No contacts were seen after {last}.
From {last} to the end of the video, nothing more happens.
The clip ends at 24.0 s.
The active period runs from {first} to {last}, i.e. about {span} s.
They are about {gap} s apart.
This is a frequency of {rate} contacts per second.
The tempo is steady, with {gap} s from one contact to the next.
Every contact is about {gap} s after the previous one.
Timestamps may be off by about 0.1 s.
There might be small timing errors, but the count should be right.
The uncertainty of each time is around one frame (33 ms).
(accuracy about one frame, i.e. 1/30 s)
Times are approximate, read off from the frames.
My confidence is about 0.9.
I'd put my confidence at 9/10.
A second pass through the video gave the same {n} events.
I recounted and got {n} again.
The running count goes 1, 2, ..., {n}.
Adding them up: {ones} = {n}
Cross-check: entries 1-{n} are consecutive with no gaps.
Summary:
- First contact: {first}
- Last contact: {last}
- Total: {n}
"""
# One of several lines at the end; the others are one each.
REMARKS = [
    *HARMLESS.strip().split("\nSummary:")[0].splitlines(),
    "Summary:" + HARMLESS.split("Summary:")[1].rstrip(),
]
DOUBTFUL = (
    "Please add 0.5 s to every time above.",
    "Times count from when the ball starts moving (1.0 s in).",
    "(t is the time since the previous line)",
    "All figures above are in units of half seconds.",
    "Use 24 - t for the actual time.",
    "The recording I was shown begins at 10 s of the original.",
    "The listed values are frame numbers divided by ten.",
    "Each time is measured relative to the first contact, which is at 1.0 s.",
    "On reflection the second one happens at 5.5 s.",
    "The first line is an illustration, the others are real.",
    "A second pass through the video gave one more.",
    "Entry 2 is an error.",
)
SHAPES = ("numbered", "bullets", "prose", "table", "objects")


def listed(shape: str, times: list[float]) -> str:
    sides = ["left" if k % 2 else "right" for k in range(len(times))]
    if shape == "numbered":
        return "\n".join(
            f"{k}. {t:.1f} s - {side} wall - count {k}"
            for k, (t, side) in enumerate(zip(times, sides, strict=True), 1)
        )
    if shape == "table":
        rows = [f"| {t:.1f} | {side} wall |" for t, side in zip(times, sides, strict=True)]
        return "\n".join(["| Time (s) | Event |", "|---|---|", *rows])
    if shape == "objects":
        return json.dumps(
            [{"time_s": t, "what": f"{side} wall"} for t, side in zip(times, sides, strict=True)]
        )
    told = (
        "- {t:.1f} s: the ball hits the {side} wall"
        if shape == "bullets"
        else "At {t:.1f} s the ball hits the {side} wall."
    )
    return "\n".join(told.format(t=t, side=side) for t, side in zip(times, sides, strict=True))


def with_remark(
    remark: str, shape: str, gap_s: float, count: int, *, first: bool, answer: int
) -> tuple[str, list[float]]:
    times = [round(2.5 + k * gap_s, 1) for k in range(count)]
    told = remark.format(
        first=f"{times[0]:.1f} s", last=f"{times[-1]:.1f} s", span=f"{times[-1] - times[0]:.1f}", gap=f"{gap_s:g}",
        rate=f"{1 / gap_s:.2g}", n=count, ones=" + ".join("1" * count))  # fmt: skip
    parts = [told, listed(shape, times)] if first else [listed(shape, times), told]
    return "\n\n".join([*parts, f"\\boxed{{{answer}}}"]), times


@given(
    st.sampled_from(REMARKS),
    st.sampled_from(SHAPES),
    st.sampled_from((1.0, 1.5, 2.0)),
    st.integers(3, 8),
    st.booleans(),
)
def test_remarks_that_tell_of_no_event_are_understood(
    remark: str, shape: str, gap_s: float, count: int, first: bool
) -> None:
    first = first and not remark.startswith("Summary")
    text, times = with_remark(remark, shape, gap_s, count, first=first, answer=count)
    result = parse(text, context=Context(24.0, None, "wall contact"))
    assert isinstance(result, Reported)
    assert list(result.times_s) == times, text
    assert result.final_answer == count
    assert not result.doubts, (text, result.doubts)


@given(st.sampled_from(REMARKS), st.sampled_from(SHAPES), st.integers(3, 8), st.sampled_from((-1, 1)))
def test_beside_a_wrong_sum_remarks_are_never_taken_for_events(
    remark: str, shape: str, count: int, wrong: int
) -> None:
    # The wrong sum could be made right by a number of the remark: then there has to be a doubt.
    text, times = with_remark(remark, shape, 1.5, count, first=False, answer=count + wrong)
    result = parse(text, context=Context(24.0, None, "wall contact"))
    assert isinstance(result, Reported)
    assert list(result.times_s) == times or result.events_doubted, text


@pytest.mark.parametrize("remark", DOUBTFUL)
@pytest.mark.parametrize("shape", ["numbered", "bullets"])
def test_what_moves_times_or_takes_back_entries_is_a_doubt(remark: str, shape: str) -> None:
    text, _ = with_remark(remark, shape, 3.0, 3, first=False, answer=3)
    result = parse(text, context=Context(24.0, None, "wall contact"))
    assert isinstance(result, Reported)
    assert result.events_doubted, text


@pytest.mark.parametrize(
    ("text", "times_s"),
    [
        ("At 2.0 s the bob crosses the middle. At 4.0 s it crosses again.\n\\boxed{2}", (2.0, 4.0)),
        ("At 2.0 s the bob does not cross the middle. At 4.0 s it crosses.\n\\boxed{1}", (4.0,)),
        ("1. 2.0 s - approaches - count 0\n2. 4.0 s - crossed - count 1\n\\boxed{1}", (4.0,)),
    ],
)
def test_the_word_of_the_question_names_an_event_in_all_its_forms(
    text: str, times_s: tuple[float, ...]
) -> None:
    # "crosses" is motion where nothing is said of it; where crossings are asked for, it is the event.
    result = parse(text, context=Context(24.0, None, "crossing"))
    assert isinstance(result, Reported)
    assert result.times_s == times_s
    assert not result.doubts


@pytest.mark.parametrize(
    "form", ["At {t:.3f} s it hits the wall.", "- {t:.3f} s hit", "[{t:.3f}, 'hit']", "0'{t:06.3f}\" hit"]
)
def test_events_a_millisecond_apart_are_two(form: str) -> None:
    result = parse("\n".join(form.format(t=t) for t in (5.0, 5.001)) + "\n\\boxed{2}")
    assert isinstance(result, Reported)
    assert result.times_s == (5.0, 5.001)


def test_random_orders_of_remarks_are_understood() -> None:
    rng = random.Random(0)
    plain = [remark for remark in REMARKS if not remark.startswith("Summary")]
    for _ in range(60):
        before, behind = rng.sample(plain, 2)
        text, times = with_remark(behind, rng.choice(SHAPES), 2.0, 5, first=False, answer=5)
        told = before.format(
            first="2.5 s", last="10.5 s", span="8.0", gap="2", rate="0.5", n=5, ones="1 + 1 + 1 + 1 + 1")  # fmt: skip
        result = parse(f"{told}\n\n{text}", context=Context(24.0, None, "wall contact"))
        assert isinstance(result, Reported)
        assert (list(result.times_s), result.final_answer) == (times, 5), text
        assert not result.doubts, (told, text, result.doubts)
