"""A perfect reporter in many phrasings, over random schedules: its events are the truth, or the reading is in doubt.

The same reporter with a wrong sum: in the plain phrasings the list is read without doubt and the answer as it was written.
"""

from __future__ import annotations

import json
import random

import pytest

from lft.counting.parse import parse
from lft.counting.report import Context, Reported

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
        for k, (a, b) in enumerate(zip(edges, edges[1:], strict=False))
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
