"""Corrections behind a list: sentences that name earlier entries and take them back, move them, or add one.

An entry is named by its time ("the 0:09 entry") or its number ("entry 3", "the last contact"). A sentence
* takes back what stands in the clause that says so ("should be ignored", "has to go"), and of entries that it calls
  the same event the later ones;
* moves an entry if one of its two times is known and the other is not ("0:07 should be 0:08", "at 5.5 s, not 5.0 s");
* adds an event that it says was missed;
* takes back all others: "only the one at 3.5 s counts";
* takes back the whole list: "in none of these does the ball touch a wall".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from lft.counting.parsing import numerals, times, words
from lft.counting.parsing.judging import Entry
from lft.counting.parsing.tokens import Time

SAME_S = 0.05  # times closer than this are one
_BACK = 25  # entries to which a correction can reach back
_LONGEST = 1500  # characters of a line that are looked at
DROPPED = re.compile(
    r"\b(?:scratch|disregard|ignore|retract|remove|drop|delete|strike) (?:that|this|the last|the previous|"
    r"it)\b"
    r"|\b(?:that|this|the last|the previous)(?: last)?(?: one| entry| event| contact| blink| transition)?"
    r" (?:is|was|'s) (?:wrong|not an?|a mistake|incorrect|a false)"
)
_BEGINS = re.compile(
    r"[\s\W]{0,8}(?:but )?(?:on (?:re)?(?:view|flection|inspection)|looking back|in hindsight|wait|actually|"
    r"correction|hold on|oops|on second thought|no,|hmm|sorry|scratch|upon re-?\w+|on closer|"
    r"looking (?:again|closer))\b"
    r"|[\s\W]{0,8}(?:line|entry|row|item|event|contact|blink|transition) (?:no\. ?|#)?\d{1,3}\b(?![:.]\d)"
    r"[^\n]{0,40}\b(?:should|rather|instead of|not)\b"
)
_DOUBTS = re.compile(r"[.!?] {1,3}(?:but )?(?:wait|hmm|actually|hold on|oops|sorry|no,)")
_NOT_SO = re.compile(
    r"\b(?:still|did ?n.t|did not|does ?n.t|does not|was ?n.t|was not|is ?n.t|is not|not an?|no (?:contact|blink|"
    r"transition|event|change|hit)|remove|false|never|didn't)\b"
)
_DROP = re.compile(
    rf"{words.RETRACTED.pattern}|\b(?:drop|delet|strik|struck|withdraw|dismiss|reject|omit)\w*|"
    r"\btak\w* (?:it |that |this )?back\b|\b(?:leave|left|take|taken|cross|crossed|rul)\w* out\b|\b(?:has|"
    r"have|had|needs?|ought) to go\b|\b(?:is|are|was|were|be) (?:wrong|void|incorrect|spurious|mistaken|"
    r"erroneous|an? (?:duplicate|artefact|artifact|mistake|error|misread\w*|repeat\w*|repetition))\b|"
    r"\b(?:repeats|duplicates|copies)\b|\bshould(?: not|n.t) (?:be (?:here|there|in)|have been|count|appear)"
)
_HINT = re.compile(  # one quick search, for almost no line corrects another
    r"none|neither|same|single|identical|twice|doubl|duplic|repeat|cop(?:y|ies)|ignor|disregard|discard|exclud|remov|drop|delet|retract|"
    r"false|invalid|reject|dismiss|omit|str[iu]|withdr|wrong|spurious|mist|err|void|should|not\b|n't|instead|rather|"
    r"move|shift|correct|chang|really|actually|more like|closer|out\b|back\b|count|go\b|confirm|wait|hold|oops|hmm|"
    r"sorry|scratch|only|but\b|upon|thought|look|on (?:re|in)|no,"
)
_KEPT = re.compile(
    r"\b(?:no|none|neither|nothing|not)\b[^.;,]{0,40}\b(?:remov|drop|ignor|delet|discard|exclud|wrong|false|"
    r"incorrect|dupl)"
)
_NONE = re.compile(  # "in none of these does the ball reach a wall"
    rf"\b(?:none|neither) of (?:these|those|them)\b(?! (?:wall |state )?(?:{words.EVENT_NOUNS}))[^.;]{{0,80}}?"
    rf"\b(?:{words.EVENT_NOUNS}|{words.EVENT_STEMS}|counts?\b|qualif)"
)
_SAME = re.compile(
    r"\b(?:the same|one and the same|a single|one single|identical|duplicates?|double[- ]?count\w*|(?:logged|"
    r"counted|listed|recorded|entered|written) (?:it )?(?:twice|double))\b"
)
_COPY_OF = re.compile(
    r"\b(?:duplicate|repeat|repetition|copy|part) of\b|\b(?:repeats|duplicates|copies)\b|\bsame (?:\w{1,12} )?as\b"
)
_SWAP = re.compile(
    r"\bshould (?:be|have been|read)\b|\bnot\b|\binstead of\b|\brather than\b|\b(?:moved?|shift\w*|"
    r"correct\w*|chang\w*) to\b|\b(?:is|was) (?:really|actually|more like|closer to)\b"
)
_ONLY = re.compile(
    r"(?:^\W*(?:(?:up)?on \w{1,14},? )?|[:,]\s{1,3}|\bso )only\b(?! (?:one|once|if|when)\b)|\bonly\W*$"
    rf"|\bonly (?:{words.EVENT_STEMS})"
)
_REMAINS = re.compile(r"\b(?:counts?|remains?|real|valid|genuine|stands?|correct|(?:is|are) left)\b")
_MISSED = re.compile(
    r"\b(?:(?:should|must|to|me) add|missed|overlooked|left out|omitted|forgot\w*|missing|(?:one|"
    r"an) (?:additional|extra|more|further)\b)"
)
_NUMBERED = re.compile(
    rf"\b(?:entr(?:y|ies)|lines?|events?|contacts?|blinks?|flash(?:es)?|transitions?|items?|rows?|"
    rf"touch(?:es)?|hits?|numbers?|no\.|cue)\s"
    rf"{{0,2}}(?:no\. ?|number |#)?(?P<n>{numerals.NUMBER}\b(?![:.]\d))(?:\s?(?:,|and|&|"
    rf"or)\s?(?:#)?(?P<m>\d{{1,3}}\b(?![:.]\d)))?"
    rf"|\bthe (?P<group>first|last) (?P<size>two|three|four)\b|\bthe (?P<nth>{numerals.ORDINALS}|last|"
    rf"final) (?:\w{{1,12}} )?(?:entry|one|of (?:these|them|those)|event|contact|blink|flash|transition|item|row|"
    r"touch|hit|line|bounce)\b"
)
_LINES = re.compile(r"\b(?:line|entr|row|item|number|no\.|cue)")
_CLAUSE_END = re.compile(r"[,:;]\s|\s-\s|\b(?:because|since|so|and therefore|but)\b")
_SENTENCE_END = re.compile(r"[.!?](?=\s|$)|;\s")


@dataclass(frozen=True, slots=True, eq=False)
class _Named:
    """An entry that is named at a place of the text; by one of its times, or by its number."""

    entry: Entry
    at: int
    time: Time | None = None


def begins(line: str) -> bool:
    """Whether a line starts as a correction."""
    return _BEGINS.match(line) is not None


def apply(view: str, start: int, end: int, lists: list[list[Entry]]) -> bool:
    """Changes or takes back the last entries of `lists` that view[start:end] speaks of; whether it does."""
    if not any(lists):
        return False
    end = min(end, start + _LONGEST)
    line = view[start:end]
    if not _HINT.search(line):
        return False
    if _NONE.search(line) and not _KEPT.search(line):
        for listed in lists:
            _remove(listed, set(listed[-_BACK:]))
        return True
    if not (begins(line) or "only" in line or any(p.search(line) for p in (_DOUBTS, _DROP, _SAME, _SWAP))):
        return False
    before = [entry for listed in lists for entry in listed[-_BACK:]]
    dropped: list[_Named] = []
    alike: list[list[_Named]] = []
    moved = False
    for a, b in _sentences(view, start, end):
        sentence = view[a:b]
        named, new = _named(view, a, b, before)
        if not named:
            continue
        doubted = begins(line) or begins(sentence)
        swaps = _SWAP.search(sentence) or (doubted and named[0].time is None)  # "wait, the second is at 5 s"
        only = None if new else _ONLY.search(sentence)
        if only and (doubted or _REMAINS.search(sentence)):
            kept = {one.entry for one in named if " not " not in view[a + only.start() : one.at]}
            dropped = [_Named(entry, a) for entry in before if entry not in kept]
        elif swaps and len(new) == 1 and len({one.entry for one in named}) == 1:
            time = named[0].time or named[0].entry.times[-1]
            time.time_s, time.end_s, moved = new[0].time_s, new[0].end_s, True
        elif _DROP.search(sentence) and not _KEPT.search(sentence):
            dropped += _taken_back(view, a, b, named)
        elif _SAME.search(sentence) and len(named) > 1:
            alike.append(named)
        elif doubted and _NOT_SO.search(sentence):
            dropped += named
    for group in alike:
        dropped += _later(group, dropped)
    _take_out(dropped, lists)
    return moved or bool(dropped)


def _named(view: str, start: int, end: int, before: list[Entry]) -> tuple[list[_Named], list[Time]]:
    """The entries above that a sentence names, by their times or else their numbers; the times of no entry."""
    above = [entry for entry in before if entry.end <= start]
    said = [(time, _at(time, above)) for time in times.find(view, start, end)]
    named = [_Named(own[-1][0], time.start, own[-1][1]) for time, own in said if own]
    if len({one.time for one in named}) < 2:
        named += _numbered(view, start, end, above)
    return named, [time for time, own in said if not own]


def _later(group: list[_Named], dropped: list[_Named]) -> list[_Named]:
    """Of entries that are one event all but the first, unless one of them is taken back already."""
    if any(one.entry is other.entry for one in group for other in dropped):
        return []
    alone = {one.entry: one for one in group}
    return sorted(alone.values(), key=lambda one: one.entry.times[0].at_s)[1:]


def _take_out(dropped: list[_Named], lists: list[list[Entry]]) -> None:
    gone = set()
    for one in dropped:
        if one.time in one.entry.times and len(one.entry.times) > 1:  # one of "3 s, 5 s and 6 s"
            one.entry.times.remove(one.time)
        else:
            gone.add(one.entry)
    for listed in lists if gone else []:
        _remove(listed, gone)


def missed(entry: Entry, line: str, listed: list[Entry]) -> bool:
    """Whether an entry of prose is an event that a list lacks: "I missed one contact at 5.0 s"."""
    if not listed or not entry.is_event or not _MISSED.search(line[:_LONGEST]):
        return False
    return not any(_at(time, listed[-_BACK:]) for time in entry.times)


def _sentences(view: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    at = start
    for found in _SENTENCE_END.finditer(view, start, end):
        yield at, found.end()
        at = found.end()
    yield at, end


def _at(time: Time, before: list[Entry]) -> list[tuple[Entry, Time]]:
    return [(e, own) for e in before for own in e.times if abs(own.at_s - time.at_s) <= SAME_S]


def _numbered(view: str, start: int, end: int, before: list[Entry]) -> list[_Named]:
    """The entries that a sentence names by their number."""
    named: list[_Named] = []
    for found in _NUMBERED.finditer(view, start, end):
        if found["group"]:
            size = numerals.number(found["size"])
            group = before[-size:] if found["group"] == "last" else before[:size]
            named += [_Named(entry, found.start()) for entry in group]
            continue
        of = before if _LINES.search(found[0]) else [e for e in before if e.is_event or e.count]
        entries = [_number(found[group], of) for group in ("n", "m", "nth") if found[group]]
        named += [_Named(entry, found.start()) for entry in entries if entry]
    return named


def _number(written: str, listed: list[Entry]) -> Entry | None:
    """The entry of a number: the one with that running count, else the n-th."""
    if written in ("last", "final"):
        return listed[-1] if listed else None
    n = numerals.ordinal(written)
    counted = [entry for entry in listed if entry.count == n]
    if counted:
        return counted[0]
    return listed[n - 1] if 0 < n <= len(listed) and not any(e.count for e in listed) else None


def _taken_back(view: str, start: int, end: int, named: list[_Named]) -> list[_Named]:
    """Of the entries that a sentence names those in the clause that takes back, else those before it."""
    drop = _DROP.search(view, start, end)
    assert drop is not None
    cuts = [start, *(found.end() for found in _CLAUSE_END.finditer(view, start, end)), end]
    a = max(cut for cut in cuts if cut <= drop.start())
    b = min((cut for cut in cuts if cut >= drop.end()), default=end)
    copied = _COPY_OF.search(view, start, end)  # "6 s is a duplicate of 5 s"
    if copied:
        named = [one for one in named if one.at < copied.start()] or named
    inside = [one for one in named if a <= one.at < b]
    return inside or [one for one in named if one.at < a] or named


def _remove(listed: list[Entry], gone: set[Entry]) -> None:
    """Takes entries out of a list; the running counts behind them fall by what they counted."""
    kept: list[Entry] = []
    fall, last = 0, 0
    for entry in listed[-_BACK:]:
        risen = entry.count is not None and entry.count > last
        last = entry.count if entry.count is not None else last
        if entry in gone:
            fall += risen
        else:
            if entry.count is not None:
                entry.count -= fall
            kept.append(entry)
    listed[-_BACK:] = kept
