"""The account of a reading: every number of the text has a place, and no word moves the numbers.

A reading is silent where its numbers tell it. Every time that the text names is an event's, repeats one, bounds the
clip, is denied or told as a state, or measures the list ("2 s apart"); a time that has no such place is a doubt. Other
words may say what they like, but for *hazards*: words that count times from elsewhere, take back, replace, leave out
or add, or give an example. A hazard that points at something is a doubt unless what it says was followed.

Where the final answer differs from the list, that is a fault of the model only if the list is uniform: entries alike,
no number beside theirs, nothing denied or left out anywhere.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator
from functools import cached_property, lru_cache
from itertools import islice, pairwise

from lft.counting.parsing import judging, lexicon, mentions, numerals, tokens
from lft.counting.parsing.answer import within
from lft.counting.parsing.claims import MAX_WORDS, Claim
from lft.counting.parsing.document import Unit
from lft.counting.parsing.judging import NO, OPEN, YES
from lft.counting.parsing.lexicon import Off, plain_words, words
from lft.counting.parsing.resolve import SAME_S, Event, Resolved
from lft.counting.reported import Context, Doubt

_WORD = re.compile(r"(?<!\d)[^\W\d_]+(?:['’][^\W\d_]+)?")
_BREAK = re.compile(r"[.!?;](?=\s)(?<!\b(?:i\.e|e\.g)\.)(?<!\b(?:ca|no|vs)\.)(?<!\bapprox\.)|[。！？\n]")
_FINAL = re.compile(r"(?:boxed|fbox)\s?\{[^{}]{0,200}\}")
_BOX = re.compile(r"boxed\s{0,3}\{[^{}\d]{0,20}(\d{1,6})[^{}\d]{0,20}\}")
_MEASURE_AFTER = re.compile(
    r"[\s-]?(?:hz|fps|%|px|pixels?|°|deg|cm\b|m/s|/\d|x\d|frames?\b|images?\b|times\b|(?:confiden|certain)\w*)"
)
_TIMES_AFTER = re.compile(r" times\b")
_MEASURE_BEFORE = re.compile(
    r"(?:±|\+/?-|confiden\w*|certainty|uncertainty|accuracy|score|prob\w*|fps|duration\w*|length|version|tolerance|"
    r"frame rate|x =|y =|[vq])[\"'\s:=~(]{0,5}(?:is|of|at|about|around)?\s{0,2}(?:about )?$"
)
_APART = re.compile(
    r"\b(?:apart|later|after|interval\w*|every|spac\w*|between|period\w*|each|gaps?|rhythm|per|previous|separat\w*|"
    r"cadence|regular\w*|even(?:ly)?|beat|cycle|step\w*|differ\w*|distance|next|tempo|pace|steady|constant)\b"
)
_SPAN = re.compile(
    r"\b(?:span\w*|range\w*|active|period|over|total|window|duration|last(?:s|ed|ing)?|within|long|stretch\w*|phase|"
    r"elapsed|interval|in all|whole|time)\b"
)
_RATE = re.compile(r"\b(?:per second|rate|frequency|a second|every second|each second)\b")
_EXACT = re.compile(
    r"\b(?:accura\w*|uncertain\w*|precis\w*|errors?|approximat\w*|resolution|tolerance|off|within|round\w*|margin|"
    r"vary|varies|deviat\w*|exact\w*|one frame|confiden\w*|certain\w*|probab\w*|granular\w*|nearest)\b"
)
_LASTS = re.compile(
    r"\b(?:last(?:s|ed|ing)?|for|brief\w*|duration|long|stay\w*|remain\w*|within|returns?|about|after)\b"
)
_OR = re.compile(r"\bor (?:at |about |around |~ ?)?$")
_SAMPLED = re.compile(
    r"\b(?:frames?|sampl\w*|images?)\b.*\b(?:apart|every|spac\w*|interval\w*)\b|\b(?:every|spac\w*)\b.*\bframes?\b"
)
_UP_TO = re.compile(
    r"\b(?:after|past|since|beyond|until|till|following|before|between|from|by|to|and|then)\W*$|-\s?$"
)
_NEGATES = re.compile(r"\b(?:no|not|never|neither|nor|none|only|just|merely|without)\b|n't\b")
_NO_MORE = re.compile(
    r"\b(?:no|not any|without) (?:further|other|more|additional)\b|\bafter (?:that|this|the last)\b"
)
_OFFER = re.compile(
    r"\b(?:let me know|if you(?:'d| would)? (?:like|want|need|wish)|happy to|i can (?:also )?(?:look|check|go))\b"
)
_SINCE_ANOTHER = re.compile(
    r"\)?\s(?:later|earlier|sooner|after (?:that|this|it|the (?:last|previous|first|one))|further on)\b"
)
_ENDS_AT = re.compile(
    r"(?:\b(?:to|until|till|through|ends?|off|out|dark(?: again)?)(?: at)?|-) ?(?:about |around |approximately |~)?$"
)
# What the times are: counted from something else than the start, in another unit, or to be worked out.
_ABOUT_TIMES = re.compile(
    r"(?<!at all )(?<!\d )\b(?:(?:all|the|these|those|my|its?|listed|given|following|every|each)? ?"
    r"(?:times|time ?stamps|timings|figures|readings|offsets)|(?:the |each |every |this )?(?:time|t|clock|value) "
    r"(?:is|was|means|counts?|runs?|starts?|since|elapsed|given|shown|listed)|values|numbers)\b"
)
_TIMES_OVER = re.compile(rf"\b{numerals.WORD} times\b")
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
# A part of a second in words behind a number.
_PART = re.compile(
    r" ?(?:s\w*|秒|с\w*)? (?:y (?:medio|media|un cuarto)|et (?:demie?|quart)|e mezz[oa]|e mei[oa]|"
    r"und (?:eine?)? ?halbe?|"
    r"and (?:an? |three )?(?:half|quarters?)|con)\b| ?[¼½¾]| ?s \d{1,3} ?ms"
)
_MEDIUM = re.compile(r"\b(?:clip|video|player|recording|footage|film|camera|display|times?|count\w*)\b")
_LONGEST_REMARK_S = 1.0  # an event lasts, and a time is uncertain by, at most this
_MAX_ASKED = 2_000  # numbers without an event that are looked at closely
_MAX_DOUBTS = 5
_LONG_LINE = 400


def doubts(
    text: str,
    view: str,
    numbers: list[tokens.Time],
    claims: list[Claim],
    resolved: Resolved,
    answer: int | None,
    context: Context,
    off: Off,
) -> list[Doubt]:
    """The doubts that a reading has not answered; `numbers`: those of the view."""
    found = several_boxes(view)
    if not resolved.events:
        return found + _nothing_read(view, claims, resolved, answer, off)
    if not resolved.doubts:
        account = _Account(text, view, numbers, claims, resolved, answer, context)
        for rule, look in (
            ("order", _order),
            ("hazards", _hazards),
            ("numbers taken", _numbers),
            ("other times", _other_times),
            ("uniform", _unlike),
        ):
            if rule not in off:
                found += look(account)[:_MAX_DOUBTS]
    if answer is None:
        found += _no_answer(view, claims)
    elif "uniform" not in off:
        found += _more_stated(view, claims, max(answer, sum(event.covers for event in resolved.events)))
    return found


_NOT_SO = re.compile(rf"{_NEGATES.pattern}|\b(?:would|expect\w*|if|up to|at most|than|or)\b")


def _more_stated(view: str, claims: list[Claim], total: int) -> list[Doubt]:
    """A doubt where words outside of entries count more events than `total`."""
    held = sorted((claim.start, claim.end) for claim in claims if claim.unit.structured)
    for found in islice(lexicon.STATED.finditer(view), _MAX_ASKED):
        if lexicon.stated(found[0]) <= total or found[0].endswith("times") or within(held, found.start()):
            continue
        if any(number.timed for number in tokens.find(found[0], 0, len(found[0]))):
            continue
        if not _NOT_SO.search(view[max(0, found.start() - 60) : found.end()].rsplit("\n", 1)[-1]):
            return [Doubt("count-differs", found.span(), f"stated: {found[0]}"[:60])]
    return []


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


def by_numbers(
    view: str,
    numbers: list[tokens.Time],
    claims: list[Claim],
    resolved: Resolved,
    answer: int | None,
    context: Context,
) -> Resolved:
    """The reading by numbers alone: where the times that the text names and does not deny are as many as the answer
    says, each is one event, whatever the words. It holds where words gave no reading that agrees with the answer."""
    listed = any(event.claim.unit.structured for event in resolved.events)
    if answer is None or answer < 1 or (resolved.events and not resolved.doubts and listed):
        return resolved
    told = sorted(
        ((time.start, time.end, time, claim) for claim in claims for time in claim.told), key=lambda t: t[:2]
    )
    starts = [start for start, *_ in told]
    ends_s = {round(time.end_s, 3) for *_, time, _ in told if time.end_s is not None}
    named: list[Event] = []
    for token in numbers:
        k = bisect_right(starts, token.start) - 1
        time, claim = (told[k][2], told[k][3]) if k >= 0 and token.start < told[k][1] else (token, None)
        if token.start < resolved.draft_end or time.negative or time.time_s == 0:
            continue
        if context.duration_s is not None and time.time_s >= context.duration_s - SAME_S:
            continue
        if claim is None:
            near = view[max(0, token.start - 24) : token.start]
            if not (token.timed or token.decimal) or _MEASURE_AFTER.match(view, token.end):
                continue
            if _MEASURE_BEFORE.search(near):
                continue
        if claim is None or not (claim.denied or claim.unit.denied):
            named.append(Event(time, 1, claim or _of_number(view, token)))
        if len(named) > _MAX_ASKED:
            return resolved
    for least in (NO, OPEN, YES):
        events = _once([event for event in named if event.claim.polarity >= least])
        if len(events) == answer and _may_be(view, events, ends_s, answer):
            return Resolved(events, [], resolved.left_out, resolved.draft_end)
    return resolved


def _once(events: list[Event]) -> list[Event]:
    """Events at different times, where first named, or where last named if only those rise; an interval around two
    others is their frame, no event."""
    singles = sorted({event.time.time_s for event in events if event.time.end_s is None})
    first: dict[float, Event] = {}
    last: dict[float, Event] = {}
    for event in events:
        end_s, key = event.time.end_s, round(event.time.at_s, 3)
        if end_s is not None and bisect_right(singles, end_s) - bisect_left(singles, event.time.time_s) >= 2:
            continue
        first.setdefault(key, event)
        last.pop(key, None)
        last[key] = event
    return (
        list(last.values()) if [*first] != sorted(first) and [*last] == sorted(last) else list(first.values())
    )


def _may_be(view: str, events: list[Event], ends_s: set[float], answer: int) -> bool:
    """Whether times may be events by what is said beside them: not where one only looked, not stretches that meet."""
    for event in events:
        said_many = any(numerals.number(n) == answer for n in _NUMBERS.findall(event.claim.words))
        unsaid = event.claim.polarity == NO or event.claim.rule == "named time"
        if unsaid and _NO_EVENT.search(event.claim.words) and not said_many:
            return False
    tiles = any(e.time.end_s is not None and round(e.time.time_s, 3) in ends_s for e in events)
    timed = any(event.time.timed for event in events) or _OF_SECONDS.search(view) is not None
    return not tiles and (timed or all(_NAMED.match(view, event.time.end) for event in events))


_OF_SECONDS = re.compile(r"\(s\)|\bin s\b|\bseconds\b|\btimes?\b|\btimestamps?\b")
_NAMED = re.compile(r"\s?[:-] ?[a-z]{2}")
_NUMBERS = re.compile(rf"\b{numerals.NUMBER}\b")
_NO_EVENT = re.compile(
    "|".join(words(name).pattern for name in ("initial", "method", "meta")) + r"|\blook(?:ed|ing|s)?\b"
)


def _of_number(view: str, token: tokens.Time) -> Claim:
    """A claim of a number that no statement told: its line."""
    start = view.rfind("\n", max(0, token.start - 400), token.start) + 1 or max(0, token.start - 400)
    end = view.find("\n", token.end, token.end + 400)
    end = min(len(view), token.end + 400) if end < 0 else end
    words_said = " ".join(f"{view[start : token.start]} @ {view[token.end : end]}".split())
    unit = Unit("sentence", start, end, start, [token])
    polarity = judging.said(words_said, False, frozenset()).polarity
    return Claim("named time", start, end, unit, [[token]], words_said, polarity)


class _Account:
    """A reading and its text: which places are taken, which times are known."""

    def __init__(
        self,
        text: str,
        view: str,
        numbers: list[tokens.Time],
        claims: list[Claim],
        resolved: Resolved,
        answer: int | None,
        context: Context,
    ) -> None:
        self.text, self.view, self.numbers, self.claims = text, view, numbers, claims
        self.answer, self.context = answer, context
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
        self.set_aside = sorted(
            (c.start, c.end)
            for c in claims
            if c.unit.structured
            and id(c) not in self.times_of
            and (c.denied or c.unit.denied or c.count is not None)
        )
        self.cells = sorted(span for c in self.used for span in c.said or ())
        run = [*range(1, len(self.events) + 1)]
        self.numbered = run in ([c.ordinal for c in self.used], [c.count for c in self.used])
        times = [event.time.at_s for event in self.events]
        one_each = len(self.used) == len(self.events) == answer and len(self.entries) == len(self.used)
        # The answer agrees with a list of one event to each entry, in order of time, and: with its numbers.
        self.rising = all(a < b for a, b in pairwise(times))
        self.listed = one_each and self.rising
        last_s = context.duration_s or times[-1]
        self.proven = self.listed and self.numbered and times[-1] <= last_s

    @cached_property
    def gaps_s(self) -> tuple[float, float]:
        """The least and the largest distance of events in a row, seconds; 0 below two events."""
        gaps = [b.time.at_s - a.time.at_s for a, b in pairwise(self.events)] or [0.0]
        return min(gaps), max(gaps)

    @cached_property
    def told(self) -> list[tuple[int, int, int]]:
        """The places of the times of all claims, and the claim of each."""
        return sorted((time.start, time.end, k) for k, claim in enumerate(self.claims) for time in claim.told)

    def claim_at(self, at: int) -> Claim | None:
        """The claim whose time stands at a place."""
        i = bisect_right(self.told, (at, len(self.view) + 1, 0))
        return self.claims[self.told[i - 1][2]] if i and self.told[i - 1][1] > at else None

    def is_before(self, at: int) -> bool:
        """Whether a place is before a list that proves itself, which replaces what was said there."""
        return self.proven and at < self.used[0].start

    def near(self, time_s: float) -> bool:
        """Whether a time is that of an event, or an end of it."""
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

    def measured(self, value: float, sentence: str) -> bool:
        """Whether a sentence says what a value measures of the list, and it does: how far apart the events are, what
        they span, how often they come, how exact they are."""
        least, largest = self.gaps_s
        if _SAMPLED.search(sentence):
            return True
        if least * 0.8 <= value <= largest * 1.25 and _APART.search(sentence):
            return True
        if value and least * 0.8 <= 1 / value <= largest * 1.25 and _RATE.search(sentence):
            return True
        if 0 < value <= _LONGEST_REMARK_S and _EXACT.search(sentence):
            return True
        span_s = self.known_s[-1] - self.known_s[0]
        return (
            largest > 0 and abs(value - span_s) <= max(0.11, 0.02 * span_s) and bool(_SPAN.search(sentence))
        )


def _unclear(start: int, end: int, detail: str) -> Doubt:
    return Doubt("unclear-entry", (start, end), detail[:60])


_SIDE = re.compile(r"\b(?:left|right|top|bottom|upper|lower)\b")


def _order(account: _Account) -> list[Doubt]:
    """Times that do not rise or stand twice, numbers that skip, counts of windows, an event at the start or the end."""
    found = []
    events, used = account.events, account.used
    first, last = events[0], events[-1]
    whole = used[0].start, used[-1].end
    sizes = Counter(id(event.claim) for event in events)
    times_s = Counter(round(event.time.at_s, 3) for event in events)
    distinct = len(times_s) == len(events)
    for a, b in pairwise(events):
        listed = a.claim.unit.structured and b.claim.unit.structured
        apart = listed and a.claim.unit.section != b.claim.unit.section
        if b.time.time_s < a.time.time_s - SAME_S and not apart:
            before = account.view[max(a.time.end, b.claim.start, b.time.start - 300) : b.time.start]
            grouped = (
                (a.claim is not b.claim and min(sizes[id(a.claim)], sizes[id(b.claim)]) > 1)
                or _SIDE.search(before) is not None
                or (listed and a.claim.unit.lead != b.claim.unit.lead)
            )
            if not (grouped and account.agrees and distinct):
                found.append(_unclear(a.claim.start, b.claim.end, "times do not rise"))
                break
    numbers = [claim.ordinal or 0 for claim in used if claim.unit.structured]
    run = [*range(numbers[0], numbers[0] + len(numbers))] if numbers else []
    named = {c.ordinal for c in account.claims if c.unit.structured}
    if all(numbers) and (
        not named.issuperset(range(min(numbers, default=1), max(numbers, default=0)))
        or (numbers != run and (account.strict or not all(claim.count is not None for claim in used)))
    ):
        found.append(Doubt("ordinals", whole, "numbers skip or repeat"))
    exact = [time_s for time_s, number in times_s.items() if number > 1 and round(time_s, 1) != time_s]
    twice_over = len(times_s) > 1 and min(times_s.values()) > 1
    # Numbered events may be at the same tenth of a second; not each of them.
    if not distinct and (exact or twice_over or not account.numbered):
        found.append(_unclear(*whole, "a time stands twice"))
    since = next((e.claim for e in events if _SINCE_ANOTHER.match(account.view, e.time.end)), None)
    if since is not None:
        found.append(_unclear(since.start, since.end, "a time since another event"))
    spans = all(event.time.end_s is not None for event in events)
    told = [event for event in events if not event.claim.unit.structured]
    if (spans and len(events) > 1 and any(event.covers > 1 for event in events)) or (
        any(event.covers > 1 and (len(events) > 1 or event.time.end_s is not None) for event in told)
    ):
        found.append(Doubt("several-events", whole, "counts of windows"))
    if any(
        event.covers > 1 and event.time.end_s is not None and "every" in event.claim.words for event in told
    ):
        found.append(Doubt("several-times", whole, "a rule that gives times"))
    if len({event.time.end_s is None for event in told}) > 1:
        found.append(_unclear(*whole, "intervals beside instants"))
    part = next((e.time for e in events if _PART.match(account.view, e.time.end)), None)
    if part is not None:
        found.append(_unclear(part.start, part.end + 8, "a part of a second in words"))
    for claim in used:
        if claim.unit.end - claim.unit.body > MAX_WORDS:
            found.append(
                Doubt("too-long", (claim.start, claim.end), f"only {MAX_WORDS} characters of it were judged")
            )
            break
    if first.time.at_s == 0 and (words("initial").search(first.claim.words) or not first.claim.named):
        found.append(_unclear(first.claim.start, first.claim.end, "an event at the start"))
    bare = [
        e.claim
        for e in events
        if e.time.end_s is not None and e.claim.said is None and not _WORD.search(e.claim.words)
    ]
    if 0 < len(bare) < len(used) and not all(numbers):
        found.append(_unclear(bare[0].start, bare[0].end, "an entry without words"))
    aside_ends_s = sorted(
        t.end_s
        for c in account.claims
        if id(c) not in account.times_of
        for t in c.times
        if t.end_s is not None
    )
    for a, b in pairwise(events):
        if a.time.end_s is None or b.time.end_s is None or abs(a.time.end_s - b.time.time_s) >= 0.3:
            continue
        starts = bisect_left(aside_ends_s, a.time.time_s - 0.3) < bisect_left(
            aside_ends_s, a.time.time_s + 0.3
        )
        if starts or not (a.claim.unit.structured and b.claim.unit.structured):
            found.append(_unclear(a.claim.start, b.claim.end, "may be states that meet"))
            break
    length_s = account.context.duration_s
    if length_s is not None and length_s - SAME_S < last.time.at_s:
        found.append(_unclear(last.claim.start, last.claim.end, "an event at the end"))
    return found


_DENIED_WORK = re.compile(r"\b(?:no|nothing|none|without|not|nor|any)\b[^.;\n\d]{0,40}$")
_HEADING = re.compile(r"[^\w\n]{0,12}(?:step \d\W{1,4})?(?:the )?[a-z]+ [a-z ]{3,24}[^\w\n]{0,8}$")
_NOT_LISTED = re.compile(r"\bnot (?:listed|shown|included|written|given)\b|\bomit")
_ARROWED = re.compile(r"→|->|=>")
_RESTORED = re.compile(r"miss|overlook|forg|add|correct|updat|revis")
_HEDGE = re.compile(r"\b(?:may|might|could) (?:\w+ )?$")
_RUN_TO = re.compile(r"\b1 ?(?:to|-|–|through|until|up to|, ?2(?:, ?3)?, ?(?:\.\.\.|…),?) ?(\d+)")
_CONFIRMS = re.compile(
    r"\b(?:same|match\w*|agree\w*|consistent\w*|unchanged|confirm\w*|identical|verif\w*|reproduc\w*)\b"
)
_POINTS = re.compile(
    rf"\d|\b(?:{numerals.WORD}|{numerals.ORDINALS}|{lexicon.NOUNS}|that|this|it|these|those|them|ones?|some|any|all of|"
    r"entr\w*|lines?|rows?|items?|last|final|previous|earlier|above|below|opening|initial|next|other|another|number|count\w*|"
    r"total|answer|sum|list|ledger|log|tally|table|times?|time ?stamps?|here|there|more|few|several)\b"
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
# Digits as what the patterns tell apart, so that lines that differ in their numbers are looked through once.
_DIGIT_KINDS = str.maketrans("3456789", "2222222")


def _look_through(line: str) -> tuple[tuple[int, int, str], ...]:
    """The hazards of a line: where they start and end, and of which class they are."""
    operators, corrections = plain_words("operators"), plain_words("corrections")
    found = [
        (*word.span(), "operators" if word[0] in operators else "corrections")
        for word in _WORD.finditer(line)
        if word[0] in operators or word[0] in corrections
    ]
    for kind in ("other_clock", "at_work", "marks_at_work"):
        found += [(*phrase.span(), kind) for phrase in words(kind).finditer(line)]
    about = _ABOUT_TIMES.search(_TIMES_OVER.sub(lambda m: " " * len(m[0]), line))
    counted = about and (_COUNTED_FROM.search(line, about.end()) or _OTHER_UNIT.search(line, about.start()))
    if counted and not _READ_OFF.search(line):
        found.append((*counted.span(), "other_clock"))
    return tuple(found)


_looked_through = lru_cache(maxsize=4096)(_look_through)


def _at_work(account: _Account) -> Iterator[tuple[int, int, str]]:
    """The hazards of a text; none that a list that proves itself replaces."""
    at = account.draft_end
    for line in account.view[at:].translate(_DIGIT_KINDS).split("\n"):
        look = _looked_through if len(line) < _LONG_LINE else _look_through
        for start, end, kind in look(line):
            if kind not in ("corrections", "at_work") or not account.is_before(at + start):
                yield at + start, at + end, kind
        at += len(line) + 1


def _hazards(account: _Account) -> list[Doubt]:
    """Words that correct, move or leave out something, tell time by another clock, or give an example."""
    found = []
    text = account.view
    for start, end, _ in islice(_at_work(account), _MAX_ASKED):
        if not _is_answered(account, start, end):
            found.append(_unclear(start, end, f"not understood: {text[start:end]}"))
            if len(found) == _MAX_DOUBTS:
                break
    if account.strict:
        for left_out in islice(words("left_out").finditer(text, account.draft_end), _MAX_ASKED):
            sentence = text[slice(*account.sentence(*left_out.span()))]
            negated = _NEGATES.search(sentence) and not _NOT_LISTED.search(sentence)
            if not (negated or _START_STATE.search(sentence)) or _points_at_some(account, sentence):
                found.append(Doubt("count-differs", left_out.span(), "something is left out"))
                break
    return found


_NAME = re.compile(r"[A-Z]{3,}")


def _is_answered(account: _Account, at: int, stop: int) -> bool:
    """Whether a hazard was followed or does nothing: denied, offered, a hedge on the whole, in an entry or at the head
    of a list that is set aside, or at the head of the list."""
    text = account.view
    said = text[at:stop]
    start, end = account.sentence(at, stop)
    sentence, before = text[start:end], text[max(start, at - 60) : at]
    timed = re.search(r"\d[.:]\d|\d ?s\b", sentence) is not None
    if _OFFER.search(sentence) or (_DENIED_WORK.search(before) and not timed):
        return True
    if account.draft_end and _HEADING.fullmatch(sentence):
        return True
    first = account.used[0].start
    if words("revised").search(said) and stop <= first and not _WORD.search(text, stop, first):
        return True
    if not timed and _START_STATE.search(sentence) and not _points_at_some(account, sentence):
        return True  # "the initial state is excluded"
    if not account.agrees:
        return False
    if (run := _RUN_TO.search(sentence)) and run.start() <= at - start <= run.end():
        return int(run[1]) == account.total
    if not timed and _confirms(account, said, sentence):
        return True
    if not timed and said in plain_words("corrections") and _points_at_nothing(text[stop:end]):
        return True
    if within(account.entries, at) and _ARROWED.search(text, max(0, at - 8), stop + 8):
        return True  # the name of a state
    if within(account.entries, at) and account.proven and _RESTORED.match(said):
        return True  # an entry that was missing before
    if account.listed and (
        said in ("offset", "offsets") and all(e.time.end_s is not None for e in account.events)
    ):
        return True  # the ends of intervals
    if within(account.cells, at) or _NAME.fullmatch(account.text, at, stop):
        return True  # a cell, a value, or a word in capitals names a state
    if said.startswith(("segment", "chunk", "window")) and account.rising:
        return True
    if before.endswith(('"', "'")) and text[stop : stop + 1] in ('"', "'"):
        return True  # the name of a state
    if within(account.set_aside, at) or before.endswith(("near ", "near-")):
        return True
    key = re.compile(r"\w*[\"']\s{0,2}:").match(text, stop)
    if key and lexicon.keys("no_event_keys").match(said):
        return True
    return not timed and (_HEDGE.search(before) is not None or words("rejecting").search(said) is not None)


def _confirms(account: _Account, word: str, sentence: str) -> bool:
    """Whether a sentence says that a further look gave the same, with no number but the total."""
    numbers = re.findall(numerals.NUMBER + r"\b", sentence)
    agrees = all(numerals.number(number) == account.total for number in numbers)
    if numbers and agrees and word.startswith("recount"):
        return True
    confirms = agrees and not word.startswith("same") and _CONFIRMS.search(sentence) is not None
    return confirms and not _NEGATES.search(sentence)


def _points_at_some(account: _Account, sentence: str) -> bool:
    """Whether a sentence speaks of some of the events: by number, order, amount or time."""
    sentence = _START_STATE.sub(" ", sentence)
    if _SOME_OF.search(sentence):
        return not _NO_MORE.search(sentence)
    return any(
        account.near(time.time_s) and not _UP_TO.search(sentence[: time.start])
        for time in tokens.find(sentence, 0, len(sentence))
        if time.timed
    )


def _points_at_nothing(rest: str) -> bool:
    """Whether what a word of correction is said of is neither an event nor a part of the list: "ignore the rest of the
    scene"."""
    return _WORD.search(rest) is not None and _POINTS.search(rest) is None


