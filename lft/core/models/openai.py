"""`openai:NAME[@BASE_URL]`: OpenAI, or any server that speaks chat completions (vLLM, SGLang, ...).

    native video     a `video_url` part, for servers that take one; `fps` asks the server to sample so
    frames           JPEG images in time order, each after its label
    thinking         the prompt condition `thinking` sends `thinking_on`: a reasoning effort, or
                     `template` for servers whose chat template has the switch `enable_thinking`

Options: temperature, top_p, seed, max_tokens, reasoning_effort (sent with every prompt), thinking_on, detail,
fps, video (yes, no), quality (JPEG), max_images, timeout_s, api_key_env. At OpenAI itself video is not taken,
images are limited, and the key is OPENAI_API_KEY. A server at BASE_URL is sent the key in the variable that
`api_key_env` names, and no other: a key never goes to an address it is not meant for.
"""

from __future__ import annotations

import json
import mimetypes
import re
import secrets
from typing import Any
from urllib.parse import urlsplit

from lft.core.cost import Prices
from lft.core.encoded import JPEG_QUALITY, JPEGS, base64_of, encode_ahead, record_images
from lft.core.errors import InputError, shown
from lft.core.models import ModelSpec
from lft.core.models.faults import http_fault, key_from, other_fault, set_up
from lft.core.models.options import number, one_of, read_options, whole, word, yes_no
from lft.core.models.ready import NEEDS
from lft.core.requests import Images, ModelError, NotApplicable, Request, Response, Text, Usage, Video

HOME = "https://api.openai.com/v1"
KEYS = NEEDS["openai"].keys
_JSON = {"Content-Type": "application/json"}
MAX_IMAGES = 50  # at OpenAI itself; elsewhere the server decides
_EFFORTS = ("none", "minimal", "low", "medium", "high", "xhigh", "max")
_OPTIONS = {
    "temperature": number(0, 2),
    "top_p": number(0, 1),
    "seed": whole(0),
    "max_tokens": whole(1),
    "reasoning_effort": one_of(*_EFFORTS),
    "thinking_on": one_of(*_EFFORTS, "template"),
    "detail": one_of("low", "high", "auto", "original"),
    "fps": number(0, 240, above=True),
    "video": yes_no,
    "quality": whole(1, 100),
    "max_images": whole(0),
    "timeout_s": number(0.05, 3600),
    "api_key_env": word(r"[A-Za-z_][A-Za-z0-9_]{0,100}", "the name of an environment variable"),
}
_CONFIG = ("temperature", "top_p", "seed", "reasoning_effort")
_TRANSPORT = ("timeout_s", "api_key_env")
# OpenAI's own models that take reasoning_effort: o1 and later, GPT-5 and later except those for chat.
_REASONING = re.compile(r"(o\d|gpt-([5-9]|\d\d))(?!.*-chat)")


