"""One cause for each wrong answer: every branch by hand, and the published showcases as a careful reader has
them.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lft.counting.audit.causes import CAUSES, cause_of, follows
from lft.counting.report import Reported, ReportedEvent, Unparsed
from lft.counting.scores import score_text
from tests.counting.clips import trace_at


def ledger(entries: int, answer: int | None, covers: int = 1) -> Reported:
    return Reported(tuple(ReportedEvent(float(i), covers=covers) for i in range(entries)), answer)


@pytest.mark.parametrize(
    ("report", "count", "evident", "merged", "cause"),
    [
        (ledger(3, 3), 3, 3, 0, None),
        (ledger(1, 3), 3, 3, 0, None),  # right, however
        (Unparsed("empty"), 3, 3, 0, "unparsed"),
        (ledger(3, None), 3, 3, 0, "unparsed"),
        (ledger(3, 4), 3, 3, 0, "mis-added"),
        (ledger(4, 2), 3, 3, 0, "mis-added"),
        (ledger(4, 4), 3, 3, 0, "hallucinated"),
        (ledger(2, 2), 3, 3, 0, "missed"),
        (ledger(1, 1), 3, 2, 0, "missed"),  # one more could have been seen
        (ledger(2, 2), 3, 2, 0, "no-evidence"),
        (ledger(2, 2), 3, 1, 0, "no-evidence"),  # more than the frames show, and still too few
        (ledger(0, 0), 3, 0, 0, "no-evidence"),
        (ledger(0, 0), 3, 1, 0, "missed"),
        (ledger(1, 1), 3, 3, 2, "merged"),
        (ledger(1, 1), 5, 5, 2, "missed"),  # merging explains two of four
        (ledger(0, 2), 3, 3, 0, "missed"),  # no ledger to add up
        (ledger(0, 5), 3, 3, 0, "hallucinated"),
        (ledger(0, 1), 0, 0, 0, "hallucinated"),  # a clip without events
        (ledger(1, 12, covers=12), 10, 10, 0, "hallucinated"),  # an entry that covers 12 adds up to 12
        (ledger(2, 2, covers=6), 12, 12, 10, "merged"),
    ],
)
def test_causes(
    report: Reported | Unparsed, count: int, evident: int, merged: int, cause: str | None
) -> None:
    assert cause_of(report, count, evident, merged) == cause
    assert cause is None or cause in CAUSES


@pytest.mark.parametrize(
    ("report", "expected"),
    [
        (ledger(3, 3), True),
        (ledger(3, 2), False),
        (ledger(0, 0), True),
        (ledger(0, 3), None),
        (ledger(3, None), None),
        (Unparsed("refusal"), None),
        (ledger(1, 12, covers=12), True),
        (ledger(1, 1, covers=12), True),
    ],
)
def test_consistency(report: Reported | Unparsed, expected: bool | None) -> None:
    assert follows(report) is expected


# What a careful reader says of the published showcases: cases 7 and 11 deny any event (mentioning the clip's
# ends is no report), 13 lists and answers one too few, 14 takes three blinks for one. None adds up wrongly.
READER = {
    1: None,
    3: None,
    5: "missed",
    7: "missed",
    9: "missed",
    11: "missed",
    13: "missed",
    14: "merged",
    18: None,
}


@pytest.mark.parametrize("rule", ["ledger", "mentions"])
@pytest.mark.parametrize("tolerance", ["rate", 1.0])
def test_published_showcases(shared: Path, rule: str, tolerance: str | float) -> None:
    cases = json.loads((shared / "real" / "cases.json").read_text())["cases"]
    for case in cases:
        frames = [round(t * 30) for t in case["pixel_times_s"]]
        labels = ["left", "right"] if case["domain"] == "bounce_ball" else ["A", "B"]
        states = ["start", *(labels[k % 2] for k in range(len(frames)))]
        trace = trace_at(frames, case["domain"], states, frequency_hz=case["frequency_hz"])
        row = score_text(case["response"], trace, rule=rule, tolerance=tolerance, evident=len(frames))
        assert row["cause"] == READER[case["id"]], case["id"]
        assert row["ledger_consistent"] is not False
