"""Asking a model many things: bounded concurrency, patience with a provider's bad night, a budget.

Only the calling thread writes. Worker threads build the request, call the model and hand back a line. A
failed attempt is recorded too, and tried again with growing pauses, never sooner than the provider asks; what
still fails is left missing for the next run of the same command. A burst of rate limits takes calls out of
flight, each success lets a few more in. Workers are daemons: a call that hangs cannot keep an
interrupted sweep from ending. One trial more than may be in flight is made ready (its frames decoded and
encoded) while the provider answers the others.
"""

from __future__ import annotations

import queue
import random
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from lft.core.budget import Purse
from lft.core.cost import Spent, billed
from lft.core.errors import InputError, shown
from lft.core.models import Model
from lft.core.requests import Images, ModelError, NotApplicable, Request, Response, Video
from lft.core.run_entries import encoded
from lft.core.runs import ANSWERED, ERROR, NOT_APPLICABLE, Recorder, Tally
from lft.core.throttle import Throttle

_RETRIED = ("rate_limit", "timeout", "connection", "server", "bad_reply", "empty")
_LONGEST_PAUSE_S = 60.0  # of our own; a provider may ask for more
_LONGEST_RETRY_AFTER_S = 600.0  # asked to wait longer than this, the trial is left for the next run
_RATE_LIMITS_PER_ATTEMPT = 4  # a rate limit is no fault of the call: that many count as one attempt
_LONGEST_MESSAGE = 500  # characters of a provider's error that are kept
_GIVE_UP_AFTER = 20  # trials in a row that a provider left without any answer
_AHEAD = 1  # trials that are made ready while they wait for a place in flight
_LAST_CALLS_S = 30.0  # how long an interrupted sweep waits for calls in flight


class Trial(Protocol):
    """One question to one model: `turns` requests, each built from the answers before it."""

    @property
    def id(self) -> str: ...

    @property
    def key(self) -> Mapping[str, Any]: ...

    @property
    def turns(self) -> int: ...

    def request(self, answers: tuple[str, ...]) -> Request: ...


@dataclass(frozen=True)
class Limits:
    """How hard a provider may be pressed.

    Attributes
    ----------
    concurrency : calls in flight at most.
    per_minute : calls begun a minute at most; None for no limit.
    max_cost_usd : stop before the run has cost more than this, all its sessions together; None for no limit.
    attempts : tries per call before it is left missing; see `_RATE_LIMITS_PER_ATTEMPT`.
    first_pause_s : pause after the first failure; doubles each time, with jitter.
    """

    concurrency: int = 4
    per_minute: float | None = None
    max_cost_usd: float | None = None
    attempts: int = 5
    first_pause_s: float = 1.0

    def __post_init__(self) -> None:
        if self.concurrency < 1:
            raise InputError(f"concurrency is {self.concurrency}", remedy="a whole number from 1 on")


Seen = Callable[[Tally, Trial, Mapping[str, Any]], None]


def ask(
    recorder: Recorder, model: Model, trials: Iterable[Trial], limits: Limits, *, seen: Seen | None = None
) -> Tally:
    """Answers every trial that the run does not hold yet, in order, and records each line as it comes.

    `trials` may be a generator that decides what to ask next from what was answered. `seen` is told of every
    line. Returns the tally of this call. `KeyboardInterrupt` waits up to half a minute for calls in flight,
    records them, and is raised again.
    """
    settled = recorder.run.turns()
    before = Spent()
    for paid in billed(recorder.run.lines()):
        before.add(paid)
    tally = Tally(cost_usd=before.usd, cost_known=not before.unpriced)
    purse = Purse(limits.max_cost_usd, tally)
    purse.remember(billed(recorder.run.lines()))
    crew = _Crew(model, settled, limits)
    waiting: Trial | None = None
    source = iter(trials)
    failed_in_a_row = 0

    def record(trial: Trial, line: dict[str, Any]) -> None:
        recorder.append(line)
        _count(tally, trial, line)
        purse.paid(trial, line)
        if line["status"] == ERROR and line["error"]["kind"] == "refused":
            tally.stopped = line["error"]["message"]
        if seen:
            seen(tally, trial, line)

    try:
        while True:
            while crew.has_room and not tally.stopped:
                if waiting is None:
                    waiting = _next(source, settled, tally)
                if waiting is None or not purse.allows(waiting):
                    break
                purse.begin(waiting)
                crew.start(waiting)
                waiting = None
            if not crew.flying:
                break  # nothing left, or nothing more may be asked
            for trial, line in crew.arrived():
                if line is not None:
                    record(trial, line)
                    continue
                purse.end(trial)
                failed_in_a_row = failed_in_a_row + 1 if crew.gave_up(trial) else 0
                if failed_in_a_row >= _GIVE_UP_AFTER and not tally.stopped:
                    kinds = ", ".join(sorted(tally.errors))
                    tally.stopped = f"{failed_in_a_row} trials in a row got no answer ({kinds})"
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
    return tally


