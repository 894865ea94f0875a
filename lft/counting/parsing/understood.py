"""Whether a reading has earned its silence: a closed world.

A second look at the text that trusts nothing the resolver chose. Every number has to be taken: by an event, by its
number or count, by the answer, or by a sentence that says what else it is. Every word beside a number has to be known,
from the list of harmless description (`harmless.txt`) or from what the rules understand. Words that work on times,
order or number (`operators`: "offset", "slowed", "wait", "except") are never harmless. Where one of these fails,
there is a doubt: what the reader does not know, it does not read in silence.

What is known without its words
-------------------------------
Where the final answer agrees with a list of one event to each entry, in order, the words of its entries are
description, whatever they are, if none is an operator. Where the answer differs, that is a fault of the model only if
the whole text is understood to its last word.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator
from functools import cached_property, lru_cache
from itertools import islice, pairwise
from typing import NamedTuple

from lft.counting.parsing import lexicon, mentions, numerals, tokens
from lft.counting.parsing.claims import MAX_WORDS, Claim
from lft.counting.parsing.judging import NO, YES
from lft.counting.parsing.lexicon import Off, forms, harmless, plain_words, words
from lft.counting.parsing.measures import Measures
from lft.counting.parsing.resolve import SAME_S, Resolved
from lft.counting.reported import Context, Doubt

_SECONDS = r"s|secs?|seconds?|sekunden?|segundos?|secondes?|秒|초|сек\w*"
_LETTER = "[ensotzf]"  # that a number word begins with
_NUMBER = re.compile(
    rf"\d+(?:[.,:;]\d+)*(?P<unit>[\s-]?(?:m?s|{_SECONDS})(?![^\W_]))?|\b(?={_LETTER})(?:{numerals.WORD})[\s-]seconds?\b"
)
_WORD = re.compile(r"(?<!\d)[^\W\d_]+(?:['’][^\W\d_]+)?")
_BREAK = re.compile(r"[.!?;](?=\s)(?<!\b(?:i\.e|e\.g)\.)(?<!\b(?:ca|no|vs)\.)(?<!\bapprox\.)|[。！？\n]")
_FINAL = re.compile(r"(?:boxed|fbox)\s?\{[^{}]{0,200}\}")
_BOX = re.compile(r"boxed\s{0,3}\{[^{}\d]{0,20}(\d{1,6})[^{}\d]{0,20}\}")
_MEASURE_AFTER = re.compile(r"[\s-]?(?:hz|fps|%|px|pixels?|°|deg|cm\b|m/s|frames? per)")
_MEASURE_BEFORE = re.compile(
    r"(?:±|\+/?-|confidence|uncertainty|accuracy|score|prob\w*|fps|duration\w*|length|version|tolerance|"
    r"frame rate)[\"'\s:=~(]{0,5}(?:is|of)?\s?$"
)
_PART = re.compile(r"(\d)/(\d{1,4}) ?s(?:econds?)?")
_SURE = re.compile(r"\b(?:confiden\w*|certainty|rating)\b")
_NUMBERED_HEAD = re.compile(r"[\s\W]{0,12}(?:(?:step|part|section|phase|stage|turn|answer)\s)?\#?$")
_EVERY = re.compile(
    rf"\b(?:every|per|each) (?:(?:(?P<d>\d+(?:\.\d+)?)|(?P<n>{numerals.WORD})) ?)?(?:s|secs?|seconds?)\b"
)
_EVERY_HINT = re.compile(r"\b(?:every|per|each)\b")
_UP_TO = re.compile(
    r"\b(?:after|past|since|beyond|until|till|following|before|between|from|by|to|and|then)\W*$|-\s?$"
)
_NEGATES = re.compile(r"\b(?:no|not|never|neither|nor|none|only|just|merely|without)\b|n't\b")
_NO_MORE = re.compile(
    r"\b(?:no|not any|without) (?:further|other|more|additional)\b|\bafter (?:that|this|the last)\b"
)
_SOME = re.compile(
    rf"\b(?:{numerals.ORDINALS}|{numerals.WORD}|last|some|few|several|most|main|includ\w*|such|like|others?|at least)\b"
)
_MEDIUM = re.compile(r"\b(?:clip|video|player|recording|footage|film|camera|display|times?|count\w*)\b")
_OFFER = re.compile(
    r"\b(?:let me know|if you(?:'d| would)? (?:like|want|need|wish)|happy to|i can (?:also )?(?:look|check|go))\b"
)
_FROM_ANOTHER = re.compile(r"\)?\s(?:before|after|later|earlier|sooner)\b(?! (?:the )?(?:start|beginning))")
_SINCE_ANOTHER = re.compile(
    r"\)?\s(?:later|earlier|sooner|after (?:that|this|it|the (?:last|previous|first|one))|further on)\b"
)
_ENDS_AT = re.compile(
    r"(?:\b(?:to|until|till|through|ends?|off|out|dark(?: again)?)(?: at)?|-) ?(?:about |around |approximately |~)?$"
)
# What the times are: counted from something else than the start, in another unit, or to be worked out.
_ABOUT_TIMES = re.compile(
    r"(?<!at all )\b(?:(?:all|the|these|those|my|its?|listed|given|following|every|each)? ?"
    r"(?:times|time ?stamps|timings|figures|readings|offsets)|(?:the |each |every |this )?(?:time|t|clock|value) "
    r"(?:is|was|means|counts?|runs?|starts?|since|elapsed|given|shown|listed)|values|numbers)\b"
)
_COUNTED_FROM = re.compile(
    r"\b(?:from|since|after|before|against|off(?! by))\b"
    r"(?! (?:the )?(?:very )?(?:start|beginning|first frame|frames?|labels?|video|clip|footage|recording|image|0|zero|"
    r"\W?\d|one to|that|this))"
)
_OTHER_UNIT = re.compile(
    r"\b(?:are|is|in|as|means?|denotes?|units? of) (?:the )?(?:minutes|frames?|frame (?:numbers|index\w*)|beats|"
    r"ticks|hours|percent\w*|half|tenths of|hundredths of|milliseconds|ms|other|different|video frames|units|steps)\b"
)
_READ_OFF = re.compile(
    r"\b(?:read|taken|estimated|derived|inferred|obtained|judged)(?: \w+){0,2} (?:off|from|by)\b"
)
_TIMES_OVER = {"twice": 2, "thrice": 3}
_NUMERAL_WORD = re.compile(
    rf"\b(?!one\b|second)(?:{numerals.WORD}|{numerals.ORDINALS}|last|final|another)\b|\bthe second (?!of\b)"
)
_OF_TIMES = re.compile(r"\b(?:time(?:s|stamps?)?|timings?|clocks?|seconds?|minutes?|moments?)\b")
_MAX_ASKED = 2_000  # numbers without an event that are looked at closely
_MAX_DOUBTS = 5


def doubts(
    view: str, claims: list[Claim], resolved: Resolved, answer: int | None, context: Context, off: Off
) -> list[Doubt]:
    """The doubts that a reading has not answered."""
    found = several_boxes(view)
    if not resolved.events:
        return found + _nothing_read(view, claims, resolved, answer, off)
    if not resolved.doubts:
        world = _World(view, claims, resolved, answer, context)
        for rule, look in (
            ("order", _order),
            ("operators", _operators),
            ("numbers taken", _numbers),
            ("other times", _other_times),
            ("known words", _unknown_words),
        ):
            if rule not in off:
                found += look(world)[:_MAX_DOUBTS]
    if answer is None:
        found += _no_answer(view, claims)
    return found


def several_boxes(view: str) -> list[Doubt]:
    """A doubt where the last two boxes hold different numbers and no word replaces the first."""
    boxes = list(_BOX.finditer(view[-20_000:])) if view.count("boxed") > 1 else []
    if len(boxes) < 2 or boxes[-1][1] == boxes[-2][1]:
        return []
    start = max(0, len(view) - 20_000)
    first, last = boxes[-2], boxes[-1]
    between = view[start + first.end() : start + last.start()]
    if words("correction").search(between) or words("revised").search(between):
        return []
    return [
        Doubt("several-answers", (start + first.start(), start + last.end()), f"{first[1]}, then {last[1]}")
    ]


class _World:
    """A reading and its text: which places are taken, which times are known."""

    def __init__(
        self, view: str, claims: list[Claim], resolved: Resolved, answer: int | None, context: Context
    ) -> None:
        self.view, self.claims, self.answer, self.context = view, claims, answer, context
        self.events, self.draft_end = resolved.events, resolved.draft_end
        self.used = list(dict.fromkeys(event.claim for event in self.events))
        self.total = sum(event.covers for event in self.events)
        self.agrees = self.total == answer
        self.strict = answer is not None and not self.agrees
        self.known_s = sorted(
            t for e in self.events for t in (e.time.time_s, e.time.end_s, e.time.at_s) if t is not None
        )
        self.entries = sorted((c.start, c.end) for c in self.used if c.unit.structured)
        self.times_of: dict[int, list[tokens.Time]] = {id(claim): [] for claim in self.used}
        for event in self.events:
            self.times_of[id(event.claim)].append(event.time)
        self.starts = {claim.start: claim for claim in self.used}
        used = self.times_of.keys()
        self.set_aside = sorted(
            (c.start, c.end)
            for c in claims
            if c.unit.structured and id(c) not in used and (c.denied or c.unit.denied or c.count is not None)
        )
        self.aside_ends_s = sorted(
            t.end_s for c in claims if id(c) not in used for t in c.times if t.end_s is not None
        )
        self.all_entries = sorted((c.start, c.end) for c in claims if c.unit.structured)
        self.by_time = {id(event.time): event for event in self.events}

    @cached_property
    def listed(self) -> bool:
        """Whether the answer agrees with a list of one event to each entry, in order of time."""
        times = [event.time.at_s for event in self.events]
        one_each = len(self.used) == len(self.events) == self.answer and len(self.entries) == len(self.used)
        return one_each and all(a < b for a, b in pairwise(times))

    @cached_property
    def proven(self) -> bool:
        """Whether moreover its entries are numbered or counted 1, 2, ..., k: then a number elsewhere is a remark."""
        last = self.context.duration_s or self.events[-1].time.at_s
        return self.listed and self.numbered and self.events[-1].time.at_s <= last

    @cached_property
    def numbered(self) -> bool:
        """Whether each event has an entry, and these are numbered or counted 1, 2, ..., k."""
        run = [*range(1, len(self.events) + 1)]
        return [c.ordinal for c in self.used] == run or [c.count for c in self.used] == run

    @cached_property
    def gaps_s(self) -> tuple[float, ...]:
        """The least and the largest distance of events in a row, seconds; empty below two events."""
        gaps = [b.time.at_s - a.time.at_s for a, b in pairwise(self.events)]
        return (min(gaps), max(gaps)) if gaps else ()

    @cached_property
    def measures(self) -> Measures:
        """What the list measures."""
        return Measures(self.known_s[0], self.known_s[-1], self.gaps_s)

    @cached_property
    def counted(self) -> bool:
        """Whether every event has a running count."""
        return all(claim.count is not None for claim in self.used)

    @cached_property
    def told(self) -> list[tuple[int, int, int]]:
        """The places of the times of all claims, and the claim of each."""
        return sorted((time.start, time.end, k) for k, claim in enumerate(self.claims) for time in claim.told)

    def claim_at(self, at: int) -> Claim | None:
        """The claim whose time stands at a place."""
        i = bisect_right(self.told, (at, len(self.view) + 1, 0))
        return self.claims[self.told[i - 1][2]] if i and self.told[i - 1][1] > at else None

    @cached_property
    def totals(self) -> tuple[str, str]:
        """The number of events and the answer, as they are written."""
        return str(self.total), str(self.answer)

    @cached_property
    def ranks(self) -> dict[int, int]:
        """The place of each entry in the list, from 1."""
        return {id(claim): k for k, claim in enumerate(self.used, 1)}

    @cached_property
    def begins(self) -> bool:
        """Whether some event is a visible beginning."""
        return any(claim.begins for claim in self.used)

    def is_before(self, at: int) -> bool:
        """Whether a place is before a list that proves itself, which replaces what was said there."""
        return self.proven and at < self.used[0].start

    @cached_property
    def shared_words(self) -> frozenset[str]:
        """Words that most events share describe what the events are; those of the question do, too."""
        counts = Counter(word for claim in self.used for word in {*_WORD.findall(claim.words)})
        least = max(2, (len(self.used) + 1) // 2)
        noun = forms(tuple(_WORD.findall(self.context.noun.lower())))
        return frozenset(word for word, count in counts.items() if count >= least) | noun

    def unknown(self, text: str, *, works: bool = False, entry: bool = False) -> str | None:
        """The first word of a text that is not known; `works`: words that work on numbers are allowed; `entry`: of an
        entry."""
        word: str
        known = harmless(reports=not (entry and self.strict))
        handled = (
            frozenset() if entry else plain_words("operators", "corrections")
        )  # `_operators` looks at them
        for word in _WORD.findall(text):
            if (
                word in known
                or word in handled
                or len(word) == 1
                or word in self.shared_words
                or _happens(word)
            ):
                continue
            if (
                not (word in plain_words("hedges") and self.hedges(text))
                and not (works and word in plain_words("works_on_numbers"))
                and not (self.agrees and _TIMES_OVER.get(word) == self.total)
            ):
                return word
        return None

    def hedges(self, text: str) -> bool:
        """Whether words that tell how sure or how often do nothing in a text."""
        return not _NUMERAL_WORD.search(text) and not (self.strict and _points_at_some(self, text))

    def within(self, entries: list[tuple[int, int]], at: int) -> bool:
        k = bisect_right(entries, (at, len(self.view) + 1))
        return k > 0 and at < entries[k - 1][1]

    def near(self, time_s: float) -> bool:
        i = bisect_left(self.known_s, time_s - SAME_S)
        return i < len(self.known_s) and self.known_s[i] <= time_s + SAME_S

    def sentence(self, start: int, end: int) -> tuple[int, int]:
        """The place of the sentence around view[start:end], at most 300 characters to each side."""
        starts, ends = self.breaks
        before, after = bisect_right(ends, start) - 1, bisect_left(starts, end)
        low = max(start - 300, ends[before] if before >= 0 else 0)
        return low, min(end + 300, starts[after] if after < len(starts) else len(self.view))

    @cached_property
    def breaks(self) -> tuple[list[int], list[int]]:
        """Where the breaks between sentences start, and where they end."""
        found = [match.span() for match in _BREAK.finditer(self.view)]
        return [start for start, _ in found], [end for _, end in found]


@lru_cache(maxsize=4096)
def _happens(word: str) -> bool:
    """Whether a word is one that the rules know to say that something happened."""
    return any(
        words(name).search(word) for name in ("done", "coming", "weak", "foreign_event", "foreign_not")
    )


def _unclear(start: int, end: int, detail: str) -> Doubt:
    return Doubt("unclear-entry", (start, end), detail[:60])


def _order(world: _World) -> list[Doubt]:
    """Times that do not rise, counts of windows, an event at the start."""
    found = []
    first = world.events[0]
    sizes = Counter(id(event.claim) for event in world.events)
    distinct = len({round(event.time.at_s, 3) for event in world.events}) == len(world.events)
    for a, b in pairwise(world.events):
        listed = a.claim.unit.structured and b.claim.unit.structured
        apart = listed and a.claim.unit.section != b.claim.unit.section
        if b.time.time_s < a.time.time_s - SAME_S and not apart:
            grouped = a.claim is not b.claim and min(sizes[id(a.claim)], sizes[id(b.claim)]) > 1
            before = world.view[max(a.time.end, b.claim.start, b.time.start - 300) : b.time.start]
            grouped = grouped or _SIDE.search(before) is not None
            grouped = grouped or (listed and a.claim.unit.lead != b.claim.unit.lead)
            if not (grouped and world.agrees and distinct):
                found.append(_unclear(a.claim.start, b.claim.end, "times do not rise"))
                break
    numbers = [claim.ordinal or 0 for claim in world.used if claim.unit.structured]
    run = [*range(numbers[0], numbers[0] + len(numbers))] if numbers else []
    if numbers != run and all(numbers) and (not world.counted or world.strict):
        span = world.used[0].start, world.used[-1].end
        found.append(Doubt("ordinals", span, "numbers skip or repeat"))
    bare = [e.claim for e in world.events if e.time.end_s is not None and not _WORD.search(e.claim.words)]
    bare = [claim for claim in bare if claim.unit.said is None]
    if 0 < len(bare) < len(world.used) and not all(numbers):
        found.append(_unclear(bare[0].start, bare[0].end, "an entry without words"))
    if not distinct and not world.numbered:  # rounded times of numbered events may be equal
        found.append(_unclear(world.used[0].start, world.used[-1].end, "a time stands twice"))
    since = next((e.claim for e in world.events if _SINCE_ANOTHER.match(world.view, e.time.end)), None)
    if since is not None:
        found.append(_unclear(since.start, since.end, "a time since another event"))
    spans = all(event.time.end_s is not None for event in world.events)
    if spans and len(world.events) > 1 and any(event.covers > 1 for event in world.events):
        span = world.events[0].claim.start, world.events[-1].claim.end
        found.append(Doubt("several-events", span, "counts of windows"))
    for claim in world.used:
        if claim.unit.end - claim.unit.body > MAX_WORDS:
            found.append(
                Doubt("too-long", (claim.start, claim.end), f"only {MAX_WORDS} characters of it were judged")
            )
            break
    if first.time.at_s == 0 and (words("initial").search(first.claim.words) or not first.claim.named):
        found.append(_unclear(first.claim.start, first.claim.end, "an event at the start"))
    for a, b in pairwise(world.events):
        meet = (
            a.time.end_s is not None and b.time.end_s is not None and abs(a.time.end_s - b.time.time_s) < 0.3
        )
        starts = (
            bisect_left(world.aside_ends_s, a.time.time_s - 0.3)
            < bisect_left(world.aside_ends_s, a.time.time_s + 0.3)
            if meet
            else False
        )
        if meet and (starts or not (a.claim.unit.structured and b.claim.unit.structured)):
            found.append(_unclear(a.claim.start, b.claim.end, "may be states that meet"))
            break
    last, length_s = world.events[-1], world.context.duration_s
    if length_s is not None and length_s - SAME_S < last.time.at_s:
        found.append(_unclear(last.claim.start, last.claim.end, "an event at the end"))
    return found


_SIDE = re.compile(r"\b(?:left|right|top|bottom|upper|lower)\b")
_DENIED_WORK = re.compile(r"\b(?:no|nothing|none|without|not|nor|any)\b[^.;\n\d]{0,40}$")
_HEADING = re.compile(r"[^\w\n]{0,12}(?:step \d\W{1,4})?(?:the )?[a-z]+ [a-z ]{3,24}[^\w\n]{0,8}$")


class _Place(NamedTuple):
    """A word or phrase and where it stands."""

    start: int
    end: int
    said: str
    kind: str


# Digits as what the patterns tell apart, so that lines that differ in their numbers are looked through once.
_DIGIT_KINDS = str.maketrans("3456789", "2222222")
_LONG_LINE = 400


def _look_through(line: str) -> tuple[_Place, ...]:
    """The words and phrases of a line that work on lists."""
    operators, corrections = plain_words("operators"), plain_words("corrections")
    found = [
        _Place(*word.span(), word[0], "operators" if word[0] in operators else "corrections")
        for word in _WORD.finditer(line)
        if word[0] in operators or word[0] in corrections
    ]
    for kind in ("other_clock", "at_work", "marks_at_work"):
        found += [_Place(*phrase.span(), phrase[0], kind) for phrase in words(kind).finditer(line)]
    return tuple(found)


_looked_through = lru_cache(maxsize=4096)(_look_through)


def _at_work(world: _World) -> Iterator[_Place]:
    """The words and phrases of a text that work on lists; none that a list that proves itself replaces."""
    at = world.draft_end
    for line in world.view[at:].translate(_DIGIT_KINDS).split("\n"):
        look = _looked_through if len(line) < _LONG_LINE else _look_through
        for place in look(line):
            start, end = at + place.start, at + place.end
            if place.kind not in ("corrections", "at_work") or not world.is_before(start):
                yield _Place(start, end, world.view[start:end], place.kind)
        at += len(line) + 1


def _operators(world: _World) -> list[Doubt]:
    """Words that correct, move or leave out something, tell time by another clock, or give an example."""
    found = []
    text = world.view
    for place in islice(_at_work(world), _MAX_ASKED):
        if not _is_answered(world, place):
            found.append(_unclear(place.start, place.end, f"not understood: {place.said}"))
            if len(found) == _MAX_DOUBTS:
                break
    if world.strict:
        for left_out in islice(words("left_out").finditer(text, world.draft_end), _MAX_ASKED):
            sentence = text[slice(*world.sentence(*left_out.span()))]
            negated = _NEGATES.search(sentence) and not _NOT_LISTED.search(sentence)
            if not (negated or _START_STATE.search(sentence)) or _points_at_some(world, sentence):
                found.append(Doubt("count-differs", left_out.span(), "something is left out"))
                break
    return found


_NOT_LISTED = re.compile(r"\bnot (?:listed|shown|included|written|given)\b|\bomit")
_ARROWED = re.compile(r"→|->|=>")
_RESTORED = re.compile(r"miss|overlook|forg|add|correct|updat|revis")
_HEDGE = re.compile(r"\b(?:may|might|could) (?:\w+ )?$")


def _is_answered(world: _World, word: _Place) -> bool:
    """Whether a word that works on lists is understood: denied, offered, a hedge on the whole, in an entry or at the
    head of a list that is set aside, or at the head of the list."""
    text = world.view
    start, end = world.sentence(word.start, word.end)
    sentence, before = text[start:end], text[max(start, word.start - 60) : word.start]
    timed = re.search(r"\d[.:]\d|\d ?s\b", sentence) is not None
    if _OFFER.search(sentence) or (_DENIED_WORK.search(before) and not timed):
        return True
    if world.draft_end and _HEADING.fullmatch(sentence):
        return True
    first = world.used[0].start
    if words("revised").search(word.said) and end <= first and not _WORD.search(text, end, first):
        return True
    if not timed and _START_STATE.search(sentence) and not _points_at_some(world, sentence):
        return True  # "the initial state is excluded"
    if not world.agrees:
        return False
    if (run := _RUN_TO.search(sentence)) and run.start() <= word.start - start <= run.end():
        return int(run[1]) == world.total
    if not timed and _confirms(world, word.said, sentence):
        return True
    if not timed and word.said in plain_words("corrections") and _points_at_nothing(text[word.end : end]):
        return True
    if world.within(world.entries, word.start):
        if _ARROWED.search(text, max(0, word.start - 8), word.end + 8):
            return True  # the name of a state
        if world.proven and _RESTORED.match(word.said):
            return True  # an entry that was missing before
    if before.endswith(('"', "'")) and text[word.end : word.end + 1] in ('"', "'"):
        return True  # the name of a state
    if world.within(world.set_aside, word.start) or before.endswith(("near ", "near-")):
        return True
    key = re.compile(r"\w*[\"']\s{0,2}:").match(text, word.end)
    if key and lexicon.keys("no_event_keys").match(word.said):
        return True
    return not timed and (
        _HEDGE.search(before) is not None or words("rejecting").search(word.said) is not None
    )


_CONFIRMS = re.compile(
    r"\b(?:same|match\w*|agree\w*|consistent\w*|unchanged|confirm\w*|identical|verif\w*|reproduc\w*)\b"
)
_POINTS = re.compile(
    rf"\d|\b(?:{numerals.WORD}|{numerals.ORDINALS}|{lexicon.NOUNS}|that|this|it|these|those|them|ones?|some|any|all of|"
    r"entr\w*|lines?|rows?|items?|last|final|previous|earlier|above|below|opening|initial|next|other|another|number|count\w*|"
    r"total|answer|sum|list|ledger|log|tally|table|times?|time ?stamps?|here|there|more|few|several)\b"
)


def _confirms(world: _World, word: str, sentence: str) -> bool:
    """Whether a sentence says that a further look gave the same, with no number but the total."""
    numbers = re.findall(numerals.NUMBER + r"\b", sentence)
    agrees = all(numerals.number(number) == world.total for number in numbers)
    if numbers and agrees and word.startswith("recount"):
        return True
    return (
        agrees
        and not word.startswith("same")
        and _CONFIRMS.search(sentence) is not None
        and not _NEGATES.search(sentence)
    )


_SOME_OF = re.compile(
    rf"(?<![\d.:])\d+(?![\d.:]| ?s\b| ?sec)|\b(?!one\b|second)(?:{numerals.WORD}|{numerals.ORDINALS})\b|"
    r"\bthe second (?!of\b)|\bone (?:of|is|was|at)\b|\b(?:the|another|which|last|other) one\b|"
    r"\b(?:some|few|several|most|these|those|last|both|half|others|them|none|neither|either|it|this|that|they)\b"
)
_START_STATE = re.compile(
    r"\b(?:initial|starting|opening|first|start) (?:state|position|frame|configuration|appearance|condition|image)\b|"
    r"\bstate at the (?:start|beginning)\b|\bthat are\b|\bas far as i can tell\b|"
    r"\blast (?:few )?(?:seconds|moments|part|frames?)\b"
)


def _points_at_some(world: _World, sentence: str) -> bool:
    """Whether a sentence speaks of some of the events: by number, order, amount or time."""
    sentence = _START_STATE.sub(" ", sentence)
    if _SOME_OF.search(sentence):
        return not _NO_MORE.search(sentence)
    return any(
        world.near(time.time_s) and not _UP_TO.search(sentence[: time.start])
        for time in tokens.find(sentence, 0, len(sentence))
        if time.timed
    )


def _points_at_nothing(rest: str) -> bool:
    """Whether what a word of correction is said of is neither an event nor a part of the list: "ignore the rest of the
    scene"."""
    return _WORD.search(rest) is not None and _POINTS.search(rest) is None


