"""Frames that a response cites in the place of times: "Frame 12: touches the left wall".

A frame stands for its time where the times of the supplied frames are known and a unit has no time of its own.
Frames are numbered from 1, as in the labels that LFT writes beside them, or from 0 where the response cites a frame 0.
"""

from __future__ import annotations

import re
from itertools import islice, pairwise

from lft.counting.parsing import tokens
from lft.counting.parsing.document import Unit
from lft.counting.parsing.judging import NO, said
from lft.counting.parsing.lexicon import Off
from lft.counting.parsing.tokens import Time
from lft.counting.reported import Context, Doubt

_FRAME = re.compile(
    r"(?:\b(?:frames?|images?|pictures?|bild(?:er)?|imagen|fotograma|кадр\w*)\s?(?:no\.?|number|#)?\s?#?|"
    r"第)(?P<a>\d{1,5})(?!\d|[.:]\d)(?:\s?[帧張张枚])?"
    r"(?:\s?(?:-|to|through|and|,|&)\s?(?:frames?\s?)?#?(?P<b>\d{1,5})(?!\d|[.:]\d|\s?s\b))?"
)
# "frame 1 is at 0.0 s", "frame 12 (2.4 s)"; "frames are numbered from 0".
_FRAME_AT = re.compile(
    r"\bframe\s?#?(\d{1,5})(?!\d|[.:]\d)\s?(?:is|was|=|at|:|\(|~|corresponds|stands|means|shows)[^\d\n]{0,16}"
)
_NUMBERED_FROM = re.compile(
    r"\b(?:number|count|index)(?:ed|ing|es)?\b[^\d.\n]{0,24}?\b(?:from|at|with) (?:frame )?#?(?P<first>[01]|zero|one)\b"
)


_BETWEEN = re.compile(r"\bbetween (?:the )?$")


def supply(view: str, units: list[Unit], context: Context, off: Off) -> list[Doubt]:
    """Gives units that cite frames and no time the times of those frames; returns the doubts about them."""
    if "frames" in off or any(unit.times for unit in units if unit.structured):
        return []
    if not _FRAME.search(view):
        return []
    bare = [
        (unit, list(_FRAME.finditer(view, unit.start, min(unit.end, unit.start + 2000))))
        for unit in units
        if not unit.times
    ]
    bare = [(unit, found) for unit, found in bare if found]
    telling = []
    for unit, found in bare:
        words = " ".join(_FRAME.sub(" @ ", view[unit.start : min(unit.end, unit.start + 2000)]).split())
        judged = said(words, False, off)
        if (judged.polarity if unit.structured else judged.told) != NO:
            telling.append((unit, found))
    if not telling:
        return []
    spans = [(unit.start, unit.end) for unit, _ in telling]
    span = spans[0][0], spans[-1][1]
    times = context.frame_times_s
    if times is None:
        return [Doubt("frames-unknown", span, f"{len(telling)} statements about frames")]
    numbers = [int(n) for _, found in bare for match in found for n in (match["a"], match["b"]) if n]
    given = context.frames_from if context.frames_from is not None else _said_first(view, times)
    first = given if given is not None else 0 if 0 in numbers else 1
    doubts = []
    if given is None and 0 not in numbers and len(times) not in numbers:
        doubts.append(Doubt("frames-unknown", span, "frames may be numbered from 0 or from 1"))
    if max(numbers) - first >= len(times):
        doubts.append(Doubt("out-of-clip", span, f"frame {max(numbers)} of {len(times)}"))
    ranges: list[tuple[int, int, Time]] = []
    for unit, found in bare:
        for match in found:
            a = int(match["a"]) - first
            b = int(match["b"]) - first if match["b"] else None
            if not 0 <= a < len(times) or (b is not None and not 0 <= b < len(times)):
                continue
            ranged = b is not None and (
                re.search(r"\d\s?(?:-|to|through)", match[0]) is not None
                or _BETWEEN.search(view, max(unit.start, match.start() - 16), match.start()) is not None
            )
            unit.times.append(
                Time(
                    match.start(),
                    match.end(),
                    times[a],
                    times[b] if ranged and b is not None and b > a else None,
                )
            )
            if b is not None and not ranged:
                unit.times.append(Time(match.start("b"), match.end(), times[b], linked=True))
            elif b is not None:
                ranges.append((a, b, unit.times[-1]))
    for (_, last, held), (following, _, after) in pairwise(ranges):
        if following == last + 1 and held.end_s is not None:
            held.end_s = after.time_s  # a state holds up to the first frame of the next
    return doubts


def _said_first(view: str, times: tuple[float, ...]) -> int | None:
    """The number of the first frame, where the response gives the time of a frame or says what it counts from."""
    told = {0 if found["first"] in ("0", "zero") else 1 for found in _NUMBERED_FROM.finditer(view)}
    for found in islice(_FRAME_AT.finditer(view), 100):
        near = tokens.find(view, found.end(), min(len(view), found.end() + 16))
        if not near or not near[0].timed or near[0].start > found.end():
            continue
        apart = {
            k: abs(times[i] - near[0].time_s) for k in (0, 1) if 0 <= (i := int(found[1]) - k) < len(times)
        }
        if apart:
            told.add(min(apart, key=lambda k: apart[k]))
    return told.pop() if len(told) == 1 else None
