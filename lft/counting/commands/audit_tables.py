"""Every table of `lft audit`, in blocks that fit the terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from lft.core.conditions import CONDITION, MODEL_CONDITION, condition_of
from lft.core.records import JsonObject
from lft.core.terminal import printable, table, width
from lft.counting.commands.audit_words import Found, Row, cells_reaching


def tables(found: Found, tau: float) -> Iterator[str]:
    """Every table, in blocks that fit the terminal."""
    from lft.counting.audit.errormodel import PARAMETERS

    beside = {
        "em": {"ceiling": "ceiling_correct", "constant": "em_constant", "shuffled": "em_shuffled"},
        "recall": {"ceiling": "literal_recall"},
        "f1": {"chance": "chance_f1"},
    }
    yield from _block(
        "Rates with 95 % intervals; for EM also the best constant answer and the same answers shuffled",
        [*MODEL_CONDITION, "domain", "rate"],
        [
            "value",
            "lower",
            "upper",
            "n",
            "clusters",
            "n_missing",
            "ceiling",
            "constant",
            "shuffled",
            "chance",
        ],
        [
            {**row, **{column: row.get(name) for column, name in beside[row["rate"]].items()}}
            for row in found["pooled"]
            if row["rate"] in beside
        ],
    )
    yield from _block(
        "Error model with 95 % intervals: share of shown events missed, inventions per clip, jitter in seconds, "
        "answers that differ from their list",
        [*MODEL_CONDITION, "frequency"],
        [*PARAMETERS, "n_doubted", "n_unlisted", "n_hidden_events"],
        _error_rows(found["error_model"]),
    )
    bases = {str(row["against"]) for row in found["comparisons"]}
    test = ["gained", "lost", "difference", "lower", "upper", "p_holm"]
    yield from _block(
        f"Exact count against {printable(bases.pop()) if len(bases) == 1 else 'the first condition'}, same clips",
        [*MODEL_CONDITION, "run", "domain"],
        ["n", "n_missing", "ceiling_correct", *test],
        found["comparisons"],
    )
    yield from _block(
        "Exact count, models compared on the same clips",
        [*CONDITION, "domain", "model", "against"],
        ["n", "clusters", *test],
        found["models"],
    )
    yield from _block(
        f"Cells at or above {tau:g}, least certain first",
        [*MODEL_CONDITION, "domain", "frequency_hz", "count"],
        ["correct", "n", "n_missing", "lower", "upper", "ceiling_correct", "p_reaches"],
        cells_reaching(found["cells"], tau),
    )
    yield from _block(
        "Sensitivity",
        [*MODEL_CONDITION, "rule", "tolerance"],
        ["n", "n_missing", "em", "em_lower", "em_upper", "ceiling_correct", "precision", "recall", "f1", "chance_f1",
         "acr"],
        [row for row in found.get("sensitivity", []) if row["domain"] == "all"],
    )  # fmt: skip


def _block(title: str, head: Sequence[str], columns: Sequence[str], rows: Sequence[Row]) -> Iterator[str]:
    """A table whose first column names the condition; parts that are equal in all rows are in the title."""
    if not rows:
        return
    there = [name for name in head if name in rows[0]]
    same = [name for name in there if len(rows) > 1 and len({str(row.get(name)) for row in rows}) == 1]
    said = ", ".join(f"{name} {_shown(rows[0][name])}" for name in same)
    yield from textwrap.wrap(f"{title} ({said})" if said else title, width())
    kept = [name for name in there if name not in same] or there[:1]
    yield table(
        [", ".join(kept).replace("_", " "), *(name.replace("_", " ") for name in columns)],
        [
            [" ".join(_shown(row.get(name)) for name in kept), *(_shown(row.get(name)) for name in columns)]
            for row in rows
        ],
    )
    yield ""


def _error_rows(rows: Sequence[Row]) -> list[Row]:
    """All domains together: a line for all frequencies and, for a single condition, one for each frequency."""
    lines: dict[tuple[str, ...], JsonObject] = {}
    whole = [row for row in rows if row["domain"] == "all"]
    several = len({condition_of(row) for row in whole}) > 1
    for row in whole:
        if row["frequency_hz"] is not None and several:
            continue
        at = "all" if row["frequency_hz"] is None else f"{row['frequency_hz']:g} Hz"
        line = lines.setdefault((*condition_of(row), at), {**row, "frequency": at})
        line[row["parameter"]] = f"{row['value']:.3g} ({row['lower']:.3g}–{row['upper']:.3g})"
    return list(lines.values())


def _shown(value: object) -> str:
    if value is None or value != value:
        return "-"
    return f"{value:.3g}" if isinstance(value, float) else printable(value)
