"""What is asked: in words of one's own, about keyframes, and what of it a run keeps."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lft.core.runs import Run
from lft.core.video.media import Media
from lft.counting.native_rate import said_rate_hz
from lft.counting.sweep import PROMPTS_VERSION
from tests.commands.conftest import run
from tests.core.models import contract
from tests.core.models.contract import EVENTS_S, trial

clip = contract.clip  # the fixture

Out = pytest.CaptureFixture[str]


def sweep(clips: Path, *more: object) -> int:
    return run("sweep", "small.yaml", "--model", "observer", "--clips", clips, "--run", "asked", *more)


def manifest() -> dict[str, object]:
    return json.loads((Path("results/runs/asked") / "manifest.json").read_text())  # type: ignore[no-any-return]


def test_words_of_one_s_own_come_before_those_of_lft(here: Path, rendered: Path, capsys: Out) -> None:
    (here / "theirs" / "conditions").mkdir(parents=True)
    (here / "theirs" / "conditions" / "direct.txt").write_text(
        "=== user\n{evidence} As they asked. {question}"
    )
    only = ("--sampling", "fps:4", "--prompt", "direct", "--prompt", "structured_trace")
    assert sweep(rendered, *only, "--prompts", here / "theirs") == 0
    kept = manifest()["prompts"]
    assert isinstance(kept, dict)
    assert kept["direct"]["words"]["turns"] == ["{evidence} As they asked. {question}"]
    assert "ledger" in kept["structured_trace"]["words"]["turns"][0]
    assert manifest()["prompts_version"] == PROMPTS_VERSION
    capsys.readouterr()
    # Without the folder it would be another question.
    assert sweep(rendered, *only) == 2
    assert "changed since this run began: prompt direct" in capsys.readouterr().err
    assert sweep(rendered, *only, "--prompts", here / "nowhere") == 2


def test_a_model_that_takes_no_schema_is_not_asked(here: Path, rendered: Path, capsys: Out) -> None:
    assert sweep(rendered, "--sampling", "fps:4", "--prompt", "structured_output", "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["answered"], found["not_applicable"], found["missing"]) == (0, 2, 0)
    assert found["reasons"] == {"the prompt has a JSON schema; observer takes none": 2}
    kept = manifest()["prompts"]
    assert isinstance(kept, dict)
    assert kept["structured_output"]["words"]["schema"]["required"] == ["events", "final_answer"]


def test_of_keyframes_it_is_said_that_they_are_centred_on_events(clip: Media) -> None:
    words = "36 frames are given, in order of time, of a video that lasts 24.0 seconds. They are centred on events: "
    asked = trial(clip, "keyframes:0.1", "none", "direct", EVENTS_S).next(()).text
    assert asked.startswith(words + "just before, at and just after each.")
    assert "centred" not in trial(clip, "fps:1", "none", "direct").next(()).text
    assert (
        "centred" not in trial(clip, "keyframes:0.1", "none", "direct", ()).next(()).text
    )  # no frame at all


def test_a_run_of_the_earlier_words_scores_and_does_not_go_on_with_others(
    here: Path, rendered: Path, capsys: Out
) -> None:
    only = ("--sampling", "keyframes:0.1", "--sampling", "fps:4", "--prompt", "structured_trace")
    assert sweep(rendered, *only) == 0
    folder = here / "results" / "runs" / "asked"
    before = manifest()
    del before["prompts_version"]
    (folder / "manifest.json").write_text(json.dumps(before))
    capsys.readouterr()
    assert sweep(rendered, *only) == 2
    assert "the words about keyframes have changed since this run began" in capsys.readouterr().err
    assert run("score", folder, "--clips", rendered) == 0
    # What `lft show` puts together again is what was sent then: with the earlier words the hash differs here, as the
    # answers of this run were asked for in the words of now.
    of_keyframes = next(t for t in Run.open(folder).trials() if "keyframes" in t and "n02" in t)
    capsys.readouterr()
    assert run("show", folder, of_keyframes, "--clips", rendered) == 0
    assert "are NOT those that were sent" in capsys.readouterr().out
    (folder / "manifest.json").write_text(json.dumps({**before, "prompts_version": 2}))
    assert run("show", folder, of_keyframes, "--clips", rendered) == 0
    assert "are those that were sent (hash agrees)" in capsys.readouterr().out


def test_what_is_said_of_native_video_is_kept_and_gives_bounds(
    here: Path, rendered: Path, capsys: Out
) -> None:
    """Which frames a list of answers stands on is not known: no bound, unless the user says it."""
    (here / "answers.json").write_text(json.dumps(["\\boxed{2}"] * 2))
    asked = (
        "sweep",
        "small.yaml",
        "--model",
        "scripted:answers.json",
        "--clips",
        rendered,
        "--sampling",
        "native",
    )
    asked = (*asked, "--prompt", "direct", "--run", "asked")
    assert run(*asked, "--native-rate", "0") == 2
    assert run(*asked, "--limit", 1, "--native-rate", "4") == 0
    assert run(*asked) == 0  # goes on without saying it again
    assert manifest()["native_rate_said_hz"] == 4.0
    capsys.readouterr()
    assert run("score", "results/runs/asked", "--json") == 0
    every = json.loads(capsys.readouterr().out)["conditions"][0]["all"]
    assert every["literal_correct"] is not None
    # What is said later comes first.
    assert said_rate_hz(Run.open(Path("results/runs/asked"))) == 4.0
    assert run("score", "results/runs/asked", "--native-rate", "30", "--json") == 0
    assert said_rate_hz(Run.open(Path("results/runs/asked"))) == 30.0
