"""`anthropic:NAME`: Claude models through the Messages API.

    native video     not taken
    frames           JPEG images in time order, each after its label
    thinking         the prompt condition `thinking` sends `thinking_on`: a thinking budget in tokens

Options: temperature, top_p, top_k, thinking_budget (sent with every prompt), thinking_on, quality (JPEG); and those
that may change within a run: max_tokens (default 16,000), max_images, timeout_s. The key is ANTHROPIC_API_KEY.
ANTHROPIC_BASE_URL replaces the API's own address.
"""

from __future__ import annotations

import os
from typing import Any

from lft.core.cost import Prices
from lft.core.errors import InputError
from lft.core.models import ModelSpec
from lft.core.models.faults import set_up
from lft.core.models.limits import Limit, check_bytes, limit_of
from lft.core.models.openai_client import as_json, checked_url, posted, sdk_client
from lft.core.models.options import number, read_options, whole
from lft.core.models.ready import NEEDS
from lft.core.models.secrets import key_from, public_url
from lft.core.records import Json, JsonObject
from lft.core.requests import Images, ModelError, NotApplicable, Request, Response, Text, Usage
from lft.core.video.jpeg_cache import JPEG_QUALITY, JPEGS, base64_of, encode_ahead, record_images

HOME = "https://api.anthropic.com"
VERSION = "2023-06-01"  # of the API, sent with each call
_MAX_TOKENS = 16_000  # the API wants a number; enough for a long list and some thought
_TIMEOUT_S = 600.0
_OPTIONS = {
    "temperature": number(0, 1),
    "top_p": number(0, 1),
    "top_k": whole(1),
    "thinking_budget": whole(1024),
    "thinking_on": whole(1024),
    "quality": whole(1, 100),
    "max_tokens": whole(1),
    "max_images": whole(0),
    "timeout_s": number(0.05, 3600),
}
_CONFIG = ("temperature", "top_p", "top_k")
_SETTINGS = ("max_tokens", "max_images", "timeout_s")
_THINKING_ON = 8000  # tokens, for the prompt condition `thinking`


