"""A second reader is asked about what is in doubt, and believed only where the text bears it out."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from lft.core.ask import Limits
from lft.core.models import ModelSpec
from lft.core.models.openai import OpenAI
from lft.core.requests import ModelError, Request, Response
from lft.core.runs import Run
from lft.counting import parse as parsing
from lft.counting.clips import Clips
from lft.counting.reader import Reader
from lft.counting.reported import Context, Doubt, Reported, ReportedEvent, Unparsed
from lft.counting.settling.second_reader import checked, settle_by_model, times_in
from tests.commands.conftest import run as lft
from tests.fake_runs import make_clips, make_run, say_truth
from tests.fakes.provider import FakeProvider

UNREAD = Unparsed("no event and no final answer")
TEXT = "It lit at 1.1 s and from 0:04 to 0:05.5, hmm, so twice."


def reply(events: Any, answer: Any) -> str:
    return json.dumps({"events": events, "final_answer": answer})


def test_a_reply_that_the_text_bears_out() -> None:
    said = f"Here it is:\n```json\n{reply([{'time_s': 1.1}, {'time_s': 4, 'end_s': 5.5}], 2)}\n```"
    found = checked(said, TEXT, UNREAD, Context())
    assert not isinstance(found, str)
    assert [(e.time_s, e.end_s) for e in found[0]] == [(1.1, None), (4.75, 5.5)]
    assert found[1] == 2


@pytest.mark.parametrize(
    ("said", "report", "why"),
    [
        (
            reply([{"time_s": 1.1}, {"time_s": 4.75}], 2),
            UNREAD,
            "a time that is not in the text",
        ),  # worked out
        (
            reply([{"time_s": 1.1}, {"time_s": 1.1}], 2),
            UNREAD,
            "a time that is not in the text",
        ),  # used twice
        (reply([{"time_s": 1.1}], 2), UNREAD, "as many events as another count"),
        (reply([{"time_s": 1.1}], None), UNREAD, "no final answer to agree with"),
        (reply([{"time_s": 1.1}], 1), Reported((), 2), "another final answer than is read without doubt"),
        (reply([{"time_s": "1.1"}], 1), UNREAD, "a reply that is not of the form"),
        (reply([{"time_s": -1}], 1), UNREAD, "a reply that is not of the form"),
        (reply("1.1", 1), UNREAD, "a reply that is not of the form"),
        (reply([{"time_s": 1.1}], True), UNREAD, "a reply that is not of the form"),
        ("It reports two.", UNREAD, "a reply that is not of the form"),
        ("[" * 100_000 + "{}", UNREAD, "a reply that is not of the form"),
    ],
)
def test_a_reply_that_is_left_to_people(said: str, report: Reported | Unparsed, why: str) -> None:
    assert checked(said, TEXT, report, Context()) == why


def test_an_answer_in_doubt_need_not_agree() -> None:
    doubtful = Reported((), 7, None, (Doubt("unclear-answer"),))
    assert not isinstance(checked(reply([{"time_s": 1.1}], 1), TEXT, doubtful, Context()), str)


def test_times_of_a_text() -> None:
    frames = Context(frame_times_s=(0.0, 0.5, 1.0))
    # A cited frame is its time; there is no fourth frame. 1:02:03 is 3723 s; 2.5.1 is no time.
    assert times_in("Frame 2 and image 4", frames) == {0.5: 1, 2.0: 1, 4.0: 1}
    assert times_in("1:02:03, 0:07, v2.5.1", Context()) == {3723.0: 1, 7.0: 1}
    assert times_in("at 3 s, 3 s and 3.25 s", Context()) == {3.0: 2, 3.25: 1}


@pytest.fixture(scope="module")
def clips(tmp_path_factory: pytest.TempPathFactory) -> Clips:
    return make_clips(tmp_path_factory.mktemp("clips"), domains=["blinking"], frequencies_hz=[0.5])


@pytest.fixture
def odd_run(tmp_path: Path, clips: Clips, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Six answers; the two to N = 3 say `TEXT`, which is read in doubt."""
    monkeypatch.chdir(tmp_path)
    read = parsing.parse

    def unsure(text: str, rule: str = "ledger", context: Context | None = None) -> Reported | Unparsed:
        if "hmm" not in text:
            return read(text, rule, context)
        return Reported(
            (ReportedEvent(1.1),), None, "no final answer", (Doubt("unused-time"), Doubt("unclear-answer"))
        )

    monkeypatch.setattr(parsing, "parse", unsure)
    return make_run(
        tmp_path / "run", clips, samplings=("fps:1",),
        say=lambda trace, frames, rng: TEXT if trace.spec.count == 3 else say_truth(trace, frames, rng),
    )  # fmt: skip


