"""`gemini:NAME`: Google's Gemini models through the google-genai SDK; `vertex:NAME` the same through Vertex AI.

    native video     the file itself, inline up to `inline_mb`, else through the Files API; also if the server
                     refuses it inline
    frames           JPEG images in time order, each after its label
    thinking         the prompt condition `thinking` sends `thinking_on`: a level, or a budget in tokens

Options: temperature, top_p, top_k, seed, thinking_level, thinking_budget (sent with every prompt), thinking_on,
media_resolution, fps (the rate at which Gemini samples a native video; its own default is 1), media_processing (static:
at that rate; agentic: the model chooses), quality (JPEG); and those that may change within a run:
max_output_tokens, max_images, inline_mb, upload (auto, always, never), timeout_s. The key is GEMINI_API_KEY or
GOOGLE_API_KEY. Vertex takes the credentials of `gcloud auth application-default login` with GOOGLE_CLOUD_PROJECT and
GOOGLE_CLOUD_LOCATION, or a key; it has no Files API. `api_version` chooses another version of the API.
"""

from __future__ import annotations

import mimetypes
import os
from typing import Any

from lft.core.cost import Prices
from lft.core.errors import InputError
from lft.core.models import ModelSpec
from lft.core.models.faults import bounded, set_up
from lft.core.models.gemini_replies import fault_of, read_reply
from lft.core.models.limits import Limit, check_bytes, limit_of
from lft.core.models.options import number, one_of, read_options, whole, word
from lft.core.models.ready import NEEDS
from lft.core.models.secrets import key_from, public_url
from lft.core.records import JsonObject
from lft.core.requests import Images, NotApplicable, Request, Response, Text, Usage, Video
from lft.core.video.jpeg_cache import JPEG_QUALITY, JPEGS, base64_of, encode_ahead, record_images

_TIMEOUT_S = 300.0
_LEVELS = ("minimal", "low", "medium", "high", "xhigh")
_OPTIONS = {
    "temperature": number(0, 2),
    "top_p": number(0, 1),
    "top_k": whole(1),
    "seed": whole(0),
    "max_output_tokens": whole(1),
    "thinking_level": one_of(*_LEVELS),
    "thinking_budget": whole(-1),
    "thinking_on": word(rf"{'|'.join(_LEVELS)}|-1|\d{{1,7}}", "low, medium, high, or a number of tokens"),
    "media_resolution": one_of("low", "medium", "high"),
    "media_processing": one_of("static", "agentic"),
    "fps": number(0, 24, above=True),
    "quality": whole(1, 100),
    "max_images": whole(0),
    "inline_mb": number(0.001, 2000),
    "upload": one_of("auto", "always", "never"),
    "timeout_s": number(0.05, 3600),
    "api_version": word(r"v\d[\w.]{0,20}", "a version such as v1beta"),
}
_CONFIG = ("temperature", "top_p", "top_k", "seed", "max_output_tokens")  # sent as they are
_SETTINGS = ("max_output_tokens", "max_images", "inline_mb", "upload", "timeout_s")  # whether an answer comes


