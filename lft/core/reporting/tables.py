"""Tables as CSV (full numbers), Markdown and LaTeX (as printed).

Text in a table comes from runs and is not trusted: it is escaped for each format, and a CSV field that a
spreadsheet would read as a formula gets a leading apostrophe.
"""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass

from lft.core.records import JsonObject
from lft.core.scoring import guarded

Rows = list[JsonObject]
# Headings, cells as people read them, and which columns are numbers (set to the right).
Printed = tuple[list[str], list[list[str]], list[bool]]


@dataclass(frozen=True)
class Table:
    """One table.

    Attributes
    ----------
    name : its file name.
    title, note : above and below the table.
    rows : one dict per row; all rows have the same keys, which are the columns of the CSV.
    heads : the leading text columns.
    """

    name: str
    title: str
    note: str
    rows: Rows
    heads: tuple[str, ...]


def to_csv(table: Table) -> str:
    """All columns, numbers with at most six decimals, missing values empty."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    if table.rows:
        writer.writerow(list(table.rows[0]))
        writer.writerows([_raw(value) for value in row.values()] for row in table.rows)
    return out.getvalue()


def _raw(value: object) -> object:
    if value is None or value != value:
        return ""
    if isinstance(value, float):
        return f"{value:.6g}"
    return guarded(value) if isinstance(value, str) else value


def to_markdown(table: Table, printed: Printed) -> str:
    """A heading, the table with right-aligned numbers, and the note."""
    heads, cells, numeric = printed
    lines = [f"## {escape_markdown(table.title)}", ""]
    lines.append("| " + " | ".join(escape_markdown(h) for h in heads) + " |")
    lines.append("|" + "|".join(" ---: " if number else " :--- " for number in numeric) + "|")
    lines += ["| " + " | ".join(escape_markdown(c) for c in row) + " |" for row in cells]
    return "\n".join([*lines, "", escape_markdown(table.note), ""])


def escape_markdown(text: str) -> str:
    """Text escaped for Markdown, on one line.

    >>> print(escape_markdown("a|b <i> *c* d_e"))
    a\\|b &lt;i&gt; \\*c\\* d\\_e
    """
    out = " ".join(text.split()).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    for mark in "\\`*_|#~[]":
        if mark in "[]" and "](" not in out and "]:" not in out:
            continue  # brackets alone make no link; intervals stay readable
        out = out.replace(mark, "\\" + mark)
    return out


def to_latex(table: Table, printed: Printed) -> str:
    """A `table*` with booktabs rules; needs \\usepackage{booktabs} and nothing else."""
    heads, cells, numeric = printed
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
    """Text escaped for LaTeX.

    >>> print(escape_latex("50 % of a_b"))
    50 \\% of a\\_b
    """
    return "".join(_LATEX.get(c, c) for c in " ".join(text.split()))
