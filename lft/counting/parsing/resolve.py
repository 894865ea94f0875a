"""The resolver: of all ways to read the claims, the list that the evidence agrees with; what it cannot decide is a
doubt.

Evidence is agreement: the number of events, the last running count, the numbers of the entries and the final answer.

The boundary between a mis-added answer and a misread one
---------------------------------------------------------
A list is *plain* if it can be read in one way only: every entry with a time asserts one event at one time or
interval (or its running count says which entries do), numbers and running counts go 1, 2, ..., k without a gap
wherever there are any, there is one list, and no time is left over elsewhere that may be an event. A plain list is
read as it stands, without doubt, whatever the final answer: if the answer differs, the model mis-added, and that is
a finding. A list that is not plain (prose, entries with several times, entries that may or may not be events,
several lists, corrections) is read without doubt only if one of its readings agrees with the final answer; that
reading is taken. If none agrees, the likeliest one is given with the doubt `count-differs` and the doubts that say
why. So a fault of adding is only ever found where the list speaks for itself. The one sentence of prose that is
plain is the whole of a response beside its answer, and lists times of one thing that happened.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise

from lft.counting.parsing import numerals
from lft.counting.parsing.claims import CONTENT, Claim
from lft.counting.parsing.document import Unit
from lft.counting.parsing.judging import NO, OPEN, YES
from lft.counting.parsing.lexicon import Off, words
from lft.counting.parsing.tokens import Time
from lft.counting.report import Context, Doubt

MAX_EVENTS = 5_000
MAX_LISTS = 200
MAX_SENTENCE = 2_000  # characters in which a sentence is looked through for a correction
SAME_S = 0.051
_MEET_S = 0.3


_BOXED = re.compile(r"boxed\s?\{[^{}]{0,80}\}")
_LOOSE_NUMBERS = re.compile(
    r"\d\.\d(?! ?(?:hz|fps))|\d{1,4}(?:[;|/]\s?|,\s|\s?[;|/]\s?|\s{1,3})\d{1,4}\b|\d:\d\d|\d\s?(?:s|秒|초)\b|"
    r"\bframes? ?#?\d|\d秒|(?m:^)\W{0,4}\d{1,4}\b[^\n]{0,200}\n\W{0,4}\d"
)


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
    """The events in order of the text, the doubts, and what was left out of an endless text."""

    events: list[Event]
    doubts: list[Doubt]
    left_out: str | None = None


# Words that take something back or replace it: where they stand, no list is plain.
_REWORKED = re.compile(
    r"\b(?:wait|actually|correction|corrected|errat\w*|on (?:reflection|second thought|closer)|sorry|"
    r"should (?:be|read)|instead of|rather than|"
    r"takes? (?:it |that |this |them )?back|void|scratch that|oops|more (?:precisely|exactly|accurately)|"
    r"remov(?:e|ed|ing)|i mean|recount\w*|"
    r"not (?:a |an )?(?:real|true|actual|genuine)|only (?:the|entr|at|one|those|these|reaches)|is not counted|"
    r"duplicates?|same (?:event|contact|blink|transition|flash)|neither)\b"
)


# "Step 3. Corrected ledger": the head of a list, which says nothing about an entry.
_HEADLINE = re.compile(
    r"^[^\w\n]{0,12}(?:(?:step|part|phase) \d[^\w\n]{0,4})?(?:the )?(?:corrected|final|revised|verified) [a-z ]{3,24}"
    r"[^\w\n]{0,8}$",
    re.MULTILINE,
)


def resolve(view: str, claims: list[Claim], answer: int | None, context: Context, off: Off) -> Resolved:
    """Chooses the list of events."""
    if answer is not None and "agreement" not in off:
        _believe_uniform(claims, answer)
    entries = [claim for claim in claims if claim.unit.structured]
    prose = [claim for claim in claims if not claim.unit.structured]
    lists = _lists(entries)
    left_out = None
    if len(lists) > MAX_LISTS:
        lists, left_out = lists[:MAX_LISTS], f"only the first {MAX_LISTS} lists were read"
    asserted = [
        one for one in lists if any(claim.polarity != NO for claim in one) and not _rejected(one, off)
    ]
    if not asserted:
        way = _of_prose(view, prose, answer, off) if prose else Way([], True)
    else:
        way = _of_lists(view, asserted, prose, answer, off)
    differs = answer is not None and way.total != answer
    if differs and (answer == 0 or way.plain) and _REWORKED.search(_HEADLINE.sub(" ", view)):
        behind = view[way.events[-1].claim.start :] if way.events else ""
        none_left = answer == 0 and re.search(r"\b(?:no|none|neither|zero)\b", behind)
        way = Way([], True) if none_left else Way(way.events, False, way.why)
    found = _LOOSE_NUMBERS.search(_BOXED.sub(" ", view[-20_000:])) if not way.events and answer != 0 else None
    if not way.events and answer != 0 and (claims or found):
        span = (claims[0].start, claims[-1].end) if claims else found.span() if found else (0, 0)
        return Resolved([], [*way.why, Doubt("unused-time", span, "no event read")], left_out)
    if (
        answer is None
        and way.events
        and way.events[-1].claim.end >= len(view.rstrip())
        and not way.plain
        and view.rstrip()[-1:] not in ".)!|]}`"
    ):
        return Resolved(
            way.events,
            [Doubt("cut-off", (way.events[-1].claim.start, len(view)), "the last entry may not be whole")],
            left_out,
        )
    doubts = list(way.why)
    agrees = answer is not None and way.total == answer
    if not agrees and not way.plain:
        if answer is not None:
            span = (way.events[0].claim.start, way.events[-1].claim.end) if way.events else (0, len(view))
            doubts.append(Doubt("count-differs", span, f"{way.total} events, final answer {answer}"))
        elif not doubts and way.events:
            doubts.append(_unclear(way.events[0].claim, "no final answer to check the reading by"))
    return Resolved(way.events, doubts, left_out)


_ON_THE_WAY = re.compile(r"\b(?:toward|approach)")
_NO_EVENTS = ("initial", "stay", "method", "meta")


def _believe_uniform(claims: list[Claim], answer: int) -> None:
    """Makes the entries of a uniform list, or the only times of prose, events where no word is known as an event
    and their number is the final answer: "0:05 kettlebell swing" five times and "5"."""
    if not claims or any(claim.polarity != NO or claim.denied or claim.unsure for claim in claims):
        return
    if any(
        _ON_THE_WAY.search(claim.words) or words(no).search(claim.words)
        for claim in claims
        for no in _NO_EVENTS
    ):
        return
    times = [time for claim in claims for time in claim.unit.times]
    rising = all(a.at_s + SAME_S < b.at_s for a, b in pairwise(times))
    if not len(times) == answer > 1 or not rising or times[0].at_s == 0 or any(t.negative for t in times):
        return
    alike = {" ".join(re.findall(r"[^\W\d_]+", claim.words)) for claim in claims}
    if len(alike) == 1 or all(claim.unit.structured and claim.ordinal is not None for claim in claims):
        for claim in claims:
            claim.polarity = OPEN


def _unclear(claim: Claim, detail: str = "") -> Doubt:
    return Doubt("unclear-entry", (claim.start, claim.end), detail)


def _lists(entries: list[Claim]) -> list[list[Claim]]:
    """Entries that stand together: a new list begins in a new section, or where numbers or counts begin again."""
    lists: list[list[Claim]] = []
    count: int | None = None
    highest = 0
    for claim in entries:
        if lists:
            last = lists[-1][-1]
            count = (
                last.count
                if len(lists[-1]) == 1
                else max((c for c in (count, last.count) if c is not None), default=None)
            )
            highest = (last.ordinal or 0) if len(lists[-1]) == 1 else max(highest, last.ordinal or 0)
            if (claim.rule == "table row") != (last.rule == "table row"):
                lists.append([claim])
                continue
            restarts = claim.ordinal == 1 and highest > 1
            earlier = claim.times[0].time_s <= last.times[0].time_s
            again = (
                claim.count == 1
                and count is not None
                and count > 1
                and claim.ordinal in (None, 1)
                and (claim.running or earlier)
            )
            if claim.unit.section == last.unit.section and not restarts and not again:
                lists[-1].append(claim)
                continue
            if (
                words("rejecting").search(claim.unit.lead.split("\n")[-1])
                and claim.unit.section != last.unit.section
            ):
                lists.append([claim])
                continue
            if (
                claim.unit.section != last.unit.section
                and claim.ordinal is not None
                and last.ordinal is not None
                and claim.ordinal == last.ordinal + 1
            ):
                lists[-1].append(claim)
                continue
            if (
                claim.unit.section != last.unit.section
                and claim.count is not None
                and count is not None
                and claim.count == count + 1
                and claim.ordinal is None
            ):
                lists[-1].append(claim)
                continue
        lists.append([claim])
    return lists


def _rejected(listed: list[Claim], off: Off) -> bool:
    """Whether the words above a list say that it holds no events."""
    lead = listed[0].unit.lead.split("\n")[-1]
    if "lead" in off or len(lead) > 160:
        return False
    lead = re.sub(r"\([^()]{0,160}\)|\bafter\b.{0,80}|\bwith\b.{0,80}", " ", lead)
    return (
        words("rejecting").search(lead) is not None
        and re.search(
            r"\b(?<!not )(?<!un)(?:confirmed|accepted|verified|ledger|final|corrected|valid)\b", lead
        )
        is None
    )


# One list


def _ways(listed: list[Claim], off: Off) -> Iterator[Way]:
    """The ways to read one list, the likeliest first. The first is plain if it is the only one that may be right."""
    counted = _by_counts(listed, off)
    if counted is not None:
        yield counted
    spans = _of_spans(listed, off)
    if spans is not None:
        yield spans
    pairs = _pairs(listed, off)
    if pairs is not None:
        yield pairs
    open_ones = [claim for claim in listed if claim.polarity == OPEN]
    yes = [claim for claim in listed if claim.polarity == YES]
    no = [claim for claim in listed if claim.polarity == NO]
    asserted = [claim for claim in listed if claim.polarity != NO]
    base = _taken(asserted, 0)
    numbers = _numbers_plain(listed, asserted)
    plain = counted is None and spans is None and pairs is None and not _unlike(listed) and numbers
    plain = plain and all(
        claim.settled and len(claim.ways[0]) == 1 and not claim.unsure for claim in asserted
    )
    plain = plain and not (open_ones and no) and not (no and any(c.ordinal is not None for c in no))
    plain = plain and not (yes and open_ones and any(claim.ends for claim in open_ones))
    why = _why(listed, asserted, numbers)
    yield Way(base, plain, [] if plain else why)
    if all(claim.ordinal is not None for claim in listed) and no:
        yield Way(_taken(listed, 0), False, why)
    if yes and open_ones:
        yield Way(_taken(yes, 0), False, why)
    with_number = [claim for claim in asserted if claim.ordinal is not None]
    if with_number and len(with_number) < len(asserted):
        yield Way(_taken(with_number, 0), False, why)
    for k in (1, 2, 3):
        if any(len(claim.ways) > k for claim in asserted):
            yield Way(_taken(asserted, k), False, why)
            if yes and open_ones:
                yield Way(_taken(yes, k), False, why)
    begins = [claim for claim in listed if claim.begins and not claim.ends]
    if begins and len(begins) < len(listed):
        yield Way(_taken(begins, 0), False, why)
    changes = _changes(listed)
    if changes:
        yield Way(_taken(changes, 0), False, why)
    odd = listed[::2]
    if (
        len(listed) > 2
        and len(listed) % 2 == 0
        and _alternates(listed)
        and "pairs" not in off
        and not any(c.ordinal for c in listed)
    ):
        yield Way(_taken(odd, 0), False, why)
    if any(claim.covers > 1 for claim in asserted):
        yield Way([Event(event.time, 1, event.claim) for event in base], False, why)


def _taken(claims: list[Claim], k: int) -> list[Event]:
    events = []
    for claim in claims:
        way = claim.ways[min(k, len(claim.ways) - 1)]
        covers = claim.covers if len(way) == 1 else 1
        events += [Event(time, covers, claim) for time in way]
    return events


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


def _numbers_plain(listed: list[Claim], asserted: list[Claim]) -> bool:
    """Whether the numbers of entries, where there are any, go 1, 2, ..., k over those that are events."""
    numbers = [claim.ordinal for claim in asserted if claim.ordinal is not None]
    if not numbers:
        return True
    return (
        numbers == list(range(numbers[0], numbers[0] + len(numbers)))
        and numbers[0] <= 1
        and len(numbers) == len(asserted)
    )


def _unlike(listed: list[Claim]) -> bool:
    """Whether entries without a judged word stand beside others that name the event, or say states again and again."""
    open_ones = [c for c in listed if c.polarity == OPEN]
    named = [c for c in listed if c.polarity == YES]
    if not open_ones:
        return False
    numbered = all(c.ordinal is not None for c in listed)
    if named and not numbered and any(not CONTENT.search(c.words.replace("@", "")) for c in open_ones):
        return True
    if named and any(CONTENT.search(c.words.replace("@", "")) for c in open_ones):
        return not all(_place(c.words) for c in open_ones)
    texts = [re.sub(r"[^a-z]+", " ", c.words).strip() for c in open_ones]
    states = sum(bool(re.search(r"\b(?:state|node|active|highlighted|lit|is)\b", text)) for text in texts)
    repeats = any(a == b for a, b in pairwise(texts) if a)
    return (
        states >= 2
        and not all(c.ordinal is not None for c in open_ones)
        and (repeats or open_ones[0].times[0].time_s == 0)
    )


def _place(text: str) -> bool:
    return re.search(r"\b(?:left|right|top|bottom|upper|lower|wall)\b", text) is not None and not re.search(
        r"\b(?:state|node|still)\b", text
    )


def _by_counts(listed: list[Claim], off: Off) -> Way | None:
    """The reading by running counts, or None if there are none to read by."""
    if "running counts" in off:
        return None
    counts = [claim.count for claim in listed if claim.count is not None]
    if not counts or (len(counts) == 1 and len(listed) > 2 and counts[0] not in (1, len(listed))):
        return None
    if _per_entry(listed, counts):
        events = []
        for claim in listed:
            if (claim.count is None and claim.polarity == NO) or claim.count == 0:
                continue
            if len(claim.ways[0]) > 1 and claim.count == len(claim.ways[0]):
                events += [Event(time, 1, claim) for time in claim.ways[0]]
            else:
                events.append(Event(_one(claim), max(claim.count or 1, claim.covers), claim))
        return Way(
            events, all(c.count is not None for c in listed) and len(set(counts)) == 1 and counts[0] == 1
        )
    events, waiting, last, plain = [], [], 0, True
    first_count = counts[0]
    for claim in listed:
        if claim.count is None:
            if claim.polarity != NO:
                waiting.append(claim)
            continue
        rise = claim.count - last
        if waiting and rise == len(waiting) + 1:
            for other in waiting:
                events += [Event(time, 1, other) for time in other.ways[0]]
            rise, plain = 1, plain and all(c.ordinal is not None for c in waiting)
        elif waiting:
            plain = plain and all(c.ends or c.polarity == OPEN for c in waiting) and False
        waiting = []
        if rise > 0:
            if (
                claim.polarity == NO
                and claim.times[0].time_s == 0
                and claim.count == first_count
                and not claim.named
            ):
                plain = False
                last = claim.count
                continue
            if len(claim.ways[0]) == rise > 1:
                events += [Event(time, 1, claim) for time in claim.ways[0]]
            else:
                more = next((way for way in claim.ways if len(way) == rise), None)
                if more is not None and rise > 1:
                    events += [Event(time, 1, claim) for time in more]
                else:
                    events.append(Event(_one(claim), rise, claim))
            if rise > 1:
                said_so = claim.covers == rise or claim.times[0].end_s is not None or claim.ordinal is None
                plain = plain and said_so and claim.ordinal is None
            if claim.polarity == NO and not claim.settled:
                plain = False
        elif rise < 0 or (rise == 0 and claim.polarity != NO and claim.ordinal is not None):
            plain = False
        last = max(last, claim.count)
    if waiting:
        trailing = [c for c in waiting if c.polarity == YES and not c.ends]
        for other in trailing:
            events += [
                Event(time, other.covers if len(other.ways[0]) == 1 else 1, other) for time in other.ways[0]
            ]
        plain = False
    plain = (
        plain
        and all(event.claim.settled or len(event.claim.ways[0]) > 1 for event in events)
        and not any(e.claim.unsure for e in events)
    )
    ordinals = [c.ordinal for c in listed if c.ordinal is not None]
    chosen = [event.claim.ordinal for event in events]
    if len(ordinals) == len(listed) and (
        chosen != ordinals or ordinals != list(range(ordinals[0], ordinals[0] + len(ordinals)))
    ):
        plain = (
            plain
            and len({event.claim.ordinal for event in events}) == len(ordinals)
            and ordinals == list(range(1, len(ordinals) + 1))
        )
        if (
            not plain
            and all(e.covers == 1 for e in events)
            and [c.count for c in (e.claim for e in events)] == list(range(1, len(events) + 1))
        ):
            used = {event.claim for event in events}
            plain = all(c.polarity == NO for c in listed if c not in used)
    why = (
        []
        if plain
        else [
            Doubt("unclear-entry", (listed[0].start, listed[-1].end), "entries and running counts disagree")
        ]
    )
    return Way(events, plain, why)


def _one(claim: Claim) -> Time:
    """The time of a claim that is one event."""
    for way in claim.ways:
        if len(way) == 1:
            return way[0]
    times = claim.ways[0]
    first = min(time.time_s for time in times)
    last = max(time.time_s if time.end_s is None else time.end_s for time in times)
    return Time(times[0].start, times[-1].end, first, last if last > first else None)


def _per_entry(listed: list[Claim], counts: list[int]) -> bool:
    """Whether "count" says what each entry covers: always the same, or falling, and not called running."""
    if len(counts) < 2:
        return False
    if max(counts) > 1 and all(claim.count in (None, len(claim.times)) for claim in listed):
        return True
    if any(claim.running for claim in listed):
        return False
    return len(set(counts)) == 1 or any(1 < b < a for a, b in pairwise(counts))


def _of_spans(listed: list[Claim], off: Off) -> Way | None:
    """Transitions where states that follow each other without a gap meet."""
    if "spans of states" in off or len(listed) < 2 or any(claim.count is not None for claim in listed):
        return None
    spans = [claim.unit.times[0] for claim in listed if len(claim.unit.times) == 1]
    if len(spans) != len(listed) or any(time.end_s is None and time is not spans[-1] for time in spans):
        return None
    if not all(a.end_s is not None and abs(a.end_s - b.time_s) <= _MEET_S for a, b in pairwise(spans)):
        return None
    if any(
        claim.named
        and not re.search(r"\b(?:active|state|node|lit|highlight|is|stays?|remains?|holds?)\b", claim.words)
        for claim in listed
    ):
        return None
    texts = [re.sub(r"[^\w]+", " ", claim.words.replace("@", "")).strip() for claim in listed]
    changes = [k for k in range(1, len(listed)) if texts[k] != texts[k - 1]]
    if not changes and any(claim.ordinal is not None for claim in listed):
        return None
    events = []
    for k in changes:
        time = spans[k]
        events.append(Event(Time(time.start, time.end, time.time_s), 1, listed[k]))
    return Way(events, False)


def _pairs(listed: list[Claim], off: Off) -> Way | None:
    """One event per beginning, where beginnings and ends alternate."""
    if "pairs" in off or len(listed) < 2:
        return None
    listed = [claim for claim in listed if claim.polarity != NO or (claim.ends and not claim.begins)]
    ends = [claim.ends and not claim.begins for claim in listed]
    if not any(ends) or all(ends):
        return None
    if any(a and b for a, b in pairwise(ends)) or ends[0]:
        return None
    if any(claim.polarity == NO and not end for claim, end in zip(listed, ends, strict=True)):
        return None
    counted = [claim.count for claim in listed if claim.count is not None]
    if counted:
        return None
    if len(listed) < 2:
        return None
    events = _taken([claim for claim, end in zip(listed, ends, strict=True) if not end], 0)
    if (
        len(listed) == 2 * sum(ends) == 2 * len(events)
        and all(_STARTS.search(c.words) for c in listed[::2])
        and all(_ENDS.search(c.words) for c in listed[1::2])
    ):
        for event, last in zip(events, listed[1::2], strict=True):
            event.time = Time(
                event.time.start,
                event.time.end,
                event.time.time_s,
                max(last.times[0].time_s, event.time.time_s),
            )
    strict = len(listed) == 2 * sum(ends) and all(not a for a in ends[::2])
    return Way(
        events,
        strict and not any(c.ordinal is not None for c in listed) and all(len(c.ways) == 1 for c in listed),
    )


_STARTS = re.compile(r"\b(?:starts?|begins?|start time|beginning)\b")
_ENDS = re.compile(r"\b(?:ends?|stops?|end time|finish\w*)\b")


def _changes(listed: list[Claim]) -> list[Claim]:
    """Of a log of states, the entries that say another state than the one before."""
    texts = [re.sub(r"[^\w]+", " ", claim.words.replace("@", "")).strip() for claim in listed]
    return [claim for k, claim in enumerate(listed) if k and texts[k] and texts[k] != texts[k - 1]]


def _alternates(listed: list[Claim]) -> bool:
    texts = [re.sub(r"[\W\d]+", " ", claim.words.replace("@", "")).strip() for claim in listed]
    return len(set(texts[::2])) == 1 and len(set(texts[1::2])) == 1 and texts[0] != texts[1]


# Several lists


def _of_lists(view: str, lists: list[list[Claim]], prose: list[Claim], answer: int | None, off: Off) -> Way:
    if len(lists) == 1:
        chosen = _best(list(_ways(lists[0], off)), answer, off)
        replaced: list[list[Claim]] = []
    else:
        chosen, replaced = _several(lists, answer, off)
    return _with_prose(view, chosen, [c for one in lists for c in one], replaced, prose, answer, off)


def _best(ways: list[Way], answer: int | None, off: Off) -> Way:
    """The first if it is plain, else the first that the answer agrees with, else the first."""
    if ways[0].plain or answer is None or "agreement" in off:
        return ways[0]
    for way in ways:
        if way.total == answer:
            return Way(way.events, way.plain)
    return Way(ways[0].events, False, ways[0].why)


def _several(lists: list[list[Claim]], answer: int | None, off: Off) -> tuple[Way, list[list[Claim]]]:
    """Which of several lists holds: what replaces what is said above them, or they repeat each other."""
    per_list = [list(_ways(one, off)) for one in lists]
    firsts = [_best(ways, None, off) for ways in per_list]
    keep: list[int] = []
    clear = True
    for k, listed in enumerate(lists):
        if not keep:
            keep = [k]
            continue
        lead = listed[0].unit.lead.split("\n")[-1] if len(listed[0].unit.lead) < 400 else ""
        earlier = [event.time.at_s for j in keep for event in firsts[j].events]
        own = [event.time.at_s for event in firsts[k].events]
        in_order = sorted(earlier)
        shared = _shared(in_order, own)
        revised = "lead" not in off and words("revised").search(lead) is not None
        draft = "lead" not in off and all(
            words("draft").search(lists[j][0].unit.lead.split("\n")[-1]) for j in keep
        )
        closing = "lead" not in off and words("closing").search(lead) is not None
        repeats = "repeated list" not in off and own and 2 * shared >= min(len(earlier), len(own))
        checks = "lead" not in off and re.search(r"\b(?:verif|check|confirm|review)", lead) is not None
        sides = _sides(lists[keep[-1]][0].unit.lead) != _sides(listed[0].unit.lead)
        if sides and not revised:
            keep.append(k)
        elif checks and not revised:
            goes_through = len(listed) >= len(earlier) and bool(repeats)
            added = [
                e for e in firsts[k].events if e.claim.polarity == YES and not _near(e.time.at_s, in_order)
            ]
            if (goes_through and len(own) != shared) or (goes_through and len(own) < len(earlier)):
                keep = [k]
            elif goes_through:
                continue
            elif added and re.search(
                r"\b(?:missed|missing|add|additional|another|new|overlooked)",
                " ".join(e.claim.words for e in added) + lead,
            ):
                keep.append(k)
                per_list[k] = [Way(added, False)]
                firsts[k] = per_list[k][0]
            clear = clear and goes_through
        elif revised:
            keep = [k]
            clear = clear and bool(repeats or len(own) > 0)
        elif (repeats and len(own) == len(earlier) == shared) or (
            own and all(_frames(event.time, in_order) for event in firsts[k].events)
        ):
            continue
        elif repeats:
            if closing and len(own) < len(earlier):
                clear = False
                continue
            keep = [k] if len(own) >= len(earlier) or draft else keep
            clear = clear and (len(own) == len(earlier) == shared)
        elif draft:
            keep, clear = [k], False
        elif re.search(
            r"\b(?:missed|missing|add(?:ed|itional)?|another|overlooked)\b",
            lead + " ".join(c.words for c in listed[:3]),
        ):
            keep.append(k)
            clear = False
        else:
            keep.append(k)
            clear = False
    options = [keep, [len(lists) - 1], list(range(len(lists))), [0]]
    starts = lists[-1][0].start, lists[-1][-1].end
    for number, option in enumerate(options):
        ways = [firsts[k] for k in option]
        joined = Way([event for way in ways for event in way.events], all(way.plain for way in ways))
        if number == 0 and joined.plain and (clear or answer is None) and clear:
            return joined, [lists[k] for k in range(len(lists)) if k not in option]
        if answer is not None and "agreement" not in off:
            if joined.total == answer:
                return Way(joined.events, False), [lists[k] for k in range(len(lists)) if k not in option]
            if len(option) == 1:
                best = _best(per_list[option[0]], answer, off)
                if best.total == answer:
                    return Way(best.events, False), [lists[k] for k in range(len(lists)) if k not in option]
    ways = [firsts[k] for k in keep]
    events = [event for way in ways for event in way.events]
    why = [doubt for way in ways for doubt in way.why]
    if not clear:
        why.append(Doubt("several-lists", starts, f"{len(lists)} lists"))
    return Way(events, False, why), [lists[k] for k in range(len(lists)) if k not in keep]


def _frames(time: Time, earlier: list[float]) -> bool:
    """Whether an interval holds two or more events of an earlier list, in order of time, which it sums up."""
    return (
        time.end_s is not None
        and bisect_right(earlier, time.end_s + SAME_S) - bisect_left(earlier, time.time_s - SAME_S) > 1
    )


def _sides(lead: str) -> frozenset[str]:
    """The walls or states that words above a list name: equal times below different ones are different events."""
    return frozenset(side for side in ("left", "right", "top", "bottom", "upper", "lower") if side in lead)


def _shared(old: list[float], new: list[float]) -> int:
    left = sorted(old)
    shared, i = 0, 0
    for time in sorted(new):
        while i < len(left) and left[i] < time - SAME_S:
            i += 1
        if i < len(left) and left[i] <= time + SAME_S:
            shared, i = shared + 1, i + 1
    return shared


# Prose


def _of_prose(view: str, prose: list[Claim], answer: int | None, off: Off) -> Way:
    """Events of prose only: each time once. Sure of itself only where it agrees with the answer."""
    spans = _of_spans(prose, off)
    yes = [claim for claim in prose if claim.polarity == YES]
    asserted = [claim for claim in prose if claim.polarity != NO]
    likely = [c for c in asserted if c.polarity == YES or _place(c.words)] if yes else asserted
    groups = [
        _unrepeated(_taken(likely, 0)),
        _unrepeated(_taken(yes or asserted, 0)),
        _unrepeated(_taken(asserted, 0)),
    ]
    for group in list(groups):
        if answer is not None and len(group) == answer > 1:
            groups.insert(0, [Event(e.time, 1, e.claim) for e in group])
    ways = [
        Way(events, False, [_unclear(claim) for claim in asserted if claim.polarity == OPEN][:3])
        for events in groups
    ]
    told = {claim.unit.start for claim in yes}
    ways.append(Way(_unrepeated(_taken([c for c in asserted if c.unit.start in told], 0)), False))
    counted = _by_counts(prose, off) if sum(claim.count is not None for claim in prose) > 1 else None
    if counted is not None:
        ways.insert(0, Way(counted.events, False, []))
    if spans is not None:
        ways.insert(0, spans)
    pairs = _pairs(asserted, off)
    if pairs is not None:
        ways.insert(0, Way(pairs.events, False))
    begins = [claim for claim in prose if claim.begins and not claim.ends and claim.polarity != NO]
    ways.append(Way(_unrepeated(_taken(begins, 0)), False))
    singles = [Event(e.time, 1, e.claim) for e in groups[0]]
    ways.append(Way(singles, False))
    if len(asserted) % 2 == 0 and len(asserted) > 2 and "pairs" not in off and _alternates(asserted):
        ways.append(Way(_taken(asserted[::2], 0), False))
    chosen = _best(ways, answer, off)
    corrected = _correcting(view, chosen, prose, answer, off)
    if corrected is not None:
        return corrected
    if not chosen.events and not asserted:
        return Way([], answer in (0, None) or all(_denies(claim) for claim in prose))
    if answer is not None and chosen.total == answer:
        return chosen
    if answer is None and chosen.events and all(claim.polarity != OPEN for claim in prose):
        return Way(chosen.events, True)
    if _says_only_times(view, chosen, prose):
        return Way(chosen.events, True)
    if not chosen.why:
        chosen.why = [_unclear((yes or asserted or prose)[0], "read from prose")]
    return chosen


_BESIDE_BOX = re.compile(r"\b(?:(?:the|my|so|is|final|answer|count|total|therefore|thus|text)\b\W*)+")


_SOME = rf"{numerals.ORDINALS}|last|some|few|earl\w*|most\w*|main\w*|includ\w*|such|like|others?|at least|about every"


def _says_only_times(view: str, way: Way, prose: list[Claim]) -> bool:
    """Whether the response is one sentence that lists events, and the answer: "It blinks at 2 s, 5 s and 9 s."."""
    unit = prose[0].unit
    times = unit.times
    if len(prose) != 1 or prose[0].polarity != YES or prose[0].unsure or not 2 < len(times) == way.total:
        return False
    if not all(b.linked and a.at_s < b.at_s for a, b in pairwise(times)) or times[0].at_s == 0:
        return False
    said = view[unit.start : times[0].start] + " " + view[times[-1].end : unit.end]
    rest = _BOXED.sub(" ", view[: unit.start] + " " + view[unit.end :])
    return not re.search(rf"\d|\b(?:{numerals.WORD}|{_SOME})\b", said) and not re.search(
        r"[^\W\d_]{2,}", _BESIDE_BOX.sub(" ", rest)
    )


def _denies(claim: Claim) -> bool:
    return claim.polarity == NO


def _unrepeated(events: list[Event]) -> list[Event]:
    """Events of prose, each time once; an interval around others is their frame, no event."""
    seen: set[int] = set()
    singles = sorted(event.time.at_s for event in events if event.time.end_s is None)
    kept = []
    for event in events:
        if event.time.end_s is not None:
            inside = bisect_left(singles, event.time.end_s + 1e-9) - bisect_left(
                singles, event.time.time_s - 1e-9
            )
            if inside >= 2:
                continue
        key = round(event.time.at_s / SAME_S)
        if key not in seen:
            seen.add(key)
            kept.append(event)
    return kept


def _correcting(view: str, chosen: Way, prose: list[Claim], answer: int | None, off: Off) -> Way | None:
    """Prose that takes back an earlier sentence."""
    if "corrections" in off:
        return None
    ordered = sorted(chosen.events, key=lambda event: event.time.at_s)
    times = [event.time.at_s for event in ordered]
    gone: set[Event] = set()
    for claim in prose:
        if claim.polarity != NO or (
            not words("retracted").search(claim.words) and not re.search(r"\bnot\b|n't\b", claim.words)
        ):
            continue
        gone.update(
            e for t in claim.times for e in _at(t.at_s, ordered, times) if e.claim.start < claim.start
        )
    if not gone:
        return None
    events = [event for event in chosen.events if event not in gone]
    total = sum(e.covers for e in events)
    if answer is not None and chosen.total == answer != total:
        return None
    return Way(events, False, [Doubt("unused-time", (prose[-1].start, prose[-1].end), "taken back")])


# What prose says about lists

_ENTRY = re.compile(
    rf"\b(?:entry|entries|line|lines|number|no\.|item|event|contact|blink|transition|row|"
    rf"\#)s?\s?\#?(?P<a>\d{{1,3}})(?:\s?(?:and|,|&|-)\s?\#?(?P<b>\d{{1,3}}))?\b(?![.:]\d|\s?s\b)"
    rf"|\bthe (?P<nth>{numerals.ORDINALS}|last)(?: (?:and (?P<nth2>{numerals.ORDINALS}|last)|"
    rf"two|entry|event|contact|blink|transition|one|line))"
)
_NOT = re.compile(r"\bnot\b|n't\b|\bno\b|\bnever\b|\bwithout\b")
_SAME = re.compile(r"\b(?:same|duplicate|repeats?|copy|twice)\b")
_ADDS = re.compile(
    r"\b(?:missed|missing|another|additional|also|add(?:ed|ing)?|overlooked|forgot|one more|extra|too)\b"
)


def _with_prose(
    view: str,
    way: Way,
    entries: list[Claim],
    replaced: list[list[Claim]],
    prose: list[Claim],
    answer: int | None,
    off: Off,
) -> Way:
    """A list with what the sentences around it take back, move or add; their unexplained times are doubts."""
    if not way.events:
        return _unlisted(view, way, prose, answer, off)
    ordered = sorted(way.events, key=lambda event: event.time.at_s)
    times = [event.time.at_s for event in ordered]
    ends = sorted(t for event in way.events for t in (event.time.time_s, event.time.end_s) if t is not None)
    known = sorted(t.time_s for claim in entries for t in claim.unit.times)
    first = min(event.claim.start for event in way.events)
    last = max(event.claim.start for event in way.events)
    place = {event: k for k, event in enumerate(way.events)}
    by_ordinal = {event.claim.ordinal or k: event for k, event in enumerate(way.events, 1)}
    removed: dict[Event, None] = {}  # in order of removal
    added: list[Event] = []
    moved: list[tuple[Event, Time]] = []
    loose: list[Claim] = []
    done: set[int] = set()
    looked_at: Unit | None = None
    left = way.events  # by the sentences that name the only ones
    for claim in prose:
        if claim.unit.start in done:
            continue
        old = [t for t in claim.times if _near(t.at_s, times) or _near(t.time_s, ends)]
        new = [t for t in claim.times if t not in old]
        behind = claim.start > last
        if "corrections" not in off and behind and claim.unit is not looked_at:  # clauses share a sentence
            looked_at = claim.unit
            move = _moved(view, claim, ordered, times, by_ordinal)
            if move is not None:
                moved.append(move)
                done.add(claim.unit.start)
                continue
            only = _only(view, claim, ordered, times)
            if only is not None:
                removed |= dict.fromkeys(event for event in left if event not in only)
                left = [event for event in left if event in only]
                done.add(claim.unit.start)
                continue
        if "corrections" not in off and claim.start > first:
            if (
                old
                and claim.polarity == NO
                and (_NOT.search(claim.words) or words("retracted").search(claim.words))
                and not re.search(r"\b(?:none|no) (?:of|need)|\bkeep|\bmissing\b|\bmissed\b", claim.words)
            ):
                hit = {e for t in old for e in _at(t.at_s, ordered, times) if e not in removed}
                taken = sorted(hit, key=place.__getitem__)
                if len(taken) <= max(1, len(old)) and not (new and claim.polarity != NO):
                    removed |= dict.fromkeys(taken[-1:] if _SAME.search(claim.words) else taken)
                    continue
            if (
                new
                and behind
                and claim.polarity != NO
                and (claim.polarity == YES or _ADDS.search(claim.words))
                and _ADDS.search(
                    view[claim.unit.start : min(claim.unit.end, claim.unit.start + MAX_SENTENCE)]
                )
            ):
                added += [Event(t, 1, claim) for t in new]
                continue
        if new and not all(_near(t.time_s, known) for t in new) and claim.polarity != NO:
            loose.append(claim)
    if "corrections" not in off:
        removed |= dict.fromkeys(_by_number(view, way, last, by_ordinal))
    if not removed and not added and not loose and not moved:
        return way
    for event, time in moved:
        event.time, event.claim = time, event.claim
    events = [event for event in way.events if event not in removed]
    events = sorted(events, key=lambda e: e.claim.start) + added
    changed = Way(events, False, list(way.why))
    if moved and not removed and not added and not loose:
        return Way(way.events, way.plain and way.total == answer, way.why)
    if removed or added:
        if answer is not None and way.total == answer != changed.total:
            return way if way.plain and not loose else Way(way.events, False, way.why)
        if answer is not None and changed.total == answer:
            return Way(events, False)
        source = next(iter(added or removed)).claim
        changed.why.append(Doubt("unused-time", (source.start, source.end), "a correction"))
        return changed
    if answer is not None and way.total == answer:
        return Way(way.events, False, way.why if way.plain else [])
    more = [
        Event(t, claim.covers if len(claim.times) == 1 else 1, claim)
        for claim in loose
        for t in claim.times
        if not _near(t.at_s, times)
    ]
    if answer is not None and "agreement" not in off and way.total + sum(e.covers for e in more) == answer:
        return Way(sorted([*way.events, *more], key=lambda e: e.time.start), False)
    return Way(way.events, False, [*way.why, *(Doubt("unused-time", (c.start, c.end)) for c in loose[:5])])


_MOVES = re.compile(
    r"\b(?:should (?:be|read)|instead of|rather than|instead|is (?:actually )?at|happened at|put|closer to|not|"
    r"more precisely|reads?)\b"
)
_ONLY = re.compile(r"\bonly\b")


def _moved(
    view: str, claim: Claim, ordered: list[Event], times: list[float], by_ordinal: dict[int, Event]
) -> tuple[Event, Time] | None:
    """The event that a sentence moves, and its new time: "5.0 s should be 5.5 s", "the second is at 5.5 s"."""
    if len(claim.unit.times) > 2:
        return None
    sentence = view[claim.unit.start : min(claim.unit.end, claim.unit.start + MAX_SENTENCE)]
    found = _MOVES.search(sentence)
    if not found:
        return None
    old = [t for t in claim.unit.times if _near(t.at_s, times)]
    new = [t for t in claim.unit.times if t not in old]
    if len(new) != 1 or len(old) > 1 or (_ADDS.search(sentence) and not old):
        return None
    if old:
        near = re.search(r"\b(?:should|instead|rather|not|at|closer|reads?)\b", sentence)
        hit = _at(old[0].at_s, ordered, times)
        return (hit[0], new[0]) if near and len(hit) == 1 else None
    numbers = _numbers_in(sentence, len(ordered))
    if len(numbers) != 1:
        return None
    return (by_ordinal[numbers[0]], new[0]) if numbers[0] in by_ordinal else None


def _only(view: str, claim: Claim, ordered: list[Event], times: list[float]) -> set[Event] | None:
    """The events that a sentence says are the only ones, by their times."""
    sentence = view[claim.unit.start : min(claim.unit.end, claim.unit.start + MAX_SENTENCE)]
    if (
        not _ONLY.search(sentence)
        or words("retracted").search(sentence)
        or re.search(r"\b(?:scratch|same|void|brush)", sentence)
    ):
        return None
    denied = re.split(r"\bnot\b", sentence, maxsplit=1)
    stop = claim.unit.start + len(denied[0])
    kept = {e for t in claim.unit.times if t.start < stop for e in _at(t.at_s, ordered, times)}
    return kept if kept and len(kept) < len(ordered) else None


def _numbers_in(text: str, last: int) -> list[int]:
    """Numbers of entries that a text names."""
    numbers = []
    for found in _ENTRY.finditer(text):
        for group in ("a", "b", "nth", "nth2"):
            value = found[group]
            if value is not None:
                numbers.append(last if value == "last" else numerals.ordinal(value))
    if re.search(r"\blast two\b", text):
        return [last - 1, last]
    return numbers


def _by_number(view: str, way: Way, last: int, by_ordinal: dict[int, Event]) -> list[Event]:
    """Events that a sentence behind the list takes back by their numbers."""
    tail_at = view.find("\n", last)
    if tail_at < 0 or len(view) - tail_at > 20_000:
        return []
    taken: list[Event] = []
    for sentence in re.finditer(r"[^\n.!?]+(?:\.(?=\d)[^\n.!?]*)*", view[tail_at:]):
        text = sentence[0]
        only = _ONLY.search(text) is not None and not re.search(
            r"\bnot only\b|\b(?:scratch|invalid|void|same|brush)", text
        )
        if not (only or words("retracted").search(text)) or re.search(
            r"\b(?:none|no (?:entry|entries|line|event))\b", text
        ):
            continue
        numbers = _numbers_in(text, len(way.events))
        hit = [by_ordinal[n] for n in numbers if n in by_ordinal]
        if only and hit:
            kept = set(hit)
            hit = [event for event in way.events if event not in kept]
        elif _SAME.search(text) and len(hit) > 1:
            has_to_go = re.search(r"(?:entry|line|event) (\d{1,3}) (?:has to|must|should)", text)
            hit = (
                [by_ordinal[int(has_to_go[1])]] if has_to_go and int(has_to_go[1]) in by_ordinal else hit[1:]
            )
        elif _SAME.search(text) and numbers and re.search(r"repeats? ", text):
            hit = hit[:1]
        taken += hit
    return taken


def _unlisted(view: str, way: Way, prose: list[Claim], answer: int | None, off: Off) -> Way:
    """What prose says where no entry of a list is an event."""
    told = _of_prose(view, prose, answer, off)
    return told if told.events else way


def _at(value: float, ordered: list[Event], times: list[float]) -> list[Event]:
    """The events at a time, of those in order of their times."""
    return ordered[bisect_left(times, value - SAME_S) : bisect_right(times, value + SAME_S)]


def _near(value: float, among: list[float]) -> bool:
    i = bisect_left(among, value - SAME_S)
    return i < len(among) and among[i] <= value + SAME_S