class Gemini:
    """One Gemini model. `client` is for tests; by default it is created with the key from the environment."""

    concurrency = 8
    takes_schema = True  # as responseJsonSchema

    def __init__(self, spec: ModelSpec, *, client: Any = None, prices: Prices | None = None) -> None:
        self.provider = spec.provider
        where = f"model {self.provider}"
        if not spec.name:
            raise InputError(
                "a name is missing",
                where=where,
                expected=f"{self.provider}:NAME, such as {self.provider}:gemini-3.6-flash",
            )
        self.name = spec.name
        self._options = read_options(spec, _OPTIONS)
        self._limit = self.limits(spec)
        self._inline_mb = self._limit.inline_mb
        self._quality = int(self._options.get("quality", JPEG_QUALITY))
        self._timeout_s = float(self._options.get("timeout_s", _TIMEOUT_S))
        has_files = self.provider != "vertex"
        self._upload = str(self._options.get("upload", "auto" if has_files else "never"))
        if not has_files and self._upload != "never":
            raise InputError(
                "Vertex AI has no Files API", where=where, expected="upload=never, or gemini:NAME"
            )
        if "thinking_level" in self._options and "thinking_budget" in self._options:
            raise InputError(
                "thinking_level and thinking_budget exclude each other", where=where, expected="one of them"
            )
        self._prices = prices or Prices.load()
        version = self._options.get("api_version")
        self.client = client or make_client(self._timeout_s, vertex=not has_files, api_version=version)
        self.where = _address(self.client)
        from lft.core.models.gemini_files import Uploads

        self._uploads = Uploads(self.client)

    @classmethod
    def limits(cls, spec: ModelSpec) -> Limit:
        """The limits of the model for one request."""
        return limit_of(spec.provider, spec.name, read_options(spec, _OPTIONS))

    def describe(self) -> JsonObject:
        """Provider, name and options that affect answers; options that may change within a run as `settings`."""
        decisive = {k: v for k, v in self._options.items() if k not in _SETTINGS}
        # Without `fps` Gemini samples a video once per second, so the frames of `native` are known;
        # with `agentic` they are not.
        agentic = decisive.get("media_processing") == "agentic"
        rate_hz = None if agentic else float(decisive.get("fps", 1.0))
        known = "unknown" if agentic else "sampled"
        return {
            "provider": self.provider,
            "options": decisive,
            "settings": {
                "max_output_tokens": self._options.get("max_output_tokens"),
                "max_images": self._limit.images,
                "inline_mb": self._inline_mb,
                "upload": self._upload,
                "timeout_s": self._timeout_s,
            },
            "native_frames": known,
            "native_rate_hz": rate_hz,
        }

    def prepare(self, request: Request) -> None:
        """Encodes the frames that `generate` will send."""
        encode_ahead(request, most_images=self._limit.images, quality=self._quality)

    def generate(self, request: Request) -> Response:
        """One call of generateContent, tried once; aborted after `timeout_s`.

        A video that a proxy refuses inline as too large is sent through the Files API instead.
        """
        contents, sent = self.contents(request)
        try:
            return self._asked(request, contents, sent)
        except NotApplicable as reason:
            if reason.limit != "bytes" or sent["given_as"] != "video_inline" or self._upload == "never":
                raise
        contents, sent = self.contents(request, inline=False)
        return self._asked(request, contents, sent)

    def _asked(self, request: Request, contents: list[JsonObject], sent: JsonObject) -> Response:
        config, parameters = self.config(request)
        sent["parameters"] = parameters
        # The contents go in wire form, past the SDK's own conversion, which costs 20 ms for a hundred images.
        config.http_options = {"extra_body": {"contents": contents}}
        fault: Exception
        try:
            reply = bounded(
                lambda: self.client.models.generate_content(model=self.name, contents=" ", config=config),
                self._timeout_s,
                where=self.where,
            )
        except Exception as error:  # only the SDK runs here
            fault = fault_of(error, where=self.where)
        else:
            return read_reply(reply, sent, self.price)
        raise fault  # not in the handler: the SDK's own exception, which holds the headers, is let go

    def batch(self) -> Any:
        """This model through the Batch API."""
        from lft.core.models.gemini_batch import GeminiBatch

        return GeminiBatch(self)

    def price(self, usage: Usage, version: str | None) -> float | None:
        """USD for one direct call, or None."""
        return self._prices.usd(self.provider, self.name, usage, version=version)

    def contents(
        self, request: Request, *, inline: bool | None = None
    ) -> tuple[list[JsonObject], JsonObject]:
        """The conversation in wire format, and its record; raises `NotApplicable` beyond a limit.

        A video is sent inline or uploaded, by its size unless `inline` is given.
        """
        self._limit.check_images(request.images, self.name)
        sent: JsonObject = {"given_as": "none"}
        turns: list[JsonObject] = []
        for message in request.messages:
            parts: list[JsonObject] = []
            for part in message.parts:
                if isinstance(part, Text):
                    parts.append({"text": part.text})
                elif isinstance(part, Images):
                    parts += self._images(part, sent)
                else:
                    parts.append(self._video(part, sent, inline))
            turns.append(_Turn(role=message.role, parts=parts))
        return turns, sent

    def config(self, request: Request) -> tuple[Any, JsonObject]:
        """The generation config, and its entries for the record."""
        from google.genai import types

        values: JsonObject = {k: self._options[k] for k in _CONFIG if k in self._options}
        if "media_resolution" in self._options:
            values["media_resolution"] = "MEDIA_RESOLUTION_" + self._options["media_resolution"].upper()
        thinking = self._thinking(request.thinking)
        if thinking:
            values["thinking_config"] = thinking
        if request.response_schema:
            values["response_mime_type"] = "application/json"
            values["response_json_schema"] = dict(request.response_schema)
        recorded = dict(values)
        if request.system:
            values["system_instruction"] = request.system
        return types.GenerateContentConfig(**values), recorded

    def _thinking(self, asked_for: bool) -> JsonObject:
        if asked_for:
            # The 2.x models take a budget (-1: as much as they like), later ones a level.
            wanted = self._options.get("thinking_on", "-1" if self.name.startswith("gemini-2") else "high")
            return (
                {"thinking_level": wanted.upper()} if wanted in _LEVELS else {"thinking_budget": int(wanted)}
            )
        if "thinking_level" in self._options:
            return {"thinking_level": self._options["thinking_level"].upper()}
        if "thinking_budget" in self._options:
            return {"thinking_budget": self._options["thinking_budget"]}
        return {}

    def _fits(self, size_bytes: int) -> bool:
        """Whether so many bytes, in base64, fit into a request."""
        return self._inline_mb is None or size_bytes * 4 / 3 <= self._inline_mb * 1e6

    def _images(self, part: Images, sent: JsonObject) -> list[JsonObject]:
        images = JPEGS.encode(part.frames, quality=self._quality)
        check_bytes(sum(map(len, images)) + sent.get("image_bytes", 0), self._inline_mb, self.name)
        parts: list[JsonObject] = []
        for position, data in enumerate(base64_of(images)):
            label = part.label(position)
            if label is not None:
                parts.append({"text": label})
            parts.append(_inline(data, "image/jpeg"))
        sent.update(record_images(part, images, sent))
        return parts

    def _video(self, part: Video, sent: JsonObject, inline: bool | None) -> JsonObject:
        rate_hz = part.rate_hz or self._options.get("fps")
        if rate_hz is not None and not 0 < rate_hz <= 24:
            raise NotApplicable(f"{rate_hz:g} frames per second; Gemini samples at up to 24")
        path = part.media.path
        kind = mimetypes.guess_type(path.name)[0] or "video/mp4"
        size = path.stat().st_size
        if inline is None:
            inline = self._upload == "never" or (self._upload == "auto" and self._fits(size))
        sent.update(given_as="video_inline" if inline else "video_file", video_bytes=size, video_fps=rate_hz)
        metadata: JsonObject = {"videoMetadata": {"fps": rate_hz}} if rate_hz else {}
        if "media_processing" in self._options:
            metadata["mediaProcessing"] = sent["media_processing"] = self._options["media_processing"].upper()
        if inline:
            return _inline(base64_of([path.read_bytes()])[0], kind) | metadata
        return {"fileData": {"fileUri": self._uploads.uri(path, kind), "mimeType": kind}} | metadata


