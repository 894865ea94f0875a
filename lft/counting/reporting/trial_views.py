"""All data of one trial: true events, supplied frames, response, reported events and pairs.

The response is parsed under the rule, and paired with the tolerance, in its
row of scores.csv, so that the page shows what was scored.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path

from lft.core.errors import InputError
from lft.core.records import Entries, JsonObject, Line
from lft.core.runs import Run
from lft.counting.audit.account import Evidence, Standing, standing
from lft.counting.audit.ceiling import Ceiling, Indices, proofs_s
from lft.counting.audit.clock import Clock
from lft.counting.audit.columns import CeilingOf, SuppliedOf, ceilings_of, native_of, supplied_of
from lft.counting.clips import Clips as ClipFolder
from lft.counting.clips import clips_folder_of
from lft.counting.match import Matching, Pair, match
from lft.counting.metrics import row_window_s
from lft.counting.reader import Reader
from lft.counting.reported import Reported, ReportedEvent, Unparsed
from lft.counting.reporting.results import Series
from lft.counting.reporting.tables.outcomes import outcomes
from lft.counting.trace import Trace


@dataclass(frozen=True)
class View:
    """One trial.

    Attributes
    ----------
    row : its row of scores.csv, by column; missing values are None.
    outcome : `correct`, a cause, `wrong`, or `missing` or `not_applicable`.
    trace : the truth, or None without the clips.
    video : the clip, or None.
    line : its line of responses.jsonl (for a missing trial the last error), or None.
    reported : the reading of the response; None without a response.
    pairs : reported with true events.
    reading : who read the response; empty without a response.
    ceiling : computes the evidence in the supplied frames.
    supplied : computes the indices of the supplied frames; None if they are unknown.
    """

    row: Entries
    outcome: str
    trace: Trace | None
    video: Path | None
    line: Line | None
    reported: Reported | Unparsed | None
    pairs: tuple[Pair, ...]
    reading: str = ""
    ceiling: Callable[[], Ceiling | None] = lambda: None
    supplied: Callable[[], Indices | None] = lambda: None

    @property
    def text(self) -> str:
        """The raw response, or ""."""
        return str(self.line.get("text") or "") if self.line else ""

    @property
    def source(self) -> str:
        """The file name of an imported video; empty for a rendered clip."""
        return str(getattr(self.trace.spec, "source", "")) if self.trace else ""

    @property
    def events(self) -> tuple[ReportedEvent, ...]:
        """The reported events, a tuple of `ReportedEvent`."""
        return self.reported.events if isinstance(self.reported, Reported) else ()

    @property
    def frame_times_s(self) -> list[float] | None:
        """Times of the supplied frames, seconds; None for the file itself, [] if unknown."""
        if self.line and self.line.get("native"):
            return None
        return list(self.line.get("frame_times_s") or ()) if self.line else []

    @cached_property
    def fates(self) -> tuple[list[str], list[str]]:
        """The fate of each true and each reported event, see `Standing.fates`; empty without a trace."""
        if self._stood is None or self.trace is None:
            return [], []
        return self._stood.fates(len(self.trace.events), len(self.events))

    @cached_property
    def proofs_s(self) -> list[tuple[float, ...] | None]:
        """For each true event that only the frames around it prove, the times of these frames; else None.

        See `lft.counting.audit.ceiling.proofs_s`. Empty without a trace.
        """
        if self._stood is None or self.trace is None:
            return []
        return proofs_s(self.trace, self.supplied(), self._stood.evident)

    @cached_property
    def _stood(self) -> Standing | None:
        if self.trace is None:
            return None
        answer = self.row.get("final_answer")
        return standing(
            self.events,
            self.trace,
            Matching(self.pairs),
            row_window_s(self.row, self.trace),
            self._evidence(self.trace),
            Clock.of_row(self.row),
            answer=None if answer is None else int(answer),
        )

    def _evidence(self, trace: Trace) -> Evidence | None:
        """The evidence in the supplied frames; computed only if they show some events and not others."""
        evident = self.row.get("evident")
        if evident is None:
            return None
        if int(evident) in (0, len(trace.events)):
            return Evidence((int(evident) > 0,) * len(trace.events), trace.duration_s)
        found = self.ceiling()
        return Evidence.of(found, trace) if found and found.count == int(evident) else None


class Clips:
    """The clips of runs: trace and video by run and clip id, each trace read once."""

    def __init__(self, runs: Mapping[str, Run], folder: Path | None, warn: Callable[[str], None]) -> None:
        self._opened: JsonObject = {}
        self._ceilings: dict[str, CeilingOf] = {}
        self._supplied: dict[str, SuppliedOf] = {}
        self._traces: dict[tuple[str, str], Trace | None] = {}
        for name, run in runs.items():
            where = folder or (clips_folder_of(run) if run.manifest.get("clips_folder") else None)
            try:
                self._opened[name] = _open(where) if where else None
            except InputError as error:
                self._opened[name] = None
                warn(f"run {name}: {error}; its page has no true events and no videos")

    def trace(self, run: str, clip_id: str) -> Trace | None:
        """The trace, or None without the clips."""
        key = (run, clip_id)
        if key not in self._traces:
            opened = self._opened.get(run)
            try:
                self._traces[key] = opened.trace(clip_id) if opened is not None else None
            except (InputError, KeyError):
                self._traces[key] = None
        return self._traces[key]

    def ceiling(self, run: Run | None, name: str, row: Entries, line: Line | None) -> Ceiling | None:
        """The literal bound of a trial's supplied frames, or None if unknown."""
        if name not in self._ceilings:
            known = native_of(run) if run else {}
            self._ceilings[name] = ceilings_of(partial(self._known, name), **known)
        return self._ceilings[name](row, line)

    def supplied(self, run: Run | None, name: str, row: Entries, line: Line | None) -> Indices | None:
        """Indices of the frames supplied for a trial; None if they are unknown."""
        if name not in self._supplied:
            known = native_of(run) if run else {}
            self._supplied[name] = supplied_of(partial(self._known, name), **known)
        return self._supplied[name](row, line)

    def _known(self, name: str, clip_id: str) -> Trace:
        trace = self.trace(name, clip_id)
        if trace is None:
            raise KeyError(clip_id)
        return trace

    def video(self, run: str, clip_id: str) -> Path | None:
        """The video's path, even if the file is missing; None without the clips."""
        opened = self._opened.get(run)
        try:
            return Path(opened[clip_id].video) if opened is not None else None
        except (InputError, KeyError):
            return None


