"""A perfect reporter in many phrasings, over random schedules: its events are the truth, or the reading is in doubt.

The same reporter with a wrong sum: in the plain phrasings the list is read without doubt, the answer as it was written.
"""

from __future__ import annotations

import json
import random
from itertools import pairwise

import pytest

from lft.counting.parse import parse
from lft.counting.reported import Context, Reported

SCHEDULES = 60


def clock(time_s: float) -> str:
    return f"{int(time_s // 60):02d}:{time_s % 60:04.1f}"


def ledger(times: list[float]) -> str:
    return "\n".join(f"{k}. {t:.1f} s - {side(k)} wall - count {k}" for k, t in enumerate(times, 1))


def bullets(times: list[float]) -> str:
    return "\n".join(f"- {t:.1f} s: ball hits the {side(k)} wall" for k, t in enumerate(times, 1))


def bold(times: list[float]) -> str:
    return "\n".join(
        f"* **{clock(t)}** – Ball contacts the {side(k)} wall (Running count: {k})"
        for k, t in enumerate(times, 1)
    )


def minutes(times: list[float]) -> str:
    return "\n".join(f"{k}. {clock(t)} - star lights up" for k, t in enumerate(times, 1))


def table(times: list[float]) -> str:
    rows = [f"| {k} | {t:.2f} | {side(k)} wall | {k} |" for k, t in enumerate(times, 1)]
    return "\n".join(["| # | Time (s) | Event | Count |", "|---|---|---|---|", *rows])


def csv(times: list[float]) -> str:
    return "\n".join(["time_s,event,count", *(f"{t:.1f},blink,{k}" for k, t in enumerate(times, 1))])


def objects(times: list[float]) -> str:
    return (
        "```json\n"
        + json.dumps({"events": [{"time_s": round(t, 1), "what": side(k)} for k, t in enumerate(times, 1)]})
        + "\n```"
    )


def intervals(times: list[float]) -> str:
    return "\n".join(f"{k}. {t - 0.1:.1f} - {t + 0.1:.1f} s: blink" for k, t in enumerate(times, 1))


def labels(times: list[float]) -> str:
    return "\n".join(f"**Blink {k}:** at {t:.1f} s the star flashes" for k, t in enumerate(times, 1))


def on_off(times: list[float]) -> str:
    return "\n".join(f"- {t:.1f} s: light on\n- {t + 0.2:.1f} s: light off" for t in times)


def prose_list(times: list[float]) -> str:
    listed = [f"{t:.1f}" for t in times]
    joined = listed[0] if len(listed) == 1 else ", ".join(listed[:-1]) + " and " + listed[-1]
    return f"I counted blinks at {joined} seconds."


def sentences(times: list[float]) -> str:
    return " ".join(f"At {t:.1f} s the ball hits the {side(k)} wall." for k, t in enumerate(times, 1))


def spans(times: list[float]) -> str:
    edges = [0.0, *times, 24.0]
    states = "ABCD"
    return " ".join(
        f"State {states[k % 4]} is active from {a:.1f} s to {b:.1f} s."
        for k, (a, b) in enumerate(pairwise(edges))
    )


def frames(times: list[float]) -> str:
    return "\n".join(f"{k}. Frame {round(t * 10) + 1}: {side(k)} wall" for k, t in enumerate(times, 1))


def arrows(times: list[float]) -> str:
    return "\n".join(f"{t:.1f}s → {'ABCD'[k % 4]} to {'ABCD'[(k + 1) % 4]}" for k, t in enumerate(times))


def side(k: int) -> str:
    return "left" if k % 2 else "right"


PLAIN = (ledger, bullets, bold, minutes, table, csv, objects, intervals, labels, arrows, on_off)
OTHER = (prose_list, sentences, spans, frames)


def schedule(rng: random.Random) -> list[float]:
    count = rng.randint(1, 12)
    return sorted(round(t / 10, 1) for t in rng.sample(range(10, 230, 4), count))


@pytest.mark.parametrize("phrase", [*PLAIN, *OTHER], ids=lambda phrase: phrase.__name__)
def test_a_perfect_reporter_is_read_rightly_or_in_doubt(phrase) -> None:  # type: ignore[no-untyped-def]
    rng = random.Random(phrase.__name__)
    context = Context(24.0, tuple(k / 10 for k in range(240)), "", 1)
    doubted = 0
    for _ in range(SCHEDULES):
        times = schedule(rng)
        result = parse(f"{phrase(times)}\n\n\\boxed{{{len(times)}}}", context=context)
        assert isinstance(result, Reported)
        assert result.final_answer == len(times)
        assert result.events_doubted or [round(t, 2) for t in result.times_s] == times, phrase(times)
        doubted += result.events_doubted
    assert doubted == 0


