"""Each fault of a provider is told apart, through its own SDK; keys are seen nowhere."""

from __future__ import annotations

import io
import logging
import subprocess
import sys
import time
import traceback
from collections.abc import Callable
from dataclasses import replace
from email.utils import formatdate
from pathlib import Path
from typing import Any

import pytest

from lft.core import models
from lft.core.ask import Limits, ask
from lft.core.errors import InputError
from lft.core.models import Model
from lft.core.models.faults import http_fault
from lft.core.requests import Images, ModelError, NotApplicable, Request, Text, Usage, Video
from lft.core.runs import Recorder
from lft.core.video.frames import Sampling, sample
from lft.core.video.media import Media
from tests.core.asking import MANIFEST, questions
from tests.core.models.conftest import HOSTED, KEY
from tests.fakes.provider import FakeProvider, Fault
from tests.fakes.wire import MODEL_VERSION

ASKED = Request((Text("how many?"),))
Load = Callable[..., Model]


@pytest.mark.parametrize("provider", HOSTED)
@pytest.mark.parametrize(
    ("fault", "kind", "words"),
    [
        (Fault(429), "rate_limit", "429"),
        (Fault(500), "server", "500"),
        (Fault(503, body=b"<html>bad gateway"), "server", "503"),
        (Fault(504), "timeout", "504"),
        (Fault(408), "timeout", "408"),
        (Fault("stall"), "timeout", "no answer in time"),
        (Fault("drop"), "connection", "disconnected"),
        (Fault("cut"), "connection", "closed connection"),
        (Fault("garbage"), "bad_reply", "could not be read"),
        (Fault("garbage", body=b"[1, 2]"), "bad_reply", "not a"),
        (Fault("garbage", body=b'{"choices": {"a": 1}, "candidates": 3}'), "bad_reply", ""),
        (Fault("garbage", body=b"\xff\xfe\x00"), "bad_reply", "could not be read"),
        (Fault("empty"), "empty", "the reply holds no c"),
        (Fault("blocked_answer"), "blocked", "the answer was blocked"),
        (Fault("truncated"), "truncated", "before a word"),
        (Fault(400, message="temperature is not supported"), "rejected", "temperature is not supported"),
        (Fault(401), "refused", "401"),
        (Fault(403), "refused", "403"),
        (Fault(404, message="no such model"), "refused", "no such model"),
        (
            Fault(429, body={"error": {"code": "insufficient_quota", "message": "pay"}}),
            "refused",
            "quota is used up",
        ),
        (
            Fault(
                429,
                body={
                    "error": {
                        "code": 429,
                        "message": "quota",
                        "details": [{"quotaId": "RequestsPerDay-Free"}],
                    }
                },
            ),
            "refused",
            "quota is used up",
        ),
    ],
    ids=lambda value: repr(value.what) if isinstance(value, Fault) else None,
)
def test_every_fault_has_its_own_name(
    fake: FakeProvider, load: Load, provider: str, fault: Fault, kind: str, words: str
) -> None:
    model = load(provider, "timeout_s=1" if fault.what == "stall" else "")
    fake.plan = lambda call: fault
    fake.stall_s = 3.0
    with pytest.raises(ModelError) as caught:
        model.generate(ASKED)
    assert caught.value.kind == kind
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 500
    assert len(fake.calls) == 1, "the SDK must not try again by itself: the throttle would not see it"
    fake.plan = lambda call: None
    assert model.generate(ASKED).text  # the client is as good as before


def test_a_blocked_question_is_told_from_a_blocked_answer(fake: FakeProvider, load: Load) -> None:
    fake.plan = lambda call: Fault("blocked")
    with pytest.raises(ModelError, match="the request was blocked: SAFETY") as caught:
        load("gemini").generate(ASKED)
    assert caught.value.kind == "blocked"


@pytest.mark.parametrize("provider", HOSTED)
@pytest.mark.parametrize(
    "fault",
    [Fault(413), Fault(400, message="This model's maximum context length is 32768 tokens")],
    ids=["413", "context"],
)
def test_a_request_too_large_for_the_model_is_not_applicable(
    fake: FakeProvider, load: Load, provider: str, fault: Fault
) -> None:
    fake.plan = lambda call: fault
    with pytest.raises(NotApplicable):
        load(provider).generate(ASKED)


