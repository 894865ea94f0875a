"""Cells and surfaces: scores of trials averaged over the clips of one (F, N), as data frames.

A surface table has one row per model, domain, sampling, labels, prompt, frequency and count. Columns, in
order: `GROUP`, frequency_hz, count, n (answered trials), n_missing (asked, no answer), n_not_applicable,
n_not_asked (no frontier depends on them), correct, n_effective (effective number of independent answers: n unless
clips were asked about several times), accuracy = correct / n, lower, upper (Wilson 95 % on n_effective), then
means over the answered trials of precision, recall, f1, vor, acr, rfr (NaN for count 0) and of further
columns of the scores. NaN means not measured.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from lft.core.conditions import CONDITION
from lft.core.errors import InputError, shown
from lft.core.scoring import unguarded
from lft.core.stats import wilson
from lft.core.video.frames import sampling_order
from lft.counting.frontier import TAU, Frontier, Reaches, frontier, reaches_by_accuracy, reaches_by_count

GROUP = ("model", "domain", *CONDITION)
CELL = ("frequency_hz", "count")
MEANS = ("precision", "recall", "f1", "vor", "acr", "rfr")
_REQUIRED = ("model", "domain", "frequency_hz", "count", "accuracy")
_OPTIONAL = (
    "n",
    "n_missing",
    "n_not_applicable",
    "n_not_asked",
    "correct",
    "n_effective",
    "lower",
    "upper",
    *CONDITION,
    *MEANS,
)


@dataclass(frozen=True)
class Surface:
    """Cells of models, domains and conditions; see above for `table`."""

    table: pd.DataFrame

    @classmethod
    def of_scores(cls, scores: pd.DataFrame, *, more: tuple[str, ...] = ()) -> Surface:
        """Averages a scores table (see `lft.counting.scores`) into cells; `more` names further columns to
        average.
        """
        keys = [*GROUP, *CELL]
        answered = scores["status"] == "answered"
        marked = scores.assign(
            _answered=answered,
            _missing=~answered & ~scores["status"].isin(["not_applicable", "not_asked"]),
            _not_applicable=scores["status"] == "not_applicable",
            _not_asked=scores["status"] == "not_asked",
            _correct=answered & (scores["correct"] == 1),
        )
        grouped = marked.groupby(keys, sort=True, dropna=False)
        sums = ["_answered", "_missing", "_not_applicable", "_not_asked", "_correct"]
        counts = grouped[sums].sum().astype(int)
        counts.columns = pd.Index(["n", "n_missing", "n_not_applicable", "n_not_asked", "correct"])
        columns = [c for c in (*MEANS, *more) if c in scores.columns]
        numbers = marked.loc[answered, keys].join(scores.loc[answered, columns].apply(pd.to_numeric))
        means = numbers.groupby(keys, sort=True, dropna=False)[columns].mean()
        counts["n_effective"] = (
            _effective(scores[answered].reset_index(drop=True)).reindex(counts.index).fillna(0.0)
        )
        table = with_intervals(counts).join(means).reset_index()
        if "ceiling_correct" in table.columns:  # relative to what the supplied frames allow
            table["relative_accuracy"] = table["accuracy"] / table["ceiling_correct"].where(
                table["ceiling_correct"] > 0
            )
        return cls(table)

    @classmethod
    def read_csv(cls, path: Path | str) -> Surface:
        """Reads a surface file: model, domain, frequency_hz, count, accuracy, optionally n, correct and the
        rest.

        Raises `InputError` for a missing column, an unusable number, or a cell given twice.
        """
        return cls(_read(Path(path)))

    def groups(self) -> Iterator[tuple[dict[str, str], pd.DataFrame]]:
        """Yields (model, domain and condition as a dict, its cells) in the table's order."""
        columns = [c for c in GROUP if c in self.table.columns]
        for values, cells in self.table.groupby(columns, sort=False, dropna=False):
            yield (
                {k: "" if v != v else str(v) for k, v in zip(columns, values, strict=True)},
                cells,
            )  # v != v: NaN

    def by_condition(self, tau: float = TAU) -> Iterator[tuple[dict[str, str], pd.DataFrame, Frontier]]:
        """Yields (model, domain and condition as a dict, its cells, its frontiers): models in the table's order,
        conditions by `condition_order`.
        """
        groups = list(self.groups())
        models = list(dict.fromkeys(group["model"] for group, _ in groups))
        for group, cells in sorted(
            groups, key=lambda one: (models.index(one[0]["model"]), *condition_order(one[0]))
        ):
            yield group, cells, frontier(reaching(cells, tau))

    def frontiers(self, tau: float = TAU) -> dict[tuple[str, str], Frontier]:
        """(model, domain) -> frontier. If there are several conditions, the axes that differ are named beside
        the model: `observer [fps:1]`.
        """
        found = list(self.by_condition(tau))
        varying = [a for a in CONDITION if len({group[a] for group, _, _ in found if a in group}) > 1]
        names = [
            f"{group['model']} [{', '.join(group[a] for a in varying)}]" if varying else group["model"]
            for group, _, _ in found
        ]
        return {(name, g["domain"]): reach for name, (g, _, reach) in zip(names, found, strict=True)}