def _taken(world: _World) -> list[tuple[int, int]]:
    """The places that events, their numbers and counts take, in order."""
    spans = [event.time for event in world.events]
    taken = [(time.start, time.end) for time in spans]
    for claim in world.used:
        taken += claim.counts
        if claim.unit.body > claim.unit.start:
            taken.append((claim.unit.start, claim.unit.body))
        taken += claim.unit.aside
        for time in claim.told:
            if id(time) in world.by_time or _explains(world, claim, time):
                taken.append((time.start, time.end))
    return sorted(taken)


def _explains(world: _World, claim: Claim, time: tokens.Time) -> bool:
    """Whether a further time of a used claim lies in its event, repeats one, or is an end of it by its words."""
    if world.near(time.at_s) and world.near(time.time_s):
        return True
    own = world.times_of[id(claim)]
    if time.end_s is not None and any(time.time_s - SAME_S <= t.at_s <= time.end_s + SAME_S for t in own):
        return True
    if any(t.end_s is not None and t.time_s - SAME_S <= time.at_s <= t.end_s + SAME_S for t in own):
        return True
    return claim.unit.structured and claim.settled and not claim.leftover


def _numbers(world: _World) -> list[Doubt]:
    """Numbers that nothing takes."""
    found: list[Doubt] = []
    for number in islice(_NUMBER.finditer(_not_taken(world), world.draft_end), _MAX_ASKED):
        if number[0].isdigit() and (
            number[0] in world.totals or (world.listed and world.within(world.entries, number.start()))
        ):
            continue
        claim = world.claim_at(number.start())
        problem = _unexplained(world, number, claim)
        if problem:
            code = "unused-time" if _like_time(number) else "unclear-entry"
            found.append(Doubt(code, number.span(), problem[:60]))
            if len(found) == _MAX_DOUBTS:
                break
    return found


