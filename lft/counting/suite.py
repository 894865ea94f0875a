"""The counting suite for the common commands. Modules that do the work are imported when they are called."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from lft.core.suite import Command, Options, Suite, Told
from lft.counting.commands.options import OPTIONS
from lft.counting.names import NAME, OWN_PROVIDERS

if TYPE_CHECKING:
    from lft.core.models.ready import Needs
    from lft.core.records import Entries, Key, Line
    from lft.core.runs import Run
    from lft.core.trials import OwnTrials, Trial
    from lft.counting.study import CountingStudy


# In the order of use.
COMMANDS = {
    "render": Command(
        "lft.counting.commands.clips:render", "Render the clips of a grid.", "lft render --grid demo --jobs 2"
    ),
    "clip": Command(
        "lft.counting.commands.clips:clip",
        "Render one clip and its trace.",
        "lft clip blinking --count 3 --frequency 2 --seed 7 --out one",
    ),
    "verify": Command(
        "lft.counting.commands.verify:verify",
        "Check traces against the pixels of their clips.",
        "lft verify results/clips/demo",
    ),
    "observe": Command(
        "lft.counting.commands.observe:observe",
        "Find the events of one video with the embedded observer.",
        "lft observe one/videos/blinking/n03_f2.0_s07.mp4 --domain blinking --sampling fps:8",
    ),
    "prompt": Command(
        "lft.counting.commands.prompt:prompt",
        "Write prompt and attachments for asking in a chat page.",
        "lft prompt blinking/n04_f1.0_s00 --clips results/clips/demo --sampling fps:1 --out asked",
    ),
    "parse": Command(
        "lft.counting.commands.parse:parse",
        "Read the events and the final answer of a response.",
        "lft parse answer.txt --rule mentions --json",
    ),
    "match": Command(
        "lft.counting.commands.match:match",
        "Pair reported times with true ones.",
        "lft match --true 1.0,2.0 --reported 1.1,2.4 --tolerance 0.25",
    ),
    "readings": Command(
        "lft.counting.commands.readings:readings",
        "List and settle doubtful readings.",
        "lft readings results/runs/demo-observer --sample 10 --seed 0",
    ),
    "frontier": Command(
        "lft.counting.commands.frontier:frontier",
        "Count and frequency frontiers of a surface.",
        "lft frontier results/runs/demo-observer --tau 0.9",
    ),
    "ceiling": Command(
        "lft.counting.commands.ceiling:ceiling",
        "Bounds set by the supplied frames, per cell.",
        "lft ceiling results/clips/demo --sampling fps:1",
    ),
    "cases": Command(
        "lft.counting.commands.cases:cases",
        "Draw trials with a given cause.",
        "lft cases results/runs/demo-observer --cause no-evidence --n 2 --out cards",
    ),
    "export": Command(
        "lft.counting.commands.exports:export",
        "Export clips for datasets, Inspect AI and lmms-eval.",
        "lft export results/clips/demo --to hf --out dataset",
    ),
    "import": Command(
        "lft.counting.commands.imports:import_",
        "Import answers or videos.",
        "lft import responses answers.csv --clips results/clips/demo --out results/runs/mine",
    ),
}


class Counting:
    """Counts and times of events in short videos."""

    name: str = NAME
    axes: tuple[str, ...] = ("sampling", "labels", "prompt")
    groups: tuple[str, ...] = ("domain",)
    options: Mapping[str, Sequence[click.Option]] = OPTIONS
    commands: Mapping[str, Command] = COMMANDS
    providers: Mapping[str, str] = OWN_PROVIDERS

    def study(self, name: str, document: Entries, options: Options, *, where: object = None) -> CountingStudy:
        """The sweep of a file, over the clips of a folder."""
        from lft.counting.study import study_of

        return study_of(name, document, options, where)

    def preview(self, study: CountingStudy, trials: OwnTrials) -> tuple[Sequence[Trial], str]:
        """The first trial whose clip has events, and how a perfect answer to it is scored."""
        from lft.counting.commands.preview import first_with_events, mock_line

        chosen = first_with_events(trials)
        return chosen, "\n".join(map(mock_line, chosen))

    def plan_notes(self, study: CountingStudy, trials: OwnTrials, options: Options) -> Told | None:
        """With --power: the power of so many clips and seeds."""
        if not options.get("with_power"):
            return None
        from lft.counting.commands.power import power_of

        return power_of(trials)

    def score(self, run: Run, options: Options) -> Told:
        """Scores under one rule and tolerance."""
        from lft.counting.commands.score import scored

        return scored(run, options)

    def part_of_id(self, run: Run, called: str, options: Options) -> str:
        """The id of the clip with this video."""
        from lft.counting.by_hand import clips_called
        from lft.counting.clips import Clips, clips_folder_of

        folder = options.get("clips_folder") or clips_folder_of(run)
        found = clips_called(called, Clips.open(folder)) if folder.is_dir() else []
        return f"{found[0].clip_id}," if len(found) == 1 else called

    def show(self, run: Run, trial: str, out: Path | None, options: Options) -> Told:
        """Words, frames, answer, truth."""
        from lft.counting.commands.show import shown

        return shown(run, trial, out, options)

    def report(self, runs: Sequence[Run], out: Path | None, options: Options) -> Told:
        """Tables, figures and a page."""
        from lft.counting.commands.report import reported

        return reported(runs, out, options)

    def audit(self, runs: Sequence[Run], out: Path | None, options: Options) -> Told:
        """The main results, or all tables."""
        from lft.counting.commands.audit import audited

        return audited(runs, out, options)

    def power(self, options: Options) -> Told:
        """Clips for a difference, seeds for a frontier."""
        from lft.counting.commands.power import powers

        return powers(options)

    def group(self, by: str, key: Key) -> str:
        """A domain is the first part of the clip's id."""
        return str(key.get("clip", "")).partition("/")[0] if by == "domain" else str(key.get(by, ""))

    def needs(self) -> Mapping[str, Needs]:
        """Of the observer and of simulated models."""
        from lft.counting.sweep import NEEDS

        return NEEDS

    def final_answer(self, run: Run) -> Callable[[Line], int | None]:
        """As in `lft score`, under the rule `ledger`."""
        from lft.counting.reader import reader_of
        from lft.counting.reported import Reported

        reader = reader_of(run)

        def final_answer(line: Line) -> int | None:
            report = reader.read(line).report
            return report.final_answer if isinstance(report, Reported) else None

        return final_answer


SUITE: Suite = Counting()
