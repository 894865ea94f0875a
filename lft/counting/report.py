"""What a response reports, as data: the interface between parsing, matching and auditing."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ReportedEvent:
    """One event that a response asserts.

    Attributes
    ----------
    time_s : seconds; the midpoint if an interval was given.
    end_s : end of the interval in seconds, None for a single time. (The start is 2 * time_s - end_s.)
    covers : how many events the entry says it stands for; above 1 it is a merged report.
    label : what the entry says happened ("right wall", "A -> C"), or None.
    span : (start, end) character offsets of the entry in the response text.
    """

    time_s: float
    end_s: float | None = None
    covers: int = 1
    label: str | None = None
    span: tuple[int, int] = (0, 0)


@dataclass(frozen=True)
class Reported:
    """A response that was understood. `final_answer` is a count >= 0; `reason` is why it is missing, if it is,
    and what was left out of an endless list.

    `final_answer` None (with a reason) counts as wrong, while the listed events can still be scored.
    """

    events: tuple[ReportedEvent, ...]
    final_answer: int | None
    reason: str | None = None

    @property
    def times_s(self) -> tuple[float, ...]:
        """Times in the order in which they were reported, seconds."""
        return tuple(event.time_s for event in self.events)


@dataclass(frozen=True)
class Unparsed:
    """A response in which nothing usable was found: empty, a refusal, an unbounded text."""

    reason: str
