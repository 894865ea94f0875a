"""`openai:NAME[@BASE_URL]`: OpenAI, or any server with the chat completions API. `vllm:` and `azure:` are in
`lft.core.models.chat_servers`.

    native video     a `video_url` part, for servers that take one; `fps` sets the server's sampling rate
    frames           JPEG images in time order, each after its label
    thinking         the prompt condition `thinking` sends `thinking_on`: a reasoning effort, or
                     `template` for servers whose chat template has the switch `enable_thinking`

Options: temperature, top_p, seed, reasoning_effort (sent with every prompt), thinking_on, detail, fps, quality (JPEG),
finish_reason (`optional`: for a server that never gives one); and those that may change within a run:
max_tokens, max_images, video (yes, no), timeout_s, api_key_env. The key of OpenAI itself is OPENAI_API_KEY. A server
at BASE_URL gets only the key in the variable that `api_key_env` names. OPENAI_BASE_URL replaces OpenAI's own address,
and is sent OPENAI_API_KEY.
"""

from __future__ import annotations

import mimetypes
import os
import re
from collections.abc import Callable
from typing import Any, ClassVar

from lft.core.cost import Prices
from lft.core.errors import InputError
from lft.core.models import ModelSpec
from lft.core.models.faults import set_up
from lft.core.models.limits import Limit, limit_of
from lft.core.models.openai_client import as_json, checked_url, posted, sdk_client
from lft.core.models.options import number, one_of, read_options, whole, word, yes_no
from lft.core.models.ready import NEEDS
from lft.core.models.secrets import clean, key_from, key_named, public_url
from lft.core.records import Json, JsonObject
from lft.core.requests import Images, ModelError, NotApplicable, Request, Response, Text, Usage, Video
from lft.core.video.jpeg_cache import JPEG_QUALITY, JPEGS, base64_of, encode_ahead, record_images

HOME = "https://api.openai.com/v1"
_TIMEOUT_S = 300.0
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
    "finish_reason": one_of("required", "optional"),
    "api_key_env": word(r"[A-Za-z_][A-Za-z0-9_]{0,100}", "the name of an environment variable"),
}
_CONFIG = ("temperature", "top_p", "seed", "reasoning_effort")
_SETTINGS = ("max_tokens", "max_images", "video", "timeout_s")  # decide whether an answer comes, not which
# OpenAI's own models that take reasoning_effort: o1 and later, GPT-5 and later except those for chat.
_REASONING = re.compile(r"(o\d|gpt-([5-9]|\d\d))(?!.*-chat)")


