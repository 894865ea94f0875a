"""Limits of hosted providers for one request: one table, each number with its source and date.

Providers change these. Options of the model spec (`max_images`, `inline_mb`, `video`) override the table. A
run can be resumed with other limits: trials that were not applicable are then asked.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from lft.core.records import Entries
from lft.core.requests import NotApplicable

NOT_FOUND = "not documented where looked"


@dataclass(frozen=True)
class Limit:
    """Most `images` and `inline_mb` (a whole request, in base64) in one request; None if there is no source: the server
    decides.

    `read` is the date of reading the sources; `source` is that of `images`, `inline_source` that of `inline_mb` if
    different.
    """

    models: str  # pattern of model names
    images: int | None
    inline_mb: float | None
    video: bool
    read: str
    source: str
    inline_source: str = ""

    def check_images(self, count: int, name: str) -> None:
        """Raises `NotApplicable` if the model `name` does not take `count` images."""
        if self.images is not None and count > self.images:
            raise NotApplicable(f"{count} images; {name} takes {self.images} in one request", limit="images")


def check_bytes(size_bytes: int, inline_mb: float | None, name: str) -> None:
    """Raises `NotApplicable` if so many bytes, in base64, exceed one request to the model `name`."""
    if inline_mb is not None and size_bytes * 4 / 3 > inline_mb * 1e6:
        size_mb = size_bytes * 4 / 3e6
        what = f"images of {size_mb:.1f} MB; {name} takes {inline_mb:g} MB in one request"
        raise NotApplicable(what, limit="bytes")


LIMITS: dict[str, tuple[Limit, ...]] = {
    # Images: Google's answer in its forum, of models up to 2.0. Bytes: 20 until January 2026.
    "gemini": (
        Limit(r".*", 3600, 100.0, True, "2026-11-30",
              "https://discuss.ai.google.dev/t/is-there-any-preprocessing-of-images-in-api/43061",
              "https://blog.google/innovation-and-ai/technology/developers-tools/gemini-api-new-file-limits"),
    ),
    # The page limits each file (7 MB, in a later copy 256 MB a part), and says nothing of the whole request; an earlier
    # copy of it had 900 images for previews of Gemini 3.
    "vertex": (
        Limit(r".*", 3000, None, True, "2026-11-30",
              "https://docs.cloud.google.com/gemini-enterprise-agent-platform/models/capabilities/image-understanding",
              NOT_FOUND),
    ),
    "openai": (
        Limit(r".*", 500, 50.0, False, "2026-11-30", "https://platform.openai.com/docs/guides/images-vision"),
    ),
    # Measured by a user in September 2026: 51 images are refused, "maximum number of images (50)". Microsoft's guide to
    # vision models says 10; the larger is held, since the server says itself what it does not take.
    "azure": (
        Limit(r".*", 50, None, False, "2026-11-30", "https://github.com/Azure/azure-rest-api-specs/issues/46145",
              NOT_FOUND),
    ),
    "anthropic": (
        Limit(r"claude-(3|(opus|sonnet|haiku)-4(-[015])?(-|@|$)).*", 100, 32.0, False, "2026-11-30",
              "https://platform.claude.com/docs/en/build-with-claude/vision"),
        Limit(r".*", 600, 32.0, False, "2026-11-30",
              "https://platform.claude.com/docs/en/build-with-claude/vision"),
    ),
}  # fmt: skip
OWN_SERVER = Limit(r".*", None, None, True, "", "the server decides")


def limit_of(provider: str, model: str, options: Entries | None = None) -> Limit:
    """The limits of `model`; options of its spec override the table.

    >>> limit_of("openai", "gpt-5").images, limit_of("openai", "gpt-5", {"max_images": 9}).images
    (500, 9)
    >>> limit_of("vllm", "any").images is None
    True
    """
    own = options or {}
    found = next((one for one in LIMITS.get(provider, ()) if re.fullmatch(one.models, model)), OWN_SERVER)
    return Limit(
        found.models,
        own.get("max_images", found.images),
        own.get("inline_mb", found.inline_mb),
        own.get("video", found.video),
        found.read,
        found.source,
        found.inline_source,
    )
