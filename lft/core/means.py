"""Scores that are means of columns: one row per trial, means by condition with intervals. See `BasicSuite`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Protocol

from lft.core.failure_kinds import kind_of_line, missing_lines
from lft.core.files import write_json, write_text
from lft.core.records import Entries, JsonObject
from lft.core.runs import ANSWERED, MISSING, NOT_APPLICABLE, Episode, Run
from lft.core.scoring import csv_text, not_applicable
from lft.core.stats import Estimate, cluster_bootstrap
from lft.core.stats_clusters import share
from lft.core.suite import Told
from lft.core.terminal import not_applicable_lines, printable, table


class Measured(Protocol):
    """The part of `lft.core.basic_suite.BasicSuite` that is used here."""

    name: str
    axes: tuple[str, ...]
    measures: Mapping[str, str]
    cluster: str

    def row(self, run: Run, trial: str, episode: Episode) -> Entries: ...


_HEAD, _STATE = ("trial",), ("status", "end", "reason", "answers")


def rows_of(suite: Measured, run: Run) -> Iterator[JsonObject]:
    """One row per planned or answered trial: key, `status` (answered, not_applicable, missing), `end`, `reason` (of a
    refusal, or the failure kind), `answers` (their number), and the suite's scores of a complete trial.
    """
    episodes, faults = run.episodes(), run.faults()
    planned = run.trials()
    for trial in dict.fromkeys([*planned, *episodes]):
        one = episodes.get(trial)
        row = {"trial": trial, **(planned.get(trial) or (one.key if one else {}))}
        row |= {"status": one.status if one else MISSING, "answers": len(one.answers) if one else 0}
        if one and one.is_complete:
            row |= {"end": one.end, "reason": one.last.get("reason")} | dict(suite.row(run, trial, one))
        elif trial in faults:
            row["reason"] = kind_of_line(faults[trial])
        yield row


def columns_of(rows: Sequence[Entries]) -> list[str]:
    """The columns of rows: trial and key, state, scores."""
    names = dict.fromkeys(name for row in rows for name in row)
    key = [name for row in rows[:1] for name in row if name not in (*_HEAD, *_STATE)]
    return [*dict.fromkeys([*_HEAD, *key, *_STATE, *names])]


def counts_of(rows: Iterable[Entries]) -> dict[str, int]:
    """n (answered), n_missing, n_not_applicable.

    >>> counts_of([{"status": "answered"}, {"status": "missing"}, {"status": "answered"}])
    {'n': 2, 'n_missing': 1, 'n_not_applicable': 0}
    """
    status = Counter(str(row["status"]) for row in rows)
    names = {"n": ANSWERED, "n_missing": MISSING, "n_not_applicable": NOT_APPLICABLE}
    return {name: status[word] for name, word in names.items()}


def by_condition(suite: Measured, rows: Sequence[Entries]) -> list[JsonObject]:
    """For each model and condition: n (answered), n_missing, n_not_applicable, ends, missing (kinds), measures."""
    groups: dict[tuple[str, ...], list[Entries]] = {}
    for row in rows:
        groups.setdefault(tuple(str(row.get(a, "")) for a in ("model", *suite.axes)), []).append(row)
    found = []
    for condition, members in groups.items():
        answered = [row for row in members if row["status"] == ANSWERED]
        found.append(
            {
                **dict(zip(("model", *suite.axes), condition, strict=True)),
                **counts_of(members),
                "ends": dict(Counter(str(row["end"]) for row in answered if row.get("end")).most_common()),
                "missing": dict(
                    Counter(str(r["reason"]) for r in members if r["status"] == MISSING and r.get("reason"))
                ),
                "measures": {name: _mean(suite, answered, name) for name in suite.measures},
            }
        )
    return found


def scored(suite: Measured, run: Run) -> Told:
    """Writes scores.csv and summary.json of a run, and returns the summary."""
    rows = list(rows_of(suite, run))
    conditions = by_condition(suite, rows)
    body = [table(*summary_table(suite, conditions)), ""]
    how = "trials have no answer; run the same `lft sweep` to ask them again"
    return written(suite, run, rows, {"conditions": conditions}, body, how)


def written(
    suite: Measured, run: Run, rows: Sequence[Entries], found: Entries, body: Sequence[str], how: str
) -> Told:
    """Writes scores.csv (`rows`) and summary.json (`found`), and returns them with the lines of `body`; `how` is the
    warning about missing trials, after "2 of 9 ".
    """
    document = {"run": run.folder.name, "suite": suite.name, **found}
    write_text(run.folder / "scores.csv", csv_text(rows, columns_of(rows)))
    write_json(run.folder / "summary.json", document)
    kinds = Counter(str(row["reason"]) for row in rows if row["status"] == MISSING and row.get("reason"))
    lines = [
        f"{printable(run.folder.name)}, {suite.name}",
        "",
        *body,
        *not_applicable_lines(not_applicable(run.answers().values())),
        *missing_lines(kinds),
        f"scores   {run.folder / 'scores.csv'}",
        f"summary  {run.folder / 'summary.json'}",
        f"next: lft report {run.folder}",
    ]
    missing = counts_of(rows)["n_missing"]
    return Told(document, "\n".join(lines), f"{missing} of {len(rows)} {how}" if missing else None)


def summary_table(suite: Measured, conditions: Sequence[Entries]) -> tuple[list[str], list[list[str]]]:
    """(head, rows): one row per condition, cells with a mean and its 95 % interval."""
    head = ["condition", "n", "missing", "n/a", *suite.measures.values(), "ends"]
    return head, [
        [
            " · ".join(str(one[axis]) for axis in ("model", *suite.axes)),
            *(str(one[name]) for name in ("n", "n_missing", "n_not_applicable")),
            *(_cell(one["measures"][name]) for name in suite.measures),
            ", ".join(f"{how} {k}" for how, k in one["ends"].items()),
        ]
        for one in conditions
    ]


def _mean(suite: Measured, rows: Sequence[Entries], name: str) -> JsonObject | None:
    known = [row for row in rows if row.get(name) is not None]
    values = [float(row[name]) for row in known]
    clusters = [str(row.get(suite.cluster or "trial")) for row in known]
    found: Estimate | None = None
    if values:
        within = all(0 <= value <= 1 for value in values)
        found = share(values, clusters) if within else cluster_bootstrap(values, clusters)
    if found is None:
        return None
    return {"mean": found.value, "lower": found.lower, "upper": found.upper, "n": found.n}


def _cell(found: Entries | None) -> str:
    if found is None:
        return "-"
    return f"{found['mean']:.3g} [{found['lower']:.3g}–{found['upper']:.3g}]"