def _numbers(account: _Account) -> list[Doubt]:
    """Times that nothing takes."""
    found: list[Doubt] = []
    taken = sorted((event.time.start, event.time.end) for event in account.events)
    taken += [span for claim in account.used for span in claim.unit.aside]
    taken += [(c.unit.start, c.unit.body) for c in account.claims if c.unit.body > c.unit.start]
    taken += [(m.start(), m.end()) for m in _FINAL.finditer(account.view)]
    taken.sort()
    for number in islice(account.numbers, _MAX_ASKED):
        if number.start < account.draft_end or not (number.timed or number.decimal):
            continue
        if not within(taken, number.start) and not _has_place(account, number):
            said = account.view[number.start : number.end]
            found.append(Doubt("unused-time", (number.start, number.end), said[:60]))
            if len(found) == _MAX_DOUBTS:
                break
    return found + _relative(account)


# Times since something else: "1.5 s later", "9 s before the end", "2 s into the second half".
_RELATIVE = re.compile(
    r"(?P<value>\d{1,4}(?:\.\d{1,3})?)[\s-]?(?:s|secs?|seconds?)\)?,? (?:later|earlier|sooner|further|"
    r"on(?=,? at which)|afterwards?|thereafter|"
    r"after (?:that|this|it|the (?!(?:start|begin|clip|video|recording))|entry|each)|"
    r"(?<!\) )before (?:that|the|it) |(?:still )?(?:to (?:go|run)|remain\w*)\b|from (?:the end|then|there)|"
    r"into (?:the|its) (?!(?:video|clip|recording|footage))|in\b(?=[,.;)]| \())"
)