def _not_taken(world: _World) -> str:
    """The view without the places that are taken."""
    parts, at = [], 0
    for start, end in _taken(world):
        if start >= at:
            parts += [world.view[at:start], " " * (end - start)]
        else:
            parts.append(" " * (end - at))
        at = max(at, end)
    parts.append(world.view[at:])
    return "".join(parts)


def _like_time(number: re.Match[str]) -> bool:
    return number["unit"] is not None or re.search(r"[.:]|second", number[0]) is not None


def _unexplained(world: _World, number: re.Match[str], claim: Claim | None) -> str | None:
    """Why a number that no event takes is not understood; None if it is."""
    view, (start, end) = world.view, number.span()
    if "boxed" in view[max(0, start - 12) : start]:
        return None
    if _MEASURE_AFTER.match(view, end) or _MEASURE_BEFORE.search(view, max(0, start - 24), start):
        return None
    low, high = world.sentence(start, end)
    before, after = view[low:start], view[end:high]
    inside = world.within(world.entries, start)
    noted = world.within(world.all_entries, start)
    if _OFFER.search(before):
        return None
    if _SURE.search(view[low:high]) and re.fullmatch(r"\d{1,2}(?:\.\d+)?|100", number[0]):
        return None
    if not _like_time(number):
        return _unexplained_integer(world, number, before, after, inside or noted)
    if (part := _PART.fullmatch(view, max(0, start - 2), end)) and int(part[2]):  # "1/30 s"
        values = [int(part[1]) / int(part[2])]
    else:
        values = [time.time_s for time in tokens.find(view, start, end)]
    if not values:
        return None if inside and world.listed else f"not understood: {number[0]}"
    value = values[0]
    sentence = _spacing_blanked(world, before + after)
    known = world.near(value)
    if known and (inside or not _NEGATES.search(sentence) or _UP_TO.search(before)):
        return None
    first_s, last_s = world.known_s[0], world.known_s[-1]
    if re.search(r"\bfirst $", before) and value <= first_s + SAME_S:
        return None
    worked = _works(sentence, digits=True)
    if (worked is None or worked in plain_words("hedges")) and world.measures.explain(value, sentence):
        return None
    if value and _FROM_ANOTHER.match(after):
        return f"not understood: {number[0]}{after[:12]}"
    if (worked is None or worked in plain_words("hedges")) and world.measures.exact(value, sentence):
        return None
    aside = claim is not None and _set_aside(world, claim, value)
    if aside and claim is not None and (value == 0 or claim.denied or claim.unit.denied):
        return None
    if claim is not None and not inside and _holds_events(world, claim):
        return None
    if claim is None and world.agrees and not inside and not re.search(r"[^\W\d]{2}", sentence):
        return None  # an interval over a part of the list
    corrected = not plain_words("corrections").isdisjoint(_WORD.findall(sentence))
    if world.is_before(start) and worked is None and (corrected or not _MEDIUM.search(sentence)):
        return None  # what is told on the way to a list that proves itself
    held = (
        inside
        and len(world.events) < 200
        and any(
            e.claim.start <= start < e.claim.end
            and e.time.end_s is not None
            and e.time.time_s <= value <= e.time.end_s
            for e in world.events
        )
    )
    if held:
        return None  # a phase of the event
    if inside and world.listed and _ENDS_AT.search(before):
        k = bisect_right(world.known_s, value)
        if k and value - world.known_s[k - 1] <= 1.0:
            return None  # "from 3.5 s to about 3.8 s" in the words of the entry at 3.5 s
    if not inside and worked:
        return f"not understood: {worked}"
    if not inside and not world.proven and (unknown := world.unknown(sentence)):
        return f"not understood: {unknown}"
    length = world.context.duration_s
    if length is not None and value > length + 0.5:
        return f"{value:g} s in a clip of {length:g} s"
    if value == 0 or (length is not None and value >= length - 1.05):
        return None
    if length is None and re.search(r"\b(?:end|long|video|clip|footage|throughout|whole|entire)\b", sentence):
        return None if value > last_s else f"not understood: {number[0]}"
    if aside:
        return None
    if claim is None and world.measures.lasts(value, sentence):
        return None
    return number[0]


