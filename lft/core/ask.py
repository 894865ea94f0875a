"""Asking a model many things: bounded concurrency, patience with a provider's bad night, a budget.

Only the calling thread writes. Worker threads build the request, call the model and hand back a line. A failed
attempt is recorded too, and tried again with growing pauses; what still fails is left missing for the next run of
the same command. A rate limit halves the number of calls in flight, each success raises it a little.
"""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import Any, Protocol

from lft.core.errors import InputError
from lft.core.models import Model
from lft.core.requests import Images, ModelError, NotApplicable, Request, Response, Video
from lft.core.runs import ANSWERED, ERROR, NOT_APPLICABLE, Recorder, Tally

_RETRIED = ("rate_limit", "timeout", "connection", "server", "bad_reply", "empty")
_LONGEST_PAUSE_S = 60.0
_LONGEST_MESSAGE = 500  # characters of a provider's error that are kept


class Trial(Protocol):
    """One question to one model: `turns` requests, each built from the answers before it."""

    id: str
    key: Mapping[str, Any]
    turns: int

    def request(self, answers: tuple[str, ...]) -> Request: ...


@dataclass(frozen=True)
class Limits:
    """How hard a provider may be pressed.

    Attributes
    ----------
    concurrency : calls in flight at most.
    per_minute : calls begun a minute at most; None for no limit.
    max_cost_usd : stop before the run has cost more than this, all its sessions together; None for no limit.
    attempts : tries per call before it is left missing.
    first_pause_s : pause after the first failure; doubles each time, with jitter.
    """

    concurrency: int = 4
    per_minute: float | None = None
    max_cost_usd: float | None = None
    attempts: int = 5
    first_pause_s: float = 1.0


def ask(
    recorder: Recorder,
    model: Model,
    trials: Iterable[Trial],
    limits: Limits,
    *,
    seen: Callable[[Tally, Trial, Mapping[str, Any]], None] | None = None,
) -> Tally:
    """Answers every trial that the run does not hold yet, in order, and records each line as it comes.

    `trials` may be a generator that decides what to ask next from what was answered. `seen` is told of every line.
    Returns the tally of this call. `KeyboardInterrupt` waits for calls in flight, records them, and is raised again.
    """
    settled = recorder.run.turns()
    tally = Tally(cost_usd=sum(line.get("cost_usd") or 0.0 for line in recorder.run.lines()))
    purse = _Purse(limits.max_cost_usd, tally)
    throttle = _Throttle(limits)
    stop = threading.Event()

    def lines_of(trial: Trial) -> Iterator[dict[str, Any]]:
        known = settled.get(trial.id, {})
        answers: list[str] = []
        for turn in range(trial.turns):
            if turn in known and known[turn]["status"] == ANSWERED:
                answers.append(known[turn]["text"])
                continue
            last: dict[str, Any] = {}
            for last in _attempts(model, trial, tuple(answers), throttle, limits, stop):
                yield last
            if last.get("status") != ANSWERED:
                return
            answers.append(last["text"])

    def work(trial: Trial, hand_in: Callable[[dict[str, Any]], None]) -> None:
        for line in lines_of(trial):
            hand_in(line)

    inbox: list[tuple[Trial, dict[str, Any]]] = []
    inbox_lock = threading.Lock()

    def record_all() -> None:
        with inbox_lock:
            arrived, inbox[:] = list(inbox), []
        for trial, line in arrived:
            recorder.append(line)
            _count(tally, trial, line)
            purse.paid(line)
            if line["status"] == ERROR and line["error"]["kind"] == "refused":
                tally.stopped = line["error"]["message"]
            if seen:
                seen(tally, trial, line)

    queue = iter(trials)
    pool = ThreadPoolExecutor(limits.concurrency, thread_name_prefix="ask")
    flying: set[Future[None]] = set()
    try:
        while True:
            while len(flying) < limits.concurrency and not tally.stopped and purse.allows(len(flying)):
                trial = next(queue, None)
                if trial is None:
                    break
                tally.planned += 1
                known = settled.get(trial.id, {})
                done = known.get(trial.turns - 1) or next(
                    (line for line in known.values() if line["status"] == NOT_APPLICABLE), None
                )
                if done:
                    tally.kept += 1
                    continue

                def hand_in(line: dict[str, Any], trial: Trial = trial) -> None:
                    with inbox_lock:
                        inbox.append((trial, line))

                flying.add(pool.submit(work, trial, hand_in))
            if not flying:
                break  # nothing left, or nothing more may be asked
            done_now, flying = wait(flying, timeout=0.2, return_when=FIRST_COMPLETED)
            record_all()
            for future in done_now:
                future.result()
            if tally.stopped:
                stop.set()
    except BaseException:
        stop.set()
        try:
            wait(flying, timeout=30)
        finally:
            record_all()
        raise
    finally:
        stop.set()
        pool.shutdown(wait=False, cancel_futures=True)
    record_all()
    return tally


