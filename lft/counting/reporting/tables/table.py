"""Shared by the rows of several tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lft.core.conditions import CONDITION
from lft.core.records import Entries, JsonObject
from lft.counting.reporting.figures.surfaces import domain_order
from lft.counting.reporting.results import Series
from lft.counting.summary import totals

if TYPE_CHECKING:
    from pandas import DataFrame


HEADS = ("model", "run", *CONDITION)  # what names a series in a row


def head_of(series: Series) -> JsonObject:
    return {"model": series.model, "run": series.key[0], **series.condition}


def domains_of(series: Series) -> list[str]:
    return domain_order([str(d) for d in series.scores["domain"].unique()])


def found_in(scores: DataFrame) -> JsonObject:
    """The columns of tables from `lft.counting.summary.totals`."""
    return totals(scores, counting_errors=False)


def part_of(series: Series, domain: str) -> DataFrame:
    return series.scores[series.scores["domain"] == domain]


def sizes(found: Entries) -> JsonObject:
    return {"n": found.get("n"), "n_missing": found.get("n_missing")}