class OpenAI:
    """One model behind a chat completions server."""

    concurrency = 8

    def __init__(self, spec: ModelSpec, *, prices: Prices | None = None) -> None:
        self.name, self._url = split_name(spec)
        self._home = self._url == HOME
        self._options = read_options(spec, _OPTIONS)
        self._limits = limits(spec)
        self._quality = int(self._options.get("quality", JPEG_QUALITY))
        self._prices = prices or Prices.load()
        self._client = self._make_client()

    def _make_client(self) -> Any:
        try:
            import openai
        except ImportError:
            raise InputError(
                "the openai package is missing", where="model openai", remedy=NEEDS["openai"].install
            ) from None
        if self._home or "api_key_env" in self._options:
            variable = str(self._options.get("api_key_env", KEYS[0]))
            key = key_from((variable,), where="model openai")
        else:
            key = "none"
        timeout_s = float(self._options.get("timeout_s", 300.0))
        return set_up(
            lambda: openai.OpenAI(api_key=key, base_url=self._url, timeout=timeout_s, max_retries=0),
            where="model openai",
        )

    def describe(self) -> dict[str, Any]:
        """Provider, address, name and every option that decides an answer."""
        decisive = {k: v for k, v in self._options.items() if k not in _TRANSPORT}
        # A server's own sampling is not known; that it heeds `fps` is not a promise of chat completions either.
        return {
            "provider": "openai",
            "base_url": self._url,
            "options": decisive,
            "native_frames": "unknown",
        }

    def prepare(self, request: Request) -> None:
        """Encodes the frames that `generate` will send."""
        encode_ahead(request, most_images=self._limits[0], quality=self._quality)

    def generate(self, request: Request) -> Response:
        """One chat completion, tried once."""
        messages, sent = self.messages(request)
        parameters, extra = self.parameters(request)
        sent["parameters"] = {**parameters, **extra}
        body = {"model": self.name, "messages": messages, **parameters, **extra}
        fault: Exception
        try:
            # By path, past the SDK's conversion of typed arguments, which costs 20 ms for a hundred images.
            document = self._client.post(
                "/chat/completions", cast_to=object, content=_json(body), options={"headers": _JSON}
            )
        except Exception as error:  # only the SDK runs here
            fault = fault_of(error)
        else:
            return self._read(document, sent)
        raise fault  # not in the handler: the SDK's own exception, which holds the headers, is let go

    def messages(self, request: Request) -> tuple[list[dict[str, Any]], dict[str, Any]]:
        """The conversation in wire form, and what is recorded of it; refuses what is over a limit."""
        limit = self._limits[0]
        if limit is not None and request.images > limit:
            raise NotApplicable(f"{request.images} images; {self.name} takes {limit} in one request")
        sent: dict[str, Any] = {"given_as": "none"}
        messages: list[dict[str, Any]] = (
            [{"role": "system", "content": request.system}] if request.system else []
        )
        for part in request.parts:
            role = "assistant" if part.role == "model" else "user"
            if isinstance(part, Text):
                content: list[dict[str, Any]] = [{"type": "text", "text": part.text}]
            elif isinstance(part, Images):
                content = self._images(part, sent)
            else:
                content = [self._video(part, sent)]
            if not messages or messages[-1]["role"] != role:
                messages.append({"role": role, "content": []})
            messages[-1]["content"].extend(content)
        for message in messages:  # many servers take an assistant's words as plain text only
            if message["role"] == "assistant":
                message["content"] = "".join(entry["text"] for entry in message["content"])
        return messages, sent

    def parameters(self, request: Request) -> tuple[dict[str, Any], dict[str, Any]]:
        """What is sent beside the messages: arguments of the API, and further entries that servers know."""
        values = {k: self._options[k] for k in _CONFIG if k in self._options}
        extra: dict[str, Any] = {}
        if "max_tokens" in self._options:
            values["max_completion_tokens" if self._home else "max_tokens"] = self._options["max_tokens"]
        switch = self._options.get("thinking_on")
        if switch is None and self._home and _REASONING.match(self.name):
            switch = "high"
        if switch == "template":
            extra["chat_template_kwargs"] = {"enable_thinking": request.thinking}
        elif switch and request.thinking:
            values["reasoning_effort"] = switch
        rate_hz = next(
            (p.rate_hz or self._options.get("fps") for p in request.parts if isinstance(p, Video)), None
        )
        if rate_hz:
            # The server's loader samples (num_frames -1: no cap of its own); its processor must not sample
            # again.
            extra["media_io_kwargs"] = {"video": {"fps": rate_hz, "num_frames": -1}}
            extra["mm_processor_kwargs"] = {"fps": rate_hz, "do_sample_frames": False}
        return values, extra

    def _images(self, part: Images, sent: dict[str, Any]) -> list[dict[str, Any]]:
        images = JPEGS.encode(part.frames, quality=self._quality)
        content: list[dict[str, Any]] = []
        for position, data in enumerate(base64_of(images)):
            label = part.label(position)
            if label is not None:
                content.append({"type": "text", "text": label})
            place = {"url": f"data:image/jpeg;base64,{data}"}
            if "detail" in self._options:
                place["detail"] = self._options["detail"]
            content.append({"type": "image_url", "image_url": place})
        sent.update(record_images(part, images, sent))
        return content

    def _video(self, part: Video, sent: dict[str, Any]) -> dict[str, Any]:
        if not self._limits[1]:
            raise NotApplicable(f"{self.name} takes no video, only images")
        data = part.media.path.read_bytes()
        sent.update(
            given_as="video_url", video_bytes=len(data), video_fps=part.rate_hz or self._options.get("fps")
        )
        kind = mimetypes.guess_type(part.media.path.name)[0] or "video/mp4"
        return {"type": "video_url", "video_url": {"url": f"data:{kind};base64,{base64_of([data])[0]}"}}

    def _read(self, document: Any, sent: dict[str, Any]) -> Response:
        """The answer in a reply; raises `ModelError` where there is none."""
        choice = _at(document, "choices", 0)
        if not isinstance(document, dict) or not isinstance(document.get("choices"), list):
            raise ModelError("bad_reply", "the reply is not a chat completion")
        usage = _usage(document.get("usage"))
        version = document.get("model") if isinstance(document.get("model"), str) else None
        text, refusal = _at(choice, "message", "content"), _at(choice, "message", "refusal")
        if isinstance(text, list):  # some servers answer in parts
            text = "".join(str(_at(entry, "text") or "") for entry in text)
        text = text if isinstance(text, str) else ""
        reason = _at(choice, "finish_reason")
        reason = reason if isinstance(reason, str) else "unknown"
        if not text and isinstance(refusal, str) and refusal:
            text, reason = refusal, "refusal"
        fingerprint = document.get("system_fingerprint")
        if isinstance(fingerprint, str):
            sent["system_fingerprint"] = fingerprint
        elsewhere = None if self._home else self._url
        cost = self._prices.usd("openai", self.name, usage, version=version, base_url=elsewhere)
        response = Response(text, reason, usage, version, sent, cost)
        if reason == "content_filter":
            raise ModelError("blocked", "the answer was blocked: content_filter", reply=response)
        if not text and reason == "length":
            raise ModelError(
                "truncated", "the output limit was spent before a word of the answer", reply=response
            )
        if not text:
            what = f"no text ({reason})" if choice is not None else "no choice"
            raise ModelError("empty", f"the reply holds {what}", reply=response)
        return response


