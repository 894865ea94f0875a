"""`lft parse`: what one response reports."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click

from lft.core.errors import InputError, unknown_name
from lft.core.files import read_text


@click.command()
@click.option("--rule", default="ledger", show_default=True, help="ledger or mentions.")
@click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout.")
@click.argument("file", metavar="[FILE|-]", default="-")
def parse(rule: str, as_json: bool, file: str) -> None:
    """Reported events and final answer of the response in FILE, or on standard input."""
    from lft.counting.parse import RULES
    from lft.counting.parse import parse as reported_by
    from lft.counting.report import Reported

    if rule not in RULES:
        raise unknown_name("rule", rule, RULES, where="--rule")
    result = reported_by(_text(file), rule)
    events = result.events if isinstance(result, Reported) else ()
    final_answer = result.final_answer if isinstance(result, Reported) else None
    if as_json:
        rows = [{"time_s": e.time_s, "end_s": e.end_s, "covers": e.covers, "label": e.label} for e in events]
        click.echo(json.dumps({"events": rows, "final_answer": final_answer, "reason": result.reason}))
        return
    if events:
        click.echo(f"{'time_s':>10}  {'end_s':>10}  {'covers':>6}  label")
    for event in events:
        end_s = "" if event.end_s is None else f"{event.end_s:.3f}"
        label = "".join(c if c.isprintable() else " " for c in event.label or "")
        click.echo(f"{event.time_s:>10.3f}  {end_s:>10}  {event.covers:>6}  {label}")
    click.echo(f"events: {len(events)}, final answer: {'none' if final_answer is None else final_answer}")
    if result.reason:
        click.echo(f"reason: {result.reason}")


def _text(file: str) -> str:
    if file != "-":
        return read_text(Path(file))
    if sys.stdin is None:  # closed by whoever called
        raise InputError("is closed", where="standard input", remedy="a FILE, or text on standard input")
    try:
        written: bytes = sys.stdin.buffer.read()
        return written.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError("not UTF-8 text", where="standard input", remedy="a response in UTF-8") from error
