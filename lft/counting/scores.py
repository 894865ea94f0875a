"""scores.csv: one row per planned or answered trial, scored with its trace.

Scoring is a pure function of (key, response text, trace): everything can be recomputed from a run
folder, under another rule or tolerance, without calls to a model. A trial without an answer has a row with
status `missing` (or `not_applicable`) and empty scores; it is never scored as wrong. For a multi-turn trial
the last turn counts.
"""

from __future__ import annotations

import io
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from lft.core.conditions import MODEL_CONDITION, ModelCondition, condition_of
from lft.core.errors import InputError, shown, unknown_name
from lft.core.failure_kinds import kind_of_line
from lft.core.files import write_text
from lft.core.records import Entries, JsonObject, Key, Line
from lft.core.runs import ANSWERED, MISSING, NOT_APPLICABLE, Run
from lft.core.scoring import csv_text, unguarded
from lft.counting.audit import columns as audit
from lft.counting.audit.account import Evidence
from lft.counting.audit.clock import Clocks
from lft.counting.audit.condition_clocks import clock_columns, condition_clocks
from lft.counting.domains import DOMAINS
from lft.counting.match import Matching, match
from lft.counting.metrics import score_matching, tolerance_s, window_s
from lft.counting.parse import RULES, parse
from lft.counting.reader import Reader, Reading, context_of
from lft.counting.reported import Context, Reported, Unparsed
from lft.counting.spec import parse_clip_id, shared_look_id
from lft.counting.trace import Trace

if TYPE_CHECKING:
    import pandas as pd


NOT_ASKED = "not_asked"
KEY_COLUMNS = (
    "trial", "clip", "domain", "count", "frequency_hz", "seed",
    *MODEL_CONDITION, "replicate",
    "rule", "tolerance_s", "status",
)  # fmt: skip
SCORE_COLUMNS = (
    "final_answer", "reason", "correct", "reported", "matched",
    "precision", "recall", "f1", "vor", "acr", "rfr", "false_alarm", "exact_ledger",
)  # fmt: skip
# Columns of the clip that are missing in scores of earlier versions: its look (a cluster) and its schedule.
CLIP_COLUMNS = ("look", "schedule")
# Doubts of the reading (codes of `lft.counting.reported.DOUBTS`, separated by `;`, by the rule of the row), and who
# made
# it: program, person, model, or given at import.
READING_COLUMNS = ("doubts", "reading")
COLUMNS = KEY_COLUMNS + SCORE_COLUMNS + READING_COLUMNS + audit.COLUMNS + CLIP_COLUMNS
# Columns that need event times.
_TIMED = ("matched", "precision", "recall", "f1", "acr", "rfr", "exact_ledger")
_TEXT = (
    "trial",
    "clip",
    "domain",
    *MODEL_CONDITION,
    "rule",
    "status",
    *CLIP_COLUMNS,
    "reason",
    *READING_COLUMNS,
    "cause",
    "evident_unknown",
    "missed_by_frames",
)


def key_row(trial: str, key: Key, rule: str, tolerance: str | float, status: str) -> JsonObject:
    """The columns that identify the trial. The clip id gives domain, N, F and seed."""
    clip = str(key.get("clip"))
    domain, count, frequency_hz, seed = parse_clip_id(clip)
    return {
        "trial": trial,
        "clip": clip,
        "domain": domain,
        "count": count,
        "frequency_hz": frequency_hz,
        "seed": seed,
        **dict(zip(MODEL_CONDITION, condition_of(key), strict=True)),
        "replicate": int(key.get("replicate", 0)),
        "rule": rule,
        # Empty: each event of an imported video has its own, in the trace.
        "tolerance_s": tolerance_s(tolerance, frequency_hz)
        if domain in DOMAINS or tolerance != "rate"
        else None,
        "status": status,
    }


def score_row(report: Reported | Unparsed, matching: Matching, count: int) -> JsonObject:
    """The score columns of an answered trial.

    `exact_ledger`: every event is reported, each within the tolerance, and no other.
    """
    scores = vars(score_matching(matching, count, _length(report), _answer(report)))
    return {
        **{name: value for name, value in scores.items() if name != "count"},
        "reason": report.reason,
        "exact_ledger": scores["matched"] == scores["reported"] == count,
    }