@pytest.mark.parametrize("provider", HOSTED)
def test_a_cut_answer_is_an_answer_and_says_so(fake: FakeProvider, load: Load, provider: str) -> None:
    fake.plan = lambda call: Fault("truncated", body="1. 3.5 s - left")
    response = load(provider).generate(ASKED)
    assert (response.text, response.finish_reason) == ("1. 3.5 s - left", "length")


@pytest.mark.parametrize("provider", HOSTED)
def test_an_answer_comes_with_tokens_and_version(fake: FakeProvider, load: Load, provider: str) -> None:
    response = load(provider, "temperature=0&seed=7").generate(ASKED)
    # 1000 in; 50 visible and 200 thought, which chat completions counts together as 250.
    assert replace(response.usage, by_modality={}, cached_tokens=None) == Usage(1000, 50, 200)
    assert response.usage.by_modality == ({"text": 100, "image": 900} if provider == "gemini" else {})
    assert response.finish_reason == "stop"
    assert response.model_version == MODEL_VERSION
    assert response.sent["parameters"] == {"temperature": 0.0, "seed": 7}


@pytest.mark.parametrize(
    ("headers", "details", "expected_s"),
    [
        ({"Retry-After": "7"}, None, 7.0),
        ({"retry-after": "0.5"}, None, 0.5),
        ({"retry-after-ms": "250"}, None, 0.25),
        ({"Retry-After": "soon"}, None, None),
        ({"Retry-After": "-3"}, None, 0.0),
        ({}, {"error": {"details": [{"@type": "RetryInfo", "retryDelay": "27s"}]}}, 27.0),
        ({}, None, None),
    ],
)
def test_retry_after_in_all_its_forms(
    headers: dict[str, str], details: Any, expected_s: float | None
) -> None:
    fault = http_fault(429, "slow down", headers, details)
    assert isinstance(fault, ModelError)
    assert fault.retry_after_s == expected_s


def test_retry_after_as_a_date() -> None:
    fault = http_fault(503, "later", {"Retry-After": formatdate(time.time() + 100, usegmt=True)})
    assert isinstance(fault, ModelError)
    assert fault.retry_after_s == pytest.approx(100, abs=2)


# What a model cannot be given is refused before anything is sent.


@pytest.mark.parametrize(
    ("provider", "options", "policy", "words"),
    [
        ("openai", "max_images=50", "fps:4", "96 images; some-model takes 50"),
        ("openai", "video=no", "native", "takes no video"),
        ("gemini", "max_images=300", "fps:16", "384 images; gemini-3.6-flash takes 300"),
        ("gemini", "inline_mb=0.01", "fps:4", "takes 0.01 MB in one request"),
    ],
)
def test_over_a_limit_nothing_is_sent(
    fake: FakeProvider, load: Load, clip: Media, provider: str, options: str, policy: str, words: str
) -> None:
    sampling = Sampling.parse(policy)
    part = Video(clip) if policy == "native" else Images(sample(clip, sampling))
    with pytest.raises(NotApplicable, match=words):
        load(provider, options).generate(Request((part, Text("how many?"))))
    assert not fake.calls


def test_openai_itself_takes_five_hundred_images_and_no_video(fake: FakeProvider, clip: Media) -> None:
    model = models.load("openai:gpt-5")
    sixteen = sample(clip, Sampling.parse("fps:24"))  # 24 s: 576 images
    with pytest.raises(NotApplicable, match="576 images; gpt-5 takes 500"):
        model.generate(Request((Images(sixteen),)))
    with pytest.raises(NotApplicable, match="96 images; gpt-5 takes 50"):
        models.load("openai:gpt-5?max_images=50").generate(
            Request((Images(sample(clip, Sampling.parse("fps:4"))),))
        )
    with pytest.raises(NotApplicable, match="gpt-5 takes no video"):
        model.generate(Request((Video(clip),)))