def _holds_events(world: _World, claim: Claim) -> bool:
    """Whether a heading is an interval with events in it."""
    return claim.polarity != YES and any(
        time.end_s is not None and any(time.time_s <= t <= time.end_s for t in world.known_s)
        for time in claim.unit.times
    )


def _spacing_blanked(world: _World, text: str) -> str:
    """A text without "every 2 s" where the events are as far apart as that, or one entry covers them all."""
    if not _EVERY_HINT.search(text):
        return text
    gaps = world.gaps_s

    def blank(found: re.Match[str]) -> str:
        value = float(found["d"] or (numerals.number(found["n"]) if found["n"] else 1))
        fits = min(gaps) * 0.8 <= value <= max(gaps) * 1.25 if gaps else world.total > 1
        return " " if fits and world.agrees else found[0]

    return _EVERY.sub(blank, text)


def _works(sentence: str, *, digits: bool = False) -> str | None:
    """A word of a sentence that works on numbers; hedges and rates do only where there are some in words (those in
    digits have to be explained by themselves)."""
    works = plain_words("works_on_numbers", "operators")
    found = [word for word in _WORD.findall(sentence) if word in works]
    if found and not digits and not _NUMERAL_WORD.search(sentence):
        found = [word for word in found if word not in plain_words("hedges")]
    return found[0] if found else None


