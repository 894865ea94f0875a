"""What one entry says: whether it is an event, how many events it covers, and its running count.

An entry is one or more times with one statement about them. *Structured* entries (list, table, JSON) are events
unless their words say otherwise; *prose* is an event only if its clause says that something happened.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache

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
    counts : where running counts stand in it.
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
    counts: list[tuple[int, int]] = field(default_factory=list)


_STARTING = re.compile(
    r"^\W*(?:starting|beginning) (?:at|from|around)\b"
)  # says where the time begins, not the clip
_TOTAL_OF = re.compile(r"\btotal of\s*$|\btotal: ?$")
_WHETHER = re.compile(r"\b(?:any|whether|if)\b")
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
    first = entry.times[0]
    entry.is_event, entry.affirmed, entry.stated = _judged(
        entry.text,
        entry.clause,
        entry.structured,
        len(entry.times) == 1,
        first.time_s == 0,
        open_end,
        first.end_s is not None,
    )
    if any(time.negative for time in entry.times):
        entry.is_event = entry.affirmed = False


@lru_cache(maxsize=4096)  # ledgers say the same words again and again
def _judged(
    text: str, clause: str, structured: bool, single: bool, at_zero: bool, open_end: bool, interval: bool
) -> tuple[bool, bool, int]:
    """(is_event, affirmed, stated)."""
    corrections = [found for found in words.CORRECTION.finditer(text) if found.start() > 12]
    if corrections:
        rest = text[corrections[-1].end() :]
        if words.NEGATED.search(rest) or words.RETRACTED.search(rest) or words.NOTHING.search(rest):
            return False, False, 1
    covers = stated(text) if single else 1
    if words.RETRACTED.search(text):
        return False, False, covers
    rest = words.NEGATED.sub(" ", text) if words.NEGATION_HINT.search(text) else text
    negated = rest != text
    strong = words.STRONG.search(rest) is not None
    if not text.isascii():
        if words.FOREIGN_NOT.search(text):
            return False, False, covers
        strong = strong or words.FOREIGN_EVENT.search(text) is not None
    weak = words.WEAK.search(rest) is not None
    if structured:
        is_event = strong or _listed(rest, weak, negated or open_end, at_zero)
    else:
        is_event = _told(rest, clause, strong, weak, negated, at_zero, interval and covers == 1)
    return is_event, strong or (weak and not negated), covers


def _listed(rest: str, weak: bool, denied: bool, at_zero: bool) -> bool:
    """Whether a structured entry without a word for an event is one."""
    if denied or words.NOTHING.search(rest) or words.META.search(rest):
        return False
    if words.INITIAL.search(rest) or words.STAY.search(rest):
        return False
    if at_zero and words.AT_REST_NAME.search(rest):
        return False
    return weak or not words.MOTION.search(rest)


def _told(
    rest: str, clause: str, strong: bool, weak: bool, negated: bool, at_zero: bool, plain_interval: bool
) -> bool:
    """Whether prose says that something happened."""
    if "?" in rest and (rest.rstrip().endswith("?") or _ASKS.match(rest)):
        return False
    if words.METHOD.search(rest) and (plain_interval or _WHETHER.search(rest)):
        return False
    clause = _STARTING.sub(" ", words.NEGATED.sub(" ", clause))
    still = words.INITIAL.search(clause) or words.STAY.search(clause) or (at_zero and not is_bare(clause))
    if still and not words.STRONG.search(clause):
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
