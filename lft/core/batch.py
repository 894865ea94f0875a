"""Asks through batch jobs of the provider: cheaper, answers within a day; a job survives the process.

    batch.json         in the run folder: each job with its display name, its name once created, its trials

A job is written to batch.json before it is created, so that a process that was killed in between finds it by its
display name instead of paying twice; a sweep without --batch does not ask the trials of open jobs (`held_by_jobs`).
API errors while a job is created, polled or fetched are retried as long as patience lasts. Answers are recorded as by
`lft.core.ask`; the next run of the same command asks failed trials again.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from lft.core.admission import LONGEST_PAUSE_S, PATIENCE_S, spoken
from lft.core.cost import PRICED, Prices, billed
from lft.core.errors import InputError
from lft.core.failure_kinds import RETRIED, is_asked_again, kind_of_line, may_apply_now
from lft.core.files import read_json, write_json
from lft.core.records import Entries, Json, JsonObject, Line
from lft.core.requests import ModelError, NotApplicable, Request, Response
from lft.core.run_lines import (
    answered_line,
    done_line,
    failed_line,
    not_applicable_line,
    response_of,
    supplied,
)
from lft.core.runs import NOT_APPLICABLE, Episode, Recorder, Tally
from lft.core.trials import Done, Trial, end_after, next_of, release

STATE = "batch.json"
POLL_S = 30.0
_UNKNOWN_AFTER = 3  # a job is lost if the provider does not know it in so many polls in a row

Told = Callable[[str], None]
Result = Response | ModelError | NotApplicable
T = TypeVar("T")


class _Impatient(Exception):
    """Patience ran out, or the error is permanent: the sweep stops, its jobs stay."""


def ask_batch(
    recorder: Recorder,
    model: Any,
    trials: Iterable[Trial],
    *,
    poll_s: float = POLL_S,
    told: Told = lambda line: None,
    most_bytes: int | None = None,
    patience_s: float | None = None,
    first_pause_s: float = 1.0,
    cancel: bool = False,
    retry: Collection[str] | None = None,
) -> Tally:
    """Asks every trial without an answer through batch jobs, turn by turn; returns the tally.

    Open jobs of an earlier session come first. A stop (Ctrl-C, kill) loses nothing: the jobs continue at the provider.
    With `cancel` the open jobs are cancelled, their answers are kept, and nothing more is asked. `retry` is as in
    `lft.core.ask.Limits`. Raises `InputError` for a model without batch jobs.
    """
    if not hasattr(model, "batch"):
        raise InputError(
            "has no batch jobs", where=f"model {model.name}", expected="gemini:NAME, openai:NAME, or without --batch"
        )  # fmt: skip
    jobs = _Jobs(recorder.folder / STATE)
    patiently = _Patience(PATIENCE_S if patience_s is None else patience_s, first_pause_s, told)
    work = _Work(
        recorder, model, {trial.id: trial for trial in trials}, jobs, told, patiently, most_bytes, retry
    )
    try:
        work.find_unnamed()
        if cancel:
            work.cancel()
        while True:
            work.collect()
            if not jobs.open and (cancel or not work.submit()):
                break
            if jobs.open:
                time.sleep(poll_s)
    except _Impatient as reason:
        work.tally.stopped = str(reason)
        if jobs.open:
            told(f"{len(jobs.open)} jobs continue at the provider; the same command waits for them")
    return work.tally


def held_by_jobs(folder: Path) -> dict[str, str]:
    """trial -> name of the open job that contains it."""
    path = folder / STATE
    held: dict[str, str] = {}
    for job in _Jobs(path).open if path.exists() else ():
        held |= dict.fromkeys(job["trials"], str(job.get("name") or job["display_name"]))
    return held


class _Jobs:
    """The jobs in batch.json."""

    def __init__(self, path: Path) -> None:
        self._path = path
        document = read_json(path) if path.exists() else {"jobs": []}
        jobs = document.get("jobs") if isinstance(document, dict) else None
        if not isinstance(jobs, list) or not all(map(_is_job, jobs)):
            raise InputError(
                "is not a list of jobs", where=path, remedy="removing it, if no batch job is in progress"
            )
        self.all: list[JsonObject] = jobs

    @property
    def open(self) -> list[JsonObject]:
        return [job for job in self.all if not job.get("done")]

    def save(self) -> None:
        write_json(self._path, {"jobs": self.all})


def _is_job(job: Json) -> bool:
    return (
        isinstance(job, dict)
        and isinstance(job.get("trials"), dict)
        and isinstance(job.get("display_name"), str)
    )


class _Patience:
    """Calls the API, with retries while it fails."""

    def __init__(self, patience_s: float, first_pause_s: float, told: Told) -> None:
        self._patience_s, self._first_pause_s, self._told = patience_s, first_pause_s, told

    def __call__(self, call: Callable[[], T], what: str, *, own: bool = False) -> T:
        """The result of `call`; with `own` an error that is not the provider's is raised to the caller."""
        since_s, pause_s = time.monotonic(), self._first_pause_s
        while True:
            try:
                return call()
            except ModelError as error:
                if own and error.kind not in RETRIED and not error.stops:
                    raise
                if error.kind not in RETRIED:
                    raise _Impatient(f"{what}: {error}") from None
                waited_s = time.monotonic() - since_s
                if waited_s > self._patience_s:
                    raise _Impatient(f"{what} failed for {spoken(waited_s)}: {error}") from None
                self._told(f"{what}: {error.kind}, {error}; trying again in {pause_s:.0f} s")
                time.sleep(max(pause_s, min(error.retry_after_s or 0.0, LONGEST_PAUSE_S)))
                pause_s = min(2 * pause_s, LONGEST_PAUSE_S)


