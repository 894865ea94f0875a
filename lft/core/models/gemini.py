"""`gemini:NAME`: Google's Gemini models through the google-genai SDK.

    native video     the file itself, inline up to `inline_mb` and through the Files API above it
    frames           JPEG images in time order, each after its label
    thinking         the prompt condition `thinking` sends `thinking_on`: a level, or a number of tokens

Options: temperature, top_p, top_k, seed, max_output_tokens, thinking_level, thinking_budget (sent with every
prompt), thinking_on, media_resolution, fps (the rate at which Gemini samples a native video; its own default
is 1), media_processing (static: at that rate; agentic: the model looks where it wants), quality (JPEG),
max_images, inline_mb, upload (auto, always, never), timeout_s. The key is GEMINI_API_KEY or GOOGLE_API_KEY.
"""

from __future__ import annotations

import mimetypes
from typing import Any

from lft.core.cost import Prices
from lft.core.encoded import JPEG_QUALITY, JPEGS, base64_of, encode_ahead, record_images
from lft.core.errors import InputError
from lft.core.models import ModelSpec
from lft.core.models.faults import key_from, set_up
from lft.core.models.gemini_replies import fault_of, read_reply
from lft.core.models.options import number, one_of, read_options, whole, word
from lft.core.models.ready import NEEDS
from lft.core.requests import Images, NotApplicable, Request, Response, Text, Usage, Video

KEYS = NEEDS["gemini"].keys
MAX_IMAGES = 3600  # images in one request
INLINE_MB = 100.0  # a whole request with inline data, before base64
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
}
_CONFIG = ("temperature", "top_p", "top_k", "seed", "max_output_tokens")  # sent as they are
_TRANSPORT = ("timeout_s", "upload")  # decide nothing about an answer