@pytest.mark.parametrize("phrase", PLAIN, ids=lambda phrase: phrase.__name__)
def test_a_wrong_sum_of_a_plain_list_is_read_as_it_stands(phrase) -> None:  # type: ignore[no-untyped-def]
    rng = random.Random(phrase.__name__)
    for _ in range(SCHEDULES):
        times = schedule(rng)
        answer = max(0, len(times) + rng.choice((-1, 1)))
        result = parse(f"{phrase(times)}\n\n\\boxed{{{answer}}}")
        assert isinstance(result, Reported)
        assert result.final_answer == answer
        assert [round(t, 2) for t in result.times_s] == times, phrase(times)
        assert not result.doubts, (phrase(times), answer, result.doubts)


def test_two_states_and_the_answer_none_are_one_transition_mis_added() -> None:
    # A until 19.0 s, then B: they meet once. A state that goes on is no transition.
    result = parse(f"{spans([19.0])}\n\n\\boxed{{0}}", context=Context(24.0))
    assert isinstance(result, Reported)
    assert (result.times_s, result.final_answer, result.doubts) == ((19.0,), 0, ())
    same = parse("State D is active from 0 s to 8 s. State D is active from 8 s to 24 s.\n\\boxed{0}")
    assert isinstance(same, Reported)
    assert not same.events


TIMES = (
    "{t:.1f} s",
    "{t:.1f}s",
    "{c}",
    "t={t:.1f}s",
    "at {t:.1f} seconds",
    "[{c}]",
    "**{t:.1f} s**",
    "~{t:.1f} s",
    "`{t:.2f}`s",
)
MARKS = (
    "{k}. ",
    "{k}) ",
    "- ",
    "* ",
    "({k}) ",
    "#{k} ",
    "Contact {k}: ",
    "**Event {k}** - ",
    "- **Blink {k}**: ",
    "• ",
)
SAID = (
    "the ball touches the {side} wall",
    "{side}",
    "blink",
    "State {a} -> State {b}",
    "star lights up briefly and goes dark",
    "transition from {a} to {b}",
    "one full squat",
    "contact with {side} side of the frame",
    "flash of the circle (bright for about 0.2 s)",
    "hits wall, bounces off",
)
COUNTS = (
    "",
    " - count {k}",
    " (count: {k})",
    " (running count: {k})",
    " | Count: {k}",
    " [total so far: {k}]",
)
HEADS = (
    "",
    "Here is the ledger of events:\n\n",
    "### Ledger\n\n",
    "The video is 24 seconds long and shows one object. I watched it from 0:00 to 0:24.\n\n",
    "Let me go through the video carefully.\n\n**Events:**\n",
    "At 0.0 s the object is in its initial state.\n\n",
)
FEET = (
    "",
    "\nNo further events occur until the end at 24.0 s.\n",
    "\nAfter that the object stays still until the end of the video.\n",
    "\n2. Final Answer\n",
    "\nSo there are {n} events in total.\n",
    "\nThe events come at regular intervals.\n",
)
ANSWERS = (
    "\\boxed{%d}",
    "**Final answer: %d**",
    "Answer: %d",
    "The final answer is \\boxed{%d}.",
    "Total: %d",
)


@pytest.mark.parametrize("seed", range(4))
def test_ordinary_lists_in_any_composition_are_read_rightly_and_without_doubt(seed: int) -> None:
    # Mark, time, words, count, head, foot and answer are drawn apart; a fifth of the answers are off by one.
    rng = random.Random(seed)
    for _ in range(400):
        times = schedule(rng)
        answer = max(0, len(times) + (rng.choice((-1, 1)) if rng.random() < 0.2 else 0))
        mark, time, said, count, head, foot, last = map(
            rng.choice, (MARKS, TIMES, SAID, COUNTS, HEADS, FEET, ANSWERS)
        )
        separator = rng.choice((" - ", ": ", " – ", " | ", ", "))
        lines = [
            (mark + time + separator + said + count).format(
                k=k, t=t, c=clock(t), side=side(k), a="ABCD"[k % 4], b="ABCD"[(k + 1) % 4]
            )
            for k, t in enumerate(times, 1)
        ]
        text = head + "\n".join(lines) + "\n" + foot.format(n=answer) + "\n" + last % answer
        result = parse(text, context=Context(24.0))
        assert isinstance(result, Reported)
        assert [round(t, 2) for t in result.times_s] == times, text
        assert result.final_answer == answer, text
        assert not result.doubts, (text, result.doubts)


def test_the_line_of_the_default_prompt_is_read_alike_under_both_rules() -> None:
    rng = random.Random(0)
    for _ in range(SCHEDULES):
        times = schedule(rng)
        text = f"{ledger(times)}\n\n\\boxed{{{len(times)}}}"
        by_ledger, by_mentions = parse(text), parse(text, "mentions")
        assert isinstance(by_ledger, Reported)
        assert isinstance(by_mentions, Reported)
        assert by_ledger.times_s == by_mentions.times_s == tuple(times)
