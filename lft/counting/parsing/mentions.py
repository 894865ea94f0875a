"""The published rule: every minute:second time, and every decimal second after a cue word, anywhere. In the line
that the default prompt asks for ("1. 3.5 s - left wall - count 1") the number of the line is the cue.

Nothing is understood: initial states, ends of intervals and thinking are mentions like any other. A mention
within 0.1 s of an earlier one is that one.
"""

from __future__ import annotations

import re
from bisect import bisect_left, insort

from lft.counting.parsing.tokens import MAX_S
from lft.counting.reported import ReportedEvent

MAX_MENTIONS = 5_000
_WITHIN_US = 100_000
_MENTION = re.compile(
    r"(?<![\w.:])(?P<a>\d{1,3}):(?P<b>[0-5]\d)(?::(?P<c>[0-5]\d))?(?:[.,](?P<f>\d{1,9})(?!\d|:\d|"
    r"\.\d))?(?!\d|:\d)"
    r"|(?<![a-z0-9])(?:at|t|ts|time(?:stamp)?s?(?:_s)?|times?_s|around|about|approximately|approx\.?|near|"
    r"from|to|between|and|until|by|second|when|start|end|start_time|end_time|@|~)"
    r"(?:\s?\((?:s|sec|seconds|in seconds)\))?[\s:=\"'*_`~$(\[|]{1,8}(?P<d>\d{1,6}\.\d{1,9})(?!\d|:\d|\.\d|"
    r"\s?(?:hz|fps|%|px|x\b))"
    r"|^[ \t>*_-]{0,8}\d{1,3}[.)][ \t*_]{1,4}(?P<l>\d{1,6}\.\d{1,9})\s?s(?:ec(?:onds?)?)?[ *_]{1,4}[-:]"
    r"|[@~](?P<e>\d{1,6}\.\d{1,9})(?!\d|:\d|\.\d|\s?(?:hz|fps|%|px|x\b))",
    re.MULTILINE,
)


def read(view: str) -> tuple[list[ReportedEvent], str | None]:
    """Mentions in their order, and why the list was cut short (None if it was not). `view` is plain text.

    >>> [e.time_s for e in read("0:05 to 0:06, then at 7.5 s, every 2.0 s")[0]]
    [5.0, 6.0, 7.5]
    """
    events: list[ReportedEvent] = []
    seen_us: list[int] = []
    exact_us: set[int] = set()
    for found in _MENTION.finditer(view):
        if found["a"] is not None:
            time_s = 60.0 * float(found["a"]) + float(found["b"])
            if found["c"] is not None:
                time_s = 60.0 * time_s + float(found["c"])
            if found["f"] is not None:
                time_s += float("0." + found["f"])
            start = found.start()
        else:
            group = next(name for name in "del" if found[name] is not None)
            time_s, start = float(found[group]), found.start(group)
        time_us = round(time_s * 1e6)
        if time_us in exact_us or time_s >= MAX_S:
            continue
        exact_us.add(time_us)
        i = bisect_left(seen_us, time_us - _WITHIN_US)
        if i < len(seen_us) and seen_us[i] <= time_us + _WITHIN_US:
            continue
        if len(events) == MAX_MENTIONS:
            return events, f"only the first {MAX_MENTIONS} events are kept"
        insort(seen_us, time_us)
        events.append(ReportedEvent(round(time_s, 6), span=(start, found.end()), rule="mention"))
    return events, None
