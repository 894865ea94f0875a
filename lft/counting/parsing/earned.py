"""Whether a reading has earned its silence: a second, simple look at the text that trusts nothing the resolver chose.

It finds every number that looks like a time with one pattern of its own, and asks of each whether an event took it or
what says that it is none. It asks of every event whether another time could be meant, and of the whole whether it is
told in the form of a report: by the clock of the clip, forwards, once. Where nothing answers, there is a doubt.

Where the final answer agrees with the events, that is evidence for their number, not for their times. Where it
differs, the list must be understood to its last word before the difference is the model's: entries alike in form, no
entry set aside for weak reasons, nothing said to be left out, no further sentence that is not understood.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable
from functools import lru_cache
from itertools import pairwise

from lft.counting.parsing import numerals, tokens
from lft.counting.parsing.claims import Claim
from lft.counting.parsing.judging import NO, YES, said
from lft.counting.parsing.lexicon import NOUNS, Off, words
from lft.counting.parsing.resolve import SAME_S, Event, Resolved
from lft.counting.report import Context, Doubt

_SECONDS = r"s|secs?|seconds?|sekunden?|segundos?|secondes?|秒|초|сек\w*"
# What looks like a time, whatever stands around it.
_LOOKS = re.compile(
    rf"(?<![\d.,:])(?:\d{{1,3}}:\d\d(?:[:;.,]\d+)*|\d+[.,]\d+|\d+\s?(?:m?s|{_SECONDS})(?![^\W_])|\d+[a-z]\d+)"
    r"|\b(?:second|sec|segundo|sekunde|seconde|secondo) \d+(?:[.,]\d+)?"
)
_NUMERAL = re.compile(
    rf"\b(?:{numerals.WORD})\b|(?<!\d)\d{{1,6}}(?!\d)(?:st|nd|rd|th)?|[一二三四五六七八九十]+(?=[秒次,、])|第[一二三四五六七八九十]"
)
_NO_TIME_AFTER = re.compile(r"\s?(?:hz|fps|%|px|pixels?|x\b|°|deg|cm\b|m/s|/\s?\d)")
_MEASURES = re.compile(
    r"(?:confidence|score|prob\w*|fps|duration\w*|length|version|tolerance|period|interval)[\"'\s:=~(]{0,5}$"
)
_MAX_ASKED = 2_000  # numbers without an event that are looked at closely
_FINAL = re.compile(r"(?:boxed|fbox)\s?\{[^{}]{0,200}\}")
_BOX = re.compile(r"boxed\s{0,3}\{[^{}\d]{0,20}(\d{1,6})[^{}\d]{0,20}\}")


def doubts(
    view: str, claims: list[Claim], resolved: Resolved, answer: int | None, context: Context, off: Off
) -> list[Doubt]:
    """The doubts that a reading has not answered."""
    if "second look" in off:
        return []
    events = resolved.events
    found = several_boxes(view)
    if not events:
        return found + _nothing_read(view, resolved, answer)
    agrees = answer is not None and sum(event.covers for event in events) == answer
    if not resolved.doubts:
        proven = agrees and _proven(view, claims, events, context)
        found += _other_telling(view, events, agrees, proven)
        found += _other_times(view, events)
        found += _not_taken(view, claims, events, agrees, context, off if proven else None)
        if not agrees and answer is not None and not found:
            found += _not_understood(view, claims, events)
    if answer is None:
        found += _no_answer(view, claims)
    return found


_BUT = re.compile(
    r"\b(?:but|although|though|however)\b[^.;]{0,60}?(?:\bnot\b|n't\b|\bno\b|\bnever\b|\bwithout\b)"
)


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


def _nothing_read(view: str, resolved: Resolved, answer: int | None) -> list[Doubt]:
    """A doubt where no event was read out of a text with numbers other than the answer."""
    if answer == 0 or any(doubt.of_the_events for doubt in resolved.doubts):
        return []
    rest = _FINAL.sub(lambda box: " " * len(box[0]), view[-20_000:])
    for found in _NUMERAL.finditer(rest):
        if found[0].isalpha() and found[0].isascii() and answer is not None:
            continue  # "between the two walls"
        if found[0].isascii() and numerals.ordinal(found[0]) == answer:
            continue
        if _NO_TIME_AFTER.match(rest, found.end()) or _MEASURES.search(
            rest, max(0, found.start() - 24), found.start()
        ):
            continue
        start = max(0, len(view) - 20_000) + found.start()
        code = "unclear-answer" if answer is None else "unused-time"
        return [Doubt(code, (start, start + len(found[0])), "no event read")]
    return []


def _no_answer(view: str, claims: list[Claim]) -> list[Doubt]:
    """A doubt where no final answer was read and numbers stand outside of entries."""
    held = sorted({(claim.unit.start, claim.unit.end) for claim in claims if claim.unit.structured})
    for found in _NUMERAL.finditer(view, max(0, len(view) - 20_000)):
        if found[0] in ("one", "second", "first") or found[0].endswith(("th", "rd", "nd", "st")):
            continue
        i = bisect_right(held, (found.start(), len(view)))
        if (i and found.start() < held[i - 1][1]) or _LOOKS.match(view, found.start()):
            continue
        before = view[max(0, found.start() - 1) : found.start()]
        if before in (".", ":", "#") or _NO_TIME_AFTER.match(view, found.end()):
            continue
        return [Doubt("unclear-answer", found.span(), "no final answer was read")]
    return []


_NUMBERED = re.compile(
    rf"\b(?:{NOUNS})s?\s?(?:no\.?|number)?\s?\#?(?P<a>\d{{1,3}})\b(?![.:]\d)|\((?P<b>\d{{1,3}})\)"
)
# What a sentence outside a list may change it with: words of correction, of a further event, of another clock.
_AMENDS = re.compile(
    rf"\b(?:correct\w*|errat\w*|errors?|wrong\w*|false|mistak\w*|instead|should|would|could|rather|miss\w*|also|too|"
    rf"another|add\w*|extra|remov\w*|delet\w*|drop\w*|forgot\w*|overlook\w*|more|closer|nearer|better|revis\w*|sorry|"
    rf"mean|meant|duplicate\w*|same|replac\w*|place of|not|no|but|hmm|entry|entries|lines?|rows?|items?|all|each|every|"
    rf"these|those|above|listed|list|ledger|times?|numbers?|put|think|believe|(?:it|one|this|that) (?:is|was|lies)|"
    rf"{numerals.ORDINALS}|{numerals.WORD}|last|latter|middle|left|right|top|bottom|walls?|truth|precise\w*|offset|shift\w*|subtract\w*|lag\w*|delay\w*|late|early|"
    rf"ahead|behind|clock|timer|stopwatch|speed\w*|zero|origin|relative|start\w*|beg[aiu]n\w*|counted|measured)\b"
    r"|±|\+/?-|\#\s?\d|\?"
)
_BY_THE_WAY = re.compile(r"(?:\b(?:at|near|around)\s{1,2}|@\s?)(?:(?:about|around|roughly|t ?=)\s)?\s?$")
_BETWEEN = re.compile(
    r"^\W*(?:[a-z]+ ){0,3}(?:(?:time|gap|interval|spacing|period)s? between|interval|gap|spacing|period)\b"
    r"[^\d\n]{0,40}$"
)
_OFFER = re.compile(
    r"\b(?:let me know|if you(?:'d| would)? (?:like|want|need|wish)|happy to|i can (?:also )?(?:look|check|go))\b"
)
_OFFERED = re.compile(
    r"\b(?:add\w*|miss\w*|remov\w*|chang\w*|correct\w*|count\w*|includ\w*|made|send|video)\b"
)
_OUTSIDE = re.compile(
    r"\b(?:wait|actually|correction|errat\w*|scratch that|oops|recount\w*|i (?:missed|forgot))\b"
)


def _proven(view: str, claims: list[Claim], events: list[Event], context: Context) -> bool:
    """Whether the events are numbered 1, 2, ..., k up to the final answer, each once, in order, inside the clip, and
    nothing outside their entries corrects them: then a time elsewhere is a remark."""
    times = [event.time.at_s for event in events]
    if len(events) < 2 or any(event.covers != 1 for event in events):
        return False
    if not all(a + SAME_S < b for a, b in pairwise(times)) or (context.duration_s or times[-1]) < times[-1]:
        return False
    if len({id(event.claim) for event in events}) < len(events):
        return False
    if not any(
        [number(view, e.claim) for e in events] == [*range(1, len(events) + 1)] for number in _NUMBERINGS
    ):
        return False
    entries = sorted((event.claim.start, event.claim.end) for event in events)
    outside = [view[a:b] for (_, a), (b, _) in pairwise([(0, 0), *entries, (len(view), len(view))]) if a < b]
    return not any(_OUTSIDE.search(piece) for piece in outside)


def _named_number(view: str, claim: Claim) -> int | None:
    found = _NUMBERED.search(view, claim.start, min(claim.end, claim.start + 400))
    return int(found["a"] or found["b"]) if found else None


_NUMBERINGS: tuple[Callable[[str, Claim], int | None], ...] = (
    lambda view, claim: claim.ordinal,
    lambda view, claim: claim.count,
    _named_number,
)


def _sentence(view: str, start: int, end: int) -> tuple[str, str]:
    """The sentence around view[start:end], at most 300 characters to each side: up to `start`, and from `end`."""
    before, after = view[max(0, start - 300) : start], view[end : end + 300]
    cut = max((found.end() for found in _SENTENCE_END.finditer(before)), default=0)
    stop = _SENTENCE_END.search(after)
    return before[cut:], after[: stop.start()] if stop else after


def _is_remark(view: str, start: int, end: int, known: list[float], off: Off) -> bool:
    """Whether the sentence around a time tells of no event and neither corrects a list nor speaks of an event of it:
    "He grips the bar at 3 s", "Time between contacts: 5.2 s", "I can look closer, for instance near 20 s"."""
    before, after = _sentence(view, start, end)
    if _offers(before + after):
        return True
    if _BETWEEN.match(before):
        return not _AMENDS.search(after)
    if not _BY_THE_WAY.search(before) or _AMENDS.search(re.sub(r"^\W*step \d{1,2}\W", " ", before) + after):
        return False
    if any(_near(time.at_s, known) for text in (before, after) for time in tokens.find(text, 0, len(text))):
        return False
    judged = said(" ".join(f"{before} @ {after}".split()), False, off)
    return judged.told != YES and not judged.named


def _offers(sentence: str) -> bool:
    return _OFFER.search(sentence) is not None and _OFFERED.search(sentence) is None


_SENTENCE_END = re.compile(r"[.!?;](?=\s)|\n")


def _grouped(a: Event, b: Event, sizes: Counter[int]) -> bool:
    """Whether two events end and begin a group of times each, of a sentence or list each."""
    return a.claim is not b.claim and min(sizes[id(a.claim)], sizes[id(b.claim)]) > 1


def _other_telling(view: str, events: list[Event], agrees: bool, proven: bool) -> list[Doubt]:
    """Doubts about the manner of the whole: another clock, backwards, an example, windows, an event at the start."""
    found = []
    if clock := words("other_clock").search(view):
        found.append(Doubt("unclear-entry", clock.span(), "times by another clock"))
    behind = events[-1].claim.end
    for example in words("hypothetical").finditer(view):
        if proven and example.start() >= behind and _offers("".join(_sentence(view, *example.span()))):
            continue  # "I can look closer, for instance near 20 s"
        found.append(Doubt("unclear-entry", example.span(), "may be an example"))
        break
    sizes = Counter(id(event.claim) for event in events)
    distinct = len({round(event.time.at_s / SAME_S) for event in events}) == len(events)
    for a, b in pairwise(events):
        if b.time.time_s < a.time.time_s - SAME_S and a.claim.unit.section == b.claim.unit.section:
            if agrees and distinct and _grouped(a, b, sizes):
                continue
            found.append(Doubt("unclear-entry", (a.claim.start, b.claim.end), "times do not rise"))
            break
    spans = [event.time for event in events if event.time.end_s is not None]
    if len(spans) == len(events) > 1 and any(event.covers > 1 for event in events):
        found.append(
            Doubt("several-events", (events[0].claim.start, events[-1].claim.end), "counts of windows")
        )
    for claim in dict.fromkeys(event.claim for event in events):  # one of many events is asked once
        if but := _BUT.search(claim.words):
            found.append(Doubt("unclear-entry", (claim.start, claim.end), but[0][:40]))
            break
    for event in events[:1]:
        if event.time.at_s == 0 and (words("initial").search(event.claim.words) or not event.claim.named):
            found.append(
                Doubt("unclear-entry", (event.claim.start, event.claim.end), "an event at the start")
            )
    return found


def _other_times(view: str, events: list[Event]) -> list[Doubt]:
    """Doubts about entries in whose place another time may be meant: the count of events cannot tell."""
    found = []
    for event in events:
        claim = event.claim
        if not claim.unit.structured or len(claim.unit.times) < 2:
            continue
        others = [
            way[0]
            for way in claim.ways
            if len(way) == 1 and abs(way[0].at_s - event.time.at_s) > 0.5 and not _holds(event, way[0].at_s)
        ]
        first, last = claim.unit.times[0], claim.unit.times[-1]
        again = words("other_time").search(
            view[first.end : min(last.start, first.end + 400)] + " @ " + view[last.end : claim.end][:80]
        )
        if (others and not claim.settled) or again:
            found.append(Doubt("several-times", (claim.start, claim.end), f"{len(claim.unit.times)} times"))
    return found[:5]


def _holds(event: Event, time_s: float) -> bool:
    return event.time.end_s is not None and event.time.time_s - SAME_S <= time_s <= event.time.end_s + SAME_S


def _not_taken(
    view: str, claims: list[Claim], events: list[Event], agrees: bool, context: Context, remarks: Off | None
) -> list[Doubt]:
    """Doubts about what looks like a time and is neither an event's nor said to be something else; `remarks`: the
    rules switched off, where the list is proven and the rest may be remarks, else None."""
    known = sorted(
        t for event in events for t in (event.time.time_s, event.time.end_s, event.time.at_s) if t is not None
    )
    taken = {id(event.claim.unit) for event in events}
    listed = agrees and any(event.claim.unit.structured for event in events)
    entered = sorted(t.at_s for claim in claims if claim.unit.structured for t in claim.unit.times)

    own = {(id(claim), id(time)) for claim in claims for time in claim.times}

    def answered(claim: Claim, time: tokens.Time) -> bool:
        if time.time_s == 0 or (claim.unit.structured and id(claim.unit) in taken):
            return True
        if any(t is not None and _near(t, known) for t in (time.at_s, time.time_s, time.end_s)):
            return True
        if listed and _set_aside(claim, time.at_s, entered):
            return True
        return (id(claim), id(time)) in own and _says_why(claim, time.time_s, (known[0], known[-1]))

    # An entry is one claim; the clauses of a sentence share its times among them.
    stated = [(c, time) for c in claims for time in (c.unit.times if c.unit.structured else c.times)]
    read = sorted((time.start, time.end) for _, time in stated)
    explained = sorted((time.start, time.end) for claim, time in stated if answered(claim, time))
    starts = [a for a, _ in explained]
    doubted: list[Doubt] = []
    asked = 0
    length = context.duration_s
    for look in _LOOKS.finditer(view):
        k = bisect_right(starts, look.start())
        held = (k > 0 and explained[k - 1][1] >= look.end()) or (k < len(starts) and starts[k] < look.end())
        if held and not (k > 0 and explained[k - 1][0] <= look.start() and explained[k - 1][1] < look.end()):
            continue
        asked += 1
        if asked > _MAX_ASKED:
            break
        if _no_time(view, look, known, read, length):
            continue
        if remarks is not None and _is_remark(view, *look.span(), known, remarks):
            continue
        doubted.append(Doubt("unused-time", look.span(), look[0][:20]))
        if len(doubted) == 5:
            break
    return doubted


def _set_aside(claim: Claim, time_s: float, entered: list[float]) -> bool:
    """Whether a time beside a list that agrees is one that the list left out: an entry of an earlier list or with a
    count that does not rise, a sentence about an entry, or one that says that nothing happened."""
    if claim.unit.structured:
        return not claim.named or claim.count is not None or claim.polarity == NO or claim.ordinal is not None
    return claim.polarity == NO or _near(time_s, entered) or _has(_NOT_AT, claim.words)


def _says_why(claim: Claim, time_s: float, events_s: tuple[float, float]) -> bool:
    """Whether a statement that is no event says so by itself, or stands before the first or behind the last event."""
    if claim.ends and not claim.begins:
        return True
    if claim.polarity != NO:
        return False
    if claim.denied or claim.unit.denied:
        return True
    outside = not events_s[0] <= time_s <= events_s[1]
    return outside and not claim.named and not _has(_NTH, claim.words)


@lru_cache(maxsize=256)  # a claim of many times is asked for each
def _has(pattern: re.Pattern[str], text: str) -> bool:
    return pattern.search(text) is not None


_NOT_AT = re.compile(r"\b(?:not|rather than|instead of) (?:at |about |the )*@")
_NTH = re.compile(rf"\b(?:{numerals.ORDINALS}|{numerals.WORD})\b")


def _no_time(
    view: str, look: re.Match[str], known: list[float], read: list[tuple[int, int]], length_s: float | None
) -> bool:
    """Whether a number that looks like a time is a measure, a repeat of a known one, or the end of the clip."""
    start, end = look.span()
    if _NO_TIME_AFTER.match(view, end) or _MEASURES.search(view, max(0, start - 24), start):
        return True
    if view[max(0, start - 1) : start] in ("/", "v", "_") or "boxed" in view[max(0, start - 12) : start]:
        return True
    found = tokens.find(view, start, end)
    if not found:
        i = bisect_left(read, (start, 0))
        inside = any(a <= start < b for a, b in read[max(0, i - 1) : i + 1])
        return not inside and not re.search(r"\d[a-z]\d", look[0])
    here = tokens.find(view, max(0, start - 40), min(len(view), end + 30))
    if not any(time.start <= start < time.end or start <= time.start < end for time in here):
        return True  # a duration: "every 2.0 s", "0.4 s later"
    value = found[0].time_s
    return _near(value, known) or (length_s is not None and value >= length_s - 0.5)


def _near(value: float, among: list[float]) -> bool:
    i = bisect_left(among, value - SAME_S)
    return i < len(among) and among[i] <= value + SAME_S


_STEM = re.compile(r"[a-z]{2,}|[()\[\]?!]")


def _not_understood(view: str, claims: list[Claim], events: list[Event]) -> list[Doubt]:
    """Doubts where the answer differs and the list is not understood to its last word."""
    if left_out := words("left_out").search(view):
        return [Doubt("count-differs", left_out.span(), "something is left out")]
    entries = [claim for claim in claims if claim.unit.structured]
    for claim in entries:
        if claim.polarity == NO and 0 < claim.unit.times[0].time_s <= events[-1].time.at_s:
            return [Doubt("unclear-entry", (claim.start, claim.end), "may be no event")]
    used = [event.claim for event in events]
    stems = Counter(stem for claim in used for stem in set(_stems(claim)))
    for claim in used:
        odd = [stem for stem in _stems(claim) if stems[stem] <= len(used) / 3]
        if odd and (claim.polarity != YES or "(" in odd or "?" in odd):
            return [Doubt("unclear-entry", (claim.start, claim.end), f"unlike the others: {odd[0]}"[:60])]
    return []


def _stems(claim: Claim) -> list[str]:
    plain = words("plain_entry")
    return [stem for stem in _STEM.findall(claim.words) if not plain.fullmatch(stem)]
