"""One contract for every provider: what the model gets is what the condition names.

The request goes through the provider's own SDK to a server, which takes the images back out of the wire form.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from lft.core import models
from lft.core.ask import Limits, ask
from lft.core.models import Model
from lft.core.requests import Response
from lft.core.runs import Recorder
from lft.core.video.media import Media
from lft.counting.sweep import PROVIDERS, ClipTrial
from lft.testing import check_model
from tests.core.asking import lines_of
from tests.core.models.conftest import HOSTED
from tests.core.models.contract import EXPECTED_S, PROMPTS, trial
from tests.fakes.provider import FakeProvider
from tests.fakes.wire import Call
from tests.videos import number_of

LOCAL = {  # providers that put nothing on a wire: they are handed the request itself
    "observer": "looks at the frames in this process",
    "simulated": "is told the truth",
    "replay": "repeats what was answered before",
    "scripted": "says what its file says",
    "hf": "has its own contract in tests/hf, with real processors",
    "vertex": "is `gemini` at another address (tests/outside)",
    "azure": "is `openai` at another address (tests/outside)",
    "vllm": "is `openai` at another address (tests/outside)",
    "anthropic": "has its own server in tests/outside",
    "ray": "hands the request to a model elsewhere (tests/hf/test_ray.py)",
}


def test_every_provider_is_under_the_contract_or_local() -> None:
    assert set(PROVIDERS) <= {*HOSTED, *LOCAL}


@pytest.mark.parametrize("provider", HOSTED)
def test_hosted_models_keep_the_contract_that_ships(
    fake: FakeProvider, load: Callable[..., Model], provider: str
) -> None:
    check_model(load(provider))
    assert len(fake.calls) == 6  # three requests, each asked twice


def frame_number(image: bytes) -> int:
    picture = cv2.imdecode(np.frombuffer(image, np.uint8), cv2.IMREAD_COLOR)
    assert picture.shape == (48, 64, 3)
    return number_of(picture)


def label(labels: str, position: int, time_s: float) -> str:
    # The time of a frame is when it came on screen: the last thirtieth of a second at or before the asked
    # time.
    shown_s = int(time_s * 30 + 1e-6) / 30
    return {"index": f"Frame {position + 1}:", "time": f"{shown_s:.2f} s:"}[labels]


@pytest.mark.parametrize("provider", HOSTED)
@pytest.mark.parametrize("sampling", EXPECTED_S)
@pytest.mark.parametrize("labels", ["none", "index", "time"])
def test_frames_are_those_of_the_policy_in_number_order_and_time(
    fake: FakeProvider, load: Callable[..., Model], clip: Media, provider: str, sampling: str, labels: str
) -> None:
    model = load(provider)
    times_s = EXPECTED_S[sampling]
    for prompt in PROMPTS:
        question_ = trial(clip, sampling, labels, prompt)
        response = model.generate(question_.next(()))
        call = fake.calls.pop()
        numbers = [frame_number(image) for image in call.images]
        assert numbers == [int(t * 30 + 1e-6) % 31 for t in times_s]
        check_words(call, question_, labels, times_s)
        assert response.sent["images"] == len(times_s)
        assert response.sent["image_size"] == [64, 48]
        assert response.sent["image_bytes"] == sum(map(len, call.images))


def check_words(call: Call, asked: ClipTrial, labels: str, times_s: list[float]) -> None:
    """Images come first, each after its label, then the question; the system instruction is apart."""
    kinds = [kind for _, kind, _ in call.parts]
    beside = 0 if labels == "none" else 1
    assert kinds == (["text"] * beside + ["image"]) * len(times_s) + ["text"]
    if beside:
        assert call.texts[:-1] == [label(labels, position, t) for position, t in enumerate(times_s)]
    assert not re.search(r"\{\w+\}", call.texts[-1].replace(r"\boxed{N}", ""))
    assert f"{len(times_s)} frames are given" in call.texts[-1]
    assert "How many blinks" in call.texts[-1]
    template = asked.prompt
    assert (call.system is None) == (template.system is None)
    assert asked.rendered("x").system == call.system
    assert {role for role, _, _ in call.parts} == {"user"}


@pytest.mark.parametrize("provider", HOSTED)
@pytest.mark.parametrize("prompt", PROMPTS)
def test_native_video_is_the_file_itself(
    fake: FakeProvider, load: Callable[..., Model], clip: Media, provider: str, prompt: str
) -> None:
    response = load(provider).generate(trial(clip, "native", "none", prompt).next(()))
    (call,) = fake.calls
    assert [kind for _, kind, _ in call.parts] == ["video", "text"]
    assert call.parts[0][2] == clip.path.read_bytes()
    assert response.sent["video_bytes"] == clip.path.stat().st_size


@pytest.mark.parametrize("provider", HOSTED)
def test_without_events_keyframes_send_no_frame_and_the_run_says_so(
    fake: FakeProvider, load: Callable[..., Model], clip: Media, provider: str, tmp_path: Path
) -> None:
    asked = trial(clip, "keyframes:0.1", "time", "direct", events_s=())
    with Recorder(tmp_path, {"suite": "counting"}) as recorder:
        assert ask(recorder, load(provider), [asked], Limits()).answered == 1
    (call,) = fake.calls
    assert [kind for _, kind, _ in call.parts] == ["text"]
    assert "No frame is given of a video that lasts 24.0 seconds." in call.texts[0]
    (line,) = lines_of(tmp_path)
    assert (line["images"], line["frame_times_s"], line["native"]) == (0, [], False)
    assert line["sent"]["given_as"] == "none"


@pytest.mark.parametrize("provider", HOSTED)
def test_the_run_holds_the_times_that_were_sent(
    fake: FakeProvider, load: Callable[..., Model], clip: Media, provider: str, tmp_path: Path
) -> None:
    trials = [trial(clip, s, w, "direct") for s, w in itertools.product(EXPECTED_S, ("none", "time"))]
    with Recorder(tmp_path, {"suite": "counting"}) as recorder:
        ask(recorder, load(provider), trials, Limits(concurrency=1))
    for line in lines_of(tmp_path):
        sampling = line["key"]["sampling"]
        shown_s = [int(t * 30 + 1e-6) / 30 for t in EXPECTED_S[sampling]]
        assert line["frame_times_s"] == pytest.approx(shown_s, abs=1e-6)
        assert line["images"] == len(shown_s)


@pytest.mark.parametrize("provider", HOSTED)
def test_the_second_turn_is_a_conversation(
    fake: FakeProvider, load: Callable[..., Model], clip: Media, provider: str
) -> None:
    asked = trial(clip, "frames:8", "time", "two_turn_verification")
    load(provider).generate(asked.next((Response(r"1. 3.5 s \boxed{1}"),)))
    (call,) = fake.calls
    assert len(call.images) == 8
    spoken = [(role, text) for role, kind, text in call.parts if kind == "text"]
    assert [role for role, _ in spoken[-3:]] == ["user", "model", "user"]
    assert spoken[-2][1] == r"1. 3.5 s \boxed{1}"
    assert spoken[-1][1].startswith("Look at the video again")


@pytest.mark.parametrize(
    ("provider", "options", "expected"),
    [
        ("gemini", "", {"thinkingConfig": {"thinkingLevel": "HIGH"}}),
        ("gemini", "thinking_on=4096", {"thinkingConfig": {"thinkingBudget": 4096}}),
        ("openai", "thinking_on=high", {"reasoning_effort": "high"}),
        ("openai", "thinking_on=template", {"chat_template_kwargs": {"enable_thinking": True}}),
    ],
)
def test_the_thinking_prompt_uses_the_switch_of_the_provider(
    fake: FakeProvider,
    load: Callable[..., Model],
    clip: Media,
    provider: str,
    options: str,
    expected: dict[str, Any],
) -> None:
    model = load(provider, options)
    for prompt in ("thinking", "direct"):
        model.generate(trial(clip, "frames:8", "none", prompt).next(()))
    thinking, direct = (c.document.get("generationConfig", c.document) for c in fake.calls)
    assert {k: thinking[k] for k in expected} == expected
    if "chat_template_kwargs" in expected:
        assert direct["chat_template_kwargs"] == {"enable_thinking": False}
    else:
        assert not set(expected) & set(direct)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("o3", "high"),
        ("gpt-5-mini", "high"),
        ("gpt-5.6-sol", "high"),
        ("gpt-6-astra", "high"),
        ("gpt-6.2-sol", "high"),
        ("gpt-10", "high"),
        ("gpt-5-chat-latest", None),  # these do not reason, and refuse the switch
        ("gpt-5.3-chat-latest", None),
        ("gpt-4.1", None),
        ("gpt-4o", None),
        ("openai-compatible", None),
    ],
)
def test_openais_own_models_that_reason_are_asked_to(
    fake: FakeProvider, clip: Media, name: str, expected: str | None
) -> None:
    model = models.load(f"openai:{name}?max_tokens=99&max_images=8")
    asked = trial(clip, "frames:8", "none", "thinking").next(())
    parameters, _ = model.parameters(asked)  # type: ignore[attr-defined]
    assert parameters.get("reasoning_effort") == expected
    assert parameters["max_completion_tokens"] == 99
    assert "max_tokens" not in parameters
    again, _ = models.load(f"openai:{name}?thinking_on=max").parameters(asked)  # type: ignore[attr-defined]
    assert again["reasoning_effort"] == "max"


@pytest.mark.parametrize(
    ("name", "options", "expected"),
    [
        ("gemini-2.5-flash", "", {"thinkingBudget": -1}),
        ("gemini-3.8-flash", "", {"thinkingLevel": "HIGH"}),
        ("gemini-4-argon", "", {"thinkingLevel": "HIGH"}),
        ("gemini-flash-latest", "", {"thinkingLevel": "HIGH"}),
        ("gemini-4-argon", "thinking_on=xhigh", {"thinkingLevel": "XHIGH"}),
        ("gemini-2.5-flash", "thinking_on=0", {"thinkingBudget": 0}),
    ],
)
def test_gemini_thinks_by_budget_until_2_5_and_by_level_since(
    fake: FakeProvider, clip: Media, name: str, options: str, expected: dict[str, Any]
) -> None:
    model = models.load(f"gemini:{name}" + (f"?{options}" if options else ""))
    model.generate(trial(clip, "frames:8", "none", "thinking").next(()))
    assert fake.calls[0].document["generationConfig"]["thinkingConfig"] == expected
