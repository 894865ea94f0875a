"""`lft cases`: pictures of trials with one cause."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from lft.core.errors import InputError
from lft.core.records import JsonObject
from lft.core.terminal import Closed, printable

if TYPE_CHECKING:
    from lft.core.progress import Progress
    from lft.counting.reporting.trial_views import View

CAUSES = (
    "missed",
    "hallucinated",
    "merged",
    "displaced",
    "misidentified",
    "mis-added",
    "no-evidence",
    "unsupported",
    "undercounted",
    "overcounted",
    "unclear-reading",
    "unparsed",
    "acr",
    "rfr",
    "correct",
)

# Words of the page and the figures.
SHOWN = {
    "invented": "hallucinated",
    "no evidence supplied": "no-evidence",
    "evidence missed": "missed",
    "no usable answer": "unparsed",
}


@click.command()
@click.argument("run", type=click.Path(path_type=Path))
@click.option("--cause", type=Closed(CAUSES), required=True, help="The cause.")
@click.option(
    "--n", "number", type=click.IntRange(1, 1000), default=5, show_default=True, help="How many at most."
)
@click.option("--seed", type=int, default=0, show_default=True, help="Another seed chooses others.")
@click.option("--out", type=click.Path(path_type=Path), required=True, help="Folder to write.")
@click.option(
    "--clips", type=click.Path(path_type=Path), help="Folder of the clips, if they moved since the sweep."
)
@click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout.")
def cases(
    run: Path, cause: str, number: int, seed: int, out: Path, clips: Path | None, as_json: bool
) -> None:
    """Trials of one cause as cards: frames, and what happened against what was reported, as PNG and SVG.

    Chosen at random by the seed, one per cell (domain, N, F) before a second. `displaced` and `misidentified`
    are kinds of event: any trial that has one. `acr` are right answers whose trace is not, `rfr` wrong ones whose
    trace is. cases.json lists what was chosen.
    """
    from lft.core.files import write_json
    from lft.core.progress import Progress
    from lft.core.reporting import style
    from lft.counting.reporting import case_cards as cards
    from lft.counting.reporting import results
    from lft.counting.reporting.trial_views import Clips, Said, views

    cause = SHOWN.get(cause, cause)
    found = results.load([run])
    (opened,) = found.runs.values()
    clip_files = Clips(found.runs, clips, _warn)
    said = Said.of_run(opened)
    with Progress("reading trial", total=len(found.scores)) as progress:
        seen = _counted((v for s in found.series for v in views(s, said, clip_files)), progress)
        chosen = cards.choose(seen, cause, number, seed)
    listed: list[JsonObject] = []
    with style.look(), Progress("drawing card", total=len(chosen)) as progress:
        for place, view in enumerate(chosen, start=1):
            times = cards.strip_times_s(view)
            frames = {}
            try:
                if view.video is not None:
                    frames = cards.pictures(view.video, cards.shown_s(view, times))
            except InputError as error:
                _warn(f"{error}; the card has no frames")
            name = f"{cause}-{place:02d}-{re.sub(r'[^A-Za-z0-9._-]+', '-', str(view.row['clip']))[:80]}"
            png, svg = style.save(cards.card(view, frames, times), out / name)
            listed.append(
                {"trial": view.row["trial"], "clip": view.row["clip"], "png": png.name, "svg": svg.name}
            )
            progress.update(place)
    document = {
        "run": str(run),
        "cause": cause,
        "seed": seed,
        "rule": "shuffled by the seed, one per cell first",
        "cases": listed,
    }
    if listed:
        write_json(out / "cases.json", document)
    if as_json:
        click.echo(json.dumps(document))
        return
    for case in listed:
        click.echo(out / case["png"])
    if len(listed) < number:
        click.echo(
            f"{len(listed)} trials of cause {cause} in {run}" + ("" if listed else "; nothing written")
        )
    if listed:
        click.echo(f"next: lft show {opened.folder} '{printable(listed[0]['trial'])}'")


def _counted(seen: Iterable[View], progress: Progress) -> Iterator[View]:
    for view in seen:
        progress.advance()
        yield view


def _warn(line: str) -> None:
    click.echo(f"lft cases: {line}", err=True)
