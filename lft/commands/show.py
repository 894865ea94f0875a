"""`lft show`: what was sent in one trial, what came back, and what had happened."""

from __future__ import annotations

import difflib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from lft.core.errors import InputError, shown
from lft.core.runs import ANSWERED, NOT_APPLICABLE, Run
from lft.core.terminal import printable, width

_MOST_LISTED, _MOST_EVENTS = 30, 100


@click.command()
@click.argument("run_folder", metavar="RUN", type=click.Path(path_type=Path))
@click.argument("trial_id", metavar="[TRIAL]", required=False)
@click.option(
    "--out", type=click.Path(path_type=Path), help="Folder for the contact sheet; the run's own by default."
)
@click.option("--rule", default="ledger", show_default=True, help="Extraction rule: ledger or mentions.")
@click.option("--tolerance", default="rate", show_default=True, help="rate (1 / 2F) or a number of seconds.")
@click.option(
    "--clips", "clips_folder", type=click.Path(path_type=Path), help="The clips, if they have moved."
)
@click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout.")
def show(
    run_folder: Path,
    trial_id: str | None,
    out: Path | None,
    rule: str,
    tolerance: str,
    clips_folder: Path | None,
    as_json: bool,
) -> None:
    """What was sent in one trial, what came back, and how that compares with what happened.

    TRIAL is the trial's id in responses.jsonl, or a part of it that only one trial has; without it the trials are
    listed. The words are rendered from the prompts that the run keeps, and checked against the hash of what was
    sent; the frames of the recorded times are put on a contact sheet.
    """
    from lft.counting.metrics import tolerance_s
    from lft.counting.scores import checked_rule
    from lft.counting.trial_as_sent import shown_trial

    tolerance_s(tolerance, 1.0)
    checked_rule(rule)
    run = Run.open(run_folder)
    if trial_id is None:
        listed = _listed(run)
        click.echo(json.dumps({"run": str(run.folder), "trials": listed}) if as_json else _list(run, listed))
        return
    trial = _find(run, trial_id)
    lines = [line for line in run.lines() if line["trial"] == trial]
    if not lines:
        what, remedy = "was not asked yet", "lft sweep, then again"
        if run.manifest.get("imported"):
            what, remedy = "came without an answer", "importing one"
        raise InputError(f"{shown(trial)} {what}", where=run_folder, remedy=remedy)
    folder = out or run.folder / "shown"
    try:
        document = shown_trial(run, trial, lines, clips_folder, folder, rule=rule, tolerance=tolerance)
    except InputError:
        raise
    except (AttributeError, KeyError, TypeError, ValueError, OverflowError) as error:
        what = f"is not a run that can be shown ({type(error).__name__}: {error})"
        raise InputError(what, where=run_folder, remedy="a run of lft sweep") from None
    click.echo(json.dumps(document) if as_json else printable_lines(told(document)))


def _listed(run: Run) -> list[dict[str, str]]:
    """Every trial, planned or asked, and how far it is: answered, not_applicable, failed or not_asked."""
    status = dict.fromkeys(run.trials(), "not_asked")
    for line in run.lines():
        settled = line.get("status") in (ANSWERED, NOT_APPLICABLE)
        if settled or status.get(line["trial"], "not_asked") == "not_asked":
            status[line["trial"]] = str(line["status"]) if settled else "failed"
    return [{"trial": trial, "status": how} for trial, how in status.items()]


def _list(run: Run, listed: Sequence[Mapping[str, str]]) -> str:
    lines = [f"{one['status']:<15} {printable(one['trial'])}" for one in listed[:_MOST_LISTED]]
    if len(listed) > _MOST_LISTED:
        lines.append(f"and {len(listed) - _MOST_LISTED} more (--json has all)")
    if listed:
        lines.append(f"next: lft show {run.folder} '{printable(listed[0]['trial'])}'")
    return "\n".join(lines or [f"{run.folder} has no trials"])


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
    remedy = ", ".join(nearest) or "a run with trials"
    raise InputError(f"unknown trial {shown(wanted)}", where=run.folder, remedy=remedy)


def told(document: Mapping[str, Any]) -> str:
    """What `shown_trial` found, for people."""
    lines = [
        f"trial    {document['trial']}",
        f"model    {document['model']}"
        + (f" ({document['model_version']})" if document["model_version"] else ""),
        f"given    {_given(document)}",
        f"sent     {json.dumps(document['sent'], ensure_ascii=False)}",
    ]
    if document["frame_times_s"]:
        lines.append("times    " + " ".join(f"{t:.3f}" for t in document["frame_times_s"]) + " s")
    if document["provider_clock"]:
        lines.append(f"clock    {document['provider_clock']}")
    lines.append(f"words    {document['words_check']}")
    if document["system"]:
        lines += ["", "--- system", document["system"]]
    for turn in document["turns"]:
        lines += ["", f"--- asked ({turn['turn'] + 1})", turn["asked"]]
        for attempt in turn["attempts"]:
            lines.append(f"\n--- {attempt['status']}{_how(attempt)}")
            lines += _said(attempt, document["judged"])
    lines += ["", *_judged(document["judged"])]
    if document["sheet"]:
        lines += ["", f"contact sheet: {document['sheet']}"]
    if document["frames"]:
        lines.append(f"frames: {document['frames']} (index, time, hash of the pixels)")
    return "\n".join(lines)


