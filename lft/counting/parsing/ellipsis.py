"""Clauses that leave their verb out: "hits the left wall at 2 s, at 4 s the right one".

A clause that names no more than a place, an order or a repetition says what the clause beside it says; so does one of
prose that tells nothing else: no state, no motion, no denial.
"""

from __future__ import annotations

import re
from functools import lru_cache

from lft.counting.parsing import words
from lft.counting.parsing.judging import CONTENT, Entry, tells_else

_PLACE = re.compile(r"\b(?:walls?|left|right|top|bottom|upper|lower|side|one|state|node|to [a-h])\b")
_WALL = re.compile(r"\b(?:walls?|edge|border)\b")
_ENDS = re.compile(r"[.!?](?=[\s\"')]|$)|[。！？]")
_AT_COPULA = re.compile(r"\b(?:is|was|are|were) (?:(?:at|around|about|near) )?\s{0,3}@")
_CJK_LINK = re.compile(
    r"[左右上下再次又球星壁墙牆面側侧边邊のにでがはをもとへ和在到向时時刻点後后最び第一二三四五六에서번째다시왼오른쪽벽과와은는이가からボール공별]+"
)
_BROKEN_OFF = re.compile(r"\bit\W*$")


def share_verbs(listed: list[Entry], said: str = "") -> str:
    """Makes clauses without a verb events beside one that is: "hits a wall at 3 s, then at 5 s. At 7 s, the left one".

    `said`: the words of the event before, "" if there is none; what comes back is that for the next line.
    """
    broken = False
    for entry in listed:
        if entry.announced and (not said or broken):  # "it touches a wall once. That happens at 2.2 s"
            entry.is_event = entry.is_event or (not entry.affirmed and echoes(entry, entry.announced))
        if entry.is_event:
            said, broken = entry.text if entry.affirmed or not said else said, False
        elif not entry.structured and not entry.affirmed and goes_on(entry, said):
            if not said or broken:  # only where a place is named
                named = (_PLACE if said else _WALL).search(entry.own) is not None
                denied = said == "" and words.NO.search(entry.text.partition(";")[0]) is not None
                entry.is_event = named and not denied
            else:
                entry.is_event = True
        else:  # "at 3 s it is in the middle. At 4 s, the right wall"
            said, broken = "" if denies(entry) else said, True
    behind = ""
    for entry in reversed(listed):  # "at 2 s, and again at 4 s, it lights up"
        if entry.is_event:
            behind = entry.text if entry.affirmed else behind
        elif behind and not (entry.structured or entry.affirmed or _ENDS.search(entry.text)):
            entry.is_event = goes_on(entry, behind)
        else:
            behind = ""
    return said


def goes_on(entry: Entry, said: str) -> bool:
    """Whether a clause leaves its verb out, so that it says what `said`, the clause before, says.

    It names no more than a place, an order, a repetition, or what was named before: "hits the left wall at 2 s, at
    4 s the right one", "bei Sekunde 14 zu B".
    """
    text = _AT_COPULA.sub(" ", entry.own)
    if not text.isascii():
        text = _CJK_LINK.sub(" ", text)
    if len(text) >= 120 or "?" in entry.text or _BROKEN_OFF.search(text):
        return False
    if words.NO.search(text) or words.IS.search(text):
        return False
    own = CONTENT.findall(text)
    if all(words.LINK.fullmatch(word) or word in said for word in own):
        return True
    return not entry.structured and len(own) < 12 and not _tells_else(f"{entry.clause} {entry.text}")


def _tells_else(text: str) -> bool:
    """Whether words say that something else than an event is told: a state, a motion, how one looked."""
    if words.IS.search(text) or words.NEGATED.search(text) or words.MOTION.search(text):
        return True
    return tells_else(text)


def echoes(entry: Entry, said: str) -> bool:
    """Whether a clause adds no more than a time, a place or an order to what `said` says."""
    own = CONTENT.findall(_AT_COPULA.sub(" ", entry.own))
    return not words.NO.search(entry.text) and all(words.LINK.fullmatch(word) or word in said for word in own)


@lru_cache(maxsize=1024)
def happens(sentence: str) -> bool:
    """Whether a sentence without a time says that events happen."""
    asks = "?" in sentence or words.METHOD.search(sentence)
    return not asks and not words.NEGATED.search(sentence) and words.STRONG.search(sentence) is not None


def denies(entry: Entry) -> bool:
    """Whether an entry says that something did not happen."""
    return words.NO.search(entry.text) is not None or words.FOREIGN_NOT.search(entry.text) is not None
