"""What a run's manifest says of the frames that a native video supplied."""

from __future__ import annotations

from typing import Any

import pytest

from lft.core import models
from lft.counting.sweep import OWN_PROVIDERS, PROVIDERS

# Written out: Gemini documents one frame a second, and `fps` for another rate; a chat server documents nothing.
CASES: list[tuple[str, str, float | None]] = [
    ("gemini:gemini-3.6-flash", "sampled", 1.0),
    ("gemini:gemini-3.6-flash?fps=4", "sampled", 4.0),
    ("gemini:gemini-3.6-flash?media_processing=agentic", "unknown", None),
    ("openai:m@http://127.0.0.1:9/v1", "unknown", None),
    ("openai:m@http://127.0.0.1:9/v1?fps=1", "unknown", None),
    ("observer", "all", None),
    ("simulated:miss=0.1", "all", None),
]


@pytest.mark.parametrize(("spec", "known", "rate_hz"), CASES)
def test_an_adapter_says_which_native_frames_are_known(
    spec: str, known: str, rate_hz: float | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GEMINI_API_KEY", "key-for-tests")
    described = models.load(spec, PROVIDERS, truth=None).describe()
    assert models.native_frames(described) == known
    assert described.get("native_rate_hz") == rate_hz


@pytest.mark.parametrize(
    ("model", "known"),
    [
        ({"spec": "observer", "name": "observer", "observer": 3}, "all"),
        ({"spec": "simulated:miss=0.1?name=s", "name": "s"}, "all"),
        ({"spec": "gemini:x", "native_rate_hz": 2.0}, "sampled"),
        ({"spec": "openai:x@http://h/v1", "name": "x"}, "unknown"),
        ({"spec": "", "provider": "import"}, "unknown"),
        ({"native_frames": ["all"]}, "unknown"),
    ],
)
def test_runs_from_before_are_read_with_care(model: dict[str, Any], known: str) -> None:
    assert models.native_frames(model, OWN_PROVIDERS) == known
