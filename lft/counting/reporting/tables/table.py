"""One table, and what the rows of several have in common."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lft.core.conditions import CONDITION
from lft.counting.reporting.figures.surfaces import domain_order
from lft.counting.reporting.results import Series
from lft.counting.summary import totals

if TYPE_CHECKING:
    from pandas import DataFrame

    Rows = list[dict[str, Any]]

HEADS = ("model", "run", *CONDITION)  # what names a series in a row


@dataclass(frozen=True)
class Table:
    """One table.

    Attributes
    ----------
    name : its file name.
    title, note : what it shows; what a reader must know to read it.
    rows : one dict a row; all rows have the same keys, which are the columns of the CSV.
    heads : the leading columns, words that say what a row is.
    """

    name: str
    title: str
    note: str
    rows: Rows
    heads: tuple[str, ...]


def head_of(series: Series) -> dict[str, Any]:
    return {"model": series.model, "run": series.key[0], **series.condition}


def domains_of(series: Series) -> list[str]:
    return domain_order([str(d) for d in series.scores["domain"].unique()])


def found_in(scores: DataFrame) -> dict[str, Any]:
    """What the tables take from `lft.counting.summary.totals`."""
    return totals(scores, counting_errors=False)


def part_of(series: Series, domain: str) -> DataFrame:
    return series.scores[series.scores["domain"] == domain]


def sizes(found: Mapping[str, Any]) -> dict[str, Any]:
    return {"n": found.get("n"), "n_missing": found.get("n_missing")}