def test_gemini_samples_at_up_to_24_frames_per_second(fake: FakeProvider, load: Load, clip: Media) -> None:
    load("gemini", "fps=4&media_processing=static").generate(Request((Video(clip), Text("?"))))
    (part, _) = fake.calls[0].document["contents"][0]["parts"]
    assert (part["videoMetadata"], part["mediaProcessing"]) == ({"fps": 4.0}, "STATIC")
    with pytest.raises(NotApplicable, match="30 frames per second"):
        load("gemini").generate(Request((Video(clip, rate_hz=30.0),)))


def test_a_server_is_asked_to_sample_once(fake: FakeProvider, load: Load, clip: Media) -> None:
    load("openai", "fps=4").generate(Request((Video(clip), Text("?"))))
    document = fake.calls[0].document
    assert document["media_io_kwargs"] == {"video": {"fps": 4.0, "num_frames": -1}}
    assert document["mm_processor_kwargs"] == {"fps": 4.0, "do_sample_frames": False}


# Specs, options, what is missing.


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("gemini", "a name is missing; expected gemini:NAME"),
        (
            "gemini:x?temprature=1",
            r"unknown option 'temprature'; expected temperature \(did you mean this\?\)",
        ),
        ("gemini:x?temperature=hot", "option temperature is 'hot'; expected a number from 0 up to 2"),
        ("gemini:x?temperature=nan", "option temperature is 'nan'"),
        ("gemini:x?seed=1.5", "option seed is '1.5'; expected a whole number from 0"),
        ("gemini:x?thinking_level=low&thinking_budget=1", "exclude each other"),
        ("openai:", "a name is missing"),
        ("openai:@http://127.0.0.1:1/v1", "a name is missing"),
        ("openai:x@http://u:secret@h/v1", "the address holds a key or a password"),
        ("openai:x@http://[::1/v1", "unusable address; expected http://HOST:PORT/v1"),
        ("openai:x@http://h:99999/v1", "unusable address; expected http://HOST:PORT/v1"),
        ("openai:x@http://h/v1#secret", "the address holds a key or a password"),
        ("openai:x?video=maybe", "option video is 'maybe'; expected yes or no"),
        ("openai:x?max_image=3", r"max_images \(did you mean this\?\)"),
    ],
)
def test_an_unusable_spec_is_one_line(fake: FakeProvider, spec: str, words: str) -> None:
    with pytest.raises(InputError, match=words) as caught:
        models.load(spec)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("spec", "variable"), [("gemini:x", "GEMINI_API_KEY"), ("openai:x", "OPENAI_API_KEY")]
)
def test_a_missing_key_names_its_variable(spec: str, variable: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("GEMINI_API_KEY", "GOOGLE_API_KEY", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(InputError, match=f"no key; try export {variable}=your-key"):
        models.load(spec)
    monkeypatch.setenv(variable, "two words")
    with pytest.raises(InputError, match=f"{variable} has characters that no key has") as caught:
        models.load(spec)
    assert "two words" not in str(caught.value)


@pytest.mark.parametrize(
    ("spec", "module", "command"),
    [
        ("gemini:x", "google.genai", "pip install 'lft-bench[gemini]'"),
        ("openai:x", "openai", "pip install 'lft-bench[openai]'"),
    ],
)
def test_a_missing_sdk_names_the_command(
    spec: str, module: str, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    if module == "google.genai":
        import google

        monkeypatch.delattr(google, "genai", raising=False)
    with pytest.raises(InputError) as caught:
        models.load(spec)
    assert command in str(caught.value)


@pytest.mark.parametrize("spec", ["gemini:x", "openai:gpt-5"])
@pytest.mark.parametrize("proxy", ["http://user:secret@[::1", "http://user:secret@127.0.0.1:x9"])
def test_a_proxy_that_is_no_address_is_one_line(
    fake: FakeProvider, spec: str, proxy: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTPS_PROXY", proxy)
    with pytest.raises(InputError, match=r"the SDK cannot be set up .*; try HTTPS_PROXY") as caught:
        models.load(spec)
    assert "secret" not in str(caught.value)
    assert caught.value.__context__ is None


@pytest.mark.parametrize("address", ["user:secret@127.0.0.1:9", "http://user:secret@127.0.0.1:x9"])
def test_an_unusable_address_in_the_environment_is_not_asked_again_and_again(
    fake: FakeProvider, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GOOGLE_GEMINI_BASE_URL", address)
    with pytest.raises(ModelError, match="unusable address or proxy") as caught:
        models.load("gemini:x").generate(ASKED)
    assert caught.value.kind == "refused"
    assert "secret" not in str(caught.value)


def test_a_key_does_not_go_to_a_server_it_is_not_meant_for(fake: FakeProvider) -> None:
    models.load(f"openai:x@{fake.url}/v1").generate(ASKED)
    models.load(f"openai:x@{fake.url}/v1?api_key_env=OPENAI_API_KEY").generate(ASKED)
    silent, told = (call.headers.get("authorization", "") for call in fake.calls)
    assert KEY not in silent
    assert told == f"Bearer {KEY}"


def test_a_description_holds_what_decides_an_answer_and_no_more(load: Load) -> None:
    model = load("gemini", "temperature=0&timeout_s=9&upload=never&max_images=5&fps=2")
    assert model.describe() == {
        "provider": "gemini",
        "options": {"temperature": 0.0, "fps": 2.0},
        "settings": {
            "max_output_tokens": None,
            "max_images": 5,
            "inline_mb": 100.0,
            "upload": "never",
            "timeout_s": 9.0,
        },
        "native_frames": "sampled",
        "native_rate_hz": 2.0,
    }
    assert load("gemini").describe()["native_rate_hz"] == 1.0
    assert load("gemini", "media_processing=agentic").describe()["native_rate_hz"] is None
    assert model.name == "gemini-3.6-flash"


@pytest.mark.parametrize("provider", HOSTED)
def test_a_key_is_seen_nowhere(
    fake: FakeProvider,
    load: Load,
    provider: str,
    tmp_path: Path,
    clip: Media,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Not in the run folder, the log at its loudest, an error, a traceback, or the exceptions behind it."""
    caplog.set_level(logging.DEBUG)
    for name in ("openai", "google_genai", "httpx", "httpx2", "httpcore", "httpcore2"):
        logging.getLogger(name).setLevel(logging.DEBUG)
    echo = Fault(401, message=f"the key {KEY} is not valid, header Bearer {KEY}")
    faults = iter(
        [Fault(500, message=f"dump {KEY}"), Fault("drop"), Fault("garbage", body=KEY.encode()), None, echo]
    )
    fake.plan = lambda call: next(faults, None)
    told = io.StringIO()
    model = load(provider)
    with Recorder(tmp_path, {**MANIFEST, "model": {"name": model.name, **model.describe()}}) as recorder:
        tally = ask(recorder, model, questions(3), Limits(concurrency=1, first_pause_s=0.001))
    assert tally.stopped
    assert "***" in tally.stopped
    fake.plan = lambda call: echo
    try:
        model.generate(Request((Video(clip),)))
    except ModelError as error:
        traceback.print_exc(file=told)
        behind: BaseException | None = error
        while behind is not None:
            told.write(repr(behind) + repr(vars(behind)))
            behind = behind.__cause__ or behind.__context__
    told.write(repr(tally) + repr(model) + repr(model.describe()) + caplog.text)
    written = "".join(path.read_text() for path in tmp_path.rglob("*") if path.is_file())
    assert "planned" not in written  # the messages did reach the folder ...
    assert "dump ***" in written  # ... without the key
    assert KEY not in written
    assert KEY not in told.getvalue()
    assert any(KEY in str(call.headers) for call in fake.calls), "the key was not used at all"


def test_the_adapters_are_imported_without_their_sdks() -> None:
    code = (
        "import sys, lft.core.models.gemini, lft.core.models.openai, lft.core.models.gemini_batch,"
        "lft.core.models.hf, lft.core.cost, lft.core.batch;"
        "print([m for m in ('google.genai', 'openai', 'genai_prices', 'cv2', 'torch') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
