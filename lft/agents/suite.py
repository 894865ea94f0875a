"""The agents suite, as the common commands know it. Whatever does the work is imported when it is called."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from lft.agents.names import NAME, OWN_PROVIDERS
from lft.core.basic_suite import BasicSuite
from lft.core.records import Entries
from lft.core.suite import Command, Options, Study, Suite, Told

if TYPE_CHECKING:
    from lft.agents.study import AgentsStudy
    from lft.core.models.ready import Needs
    from lft.core.runs import Episode, Run
    from lft.core.trials import OwnTrials

_TASKS = (
    click.Option(["--env", "environments"], multiple=True, help="Only tasks of this environment."),
    click.Option(["--kind", "kinds"], multiple=True, help="Only base, seed, skip or replay tasks."),
    click.Option(["--task", "tasks"], multiple=True, help="Only this task."),
    click.Option(["--rules"], multiple=True, help="basic or detailed."),
    click.Option(
        ["--demonstrations"],
        multiple=True,
        help="shown, none, other, shuffled, reversed, uncaptioned or captions.",
    ),
    click.Option(["--assistance"], multiple=True, help="none, state or plan."),
    click.Option(
        ["--history"], multiple=True, help="all, or last:K: the demonstrations and the last K steps."
    ),
    click.Option(["--given"], multiple=True, help="Demonstrations as frames or as video."),
)
_TOKENS = (
    click.Option(["--image-tokens"], type=click.IntRange(1), help="What a picture takes, to foresee tokens."),
    click.Option(
        ["--answer-tokens"],
        type=click.IntRange(1),
        default=100,
        show_default=True,
        help="What an answer takes.",
    ),
    click.Option(["--usd"], help="Dollars for a million tokens: IN,CACHED,OUT."),
)
_TABLES = click.Option(
    ["--table", "tables"],
    multiple=True,
    help="Print this table as well: family, memory, dynamics, kind, environment, ends, lengths, contexts, ladder, "
    "judge, ablation, controls, bias, fixation or reasoning.",
)
_STRIPS = click.Option(
    ["--strips"],
    type=click.IntRange(0),
    help="Episodes whose pictures are on the page, 200 unless said otherwise.",
)
OPTIONS: dict[str, tuple[click.Option, ...]] = {
    "sweep": _TASKS,
    "plan": (*_TASKS, *_TOKENS),
    "score": (_TABLES,),
    "report": (_STRIPS,),
}
COMMANDS = {
    "convert": Command(
        "lft.agents.commands.convert:convert",
        "Demonstrations for Minari, episodes for Inspect.",
        "lft convert results/runs/icl-m --to inspect --out icl-m.eval",
    ),
    "judge": Command(
        "lft.agents.commands.judge:judge",
        "Ask another model why episodes failed, and compare it with people.",
        "lft judge results/runs/icl-m --model gemini:gemini-3.6-flash --human labels.csv",
    ),
    "play": Command(
        "lft.agents.commands.play:play",
        "Play tasks yourself, in the browser.",
        "lft play cliff_walking/base",
    ),
    "probe": Command(
        "lft.agents.commands.probe:probe",
        "Ask a model what it knew at steps of its episodes.",
        "lft probe results/runs/icl-m --model gemini:gemini-3.6-flash",
    ),
    "replay": Command(
        "lft.agents.commands.replay:replay",
        "Play recorded episodes again, and compare their pictures.",
        "lft replay results/runs/demo-agents-nearest",
    ),
    "tasks": Command(
        "lft.agents.commands.tasks:tasks",
        "Start states of environments; --check says whether they are fit.",
        "lft tasks --env taxi --check",
    ),
    "record": Command(
        "lft.agents.commands.record:record",
        "Demonstrations to videos and traces.",
        "lft record --env taxi --jobs 2",
    ),
}


class Agents(BasicSuite):
    """Learning to act from demonstration videos."""

    name = NAME
    axes: tuple[str, ...] = ("rules", "demonstrations", "assistance", "history", "given")
    groups: tuple[str, ...] = ("environment", "family")
    options: Mapping[str, Sequence[click.Option]] = OPTIONS
    commands: Mapping[str, Command] = COMMANDS
    providers: Mapping[str, str] = OWN_PROVIDERS

    def study(self, name: str, document: Entries, options: Options, *, where: object = None) -> AgentsStudy:
        """Tasks and conditions of a file."""
        from lft.agents.study import AgentsStudy

        return AgentsStudy(name, document, options, where)

    def row(self, run: Run, trial: str, episode: Episode) -> Entries:
        """What an episode is worth."""
        from lft.agents.judged import stages_of
        from lft.agents.scores import row_of

        return row_of(run, episode) | stages_of(run, trial)

    def score(self, run: Run, options: Options) -> Told:
        """Pass, score and skill by condition."""
        from lft.agents.tables import scored

        return scored(self, run, options.get("tables") or ())

    def plan_notes(self, study: Study, trials: OwnTrials, options: Options) -> Told:
        """Calls, pictures and tokens, which grow with the square of the decisions."""
        from lft.agents.plan import notes

        return notes(trials, options)

    def report(self, runs: Sequence[Run], out: Path | None, options: Options) -> Told:
        """Tables, and a page of film strips."""
        from lft.agents.reporting.report import STRIPS, reported

        strips = options.get("strips")
        return reported(
            self, runs, self.report_folder(runs, out), strips=STRIPS if strips is None else strips
        )

    def group(self, by: str, key: Entries) -> str:
        """The environment is the first part of the task's id."""
        environment = str(key.get("task", "")).partition("/")[0]
        if by == "family":
            from lft.agents.environments.registry import available

            spec = available().get(environment)
            return spec.family if spec else ""
        return environment if by == "environment" else str(key.get(by, ""))

    def needs(self) -> Mapping[str, Needs]:
        """Of the embedded agents."""
        from lft.agents.embedded import NEEDS

        return NEEDS


SUITE: Suite = Agents()
