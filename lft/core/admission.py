"""Admission of calls: concurrency and rate (`Throttle`), and outages of the provider (`Weather`).

A burst of rate limits lowers the concurrency. An outage does not fail trials: after three failures in a row without
any reply the provider counts as down. Then one call at a time probes it, with growing pauses, while the others wait;
the first reply of any kind releases them all.
"""

from __future__ import annotations

import threading
import time

_GAIN = 0.5  # calls more in flight after each success
_LOSS = 0.7  # share that is left after a burst of rate limits
_DOWN_AFTER = 3  # failures in a row, of any trials
LONGEST_PAUSE_S = 60.0  # chosen by LFT; a provider may ask for more
LONGEST_RETRY_AFTER_S = 600.0  # a longer `retry_after_s` of a provider is cut to this
PATIENCE_S = 7200.0
_LONGEST_SAID = 120  # characters of a failure in a progress line
_LONGEST_REFUSED_PAUSE_S = 15.0  # while the server replies with a failure
_REFUSAL_SHARE = 1 / 8  # of patience, for trials that only get such replies while others were answered
FIRST_PATIENCE_S = 60.0  # for a server that has never answered: probably a wrong address, not an outage


class Throttle:
    """Shared by the workers of a sweep. `enter` returns a ticket.

    All calls that were in flight at a rate limit lower the concurrency together only once.
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
                # `leave` wakes waiting threads; `stop` and the time of the next call need the timeout.
                self._changed.wait(timeout=min(0.1, max(0.001, self._next_s - now_s)) if has_place else 0.1)
        return None

    def leave(self, ticket: int, *, limited: bool, succeeded: bool) -> None:
        """Returns the ticket with the outcome of the call."""
        with self._changed:
            self._inside -= 1
            if limited and ticket == self._reductions:
                self._allowed = max(1.0, self._allowed * _LOSS)
                self._reductions += 1
            elif succeeded:
                self._allowed = min(self._most, self._allowed + _GAIN)
            self._changed.notify_all()


class Weather:
    """Shared by the workers of a sweep. `patience_s` None: two hours, or one minute if the provider never answered."""

    def __init__(self, patience_s: float | None, first_pause_s: float, *, has_answered: bool = False) -> None:
        self._given_s, self._first_pause_s = patience_s, first_pause_s
        self._has_answered = has_answered
        self._changed = threading.Condition()
        self._since_s: float | None = None  # of the first failure since the last reply
        self._failures = 0
        self._down = self._probing = False
        self._refused_only = True  # every call since the last answer got a reply that the server failed
        self._next_s = 0.0
        self._said = ""
        self.replies = 0

    @property
    def patience_s(self) -> float:
        """How long the provider may currently be silent."""
        if self._given_s is not None:
            return self._given_s
        return PATIENCE_S if self._has_answered else FIRST_PATIENCE_S

    def heard(self) -> None:
        """The provider replied, perhaps with a refusal."""
        with self._changed:
            self.replies += 1
            self._has_answered = True
            self._since_s, self._failures = None, 0
            self._down = self._probing = False
            self._refused_only = True
            self._changed.notify_all()

    def silent(self, said: str, retry_after_s: float | None = None, *, refused: bool = False) -> None:
        """A call failed without a usable reply. `refused`: the server replied that it failed (500), not that it is
        down.
        """
        with self._changed:
            now_s = time.monotonic()
            self._since_s = now_s if self._since_s is None else self._since_s
            self._failures += 1
            self._refused_only = self._refused_only and refused
            self._said = said
            self._probing = False
            if self._failures >= _DOWN_AFTER:
                doublings = min(self._failures - _DOWN_AFTER, 30)
                longest_s = _LONGEST_REFUSED_PAUSE_S if self._refused_only else LONGEST_PAUSE_S
                pause_s = min(self._first_pause_s * 2**doublings, longest_s)
                self._down = True
                self._next_s = now_s + max(pause_s, min(retry_after_s or 0.0, LONGEST_RETRY_AFTER_S))
            self._changed.notify_all()

    def released(self) -> None:
        """A call was not made."""
        with self._changed:
            self._probing = False
            self._changed.notify_all()

    def clear_to_call(self, stop: threading.Event) -> bool:
        """Waits while the provider is down; False if the sweep stops or patience runs out."""
        with self._changed:
            while not stop.is_set() and self._worn_out() is None:
                now_s = time.monotonic()
                if not self._down:
                    return True
                if not self._probing and now_s >= self._next_s:
                    self._probing = True
                    return True
                self._changed.wait(timeout=min(0.2, max(0.001, self._next_s - now_s)))
        return False

    @property
    def worn_out(self) -> str | None:
        """Why the sweep stops, once patience has run out."""
        with self._changed:
            return self._worn_out()

    @property
    def refuses_these_alone(self) -> bool:
        """Whether the provider, which answered other trials, has for long only replied that it failed.

        It is then the trials that fail: an outage rarely replies for so long.
        """
        with self._changed:
            if self._since_s is None or not self.replies or not self._refused_only:
                return False
            return time.monotonic() - self._since_s >= self.patience_s * _REFUSAL_SHARE

    @property
    def waiting(self) -> str | None:
        """Text of the progress line while the provider is down."""
        with self._changed:
            if not self._down or self._since_s is None:
                return None
            now_s = time.monotonic()
            left_s = self.patience_s - (now_s - self._since_s)
            when = "trying again" if self._probing else f"next try in {max(0.0, self._next_s - now_s):.0f} s"
            return (
                f"waiting {spoken(now_s - self._since_s)} for the provider ({self._said[:_LONGEST_SAID]}), {when}, "
                f"{spoken(left_s)} of patience left"
            )

    def _worn_out(self) -> str | None:
        if not self._down or self._since_s is None or time.monotonic() - self._since_s <= self.patience_s:
            return None
        return f"the provider did not answer for {spoken(self.patience_s)} ({self._said}); --patience waits longer"


def spoken(seconds: float) -> str:
    """A duration in words.

    >>> spoken(5), spoken(200), spoken(7200)
    ('5 s', '3 min 20 s', '2 h')
    """
    whole = max(0, round(seconds))
    hours, rest = divmod(whole, 3600)
    minutes, rest = divmod(rest, 60)
    parts = [f"{n} {unit}" for n, unit in ((hours, "h"), (minutes, "min"), (rest, "s")) if n]
    return " ".join(parts[:2]) or "0 s"
