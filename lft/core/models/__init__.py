"""Models by name. `PROVIDERS` lists all of them, those of other installed packages (`lft.core.plugins`) last; a
provider's module is imported only when it is used.

A model spec is `provider[:name][?key=value&...]`, for example `gemini:gemini-3.6-flash?fps=1&temperature=0`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable
from urllib.parse import parse_qsl

from lft.core import plugins
from lft.core.errors import InputError, shown, unknown_name
from lft.core.models.secrets import public_spec
from lft.core.records import Entries, JsonObject
from lft.core.requests import Request, Response

_LONGEST_NAME = 100  # characters of a model's name that is repeated in an error
PROVIDERS: dict[str, str] = {
    "gemini": "lft.core.models.gemini:Gemini",
    "vertex": "lft.core.models.gemini:Gemini",
    "openai": "lft.core.models.openai:OpenAI",
    "azure": "lft.core.models.chat_servers:Azure",
    "vllm": "lft.core.models.chat_servers:VLLM",
    "anthropic": "lft.core.models.anthropic:Anthropic",
    "hf": "lft.core.models.hf:HF",
    "ray": "lft.core.models.replicas:Replicas",
    "replay": "lft.core.models.replay:Replay",
    "scripted": "lft.core.models.scripted:Scripted",
}
PROVIDERS |= plugins.plugged(plugins.MODELS, taken=PROVIDERS)


@runtime_checkable
class Model(Protocol):
    """The interface of a model. `generate` is called from several threads at once.

    A model may also have `concurrency` (default number of calls in flight), `is_free` (its answers cost nothing),
    `takes_schema` (it supports `request.response_schema`; otherwise prompts with a schema are not applicable)
    and `prepare(request)`, called before `generate` while other calls are in flight.
    """

    @property
    def name(self) -> str:
        """The name in tables."""
        ...

    def generate(self, request: Request) -> Response:
        """The answer to a request.

        Raises `ModelError` if there is no answer, `NotApplicable` if the model cannot take the condition.
        """
        ...

    def describe(self) -> JsonObject:
        """Everything that affects answers, for the run's manifest: parameters, versions. No keys.

        `native_frames` states which frames of a native video the model sees (`NATIVE_FRAMES`, default `unknown`), with
        `native_rate_hz` for `sampled`.
        """
        ...


# What an adapter knows about the frames of a native video that its model sees:
#   all         every frame of the file
#   sampled     frames at the rate `native_rate_hz` beside it, counted from the first frame
#   recorded    the times are in the line of each answer, as `sent.native_times_s`
#   unknown     the provider chooses them and does not report them
NATIVE_FRAMES = ("all", "sampled", "recorded", "unknown")


def native_frames(described: Entries, sees_all: Collection[str] = ()) -> str:
    """The entry of `NATIVE_FRAMES` for the `model` of a run's manifest.

    For old runs without this entry, providers in `sees_all` saw every frame.

    >>> native_frames({"native_frames": "all"}), native_frames({"native_rate_hz": 1.0}), native_frames({})
    ('all', 'sampled', 'unknown')
    """
    said = described.get("native_frames")
    if said in NATIVE_FRAMES:
        return str(said)
    if described.get("native_rate_hz"):
        return "sampled"
    own = str(described.get("spec") or "").partition("?")[0].partition(":")[0]
    return "all" if own in sees_all or any(name in described for name in sees_all) else "unknown"


@dataclass(frozen=True)
class ModelSpec:
    """A parsed model spec.

    >>> ModelSpec.parse("gemini:gemini-3.6-flash?fps=1&temperature=0").options
    {'fps': '1', 'temperature': '0'}
    >>> ModelSpec.parse("scripted").name
    ''
    """

    provider: str
    name: str
    options: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def parse(cls, text: str) -> ModelSpec:
        """Splits `provider[:name][?key=value&...]`; raises `InputError` for an empty or repeated part."""
        head, _, query = str(text).partition("?")
        provider, _, name = head.partition(":")
        pairs = parse_qsl(query, keep_blank_values=True, strict_parsing=False)
        options = dict(pairs)
        if not provider or len(options) != len(pairs):
            said = shown(public_spec(str(text)))
            raise InputError(f"unusable model {said}", expected="provider[:name][?key=value&...]")
        return cls(provider, name, options)

    def __str__(self) -> str:
        head = f"{self.provider}:{self.name}" if self.name else self.provider
        return head + ("?" + "&".join(f"{k}={v}" for k, v in self.options.items()) if self.options else "")


def load(text: str, providers: Mapping[str, str] = PROVIDERS, **context: Any) -> Model:
    """The model that a spec names. `context` (for example `truth`) reaches the providers that declare it.

    A provider is `"module:object"`; the object is called as `object(spec, **context)` with the entries of the context
    that it declares as parameters.
    """
    spec = ModelSpec.parse(text)
    factory = factory_of(spec, providers)
    wanted = getattr(factory, "context", ())
    return factory(spec, **{name: context[name] for name in wanted if name in context})


def factory_of(spec: ModelSpec, providers: Mapping[str, str] = PROVIDERS) -> Callable[..., Model]:
    """The class of the model of a spec; its attributes (`takes_schema`) are known without an instance."""
    if spec.provider not in providers:
        raise unknown_provider(spec, providers)
    factory: Callable[..., Model] = plugins.loaded(f"the provider {spec.provider}", providers[spec.provider])
    return factory


def name_of(spec: ModelSpec, providers: Mapping[str, str] = PROVIDERS) -> str:
    """The name of a model in tables, without creating it (which may need a key).

    >>> name_of(ModelSpec.parse("openai:m@http://127.0.0.1:8000/v1"))
    'm'
    """
    named = getattr(factory_of(spec, providers), "name_of", None) if spec.provider in providers else None
    return str(named(spec)) if named else spec.name or spec.provider


# Model names that identify their provider.
_SERVED_BY = {
    r"(gpt-|chatgpt-|o\d)": "openai",
    r"gemini-": "gemini",
    r"claude-": "anthropic",
    r"[\w.-]+/[\w.-]+": "hf",
}


def unknown_provider(spec: ModelSpec, providers: Mapping[str, str]) -> InputError:
    """The error for a spec without a known provider; for a bare model name it suggests the spec.

    >>> str(unknown_provider(ModelSpec.parse("gpt-5?temperature=0"), PROVIDERS))
    "unknown model provider 'gpt-5'; expected openai:gpt-5?temperature=0"
    """
    for pattern, provider in _SERVED_BY.items():
        if provider in providers and re.match(pattern, spec.provider) and len(spec.provider) < _LONGEST_NAME:
            meant = f"{provider}:{spec}"
            return InputError(f"unknown model provider {shown(spec.provider)}", expected=meant)
    return unknown_name("model provider", spec.provider, providers)


def without_options(spec: ModelSpec, *, needs_name: str | None = None) -> None:
    """Raises `InputError` if the spec has options, or lacks (or, for `needs_name` None, has) a name."""
    if spec.options:
        raise unknown_name("option", next(iter(spec.options)), ["none"], where=f"model {spec.provider}")
    if bool(spec.name) != bool(needs_name):
        raise InputError(
            f"{shown(spec.name)} after {spec.provider}:" if spec.name else "a name is missing",
            where=f"model {spec.provider}",
            expected=f"{spec.provider}:NAME where NAME is {needs_name}" if needs_name else spec.provider,
        )