class Anthropic:
    """One Claude model."""

    concurrency = 4

    def __init__(self, spec: ModelSpec, *, prices: Prices | None = None) -> None:
        where = "model anthropic"
        if not spec.name:
            raise InputError("a name is missing", where=where, expected="anthropic:NAME")
        self.name = spec.name
        self._options = read_options(spec, _OPTIONS)
        self._limit = self.limits(spec)
        self._max_tokens = int(self._options.get("max_tokens", _MAX_TOKENS))
        self._quality = int(self._options.get("quality", JPEG_QUALITY))
        self._timeout_s = float(self._options.get("timeout_s", _TIMEOUT_S))
        self._prices = prices or Prices.load()
        own = os.environ.get("ANTHROPIC_BASE_URL", "").strip()
        self._url = checked_url(own, where="ANTHROPIC_BASE_URL") if own else HOME
        self.where = public_url(self._url)
        self._client = self._make_client()

    @classmethod
    def limits(cls, spec: ModelSpec) -> Limit:
        """The limits of the model for one request."""
        return limit_of("anthropic", spec.name, read_options(spec, _OPTIONS))

    def _make_client(self) -> Any:
        where = "model anthropic"
        try:
            import openai  # for its HTTP client; the Messages API needs no more
        except ImportError:
            raise InputError(
                "the openai package is missing", where=where, remedy=NEEDS["anthropic"].install
            ) from None
        key = key_from(NEEDS["anthropic"].keys, where=where)
        url, version = f"{self._url}/v1", {"anthropic-version": VERSION}
        return set_up(
            lambda: sdk_client(
                openai, url, self._timeout_s, key_header="x-api-key", api_key=key, default_headers=version
            ),
            where=where,
        )

    def describe(self) -> JsonObject:
        """Provider, name and options that affect answers; options that may change within a run as `settings`."""
        decisive = {k: v for k, v in self._options.items() if k not in _SETTINGS}
        settings = {
            "max_tokens": self._max_tokens,
            "max_images": self._limit.images,
            "timeout_s": self._timeout_s,
        }
        return {
            "provider": "anthropic",
            "base_url": self.where,
            "api_version": VERSION,
            "options": decisive,
            "settings": settings,
            "native_frames": "unknown",
        }

    def prepare(self, request: Request) -> None:
        """Encodes the frames that `generate` will send."""
        encode_ahead(request, most_images=self._limit.images, quality=self._quality)

    def generate(self, request: Request) -> Response:
        """One message, tried once; aborted after `timeout_s`."""
        messages, sent = self._messages(request)
        parameters = self._parameters(request)
        sent["parameters"] = parameters
        system = {"system": request.system} if request.system else {}
        body = {"model": self.name, "messages": messages, **system, **parameters}
        data = as_json(body, lambda kind: ("source", "data"))
        return self._read(posted(self._client, "/messages", data, self._timeout_s, where=self.where), sent)

    def _messages(self, request: Request) -> tuple[list[JsonObject], JsonObject]:
        self._limit.check_images(request.images, self.name)
        sent: JsonObject = {"given_as": "none"}
        messages: list[JsonObject] = []
        for message in request.messages:
            content: list[JsonObject] = []
            for part in message.parts:
                if isinstance(part, Text):
                    content.append({"type": "text", "text": part.text})
                elif isinstance(part, Images):
                    content += self._images(part, sent)
                else:
                    raise NotApplicable(f"{self.name} takes no video, only images", limit="video")
            messages.append({"role": "assistant" if message.role == "model" else "user", "content": content})
        return messages, sent

    def _images(self, part: Images, sent: JsonObject) -> list[JsonObject]:
        images = JPEGS.encode(part.frames, quality=self._quality)
        check_bytes(sum(map(len, images)) + sent.get("image_bytes", 0), self._limit.inline_mb, self.name)
        content: list[JsonObject] = []
        for position, data in enumerate(base64_of(images)):
            label = part.label(position)
            if label is not None:
                content.append({"type": "text", "text": label})
            source = {"type": "base64", "media_type": "image/jpeg", "data": data}
            content.append({"type": "image", "source": source})
        sent.update(record_images(part, images, sent))
        return content

    def _parameters(self, request: Request) -> JsonObject:
        values: JsonObject = {k: self._options[k] for k in _CONFIG if k in self._options}
        budget = self._options.get("thinking_budget")
        if request.thinking:
            budget = self._options.get("thinking_on", _THINKING_ON)
        values["max_tokens"] = self._max_tokens
        if budget is not None:
            values["thinking"] = {"type": "enabled", "budget_tokens": int(budget)}
            values["max_tokens"] = max(self._max_tokens, int(budget) + 1024)  # thought counts in
        return values

    def _read(self, document: Json, sent: JsonObject) -> Response:
        """The content of a reply with its stop reason; raises `ModelError` if it has no answer."""
        blocks = document.get("content") if isinstance(document, dict) else None
        if not isinstance(blocks, list):
            raise ModelError("bad_reply", "the reply is not a message")
        text = "".join(
            str(block.get("text") or "")
            for block in blocks
            if isinstance(block, dict) and block.get("type") == "text"
        )
        reason = document.get("stop_reason")
        usage = _usage(document.get("usage"))
        version = document.get("model") if isinstance(document.get("model"), str) else None
        cost = self._prices.usd("anthropic", self.name, usage, version=version)
        reason = reason if isinstance(reason, str) else "unknown"
        response = Response(text, reason, usage, version, sent, cost)
        if reason == "refusal":
            raise ModelError("refused", "the model declined", reply=response, stops=False)
        if not text:
            kind = "truncated" if reason == "max_tokens" else "empty"
            raise ModelError(kind, f"the reply holds no text ({reason})", reply=response)
        return response


def _usage(counted: Json) -> Usage:
    """Tokens of a message; the API counts cache writes and reads apart from the input, here they are included."""
    counts = counted if isinstance(counted, dict) else {}
    names = ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
    parts = [counts.get(name) or 0 for name in names if isinstance(counts.get(name) or 0, int)]
    known = isinstance(counts.get("input_tokens"), int)
    cached = counts.get("cache_read_input_tokens")
    return Usage(sum(parts) if known else None, counts.get("output_tokens"), None, cached or None)
