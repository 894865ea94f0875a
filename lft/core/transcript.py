"""One trial of a run as a conversation: its requests, reconstructed from the stored answers and compared with
the recorded hashes; its pictures on contact sheets.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from lft.core.errors import InputError
from lft.core.errors import shown as shown_value
from lft.core.records import Entries, JsonObject, Line
from lft.core.requests import Images, Message, ModelError, NotApplicable, Request
from lft.core.run_lines import response_of, supplied
from lft.core.runs import ANSWERED, DONE, NOT_APPLICABLE, Run
from lft.core.suite import Study, Told
from lft.core.terminal import printable_lines
from lft.core.trials import Done, Trial, release
from lft.core.video.contact_sheet import write_sheet
from lft.core.video.frames import Frames


def shown(study: Study, run: Run, trial_id: str, out: Path) -> Told:
    """The trial as a document and as text; writes contact sheets of the pictures of its last request into `out`."""
    model = run.manifest.get("model") or {}
    trial = next((t for t in study.trials(str(model.get("name"))) if t.id == trial_id), None)
    if trial is None:
        what = f"the sweep of this run no longer has the trial {shown_value(trial_id)}"
        raise InputError(what, where=run.folder, remedy="the version of the suite with which the run began")
    lines = [line for line in run.lines() if line["trial"] == trial_id]
    episode = run.episodes().get(trial_id)
    answers = episode.answers if episode else ()
    requests = _played(trial, answers)
    sheets = _sheets(requests[-1], out / re.sub(r"[^\w.+-]+", "_", trial_id)[:120]) if requests else []
    document = {
        "trial": trial_id,
        "key": dict(trial.key),
        "model": model.get("name"),
        "parameters": {k: v for k, v in model.items() if k != "spec"},
        "status": episode.status if episode else "missing",
        "end": episode.end if episode else None,
        "kept": dict(episode.kept) if episode else {},
        "system": requests[0].system if requests else None,
        "turns": _turns(requests, lines),
        "words_check": _check(requests, lines),
        "sheets": [str(path) for path in sheets],
    }
    return Told(document, printable_lines(_text(document)))


def _played(trial: Trial, answers: Sequence[Line]) -> list[Request]:
    """The requests of a trial, as far as it has answers, and the one after them."""
    requests = []
    responses = [response_of(line) for line in answers]
    try:
        for count in range(len(responses) + 1):
            request = trial.next(tuple(responses[:count]))
            if isinstance(request, Done):
                break
            requests.append(request)
    except (NotApplicable, ModelError):
        pass  # the lines have the reason
    finally:
        release(trial)
    return requests


def _turns(requests: Sequence[Request], lines: Sequence[Line]) -> list[JsonObject]:
    turns: list[JsonObject] = [
        {"turn": k, "asked": _new_words(request), "pictures": dict(request.pictures), "attempts": []}
        for k, request in enumerate(requests)
    ]
    for line in lines:
        number = int(line["key"].get("turn", 0))
        if line.get("status") == DONE and "reason" not in line:
            continue
        while len(turns) <= number:
            turns.append({"turn": len(turns), "asked": "", "pictures": {}, "attempts": []})
        error = line.get("error")
        why = line.get("reason") or (error and error.get("message"))
        said = line.get("text") if line.get("status") == ANSWERED else why
        status = "not applicable" if line.get("status") in (NOT_APPLICABLE, DONE) else line.get("status")
        details = {
            k: line.get(k) for k in ("attempt", "latency_s", "finish_reason", "usage", "cost_usd", "kept")
        }
        turns[number]["attempts"].append(
            {"status": error["kind"] if error else status, "text": str(said or ""), **details}
        )
    return [turn for turn in turns if turn["asked"] or turn["attempts"]]


def _new_words(request: Request) -> str:
    """The last text of the user."""
    last: Message = request.messages[-1] if request.messages else Message("user", ())
    return last.text


def _check(requests: Sequence[Request], lines: Sequence[Line]) -> str:
    recorded = {
        int(line["key"].get("turn", 0)): line["prompt_sha256"] for line in lines if line.get("prompt_sha256")
    }
    for turn, sha256 in recorded.items():
        if turn >= len(requests):
            return f"cannot be made again: the trial now ends before turn {turn + 1}"
        if supplied(requests[turn])["prompt_sha256"] != sha256:
            return f"are NOT those that were sent: the hash of turn {turn + 1} differs from the recorded one"
    return "are those that were sent (hash agrees)" if recorded else "were not recorded"


def _sheets(request: Request, stem: Path) -> list[Path]:
    """A contact sheet for each purpose and size of picture, in order."""
    groups: dict[tuple[str, tuple[int, ...]], tuple[list[np.ndarray], list[str]]] = {}
    for part in request.parts:
        if not isinstance(part, Images):
            continue
        for position, picture in enumerate(part.frames.pictures()):
            pictures, words = groups.setdefault((part.purpose, picture.shape), ([], []))
            pictures.append(picture)
            words.append(f"{part.purpose} {len(words) + 1}" + (f" {part.label(position) or ''}".rstrip()))
    paths = []
    for number, ((purpose, _), (pictures, words)) in enumerate(groups.items(), start=1):
        path = stem.with_name(f"{stem.name}.{number}-{purpose}.png")
        write_sheet(path, Frames.of_pixels(np.stack(pictures), list(range(len(pictures)))), words)
        paths.append(path)
    return paths


def _text(document: Entries) -> str:
    end = document["end"] or document["status"]
    kept = f", {json.dumps(document['kept'], ensure_ascii=False)}" if document["kept"] else ""
    lines = [
        f"trial    {document['trial']}",
        f"model    {document['model']}",
        f"end      {end}{kept}",
        f"words    {document['words_check']}",
    ]
    if document["system"]:
        lines += ["", "--- system", document["system"]]
    for turn in document["turns"]:
        shows = ", ".join(f"{k} {purpose}" for purpose, k in turn["pictures"].items())
        lines += ["", f"--- asked ({turn['turn'] + 1})" + (f", pictures so far: {shows}" if shows else "")]
        lines.append(turn["asked"])
        for attempt in turn["attempts"]:
            lines += ["", f"--- {attempt['status']}", attempt["text"]]
    lines += ["", *(f"contact sheet: {path}" for path in document["sheets"])]
    return "\n".join(lines).rstrip()
