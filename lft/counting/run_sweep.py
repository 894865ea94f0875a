"""Conducting a sweep: planned trials in, a run folder out. The command line and the library both come through here."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from lft.core.ask import Limits, ask
from lft.core.errors import InputError, shown
from lft.core.failure_kinds import kind_of_line
from lft.core.models import Model
from lft.core.runs import ANSWERED, MANIFEST, Recorder, Run, Tally
from lft.counting.manifest import manifest_of
from lft.counting.native_rate import SAID
from lft.counting.scores import not_applicable
from lft.counting.sweep import ClipTrial, Sweep


def conduct(
    folder: Path,
    sweep: Sweep,
    model: Model,
    clips: Any,
    planned: Sequence[ClipTrial],
    limits: Limits,
    *,
    model_spec: str = "",
    frontier_tau: float | None = None,
    batch: Callable[[str], None] | None = None,
    poll_s: float = 30.0,
    cancel_batch: bool = False,
    waiting: Callable[[Tally], None] | None = None,
    seen: Callable[[Tally, Any, Mapping[str, Any]], None] | None = None,
    native_rate_hz: float | None = None,
) -> dict[str, Any]:
    """Asks what the run in `folder` does not hold yet, and says what came of it.

    `native_rate_hz` is what the user says of native video: kept in the manifest, for bounds and audit.
    With `batch` the provider's batch jobs are used, looked at every `poll_s`, or cancelled; `batch` is told of each.
    With `frontier_tau` only the trials are asked that the frontiers at that threshold depend on. Returns the counts
    `trials`, `considered`, `kept`, `answered`, `not_applicable`, `missing`, `missing_kinds` (why, of those that were
    asked), and `errors`, `stopped`, `cost_usd` (of the whole run; None where a price is unknown); `mixed`, whether the
    run also holds answers of an earlier version of the adapter; `run_trials` and `run_answered` of the whole run, other
    conditions included; and `reasons`, why trials of this sweep were not applicable -> how many.
    """
    # A prompt that cannot be filled is refused before the run keeps its words: corrected, it would be another prompt.
    for trial in {(trial.condition.prompt, trial.domain): trial for trial in planned}.values():
        trial.rendered("")
    _check_files(clips, {str(trial.key["clip"]) for trial in planned})
    _check_words(folder, [str(trial.key["sampling"]) for trial in planned])
    manifest = manifest_of(folder, sweep, model_spec, model, clips, planned) | {
        "until_frontier": frontier_tau
    }
    if native_rate_hz is not None:  # a run that goes on keeps what was said when it began
        manifest[SAID] = native_rate_hz
    with Recorder(folder, manifest) as recorder:
        queue: Iterable[Any] = planned
        if frontier_tau is not None:
            from lft.counting.adaptive import until_frontier

            queue = until_frontier(recorder.run, planned, frontier_tau)
        from lft.core.batch import ask_batch, held_by_jobs

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
            _check_jobs(folder, held_by_jobs(folder), planned, recorder.run.answers())
            tally = ask(recorder, model, queue, limits, seen=seen, waiting=waiting)
        settled, in_all = recorder.run.answers(), len(recorder.run.trials())
        earlier = recorder.run.manifest.get("adapters_before")
        faults = recorder.run.faults()
    # A sweep that decides as it goes has asked all it wanted, unless it was stopped.
    wanted = tally.planned if frontier_tau is not None and not tally.stopped else len(planned)
    done = tally.kept + tally.answered + tally.not_applicable
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
        "reasons": not_applicable(settled[trial.id] for trial in planned if trial.id in settled),
        "run_trials": in_all,
        "run_answered": sum(line["status"] == ANSWERED for line in settled.values()),
        "mixed": bool(earlier),
        "errors": tally.errors,
        "stopped": tally.stopped,
        "cost_usd": round(tally.cost_usd, 6) if tally.cost_known else None,
    }


def _check_jobs(
    folder: Path, held: Mapping[str, str], planned: Sequence[ClipTrial], answered: Mapping[str, Any]
) -> None:
    """Refuses to ask what a batch job under way is to answer: it would be paid twice."""
    twice = [trial.id for trial in planned if trial.id in held and trial.id not in answered]
    if twice:
        jobs = sorted({held[trial] for trial in twice})
        more = f" and {len(jobs) - 1} more" if len(jobs) > 1 else ""
        raise InputError(
            f"{len(twice)} of these trials are in the batch job {shown(jobs[0])}{more}, which is under way",
            where=folder,
            remedy="the same command with --batch awaits it, with --cancel-batch gives it up",
        )


def _check_words(folder: Path, samplings: Sequence[str]) -> None:
    """Refuses to go on with a run of keyframes in other words than it began with: their hash is of the prompt alone."""
    if not (folder / MANIFEST).exists():
        return
    before = Run.open(folder)
    asked = [*samplings, *(str(key.get("sampling")) for key in before.trials().values())]
    if before.manifest.get("prompts_version", 1) < 2 and any(s.startswith("keyframes") for s in asked):
        raise InputError(
            "what is said about keyframes changed since this run began",
            where=folder,
            remedy="another --run NAME; lft score and lft report still read this one",
        )


def _check_files(clips: Any, used: set[str]) -> None:
    """Refuses clips whose files are not those that the manifest names: the run would claim they were asked about."""
    found = ((clip.clip_id, clip.fault()) for clip in clips if clip.clip_id in used)
    faults = [f"{clip_id}: {fault}" for clip_id, fault in found if fault]
    if faults:
        more = f" and {len(faults) - 1} more" if len(faults) > 1 else ""
        raise InputError(
            f"{faults[0]}{more}",
            where=clips.folder,
            remedy="the files as they were; `lft render` again makes them anew",
        )