def condition_order(condition: Mapping[str, str]) -> tuple[tuple[int, float, str], bool, str, str]:
    """Sort key of conditions: native, then samplings by their number (fps:2 before fps:10); frames without labels
    before labelled ones.

    >>> sorted(({"sampling": s} for s in ("fps:10", "fps:2", "native")), key=condition_order)
    [{'sampling': 'native'}, {'sampling': 'fps:2'}, {'sampling': 'fps:10'}]
    """
    sampling, labels, prompt = (condition.get(axis, "") for axis in CONDITION)
    return sampling_order(sampling), labels != "none", labels, prompt


def _effective(answered: pd.DataFrame) -> pd.Series[float]:
    """Independent answers that each cell's are worth; see `lft.counting.audit.clusters.effective_sizes`."""
    from lft.counting.audit.clusters import effective_sizes

    worth = pd.Series(1.0, index=answered.index)
    for _, rows in answered.groupby(list(GROUP), sort=False, dropna=False):
        worth.loc[rows.index] = effective_sizes(rows, CELL)
    return worth.groupby([answered[name] for name in (*GROUP, *CELL)], dropna=False).sum()


def with_intervals(counts: pd.DataFrame) -> pd.DataFrame:
    """Adds accuracy, lower and upper to a table with n and correct; NaN where n is 0."""
    n = counts["n"].to_numpy(dtype=float)
    correct = counts["correct"].to_numpy(dtype=float)
    worth = counts["n_effective"].to_numpy(dtype=float) if "n_effective" in counts.columns else n
    accuracy = np.divide(correct, n, out=np.full(len(n), np.nan), where=n > 0)
    low, high = wilson(np.nan_to_num(accuracy) * worth, worth)
    return counts.assign(accuracy=accuracy, lower=low, upper=high)


def with_bounds(cells: pd.DataFrame, axis: str) -> pd.DataFrame:
    """n, n_missing and correct of cells added up for each value of `axis`, with the interval of the pooled answers:
    lower, upper (Wilson 95 %; replicates count for what they are worth).
    """
    names = ["n", "n_missing", "correct", *(["n_effective"] if "n_effective" in cells.columns else [])]
    sums = with_intervals(cells.groupby(axis)[names].sum())
    return sums.drop(columns=["accuracy", *names[3:]])


def reaching(cells: pd.DataFrame, tau: float) -> dict[tuple[float, int], Reaches]:
    """(frequency_hz, count) -> whether the cell reaches tau; by counts where the table has them."""
    found: dict[tuple[float, int], Reaches] = {}
    for row in cells.to_dict("records"):
        n, correct = _number(row.get("n")), _number(row.get("correct"))
        missing = (_number(row.get("n_missing")) or 0) + (_number(row.get("n_not_asked")) or 0)
        if n is not None and correct is not None:
            reaches = reaches_by_count(int(correct), int(n), int(missing), tau)
        else:
            reaches = reaches_by_accuracy(_number(row["accuracy"]), tau)
        found[float(row["frequency_hz"]), int(row["count"])] = reaches
    return found


