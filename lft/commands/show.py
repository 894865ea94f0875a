"""`lft show`: what was sent in one trial, and what came back."""

from __future__ import annotations

import difflib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from lft.core.errors import InputError, shown
from lft.core.runs import Run


@click.command()
@click.argument("run_folder", metavar="RUN", type=click.Path(path_type=Path))
@click.argument("trial_id", metavar="TRIAL")
@click.option(
    "--out", type=click.Path(path_type=Path), help="Folder for the contact sheet; the run's own by default."
)
@click.option(
    "--clips", "clips_folder", type=click.Path(path_type=Path), help="The clips, if they have moved."
)
@click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout.")
def show(run_folder: Path, trial_id: str, out: Path | None, clips_folder: Path | None, as_json: bool) -> None:
    """What was sent in one trial: prompt, parameters, and the frames with their times as a contact sheet.

    TRIAL is the trial's id in responses.jsonl, or a part of it that only one trial has. The words are
    rendered from the prompts that the run keeps, and checked against the hash of what was sent; the frames
    are those of the recorded times.
    """
    from lft.counting.shown import shown_trial

    run = Run.open(run_folder)
    trial = _find(run, trial_id)
    lines = [line for line in run.lines() if line["trial"] == trial]
    if not lines:
        raise InputError(
            f"{shown(trial)} was not asked yet", where=run_folder, remedy="lft sweep, then again"
        )
    try:
        document = shown_trial(run, trial, lines, clips_folder, out or run.folder / "shown")
    except InputError:
        raise
    except (AttributeError, KeyError, TypeError, ValueError, OverflowError) as error:
        what = f"is not a run that can be shown ({type(error).__name__}: {error})"
        raise InputError(what, where=run_folder, remedy="a run of lft sweep") from None
    click.echo(json.dumps(document) if as_json else _told(document))


def _find(run: Run, wanted: str) -> str:
    known: dict[str, None] = dict.fromkeys([*run.trials(), *(line["trial"] for line in run.lines())])
    if wanted in known:
        return wanted
    near: list[str] = [name for name in known if wanted and wanted in name]
    if len(near) == 1:
        return near[0]
    if near:
        some = ", ".join(near[:4]) + (", ..." if len(near) > 4 else "")
        raise InputError(f"{shown(wanted)} fits {len(near)} trials", where=run.folder, remedy=some)
    nearest = difflib.get_close_matches(wanted, list(known), n=3, cutoff=0.0)
    raise InputError(f"unknown trial {shown(wanted)}", where=run.folder, remedy=", ".join(nearest))


def _told(document: Mapping[str, Any]) -> str:
    lines = [
        f"trial    {document['trial']}",
        f"model    {document['model']}"
        + (f" ({document['model_version']})" if document["model_version"] else ""),
        f"given    {_given(document)}",
        f"sent     {json.dumps(document['sent'], ensure_ascii=False)}",
    ]
    if document["frame_times_s"]:
        lines.append("times    " + " ".join(f"{t:.3f}" for t in document["frame_times_s"]) + " s")
    lines.append(f"words    {document['words_check']}")
    if document["system"]:
        lines += ["", "--- system", _printable(document["system"])]
    for turn in document["turns"]:
        lines += ["", f"--- asked ({turn['turn'] + 1})", _printable(turn["asked"])]
        for attempt in turn["attempts"]:
            lines.append(f"\n--- {attempt['status']}{_how(attempt)}")
            lines.append(_printable(attempt["text"]))
    if document["sheet"]:
        lines += ["", f"contact sheet: {document['sheet']}"]
    return "\n".join(lines)


def _given(document: Mapping[str, Any]) -> str:
    key = document["key"]
    if document["native"]:
        return f"{key.get('clip')}, the video itself; the sheet shows one frame each second"
    if not document["frame_times_s"]:
        return f"{key.get('clip')}, {key.get('sampling')}: no frame was supplied"
    count = len(document["frame_times_s"])
    return f"{key.get('clip')}, {key.get('sampling')}, labels {key.get('labels')}: {count} frames"


def _how(attempt: Mapping[str, Any]) -> str:
    said = [
        f"{name} {attempt[name]}"
        for name in ("attempt", "latency_s", "finish_reason")
        if attempt.get(name) is not None
    ]
    usage = attempt.get("usage") or {}
    said += [f"{name} {value}" for name, value in usage.items() if not isinstance(value, Mapping)]
    return f" ({', '.join(said)})" if said else ""


def _printable(text: str) -> str:
    """Untrusted words for a terminal: control characters are shown, not obeyed."""
    return "".join(c if c.isprintable() or c == "\n" else repr(c)[1:-1] for c in text)