def _open(folder: Path) -> ClipFolder:
    return ClipFolder.open(folder)


@dataclass(frozen=True)
class Said:
    """The line of each trial in a run: its answer, or its last error."""

    answers: Mapping[str, Line]
    errors: Mapping[str, Line]
    run: Run | None = None

    @classmethod
    def of_run(cls, run: Run | None) -> Said:
        """Reads responses.jsonl; empty for None (scores without a run folder)."""
        if run is None:
            return cls({}, {})
        answers = run.answers()
        errors = {line["trial"]: line for line in run.lines() if line.get("status") == "error"}
        return cls(answers, {trial: line for trial, line in errors.items() if trial not in answers}, run)


def views(series: Series, said: Said, clips: Clips) -> Iterator[View]:
    """The trials of a series in the order of scores.csv."""
    table = series.scores
    named = outcomes(table).where(table["status"] == "answered", table["status"])
    table = table.astype(object).where(table.notna(), None)
    reader = Reader(said.run, partial(clips.trace, series.key[0]))
    for row, outcome in zip(table.to_dict("records"), named, strict=True):
        yield _view({str(k): v for k, v in row.items()}, str(outcome), said, series.key[0], clips, reader)


def _view(
    row: JsonObject,
    outcome: str,
    said: Said,
    run: str,
    clips: Clips,
    reader: Reader,
) -> View:
    trial, clip_id = str(row["trial"]), str(row["clip"])
    trace, video = clips.trace(run, clip_id), clips.video(run, clip_id)
    if row["status"] != "answered":
        return View(row, outcome, trace, video, said.answers.get(trial) or said.errors.get(trial), None, ())
    line = said.answers.get(trial)
    reading = reader.read(line, str(row["rule"])) if line else None
    reported = reading.report if reading else None
    pairs: tuple[Pair, ...] = ()
    if trace is not None and isinstance(reported, Reported):
        pairs = match(trace.times_s, reported.times_s, row_window_s(row, trace)).pairs
    ceiling = partial(clips.ceiling, said.run, run, row, line)
    by = reading.by if reading else ""
    supplied = partial(clips.supplied, said.run, run, row, line)
    return View(row, outcome, trace, video, line, reported, pairs, by, ceiling, supplied)
