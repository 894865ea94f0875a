"""The tables of scored runs, as rows of text and as CSV."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from lft.agents.condition import AXES
from lft.agents.scores import MEASURES, by_condition
from lft.core.failure_kinds import missing_lines
from lft.core.files import write_json, write_text
from lft.core.means import Measured, columns_of, rows_of
from lft.core.runs import MISSING, Run
from lft.core.scoring import csv_text, not_applicable
from lft.core.suite import Told
from lft.core.terminal import not_applicable_lines, printable, table


def scored(suite: Measured, run: Run) -> Told:
    """Writes scores.csv and summary.json of a run, and says what is in them."""
    rows = list(rows_of(suite, run))
    conditions = by_condition(rows)
    document = {"run": run.folder.name, "suite": suite.name, "conditions": conditions}
    write_text(run.folder / "scores.csv", csv_text(rows, columns_of(rows)))
    write_json(run.folder / "summary.json", document)
    kinds = Counter(str(r["reason"]) for r in rows if r["status"] == MISSING and r.get("reason"))
    lines = [
        f"{printable(run.folder.name)}, {suite.name}",
        "",
        table(*condition_table(conditions)),
        "",
        *not_applicable_lines(not_applicable(run.answers().values())),
        *missing_lines(kinds),
        f"scores   {run.folder / 'scores.csv'}",
        f"summary  {run.folder / 'summary.json'}",
        f"next: lft report {run.folder}",
    ]
    missing = sum(condition["n_missing"] for condition in conditions)
    how = f"{missing} of {len(rows)} episodes have not ended; the same `lft sweep` goes on with them"
    return Told(document, "\n".join(lines), how if missing else None)


def condition_table(conditions: Sequence[Mapping[str, Any]]) -> tuple[list[str], list[list[str]]]:
    """(head, rows): a condition a row. Axes that all conditions have alike are left out."""
    varied = [axis for axis in AXES if len({one[axis] for one in conditions}) > 1]
    head = ["condition", "n", "missing", "n/a", "environments", *MEASURES.values(), "ends"]
    return head, [
        [
            " · ".join(str(one[axis]) for axis in ("model", *varied)),
            *(str(one[name]) for name in ("n", "n_missing", "n_not_applicable", "environments")),
            *(cell(one["measures"][name], 2 if name == "skill" else 1) for name in MEASURES),
            ", ".join(f"{how} {k}" for how, k in one["ends"].items()),
        ]
        for one in conditions
    ]


def cell(found: Mapping[str, Any] | None, digits: int = 1) -> str:
    """A mean with its interval; `-` without values.

    >>> cell({"mean": 54.44, "lower": 40.0, "upper": 61.25}), cell(None)
    ('54.4 [40.0–61.2]', '-')
    """
    if found is None:
        return "-"
    mean = f"{found['mean']:.{digits}f}"
    return (
        mean
        if found["lower"] is None
        else f"{mean} [{found['lower']:.{digits}f}–{found['upper']:.{digits}f}]"
    )
