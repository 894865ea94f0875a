"""What a line without a time, or a heading, says about the list that it stands over."""

from __future__ import annotations

import re
from functools import lru_cache

from lft.counting.parsing import numerals, words

CLOSING = re.compile(
    r"\b(?:summary|summari[sz]|recap|conclusion|final answer|overview|in total|answer|therefore|"
    r"(?<!running )(?<!cumulative )totals?)\b"
    r"|答案|总结|まとめ|zusammenfassung|resumen|résumé"
)
_REVISED = re.compile(
    r"^\W*final:|\b(?:correct(?:ed|ion|ing)|revis(?:ed|ion|ing)|updated?|final (?:event )?(?:ledger|list|log|"
    r"timeline|events)|recount|re-count|wait|actually|second pass|re-?examin\w*|re-?evaluat\w*|re-?analy\w*|"
    r"redo|start over|try again)\b"
)
_VERIFYING = re.compile(
    r"\b(?:verif\w*|(?:double-?|re-?|cross-?)?check(?:s|ed|ing)?|confirm\w*|validat\w*)\b"
)
_WHOLE = re.compile(r"\b(?:ledger|list|log|timeline)\b(?! check)")
_STEP = re.compile(r"\b(?:step|pass|turn|round|attempt|version)[ #]{1,2}(\d{1,2}|one|two|three|four)\b")
_ATTEMPT = re.compile(
    rf"\b(?:attempt|pass|try|round|version|take)[ #]{{1,2}}(?P<n>\d{{1,2}}|one|two|three|four)\b|"
    rf"\b(?P<nth>{numerals.ORDINALS}) (?:attempt|pass|try|round|version|look|viewing|watch)\b"
)
DRAFT = re.compile(
    r"\b(?:possible|potential|candidates?|analysis|reasoning|observations?|draft|preliminary|first pass|"
    r"initial (?:pass|scan|ledger|list|estimate)|pass (?:1|one)|walk-?through|scratch|thinking|thoughts?|"
    r"notes|rough)\b"
)
LEDGER = re.compile(
    r"\b(?:ledger|event log|log|timeline|event list|list of events)\b|事件(?:列表|记录|日志)|台帐|記録"
)
_REJECTED = re.compile(
    r"\b(?:un|not |non-?)(?:accepted|confirmed|counted|included|verified|valid|events?|contacts?|blinks?|"
    r"transitions?)\b|\b(?:rejected|discarded|excluded|dismissed|ignored|ruled out|false (?:positives?|"
    r"alarms?|detections?)|near[ -]?miss(?:es)?|without (?:an? |any )?(?:contacts?|blinks?|transitions?|"
    r"events?|changes?)|no (?:contacts?|blinks?|transitions?|events?) (?:at|in|here))\b"
)
ASSERTED = re.compile(
    r"\b(?<!not )(?<!un)(?:confirmed|accepted|verified|ledger|final|corrected|valid|true)\b"
)
_CONFIRMED = re.compile(r"\W*(?:the |my )?(?:confirmed|verified|validated|checked) \w+")
_ASIDE = re.compile(r"\([^()]{0,160}\)|\bafter\b.{0,80}|\bwith\b.{0,80}")
_HEADING = re.compile(
    rf"^\s*(?:#{{1,6}}\s|={{3,}}|-{{3,}}\s*$)|[:：]\s*$|{CLOSING.pattern}|{_REVISED.pattern}|"
    rf"{_VERIFYING.pattern}|{DRAFT.pattern}|{LEDGER.pattern}|{_STEP.pattern}|"
    r"\blet me\b|\bphase\b|\bpart\b|boxed"
)
_REDO = re.compile(
    r"\blet me (?:re-?\w+|start over|try again|correct|fix|update|count again|list (?:them|it|these) again)\b|"
    r"\bredo\b|\bstart(?:ing)? (?:over|again)\b|\b(?:corrected|revised|updated) (?:ledger|list|log)\b"
)
_NOTHING = re.compile(
    r"[\s\W]{0,12}(?:there (?:are|were|is|was) )?(?:no|zero|none|nothing|empty)"
    r"(?: (?:wall|state|such|visible|valid|actual|real)){0,2}"
    r"(?: (?:events?|contacts?|blinks?|transitions?|repetitions?|entries|lines|hits?|flashes|occurrences))?"
    r"(?: (?:were|was|are|is|occur\w{0,4}|observed|detected|seen|found|recorded|remain\w{0,3}|to (?:list|"
    r"report|log)|in|the|this|video|clip|at|all|it)){0,6}[\s\W]{0,12}"
)
_SECONDS_SAID = re.compile(
    r"\((?:in )?s(?:ec(?:onds?)?)?\)|\bin seconds\b|\bseconds\b|\btime_s\b|\btimestamp\b"
)
_LABEL_LINE = re.compile(rf"[\s\W]{{0,12}}(?:{words.ORDINAL_LABEL.pattern})")


