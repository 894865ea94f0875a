"""`lft play`: a person plays tasks in the browser, under the conditions of a model."""

from __future__ import annotations

import json
import re
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import click

from lft.core.errors import InputError, RunIncomplete, shown
from lft.core.records import Entries, JsonObject
from lft.core.terminal import plural, printable

if TYPE_CHECKING:
    from lft.agents.environments.base import Picture
    from lft.agents.people.desk import Desk
    from lft.agents.study import AgentsStudy
    from lft.core.runs import Run
    from lft.core.trials import Trial


@click.command()
@click.argument("tasks", nargs=-1, required=True, metavar="TASK...")
@click.option("--who", default="", help="A name for the person: part of the model's name in tables.")
@click.option("--run", "run_name", help="Name of the run, or a path; the same name again goes on with it.")
@click.option("--rules", default="basic", show_default=True, help="basic or detailed.")
@click.option("--demonstrations", default="shown", show_default=True, help="shown, none, other, ...")
@click.option("--assistance", default="none", show_default=True, help="none, state or plan.")
@click.option("--history", default="all", show_default=True, help="all, or last:K.")
@click.option(
    "--record", type=click.Path(path_type=Path), help="Add what was played to this file of demonstrations."
)
@click.option(
    "--port", type=click.IntRange(0, 65535), default=0, help="Of the page; any free one by default."
)
@click.option("--no-browser", is_flag=True, help="Open no browser; the address is printed.")
@click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout.")
def play(
    tasks: tuple[str, ...],
    who: str,
    run_name: str | None,
    record: Path | None,
    port: int,
    no_browser: bool,
    as_json: bool,
    **condition: object,
) -> None:
    """Play tasks yourself, in the browser: what a model sees, and what it may do.

    The page shows the words and pictures of each request; an action is a key or a button. A run as any other: every
    decision is on disk before the next picture is shown, with the time that it took; the same command again goes on.
    --record adds what was played to a file of demonstrations.
    """
    from lft.agents.environments import registry
    from lft.agents.people import recorded
    from lft.agents.people.desk import Desk
    from lft.agents.people.server import Server
    from lft.agents.study import AgentsStudy
    from lft.core.run_names import run_folder, slug
    from lft.core.runs import Run

    if not re.fullmatch(r"[\w.-]{0,40}", who):
        raise InputError(f"--who is {shown(who)}", expected="letters, digits, dot, dash; 40 at most")
    study = AgentsStudy("play", {"title": "Played by a person", "tasks": list(tasks), **condition}, {})
    study.check(Path(), study.trials(who))  # a package that is missing is said before a page is opened
    actions = {task.id: registry.get(task.environment).actions for task in study.tasks}
    desk = Desk(who, actions, {task.id: task.decisions for task in study.tasks})
    folder = run_folder(run_name or f"play-{slug(desk.name)}")
    done: list[JsonObject | BaseException] = []
    with Server(desk, port) as server:
        worker = threading.Thread(
            target=_played, args=(study, desk, folder, done), name="episodes", daemon=True
        )
        worker.start()
        click.echo(f"lft: open {server.address}", err=True)
        if not no_browser:
            click.launch(server.address)
        try:
            while worker.is_alive():
                worker.join(timeout=0.2)
        except KeyboardInterrupt:
            desk.leave()
            worker.join(timeout=10)
            raise
        [result] = done
        if isinstance(result, BaseException):
            raise result
        left = result["missing"]
        desk.finish("What was played is kept." if left else "That was all. Thank you.")
    added = recorded.append(record, Run.open(folder), who or "person") if record else 0
    document = {**result, "recorded": added}
    click.echo(json.dumps(document) if as_json else _said(document, record))
    if left:
        raise RunIncomplete()


def _played(study: AgentsStudy, desk: Desk, folder: Path, done: list[JsonObject | BaseException]) -> None:
    """Asks the desk about every task, and appends the counts or the error to `done`."""
    from lft.core.ask import Limits
    from lft.core.run_sweep import conduct
    from lft.core.runs import DONE, Run

    def seen(_: object, trial: Trial, line: Entries) -> None:
        if line.get("status") == DONE:
            desk.over(str(trial.key["task"]), *_end(Run.open(folder), trial))

    try:
        given = {name: k for k, name in enumerate(study.document["tasks"])}
        trials = sorted(study.trials(desk.name), key=lambda trial: given[trial.task.id])
        counts = conduct(
            folder, "agents", study, desk, trials, Limits(concurrency=1), model_spec=desk.name, seen=seen
        )
        done.append(counts)
    except BaseException as error:  # told by the thread that waits
        done.append(error)


def _end(run: Run, trial: Trial) -> tuple[str, Picture | None]:
    """How an episode ended, in words, and its last picture."""
    from lft.agents.retrace import retraced
    from lft.agents.scores import row_of

    episode, picture = run.episodes()[trial.id], None
    for step in retraced(run, episode):
        picture = step.picture
    passed = "You passed." if row_of(run, episode)["pass"] else "You did not pass."
    made = plural(int(episode.kept["decisions"]), "step")
    return f"{passed} The game ended after {made}: {episode.end}.", picture


def _said(document: Entries, record: Path | None) -> str:
    lines = [
        f"{document['answered']} played now, {document['kept']} kept from before, {document['missing']} missing of "
        f"{plural(document['trials'], 'task')}"
    ]
    if record:
        lines.append(f"{plural(document['recorded'], 'demonstration')} added to {printable(record)}")
    again = (
        "next: the same command again goes on"
        if document["missing"]
        else f"next: lft score {document['run']}"
    )
    return "\n".join([*lines, again])
