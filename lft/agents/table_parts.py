"""What several tables are made of: rows that count, words that head a row, a mean with its interval."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from lft.agents.condition import AXES
from lft.agents.scores import Row
from lft.core.records import JsonObject
from lft.core.runs import ANSWERED
from lft.core.stats import Estimate


def answered_of(rows: Iterable[Row]) -> list[Row]:
    """The rows whose episodes have ended.

    >>> answered_of([{"status": "answered", "score": 1.0}, {"status": "missing"}])
    [{'status': 'answered', 'score': 1.0}]
    """
    return [row for row in rows if row["status"] == ANSWERED]


def heads_of(key: Sequence[str]) -> dict[str, str]:
    """Model and axes by name, from their values in this order."""
    return dict(zip(("model", *AXES), key, strict=True))


def beside(*axes: str) -> Callable[[Row], tuple[str, ...]]:
    """Model and condition, but for some axes."""
    return lambda row: tuple(str(row.get(axis, "")) for axis in ("model", *AXES) if axis not in axes)


def heads_without(key: Sequence[str], *axes: str) -> dict[str, str]:
    """The same without some axes."""
    return dict(zip((axis for axis in ("model", *AXES) if axis not in axes), key, strict=True))


def interval(name: str, found: Estimate | None) -> JsonObject:
    """Columns of a mean and its 95 % interval, which one cluster has not.

    >>> interval("score", None)
    {'score': None, 'score_lower': None, 'score_upper': None}
    """
    if found is None:
        return dict(ends_of(name, None))
    several = found.clusters > 1
    return dict(
        ends_of(name, found.value, found.lower if several else None, found.upper if several else None)
    )


def ends_of(
    name: str, mean: float | None, lower: float | None = None, upper: float | None = None
) -> Iterator[tuple[str, float | None]]:
    """The same columns from numbers."""
    yield from ((name, mean), (f"{name}_lower", lower), (f"{name}_upper", upper))