def _inline(data: str, kind: str) -> JsonObject:
    return {"inlineData": {"mimeType": kind, "data": data}}


class _Turn(JsonObject):
    """A turn that the SDK reads without copying its parts, which would take milliseconds."""

    def __deepcopy__(self, memo: Any) -> _Turn:
        return self


def make_client(timeout_s: float, *, vertex: bool = False, api_version: str | None = None) -> Any:
    """The SDK's client without retries; raises `InputError` for a missing SDK, key or project.

    Redirects are not followed, since they would send the key to another host.
    """
    where = "model vertex" if vertex else "model gemini"
    try:
        from google import genai
        from google.genai import types
    except ImportError:
        raise InputError(
            "the google-genai package is missing", where=where, remedy=NEEDS["gemini"].install
        ) from None
    options = types.HttpOptions(
        timeout=int(timeout_s * 1000), api_version=api_version, client_args={"follow_redirects": False}
    )
    project = os.environ.get("GOOGLE_CLOUD_PROJECT", "").strip()
    if vertex and project:
        place = os.environ.get("GOOGLE_CLOUD_LOCATION", "").strip() or "global"
        return set_up(
            lambda: genai.Client(vertexai=True, project=project, location=place, http_options=options),
            where=where,
            remedy="gcloud auth application-default login",
        )
    remedy = "export GOOGLE_CLOUD_PROJECT=... and `gcloud auth application-default login`, or a key"
    key = key_from(NEEDS["gemini"].keys, where=where, remedy=remedy if vertex else None)
    return set_up(lambda: genai.Client(api_key=key, vertexai=vertex, http_options=options), where=where)


def _address(client: Any) -> str:
    """The client's address, for messages; empty if unknown."""
    options = getattr(getattr(client, "_api_client", None), "_http_options", None)
    url = getattr(options, "base_url", None)
    try:
        return public_url(url).rstrip("/") if isinstance(url, str) and url else ""
    except ValueError:  # no address at all: the first call says so
        return ""
