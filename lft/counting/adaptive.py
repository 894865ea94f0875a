"""Asks only trials that the frontiers depend on: the frontiers of the full sweep with a fraction of the calls.

A cell is decided once its outcome cannot change: with n seeds and threshold tau, once ceil(tau n)
answers are right, or too many are wrong to reach it (8 of 10, or 3). A cell is needed
while every smaller count at its frequency, or every lower frequency at its count, reaches tau: only then a
frontier can pass through it. Cells beyond a failure in both directions are never asked. The needed cells
do not depend on the order of asking, and every needed cell gets the outcome of all its seeds,
so the frontiers are identical.

At most as many calls per cell are in flight as the earliest decision still needs, so no call is wasted.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from lft.core.conditions import condition_of
from lft.core.failure_kinds import kind_of_line
from lft.core.records import Key, Line
from lft.core.runs import ANSWERED, ERROR, NOT_APPLICABLE, RESPONSES, Run
from lft.counting.frontier import Reaches, checked_tau, needed, reaches_by_count
from lft.counting.spec import parse_clip_id

Place = tuple[float, int]  # (frequency_hz, count)
_GIVEN_UP_AFTER = 5  # attempts, as `lft.core.ask.Limits` has it
_WORTH_RETRYING = ("rate_limit", "timeout", "connection", "server", "bad_reply", "empty")


def needed_cells(decided: Mapping[Place, Reaches]) -> set[Place]:
    """The cells on which a frontier depends, as far as is known.

    `decided` has every cell of the grid with a positive count: True or False once it is decided, else None.

    >>> failed_first = {(1.0, 1): False, (1.0, 2): False, (2.0, 1): False, (2.0, 2): None}
    >>> (2.0, 2) in needed_cells(failed_first), (2.0, 2) in needed_cells({**failed_first, (1.0, 2): True})
    (False, True)
    """
    found: set[Place] = set()
    for axis in (0, 1):
        for fixed in {place[axis] for place in decided}:
            line = sorted(place for place in decided if place[axis] == fixed)
            for place in line:
                found.add(place)
                if decided[place] is not True:
                    break
    return found


@dataclass
class Cell:
    """The state of a cell: trials that may be asked, and outcomes of those asked."""

    waiting: list[Planned] = field(default_factory=list)
    planned: int = 0
    correct: int = 0
    wrong: int = 0
    pending: int = 0

    def reaches(self, tau: float) -> Reaches:
        """Whether the cell reaches tau; None while unasked trials could change it."""
        answered = self.correct + self.wrong
        return reaches_by_count(self.correct, answered, self.planned - answered, tau)

    def may_ask(self, tau: float) -> bool:
        """Whether one more call is needed for any outcome of those in flight."""
        if not self.waiting or self.reaches(tau) is not None:
            return False
        right = needed(tau, self.planned)
        return self.pending < min(right - self.correct, self.planned - right + 1 - self.wrong)


class Planned(Protocol):
    """The part of a planned trial that is used here."""

    @property
    def id(self) -> str: ...

    @property
    def key(self) -> Key: ...


class UntilFrontier:
    """Yields trials while the frontiers depend on them; reads outcomes from the run.

    `next()` raises StopIteration if nothing can be asked now. More may follow once calls in flight have
    been recorded: call `next(queue, default)` again then.
    """

    def __init__(
        self,
        run: Run,
        planned: Sequence[Planned],
        tau: float,
        correct: Callable[[Line, int], bool],
    ) -> None:
        self._tau = checked_tau(tau)
        self._correct = correct
        self._path = run.folder / RESPONSES
        self._read = 0
        self._grids: dict[tuple[object, ...], dict[Place, Cell]] = {}
        self._place: dict[str, tuple[Cell, int, int]] = {}  # trial -> cell, count, last turn
        self._open: set[str] = set()
        self._settled: set[str] = set()
        self._without_events: list[str] = []
        for trial in planned:
            self._plan(trial)
        self._learn()
        for grid in self._grids.values():
            for cell in grid.values():
                cell.waiting = [t for t in cell.waiting if t.id not in self._settled]

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        self._learn()
        for grid in self._grids.values():
            decided = {place: cell.reaches(self._tau) for place, cell in grid.items()}
            for place in sorted(needed_cells(decided)):
                cell = grid[place]
                if cell.may_ask(self._tau):
                    trial = cell.waiting.pop(0)
                    cell.pending += 1
                    self._open.add(trial.id)
                    return trial
        raise StopIteration

    @property
    def not_needed(self) -> set[str]:
        """Unasked trials on which no frontier depends: of decided cells, of cells beyond, and without events."""
        found = set(self._without_events)
        for grid in self._grids.values():
            wanted = needed_cells({place: cell.reaches(self._tau) for place, cell in grid.items()})
            for place, cell in grid.items():
                if place not in wanted or cell.reaches(self._tau) is not None:
                    found |= {trial.id for trial in cell.waiting}
        return found - self._settled

    def _plan(self, trial: Planned) -> None:
        domain, count, frequency_hz, _ = parse_clip_id(str(trial.key["clip"]))
        if count == 0:  # no frontier depends on it
            self._without_events.append(trial.id)
            return
        axes = condition_of(trial.key)
        cell = self._grids.setdefault((domain, *axes), {}).setdefault((frequency_hz, count), Cell())
        cell.waiting.append(trial)
        cell.planned += 1
        self._place[trial.id] = (cell, count, int(getattr(trial, "turns", 1)) - 1)

    def _learn(self) -> None:
        """Reads the lines that were recorded since."""
        if not self._path.exists():
            return
        with open(self._path, "rb") as file:
            file.seek(self._read)
            while (line := file.readline()).endswith(b"\n"):
                self._read += len(line)
                self._take(json.loads(line))

    def _take(self, line: Line) -> None:
        trial, status = line.get("trial"), line.get("status")
        if trial not in self._place or trial in self._settled:
            return
        cell, count, last_turn = self._place[trial]
        if status == ERROR:
            self._give_up(trial, cell, line)
            return
        if status == ANSWERED and int(line["key"].get("turn", 0)) < last_turn:
            return
        self._settled.add(trial)
        if trial in self._open:
            self._open.discard(trial)
            cell.pending -= 1
        if status == NOT_APPLICABLE:
            cell.planned -= 1
        elif self._correct(line, count):
            cell.correct += 1
        else:
            cell.wrong += 1

    def _give_up(self, trial: str, cell: Cell, line: Line) -> None:
        """Replaces a call in flight without an answer in this session by another seed."""
        final = (line.get("attempt") or 1) >= _GIVEN_UP_AFTER
        if trial in self._open and (final or kind_of_line(line) not in _WORTH_RETRYING):
            self._open.discard(trial)
            cell.pending -= 1


def until_frontier(run: Run, planned: Sequence[Planned], tau: float) -> UntilFrontier:
    """The trials among `planned` that the frontiers at `tau` depend on, given present and future lines of `run`."""
    from lft.counting.reader import reader_of
    from lft.counting.reported import Reported

    reader = reader_of(run)

    def correct(line: Line, count: int) -> bool:
        report = reader.read(line).report
        return isinstance(report, Reported) and report.final_answer == count

    return UntilFrontier(run, planned, tau, correct)


@dataclass(frozen=True)
class _Planned:
    id: str
    key: Key
    turns: int


def not_needed(run: Run, tau: float) -> set[str]:
    """The planned trials of a run without an answer on which no frontier at `tau` depends."""
    planned = [_Planned(trial, key, run.turns_of(key) or 1) for trial, key in run.trials().items()]
    return until_frontier(run, planned, tau).not_needed