def _set_aside(world: _World, claim: Claim, time_s: float) -> bool:
    """Whether a statement that gave no event says why: its words deny one or tell a state, its count does not rise."""
    if claim.unit.denied or claim.denied:
        return True
    if claim.unit.structured and world.counted:
        between = world.used[0].start < claim.start < world.used[-1].start
        if claim.count is not None or (world.agrees and between):
            return True
    if claim.ends and not claim.begins and world.begins:
        return True
    outside = not world.known_s[0] <= time_s <= world.known_s[-1]
    return claim.polarity == NO and not claim.named and (outside or world.agrees)


_A_THING = re.compile(r"\s(?:walls?|sides?|states?|nodes?|edges?)\b|st\b|nd\b|rd\b|th\b")
_OF_FRAMES = re.compile(
    r"\s?(?:(?:supplied|provided|given|sampled|still|video) )?(?:frames?|images?|pictures?|stills?)\b"
)
_FRAMES_OF = re.compile(r"\b(?:frames?|images?)(?: \w+){0,2}[\s#:=]*$")
_AT_FIRST = re.compile(r"\b(?:count\w*|starts?|starting|begins?|initial\w*|total)\b")
_RUN_TO = re.compile(r"\b1 ?(?:to|-|–|through|until|up to|, ?2(?:, ?3)?, ?(?:\.\.\.|…),?) ?(\d+)")
_SUMMED = re.compile(r"(\d{1,3}(?: ?\+ ?\d{1,3}){1,40}) ?= ?(\d{1,4})")
_A_NAME = re.compile(r"\b(?:state|node|wall|side|frame|image|circle|step|rep|count)s?[\s#_:.\"'-]{0,3}$")
_NAMES_INT = re.compile(r"(?:\b[a-z]{3,}|#)[\s_#:.\"'-]{0,3}$")


