"""What the rows of several tables have in common."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from lft.core.conditions import CONDITION
from lft.counting.reporting.figures.surfaces import domain_order
from lft.counting.reporting.results import Series
from lft.counting.summary import totals

if TYPE_CHECKING:
    from pandas import DataFrame


HEADS = ("model", "run", *CONDITION)  # what names a series in a row


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