def _next(
    source: Iterator[Trial], settled: Mapping[str, Mapping[int, Mapping[str, Any]]], tally: Tally
) -> Trial | None:
    """The next trial that is not settled yet, or None."""
    for trial in source:
        tally.planned += 1
        known = settled.get(trial.id, {})
        if trial.turns - 1 in known or any(line["status"] == NOT_APPLICABLE for line in known.values()):
            tally.kept += 1
        else:
            return trial
    return None


class _Crew:
    """Worker threads. `arrived` hands over (trial, line), and (trial, None) when a trial is done with."""

    def __init__(
        self, model: Model, settled: Mapping[str, Mapping[int, Mapping[str, Any]]], limits: Limits
    ) -> None:
        self._model, self._settled, self._limits = model, settled, limits
        self._prepare: Callable[[Request], None] | None = getattr(model, "prepare", None)
        self._throttle = Throttle(limits.concurrency, limits.per_minute)
        self._orders: queue.SimpleQueue[Trial | None] = queue.SimpleQueue()
        self._inbox: queue.SimpleQueue[tuple[Trial, dict[str, Any] | None, BaseException | None]] = (
            queue.SimpleQueue()
        )
        self._workers = 0
        self._gave_up: set[str] = set()
        self.flying = 0
        self.stop = threading.Event()

    @property
    def has_room(self) -> bool:
        return self.flying < self._limits.concurrency + (_AHEAD if self._prepare else 0)

    def start(self, trial: Trial) -> None:
        self.flying += 1
        if self._workers < self.flying:
            self._workers += 1
            threading.Thread(target=self._work, name=f"ask-{self._workers}", daemon=True).start()
        self._orders.put(trial)

    def arrived(self) -> Iterator[tuple[Trial, dict[str, Any] | None]]:
        """What has come since, waiting a moment for the first; raises what a worker raised."""
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

    def gave_up(self, trial: Trial) -> bool:
        """Whether the provider left this trial without any answer: an outage, not a refusal of this one."""
        return trial.id in self._gave_up

    def dismiss(self) -> None:
        self.stop.set()
        for _ in range(self._workers):
            self._orders.put(None)

    def _work(self) -> None:
        while (trial := self._orders.get()) is not None:
            try:
                line: dict[str, Any] = {}
                for line in self._lines(trial):
                    self._inbox.put((trial, line, None))
                if line.get("status") == ERROR and line["error"]["kind"] in _RETRIED:
                    self._gave_up.add(trial.id)
            except BaseException as error:
                self._inbox.put((trial, None, error))
            else:
                self._inbox.put((trial, None, None))

    def _lines(self, trial: Trial) -> Iterator[dict[str, Any]]:
        """The lines of the turns that are missing; ends with the first turn that is left without answer."""
        known = self._settled.get(trial.id, {})
        answers: list[str] = []
        for turn in range(trial.turns):
            last: Mapping[str, Any] = known.get(turn, {})
            if last.get("status") != ANSWERED:
                for attempt in self._attempts(trial, tuple(answers)):
                    yield attempt
                    last = attempt
            if last.get("status") != ANSWERED:
                return
            answers.append(last["text"])

    def _attempts(self, trial: Trial, answers: tuple[str, ...]) -> Iterator[dict[str, Any]]:
        """Lines of one call: failures, then the answer if it comes."""
        request = trial.request(answers)
        base = {"trial": trial.id, "key": {**trial.key, "turn": len(answers)}, **supplied(request)}
        request = Request(**{**vars(request), "key": base["key"]})
        if self._prepare:
            self._prepare(request)
        jitter = random.Random(trial.id)
        spent, attempt = 0.0, 0
        while (ticket := self._throttle.enter(self.stop)) is not None:
            attempt += 1
            begun_s = time.monotonic()
            kind: str | None = None
            try:
                answer = self._model.generate(request)
                line = {**base, **answered_line(answer, free=getattr(self._model, "is_free", False))}
            except NotApplicable as reason:
                yield {**base, "status": NOT_APPLICABLE, "reason": str(reason)[:_LONGEST_MESSAGE]}
                return
            except ModelError as error:
                kind, retry_after_s = error.kind, error.retry_after_s
                line = {**base, **failed_line(error)}
            finally:
                self._throttle.leave(ticket, limited=kind == "rate_limit", succeeded=kind is None)
            yield {**line, "attempt": attempt, "latency_s": round(time.monotonic() - begun_s, 3)}
            if kind is None:
                return
            spent += 1 / _RATE_LIMITS_PER_ATTEMPT if kind == "rate_limit" else 1
            if kind not in _RETRIED or spent >= self._limits.attempts:
                return
            pause_s = min(self._limits.first_pause_s * 2 ** (attempt - 1), _LONGEST_PAUSE_S) * jitter.uniform(
                0.5, 1.0
            )
            if retry_after_s is not None:
                if retry_after_s > _LONGEST_RETRY_AFTER_S:
                    return
                pause_s = max(pause_s, retry_after_s)
            if self.stop.wait(pause_s):
                return


