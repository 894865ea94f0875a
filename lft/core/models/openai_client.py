"""The OpenAI SDK as an HTTP client: creation, POST requests, classification of errors."""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

from lft.core.errors import InputError
from lft.core.models.faults import bounded, http_fault, other_fault
from lft.core.records import JsonObject
from lft.core.requests import ModelError

_JSON = {"Content-Type": "application/json"}


def sdk_client(
    openai: Any, url: str, timeout_s: float, *, key_header: str | None = None, api_key: str, **others: Any
) -> Any:
    """The SDK's client for a server; with `key_header` the key is sent only in that header."""
    hooks: dict[str, list[Any]] = {}
    if key_header:
        others["default_headers"] = {**(others.get("default_headers") or {}), key_header: api_key}
        api_key = "none"
        hooks = {"request": [lambda request: request.headers.pop("Authorization", None)]}
    http = openai.DefaultHttpxClient(follow_redirects=False, timeout=timeout_s, event_hooks=hooks)
    return openai.OpenAI(
        api_key=api_key, base_url=url, timeout=timeout_s, max_retries=0, http_client=http, **others
    )


def checked_url(url: str, *, where: str) -> str:
    """The checked address; raises `InputError`, which does not repeat it."""
    try:
        parts = urlsplit(url)
        _ = parts.port  # read, it is checked
    except ValueError:
        raise InputError("unusable address", where=where, expected="http://HOST:PORT/v1") from None
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise InputError("unusable address", where=where, expected="http://HOST:PORT/v1")
    if parts.username or parts.password or parts.query or parts.fragment:
        raise InputError(
            "the address holds a key or a password", where=where, remedy="?api_key_env=VARIABLE instead"
        )
    return url.rstrip("/")


def posted(client: Any, path: str, data: bytes, timeout_s: float, *, where: str = "") -> Any:
    """The JSON reply to a POST of JSON, tried once and aborted after `timeout_s`; raises `fault_of` any error."""
    try:
        # By path, past the SDK's conversion of typed arguments, which costs 20 ms for a hundred images.
        return bounded(
            lambda: client.post(path, cast_to=object, content=data, options={"headers": _JSON}),
            timeout_s,
            where=where,
        )
    except Exception as error:  # only the SDK runs here
        fault = fault_of(error, where=where)
    raise fault  # not in the handler, so that the SDK's exception with its headers is released


def fault_of(error: Exception, *, where: str = "") -> Exception:
    """Why the SDK gave no reply."""
    import openai

    if isinstance(error, ModelError):
        return error
    if isinstance(error, openai.APIStatusError):
        body = error.body if isinstance(error.body, dict) else {}
        message = (
            body.get("message")
            or body.get("detail")
            or body.get("error")
            or error.response.text
            or error.message
        )
        return http_fault(error.status_code, message, error.response.headers, error.body, where=where)
    return other_fault(error, where=where)


def as_json(
    body: JsonObject, data_in: Callable[[str], tuple[str, str]] = lambda kind: (kind, "url")
) -> bytes:
    """Like `json.dumps`, but base64 data is inserted without the slow search for characters to escape.

    `data_in`: type of a content entry -> place of the data in it (name of a mapping, name in the mapping).
    """
    mark, found = secrets.token_hex(16), []
    for message in body["messages"]:
        for entry in message["content"] if isinstance(message["content"], list) else ():
            if entry["type"] != "text":
                holder, name = data_in(entry["type"])
                place = entry[holder] = dict(entry[holder])
                found.append(place[name].encode())
                place[name] = mark
    pieces = json.dumps(body).encode().split(mark.encode())
    return b"".join(piece for pair in zip(pieces, (*found, b""), strict=True) for piece in pair)
