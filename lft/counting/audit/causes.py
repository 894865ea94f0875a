"""The cause of a wrong answer, from its account (see `lft.counting.audit.account`).

Causes use the ledger, whatever rule the scores use: a time that is only mentioned is not part of a count.
The questions, in order: is there an answer; was it read without doubt; is
there a ledger, and does the answer follow from it; is it too high; were all shown events reported; were more.
"""

from __future__ import annotations

from lft.counting.audit.account import Account
from lft.counting.reported import Reported, Unparsed

UNPARSED = "unparsed"
UNCLEAR = "unclear-reading"
UNDERCOUNTED = "undercounted"
OVERCOUNTED = "overcounted"
MISADDED = "mis-added"
HALLUCINATED = "hallucinated"
UNSUPPORTED = "unsupported"
NO_EVIDENCE = "no-evidence"
MERGED = "merged"
MISSED = "missed"
CAUSES = (
    NO_EVIDENCE, MISSED, MERGED, UNSUPPORTED, HALLUCINATED, MISADDED, UNDERCOUNTED, OVERCOUNTED, UNCLEAR, UNPARSED,
)  # fmt: skip


def follows(ledger: Reported | Unparsed) -> bool | None:
    """Whether the answer equals the length of the ledger; None without an answer or a ledger.

    An empty list with the answer 0 follows. An entry that covers several events may count once or in full.
    """
    if isinstance(ledger, Unparsed) or ledger.final_answer is None:
        return None
    if not ledger.events:
        return True if ledger.final_answer == 0 else None
    return ledger.final_answer in (len(ledger.events), sum(event.covers for event in ledger.events))


def cause_of(ledger: Reported | Unparsed, account: Account | None) -> str | None:
    """The cause of a wrong answer, None for a right one. `account` is that of the ledger.

    unparsed         no final answer
    unclear-reading  the reading is in doubt
    undercounted     too low, without a ledger
    overcounted      too high, without a ledger
    mis-added        the answer is not the sum of the ledger
    hallucinated     too high: at least one event is invented
    no-evidence      exactly the events that the frames show
    unsupported      too low, and as many events as the frames show or more, but not those that they show
    merged           fewer than the frames show; entries that cover several events explain the difference
    missed           fewer than the frames show: events with evidence were not reported

    None for a too low answer if the frames are unknown.

    >>> from lft.counting.reported import ReportedEvent
    >>> two = Reported((ReportedEvent(1.0), ReportedEvent(2.0)), 3)
    >>> cause_of(two, Account(2, 3, 0, 0, None, 0, 1))
    'mis-added'
    """
    if not isinstance(ledger, Reported) or account is None:
        return UNPARSED
    if account.answer == account.count:
        return None
    if ledger.answer_doubted or ledger.events_doubted:
        return UNCLEAR
    if not account.listed:
        return UNDERCOUNTED if account.answer < account.count else OVERCOUNTED
    if account.mis_added:
        return MISADDED
    if account.answer > account.count:
        return HALLUCINATED
    if account.shown is None or account.shown_unreported is None:
        return None
    if account.answer >= account.shown:
        return UNSUPPORTED if account.unsupported else NO_EVIDENCE
    return MERGED if account.merged and account.answer + account.merged >= account.shown else MISSED
