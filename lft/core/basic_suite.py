"""Base classes of a new suite.

A new suite defines its trials (`BasicStudy.trials`) and the score of a trial (`BasicSuite.row`). Sweeping, planning,
summaries, transcripts, a table and a page are inherited. docs/adding-a-suite.md has a complete example.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from lft.core.errors import InputError
from lft.core.suite import Command, Options, Study, Told

if TYPE_CHECKING:  # `lft --help` loads suites, and nothing heavy
    import click

    from lft.core.models.ready import Needs
    from lft.core.records import Entries, Json, JsonObject, Key, Line
    from lft.core.runs import Episode, Run
    from lft.core.trials import OwnTrials, Trial


class BasicStudy:
    """A sweep: the mapping in its file. A subclass defines `trials`. Trials end by themselves."""

    is_adaptive = False

    def __init__(self, name: str, document: Entries, options: Options) -> None:
        self.name, self.document, self.options = name, dict(document), dict(options)

    @property
    def title(self) -> str:
        """The title in the file, else the name."""
        return str(self.document.get("title", self.name))

    def to_json(self) -> JsonObject:
        """Name and mapping."""
        return {"name": self.name, **self.document}

    def trials(self, model_name: str, *, to_ask: bool = True) -> Sequence[Trial]:
        """Defined by the suite."""
        raise NotImplementedError

    def context(self) -> Entries:
        """Empty: providers need no context."""
        return {}

    def manifest(self, folder: Path, trials: OwnTrials) -> JsonObject:
        """A trial is complete when its last line records its end."""
        return {"ends": "recorded"}

    def check(self, folder: Path, trials: OwnTrials) -> None:
        """Accepts every run."""

    def queue(self, run: Run, trials: OwnTrials) -> Iterable[Trial] | None:
        """None: all trials in order."""
        return None

    def remarks(self, trials: OwnTrials) -> Iterable[str]:
        """Empty."""
        return ()


class BasicSuite:
    """A suite whose scores are means of columns over trials.

    Attributes
    ----------
    measures : columns of a row that are averaged -> their names in tables.
    cluster : an entry of a trial's key; intervals treat trials with the same value as one unit. Empty: each trial is
        one unit.
    """

    name = ""
    axes: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    options: Mapping[str, Sequence[click.Option]] = {}
    commands: Mapping[str, Command] = {}
    providers: Mapping[str, str] = {}
    measures: Mapping[str, str] = {}
    cluster = ""

    def study(self, name: str, document: Entries, options: Options, *, where: object = None) -> Study:
        """Defined by the suite: returns its subclass of `BasicStudy`."""
        raise NotImplementedError

    def row(self, run: Run, trial: str, episode: Episode) -> Entries:
        """Defined by the suite: the scores of a complete trial, the columns `measures` and optional others."""
        raise NotImplementedError

    def preview(self, study: Study, trials: OwnTrials) -> tuple[Sequence[Trial], str]:
        """The first trial."""
        return list(trials[:1]), ""

    def plan_notes(self, study: Study, trials: OwnTrials, options: Options) -> Told | None:
        """None: no notes."""
        return None

    def score(self, run: Run, options: Options) -> Told:
        """Means with intervals, by condition."""
        from lft.core.means import scored

        return scored(self, run)

    def part_of_id(self, run: Run, called: str, options: Options) -> str:
        """The name itself: trials have no other names."""
        return called

    def show(self, run: Run, trial: str, out: Path | None, options: Options) -> Told:
        """The conversation, reconstructed from the run, and its pictures."""
        from lft.core.transcript import shown

        entries = dict(run.manifest.get("sweep") or {})
        study = self.study(str(entries.pop("name", "")), entries, options, where=run.folder)
        return shown(study, run, trial, out or run.folder / "shown")

    def report(self, runs: Sequence[Run], out: Path | None, options: Options) -> Told:
        """A table and a page."""
        from lft.core.reporting.plain import reported

        return reported(self, runs, self.report_folder(runs, out))

    def report_folder(self, runs: Sequence[Run], out: Path | None) -> Path:
        """`out`, else the folder `report` of the run, or results/report for several runs."""
        return out or (runs[0].folder / "report" if len(runs) == 1 else Path("results/report"))

    def audit(self, runs: Sequence[Run], out: Path | None, options: Options) -> Told:
        """Refused: a basic suite has no audit."""
        raise InputError(f"the suite {self.name} has no audit", remedy="lft score RUN, which gives intervals")

    def power(self, options: Options) -> Told:
        """Refused: a basic suite has no power analysis."""
        raise InputError(f"the suite {self.name} has no power analysis", remedy="lft power --difference 0.1")

    def group(self, by: str, key: Key) -> str:
        """An entry of the key."""
        return str(key.get(by, ""))

    def needs(self) -> Mapping[str, Needs]:
        """Empty: its providers need nothing."""
        return {}

    def final_answer(self, run: Run) -> Callable[[Line], Json] | None:
        """None: answers are compared as text."""
        return None