def _said(attempt: Mapping[str, Any], judged: Mapping[str, Any]) -> list[str]:
    """What came back; under the answer that counts, marks of what was read as events and of what is in doubt."""
    from lft.counting.settling.marks import marked_lines

    if not attempt.get("counts") or not (judged["reported"] or judged["doubts"]):
        return [attempt["text"]]
    spans = [[tuple(one["span"]) for one in judged[name]] for name in ("reported", "doubts")]
    lines = marked_lines(attempt["text"], *spans, width=max(60, width()))
    if judged["reading"] != "program":
        lines.append(f"read by: {judged['reading']}")
    lines += [f"? {one['code']}: {printable(one['detail'] or one['meaning'])}" for one in judged["doubts"]]
    return lines


def _judged(judged: Mapping[str, Any]) -> list[str]:
    """What happened beside what was reported, in order of time, and the verdict."""
    own = "1/(2F)" if judged.get("regular", True) else "each event's own tolerance"
    within = own if judged["tolerance"] == "rate" else f"{judged['tolerance']} s"
    lines = [f"--- what happened, what was reported (rule {judged['rule']}, within {within})"]
    by_true = {true: said for said, true, _ in judged["pairs"]}
    rows = []
    for index, event in enumerate(judged["true"]):
        what = event["type"] + (f" {event['from']} -> {event['to']}" if event["from"] != event["to"] else "")
        report = judged["reported"][by_true[index]] if index in by_true else None
        rows.append((event["time_s"], _row(event["time_s"], what, report, event["fate"])))
    for index, report in enumerate(judged["reported"]):
        if index not in by_true.values():
            rows.append((report["time_s"], _row(None, "-", report, "")))
    if rows:
        lines.append(f"{'true s':>8}  {'reported s':>10}  {'apart s':>8}  {'':<13}  event | reported as")
    lines += [row for _, row in sorted(rows, key=lambda one: one[0])][:_MOST_EVENTS]
    if len(rows) > _MOST_EVENTS:
        lines.append(f"and {len(rows) - _MOST_EVENTS} more (--json has all)")
    lines.append(_verdict(judged))
    return lines


def _row(true_s: float | None, what: str, report: Mapping[str, Any] | None, fate: str) -> str:
    label = ""
    if report is not None:
        covers = f" (covers {report['covers']})" if report["covers"] > 1 else ""
        label, fate = f"{report['label'] or '-'}{covers}", report["fate"]
    said_s = None if report is None else report["time_s"]
    times = [f"{'-' if t is None else f'{t:.3f}':>{w}}" for t, w in ((true_s, 8), (said_s, 10))]
    apart = "-" if true_s is None or said_s is None else f"{said_s - true_s:+.3f}"
    words = f"{'  '.join(times)}  {apart:>8}  {fate:<13}  {printable(what)}" + (
        f" | {printable(label)}" if label else ""
    )
    return words if len(words) <= width() else words[: width() - 1] + "…"


def _verdict(judged: Mapping[str, Any]) -> str:
    if judged["correct"] is None:
        return f"N = {judged['count']}; no complete answer yet"
    answer = "no final answer" if judged["final_answer"] is None else f"answer {judged['final_answer']}"
    reason = f" ({printable(judged['reason'])})" if judged["reason"] else ""
    verdict = "right" if judged["correct"] else f"wrong, {judged['cause'] or 'cause unknown'}"
    parts = [f"N = {judged['count']}, {answer}{reason}: {verdict}"]
    if judged["f1"] is not None:
        parts.append(f"F1 {judged['f1']:.3f}")
    if judged["count"] and judged["evident"] is not None:
        parts.append(f"evidence of {judged['evident']} in the supplied frames")
    return "; ".join(parts)


def _given(document: Mapping[str, Any]) -> str:
    key = document["key"]
    if document["native"]:
        return f"{key.get('clip')}, the video itself; the sheet shows one frame each second"
    if key.get("sampling") == "unknown" and not document["frame_times_s"]:
        return f"{key.get('clip')}; which frames were supplied is not known"
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


def printable_lines(text: str) -> str:
    """Untrusted words for a terminal: control characters are shown, not obeyed."""
    return "".join(c if c.isprintable() or c == "\n" else repr(c)[1:-1] for c in text)
