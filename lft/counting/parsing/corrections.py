"""Corrections between the lines: "wait, 0:05 was not a contact", "0:07 should be 0:08", "scratch that"."""

from __future__ import annotations

import re

from lft.counting.parsing import words
from lft.counting.parsing.judging import Entry
from lft.counting.parsing.tokens import Time

SAME_S = 0.05  # times closer than this are one
_BACK = 100  # entries to which a correction can reach back
DROPPED = re.compile(
    r"\b(?:scratch|disregard|ignore|retract|remove|drop|delete|strike) (?:that|this|the last|"
    r"the previous|it)\b"
    r"|\b(?:that|this|the last|the previous)(?: last)?(?: one| entry| event| contact| blink| transition)?"
    r" (?:is|was|'s) (?:wrong|not an?|a mistake|incorrect|a false)"
)
_CORRECTING = re.compile(
    r"[\s\W]{0,8}(?:but )?(?:wait|actually|correction|hold on|oops|on second thought|no,|hmm|sorry|"
    r"scratch|upon re-?\w+|"
    r"on closer|looking (?:again|closer))\b"
)
_NOT_SO = re.compile(
    r"\b(?:did ?n.t|did not|does ?n.t|does not|was ?n.t|was not|is ?n.t|is not|not an?|no (?:contact|"
    r"blink|transition|event|"
    r"change|hit)|remove|false|never|didn't)\b"
)
_SWAPPED = re.compile(r"\b(?:instead of|rather than)\b")
_SWAP = re.compile(r"\bshould (?:be|have been)\b|\bnot\b.{0,40}\bbut\b")


def begins(line: str) -> bool:
    """Whether a line starts as a correction."""
    return _CORRECTING.match(line) is not None


def apply(line: str, said: list[Time], lists: list[list[Entry]]) -> bool:
    """Changes or takes back the last entries of `lists` at the times said; whether the line is a correction."""
    before = [entry for listed in lists for entry in listed[-_BACK:]]
    swap, instead = _SWAP.search(line), _SWAPPED.search(line)
    if (swap or instead) and len(said) >= 2:
        wrong, right = (said[0], said[1]) if swap else (said[1], said[0])
        for entry in before:
            for time in entry.times:
                if abs(time.at_s - wrong.at_s) <= SAME_S:
                    time.time_s, time.end_s = right.time_s, right.end_s
                    return True
    if not (_NOT_SO.search(line) or words.RETRACTED.search(line)):
        return False
    for entry in before:
        entry.times = [t for t in entry.times if all(abs(t.at_s - wrong.at_s) > SAME_S for wrong in said)]
    for listed in lists:
        listed[-_BACK:] = [entry for entry in listed[-_BACK:] if entry.times]
    return True
