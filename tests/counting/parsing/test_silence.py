"""Silence is earned: what nothing in the text answers is a doubt, what the text answers is none."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lft.counting.parse import parse
from lft.counting.reported import Context, Reported

DATA = Path(__file__).resolve().parents[2] / "data" / "responses_silence.json"
ALL = json.loads(DATA.read_text(encoding="utf-8"))["cases"]
CASES = [case for case in ALL if case.get("doubt_ok")]
SURE = [case for case in ALL if case.get("sure")]
LEDGER = "1. 4.0 s - left wall - count 1\n2. 9.0 s - right wall - count 2\n3. 15.5 s - left wall - count 3\n"


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_what_nothing_answers_is_in_doubt(case: dict[str, str]) -> None:
    assert parse(case["text"], context=Context(noun=case.get("noun", ""))).doubts, case["why"]


@pytest.mark.parametrize("case", SURE, ids=[case["name"] for case in SURE])
def test_what_numbers_and_the_answer_prove_is_not(case: dict[str, str]) -> None:
    assert not parse(case["text"], context=Context(24.0, noun=case.get("noun", ""))).doubts, case["why"]


ACCOUNT = frozenset({"order", "hazards", "numbers taken", "other times", "uniform"})


def test_most_of_them_would_be_misread_in_silence_without_the_account() -> None:
    silent = [case for case in CASES if not parse(case["text"], without=ACCOUNT).doubts]
    assert len(silent) > 0.5 * len(CASES)


@pytest.mark.parametrize(
    "text",
    [
        # Each has a number that looks like a time and says itself what it is: a state at the start, the end of the
        # clip, a duration, a rate, an end of an event, a denied moment.
        "At 0.0 s the ball is at rest.\n" + LEDGER + "\n\\boxed{3}",
        LEDGER + "\nThe video ends at 24.0 s.\n\\boxed{3}",
        LEDGER + "\nThe contacts last about 0.2 s each, 5.8 s apart.\n\\boxed{3}",
        LEDGER + "\nSeen at 2.5 fps; confidence: 0.85.\n\\boxed{3}",
        "The light goes on at 3.0 s and goes off at 3.4 s. It goes on again at 8.0 s and off at 8.4 s.\n\\boxed{2}",
        LEDGER + "\nAt 20.0 s the ball does not touch the wall.\n\\boxed{3}",
        "**0-6 s:** The ball rolls off and touches the left wall at 4.5 s.\n"
        "**6-12 s:** It touches the right wall at 9.5 s. Then the video ends.\n\n\\boxed{2}",
        '[{"time": 3.5, "from": "IDLE", "to": "RUN"}, {"time": 9.0, "from": "RUN", "to": "IDLE"}]\n\\boxed{2}',
    ],
)
def test_a_number_that_says_what_it_is_is_no_doubt(text: str) -> None:
    assert not parse(text, context=Context(24.0)).doubts


def test_a_list_below_the_head_of_a_corrected_ledger_may_be_mis_added() -> None:
    # Both lists hold the same three events; the box says five.
    text = f"Step 1. First ledger\n{LEDGER}\nStep 2. Check\nNothing is missing.\n\nStep 3. Corrected ledger\n{LEDGER}\n"
    result = parse(text + "\\boxed{5}")
    assert isinstance(result, Reported)
    assert result.times_s == (4.0, 9.0, 15.5)
    assert result.final_answer == 5
    assert not result.doubts


def test_an_entry_unlike_the_rest_is_doubted_only_where_the_answer_differs() -> None:
    # "near miss" is not known as a denial; where the answer agrees, the count says that the entry is an event.
    text = "- 4.0 s: left\n- 9.0 s: right (brushed past?)\n- 15.5 s: left\n- 20.0 s: right\n\n"
    assert not parse(text + "\\boxed{4}").doubts
    assert {doubt.code for doubt in parse(text + "\\boxed{3}").doubts} == {"unclear-entry"}


def test_a_number_where_no_answer_was_read_is_a_doubt_of_the_answer() -> None:
    result = parse(LEDGER + "\nwhich gives us 3 all in all")
    assert isinstance(result, Reported)
    assert result.final_answer is None
    assert result.answer_doubted
    assert not parse(LEDGER).doubts


def test_boxes_that_differ_are_a_doubt_under_both_rules() -> None:
    text = LEDGER + "\n\\boxed{3}, or \\boxed{4} with the last frame"
    for rule in ("ledger", "mentions"):
        assert "several-answers" in {doubt.code for doubt in parse(text, rule).doubts}
    # A word that takes the first back leaves one answer.
    replaced = parse(LEDGER + "\n\\boxed{4}. Wait, that is wrong: \\boxed{3}")
    assert "several-answers" not in {doubt.code for doubt in replaced.doubts}


# One frame every half second: frame 5 is at 2.0 s counted from 1, at 2.5 s counted from 0.
FRAMES = "\n- Frame 5: touches the left wall\n- Frame 11: touches the right wall\n\\boxed{2}"


@pytest.mark.parametrize(
    ("said", "times_s"),
    [
        ("Frame 1 is at 0.0 s.", (2.0, 5.0)),
        ("Frame 0 is at 0.0 s.", (2.5, 5.5)),
        ("The ball is in the middle in frame 3 (1.0 s).", (2.0, 5.0)),
        ("The frames are numbered from 0.", (2.5, 5.5)),
        ("I count the frames from one.", (2.0, 5.0)),
    ],
)
def test_a_response_says_what_its_frames_are_numbered_from(said: str, times_s: tuple[float, ...]) -> None:
    context = Context(24.0, tuple(k / 2 for k in range(48)))
    result = parse(said + FRAMES, context=context)
    assert isinstance(result, Reported)
    assert result.times_s == times_s
    assert "frames-unknown" not in {doubt.code for doubt in result.doubts}
    # Without it, or where it is said in two ways, nothing tells.
    for unsure in ("", "Frame 1 is at 0.0 s. The frames are numbered from 0."):
        assert "frames-unknown" in {doubt.code for doubt in parse(unsure + FRAMES, context=context).doubts}


UNSURE = [
    # The number of the entry, or the start of an interval: nothing tells.
    "1 - 3.1s - GREEN changes to AMBER\n\\boxed{1}",
    # Numbers 3 to 5 are not listed, so three times stand for six events.
    "1. 2.0 s - left wall - count 1\n2. 5.0 s - right wall - count 2\n"
    "... (every 3 s) ...\n6. 17.0 s - right wall - count 6\n\n\\boxed{6}",
    # The entries 3 to 5 are missing.
    "1. 2.0 s - left wall - count 1\n2. 5.0 s - right wall - count 2\n6. 17.0 s - right wall - count 6\n\n\\boxed{6}",
    # At least four is no number of events.
    "I see the light flashing at least four times, perhaps more.",
    # 2 and 9 s bound three changes; when each of them was is not said.
    "There are 3 transitions between 2 and 9 s.\n\\boxed{3}",
    # Two events at the same tenth of a second, twice: the list may be written twice over.
    "1. 1.5 s - A to B - count 1\n2. 1.5 s - A to B - count 2\n"
    "3. 4.5 s - B to A - count 3\n4. 4.5 s - B to A - count 4\n\n\\boxed{4}",
    # The third entry may be cut off behind its number.
    "1. 2.0 s hit\n2. 4.0 s hit\n3",
    # A bound is no count.
    "Answer: at least 4",
    # One of two answers.
    "1. 2.0 s - A to B\n2. 5.0 s - B to C\n\n\\boxed{2}, or 3 if the flicker counts.",
    # One of two times.
    "1. 2.0 s (or 3.0 s) - A to B\n2. 5.0 s (or 6.0 s) - B to C\n\\boxed{2}",
    # The box counts the first list; the second, after it, has one event more.
    "1. 1.5 s - lights up - count 1\n2. 4.5 s - lights up - count 2\n\\boxed{2}\n\nSecond pass\n"
    "1. 1.5 s - lights up - count 1\n2. 3.0 s - lights up - count 2\n3. 4.5 s - lights up - count 3",
    # Five are stated, three are listed.
    "There are 5 transitions.\n\n1. 2.0 s A to B\n2. 5.0 s B to C\n3. 8.0 s C to A\n\n\\boxed{3}",
]


@pytest.mark.parametrize("text", UNSURE)
def test_what_the_text_leaves_open_is_in_doubt(text: str) -> None:
    assert parse(text).doubts


@pytest.mark.parametrize(
    ("text", "times_s"),
    [
        # Frames 5 and 6 are at 2.0 and 2.5 s: B is first seen at 2.5 s, C (frame 12) at 5.5 s.
        ("Frame 1-5: A\nFrame 6-11: B\nFrame 12-48: C\n\n\\boxed{2}", (2.5, 5.5)),
        # Between frames 4 and 5: 1.5 to 2.0 s; between 10 and 11: 4.5 to 5.0 s.
        (
            "Between frames 4 and 5 A becomes B. Between frames 10 and 11 B becomes C.\n\\boxed{2}",
            (1.75, 4.75),
        ),
    ],
)
def test_ranges_of_frames(text: str, times_s: tuple[float, ...]) -> None:
    result = parse(text, context=Context(24.0, tuple(k / 2 for k in range(48)), "", 1))
    assert isinstance(result, Reported)
    assert result.times_s == times_s
    assert not result.doubts


def test_entries_of_two_times_are_in_doubt_where_the_answer_differs() -> None:
    # Each sentence may be one event or two: with the answer 3 neither one nor two to each agrees.
    text = "It lights up at 2.0 s, that is at 3.0 s on the tape. Then at 7.0 s, at 8.0 s on the tape.\n\\boxed{3}"
    assert parse(text, context=Context(24.0)).doubts


def test_another_length_of_the_clip_is_another_clock() -> None:
    # 48 s in a clip of 24 s: the times may be twice those of the clip. 24 s is its end.
    for length_s, doubted in ((48, True), (24, False)):
        text = f"{LEDGER}\n(The bar goes up to {length_s} s for the clip.)\n\\boxed{{3}}"
        assert parse(text, context=Context(24.0)).events_doubted is doubted  # type: ignore[union-attr]