def _relative(account: _Account) -> list[Doubt]:
    """Times that count from something else than the start, unless they measure the list."""
    found = []
    for since in islice(_RELATIVE.finditer(account.view, account.draft_end), _MAX_ASKED):
        sentence = account.view[slice(*account.sentence(*since.span()))]
        value = float(since["value"])
        into = account.near(value) and since[0].endswith(" in")
        if not (account.agrees and (account.measured(value, sentence) or value <= _LONGEST_REMARK_S or into)):
            found.append(_unclear(*since.span(), f"counted from something else: {since[0]}"))
    return found


def _has_place(account: _Account, token: tokens.Time) -> bool:
    """Whether a time that is no event has another place in the account."""
    view, start, value = account.view, token.start, token.time_s
    if _MEASURE_AFTER.match(view, token.end) or _MEASURE_BEFORE.search(view, max(0, start - 24), start):
        return True
    low, high = account.sentence(start, token.end)
    before, after = view[low:start], view[token.end : high]
    inside = within(account.entries, start)
    claim = account.claim_at(start)
    if inside and _OR.search(before) and not account.near(value):
        return False
    if account.near(value) and (
        inside or not _NEGATES.search(before + after) or _UP_TO.search(before) or not account.strict
    ):
        return True
    if _OFFER.search(before) or account.measured(value, before + after):
        return True
    length = account.context.duration_s
    if value == 0 or (length is not None and abs(value - length) < 1.05):
        return True
    if (
        length is None
        and value > account.known_s[-1]
        and re.search(r"\b(?:end|long|video|clip|footage|throughout|whole|entire)\b", before + after)
    ):
        return True
    if claim is not None and inside:
        own = account.times_of.get(id(claim), [])
        if any(
            t.time_s - SAME_S <= value <= (t.time_s if t.end_s is None else t.end_s) + SAME_S for t in own
        ):
            return True
        if claim.settled and not claim.leftover and (not account.strict or _ENDS_AT.search(before)):
            return True
        if account.proven and _heads(account, claim):
            return True
    if inside and account.listed and _ENDS_AT.search(before):
        k = bisect_right(account.known_s, value)
        return k > 0 and value - account.known_s[k - 1] <= _LONGEST_REMARK_S
    if claim is not None and not inside:
        if _set_aside(account, claim, value):
            return True
        if claim.polarity != YES and any(
            t.end_s is not None and any(t.time_s <= known <= t.end_s for known in account.known_s)
            for t in claim.unit.times
        ):
            return True  # a heading is an interval with events in it
    corrected = not plain_words("corrections").isdisjoint(_WORD.findall(before + after))
    if account.is_before(start) and (corrected or not _MEDIUM.search(before + after)):
        return True  # what is told on the way to a list that proves itself
    brief = claim is None and value <= max(_LONGEST_REMARK_S, account.gaps_s[0])
    return brief and _LASTS.search(before + after) is not None


