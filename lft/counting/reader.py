"""Reads the answers of a run: each in its context, with settled readings.

The context of an answer is the length of its clip, the times of its supplied frames and the word for one event.
Scores, transcripts, figures and audits all read answers here. A settled reading
(`lft.counting.settling`) replaces that of the program.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

from lft.core.errors import InputError
from lft.core.records import Line
from lft.core.runs import Run
from lft.core.video.frames import UNKNOWN, Sampling
from lft.counting.clips import clips_folder_of, traces_of
from lft.counting.reported import Context, Reported, Unparsed
from lft.counting.settling import settled
from lft.counting.settling.settled import Settled
from lft.counting.trace import Trace

PROGRAM = "program"
_LONGEST_NOUN = 100  # characters


@dataclass(frozen=True)
class Reading:
    """The reading of an answer, and who made it: `program`, or who settled it."""

    report: Reported | Unparsed
    by: str = PROGRAM


class Reader:
    """Reads the answers of one run.

    `trace_of` returns the trace of a clip id, or None without the clips: their length is then
    unknown. Without `with_settled` only the program reads. With `keeps` readings are kept for the next
    call, 1 to 4 KB each.
    """

    def __init__(
        self,
        run: Run | None,
        trace_of: Callable[[str], Trace | None],
        *,
        with_settled: bool = True,
        keeps: bool = False,
    ) -> None:
        self._run = run
        self._settled = settled.latest(settled.read(run.folder)) if run and with_settled else {}
        self._trace_of = trace_of
        self._noun_of = cache(self._noun)
        self._supplied: dict[tuple[str, str], tuple[float, ...] | None] = {}
        self._kept: dict[tuple[str, str, Context], Reported | Unparsed] | None = {} if keeps else None

    def read(self, line: Line, rule: str = "ledger") -> Reading:
        """The reading of an answered line of responses.jsonl."""
        report = self.by_program(line, rule)
        one = self._settled.get(str(line.get("trial")))
        if one is None or not self.holds(one, line):
            return Reading(report)
        return Reading(settled.settle(report, one, rule), one.by)

    def by_program(self, line: Line, rule: str = "ledger") -> Reported | Unparsed:
        """The reading of the program, without settled readings."""
        from lft.counting.parse import parse

        text, context = str(line.get("text") or ""), self.context(line)
        if self._kept is None:
            return parse(text, rule, context)
        place = (text, rule, context)
        if place not in self._kept:
            self._kept[place] = parse(text, rule, context)
        return self._kept[place]

    def holds(self, one: Settled, line: Line) -> bool:
        """Whether a decision is about the current text of the line."""
        return one.text_sha256 == settled.sha256_of_text(str(line.get("text") or ""))

    def context(self, line: Line) -> Context:
        """The context of a line; recorded frame times have precedence over those of the sampling."""
        key = line["key"]
        clip_id = str(key.get("clip"))
        trace = self._trace_of(clip_id)
        times_s: tuple[float, ...] | None = tuple(float(t) for t in line.get("frame_times_s") or ()) or None
        if times_s is None and trace is not None and not line.get("native"):
            asked = (clip_id, str(key.get("sampling") or UNKNOWN))
            if asked not in self._supplied:
                self._supplied[asked] = _supplied_s(trace, asked[1])
            times_s = self._supplied[asked]
        noun = self._noun_of(clip_id.partition("/")[0])
        numbered = 1 if key.get("labels") == "index" else None  # "Frame 1:" stands before the first
        return Context(trace.duration_s if trace else None, times_s, noun, numbered)

    def _noun(self, domain: str) -> str:
        manifest = self._run.manifest if self._run else {}
        asked = (manifest.get("questions") or {}).get(domain, {}).get("event")
        if isinstance(asked, str) and asked.strip():
            return asked.strip()[:_LONGEST_NOUN]
        return noun_of(domain, clips_folder_of(self._run) if self._run else None)


def reader_of(run: Run) -> Reader:
    """The reader of a run, with the lengths of its clips if these exist."""
    try:
        trace_of = traces_of(run)
    except (InputError, OSError):
        return Reader(run, lambda _: None)

    @cache
    def known(clip_id: str) -> Trace | None:
        try:
            return trace_of(clip_id)
        except (InputError, OSError):
            return None  # of this clip nothing is known

    return Reader(run, known)


def context_of(trace: Trace, sampling: str = UNKNOWN) -> Context:
    """The context of an answer outside a run, from the sampling and the domain of its clip."""
    return Context(trace.duration_s, _supplied_s(trace, sampling), noun_of(trace.spec.domain))


@cache
def noun_of(domain: str, clips_folder: Path | None = None) -> str:
    """The word for one event in the question about a domain; "" if unknown."""
    from lft.counting.sweep import question

    own = clips_folder is not None and (clips_folder / "questions" / f"{domain}.txt").is_file()
    try:
        return question(domain, clips_folder if own else None)["event"][:_LONGEST_NOUN]
    except (InputError, OSError, ValueError):
        return ""


def _supplied_s(trace: Trace, sampling: str) -> tuple[float, ...] | None:
    """The frame times of a sampling; None if the provider chooses them or they are unknown."""
    if sampling == UNKNOWN:
        return None
    policy = Sampling.parse(sampling)
    if policy.kind == "native":
        return None
    return _times_s(policy, trace.duration_s, trace.times_s if policy.needs_moments else ())


@lru_cache(maxsize=256)
def _times_s(policy: Sampling, duration_s: float, moments_s: tuple[float, ...]) -> tuple[float, ...]:
    return tuple(policy.times_s(duration_s, moments_s).tolist())