class Gemini:
    """One Gemini model. `client` is for tests; otherwise it is made with the key from the environment."""

    concurrency = 8

    def __init__(self, spec: ModelSpec, *, client: Any = None, prices: Prices | None = None) -> None:
        if not spec.name:
            raise InputError(
                "a name is missing",
                where="model gemini",
                remedy="gemini:NAME, such as gemini:gemini-3.6-flash",
            )
        self.name = spec.name
        self._options = read_options(spec, _OPTIONS)
        self._max_images = int(self._options.get("max_images", MAX_IMAGES))
        self._quality = int(self._options.get("quality", JPEG_QUALITY))
        if "thinking_level" in self._options and "thinking_budget" in self._options:
            raise InputError(
                "thinking_level and thinking_budget exclude each other",
                where="model gemini",
                remedy="one of them",
            )
        self._prices = prices or Prices.load()
        self.client = client or make_client(float(self._options.get("timeout_s", 300.0)))
        from lft.core.models.gemini_files import Uploads

        self._uploads = Uploads(self.client)

    def describe(self) -> dict[str, Any]:
        """Provider, name and every option that decides an answer."""
        decisive = {k: v for k, v in self._options.items() if k not in _TRANSPORT}
        # Without `fps` Gemini samples a video once a second: what it can have seen of `native` follows from this.
        # A model that looks where it wants can have seen anything.
        agentic = decisive.get("media_processing") == "agentic"
        rate_hz = None if agentic else float(decisive.get("fps", 1.0))
        known = "unknown" if agentic else "sampled"
        return {
            "provider": "gemini",
            "options": decisive,
            "native_frames": known,
            "native_rate_hz": rate_hz,
        }

    def prepare(self, request: Request) -> None:
        """Encodes the frames that `generate` will send."""
        encode_ahead(request, most_images=self._max_images, quality=self._quality)

    def generate(self, request: Request) -> Response:
        """One call of generateContent, tried once."""
        contents, sent = self.contents(request)
        config, parameters = self.config(request)
        sent["parameters"] = parameters
        # The contents go in wire form, past the SDK's own conversion, which costs 20 ms for a hundred images.
        config.http_options = {"extra_body": {"contents": contents}}
        fault: Exception
        try:
            reply = self.client.models.generate_content(model=self.name, contents=" ", config=config)
        except Exception as error:  # only the SDK runs here
            fault = fault_of(error)
        else:
            return read_reply(reply, sent, self.price)
        raise fault  # not in the handler: the SDK's own exception, which holds the headers, is let go

    def batch(self) -> Any:
        """This model through the Batch API."""
        from lft.core.models.gemini_batch import GeminiBatch

        return GeminiBatch(self)

    def price(self, usage: Usage, version: str | None) -> float | None:
        """USD for one direct call, or None."""
        return self._prices.usd("gemini", self.name, usage, version=version)

    def contents(self, request: Request) -> tuple[list[dict[str, Any]], dict[str, Any]]:
        """The conversation in wire form, and what is recorded of it; refuses what is over a limit."""
        if request.images > self._max_images:
            raise NotApplicable(
                f"{request.images} images; {self.name} takes {self._max_images} in one request"
            )
        sent: dict[str, Any] = {"given_as": "none"}
        turns: list[dict[str, Any]] = []
        for part in request.parts:
            if isinstance(part, Text):
                parts: list[dict[str, Any]] = [{"text": part.text}]
            elif isinstance(part, Images):
                parts = self._images(part, sent)
            else:
                parts = [self._video(part, sent)]
            if not turns or turns[-1]["role"] != part.role:
                turns.append(_Turn(role=part.role, parts=[]))
            turns[-1]["parts"].extend(parts)
        return turns, sent

    def config(self, request: Request) -> tuple[Any, dict[str, Any]]:
        """The generation config, and its entries for the record."""
        from google.genai import types

        values: dict[str, Any] = {k: self._options[k] for k in _CONFIG if k in self._options}
        if "media_resolution" in self._options:
            values["media_resolution"] = "MEDIA_RESOLUTION_" + self._options["media_resolution"].upper()
        thinking = self._thinking(request.thinking)
        if thinking:
            values["thinking_config"] = thinking
        recorded = dict(values)
        if request.system:
            values["system_instruction"] = request.system
        return types.GenerateContentConfig(**values), recorded

    def _thinking(self, asked_for: bool) -> dict[str, Any]:
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

    def _images(self, part: Images, sent: dict[str, Any]) -> list[dict[str, Any]]:
        images = JPEGS.encode(part.frames, quality=self._quality)
        size = sum(map(len, images)) + sent.get("image_bytes", 0)
        most = float(self._options.get("inline_mb", INLINE_MB)) * 1e6
        if size * 4 / 3 > most:
            raise NotApplicable(
                f"images of {size * 4 / 3e6:.1f} MB; {self.name} takes {most / 1e6:g} MB in one request"
            )
        parts: list[dict[str, Any]] = []
        for position, data in enumerate(base64_of(images)):
            label = part.label(position)
            if label is not None:
                parts.append({"text": label})
            parts.append(_inline(data, "image/jpeg"))
        sent.update(record_images(part, images, sent))
        return parts

    def _video(self, part: Video, sent: dict[str, Any]) -> dict[str, Any]:
        rate_hz = part.rate_hz or self._options.get("fps")
        if rate_hz is not None and not 0 < rate_hz <= 24:
            raise NotApplicable(f"{rate_hz:g} frames per second; Gemini samples at up to 24")
        path = part.media.path
        kind = mimetypes.guess_type(path.name)[0] or "video/mp4"
        size = path.stat().st_size
        way = self._options.get("upload", "auto")
        inline = way == "never" or (
            way == "auto" and size * 4 / 3 <= float(self._options.get("inline_mb", INLINE_MB)) * 1e6
        )
        sent.update(given_as="video_inline" if inline else "video_file", video_bytes=size, video_fps=rate_hz)
        metadata: dict[str, Any] = {"videoMetadata": {"fps": rate_hz}} if rate_hz else {}
        if "media_processing" in self._options:
            metadata["mediaProcessing"] = sent["media_processing"] = self._options["media_processing"].upper()
        if inline:
            return _inline(base64_of([path.read_bytes()])[0], kind) | metadata
        return {"fileData": {"fileUri": self._uploads.uri(path, kind), "mimeType": kind}} | metadata


def _inline(data: str, kind: str) -> dict[str, Any]:
    return {"inlineData": {"mimeType": kind, "data": data}}


class _Turn(dict[str, Any]):
    """A turn that the SDK, which only reads it, does not copy part by part: that costs milliseconds."""

    def __deepcopy__(self, memo: Any) -> _Turn:
        return self


def limits(spec: ModelSpec) -> tuple[int | None, bool]:
    """(images in one request at most, whether video is taken), without making the model."""
    return read_options(spec, _OPTIONS).get("max_images", MAX_IMAGES), True


def make_client(timeout_s: float) -> Any:
    """The SDK's client, tried once per call; raises `InputError` for a missing SDK or key."""
    try:
        from google import genai
        from google.genai import types
    except ImportError:
        raise InputError(
            "the google-genai package is missing", where="model gemini", remedy=NEEDS["gemini"].install
        ) from None
    key = key_from(KEYS, where="model gemini")
    options = types.HttpOptions(timeout=int(timeout_s * 1000))
    return set_up(
        lambda: genai.Client(api_key=key, vertexai=False, http_options=options), where="model gemini"
    )
