r"""What a response reports: raw text -> reported events and final answer.

Two rules, chosen by the caller and never mixed. Both read the same final answer.

`ledger` (default): what the response asserts as an event
  1. Thinking and struck-out text are set aside (`parsing.text` says what counts as thinking).
  2. Lines of a list or table (times in a column or across a row), JSON objects and arrays are *structured*
     entries: one event at the given time each, of a column of start and one of end (or on and off) at the midpoint. An
     entry is no event if its words say so: an initial or resting state, motion without contact, "no contact", a
     duration, a retraction. A column that names the event's time outranks columns that bracket it.
  3. Elsewhere a time is an event only if its clause says that something happened. A clause that leaves its verb out
     says what the clause beside it says ("hits a wall at 3 s, at 5 s the right one"), and so does one next to an
     event that tells nothing else: no state, motion, start, end or denial; nor need the verb of several times listed
     together be known ("lifts it at 2 s, 4 s and 6 s"). What stands behind "until 5 s, when" is what happens at 5 s.
     Prose counts only if no structured entry is an event, and a time that it repeats counts once.
  4. An interval is one event at its midpoint. Times listed together ("at 1.0, 2.0 and 3.0 s") are one event each,
     and an interval that frames its own list ("0:04 to 0:06: 4, 5, 6") or heads the entries below it is none.
  5. Running counts outrank words: an entry whose count does not rise is no event; one whose count rises from 3 to 6
     covers 3. Without a running count, an entry that says "12 contacts" or "twice" covers that many.
  6. Without a count, the list speaks about its entries (`parsing.contrast`): where some say "on", name the event or
     number it ("Blink 1", "Blink 2"), one that says "off", something else or nothing is none, nor is a state that does
     not change, nor are intervals of states that follow each other without a gap.
  7. A list replaces an earlier one if it is headed as its correction (a third step, a "corrected ledger"; "no
     events" there leaves none), counts the same times again from 1, or repeats them. A check of an earlier list
     replaces it if it goes through all of it, else it adds what it says was missed. A summary adds nothing. A list
     headed as rejected holds no event.
  8. A sentence behind a list that names an entry by time or number takes it back, moves it, or adds one
     (`parsing.corrections`); one that says "none of these is a contact" takes back the list.
`mentions` (the published rule): every minute:second time and every decimal second after a cue word, anywhere;
  mentions within 0.1 s are one.
Final answer: the last boxed integer, else the explicit final-answer phrase or total ("Total: 5"), else a lone integer
  reply. A sentence that mentions a number ("touches the walls five times in total") is none; nor is an answer that is
  retracted and not replaced.

Conventions: times in seconds >= 0 from the start of the video, as stated; they may lie beyond its end, up to
100,000 s. Three fields are h:mm:ss. Events keep the order of the text. Digits of any script and English number
words are read.
Labels are the response's own words without times, counts and marks, cut at 160 characters.
Bounds: a response above `MAX_CHARACTERS` is unparsed; of an endless one the first 10,000 numbers in 50,000 lines,
5,000 objects, 200,000 words of JSON and 200 lists are read, 5,000 events kept, and phrases for the answer looked for
in the last 200,000 characters; `reason` says so where that left something out. All steps take time linear in the
length.
Source of `mentions`: arXiv 2608.06361, which does not list its cue words; `parsing.mentions` lists those read here.
"""

from __future__ import annotations

import re
from typing import Literal

from lft.core.errors import unknown_name
from lft.counting.parsing import answer, ledger, mentions
from lft.counting.parsing.text import plain, unmarked, visible
from lft.counting.report import Context, Reported, Unparsed

Rule = Literal["ledger", "mentions"]
RULES: tuple[Rule, ...] = ("ledger", "mentions")
MAX_CHARACTERS = 2_000_000

_REFUSAL = re.compile(
    r"\b(?:i(?:'m| am) (?:sorry|unable|not able)|i (?:can ?not|can't|could not|couldn't|am unable to|"
    r"don't have)|as an ai|"
    r"unable to (?:view|watch|process|analy[sz]e|access|determine)|cannot (?:view|watch|process|"
    r"analy[sz]e|access|determine))\b"
)


def parse(text: str, rule: str = "ledger", context: Context | None = None) -> Reported | Unparsed:
    r"""The events and the final answer that a response reports.

    Parameters
    ----------
    text : the raw response; any string, including an empty one.
    rule : "ledger" or "mentions", see above.
    context : the clip's length, the times of its supplied frames and the event's noun, where they are known.

    Returns
    -------
    `Reported` if there is an event or a final answer, else `Unparsed` with the reason.

    Raises
    ------
    InputError : an unknown rule. No text raises.

    >>> parse("1. 0:07 - right wall (count: 1)\n2. 0:09 - left wall (count: 2)\n\\boxed{2}").times_s
    (7.0, 9.0)
    >>> parse("I cannot watch videos.")
    Unparsed(reason='a refusal: no event and no final answer', doubts=())
    """
    if rule not in RULES:
        raise unknown_name("rule", rule, RULES)
    if len(text) > MAX_CHARACTERS:
        return Unparsed(f"a response of {len(text)} characters; at most {MAX_CHARACTERS} are read")
    if not text or text.isspace():
        return Unparsed("an empty response")
    written = plain(text)
    shown = visible(written)
    if rule == "mentions":
        listed, cut = mentions.read(written)
        final_answer, reason = answer.read(shown, lambda: ledger.read(text, unmarked(shown))[2])
    else:
        listed, cut, entries = ledger.read(text, unmarked(shown))
        final_answer, reason = answer.read(shown, lambda: entries)
    if not listed and final_answer is None:
        if reason == "no final answer":
            refused = _REFUSAL.search(shown)
            reason = "a refusal: no event and no final answer" if refused else "no event and no final answer"
        return Unparsed(reason or "no event and no final answer")
    return Reported(tuple(listed), final_answer, "; ".join(part for part in (reason, cut) if part) or None)
