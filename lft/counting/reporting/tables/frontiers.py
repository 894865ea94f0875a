"""Tables of frontiers, of series over domains on a grid: the largest reliable count, the count and frequency
frontiers with the intervals of their posteriors, and the contours of the psychometric surfaces.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from lft.core.records import JsonObject
from lft.core.reporting.tables import Table
from lft.counting.frontier import frontier
from lft.counting.reporting.results import Results, Series
from lft.counting.reporting.surface_certainty import LEVELS, span
from lft.counting.reporting.tables.table import HEADS, head_of

if TYPE_CHECKING:
    from pandas import DataFrame

    from lft.counting.frontier import Frontier


def boundary(results: Results) -> Table:
    """Table 2: the largest count frontier at any frequency and domain, with the accuracy by domain."""
    rows = []
    for series in results.series:
        known = dict(_in_order(results, series))
        if not known:
            continue
        reach = {domain: found.largest_count for domain, found in known.items()}
        largest = max(reach.values())
        best = [d for d in known if largest and reach[d] == largest]
        hz = sorted({f for d in best for f, n in known[d].count.items() if n == largest})
        open_cells = sum(n == "undetermined" for f in known.values() for n in f.count.values())
        cells = series.cells[series.cells["domain"].isin(list(known))]
        row = {
            **head_of(series),
            "largest_count": largest,
            "ceiling_count": max((_allowed(cells[cells["domain"] == d], results.tau) or 0) for d in known)
            if "ceiling_correct" in cells.columns and cells["ceiling_correct"].notna().any()
            else None,
            "in_domain": ", ".join(best),
            "at_hz": " ".join(f"{f:g}" for f in hz),
            "undetermined": open_cells,
            "n": int(cells["n"].sum()),
            "n_missing": int(cells["n_missing"].sum()),
        }
        for domain in results.grids:
            found = series.totals(domain)
            low, high = found["em_interval"] or (None, None)
            row |= {f"em_{domain}": found["em"], f"em_{domain}_lower": low, f"em_{domain}_upper": high}
            row[f"n_{domain}"] = found["n"]
        rows.append(row)
    note = (
        f"Largest N whose accuracy, and that of every smaller positive N, reaches τ = {results.tau:.2f} at some "
        "frequency; 0 if none does. Ceiling N: the same of what the supplied frames allow. Undetermined: "
        "frequencies at which it is open, since a cell that decides it was not measured whole."
    )
    return Table("boundary", "Largest reliable count", note, rows, HEADS)


def count_frontiers(results: Results) -> Table:
    """The count frontier at each frequency, with the interval of its posterior."""
    rows = [
        _frontier_row(results, series, domain, "count", found.count, "{:g} Hz")
        for series in results.series
        for domain, found in _in_order(results, series)
    ]
    note = (
        f"Largest N counted reliably (τ = {results.tau:.2f}) at each frequency, every smaller N included. "
        f"{_BRACKETS} Ceiling N: the largest that the supplied frames allow at any frequency."
        f"{_point_frontiers(results)}"
    )
    return Table("count_frontiers", "Count frontiers", note, _filled(rows), (*HEADS, "domain"))


def frequency_frontiers(results: Results) -> Table:
    """The frequency frontier at each count, with the interval of its posterior."""
    rows = [
        _frontier_row(results, series, domain, "frequency", found.frequency, "N = {}")
        for series in results.series
        for domain, found in _in_order(results, series)
    ]
    note = f"Highest frequency in Hz counted reliably (τ = {results.tau:.2f}) at each count and below. {_BRACKETS}"
    return Table("frequency_frontiers", "Frequency frontiers", note, _filled(rows), (*HEADS, "domain"))


def contours(results: Results) -> Table:
    """The count at which the fitted accuracy falls to 80 % and to 50 %, at each frequency."""
    rows: list[JsonObject] = []
    for series in results.series:
        for domain, _ in _in_order(results, series):
            sure = results.sure.get((series.slug, domain))
            if sure is None or sure.fitted is None:
                continue
            for level in LEVELS:
                row = {**head_of(series), "domain": domain, "level": f"{100 * level:.0f} %"}
                row |= _sizes(series, domain)
                row |= {"fits": "yes" if sure.fitted.fits else "no", "p_fit": sure.fitted.p_fit}
                row["lapse"] = sure.fitted.lapse
                for rate, found in sure.contours(level).items():
                    row[f"{rate:g} Hz"] = _finite(found.count)
                    row[f"{rate:g} Hz_lower"] = _finite(found.lower)
                    row[f"{rate:g} Hz_upper"] = _finite(found.upper)
                rows.append(row)
    note = (
        "N at which accuracy falls to the level, by a logistic surface over log F and log N with a lapse rate; 95 % "
        "intervals by parametric bootstrap. 0: not reached at all; over 99: beyond any count asked. Where it does not "
        "fit (p < 0.05) read the cells, not the contours."
    )
    return Table("psychometric", "Psychometric contours", note, _filled(rows), (*HEADS, "domain", "level"))


_BRACKETS = "Brackets: where 95 % of the frontier's posterior lies, 0 for below."


def _point_frontiers(results: Results) -> str:
    """A sentence on the bias of point frontiers, or ""."""
    low = [p for one in results.sure.values() for p in one.posterior.too_low.values()]
    if not low:
        return ""
    return (
        f" Another run of the same size would read a count frontier below the true one in "
        f"{100 * sum(low) / len(low):.0f} % of the cases, on average over the table: read the brackets."
    )


def _frontier_row(
    results: Results,
    series: Series,
    domain: str,
    axis: str,
    found: Mapping[float, object] | Mapping[int, object],
    name: str,
) -> JsonObject:
    row = {**head_of(series), "domain": domain, **_sizes(series, domain)}
    if axis == "count":
        row["ceiling_count"] = _allowed(series.cells[series.cells["domain"] == domain], results.tau)
    sure = results.sure.get((series.slug, domain))
    for place, value in found.items():
        column = name.format(place)
        row[column] = value
        shares = getattr(sure.posterior, axis).get(place) if sure else None
        row[f"{column}_lower"], row[f"{column}_upper"] = span(shares) if shares else (None, None)
    return row


def _allowed(cells: DataFrame, tau: float) -> int | None:
    """The largest count frontier of the ceiling; None if unknown."""
    if "ceiling_correct" not in cells.columns or cells["ceiling_correct"].isna().all():
        return None
    known = cells.dropna(subset=["ceiling_correct"])
    reaches = {
        (float(row["frequency_hz"]), int(row["count"])): bool(row["ceiling_correct"] >= tau - 1e-9)
        for row in known.to_dict("records")
    }
    return frontier(reaches).largest_count


def _finite(count: float) -> float:
    return min(round(count, 2), _MOST)


def _filled(rows: list[JsonObject]) -> list[JsonObject]:
    """Rows with the same columns, those of frequencies or counts in rising order."""
    columns = list(dict.fromkeys(c for row in rows for c in row))
    heads = [c for c in columns if not _AXIS.match(c)]
    axis = sorted((c for c in columns if _AXIS.match(c)), key=lambda c: (_place(c), c.count("_"), c))
    return [{c: row.get(c, "") for c in (*heads, *axis)} for row in rows]


_MOST = 99.0
_AXIS = re.compile(r"(?:N = )?([0-9.e+-]+)(?: Hz)?(?:_lower|_upper)?$")


def _place(column: str) -> float:
    found = _AXIS.match(column)
    return float(found[1]) if found else 0.0


def _in_order(results: Results, series: Series) -> Iterator[tuple[str, Frontier]]:
    for domain in results.grids:
        if domain in series.frontiers:
            yield domain, series.frontiers[domain]


def _sizes(series: Series, domain: str) -> JsonObject:
    cells = series.cells[series.cells["domain"] == domain]
    return {"n": int(cells["n"].sum()), "n_missing": int(cells["n_missing"].sum())}
