"""What a suite is to the commands that all suites share: `lft sweep`, `plan`, `score`, `show`, `report`, `cost`,
`power` and `diff`. `lft.suites` names the suites; `lft.core.basic_suite.BasicSuite` is what a new one starts from.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import click

if TYPE_CHECKING:  # `lft --help` loads this, and nothing heavy
    from lft.core.models.ready import Needs
    from lft.core.records import Entries, Json, JsonObject, Key, Line
    from lft.core.runs import Run
    from lft.core.trials import OwnTrials, Trial

Options = Mapping[str, Any]  # of a suite, by parameter name, as its command line options give them


@dataclass(frozen=True)
class Told:
    """What a command says: `document` is for --json, `text` for people. With `incomplete` (why, may be empty) it ends
    with exit status 1.
    """

    document: Entries
    text: str
    incomplete: str | None = None


@dataclass(frozen=True)
class Command:
    """A command of a suite's own: `module:object` of a click command, loaded when it is called; one line of help; an
    example.
    """

    place: str
    help: str
    example: str


class Study(Protocol):
    """A sweep as it is asked: its file, and the options that it was given."""

    @property
    def name(self) -> str: ...

    @property
    def title(self) -> str: ...

    @property
    def is_adaptive(self) -> bool:
        """Whether it is decided from the answers what is asked (`queue`)."""
        ...

    def to_json(self) -> JsonObject:
        """The entry `sweep` of a run's manifest, from which `Suite.study` makes the same study again."""
        ...

    def trials(self, model_name: str, *, to_ask: bool = True) -> Sequence[Trial]:
        """Every trial, in the order in which they are asked. Where they are only counted (`to_ask` False), what they
        show need not be there yet.
        """
        ...

    def context(self) -> Entries:
        """What providers that declare it are given (`lft.core.models.load`)."""
        ...

    def manifest(self, folder: Path, trials: OwnTrials) -> JsonObject:
        """The suite's entries in the manifest of the run in `folder`; `ends` among them, where trials end by themselves
        (`lft.core.runs.Run.turns_of`).
        """
        ...

    def check(self, folder: Path, trials: OwnTrials) -> None:
        """Raises `InputError` where these trials must not be asked for the run in `folder`."""
        ...

    def queue(self, run: Run, trials: OwnTrials) -> Iterable[Trial] | None:
        """Trials to ask, decided from what was answered; None asks all of `trials` in order."""
        ...

    def remarks(self, trials: OwnTrials) -> Iterable[str]:
        """What a user should know before these are asked, one line each."""
        ...


class Suite(Protocol):
    """A suite. Everything that takes `options` takes those that it declares for that command.

    Attributes
    ----------
    name : in `lft.suites`, in sweep files (`suite:`) and in manifests.
    axes : entries of a trial's key that make its condition, the model aside.
    groups : further words for `lft cost --by`.
    options : command -> options of the suite's own.
    commands : commands of the suite's own.
    providers : models of the suite's own, as in `lft.core.models.PROVIDERS`.
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
        """The one trial that `lft sweep --preview` asks, and what to say beside it; no trial of none."""
        ...

    def plan_notes(self, study: Any, trials: OwnTrials, options: Options) -> Told | None:
        """What `lft plan` says beside trials and cost."""
        ...

    def score(self, run: Run, options: Options) -> Told:
        """Scores a run: writes its scores.csv and summary.json. `incomplete` where trials are missing."""
        ...

    def part_of_id(self, run: Run, called: str, options: Options) -> str:
        """What a user calls trials by, as a part of their ids for `lft show`; `called` itself if it is no such name."""
        ...

    def show(self, run: Run, trial: str, out: Path | None, options: Options) -> Told:
        """One trial: what was sent, what came back, how it ended."""
        ...

    def report(self, runs: Sequence[Run], out: Path | None, options: Options) -> Told:
        """Tables and a page from scored runs, in `out`."""
        ...

    def audit(self, runs: Sequence[Run], out: Path | None, options: Options) -> Told:
        """How sure the results of scored runs are; tables in `out`."""
        ...

    def power(self, options: Options) -> Told:
        """How much has to be asked for a difference to be found."""
        ...

    def group(self, by: str, key: Key) -> str:
        """The row of `lft cost --by` to which a trial's cost goes; `by` is one of `axes` or `groups`."""
        ...

    def needs(self) -> Mapping[str, Needs]:
        """What its `providers` need, for `lft models`."""
        ...

    def final_answer(self, run: Run) -> Callable[[Line], Json] | None:
        """What reads the final answer out of an answered line of a run, for `lft diff`; None if there is no such."""
        ...
