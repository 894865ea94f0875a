"""One cause for each wrong answer: every branch by hand, and the published showcases as a careful reader has
them.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from lft.counting.audit.account import Evidence, account, standing
from lft.counting.audit.causes import CAUSES, cause_of, follows
from lft.counting.match import match
from lft.counting.reported import Doubt, Reported, ReportedEvent, Unparsed
from lft.counting.scores import score_text
from tests.counting.clips import trace_at

R = ReportedEvent


def ledger(entries: int, answer: int | None, covers: int = 1, **more: Any) -> Reported:
    """Entries at 0, 1, 2, ... s."""
    return Reported(tuple(ReportedEvent(float(i), covers=covers) for i in range(entries)), answer, **more)


def cause(report: Reported | Unparsed, count: int, evident: int | None) -> str | None:
    """The cause where events happen at 0, 1, 2, ... s and the frames show the first `evident` of them."""
    trace = trace_at([30 * i for i in range(count)])
    evidence = None
    if evident is not None:
        evidence = Evidence(tuple(i < evident for i in range(count)), 0.0)
    events = report.events if isinstance(report, Reported) else ()
    matching = match(trace.times_s, [e.time_s for e in events], 0.25)
    answer = report.final_answer if isinstance(report, Reported) else None
    stood = standing(events, trace, matching, 0.25, evidence, answer=answer)
    return cause_of(report, account(report, stood, count, evidence))


DOUBTED_LIST, DOUBTED_ANSWER = (Doubt("unused-time"),), (Doubt("several-answers"),)


@pytest.mark.parametrize(
    ("report", "count", "evident", "expected"),
    [
        (ledger(3, 3), 3, 3, None),
        (ledger(1, 3), 3, 3, None),  # right, however
        (Unparsed("empty"), 3, 3, "unparsed"),
        (ledger(3, None), 3, 3, "unparsed"),
        (ledger(3, 4), 3, 3, "mis-added"),
        (ledger(4, 2), 3, 3, "mis-added"),
        (ledger(4, 4), 3, 3, "hallucinated"),
        (ledger(2, 2), 3, 3, "missed"),
        (ledger(1, 1), 3, 2, "missed"),  # one more could have been seen
        (ledger(2, 2), 3, 2, "no-evidence"),
        (ledger(2, 2), 3, 1, "unsupported"),  # more than the frames show, and still too few
        (
            Reported((R(1.0), R(9.0)), 2),
            4,
            2,
            "unsupported",
        ),  # as many as shown, and one of them was not
        (ledger(0, 0), 3, 0, "no-evidence"),
        (ledger(0, 0), 3, 1, "missed"),
        (Reported((R(1.0, end_s=2.0),), 1), 3, 3, "merged"),  # 0 to 2 s spans all three
        (Reported((R(1.0, end_s=2.0),), 1), 5, 5, "missed"),  # merging explains two of four
        (Reported((R(1.0, end_s=2.0),), 1), 5, 3, "merged"),  # and all that was shown
        (ledger(0, 2), 3, 3, "undercounted"),  # no ledger to add up
        (ledger(0, 5), 3, 3, "overcounted"),
        (ledger(0, 1), 0, 0, "overcounted"),  # a clip without events
        (ledger(1, 1), 0, 0, "hallucinated"),
        (ledger(1, 12, covers=12), 10, 10, "hallucinated"),  # an entry that covers 12 adds up to 12
        (ledger(2, 2, covers=6), 12, 12, "merged"),
        (ledger(2, 2), 3, None, None),  # too low, and nobody knows which frames were supplied
        (ledger(4, 4), 3, None, "hallucinated"),
        (ledger(3, 4), 3, None, "mis-added"),
        # No verdict on doubt, whatever it would have been; a right answer needs none, and no answer is none.
        (ledger(2, 2, doubts=DOUBTED_LIST), 3, 3, "unclear-reading"),
        (ledger(3, 4, doubts=DOUBTED_LIST), 3, 3, "unclear-reading"),
        (ledger(4, 4, doubts=DOUBTED_ANSWER), 3, 3, "unclear-reading"),
        (ledger(0, 5, doubts=DOUBTED_LIST), 3, 3, "unclear-reading"),
        (ledger(2, 2, doubts=DOUBTED_LIST), 3, None, "unclear-reading"),
        (ledger(3, 3, doubts=DOUBTED_LIST), 3, 3, None),
        (ledger(2, None, doubts=DOUBTED_ANSWER), 3, 3, "unparsed"),
    ],
)
def test_causes(report: Reported | Unparsed, count: int, evident: int | None, expected: str | None) -> None:
    assert cause(report, count, evident) == expected
    assert expected is None or expected in CAUSES


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
