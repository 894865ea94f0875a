"""A fake provider for the SDKs to talk to, and a clip whose frames tell their numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from lft.core import models
from lft.core.models import Model
from lft.core.video.media import Media
from tests.core.models import contract
from tests.fakes.provider import FakeProvider
from tests.videos import numbered, write_video

clip = contract.clip  # the fixture
KEY = "test-key-a1b2c3d4e5f6"  # in every key variable; must never be seen anywhere else
HOSTED = ("gemini", "openai")


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeProvider]:
    with FakeProvider() as provider:
        for variable in ("GEMINI_API_KEY", "OPENAI_API_KEY"):
            monkeypatch.setenv(variable, KEY)
        monkeypatch.delenv("GOOGLE_API_KEY", raising=False)
        monkeypatch.delenv("LFT_PRICES", raising=False)
        monkeypatch.setenv("GOOGLE_GEMINI_BASE_URL", provider.url)
        yield provider


@pytest.fixture
def load(fake: FakeProvider) -> Callable[..., Model]:
    """load("gemini", "temperature=0"): a hosted model that talks to the fake provider."""

    def make(provider: str, options: str = "") -> Model:
        if provider == "gemini":
            return models.load("gemini:gemini-3.6-flash" + (f"?{options}" if options else ""))
        more = f"&{options}" if options else ""
        return models.load(f"openai:some-model@{fake.url}/v1?api_key_env=OPENAI_API_KEY{more}")

    return make


@pytest.fixture
def small(tmp_path: Path) -> Media:
    """One second of the same as `clip`."""
    return Media.open(write_video(tmp_path / "small.mp4", numbered(30)))
