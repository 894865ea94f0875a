"""`lft render` and `lft clip`: the clips of a grid, or one of them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from lft.core.records import JsonObject
from lft.core.terminal import printable

if TYPE_CHECKING:
    from lft.counting.spec import ClipSpec


@click.command()
@click.option("--grid", "grid_name", default="paper", show_default=True, help="paper, demo or a YAML file.")
@click.option("--domain", "domains", multiple=True, help="Only this domain; may be given several times.")
@click.option("--fps", type=int, help="Frames per second, instead of the grid's own.")
@click.option("--size", help="WIDTHxHEIGHT in pixels, instead of the grid's own.")
@click.option(
    "--grid-version",
    type=click.IntRange(1, 2),
    help="1: clips of one seed share look and states, as in grids before versions.",
)
@click.option(
    "--jobs", type=click.IntRange(1, 256), help="Processes to render with; the cores of this machine."
)
@click.option(
    "--executor", type=click.Choice(["local", "ray"]), default="local", help="ray: on a Ray cluster."
)
@click.option("--out", type=click.Path(path_type=Path), help="Folder of the clips; results/clips/<grid>.")
@click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout.")
def render(
    grid_name: str,
    domains: tuple[str, ...],
    fps: int | None,
    size: str | None,
    grid_version: int | None,
    jobs: int | None,
    executor: str,
    out: Path | None,
    as_json: bool,
) -> None:
    """Render the clips of a grid. Complete clips are kept."""
    from lft.core.workers import cores
    from lft.counting.grid import Grid, expand

    grid = Grid.load(grid_name).filmed(fps=fps, size=size, domains=domains, version=grid_version)
    specs = expand(grid)
    folder = out or Path("results/clips") / grid.name
    _bring_up(specs, folder, jobs or cores(), as_json, executor)


@click.command()
@click.argument("domain")
@click.option("--count", "-n", type=int, required=True, help="N, events in the clip.")
@click.option("--frequency", "-f", type=float, default=1.0, show_default=True, help="F in Hz.")
@click.option("--seed", "-s", type=int, default=0, show_default=True)
@click.option("--fps", type=int, default=30, show_default=True)
@click.option("--size", default="1280x720", show_default=True, help="WIDTHxHEIGHT in pixels.")
@click.option("--out", type=click.Path(path_type=Path), required=True, help="Folder of the clips.")
@click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout.")
def clip(
    domain: str, count: int, frequency: float, seed: int, fps: int, size: str, out: Path, as_json: bool
) -> None:
    """Render one clip of DOMAIN and its trace."""
    from lft.counting.grid import parse_size
    from lft.counting.spec import ClipSpec

    width, height = parse_size(size, where="--size")
    spec = ClipSpec(domain, count, frequency, seed, fps=fps, width=width, height=height)
    _bring_up((spec,), out, 1, as_json)


def _bring_up(
    specs: Sequence[ClipSpec], folder: Path, jobs: int, as_json: bool, executor: str = "local"
) -> None:
    from lft.core.progress import Progress
    from lft.counting.clips import clip_paths
    from lft.counting.rendering.clip_folder import render_clips

    with Progress("rendering", total=len(specs)) as progress:
        outcome = render_clips(
            specs, folder, jobs=jobs, executor=executor, seen=lambda done, _: progress.update(done)
        )
    for clip_id, fault in outcome.repaired.items():
        click.echo(f"rendered again: {clip_id} ({printable(fault)})", err=True)
    if specs and outcome.version < specs[0].version:
        click.echo(
            f"{folder} has clips of version {outcome.version} (looks shared by seed) and keeps this version; "
            "--out FOLDER renders the current one",
            err=True,
        )
    if as_json:
        document: JsonObject = {"folder": str(folder), "rendered": outcome.rendered, "kept": outcome.kept}
        if len(specs) == 1:
            video, trace = clip_paths(specs[0].clip_id)
            document |= {
                "clip_id": specs[0].clip_id,
                "video": str(folder / video),
                "trace": str(folder / trace),
            }
        click.echo(json.dumps(document))
    elif len(specs) == 1:
        click.echo(folder / clip_paths(specs[0].clip_id)[0])
        click.echo(folder / clip_paths(specs[0].clip_id)[1])
    else:
        clips = "clip" if outcome.rendered == 1 else "clips"
        click.echo(f"{outcome.rendered} {clips} rendered, {outcome.kept} kept, in {folder}")
        click.echo(f"next: lft verify {folder}")
