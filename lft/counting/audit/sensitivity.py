"""Sensitivity of scores to the tolerance (rate-relative and fixed) and the extraction rule, on the same answers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial

from lft.core.conditions import MODEL_CONDITION, condition_of
from lft.core.records import Entries, JsonObject, Line
from lft.core.runs import ANSWERED, Run
from lft.counting.audit.chance import active_span_s, chance_f1
from lft.counting.cells import condition_order
from lft.counting.match import match
from lft.counting.metrics import score_matching, window_s
from lft.counting.parse import RULES
from lft.counting.reader import Reader
from lft.counting.reported import Reported, Unparsed
from lft.counting.trace import Trace

TOLERANCES: tuple[str | float, ...] = ("rate", 1.0, 0.5, 0.25)
_RATES = ("vor", "precision", "recall", "f1", "acr", "rfr")

# Trial key, what was read under each rule, trace.
Answer = tuple[Entries, Callable[[str], Reported | Unparsed], Trace]


def answers_of(run: Run, trace_of: Callable[[str], Trace], reader: Reader | None = None) -> Iterator[Answer]:
    """The answered trials of a run, each with a function from the rule to the reading (of `reader`)."""
    reader = reader or Reader(run, trace_of)
    for line in run.answers().values():
        if line.get("status") == ANSWERED:
            yield line["key"], partial(_report, reader, line), trace_of(str(line["key"]["clip"]))


def _report(reader: Reader, line: Line, rule: str) -> Reported | Unparsed:
    return reader.read(line, rule).report


def sensitivity(
    answers: Iterable[Answer],
    *,
    tolerances: Sequence[str | float] = TOLERANCES,
    rules: Sequence[str] = RULES,
) -> list[JsonObject]:
    """One row per model, condition, domain, rule and tolerance, with means as in `lft.counting.summary`.

    EM and n are over all clips, the rest over `n_positive` clips with events. `chance_f1` is that of random
    times over the active span under the same tolerance; `skill_f1` is (mean F1 - mean chance) / (1 - mean
    chance). The column `domain` is `all` for all domains together. Models come in the order in which they
    are met, conditions by `lft.counting.cells.condition_order`.
    """
    sums: dict[tuple[str, ...], _Sums] = {}
    for key, report_by, trace in answers:
        condition, look = condition_of(key), trace.spec.look_id
        known: dict[tuple[object, ...], dict[str, float]] = {}  # both rules often read the same
        for rule in rules:
            times_s, answer = _read(report_by(rule))
            for tolerance in tolerances:
                place = (times_s, answer, tolerance)
                if place not in known:
                    known[place] = _scored(times_s, answer, trace, tolerance)
                for domain in (trace.spec.domain, "all"):
                    group = (*condition, domain, rule, str(tolerance))
                    sums.setdefault(group, _Sums()).add(known[place], look)
    names = (*MODEL_CONDITION, "domain", "rule", "tolerance")
    models = list(dict.fromkeys(group[0] for group in sums))
    rank = {name: k for k, name in enumerate([*rules, *map(str, tolerances)])}

    def order(group: tuple[str, ...]) -> tuple[object, ...]:
        head = dict(zip(names, group, strict=True))
        model, rule, tolerance = (head[name] for name in ("model", "rule", "tolerance"))
        return models.index(model), condition_order(head), head["domain"], rank[rule], rank[tolerance]

    return [dict(zip(names, group, strict=True)) | sums[group].means() for group in sorted(sums, key=order)]


def _read(report: Reported | Unparsed) -> tuple[tuple[float, ...], int | None]:
    return (report.times_s, report.final_answer) if isinstance(report, Reported) else ((), None)


def _scored(
    times_s: tuple[float, ...], answer: int | None, trace: Trace, tolerance: str | float
) -> dict[str, float]:
    """`correct`, and on a clip with events all rates and the chance of the same number of reports."""
    half_s = window_s(tolerance, trace)
    found = score_matching(match(trace.times_s, times_s, half_s), trace.spec.count, len(times_s), answer)
    row = {"correct": float(found.correct)}
    if trace.events:
        row |= {name: float(getattr(found, name)) for name in _RATES}
        span_s = active_span_s(trace.times_s, trace.half_period_s, trace.duration_s)
        row["chance_f1"] = chance_f1(trace.times_s, len(times_s), half_s, span_s)
    return row


class _Sums:
    """Running sums of one group's rows."""

    def __init__(self) -> None:
        self.n = self.n_positive = 0
        self.totals: dict[str, float] = {}
        self.right: list[float] = []
        self.clusters: list[str] = []

    def add(self, row: Mapping[str, float], cluster: str) -> None:
        self.right.append(row["correct"])
        self.clusters.append(cluster)
        self.n += 1
        self.n_positive += "f1" in row
        for name, value in row.items():
            self.totals[name] = self.totals.get(name, 0.0) + value

    def means(self) -> JsonObject:
        from lft.core.stats_clusters import share

        found = share(self.right, self.clusters)
        rates = {
            name: self.totals[name] / self.n_positive if self.n_positive else None
            for name in (*_RATES, "chance_f1")
            if self.n_positive or name in _RATES
        }
        f1, chance = rates.get("f1"), rates.get("chance_f1")
        skill = None if f1 is None or chance is None or chance >= 1 else (f1 - chance) / (1 - chance)
        em = {
            "n": self.n,
            "em": found.value if found else None,
            "em_lower": found.lower if found else None,
            "em_upper": found.upper if found else None,
        }
        return {**em, "n_positive": self.n_positive, **rates, "skill_f1": skill}