def _heads(account: _Account, claim: Claim) -> bool:
    """Whether the event of an entry is at the time at its head, and the words behind that deny no event then."""
    first, second = claim.told[:2] if len(claim.told) > 1 else (claim.told[0], claim.told[0])
    if account.times_of[id(claim)] != [first] or first.end_s is not None:
        return False
    between = " ".join(account.view[first.end : max(first.end, second.start)].split())
    told = judging.said(between, False, frozenset()).polarity != NO and _WORD.search(between) is not None
    return told and not words("correction").search(between)


def _set_aside(account: _Account, claim: Claim, time_s: float) -> bool:
    """Whether a statement that gave no event says why: its words deny one or tell a state, its count does not rise."""
    if claim.unit.denied or claim.denied:
        return True
    if claim.unit.structured and all(c.count is not None for c in account.used):
        between = account.used[0].start < claim.start < account.used[-1].start
        if claim.count is not None or (account.agrees and between):
            return True
    if claim.ends and not claim.begins and any(c.begins for c in account.used):
        return True
    outside = not account.known_s[0] <= time_s <= account.known_s[-1]
    state = not account.strict or any(
        words(name).search(claim.words) for name in ("initial", "stay", "nothing")
    )
    return claim.polarity == NO and not claim.named and (outside or account.agrees) and state