def _unexplained_integer(
    world: _World, number: re.Match[str], before: str, after: str, inside: bool
) -> str | None:
    value = int(number[0]) if number[0].isdigit() and len(number[0]) < 7 else -1
    if value in (world.answer, world.total) or (inside and world.listed) or _NUMBERED_HEAD.fullmatch(before):
        return None
    if (
        _OF_FRAMES.match(after)
        or _FRAMES_OF.search(before)
        or (value == 0 and _AT_FIRST.search(before + after))
    ):
        return None
    if (run := _RUN_TO.search(before + number[0] + after)) and int(run[1]) == world.total:
        return None
    if (summed := _SUMMED.search(before + number[0] + after)) and int(summed[2]) == world.total:
        return (
            None
            if sum(map(int, re.findall(r"\d+", summed[1]))) == world.total
            else f"not understood: {summed[0]}"
        )
    if world.strict:
        k = bisect_right(world.entries, (number.start(), len(world.view) + 1))
        own = [world.starts[world.entries[k - 1][0]]] if world.within(world.entries, number.start()) else []
        ranks = [world.ranks[id(c)] for c in own]
        if (
            value not in ranks
            and not any(
                value > 0 and value in (c.count, c.ordinal, c.covers if c.covers > 1 else 0) for c in own
            )
            and not _A_NAME.search(before)
        ):
            return f"not understood: {number[0]}"
    if inside and (value <= world.total or _NAMES_INT.search(before)):
        return None
    if value <= world.total and _NAMES_INT.search(before):
        return None
    if world.measures.explain(value, before + after):
        return None
    ints = [int(n) for n in re.findall(r"(?<![\w.:])\d{1,4}(?![\w:]|\.\d)", before + number[0] + after)]
    if sum(ints) == world.total or (sum(ints) == 2 * world.total and world.total in ints):
        return None
    if _A_THING.match(after):
        return None
    if re.search(r"\b(?:state|node)[\s#]*$", before):
        return None
    if not world.strict and not world.unknown(before + after) and not _works(before + after):
        return None
    return f"not understood: {number[0]}"