class Function:
    """A model that is a function of the request; keeps what it was asked."""

    name = "second/reader"

    def __init__(self, *said: str | ModelError) -> None:
        self.said, self.asked = list(said), list[Request]()

    def generate(self, request: Request) -> Response:
        self.asked.append(request)
        answer = self.said.pop(0)
        if isinstance(answer, ModelError):
            raise answer
        return Response(answer, cost_usd=0.25)

    def describe(self) -> dict[str, Any]:
        return {}


GOOD = reply([{"time_s": 1.1}, {"time_s": 4, "end_s": 5.5}], 2)


def test_only_the_doubtful_are_asked_once_and_what_is_kept_has_its_cost(odd_run: Path, clips: Clips) -> None:
    run = Run.open(odd_run)
    model = Function(GOOD, ModelError("refused", "no credit"))
    first = settle_by_model(run, Reader(run, clips.trace), model, Limits(concurrency=1, attempts=1))
    assert (first["doubtful"], first["asked"], first["settled"], first["left"], first["missing"]) == (
        2,
        1,
        1,
        1,
        1,
    )
    # The same again: the one that got no reply is asked, and nobody else.
    model = Function(reply([{"time_s": 9.9}], 1))
    second = settle_by_model(run, Reader(run, clips.trace), model, Limits(concurrency=1))
    assert (second["doubtful"], second["asked"], second["settled"], second["left"]) == (1, 1, 0, 1)
    assert second["why_left"] == {"a time that is not in the text": 1}
    assert second["cost_usd"] == 0.5
    third = settle_by_model(run, Reader(run, clips.trace), Function(), Limits())
    assert (third["asked"], third["left"], third["cost_usd"]) == (0, 1, 0.5)
    readings = [Reader(run, clips.trace).read(line) for line in run.answers().values()]
    assert sorted(one.by for one in readings) == ["model"] + ["program"] * 5
    (settled,) = [one.report for one in readings if one.by == "model"]
    assert isinstance(settled, Reported)
    assert (settled.times_s, settled.final_answer, settled.doubts) == ((1.1, 4.75), 2, ())
    # Nothing of it is among the run's own answers.
    assert len(run.answers()) == 6
    assert len(list(Run.open(odd_run / "readers" / "second-reader").lines())) == 3


def test_the_text_is_set_apart_from_the_instruction(odd_run: Path, clips: Clips) -> None:
    run = Run.open(odd_run)
    model = Function(GOOD, GOOD)
    settle_by_model(run, Reader(run, clips.trace), model, Limits(concurrency=1))
    (part,) = model.asked[0].parts
    words = getattr(part, "text", "")
    found = re.search(r"(?s)(<<<[0-9a-f]{12}>>>)\n(.*)\n\1\n", words)
    assert found is not None
    assert found[2] == TEXT
    assert "One event: blink." in words
    assert "of 24.0 seconds" in words
    assert "never an instruction" in str(model.asked[0].system)


def test_through_a_chat_server_and_the_command(
    odd_run: Path, clips: Clips, capsys: pytest.CaptureFixture[str]
) -> None:
    with FakeProvider(lambda call: GOOD) as provider:
        spec = f"openai:reader@{provider.url}/v1"
        assert OpenAI(ModelSpec.parse(spec)).name == "reader"
        assert lft("readings", odd_run, "--reader", spec, "--clips", clips.folder) == 0
        assert len(provider.calls) == 2
        said = capsys.readouterr().out
        assert (
            "2 answers in doubt; reader was asked about 2, cost unknown\n2 settled, 0 left to people" in said
        )
        assert lft("readings", odd_run, "--reader", spec, "--clips", clips.folder) == 0
        assert len(provider.calls) == 2
    capsys.readouterr()
    assert lft("score", odd_run, "--clips", clips.folder) == 0
    assert "readings settled: 2 by a model; as the program reads them:" in capsys.readouterr().out


def test_a_scripted_reader(
    odd_run: Path, clips: Clips, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "said.json").write_text(json.dumps([GOOD, "I do not know."]))
    spec = f"scripted:{tmp_path / 'said.json'}"
    assert (
        lft("readings", odd_run, "--reader", spec, "--clips", clips.folder, "--concurrency", 1, "--json") == 0
    )
    found = json.loads(capsys.readouterr().out)
    assert (found["settled"], found["left"], found["why_left"]) == (
        1,
        1,
        {"a reply that is not of the form": 1},
    )
    assert found["cost_usd"] == 0
    assert lft("readings", odd_run, "--reader", "observer", "--clips", clips.folder) == 2
    assert "unknown model provider 'observer'" in capsys.readouterr().err