def _other_times(account: _Account) -> list[Doubt]:
    """Entries in whose place another time may be meant: the count of events cannot tell."""
    found = []
    for event in account.events:
        claim = event.claim
        times = claim.told
        if len(times) < 2 or len(times) == len(account.times_of[id(claim)]):
            continue
        low, high = event.time.time_s, event.time.time_s if event.time.end_s is None else event.time.end_s
        others = [
            way[0] for way in claim.ways if len(way) == 1 and not low - 0.5 <= way[0].at_s <= high + 0.5
        ]
        if account.proven and _heads(account, claim):
            continue
        if (others and not claim.settled) or claim.leftover:
            read, _ = mentions.read(account.view[claim.start : min(claim.end, claim.start + 400)])
            differ = any(not low - 0.1 <= mention.time_s <= high + 0.1 for mention in read)
            code = "rules-differ" if differ else "several-times"
            found.append(Doubt(code, (claim.start, claim.end), f"{len(times)} times"))
    return found


_SOME = re.compile(
    rf"\b(?:{numerals.ORDINALS}|{numerals.WORD}|last|some|few|several|most|main|includ\w*|such|like|others?|"
    r"at least|ones?)\b"
)
_INTEGER = re.compile(r"(?<![\w.:,/])\d{1,6}(?![\w:/]|[.,]\d| ?s(?:ec\w*)?\b)")
_NUMBERED_HEAD = re.compile(r"(?:^|\n)[\s\W]{0,12}(?:(?:step|part|section|phase|stage|turn|answer)\s)?\#?$")
_A_NAME = re.compile(r"\b(?:state|node|wall|side|frame|image|circle|step|rep|count)s?[\s#_:.\"'-]{0,3}$")
_A_THING = re.compile(r"\s(?:walls?|sides?|states?|nodes?|edges?)\b")


