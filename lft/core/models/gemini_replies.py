"""Reads replies of Gemini, from direct calls and jobs of the Batch API: an answer with its usage, or a failure."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lft.core.failure_kinds import kind_of_ending
from lft.core.models.faults import http_fault, other_fault
from lft.core.models.secrets import clean
from lft.core.records import Json, JsonObject
from lft.core.requests import ModelError, Response, Usage


def fault_of(error: Exception, *, where: str = "") -> Exception:
    """Why the SDK gave no reply."""
    from google.auth.exceptions import GoogleAuthError, TransportError
    from google.genai import errors

    if isinstance(error, ModelError):
        return error
    if isinstance(error, GoogleAuthError) and not isinstance(error, TransportError):
        said = clean(f"the credentials give no access token: {error.args[0] if error.args else error}")
        return ModelError("server", said, is_down=True) if error.retryable else ModelError("refused", said)
    if isinstance(error, errors.APIError) and isinstance(error.code, int):
        headers = getattr(error.response, "headers", None) or {}
        said = f"{error.status}: {error.message}"
        return http_fault(error.code, said, headers, error.details, where=where)
    return other_fault(error, where=where)


def read_reply(reply: Any, sent: JsonObject, price: Callable[[Usage, str | None], float | None]) -> Response:
    """The content of a reply, with LFT's finish reason.

    Raises `ModelError` if there is no answer (blocked, empty, cut off before the first word).
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
    kind = kind_of_ending(finish) if candidate else None
    if kind == "blocked":
        raise ModelError("blocked", f"the answer was blocked: {reason}", reply=response)
    if kind == "truncated" and not text:
        raise ModelError(
            "truncated", "the output limit was spent before a word of the answer", reply=response
        )
    if not candidate and reply.usage_metadata is None:
        raise ModelError("bad_reply", "the reply is not a generateContent response")
    if not text:
        what = f"no text ({reason.lower()})" if candidate else "no candidate"
        raise ModelError("empty", f"the reply holds {what}", reply=response)
    return response


def _word(value: object) -> str:
    return str(getattr(value, "value", value) or "")


def _usage(counted: Json) -> Usage:
    if counted is None:
        return Usage()
    tool = counted.tool_use_prompt_token_count or 0  # beside the prompt's own tokens, and billed like them
    by_modality: dict[str, int] = {}
    for entry in [*(counted.prompt_tokens_details or []), *(counted.tool_use_prompt_tokens_details or [])]:
        if entry.token_count is not None:
            name = _word(entry.modality).lower()
            by_modality[name] = by_modality.get(name, 0) + int(entry.token_count)
    cached_audio = sum(
        int(entry.token_count or 0)
        for entry in counted.cache_tokens_details or []
        if _word(entry.modality).lower() == "audio"
    )
    return Usage(
        None if counted.prompt_token_count is None else counted.prompt_token_count + tool,
        # A reply without visible text leaves the count out: zero, if anything was counted at all.
        counted.candidates_token_count
        if counted.prompt_token_count is None
        else counted.candidates_token_count or 0,
        counted.thoughts_token_count,
        counted.cached_content_token_count,
        by_modality,
        cached_audio or None,
    )
