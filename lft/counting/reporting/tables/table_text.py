"""Tables as CSV (full numbers), Markdown and LaTeX (rounded, with n and intervals).

Text in a table comes from runs and is not trusted: it is escaped for each form, and a CSV field that a
spreadsheet would take for a formula gets a leading apostrophe.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Container, Mapping
from dataclasses import replace
from typing import Any

from lft.core.conditions import CONDITION, condition_words
from lft.core.rows import guarded
from lft.counting.reporting.tables.table import Table

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
    """Whether a column is a bound, which is printed inside the value that it belongs to."""
    base = column.removesuffix("_lower").removesuffix("_upper")
    return base != column and base in columns


def to_csv(table: Table) -> str:
    """All columns, numbers with at most six decimals, missing values empty."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    if table.rows:
        writer.writerow(list(table.rows[0]))
        writer.writerows([_raw(value) for value in row.values()] for row in table.rows)
    return out.getvalue()


def _raw(value: Any) -> Any:
    if value is None or value != value:
        return ""
    if isinstance(value, float):
        return f"{value:.6g}"
    return guarded(value) if isinstance(value, str) else value


def printed(table: Table) -> tuple[list[str], list[list[str]], list[bool]]:
    """Headings, cells as printed, and which columns are numbers (set to the right).

    A leading column that says the same in every row is left out: the title or the file says it.
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
    """A table without the sizes that are the same in every row, and a sentence that says them."""
    same = [c for c in _SIZES if len(table.rows) > 1 and len({row.get(c) for row in table.rows}) == 1]
    known = [c for c in same if table.rows[0].get(c) is not None]
    words = ", ".join(f"{heading(c)}: {table.rows[0][c]:,}" for c in known)
    rows = [{c: v for c, v in row.items() if c not in known} for row in table.rows]
    return replace(table, rows=rows), f"Every row: {words}." if words else ""


def heading(column: str) -> str:
    """The words at the head of a column."""
    if column in _PERCENT:
        return _PERCENT[column]
    if column.startswith("em_"):
        return f"EM {column.removeprefix('em_').replace('_', ' ')} (%)"
    return _HEADINGS.get(column, column.replace("_", " "))


def _cell(column: str, row: Mapping[str, Any], head: bool) -> str:
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


def _absent(value: Any) -> bool:
    return value is None or value == "" or value != value


def _number(column: str, value: Any) -> str:
    if isinstance(value, str):
        return value.replace("_", " ")
    if column == "difference":
        return f"{100 * value:+.1f}".replace("-", "−")
    if column in _PERCENT or column.startswith("em_"):
        return f"{100 * value:.1f}"
    if column == "cost_usd":
        return f"{value:,.2f}"
    if column.startswith("vor"):
        return f"{value:.2f}"
    if column in ("p", "p_holm", "p_fit"):
        return "<0.001" if value < 0.001 else f"{value:.3f}"
    if column == "nmae":
        return f"{value:.3f}"
    if isinstance(value, float):
        return ">99" if value >= _MOST and not column.startswith("N = ") else f"{value:.3g}"
    return f"{value:,}"


_MOST = 99.0  # counts from here on are of no grid; see `tables_frontiers`


def to_markdown(table: Table) -> str:
    """A heading, the table with numbers to the right, and the note."""
    heads, cells, numeric = printed(table)
    lines = [f"## {escape_markdown(table.title)}", ""]
    lines.append("| " + " | ".join(escape_markdown(h) for h in heads) + " |")
    lines.append("|" + "|".join(" ---: " if number else " :--- " for number in numeric) + "|")
    lines += ["| " + " | ".join(escape_markdown(c) for c in row) + " |" for row in cells]
    return "\n".join([*lines, "", escape_markdown(table.note), ""])


def escape_markdown(text: str) -> str:
    """Text as Markdown shows it literally, on one line.

    >>> print(escape_markdown("a|b <i> *c* d_e"))
    a\\|b &lt;i&gt; \\*c\\* d\\_e
    """
    out = " ".join(text.split()).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    for mark in "\\`*_|#~[]":
        if mark in "[]" and "](" not in out and "]:" not in out:
            continue  # brackets alone make no link; intervals stay readable
        out = out.replace(mark, "\\" + mark)
    return out


def to_latex(table: Table) -> str:
    """A `table*` with booktabs rules; needs \\usepackage{booktabs} and nothing else."""
    heads, cells, numeric = printed(table)
    columns = "".join("r" if number else "l" for number in numeric)
    lines = [
        "\\begin{table*}[t]",
        "\\centering",
        "\\small",
        "\\caption{" + escape_latex(table.title) + ". " + escape_latex(table.note) + "}",
        "\\label{tab:lft-" + table.name.replace("_", "-") + "}",
        "\\begin{tabular}{@{}" + columns + "@{}}",
        "\\toprule",
        " & ".join(escape_latex(h) for h in heads) + " \\\\",
        "\\midrule",
        *(" & ".join(escape_latex(c) for c in row) + " \\\\" for row in cells),
        "\\bottomrule",
        "\\end{tabular}",
        "\\end{table*}",
    ]
    return "\n".join(lines) + "\n"


_LATEX = {
    "\\": "\\textbackslash{}", "{": "\\{", "}": "\\}", "$": "\\$", "&": "\\&",
    "#": "\\#", "%": "\\%", "_": "\\_",
    "^": "\\textasciicircum{}", "~": "\\textasciitilde{}", "<": "\\textless{}", ">": "\\textgreater{}",
    "τ": "$\\tau$", "≤": "$\\leq$", "≥": "$\\geq$", "±": "$\\pm$", "–": "--", "·": "$\\cdot$",
}  # fmt: skip


def escape_latex(text: str) -> str:
    """Text as LaTeX sets it literally.

    >>> print(escape_latex("50 % of a_b"))
    50 \\% of a\\_b
    """
    return "".join(_LATEX.get(c, c) for c in " ".join(text.split()))
