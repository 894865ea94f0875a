"""What hosted providers take in one request: one table, each line with its source and when it was read.

Providers change these. An option of the model spec (`max_images`, `inline_mb`, `video`) goes before the table, and a
run goes on with other limits: what was not applicable under the old ones is asked then.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Limit:
    """`images` and `inline_mb` (a whole request, in base64) in one request; None where the server decides."""

    models: str  # pattern of model names
    images: int | None
    inline_mb: float | None
    video: bool
    read: str
    source: str


LIMITS: dict[str, tuple[Limit, ...]] = {
    "gemini": (
        Limit(r".*", 3600, 100.0, True, "2026-11-30", "https://ai.google.dev/gemini-api/docs/image-understanding"),
    ),
    "vertex": (
        Limit(r".*", 3000, 20.0, True, "2026-11-30", "https://cloud.google.com/vertex-ai/generative-ai/docs/models"),
    ),
    "openai": (
        Limit(r".*", 500, 50.0, False, "2026-11-30", "https://platform.openai.com/docs/guides/images-vision"),
    ),
    "azure": (
        Limit(r".*", 50, None, False, "2026-11-30", "https://learn.microsoft.com/azure/ai-foundry/openai/quotas-limits"),
    ),
    "anthropic": (
        Limit(r"claude-(3|(opus|sonnet|haiku)-4(-[015])?(-|@|$)).*", 100, 32.0, False, "2026-11-30",
              "https://platform.claude.com/docs/en/build-with-claude/vision"),
        Limit(r".*", 600, 32.0, False, "2026-11-30",
              "https://platform.claude.com/docs/en/build-with-claude/vision"),
    ),
}  # fmt: skip
OWN_SERVER = Limit(r".*", None, None, True, "", "the server decides")


def limit_of(provider: str, model: str, options: Mapping[str, Any] = {}) -> Limit:
    """What `model` takes, options of its spec first.

    >>> limit_of("openai", "gpt-5").images, limit_of("openai", "gpt-5", {"max_images": 9}).images
    (500, 9)
    >>> limit_of("vllm", "any").images is None
    True
    """
    found = next((one for one in LIMITS.get(provider, ()) if re.fullmatch(one.models, model)), OWN_SERVER)
    return Limit(
        found.models,
        options.get("max_images", found.images),
        options.get("inline_mb", found.inline_mb),
        options.get("video", found.video),
        found.read,
        found.source,
    )
