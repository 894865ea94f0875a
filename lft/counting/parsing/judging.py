"""What one entry says: whether it is an event, how many events it covers, and its running count.

An entry is one or more times with one statement about them. *Structured* entries (list, table, JSON) are events
unless their words say otherwise; *prose* is an event only if its clause says that something happened.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache

from lft.counting.parsing import numerals, words
from lft.counting.parsing.tokens import Time


@dataclass(slots=True, eq=False)
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
    count : the running count beside it; `running` if it is called that.
    clause : of prose, the words between the nearest commas and conjunctions around the times.
    announced : the sentence before, if it says that events happen.
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
    part: str = ""
    marked: bool = False
    said: list[tuple[int, int]] | None = None
    clause: str = ""
    announced: str = ""
    counts: list[tuple[int, int]] = field(default_factory=list)

    @property
    def own(self) -> str:
        """The words nearest to the times: of prose the clause, if it says anything, else the first sentence."""
        if CONTENT.search(self.clause):
            return self.clause
        first = _SENTENCE.match(self.text) if self.structured else None
        return first[0] if first and CONTENT.search(first[0]) else self.text


TIME = "@"  # stands in an entry's text where its times stood
_STARTING = re.compile(
    r"^\W*(?:starting|beginning) (?:at|from|around)\b"
)  # says where the time begins, not the clip
_ASKS = re.compile(r"\W*(?:is|are|was|were|does|did|do|could|can|has|have)\b")
_FIRST_THOUGHT = re.compile(
    r"\b(?:thought|assumed|believed|suspected|seemed|appeared|looked like)\b[^.;]{0,80}\b(?:but|however)\b[^.;]{0,60}"
    r"\b(?:stay|remain|no\b|not\b|\w+n't\b|still|same)"
)
_CONTRAST = re.compile(  # "hits it again, you might think, but it turns before the wall"
    r"\b(?:but|however|though|although|yet)\b[^.;]{0,80}\b(?:short of|before (?:the |a |any |it )?(?:wall|"
    r"reach|touch|contact|hit|mak)|without|no contact|clear of|away from|(?:that|this|it)(?: is|'s|"
    r" was) (?:just|only|merely)\b|(?:not|n't|never) (?:quite |actually |really )?(?:touch|reach|hit|contact|"
    r"make|a\b))"
)
_SENTENCE = re.compile(r"[^.!?]{1,200}[.!?](?=\s)")
_PART = re.compile(r"[^.!?,;。]{1,200}[.!?,;。]")
CROSSED = re.compile(r"[✖✗✘❌🚫]")
_ANSWERED_NO = re.compile(r"[|:;?]\s{0,8}(?:no|none|false)\W*$")
_ASKED_NO = re.compile(  # "Touch: no"
    r"\b(?:contact|touch|blink|flash|transition|change|event|hit|lit)\w{0,6}\s?[:=?]\s{0,3}(?:no|none|false)\b"
)
CONTENT = re.compile(r"[^\W\d_]{3,}")


def set_count(entry: Entry, found: list[re.Match[str]]) -> None:
    """Reads the running count of an entry from the matches of `words.RUNNING` in it."""
    chosen = next(
        (match for match in found if words.RUNNING_KEY.search(match["key"] + match["filler"])), found[-1]
    )
    entry.count = int(chosen["last"]) if chosen["last"] else numerals.number(chosen["first"])
    entry.running = words.RUNNING_KEY.search(chosen["key"] + chosen["filler"]) is not None


def judge(entry: Entry, *, open_end: bool = False) -> None:
    """Sets `is_event`, `affirmed` and `stated` from the entry's words."""
    first = entry.times[0]
    entry.is_event, entry.affirmed, entry.stated = _judged(
        entry.text,
        entry.clause,
        entry.structured,
        len(entry.times),
        first.time_s == 0,
        open_end,
        first.end_s is not None,
    )
    if any(time.negative for time in entry.times):
        entry.is_event = entry.affirmed = False


