"""JSON-like ledgers: objects with a time key, arrays of times, objects whose keys are times.

Read leniently, in one pass with a stack, so that single quotes, trailing commas, comments, JSON lines, tuples and an
answer cut off in the middle lose nothing that is whole, and every entry keeps its place in the text. What stands
below a key such as "rejected" or "initial_state" is no event; nor is an object with a flag such as "verified": false.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import islice

from lft.counting.parsing import entries, judging, times, words
from lft.counting.parsing.judging import Entry
from lft.counting.parsing.tokens import Time

MAX_OBJECTS = 5_000
_MAX_TOKENS = 200_000
_DEEPEST = 40
_OPENER = re.compile(r"(?<![a-z\\])\{|\[")
_KEY_BEFORE = re.compile(r"([a-z][a-z _]{0,30})[\"']?\s{0,4}[:=]\s{0,4}$")
_GAP = re.compile(r"(?:[\s,;]|//[^\n]{0,400}|/\*[^*]{0,400}\*/|#[^\n]{0,400})*")
_KEY = re.compile(
    r"(?:\"(?P<double>[^\"\n]{1,60})\"|'(?P<single>[^'\n]{1,60})'|(?P<bare>[^\W\d][\w -]{0,30}))\s{0,8}[:=]>?\s{0,8}"
)
_VALUE = re.compile(
    r"\"(?P<double>[^\"\n]{0,500})\"|'(?P<single>[^'\n]{0,500})'|(?P<open>[{\[(])|(?P<close>[}\])])|"
    r"(?P<bare>[^\s,;{}\[\]()\"'][^,;{}\[\]\n]{0,200})|(?P<other>.)",
    re.DOTALL,
)
_RECORD = re.compile(
    r"^(?P<indent>[ \t]{0,40})-[ ](?P<pairs>[a-z][\w ]{0,30}:[ ][^\n]{0,300}"
    r"(?:\n(?P=indent)[ \t]{1,8}[a-z][\w ]{0,30}:[ ][^\n]{0,300}){1,12})$",
    re.MULTILINE,
)
_ELEMENT = re.compile(
    r"<[a-z_]{1,24}(?P<pairs>(?:\s{1,4}[a-z_:-]{1,24}=\"[^\"\n<>]{0,200}\"){1,12})\s{0,4}/?>"
)
_ATTRIBUTE = re.compile(r"([a-z_]{1,24})=\"([^\"\n]{1,200})")
_LINE_PAIR = re.compile(r"([a-z][\w ]{0,30}):[ ]+[\"']?([^\n\"']{1,300})")
_PAIRED = {"}": "{", "]": "[", ")": "("}

_START_KEY = re.compile(
    r"(?:event_|video_|approx_)?(?:time|timestamp|timecode|t|ts|sec|secs|second|seconds|moment|start|on|at|"
    r"when|begin|from|onset|time_range|interval|time_interval|time_window|range|zeit|tiempo|temps|tempo|时间|"
    r"時間|时刻|時刻|время|시간)"
    r"(?:_?(?:s|sec|secs|second|seconds|ms|time|stamp|point|code|in_seconds|mm_?ss))?"
)
_END_KEY = re.compile(
    r"(?:end|stop|off|to|until|offset|finish)(?:_?(?:s|sec|secs|second|seconds|ms|time|timestamp))?|time_end"
)
_MINUTE_KEY = re.compile(r"m|mins?|minutes?")
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
)
_NO_TIMES_KEY = re.compile(
    r".*(?:count|index|idx|\bids?\b|frame|confiden|score|fps|size|shape|resolution|position|coord|bbox|box|"
    r"duration|gap|spacing|interval|period|range|window|segment|speed|rate|sample|checked|total|answer|"
    r"states?$|nodes?$)"
)
_DENYING_KEY = re.compile(
    r".*(?:reject|exclu|discard|ignor|dismiss|near_?miss|false|invalid|non_|not_|^no_|removed|retract|"
    r"initial|candidate|first_?pass|preliminar|tentativ|withdrawn|duplicate|draft|uncertain)"
)
_TIME_TEXT = re.compile(r"[~\s]{0,3}(?:t\s?=\s?)?\d{1,5}(?:[:.]\d{1,9}){0,3}\s?(?:s|secs?|seconds?)?\s?")


@dataclass(slots=True)
class _Node:
    """An object or array that is open. `scalars`: (key, start, end, quoted); `named`: its key, "" in an array."""

    mark: str
    start: int
    named: str
    denied: bool
    scalars: list[tuple[str, int, int, bool]] = field(default_factory=list)
    arrays: dict[str, tuple[int, int]] = field(default_factory=dict)
    moments: dict[str, list[Time]] = field(
        default_factory=dict
    )  # of objects that are the value of a time key
    key: str = ""
    first: int = 0  # how many entries there were before it


def find(view: str) -> tuple[list[Entry], list[tuple[int, int]], str | None]:
    """The entries written as objects or arrays of times, in order; the places of whole texts of JSON that hold some;
    why reading stopped early."""
    found: list[Entry] = []
    whole: list[tuple[int, int]] = []
    stack: list[_Node] = []
    at = objects = 0
    for _ in range(_MAX_TOKENS):
        if not stack:
            opener = _OPENER.search(view, at)
            if not opener:
                return _in_order(found), whole, None
            before = _KEY_BEFORE.search(view, max(0, opener.start() - 44), opener.start())
            named = before[1].strip() if before else ""
            stack.append(_Node(opener[0], opener.start(), named, _denies(named), first=len(found)))
            at = opener.end()
            continue
        node = stack[-1]
        gap = _GAP.match(view, at)
        at = gap.end() if gap else at
        if node.mark == "{" and (key := _KEY.match(view, at)):
            node.key, at = key[key.lastgroup or "bare"].strip(), key.end()
        token = _VALUE.match(view, at)
        if not token:
            break
        at, kind = token.end(), token.lastgroup or "other"
        if kind == "open":
            if len(stack) == _DEEPEST:
                stack.clear()
                continue
            denied = node.denied or _denies(node.key)
            stack.append(_Node(token[0], token.start(), node.key, denied, first=len(found)))
            node.key = ""
        elif kind == "close":
            if node.mark != _PAIRED[token[0]]:
                if not any(other.mark == _PAIRED[token[0]] for other in stack):
                    continue
                while stack[-1].mark != _PAIRED[token[0]]:
                    _close(view, stack, found, token.start())
            first, start = stack[0].first, stack[0].start
            objects += stack[-1].mark == "{"
            _close(view, stack, found, at)
            if not stack and len(found) > first:
                whole.append((start, at))
            if objects > MAX_OBJECTS:
                return _in_order(found), whole, f"only the first {MAX_OBJECTS} objects were read"
        elif kind != "other":
            node.scalars.append((node.key, token.start(kind), token.end(kind), kind != "bare"))
            node.key = ""
    else:
        return _in_order(found), whole, f"only the first {_MAX_TOKENS} words of JSON were read"
    complete = len(found)
    if stack and stack[-1].scalars and stack[-1].scalars[-1][2] == len(view):
        stack[-1].scalars.pop()  # a number may go on
    while stack:  # cut off
        _close(view, stack, found, len(view))
    for entry in found[complete:]:
        entry.affirmed = entry.is_event  # its count may be what is cut off
    return _in_order(found), whole, None


def records(view: str) -> list[Entry]:
    """The entries written as YAML, "- event: blink" and "  time_s: 5.0" below it, or as XML, <blink time="5.0"/>."""
    found: list[Entry] = []
    for record, field_of in ((_RECORD, _LINE_PAIR), (_ELEMENT, _ATTRIBUTE)):
        for match in islice(record.finditer(view), MAX_OBJECTS):
            node = _Node("{", match.start(), "", False)
            for pair in field_of.finditer(view, match.start("pairs"), match.end()):
                node.scalars.append((pair[1], pair.start(2), pair.end(2), False))
            found += _of_object(view, node, match.end())
    return _in_order(found)


def _in_order(found: list[Entry]) -> list[Entry]:
    return sorted(found, key=lambda entry: entry.start)


def _denies(key: str) -> bool:
    return _DENYING_KEY.match(key.replace(" ", "_")) is not None


def _close(view: str, stack: list[_Node], found: list[Entry], end: int) -> None:
    """Takes the innermost object or array off the stack, and adds its entries."""
    node = stack.pop()
    parent = stack[-1] if stack else None
    inner = len(found) > node.first
    if node.mark == "{":
        listed = [] if inner else _of_object(view, node, end)
        if parent and parent.mark == "{" and len(listed) == 1 and _START_KEY.fullmatch(_written(node.named)):
            parent.moments[node.named] = listed[0].times
            return
    elif (
        parent
        and parent.mark == "{"
        and (_START_KEY.fullmatch(_written(node.named)) and not node.named.endswith("times") and not inner)
    ):
        parent.arrays[node.named] = node.start, end
        return
    else:
        listed = [] if inner else _of_array(view, node, parent, end)
    for entry in listed:
        if node.denied:
            entry.is_event, entry.count = False, None
    found += listed


def _written(key: str) -> str:
    return re.sub(r"[ -]+", "_", key)


def _of_object(view: str, node: _Node, end: int) -> list[Entry]:
    begin: list[Time] = []
    until: list[Time] = []
    said: list[tuple[int, int]] = []
    count: int | None = None
    minutes = 0.0
    stated = 1
    running = denied = False
    for name, times_s in node.moments.items():
        begin = begin or (times_s if name else [])
    for name, (a, b) in node.arrays.items():
        begin = begin or _pair(_of_value(view, a, b, _written(name)))
    for name, a, b, _ in node.scalars:
        key, value = _written(name), view[a:b].strip()
        if not begin and _START_KEY.fullmatch(key):
            begin = _of_value(view, a, b, key)
        elif _END_KEY.fullmatch(key):
            until = _of_value(view, a, b, key)
            if not until:
                said.append((a, b))
        elif _MINUTE_KEY.fullmatch(key) and value.isdigit() and len(value) < 4:
            minutes = float(value)
        elif _COUNT_KEY.fullmatch(key):
            written = re.fullmatch(r"(\d{1,6})(?:\.0{1,6})?", value)
            if written:
                count, running = int(written[1]), running or words.RUNNING_KEY.search(key) is not None
        elif _COVERS_KEY.fullmatch(key) and value.isdigit() and len(value) < 6:
            stated = max(1, int(value))
        elif not _SKIPPED_KEY.fullmatch(key):
            if value in ("false", "true"):
                denied = denied or (value == "true") == _denies(key)
            elif value:
                said.append((a, b))
    if not begin:
        return _keyed(view, node)
    if minutes:
        begin[0].time_s += 60 * minutes
    if until and begin[0].end_s is None and until[0].at_s != begin[0].at_s:
        begin[0].time_s, begin[0].end_s = sorted((begin[0].time_s, until[0].at_s))
    entry = _entry(view, begin, node.start, end, said)
    entry.count, entry.running = count, running
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


def _keyed(view: str, node: _Node) -> list[Entry]:
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
    text = "; ".join(view[a:b] for a, b in said)
    entry = Entry(found, start, end, text, True, False, False, marked=True, said=said)
    judging.judge(entry)
    return entry


def _of_value(view: str, start: int, end: int, key: str) -> list[Time]:
    found = times.find(view, start, end, all_bare=True)
    if found and view[start:end].strip(" [").startswith("-"):
        found[0].negative = True
    if key.endswith("_ms"):
        for time in found:
            time.time_s /= 1000.0
            time.end_s = None if time.end_s is None else time.end_s / 1000.0
    return found


def _of_array(view: str, node: _Node, parent: _Node | None, end: int) -> list[Entry]:
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
