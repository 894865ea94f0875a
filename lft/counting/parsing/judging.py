"""What one entry says: whether it is an event, how many events it covers, and its running count.

An entry is one or more times with one statement about them. *Structured* entries (list, table, JSON) are events
unless their words say otherwise; *prose* is an event only if its clause says that something happened.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from lft.counting.parsing import words
from lft.counting.parsing.tokens import Time


@dataclass(slots=True)
class Entry:
    """One or more times with one statement about them.

    Attributes
    ----------
    times : at least one; several only if they are listed together ("at 1.0, 2.0 and 3.0 s").
    start, end : the entry's place in the text.
    text : its words without its times.
    structured : see above.
    is_event : what its words say, before running counts are looked at.
    affirmed : words that name an event stand in it.
    stated : how many events it says it covers, 1 if it does not say.
    count : the running count beside it; `running` if it is called that, `trailing` if it is only a last
    number.
    clause : of prose, the words between the nearest commas and conjunctions around the times.
    said : where the label stands, of tables and JSON; None if it is the whole entry without its times.
    part : "start" or "end" where start and end stand on lines of their own.
    """

    times: list[Time]
    start: int
    end: int
    text: str
    structured: bool
    is_event: bool
    affirmed: bool
    stated: int = 1
    count: int | None = None
    running: bool = False
    trailing: int | None = None
    part: str = ""
    marked: bool = False
    said: list[tuple[int, int]] | None = None
    clause: str = ""


_STARTING = re.compile(
    r"^\W*(?:starting|beginning) (?:at|from|around)\b"
)  # says where the time begins, not the clip
_TOTAL_OF = re.compile(r"\btotal of\s*$|\btotal: ?$")
_ASKS = re.compile(r"\W*(?:is|are|was|were|does|did|do|could|can|has|have)\b")
CONTENT = re.compile(r"[^\W\d_]{3,}")
_LINK = re.compile(
    r"(?:then|and|the|again|next|finally|around|about|approximately|also|once|more|last(?:ly|s|ing)?|first|second|third|"
    r"fourth|fifth|left|right|one|another|walls?|ball|star|shape|surface|side|upper|lower|top|bottom|seconds|mark|times|for)"
)


def is_bare(text: str) -> bool:
    """Whether a clause names no more than a place or an order, so that its verb is that of the clause before."""
    if len(text) >= 120 or words.NEGATION_HINT.search(text):
        return False
    return all(_LINK.fullmatch(word) for word in CONTENT.findall(text))


def set_count(entry: Entry, found: list[re.Match[str]]) -> None:
    """Reads the running count of an entry from the matches of `words.RUNNING` in it."""
    chosen = next(
        (match for match in found if words.RUNNING_KEY.search(match["key"] + match["filler"])), found[-1]
    )
    entry.count = int(chosen["last"]) if chosen["last"] else words.number(chosen["first"])
    entry.running = words.RUNNING_KEY.search(chosen["key"] + chosen["filler"]) is not None


def judge(entry: Entry, *, open_end: bool = False) -> None:
    """Sets `is_event`, `affirmed` and `stated` from the entry's words."""
    text = entry.text
    corrections = [found for found in words.CORRECTION.finditer(text) if found.start() > 12]
    if corrections:
        rest = text[corrections[-1].end() :]
        if words.NEGATED.search(rest) or words.RETRACTED.search(rest) or words.NOTHING.search(rest):
            return
    if len(entry.times) == 1 and words.may_state(text):
        entry.stated = stated(text)
    first = entry.times[0]
    if any(time.negative for time in entry.times) or words.RETRACTED.search(text):
        return
    rest = words.NEGATED.sub(" ", text) if words.NEGATION_HINT.search(text) else text
    negated = rest is not text and rest != text
    strong = words.STRONG.search(rest) is not None
    if not text.isascii():
        if words.FOREIGN_NOT.search(text):
            return
        strong = strong or words.FOREIGN_EVENT.search(text) is not None
    weak = words.WEAK.search(rest) is not None
    entry.affirmed = strong or (weak and not negated)
    if entry.structured:
        entry.is_event = _structured_event(rest, first, strong, weak, negated, open_end)
    else:
        entry.is_event = _prose_event(rest, entry, strong, weak, negated)


def _structured_event(
    rest: str, first: Time, strong: bool, weak: bool, negated: bool, open_end: bool
) -> bool:
    if strong:
        return True
    if negated or open_end or words.NOTHING.search(rest) or words.META.search(rest):
        return False
    if words.INITIAL.search(rest) or words.STAY.search(rest):
        return False
    if first.time_s == 0 and words.AT_REST_NAME.search(rest):
        return False
    return weak or not words.MOTION.search(rest)


def _prose_event(rest: str, entry: Entry, strong: bool, weak: bool, negated: bool) -> bool:
    if "?" in rest and (rest.rstrip().endswith("?") or _ASKS.match(rest)):
        return False
    if words.METHOD.search(rest) and (
        (entry.times[0].end_s is not None and entry.stated == 1) or re.search(r"\b(?:any|whether|if)\b", rest)
    ):
        return False
    clause = _STARTING.sub(" ", words.NEGATED.sub(" ", entry.clause))
    if not words.STRONG.search(clause) and (words.INITIAL.search(clause) or words.STAY.search(clause)):
        return False
    if entry.times[0].time_s == 0 and not words.STRONG.search(clause) and not is_bare(clause):
        return False
    if strong:
        return not (words.META.search(rest) and not words.STRONG.search(words.META.sub(" ", rest)))
    if negated or words.INITIAL.search(rest) or words.STAY.search(rest) or words.META.search(rest):
        return False
    if weak:
        return not words.METHOD.search(rest)
    return len(rest) < 40 and words.ORDINAL.search(rest) is not None and not words.MOTION.search(rest)


def stated(text: str) -> int:
    """How many events the words say the entry covers; 1 if they do not say.

    >>> stated("the ball hits the walls 12 times"), stated("blinks twice"), stated("hits the left wall")
    (12, 2, 1)
    """
    for found in words.STATED.finditer(text):
        if found["twice"]:
            return 2
        if found["thrice"]:
            return 3
        written = found["n"] or found["x"] or found["cjk"]
        before = text[max(0, found.start() - 14) : found.start()]
        if words.NOT_STATED_BEFORE.search(before) and not _TOTAL_OF.search(before):
            continue
        value = words.number(written)
        if value > 1:
            return min(value, 1_000_000)
    return 1
