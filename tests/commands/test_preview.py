"""`lft sweep --preview`: one trial is asked and shown whole, and a perfect answer to it is scored."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lft.core.runs import Run
from tests.commands.conftest import run


def test_one_trial_with_events_is_asked_and_shown_and_counts_for_the_sweep(
    rendered: Path, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = (
        "sweep",
        "small.yaml",
        "--model",
        "observer",
        "--clips",
        rendered,
        "--sampling",
        "fps:4",
        "--run",
        "one",
    )
    assert run(*asked, "--preview") == 0
    out = capsys.readouterr().out
    assert "How many blinks happen in the video?" in out
    assert "--- what happened, what was reported" in out
    assert "contact sheet: " in out
    assert "a perfect answer to it is read as 2, right, " in out
    (line,) = Run.open(here / "results" / "runs" / "one").lines()
    assert line["key"]["clip"] == "blinking/n02_f2.0_s04"
    assert run(*asked, "--json") == 0
    assert json.loads(capsys.readouterr().out)["kept"] == 1


@pytest.mark.parametrize(
    ("prompt", "words"), [("direct", "no list, so no F1"), ("structured_trace", "F1 1.00")]
)
def test_a_perfect_answer_has_the_form_that_the_prompt_asks_for(
    prompt: str, words: str, rendered: Path, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = ("--clips", rendered, "--sampling", "fps:4", "--prompt", prompt)
    assert run("sweep", "small.yaml", "--model", "observer", *given, "--preview") == 0
    assert f"read as 2, right, {words}" in capsys.readouterr().out


def test_a_preview_is_of_one_trial_as_it_is(
    rendered: Path, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert (
        run(
            "sweep", "small.yaml", "--model", "observer", "--clips", rendered, "--preview", "--until-frontier"
        )
        == 2
    )
    assert "--preview asks a single trial" in capsys.readouterr().err
