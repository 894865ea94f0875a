"""What a list as a whole says about one of its entries.

* Where lines say that it lights up, a line that says that it goes dark is no event.
* Where events are numbered ("Blink 1", "Blink 2"), a line without a number that names no event is none.
* In a log of states an entry that names the state before it is no event, nor are intervals that only divide the video.
* An interval that heads the entries inside it is no event of its own.
* Where entries name an event ("touches the wall"), one that says something else ("in between", "dark again", "-") is
  none; a place, an order or a repetition is no more than an ellipsis.

An entry with a running count is left alone: its count decides.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise

from lft.counting.parsing import words
from lft.counting.parsing.ellipsis import goes_on
from lft.counting.parsing.judging import CONTENT, Entry, names_only
from lft.counting.parsing.tokens import Time

_REMARK = re.compile(r"\([^()]{1,40}\)\s{0,4}$")
_LETTER = re.compile(r"\W*([a-z]\d?)\W*")
_ONLY_STATE = re.compile(
    r"\W*(?:in |is |now |the )*(?:active |current |highlighted )?(?:state|node)\s\W?(?:is )?(\w{1,12})\W?"
    r"(?: is)?(?: now| still| currently)?(?: the)?(?: highlighted| active| lit| on)?(?: state)?\W*"
)
_LIT = re.compile(r"\b(?:on|lit|bright\w*|filled|illuminated|glow\w*)\b")
_DARK = re.compile(r"\b(?:off|dark|dim|unlit|outlined?)\b")
_AS_IT_IS = re.compile(
    rf"{words.IS.pattern}|{words.AT_REST_NAME.pattern}|\b(?:highlighted|active|dark|unlit|lit|same)\b"
)
_NUMBERED = re.compile(  # a number behind any noun but those that divide a text or a video
    r"\b(?!(?:frame|step|row|line|item|entry|state|node|part|segment|scene|phase|interval|section|clip|second|sec|"
    r"minute|at|time|count|from|to)s?\b)([a-z][a-z-]{2,15}) (?:number |no\.? )?#?(\d{1,3})\b(?![:.]\d)"
)
_MARK = re.compile(r"[\s@:|(\[]*[^\s\w@:|()\[\].,;][^\w]*")  # a dash or another mark in the place of words


def apply(listed: list[Entry], view: str) -> None:
    """Sets `is_event` of the entries of one list."""
    counts = sum(entry.count is not None for entry in listed)
    numbered = _numbered(listed, view) if counts < len(listed) else set()
    if counts < len(listed):
        _drop_offs(listed)
        _drop_unnumbered(listed, numbered)
        _drop_unlike(listed)
    if not counts:
        _drop_unchanged_states(listed)
        _drop_frames(listed)
        _drop_segments(listed, numbered)


def _drop_unnumbered(listed: list[Entry], numbered: set[Entry]) -> None:
    """Where events are numbered, an entry without number, count or a word for an event is none."""
    for entry in listed if numbered else ():
        if entry not in numbered and entry.count is None and not words.DONE.search(entry.text):
            entry.is_event = entry.affirmed = False


def _drop_unlike(listed: list[Entry]) -> None:
    """Drops entries that say something else than the event that others name."""
    if all(entry.affirmed or not entry.is_event or entry.count is not None for entry in listed):
        return
    named = [entry for entry in listed if entry.is_event and entry.affirmed and CONTENT.search(entry.text)]
    said = " ".join(entry.text[:120] for entry in named[:8])
    worded = 2 * sum(CONTENT.search(entry.text) is not None for entry in listed) >= len(listed)
    for entry in listed:
        if entry.is_event and entry.count is None and not entry.affirmed and entry.stated == 1:
            other = named and entry.structured and not goes_on(entry, said)
            entry.is_event = not other and not (worded and _MARK.fullmatch(entry.text))


def _numbered(listed: list[Entry], view: str) -> set[Entry]:
    """The entries that number their events in order, "Blink 1", "Blink 2"; none if fewer than two do."""
    numbered: set[Entry] = set()
    of = ""
    if len(listed) > 1 and not all(entry.affirmed for entry in listed):
        for entry in listed:
            if not entry.is_event:
                continue
            stop = min(entry.end, entry.start + 300)
            for noun, n in _NUMBERED.findall(view, entry.start, stop):
                if int(n) == len(numbered) + 1 and noun == (of or noun):
                    of = noun
                    numbered.add(entry)
                    break
    return numbered if len(numbered) > 1 else set()


def _drop_segments(listed: list[Entry], numbered: set[Entry]) -> None:
    """Drops intervals that follow each other without a gap and tell states, unless it is lit between dark ones."""
    spans = [entry.times[0] for entry in listed]
    if len(spans) > 2 and all(
        a.end_s is not None and b.end_s is not None and abs(a.end_s - b.time_s) <= 0.11
        for a, b in pairwise(spans)
    ):
        dark = any(_DARK.search(entry.text) for entry in listed)
        for entry in listed:
            told = words.STRONG.search(entry.text) is not None or (
                dark and _LIT.search(entry.text) is not None
            )
            told = told or entry.stated > 1 or entry in numbered or not _tells_state(entry.text)
            entry.is_event = entry.is_event and told


def _tells_state(text: str) -> bool:
    """Whether words that name no event name how something is, or no more than a place."""
    return (
        (CONTENT.search(text) is not None and names_only(text))
        or _state(text) != ""
        or _AS_IT_IS.search(text) is not None
    )


def _drop_offs(listed: list[Entry]) -> None:
    """Where lines say that it lights up, a line without a count that says that it goes dark is no event."""
    offs = [entry for entry in listed if entry.count is None and entry.is_event and _is_off(entry.own)]
    if offs and any((entry.is_event or entry.count) and words.ON.search(entry.own) for entry in listed):
        for entry in offs:
            entry.is_event = entry.affirmed = False


def _drop_frames(listed: list[Entry]) -> None:
    """An interval that heads the entries below it, which lie inside it, is no event of its own."""
    for i, entry in enumerate(listed[:-1]):
        time = entry.times[0]
        if time.end_s is None or len(entry.times) > 1:
            continue
        below = [other for other in listed[i + 1 : i + 3] if all(_inside(t, time) for t in other.times)]
        heads = not entry.affirmed or entry.text.rstrip().endswith(":")
        if len(below) == 2 or (below and below[0] is listed[i + 1] and heads):
            entry.is_event = entry.affirmed = False


def _inside(time: Time, frame: Time) -> bool:
    return time.end_s is None and frame.time_s <= time.time_s <= (frame.end_s or frame.time_s)


@lru_cache(maxsize=4096)
def _is_off(text: str) -> bool:
    return words.OFF.search(text) is not None and not words.ON.search(words.OFF.sub(" ", text))


def _drop_unchanged_states(listed: list[Entry]) -> None:
    """In a log of what is shown, an entry that names the state before it is no event, nor is the first entry."""
    states = [_state(entry.text) for entry in listed]
    if len(set(states)) < 2 or not all(_letter(entry.text) for entry in listed):  # a letter may mean else
        states = ["" if _letter(e.text) else s for e, s in zip(listed, states, strict=True)]
    repeated = False
    for (before, state), entry in zip(pairwise(states), listed[1:], strict=True):
        if state and state == before:
            entry.is_event, repeated = False, True
    if listed and states[0] and (repeated or listed[0].times[0].time_s == 0):
        listed[0].is_event = False


def _letter(text: str) -> re.Match[str] | None:
    """The letter that an entry consists of, but for a remark in brackets."""
    return _LETTER.fullmatch(_REMARK.sub("", text))


def _state(text: str) -> str:
    """The state that the words of an entry consist of, "" if they say more."""
    named = _letter(text)
    if not named and ("state" in text or "node" in text):
        named = _ONLY_STATE.fullmatch(text)
    return named[1] if named else ""
