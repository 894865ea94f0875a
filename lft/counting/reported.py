"""The reading of a response as data: the interface between parsing, matching and auditing.

A reading has events, a final answer and doubts. A doubt has a name and characters of the response.
No fault of the model may be concluded from a doubtful part of a reading.
"""

from __future__ import annotations

from dataclasses import dataclass

Span = tuple[int, int]

# Code -> meaning. A code determines which part of a reading is in doubt: see `DOUBTS_OF_THE_ANSWER`.
DOUBTS: dict[str, str] = {
    "count-differs": "the events listed are not as many as the final answer, and the text does not say why",
    "several-times": "one entry, or one entry that covers several events, names several times",
    "several-events": "several events were read out of one numbered entry",
    "unused-time": "a time in the text that no event took",
    "ordinals": "numbers of entries skip or repeat",
    "out-of-clip": "a time outside the clip",
    "frames-unknown": "frames are cited whose times are not known",
    "rules-differ": "the two rules disagree about a listed entry",
    "several-lists": "several lists, and the text does not say which one holds",
    "unclear-entry": "an entry that may or may not assert an event",
    "cut-off": "the response ends in the middle",
    "too-long": "the response is longer than what is read",
    "several-answers": "several final answers, and the text does not say which one holds",
    "unclear-answer": "a number that may or may not be the final answer",
}
DOUBTS_OF_THE_ANSWER = frozenset({"several-answers", "unclear-answer", "cut-off", "too-long"})


@dataclass(frozen=True)
class Doubt:
    """One doubt of a reading.

    Attributes
    ----------
    code : a key of `DOUBTS`.
    span : (start, end) character offsets in the response text.
    detail : the particulars in a few words ("3 events, final answer 4"), or "".
    """

    code: str
    span: Span = (0, 0)
    detail: str = ""

    @property
    def of_the_answer(self) -> bool:
        """Whether the final answer is in doubt (`unclear-answer`, `several-answers`); other doubts are of the
        events.
        """
        return self.code in DOUBTS_OF_THE_ANSWER

    @property
    def of_the_events(self) -> bool:
        """Whether the list of events is in doubt."""
        return self.code not in ("unclear-answer", "several-answers")


@dataclass(frozen=True)
class Context:
    """Information about a response besides its text. Everything may be unknown (None or "").

    Attributes
    ----------
    duration_s : length of the clip in seconds.
    frame_times_s : times of the supplied frames, in order of supply.
    noun : the word for one event in the question, singular ("wall contact", "blink", "transition").
    frames_from : the number beside the first supplied frame (LFT writes 1), None without numbers.
    """

    duration_s: float | None = None
    frame_times_s: tuple[float, ...] | None = None
    noun: str = ""
    frames_from: int | None = None


@dataclass(frozen=True)
class ReportedEvent:
    """One event that a response asserts.

    Attributes
    ----------
    time_s : seconds; the midpoint if an interval was given.
    end_s : end of the interval in seconds, None for a single time. (The start is 2 * time_s - end_s.)
    covers : number of events that the entry stands for; above 1 it is a merged report.
    label : the entry's words for the event ("right wall", "A -> C"), or None.
    span : (start, end) character offsets of the entry in the response text.
    rule : name of the reading rule that took it ("list item", "table row", ...); "person" where people settled it.
    """

    time_s: float
    end_s: float | None = None
    covers: int = 1
    label: str | None = None
    span: Span = (0, 0)
    rule: str = ""


@dataclass(frozen=True)
class Reported:
    """A parsed response. `final_answer` is a count >= 0; `reason` says why it is missing,
    or what was left out of an endless list. `doubts` are in order of the text.

    `final_answer` None (with a reason) counts as wrong, but the listed events are scored.
    """

    events: tuple[ReportedEvent, ...]
    final_answer: int | None
    reason: str | None = None
    doubts: tuple[Doubt, ...] = ()

    @property
    def times_s(self) -> tuple[float, ...]:
        """Reported times in order of the text, seconds."""
        return tuple(event.time_s for event in self.events)

    @property
    def events_doubted(self) -> bool:
        """Whether the list of events is in doubt: no cause may be based on it."""
        return any(doubt.of_the_events for doubt in self.doubts)

    @property
    def answer_doubted(self) -> bool:
        """Whether the final answer is unsure."""
        return any(doubt.of_the_answer for doubt in self.doubts)


@dataclass(frozen=True)
class Unparsed:
    """A response without usable content: empty, a refusal, a text beyond the limit.

    It has `doubts` if it may still report something, such as frames with unknown times.
    """

    reason: str
    doubts: tuple[Doubt, ...] = ()