class _Work:
    def __init__(
        self,
        recorder: Recorder,
        model: Any,
        trials: Mapping[str, Trial],
        jobs: _Jobs,
        told: Told,
        patiently: _Patience,
        most_bytes: int | None,
        retry: Collection[str] | None,
    ) -> None:
        self._recorder, self._trials, self._jobs, self._told = recorder, trials, jobs, told
        self._batch, self._patiently = model.batch(), patiently
        described = model.describe() if hasattr(model, "describe") else {}
        self._settings = dict(described.get("settings") or {})
        self._most_bytes = most_bytes or self._batch.most_bytes
        self._retry = retry
        self._failed: set[str] = set()  # not asked again in this session
        self._tried: set[str] = set()
        run = recorder.run
        self._turns_of = run.turns_of
        episodes = run.episodes()
        self._faults = {trial: kind_of_line(line) for trial, line in run.faults().items()}
        self.tally = Tally(planned=len(trials))
        self.tally.kept = sum(self._is_settled(trial, episodes) for trial in trials.values())
        entry = run.manifest.get("model") or {}
        self.tally.add_cost(
            billed(run.lines(), entry, Prices.load() if entry.get("provider") in PRICED else None)
        )

    def find_unnamed(self) -> None:
        """Looks up jobs without a name: the process was killed before or after their creation."""
        for job in [job for job in self._jobs.open if not job.get("name")]:
            name = self._found(job)
            if name:
                job["name"] = name
            else:
                self._jobs.all.remove(job)
            self._jobs.save()

    def cancel(self) -> None:
        """Cancels every open job; its answers so far are still fetched."""
        for job in self._jobs.open:
            self._told(f"job {job['name']}: cancelling")
            self._patiently(partial(self._batch.cancel, job["name"]), f"cancelling job {job['name']}")

    def collect(self) -> None:
        """Records the results of every finished job."""
        for job in self._jobs.open:
            name = str(job["name"])
            results = self._patiently(partial(self._batch.results, name), f"looking at job {name}")
            if results is None:
                job.pop("unknown", None)
                continue
            if isinstance(results, str):
                job["unknown"] = job.get("unknown", 0) + 1
                if results == self._batch.UNKNOWN and job["unknown"] < _UNKNOWN_AFTER:
                    continue
                self._lost(job, results)
            else:
                episodes = self._recorder.run.episodes()
                for trial_id, entry in job["trials"].items():
                    found = results.get(_key(trial_id)) or results.get(trial_id)
                    result = found or ModelError("empty", "not in the job's result")
                    self._record(trial_id, entry, episodes.get(trial_id), result)
            job["done"] = True
            self._jobs.save()

    def _lost(self, job: JsonObject, reason: str) -> None:
        """Marks a failed job; the next run asks its trials again."""
        self._told(f"job {job['name']} {reason}; the same command again asks its {len(job['trials'])} trials")
        job["lost"] = reason
        self._failed |= set(job["trials"])
        self.tally.errors["server"] = self.tally.errors.get("server", 0) + 1

    def submit(self) -> bool:
        """Creates jobs for the missing trials; False if there are none."""
        episodes = self._recorder.run.episodes()
        lines: list[bytes] = []
        job: JsonObject = {"trials": {}}
        size, made = 0, False
        for trial in self._trials.values():
            if trial.id in self._failed or self._is_settled(trial, episodes):
                continue
            if not is_asked_again(self._faults.get(trial.id), self._retry):
                continue
            self._tried.add(trial.id)
            found = self._request(trial, episodes.get(trial.id))
            if found is None:
                continue
            line, sent, base = found
            if lines and (size + len(line) > self._most_bytes or len(lines) >= self._batch.most_lines):
                self._make(job, lines)
                lines, job, size, made = [], {"trials": {}}, 0, True
            lines.append(line)
            size += len(line)
            job["trials"][trial.id] = {"turn": base["key"]["turn"], "sent": sent, "base": base}
        if lines:
            self._make(job, lines)
        return made or bool(lines)

    def _request(self, trial: Trial, known: Episode | None) -> tuple[bytes, JsonObject, Line] | None:
        """The next request of a trial: line of the job's file, wire parameters, head of its run line; None without
        one.
        """
        answers = [response_of(line) for line in known.answers] if known else []
        base: Line = {
            "trial": trial.id, "key": {**trial.key, "turn": len(answers)}, "batch": True,
        }  # fmt: skip
        if self._settings:
            base["settings"] = self._settings
        try:
            request = next_of(trial, answers)
            if isinstance(request, Done):
                self._recorder.append({**base, **done_line(request)})
                self.tally.answered += 1
                return None
            base = {**base, **supplied(request)}
            line, sent = self._patiently(
                partial(self._batch.line, _key(trial.id), request), "making a request", own=True
            )
        except (
            ModelError,
            NotApplicable,
        ) as failure:  # of this trial, such as a video that cannot be uploaded
            self._refused(base, trial, answers, failure)
            return None
        finally:
            release(trial)
        return line, sent, base

    def _refused(
        self,
        base: Line,
        trial: Trial | None,
        answers: Sequence[Response],
        failure: ModelError | NotApplicable,
    ) -> None:
        """Records why a request got no answer, and the end of its trial if this ends it."""
        end = end_after(trial, answers, failure) if trial else None
        if isinstance(failure, NotApplicable):
            line: Line = {**base, **not_applicable_line(failure)}
            if end:
                line = {**line, **done_line(end)}
            self.tally.answered += end is not None
            self.tally.not_applicable += end is None and trial is not None
        else:
            line = {**base, **failed_line(failure)}
            self._failed.add(base["trial"])
            self.tally.errors[failure.kind] = self.tally.errors.get(failure.kind, 0) + 1
        self._recorder.append(line)
        self.tally.add_cost(billed([line]))
        if end and isinstance(failure, ModelError):
            self._recorder.append({"trial": base["trial"], "key": base["key"], **done_line(end)})
            self.tally.answered += 1

    def _make(self, job: JsonObject, lines: list[bytes]) -> None:
        digest = hashlib.sha256(b"".join(lines) + str(time.time_ns()).encode()).hexdigest()
        job["display_name"] = f"lft-{digest[:24]}"
        self._jobs.all.append(job)
        self._jobs.save()
        tried = False

        def make() -> str:
            nonlocal tried
            # After an error the job may exist: look for it before the second try.
            name = self._batch.find(job["display_name"]) if tried else None
            tried = True
            return str(name or self._batch.submit(lines, job["display_name"]))

        try:
            job["name"] = self._patiently(make, "making a job")
        except _Impatient:
            if not self._found(job):
                self._jobs.all.remove(job)
                self._jobs.save()
            raise
        self._jobs.save()
        self._told(f"job {job['name']}: {len(lines)} requests")

    def _found(self, job: Entries) -> str | None:
        what = "looking for a job"
        found: str | None = self._patiently(lambda: self._batch.find(job["display_name"]), what)
        return found

    def _record(self, trial_id: str, entry: Entries, known: Episode | None, result: Result) -> None:
        answered = known.answers if known else ()
        if entry["turn"] < len(answered):
            return  # recorded before the process was killed, but the job was not yet marked as done
        trial = self._trials.get(trial_id)
        answers = [response_of(line) for line in answered]
        base: Line | None = entry.get("base") or self._base_of(trial_id, trial, answers)
        if base is None:
            return
        if isinstance(result, Response):
            try:
                line: Line = {**base, **answered_line(result, free=False), "sent": entry["sent"]}
            except ModelError as error:
                result = error
            else:
                last = entry["turn"] + 1 == self._turns_of(base["key"])
                self.tally.answered += last and trial is not None
                self._recorder.append(line)
                self.tally.add_cost(billed([line]))
                return
        self._refused(base, trial, answers, result)

    def _base_of(self, trial_id: str, trial: Trial | None, answers: Sequence[Response]) -> Line | None:
        """The head of a line for jobs of older versions, which did not store it; None for a trial outside the sweep."""
        if trial is None:
            self._told(f"trial {trial_id} has an answer, but this command does not ask it")
            return None
        request = trial.next(tuple(answers))
        base: Line = {"trial": trial_id, "key": {**trial.key, "turn": len(answers)}, "batch": True}
        return {**base, **supplied(request)} if isinstance(request, Request) else base

    def _is_settled(self, trial: Trial, episodes: Mapping[str, Episode]) -> bool:
        known = episodes.get(trial.id)
        if known is None or not known.is_complete:
            return False
        if known.end != NOT_APPLICABLE or trial.id in self._tried:  # once is enough
            return True
        return not may_apply_now(known.last, self._settings, self._retry)


def _key(trial_id: str) -> str:
    """The name of a trial in a job: providers limit its length."""
    return hashlib.sha256(trial_id.encode("utf-8", "surrogatepass")).hexdigest()[:32]
