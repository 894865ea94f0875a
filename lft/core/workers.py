"""Distributes work over processes of this machine, each started once.

If a worker dies (killed, out of memory), its item and the rest of its batch go to another worker; an item on which two
workers died is an error.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import traceback
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from multiprocessing import connection
from typing import Any, Generic, TypeVar

from lft.core.errors import InputError, shown

Item = TypeVar("Item")
Result = TypeVar("Result")
_PATIENCE_S = 5.0


def cores() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class WorkerDied(InputError):
    """Two workers died on the same item."""


def over_processes(
    batches: Sequence[Sequence[Item]],
    start: Callable[[], Callable[[Item], Result]],
    jobs: int,
    *,
    preload: Sequence[str] = (),
) -> Iterator[Result]:
    """Yields `start()(item)` for every item of every batch, in order of completion.

    Parameters
    ----------
    batches : items that one worker should handle in order.
    start : picklable; called once in each worker, returns the function that does the work.
    jobs : number of processes; 1 works in this process.
    preload : modules to import before workers are forked, if the system supports it.

    Raises
    ------
    InputError : as raised by the work. RuntimeError for any other error in it, with the worker's traceback.
    WorkerDied : two workers died on one item.
    """
    if jobs <= 1:
        work = start()
        for batch in batches:
            yield from (work(item) for item in batch)
        return
    crew: _Crew[Item] = _Crew(start, preload)
    try:
        yield from crew.do(batches, jobs)
    finally:
        crew.dismiss()


class _Worker(Generic[Item]):
    def __init__(self, context: Any, start: Any) -> None:
        self.pipe, theirs = context.Pipe()
        self.process = context.Process(target=_serve, args=(theirs, start), daemon=True)
        self.process.start()
        theirs.close()
        self.batch: deque[Item] = deque()


class _Crew(Generic[Item]):
    def __init__(self, start: Any, preload: Sequence[str]) -> None:
        methods = multiprocessing.get_all_start_methods()
        self._context: Any = multiprocessing.get_context("forkserver" if "forkserver" in methods else "spawn")
        if "forkserver" in methods:
            self._context.set_forkserver_preload(list(preload))
        self._start = start
        self._workers: list[_Worker[Item]] = []
        self._lost_before: list[Item] = []

    def do(self, batches: Sequence[Sequence[Item]], jobs: int) -> Iterator[Any]:
        waiting = deque(deque(batch) for batch in batches if batch)
        while waiting or self._workers:
            while waiting and len(self._workers) < jobs:
                worker: _Worker[Item] = _Worker(self._context, self._start)
                self._workers.append(worker)
                self._give(worker, waiting)
            for pipe in connection.wait([worker.pipe for worker in self._workers]):
                worker = next(w for w in self._workers if w.pipe is pipe)
                try:
                    kind, value = worker.pipe.recv()
                except (EOFError, OSError):
                    waiting.appendleft(self._rest_of(worker))
                    continue
                if kind == "refused":
                    raise InputError(value)
                if kind == "failed":
                    what, lines = value
                    error = RuntimeError(f"in a worker: {what}")
                    error.add_note(lines)
                    raise error
                worker.batch.popleft()
                if not worker.batch:
                    self._give(worker, waiting)
                yield value

    def dismiss(self) -> None:
        """Closes the pipes, so that workers end after their item; kills those that do not."""
        for worker in self._workers:
            worker.pipe.close()
        for worker in self._workers:
            worker.process.join(_PATIENCE_S)
            if worker.process.is_alive():
                worker.process.kill()
                worker.process.join()

    def _give(self, worker: _Worker[Item], waiting: deque[deque[Item]]) -> None:
        if waiting:
            worker.batch = waiting.popleft()
            try:
                worker.pipe.send(list(worker.batch))
            except OSError:
                return  # it is dead, which the next read reports
        else:
            self._workers.remove(worker)
            worker.pipe.close()
            worker.process.join(_PATIENCE_S)

    def _rest_of(self, worker: _Worker[Item]) -> deque[Item]:
        self._workers.remove(worker)
        worker.pipe.close()
        worker.process.join(_PATIENCE_S)
        item = worker.batch[0]
        if item in self._lost_before:
            raise WorkerDied(f"two worker processes ended on {shown(item)} (killed, or out of memory)")
        self._lost_before.append(item)
        return worker.batch


def _serve(pipe: connection.Connection, start: Callable[[], Callable[[Any], Any]]) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends workers by closing their pipes
    try:
        try:
            work = start()
            while True:
                for item in pipe.recv():
                    pipe.send(("done", work(item)))
        except InputError as error:
            pipe.send(("refused", str(error)))
        except (EOFError, BrokenPipeError, ConnectionResetError):
            return
        except OSError as error:
            pipe.send(("refused", str(InputError.of_system(error))))
        except Exception as error:
            place = traceback.extract_tb(error.__traceback__)[-1]
            what = f"{type(error).__name__}: {error} in {place.filename}:{place.lineno}"
            pipe.send(("failed", (what, traceback.format_exc())))
    except OSError:
        return
