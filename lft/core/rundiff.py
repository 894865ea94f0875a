"""Compares two runs: their settings, requests and answers.

Trials are matched by their key without the model, so that models, harnesses or versions can be
compared on the same questions. Everything is read from the run folders.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from lft.core.records import Entries, Json, JsonObject, Line, LinePart
from lft.core.run_lines import hashes_in
from lft.core.runs import ANSWERED, NOT_APPLICABLE, Run

ASPECTS = ("video", "frames", "words", "parameters", "status", "text", "end", "final_answer")
_ABSENT = "(absent)"
_STANDS_ON = (
    "suite",
    "sweep",
    "model",
    "prompts",
    "questions",
    "metrics_version",
    "versions",
    "git_revision",
)
# How a run was started, and titles.
_PASSED_OVER = ("model.spec", "sweep.name", "sweep.title")


def difference(
    a: Run, b: Run, reads: Callable[[Run], Callable[[Line], Json] | None] | None = None
) -> JsonObject:
    """A JSON document: `runs`, `settings`, `trials`, `only_a`, `only_b`, `same`, `differs`.

    settings   entries of the manifests that differ: [{"name", "a", "b"}]
    same       aspect -> number of common trials in which it is equal; None if neither run recorded it
    differs    for each common trial with a difference: {"trial", aspect: [in a, in b], ...}

    Aspects: `video` (its sha256), `frames` (times in seconds of the supplied frames, or "native"), `words`
    (hash of the last request's words), `parameters` (on the wire), `status`, `text` (of the last
    answer; of all answers of an episode), `end` (of an episode), and `final_answer`, read by `reads(run)(line)`.
    """
    first, second = _trials(a, reads and reads(a)), _trials(b, reads and reads(b))
    common = [name for name in first if name in second]
    same: dict[str, int | None] = {}
    for aspect in ASPECTS:
        pairs = [(first[name][aspect], second[name][aspect]) for name in common]
        known = [pair for pair in pairs if pair != (None, None)]
        same[aspect] = sum(x == y for x, y in known) if known else None
    differs = []
    for name in common:
        found = {
            aspect: [first[name][aspect], second[name][aspect]]
            for aspect in ASPECTS
            if first[name][aspect] != second[name][aspect]
        }
        if found:
            differs.append({"trial": name, **found})
    return {
        "runs": {"a": str(a.folder), "b": str(b.folder)},
        "settings": list(_settings(a.manifest, b.manifest)),
        "trials": len(common),
        "only_a": [name for name in first if name not in second],
        "only_b": [name for name in second if name not in first],
        "same": same,
        "differs": differs,
    }


def _trials(run: Run, final_answer: Callable[[Line], Json] | None) -> dict[str, JsonObject]:
    """Name without the model -> aspects; a trial without an answer has only status and video."""
    entry, item = next(iter(hashes_in(run.manifest).items()), ("", ""))
    hashes = run.own.get(entry, {})
    episodes, found = {t: one for t, one in run.episodes().items() if one.is_complete}, {}
    for trial, planned in {**run.trials(), **{t: one.key for t, one in episodes.items()}}.items():
        key = {k: v for k, v in planned.items() if k not in ("model", "turn")}
        one = episodes.get(trial)
        line: LinePart = one.last if one else {}
        answered = line.get("status") == ANSWERED
        texts = [str(each.get("text") or "") for each in one.answers] if one and one.end else []
        name = ",".join(str(key[k]) for k in key)
        found[name] = {
            "video": hashes.get(key.get(item)),
            "frames": _frames(line),
            "words": line.get("prompt_sha256"),
            "parameters": line.get("sent"),
            "status": one.status if one else "missing",
            "text": "\n\n".join(texts) or str(line.get("text") or "") if answered else None,
            "end": one.end if one and one.end != NOT_APPLICABLE else None,
            "final_answer": final_answer(one.last) if one and answered and final_answer else None,
        }
    return found


def _frames(line: LinePart) -> list[float] | str | None:
    if times_s := line.get("frame_times_s"):
        return [round(t, 6) for t in times_s]
    return "native" if line.get("native") else None


def _settings(a: Entries, b: Entries) -> Iterator[JsonObject]:
    first = dict(_flat({name: a.get(name) for name in _STANDS_ON}))
    second = dict(_flat({name: b.get(name) for name in _STANDS_ON}))
    for name in dict.fromkeys([*first, *second]):
        if name not in _PASSED_OVER and first.get(name, _ABSENT) != second.get(name, _ABSENT):
            yield {"name": name, "a": first.get(name, _ABSENT), "b": second.get(name, _ABSENT)}


def _flat(value: object, name: str = "") -> Iterator[tuple[str, object]]:
    """(dotted name, value) of all entries of nested objects; lists are values.

    >>> dict(_flat({"model": {"name": "m", "seed": 0}}))
    {'model.name': 'm', 'model.seed': 0}
    """
    if isinstance(value, Mapping) and value:
        for key, entry in value.items():
            yield from _flat(entry, f"{name}.{key}" if name else str(key))
    elif value is not None:
        yield name, value
