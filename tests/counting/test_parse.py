"""The response parser: what a careful reader takes from a corpus, real responses, hostile text."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lft.core.errors import InputError
from lft.counting.match import match
from lft.counting.parse import MAX_CHARACTERS, RULES, parse
from lft.counting.parsing import numerals
from lft.counting.parsing.lexicon import RULES as READING_RULES
from lft.counting.parsing.objects import MAX_OBJECTS
from lft.counting.parsing.resolve import MAX_EVENTS, MAX_LISTS
from lft.counting.parsing.text import plain, unmarked, visible
from lft.counting.reported import Context, Reported, ReportedEvent, Unparsed

DATA = Path(__file__).resolve().parent.parent / "data"
CASES = [
    case
    for path in sorted(DATA.glob("responses*.json"))
    for case in json.loads(path.read_text(encoding="utf-8"))["cases"]
]


def events(text: str, rule: str = "ledger") -> tuple[ReportedEvent, ...]:
    result = parse(text, rule)
    return result.events if isinstance(result, Reported) else ()


def final_answer(text: str, rule: str = "ledger") -> int | None:
    result = parse(text, rule)
    return result.final_answer if isinstance(result, Reported) else None


def reading_of(case: dict[str, Any], without: frozenset[str] = frozenset()) -> tuple[list[Any], int | None]:
    result = parse(case["text"], context=Context(noun=case.get("noun", "")), without=without)
    if not isinstance(result, Reported):
        return [], None
    return [(e.time_s, e.end_s, e.covers) for e in result.events], result.final_answer


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_corpus(case: dict[str, Any]) -> None:
    expected = [(e["time_s"], e.get("end_s"), e.get("covers", 1)) for e in case["events"]]
    result = parse(case["text"], context=Context(noun=case.get("noun", "")))
    found, answer = reading_of(case)
    doubts = result.doubts if case.get("doubt_ok") else ()
    assert found == expected or any(doubt.of_the_events for doubt in doubts), case["why"]
    assert answer == case["final_answer"] or any(doubt.of_the_answer for doubt in doubts), case["why"]
    assert final_answer(case["text"], "mentions") == answer
    if "mentions" in case:
        assert [e.time_s for e in events(case["text"], "mentions")] == case["mentions"], case["why"]
    if "labels" in case and found == expected:
        assert [e.label for e in events(case["text"])] == case["labels"]


def test_few_cases_may_be_in_doubt() -> None:
    # Those that correct themselves in words are: which words correct what is not guessed.
    assert sum("doubt_ok" in case for case in CASES) <= 0.09 * len(CASES)


@pytest.fixture(scope="module")
def readings() -> list[Reported | Unparsed]:
    return [parse(case["text"], context=Context(noun=case.get("noun", ""))) for case in CASES]


@pytest.mark.parametrize("rule", READING_RULES)
def test_every_reading_rule_is_needed(rule: str, readings: list[Reported | Unparsed]) -> None:
    # Switched off, it changes how at least one case is read: its events, its answer or its doubts.
    without = frozenset({rule})
    assert any(
        parse(case["text"], context=Context(noun=case.get("noun", "")), without=without) != with_it
        for case, with_it in zip(CASES, readings, strict=True)
    )


def test_misreadings_found_in_real_replies_are_right_or_in_doubt(shared: Path) -> None:
    for case in json.loads((shared / "real" / "readings.json").read_text())["cases"]:
        result = parse(case["text"])
        assert isinstance(result, Reported)
        right = case["events"] is None or (
            len(result.events) == len(case["events"])
            and all(_is_at(time, event) for time, event in zip(result.times_s, case["events"], strict=True))
        )
        assert right or result.events_doubted, case["text"]
        assert result.final_answer == case["final_answer"] or result.answer_doubted, case["text"]


def _is_at(time_s: float, event: float | list[float]) -> bool:
    first, last = event if isinstance(event, list) else (event, event)
    return first - 1e-6 <= time_s <= last + 1e-6


def test_corpus_is_large_and_names_are_unique() -> None:
    names = [case["name"] for case in CASES]
    assert len(names) == len(set(names)) >= 1500
    assert sum("mentions" in case for case in CASES) >= 40


def test_real_responses_read_as_a_careful_person_reads_them(shared: Path) -> None:
    for case in json.loads((shared / "real" / "cases.json").read_text())["cases"]:
        result = parse(case["response"])
        assert isinstance(result, Reported)
        assert list(result.times_s) == case["reader"]["events"], case["id"]
        assert result.final_answer == case["reader"]["final_answer"], case["id"]


def test_mentions_score_as_published(shared: Path) -> None:
    for case in json.loads((shared / "real" / "cases.json").read_text())["cases"]:
        published, true_s = case["published_scores"], case["published_times_s"]
        reported_s = [e.time_s for e in events(case["response"], "mentions")]
        pairs = len(match(true_s, reported_s, published["tolerance_s"]))
        precision = pairs / len(reported_s) if reported_s else 0.0
        recall = pairs / len(true_s)
        f1 = 2 * precision * recall / (precision + recall) if pairs else 0.0
        shown = [round(100 * share, 1) for share in (precision, recall, f1)]
        assert shown == [published[key] for key in ("precision_pct", "recall_pct", "f1_pct")], case["id"]


def test_mentions_within_a_tenth_of_a_second_are_one() -> None:
    # 5.0 keeps; 5.1 is 0.1 from 5.0; 5.15 is 0.15 from 5.0, the last one kept, and stays.
    assert [e.time_s for e in events("at 5.0, at 5.1, at 5.15", "mentions")] == [5.0, 5.15]


def test_mentions_read_thinking_and_ledger_does_not() -> None:
    text = "<think>0:03</think>- 0:07 hit\n\\boxed{1}"
    assert [e.time_s for e in events(text, "mentions")] == [3.0, 7.0]
    assert [e.time_s for e in events(text)] == [7.0]


def test_spans_point_into_the_original_text() -> None:
    text = "Ledger:\n- **0:05** – LEFT wall\n- $t=7.5$ s: İ right wall\n| x |"
    found = events(text)
    assert [e.time_s for e in found] == [5.0, 7.5]
    assert "0:05" in text[slice(*found[0].span)]
    assert "LEFT wall" in text[slice(*found[0].span)]
    assert "7.5" in text[slice(*found[1].span)]
    assert "0:05" not in text[slice(*found[1].span)]


def test_reasons() -> None:
    assert parse("") == Unparsed("an empty response")
    assert parse("I'm sorry, I can't watch videos.") == Unparsed("a refusal: no event and no final answer")
    assert parse("<think>0:05 \\boxed{1}</think>") == Unparsed("no text outside thinking")
    assert parse("- 0:05 hit") == Reported(events("- 0:05 hit"), None, "no final answer")
    retracted = parse("- 0:05 hit\n\\boxed{5}\nWait, that is wrong.")
    assert isinstance(retracted, Reported)
    assert retracted.reason == "the boxed answer is retracted"
    too_long = parse("x" * (MAX_CHARACTERS + 1))
    assert isinstance(too_long, Unparsed)
    assert str(MAX_CHARACTERS) in too_long.reason


def test_an_endless_list_is_cut_and_says_so() -> None:
    text = "".join(f"- 0:{i % 60:02d} blink\n" for i in range(MAX_EVENTS + 1)) + "\\boxed{7}"
    result = parse(text)
    assert isinstance(result, Reported)
    assert len(result.events) == MAX_EVENTS
    assert result.final_answer == 7
    assert result.reason == f"only the first {MAX_EVENTS} events are kept"
    longer = parse("".join("at 0:05 there is no blink\n" for _ in range(20_000)) + "\\boxed{0}")
    assert isinstance(longer, Reported)
    assert longer.events == ()
    assert "5000 numbers" in (longer.reason or "")


def test_endless_rows_without_times_are_looked_through_a_bounded_number_of_times() -> None:
    # Each row may be the head of the rest: 300 rows would be looked through 300 + 299 + ... + 1 = 45,150 times.
    result = parse("a | b\n" * 300 + "\\boxed{7}")
    assert isinstance(result, Reported)
    assert result.final_answer == 7
    assert "rows without times" in (result.reason or "")
    assert "too-long" in {doubt.code for doubt in result.doubts}
    few = parse("a | b\n" * 100 + "\\boxed{7}")  # 5,050 times
    assert "too-long" not in {doubt.code for doubt in few.doubts}


def test_labels_that_share_a_line_are_found_behind_a_long_beginning() -> None:
    told = (
        '"event" said, ' * 500
        + "event 1: 2.0 s hits the wall, event 2: 4.0 s hits the wall, event 3: 7.5 s hit"
    )
    result = parse(told + "\n\\boxed{3}")
    assert isinstance(result, Reported)
    assert result.times_s == (2.0, 4.0, 7.5)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("".join(f"### Part\n- {i}.5 s hit\n" for i in range(MAX_LISTS + 1)), f"{MAX_LISTS} lists"),
        ('{"id": 1}' * (MAX_OBJECTS + 1) + "- 0:05 hit", f"{MAX_OBJECTS} objects"),
        ("- 0:05 hit\nFinal answer: 1" + "\n" * 200_000, "in the last 200000 characters"),
    ],
)
def test_what_was_left_out_is_said(text: str, reason: str) -> None:
    result = parse(text)
    assert isinstance(result, Reported)
    assert reason in (result.reason or "")


def test_a_thing_said_again_is_read_alike() -> None:
    # Judgements are remembered by their words; place and time must not leak from one entry to the next.
    text = "- 0:00 state a\n- 0:04 state a is lit\n- 0:06 state b is lit"
    first = parse(text)
    parse("- 0:05 state a")
    assert parse(text) == first
    assert [e.time_s for e in events("- 0:04 state a")] == [4.0]
    assert [e.time_s for e in events("- 0:00 state a")] == []


def test_unknown_rule_names_the_nearest() -> None:
    with pytest.raises(InputError, match=r"ledger \(did you mean this\?\)"):
        parse("5", "leger")


def test_number_words() -> None:
    for word, value in numerals.VALUES.items():
        assert numerals.number(word) == value
        assert final_answer(f"\\boxed{{{word}}}") == value


# Pieces that the patterns look for, so that random concatenations reach deep into the parser.
PIECES = (
    "0:05 1:75 00:06.5 0:01:05 5.5s 5,5 t=1.5 -1.0 nan 1e9 99999999999 ٥:٠٥ １２ five once seconds ms - – → "
    "~ to between from , ; : . ? ! ( ) [ ] { } | ** * ` $ # > < & \\ \\boxed{ \\text{ } <think> </think> "
    "<answer> ~~ <td> <tr> </tr> \\begin{tabular} \" ' count running total hit wall state A no not wait, "
    "actually should be final answer in total time event end start 次 没有 '' on off Step check corrected 0'07\" [1,"
)
SPACES = [
    "\n",
    "\n\n",
    " ",
    "|---|",
    "\t",
    "\ud800",
    "\x00",
    "\u2028",
    "İ",
    "ß",
    "- ",
    "1. ",
    '{"time": 1.5}',
]
SOUP = st.lists(st.sampled_from([*PIECES.split(" "), *SPACES]), max_size=60)


@given(SOUP.map(" ".join) | SOUP.map("".join))
@example("\\boxed{" * 40)
@example("<think>" * 9 + "</think>" * 3)
def test_no_text_raises(text: str) -> None:
    check(text)


@given(st.text(st.characters(), max_size=200))  # surrogates included
def test_no_unicode_raises(text: str) -> None:
    check(text)


def check(text: str) -> None:
    for view in (plain(text), visible(plain(text)), unmarked(visible(plain(text)))):
        assert len(view) == len(text)
    for rule in RULES:
        result = parse(text, rule)
        if isinstance(result, Unparsed):
            assert result.reason
            continue
        assert result.events or result.final_answer is not None
        assert result.final_answer is not None or result.reason
        for event in result.events:
            assert 0 <= event.time_s < 100_000
            assert event.end_s is None or event.end_s >= event.time_s
            assert event.covers >= 1
            assert 0 <= event.span[0] < event.span[1] <= len(text)
            assert event.label is None or event.label.strip()


FORMS = (
    "- {m}:{s:06.3f} hit (Running count: {i})",
    "{i}. {t:.3f} s - hit",
    "| {i} | {t:.3f} s | hit |",
    "* **t = {t:.3f} s**: blink",
    '{{"time": {t:.3f}, "event": "hit"}}',
    '{{"time":{t:.3f},"event":"hit"}}',
    "[{t:.3f}, 'hit']",
    "{m}'{s:06.3f}\" hit",
    "Event {i}: {t:.3f} s",
)


@given(
    st.lists(st.integers(0, 23_999), min_size=1, max_size=12, unique=True).map(sorted),
    st.sampled_from(FORMS),
)
def test_a_written_ledger_is_read_back(times_ms: list[int], form: str) -> None:
    lines = [
        form.format(t=ms / 1000, m=ms // 60_000, s=ms % 60_000 / 1000, i=i)
        for i, ms in enumerate(times_ms, start=1)
    ]
    result = parse("\n".join(lines) + f"\n\n\\boxed{{{len(lines)}}}")
    assert isinstance(result, Reported)
    assert list(result.times_s) == [ms / 1000 for ms in times_ms]
    assert result.final_answer == len(times_ms)
