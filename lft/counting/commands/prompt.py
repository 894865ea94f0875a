"""`lft prompt`: a trial to ask by hand, in a chat page."""

from __future__ import annotations

import json
from pathlib import Path

import click

from lft.core.records import Entries
from lft.core.terminal import LABELS, plural

_MANY = 20  # attachments that a chat page takes at once, about


@click.command()
@click.argument("names", metavar="CLIP...", nargs=-1, required=True)
@click.option("--prompt", "condition", help="A prompt condition, or a .txt file.")
@click.option("--prompts", type=click.Path(path_type=Path), help="Another folder of prompts.")
@click.option(
    "--sampling", default="native", show_default=True, help="native, fps:K, frames:K or keyframes:W."
)
@click.option("--labels", type=LABELS, help="The label of each frame; default time.")
@click.option("--clips", "clips_folder", type=click.Path(path_type=Path), help="Folder of the clips.")
@click.option("--out", type=click.Path(path_type=Path), help="Folder for the prompt and what to attach.")
@click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout.")
def prompt(
    names: tuple[str, ...],
    condition: str | None,
    prompts: Path | None,
    sampling: str,
    labels: str | None,
    clips_folder: Path | None,
    out: Path | None,
    as_json: bool,
) -> None:
    """Write the prompt and the attachments for asking about a clip in a chat page, without a key.

    CLIP is a clip's id, its video, or the name of an imported video. With --out the prompt, the video or its frames
    and an empty answer.txt are written; save the model's last answer there, then run `lft import responses` and `lft
    score`. Without --out the prompt is only printed.
    """
    from lft.core.conditions import Condition
    from lft.counting.by_hand import find_clip, words_for, write_task
    from lft.counting.sweep import DEFAULT_LABELS, DEFAULT_PROMPT

    asked = Condition(sampling, labels or DEFAULT_LABELS, condition or DEFAULT_PROMPT)
    found = [find_clip(name, clips_folder, Path("results/clips")) for name in names]
    if out is None:
        told = [{"clip": clip.clip_id, **words_for(clips, clip, asked, prompts)} for clips, clip in found]
    else:
        told = [write_task(clips, clip, asked, out, prompts) for clips, clip in found]
    if as_json:
        click.echo(json.dumps({"trials": told}))
        return
    for one in told:
        for number, words in enumerate(one["turns"], start=1):
            click.echo(f"--- {one['clip']}: paste this" + (f", turn {number}" if number > 1 else ""))
            click.echo(words + "\n")
        if shown := one["events_shown"]:
            click.echo(f"--- not to be pasted: {_shown_words(shown, len(one['frame_times_s']))}")
        attach = one.get("attach")
        if attach:
            some = attach[0] if len(attach) == 1 else f"{len(attach)} frames in {Path(attach[0]).parent}"
            click.echo(f"--- attach {some}; put the answer into {one['folder']}/answer.txt\n")
            if len(attach) > _MANY:
                click.echo(
                    f"lft: {len(attach)} frames are more than most chat pages accept at once", err=True
                )
    if out is None:
        click.echo("next: --out DIR writes this and what to attach")
    else:
        click.echo(f"next: lft import responses {out} --model NAME --out results/runs/{out.resolve().name}")


def _shown_words(shown: Entries, number: int) -> str:
    """How many of the events so many frames show, as `lft.counting.by_hand.events_shown` has it."""
    from lft.counting.audit.ceiling import UNKNOWN

    events, frames = plural(shown["events"], "event"), plural(number, "frame")
    if shown["shown"] is None:
        low_s, high_s = shown["away_s"]
        return (
            f"{UNKNOWN['visible']}, so not how many of {events} your {frames} show; the frames "
            f"nearest to them are {low_s:.2f} to {high_s:.2f} s away (--visible-s of `lft import videos` says it)"
        )
    words = f"your {frames} {'shows' if number == 1 else 'show'} {shown['shown']} of {events}"
    return f"{words}; {shown['finer']} shows {shown['finer_shown']}" if "finer" in shown else words
