"""Asks a model the trials of a run: bounded concurrency, retries, outages, a budget.

Only the calling thread writes answers. Worker threads get the next request of a trial, call the model and return a
line; a request that follows an answer is made when that answer is on disk. A failed attempt is recorded too, and
retried with growing pauses, never sooner than the provider asks. No trial is given up while the provider is down
(`lft.core.admission`). A failure caused by a trial itself (a cut-off answer, a rejected picture) ends only that trial;
the sweep stops when many in a row fail for the same reason. A rate limit lowers the concurrency, each success raises
it. Workers are daemon threads: a hanging call cannot block an interrupted sweep. One trial beyond the concurrency is
prepared (its frames decoded and encoded) while calls are in flight.
"""

from __future__ import annotations

import queue
import random
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, replace

from lft.core.admission import LONGEST_PAUSE_S, LONGEST_RETRY_AFTER_S, Throttle, Weather
from lft.core.cost import PRICED, Prices, Purse, Spent, billed, dearest_call_usd
from lft.core.errors import InputError
from lft.core.failure_kinds import KINDS, RETRIED, is_asked_again, kind_of_line, may_apply_now
from lft.core.models import Model
from lft.core.records import JsonObject, Line
from lft.core.requests import ModelError, NotApplicable, Request, Response, schema_refused
from lft.core.run_lines import (
    answered_line,
    done_line,
    failed_line,
    not_applicable_line,
    response_of,
    supplied,
)
from lft.core.runs import ANSWERED, DONE, ERROR, NOT_APPLICABLE, Episode, Recorder, Tally
from lft.core.trials import Done, Trial, end_after, next_of, release

_LIGHT = 4  # so many rate limits or overload replies count as one attempt
_MANY_ALIKE = 20  # trials in a row that failed for the same kind of reason
_AHEAD = 1  # trials that are prepared while they wait for admission
_LAST_CALLS_S = 30.0  # how long an interrupted sweep waits for calls in flight


@dataclass(frozen=True)
class Limits:
    """Limits on the calls of a sweep.

    Attributes
    ----------
    concurrency : calls in flight at most.
    per_minute : most calls started per minute; None for no limit.
    max_cost_usd : budget of the run, over all its sessions; None for no limit.
    attempts : tries per call, while the provider answers others, before it is left missing; see `_LIGHT`.
    first_pause_s : pause after the first failure; doubles each time, with jitter.
    patience_s : how long the provider may be down before the sweep stops; None for the default of `lft.core.admission`.
    retry : kinds of failed trials to ask again; None for all but `not-applicable`.
    """

    concurrency: int = 4
    per_minute: float | None = None
    max_cost_usd: float | None = None
    attempts: int = 5
    first_pause_s: float = 1.0
    patience_s: float | None = None
    retry: Collection[str] | None = None

    def __post_init__(self) -> None:
        if self.concurrency < 1:
            raise InputError(f"concurrency is {self.concurrency}", expected="a whole number from 1 on")


Seen = Callable[[Tally, Trial, Line], None]


