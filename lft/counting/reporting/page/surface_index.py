"""The entries of the page's index for one series and domain, besides its cells.

On a grid: the frontier, why it is undetermined, its certainty, and the fitted contours. For imported videos: scores by
true count.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from lft.core.records import Entries, JsonObject
from lft.counting.reporting.results import Results, Series
from lft.counting.reporting.surface_certainty import LEVELS, Sure, expected, span

if TYPE_CHECKING:
    from pandas import DataFrame

_OPEN = "undetermined"


def on_grid(results: Results, series: Series, domain: str) -> JsonObject:
    """frontier: frequency -> N, `below` or `undetermined`; open: frequency -> `missing` or `unmeasured`; sure."""
    frontier = series.frontiers[domain].count
    cells = series.cells[series.cells["domain"] == domain]
    found: JsonObject = {
        "frontier": {f"{f:g}": n for f, n in frontier.items()},
        "open": {f"{f:g}": _why_open(cells, f) for f, n in frontier.items() if n == _OPEN},
    }
    sure = results.sure.get((series.slug, domain))
    return found | ({"sure": _sure(sure)} if sure else {})


def _why_open(cells: DataFrame, frequency_hz: float) -> str:
    """Why a frontier is undetermined: missing answers, or no planned trials."""
    column = cells[(cells["frequency_hz"] == frequency_hz) & (cells["count"] > 0)]
    return "missing" if column["n_missing"].sum() else "unmeasured"


def _sure(sure: Sure) -> JsonObject:
    found: JsonObject = {
        "range": {f"{f:g}": [_plain(x) for x in span(shares)] for f, shares in sure.posterior.count.items()},
        "repeat": {f"{f:g}": round(expected(shares), 1) for f, shares in sure.posterior.repeat.count.items()},
        "low": {f"{f:g}": round(p, 2) for f, p in sure.posterior.too_low.items()},
    }
    if sure.fitted:
        found |= {"fits": bool(sure.fitted.fits), "p": round(sure.fitted.p_fit, 3)}
        found["contours"] = {
            f"{100 * level:.0f}": {
                f"{f:g}": [_bounded(c.count), _bounded(c.lower), _bounded(c.upper)]
                for f, c in sure.contours(level).items()
            }
            for level in LEVELS
        }
    return found


def add_certainty(cells: Sequence[JsonObject], sure: Sure | None) -> None:
    """Adds to the cells of a surface `p`, the probability to reach tau, and `fit`, the fitted accuracy."""
    if sure is None:
        return
    reaches = {
        (int(row["count"]), float(row["frequency_hz"])): row["p_reaches"]
        for row in sure.cells.to_dict("records")
    }
    for cell in cells:
        p = reaches.get((cell["N"], cell["F"]))
        if cell["N"] and p is not None and p == p:
            cell["p"] = round(float(p), 3)
        if cell["N"] and sure.fitted:
            cell["fit"] = round(float(sure.fitted.accuracy(cell["F"], cell["N"])), 3)


def in_bins(series: Series, domain: str) -> JsonObject:
    """bins: scores by true count, from few to many, then `all`; and no frontier."""
    from lft.counting.bins import by_bin
    from lft.counting.reporting.tables.outcomes import whole

    scores = series.scores[series.scores["domain"] == domain]
    rows = [*by_bin(scores), whole(scores)]
    return {"frontier": {}, "open": {}, "bins": [_bin(row) for row in rows]}


def _bin(row: Entries) -> JsonObject:
    from lft.counting.reporting.tables.outcomes import spread

    name = str(row["bin"])
    low, _, high = name.partition("-")
    bounds = (
        [0, None]
        if name == "all"
        else [int(low.lstrip(">")) + (name[0] == ">"), None if name[0] == ">" else int(high or low)]
    )
    found: JsonObject = {
        "bin": name,
        "from": bounds[0],
        "to": bounds[1],
        "n": row["n"],
        "miss": row["n_missing"],
    }
    for key, short in (("em", "em"), ("off_by_one", "off"), ("nmae", "nmae")):
        found[short] = _short(row[key])
        found[f"{short}_ci"] = [_short(x) for x in spread(row, key) or ()] or None
    return found | {"literal": _short(row["literal_correct"])}


def _short(value: float | None) -> float | None:
    return None if value is None or value != value else round(float(value), 4)


def _plain(value: float) -> float:
    return int(value) if value == int(value) else value


def _bounded(count: float) -> float:
    return round(min(count, 99.0), 2)
