"""A trial: the unit that is asked and scored. It may be one question, a two-turn verification or an episode of many
steps.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias

from lft.core.failure_kinds import is_of_trial
from lft.core.records import MOST_TURNS, Entries, Key
from lft.core.requests import ModelError, NotApplicable, Request, Response

OwnTrials: TypeAlias = Sequence[Any]  # trials of one suite, of its own type


@dataclass(frozen=True)
class Done:
    """The end of a trial.

    `how` is the suite's word for it (`won`, `timeout`, ...). `kept` is a small JSON mapping that the run stores, from
    which the suite can score the trial.
    """

    how: str
    kept: Entries = field(default_factory=dict)


@dataclass(frozen=True)
class Foreseen:
    """Upper bounds for a trial, known before anything is asked.

    Attributes
    ----------
    calls : number of requests.
    images : images in all requests together.
    most_images : images in the largest request.
    video : whether a video file is sent.
    schema : whether the prompt has a JSON schema.
    """

    calls: int = 1
    images: int = 0
    most_images: int = 0
    video: bool = False
    schema: bool = False


class Trial(Protocol):
    """One trial of a sweep.

    `next` is a function of the answers so far, oldest first. It may keep a live environment between calls; given
    answers that it has not seen (a resumed run), it starts from the beginning and returns the same request. It is
    called from one thread at a time. `NotApplicable` ends the trial as not applicable: its answers stay in the run,
    and the sweep continues. `ModelError` leaves the trial to the next run.

    A trial may also have

    failed(answers, failure) -> Done | None
        called when the request after `answers` failed because of the trial: a `NotApplicable` (such as a conversation
        that is too long: `failure.limit == "tokens"`), or a `ModelError` that would recur (a cut-off answer). `Done`
        ends the trial. With None, or without this method, the first is recorded as not applicable, the second is asked
        again by the next run.
    release()
        called when nothing more is asked of the trial for now; it may close its environment.
    """

    @property
    def id(self) -> str: ...

    @property
    def key(self) -> Key: ...

    @property
    def foreseen(self) -> Foreseen: ...

    def next(self, answers: Sequence[Response]) -> Request | Done: ...


def next_of(trial: Trial, answers: Sequence[Response]) -> Request | Done:
    """`trial.next(answers)`; `ModelError` (`raised`) for a trial with too many turns."""
    if len(answers) < MOST_TURNS:
        return trial.next(tuple(answers))
    raise ModelError("raised", f"the trial has not ended after {MOST_TURNS} answers")


def end_after(trial: Trial, answers: Sequence[Response], failure: NotApplicable | ModelError) -> Done | None:
    """The end of a trial by `failed`, if the trial caused the failure."""
    failed = getattr(trial, "failed", None)
    own = isinstance(failure, NotApplicable) or is_of_trial(failure.kind)
    end = failed(tuple(answers), failure) if failed and own else None
    if end is not None and not isinstance(end, Done):
        raise TypeError(f"failed() of {type(trial).__name__} returned {end!r}; expected Done or None")
    return end


def release(trial: Trial) -> None:
    """Calls `release()` of a trial, if it has one."""
    if let_go := getattr(trial, "release", None):
        let_go()
