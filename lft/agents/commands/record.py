"""`lft record`: demonstrations as videos and traces."""

from __future__ import annotations

import json
from pathlib import Path

import click

from lft.agents.commands.choice import of_environments

FOLDER = Path("results/demonstrations")


@click.command()
@click.option(
    "--env", "environments", multiple=True, metavar="E", help="Of this environment only; may be repeated."
)
@click.option("--jobs", type=click.IntRange(1, 256), help="Processes; the cores of this machine.")
@click.option(
    "--out", type=click.Path(path_type=Path), default=FOLDER, show_default=True, help="Where they go."
)
@click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout.")
def record(environments: tuple[str, ...], jobs: int | None, out: Path, as_json: bool) -> None:
    """Demonstrations to videos, one decision a second, and traces of what they show.

    Each is played again from its decisions and held against what its row claims. The bytes are the same every time.
    """
    from lft.agents.record import record as recorded
    from lft.agents.tasks import demonstrations
    from lft.core.progress import Progress
    from lft.core.terminal import plural
    from lft.core.workers import cores

    chosen = of_environments(demonstrations().values(), environments)
    done = []
    with Progress("recording", total=len(chosen)) as progress:
        for one in recorded(chosen, out, jobs or cores()):
            done.append(one)
            progress.advance()
    done.sort(key=lambda one: one.demonstration)
    if as_json:
        rows = [
            {
                "demonstration": one.demonstration,
                "video": str(one.video),
                "trace": str(one.trace),
                "frames": one.frames,
                "sha256": one.sha256,
            }
            for one in done
        ]
        click.echo(json.dumps({"demonstrations": rows}))
        return
    frames = sum(one.frames for one in done)
    click.echo(f"{plural(len(done), 'demonstration')}, {frames:,} pictures: {out}")
