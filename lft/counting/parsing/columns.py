"""What the names of a table's columns say that they hold."""

from __future__ import annotations

import re
from dataclasses import dataclass

from lft.counting.parsing import words

_TIME = re.compile(
    r"(?:event |video |approx(?:\.|imate)? |start |frame )?(?:time(?:stamp)?s?|ts?|seconds?|secs?|moment|"
    r"when|mm:ss|zeit\w*|tiempo|instante|temps|instant|horodatage|tempo|время|момент|시간|समय|الوقت|时间\w*|時間|"
    r"时刻|時刻|タイムスタンプ|timecode|interval|range)(?![a-z])"
    r"|(?:start|end|begin|onset|offset)(?: ?\(\w{1,10}\))?$"
)
_START = re.compile(r"\b(?:start|begin|onset|from)")
_END = re.compile(r"\b(?:end|stop|offset|finish|until)")
_NOT_TIME = re.compile(
    r"\b(?:since|gap|delta|duration|difference|elapsed|between|frame (?:no|number|index|#))|Δ"
)
_IN_SECONDS = re.compile(r"\((?:in )?s(?:ec(?:onds?)?)?\)|\btimes?\b")
_UNIT = r"(?: at)?(?: ?\((?:in )?s(?:ec(?:onds?)?)?\))?"
_TURNS = r"(?:(?:lights?|turns?|turned|goes|switche[sd]|becomes) )?"
_ON = re.compile(rf"{_TURNS}(?:on|up|lit|bright|visible){_UNIT}")
_OFF = re.compile(rf"{_TURNS}(?:off|dark|out|unlit|hidden){_UNIT}")
_MILLISECONDS = re.compile(r"\bms\b|millisec")
_COUNT = re.compile(rf"(?:{words.COUNT_KEYS})")
_COVERS = re.compile(
    rf"(?:number of |no\.? of |# ?(?:of )?)?(?:\w{{1,12}} )?(?:{words.PLURALS})(?: here| in it)?"
)
_INDEX = re.compile(
    r"(?:#|no\.?|index|idx|id|step|event ?(?:id|index)|s\.?no\.?|entry|nr\.?|序号|番号|frame.*|n|№|"
    r"[a-z]{4,12} ?(?:#|no\.?|number))"
)
_ASKED = re.compile(
    r"(?:wall |state )?(?:contact|touch|blink|flash|transition|change|event|hit|bounce|lit|on)s?"
    r"(?: (?:at|with|to|of|side|wall).*)?\??|(?:which )?(?:wall|side|surface)(?: touched| hit)?\??"
)
_BEFORE = re.compile(r"\b(?:before|prev\w*|old|from|vorher|antes|avant|prior)\b")
_AFTER = re.compile(r"\b(?:after|new|next|to|nachher|después|depois|après)\b")


@dataclass(slots=True)
class Columns:
    """Which columns hold what, by index.

    Attributes
    ----------
    width : how many there are.
    times : of times; of several each holds one event, unless `ends` has one: the ends of intervals.
    counts : of counts. `running`: the count is called that; `covers`: it says how many events the row stands for.
    numbers : of the numbers of rows.
    asked : named as an event is, so that an empty cell says that there is none.
    before, after : of the state before and of that after.
    said : those that say something about the event.
    milliseconds : the times are.
    """

    width: int
    times: list[int]
    ends: list[int]
    counts: list[int]
    running: bool
    covers: bool
    numbers: list[int]
    asked: list[int]
    before: list[int]
    after: list[int]
    said: list[int]
    milliseconds: bool


def named(names: list[str], *, ruled: bool) -> Columns | None:
    """What columns of these names hold; None if none holds times. `ruled`: they stand between bars or tabs.

    >>> columns = named(["#", "time (s)", "event", "count"], ruled=True)
    >>> columns.times, columns.counts, columns.said
    ([1], [3], [2])
    """
    times, ends = _times(names, ruled)
    if not times:
        return None
    others = [i for i in range(len(names)) if i not in times and i not in ends]
    counts = [i for i in others if _COUNT.search(names[i])]
    running = [i for i in counts if words.RUNNING_KEY.search(names[i])]
    covering = [] if counts else [i for i in others if _COVERS.fullmatch(names[i])]
    numbers = [i for i in others if _INDEX.fullmatch(names[i])]
    said = [i for i in others if i not in counts + covering + numbers and not _NOT_TIME.search(names[i])]
    return Columns(
        len(names),
        times,
        ends,
        (running or counts or covering)[-1:],
        bool(running),
        bool(covering),
        numbers[:1],
        [i for i in said if _ASKED.fullmatch(names[i])],
        [i for i in others if _BEFORE.search(names[i])][:1],
        [i for i in others if _AFTER.search(names[i])][:1],
        said,
        _MILLISECONDS.search(names[times[0]]) is not None,
    )


def _times(names: list[str], ruled: bool) -> tuple[list[int], list[int]]:
    """The columns of times, and of ends of intervals."""
    found = [i for i, name in enumerate(names) if is_time(name)]
    if found:
        ends = [i for i in found if _END.search(names[i]) and not _START.search(names[i])]
        return [i for i in found if i not in ends][:1] or found[:1], ends[:1]
    on = [i for i, name in enumerate(names) if _ON.fullmatch(name)]
    off = [i for i, name in enumerate(names) if _OFF.fullmatch(name)]
    if len(on) == len(off) == 1:  # | Lights up (s) | Goes dark (s) |
        return on, off
    found = [i for i, name in enumerate(names) if _IN_SECONDS.search(name)]
    if len(found) == 1 and ruled and not _NOT_TIME.search(names[found[0]]):
        return found, []  # | Last frame dark | First frame lit | Blink time (s) |
    if len(found) > 1 and not any(_NOT_TIME.search(name) for name in names):
        return found, []  # | Left wall (s) | Right wall (s) |
    return [], []


def is_time(name: str) -> bool:
    """Whether a column or row of this name holds times."""
    return _TIME.match(name) is not None and not _NOT_TIME.search(name)


def is_count(name: str) -> bool:
    """Whether a column or row of this name holds counts."""
    return _COUNT.search(name) is not None


def is_asked(name: str) -> bool:
    """Whether a column or row is named as an event is."""
    return _ASKED.fullmatch(name) is not None
