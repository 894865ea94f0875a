"""JSON-like ledgers: objects with a time key, and arrays of times.

Read leniently and flat, object by object, so that single quotes, trailing commas, comments, JSON lines and
an answer cut off in the middle lose nothing that is whole, and every entry keeps its place in the text.
"""

from __future__ import annotations

import re
from itertools import islice

from lft.counting.parsing import entries, judging, times, words
from lft.counting.parsing.judging import Entry
from lft.counting.parsing.tokens import Time

MAX_OBJECTS = 5_000
_OBJECT = re.compile(r"\{[^{}]{1,3000}(?:\}|\Z)")
_PAIR = re.compile(
    r"[\"']?(?P<key>[^\W\d][\w -]{0,30})[\"']?\s{0,8}[:=]\s{0,8}"
    r"(?:\"(?P<double>[^\"\n]{0,500})\"|'(?P<single>[^'\n]{0,500})'|\[(?P<list>[^\[\]]{0,300})\]|"
    r"(?P<bare>[^\s,}][^,}\n]{0,60}))"
)
_START_KEY = re.compile(
    r"(?:event_|video_|approx_)?(?:time|timestamp|timecode|t|ts|sec|secs|second|seconds|moment|start|"
    r"begin|from|onset|"
    r"time_range|interval|time_interval|time_window|range|zeit|tiempo|temps|tempo|时间|時間|时刻|時刻|время|시간)"
    r"(?:_?(?:s|sec|secs|second|seconds|ms|time|stamp|point|code|in_seconds|mm_?ss))?"
)
_END_KEY = re.compile(
    r"(?:end|stop|to|until|offset|finish)(?:_?(?:s|sec|secs|second|seconds|ms|time|timestamp))?|time_end"
)
_SKIPPED_KEY = re.compile(
    r"(?:event_)?(?:id|index|idx|no|number|step|frame\w*|confidence|score|label_id|duration\w*)"
)
_COUNT_KEY = re.compile(r"\w{0,24}(?:count|tally|total|cumulative)\w{0,16}|累计\w*|计数|カウント")
_ARRAY = re.compile(
    r"[\"']?(?P<key>[a-z][a-z _]{0,30})[\"']?\s{0,4}[:=]\s{0,4}\[(?P<items>[^\[\]{}]{0,100000})\]"
)
_ARRAY_KEY = re.compile(
    r"(?:\w+[_ ])?(?:events?|times?|timestamps?|contacts?|blinks?|transitions?|hits|bounces|flashes|"
    r"moments|ledger)"
    r"(?:[_ ](?:s|sec|seconds|times?|timestamps?|ledger|list))?"
)
_ROW = re.compile(  # [1.5, "left wall"]
    r"\[\s{0,8}[\"']?(?P<time>\d[\d:.]{0,10})\s?s?[\"']?\s{0,4},(?P<rest>[^\[\]]{1,400})\]"
)
_ITEM = re.compile(r"\"([^\"\n]{1,300})\"|'([^'\n]{1,300})'")


def find(view: str) -> tuple[list[Entry], str | None]:
    """The entries written as objects or arrays of times, in order, and why reading stopped early."""
    found: list[Entry] = []
    cut = None
    if "{" in view:
        for i, match in enumerate(_OBJECT.finditer(view)):
            if i == MAX_OBJECTS:
                cut = f"only the first {MAX_OBJECTS} objects were read"
                break
            entry = _of_object(view, match.start(), match.end())
            if entry:
                found.append(entry)
    if "[" in view:
        for match in islice(_ARRAY.finditer(view), MAX_OBJECTS):
            if _ARRAY_KEY.fullmatch(match["key"].strip()):
                found += _of_array(view, match.start("items"), match.end("items"))
        if '"' in view or "'" in view:
            rows = (_of_row(view, match) for match in islice(_ROW.finditer(view), MAX_OBJECTS))
            found += [entry for entry in rows if entry]
    found.sort(key=lambda entry: entry.start)
    kept: list[Entry] = []
    for entry in found:
        if not kept or entry.start >= kept[-1].end:
            kept.append(entry)
    return kept, cut


def _of_object(view: str, start: int, end: int) -> Entry | None:
    begin: list[Time] = []
    until: list[Time] = []
    said: list[tuple[int, int]] = []
    count: int | None = None
    running = denied = False
    for pair in _PAIR.finditer(view, start + 1, end - 1):
        key = re.sub(r"[ -]+", "_", pair["key"].strip())
        kind = pair.lastgroup or "bare"
        value, a, b = pair[kind], pair.start(kind), pair.end(kind)
        if not begin and _START_KEY.fullmatch(key):
            begin = _of_value(view, a, b, key)
            if kind == "list" and len(begin) == 2 and begin[0].end_s is None and not key.endswith("times"):
                begin[0].end_s = max(begin[0].time_s, begin[1].time_s)
                begin[0].time_s = min(begin[0].time_s, begin[1].time_s)
                del begin[1]
        elif _END_KEY.fullmatch(key):
            until = _of_value(view, a, b, key)
        elif _COUNT_KEY.fullmatch(key):
            written = re.fullmatch(r"\s*(\d{1,6})(?:\.0{1,6})?\s*", value)
            if written:
                count, running = int(written[1]), running or words.RUNNING_KEY.search(key) is not None
        elif not _SKIPPED_KEY.fullmatch(key):
            if value.strip() == "false":
                denied = True
            elif value.strip() not in ("true", ""):
                said.append((a, b))
    if not begin:
        return None
    if until and begin[0].end_s is None and until[0].at_s != begin[0].at_s:
        begin[0].time_s, begin[0].end_s = sorted((begin[0].time_s, until[0].at_s))
    text = "; ".join(view[a:b] for a, b in said)
    entry = Entry(begin, start, end, text, True, False, False, marked=True, said=said)
    judging.judge(entry)
    entry.count, entry.running = count, running
    if denied:
        entry.is_event, entry.count = False, None
    return entry


def _of_value(view: str, start: int, end: int, key: str) -> list[Time]:
    found = times.find(view, start, end, all_bare=True)
    if (
        re.search(r"(?:^|[\[,\s])-\s?\d", view[start:end])
        and found
        and view[start:end].strip().startswith(("-", "[-"))
    ):
        found[0].negative = True
    if key.endswith("_ms"):
        for time in found:
            time.time_s /= 1000.0
            time.end_s = None if time.end_s is None else time.end_s / 1000.0
    return found


def _of_row(view: str, found: re.Match[str]) -> Entry | None:
    said = [match.span(match.lastindex or 0) for match in _ITEM.finditer(view, *found.span("rest"))]
    time = times.find(view, *found.span("time"), all_bare=True)[:1]
    if not time or not said:
        return None
    text = "; ".join(view[a:b] for a, b in said)
    entry = Entry(time, found.start(), found.end(), text, True, False, False, marked=True, said=said)
    judging.judge(entry)
    return entry


def _of_array(view: str, start: int, end: int) -> list[Entry]:
    items = list(_ITEM.finditer(view, start, end))
    if items:
        spans = [match.span(match.lastindex or 0) for match in items]
        return [entry for a, b in spans for entry in entries.of_line(view, a, b, seconds=True)]
    found = times.find(view, start, end, all_bare=True)
    listed = [Entry([time], time.start, time.end, "", True, True, False, marked=True) for time in found]
    for entry in listed:
        entry.times[0].linked = False
    return listed
