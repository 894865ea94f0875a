"""One answer compared with the truth: true and reported events, pairs, and the verdict."""

from __future__ import annotations

from collections.abc import Callable

from lft.core.conditions import condition_of
from lft.core.records import JsonObject, Line
from lft.core.runs import ANSWERED, Run
from lft.counting.audit.account import Evidence, standing
from lft.counting.audit.ceiling import proofs_s
from lft.counting.audit.columns import ACCOUNT_COLUMNS, ceilings_of, native_of, supplied_of, unknown_evidence
from lft.counting.audit.condition_clocks import condition_clocks
from lft.counting.match import match
from lft.counting.metrics import window_s
from lft.counting.reader import Reader
from lft.counting.reported import DOUBTS, Reported
from lft.counting.scores import checked_rule, key_row, score_reading
from lft.counting.trace import Trace


def judged(
    run: Run,
    line: Line | None,
    trace_of: Callable[[str], Trace],
    clip_id: str,
    *,
    rule: str = "ledger",
    tolerance: str | float = "rate",
) -> JsonObject:
    """A JSON document: `rule`, `tolerance`, `count`, `true`, `reported`, `doubts`, `reading`, `pairs`, `final_answer`,
    `reason`, `correct`, `cause`, `evident`, `f1`, and the terms of the account (see `lft.counting.audit.account`).

    `line` is the scored response, None if the trial has no answer yet; `correct`, `cause` and `f1` are then
    None. `true` and `reported` are lists in order of time and of the text, each entry with its `fate`: `matched`,
    `missed`, `not supplied`, `unreported` (missed or not supplied, unknown which), `merged` or `displaced`; `paired`,
    `misidentified`, `displaced` or `invented`. `proved_by_s` holds the times of the frames around an event that prove
    it if its exact frame was not supplied, else None. A pair is [reported index, true index, deviation in seconds]. A
    `span` is (start, end) in characters of the answer, `reading` is who read it. `evident` is the number of events
    with evidence in the supplied frames, None if unknown; `evident_unknown` is then the reason, `frames` or
    `visible`. `correct` is that of scores.csv under the same rule and tolerance.
    """
    trace = trace_of(clip_id)
    text = str(line.get("text") or "") if line and line.get("status") == ANSWERED else None
    reader = Reader(run, trace_of)
    reading = reader.read(line, checked_rule(rule)) if line is not None and text is not None else None
    report = reading.report if reading else None
    events = report.events if isinstance(report, Reported) else ()
    window = window_s(tolerance, trace)
    matching = match(trace.times_s, [event.time_s for event in events], window)
    scores: JsonObject = {}
    evidence, clocks, supplied = None, None, None
    if line is not None and reading is not None:
        row = key_row(str(line.get("trial")), line["key"], rule, tolerance, ANSWERED)
        known = native_of(run)
        ceiling_of, supplied = ceilings_of(trace_of, **known), supplied_of(trace_of, **known)(row, line)
        found = ceiling_of(row, line)
        evidence = Evidence.of(found, trace) if found else None
        lines, condition = run.answers().values(), condition_of(row)
        found_clocks = condition_clocks(lines, reader, trace_of, rule, tolerance, ceiling_of, only=condition)
        clocks = found_clocks.get(condition)
        ledger = reading.report if rule == "ledger" else reader.read(line, "ledger").report
        scores = score_reading(
            reading, ledger, trace, tolerance=tolerance, audited=True, evident=evidence, clocks=clocks
        )
        scores |= {"evident": found.count} if found else {"evident_unknown": unknown_evidence(trace)}
    clock = clocks.of(clip_id) if clocks else None
    stood = standing(events, trace, matching, window, evidence, clock, answer=scores.get("final_answer"))
    true, said = stood.fates(len(trace.events), len(events))
    proofs = proofs_s(trace, supplied, stood.evident)
    if text is None:
        true = [""] * len(trace.events)
    return {
        "rule": rule,
        "tolerance": str(tolerance),
        "regular": trace.spec.regular,
        "count": trace.spec.count,
        "true": [
            {
                "time_s": e.time_s,
                "type": e.type,
                "from": e.state_before,
                "to": e.state_after,
                "fate": fate,
                "proved_by_s": proof,
            }
            for e, fate, proof in zip(trace.events, true, proofs, strict=True)
        ],
        "reported": [
            {
                "time_s": e.time_s,
                "end_s": e.end_s,
                "covers": e.covers,
                "label": e.label,
                "span": list(e.span),
                "rule": e.rule,
                "fate": fate,
            }
            for e, fate in zip(events, said, strict=True)
        ],
        "doubts": [
            {"code": d.code, "span": list(d.span), "detail": d.detail, "meaning": DOUBTS.get(d.code, "")}
            for d in (report.doubts if report else ())
        ],
        "reading": reading.by if reading else None,
        "pairs": [list(pair) for pair in matching.pairs],
        "final_answer": scores.get("final_answer"),
        "reason": scores.get("reason"),
        **{
            name: scores.get(name)
            for name in ("correct", "cause", "evident", "evident_unknown", "f1", *ACCOUNT_COLUMNS)
        },
    }
