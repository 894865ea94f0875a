"""The vocabulary, from `words.yaml`, and the rules of reading by name.

Every rule can be switched off (`parse(..., without={"rule"})`), which is how the tests know that each is needed.
"""

from __future__ import annotations

import re
from functools import lru_cache
from importlib.resources import files

import yaml

from lft.counting.parsing import numerals

# What each rule does. Those of the first half judge words, those of the second half structure and lists.
RULES = {
    "happened": "words that say that something happened make an entry an event",
    "came near": "words of coming near do, unless the touch is denied",
    "marks": "arrows and ticks do",
    "foreign words": "words of other languages do, and deny",
    "denied": "what a negation reaches is no event",
    "initial state": "an initial state is no event",
    "state": "what stays, rests or holds, or was only looked at, is no event",
    "motion": "motion without contact is no event",
    "measure": "a duration, length or rate is no event",
    "taken back": "an entry that is rejected in its own words is no event",
    "nothing": "an entry of nothing is no event",
    "list item": "one numbered or bulleted item is one event",
    "timed line": "a line that begins with its time is one event",
    "labelled line": "a line that begins with an event's number is one event",
    "inline items": "numbered items that share a line are one event each",
    "details": "lines below an item are its details",
    "phases": "the phases that an item names are one event",
    "head time": "the time at the head of an item is the event's, the others are remarks",
    "table row": "one row of a table is one event",
    "columns": "the head of a column says what it holds",
    "row of times": "times across a row are one event each",
    "object": "one object with a time is one event",
    "array of times": "an array of times is one event each",
    "object list": "of several lists of objects the one named for events counts",
    "sentence": "what happened at a time named in prose is an event",
    "listed times": "times listed together are one event each",
    "frames": "a cited frame stands for its time",
    "running counts": "an entry whose count does not rise is no event; one whose count rises by more covers more",
    "stated counts": "an entry that says how many covers that many",
    "pairs": "beginnings and ends in turn are one event per beginning",
    "spans of states": "states that follow each other without a gap change where their spans meet",
    "lead": "words above a list say that it is rejected or replaces another",
    "noun": "of several lists the one headed by the word of the question holds",
    "repeated list": "a list that repeats an earlier one is the same list",
    "agreement": "of readings that are possible the one that the answer and the counts agree with holds",
    "numbers agree": "where the times named are as many as the answer says, each is one event",
    "order": "times that do not rise, counts of windows and an event at the start are doubts",
    "hazards": "words that correct, move or leave out something are doubts",
    "numbers taken": "a number that nothing takes is a doubt",
    "other times": "an entry in whose place another time may be meant is a doubt",
    "uniform": "where the answer differs, entries that are not alike are a doubt",
    "last line": "a last line that is an integer and nothing else is the answer",
    "counted sentence": "a reply of one sentence that counts the events is the answer",
}
Off = frozenset[str]
_WORDS: dict[str, list[str]] = yaml.safe_load((files(__package__) / "words.yaml").read_text(encoding="utf-8"))
_ANYWHERE = frozenset({"marks", "marks_at_work", "foreign_event", "foreign_not", "count_keys"})


def alternatives(name: str) -> str:
    """The items of a class of words, as one pattern."""
    return "|".join(_WORDS[name])


@lru_cache(maxsize=64)
def words(name: str) -> re.Pattern[str]:
    """The pattern that finds a word of a class."""
    return re.compile(alternatives(name) if name in _ANYWHERE else rf"\b(?:{alternatives(name)})")


@lru_cache(maxsize=8)
def keys(name: str) -> re.Pattern[str]:
    """The pattern of a whole key of an object or head of a column, of a class."""
    return re.compile(rf"(?:{alternatives(name)})")


@lru_cache(maxsize=8)
def plain_words(*names: str) -> frozenset[str]:
    """The words of classes of plain words, in all their forms."""
    return frozenset().union(*(forms(tuple(_WORDS[name])) for name in names))


@lru_cache(maxsize=64)
def forms(listed: tuple[str, ...]) -> frozenset[str]:
    """Words with their endings: "stop" stands for stops, stopped, stopping, stopper as well.

    >>> {"stops", "stopped", "stopping"} <= forms(("stop",))
    True
    """
    found = set(listed)
    for word in listed:
        stems = [word]
        if word.endswith("e"):
            stems.append(word[:-1])
        elif word.endswith("y"):
            stems.append(word[:-1] + "i")
        elif len(word) > 2 and word[-1] in "bdgklmnprtvz":
            stems.append(word + word[-1])
        found |= {stem + end for stem in stems for end in ("s", "es", "ed", "ing", "er", "ers", "ly", "d")}
        found.add(word + "'s")
    return frozenset(found)


NUMBER = numerals.NUMBER
NOUNS = alternatives("nouns")
COUNT_KEYS, RUNNING_KEYS, PLURALS = (alternatives(name) for name in ("count_keys", "running_keys", "plurals"))
# "running count: 3", "count is now 3", "total so far = 3"; "total of 12 contacts" says what is covered.
_RUNNING = re.compile(
    rf"(?<![a-z])(?=[a-z\u0400-\uffff])(?P<key>(?:(?:{RUNNING_KEYS}) )?(?:{COUNT_KEYS}))"
    rf"(?:(?!\w| of| number of| time)|(?<=第))"
    rf"(?P<filler>[^\d\n|;.]{{0,24}}?)(?P<first>{NUMBER})(?![\w:]|[.,]\d|\s?(?:s|sec|seconds|hz|fps|ms)\b)"
    rf"(?:\s?(?:-|→|to|->)\s?(?P<last>\d{{1,6}})(?![\w:.]))?"
)
_COUNT_HINT = re.compile(r"count|total|tally|sum|cumul|cont|cuent|compt|anzahl|[^\x00-\x7f]")
_IS_RUNNING = re.compile(RUNNING_KEYS)
STATED = re.compile(
    rf"(?<![\w#.:])(?P<n>{NUMBER})[\s-](?:[\w-]{{1,20}} ){{0,3}}?(?:{PLURALS})\b(?! (?:so far|now|per|"
    rf"in total so far))"
    r"|(?P<twice>\btwice\b)|(?P<thrice>\bthrice\b)|(?<!\w)x\s?(?P<x>\d{1,3})(?!\w)|"
    r"(?<![0-9a-z.:第])(?P<cjk>\d{1,3}) ?(?:次|回|번)"
)


def running(view: str, start: int, end: int) -> list[re.Match[str]]:
    """The running counts in view[start:end], as matches of the pattern, which is slow where there is none."""
    hint = _COUNT_HINT.search(view, start, end)
    return list(_RUNNING.finditer(view, max(start, hint.start() - 16), end)) if hint else []


def count_of(found: list[re.Match[str]]) -> tuple[int, bool]:
    """(running count, whether it is called running) of an entry with such matches."""
    named = [match for match in found if _IS_RUNNING.search(match["key"] + match["filler"])]
    chosen = named[0] if named else found[-1]
    return int(chosen["last"]) if chosen["last"] else numerals.number(chosen["first"]), bool(named)


def stated(text: str) -> int:
    """How many events the words say the entry covers; 1 if they do not say.

    >>> stated("the ball hits the walls 12 times"), stated("blinks twice"), stated("hits the left wall")
    (12, 2, 1)
    """
    for found in STATED.finditer(text):
        if found["twice"] or found["thrice"]:
            return 2 if found["twice"] else 3
        value = numerals.number(found["n"] or found["x"] or found["cjk"])
        if value > 1:
            return min(value, 1_000_000)
    return 1
