"""The lines of a run: what is stored of a request, an answer and a failed call; checks of untrusted lines and
manifests. Their types are in `lft.core.records`.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Mapping
from typing import cast

import msgspec

from lft.core.conditions import item_of
from lft.core.errors import InputError, shown
from lft.core.failure_kinds import KINDS, kind_of_ending
from lft.core.records import (
    ANSWERED,
    DONE,
    ERROR,
    NOT_APPLICABLE,
    RECORDED,
    Entries,
    Failure,
    JsonObject,
    KeyPart,
    Line,
    LinePart,
    Manifest,
    Name,
    Numbers,
    Tokens,
)
from lft.core.requests import Images, ModelError, NotApplicable, Request, Response, Usage, Video
from lft.core.trials import Done

_EXPECTED = "a run of `lft sweep`"
_REMEDY = "deleting the line, then the same `lft sweep`, which asks again"

_LONGEST_MESSAGE = 500  # characters of a provider's error that are kept


def supplied(request: Request) -> LinePart:
    """The stored part of a request: hash of the words, exact times of evidence frames, whether a video is evidence,
    number of images (by purpose, if not all are evidence), and the suite's `kept`.
    """
    times: list[float] = []
    for part in request.parts:
        if isinstance(part, Images) and part.purpose == "evidence":
            times += [round(float(t), 6) for t in part.frames.times_s]
    words = "\x00".join((request.system or "", request.text))
    pictures = request.pictures
    videos = Counter[str](part.purpose for part in request.parts if isinstance(part, Video))
    others = (pictures.keys() | videos.keys()) - {"evidence"}
    line: LinePart = {
        "prompt_sha256": hashlib.sha256(words.encode("utf-8", "replace")).hexdigest(),
        "frame_times_s": times,
        "images": pictures.total(),
        "native": "evidence" in videos,
    }
    if others:
        line |= {"pictures": _counts(pictures), "videos": _counts(videos)}
    if request.kept:
        line["kept"] = dict(request.kept)
    return line


def _counts(purposes: Mapping[str, int]) -> dict[str, float | None]:
    return dict(purposes)


def done_line(done: Done) -> LinePart:
    """The last line of a trial: its end, and the suite's `kept`."""
    return {"status": DONE, "end": done.how, **({"kept": dict(done.kept)} if done.kept else {})}


def response_of(line: LinePart) -> Response:
    """The answer in a line, from which the next request is made."""
    return Response(
        str(line.get("text") or ""), str(line.get("finish_reason") or "stop"), usage_of(line),
        line.get("model_version"), line.get("sent") or {}, line.get("cost_usd"),
    )  # fmt: skip


def usage_of(line: LinePart) -> Usage:
    """The tokens in a line."""
    counted: JsonObject = {**(line.get("usage") or {})}
    return Usage(**{name: n for name, n in counted.items() if name in Usage.__dataclass_fields__})