def _unlike(account: _Account) -> list[Doubt]:
    """What makes a list whose answer differs less than uniform: entries unlike the others, numbers beside theirs, what
    is denied of some, an entry that was set aside by its words alone."""
    if not account.strict:
        return []
    found: list[Doubt] = []
    for claim in account.used:
        times = claim.unit.times
        listed = len(times) > 2 and all(time.linked for time in times[1:])
        if len(times) > 1 and not listed and not claim.unit.spanning:
            found.append(Doubt("several-times", (claim.start, claim.end), f"{len(times)} times"))
            break
    counts = Counter(word for claim in account.used for word in {*_WORD.findall(claim.words)})
    for claim in account.used:
        odd = [w for w in _WORD.findall(claim.words) if counts[w] == 1 and len(w) > 1 and not _SIDE.match(w)]
        if (
            (len(odd) > 2 and len(account.used) > 2 and not account.numbered)
            or "?" in claim.words
            or (not claim.unit.structured and (_NEGATES.search(claim.words) or _SOME.search(claim.words)))
        ):
            found.append(_unclear(claim.start, claim.end, f"unlike the others: {' '.join(odd)}"))
            break
        own = {
            claim.count,
            claim.ordinal,
            claim.covers if claim.covers > 1 else 0,
            0,
            account.answer,
            account.total,
        }
        shown = _said(account, claim)
        for number in _INTEGER.finditer(shown):
            if (
                int(number[0]) not in own
                and not _A_NAME.search(shown[: number.start()])
                and not _MEASURE_AFTER.match(shown, number.end())
            ):
                found.append(_unclear(claim.start, claim.end, f"not understood: {number[0]}"))
                break
    shapes = {
        (c.rule, re.sub(r"\d+", "9", account.view[c.unit.start : c.unit.body]).strip())
        for c in account.used
        if c.unit.structured
    }
    if len(shapes) > 1 and not account.numbered:
        found.append(_unclear(account.used[0].start, account.used[-1].end, "entries of several shapes"))
    at = account.draft_end
    for start, end in [*((c.start, c.end) for c in account.used), (len(account.view), len(account.view))]:
        for low, high in _sentences(account, at, start):
            sentence = _FINAL.sub(" ", account.view[low:high])
            if (_NEGATES.search(sentence) and _points_at_some(account, sentence)) or _names_one(
                account, sentence
            ):
                found.append(_unclear(low, high, "something is said of some events"))
                break
            for number in _INTEGER.finditer(sentence):
                value, place = int(number[0]), low + number.start()
                if value in (0, account.answer, account.total) or _NUMBERED_HEAD.search(
                    sentence[: number.start()]
                ):
                    continue
                if _MEASURE_AFTER.match(sentence, number.end()) or _MEASURE_BEFORE.search(
                    sentence, 0, number.start()
                ):
                    continue
                if _A_NAME.search(sentence[: number.start()]) or _A_THING.match(sentence, number.end()):
                    continue
                if account.measured(value, sentence):
                    continue
                found.append(_unclear(place, place + len(number[0]), f"not understood: {number[0]}"))
                break
        at = max(at, end)
    for claim in account.claims:
        if (
            claim.unit.structured
            and claim.polarity == NO
            and id(claim) not in account.times_of
            and claim.count is None
            and 0 < claim.unit.times[0].time_s <= account.known_s[-1]
        ):
            found.append(_unclear(claim.start, claim.end, "may be no event"))
            break
    return found


