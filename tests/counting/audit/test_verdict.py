"""What is said of simulated reporters whose one fault is known: its own finding, and no other of its kind."""

from __future__ import annotations

from functools import cache
from typing import Any

import pandas as pd
import pytest

from lft.counting.audit.account import TERMS
from lft.counting.audit.accounts import adds_up, sentence, sums
from lft.counting.audit.verdict import LEAST, Finding, words
from tests.scripts import benchmark

faults = benchmark("faults")


@cache
def condition(fault: str, sampling: str, schedule: str = "regular") -> dict[str, Any]:
    found: dict[str, Any] = faults.found(faults.FAULTS[fault][0], sampling, faults.clips(1, schedule))
    return found


SOME = [
    ("none but the frames", "native"), ("none but the frames", "fps:1"), ("misses", "fps:4"), ("inventions", "fps:1"),
    ("merged", "native"), ("mis-adding", "native"), ("offset", "fps:1"), ("jitter", "native"), ("jitter", "fps:2"),
    ("blind", "native"), ("even", "fps:4"), ("constant answer", "native"), ("rate x duration", "native"),
    ("reversed", "fps:1"),
]  # fmt: skip


@pytest.mark.parametrize(("fault", "sampling"), SOME)
def test_a_fault_is_found_and_no_other(fault: str, sampling: str) -> None:
    found = condition(fault, sampling)
    sure = {one["name"] for one in found["verdict"] if one["sure"] == "sure"}
    own = faults.FAULTS[fault][1]
    assert sure == ({own} if own else set()) | ({"no-frames"} if sampling != "native" else set())
    assert adds_up(found["account"])
    if found["clock"] and fault == "offset":
        assert found["clock"]["f1_set_right"] > found["clock"]["f1_reported"] + 0.1


@pytest.mark.parametrize("schedule", ["irregular", "bursts"])
def test_a_rate_is_told_from_inventions_also_where_events_pause(schedule: str) -> None:
    # The whole length at the rate that events have while they happen: neither the mean of their gaps nor their count.
    found = condition("rate x duration", "native", schedule)
    assert {one["name"] for one in found["verdict"] if one["sure"] == "sure"} == {"rate"}


def test_every_fault_has_a_finding_and_every_finding_a_least_size() -> None:
    assert {own for _, own in faults.FAULTS.values() if own} <= set(LEAST)


def test_sums_by_hand() -> None:
    # Three clips: 4 events, 2 of them hidden, one shown and missed, answered 1; 2 events answered 3 by a wild report;
    # and one in doubt, which is left out.
    rows = pd.DataFrame(
        {
            "clip": ["a", "b", "c"], "status": ["answered"] * 3, "count": [4, 2, 9], "final_answer": [1, 3, 1],
            "not_supplied": [2, 0, 0], "shown_unreported": [1, 0, 8], "not_known": [None] * 3,
            "unsupported": [0, 1, 0], "mis_added": [0, 0, 0], "guessed": [0, 0, 0], "doubted": [0, 0, 1],
            "ledger_consistent": [1, 1, 1],
        }
    )  # fmt: skip
    found = sums(rows)
    assert found is not None
    assert (found["n"], found["doubted"], found["events"], found["answered"]) == (2, 1, 6, 4)
    assert [found[name] for name in TERMS] == [2, 1, None, 1, 0]
    assert adds_up(found)
    assert found["miss_rate"] == 1 / 4
    assert sentence(found).startswith(
        "2 of 3 unreported events were in no supplied frame, 1 were shown; 1 reports"
    )
    assert sums(rows.assign(unsupported=None)) is None


def test_unknown_frames_and_answers_without_a_list_have_sentences_of_their_own() -> None:
    known = {"known": 0, "n": 3, "not_known": 5, "unlisted": 0}
    assert "not known" in sentence(known)
    net = {
        "known": 3,
        "n": 3,
        "unlisted": 3,
        "unreported": 9,
        "unreported_supplied": 2,
        "unsupported": 1,
        "guessed": 0,
    }
    assert (
        sentence(net)
        == "No answer has a list; over clips, 2 events fewer than the frames show were counted, and 1 more."
    )
    assert sentence(None) == "No answer has an account."


def test_words_name_the_finding_and_how_sure_it_is() -> None:
    assert (
        words([Finding("misses", 0.2, 0.1, 0.3, "sure", "20 % unreported")])
        == "misses (sure): 20 % unreported"
    )
