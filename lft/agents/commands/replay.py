"""`lft replay`: recorded episodes again, picture by picture."""

from __future__ import annotations

import json
from pathlib import Path

import click

from lft.core.errors import InputError, RunIncomplete, shown
from lft.core.records import JsonObject
from lft.core.runs import Episode, Run
from lft.core.terminal import plural, printable


@click.command()
@click.argument("run_folder", metavar="RUN", type=click.Path(path_type=Path))
@click.argument("trial_id", metavar="[TRIAL]", required=False)
@click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout.")
def replay(run_folder: Path, trial_id: str | None, as_json: bool) -> None:
    """Play the recorded actions of a run again, and compare every picture with the recorded one.

    TRIAL is an episode's id, or a part of ids: those are played that have it. Exit status 1 if a picture differs; it is
    said at which step, and which packages have another version than the run's.
    """
    run = Run.open(run_folder)
    if run.manifest.get("suite") != "agents":
        raise InputError("no episodes to replay", where=run.folder, expected="a run of the suite agents")
    episodes = {name: one for name, one in run.episodes().items() if trial_id is None or trial_id in name}
    if not episodes:
        what = f"no episode {shown(trial_id)}" if trial_id else "no episode was played yet"
        raise InputError(what, where=run.folder, remedy="lft show RUN lists them")
    results = [_replayed(run, name, one) for name, one in episodes.items()]
    differ = [one for one in results if one["differs_at"] is not None]
    document = {
        "run": str(run.folder), "episodes": len(results), "pictures": sum(one["pictures"] for one in results),
        "differing": len(differ), "results": results,
    }  # fmt: skip
    if as_json:
        click.echo(json.dumps(document))
    else:
        for one in differ:
            click.echo(_said(one))
        agree = len(results) - len(differ)
        click.echo(
            f"{agree} of {plural(len(results), 'episode')} agree, {plural(document['pictures'], 'picture')}"
        )
    if differ:
        raise RunIncomplete()


def _replayed(run: Run, name: str, episode: Episode) -> JsonObject:
    from lft.agents.retrace import changed_packages, retraced
    from lft.agents.scores import task_of

    pictures, differs_at = 0, None
    for step in retraced(run, episode):
        pictures += step.recorded is not None
        if not step.agrees:
            differs_at = step.number
            break
    changed = changed_packages(run, task_of(run, episode.key["task"]).environment) if differs_at else {}
    return {
        "trial": name,
        "pictures": pictures,
        "differs_at": differs_at,
        "packages": {k: list(v) for k, v in changed.items()},
    }


def _said(one: JsonObject) -> str:
    changed = ", ".join(
        f"{name} {before} in the run, {now} now" for name, (before, now) in one["packages"].items()
    )
    why = changed or "the packages have the versions of the run"
    return f"{printable(one['trial'])}: the picture before step {one['differs_at']} differs; {why}"
