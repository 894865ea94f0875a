"""The lines of a run: what is kept of a request, an answer, and a call that came to nothing."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping
from typing import Any

from lft.core.errors import InputError, shown
from lft.core.failure_kinds import KINDS, kind_of_ending
from lft.core.requests import Images, ModelError, NotApplicable, Request, Response, Usage, Video
from lft.core.run_entries import encoded
from lft.core.runs import ANSWERED, DONE, ERROR, NOT_APPLICABLE
from lft.core.trials import Done

_LONGEST_MESSAGE = 500  # characters of a provider's error that are kept


def supplied(request: Request) -> dict[str, Any]:
    """What of the request a run keeps: the hash of the words, the exact times of the frames that are evidence, whether
    a video is, how many images there are (and images and videos for each purpose, where there is another than
    evidence), and what the suite keeps.
    """
    times: list[float] = []
    for part in request.parts:
        if isinstance(part, Images) and part.purpose == "evidence":
            times += [round(float(t), 6) for t in part.frames.times_s]
    words = "\x00".join((request.system or "", request.text))
    pictures = request.pictures
    videos = Counter(part.purpose for part in request.parts if isinstance(part, Video))
    others = (pictures.keys() | videos.keys()) - {"evidence"}
    return {
        "prompt_sha256": hashlib.sha256(words.encode("utf-8", "replace")).hexdigest(),
        "frame_times_s": times,
        "images": pictures.total(),
        **({"pictures": dict(pictures), "videos": dict(videos)} if others else {}),
        "native": "evidence" in videos,
        **({"kept": dict(request.kept)} if request.kept else {}),
    }


def done_line(done: Done) -> dict[str, Any]:
    """The last line of a trial: how it ended, and what the suite keeps of it."""
    return {"status": DONE, "end": done.how, **({"kept": dict(done.kept)} if done.kept else {})}


def response_of(line: Mapping[str, Any]) -> Response:
    """The answer that a line holds, as the next request is made from it: the same now and in a run that goes on."""
    usage = {k: v for k, v in (line.get("usage") or {}).items() if k in Usage.__dataclass_fields__}
    return Response(
        str(line.get("text") or ""), str(line.get("finish_reason") or "stop"), Usage(**usage),
        line.get("model_version"), line.get("sent") or {}, line.get("cost_usd"),
    )  # fmt: skip


def answered_line(response: Response, *, free: bool) -> dict[str, Any]:
    """What a line holds of an answer; raises `ModelError` for one that did not end, or no run could be read with."""
    kind = kind_of_ending(response.finish_reason)
    if kind is not None and isinstance(response.finish_reason, str):
        said = shown(response.finish_reason)
        raise ModelError(kind, f"{KINDS[kind].words} (finish reason {said})", reply=response, stops=False)
    line: dict[str, Any] = {
        "status": ANSWERED,
        "text": response.text,
        "finish_reason": response.finish_reason,
        "usage": _used(response),
        "cost_usd": 0.0 if free else response.cost_usd,
        "model_version": response.model_version,
        "sent": dict(response.sent),
    }
    try:
        if not isinstance(response.text, str):
            raise InputError(f"text is {shown(response.text)}")
        encoded({"trial": "", "key": {}, **line})
    except InputError as error:
        paid = Response("", usage=response.usage, cost_usd=line["cost_usd"])
        what = str(error).partition("; would work")[0]
        raise ModelError("bad_reply", f"no answer that a run can hold: {what}", reply=paid) from None
    return line


def failed_line(error: ModelError, *, free: bool = False) -> dict[str, Any]:
    """A failed attempt; with its partial text, and with usage and cost if the provider counted tokens for it."""
    line: dict[str, Any] = {
        "status": ERROR,
        "error": {"kind": error.kind, "message": str(error)[:_LONGEST_MESSAGE]},
    }
    if error.retry_after_s is not None:
        line["error"]["retry_after_s"] = error.retry_after_s
    if error.is_down:
        line["error"]["is_down"] = True
    reply = error.reply
    if reply is None:
        return line
    if isinstance(reply.text, str) and reply.text:
        line |= {"text": reply.text, "finish_reason": str(reply.finish_reason)}
    if _used(reply):
        line |= {
            "usage": _used(reply),
            "cost_usd": 0.0 if free else reply.cost_usd,
            "sent": dict(reply.sent),
        }
    try:
        encoded({"trial": "", "key": {}, **line})
    except InputError:  # what came beside the failure is no better than the failure
        return {name: line[name] for name in ("status", "error")}
    return line


def not_applicable_line(reason: NotApplicable) -> dict[str, Any]:
    """A condition that the model cannot be given now, and which of its limits stands against it."""
    line: dict[str, Any] = {"status": NOT_APPLICABLE, "reason": str(reason)[:_LONGEST_MESSAGE]}
    return line | ({"limit": reason.limit} if reason.limit else {})


def _used(response: Response) -> dict[str, Any]:
    return {
        k: dict(v) if isinstance(v, Mapping) else v
        for k, v in vars(response.usage).items()
        if v not in (None, {})
    }
