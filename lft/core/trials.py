"""A trial: the unit that is asked, answered and scored. One question, a verification in two turns and an episode of
eighty steps are the same to the core.
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
    """A trial has ended.

    `how` is the suite's word for its end (`won`, `timeout`, ...). `kept` is what the run keeps of it: a small JSON
    mapping, from which the suite can score without playing the trial again.
    """

    how: str
    kept: Entries = field(default_factory=dict)


@dataclass(frozen=True)
class Foreseen:
    """What asking a trial takes at most, known before anything is asked.

    Attributes
    ----------
    calls : requests.
    images : images in all of them together.
    most_images : images in the largest of them.
    video : whether a video file is sent.
    schema : whether the answer is held to a JSON schema.
    """

    calls: int = 1
    images: int = 0
    most_images: int = 0
    video: bool = False
    schema: bool = False


class Trial(Protocol):
    """One trial of a sweep.

    `next` is a function of the answers so far, oldest first. It may keep a live environment while answers go on; given
    answers that it has not seen (a run that goes on, a process that was killed), it starts again and comes to the
    same request. It is called from one thread at a time. Raising `NotApplicable` ends the trial by that name: what
    was answered stays in the run, and the sweep goes on. Raising `ModelError` leaves the trial for the next run.

    A trial may also have

    failed(answers, failure) -> Done | None
        called when the request after `answers` got no answer for a reason of its own: a `NotApplicable` (such as a
        conversation that has become too long: `failure.limit == "tokens"`), or a `ModelError` of a kind that would
        come again (an answer that was cut off). `Done` ends the trial so. With None, or without this method, the first
        is recorded as not applicable, the second is asked again by the next run.
    release()
        called when nothing more is asked of the trial for now: a live environment may be let go.
    """

    @property
    def id(self) -> str: ...

    @property
    def key(self) -> Key: ...

    @property
    def foreseen(self) -> Foreseen: ...

    def next(self, answers: Sequence[Response]) -> Request | Done: ...


def next_of(trial: Trial, answers: Sequence[Response]) -> Request | Done:
    """What comes after `answers`; `ModelError` (`raised`) for a trial that does not come to an end."""
    if len(answers) < MOST_TURNS:
        return trial.next(tuple(answers))
    raise ModelError("raised", f"the trial has no end after {MOST_TURNS} answers")


def end_after(trial: Trial, answers: Sequence[Response], failure: NotApplicable | ModelError) -> Done | None:
    """How a trial ends after a failure, if it is one of its own and the trial says that it ends so."""
    failed = getattr(trial, "failed", None)
    own = isinstance(failure, NotApplicable) or is_of_trial(failure.kind)
    end = failed(tuple(answers), failure) if failed and own else None
    if end is not None and not isinstance(end, Done):
        raise TypeError(f"failed() of {type(trial).__name__} gave {end!r}, expected Done or None")
    return end


def release(trial: Trial) -> None:
    """Lets a trial let go of what it keeps alive."""
    if let_go := getattr(trial, "release", None):
        let_go()