def _attempts(
    model: Model, trial: Trial, answers: tuple[str, ...], throttle: _Throttle, limits: Limits, stop: threading.Event
) -> Iterator[dict[str, Any]]:
    """Lines of one call: failures, then the answer if it comes."""
    request = trial.request(answers)
    base = {"trial": trial.id, "key": {**trial.key, "turn": len(answers)}, **_supplied(request)}
    request = Request(**{**vars(request), "key": base["key"]})
    jitter = random.Random(trial.id)
    for attempt in range(1, limits.attempts + 1):
        if not throttle.enter(stop):
            return
        begun = time.monotonic()
        try:
            response = model.generate(request)
        except NotApplicable as reason:
            throttle.leave(failed=False)
            yield {**base, "status": NOT_APPLICABLE, "reason": str(reason)[:_LONGEST_MESSAGE]}
            return
        except ModelError as error:
            throttle.leave(failed=error.kind == "rate_limit")
            yield {
                **base,
                "status": ERROR,
                "attempt": attempt,
                "latency_s": round(time.monotonic() - begun, 3),
                "error": {"kind": error.kind, "message": str(error)[:_LONGEST_MESSAGE]},
            }
            if error.kind not in _RETRIED or attempt == limits.attempts:
                return
            pause = limits.first_pause_s * 2 ** (attempt - 1) * jitter.uniform(0.5, 1.0)
            if error.retry_after_s is not None:
                pause = max(pause, error.retry_after_s)
            if stop.wait(min(pause, _LONGEST_PAUSE_S)):
                return
            continue
        except BaseException:
            throttle.leave(failed=False)
            raise
        throttle.leave(failed=False)
        yield {**base, **_answered(response, free=getattr(model, "is_free", False)), "attempt": attempt, "latency_s": round(time.monotonic() - begun, 3)}
        return


def _supplied(request: Request) -> dict[str, Any]:
    """What of the request a run keeps: exact frame times, sizes, and the hash of the words."""
    import hashlib

    times: list[float] | None = None
    for part in request.parts:
        if isinstance(part, Images):
            times = (times or []) + [round(float(t), 6) for t in part.frames.times_s]
    video = next((part for part in request.parts if isinstance(part, Video)), None)
    words = "\x00".join((request.system or "", request.text))
    return {
        "prompt_sha256": hashlib.sha256(words.encode("utf-8", "replace")).hexdigest(),
        "frame_times_s": times if times is not None else [],
        "native": video is not None,
    }


def _answered(response: Response, *, free: bool) -> dict[str, Any]:
    usage = {k: v for k, v in vars(response.usage).items() if v not in (None, {})}
    return {
        "status": ANSWERED,
        "text": response.text,
        "finish_reason": response.finish_reason,
        "usage": usage,
        "cost_usd": 0.0 if free else response.cost_usd,
        "model_version": response.model_version,
        "sent": dict(response.sent),
    }


def _count(tally: Tally, trial: Trial, line: Mapping[str, Any]) -> None:
    last_turn = line["key"]["turn"] == trial.turns - 1
    if line["status"] == ANSWERED:
        tally.answered += last_turn
        if line["cost_usd"] is None:
            tally.cost_known = False
        else:
            tally.cost_usd += line["cost_usd"]
    elif line["status"] == NOT_APPLICABLE:
        tally.not_applicable += 1
    else:
        kind = line["error"]["kind"]
        tally.errors[kind] = tally.errors.get(kind, 0) + 1
        tally.retried += 1


class _Purse:
    """Keeps a sweep inside its budget, counting calls in flight at the mean price so far.

    Until one price is known a single call is in flight; where the price stays unknown, nothing more is asked.
    """

    def __init__(self, most_usd: float | None, tally: Tally) -> None:
        self._most_usd = most_usd
        self._tally = tally
        self._paid = 0
        self._spent_usd = 0.0

    def paid(self, line: Mapping[str, Any]) -> None:
        if line["status"] == ANSWERED and line["cost_usd"] is not None:
            self._paid += 1
            self._spent_usd += line["cost_usd"]

    def allows(self, flying: int) -> bool:
        if self._most_usd is None:
            return True
        if not self._tally.cost_known:
            self._tally.stopped = "the price of this model is unknown, so a budget cannot be kept"
            return False
        if not self._paid:
            if self._tally.cost_usd >= self._most_usd:
                self._tally.stopped = f"the budget of {self._most_usd:g} USD is spent"
                return False
            return flying == 0
        mean_usd = self._spent_usd / self._paid
        if self._tally.cost_usd + mean_usd * (flying + 1) > self._most_usd:
            if not flying:
                self._tally.stopped = f"the budget of {self._most_usd:g} USD is spent"
            return False
        return True


class _Throttle:
    """Admits calls: at most so many at once (fewer after rate limits), at most so many a minute."""

    def __init__(self, limits: Limits) -> None:
        if limits.concurrency < 1:
            raise InputError(f"concurrency is {limits.concurrency}", remedy="a whole number from 1 on")
        self._most = float(limits.concurrency)
        self._allowed = self._most
        self._inside = 0
        self._gap_s = 60.0 / limits.per_minute if limits.per_minute else 0.0
        self._next_s = 0.0
        self._changed = threading.Condition()

    def enter(self, stop: threading.Event) -> bool:
        """Waits for admission; False if the sweep stops meanwhile."""
        with self._changed:
            while not stop.is_set():
                now = time.monotonic()
                if self._inside < int(self._allowed) and now >= self._next_s:
                    self._inside += 1
                    self._next_s = max(now, self._next_s) + self._gap_s
                    return True
                self._changed.wait(timeout=min(0.1, max(0.001, self._next_s - now)))
        return False

    def leave(self, *, failed: bool) -> None:
        with self._changed:
            self._inside -= 1
            self._allowed = max(1.0, self._allowed / 2) if failed else min(self._most, self._allowed + 0.25)
            self._changed.notify_all()
