"""`lft verify`: checks traces against the pixels of their clips."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from lft.core.errors import RunIncomplete
from lft.core.terminal import printable

if TYPE_CHECKING:
    from lft.counting.clips import Clips

_MOST_SHOWN = 20  # problems of one clip that are printed; --json has all


@click.command()
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option("--jobs", type=click.IntRange(1, 256), help="Processes; the cores of this machine.")
@click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout.")
def verify(folder: Path, jobs: int | None, as_json: bool) -> None:
    """Check that the pixels of every clip in DIR show the events of its trace, on the same frames, and no others.

    The pixels are read by code that is independent of the renderers. Exit status 1 if a clip and its trace
    disagree.
    """
    from lft.core.progress import Progress
    from lft.core.workers import cores
    from lft.counting.clips import Clips
    from lft.counting.verify import verify_clips

    clips = Clips.open(folder)
    found: dict[str, list[str]] = {}
    with Progress("verifying", total=len(clips)) as progress:
        for clip_id, problems in verify_clips(clips, jobs=jobs or cores()):
            found[clip_id] = problems
            progress.advance(note=f"{_faulty(found)} faulty" if _faulty(found) else "")
    faulty = _faulty(found)
    events = sum(clip.spec.count for clip in clips)
    if as_json:
        bad = {clip.clip_id: found[clip.clip_id] for clip in clips if found[clip.clip_id]}
        click.echo(json.dumps({"clips": len(clips), "events": events, "faulty": faulty, "problems": bad}))
    else:
        for clip in clips:
            problems = found[clip.clip_id]
            for problem in problems[:_MOST_SHOWN]:
                click.echo(f"{clip.clip_id}: {printable(problem)}")
            if len(problems) > _MOST_SHOWN:
                click.echo(f"{clip.clip_id}: and {len(problems) - _MOST_SHOWN} more")
        if not faulty:
            imported = sum(not clip.spec.regular for clip in clips)
            found_there = "every event is on the frame that its trace names"
            if imported:
                found_there = (
                    f"files and frame times are as recorded; {imported} clips were annotated by people"
                )
            click.echo(f"{len(clips)} clips, {events} events: {found_there}")
            click.echo(f"next: lft sweep {_fitting_sweep(clips, imported)} --clips {folder}")
    if faulty:
        raise RunIncomplete(f"{faulty} of {len(clips)} clips disagree with their traces")


def _fitting_sweep(clips: Clips, imported: int) -> str:
    """A sweep for these clips: that of the demonstration grid, or of natural videos."""
    from lft.counting.grid import Grid, expand

    if imported:
        return "natural --model MODEL"
    demo = {spec.clip_id for spec in expand(Grid.load("demo"))}
    return f"{'demo' if {clip.clip_id for clip in clips} == demo else 'baseline'} --model observer"


def _faulty(found: dict[str, list[str]]) -> int:
    return sum(map(bool, found.values()))
