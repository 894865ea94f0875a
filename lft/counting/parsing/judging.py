"""What one entry says: whether it is an event, how many events it covers, and its running count.

An entry is one or more times with one statement about them. *Structured* entries (list, table, JSON) are events
unless their words say otherwise; *prose* is an event only if its clause says that something happened.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

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
_LIT = re.compile(r"\b(?:is|are|was|were) (?:on|lit(?: up)?|bright|illuminated)\b(?! the)")
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
    r"|@[^?@]{0,60}\?\s{1,3}(?:no|nope)\b(?=[,.;:!-])[^@]*$"  # "Blink at 9 s? No, it stays dark."
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
    said = stated(text)
    covers = said if listed == 1 else 1
    corrected = [found.end() for found in words.CORRECTION.finditer(text) if found.start() > 12]
    if corrected:
        last = text[corrected[-1] :]
        if words.NEGATED.search(last) or words.NOTHING.search(last):
            return False, False, 1
    if words.RETRACTED.search(text) or CROSSED.search(text) or _ASKED_NO.search(text):
        return False, False, covers
    own = _read(text)
    if structured:
        first = None if own.strong or text.isascii() else _PART.match(text)
        if first and _read(first[0]).strong:  # what is denied stands in another part
            own = own._replace(strong=True)
        is_event = _listed(own, text, at_zero, open_end)
    elif listed > 1 and not own.denied and _lists(own.rest, said == listed):
        is_event = True
    else:
        is_event = _told(own, clause, at_zero, interval and covers == 1)
    return is_event, own.strong or (own.weak and not own.denied), covers


class _Said(NamedTuple):
    """What words say: `rest` is the text without what is `denied` in it; `strong`: it says that something happened;
    `weak`: it may."""

    rest: str
    denied: bool
    strong: bool
    weak: bool


def _read(text: str) -> _Said:
    rest = words.NEGATED.sub(" ", text) if words.NEGATION_HINT.search(text) else text
    weak = words.WEAK.search(rest) is not None
    if _CONTRAST.search(text) or _FIRST_THOUGHT.search(text):
        return _Said(rest, True, False, weak)
    denied = rest != text  # coming near is no event where the touch is denied
    named = (words.DONE if denied else words.STRONG).search(rest) or words.FOREIGN_EVENT.search(text)
    return _Said(rest, denied, named is not None and words.FOREIGN_NOT.search(text) is None, weak)


def _listed(own: _Said, text: str, at_zero: bool, open_end: bool) -> bool:
    """Whether a structured entry is an event: unless its words say otherwise."""
    if own.strong:
        return True
    if own.denied or open_end or words.FOREIGN_NOT.search(text) or _ANSWERED_NO.search(own.rest):
        return False
    if any(p.search(own.rest) for p in (words.NOTHING, words.META, words.INITIAL, words.STAY)):
        return False
    if at_zero and words.AT_REST_NAME.search(own.rest):
        return False
    return own.weak or not words.MOTION.search(own.rest)


def _lists(rest: str, counted: bool) -> bool:
    """Whether prose with several times lists events: "lifts it at 1 s and 5 s", "is lifted twice: at 1 s and 3 s"."""
    if tells_else(rest) or words.NO.search(rest):
        return False
    return counted or not (words.IS.search(rest) or words.MOTION.search(rest))


def _told(whole: _Said, clause: str, at_zero: bool, plain_interval: bool) -> bool:
    """Whether prose says that something happened: its clause first, then what else the entry says."""
    rest = whole.rest
    if "?" in rest and (rest.rstrip().endswith("?") or _ASKS.match(rest)):
        return False
    if plain_interval and words.METHOD.search(rest):
        return False
    if plain_interval and not whole.denied and _LIT.search(rest):
        return True
    own = _read(_STARTING.sub(" ", clause))
    happened = own.strong and (whole.strong or not whole.denied)  # "reaches the wall, but does not touch it"
    if not happened and (words.INITIAL.search(own.rest) or words.STAY.search(own.rest)):
        return False
    if not happened and at_zero and not names_only(own.rest):
        return False
    if whole.strong or happened:
        return not words.META.search(rest) or words.STRONG.search(words.META.sub(" ", rest)) is not None
    if whole.denied or not whole.weak or (words.OFF.search(own.rest) and not words.ON.search(own.rest)):
        return False
    if own.weak:
        return not (words.META.search(own.rest) or words.METHOD.search(own.rest))
    return not any(p.search(rest) for p in (words.INITIAL, words.STAY, words.META, words.METHOD))


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
        value = numerals.number(found["n"] or found["x"] or found["cjk"])
        if value > 1:
            return min(value, 1_000_000)
    return 1
