"""Runs a sweep: trials in, a run folder out. Used by the command line and the library."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from lft.core.ask import Limits, Seen, ask
from lft.core.batch import ask_batch, held_by_jobs
from lft.core.errors import InputError, shown
from lft.core.failure_kinds import kind_of_line
from lft.core.manifest import manifest_of
from lft.core.models import Model
from lft.core.records import Entries, JsonObject
from lft.core.runs import ANSWERED, Recorder, Tally
from lft.core.scoring import not_applicable
from lft.core.suite import Study
from lft.core.trials import Trial


def conduct(
    folder: Path,
    suite: str,
    study: Study,
    model: Model,
    planned: Sequence[Trial],
    limits: Limits,
    *,
    model_spec: str = "",
    batch: Callable[[str], None] | None = None,
    poll_s: float = 30.0,
    cancel_batch: bool = False,
    waiting: Callable[[Tally], None] | None = None,
    seen: Seen | None = None,
) -> JsonObject:
    """Asks the missing trials of the run in `folder`, and returns counts.

    With `batch` the provider's batch jobs are used, polled every `poll_s`, or cancelled; `batch` is called with
    messages about them. With an adaptive study only the trials of `Study.queue` are asked. Counts of this sweep:
    `trials`, `considered`, `kept`, `answered`, `not_applicable`, `reasons` (why not applicable), `missing`,
    `missing_kinds`, `errors`, `stopped`. Of the whole run: `run_trials`, `run_answered`, `cost_usd` (None if a price
    is unknown), and `mixed` (whether it has answers of an earlier version of the adapter).
    """
    study.check(folder, planned)
    manifest = manifest_of(
        suite, study.to_json(), model, model_spec, planned, study.manifest(folder, planned)
    )
    with Recorder(folder, manifest) as recorder:
        run = recorder.run
        queue = None if batch is not None else study.queue(run, planned)
        if batch is not None:
            tally = ask_batch(
                recorder,
                model,
                planned,
                told=batch,
                poll_s=poll_s,
                cancel=cancel_batch,
                patience_s=limits.patience_s,
                retry=limits.retry,
            )
        else:
            _check_jobs(folder, held_by_jobs(folder), planned, run.answers())
            tally = ask(
                recorder, model, planned if queue is None else queue, limits, seen=seen, waiting=waiting
            )
        episodes, in_all = run.episodes(), len(run.trials())
        faults = run.faults()
    # An adaptive sweep has asked all that it needs, unless it was stopped.
    wanted = tally.planned if queue is not None and not tally.stopped else len(planned)
    done = tally.kept + tally.answered + tally.not_applicable
    mine = (episodes[trial.id] for trial in planned if trial.id in episodes)
    return {
        "run": str(folder),
        "model": model.name,
        "trials": len(planned),
        "considered": tally.planned,
        "kept": tally.kept,
        "answered": tally.answered,
        "not_applicable": tally.not_applicable,
        "missing": wanted - done,
        "missing_kinds": dict(
            Counter(kind_of_line(faults[trial.id]) for trial in planned if trial.id in faults).most_common()
        ),
        "reasons": not_applicable(one.last for one in mine if one.is_complete),
        "run_trials": in_all,
        "run_answered": sum(one.status == ANSWERED for one in episodes.values()),
        "mixed": bool(run.manifest.get("adapters_before")),
        "errors": tally.errors,
        "stopped": tally.stopped,
        "cost_usd": round(tally.cost_usd, 6) if tally.cost_known else None,
    }


def _check_jobs(folder: Path, held: Mapping[str, str], planned: Sequence[Trial], answered: Entries) -> None:
    """Refuses to ask trials of an open batch job, which would be paid twice."""
    twice = [trial.id for trial in planned if trial.id in held and trial.id not in answered]
    if twice:
        jobs = sorted({held[trial] for trial in twice})
        more = f" and {len(jobs) - 1} more" if len(jobs) > 1 else ""
        raise InputError(
            f"{len(twice)} of these trials are in the open batch job {shown(jobs[0])}{more}",
            where=folder,
            remedy="the same command with --batch to wait for it, or with --cancel-batch to cancel it",
        )
