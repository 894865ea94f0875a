"""What the words of an entry say: that something happened, that nothing did, or neither.

Judged from words alone, so equal words are judged once. "@" stands where a time stood.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from lft.counting.parsing.lexicon import Off, alternatives, stated, words

YES, OPEN, NO = 1, 0, -1
TIME = "@"
_SET_OFF = re.compile(r"@\W{0,4}(?:→|->|=>)")
SUMS_UP = re.compile(r"\W*(?:grand )?(?:totals?|summary|overall|in total|sum)\b")
_NEGATION_HINT = re.compile(
    r"n't\b|\b(?:no|not|never|without|neither|nor|zero|none|lack|absence|absent|free|avoid|fail|about|almost|"
    r"nearly|yet|"
    r"before|close|short|prior|instead|rather|after|having|misses|until|since|cannot|would|might|thought|"
    r"assumed|suspected|if|"
    r"whether|look|search|scan|watch|check|may or may|possibl)"
)
_REACHED = (
    rf"(?:{alternatives('done')}|{alternatives('coming')}|{alternatives('weak')}|"
    r"activity|movement|motion|action|interaction|wall|rest\b)"
)
# The stem that a negation reaches, up to four words on, with what is coordinated: "no blinks or changes".
_NEGATED = re.compile(
    r"(?:\w{2,8}n't|\b(?:no|not|nothing|never|without|neither|nor|zero|lacks?|lacking|absence of|free of|avoid\w*|"
    r"fail(?:s|ed|ing)? to|about to|almost|nearly|yet to|before|close to|short of|prior to|instead of|"
    r"rather than|after|having|"
    r"misses|until|since|cannot|thought|assumed|suspected|would(?! (?:say|put|estimate|place|guess|count))|"
    r"might|if|whether|"
    r"(?:look|search|scan|watch|check)(?:s|ed|ing)? for))"
    rf"(?:[\s-]{{1,3}}[\w'-]{{1,24}}){{0,4}}?[\s-]{{1,3}}{_REACHED}\w{{0,12}}(?:[\s-]{_REACHED}\w{{0,12}}){{0,2}}"
    rf"(?:(?:\s?[,/]\s?(?:(?:or|nor|and)\s)?|\s(?:or|nor|"
    rf"and)\s)(?:[\w'-]{{1,24}}\s){{0,2}}?{_REACHED}\w{{0,12}}){{0,3}}"
)
_BUT_NOT = re.compile(
    r"\b(?:but|however|though|although|yet)\b[^.;]{0,80}\b(?:short of|before (?:the |a |any |it )?(?:wall|reach|"
    r"touch|contact|"
    r"hit|mak)|without|no contact|clear of|away from|(?:that|this|it)(?: is|'s| was) (?:just|only|merely)\b|"
    r"(?:not|n't|never) (?:quite |actually |really )?(?:touch|reach|hit|contact|make|a\b)|(?:stay|remain)s?\b)"
    r"|\bnone of (?:them|these|those|which)\b|\bneither of (?:them|these|which)\b"
)
# What begins or follows where a denial ends: "nothing until 0:13, when it glowed again".
_UNTIL = re.compile(
    r"\b(?:nothing|no \w+|not)\b[^,;@]{0,30}\b(?:until|till|before) @,? (?:when|where|at which)\b"
)
_CROSSED = re.compile(r"[✖✗✘❌🚫☐⬜◻]")
_ASKED_NO = re.compile(
    r"\b(?:contact|touch|blink|flash|transition|change|event|hit|lit)\w{0,6}\s?[:=?]\s{0,3}(?:no|none|false)\b"
    r"|@[^?@]{0,60}\?\s{1,3}(?:no|nope)\b(?=[,.;:!-])[^@]*$|[|:;?]\s{0,8}(?:no|none|false)\W*$"
)
_ONLY = re.compile(r"^\W*(?:off|(?:the )?end|ends|finish|stop|start|begin|-|–|no|none|no change)\W*$")
_PLACE_AT_ZERO = re.compile(
    r"\b(?:state|node|position|cent(?:er|re)|middle|floating|start|begin|off\b|outlined?)|^[\W\d]*[a-h]?\W*$"
)
_MEASURED = re.compile(
    r"\W*(?:[a-z]+ ){0,3}(?:intervals?|durations?|length|period|frequency|gaps?|spacing|rate|"
    r"fps)\b[^@:]{0,40}[:=]\s{0,3}(?:@|$)|\W*(?:video|clip)\W"
)
_UNSURE = re.compile(
    r"\b(?:may or may not|possibl[ey]|perhaps|maybe|might (?:be|have)|not sure|unsure|unclear whether|can(?:not|"
    r"'t) tell)\b|\(\?\)|\?\?"
)


class Said(NamedTuple):
    """What words say. `polarity` of an item of a list, `told` of prose: YES, OPEN or NO; `covers`: how many events;
    `begins`, `ends`: words of a visible beginning or end; `unsure`: it says that it may or may not be.
    """

    polarity: int
    told: int
    covers: int
    begins: bool
    ends: bool
    unsure: bool
    named: bool
    denies: bool


@lru_cache(maxsize=8192)  # ledgers say the same words again and again
def said(text: str, at_zero: bool, off: Off) -> Said:
    """Judges the words of one entry; `at_zero`: its time is 0."""

    def has(rule: str, name: str, where: str) -> bool:
        return rule not in off and words(name).search(where) is not None

    text = _UNTIL.sub(" @ ", text)
    rest = _NEGATED.sub(" ", text) if "denied" not in off and _NEGATION_HINT.search(text) else text
    denied = rest != text
    contrary = "denied" not in off and (
        _BUT_NOT.search(text) is not None or _ASKED_NO.search(text) is not None
    )
    happened = (
        has("happened", "done", rest)
        or has("marks", "marks", _SET_OFF.sub(TIME, rest))
        or (not denied and has("came near", "coming", rest))
        or has("foreign words", "foreign_event", text)
    )
    foreign_no = has("foreign words", "foreign_not", text)
    happened = happened and not foreign_no and not contrary
    weak = has("happened", "weak", rest) and not contrary
    still = has("initial state", "initial", rest) or has("state", "stay", rest)
    still = still or (at_zero and "initial state" not in off and _PLACE_AT_ZERO.search(rest) is not None)
    still = still or ("nothing" not in off and _ONLY.match(rest) is not None)
    none = has("nothing", "nothing", rest) or foreign_no
    measured = has("measure", "meta", rest)
    if "measure" not in off and _MEASURED.match(text):
        happened = False
    ends = has("pairs", "ending", rest)
    begins = has("pairs", "beginning", words("ending").sub(" ", rest) if ends else rest)
    taken_back = has("taken back", "retracted", text) or (
        "taken back" not in off and _CROSSED.search(text) is not None
    )
    moves = has("motion", "motion", rest)
    looked = has("state", "method", rest)
    covers = stated(text) if "stated counts" not in off else 1
    unsure = _UNSURE.search(text) is not None
    named = happened and not still
    if "nothing" not in off and SUMS_UP.match(text):
        return Said(NO, NO, covers, begins, ends, unsure, False, True)
    if taken_back or contrary:
        return Said(NO, NO, covers, begins, ends, unsure, named, True)
    if happened:
        polarity = YES
    elif denied or none or measured or still:
        polarity = NO
    else:
        polarity = YES if weak else NO if moves else OPEN
    if happened:
        told = NO if still and at_zero else OPEN if (measured or looked or still) else YES
    elif denied or none or measured or still or looked or moves:
        told = NO
    else:
        told = YES if weak and not (ends and not begins) else NO if ends and not begins else OPEN
    return Said(polarity, told, covers, begins, ends, unsure, named, denied or none)
