"""A prompt with a schema: what goes on the wire, who takes it, and how the answer is read."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lft.core.ask import Limits, ask
from lft.core.models import Model, ModelSpec
from lft.core.models.gemini import Gemini
from lft.core.models.openai import OpenAI
from lft.core.prompts import Template
from lft.core.requests import Request, Response
from lft.core.runs import Recorder
from lft.core.video.media import Media
from lft.counting.parse import parse
from lft.counting.reported import Reported
from tests.core.models.contract import trial
from tests.fakes.provider import FakeProvider

ANSWER = '{"events": [{"time_s": 1.5, "what": "a square lit up"}, {"time_s": 3.0, "what": "again"}], "final_answer": 2}'
SCHEMA = Template.load("structured_output").schema


def asked(folder: Path, model: Model, clip: Media) -> dict[str, Any]:
    """The one line of a run that asks for structured output."""
    one = trial(clip, "fps:1", "time", "structured_output")
    manifest = {"model": {"name": "m"}, "trials": {one.id: dict(one.key)}}
    with Recorder(folder, manifest) as recorder:
        ask(recorder, model, [one], Limits(attempts=1))
        (line,) = recorder.run.lines()
    return line


def test_a_chat_server_is_sent_the_schema_as_response_format(
    tmp_path: Path, clip: Media, monkeypatch: pytest.MonkeyPatch
) -> None:
    with FakeProvider(lambda call: ANSWER) as provider:
        line = asked(tmp_path, OpenAI(ModelSpec.parse(f"openai:m@{provider.url}/v1")), clip)
        (call,) = provider.calls
    # The form of OpenAI's chat completions, which vLLM and SGLang take as well.
    form = {"type": "json_schema", "json_schema": {"name": "answer", "schema": SCHEMA, "strict": True}}
    assert call.document["response_format"] == form
    assert (line["status"], line["text"]) == ("answered", ANSWER)
    assert line["sent"]["parameters"]["response_format"] == form


def test_gemini_is_sent_the_schema_in_its_generation_config(
    tmp_path: Path, clip: Media, monkeypatch: pytest.MonkeyPatch
) -> None:
    with FakeProvider(lambda call: ANSWER) as provider:
        monkeypatch.setenv("GEMINI_API_KEY", "test-key")
        monkeypatch.setenv("GOOGLE_GEMINI_BASE_URL", provider.url)
        monkeypatch.delenv("GOOGLE_API_KEY", raising=False)
        line = asked(tmp_path, Gemini(ModelSpec.parse("gemini:gemini-3.6-flash")), clip)
        (call,) = provider.calls
    config = call.document["generationConfig"]
    assert config["responseMimeType"] == "application/json"
    assert config["responseJsonSchema"]["required"] == ["events", "final_answer"]
    assert config["responseJsonSchema"]["properties"]["final_answer"] == {"type": "integer"}
    assert line["sent"]["parameters"]["response_json_schema"] == SCHEMA


def test_nothing_of_a_schema_is_sent_with_other_prompts(tmp_path: Path, clip: Media) -> None:
    with FakeProvider() as provider:
        model = OpenAI(ModelSpec.parse(f"openai:m@{provider.url}/v1"))
        model.generate(trial(clip, "fps:1", "time", "structured_trace").next(()))
        assert "response_format" not in provider.calls[0].document


class _Free:
    """A model that says nothing of schemas: it would answer in free text."""

    name = "free-text"

    def generate(self, request: Request) -> Response:
        raise AssertionError("asked all the same")

    def describe(self) -> dict[str, Any]:
        return {}


def test_elsewhere_it_is_not_applicable_by_name(tmp_path: Path, clip: Media) -> None:
    line = asked(tmp_path, _Free(), clip)
    assert line["status"] == "not_applicable"
    assert line["reason"] == "the prompt has a JSON schema; free-text takes none"


@pytest.mark.parametrize(
    "dump", [str, lambda text: json.dumps(json.loads(text), indent=2)], ids=["line", "lines"]
)
def test_the_answer_is_read_as_it_is_meant(dump: Callable[[str], str]) -> None:
    found = parse(dump(ANSWER))
    assert isinstance(found, Reported)
    assert (found.times_s, found.final_answer, found.doubts) == ((1.5, 3.0), 2, ())
    none = parse(dump('{"events": [], "final_answer": 0}'))
    assert isinstance(none, Reported)
    assert (none.events, none.final_answer) == ((), 0)
