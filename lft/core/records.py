"""Types of the records of a run: trial keys, lines of responses.jsonl, the manifest. Runs are untrusted: they are
checked against these types when they are read.

Only `trial` and `key` are required; entries of a line may be null. Entries that are not listed here belong to a suite
or a provider, and are kept unchanged.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, Required, TypeAlias, TypedDict

from msgspec import Meta

MOST_TURNS = 1000  # requests of one trial
ANSWERED, ERROR, NOT_APPLICABLE, DONE = "answered", "error", "not_applicable", "done"  # statuses of a line
RECORDED = "recorded"  # `ends` of a manifest: a trial is complete when its last line says how it ended

Json: TypeAlias = Any  # a JSON value of a suite, a provider or a user's file
JsonObject: TypeAlias = dict[str, Json]
Entries: TypeAlias = Mapping[str, Json]  # a JSON object that is only read

Name = Annotated[str, Meta(pattern="^[^\0\ud800-\udfff]*\\Z")]  # can be written to files and tables
Number = Annotated[float, Meta(ge=0, le=1e300)]
Count = Annotated[float, Meta(ge=0, le=1e15)]
KeyPart = Name | Annotated[float, Meta(ge=-1e300, le=1e300)]
Key: TypeAlias = Mapping[str, str | float]  # of a trial; a line's has its `turn`, too


class Numbers(TypedDict, total=False):
    """The numbers in a key."""

    turn: Annotated[int, Meta(ge=0, le=MOST_TURNS)]
    replicate: Annotated[int, Meta(ge=0, le=10**9)]


class Failure(TypedDict, total=False):
    """Why an attempt failed."""

    kind: Required[str]
    message: str
    retry_after_s: Number | None
    is_down: bool
    stops: bool


class Tokens(TypedDict, total=False):
    """Tokens reported by the provider (`lft.core.requests.Usage`)."""

    input_tokens: Count | None
    output_tokens: Count | None
    thought_tokens: Count | None
    cached_tokens: Count | None
    cached_audio_tokens: Count | None
    by_modality: dict[str, Count | None] | None


class LinePart(TypedDict, total=False):
    """The entries of a line besides trial and key; see `lft.core.run_lines`."""

    status: str | None
    text: str | None
    reason: str | None
    native: bool | None
    frame_times_s: list[Number] | None
    images: Number | None
    prompt_sha256: str | None
    finish_reason: str | None
    model_version: str | None
    usage: Tokens | None
    cost_usd: Number | None
    latency_s: Number | None
    attempt: Number | None
    sent: JsonObject | None
    pictures: dict[str, Count | None] | None
    videos: dict[str, Count | None] | None
    kept: JsonObject | None
    end: Name | None
    error: Failure | None
    settings: JsonObject | None
    limit: str | None
    call: str | None
    batch: bool | None


class Line(LinePart, total=False):
    """An attempt that ended, or the end of an episode."""

    trial: Required[Name]
    key: Required[dict[str, Json]]


class ModelEntry(TypedDict, total=False):
    """The entries of `Model.describe` that are read."""

    spec: str | None
    name: Name | None
    provider: str | None
    base_url: Json
    options: JsonObject | None
    settings: JsonObject | None
    native_rate_hz: Annotated[float, Meta(gt=0, le=1e300)] | None
    native_frames: str | None


class PromptEntry(TypedDict, total=False):
    """A prompt of a run: the hash of its file, number of turns, words."""

    sha256: str
    turns: Annotated[int, Meta(ge=0, le=MOST_TURNS)]
    words: JsonObject


class Manifest(TypedDict, total=False):
    """The entries of a manifest that all suites share."""

    schema: str
    suite: str
    sweep: JsonObject
    model: ModelEntry
    adapter: Json
    adapters_before: Json
    prompts: dict[str, PromptEntry]
    prompts_version: Annotated[int, Meta(ge=0, le=10**6)]
    questions: dict[str, dict[str, Json]]
    trials: dict[str, dict[str, Json]]
    ends: Literal["recorded"]
    versions: Json
    git_revision: Json
    begun: Json
