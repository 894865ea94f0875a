"""Admission of calls."""

from __future__ import annotations

import threading
import time

from lft.core.admission import Throttle


def enter_all(throttle: Throttle, count: int) -> list[int]:
    tickets = [throttle.enter(threading.Event()) for _ in range(count)]
    assert None not in tickets
    return [t for t in tickets if t is not None]


def test_one_burst_of_rate_limits_counts_once() -> None:
    throttle = Throttle(16)
    for ticket in enter_all(throttle, 16):
        throttle.leave(ticket, limited=True, succeeded=False)
    assert throttle.allowed == 11  # 0.7 * 16 = 11.2
    for ticket in enter_all(throttle, 11):  # calls begun after the first burst: a new one
        throttle.leave(ticket, limited=True, succeeded=False)
    assert throttle.allowed == 7  # 0.7 * 11.2 = 7.84


def test_it_never_falls_below_one_and_rises_again_with_success() -> None:
    throttle = Throttle(4)
    for _ in range(10):
        (ticket,) = enter_all(throttle, 1)
        throttle.leave(ticket, limited=True, succeeded=False)
    assert throttle.allowed == 1
    for _ in range(100):
        (ticket,) = enter_all(throttle, 1)
        throttle.leave(ticket, limited=False, succeeded=True)
    assert throttle.allowed == 4


def test_other_faults_leave_it_as_it_is() -> None:
    throttle = Throttle(8)
    for ticket in enter_all(throttle, 8):
        throttle.leave(ticket, limited=False, succeeded=False)
    assert throttle.allowed == 8


def test_a_rate_is_kept() -> None:
    throttle = Throttle(8, per_minute=1200)  # one each 50 ms
    begun_s = time.monotonic()
    enter_all(throttle, 5)
    assert time.monotonic() - begun_s >= 4 * 0.05


def test_who_waits_is_let_go_when_the_sweep_stops() -> None:
    throttle, stop = Throttle(1), threading.Event()
    enter_all(throttle, 1)
    threading.Timer(0.05, stop.set).start()
    assert throttle.enter(stop) is None
