"""JSON-like ledgers: objects with a time key, arrays of times, objects whose keys are times.

Read leniently, in one pass with a stack, so that single quotes, trailing commas, comments, JSON lines, tuples and an
answer cut off in the middle lose nothing that is whole, and every entry keeps its place in the text. What stands
below a key such as "rejected" or "initial_state" is no event; nor is an object with a flag such as "verified": false.
"""

from __future__ import annotations

import re
from itertools import islice

from lft.counting.parsing import members
from lft.counting.parsing.judging import Entry
from lft.counting.parsing.members import Node

MAX_OBJECTS = 5_000
_MAX_TOKENS = 200_000
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
_RECORD = re.compile(
    r"^(?P<indent>[ \t]{0,40})-[ ](?P<pairs>[a-z][\w ]{0,30}:[ ][^\n]{0,300}"
    r"(?:\n(?P=indent)[ \t]{1,8}[a-z][\w ]{0,30}:[ ][^\n]{0,300}){1,12})$",
    re.MULTILINE,
)
_PAIRED = {"}": "{", "]": "[", ")": "("}
_PAIR = re.compile(r"([a-z][\w ]{0,30}):[ ]+[\"']?([^\n\"']{1,300})")


def find(view: str) -> tuple[list[Entry], list[tuple[int, int]], str | None]:
    """The entries written as objects or arrays of times, in order; the places of whole texts of JSON that hold some;
    why reading stopped early."""
    scanner = _Scanner(view)
    cut = scanner.scan()
    return sorted(scanner.found, key=lambda entry: entry.start), scanner.whole, cut


def records(view: str) -> list[Entry]:
    """The entries written as YAML: "- event: blink", and "  time_s: 5.0" below it."""
    found: list[Entry] = []
    for record in islice(_RECORD.finditer(view), MAX_OBJECTS):
        pairs = _PAIR.finditer(view, record.start("pairs"), record.end())
        scalars = [(pair[1], pair.start(2), pair.end(2), False) for pair in pairs]
        found += members.of_object(view, Node("{", record.start(), "", False, scalars), record.end())
    return found


class _Scanner:
    """Goes through a view; `stack` holds the objects and arrays that are open."""

    def __init__(self, view: str) -> None:
        self.view = view
        self.at = 0
        self.stack: list[Node] = []
        self.found: list[Entry] = []
        self.whole: list[tuple[int, int]] = []
        self.objects = 0

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
        """Opens the next object or array that stands in no other; whether there is one."""
        opener = _OPENER.search(self.view, self.at)
        if not opener:
            return False
        before = _KEY_BEFORE.search(self.view, max(0, opener.start() - 46), opener.start())
        self._open(opener[0], opener.start(), before[1].strip() if before else "", denied=False)
        self.at = opener.end()
        return True

    def _word(self) -> bool:
        """Reads a key and its value, or a bracket; whether there was more."""
        node = self.stack[-1]
        gap = _GAP.match(self.view, self.at)
        self.at = gap.end() if gap else self.at
        if node.mark == "{" and (key := _KEY.match(self.view, self.at)):
            node.key, self.at = key[key.lastgroup or "bare"].strip(), key.end()
        token = _VALUE.match(self.view, self.at)
        if not token:
            return False
        self.at, kind = token.end(), token.lastgroup or "other"
        if kind == "close":
            self._close_to(_PAIRED[token[0]], token.start())
        elif kind == "open" and len(self.stack) == _DEEPEST:
            self.stack.clear()
        elif kind == "open":
            self._open(token[0], token.start(), node.key, denied=node.denied)
            node.key = ""
        elif kind != "other":
            node.scalars.append((node.key, token.start(kind), token.end(kind), kind != "bare"))
            node.key = ""
        return True

    def _open(self, mark: str, start: int, named: str, *, denied: bool) -> None:
        self.stack.append(Node(mark, start, named, denied or members.denies(named), first=len(self.found)))

    def _close_to(self, mark: str, end: int) -> None:
        """Closes the innermost `mark`, and what was left open in it."""
        if not any(node.mark == mark for node in self.stack):
            return
        outermost = self.stack[0]
        while self.stack[-1].mark != mark:
            self._close(end)
        self.objects += mark == "{"
        self._close(self.at)
        if not self.stack and len(self.found) > outermost.first:
            self.whole.append((outermost.start, self.at))

    def _close(self, end: int) -> None:
        """Takes the innermost object or array off the stack, and adds its entries."""
        node = self.stack.pop()
        parent = self.stack[-1] if self.stack else None
        if len(self.found) > node.first:
            return
        if node.mark == "{":
            listed = members.of_object(self.view, node, end)
        elif parent and parent.mark == "{" and members.may_be_interval(node.named):
            parent.arrays[node.named] = node.start, end
            return
        else:
            listed = members.of_array(self.view, node, parent, end)
        for entry in listed if node.denied else ():
            entry.is_event, entry.count = False, None
        self.found += listed

    def _cut_off(self) -> None:
        """Closes what the end of the text leaves open."""
        complete = len(self.found)
        if self.stack and self.stack[-1].scalars and self.stack[-1].scalars[-1][2] == len(self.view):
            self.stack[-1].scalars.pop()  # a number may go on
        while self.stack:
            self._close(len(self.view))
        for entry in self.found[complete:]:
            entry.affirmed = entry.is_event  # its count may be what is cut off
