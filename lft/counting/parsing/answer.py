r"""The final answer: the last boxed integer, else the explicit final-answer phrase, else a lone integer reply.

* Boxed: \boxed{5} or the box tokens of GLM, also with text, units or emphasis inside. A box that holds two numbers, a
  range, a fraction of an event or no number is no integer and is passed over.
* Phrase: "Final answer: 5", "Answer: five", <answer>5</answer>, "final_answer": 5; else the total stated as such
  outside the ledger ("Total: 5", "The number of contacts is 5"). The last one counts. A sentence that mentions a
  number on the way ("touches the walls a total of five times") is no final answer, nor is a last sentence that
  concludes with one ("So, three."): where it stands in a longer reply it is in doubt (`account`).
* Lone: a reply that is an integer, or one sentence that counts the events, or a last line that is an integer.
* Retracted: a box or phrase followed by "wait", "that is wrong" and the like is no answer; only what is
  stated after it is.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from lft.counting.parsing import numerals
from lft.counting.parsing.lexicon import NOUNS, PLURALS, Off
from lft.counting.reported import Doubt

_TAIL = 200_000  # characters at the end in which phrases are looked for
Ledger = Callable[[], list[tuple[int, int]]]
MAX_ANSWER = 1_000_000
_BOX = re.compile(r"(?:boxed|fbox|framebox|\x08oxed)\s{0,3}\{")  # "\b" may have become a backspace
_BRACE = re.compile(r"[{}]")
_LATEX_WORDS = re.compile(r"\\[a-z]+|[{}$*_`~\\]|\s+")
_INTEGER = re.compile(
    rf"(?<![\w.,/:-])([-+]?{numerals.NUMBER}(?:,\d{{3}}){{0,2}}(?:\.0{{1,6}})?)(?![\w:/]|[.,]\d|-\d)"
)
_UNITS = re.compile(
    r"\b\d[\d.,:]*\s?(?:s|sec|secs|seconds?|hz|fps|%)(?![a-z])|\b\d{1,3}:\d\d(?:[.:]\d+)?"
    r"|\b(?:state|node)s? \w\b"
)
_NOT_ONE = re.compile(
    rf"^\s?(?:-|–|to|or|~|/|±)\s?{numerals.NUMBER}\b|^\s?(?:s|sec|secs|seconds?|hz|fps)\b|^\.\d"
)

_PHRASE = re.compile(
    r"<answer>|\[answer\]"
    r"|[\"'](?:final_?answer|answer|final_?count|total_?(?:count|events|contacts|blinks|transitions|number)?|"
    r"(?:num|number_of|n)_\w{1,20}|count|\w{1,16}_count)[\"']\s{0,3}:"
    r"|\b(?:my |the |so )?(?:final[ _](?:answer|count|total|tally|result|number)|correct (?:answer|count|"
    r"total|number)|corrected (?:answer|count|total)|answer)\b(?! key)"
    r"|(?<![^\n])\W{0,6}final(?=\W{0,3}[:=])"
    r"|最终答案|最終答案|最终计数|答案|最終回答|最終的な答え|答え|回答"
    r"|endgültige antwort|endergebnis|antwort|respuesta final|respuesta|antwoord|odpowiedź|cevap|svar|"
    r"jawaban|réponse finale|réponse|resposta final|resposta|risposta|окончательный ответ|ответ|최종 답변|최종 답|"
    r"정답|अंतिम उत्तर|उत्तर|الإجابة النهائية|الإجابة|الجواب"
)
_TOTAL = re.compile(
    rf"(?:^|\n|(?:[.!?;]|\s-)[ *_]{{1,4}})[^\w\n]{{0,12}}(?:so,? |thus,? |therefore,? |hence,? )?"
    rf"(?:the )?(?:overall |grand )?"
    rf"(?:total|count|sum|number)(?: (?:number|count|tally))?(?: of [\w -]{{1,40}}?| \w{{1,14}}|"
    rf" \w{{1,14}} \w{{1,14}})?"
    rf"(?:\s{{0,2}}[:=]|\s(?:is|was|are|equals)(?: (?:therefore|thus|hence|so))?)[\s*_]{{0,6}}"
    rf"(?P<n>{numerals.NUMBER})(?![\w:]|[.,]\d)"
)
_TOTAL_HINT = re.compile(r"total|count|sum|number")
_RETRACTED = re.compile(
    r"(?:^|[\n.!?…(-])\s{0,4}(?:(?:oh|hmm|no|but|um),? )?(?:wait\b|hold on\b|oops\b|scratch that|"
    r"correction\b|on second thought|no, |sorry, |actually,? )"
    r"|\b(?:that|this|it|which|(?:the|my) (?:(?:above|previous|boxed|earlier|first|last) )?(?:answer|count|"
    r"total))"
    r"(?: \w{1,10})?(?: is|'s| was) (?:wrong|incorrect|mistaken|a mistake|an error|not (?:right|correct))"
    r"|\bi (?:retract|withdraw|take (?:it|that|this) back|was wrong|was mistaken|made (?:a|an) (?:mistake|"
    r"error)|miscounted)\b"
    r"|\b(?:disregard|ignore|scratch|retract|withdraw) (?:that|this|it|my|the (?:above|previous|boxed|"
    r"earlier|last))\b"
)
_CONNECTS = re.compile(
    r"[\s\W]{0,16}(?:(?:is|was|are|should be|must be|be|as|to|the|a|equals|number|count|total|of|times|ball|"
    r"wall|it|still|therefore|now|remains|approximately|about|final|answer|events?|contacts?|blinks?|"
    r"transitions?|for|this|video|clip|counted|integer|value|in|are|there|were|my|made|exactly|on|based|是|为|"
    r"為|は|ist|lautet|es|est|é|это|입니다|है|هي)"
    r"(?![a-z])[\s:=*_>\"'($,-]{0,10}){0,8}"
)
_AGAIN = re.compile(
    rf"\b(?:it is|it's|is|are|was|were|be|to|count|contacts|answer|total)\b[\s:*_]{{1,4}}"
    rf"(?:actually |really |only )?({numerals.NUMBER})(?![\w:]|[.,]\d)(?!\s?(?:s|sec|seconds|hz|fps)\b)"
)
_NEXT_LINE = re.compile(  # that says something, at most four below
    r"(?:[ \t*_#:`$=>.-]*\n){0,4}(?P<line>[ \t*_#:`$=>.-]*[^ \t*_#:`$=>.\n-][^\n]*)"
)
_LONE = re.compile(
    r"[\s\W]{0,12}(?:(?:count|total|answer|contacts?|blinks?|transitions?|n)\s?[:=]\s?)?"
    r"(?P<n>[-+]?\w[\w -]{0,20}?(?:\.0{1,4})?)"
    r"(?: (?:times?|contacts?|wall contacts?|blinks?|flashes|transitions?|events?|state transitions?|changes|"
    r"bounces|hits))?"
    r"[\s.!。*`$)\]]{0,8}"
)

_EITHER = re.compile(
    rf"\b{numerals.NUMBER}(?: or |-|–| to ){numerals.NUMBER}\b|\b(?:about|roughly|approximately|at least)\b"
)
_TAGGED = re.compile(r"<(?:count|answer|total|result|final_answer|n)>\s{0,4}(?P<n>\d{1,6})\s{0,4}</")
_EQUALS = re.compile(r"[\d\s+*x-]{1,60}=\s{0,3}(\d{1,6})")
# A reply of one sentence that counts the events: "There are 4 flashes in the video.", "It blinks three times."
_COUNTED = re.compile(
    rf"[\s*_\"'`]{{0,8}}(?:(?:i|we) (?:count(?:ed)?|saw|see|observed?|detected?) |there (?:are|is|were|was) |"
    rf"[\w' -]{{0,60}}? )?(?:a total of |exactly |in total )?"
    rf"(?:(?P<n>{numerals.NUMBER}|no)(?: [a-z-]{{1,14}}){{0,2}} (?:{PLURALS}|{NOUNS}s?)|"
    rf"(?P<m>{numerals.NUMBER}) times)(?: [^\d.!?;\n]{{0,80}})?[.!\s*_\"'`]{{0,8}}"
)


def _last_line(view: str) -> int | None:
    """The integer that is all of the last line, unless it may be the head of the next entry, cut off."""
    lines = ["", "", *(line.strip(" *_`$#=") for line in view[-600:].split("\n") if line.strip())]
    above, last = lines[-2:]
    if not last.isdecimal() or len(last) > 4 or not above or above.isdecimal():
        return None
    return None if re.match(rf"\W*{int(last) - 1}\b", above) else int(last)


def _no_ledger() -> list[tuple[int, int]]:
    return []


@dataclass(slots=True)
class Answer:
    """The final answer, or why there is none, and what makes it unsure."""

    value: int | None
    problem: str | None = None
    doubts: list[Doubt] = field(default_factory=list)


def read(view: str, ledger: Ledger = _no_ledger, off: Off = frozenset()) -> Answer:
    """The final answer of a visible text; `ledger` gives the places of entries.

    >>> read("\\\\boxed{5} wait, that is wrong: \\\\boxed{6}").value
    6
    """
    if not view.strip():
        return Answer(None, "no text outside thinking")
    box, problem = _last_box(view)
    said = box or _phrase(view, 0, ledger)
    if said:
        retraction = _last(_RETRACTED, view, said[1])
        if retraction:
            said = _phrase(view, retraction.start(), _no_ledger) or _restated(view, retraction.start())
        if not said:
            return Answer(None, f"the {'boxed' if box else 'stated'} answer is retracted")
        return Answer(*_bounded(said[0]), _contradicted(view, said, box is not None))
    lone = _LONE.fullmatch(view.strip()) if len(view) < 400 else None
    number = _integer_word(lone["n"].strip()) if lone else None
    if number is None and len(view) < 400 and (tagged := _TAGGED.search(view)):
        number = int(tagged["n"])
    if number is not None:
        return Answer(*_bounded(number))
    if (
        "counted sentence" not in off
        and len(view) < 200
        and not _EITHER.search(view)
        and (counted := _COUNTED.fullmatch(view.strip()))
    ):
        value = counted["n"] or counted["m"]
        return Answer(*_bounded(0 if value == "no" else numerals.number(value)))
    if problem is None and "last line" not in off and (number := _last_line(view)) is not None:
        return Answer(number)
    if problem == "the box does not hold one integer":
        start = max(0, view.rfind("boxed"))
        return Answer(None, problem, [Doubt("unclear-answer", (start, min(len(view), start + 40)), problem)])
    if not problem and len(view) > _TAIL:
        problem = f"no final answer in the last {_TAIL} characters"
    return Answer(None, problem or "no final answer")


def has_box(view: str) -> bool:
    """Whether a box holds an integer, so that no list need be read to find the answer."""
    return _last_box(view)[0] is not None


_HEDGE = re.compile(
    r"\b(?:at (?:least|most)|up to|or more|(?:more|fewer|less) than|perhaps|maybe|possibly|might be)\b"
    rf"|[\s$)\]}}.,]{{0,4}}\bor {numerals.NUMBER}\b"
)


def _contradicted(view: str, said: tuple[int, int], boxed: bool) -> list[Doubt]:
    """A doubt where the answer is a bound or one of two, or behind a box an explicit phrase states another number."""
    around = view[said[1] : said[1] + 48].split("\n")[0]
    if boxed:
        around = f"{view[max(0, said[1] - 40) : said[1]]} {around[:16]}"
    if hedge := _HEDGE.search(around):
        return [Doubt("unclear-answer", (max(0, said[1] - 40), said[1] + 1), hedge[0].strip())]
    later = _phrase(view, said[1], _no_ledger) if boxed and len(view) - said[1] < 2000 else None
    if later is None or later[0] == said[0] or later[1] <= said[1]:
        return []
    return [Doubt("several-answers", (said[1], later[1]), f"{said[0]}, then {later[0]}")]


def _bounded(value: int) -> tuple[int | None, str | None]:
    if value < 0:
        return None, f"the final answer is negative ({max(value, -MAX_ANSWER)})"
    if value > MAX_ANSWER:
        return None, f"the final answer is above {MAX_ANSWER}"
    return value, None


def _last(pattern: re.Pattern[str], view: str, start: int) -> re.Match[str] | None:
    latest = None
    for found in pattern.finditer(view, start):
        latest = found
    return latest


def _latest(pattern: re.Pattern[str], view: str, start: int) -> Iterator[re.Match[str]]:
    """The matches, last first; the last thousand of an endless repetition."""
    return reversed(deque(pattern.finditer(view, start), maxlen=1000))


def _last_box(view: str) -> tuple[tuple[int, int] | None, str | None]:
    """(value, end) of the last box that holds one integer; if there is none, why the first does not."""
    problem = None
    for found in _latest(_BOX, view, 0):
        inside, end = _inside(view, found.end())
        value, problem = _boxed(inside)
        if value is not None:
            return (value, end), None
    return None, problem


def _inside(view: str, start: int) -> tuple[str, int]:
    """The content of the box that begins at `start`, and where it ends."""
    depth, end = 1, min(len(view), start + 200)
    for brace in _BRACE.finditer(view, start, end):
        depth += 1 if brace[0] == "{" else -1
        if depth == 0:
            return view[start : brace.start()], brace.end()
    return view[start:end].split("\n")[0].split("$")[0], end  # cut off before its brace


def _boxed(inside: str) -> tuple[int | None, str | None]:
    if inside.isdigit() and len(inside) < 7:
        return int(inside), None
    text = _LATEX_WORDS.sub(" ", inside).strip()
    if not text:
        return None, "the box is empty"
    if text in numerals.ANSWER_WORDS:
        return numerals.ANSWER_WORDS[text], None
    if re.fullmatch(r"[-+]? ?\d{7,}", text):
        return (-1 if text[0] == "-" else MAX_ANSWER + 1), None
    summed = _EQUALS.fullmatch(text)
    if summed:
        return int(summed[1]), None
    numbers = [match[1] for match in _INTEGER.finditer(text)]
    digits = [number for number in numbers if not number[0].isalpha()] or numbers
    others = re.findall(r"\d+", text)
    if len(digits) == 1 and len(others) <= 1 + digits[0].count(",") + digits[0].count("."):
        return _value(digits[0]), None
    return None, "the box does not hold one integer"


def _value(written: str) -> int:
    sign = -1 if written[0] == "-" else 1
    written = written.lstrip("+-").split(".")[0].replace(",", "")
    return sign * (numerals.number(written) if not written.isdigit() else int(written))


def _integer_word(written: str) -> int | None:
    if written in numerals.ANSWER_WORDS:
        return numerals.ANSWER_WORDS[written]
    if re.fullmatch(r"[-+]?\d{1,9}(?:\.0{1,4})?", written):
        return _value(written)
    return None


def _phrase(view: str, start: int, ledger: Ledger) -> tuple[int, int] | None:
    """(value, end) of the last explicit phrase, else of the last total stated outside the ledger."""
    spans: list[tuple[int, int]] | None = None
    start = max(start, len(view) - _TAIL)
    for found in _latest(_PHRASE, view, start):
        if found[0][0] in "\"'" and not found[0][1:].startswith(("final", "answer")):
            spans = spans if spans is not None else sorted(ledger())
            if within(spans, found.start()):
                continue
        value = _after(view, found.end())
        if value is not None:
            return value, found.end()
    for found in _latest(_TOTAL, view, start) if _TOTAL_HINT.search(view, start) else ():
        spans = spans if spans is not None else sorted(ledger())
        from_zero = found["n"] in ("0", "zero") and any(found.end() < a for a, _ in spans)
        if (
            not from_zero
            and not within(spans, found.end() - 1)
            and not _NOT_ONE.match(view[found.end() : found.end() + 12])
        ):
            return numerals.number(found["n"]), found.end()
    return None


def within(spans: list[tuple[int, int]], at: int) -> bool:
    """Whether a place is in one of several spans, which are sorted and do not overlap."""
    i = bisect_right(spans, (at, 1 << 40)) - 1
    return i >= 0 and at < spans[i][1]


def _after(view: str, at: int) -> int | None:
    """The integer of the phrase that ends at `at`: directly behind it, or the only one of its line."""
    line = _NEXT_LINE.match(view, at, min(len(view), at + 240))
    if not line:
        return None
    text = line["line"]
    head = _CONNECTS.match(text)
    rest = text[head.end() if head else 0 :]
    bare = re.sub(r"[*_`$\s.。!\"'}<]+$", "", rest).strip()
    if bare in numerals.ANSWER_WORDS:
        return numerals.ANSWER_WORDS[bare]
    first = re.match(rf"({numerals.NUMBER}(?:\.0{{1,4}})?)(?![\w:]|[.,]\d)", rest)
    if first and not _NOT_ONE.match(rest[first.end() :]):
        sign = -1 if head and re.search(r"(?:^|[\s:=*])-$", text[: head.end()]) else 1
        return sign * _value(first[1])
    if first:
        return None
    sentence = re.split(r"[.!?](?=\s|$)", text)[0]
    numbers = [
        m[1] for m in _INTEGER.finditer(_UNITS.sub(" ", sentence)) if not _NOT_ONE.match(sentence[m.end() :])
    ]
    distinct = {_value(number) for number in numbers}
    if len(distinct) == 1 and not re.search(r"\d\s?(?:-|to|or)\s?\d", sentence):
        return distinct.pop()
    return None


def _restated(view: str, start: int) -> tuple[int, int] | None:
    """The count stated behind a retraction: "Actually, it is 6", "there were 6 contacts", "should be 6"."""
    found = _last(_AGAIN, view[start : start + 600], 0)
    return (numerals.number(found[1]), start + found.end()) if found else None
