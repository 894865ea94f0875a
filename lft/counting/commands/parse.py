"""`lft parse`: the events and the final answer that one response reports."""

from __future__ import annotations

import json
import math
import sys
from dataclasses import asdict
from pathlib import Path

import click

from lft.core.errors import InputError
from lft.core.files import read_text
from lft.counting.commands.options import RULES


@click.command()
@click.option("--rule", type=RULES, default="ledger", show_default=True, help="Extraction rule.")
@click.option(
    "--duration",
    "duration_s",
    type=click.FloatRange(min=0, min_open=True),
    help="Length of the clip in seconds.",
)
@click.option(
    "--frame-times",
    help="Times of the supplied frames in seconds: a JSON list, or a file that holds one. Then 'Frame 12' is a time.",
)
@click.option(
    "--frames-from", type=click.IntRange(0, 1), help="Number beside the first frame, if frames were numbered."
)
@click.option("--noun", default="", help="The word for one event in the question, such as 'clap'.")
@click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout.")
@click.argument("file", metavar="[FILE|-]", default="-")
def parse(
    rule: str,
    duration_s: float | None,
    frame_times: str | None,
    frames_from: int | None,
    noun: str,
    as_json: bool,
    file: str,
) -> None:
    """Reported events, final answer and doubts of the response in FILE, or on standard input."""
    from lft.counting.parse import parse as reported_by
    from lft.counting.reported import Context, Reported

    text = _text(file)
    result = reported_by(text, rule, Context(duration_s, _times_s(frame_times), noun, frames_from))
    events = result.events if isinstance(result, Reported) else ()
    final_answer = result.final_answer if isinstance(result, Reported) else None
    if as_json:
        rows = [asdict(event) for event in events]
        doubts = [asdict(doubt) for doubt in result.doubts]
        document = {"events": rows, "final_answer": final_answer, "reason": result.reason, "doubts": doubts}
        click.echo(json.dumps(document))
        return
    if events:
        click.echo(f"{'time_s':>10}  {'end_s':>10}  {'covers':>6}  {'rule':<13}  label")
    for event in events:
        end_s = "" if event.end_s is None else f"{event.end_s:.3f}"
        label = _printable(event.label or "")
        click.echo(f"{event.time_s:>10.3f}  {end_s:>10}  {event.covers:>6}  {event.rule:<13}  {label}")
    click.echo(f"events: {len(events)}, final answer: {'none' if final_answer is None else final_answer}")
    if result.reason:
        click.echo(f"reason: {result.reason}")
    for doubt in result.doubts:
        start, end = doubt.span
        quoted = " ".join(_printable(text[start : min(end, start + 60)]).split())
        detail = f" ({doubt.detail})" if doubt.detail else ""
        click.echo(f"doubt: {doubt.code}{detail}, characters {start}-{end}: {quoted}")


def _printable(text: str) -> str:
    return "".join(c if c.isprintable() else " " for c in text)


def _times_s(written: str | None) -> tuple[float, ...] | None:
    """The times of frames: a JSON list, or a file with one."""
    if written is None:
        return None
    where = "--frame-times"
    if not written.lstrip().startswith("["):
        where, written = written, read_text(Path(written))
    try:
        times = json.loads(written)
    except ValueError:
        times = None
    if not isinstance(times, list) or not all(
        isinstance(t, int | float) and not isinstance(t, bool) and 0 <= t < math.inf for t in times
    ):
        raise InputError(
            "not a list of times", where=where, expected="a JSON list of seconds, as [0.0, 1.0, 2.0]"
        )
    return tuple(float(t) for t in times)


def _text(file: str) -> str:
    if file != "-":
        return read_text(Path(file))
    if sys.stdin is None:  # closed by whoever called
        raise InputError("is closed", where="standard input", expected="a FILE, or text on standard input")
    try:
        written: bytes = sys.stdin.buffer.read()
        return written.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError("not UTF-8 text", where="standard input", expected="a response in UTF-8") from error
