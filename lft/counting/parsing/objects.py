"""Objects and arrays as in JSON: objects with a time, arrays of times, objects whose keys are times.

Read leniently, in one pass with a stack, so that single quotes, trailing commas, comments, JSON lines and an answer
cut off in the middle lose nothing that is whole, and every entry keeps its place in the text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from lft.counting.parsing import lexicon
from lft.counting.parsing.document import Reader, Span, Unit
from lft.counting.parsing.tokens import Time

MAX_OBJECTS = 2_000
HARD = "denied"
_MAX_TOKENS = 100_000
_DEEPEST = 40
_OPENER = re.compile(r"[{\[](?<![a-z\\]\{)")  # no LaTeX; the bracket first, which is faster
_KEY_BEFORE = re.compile(r"([a-z][a-z _]{0,32})[\"']?\s{0,4}[:=]\s{0,4}$")
_GAP = re.compile(r"(?:[\s,;]|//[^\n]{0,400}|/\*[^*]{0,400}\*/|#[^\n]{0,400})*")
_KEY = re.compile(
    r"(?:\"(?P<double>[^\"\n]{1,60})\"|'(?P<single>[^'\n]{1,60})'|(?P<bare>[^\W\d][\w -]{0,30}))\s{0,8}[:=]>?\s{0,8}"
)
_VALUE = re.compile(
    r"\"(?P<double>[^\"\n]{0,500})\"|'(?P<single>[^'\n]{0,500})'|(?P<open>[{\[(])|(?P<close>[}\])])|"
    r"(?P<bare>[^\s,;{}\[\]()\"'][^,;{}\[\]\n]{0,200})|(?P<other>.)",
    re.DOTALL,
)
_PAIRED = {"}": "{", "]": "[", ")": "("}
_TIME_TEXT = re.compile(r"[~\s]{0,3}(?:t\s?=\s?)?\d{1,5}(?:[:.]\d{1,9}){0,3}\s?(?:s|secs?|seconds?)?\s?")
_CLEAR_TIME = re.compile(r"\d[:.]\d|\d ?s")
_INTEGER = re.compile(r"(\d{1,6})(?:\.0{1,6})?")
_COUNT_KEY = re.compile(r"\w{0,24}(?:count|tally|total|cumulative)\w{0,16}|累计\w*|计数|カウント")
_COVERS_KEY = re.compile(
    rf"(?:n_|num_|number_of_)?(?:{lexicon.PLURALS})|(?:n_|num_|number_of_)\w{{1,20}}|repetitions|repeats"
)
_ORDINAL_KEY = re.compile(
    rf"(?:\w{{1,12}}_)?(?:id|index|idx|no|number|n|nr|#)|(?:{lexicon.NOUNS})(?:_?(?:no|number|id))?"
)
_LIST_KEY = re.compile(
    rf"(?:\w+[_ ])?(?:{lexicon.NOUNS}|times?|timestamps?|hits|bounces|moments|ledger|wall|entries|log)(?:s|"
    rf"es)?(?:[_ ](?:s|sec|seconds|times?|timestamps?|ledger|list))*"
    r"|(?:the )?(?:times|timestamps|moments) (?:of|where|when) (?!no\b)[a-z ]{1,40}"
)
_SKIPPED_KEY = re.compile(r".*(?:confiden|score|frame|duration|index|\bid\b)|fps")


@dataclass(slots=True, eq=False)
class Node:
    """An object, array or value: its mark ("{", "[", "(" or ""), place, key and members; a key above it says that it
    is `denied` (no events) or `aside` (another list)."""

    mark: str
    start: int
    end: int
    key: str
    denied: bool
    aside: bool = False
    quoted: bool = False
    members: list[Node] = field(default_factory=list)
    torn: bool = False


@dataclass(slots=True)
class Found:
    """Units of objects, the places of whole texts of JSON that hold some, whether one was cut off, what was left
    out."""

    units: list[Unit]
    taken: list[Span]
    torn: bool
    left_out: str | None


def denies(key: str) -> bool:
    """Whether what stands below a key is said to be no event: "rejected", "initial_state"."""
    return lexicon.keys("no_event_keys").fullmatch(key.replace(" ", "_")) is not None


def beside(key: str) -> bool:
    """Whether what stands below a key is another list than that of the events: "frames", "candidates"."""
    return lexicon.keys("aside_keys").fullmatch(key.replace(" ", "_")) is not None


def read(reader: Reader) -> Found:
    """All units written as objects or arrays of times, in order."""
    scanner = _Scanner(reader.view)
    left_out = scanner.scan() if "{" in reader.view or "[" in reader.view else None
    units: list[Unit] = []
    taken: list[Span] = []
    torn = False
    for number, root in enumerate(scanner.roots):
        found = _Interpreter(reader, number).units(root)
        if found:
            if all(unit.denied for unit in found):  # nothing stands beside what is set aside
                for unit in found:
                    unit.denied = unit.key == HARD
            units += found
            taken.append((root.start, root.end))
            torn = torn or root.torn
    return Found(units, taken, torn, left_out)


class _Scanner:
    """Goes through a view; `stack` holds the objects and arrays that are open."""

    def __init__(self, view: str) -> None:
        self.view, self.at = view, 0
        self.stack: list[Node] = []
        self.roots: list[Node] = []
        self.key, self.objects = "", 0

    def scan(self) -> str | None:
        """Reads all; why it stopped early."""
        for _ in range(_MAX_TOKENS):
            if not (self._word() if self.stack else self._seek()):
                self._cut_off()
                return None
            if self.objects > MAX_OBJECTS:
                return f"only the first {MAX_OBJECTS} objects were read"
        return f"only the first {_MAX_TOKENS} words of JSON were read"

    def _seek(self) -> bool:
        opener = _OPENER.search(self.view, self.at)
        if not opener:
            return False
        before = _KEY_BEFORE.search(self.view, max(0, opener.start() - 46), opener.start())
        self.key = before[1].strip() if before else ""
        self._open(opener[0], opener.start())
        self.at = opener.end()
        return True

    def _open(self, mark: str, start: int) -> None:
        above = self.stack[-1].denied if self.stack else False
        aside = self.stack[-1].aside if self.stack else False
        self.stack.append(
            Node(mark, start, start, self.key, above or denies(self.key), aside or beside(self.key))
        )
        self.key = ""

    def _word(self) -> bool:
        """Reads a key and its value, or a bracket; whether there was more."""
        node = self.stack[-1]
        gap = _GAP.match(self.view, self.at)
        self.at = gap.end() if gap else self.at
        if node.mark == "{" and (key := _KEY.match(self.view, self.at)):
            self.key, self.at = key[key.lastgroup or "bare"].strip(), key.end()
        token = _VALUE.match(self.view, self.at)
        if not token:
            return False
        self.at, kind = token.end(), token.lastgroup or "other"
        if kind == "close":
            self._close_to(_PAIRED[token[0]])
        elif kind == "open" and len(self.stack) == _DEEPEST:
            self.stack.clear()
        elif kind == "open":
            self._open(token[0], token.start())
        elif kind != "other":
            a, b = token.span(kind)
            while b > a and self.view[b - 1].isspace():
                b -= 1
            node.members.append(Node("", a, b, self.key, node.denied, node.aside, quoted=kind != "bare"))
            self.key = ""
        return True

    def _close_to(self, mark: str) -> None:
        """Closes the innermost `mark`, and what was left open in it."""
        if not any(node.mark == mark for node in self.stack):
            return
        while True:
            node = self.stack.pop()
            self._done(node)
            if node.mark == mark:
                return

    def _done(self, node: Node) -> None:
        node.end = self.at
        self.key = ""
        self.objects += node.mark == "{"
        if self.stack:
            self.stack[-1].members.append(node)
        else:
            self.roots.append(node)

    def _cut_off(self) -> None:
        if self.stack and self.stack[-1].members and self.stack[-1].members[-1].end == len(self.view):
            last = self.stack[-1].members[-1]
            if not last.mark and not last.quoted:
                self.stack[-1].members.pop()  # a number may go on
        self.at = len(self.view)
        while self.stack:
            self.stack[-1].torn = True
            self._done(self.stack.pop())


class _Interpreter:
    """Finds the lists of events in one tree; every array is a section of its own, headed by its key."""

    def __init__(self, reader: Reader, number: int) -> None:
        self.reader, self.view = reader, reader.view
        self.section = -1 - 1000 * number
        self.found: list[Unit] = []

    def units(self, root: Node) -> list[Unit]:
        if root.mark == "{" and not root.key:
            self.section = -1  # one object a line: they are one list
        self._visit(root, None, self.section, root.key)
        self.found.sort(key=lambda unit: unit.start)
        return self.found

    def _visit(self, node: Node, parent: Node | None, section: int, lead: str) -> None:
        if node.mark == "{":
            listed = self._object(node)
            if listed:
                for unit in listed:
                    unit.section, unit.lead = section, lead
                    self._set_aside(unit, node)
                self.found += listed
                return
        elif not node.mark:
            return
        if node.mark in ("[", "("):
            self.section -= 1
            listed = self._array(node, parent)
            for unit in listed:
                unit.section, unit.lead = self.section, node.key or lead
                self._set_aside(unit, node)
            self.found += listed
            if listed:
                return
        inner = self.section
        for member in node.members:
            self._visit(member, node, inner if node.mark != "{" else section, node.key or lead)

    def _set_aside(self, unit: Unit, node: Node) -> None:
        if "object list" not in self.reader.off:
            if unit.denied or node.denied:
                unit.denied, unit.key = True, HARD
            unit.denied = unit.denied or node.aside

    def _times(self, a: int, b: int, key: str) -> list[Time]:
        if self.view[a : a + 1] == "-":
            return []
        found = self.reader.times(a, b, all_bare=True)
        if re.search(r"_ms$|milli", key):
            for time in found:
                time.time_s /= 1000
                time.end_s = None if time.end_s is None else time.end_s / 1000
        return found

    def _value(self, node: Node, key: str) -> list[Time]:
        """The times of a value; two in an array are an interval."""
        found = self._times(node.start, node.end, key)
        if (
            node.mark
            and len(found) == 2
            and len(node.members) == 2
            and not key.endswith(("times", "times_s", "timestamps"))
        ):
            first, last = sorted((found[0].time_s, found[1].time_s))
            return [Time(found[0].start, found[1].end, first, last)]
        return found

    def _object(self, node: Node) -> list[Unit]:
        """The unit of an object with a time, or those of one whose keys are times."""
        if "object" in self.reader.off:
            return []
        begin: list[Time] = []
        until: list[Time] = []
        unit = Unit("object", node.start, node.end, node.start, [], said=[])
        said: list[Span] = []
        if any(
            member.mark == "{" or (member.mark == "[" and any(inner.mark == "{" for inner in member.members))
            for member in node.members
        ):
            return []
        for member in node.members:
            key = re.sub(r"[ -]+", "_", member.key)
            value = self.view[member.start : member.end].strip()
            if (member.mark and len(member.members) != 2) or (
                member.mark
                and key.rstrip("_s").endswith(("time", "stamp"))
                and key.endswith("s")
                and not key.endswith("_s")
            ):
                continue
            if not begin and lexicon.keys("time_keys").fullmatch(key) and (found := self._value(member, key)):
                begin = found
            elif (
                lexicon.keys("end_keys").fullmatch(key)
                and not member.mark
                and (found := self._times(member.start, member.end, key))
            ):
                until = found
            elif member.mark:
                continue
            elif _COUNT_KEY.fullmatch(key):
                if number := _INTEGER.fullmatch(value):
                    unit.count = int(number[1])
            elif _COVERS_KEY.fullmatch(key) and value.isdigit() and len(value) < 6:
                unit.covers = int(value)
            elif value in ("false", "true") and not _SKIPPED_KEY.fullmatch(key):
                unit.denied = unit.denied or (
                    (value == "true") == denies(key) and "object list" not in self.reader.off
                )
            elif _ORDINAL_KEY.fullmatch(key) and value.isdigit() and len(value) < 5:
                unit.ordinal = int(value)
            elif not _SKIPPED_KEY.fullmatch(key) and (member.quoted or not value.replace(".", "").isdigit()):
                said.append((member.start, member.end))
        unit.said = said
        unit.labelled = {"from", "to"} <= {
            member.key.partition("_")[0] for member in node.members if member.quoted
        }
        if node.torn:
            unit.count = None
        if begin:
            unit.times = begin
            if until and len(begin) == 1 and begin[0].end_s is None and until[0].time_s >= begin[0].time_s:
                unit.times = [Time(begin[0].start, until[0].end, begin[0].time_s, until[0].time_s)]
            return [unit]
        return []

    def _array(self, node: Node, parent: Node | None) -> list[Unit]:
        """The units of an array of times, or of a pair of a time and words."""
        values = [member for member in node.members if not member.mark]
        if parent is None and len(values) == 1 and "\n" in self.view[max(0, node.start - 4) : node.start]:
            return []  # "[0:05] hit" below a heading with a colon
        if "array of times" in self.reader.off or not values or len(values) < len(node.members):
            return []
        if not all(_TIME_TEXT.fullmatch(self.view[m.start : m.end]) for m in values):
            first = values[0]
            if (
                parent is not None
                and parent.mark != "{"
                and _TIME_TEXT.fullmatch(self.view[first.start : first.end])
                and any(m.quoted for m in values)
            ):
                found = self._times(first.start, first.end, "")
                return [
                    Unit(
                        "object",
                        node.start,
                        node.end,
                        node.start,
                        found,
                        said=[(m.start, m.end) for m in values[1:]],
                    )
                ]
            if (
                parent is None
                and len(values) > 1
                and _CLEAR_TIME.search(self.view[first.start : first.end])
                and _TIME_TEXT.fullmatch(self.view[first.start : first.end])
                and any(m.quoted for m in values[1:])
            ):
                found = self._times(first.start, first.end, "")
                unit = Unit(
                    "object",
                    node.start,
                    node.end,
                    node.start,
                    found,
                    said=[(m.start, m.end) for m in values[1:]],
                )
                return [unit]
            return []
        named = node.key and (_LIST_KEY.fullmatch(node.key) or lexicon.keys("time_keys").fullmatch(node.key))
        clear = all(_CLEAR_TIME.search(self.view[m.start : m.end]) for m in values)
        if not named and not (parent is None and not node.key and len(values) > 1 and clear):
            return []
        listed = []
        for member in values:
            for time in self._times(member.start, member.end, node.key):
                listed.append(Unit("array of times", member.start, member.end, member.start, [time], said=[]))
        return listed
