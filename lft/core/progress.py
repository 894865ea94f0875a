"""Progress of a long command, on stderr: a bar on a terminal, else (log file, pipe) a plain line every ten seconds."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import rich.progress

_PLAIN_EVERY_S = 10.0


class Progress:
    """A context manager: `with Progress("rendering", total=80) as progress: ... progress.update(12)`."""

    def __init__(self, doing: str, *, total: int) -> None:
        self._doing, self._total = doing, total
        self._done, self._note = 0, ""
        self._bar: rich.progress.Progress | None = None

    def __enter__(self) -> Progress:
        self._began_s = self._said_s = time.monotonic()
        self._first: int | None = None  # done before the start: not part of the rate
        if sys.stderr.isatty():
            self._bar, self._task = _bar(self._doing, self._total)
            self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()
        elif self._done:
            self._say()

    def update(self, done: int, note: str = "") -> None:
        """`done` of `total` are finished; `note` is shown beside it."""
        now_s = time.monotonic()
        if self._first is None:
            self._first = max(0, done - 1)
        self._done, self._note = done, note
        if self._bar is not None:
            self._bar.update(self._task, completed=done, rate=self._rate_hz(now_s), note=note)
        elif now_s - self._said_s >= _PLAIN_EVERY_S:
            self._said_s = now_s
            self._say()

    def advance(self, count: int = 1, note: str = "") -> None:
        """`count` more are finished."""
        self.update(self._done + count, note)

    def _rate_hz(self, now_s: float) -> float:
        return (self._done - (self._first or 0)) / max(now_s - self._began_s, 1e-3)

    def _say(self) -> None:
        now_s = time.monotonic()
        rate_hz = self._rate_hz(now_s)
        if self._done < self._total and rate_hz > 0:
            when = f"{_clock((self._total - self._done) / rate_hz)} left"
        else:
            when = f"in {_clock(now_s - self._began_s)}"
        note = f", {self._note}" if self._note else ""
        print(
            f"{self._doing} {self._done}/{self._total}, {rate_hz:.1f}/s, {when}{note}",
            file=sys.stderr,
            flush=True,
        )


def _bar(doing: str, total: int) -> tuple[rich.progress.Progress, rich.progress.TaskID]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    bar = Bar(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]:.1f}/s"),
        TimeRemainingColumn(),
        TextColumn("left  {task.fields[note]}"),
        console=Console(stderr=True),
    )
    return bar, bar.add_task(doing, total=total, rate=0.0, note="")


def _clock(seconds: float) -> str:
    """Minutes and seconds, with hours if there are any."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"
