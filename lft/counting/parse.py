r"""What a response reports: raw text -> reported events, final answer, and what the reading is unsure of.

Two rules, chosen by the caller and never mixed. Both read the same final answer.

`ledger` (default): what the response asserts as an event.
  1. Thinking and struck-out text are set aside (`parsing.text`).
  2. One numbered or bulleted item, one row of a table, one object is one event, whatever phases it names: an
     interval is one event at its midpoint, a beginning, a peak and an end are one event that spans them. An entry
     that says how many events it stands for covers that many.
  3. An entry is no event if its words say so: an initial or resting state, motion without contact, "no contact", a
     duration, a retraction. Lists headed as rejected hold none. A list headed as a correction replaces an earlier
     one.
  4. Running counts outrank words: an entry whose count does not rise is no event; one that rises by 3 covers 3.
  5. Of beginnings and ends in turn, the beginnings are the events. Of states that follow each other without a gap,
     the changes are.
  6. Prose counts where no list does: what happened at a named time is an event. What a sentence says to correct a list
     is not followed: it is a doubt.
  7. Where a text can be read in several ways, the one that the numbers of entries, the running counts and the final
     answer agree with holds. A plain list is never read otherwise to fit the answer (`parsing.resolve` says what is
     plain).
  8. A reading is an account of numbers. It is without doubt where every time that the text names has a place (an
     event, a repeat of one, a bound, a denied moment, a measure of the list) and no word moves the numbers. Where the
     times that are named are as many as the answer says, each is one event (`parsing.account`).
`mentions` (the published rule): every minute:second time and every decimal second after a cue word, anywhere;
  mentions within 0.1 s are one. In a numbered line that begins with its time ("1. 3.5 s - left wall - count 1"),
  the form that the default prompt asks for, that time is a mention as well.
Final answer: the last boxed integer, else the explicit final-answer phrase or total ("Total: 5"), else a lone
  integer reply, else the number of a reply of one sentence, or of a last sentence or line, that counts the events. An
  answer that is retracted and not replaced is none.
Doubts: what cannot be decided is named, with its characters (`report.DOUBTS`). An ordinary answer has none.

Conventions: times in seconds >= 0 from the start of the video, as stated; they may lie beyond its end, up to
100,000 s.
Three fields are h:mm:ss. Events keep the order of the text. Digits of any script and English number words are read.
Spans are offsets in the response as it was given. Labels are the response's own words without times, counts and
marks, cut at 160 characters.
Bounds: a response above `MAX_CHARACTERS` is unparsed; of an endless one the first 5,000 numbers in 20,000 lines,
2,000 objects, 100,000 words of JSON, 200 lists and 20,000 rows without times are read, 2,000 events kept, and
phrases for the answer looked for in the last 200,000 characters; `reason` says so where that left something out.
All steps take time linear in the length.
Source of `mentions`: arXiv 2608.06361, which does not list its cue words; `parsing.mentions` lists those read here.
"""

from __future__ import annotations

import re
from typing import Literal

from lft.core.errors import unknown_name
from lft.counting.parsing import mentions, reading
from lft.counting.parsing.lexicon import RULES as READING_RULES
from lft.counting.parsing.text import plain
from lft.counting.reported import DOUBTS, DOUBTS_OF_THE_ANSWER, Context, Doubt, Reported, Unparsed

Rule = Literal["ledger", "mentions"]
RULES: tuple[Rule, ...] = ("ledger", "mentions")
MAX_CHARACTERS = 2_000_000
# The published rule understands nothing, so it is never unsure of its list.
DOUBTS_OF_LEDGERS = DOUBTS.keys() - DOUBTS_OF_THE_ANSWER

_OPEN_THINKING = re.compile(r"^(?!.*(?:</|/think|end_of_thought)).*<", re.DOTALL)
_REFUSAL = re.compile(
    r"\b(?:i(?:'m| am) (?:sorry|unable|not able)|i (?:can ?not|can't|could not|couldn't|am unable to|"
    r"don't have)|as an ai|"
    r"unable to (?:view|watch|process|analy[sz]e|access|determine)|cannot (?:view|watch|process|"
    r"analy[sz]e|access|determine))\b"
)
_NOT_SEEN = re.compile(
    r"\bno video\b|\b(?:only|just) (?:see|have|got|received?|given) (?:an?|one|the) (?:\w+ )?(?:image|frame|picture)\b|"
    r"\b(?:can ?not|can't|unable to|not able to|don't|do not|couldn't|could not) "
    r"(?:(?:view|watch|open|play|access|load|process) (?:\w+ )?(?:video|clip|file)s?|determine)\b",
    re.IGNORECASE,
)
_THOUGHT = re.compile(r"</\s?think\w*>", re.IGNORECASE)


def _of_no_list(text: str, read: reading.Read) -> list[Doubt]:
    """Doubts of an answer without a list: a zero that says that nothing was seen, times only in thinking that has no
    beginning, which may be the answer itself."""
    if read.events:
        return []
    if read.answer == 0 and (unseen := _NOT_SEEN.search(read.shown)):
        return [Doubt("unclear-answer", unseen.span(), "the video was not seen")]
    closed = _THOUGHT.search(text) if read.answer else None
    if closed and "<" not in text[: closed.start()] and mentions.read(plain(text[: closed.start()]))[0]:
        return [Doubt("unused-time", (0, closed.end()), "times in thinking that has no beginning")]
    return []


def parse(
    text: str, rule: str = "ledger", context: Context | None = None, *, without: frozenset[str] = frozenset()
) -> Reported | Unparsed:
    r"""The events and the final answer that a response reports.

    Parameters
    ----------
    text : the raw response; any string, including an empty one.
    rule : "ledger" or "mentions", see above.
    context : the clip's length, the times of its supplied frames and the event's noun, where they are known.
    without : names of reading rules that are switched off (`parsing.lexicon.RULES`), to see what each is needed for.

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
    if unknown := without - READING_RULES.keys():
        raise unknown_name("reading rule", min(unknown), READING_RULES)
    if len(text) > MAX_CHARACTERS:
        too_long = f"a response of {len(text)} characters; at most {MAX_CHARACTERS} are read"
        return Unparsed(too_long, (Doubt("too-long", (0, len(text))),))
    if not text or text.isspace():
        return Unparsed("an empty response")
    read = reading.boxed(text, without) if rule == "mentions" else None
    read = read or reading.read(text, context or Context(), without)
    events, cut, doubts = read.events, read.left_out, read.doubts
    if rule == "mentions":
        listed, cut = mentions.read(plain(text))
        events = tuple(listed)
        doubts = tuple(doubt for doubt in doubts if doubt.code not in DOUBTS_OF_LEDGERS)
    else:
        doubts = (*doubts, *_of_no_list(text, read))
    reason: str | None = read.problem
    if not read.shown.strip() and _OPEN_THINKING.search(plain(text)):
        doubts = (*doubts, Doubt("cut-off", (max(0, len(text) - 40), len(text)), "the thinking does not end"))
    if not events and read.answer is None:
        if reason == "no final answer":
            refused = _REFUSAL.search(read.shown)
            reason = "a refusal: no event and no final answer" if refused else "no event and no final answer"
        return Unparsed(reason or "no event and no final answer", doubts)
    return Reported(events, read.answer, "; ".join(part for part in (reason, cut) if part) or None, doubts)