def _other_times(world: _World) -> list[Doubt]:
    """Entries in whose place another time may be meant: the count of events cannot tell."""
    found = []
    for event in world.events:
        claim = event.claim
        times = claim.told
        if len(times) < 2 or len(times) == sum(e.claim is claim for e in world.events[:64]):
            continue
        low, high = event.time.time_s, event.time.time_s if event.time.end_s is None else event.time.end_s
        others = [
            way[0] for way in claim.ways if len(way) == 1 and not low - 0.5 <= way[0].at_s <= high + 0.5
        ]
        if (others and not claim.settled) or claim.leftover:
            read, _ = mentions.read(world.view[claim.start : min(claim.end, claim.start + 400)])
            differ = any(not low - 0.1 <= mention.time_s <= high + 0.1 for mention in read)
            code = "rules-differ" if differ else "several-times"
            found.append(Doubt(code, (claim.start, claim.end), f"{len(times)} times"))
    return found


def _unknown_words(world: _World) -> list[Doubt]:
    """Words that are not known, where they may matter: beside the events, and, where the answer differs, anywhere."""
    found = []
    for claim in world.used:
        if world.listed and claim.unit.structured:
            worked = _works(claim.words) if claim.covers == 1 else None
            if worked and re.search(r"\d|@.*@", claim.words):
                found.append(_unclear(claim.start, claim.end, f"not understood: {worked}"))
            continue
        merged = claim.covers > 1 and world.agrees  # "once every second, 5 times" covers five
        unknown = world.unknown(_spacing_blanked(world, claim.words), works=merged, entry=True)
        if world.strict and not claim.unit.structured and (some := _SOME.search(claim.words)):
            unknown = some[0]
        if unknown:
            found.append(_unclear(claim.start, claim.end, f"not understood: {unknown}"))
        if len(found) == _MAX_DOUBTS:
            break
    for start, end in _sentences(world):
        sentence = world.view[start:end]
        other_clock, of_times = _speaks_of_times(sentence) if end - start < _LONG_LINE else _speaks(sentence)
        if other_clock:
            found.append(_unclear(start, end, f"times counted {other_clock} something"))
            break
        if world.strict or of_times:
            sentence = _spacing_blanked(world, _FINAL.sub(" ", sentence))
            unknown = world.unknown(sentence) or (None if world.strict else _works(sentence))
            if world.strict and (negated := _NEGATES.search(sentence)) and _points_at_some(world, sentence):
                unknown = negated[0]
            if unknown and not (world.proven and not _works(sentence)):
                found.append(_unclear(start, end, f"not understood: {unknown}"))
                break
    if world.strict:
        for claim in world.claims:
            if (
                claim.unit.structured
                and claim.polarity == NO
                and id(claim) not in world.times_of
                and claim.count is None
            ) and 0 < claim.unit.times[0].time_s <= world.known_s[-1]:
                found.append(_unclear(claim.start, claim.end, "may be no event"))
                break
    return found


