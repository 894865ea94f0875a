"""What came back from Gemini: an answer with its usage, or the fault that took its place.

Direct calls and jobs of the Batch API are read alike.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lft.core.models.faults import http_fault, other_fault
from lft.core.requests import ModelError, Response, Usage

_BLOCKED = ("SAFETY", "RECITATION", "LANGUAGE", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "IMAGE_SAFETY")


def fault_of(error: Exception) -> Exception:
    """Why the SDK gave no reply."""
    from google.genai import errors

    if isinstance(error, errors.APIError) and isinstance(error.code, int):
        headers = getattr(error.response, "headers", None) or {}
        return http_fault(error.code, f"{error.status}: {error.message}", headers, error.details)
    return other_fault(error)


def read_reply(
    reply: Any, sent: dict[str, Any], price: Callable[[Usage, str | None], float | None]
) -> Response:
    """The answer in a reply.

    Raises `ModelError` where there is none (blocked, empty, cut off before a word).
    """
    usage = _usage(reply.usage_metadata)
    version = reply.model_version
    candidate = (reply.candidates or [None])[0]
    reason = _word(candidate.finish_reason) if candidate else ""
    parts = (candidate.content.parts if candidate and candidate.content else None) or []
    text = "".join(p.text for p in parts if p.text and not p.thought)
    finish = {"STOP": "stop", "MAX_TOKENS": "length", "": "unknown"}.get(reason, reason.lower())
    response = Response(text, finish, usage, version, sent, price(usage, version))
    feedback = reply.prompt_feedback
    if not candidate and feedback and feedback.block_reason:
        raise ModelError(
            "blocked", f"the request was blocked: {_word(feedback.block_reason)}", reply=response
        )
    if reason in _BLOCKED:
        raise ModelError("blocked", f"the answer was blocked: {reason}", reply=response)
    if not text and reason == "MAX_TOKENS":
        raise ModelError(
            "truncated", "the output limit was spent before a word of the answer", reply=response
        )
    if not candidate and reply.usage_metadata is None:
        raise ModelError("bad_reply", "the reply is not a generateContent response")
    if not text:
        what = f"no text ({reason.lower()})" if candidate else "no candidate"
        raise ModelError("empty", f"the reply holds {what}", reply=response)
    return response


def _word(value: Any) -> str:
    return str(getattr(value, "value", value) or "")


def _usage(counted: Any) -> Usage:
    if counted is None:
        return Usage()
    by_modality = {
        _word(entry.modality).lower(): int(entry.token_count)
        for entry in counted.prompt_tokens_details or []
        if entry.token_count is not None
    }
    return Usage(
        counted.prompt_token_count,
        # A reply without visible text leaves the count out: zero, if anything was counted at all.
        counted.candidates_token_count
        if counted.prompt_token_count is None
        else counted.candidates_token_count or 0,
        counted.thoughts_token_count,
        counted.cached_content_token_count,
        by_modality,
    )
