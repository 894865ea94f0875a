"""The interface between a suite and the common commands: `lft sweep`, `plan`, `score`, `show`, `report`, `cost`,
`power` and `diff`. `lft.suites` lists the suites; a new one starts from `lft.core.basic_suite.BasicSuite`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import click

if TYPE_CHECKING:  # `lft --help` loads this module
    from lft.core.models.ready import Needs
    from lft.core.records import Entries, Json, JsonObject, Key, Line
    from lft.core.runs import Run
    from lft.core.trials import OwnTrials, Trial

Options = Mapping[str, Any]  # values of a suite's command line options by parameter name


@dataclass(frozen=True)
class Told:
    """The result of a command: `document` for --json, `text` for people. `incomplete` (a reason, may be empty) means
    exit status 1.
    """

    document: Entries
    text: str
    incomplete: str | None = None


@dataclass(frozen=True)
class Command:
    """A command: `module:object` of a click command, loaded when it is called; one line of help; an example."""

    place: str
    help: str
    example: str


class Study(Protocol):
    """A sweep: its file and its options."""

    @property
    def name(self) -> str: ...

    @property
    def title(self) -> str: ...

    @property
    def is_adaptive(self) -> bool:
        """Whether `queue` decides from the answers what is asked."""
        ...

    def to_json(self) -> JsonObject:
        """The entry `sweep` of a run's manifest, from which `Suite.study` makes the same study again."""
        ...

    def trials(self, model_name: str, *, to_ask: bool = True) -> Sequence[Trial]:
        """Every trial, in order. If they are only counted (`to_ask` False), their items need not exist yet."""
        ...

    def context(self) -> Entries:
        """Context for providers that declare it (`lft.core.models.load`)."""
        ...

    def manifest(self, folder: Path, trials: OwnTrials) -> JsonObject:
        """The suite's entries in the manifest of the run in `folder`; with `ends` if trials end by themselves
        (`lft.core.runs.Run.turns_of`).
        """
        ...

    def check(self, folder: Path, trials: OwnTrials) -> None:
        """Raises `InputError` if these trials must not be asked for the run in `folder`."""
        ...

    def queue(self, run: Run, trials: OwnTrials) -> Iterable[Trial] | None:
        """Trials to ask, decided from the answers so far; None asks all of `trials` in order."""
        ...

    def remarks(self, trials: OwnTrials) -> Iterable[str]:
        """Remarks for the user before these are asked, one line each."""
        ...


class Suite(Protocol):
    """A suite. The argument `options` has the values of the options that it declares for that command.

    Attributes
    ----------
    name : in `lft.suites`, in sweep files (`suite:`) and in manifests.
    axes : entries of a trial's key that form its condition, without the model.
    groups : further choices for `lft cost --by`.
    options : command -> the suite's options.
    commands : the suite's commands.
    providers : the suite's models, as in `lft.core.models.PROVIDERS`.
    """

    name: str
    axes: tuple[str, ...]
    groups: tuple[str, ...]
    options: Mapping[str, Sequence[click.Option]]
    commands: Mapping[str, Command]
    providers: Mapping[str, str]

    def study(self, name: str, document: Entries, options: Options, *, where: object = None) -> Study:
        """The sweep in a file (its mapping, without `suite`) or in a manifest."""
        ...

    def preview(self, study: Any, trials: OwnTrials) -> tuple[Sequence[Trial], str]:
        """The one trial that `lft sweep --preview` asks (none if there are no trials), and a note beside it."""
        ...

    def plan_notes(self, study: Any, trials: OwnTrials, options: Options) -> Told | None:
        """Notes of `lft plan` beside trials and cost."""
        ...

    def score(self, run: Run, options: Options) -> Told:
        """Scores a run: writes its scores.csv and summary.json. `incomplete` if trials are missing."""
        ...

    def part_of_id(self, run: Run, called: str, options: Options) -> str:
        """The part of trial ids that a user's name in `lft show` stands for; else the name itself."""
        ...

    def show(self, run: Run, trial: str, out: Path | None, options: Options) -> Told:
        """One trial: request, answer, end."""
        ...

    def report(self, runs: Sequence[Run], out: Path | None, options: Options) -> Told:
        """Tables and a page from scored runs, in `out`."""
        ...

    def audit(self, runs: Sequence[Run], out: Path | None, options: Options) -> Told:
        """The uncertainty of results of scored runs; tables in `out`."""
        ...

    def power(self, options: Options) -> Told:
        """The sample size that a difference needs."""
        ...

    def group(self, by: str, key: Key) -> str:
        """The row of `lft cost --by` for a trial; `by` is one of `axes` or `groups`."""
        ...

    def needs(self) -> Mapping[str, Needs]:
        """Requirements of its `providers`, for `lft models`."""
        ...

    def final_answer(self, run: Run) -> Callable[[Line], Json] | None:
        """A function that reads the final answer in an answered line, for `lft diff`; None if there is none."""
        ...
