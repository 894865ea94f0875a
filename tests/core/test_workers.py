"""Work over processes: all of it is done once, whatever dies."""

from __future__ import annotations

import os
import signal
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from lft.core.errors import InputError
from lft.core.workers import WorkerDied, over_processes

BATCHES = [[1, 2, 3], [4], [], [5, 6], [7, 8, 9, 10]]


def _squares() -> Any:
    return lambda x: (x, x * x)


def _deadly(folder: Path, deaths: int) -> Any:
    """Kills its own process on item 5 for the first `deaths` times."""

    def work(x: int) -> int:
        if x == 5 and (died := len(list(folder.iterdir()))) < deaths:
            (folder / str(died)).touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return x

    return work


def _refusing() -> Any:
    def work(x: int) -> int:
        if x == 4:
            raise InputError("no space", where="here")
        return x

    return work


def _broken() -> Any:
    return lambda x: 1 // (x - 4)


@pytest.mark.parametrize("jobs", [1, 2, 8])
def test_every_item_is_done_once(jobs: int) -> None:
    assert sorted(over_processes(BATCHES, _squares, jobs)) == [(x, x * x) for x in range(1, 11)]


def test_no_work_is_done_at_once() -> None:
    assert list(over_processes([], _squares, 2)) == []


def test_what_a_dead_worker_left_is_done_by_another(tmp_path: Path) -> None:
    assert sorted(over_processes(BATCHES, partial(_deadly, tmp_path, 1), 2)) == list(range(1, 11))
    assert len(list(tmp_path.iterdir())) == 1


def test_an_item_that_kills_workers_is_reported(tmp_path: Path) -> None:
    with pytest.raises(WorkerDied, match="ended on 5"):
        list(over_processes(BATCHES, partial(_deadly, tmp_path, 9), 2))
    assert len(list(tmp_path.iterdir())) == 2


def test_a_refusal_in_a_worker_is_one_here() -> None:
    with pytest.raises(InputError, match="here: no space"):
        list(over_processes(BATCHES, _refusing, 2))


def test_a_defect_in_a_worker_names_its_place_and_comes_with_its_traceback() -> None:
    with pytest.raises(RuntimeError, match=r"ZeroDivisionError: .* in .*test_workers\.py:\d+") as raised:
        list(over_processes(BATCHES, _broken, 2))
    assert any("Traceback" in note for note in raised.value.__notes__)


def test_stopping_early_leaves_no_process() -> None:
    import multiprocessing

    done = over_processes(BATCHES, _squares, 2)
    next(done)
    done.close()  # type: ignore[attr-defined]
    assert multiprocessing.active_children() == []