def score_text(
    text: str,
    trace: Trace,
    *,
    rule: str = "ledger",
    tolerance: str | float = "rate",
    audited: bool = False,
    evident: int | Evidence | None = None,
    context: Context | None = None,
) -> JsonObject:
    """Parses one response under a rule and scores it, see `score_reading`. `context`: default from the clip alone."""
    known = context or context_of(trace)
    report = parse(text, checked_rule(rule), known)
    needed = (audited or evident is not None) and rule != "ledger"
    ledger = parse(text, "ledger", known) if needed else report
    return score_reading(
        Reading(report), ledger, trace, tolerance=tolerance, audited=audited, evident=evident
    )


def score_reading(
    reading: Reading,
    ledger: Reported | Unparsed,
    trace: Trace,
    *,
    tolerance: str | float = "rate",
    audited: bool = False,
    evident: int | Evidence | None = None,
    clocks: Clocks | None = None,
) -> JsonObject:
    """Scores the reading of one response; if `audited`, or with `evident` (evidence in the supplied frames, or the
    number of events with evidence; None if the frames are unknown), also audits it.

    `ledger` is the reading under the ledger rule, for the cause; it may be that of `reading` itself.
    `clocks` are those of the condition, see `lft.counting.audit.clock`; None leaves the times unchanged.
    """
    if isinstance(evident, int):
        hidden = trace.spec.count - evident
        evident = Evidence((True,) * evident + (False,) * hidden, math.inf)
    width_s = window_s(tolerance, trace)
    report = reading.report
    matching = match(trace.times_s, report.times_s if isinstance(report, Reported) else (), width_s)
    row = score_row(report, matching, trace.spec.count)
    row |= {"doubts": doubts_of(report), "reading": reading.by}
    if not trace.spec.timed:
        row |= dict.fromkeys(_TIMED)
    if audited or evident is not None:
        clock = clocks.of(trace.clip_id) if clocks else None
        row |= audit.audit_row(report, ledger, trace, matching, width_s, evident, clock)
        if clocks:
            row |= clock_columns(report, trace, width_s, clocks, evident)
    return row


def doubts_of(report: Reported | Unparsed) -> str:
    """The distinct doubt codes of a reading, in order of the text, separated by `;`.

    >>> from lft.counting.reported import Doubt
    >>> doubts_of(Unparsed("no event", (Doubt("cut-off"), Doubt("frames-unknown"), Doubt("cut-off"))))
    'cut-off;frames-unknown'
    """
    return ";".join(dict.fromkeys(doubt.code for doubt in report.doubts))


def score_run(
    run: Run,
    trace_of: Callable[[str], Trace],
    *,
    rule: str = "ledger",
    tolerance: str | float = "rate",
    audited: bool = True,
    reader: Reader | None = None,
    clocks: Mapping[ModelCondition, Clocks | None] | None = None,
    ceiling_of: audit.CeilingOf | None = None,
) -> Iterator[JsonObject]:
    """Yields one row for each planned or answered trial.

    `trace_of` returns the trace of a clip id. Without `audited` the columns of the audit stay empty. `reader`
    (by default with settled readings), `clocks` (of the run's conditions) and `ceiling_of` (as of
    `ceilings_of`) are computed by default.
    """
    checked_rule(rule)
    reader = reader or Reader(run, trace_of, keeps=audited and clocks is None)
    answers = run.answers()
    planned = run.trials()
    faults = {trial: kind_of_line(line) for trial, line in run.faults().items()}
    bounds = audit.RunBounds(run, trace_of, ceiling_of)
    if clocks is None:
        lines = answers.values() if audited else ()
        clocks = condition_clocks(lines, reader, trace_of, rule, tolerance, bounds.ceiling_of)
    for trial, status in _statuses(run, answers, planned).items():
        line = answers.get(trial)
        row = key_row(
            trial,
            line["key"] if line else planned[trial],
            rule,
            tolerance,
            status,
        )
        spec = trace_of(row["clip"]).spec
        row |= {"look": spec.look_id, "schedule": spec.schedule}
        if status == MISSING:
            row["reason"] = faults.get(trial)
        if audited:
            row |= bounds.columns(row, line)
        if line and row["status"] == ANSWERED:
            reading = reader.read(line, rule)
            needed = audited and rule != "ledger"
            row |= score_reading(
                reading,
                reader.read(line, "ledger").report if needed else reading.report,
                trace_of(row["clip"]),
                tolerance=tolerance,
                audited=audited,
                evident=bounds.evidence(row, line) if audited else None,
                clocks=clocks.get(condition_of(row)),
            )
        yield row
    bounds.save()


