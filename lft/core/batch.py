"""Asking through a provider's batch jobs: cheaper, within a day, and taken up again by the name of the job.

    batch.json         in the run folder: each job with its display name, its name once it is made, its trials

A job is noted before it is made, so that a process killed in between finds it by its display name instead of
paying twice. Answers are recorded as by `lft.core.ask`; what failed is asked again by the next run of the
same command.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from lft.core.ask import Trial
from lft.core.cost import billed
from lft.core.errors import InputError
from lft.core.files import read_json, write_json
from lft.core.lines import answered_line, failed_line, supplied
from lft.core.requests import ModelError, NotApplicable, Response
from lft.core.runs import ANSWERED, NOT_APPLICABLE, Recorder, Tally

STATE = "batch.json"
_POLL_S = 30.0
_MOST_TRIALS = 10_000  # in one job

Told = Callable[[str], None]


def ask_batch(
    recorder: Recorder,
    model: Any,
    trials: Iterable[Trial],
    *,
    poll_s: float = _POLL_S,
    told: Told = lambda line: None,
    most_bytes: int | None = None,
) -> Tally:
    """Answers every trial that the run does not hold yet through batch jobs, turn by turn; returns the tally.

    Jobs of an earlier session are taken up first. Stopping it (Ctrl-C, kill) loses nothing: the jobs go on at
    the provider. Raises `InputError` for a model without batch jobs.
    """
    if not hasattr(model, "batch"):
        raise InputError(
            "has no batch jobs", where=f"model {model.name}", remedy="gemini:NAME, or without --batch"
        )
    jobs = _Jobs(recorder.folder / STATE)
    work = _Work(recorder, model.batch(), {trial.id: trial for trial in trials}, jobs, told, most_bytes)
    work.find_unnamed()
    while True:
        work.collect()
        if not jobs.open and not work.submit():
            return work.tally
        if jobs.open:
            time.sleep(poll_s)


class _Jobs:
    """The jobs of a run, as batch.json has them."""

    def __init__(self, path: Path) -> None:
        self._path = path
        document = read_json(path) if path.exists() else {"jobs": []}
        if not isinstance(document, dict) or not isinstance(document.get("jobs"), list):
            raise InputError(
                "is not a list of jobs", where=path, remedy="removing it, if no job is under way"
            )
        self.all: list[dict[str, Any]] = document["jobs"]

    @property
    def open(self) -> list[dict[str, Any]]:
        return [job for job in self.all if not job.get("done")]

    def save(self) -> None:
        write_json(self._path, {"jobs": self.all})


class _Work:
    def __init__(
        self,
        recorder: Recorder,
        batch: Any,
        trials: Mapping[str, Trial],
        jobs: _Jobs,
        told: Told,
        most_bytes: int | None,
    ) -> None:
        from lft.core.models.gemini_batch import MOST_BYTES

        self._recorder, self._batch, self._trials, self._jobs, self._told = (
            recorder,
            batch,
            trials,
            jobs,
            told,
        )
        self._most_bytes = most_bytes or MOST_BYTES
        self._failed: set[str] = set()  # not asked again in this session
        settled = recorder.run.turns()
        self.tally = Tally(planned=len(trials))
        self.tally.kept = sum(self._is_settled(trial, settled) for trial in trials.values())
        self._count_cost(recorder.run.lines())

    def find_unnamed(self) -> None:
        """Jobs that were noted but not named: made before a kill, or not at all."""
        for job in [job for job in self._jobs.open if not job.get("name")]:
            name = self._batch.find(job["display_name"])
            if name:
                job["name"] = name
            else:
                self._jobs.all.remove(job)
            self._jobs.save()

    def collect(self) -> None:
        """Records the results of every job that is done."""
        for job in self._jobs.open:
            if set(job["trials"]) - set(self._trials):
                raise InputError(
                    f"job {job['name']} holds trials that this command does not ask for",
                    where=self._recorder.folder,
                    remedy="the command that made the job",
                )
            results = self._batch.results(job["name"])
            if results is None:
                continue
            if isinstance(results, str):
                self._told(f"job {job['name']} {results}")
                self._failed |= set(job["trials"])
                self.tally.errors["server"] = self.tally.errors.get("server", 0) + 1
            else:
                turns = self._recorder.run.turns()
                for trial_id, entry in job["trials"].items():
                    result = results.get(trial_id) or ModelError("empty", "not in the job's result")
                    self._record(self._trials[trial_id], entry, turns.get(trial_id, {}), result)
            job["done"] = True
            self._jobs.save()

    def submit(self) -> bool:
        """Makes jobs for what is still missing; False if there is nothing."""
        turns = self._recorder.run.turns()
        lines: list[bytes] = []
        job: dict[str, Any] = {"trials": {}}
        size, made = 0, False
        for trial in self._trials.values():
            if trial.id in self._failed or self._is_settled(trial, turns):
                continue
            answers = self._answers(trial, turns)
            request = trial.request(answers)
            base = self._base(trial, answers, request)
            try:
                line, sent = self._batch.line(trial.id, request)
            except NotApplicable as reason:
                self._recorder.append({**base, "status": NOT_APPLICABLE, "reason": str(reason)[:500]})
                self.tally.not_applicable += 1
                continue
            if lines and (size + len(line) > self._most_bytes or len(lines) >= _MOST_TRIALS):
                self._make(job, lines)
                lines, job, size, made = [], {"trials": {}}, 0, True
            lines.append(line)
            size += len(line)
            job["trials"][trial.id] = {"turn": len(answers), "sent": sent}
        if lines:
            self._make(job, lines)
        return made or bool(lines)

    def _make(self, job: dict[str, Any], lines: list[bytes]) -> None:
        digest = hashlib.sha256(b"".join(lines) + str(time.time_ns()).encode()).hexdigest()
        job["display_name"] = f"lft-{digest[:24]}"
        self._jobs.all.append(job)
        self._jobs.save()
        job["name"] = self._batch.submit(lines, job["display_name"])
        self._jobs.save()
        self._told(f"job {job['name']}: {len(lines)} requests")

    def _record(
        self,
        trial: Trial,
        entry: Mapping[str, Any],
        turns: Mapping[int, Mapping[str, Any]],
        result: Response | ModelError,
    ) -> None:
        if entry["turn"] in turns:
            return  # recorded before a kill that came between this and the note that the job is done
        answers = tuple(str(turns[k]["text"]) for k in range(entry["turn"]))
        base = self._base(trial, answers, trial.request(answers))
        line: dict[str, Any] = {}
        if isinstance(result, Response):
            try:
                line = {**base, **answered_line(result, free=False), "sent": entry["sent"]}
                self.tally.answered += entry["turn"] == trial.turns - 1
            except ModelError as error:
                result = error
        if isinstance(result, ModelError):
            line = {**base, **failed_line(result)}
            self._failed.add(trial.id)
            self.tally.errors[result.kind] = self.tally.errors.get(result.kind, 0) + 1
        self._recorder.append(line)
        self._count_cost([line])

    def _base(self, trial: Trial, answers: tuple[str, ...], request: Any) -> dict[str, Any]:
        return {
            "trial": trial.id,
            "key": {**trial.key, "turn": len(answers)},
            **supplied(request),
            "batch": True,
        }

    def _count_cost(self, lines: Iterable[Mapping[str, Any]]) -> None:
        for line in billed(lines):
            if line.get("cost_usd") is None:
                self.tally.cost_known = False
            else:
                self.tally.cost_usd += float(line["cost_usd"])

    @staticmethod
    def _answers(trial: Trial, turns: Mapping[str, Mapping[int, Mapping[str, Any]]]) -> tuple[str, ...]:
        known = turns.get(trial.id, {})
        answers: list[str] = []
        while len(answers) in known and known[len(answers)]["status"] == ANSWERED:
            answers.append(str(known[len(answers)]["text"]))
        return tuple(answers)

    @staticmethod
    def _is_settled(trial: Trial, turns: Mapping[str, Mapping[int, Mapping[str, Any]]]) -> bool:
        known = turns.get(trial.id, {})
        return trial.turns - 1 in known or any(line["status"] == NOT_APPLICABLE for line in known.values())
