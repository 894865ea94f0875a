"""Admission of calls: at most so many at once, fewer after rate limits; at most so many begun a minute."""

from __future__ import annotations

import threading
import time

_GAIN = 0.5  # calls more in flight after each success
_LOSS = 0.7  # share that is left after a burst of rate limits


class Throttle:
    """Shared by the workers of a sweep.

    `enter` gives a ticket. A rate limit takes calls out of flight once for all calls that were under way
    when it came, so that one burst of refusals does not bring a sweep to a crawl.
    """

    def __init__(self, concurrency: int, per_minute: float | None = None) -> None:
        self._most = float(concurrency)
        self._allowed = self._most
        self._reductions = 0
        self._inside = 0
        self._gap_s = 60.0 / per_minute if per_minute else 0.0
        self._next_s = 0.0
        self._changed = threading.Condition()

    @property
    def allowed(self) -> int:
        """Calls in flight at most, now."""
        return int(self._allowed)

    def enter(self, stop: threading.Event) -> int | None:
        """Waits for admission and returns a ticket; None if the sweep stops meanwhile."""
        with self._changed:
            while not stop.is_set():
                now_s = time.monotonic()
                has_place = self._inside < self.allowed
                if has_place and now_s >= self._next_s:
                    self._inside += 1
                    self._next_s = max(now_s, self._next_s) + self._gap_s
                    return self._reductions
                # A place that comes free wakes whoever waits; only `stop` and the time of the next call do not.
                self._changed.wait(timeout=min(0.1, max(0.001, self._next_s - now_s)) if has_place else 0.1)
        return None

    def leave(self, ticket: int, *, limited: bool, succeeded: bool) -> None:
        """Gives the place back, and says how it went."""
        with self._changed:
            self._inside -= 1
            if limited and ticket == self._reductions:
                self._allowed = max(1.0, self._allowed * _LOSS)
                self._reductions += 1
            elif succeeded:
                self._allowed = min(self._most, self._allowed + _GAIN)
            self._changed.notify_all()
