"""The default output of `lft audit`: the most certain and largest results first."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence

from lft.core.conditions import CONDITION, MODEL_CONDITION
from lft.core.records import Entries
from lft.core.terminal import printable, table, width

Row = Entries
Found = Mapping[str, Sequence[Row]]
_ALPHA = 0.05
_LISTED = 8  # comparisons, and faults
_LEAST_SURE = 3  # cells
_LEAST_MOVE = 0.02  # of a rate over rule and tolerance
# Parameters of the error model; in per cent except the last two.
_FAULTS = {
    "miss": "shown events missed",
    "misadd": "answers that differ from their own list",
    "false": "invented events a clip",
    "jitter_s": "s of jitter in time",
}
_LEAST_FAULT = {"miss": 0.02, "misadd": 0.02, "false": 0.05, "jitter_s": 0.2}  # that matters, as in a verdict
_PERCENT = ("miss", "misadd")
_RATES = {"em": "exact counts", "f1": "trace F1", "acr": "right counts, wrong trace (ACR)"}


def ranked(found: Found, tau: float) -> Iterator[str]:
    """The summary of an audit: lines that fit the terminal, the most certain and largest first in each part."""
    named = _Names([*found["pooled"]])
    if named.same:
        yield from (*_wrapped(named.same), "")
    yield from _comparisons(found, named)
    yield from _rates(found["pooled"], named)
    yield from _findings(found.get("findings", []), named)
    yield from _faults(found["error_model"], named)
    yield from _choices(found.get("sensitivity", []), named)
    yield from _cells(found["cells"], tau, named)
    yield "rest     --all prints every table, --json gives them to programs"


class _Names:
    """Short names of conditions: parts that are equal in all rows are only in `same`."""

    def __init__(self, rows: Sequence[Row]) -> None:
        alike = [axis for axis in MODEL_CONDITION if len({str(row[axis]) for row in rows}) == 1]
        self._axes = [axis for axis in MODEL_CONDITION if axis not in alike] or ["sampling"]
        said = [f"{axis} {printable(rows[0][axis])}" for axis in alike if axis in rows[0]] if rows else []
        self.same = f"everywhere: {', '.join(said)}" if said else ""

    def of(self, row: Row, *, without: Sequence[str] = ()) -> str:
        return " ".join(printable(row[axis]) for axis in self._axes if axis not in without)

    def of_words(self, condition: str) -> str:
        """Of "SAMPLING LABELS PROMPT [RUN]"."""
        words = condition.split(" ")
        if len(words) < 3:
            return printable(condition)
        kept = [w for axis, w in zip(CONDITION, words[:3], strict=True) if axis in self._axes]
        return printable(" ".join(kept or words[:1]))


def _comparisons(found: Found, named: _Names) -> Iterator[str]:
    """Differences in exact counts whose interval excludes 0, by their bound nearest to 0; then the others."""
    rows = [(row, _of_models(row, named)) for row in found["models"]]
    rows += [(row, _of_conditions(row, named)) for row in found["comparisons"]]
    if not rows:
        return
    sure = sorted((one for one in rows if _is_sure(one[0])), key=lambda one: _rank(one[0]))
    how = f"p <= {_ALPHA:g}, Holm"
    yield f"Exact counts, same clips: {len(sure)} of {len(rows)} differences significant ({how})"
    for row, what in sure[:_LISTED]:
        yield from _wrapped(f"  {_difference(row, what)}", "    ")
    if len(sure) > _LISTED:
        yield f"  and {len(sure) - _LISTED} more"
    if rest := [one for one in rows if not _is_sure(one[0])]:
        row, what = max(rest, key=lambda one: abs(float(one[0]["difference"])))
        yield from _wrapped(f"  open: {len(rest)}, of which the largest is {_difference(row, what)}", "    ")
    yield ""


def _is_sure(row: Row) -> bool:
    return float(row["p_holm"]) <= _ALPHA and (row["lower"] > 0 or row["upper"] < 0)


def _rank(row: Row) -> tuple[bool, float]:
    """Sort key: all domains together first, then by the bound nearest to 0."""
    return row["domain"] != "all", -min(abs(float(row["lower"])), abs(float(row["upper"])))


def _of_models(row: Row, named: _Names) -> str:
    condition = named.of(row, without=("model",))
    return f"{condition + ': ' if condition else ''}{printable(row['model'])} against {printable(row['against'])}"


def _of_conditions(row: Row, named: _Names) -> str:
    return f"{named.of(row)} against {named.of_words(str(row['against']))}"


def _difference(row: Row, what: str) -> str:
    span = f"[{100 * row['lower']:+z.0f}, {100 * row['upper']:+z.0f}]"
    where = "" if row["domain"] == "all" else f"{printable(row['domain'])}, "
    return (
        f"{where}{what}: {100 * row['difference']:+z.0f} points {span}, n {row['n']}, p {row['p_holm']:.2g}"
    )


def _rates(rows: Sequence[Row], named: _Names) -> Iterator[str]:
    """Exact counts of each condition over all domains, best first."""
    whole = [row for row in rows if row["domain"] == "all" and row["rate"] == "em"]
    if not whole:
        return
    yield "Exact count, best first, with the 95 % interval and guessing"
    columns: dict[str, Callable[[Row], str]] = {
        "EM %": lambda row: _percent(row["value"]),
        "95 %": lambda row: f"{_percent(row['lower'])}–{_percent(row['upper'])}",
        "ceiling %": lambda row: _percent(row.get("ceiling_correct")),
        "guess %": lambda row: f"{_percent(row.get('em_constant'))}/{_percent(row.get('em_shuffled'))}",
        "n": lambda row: str(row["n"]),
        "clusters": lambda row: str(row["clusters"]),
    }
    if any(row.get("ceiling_correct") is None for row in whole):
        del columns["ceiling %"]
    if any(row["n_missing"] for row in whole):
        columns = {"missing": lambda row: str(row["n_missing"]), **columns}
    rows = sorted(whole, key=lambda row: -float(row["value"]))
    yield table(
        ["condition", *columns], [[named.of(row), *(cell(row) for cell in columns.values())] for row in rows]
    )
    yield ""


def _findings(rows: Sequence[Row], named: _Names) -> Iterator[str]:
    """What `lft score` finds about each condition, in its words."""
    if not rows:
        return
    yield "Findings about each condition, as `lft score` has them"
    for row in rows:
        yield from _wrapped(f"  {named.of(row)}: {row['name']} ({row['sure']}), {row['evidence']}", "    ")
    yield ""


def _faults(rows: Sequence[Row], named: _Names) -> Iterator[str]:
    """Parameters of the error model whose whole interval is above the smallest size that matters."""
    whole = [row for row in rows if row["domain"] == "all" and row["frequency_hz"] is None]
    sure = [row for row in whole if row["lower"] > _LEAST_FAULT.get(str(row["parameter"]), float("inf"))]
    if not whole:
        return
    yield f"Sure parameters of the error model: {len(sure)} of {len(whole)}"
    sure.sort(key=lambda row: -float(row["lower"]) / _LEAST_FAULT[str(row["parameter"])])
    for row in sure[:_LISTED]:
        name = str(row["parameter"])
        value, low, high = (
            f"{100 * row[k]:.0f}" if name in _PERCENT else f"{row[k]:.2f}"
            for k in ("value", "lower", "upper")
        )
        unit = " %" if name in _PERCENT else ""
        yield from _wrapped(f"  {named.of(row)}: {value}{unit} [{low}, {high}] {_FAULTS[name]}", "    ")
    if len(sure) > _LISTED:
        yield f"  and {len(sure) - _LISTED} more"
    if sure:
        yield from _wrapped(
            "  Each report is taken for the event it pairs with in time. Where answers or times do not follow the "
            "events (constant, rate, blind), that finding explains these values; they are no further faults.",
            "  ",
        )
    yield ""


def _choices(rows: Sequence[Row], named: _Names) -> Iterator[str]:
    """The range of each condition's rates over rules and tolerances, largest first."""
    moves = []
    conditions: dict[str, list[Row]] = {}
    for row in rows:
        if row["domain"] == "all":
            conditions.setdefault(named.of(row), []).append(row)
    for name, of_it in conditions.items():
        for rate in _RATES:
            values = [
                float(row[rate]) for row in of_it if row.get(rate) is not None and row[rate] == row[rate]
            ]
            if values and max(values) - min(values) >= _LEAST_MOVE:
                moves.append((max(values) - min(values), name, rate, min(values), max(values)))
    if not conditions:
        return
    if not moves:
        yield "Rule and tolerance: no rate changes by 2 points or more"
    else:
        yield "Rates that depend on rule and tolerance, largest change first"
        for _, name, rate, low, high in sorted(moves, reverse=True)[:_LISTED]:
            yield f"  {name}: {_RATES[rate]} from {_percent(low)} to {_percent(high)} %"
        if len(moves) > _LISTED:
            yield f"  and {len(moves) - _LISTED} more"
    yield ""


