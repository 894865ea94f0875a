"""Why an answer is wrong: one cause each, read off its account (see `lft.counting.audit.account`).

What is asserted is the ledger, whatever rule the scores use: a time that is only mentioned was not counted by
anyone. The order of the questions is the order of the account: is there an answer; was it read without doubt; is
there a ledger, and does the answer follow from it; is it too high; was all reported that was shown; was more.
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
    """Whether the answer equals the ledger's own length; None without an answer or without a ledger to add
    up.

    A response that lists nothing and answers 0 follows. An entry that covers several may count once or in
    full.
    """
    if isinstance(ledger, Unparsed) or ledger.final_answer is None:
        return None
    if not ledger.events:
        return True if ledger.final_answer == 0 else None
    return ledger.final_answer in (len(ledger.events), sum(event.covers for event in ledger.events))


def cause_of(ledger: Reported | Unparsed, account: Account | None) -> str | None:
    """The cause of a wrong answer, None of a right one. `account` is that of the ledger.

        unparsed         no final answer
        unclear-reading  what the cause would rest on was not read without doubt
        undercounted     fewer than there were, and no ledger says which
        overcounted      more than there were, and no ledger says which
        mis-added        the answer is not what the ledger adds up to
        hallucinated     more than there were: at least one event is invented
        no-evidence      exactly what the frames show, which is less than there was
        unsupported      fewer than there were, and as many as the frames show or more, but not what they show
        merged           fewer than the frames show, and entries that stand for several events make up for it
        missed           fewer than the frames show: evidence was supplied and not reported

    Where the frames are not known, an answer that is too low has no cause that could be told: None.

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