@lru_cache(maxsize=4096)  # ledgers say the same words again and again
def _judged(
    text: str, clause: str, structured: bool, listed: int, at_zero: bool, open_end: bool, interval: bool
) -> tuple[bool, bool, int]:
    """(is_event, affirmed, stated)."""
    corrections = [found for found in words.CORRECTION.finditer(text) if found.start() > 12]
    if corrections:
        rest = text[corrections[-1].end() :]
        if words.NEGATED.search(rest) or words.RETRACTED.search(rest) or words.NOTHING.search(rest):
            return False, False, 1
    said = stated(text)
    covers = said if listed == 1 else 1
    if words.RETRACTED.search(text):
        return False, False, covers
    if CROSSED.search(text) or _ASKED_NO.search(text):
        return False, False, covers
    rest, denied, strong = _affirmed(text)
    negated = denied or rest != text
    weak = words.WEAK.search(rest) is not None
    if structured:
        denied = negated or open_end or words.FOREIGN_NOT.search(text) is not None
        first = _PART.match(text)
        strong = strong or (first is not None and not text.isascii() and _affirmed(first[0])[2])
        is_event = strong or _listed(rest, weak, denied, at_zero)
    elif listed > 1 and not negated and _lists(rest, said == listed):
        is_event = True
    else:
        is_event = _told(rest, clause, strong, weak, negated, denied, at_zero, interval and covers == 1)
    return is_event, strong or (weak and not negated), covers


def _affirmed(text: str) -> tuple[str, bool, bool]:
    """The text without what is denied in it, whether it denies that something happened (coming near is no event then),
    and whether it still says that something did."""
    rest, denied = text, False
    if words.NEGATION_HINT.search(text):
        rest = words.NEGATED.sub(" ", text)
        denied = rest != text
    if _CONTRAST.search(text) or _FIRST_THOUGHT.search(text):
        return rest, True, False
    said = (words.DONE if denied else words.STRONG).search(rest) or words.FOREIGN_EVENT.search(text)
    return rest, denied, said is not None and words.FOREIGN_NOT.search(text) is None


def _listed(rest: str, weak: bool, denied: bool, at_zero: bool) -> bool:
    """Whether a structured entry without a word for an event is one."""
    if denied or _ANSWERED_NO.search(rest) or words.NOTHING.search(rest) or words.META.search(rest):
        return False
    if words.INITIAL.search(rest) or words.STAY.search(rest):
        return False
    if at_zero and words.AT_REST_NAME.search(rest):
        return False
    return weak or not words.MOTION.search(rest)


def _lists(rest: str, counted: bool) -> bool:
    """Whether prose with several times lists events: "lifts it at 1 s and 5 s", "is lifted twice: at 1 s and 3 s"."""
    if tells_else(rest) or words.NO.search(rest):
        return False
    return counted or not (words.IS.search(rest) or words.MOTION.search(rest))


def _told(
    rest: str,
    clause: str,
    strong: bool,
    weak: bool,
    negated: bool,
    denied: bool,
    at_zero: bool,
    plain_interval: bool,
) -> bool:
    """Whether prose says that something happened: its clause first, then what else the entry says."""
    if "?" in rest and (rest.rstrip().endswith("?") or _ASKS.match(rest)):
        return False
    if plain_interval and words.METHOD.search(rest):
        return False
    own, _, happened = _affirmed(_STARTING.sub(" ", clause))
    if denied:  # "reaches the wall, but does not touch it"
        happened = happened and strong
    if not happened and (
        words.INITIAL.search(own) or words.STAY.search(own) or (at_zero and not names_only(own))
    ):
        return False
    if strong or happened:
        return not (words.META.search(rest) and not words.STRONG.search(words.META.sub(" ", rest)))
    if weak and words.OFF.search(own) and not words.ON.search(own):
        return False
    if words.WEAK.search(own) and not (words.META.search(own) or words.METHOD.search(own)):
        return not negated
    return (
        weak
        and not negated
        and not any(pattern.search(rest) for pattern in (words.INITIAL, words.STAY, words.META, words.METHOD))
    )


def tells_else(text: str) -> bool:
    """Whether words say that something else than an event is told: a state, a method, how one looked."""
    return any(
        pattern.search(text)
        for pattern in (words.FOREIGN_NOT, words.STAY, words.INITIAL, words.META, words.METHOD, words.TELLS)
    )


def names_only(text: str) -> bool:
    """Whether a text says no more than a place, an order or a repetition."""
    return all(words.LINK.fullmatch(word) for word in CONTENT.findall(text))


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
        value = numerals.number(written)
        if value > 1:
            return min(value, 1_000_000)
    return 1