def _speaks(sentence: str) -> tuple[str | None, bool]:
    """What else than the start a sentence counts times from, and whether it speaks of times at all."""
    if sentence.isspace():
        return None, False
    about = _ABOUT_TIMES.search(sentence)
    counted = about and (
        _COUNTED_FROM.search(sentence, about.end()) or _OTHER_UNIT.search(sentence, about.start())
    )
    other = counted[0] if counted and not _READ_OFF.search(sentence) else None
    return other, _OF_TIMES.search(sentence) is not None


_speaks_of_times = lru_cache(maxsize=4096)(_speaks)


def _sentences(world: _World) -> Iterator[tuple[int, int]]:
    """The sentences outside the entries."""
    at = world.draft_end
    starts, ends = world.breaks
    for start, end in [*world.entries, (len(world.view), len(world.view))]:
        if start > at and not world.view[at:start].isspace():
            low = at
            for k in range(bisect_left(starts, at), bisect_left(starts, start)):
                yield low, starts[k]
                low = ends[k]
            yield low, start
        at = max(at, end)


_NUMERAL = re.compile(
    rf"\b(?:{numerals.WORD})\b|(?<!\d)\d{{1,6}}(?!\d)(?:st|nd|rd|th)?|[一二三四五六七八九十]+(?=[秒次,、])|第[一二三四五六七八九十]"
)


def _nothing_read(
    view: str, claims: list[Claim], resolved: Resolved, answer: int | None, off: Off
) -> list[Doubt]:
    """A doubt where no event was read out of a text with numbers other than the answer."""
    if answer == 0 or any(doubt.of_the_events for doubt in resolved.doubts) or "numbers taken" in off:
        return []
    if claims and answer is not None:
        return [Doubt("unused-time", (claims[0].start, claims[-1].end), "no event read")]
    rest = _FINAL.sub(lambda box: " " * len(box[0]), view[-20_000:])
    for found in _NUMERAL.finditer(rest):
        if found[0].isalpha() and found[0].isascii() and answer is not None:
            continue  # "between the two walls"
        if found[0].isascii() and numerals.ordinal(found[0]) == answer:
            continue
        near = rest, max(0, found.start() - 24), found.start()
        if _MEASURE_AFTER.match(rest, found.end()) or _MEASURE_BEFORE.search(*near):
            continue
        start = max(0, len(view) - 20_000) + found.start()
        code = "unclear-answer" if answer is None else "unused-time"
        return [Doubt(code, (start, start + len(found[0])), "no event read")]
    return []


def _no_answer(view: str, claims: list[Claim]) -> list[Doubt]:
    """A doubt where no final answer was read and numbers, or a word for a total, stand outside of entries."""
    held = sorted({(claim.unit.start, claim.unit.end) for claim in claims if claim.unit.structured})
    times = sorted((time.start, time.end) for claim in claims for time in claim.told)
    for found in _NUMERAL.finditer(view, max(0, len(view) - 20_000)):
        if found[0] in ("one", "second", "first") or found[0].endswith(("th", "rd", "nd", "st")):
            continue
        place = found.start(), len(view)
        if any(
            (i := bisect_right(spans, place)) and found.start() < spans[i - 1][1] for spans in (held, times)
        ):
            continue
        before = view[max(0, found.start() - 1) : found.start()]
        if before in (".", ":", "#") or _MEASURE_AFTER.match(view, found.end()):
            continue
        return [Doubt("unclear-answer", found.span(), "no final answer was read")]
    if total := re.search(r"\b(?:total|final answer|answer) ?[:=]", view[-400:]):
        start = max(0, len(view) - 400)
        return [Doubt("unclear-answer", (start + total.start(), len(view)), "no number is read in it")]
    return []
