"""Why an answer is wrong: one cause each, read from what the response asserts.

What is asserted is the ledger, whatever rule the scores use: a time that is only mentioned was not counted by
anyone. The order of the questions is the order of the account: is there an answer; does it follow from the
ledger; is it too high; could more have been seen; was more seen than was listed.
"""

from __future__ import annotations

from lft.counting.report import Reported, Unparsed

UNPARSED = "unparsed"
MISADDED = "mis-added"
HALLUCINATED = "hallucinated"
NO_EVIDENCE = "no-evidence"
MERGED = "merged"
MISSED = "missed"
CAUSES = (NO_EVIDENCE, MISSED, MERGED, HALLUCINATED, MISADDED, UNPARSED)


def ledger_length(ledger: Reported | Unparsed) -> int:
    """Events that the ledger asserts; an entry that says it covers several counts as that many."""
    return sum(event.covers for event in ledger.events) if isinstance(ledger, Reported) else 0


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
    return ledger.final_answer in (len(ledger.events), ledger_length(ledger))


def cause_of(ledger: Reported | Unparsed, count: int, evident: int | None, merged: int) -> str | None:
    """The cause of a wrong answer, None of a right one.

    `evident` is how many of the `count` events the supplied frames give evidence of (see
    `lft.counting.audit.ceiling`), `merged` how many events stand merged in entries of the ledger (see
    `lft.counting.audit.taxonomy`). Where the frames are not known (`evident` None), an answer that is too low has
    no cause that could be told: None.

        unparsed      no final answer
        mis-added     the answer is not what the ledger adds up to
        hallucinated  more than there were: at least one event is invented
        no-evidence   fewer than there were, but as many as the frames show, or more
        merged        fewer than the frames show, and entries that stand for several events make up for it
        missed        fewer than the frames show: evidence was supplied and not reported

    >>> from lft.counting.report import ReportedEvent
    >>> cause_of(Reported((ReportedEvent(1.0), ReportedEvent(2.0)), 3), 2, 2, 0)
    'mis-added'
    """
    answer = ledger.final_answer if isinstance(ledger, Reported) else None
    if answer is None:
        return UNPARSED
    if answer == count:
        return None
    if follows(ledger) is False:
        return MISADDED
    if answer > count:
        return HALLUCINATED
    if evident is None:
        return None
    if answer >= evident:
        return NO_EVIDENCE
    return MERGED if merged and answer + merged >= evident else MISSED