def _cells(rows: Sequence[Row], tau: float, named: _Names) -> Iterator[str]:
    """The number of cells that are certainly at or above tau, and the least certain ones."""
    reach = cells_reaching(rows, tau)
    if not reach:
        return
    sure = sum(float(row["p_reaches"]) >= 1 - _ALPHA for row in reach)
    yield f"Cells at or above {tau:g}: {len(reach)}, of which {sure} are certain (95 %); the least certain"
    for row in reach[:_LEAST_SURE]:
        where = f"{printable(row['domain'])} at {row['frequency_hz']:g} Hz, count {row['count']}"
        how = f"{row['correct']} of {row['n']} right, {100 * row['p_reaches']:.0f} % sure"
        yield from _wrapped(f"  {named.of(row)}, {where}: {how}", "    ")
    yield ""


def cells_reaching(rows: Sequence[Row], tau: float) -> list[Row]:
    weak = [row for row in rows if row["count"] and row["accuracy"] >= tau - 1e-9]
    return sorted(weak, key=lambda row: float(row["p_reaches"]))


def _percent(value: float | None) -> str:
    return "-" if value is None or value != value else f"{100 * value:.1f}"


def _wrapped(text: str, indent: str = "") -> list[str]:
    return textwrap.wrap(text, width(), subsequent_indent=indent, break_on_hyphens=False)
