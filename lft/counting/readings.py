"""Score files of a run for a rule and tolerance, and whether they are up to date.

scores.csv, summary.json       for the latest rule and tolerance
readings/RULE-TOLERANCE.*      for each rule and tolerance
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from lft.core.errors import InputError
from lft.core.files import link_or_copy, read_json, write_json
from lft.core.records import Entries, JsonObject
from lft.core.runs import Run
from lft.counting.audit.columns import ceilings_of, native_of
from lft.counting.audit.condition_clocks import condition_clocks
from lft.counting.clips import traces_of
from lft.counting.metrics import METRICS_VERSION
from lft.counting.parse import RULES
from lft.counting.reader import Reader
from lft.counting.scores import frame, read_scores, score_run, statuses, write_scores
from lft.counting.settling.settled import FILE, digest
from lft.counting.settling.summary import of_run
from lft.counting.summary import as_the_program_reads, other_rule, summarise
from lft.counting.trace import Trace

Rows = Sequence[Entries]


def read(
    run: Run,
    trace_of: Callable[[str], Trace],
    *,
    rule: str = "ledger",
    tolerance: str = "rate",
    seen: Callable[[], None] = lambda: None,
) -> tuple[Rows, JsonObject, Path]:
    """Scores a run and writes the files: (rows of scores.csv, summary, path of the kept copy without suffix).

    `seen` is called for every trial. Raises `InputError` for a run without trials.
    """
    rows = []
    ceiling_of = ceilings_of(trace_of, **native_of(run))
    reader = Reader(run, trace_of, keeps=True)
    clocks = condition_clocks(run.answers().values(), reader, trace_of, rule, tolerance, ceiling_of)
    scored = score_run(
        run, trace_of, rule=rule, tolerance=tolerance, reader=reader, clocks=clocks, ceiling_of=ceiling_of
    )
    for row in scored:
        rows.append(row)
        seen()
    if not rows:
        raise InputError("has no trials", where=run.folder, expected="a run of `lft sweep`")
    (other,) = (name for name in RULES if name != rule)
    beside = frame(score_run(run, trace_of, rule=other, tolerance=tolerance, audited=False, reader=reader))
    told = {condition: found.document() if found else None for condition, found in clocks.items()}
    conditions = other_rule(summarise(frame(rows), told), beside, other)
    document: JsonObject = {
        "run": run.folder.name,
        "rule": rule,
        "tolerance": tolerance,
        "metrics_version": METRICS_VERSION,
        "conditions": conditions,
    }
    if (run.folder / FILE).exists():
        document["settled"] = of_run(run, reader)
        program = Reader(run, trace_of, with_settled=False)
        unsettled = score_run(run, trace_of, rule=rule, tolerance=tolerance, audited=False, reader=program)
        document["conditions"] = as_the_program_reads(conditions, frame(unsettled))
    width = tolerance if tolerance == "rate" else repr(float(tolerance))  # 0.5 and 0.50 are one reading
    kept = run.folder / "readings" / f"{rule}-{width}"
    write_scores(kept.with_name(f"{kept.name}.csv"), rows)
    write_json(kept.with_name(f"{kept.name}.json"), document)
    link_or_copy(kept.with_name(f"{kept.name}.csv"), run.folder / "scores.csv")
    link_or_copy(kept.with_name(f"{kept.name}.json"), run.folder / "summary.json")
    return rows, document, kept


def bring_up_to_date(run: Run, clips_folder: Path | None = None) -> str | None:
    """Scores a run again, by the same rule and tolerance, if its trials, answers or settled readings have changed, or
    the meaning of scores has (`metrics_version`).

    Returns a sentence about it, or None. The first answer to a trial stands, so scores are up to date if they have the
    right state of every trial and the current settled readings. Raises `InputError` if scoring fails.
    """
    path = run.folder / "scores.csv"
    if not path.is_file():
        return None
    scores = read_scores(path)
    now = statuses(run)
    before = dict(zip(scores["trial"], scores["status"], strict=True))
    summary = run.folder / "summary.json"
    document = read_json(summary) if summary.is_file() else {}
    # A table without a summary was not written by `lft score`: nothing says by which version it was scored.
    version = document.get("metrics_version", 1) if document else METRICS_VERSION
    settled_then = (document.get("settled") or {}).get("sha256")
    settled_since = settled_then != digest(run.folder)
    if before == now and not settled_since and version == METRICS_VERSION:
        return None
    rule, tolerance = document.get("rule"), document.get("tolerance")
    what = "readings were settled" if settled_since else "the meaning of scores changed"
    what = "its trials changed" if before != now else what
    try:
        if rule not in RULES or not isinstance(tolerance, str):
            raise InputError("says no rule and tolerance", where=summary)
        read(run, traces_of(run, clips_folder), rule=rule, tolerance=tolerance)
    except InputError as error:
        raise InputError(
            f"{what} since it was scored, and scoring it again failed ({error})",
            where=run.folder,
            remedy=f"`lft score {run.folder}` first",
        ) from error
    changed = sum(before.get(trial) != status for trial, status in now.items())
    if before == now and not settled_since:
        versions = (
            f"was scored by version {version} of the metrics; scored again by version {METRICS_VERSION}"
        )
        return f"{run.folder}: {versions} ({rule}, {tolerance})"
    if before == now:
        return f"{run.folder}: readings were settled since it was scored; scored again ({rule}, {tolerance})"
    told = "1 trial is" if changed == 1 else f"{changed} trials are"
    return f"{run.folder}: {told} new or answered since it was scored; scored again ({rule}, {tolerance})"
