"""What the keys of JSON say: which value is a time, an end or a count, and what denies that something is an event."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from lft.counting.parsing import entries, judging, times, words
from lft.counting.parsing.judging import Entry
from lft.counting.parsing.tokens import Time

_PLURAL_KEY = re.compile(r"(?:times|timestamps|timecodes|moments)(?:_(?:s|sec|ms|in_seconds))?$")
_START_KEY = re.compile(
    r"(?:event_|video_|approx_)?(?:time|timestamp|timecode|t|ts|sec|secs|second|seconds|moment|start|on|at|"
    r"when|begin|from|onset|time_range|interval|time_interval|time_window|range|zeit|tiempo|temps|tempo|时间|"
    r"時間|时刻|時刻|время|시간)"
    r"(?:_?(?:s|sec|secs|second|seconds|ms|time|stamp|point|code|in_seconds|mm_?ss))?"
    r"|(?:t|time)_(?:start|begin|on)"
    r"|(?!end|stop|off|finish|until|total|run|elapsed|gap)[a-z]{1,16}_time(?:stamp)?(?:_(?:s|sec|seconds|ms))?"
)
_END_KEY = re.compile(
    r"(?:end|stop|off|to|until|offset|finish)(?:_?(?:s|sec|secs|second|seconds|ms|time|timestamp))?|(?:t|time)_(?:end|stop|off)"
)
_SKIPPED_KEY = re.compile(
    r"(?:event_)?(?:id|index|idx|no|number|step|frame\w*|confidence|score|label_id|duration\w*)"
)
_COUNT_KEY = re.compile(r"\w{0,24}(?:count|tally|total|cumulative)\w{0,16}|累计\w*|计数|カウント")
_COVERS_KEY = re.compile(
    rf"(?:n_|num_|number_of_)?(?:{words.PLURALS})|(?:n_|num_|number_of_)\w{{1,20}}|repetitions|repeats"
)
_ARRAY_KEY = re.compile(
    r"(?:\w+[_ ])?(?:events?|times?|timestamps?|contacts?|blinks?|transitions?|hits|bounces|flashes|moments|"
    r"ledger)"
    r"(?:[_ ](?:s|sec|seconds|times?|timestamps?|ledger|list))?"
    r"|(?:the )?(?:times|timestamps|moments) (?:of|where|when) (?!no\b|[a-z ]{0,30}(?:frame|sampl|check))[a-z ]{1,40}"
)
_NO_TIMES_KEY = re.compile(
    r".*(?:count|index|idx|\bids?\b|frame|confiden|score|fps|size|shape|resolution|position|coord|bbox|box|"
    r"duration|gap|spacing|interval|period|range|window|segment|speed|rate|sample|checked|total|answer|"
    r"states?$|nodes?$)"
)
_DENYING_KEY = re.compile(
    r".*(?:reject|exclu|discard|ignor|dismiss|near_?miss|false|invalid|non_|not_|^no_|removed|retract|"
    r"initial|candidate|first_?pass|preliminar|tentativ|propos|withdrawn|duplicate|draft|uncertain)"
)
_INTEGER = re.compile(r"(\d{1,6})(?:\.0{1,6})?")
_TIME_TEXT = re.compile(r"[~\s]{0,3}(?:t\s?=\s?)?\d{1,5}(?:[:.]\d{1,9}){0,3}\s?(?:s|secs?|seconds?)?\s?")


@dataclass(slots=True)
class Node:
    """An object or array: its bracket, place and key ("" in an array), and what stands directly in it.

    Attributes
    ----------
    denied : it stands below a key such as "rejected".
    scalars : (key, start, end, quoted) of each.
    arrays : of an object, the places of arrays that may be an interval, by key.
    key : of an object, the key whose value comes next.
    first : how many entries there were before it.
    """

    mark: str
    start: int
    named: str
    denied: bool
    scalars: list[tuple[str, int, int, bool]] = field(default_factory=list)
    arrays: dict[str, tuple[int, int]] = field(default_factory=dict)
    key: str = ""
    first: int = 0


def denies(key: str) -> bool:
    """Whether what stands below a key is said to be no event: "rejected", "initial_state"."""
    return _DENYING_KEY.match(key.replace(" ", "_")) is not None


def may_be_interval(key: str) -> bool:
    """Whether the array at a key may be the start and end of an interval."""
    return _START_KEY.fullmatch(_written(key)) is not None and not _PLURAL_KEY.search(_written(key))


def _written(key: str) -> str:
    return re.sub(r"[ -]+", "_", key)


def of_object(view: str, node: Node, end: int) -> list[Entry]:
    """The entry of an object with a time, or those of one whose keys are times."""
    begin: list[Time] = []
    until: list[Time] = []
    said: list[tuple[int, int]] = []
    entry = Entry([], node.start, end, "", True, False, False, marked=True, said=said)
    denied = False
    stated = 1
    for name, (a, b) in node.arrays.items():
        begin = begin or _pair(_of_value(view, a, b, _written(name)))
    for name, a, b, _ in node.scalars:
        key, value = _written(name), view[a:b].strip()
        if not begin and _START_KEY.fullmatch(key):
            begin = _of_value(view, a, b, key)
        elif _END_KEY.fullmatch(key) and (found := _of_value(view, a, b, key)):
            until = found
        elif _COUNT_KEY.fullmatch(key):
            if written := _INTEGER.fullmatch(value):
                entry.count = int(written[1])
                entry.running = entry.running or words.RUNNING_KEY.search(key) is not None
        elif _COVERS_KEY.fullmatch(key) and value.isdigit() and len(value) < 6:
            stated = int(value)
        elif value in ("false", "true") and not _SKIPPED_KEY.fullmatch(key):
            denied = denied or (value == "true") == denies(key)
        elif value and not _SKIPPED_KEY.fullmatch(key):
            said.append((a, b))
    if not begin:
        return _keyed(view, node)
    if until and begin[0].end_s is None and until[0].at_s != begin[0].at_s:
        begin[0].time_s, begin[0].end_s = sorted((begin[0].time_s, until[0].at_s))
    entry.times = begin
    _judge(entry, view)
    if stated > 1 and begin[0].end_s is not None:
        entry.stated = stated
    if denied:
        entry.is_event, entry.count = False, None
    return [entry]


def _pair(found: list[Time]) -> list[Time]:
    """The interval that [1.0, 2.0] is."""
    if len(found) == 2 and found[0].end_s is None:
        found[0].time_s, found[0].end_s = sorted((found[0].time_s, found[1].time_s))
        del found[1]
    return found


def _keyed(view: str, node: Node) -> list[Entry]:
    """The entries of an object whose keys are times: {"0:03": "left wall"}."""
    listed: list[Entry] = []
    for name, a, b, _ in node.scalars:
        if not name[:1].isdigit() or not _TIME_TEXT.fullmatch(name):
            return []
        start = view.rfind(name, node.start, a)
        found = times.find(view, start, start + len(name), all_bare=True)
        if len(found) == 1:
            listed.append(_entry(view, found, start, b, [(a, b)]))
    return listed


def _entry(view: str, found: list[Time], start: int, end: int, said: list[tuple[int, int]]) -> Entry:
    entry = Entry(found, start, end, "", True, False, False, marked=True, said=said)
    _judge(entry, view)
    return entry


def _judge(entry: Entry, view: str) -> None:
    entry.text = "; ".join(view[a:b] for a, b in entry.said or ())
    judging.judge(entry)


def _of_value(view: str, start: int, end: int, key: str) -> list[Time]:
    found = times.find(view, start, end, all_bare=True)
    if found and view[start:end].strip(" [").startswith("-"):
        found[0].negative = True
    if key.endswith("_ms"):
        for time in found:
            time.time_s /= 1000.0
            time.end_s = None if time.end_s is None else time.end_s / 1000.0
    return found


def of_array(view: str, node: Node, parent: Node | None, end: int) -> list[Entry]:
    """The entries of an array of times, of sentences with times, or of one row: [1.5, "left wall"]."""
    if not node.scalars:
        return []
    texts = [view[a:b] for _, a, b, _ in node.scalars]
    quoted = [q for *_, q in node.scalars]
    are_times = [_TIME_TEXT.fullmatch(text) is not None for text in texts]
    if are_times[0] and not all(are_times) and (any(quoted[1:]) or parent):
        a, b = node.scalars[0][1:3]
        said = [(a, b) for (_, a, b, q), timed in zip(node.scalars, are_times, strict=True) if not timed]
        found = times.find(view, a, b, all_bare=True)[:1]
        return [_entry(view, found, node.start, end, said)] if found and said else []
    known = _ARRAY_KEY.fullmatch(node.named) is not None
    if not known and (not parent or not node.named or _NO_TIMES_KEY.match(node.named)):
        return []
    listed: list[Entry] = []
    for (_, a, b, q), timed in zip(node.scalars, are_times, strict=True):
        if q and not timed:
            listed += entries.of_line(view, a, b, seconds=True)
        else:
            found = times.find(view, a, b, all_bare=True) if known or timed else []
            listed += [
                Entry([time], time.start, time.end, "", True, True, False, marked=True) for time in found
            ]
    for entry in listed:
        entry.times[0].linked = False
    return listed
