"""Kinds of failures: why a trial has no answer, whether a retry can help, and remedies.

A reply is an answer only if the provider says that it ended by itself. Otherwise the trial is missing; the text of a
cut-off answer is kept in the run's line, and is never scored.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from lft.core.errors import unknown_name

NOT_APPLICABLE_WORD = "not-applicable"  # as `--retry` calls it


@dataclass(frozen=True)
class Kind:
    """A failure that is `of_trial` is asked again once, by the next run; others (provider, network) are retried at
    once.
    """

    words: str
    remedy: str = ""
    of_trial: bool = False


KINDS: dict[str, Kind] = {
    "truncated": Kind(
        "cut off by the output limit", "a larger limit (?max_output_tokens, ?max_tokens)", True
    ),
    "blocked": Kind("stopped by the provider's filter", of_trial=True),
    "refused": Kind(
        "declined by the model, or not accepted by the provider (key, model name, account)", of_trial=True
    ),
    "unfinished": Kind(
        "not said to have ended", "?finish_reason=optional, if the server never says it", True
    ),
    "rejected": Kind("the request was not accepted", of_trial=True),
    "empty": Kind("a reply without text"),
    "bad_reply": Kind("a reply that could not be read"),
    "rate_limit": Kind("too many calls", "--rate-limit, --concurrency"),
    "timeout": Kind("no answer in time", "a larger ?timeout_s"),
    "connection": Kind("the server could not be reached"),
    "server": Kind("the server failed"),
    "memory": Kind("too little memory on the device"),
    "raised": Kind("the function raised an exception"),
}
RETRIED = ("rate_limit", "timeout", "connection", "server", "bad_reply", "empty")

_ENDED = {"stop", "end_turn", "stop_sequence", "eos", "eos_token", "complete", "completed"}
_CUT = {
    "length",
    "max_tokens",
    "max_output_tokens",
    "max_new_tokens",
    "model_length",
    "model_context_window_exceeded",
}
_FILTERED = re.compile(
    r"filter|safety|recitation|blocklist|prohibited|spii|language|armor|moderation|blocked", re.I
)


def kind_of_ending(reason: object) -> str | None:
    """The failure kind of a finish reason; None if the answer ended by itself.

    >>> [kind_of_ending(r) for r in ("stop", "STOP", "end_turn", "length", "MAX_TOKENS")]
    [None, None, None, 'truncated', 'truncated']
    >>> [kind_of_ending(r) for r in ("content_filter", "refusal", "error", "tool_calls", "unknown", None)]
    ['blocked', 'refused', 'unfinished', 'unfinished', 'unfinished', 'unfinished']
    """
    word = str(reason or "").lower()
    if word in _ENDED:
        return None
    if word in _CUT:
        return "truncated"
    if _FILTERED.search(word):
        return "blocked"
    return "refused" if word == "refusal" else "unfinished"


def is_answer(line: Mapping[str, object]) -> bool:
    """Whether a line of a run holds an answer; also for old runs, which did not separate cut-off answers.

    >>> is_answer({"status": "answered", "text": "1"}), is_answer({"status": "answered", "finish_reason": "length"})
    (True, False)
    """
    return line.get("status") == "answered" and kind_of_ending(line.get("finish_reason") or "stop") is None


def kind_of_line(line: Mapping[str, object]) -> str:
    """The failure kind of a line without an answer."""
    error = line.get("error")
    if isinstance(error, Mapping):
        return str(error.get("kind"))
    return kind_of_ending(line.get("finish_reason") or "stop") or "unfinished"


def checked_kinds(names: Iterable[str]) -> frozenset[str]:
    """The kinds named in `--retry`, including `not-applicable`; raises `InputError` for an unknown name.

    >>> sorted(checked_kinds(["truncated", "not_applicable"]))
    ['not-applicable', 'truncated']
    """
    known = {**{name.replace("_", "-"): name for name in KINDS}, NOT_APPLICABLE_WORD: NOT_APPLICABLE_WORD}
    found = set()
    for name in names:
        word = name.strip().replace("_", "-")
        if word not in known:
            raise unknown_name("kind", name, known, where="--retry")
        found.add(known[word])
    return frozenset(found)


def is_of_trial(kind: str | None) -> bool:
    """Whether a failure of this kind is caused by the trial itself; False for an unknown kind.

    >>> [is_of_trial(kind) for kind in ("truncated", "timeout", "unheard_of", None)]
    [True, False, False, False]
    """
    return kind in KINDS and KINDS[kind].of_trial


def is_asked_again(kind: str | None, retry: Collection[str] | None) -> bool:
    """Whether a trial without an answer is asked. `retry`: kinds `of_trial` to ask again, None for all; `kind`: None
    for a new trial.

    >>> [is_asked_again(k, ["blocked"]) for k in ("blocked", "truncated", "timeout", None)]
    [True, False, True, True]
    """
    return retry is None or not is_of_trial(kind) or kind in retry


def may_apply_now(
    line: Mapping[str, object], settings: Mapping[str, object], retry: Collection[str] | None
) -> bool:
    """Whether a trial that was not applicable is asked again: by `retry`, or because a setting has changed.

    >>> line = {"status": "not_applicable", "settings": {"max_images": 8}}
    >>> may_apply_now(line, {"max_images": 8}, None), may_apply_now(line, {"max_images": 50}, None)
    (False, True)
    """
    return NOT_APPLICABLE_WORD in (retry or ()) or settings != (line.get("settings") or {})


def missing_lines(counts: Mapping[str, int]) -> list[str]:
    """One line for each kind of missing answer, most frequent first, with remedies.

    >>> missing_lines({"truncated": 3})
    ['missing, 3 truncated: cut off by the output limit; a larger limit (?max_output_tokens, ?max_tokens)']
    """
    lines = []
    for name, k in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
        kind = KINDS.get(name)
        words = "; ".join(filter(None, (kind.words, kind.remedy))) if kind else ""
        lines.append(f"missing, {k} {name.replace('_', ' ')}" + (f": {words}" if words else ""))
    return lines