class OpenAI:
    """One model behind a chat completions server."""

    concurrency = 8
    takes_schema = True  # as response_format
    provider: ClassVar[str] = "openai"
    home: ClassVar[str] = HOME
    options: ClassVar[JsonObject] = _OPTIONS

    def __init__(self, spec: ModelSpec, *, prices: Prices | None = None) -> None:
        self.name, self._url = self.split(spec)
        self._home = self.is_home(self._url)
        self._options = read_options(spec, self.options)
        self._limit = self.limits(spec)
        self._quality = int(self._options.get("quality", JPEG_QUALITY))
        self._timeout_s = float(self._options.get("timeout_s", _TIMEOUT_S))
        self._prices = prices or Prices.load()
        self.where = public_url(self._url)
        self.client = self._make_client()

    @classmethod
    def name_of(cls, spec: ModelSpec) -> str:
        """The model's name, without its address."""
        return split_name(spec)[0]

    @classmethod
    def limits(cls, spec: ModelSpec) -> Limit:
        """The limits of the model for one request; none are known for servers at other addresses."""
        name, url = cls.split(spec)
        options = read_options(spec, cls.options)
        return limit_of(cls.provider if cls.is_home(url) else "", name, options)

    @classmethod
    def split(cls, spec: ModelSpec) -> tuple[str, str]:
        """(model name, base URL)."""
        name, url = split_name(spec)
        return name, url or _home_url()

    @classmethod
    def is_home(cls, url: str) -> bool:
        """Whether an address is that of OpenAI itself."""
        return url == HOME

    def _key(self) -> str:
        """The key for the server, or `none`."""
        where = f"model {self.provider}"
        if "api_key_env" in self._options:
            return key_named(str(self._options["api_key_env"]), where=where)
        if self._home:
            return key_from(NEEDS["openai"].keys, where=where)
        stands_for_home = self.provider == "openai" and self._url == _home_url()
        return (os.environ.get("OPENAI_API_KEY", "").strip() if stands_for_home else "") or "none"

    def _sdk(self, openai: Any, **others: Any) -> Any:
        """The SDK's client without retries and redirects, which would send the key to another host."""
        return sdk_client(openai, self._url, self._timeout_s, **others)

    def _make_client(self) -> Any:
        try:
            import openai
        except ImportError:
            where = f"model {self.provider}"
            raise InputError(
                "the openai package is missing", where=where, remedy=NEEDS["openai"].install
            ) from None
        key = self._key()
        return set_up(lambda: self._sdk(openai, api_key=key), where=f"model {self.provider}")

    def describe(self) -> JsonObject:
        """Provider, address, name and options that affect answers; options that may change within a run as
        `settings`.
        """
        decisive = {k: v for k, v in self._options.items() if k not in (*_SETTINGS, "api_key_env")}
        return {
            "provider": self.provider,
            "base_url": self.where,
            "options": decisive,
            "settings": {
                "max_tokens": self._options.get("max_tokens"),
                "max_images": self._limit.images,
                "video": self._limit.video,
                "timeout_s": self._timeout_s,
            },
            **self._native(),
        }

    def _native(self) -> JsonObject:
        """The entry `native_frames`: unknown for servers in general, whatever rate they are asked for."""
        return {"native_frames": "unknown"}

    def prepare(self, request: Request) -> None:
        """Encodes the frames that `generate` will send."""
        encode_ahead(request, most_images=self._limit.images, quality=self._quality)

    def body(self, request: Request) -> tuple[JsonObject, JsonObject]:
        """The body of a request, and its record; raises `NotApplicable`."""
        messages, sent = self.messages(request)
        parameters, extra = self.parameters(request)
        sent["parameters"] = {**parameters, **extra}
        return {"model": self.name, "messages": messages, **parameters, **extra}, sent

    def generate(self, request: Request) -> Response:
        """One chat completion, tried once; aborted after `timeout_s`."""
        body, sent = self.body(request)
        data = as_json(body)
        return self.read(
            posted(self.client, "/chat/completions", data, self._timeout_s, where=self.where), sent
        )

    def batch(self) -> Any:
        """This model through batch jobs of OpenAI and servers with the same API."""
        from lft.core.models.openai_batch import OpenAIBatch

        return OpenAIBatch(self)

    def price(self, usage: Usage, version: str | None) -> float | None:
        """USD for one direct call, or None."""
        elsewhere = None if self._home else self._url
        return self._prices.usd(self.provider, self.name, usage, version=version, base_url=elsewhere)

    def messages(self, request: Request) -> tuple[list[JsonObject], JsonObject]:
        """The conversation in wire format, and its record; raises `NotApplicable` beyond a limit."""
        self._limit.check_images(request.images, self.name)
        sent: JsonObject = {"given_as": "none"}
        messages: list[JsonObject] = [{"role": "system", "content": request.system}] if request.system else []
        for message in request.messages:
            if message.role == "model":  # many servers take an assistant's words as plain text only
                messages.append({"role": "assistant", "content": message.text})
                continue
            content: list[JsonObject] = []
            for part in message.parts:
                if isinstance(part, Text):
                    content.append({"type": "text", "text": part.text})
                elif isinstance(part, Images):
                    content += self._images(part, sent)
                else:
                    content.append(self._video(part, sent))
            messages.append({"role": "user", "content": content})
        return messages, sent

    def parameters(self, request: Request) -> tuple[JsonObject, JsonObject]:
        """Further arguments of the API, and entries that only some servers know."""
        values = {k: self._options[k] for k in _CONFIG if k in self._options}
        extra: JsonObject = {}
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
        if request.response_schema:
            form = {"name": "answer", "schema": dict(request.response_schema), "strict": True}
            extra["response_format"] = {"type": "json_schema", "json_schema": form}
        return values, extra

    def _images(self, part: Images, sent: JsonObject) -> list[JsonObject]:
        images = JPEGS.encode(part.frames, quality=self._quality)
        content: list[JsonObject] = []
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

    def _video(self, part: Video, sent: JsonObject) -> JsonObject:
        if not self._limit.video:
            raise NotApplicable(f"{self.name} takes no video, only images", limit="video")
        data = part.media.path.read_bytes()
        sent.update(
            given_as="video_url", video_bytes=len(data), video_fps=part.rate_hz or self._options.get("fps")
        )
        kind = mimetypes.guess_type(part.media.path.name)[0] or "video/mp4"
        return {"type": "video_url", "video_url": {"url": f"data:{kind};base64,{base64_of([data])[0]}"}}

    def read(
        self,
        document: object,
        sent: JsonObject,
        price: Callable[[Usage, str | None], float | None] | None = None,
    ) -> Response:
        """The content of a reply with its finish reason; raises `ModelError` if it has no answer."""
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
        if reason is None and self._options.get("finish_reason") == "optional":
            reason = "stop"
        reason = reason if isinstance(reason, str) else "unknown"
        if isinstance(refusal, str) and refusal:
            text, reason = text or refusal, "refusal"
        fingerprint = document.get("system_fingerprint")
        if isinstance(fingerprint, str):
            sent["system_fingerprint"] = fingerprint
        response = Response(text, reason, usage, version, sent, (price or self.price)(usage, version))
        if reason == "content_filter":
            raise ModelError("blocked", "the answer was blocked: content_filter", reply=response)
        if reason == "refusal":
            raise ModelError("refused", f"the model declined: {clean(refusal)}", reply=response, stops=False)
        if not text and reason == "length":
            raise ModelError(
                "truncated", "the output limit was spent before a word of the answer", reply=response
            )
        if not text and (error := _at(choice, "error") or _at(document, "error")):
            raise ModelError("server", f"the reply holds an error: {clean(error)}", reply=response)
        if not text:
            what = f"no text ({reason})" if choice is not None else "no choice"
            raise ModelError("empty", f"the reply holds {what}", reply=response)
        return response


