"""Distributes work over an existing Ray cluster.

Results are returned to this process, so the nodes need this package but no shared folder. Ray reruns a task whose node
is lost; if Ray gives up, the batch is submitted again here.
"""

from __future__ import annotations

import logging
import os
import socket
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

from lft.core.errors import InputError
from lft.core.workers import WorkerDied

Item = TypeVar("Item")
Result = TypeVar("Result")

_ATTEMPTS = 3
_REACH_S = 5.0
_PER_CORE = 2  # batches in flight: keeps cores busy, and bounds the memory of results


def over_ray(
    batches: Sequence[Sequence[Item]], start: Callable[[], Callable[[Item], Result]]
) -> Iterator[Result]:
    """Yields `start()(item)` for every item of every batch, in order of completion; each item exactly once.

    Parameters
    ----------
    batches : items that one process should handle in order.
    start : importable on the nodes; called once per batch there, so it should cache expensive state.

    Raises
    ------
    InputError : no cluster at RAY_ADDRESS or on this machine; Ray or this package missing; or raised by the work.
    WorkerDied : a batch was lost `_ATTEMPTS` times.
    """
    ray = connected()
    remote = ray.remote(num_cpus=1, max_retries=_ATTEMPTS)(_do)
    waiting = deque((tuple(batch), 1) for batch in batches if batch)
    running: dict[Any, tuple[tuple[Item, ...], int]] = {}
    try:
        while waiting or running:
            while waiting and len(running) < _PER_CORE * _cores(ray):
                batch, attempt = waiting.popleft()
                running[remote.remote(start, batch)] = (batch, attempt)
            (reference, *_), _ = ray.wait(list(running), num_returns=1)
            batch, attempt = running.pop(reference)
            try:
                results = ray.get(reference)
            except ray.exceptions.RayTaskError as error:
                raise _what_the_work_raised(error) from None
            except ray.exceptions.RayError as error:
                if attempt >= _ATTEMPTS:
                    raise WorkerDied(
                        f"a batch was lost {attempt} times, last with {type(error).__name__}"
                    ) from None
                waiting.appendleft((batch, attempt + 1))
                continue
            del reference  # the cluster can free the results
            yield from results
    finally:
        for reference in running:
            ray.cancel(reference, force=True)


def _do(start: Callable[[], Callable[[Item], Result]], batch: Sequence[Item]) -> list[Result]:
    work = start()
    return [work(item) for item in batch]


def connected() -> Any:
    """The module `ray`, connected to the cluster at RAY_ADDRESS or on this machine; raises `InputError` without one."""
    try:
        import ray
    except ImportError as error:
        raise InputError("Ray is not installed", remedy="pip install 'lft-bench[ray]'") from error
    if not ray.is_initialized():
        address = os.environ.get("RAY_ADDRESS") or "auto"
        try:
            _reach(address)
            ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR)
        except (OSError, RuntimeError, ray.exceptions.RayError) as error:  # ConnectionError is an OSError
            raise _not_connected(address, error) from error
    return ray


def _not_connected(address: str, error: Exception) -> InputError:
    if isinstance(error, _Unreached) or (address == "auto" and isinstance(error, ConnectionError)):
        remedy = "ray start --head, or RAY_ADDRESS=HOST:PORT"
        return InputError("no Ray cluster found", where=address, remedy=remedy)
    # Ray does not look for its token when an address is given.
    remedy = "RAY_AUTH_MODE=token where the cluster was started with one, and its version of Ray and Python"
    return InputError(f"the Ray cluster cannot be used ({str(error)[:300]})", where=address, remedy=remedy)


class _Unreached(OSError):
    """Nothing answers at an address."""


def _reach(address: str) -> None:
    """Raises `_Unreached` if nothing answers at HOST:PORT; Ray itself would retry for minutes."""
    host, _, port = address.rpartition("://")[2].rpartition(":")
    if host and port.isdigit():
        try:
            socket.create_connection((host, int(port)), timeout=_REACH_S).close()
        except OSError as error:
            raise _Unreached(str(error)) from error


def _cores(ray: Any) -> int:
    return max(1, int(ray.cluster_resources().get("CPU", 1)))


def _what_the_work_raised(error: Any) -> Exception:
    cause = error.cause
    if isinstance(cause, InputError):
        return InputError(str(cause))
    if isinstance(cause, ModuleNotFoundError):
        return InputError(
            f"a node of the Ray cluster has no {cause.name}", expected="this package on every node"
        )
    return RuntimeError(f"in a Ray task:\n{error}")