@lru_cache(maxsize=1024)
def is_heading(line: str) -> bool:
    """Whether a line without a time begins a new list."""
    return len(line) < 160 and (_HEADING.search(line) is not None or (len(line) < 80 and rejects(line)))


@lru_cache(maxsize=1024)
def rejects(line: str) -> bool:
    """Whether what is listed below is said to be no events: "Rejected candidates", "Near misses"."""
    if len(line) >= 160 or not _REJECTED.search(line):
        return False
    rest = _ASIDE.sub(" ", line)
    return _REJECTED.search(rest) is not None and not ASSERTED.search(rest)


@lru_cache(maxsize=1024)
def reworks(line: str) -> bool:
    """Whether a line begins as a list of its own that goes through an earlier one: "Double check: 2 s, 4 s"."""
    head, colon, _ = line.partition(":")
    return colon != "" and (
        is_check(head) or _REVISED.search(head) is not None or _ATTEMPT.search(head) is not None
    )


def attempt(lead: str) -> int:
    """The number of "attempt 2", "second pass" and the like, 0 if there is none."""
    found = _ATTEMPT.search(lead)
    return numerals.ordinal(found["n"] or found["nth"]) if found else 0


@lru_cache(maxsize=1024)
def announces(line: str) -> bool:
    """Whether a line says that events follow: "The contacts are:"."""
    return line.rstrip().endswith(":") and words.STRONG.search(line) is not None and not rejects(line)


@lru_cache(maxsize=1024)
def names_next(line: str) -> bool:
    """Whether a line without a time names the entry that follows: "Event 2"."""
    return _LABEL_LINE.match(line) is not None and not any(
        pattern.search(line) for pattern in (LEDGER, _STEP, _ATTEMPT)
    )


@lru_cache(maxsize=1024)
def says_seconds(line: str) -> bool:
    """Whether bare numbers below it are seconds."""
    return _SECONDS_SAID.search(line) is not None


@lru_cache(maxsize=1024)
def says_redo(line: str) -> bool:
    """Whether a sentence announces that the list is written again."""
    return _REDO.search(line) is not None


@lru_cache(maxsize=1024)
def says_nothing(line: str) -> bool:
    """Whether the line stands for an empty list: "no events", "None." - itself or behind a colon."""
    if len(line) >= 160:
        return False
    return _NOTHING.fullmatch(line, line.rfind(":") + 1) is not None


def step(lead: str) -> int:
    """The number of "Step 2", "second pass" and the like, 0 if there is none."""
    found = _STEP.search(lead)
    return numerals.number(found[1]) if found else 0


def is_check(lead: str) -> bool:
    """Whether the list below goes through an earlier one: "Step 2: check"."""
    if not _VERIFYING.search(lead) or _CONFIRMED.match(lead):
        return False
    return not (_REVISED.search(lead) and _WHOLE.search(lead))


def is_revision(lead: str) -> bool:
    """Whether the list below replaces an earlier one: "Corrected ledger", "Step 3"."""
    return not is_check(lead) and (_REVISED.search(lead) is not None or step(lead) > 2 or attempt(lead) > 1)