def _home_url() -> str:
    """OpenAI's address, or OPENAI_BASE_URL."""
    return os.environ.get("OPENAI_BASE_URL", "").strip().rstrip("/") or HOME


def split_name(spec: ModelSpec) -> tuple[str, str | None]:
    """(model name, base URL if there is one) of `openai:NAME[@BASE_URL]`.

    Errors never repeat an address: it may contain a key.

    >>> split_name(ModelSpec.parse("openai:Qwen/Qwen3-VL@http://127.0.0.1:8000/v1"))
    ('Qwen/Qwen3-VL', 'http://127.0.0.1:8000/v1')
    """
    name, at, url = spec.name.partition("@http")
    where = f"model {spec.provider}"
    if not name:
        raise InputError(
            "a name is missing", where=where,
            expected=f"{spec.provider}:NAME or {spec.provider}:NAME@http://HOST:PORT/v1",
        )  # fmt: skip
    return name, checked_url("http" + url, where=where) if at else None


def _at(document: Json, *path: str | int) -> Json:
    """The entry at a path of keys and positions, or None."""
    for step in path:
        try:
            document = document[step]
        except (KeyError, IndexError, TypeError):
            return None
    return document


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _usage(counted: Json) -> Usage:
    """Tokens of a completion; hidden reasoning is separated from the output."""
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
