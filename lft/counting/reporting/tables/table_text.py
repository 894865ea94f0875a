"""Tables of the study as printed: headings in words, numbers rounded, intervals beside their values."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import replace

from lft.core.conditions import CONDITION, condition_words
from lft.core.records import Entries, Json
from lft.core.reporting.tables import Printed, Table

# Fractions that are printed in percent, with their headings.
_PERCENT = {
    "em": "EM (%)",
    "em_relative": "EM / ceiling (%)",
    "em_constant": "constant EM (%)",
    "em_shuffled": "shuffled EM (%)",
    "off_by_one": "off by one (%)",
    "precision": "P (%)",
    "recall": "R (%)",
    "f1": "F1 (%)",
    "acr": "ACR (%)",
    "rfr": "RFR (%)",
    "literal_recall": "literal R (%)",
    "literal_correct": "literal EM (%)",
    "ceiling_correct": "ceiling EM (%)",
    "chance_f1": "chance F1 (%)",
    "skill_f1": "skill F1 (%)",
    "ledger_consistent": "consistent (%)",
    "difference": "difference (points)",
    "lapse": "lapse (%)",
    "miss_rate": "missed of shown (%)",
    "accuracy": "EM (%)",
    "shown_recall": "R of shown (%)",
}
_HEADINGS = {
    "n_missing": "missing",
    "vor": "VOR",
    "vor_pooled": "VOR pooled",
    "nmae": "nMAE",
    "n_positive": "n with events",
    "n_paired": "n paired",
    "n_clusters": "clusters",
    "p": "p",
    "p_holm": "p (Holm)",
    "p_fit": "p of the fit",
    "largest_count": "largest N",
    "ceiling_count": "ceiling N",
    "in_domain": "domain",
    "at_hz": "at (Hz)",
    "cost_usd": "cost (USD)",
}
_WORDS = ("in_domain", "at_hz", "fits", "model", "against")  # columns that hold words


def _inside(column: str, columns: Container[str]) -> bool:
    """Whether a column is an interval bound, which is printed with its value."""
    base = column.removesuffix("_lower").removesuffix("_upper")
    return base != column and base in columns


def printed(table: Table) -> Printed:
    """Headings, printed cells, and which columns are numbers (aligned right).

    A leading column with the same value in every row is left out: it is in the title or the file name.
    """
    if not table.rows:
        return [], [], []
    columns = list(table.rows[0])
    varied = [
        c for c in columns
        if not _inside(c, columns)
        and (c not in table.heads or len(table.rows) == 1 or len({row[c] for row in table.rows}) > 1)
    ]  # fmt: skip
    # Of a column of which nothing is known nothing is shown; the CSV keeps it.
    varied = [c for c in varied if c in table.heads or any(row[c] is not None for row in table.rows)]
    bounded = {c for c in varied if f"{c}_lower" in columns}
    heads = [
        heading(c) + (" [95 %]" if c in bounded and " Hz" not in c and "N = " not in c else "")
        for c in varied
    ]
    cells = [[_cell(c, row, c in table.heads) for c in varied] for row in table.rows]
    return heads, cells, [c not in table.heads and c not in _WORDS for c in varied]


# Columns of sizes, which are said once below a table where every row has the same.
_SIZES = ("n", "n_missing", "n_positive", "n_paired")


def without_same(table: Table) -> tuple[Table, str]:
    """A table without sizes that are equal in every row, and a sentence with them."""
    same = [c for c in _SIZES if len(table.rows) > 1 and len({row.get(c) for row in table.rows}) == 1]
    known = [c for c in same if table.rows[0].get(c) is not None]
    words = ", ".join(f"{heading(c)}: {table.rows[0][c]:,}" for c in known)
    rows = [{c: v for c, v in row.items() if c not in known} for row in table.rows]
    return replace(table, rows=rows), f"Every row: {words}." if words else ""


def heading(column: str) -> str:
    """The heading of a column."""
    if column in _PERCENT:
        return _PERCENT[column]
    if column.startswith("em_"):
        return f"EM {column.removeprefix('em_').replace('_', ' ')} (%)"
    return _HEADINGS.get(column, column.replace("_", " "))


def _cell(column: str, row: Entries, head: bool) -> str:
    value = row[column]
    if _absent(value):
        return "–"
    if head:
        if column in CONDITION:
            return condition_words(column, str(value))
        return str(value).replace("_", " ") if column == "domain" else str(value)
    text = _number(column, value)
    low, high = row.get(f"{column}_lower"), row.get(f"{column}_upper")
    return (
        text if _absent(low) or _absent(high) else f"{text} [{_number(column, low)}, {_number(column, high)}]"
    )


def _absent(value: object) -> bool:
    return value is None or value == "" or value != value


def _number(column: str, value: Json) -> str:
    if isinstance(value, str):
        return value.replace("_", " ")
    if column == "difference":
        return f"{100 * value:+z.1f}".replace("-", "−")
    if column in _PERCENT or column.startswith("em_"):
        return f"{100 * value:z.1f}"
    if column == "cost_usd":
        return f"{value:,.2f}"
    if column.startswith("vor"):
        return f"{value:z.2f}"
    if column in ("p", "p_holm", "p_fit"):
        return "<0.001" if value < 0.001 else f"{value:z.3f}"
    if column == "nmae":
        return f"{value:z.3f}"
    if isinstance(value, float):
        return ">99" if value >= _MOST and not column.startswith("N = ") else f"{value:.3g}"
    return f"{value:,}"


_MOST = 99.0  # counts from here on are of no grid; see `tables_frontiers`
