"""`lft observe`: events that the embedded observer finds in one video."""

from __future__ import annotations

import json
from pathlib import Path

import click

from lft.core.errors import InputError
from lft.core.terminal import printable
from lft.counting.domains import BUILT_IN


@click.command()
@click.argument("video", type=click.Path(path_type=Path))
@click.option(
    "--domain",
    required=True,
    help=f"What to look for: {', '.join(BUILT_IN)}, or a domain of another package.",
)
@click.option(
    "--sampling", default="native", show_default=True, help="native, fps:K, frames:K or keyframes:W."
)
@click.option(
    "--trace", "trace_path", type=click.Path(path_type=Path), help="The clip's trace, for keyframes:W."
)
@click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout.")
def observe(video: Path, domain: str, sampling: str, trace_path: Path | None, as_json: bool) -> None:
    """Find the events of a domain in VIDEO, using only the frames that --sampling supplies."""
    from lft.core.video.frames import Sampling, sample
    from lft.core.video.media import Media
    from lft.counting.domains import domain as known_domain
    from lft.counting.observer import observe as watch
    from lft.counting.trace import Trace

    known_domain(domain)
    policy = Sampling.parse(sampling)
    if policy.needs_moments and trace_path is None:
        raise InputError(f"{sampling} chooses frames by the true event times", remedy="--trace FILE")
    media = Media.open(video)
    for remark in media.remarks():
        click.echo(f"lft: {printable(video.name)}: {remark}", err=True)
    times_s = Trace.read(trace_path).times_s if trace_path is not None and policy.needs_moments else ()
    frames = sample(media, policy, times_s)
    seen = watch(frames, domain)
    if as_json:
        rows = zip(seen.event_times_s, seen.labels, seen.positions, strict=True)
        document = {
            "events": [{"time_s": round(t, 6), "label": label, "frame_position": p} for t, label, p in rows],
            "final_answer": None if seen.unfit else seen.final_answer,
            "unfit": seen.unfit,
            "frame_times_s": [round(float(t), 6) for t in frames.times_s],
        }
        click.echo(json.dumps(document))
        return
    if seen.unfit is not None:
        click.echo(f"not a clip of {domain}: {seen.unfit}")
        return
    for count, (time_s, label) in enumerate(zip(seen.event_times_s, seen.labels, strict=True), start=1):
        click.echo(f"{count:3d}  {time_s:8.3f} s  {label}")
    click.echo(f"{seen.final_answer} events in {len(frames)} frames")