def supplied(request: Request) -> dict[str, Any]:
    """What of the request a run keeps: exact frame times, and the hash of the words."""
    import hashlib

    times: list[float] = []
    for part in request.parts:
        if isinstance(part, Images):
            times += [round(float(t), 6) for t in part.frames.times_s]
    words = "\x00".join((request.system or "", request.text))
    return {
        "prompt_sha256": hashlib.sha256(words.encode("utf-8", "replace")).hexdigest(),
        "frame_times_s": times,
        "images": request.images,
        "native": any(isinstance(part, Video) for part in request.parts),
    }


def answered_line(response: Response, *, free: bool) -> dict[str, Any]:
    """What a line holds of an answer; raises `ModelError` for one that a run could not be read with."""
    line: dict[str, Any] = {
        "status": ANSWERED,
        "text": response.text,
        "finish_reason": response.finish_reason,
        "usage": _used(response),
        "cost_usd": 0.0 if free else response.cost_usd,
        "model_version": response.model_version,
        "sent": dict(response.sent),
    }
    try:
        if not isinstance(response.text, str):
            raise InputError(f"text is {shown(response.text)}")
        encoded({"trial": "", "key": {}, **line})
    except InputError as error:
        paid = Response("", usage=response.usage, cost_usd=line["cost_usd"])
        what = str(error).partition("; would work")[0]
        raise ModelError("bad_reply", f"no answer that a run can hold: {what}", reply=paid) from None
    return line


def failed_line(error: ModelError) -> dict[str, Any]:
    """A failed attempt; with usage and cost if the provider counted tokens for it all the same."""
    line: dict[str, Any] = {
        "status": ERROR,
        "error": {"kind": error.kind, "message": str(error)[:_LONGEST_MESSAGE]},
    }
    if error.retry_after_s is not None:
        line["error"]["retry_after_s"] = error.retry_after_s
    if error.reply is not None and _used(error.reply):
        line |= {
            "usage": _used(error.reply),
            "cost_usd": error.reply.cost_usd,
            "sent": dict(error.reply.sent),
        }
    return line


def _used(response: Response) -> dict[str, Any]:
    return {
        k: dict(v) if isinstance(v, Mapping) else v
        for k, v in vars(response.usage).items()
        if v not in (None, {})
    }


def _count(tally: Tally, trial: Trial, line: Mapping[str, Any]) -> None:
    if line["status"] == ANSWERED:
        tally.answered += line["key"]["turn"] == trial.turns - 1
    elif line["status"] == NOT_APPLICABLE:
        tally.not_applicable += 1
    else:
        kind = line["error"]["kind"]
        tally.errors[kind] = tally.errors.get(kind, 0) + 1
        tally.retried += 1
    for paid in billed([line]):
        _add_cost(tally, paid)


def _add_cost(tally: Tally, line: Mapping[str, Any]) -> None:
    if line.get("cost_usd") is None:
        tally.cost_known = False
    else:
        tally.cost_usd += float(line["cost_usd"])