def answered_line(response: Response, *, free: bool) -> LinePart:
    """The line of an answer; raises `ModelError` for a reply that did not end by itself or cannot be stored."""
    kind = kind_of_ending(response.finish_reason)
    if kind is not None and isinstance(response.finish_reason, str):
        said = shown(response.finish_reason)
        raise ModelError(kind, f"{KINDS[kind].words} (finish reason {said})", reply=response, stops=False)
    line: LinePart = {
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
        raise ModelError("bad_reply", f"the reply cannot be stored: {error.what}", reply=paid) from None
    return line


def failed_line(error: ModelError, *, free: bool = False, stops: bool = False) -> LinePart:
    """The line of a failed attempt, with its partial text, usage and cost if there are any."""
    failure: Failure = {"kind": error.kind, "message": str(error)[:_LONGEST_MESSAGE]}
    if error.retry_after_s is not None:
        failure["retry_after_s"] = error.retry_after_s
    if error.is_down:
        failure["is_down"] = True
    if stops:
        failure["stops"] = True
    line: LinePart = {"status": ERROR, "error": failure}
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
    except InputError:  # the partial reply cannot be stored
        return {"status": ERROR, "error": failure}
    return line


def not_applicable_line(reason: NotApplicable) -> LinePart:
    """The line of a condition that the model cannot take, with the limit."""
    line: LinePart = {"status": NOT_APPLICABLE, "reason": str(reason)[:_LONGEST_MESSAGE]}
    return line | ({"limit": reason.limit} if reason.limit else {})


def _used(response: Response) -> Tokens:
    used: JsonObject = {
        k: dict(v) if isinstance(v, Mapping) else v
        for k, v in vars(response.usage).items()
        if v not in (None, {})
    }
    return cast(Tokens, used)


def hashes_in(manifest: Entries) -> dict[str, str]:
    """{manifest entry with the hashes of the items: name of an item}, or {}.

    >>> hashes_in({"trials": {"t": {"house": "3b", "model": "m"}}})
    {'houses': 'house'}
    """
    trials = manifest.get("trials")
    key = next(iter(trials.values()), None) if isinstance(trials, Mapping) else None
    item = item_of(key) if isinstance(key, Mapping) else None
    return {f"{item}s": item} if item and f"{item}s" not in Manifest.__annotations__ else {}


def check_manifest(manifest: JsonObject, *, where: object) -> None:
    """Raises `InputError` for an entry of a manifest with the wrong type."""
    _check(manifest, Manifest, where, expected=_EXPECTED)
    for name in (name for name in manifest if name.endswith("_folder")):
        _check({name: manifest[name]}, dict[str, Name | None], where, expected=_EXPECTED)
    for trial in manifest.get("trials", {}).values():
        if not _is_key(trial):
            raise InputError(f"trials is {shown(manifest['trials'])}", where=where, expected=_EXPECTED)
    for name in hashes_in(manifest):
        _check({name: manifest.get(name)}, dict[str, dict[str, str] | None], where, expected=_EXPECTED)


def check_line(line: Entries, *, where: object) -> Line:
    """The line; raises `InputError` for a line without trial and key, or with an entry of the wrong type.

    >>> check_line({"trial": "t", "key": {"turn": "first"}}, where="responses.jsonl:3")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    lft.core.errors.InputError: responses.jsonl:3: key is {'turn': 'first'}; try deleting the line, ...
    """
    if not isinstance(line.get("trial"), str) or not isinstance(line.get("key"), Mapping):
        raise InputError(f"a line without trial and key: {shown(line)}", where=where, remedy=_REMEDY)
    _check(line, Line, where, remedy=_REMEDY)
    if not _is_key(line["key"]):
        raise InputError(f"key is {shown(line['key'])}", where=where, remedy=_REMEDY)
    return cast(Line, line)


def check_place(line: Line, manifest: Manifest, *, where: object) -> Line:
    """The line; raises `InputError` if its trial, key or turn is not in the manifest.

    What a manifest does not list (trials, the prompt) is not checked.

    >>> key = {"item": "c", "prompt": "p"}
    >>> line = {"trial": "t", "key": {**key, "item": "d", "turn": 0}}
    >>> check_place(line, {"trials": {"t": key}}, where="responses.jsonl:3")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    lft.core.errors.InputError: responses.jsonl:3: item is 'd', but of trial 't' it is 'c'; try deleting ...
    """
    trials, key = manifest.get("trials") or {}, line["key"]
    if trials and line["trial"] not in trials:
        what = f"the trial {shown(line['trial'])} is not in the run's manifest"
        raise InputError(what, where=where, remedy=_REMEDY)
    for name, planned in trials.get(line["trial"], {}).items():
        if name != "turn" and key.get(name) != planned:
            what = f"{name} is {shown(key.get(name))}, but of trial {shown(line['trial'])} it is {shown(planned)}"
            raise InputError(what, where=where, remedy=_REMEDY)
    prompt = (manifest.get("prompts") or {}).get(key.get("prompt", ""))
    fixed = prompt and manifest.get("ends") != RECORDED and line.get("status") != "done"
    if prompt and fixed and key.get("turn", 0) >= prompt.get("turns", 1):
        what = f"turn is {key['turn']}, but the prompt has {prompt.get('turns', 1)}, from 0 on"
        raise InputError(what, where=where, remedy=_REMEDY)
    return line


def encoded(line: Line, *, where: object = None) -> bytes:
    """A line as it is written. Raises `InputError` for one that `check_line` would refuse when it is read."""
    check_line(line, where=where)
    try:
        data = (json.dumps(line, ensure_ascii=False, allow_nan=False) + "\n").encode("utf-8", "surrogatepass")
        # Lone surrogates are not UTF-8: write them as escapes.
        if b"\xed" in data:
            data = (json.dumps(line, ensure_ascii=True, allow_nan=False) + "\n").encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise InputError(f"cannot be written as JSON ({error})", where=where) from None
    return data


def _is_key(value: Entries) -> bool:
    try:
        msgspec.convert(value, dict[str, KeyPart])
        msgspec.convert(value, Numbers)
    except (msgspec.ValidationError, OverflowError):
        return False
    return True


def _check(
    entries: Entries, kind: object, where: object, *, expected: str | None = None, remedy: str | None = None
) -> None:
    """Raises `InputError` for the first entry that does not match the type `kind`."""
    try:
        msgspec.convert(entries, kind)
    except (msgspec.ValidationError, OverflowError) as error:
        at = re.search(r"`\$\.(\w+)", str(error)) or re.search(r"field `(\w+)`", str(error))
        name = at[1] if at else next(iter(entries))
        what = f"{name} is {shown(entries.get(name))}"
        raise InputError(what, where=where, expected=expected, remedy=remedy) from None
