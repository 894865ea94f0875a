"""The resolver: of all ways to read the claims, the list that the evidence agrees with; what it cannot decide is a
doubt.

Evidence is agreement: the number of events, the last running count, the numbers of the entries and the final answer.

The boundary between a mis-added answer and a misread one
---------------------------------------------------------
A list is *plain* if it can be read in one way only: every entry with a time asserts one event at one time or
interval (or its running count says which entries do), numbers and running counts go 1, 2, ..., k without a gap
wherever there are any, and there is one list. A plain list is read as it stands, whatever the final answer: if the
answer differs, the model mis-added, and that is a finding. A list that is not plain (prose, entries with several
times, entries that may or may not be events, several lists) is read only as one of its readings that agrees with the
final answer. If none agrees, the likeliest one is given with the doubt `count-differs` and the doubts that say why.
Text that corrects itself is not followed: `account` finds the words and says that it is unsure.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise

from lft.counting.parsing.claims import CONTENT, Claim
from lft.counting.parsing.judging import NO, OPEN, YES
from lft.counting.parsing.lexicon import Off, words
from lft.counting.parsing.tokens import Time
from lft.counting.reported import Context, Doubt

MAX_EVENTS = 2_000
MAX_LISTS = 200
SAME_S = 0.051
EXACT_S = 0.0005
_MEET_S = 0.3


@dataclass(slots=True, eq=False)
class Event:
    """One event of a reading: when, how many it covers, and the claim it is of."""

    time: Time
    covers: int
    claim: Claim


@dataclass(slots=True)
class Way:
    """One way to read a list. `plain`: it holds without other evidence; `why`: the doubts if it must."""

    events: list[Event]
    plain: bool
    why: list[Doubt] = field(default_factory=list)

    @property
    def total(self) -> int:
        return sum(event.covers for event in self.events)


@dataclass(slots=True)
class Resolved:
    """The events in order of the text, the doubts, what was left out of an endless text, and up to where the text is
    a draft that a later list replaces."""

    events: list[Event]
    doubts: list[Doubt]
    left_out: str | None = None
    draft_end: int = 0


def resolve(view: str, claims: list[Claim], answer: int | None, context: Context, off: Off) -> Resolved:
    """Chooses the list of events."""
    lists = _lists([claim for claim in claims if claim.unit.structured])
    prose = [claim for claim in claims if not claim.unit.structured]
    left_out, draft_end = None, 0
    if len(lists) > MAX_LISTS:
        lists, left_out = lists[:MAX_LISTS], f"only the first {MAX_LISTS} lists were read"
    for listed in lists:
        if _rejected(listed, off):
            for claim in listed:
                claim.polarity, claim.denied = NO, True
    asserted = [one for one in lists if any(c.polarity != NO for c in one)]
    way = Way([], True)
    if len(asserted) == 1:
        way = _best(_ways(asserted[0], off), answer, off)
        headed = "lead" not in off and words("revised").search(asserted[0][0].unit.lead.split("\n")[-1])
        if headed and answer is not None and _is_proven(asserted[0], way, answer):
            draft_end = asserted[0][0].start
    elif asserted:
        way, draft_end = _several(asserted, answer, context, off)
    if prose and (not way.events or (way.total != answer and "repeated list" not in off)):
        told = _of_prose(prose, answer, off)
        if not way.events:
            way = told
    doubts = list(way.why)
    if len(asserted) == 1 and way.plain and way.total != answer == len(asserted[0]) > 2:
        doubts.append(_unclear(asserted[0][0], "there are as many entries as the answer says"))
    if answer is None:
        if way.events and not way.plain and not doubts:
            doubts = [_unclear(way.events[0].claim, "no final answer to check the reading by")]
    elif way.total != answer and way.events:
        span = way.events[0].claim.start, way.events[-1].claim.end
        if not way.plain:
            doubts.append(Doubt("count-differs", span, f"{way.total} events, final answer {answer}"))
        elif len(asserted) > 1 and answer in map(len, asserted):
            doubts.append(Doubt("count-differs", span, f"{answer}, the final answer, fits another list"))
    return Resolved(way.events, doubts, left_out, draft_end)


def _unclear(claim: Claim, detail: str = "") -> Doubt:
    return Doubt("unclear-entry", (claim.start, claim.end), detail)


def _lists(entries: list[Claim]) -> list[list[Claim]]:
    """Entries that stand together: a new list begins in a new section, or where numbers or counts begin again."""
    lists: list[list[Claim]] = []
    count, highest = 0, 0  # the highest of the list so far
    for claim in entries:
        last = lists[-1][-1] if lists else None
        if last is None or _begins_anew(claim, last, count, highest):
            lists.append([claim])
            count, highest = 0, 0
        else:
            lists[-1].append(claim)
        count, highest = max(count, claim.count or 0), max(highest, claim.ordinal or 0)
    return lists


def _begins_anew(claim: Claim, last: Claim, count: int, highest: int) -> bool:
    if (claim.rule == "table row") != (last.rule == "table row"):
        return True
    if claim.unit.section == last.unit.section:
        earlier = claim.times[0].time_s <= last.times[0].time_s
        again = claim.count == 1 and count > 1 and claim.ordinal in (None, 1) and (claim.running or earlier)
        summed = earlier and len(claim.unit.times) > 1 and claim.ordinal is claim.count is None
        return again or summed or (claim.ordinal == 1 and (highest > 1 or (earlier and last.ordinal is None)))
    if words("rejecting").search(claim.unit.lead.split("\n")[-1]):
        return True
    if claim.ordinal is not None and last.ordinal is not None:
        return claim.ordinal != last.ordinal + 1
    return claim.count is None or count == 0 or claim.count != count + 1 or claim.ordinal is not None


_A_SENTENCE = re.compile(r"(?:\S+ ){4,}\S+[.!]\W{0,3}$")
_POINTS_BELOW = re.compile(
    r"\b(?:these|those|following|below|here|listed|next|remaining|others?|candidates?)\b"
)


def _rejected(listed: list[Claim], off: Off) -> bool:
    """Whether the words above a list say that it holds no events."""
    lead = listed[0].unit.lead.split("\n")[-1]
    if "lead" in off or len(lead) > 160:
        return False
    if _A_SENTENCE.search(lead) and not _POINTS_BELOW.search(lead):
        return False
    lead = re.sub(r"\([^()]{0,160}\)|\bafter\b.{0,80}|\bwith\b.{0,80}", " ", lead)
    accepted = r"\b(?<!not )(?<!un)(?:confirmed|accepted|verified|ledger|final|corrected|valid)\b"
    return words("rejecting").search(lead) is not None and re.search(accepted, lead) is None


# One list


def _ways(listed: list[Claim], off: Off) -> Iterator[Way]:
    """The ways to read one list, the likeliest first. The first is plain if it is the only one that may be right."""
    others = [way for read in (_by_counts, _of_spans, _pairs) if (way := read(listed, off)) is not None]
    yield from others
    open_ones, yes, no = ([c for c in listed if c.polarity == polarity] for polarity in (OPEN, YES, NO))
    asserted = [claim for claim in listed if claim.polarity != NO]
    numbered = [claim for claim in asserted if claim.ordinal is not None]
    numbers = _numbers_plain(asserted, numbered)
    plain = not others and numbers and not _unlike(listed)
    plain = plain and all(c.settled and len(c.ways[0]) == 1 and not c.unsure for c in asserted)
    plain = plain and not (open_ones and no) and not any(c.ordinal is not None for c in no)
    plain = plain and not (yes and any(claim.ends for claim in open_ones))
    why = [] if plain else _why(listed, asserted, numbers)
    yield Way(_taken(asserted), plain, why)
    if no and all(claim.ordinal is not None for claim in listed):
        yield Way(_taken(listed), False, why)
    for some in (yes, numbered):
        if 0 < len(some) < len(asserted):
            yield Way(_taken(some), False, why)
    for k in (1, 2, 3):
        if any(len(claim.ways) > k for claim in asserted):
            yield Way(_taken(asserted, k), False, why)
    yield from (Way(_taken(some), False, why) for some in _some_of(listed, off) if some)
    if any(claim.covers > 1 for claim in asserted):
        yield Way([Event(event.time, 1, event.claim) for event in _taken(asserted)], False, why)


def _some_of(listed: list[Claim], off: Off) -> Iterator[list[Claim]]:
    """Of a log: the beginnings, the entries that say another state than the one before, every second entry."""
    begins = [claim for claim in listed if claim.begins and not claim.ends]
    yield begins if len(begins) < len(listed) else []
    texts = [re.sub(r"[\W\d]+", " ", claim.words.replace("@", "")).strip() for claim in listed]
    yield [claim for k, claim in enumerate(listed) if k and texts[k] and texts[k] != texts[k - 1]]
    alternates = len({*texts[::2]}) == len({*texts[1::2]}) == 1 and texts[0] != texts[1]
    if "pairs" not in off and len(listed) > 2 and len(listed) % 2 == 0 and alternates:
        yield [] if any(claim.ordinal for claim in listed) else listed[::2]


def _taken(claims: list[Claim], k: int = 0) -> list[Event]:
    """The events of claims, each read in its k-th way."""
    return [
        Event(time, claim.covers if len(way) == 1 else 1, claim)
        for claim in claims
        for way in [claim.ways[min(k, len(claim.ways) - 1)]]
        for time in way
    ]


def _why(listed: list[Claim], asserted: list[Claim], numbers: bool) -> list[Doubt]:
    """What makes a list less than plain."""
    doubts = []
    for claim in asserted:
        span = claim.start, claim.end
        if not claim.settled:
            doubts.append(Doubt("several-times", span, f"{len(claim.unit.times)} times"))
        elif len(claim.ways[0]) > 1 and claim.ordinal is not None:
            doubts.append(Doubt("several-events", span, f"{len(claim.ways[0])} events"))
        if claim.unsure:
            doubts.append(_unclear(claim))
    if not numbers:
        odd = [c for c in listed if c.ordinal is not None]
        doubts.append(Doubt("ordinals", (odd[0].start, odd[-1].end) if odd else (0, 0)))
    if len({claim.polarity for claim in listed}) > 1:
        unclear = [c for c in listed if c.polarity == OPEN] or [c for c in listed if c.polarity == NO]
        doubts.append(_unclear(unclear[0]))
    return doubts[:20]


def _numbers_plain(asserted: list[Claim], numbered: list[Claim]) -> bool:
    """Whether the numbers of entries, where there are any, go 1, 2, ..., k over those that are events."""
    numbers = [claim.ordinal or 0 for claim in numbered]
    whole = numbers == [*range(numbers[0], numbers[0] + len(asserted))] if numbers else True
    return whole and (not numbers or numbers[0] <= 1)


_A_PLACE = re.compile(r"\b(?:left|right|top|bottom|upper|lower|wall)\b")
_STATE_NAME = re.compile(r"\b(?:state|node) ([a-z0-9]+)\b")
_A_STATE = re.compile(r"\b(?:state|node|active|highlighted|lit|is)\b")


def _is_place(text: str) -> bool:
    return _A_PLACE.search(text) is not None and re.search(r"\b(?:state|node|still)\b", text) is None


def _unlike(listed: list[Claim]) -> bool:
    """Whether entries without a judged word stand beside others that name the event, or say states again and again."""
    open_ones = [c for c in listed if c.polarity == OPEN]
    if not open_ones:
        return False
    numbered = all(c.ordinal is not None for c in listed)
    worded = [CONTENT.search(c.words.replace("@", "")) is not None for c in open_ones]
    if any(c.polarity == YES for c in listed):
        if not numbered and not all(worded):
            return True
        if any(worded):
            return not all(_is_place(c.words) for c in open_ones)
    texts = [re.sub(r"[^a-z]+", " ", c.words).strip() for c in open_ones]
    repeats = any(a == b for a, b in pairwise(texts) if a)
    states = sum(_A_STATE.search(text) is not None for text in texts) >= 2
    return states and not numbered and (repeats or open_ones[0].times[0].time_s == 0)


def _by_counts(listed: list[Claim], off: Off) -> Way | None:
    """The reading by running counts, or None if there are none to read by."""
    counts = [claim.count for claim in listed if claim.count is not None]
    if "running counts" in off or not counts:
        return None
    if len(counts) == 1 and len(listed) > 2 and counts[0] not in (1, len(listed)):
        return None
    if _per_entry(listed, counts):
        return _by_own_counts(listed, counts)
    events: list[Event] = []
    waiting: list[Claim] = []  # without a count
    last, plain = 0, True
    for claim in listed:
        if claim.count is None:
            waiting += [claim] if claim.polarity != NO else []
            continue
        rise = claim.count - last
        if waiting and rise == len(waiting) + 1:
            events += [Event(time, 1, other) for other in waiting for time in other.ways[0]]
            rise, plain = 1, plain and all(c.ordinal is not None for c in waiting)
        elif waiting:
            plain = False
        waiting = []
        if rise > 0 and claim.polarity == NO and claim.times[0].time_s == 0 and not (events or claim.named):
            plain = False  # a state at the start, counted 1
        elif rise > 0:
            many = next((way for way in claim.ways if len(way) == rise > 1), None)
            events += [Event(time, 1, claim) for time in many or [_one(claim)]]
            events[-1].covers = 1 if many else rise
            told = many or claim.covers == rise or claim.times[0].end_s is not None
            plain = plain and (rise == 1 or (told is not None and claim.ordinal is None))
            plain = plain and (claim.settled or many is not None) and not claim.unsure
        elif rise < 0 or (claim.polarity != NO and claim.ordinal is not None):
            plain = False
        last = max(last, claim.count)
    events += [Event(t, 1, c) for c in waiting if c.polarity == YES and not c.ends for t in c.ways[0]]
    plain = plain and not waiting
    ordinals = [claim.ordinal for claim in listed]
    if None not in ordinals and [event.claim.ordinal for event in events] != ordinals:
        used = {event.claim for event in events}
        ones = all(event.covers == 1 for event in events) and len(used) == len(events)
        plain = plain and ones and all(c.polarity == NO for c in listed if c not in used)
    span = listed[0].start, listed[-1].end
    why = [] if plain else [Doubt("unclear-entry", span, "entries and running counts disagree")]
    return Way(events, plain, why)


def _per_entry(listed: list[Claim], counts: list[int]) -> bool:
    """Whether "count" says what each entry covers: always the same, or falling, and not called running."""
    if len(counts) < 2:
        return False
    if max(counts) > 1 and all(claim.count in (None, len(claim.times)) for claim in listed):
        return True
    if any(claim.running for claim in listed):
        return False
    return len(set(counts)) == 1 or any(1 < b < a for a, b in pairwise(counts))


def _by_own_counts(listed: list[Claim], counts: list[int]) -> Way:
    """The reading where each entry says how many it covers."""
    events: list[Event] = []
    for claim in listed:
        if (claim.count is None and claim.polarity == NO) or claim.count == 0:
            continue
        if len(claim.ways[0]) > 1 and claim.count == len(claim.ways[0]):
            events += [Event(time, 1, claim) for time in claim.ways[0]]
        else:
            events.append(Event(_one(claim), max(claim.count or 1, claim.covers), claim))
    return Way(events, len(counts) == len(listed) and set(counts) == {1})


def _one(claim: Claim) -> Time:
    """The time of a claim that is one event."""
    for way in claim.ways:
        if len(way) == 1:
            return way[0]
    times = claim.ways[0]
    first = min(time.time_s for time in times)
    last = max(time.time_s if time.end_s is None else time.end_s for time in times)
    return Time(times[0].start, times[-1].end, first, last if last > first else None)


_A_NAME = re.compile(r"[\W_]*(?:sequence\W{1,4})?\w{1,10}[\W_]*")
_HELD = re.compile(r"\b(?:active|state|node|lit|highlight|is|stays?|remains?|holds?)\b")


def _of_spans(listed: list[Claim], off: Off) -> Way | None:
    """Transitions where states that follow each other without a gap meet."""
    if "spans of states" in off or len(listed) < 2 or any(claim.count is not None for claim in listed):
        return None
    spans = [claim.times[0] for claim in listed if len(claim.times) == 1]
    if len(spans) != len(listed) or any(time.end_s is None for time in spans[:-1]):
        return None
    if not all(a.end_s is not None and abs(a.end_s - b.time_s) <= _MEET_S for a, b in pairwise(spans)):
        return None
    if any(
        claim.named and not _HELD.search(claim.words) and not _A_NAME.fullmatch(claim.words)
        for claim in listed
    ):
        return None
    texts = [re.sub(r"[^\w]+", " ", claim.words.replace("@", "")).strip() for claim in listed]
    changes = [k for k in range(1, len(listed)) if texts[k] != texts[k - 1]]
    if not changes and any(claim.ordinal is not None for claim in listed):
        return None
    return Way(
        [Event(Time(spans[k].start, spans[k].end, spans[k].time_s), 1, listed[k]) for k in changes], False
    )


_STARTS = re.compile(r"\b(?:starts?|begins?|start time|beginning)\b")
_ENDS = re.compile(r"\b(?:ends?|stops?|end time|finish\w*)\b")


def _pairs(listed: list[Claim], off: Off) -> Way | None:
    """One event per beginning, where beginnings and ends alternate."""
    if "pairs" in off:
        return None
    listed = [claim for claim in listed if claim.polarity != NO or (claim.ends and not claim.begins)]
    ends = [claim.ends and not claim.begins for claim in listed]
    if len(listed) < 2 or ends[0] or not any(ends) or any(a and b for a, b in pairwise(ends)):
        return None
    if any(claim.count is not None for claim in listed):
        return None
    events = _taken([claim for claim, end in zip(listed, ends, strict=True) if not end])
    strict = len(listed) == 2 * sum(ends)
    said = all(_STARTS.search(c.words) for c in listed[::2]) and all(
        _ENDS.search(c.words) for c in listed[1::2]
    )
    if strict and said and len(events) == sum(ends):
        for event, last in zip(events, listed[1::2], strict=True):
            start_s = event.time.time_s
            event.time = Time(event.time.start, event.time.end, start_s, max(last.times[0].time_s, start_s))
    alone = all(len(claim.ways) == 1 and claim.ordinal is None for claim in listed)
    return Way(events, strict and alone)


def _best(ways: Iterable[Way], answer: int | None, off: Off) -> Way:
    """The first if it is plain, else the first that the answer agrees with, else the first."""
    first = None
    for way in ways:
        first = first or way
        if first.plain or answer is None or "agreement" in off:
            break
        if way.total == answer:
            return Way(way.events, way.plain)
    return first or Way([], True)


# Several lists


def _several(lists: list[list[Claim]], answer: int | None, context: Context, off: Off) -> tuple[Way, int]:
    """Which of several lists holds, and where the draft before it ends: the one that the question's noun names, the
    one headed as final, one that the others repeat, or all of them."""
    per_list = [list(_ways(one, off)) for one in lists]
    firsts = [_best(ways, None, off) for ways in per_list]
    leads = [one[0].unit.lead.split("\n")[-1][:400] for one in lists]
    whole = list(range(len(lists)))
    keep, sure, draft_end = whole, False, 0
    times = [_rising(way) for way in firsts]
    named = _named(leads, context.noun) if "noun" not in off else []
    proven = [k for k in whole if answer is not None and _is_proven(lists[k], firsts[k], answer)]
    sided = len({frozenset(_A_SIDE.findall(lead)) for lead in leads}) > 1
    final = [k for k in whole[1:] if "lead" not in off and words("revised").search(leads[k])]
    if named:
        keep, sure = named, len(named) == 1
        for claim in (claim for k in whole if k not in named for claim in lists[k]):
            claim.denied = True
    elif final:
        keep, sure, draft_end = [final[-1]], final[-1] == whole[-1], lists[final[-1]][0].start
    elif (
        "repeated list" not in off
        and not sided
        and (answer is None or firsts[0].total == answer or answer != sum(way.total for way in firsts))
        and all(_same(times[0], own) for own in times)
    ):
        keep, sure = [0], True
    elif "repeated list" not in off and proven and all(_same(times[proven[0]], times[k]) for k in proven):
        keep, sure = proven[:1], True
    else:
        apart = [t for own in times for t in own]
        sure = len({round(t / SAME_S) for t in apart}) == len(apart)
        if (
            "repeated list" not in off
            and not sided
            and 2 * _shared(times[0], times[-1]) >= min(len(times[0]), len(times[-1]))
        ):
            keep, sure = [whole[-1] if len(times[-1]) >= len(times[0]) else 0], False
    for option in (
        (keep, whole[-1:], whole, [0]) if answer is not None and "agreement" not in off else (keep,)
    ):
        ways = [_best(per_list[k], answer, off) if len(option) == 1 else firsts[k] for k in option]
        joined = Way([event for way in ways for event in way.events], all(way.plain for way in ways))
        if (
            option is keep
            and sure
            and joined.plain
            and (len(keep) == 1 or answer is None or joined.total == answer)
        ):
            return joined, draft_end
        if joined.total == answer:
            why = [] if sure and option is keep else [_several_lists(lists)]
            return Way(joined.events, False, why), draft_end if option is keep else 0
    ways = [firsts[k] for k in keep]
    why = [doubt for way in ways for doubt in way.why]
    why += [] if sure and len(keep) == 1 else [_several_lists(lists)]
    return Way([event for way in ways for event in way.events], False, why), draft_end


_A_SIDE = re.compile(r"left|right|top|bottom|upper|lower")


def _is_proven(listed: list[Claim], way: Way, answer: int) -> bool:
    """Whether the entries of a list are numbered or counted 1, 2, ..., k up to the answer."""
    run = [*range(1, answer + 1)]
    claims = [event.claim for event in way.events]
    return (
        answer > 0 and way.total == answer and run in ([c.ordinal for c in claims], [c.count for c in claims])
    )


def _several_lists(lists: list[list[Claim]]) -> Doubt:
    return Doubt("several-lists", (lists[-1][0].start, lists[-1][-1].end), f"{len(lists)} lists")


def _named(leads: list[str], noun: str) -> list[int]:
    """The lists whose heads name the event of the question, where other heads name other things."""
    stems = [word[: max(4, len(word) - 2)] for word in noun.lower().split()[-1:]]
    named = [k for k, lead in enumerate(leads) if any(stem in lead for stem in stems)]
    return named if len(named) < len(leads) and all(leads) else []


def _rising(way: Way) -> list[float]:
    return sorted(event.time.at_s for event in way.events)


def _same(old: list[float], new: list[float]) -> bool:
    return len(old) == len(new) == _shared(old, new)


def _shared(old: list[float], new: list[float]) -> int:
    """How many times two lists in order share."""
    shared, i = 0, 0
    for time in new:
        while i < len(old) and old[i] < time - SAME_S:
            i += 1
        if i < len(old) and old[i] <= time + SAME_S:
            shared, i = shared + 1, i + 1
    return shared


# Prose


def _of_prose(prose: list[Claim], answer: int | None, off: Off) -> Way:
    """Events of prose only: each time once. Sure of itself where it agrees with the answer, or is told to the last
    word."""
    yes = [claim for claim in prose if claim.polarity == YES]
    asserted = [claim for claim in prose if claim.polarity != NO]
    spans = _of_spans(prose, off)
    if spans and (spans.total == answer or (answer is not None and _tiles(prose))):
        return Way(spans.events, spans.total != answer)
    if not asserted or (answer == 0 and not yes):
        return Way([], True)
    likely = [c for c in asserted if c.polarity == YES or _is_place(c.words)] if yes else asserted
    first = _unrepeated(_taken(likely))
    if answer is None:
        return Way(first, all(claim.polarity != OPEN for claim in prose))
    if _all_told(prose, first, off):
        return Way(first, True)

    def ways() -> Iterator[list[Event]]:
        if sum(claim.count is not None for claim in prose) > 1 and (counted := _by_counts(prose, off)):
            yield counted.events
        if pairs := _pairs(asserted, off):
            yield pairs.events
        if spans:
            yield spans.events
        begins = [claim for claim in asserted if claim.begins and not claim.ends]
        groups = [
            first,
            _unrepeated(_taken(likely), EXACT_S),
            *(_unrepeated(_taken(some)) for some in (yes or asserted, asserted, begins)),
        ]
        groups += [_taken(some) for some in _some_of(asserted, off)]
        yield from ([Event(e.time, 1, e.claim) for e in group] for group in groups if len(group) > 1)
        yield from filter(None, groups)

    why = [_unclear((yes or asserted)[0], "read from prose")]
    return _best((Way(events, False, why) for events in ways()), answer, off)


def _all_told(prose: list[Claim], events: list[Event], off: Off) -> bool:
    """Whether prose says of every time that something happened then, once each, in order, and of no other but the
    start what was."""
    told = [claim for claim in prose if claim.times[-1].time_s > 0]
    if not events or any(c.polarity != YES or c.unsure or c.covers > 1 or len(c.ways) > 1 for c in told):
        return False
    if _pairs(told, off):
        return False
    times = [time for claim in told for time in claim.times]
    return [event.time for event in events] == times and all(a.at_s < b.at_s for a, b in pairwise(times))


def _tiles(prose: list[Claim]) -> bool:
    """Whether prose names the active state of every moment from the start on, and more than one."""
    names = {name for claim in prose for name in _STATE_NAME.findall(claim.words)}
    told = all(_A_STATE.search(claim.words) for claim in prose)
    return prose[0].times[0].time_s == 0 and told and len(names) != 1


def _unrepeated(events: list[Event], same_s: float = SAME_S) -> list[Event]:
    """Events of prose, each time once; an interval around others is their frame, no event."""
    seen: set[int] = set()
    singles = sorted(event.time.at_s for event in events if event.time.end_s is None)
    kept = []
    for event in events:
        end_s, key = event.time.end_s, round(event.time.at_s / same_s)
        if end_s is not None:
            inside = bisect_left(singles, end_s + 1e-9) - bisect_left(singles, event.time.time_s - 1e-9)
            if inside >= 2:
                continue
        if key not in seen:
            seen.add(key)
            kept.append(event)
    return kept
