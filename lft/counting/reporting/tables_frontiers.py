"""Tables of frontiers: the largest reliable count, and the count and frequency frontiers of every surface."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from lft.counting.reporting.results import Results, Series
from lft.counting.reporting.tables import HEADS, Table, domains_of, found_in, head_of, part_of


def boundary(results: Results) -> Table:
    """Table 2: the largest count frontier at any frequency and domain, with the accuracy by domain."""
    rows = []
    for series in results.series:
        reach = {domain: found.largest_count for domain, found in series.frontiers.items()}
        largest = max(reach.values())
        best = [d for d in domains_of(series) if largest and reach[d] == largest]
        hz = sorted({f for d in best for f, n in series.frontiers[d].count.items() if n == largest})
        open_cells = sum(n == "undetermined" for f in series.frontiers.values() for n in f.count.values())
        row = {
            **head_of(series),
            "largest_count": largest,
            "in_domain": ", ".join(best),
            "at_hz": " ".join(f"{f:g}" for f in hz),
            "undetermined": open_cells,
            "n": int(series.cells["n"].sum()),
            "n_missing": int(series.cells["n_missing"].sum()),
        }
        for domain in results.domains:
            found = found_in(part_of(series, domain))
            row |= {f"em_{domain}": found["em"], f"n_{domain}": found["n"]}
        rows.append(row)
    note = (
        f"Largest N whose accuracy, and that of every smaller positive N, reaches τ = {results.tau:.2f} at "
        "some frequency; 0 if none does. Undetermined: frequencies at which missing trials leave it open."
    )
    return Table("boundary", "Largest reliable count", note, rows, HEADS)


def count_frontiers(results: Results) -> Table:
    """The count frontier at each frequency."""
    columns = sorted({f for s in results.series for found in s.frontiers.values() for f in found.count})
    rows = [
        {
            **head_of(series),
            "domain": domain,
            **_sizes(series, domain),
            **{f"{f:g} Hz": found.count.get(f, "") for f in columns},
        }
        for series in results.series
        for domain, found in _in_order(series)
    ]
    note = f"Largest N counted reliably (τ = {results.tau:.2f}) at each frequency, every smaller N included."
    return Table("count_frontiers", "Count frontiers", note, rows if columns else [], (*HEADS, "domain"))


def frequency_frontiers(results: Results) -> Table:
    """The frequency frontier at each count."""
    columns = sorted({n for s in results.series for found in s.frontiers.values() for n in found.frequency})
    rows = [
        {
            **head_of(series),
            "domain": domain,
            **_sizes(series, domain),
            **{f"N = {n}": found.frequency.get(n, "") for n in columns},
        }
        for series in results.series
        for domain, found in _in_order(series)
    ]
    note = f"Highest frequency in Hz counted reliably (τ = {results.tau:.2f}) at each count and below."
    return Table(
        "frequency_frontiers", "Frequency frontiers", note, rows if columns else [], (*HEADS, "domain")
    )


def _in_order(series: Series) -> Iterator[tuple[str, Any]]:
    from lft.counting.reporting.figures import domain_order

    for domain in domain_order(list(series.frontiers)):
        yield domain, series.frontiers[domain]


def _sizes(series: Series, domain: str) -> dict[str, Any]:
    cells = series.cells[series.cells["domain"] == domain]
    return {"n": int(cells["n"].sum()), "n_missing": int(cells["n_missing"].sum())}