def _said(account: _Account, claim: Claim) -> str:
    """The words of an entry without its times."""
    parts, at = [], claim.unit.body
    for time in claim.unit.times if claim.unit.said is None else ():
        parts.append(account.view[at : time.start])
        at = time.end
    return " ".join([*parts, account.view[at : claim.end]]) if claim.unit.said is None else claim.words


_AT_BOUND = re.compile(r"\b(?:first|last|from|until|till|after|before|to|since|at|is|and|-)\b\D{0,24}$")


def _names_one(account: _Account, sentence: str) -> bool:
    """Whether a sentence says something of an event by its time, unless it bounds what it says of the rest."""
    return any(
        time.timed and account.near(time.time_s) and not _AT_BOUND.search(sentence[: time.start])
        for time in tokens.find(sentence, 0, len(sentence))
    )


def _sentences(account: _Account, at: int, stop: int) -> Iterator[tuple[int, int]]:
    """The sentences of a piece of text."""
    if stop <= at or account.view[at:stop].isspace():
        return
    starts, ends = account.breaks
    for k in range(bisect_left(starts, at), bisect_left(starts, stop)):
        yield at, starts[k]
        at = ends[k]
    yield at, stop


_NUMERAL = re.compile(
    rf"\b(?:{numerals.WORD})\b|(?<![\da-z_])\d{{1,6}}(?!\d)(?:st|nd|rd|th)?|[一二三四五六七八九十]+(?=[秒次,、])|第[一二三四五六七八九十]"
)


