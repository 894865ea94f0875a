"""From units to claims: what each unit says happened, and when.

A claim is one unit's (of prose: one clause's) statement about one or more times. It keeps the rule that made it.
Where its times may be read in several ways (one event with phases, or several events), it keeps each way, the
likeliest first.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import pairwise

from lft.counting.parsing import lexicon
from lft.counting.parsing.document import Span, Unit
from lft.counting.parsing.judging import NO, OPEN, SUMS_UP, TIME, YES, said
from lft.counting.parsing.lexicon import Off
from lft.counting.parsing.tokens import Time

_TICK_BOX = re.compile(r"\[[x ]?\](?=\s)")
CONTENT = re.compile(r"[^\W\d_]{3,}|[\u3040-\uffff]")
MAX_WORDS = 4_000  # characters before and behind a time that say what happened then
_SAME_S = 0.051
_HEAD = re.compile(
    r"[\s\W]{0,8}(?:(?:t|time|timestamp|ts|at|around|from|between|about|second|interval)\b[\s\W]{0,4}){0,2}"
)
_SEPARATOR = re.compile(r"[,;:。]|\s(?:and|then|but|while|und|dann|y|luego|et|puis|и|затем|whereas)\b")
_PAREN_OFFSET = re.compile(r"\+\s?$")
_LATER = re.compile(
    r"\b(?:until|ends?|ending|off|stops?|back|finish\w*|down|lasting|through|peak\w*|return\w*|fades?|dark|"
    r"when it|before|evidence|gap)\b"
)
_ON_OFF = re.compile(r"\bon\b.*\boff\b|\blights? up\b|\blit\b|\bbright|\bdark\b")
_PHASE = re.compile(
    r"\b(?:begin\w*|start\w*|peak\w*|end(?:s|ing)?|back|returns?|returning|off|down|up|complet\w*|finish\w*|"
    r"low\w*|high\w*|top|bottom|dark|until|lights?|goes|reaches|phase|full\w*|extend\w*)\b"
)


@dataclass(slots=True, eq=False)
class Claim:
    """One statement about times.

    Attributes
    ----------
    rule, start, end, unit : the rule that made it, its place, and the unit that it is of.
    ways : ways to read its times as events, the likeliest first; each is a list of times.
    settled : the first way holds without other evidence.
    words : its words, "@" for times; `polarity`: YES, OPEN or NO.
    ordinal, count, running : its number; its running count, and whether it is called that.
    covers : how many events it says it stands for, 1 if it does not say.
    denied : its words deny an event or take it back.
    begins, ends : it names a visible beginning or end. unsure: it says that it may or may not be.
    counts : places of running counts in it, for its label.
    """

    rule: str
    start: int
    end: int
    unit: Unit
    ways: list[list[Time]]
    words: str
    polarity: int
    settled: bool = True
    covers: int = 1
    count: int | None = None
    running: bool = False
    begins: bool = False
    ends: bool = False
    unsure: bool = False
    named: bool = False
    denied: bool = False
    leftover: list[Time] = field(default_factory=list)
    counts: list[Span] = field(default_factory=list)
    said: list[Span] | None = None

    @property
    def times(self) -> list[Time]:
        """Its times as first read."""
        return self.ways[0]

    @property
    def told(self) -> list[Time]:
        """All times that it names: of an entry those of the unit, of prose those of the clause."""
        return self.unit.times if self.unit.structured else self.times

    @property
    def ordinal(self) -> int | None:
        """The number of its entry."""
        return self.unit.ordinal


def make(view: str, units: list[Unit], noun: str, off: Off) -> list[Claim]:
    """The claims of units with times, in order of the text; `noun`: what the question calls an event."""
    claims: list[Claim] = []
    if "happened" not in off and (asked := _asked_for(noun)):
        view = asked.sub(lambda found: "hit".ljust(len(found[0])), view)
    for unit in units:
        if not unit.times:
            continue
        if unit.structured:
            claims.append(_of_entry(view, unit, off))
        elif "sentence" not in off:
            claims += _of_sentence(view, unit, off)
    ticks = [(claim, _TICK_BOX.search(view, claim.unit.start, claim.unit.body)) for claim in claims]
    if "taken back" not in off and any(tick and "x" in tick[0] for _, tick in ticks):
        for claim, tick in ticks:
            if tick and "x" not in tick[0]:
                claim.polarity, claim.denied = NO, True
    return claims


@lru_cache(maxsize=16)
def _asked_for(noun: str) -> re.Pattern[str] | None:
    """The pattern of the question's word for an event in all its forms ("crossing": cross, crosses, crossed), where it
    is not known by itself as one."""
    word = noun.lower().split()[-1] if noun.split() else ""
    stem = re.sub(r"(?:ing|es|s|e)$", "", word)
    if len(stem) < 3 or not stem.isalpha() or said(word, False, frozenset()).named:
        return None
    return re.compile(rf"\b{stem}(?:{stem[-1]}?ing|{stem[-1]}?ed|e?s|e)?s?\b")


def _words(view: str, start: int, end: int, cuts: list[tuple[int, int, str]]) -> str:
    """A piece with what is cut out replaced, blanks joined."""
    parts, at = [], start
    for a, b, mark in sorted(cuts):
        if a < at or a >= end:
            continue
        parts += [view[at:a], mark]
        at = b
    parts.append(view[at:end])
    return " ".join("".join(parts).split())


def _of_entry(view: str, unit: Unit, off: Off) -> Claim:
    end = min(unit.end, unit.start + 4000)
    found = lexicon.running(view, unit.body, end) if unit.said is None else []
    count, running = (unit.count, False) if not found else lexicon.count_of(found)
    spans = [match.span() for match in found]
    cuts = [(time.start, time.end, f" {TIME} ") for time in unit.times]
    if unit.said is not None:
        words = "; ".join(" ".join(view[a:b].split()) for a, b in unit.said)
    else:
        words = _words(view, unit.body, end, cuts + [(a, b, " ") for a, b in spans])
    judged = said(words, unit.times[0].time_s == 0, off)
    claim = Claim(
        unit.rule, unit.start, unit.end, unit, [unit.times], words, judged.polarity, covers=judged.covers,
        count=count, running=running, begins=judged.begins, ends=judged.ends, unsure=judged.unsure or unit.guessed,
    named=judged.named, denied=judged.denies, counts=spans, said=unit.said, )  # fmt: skip
    if unit.covers is not None:
        claim.covers = max(unit.covers, 1) if "stated counts" not in off else 1
        if unit.covers == 0:
            claim.polarity = NO
    if unit.said is None and "nothing" not in off and SUMS_UP.match(view, unit.body, end):
        claim.polarity, claim.count = NO, None
    if unit.labelled and claim.polarity == NO and not judged.denies and not re.search(r"\binitial", words):
        claim.polarity = YES
    if unit.denied or any(time.negative for time in unit.times):
        claim.polarity = NO
    if any(time.to_end for time in unit.times) and not judged.named:
        claim.polarity = NO
    _read_times(view, claim, off)
    if unit.parts:
        parts = [_of_entry(view, part, off) for part in unit.parts if part.times]
        each = [time for part in parts if part.polarity != NO for time in part.times]
        if len(each) > 1:
            claim.ways.append(each)
            claim.settled = claim.settled and unit.labelled
    return claim


def _span(times: list[Time]) -> Time:
    """One event that spans all times."""
    first = min(time.time_s for time in times)
    last = max(time.time_s if time.end_s is None else time.end_s for time in times)
    return Time(times[0].start, times[-1].end, first, last if last > first else None)


def _read_times(view: str, claim: Claim, off: Off) -> None:
    """The ways to read the times of an entry."""
    unit, times = claim.unit, claim.unit.times
    if unit.spanning:
        claim.ways = [[_span(times)]]
        return
    times = [
        time for time in times if not _PAREN_OFFSET.search(view, max(unit.body, time.start - 3), time.start)
    ] or times
    claim.ways = [times]
    if len(times) == 1:
        return
    if unit.rule == "array of times":
        return
    one = _span(times)
    listed = all(time.linked for time in times[1:])
    head = _HEAD.match(view, unit.body, times[0].start)
    at_head = head is not None and head.end() >= times[0].start and "head time" not in off
    numbered = unit.ordinal is not None and "phases" not in off
    if listed:
        counted = claim.covers == len(times) or (claim.count or 0) == len(times)
        if numbered and not counted:
            claim.ways, claim.settled = [times, [one]], False
        else:
            claim.settled = unit.ordinal is None or counted
        if "listed times" in off:
            claim.ways = [[one]]
        return
    first, rest = times[0], times[1:]
    held = first.end_s is not None and all(
        first.time_s - _SAME_S <= t.time_s <= first.end_s + _SAME_S for t in rest
    )
    if at_head and not first.linked and not rest[0].linked:
        if (
            held
            and not numbered
            and len(rest) > 1
            and len(_PHASE.findall(claim.words)) < 2
            and "listed times" not in off
        ):
            claim.ways = [rest, [first]]
            claim.settled = False
            return
        if held and rest and not _within_words(view, claim, first, off):
            parts = [part for part in _clauses(view, unit, off) if part.polarity != NO]
            parts = [part for part in parts if part.polarity == YES] or parts
            told = [time for part in parts for time in part.times if time is not first]
            if told:
                claim.ways = [told, [first]]
                return
        if held or first.end_s is None:
            claim.ways = [[first], *([rest] if held and len(rest) > 1 else [])]
            if not held and not all(_explained(view, claim, time, off) for time in rest):
                claim.settled = False
                claim.leftover = rest
                claim.ways.append(times)
                if numbered or claim.ends:
                    claim.ways.append([one])
            return
    phases = len(_PHASE.findall(claim.words)) >= 2 or claim.ends
    if numbered:
        claim.ways, claim.settled = [[one], times], phases
        if len(times) == 2 and _ON_OFF.search(claim.words):
            claim.ways[0] = [first]
        if first.end_s is not None and held:
            claim.ways[0] = [first]
        return
    if unit.rule == "table row":
        claim.ways = [times, [one]]
        return
    parts = _clauses(view, unit, off)
    yes = [time for part in parts if part.polarity >= OPEN for time in part.times]
    sure = [time for part in parts if part.polarity == YES for time in part.times]
    if phases and claim.ends and len(times) == 2:
        claim.ways, claim.settled = [[one], [first], times], False
        return
    ways = [way for way in (sure, yes, times, [one]) if way]
    claim.ways, claim.settled = ways, len(sure) == len(times) or (len(sure) == len(yes) > 0)
    if len(sure) == 0 and len(yes) == 0:
        claim.polarity = min(claim.polarity, OPEN)


def _within_words(view: str, claim: Claim, first: Time, off: Off) -> bool:
    """Whether the words behind a head interval, up to the next clause, say that something happened in it."""
    behind = view[first.end : min(claim.unit.end, first.end + 120)]
    if re.search(r"(?<!\()\bat (?:about |around )?\d", behind) and (first.end_s or 0) - first.time_s > 1.5:
        return False  # "5-10 s: to the left; it touches the wall at 7.5 s"
    words = re.split(r"[,;(]\s?|\.(?!\d)", behind, maxsplit=1)[0]
    return said(" ".join(words.split()), False, off).polarity != NO


def _explained(view: str, claim: Claim, time: Time, off: Off) -> bool:
    """Whether the words around a further time say what it is: an end, a duration, a state, a repeat of the head."""
    first = claim.unit.times[0]
    if abs(time.time_s - first.time_s) <= 1.0 and time.clock != first.clock:
        return True
    if abs(time.time_s - first.time_s) <= _SAME_S:
        return True
    near = view[max(claim.unit.body, time.start - 40) : time.start]
    near = re.split(r"[,;.](?=\s)", near)[-1]
    if _LATER.search(near):
        return True
    clause = (
        _SEPARATOR.split(near)[-1]
        + TIME
        + re.split(r"[,;.]\s", view[time.end : min(claim.unit.end, time.end + 60)])[0]
    )
    judged = said(" ".join(clause.split()), False, off)
    return judged.polarity == NO and CONTENT.search(clause) is not None


def _groups(times: list[Time]) -> list[list[Time]]:
    groups: list[list[Time]] = []
    for time in times:
        if time.linked and groups:
            groups[-1].append(time)
        else:
            groups.append([time])
    return groups


def _clauses(view: str, unit: Unit, off: Off) -> list[Claim]:
    """One claim for each group of times that are listed together, with the words nearest to them."""
    groups = _groups(unit.times)
    start, end = unit.body, min(unit.end, unit.body + 4000)
    bounds = [start]
    for before, after in pairwise(groups):
        a, b = before[-1].end, after[0].start
        cut = b
        for found in _SEPARATOR.finditer(view, a, b):
            cut = found.start() + (0 if found[0][0].isspace() else 1)
        if cut == b and CONTENT.search(view, a, b) is None:
            cut = a
        bounds.append(cut)
    bounds.append(end)
    claims = []
    whole = said(_words(view, start, end, [(t.start, t.end, f" {TIME} ") for t in unit.times]), False, off)
    for group, (a, b) in zip(groups, pairwise(bounds), strict=True):
        cuts = [(time.start, time.end, f" {TIME} ") for time in group]
        counted = lexicon.running(view, a, b)
        near = max(a, group[0].start - MAX_WORDS), min(b, group[-1].end + MAX_WORDS)
        words = _words(view, *near, cuts + [(*match.span(), " ") for match in counted])
        judged = said(words, group[0].time_s == 0, off)
        polarity = judged.told
        if polarity == OPEN and whole.told == NO and len(groups) == 1:
            polarity = NO
        count, running = lexicon.count_of(counted) if counted else (None, False)
        claims.append(
            Claim("sentence", a, b, unit, [group], words, polarity, covers=judged.covers, count=count,
                  running=running, begins=judged.begins, ends=judged.ends, unsure=judged.unsure, named=judged.named,
        denied=judged.denies, counts=[match.span() for match in counted]) )  # fmt: skip
    return claims


def _of_sentence(view: str, unit: Unit, off: Off) -> list[Claim]:
    claims = _clauses(view, unit, off)
    if len(claims) > 1:  # a clause without a verb says what the clause beside it says
        for i, claim in enumerate(claims):
            if claim.polarity == OPEN and not CONTENT.search(claim.words.replace(TIME, "")):
                near = claims[i - 1] if i else claims[1]
                claims[i] = replace(claim, polarity=near.polarity)
    for claim in claims:
        if len(claim.times) > 1:
            if "listed times" in off:
                claim.ways = [[_span(claim.times)]]
            elif claim.covers == len(claim.times):
                claim.covers = 1
        if any(time.negative for time in claim.times):
            claim.polarity = NO
        if any(time.to_end for time in claim.times) and claim.polarity != YES:
            claim.polarity = NO
    if "?" in view[unit.start : unit.end] and view[unit.start : unit.end].rstrip(" *_\n").endswith("?"):
        for claim in claims:
            claim.polarity = NO
    return claims
