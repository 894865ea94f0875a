"""The entries of a run's manifest and lines, checked as they are read: a run may come from anyone.

Everything but `trial` and `key` may be absent, and null in a line; what is there is of its kind.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from lft.core.conditions import item_of
from lft.core.errors import InputError, shown
from lft.core.requests import is_cost as _number
from lft.core.requests import is_count
from lft.core.trials import MOST_TURNS

_REMEDY = "a run of `lft sweep`"
_LINE_REMEDY = "deleting the line, then the same `lft sweep`, which asks again"


def _text(value: Any) -> bool:
    return isinstance(value, str)


def _name(value: Any) -> bool:
    """Text that files and tables have a form for: no NUL, no lone surrogate."""
    return isinstance(value, str) and not any(c == "\0" or "\ud800" <= c <= "\udfff" for c in value)


def _mapping(value: Any) -> bool:
    return isinstance(value, Mapping)


def _mappings(value: Any) -> bool:
    return isinstance(value, Mapping) and all(isinstance(entry, Mapping) for entry in value.values())


def _texts(value: Any) -> bool:
    return isinstance(value, Mapping) and all(isinstance(entry, str) for entry in value.values())


def _whole(most: int) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= most


def _times(value: Any) -> bool:
    return isinstance(value, list) and all(map(_number, value))


def _counts(value: Any) -> bool:
    """Tokens: whole numbers, and a mapping of them by modality."""
    if not isinstance(value, Mapping):
        return False
    return all(_counts(n) if isinstance(n, Mapping) else is_count(n) for n in value.values() if n is not None)


def _failure(value: Any) -> bool:
    return (
        isinstance(value, Mapping)
        and isinstance(value.get("kind"), str)
        and isinstance(value.get("message", ""), str)
    )


def _prompts(value: Any) -> bool:
    return _mappings(value) and all(_whole(_MOST_TURNS)(prompt.get("turns", 1)) for prompt in value.values())


def _model(value: Any) -> bool:
    return isinstance(value, Mapping) and all(
        _kind(value.get(name)) for name, _kind in (("name", _absent_or(_name)), ("options", _absent_or(_mapping)),
                                                   ("native_rate_hz", _absent_or(_rate)),
                                                   ("native_frames", _absent_or(_text)))
    )  # fmt: skip


def _rate(value: Any) -> bool:
    return _number(value) and value > 0


def _absent_or(kind: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: value is None or kind(value)


def _key(value: Any) -> bool:
    if not isinstance(value, Mapping) or not all(map(_key_part, value.values())):
        return False
    return _whole(_MOST_TURNS)(value.get("turn", 0)) and _whole(_MOST_REPLICATES)(value.get("replicate", 0))


def _key_part(value: Any) -> bool:
    """Part of a key: it names files and rows of tables, so it has a form in UTF-8."""
    if isinstance(value, str):
        return _name(value)
    return isinstance(value, int | float) and -1e300 <= value <= 1e300


def _keys(value: Any) -> bool:
    return isinstance(value, Mapping) and all(map(_key, value.values()))


_MOST_TURNS, _MOST_REPLICATES = MOST_TURNS, 10**9
RECORDED = "recorded"  # `ends` of a manifest: a trial is complete when its last line says how it ended
_MANIFEST: dict[str, Callable[[Any], bool]] = {
    "suite": _text,
    "sweep": _mapping,
    "model": _model,
    "prompts": _prompts,
    "questions": _mappings,
    "trials": _keys,
    "prompts_version": _whole(10**6),
    "ends": lambda value: value == RECORDED,
}
_LINE: dict[str, Callable[[Any], bool]] = {
    "status": _text,
    "text": _text,
    "reason": _text,
    "native": lambda value: isinstance(value, bool),
    "frame_times_s": _times,
    "images": _number,
    "prompt_sha256": _text,
    "finish_reason": _text,
    "model_version": _text,
    "usage": _counts,
    "cost_usd": _number,
    "latency_s": _number,
    "attempt": _number,
    "sent": _mapping,
    "pictures": _counts,
    "videos": _counts,
    "kept": _mapping,
    "end": _name,
    "error": _failure,
    "settings": _mapping,
    "limit": _text,
    "call": _text,
}


def hashes_in(manifest: Mapping[str, Any]) -> dict[str, str]:
    """The entry of a manifest that holds the hashes of its items, and the word for one of them.

    >>> hashes_in({"trials": {"t": {"house": "3b", "model": "m"}}})
    {'houses': 'house'}
    """
    trials = manifest.get("trials")
    key = next(iter(trials.values()), None) if isinstance(trials, Mapping) else None
    item = item_of(key) if isinstance(key, Mapping) else None
    return {f"{item}s": item} if item and f"{item}s" not in _MANIFEST else {}


def check_manifest(manifest: Mapping[str, Any], *, where: object) -> None:
    """Raises `InputError` for an entry of a manifest that is of the wrong kind."""
    _check(manifest, _MANIFEST, where, _REMEDY)
    folders = {name: _name for name in manifest if name.endswith("_folder")}
    hashes = dict.fromkeys(hashes_in(manifest), _texts)
    _check(manifest, {**folders, **hashes}, where, _REMEDY)
    for name in _MANIFEST.keys() & manifest.keys():
        if manifest[name] is None:
            raise InputError(f"{name} is None", where=where, remedy=_REMEDY)


def check_line(line: Mapping[str, Any], *, where: object) -> None:
    """Raises `InputError` for a line without trial and key, or with an entry of the wrong kind.

    >>> check_line({"trial": "t", "key": {"turn": "first"}}, where="responses.jsonl:3")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    lft.core.errors.InputError: responses.jsonl:3: key is {'turn': 'first'}; would work: deleting the line, ...
    """
    if not _name(line.get("trial")) or not isinstance(line.get("key"), Mapping):
        raise InputError(f"a line without trial and key: {shown(line)}", where=where, remedy=_LINE_REMEDY)
    if not _key(line["key"]):
        raise InputError(f"key is {shown(line['key'])}", where=where, remedy=_LINE_REMEDY)
    _check(line, _LINE, where, _LINE_REMEDY)


def check_place(line: Mapping[str, Any], manifest: Mapping[str, Any], *, where: object) -> None:
    """Raises `InputError` for a line of a trial that was not planned, under another key, or of a turn too many.

    A manifest that names no trials, or not the prompt, leaves that open.

    >>> key = {"item": "c", "prompt": "p"}
    >>> line = {"trial": "t", "key": {**key, "item": "d", "turn": 0}}
    >>> check_place(line, {"trials": {"t": key}}, where="responses.jsonl:3")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    lft.core.errors.InputError: responses.jsonl:3: item is 'd', but of trial 't' it is 'c'; would work: ...
    """
    trials, key = manifest.get("trials") or {}, line["key"]
    if trials and line["trial"] not in trials:
        what = f"the trial {shown(line['trial'])} is not in the run's manifest"
        raise InputError(what, where=where, remedy=_LINE_REMEDY)
    for name, planned in trials.get(line["trial"], {}).items():
        if name != "turn" and key.get(name) != planned:
            what = f"{name} is {shown(key.get(name))}, but of trial {shown(line['trial'])} it is {shown(planned)}"
            raise InputError(what, where=where, remedy=_LINE_REMEDY)
    prompt = (manifest.get("prompts") or {}).get(key.get("prompt"), {})
    fixed = prompt and manifest.get("ends") != RECORDED and line.get("status") != "done"
    if fixed and key.get("turn", 0) >= prompt.get("turns", 1):
        what = f"turn is {key['turn']}, but the prompt has {prompt.get('turns', 1)}, from 0 on"
        raise InputError(what, where=where, remedy=_LINE_REMEDY)


def encoded(line: Mapping[str, Any], *, where: object = None) -> bytes:
    """A line as it is written. Raises `InputError` for one that `check_line` would refuse when it is read."""
    check_line(line, where=where)
    try:
        data = (json.dumps(line, ensure_ascii=False, allow_nan=False) + "\n").encode("utf-8", "surrogatepass")
        # Lone surrogates in a model's text are not UTF-8: keep them readable as escapes instead.
        if b"\xed" in data:
            data = (json.dumps(line, ensure_ascii=True, allow_nan=False) + "\n").encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise InputError(f"not to be said in JSON ({error})", where=where) from None
    return data


def _check(
    entries: Mapping[str, Any], kinds: Mapping[str, Callable[[Any], bool]], where: object, remedy: str
) -> None:
    for name, is_of_kind in kinds.items():
        value = entries.get(name)
        if value is not None and not is_of_kind(value):
            raise InputError(f"{name} is {shown(value)}", where=where, remedy=remedy)