_SECONDS = re.compile(r"(?: and a half| point \w+)?[ -]seconds?\b")


def _nothing_read(
    view: str, claims: list[Claim], resolved: Resolved, answer: int | None, off: Off
) -> list[Doubt]:
    """A doubt where no event was read out of a text with a time, or, without an answer, with a number."""
    if answer == 0 or any(doubt.of_the_events for doubt in resolved.doubts) or "numbers taken" in off:
        return []
    if claims and answer is not None:
        return [Doubt("unused-time", (claims[0].start, claims[-1].end), "no event read")]
    start = max(0, len(view) - 20_000)
    rest = _FINAL.sub(lambda box: " " * len(box[0]), view[start:])
    numbers = [
        number
        for number in _NUMERAL.finditer(rest)
        if not (
            answer is not None
            and number[0].isascii()
            and number[0].isalpha()
            and not _SECONDS.match(rest, number.end())
        )
        and (
            not _MEASURE_AFTER.match(rest, number.end())
            or (answer is None and _TIMES_AFTER.match(rest, number.end()))
        )
        and not _MEASURE_BEFORE.search(rest, max(0, number.start() - 24), number.start())
        and not (answer is not None and _A_THING.match(rest, number.end()))
    ]
    values = [numerals.ordinal(number[0]) if number[0].isascii() else -1 for number in numbers]
    others = [value for value in values if value != answer]
    if answer is not None and (sum(others) == answer or values == [*range(1, answer + 1)] or not others):
        return []  # counts of parts, or counting aloud
    code = "unclear-answer" if answer is None else "unused-time"
    return [Doubt(code, (start + n.start(), start + n.end()), "no event read") for n in numbers[:1]]


def _no_answer(view: str, claims: list[Claim]) -> list[Doubt]:
    """A doubt where no final answer was read and numbers, or a word for a total, stand outside of entries."""
    held = sorted({(claim.unit.start, claim.unit.end) for claim in claims if claim.unit.structured})
    times = sorted((time.start, time.end) for claim in claims for time in claim.told)
    for found in _NUMERAL.finditer(view, max(0, len(view) - 20_000)):
        if found[0] in ("one", "second", "first") or found[0].endswith(("th", "rd", "nd", "st")):
            continue
        if within(held, found.start()) or within(times, found.start()):
            continue
        before = view[max(0, found.start() - 1) : found.start()]
        counted = _TIMES_AFTER.match(view, found.end())
        if before in (".", ":", "#") or (_MEASURE_AFTER.match(view, found.end()) and not counted):
            continue
        return [Doubt("unclear-answer", found.span(), "no final answer was read")]
    if total := re.search(r"\b(?:total|final answer|answer) ?[:=]", view[-400:]):
        start = max(0, len(view) - 400)
        return [Doubt("unclear-answer", (start + total.start(), len(view)), "no number is read in it")]
    return []
