"""`lft show` for a trial of this suite: request, answer, and the truth."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from lft.core.errors import InputError
from lft.core.records import Entries
from lft.core.runs import Run
from lft.core.suite import Told
from lft.core.terminal import printable, printable_lines, width

_MOST_EVENTS = 100


def shown(run: Run, trial: str, out: Path | None, options: Entries) -> Told:
    """One trial, its answer read by `rule` and paired within `tolerance`.

    The words are rendered from the stored prompts and checked against the stored hash; the
    frames of the recorded times are put on a contact sheet in `out`, by default the run's folder `shown`.
    """
    from lft.counting.metrics import tolerance_s
    from lft.counting.scores import checked_rule
    from lft.counting.trial_as_sent import shown_trial

    rule, tolerance = options["rule"], options["tolerance"]
    tolerance_s(tolerance, 1.0)
    checked_rule(rule)
    lines = [line for line in run.lines() if line["trial"] == trial]
    folder, clips = out or run.folder / "shown", options.get("clips_folder")
    try:
        document = shown_trial(run, trial, lines, clips, folder, rule=rule, tolerance=tolerance)
    except InputError:
        raise
    except (AttributeError, KeyError, TypeError, ValueError, OverflowError) as error:
        what = f"is not a run that can be shown ({type(error).__name__}: {error})"
        raise InputError(what, where=run.folder, expected="a run of lft sweep") from None
    return Told(document, printable_lines(told(document)))


def told(document: Entries) -> str:
    """The result of `shown_trial` as text."""
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


def _said(attempt: Entries, judged: Entries) -> list[str]:
    """The answers; under the scored one, marks of events and of text in doubt."""
    from lft.counting.settling.marks import marked_lines

    if not attempt.get("counts") or not (judged["reported"] or judged["doubts"]):
        return [attempt["text"]]
    spans = [[tuple(one["span"]) for one in judged[name]] for name in ("reported", "doubts")]
    lines = marked_lines(attempt["text"], *spans, width=max(60, width()))
    if judged["reading"] != "program":
        lines.append(f"read by: {judged['reading']}")
    lines += [f"? {one['code']}: {printable(one['detail'] or one['meaning'])}" for one in judged["doubts"]]
    return lines


def _judged(judged: Entries) -> list[str]:
    """True and reported events in order of time, and the verdict."""
    from lft.counting.audit.ceiling import proof_words

    own = "1/(2F)" if judged.get("regular", True) else "each event's own tolerance"
    within = own if judged["tolerance"] == "rate" else f"{judged['tolerance']} s"
    lines = [f"--- what happened, what was reported (rule {judged['rule']}, within {within})"]
    by_true = {true: said for said, true, _ in judged["pairs"]}
    rows = []
    for index, event in enumerate(judged["true"]):
        what = event["type"] + (f" {event['from']} -> {event['to']}" if event["from"] != event["to"] else "")
        if event["proved_by_s"]:
            what += f" ({proof_words(event['proved_by_s'])})"
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


def _row(true_s: float | None, what: str, report: Entries | None, fate: str) -> str:
    label = ""
    if report is not None:
        covers = f" (covers {report['covers']})" if report["covers"] > 1 else ""
        label, fate = f"{report['label'] or '-'}{covers}", report["fate"]
    said_s = None if report is None else report["time_s"]
    times = [f"{'-' if t is None else f'{t:.3f}':>{w}}" for t, w in ((true_s, 8), (said_s, 10))]
    apart = "-" if true_s is None or said_s is None else f"{said_s - true_s:+z.3f}"
    words = f"{'  '.join(times)}  {apart:>8}  {fate:<13}  {printable(what)}" + (
        f" | {printable(label)}" if label else ""
    )
    return words if len(words) <= width() else words[: width() - 1] + "…"


def _verdict(judged: Entries) -> str:
    from lft.counting.audit.ceiling import UNKNOWN

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
    elif judged["count"] and judged["evident_unknown"]:
        parts.append(UNKNOWN[judged["evident_unknown"]])
    return "; ".join(parts)


def _given(document: Entries) -> str:
    key = document["key"]
    if document["native"]:
        return f"{key.get('clip')}, the video itself; the sheet shows one frame each second"
    if key.get("sampling") == "unknown" and not document["frame_times_s"]:
        return f"{key.get('clip')}; which frames were supplied is not known"
    if not document["frame_times_s"]:
        return f"{key.get('clip')}, {key.get('sampling')}: no frame was supplied"
    count = len(document["frame_times_s"])
    return f"{key.get('clip')}, {key.get('sampling')}, labels {key.get('labels')}: {count} frames"


def _how(attempt: Entries) -> str:
    said = [
        f"{name} {attempt[name]}"
        for name in ("attempt", "latency_s", "finish_reason")
        if attempt.get(name) is not None
    ]
    usage = attempt.get("usage") or {}
    said += [f"{name} {value}" for name, value in usage.items() if not isinstance(value, Mapping)]
    return f" ({', '.join(said)})" if said else ""