def ask(
    recorder: Recorder,
    model: Model,
    trials: Iterable[Trial],
    limits: Limits,
    *,
    seen: Seen | None = None,
    waiting: Callable[[Tally], None] | None = None,
) -> Tally:
    """Asks every trial without an answer, in order, and records each line as it comes; returns the tally of this call.

    `trials` may be a generator that decides from the answers what to ask next. `seen` is called with every line,
    `waiting` regularly while the provider is down. `KeyboardInterrupt` waits up to half a minute for calls in flight,
    records them, and is raised again.
    """
    run, before = recorder.run, Spent()
    turns_of = run.turns_of
    described = run.manifest.get("model") or {}
    prices = Prices.load() if described.get("provider") in PRICED else None
    earlier = list(billed(run.lines(), described, prices))
    for paid in earlier:
        before.add(paid)
    tally = Tally(cost_usd=before.usd, cost_known=not before.unpriced)
    lost_usd = 0.0
    if prices and limits.max_cost_usd is not None and (lost := run.lost()):
        lost_usd = len(lost) * (dearest_call_usd(run.lines(), described, prices) or 0.0)
    purse = Purse(limits.max_cost_usd, tally, lost_usd)
    purse.remember(earlier)
    crew = _Crew(recorder, model, limits)
    todo = _Todo(iter(trials), crew, limits, tally)
    next_one: Trial | None = None
    alike = _Alike()

    def record(trial: Trial, line: Line) -> None:
        recorder.append(line)
        _count(tally, line, turns_of(trial.key))
        purse.paid(trial, line)
        error = line.get("error")
        if line["status"] == ERROR and error and error.get("stops"):
            tally.stopped = error["message"]
        if line["status"] == ANSWERED:
            if not _is_last(line, turns_of(trial.key)) and not purse.allows_another_like(line):
                crew.stop.set()
            crew.recorded(trial)
        if seen:
            seen(tally, trial, line)

    try:
        while True:
            while crew.has_room and not tally.stopped:
                if next_one is None:
                    next_one = todo.next()
                if next_one is None or not purse.allows(next_one):
                    break
                purse.begin(next_one)
                crew.start(next_one)
                next_one = None
            if not crew.flying:
                break  # nothing left, or nothing more allowed
            for trial, line in crew.arrived():
                if line is not None:
                    record(trial, line)
                    continue
                purse.end(trial)
                if not todo.put_back(trial):
                    tally.stopped = tally.stopped or alike.after(crew.last_line(trial))
            tally.waiting = crew.weather.waiting
            tally.stopped = tally.stopped or crew.weather.worn_out
            if tally.waiting and waiting:
                waiting(tally)
            if tally.stopped:
                crew.stop.set()
    except BaseException:
        crew.stop.set()
        until_s = time.monotonic() + _LAST_CALLS_S
        while crew.flying and time.monotonic() < until_s:
            for trial, line in crew.arrived():
                if line is not None:
                    record(trial, line)
        raise
    finally:
        crew.dismiss()
    tally.waiting = None
    return tally


class _Todo:
    """The trials in order, then those that were put back while the provider was silent."""

    def __init__(self, source: Iterator[Trial], crew: _Crew, limits: Limits, tally: Tally) -> None:
        self._source, self._crew, self._tally = source, crew, tally
        self._retry = limits.retry
        self._later: deque[Trial] = deque()
        self._exhausted = False  # only trials that were put back are left
        self._times: Counter[str] = Counter()
        self._replies: dict[str, int] = {}  # replies at the time when a trial was first put back

    def next(self) -> Trial | None:
        """The next trial that is not settled yet, or None."""
        for trial in self._source:
            self._tally.planned += 1
            known = self._crew.episodes.get(trial.id)
            is_over = known is not None and known.is_complete
            refused = known.last if known and known.end == NOT_APPLICABLE else None
            if refused and may_apply_now(refused, self._crew.settings, self._retry):
                return trial
            if is_over:
                self._tally.kept += 1
            elif is_asked_again(self._crew.faults.get(trial.id), self._retry):
                return trial
        self._exhausted = True
        return self._later.popleft() if self._later else None

    def put_back(self, trial: Trial) -> bool:
        """Puts a trial without a reply back to be asked later, as the provider may be down; False if it is given up.

        It is given up if the provider has replied to others since, or if it was put back before and still gets only
        status 500 while no other trial is left to compare with.
        """
        crew = self._crew
        if trial.id not in crew.silent or self._tally.stopped:
            return False
        self._times[trial.id] += 1
        alone = not crew.flying and not self._later
        is_down = crew.silent.pop(trial.id)
        was_heard = crew.weather.replies > self._replies.setdefault(trial.id, crew.weather.replies)
        refused = self._exhausted and self._times[trial.id] > 1 and crew.weather.refuses_these_alone
        if refused or (self._times[trial.id] > 1 and (was_heard or (alone and not is_down))):
            return False
        self._later.append(trial)
        return True


class _Alike:
    """Counts trials in a row that failed for the same kind of reason."""

    def __init__(self) -> None:
        self._kind, self._count = "", 0

    def after(self, line: Line | None) -> str | None:
        """Counts the last line of a trial; returns the reason if the sweep stops."""
        if line is None:
            return None
        if line["status"] in (ANSWERED, DONE):
            self._kind, self._count = "", 0
        error = line.get("error")
        if line.get("status") != ERROR or error is None:
            return None
        kind = str(error["kind"])
        self._count = self._count + 1 if kind == self._kind else 1
        self._kind = kind
        if self._count < _MANY_ALIKE:
            return None
        remedy = KINDS[kind].remedy if kind in KINDS else ""
        more = f"; try {remedy}" if remedy else ""
        return f"{self._count} trials in a row failed for the same reason: {kind}, {error['message']}{more}"