def _number(value: float | None) -> float | None:
    return None if value is None or pd.isna(value) else float(value)


def _read(path: Path) -> pd.DataFrame:
    expected = f"a CSV with the columns {', '.join(_REQUIRED)} (optionally n, correct)"
    try:
        table = pd.read_csv(path, dtype=str, keep_default_na=False, encoding="utf-8")
    except OSError as error:
        raise InputError(
            f"cannot read: {error.strerror or error}", where=path, expected="a readable file"
        ) from error
    except (ValueError, pd.errors.ParserError) as error:  # not text, empty, ragged
        raise InputError(f"is not a CSV table ({error})", where=path, expected=expected) from error
    table.columns = pd.Index([str(c).strip() for c in table.columns])
    for name in _REQUIRED:
        if name not in table.columns:
            near = [c for c in table.columns if c not in (*_REQUIRED, *_OPTIONAL)]
            also = f" (it has {', '.join(shown(c) for c in near[:4])})" if near else ""
            raise InputError(f"has no column {name}{also}", where=path, expected=expected)
    if table.columns.duplicated().any():
        raise InputError(
            f"has two columns {shown(table.columns[table.columns.duplicated()][0])}",
            where=path,
            expected=expected,
        )
    for name in GROUP:
        if name in table.columns:
            table[name] = table[name].map(unguarded)
    if table.empty:
        raise InputError("has no rows", where=path, expected=expected)
    for name in ("frequency_hz", "count", "accuracy", *_OPTIONAL[:8], *MEANS):
        if name in table.columns:
            table[name] = _numbers(table[name], name, path)
    _check_values(table, path)
    return table


def _numbers(column: pd.Series[str], name: str, path: Path) -> pd.Series[float]:
    numbers = pd.to_numeric(column.str.strip().replace("", None), errors="coerce").astype(float)
    bad = ((numbers.isna() & (column.str.strip() != "")) | np.isinf(numbers)).to_numpy()
    if bad.any():
        row = int(np.argmax(bad))
        raise InputError(
            f"{name} is {shown(column.iloc[row])}", where=f"{path}:{row + 2}", expected="a number"
        )
    return numbers


def _check_values(table: pd.DataFrame, path: Path) -> None:
    def refuse(bad: pd.Series[bool], name: str, expected: str) -> None:
        if bad.any():
            row = int(np.argmax(bad.to_numpy()))
            raise InputError(
                f"{name} is {_plain(table[name].iloc[row])}", where=f"{path}:{row + 2}", expected=expected
            )

    for name in ("model", "domain"):
        refuse(table[name].str.strip() == "", name, "a name")
    refuse(~(table["frequency_hz"] > 0), "frequency_hz", "a frequency in Hz above 0")
    refuse(~(table["count"] >= 0) | (table["count"] % 1 != 0), "count", "a whole number, 0 or more")
    refuse((table["accuracy"] < 0) | (table["accuracy"] > 1), "accuracy", "a fraction from 0 to 1, or empty")
    for name in ("n", "n_missing", "correct"):
        if name in table.columns:
            refuse((table[name] < 0) | (table[name] % 1 != 0), name, "a whole number, 0 or more")
    if "n" in table.columns and "correct" in table.columns:
        refuse(table["correct"] > table["n"], "correct", "at most n")
        share = table["correct"] / table["n"].where(table["n"] > 0)
        refuse((share - table["accuracy"]).abs() > 0.0051, "accuracy", "correct / n")
    keys = [c for c in (*GROUP, *CELL) if c in table.columns]
    twice = table.duplicated(keys)
    if twice.any():
        row = int(np.argmax(twice.to_numpy()))
        cell = ", ".join(f"{k} {_plain(table[k].iloc[row])}" for k in keys)
        raise InputError(f"gives the cell {cell} twice", where=f"{path}:{row + 2}", expected="one row a cell")


def _plain(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) and not math.isnan(value) else shown(value)
