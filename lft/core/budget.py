"""Keeping a sweep inside its budget while several calls are in flight, whose prices are known only
afterwards."""

from __future__ import annotations

from collections.abc import Hashable, Iterable

from lft.core.conditions import item_of
from lft.core.cost import money
from lft.core.records import Key, Line
from lft.core.runs import Tally
from lft.core.trials import Trial


class Purse:
    """Reserves the dearest price seen of its condition for each trial in flight.

    A trial of a condition that has no price yet is asked alone and taken to cost what the dearest did: only
    such a first call can exceed what is left. Where a price stays unknown, nothing more is asked. `lost_usd` is
    the most that calls without a line, lost with an earlier process, can have cost: it is not there to be spent.
    """

    def __init__(self, most_usd: float | None, tally: Tally, lost_usd: float = 0.0) -> None:
        self._most_usd = most_usd
        self._lost_usd = lost_usd
        self._tally = tally
        self._dearest_usd: dict[Hashable, float] = {}
        self._so_far_usd: dict[str, float] = {}
        self._reserved_usd: dict[str, float | None] = {}

    def remember(self, lines: Iterable[Line]) -> None:
        """Takes the prices of an earlier session of the run."""
        spent_usd: dict[tuple[str, Hashable], float] = {}
        for line in lines:
            key = (line["trial"], _condition(line["key"]))
            spent_usd[key] = spent_usd.get(key, 0.0) + float(line.get("cost_usd") or 0.0)
        for (_, condition), usd in spent_usd.items():
            self._dearest_usd[condition] = max(usd, self._dearest_usd.get(condition, 0.0))

    def allows(self, trial: Trial) -> bool:
        """Whether the trial may be asked now; says in the tally why a sweep has to stop."""
        if self._most_usd is None:
            return True
        if not self._tally.cost_known:
            self._tally.stopped = "the price of this model is unknown, so a budget cannot be kept"
            return False
        need_usd = self._dearest_usd.get(_condition(trial.key))
        reserved = self._reserved_usd.values()
        if self._reserved_usd and (need_usd is None or None in reserved):
            return False  # later, when the calls in flight are back
        held_usd = sum(max(0.0, r - self._so_far_usd.get(t, 0.0)) for t, r in self._reserved_usd.items() if r)
        left_usd = self._most_usd - self._tally.cost_usd - held_usd - self._lost_usd
        if need_usd is None:
            need_usd = max(self._dearest_usd.values(), default=0.0)
        if left_usd <= 0 or need_usd > left_usd:
            if not self._reserved_usd:
                self._tally.stopped = self._spent()
            return False
        return True

    def begin(self, trial: Trial) -> None:
        """The trial goes on its way."""
        self._reserved_usd[trial.id] = self._dearest_usd.get(_condition(trial.key))

    def paid(self, trial: Trial, line: Line) -> None:
        """A line of the trial came; all that it cost counts, failed attempts too."""
        if usd := line.get("cost_usd"):
            self._so_far_usd[trial.id] = self._so_far_usd.get(trial.id, 0.0) + usd

    def allows_another_like(self, line: Line) -> bool:
        """Whether a trial that is not over may go on, whose next call costs about what this one did; says in the tally
        why a sweep has to stop.
        """
        usd = float(line.get("cost_usd") or 0.0)
        if self._most_usd is None or self._tally.cost_usd + usd + self._lost_usd <= self._most_usd:
            return True
        self._tally.stopped = self._tally.stopped or self._spent()
        return False

    def end(self, trial: Trial) -> None:
        """Nothing more comes of the trial."""
        self._reserved_usd.pop(trial.id, None)
        spent_usd = self._so_far_usd.pop(trial.id, None)
        if spent_usd is not None:
            condition = _condition(trial.key)
            self._dearest_usd[condition] = max(spent_usd, self._dearest_usd.get(condition, 0.0))

    def _spent(self) -> str:
        more = f"; lost calls may have cost {money(self._lost_usd)}" if self._lost_usd else ""
        return f"the budget of {self._most_usd:g} USD does not allow another call{more}"


def _condition(key: Key) -> Hashable:
    """What sets the price of a call: all of the key but its item and its numbers."""
    varies = (item_of(key), "replicate", "turn")
    return tuple((k, str(v)) for k, v in sorted(key.items()) if k not in varies)
