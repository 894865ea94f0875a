"""What was settled, in place of what the program read; kept whole or not at all."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lft.core.errors import InputError
from lft.counting.reported import Doubt, Reported, ReportedEvent, Unparsed
from lft.counting.settling import settled
from lft.counting.settling.agreement import error_rate, misread
from lft.counting.settling.settled import GIVEN, MODEL, PERSON, Settled, settle

E = ReportedEvent
READ = Reported(
    (E(1.0, span=(0, 3), rule="list item"), E(2.0, span=(4, 7), rule="list item")), 3, None,
    (Doubt("count-differs", (8, 9)), Doubt("unclear-answer", (8, 9)), Doubt("cut-off", (9, 10))),
)  # fmt: skip


def by(
    who: str, events: tuple[ReportedEvent, ...] | None = None, answer: int | None = None, said: bool = True
) -> Settled:
    return Settled("t", "x" * 64, who, "Ann", events, answer, said)


def test_a_person_s_reading_is_that_of_the_ledger_rule_and_answers_both() -> None:
    decision = by(PERSON, (E(1.0, label="first"), E(2.5)), 2)
    ledger = settle(READ, decision, "ledger")
    assert isinstance(ledger, Reported)
    assert (ledger.times_s, ledger.final_answer, ledger.doubts, ledger.reason) == ((1.0, 2.5), 2, (), None)
    # What was kept as it was read keeps its place in the text.
    assert [(e.span, e.rule, e.label) for e in ledger.events] == [
        ((0, 3), PERSON, "first"),
        ((0, 0), PERSON, None),
    ]
    mentions = settle(READ, decision, "mentions")
    assert isinstance(mentions, Reported)
    assert (mentions.times_s, mentions.final_answer) == ((1.0, 2.0), 2)
    # The mentions are as unsure as they were: count-differs and cut-off are of the events, unclear-answer is not.
    assert [d.code for d in mentions.doubts] == ["count-differs", "cut-off"]


def test_one_part_may_be_settled_alone() -> None:
    answer_only = settle(READ, by(GIVEN, None, 2), "ledger")
    assert isinstance(answer_only, Reported)
    assert (answer_only.times_s, answer_only.final_answer) == ((1.0, 2.0), 2)
    events_only = settle(READ, by(GIVEN, (E(5.0),), said=False), "mentions")
    assert isinstance(events_only, Reported)
    assert (events_only.times_s, events_only.final_answer) == ((5.0,), 3)
    assert [d.code for d in events_only.doubts] == ["unclear-answer", "cut-off"]
    assert settle(READ, by(PERSON, (E(5.0),), said=False), "mentions") is READ
    nothing = settle(Unparsed("a refusal"), by(PERSON, (), None), "ledger")
    assert nothing == Reported((), None, "no final answer, as settled by Ann")


def test_the_last_decision_holds_and_a_torn_line_is_none(tmp_path: Path) -> None:
    settled.append(tmp_path, [by(PERSON, (E(1.5, 2.0, 3, "a | b"),), None), by(MODEL, (), 4)])
    before = settled.digest(tmp_path)
    path = tmp_path / settled.FILE
    path.write_text(path.read_text() + '{"trial": "t", "text_sh')
    first, _ = settled.read(tmp_path)
    assert first == by(PERSON, (E(1.5, 2.0, 3, "a | b", rule="settled"),), None)
    settled.append(tmp_path, [by(PERSON, (), 5)])
    assert [one.final_answer for one in settled.read(tmp_path)] == [None, 4, 5]
    assert settled.latest(settled.read(tmp_path))["t"].final_answer == 5
    assert settled.digest(tmp_path) != before
    assert settled.digest(tmp_path / "none") is None


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"by": "oracle"}, "by is 'oracle'"),
        ({"events": [{"time_s": -1}]}, "the time is -1"),
        ({"events": [{"time_s": 1e9}]}, "the time is"),
        ({"events": [{"time_s": 4, "end_s": 3}]}, "the interval ends at 3"),
        ({"events": [{"time_s": 4, "end_s": 9}]}, "the interval ends at 9"),  # would begin at -1 s
        ({"events": "1, 2"}, "events are"),
        ({"events": [{"time_s": 1, "covers": True}]}, "covers"),
        ({"final_answer": 2.5}, "the final answer is 2.5"),
        ({"trial": 7}, "trial is 7"),
        ({"drawn": [1]}, "drawn is"),
        ({"drawn": {"kind": "sample", "size": [], "seed": 0, "of": 1}}, "drawn is"),
        ({"drawn": {"kind": "sample", "size": 1, "seed": 0}}, "drawn is"),
        ({"drawn": {"kind": "chosen"}}, "drawn is"),
    ],
)
def test_a_line_that_is_no_decision_is_named(tmp_path: Path, change: dict[str, object], words: str) -> None:
    good = {"trial": "t", "text_sha256": "x", "by": "person", "who": "Ann", "events": [], "final_answer": 1}
    (tmp_path / settled.FILE).write_text(json.dumps(good) + "\n" + json.dumps({**good, **change}) + "\n")
    with pytest.raises(InputError, match=words) as error:
        settled.read(tmp_path)
    assert f"{settled.FILE}:2" in str(error.value)


def test_what_counts_as_misread() -> None:
    # 1.04 is within 0.05 s of 1.0, 1.06 is not; the order of the list says nothing.
    assert misread(READ, by(PERSON, (E(2.0), E(1.04)), 3)) == (False, False)
    assert misread(READ, by(PERSON, (E(1.06), E(2.0)), 3)) == (True, False)
    assert misread(READ, by(PERSON, (E(1.0), E(2.0, covers=2)), 3)) == (True, False)
    assert misread(READ, by(PERSON, (E(1.0),), None)) == (True, True)
    assert misread(Unparsed("nothing"), by(PERSON, (), None)) == (False, False)


def test_the_error_rate_stands_on_the_random_sample_alone() -> None:
    drawn = {"kind": "sample", "size": 4, "seed": 0, "of": 10}

    def person(trial: str, answer: int, how: dict[str, object]) -> Settled:
        return Settled(trial, "x", PERSON, "Ann", (E(1.0),), answer, True, "", how)

    sure = Reported((E(1.0),), 1)
    unfound = Reported((E(1.0),), None, "no final answer")
    unsure = Reported((E(1.0),), 1, None, (Doubt("unclear-answer"),))
    decisions = [
        person("right", 1, drawn), person("silent", 2, drawn), person("doubted", 2, drawn), person("unfound", 2, drawn),
        person("elsewhere", 2, {"kind": "doubtful"}),
        Settled("by a model", "x", MODEL, "m", (), 5, True, "", drawn),
    ]  # fmt: skip
    reports = {
        "unfound": unfound,
        "right": sure,
        "silent": sure,
        "doubted": unsure,
        "elsewhere": sure,
        "by a model": sure,
    }
    found = error_rate(decisions, reports)
    assert found is not None
    assert (found["settled"], found["drawn"], found["misread"], found["silent"]) == (4, 4, 3, 1)
    assert (found["events"], found["answer"]) == (0, 3)
    # Wilson for 3 of 4: centre (3 + z^2/2) / (4 + z^2) = 4.9207 / 7.8415 = 0.6275; half width
    # z sqrt(3/4 + z^2/4) / (4 + z^2) = 1.96 * 1.3078 / 7.8415 = 0.3269.
    assert found["interval"] == pytest.approx((0.3006, 0.9544), abs=1e-3)
    assert error_rate(decisions[4:], reports) is None
