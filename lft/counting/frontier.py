"""Frontiers: the limits of reliability along one axis of a surface.

The count frontier at F is the largest N whose accuracy, and that of every smaller positive N of the surface,
is at least tau; the frequency frontier at N likewise over rising F. If the first cell fails it is `below`; if
a cell before the first failure was not measured it is `undetermined`, never a number. Clips without events are
not used.

If counts are known, a cell with `planned` trials passes once correct >= tau *
planned and fails once correct + missing < tau * planned; in between it is undecided.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from lft.core.errors import InputError, shown
from lft.core.records import JsonObject

REACHED, BELOW, UNDETERMINED = "reached", "below", "undetermined"
TAU = 0.80
_SLACK = 1e-9  # 0.8 * 10 and 8.0 must agree despite float errors

Number = TypeVar("Number", int, float)
Reaches = bool | None  # whether a cell reaches tau; None if that was not measured


@dataclass(frozen=True)
class Frontier:
    """The frontiers of one surface.

    Attributes
    ----------
    count : frequency_hz -> largest N, or `below`, or `undetermined`.
    frequency : N -> highest frequency in Hz, or `below`, or `undetermined`.
    """

    count: Mapping[float, int | str]
    frequency: Mapping[int, float | str]

    def to_json(self) -> dict[str, dict[str, int | float | str]]:
        """Keys as text: frequencies as 0.5 or 1.0, counts as 1 or 12."""
        return {
            "count": {str(float(f)): n for f, n in self.count.items()},
            "frequency": {str(n): f for n, f in self.frequency.items()},
        }

    @property
    def largest_count(self) -> int:
        """The largest count frontier at any frequency; 0 if there is none."""
        return max((n for n in self.count.values() if isinstance(n, int)), default=0)


def frontier(cells: Mapping[tuple[float, int], Reaches]) -> Frontier:
    """Frontiers of a surface from (frequency_hz, N) -> whether it reaches tau.

    The axes are all frequencies and positive counts in it; an absent combination was not measured.

    >>> frontier({(0.5, 1): True, (0.5, 2): True, (0.5, 3): False, (1.0, 1): False}).to_json()["count"]
    {'0.5': 2, '1.0': 'below'}
    >>> frontier({(0.5, 1): True, (1.0, 1): True, (0.5, 2): False}).frequency
    {1: 1.0, 2: 'below'}
    """
    cells = {(f, n): reaches for (f, n), reaches in cells.items() if n > 0}
    frequencies = sorted({f for f, _ in cells})
    counts = sorted({n for _, n in cells})
    return Frontier(
        {f: _prefix(counts, [cells.get((f, n)) for n in counts]) for f in frequencies},
        {n: _prefix(frequencies, [cells.get((f, n)) for f in frequencies]) for n in counts},
    )


def _prefix(axis: Sequence[Number], reaches: Iterable[Reaches]) -> Number | str:
    last: Number | str = BELOW
    for value, passes in zip(axis, reaches, strict=True):
        if passes is None:
            return UNDETERMINED
        if not passes:
            return last
        last = value
    return last


def checked_tau(tau: float) -> float:
    """`tau`, checked to be in (0, 1]; raises `InputError` otherwise."""
    if not 0 < tau <= 1:
        raise InputError(f"tau is {shown(tau)}", expected="a threshold above 0 and up to 1, such as 0.8")
    return tau


def needed(tau: float, planned: int) -> int:
    """The number of right trials that reaches tau: the smallest k with k / planned >= tau.

    >>> needed(0.8, 10), needed(0.7, 10), needed(0.8, 3)
    (8, 7, 3)
    """
    return math.ceil(tau * planned - _SLACK)


def reaches_by_count(correct: int, answered: int, missing: int, tau: float) -> Reaches:
    """Whether correct of (answered + missing) reaches tau; None if missing trials leave it undecided.

    >>> reaches_by_count(8, 8, 2, 0.8), reaches_by_count(7, 9, 1, 0.8), reaches_by_count(0, 3, 7, 0.8)
    (True, None, False)
    """
    if answered + missing == 0:
        return None
    want = needed(tau, answered + missing)
    if correct >= want:
        return True
    return False if correct + missing < want else None


def reaches_by_accuracy(accuracy: float | None, tau: float) -> Reaches:
    """Whether an accuracy reaches tau; None or NaN means not measured."""
    return None if accuracy is None or math.isnan(accuracy) else accuracy >= tau - _SLACK


def frontiers_json(frontiers: Mapping[tuple[str, str], Frontier]) -> dict[str, JsonObject]:
    """(model, domain) -> frontier as the nested document that `lft frontier --json` prints."""
    document: dict[str, JsonObject] = {}
    for (model, domain), found in frontiers.items():
        document.setdefault(model, {})[domain] = found.to_json()
    return document