class _Crew:
    """Worker threads. `arrived` yields (trial, line), and (trial, None) when a trial is finished.

    `silent`: trials without a reply -> whether the provider said that it is down.
    """

    def __init__(self, recorder: Recorder, model: Model, limits: Limits) -> None:
        self._recorder, self._model, self._limits = recorder, model, limits
        run = recorder.run
        self.episodes: dict[str, Episode] = run.episodes()
        self.faults = {trial: kind_of_line(line) for trial, line in run.faults().items()}
        self._turns_of = run.turns_of
        self._answered: dict[str, list[Response]] = {}  # of trials in progress
        described = model.describe() if hasattr(model, "describe") else {}
        self.settings: JsonObject = dict(described.get("settings") or {})
        self._free = bool(getattr(model, "is_free", False))
        self._prepare: Callable[[Request], None] | None = getattr(model, "prepare", None)
        self._throttle = Throttle(limits.concurrency, limits.per_minute)
        self.weather = Weather(limits.patience_s, limits.first_pause_s, has_answered=bool(self.episodes))
        self._orders: queue.SimpleQueue[Trial | None] = queue.SimpleQueue()
        self._inbox: queue.SimpleQueue[tuple[Trial, Line | None, BaseException | None]] = queue.SimpleQueue()
        self._workers = 0
        self._last: dict[str, Line] = {}
        self._on_disk: dict[
            str, threading.Event
        ] = {}  # trials in flight: set when their last answer is on disk
        self.silent: dict[str, bool] = {}
        self.flying = 0
        self.stop = threading.Event()
        self._dismissed = False

    @property
    def has_room(self) -> bool:
        return self.flying < self._limits.concurrency + (_AHEAD if self._prepare else 0)

    def start(self, trial: Trial) -> None:
        self.flying += 1
        if self._workers < self.flying:
            self._workers += 1
            threading.Thread(target=self._work, name=f"ask-{self._workers}", daemon=True).start()
        self._orders.put(trial)

    def arrived(self) -> Iterator[tuple[Trial, Line | None]]:
        """Lines that have arrived, waiting briefly for the first; raises the exception of a worker."""
        timeout_s = 0.2
        while True:
            try:
                trial, line, error = (
                    self._inbox.get(timeout=timeout_s) if timeout_s else self._inbox.get_nowait()
                )
            except queue.Empty:
                return
            timeout_s = 0.0
            if line is None:
                self.flying -= 1
            if error is not None:
                raise error
            yield trial, line

    def last_line(self, trial: Trial) -> Line | None:
        """The last line of a finished trial, if any."""
        return self._last.pop(trial.id, None)

    def dismiss(self) -> None:
        self._dismissed = True
        self.stop.set()
        for _ in range(self._workers):
            self._orders.put(None)

    def recorded(self, trial: Trial) -> None:
        """The last answer of a trial is on disk."""
        if waiting := self._on_disk.get(trial.id):
            waiting.set()

    def _work(self) -> None:
        while (trial := self._orders.get()) is not None:
            try:
                for line in self._lines(trial):
                    self._last[trial.id] = line
                    self._inbox.put((trial, line, None))
            except BaseException as error:
                self._inbox.put((trial, None, error))
            else:
                self._inbox.put((trial, None, None))

    def _lines(self, trial: Trial) -> Iterator[Line]:
        """The lines of the missing turns and of the end; stops at the first turn without an answer."""
        try:
            yield from self._played(trial)
        finally:
            release(trial)
            self._on_disk.pop(trial.id, None)
            if trial.id not in self.silent:  # otherwise this session resumes it
                self._answered.pop(trial.id, None)

    def _played(self, trial: Trial) -> Iterator[Line]:
        known = self.episodes.get(trial.id)
        answers = self._answered.setdefault(
            trial.id, [response_of(line) for line in known.answers] if known else []
        )
        turns = self._turns_of(trial.key)
        while len(answers) != turns:
            head: Line = {"trial": trial.id, "key": {**trial.key, "turn": len(answers)}}
            if self.settings:
                head["settings"] = self.settings
            try:
                request = next_of(trial, answers)
            except NotApplicable as reason:
                yield {**head, **not_applicable_line(reason)}
                return
            except ModelError as error:
                yield {**head, **failed_line(error)}
                return
            if isinstance(request, Done):
                yield {**head, **done_line(request)}
                break
            written = self._on_disk[trial.id] = threading.Event()
            line: Line | None = None
            for line, failure in self._attempts(trial, request, head):
                end = end_after(trial, answers, failure) if failure else None
                if end and line["status"] == NOT_APPLICABLE:
                    line = {**line, **done_line(end)}
                yield line
                if end and line["status"] != DONE:
                    yield {**head, **done_line(end)}
            if line is None or line["status"] != ANSWERED:
                return
            answers.append(response_of(line))
            if len(answers) != turns and not self._is_written(written):
                return

    def _is_written(self, written: threading.Event) -> bool:
        """Waits until the last answer is on disk; False if the sweep stops."""
        while not written.wait(timeout=0.5):
            if self._dismissed:
                return False
        return not self.stop.is_set()

    def _attempts(
        self, trial: Trial, request: Request, head: Line
    ) -> Iterator[tuple[Line, ModelError | NotApplicable | None]]:
        """Lines of one call with their failures: failed attempts, then the answer if there is one."""
        base: Line = {**head, **supplied(request)}
        request = replace(request, key=head["key"])
        if refused := schema_refused(self._model, request):
            yield {**base, **not_applicable_line(refused)}, refused
            return
        if self._prepare:
            self._prepare(request)
        jitter = random.Random(trial.id)
        spent, unheard, attempt = 0.0, 0, 0
        limited_since_s: float | None = None
        heard = self.weather.replies
        while self.weather.clear_to_call(self.stop):
            ticket = self._throttle.enter(self.stop)
            if ticket is None:
                self.weather.released()
                return
            attempt += 1
            line, error = self._call(request, base, ticket)
            yield {**line, "attempt": attempt}, error
            if not isinstance(error, ModelError) or error.kind not in RETRIED:
                return
            weight = 1 / _LIGHT if error.is_down or error.kind == "rate_limit" else 1.0
            if error.kind == "rate_limit":  # the provider is up, and only asks for fewer calls
                limited_since_s = limited_since_s or time.monotonic()
                if time.monotonic() - limited_since_s > self.weather.patience_s:
                    return
            elif error.kind in ("bad_reply", "empty") or self.weather.replies > heard:
                spent += weight  # others are answered, so this call is at fault
            else:
                unheard += 1
            heard = self.weather.replies
            if spent >= self._limits.attempts or (error.retry_after_s or 0.0) > self.weather.patience_s:
                return
            if unheard >= self._limits.attempts:
                self.silent[trial.id] = error.is_down
                return
            pause_s = min(self._limits.first_pause_s * 2 ** min(attempt - 1, 30), LONGEST_PAUSE_S)
            asked_s = min(error.retry_after_s or 0.0, LONGEST_RETRY_AFTER_S)
            if self.stop.wait(max(pause_s * jitter.uniform(0.5, 1.0), asked_s)):
                return

    def _call(
        self, request: Request, base: Line, ticket: int
    ) -> tuple[Line, ModelError | NotApplicable | None]:
        """One attempt: its line, and its failure."""
        if not self._free:
            base = {**base, "call": self._recorder.starting(base["trial"], base["key"]["turn"])}
        begun_s = time.monotonic()
        failure: ModelError | None = None
        beyond: NotApplicable | None = None
        try:
            answer = self._model.generate(request)
            line: Line = {**base, **answered_line(answer, free=self._free)}
        except NotApplicable as reason:
            line, beyond = {**base, **not_applicable_line(reason)}, reason
        except ModelError as error:
            failure = error
            line = {**base, **failed_line(error, free=self._free, stops=error.stops)}
            if error.stops:
                self.stop.set()  # every other call would fail as well
        finally:
            kind = failure.kind if failure else None
            self._throttle.leave(ticket, limited=kind == "rate_limit", succeeded=kind is None)
            if kind in ("timeout", "connection", "server"):
                assert failure is not None
                refused = kind == "server" and not failure.is_down
                self.weather.silent(f"{kind}: {failure}", failure.retry_after_s, refused=refused)
            elif beyond:
                self.weather.released()
            else:
                self.weather.heard()
        line["latency_s"] = round(time.monotonic() - begun_s, 3)
        return line, failure or beyond


def _is_last(line: Line, turns: int | None) -> bool:
    """Whether a line is the answer of the last of `turns` turns."""
    return turns is not None and line["key"]["turn"] == turns - 1


def _count(tally: Tally, line: Line, turns: int | None) -> None:
    if line["status"] == DONE:
        tally.answered += 1
    elif line["status"] == ANSWERED:
        tally.answered += _is_last(line, turns)
    elif line["status"] == NOT_APPLICABLE:
        tally.not_applicable += 1
    else:
        kind = kind_of_line(line)
        tally.errors[kind] = tally.errors.get(kind, 0) + 1
        tally.retried += 1
    tally.add_cost(billed([line]))