def statuses(run: Run) -> dict[str, str]:
    """trial -> its status in scores.csv, in order."""
    return _statuses(run, run.answers(), run.trials())


def _statuses(run: Run, answers: Entries, planned: Entries) -> dict[str, str]:
    unasked = _not_asked(run)
    trials = [*planned, *(trial for trial in answers if trial not in planned)]
    return {trial: NOT_ASKED if trial in unasked else _status(answers.get(trial)) for trial in trials}


def checked_rule(rule: str) -> str:
    """`rule`, checked to be an extraction rule; raises `InputError` otherwise."""
    if rule not in RULES:
        raise unknown_name("rule", rule, RULES)
    return rule


def write_scores(path: Path, rows: Iterable[Entries], columns: tuple[str, ...] = COLUMNS) -> None:
    """Writes scores.csv atomically."""
    write_text(path, csv_text(rows, columns))


def frame(rows: Iterable[Entries]) -> pd.DataFrame:
    """Rows as a data frame, with the same values as after reading scores.csv."""
    return _read_csv(io.StringIO(csv_text(rows, COLUMNS)))


def read_scores(path: Path) -> pd.DataFrame:
    """Reads scores.csv; raises `InputError` if it is not one."""
    try:
        return _read_csv(path)
    except OSError as error:
        raise InputError(
            f"cannot read: {error.strerror or error}", where=path, remedy="`lft score RUN`"
        ) from error
    except (ValueError, KeyError) as error:
        raise InputError(f"is not a scores table ({error})", where=path, remedy="`lft score RUN`") from error


def _read_csv(source: Path | io.StringIO) -> pd.DataFrame:
    import numpy as np
    import pandas as pd

    table = pd.read_csv(source, dtype=dict.fromkeys(_TEXT, str), keep_default_na=False, na_values=[""])
    for name in table.columns.intersection(list(_TEXT)):
        texts = [unguarded(text) if isinstance(text, str) else text for text in table[name]]
        table[name] = pd.Series(
            texts, index=table.index, dtype=table[name].dtype
        )  # text even where all are empty
    lacking = [c for c in KEY_COLUMNS + SCORE_COLUMNS if c not in table.columns]
    if lacking:
        raise ValueError(f"no column {lacking[0]}")
    if (
        "ceiling_recall" in table.columns
    ):  # scored before there were two bounds: the ceiling was the literal one
        table = table.rename(
            columns={"ceiling_recall": "literal_recall", "ceiling_correct": "literal_correct"}
        )
        table = table.assign(ideal_answer=np.nan, ceiling_correct=np.nan)
    if not set(CLIP_COLUMNS) & set(table.columns):  # scored before looks could be drawn by clip
        looks = [shared_look_id(*of) for of in zip(table["domain"], table["seed"], strict=True)]
        rendered = table["domain"].isin(list(DOMAINS))
        table["look"] = np.where(rendered, looks, table["clip"])
        table["schedule"] = np.where(rendered, "regular", "natural")
    for name in (column for column in COLUMNS if column in table.columns and column not in _TEXT):
        kind = table[name].dtype
        if len(table) and (
            not pd.api.types.is_numeric_dtype(kind) or np.isinf(table[name].astype(float)).any()
        ):
            raise ValueError(f"{name} is not a number in every row")
    return table


def _not_asked(run: Run) -> set[str]:
    """Trials that `--until-frontier` left out because no frontier depends on them."""
    tau = run.manifest.get("until_frontier")
    if tau is None:
        return set()
    if not isinstance(tau, int | float) or not 0 <= tau <= 1:
        raise InputError(f"until_frontier is {shown(tau)}", where=run.folder, expected="a share from 0 to 1")
    from lft.counting.adaptive import not_needed

    return not_needed(run, float(tau))


def _length(report: Reported | Unparsed) -> int:
    return len(report.events) if isinstance(report, Reported) else 0


def _answer(report: Reported | Unparsed) -> int | None:
    return report.final_answer if isinstance(report, Reported) else None


def _status(line: Line | None) -> str:
    if line is None:
        return MISSING
    status = str(line.get("status"))
    return status if status in (ANSWERED, NOT_APPLICABLE) else MISSING