def limits(spec: ModelSpec) -> tuple[int | None, bool]:
    """(images in one request at most, whether video is taken), without making the model."""
    _, url = split_name(spec)
    options = read_options(spec, _OPTIONS)
    return options.get("max_images", MAX_IMAGES if url == HOME else None), options.get("video", url != HOME)


def split_name(spec: ModelSpec) -> tuple[str, str]:
    """(model name, base URL) of `openai:NAME[@BASE_URL]`.

    >>> split_name(ModelSpec.parse("openai:Qwen/Qwen3-VL@http://127.0.0.1:8000/v1"))
    ('Qwen/Qwen3-VL', 'http://127.0.0.1:8000/v1')
    """
    name, at, url = spec.name.partition("@http")
    url = "http" + url if at else HOME
    where = "model openai"
    try:
        parts = urlsplit(url)
        _ = parts.port  # read, it is checked
    except ValueError:
        raise InputError("unusable address", where=where, remedy="http://HOST:PORT/v1") from None
    if not name:
        raise InputError(
            "a name is missing", where=where, remedy="openai:NAME or openai:NAME@http://HOST:PORT/v1"
        )
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise InputError(f"unusable address {shown(url)}", where=where, remedy="http://HOST:PORT/v1")
    if parts.username or parts.password or parts.query or parts.fragment:
        raise InputError(
            "the address holds a key or a password", where=where, remedy="?api_key_env=VARIABLE instead"
        )
    return name, url.rstrip("/")


def fault_of(error: Exception) -> Exception:
    """Why the SDK gave no reply."""
    import openai

    if isinstance(error, openai.APIStatusError):
        body = error.body if isinstance(error.body, dict) else {}
        message = body.get("message") or body.get("detail") or error.response.text or error.message
        return http_fault(error.status_code, message, error.response.headers, error.body)
    return other_fault(error)


def _json(body: dict[str, Any]) -> bytes:
    """As `json.dumps`, but data URLs, which need no escapes, are put in as they are: a search for characters
    to escape in megabytes takes longer than all else.
    """
    mark, urls = secrets.token_hex(16), []
    for message in body["messages"]:
        for entry in message["content"] if isinstance(message["content"], list) else ():
            if entry["type"] != "text":
                place = entry[entry["type"]] = dict(entry[entry["type"]])
                urls.append(place["url"].encode())
                place["url"] = mark
    pieces = json.dumps(body).encode().split(mark.encode())
    return b"".join(piece for pair in zip(pieces, (*urls, b""), strict=True) for piece in pair)


def _at(document: Any, *path: str | int) -> Any:
    """The entry at a path of keys and positions, or None where there is none."""
    for step in path:
        try:
            document = document[step]
        except (KeyError, IndexError, TypeError):
            return None
    return document


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _usage(counted: Any) -> Usage:
    """Tokens of a completion; hidden reasoning is taken out of the output and kept apart."""
    output = _count(_at(counted, "completion_tokens"))
    thought = _count(_at(counted, "completion_tokens_details", "reasoning_tokens"))
    details = _at(counted, "prompt_tokens_details")
    by_modality = {
        m: n for m in ("text", "image", "video", "audio") if (n := _count(_at(details, f"{m}_tokens")))
    }
    return Usage(
        _count(_at(counted, "prompt_tokens")),
        output if output is None or thought is None else max(0, output - thought),
        thought,
        _count(_at(details, "cached_tokens")),
        by_modality,
    )
