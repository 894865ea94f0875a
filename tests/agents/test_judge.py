"""The judge: which answers are labels, what is asked again, what is kept, and agreement with people."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from lft.agents.judge import PARTS, JudgeStudy, read
from lft.agents.words import Words
from lft.cli import main
from lft.core.requests import Request, Response
from lft.core.runs import Run
from lft.core.trials import Done

WORDS = Words.load("judge", PARTS)
TRANSFER, STAGE = (json.loads(WORDS.parts[f"{about}_schema"]) for about in ("transfer", "stage"))
GOOD_TRANSFER = {"rule": "successful", "strategy": "overfit", "why": "It copied the way."}
GOOD_STAGE = {"stage": "planning", "step": 2, "why": "It went left."}


def lft(*arguments: object) -> int:
    with pytest.raises(SystemExit) as stopped:
        main([str(a) for a in arguments])
    return int(stopped.value.code or 0)


def test_one_object_by_the_schema_is_a_judgement() -> None:
    text = json.dumps(GOOD_TRANSFER)
    for answer in (text, f"```json\n{text}\n```", f"<think>{{}}</think>\n{text}", f"{text}\n{text}"):
        assert read(answer, TRANSFER) == (GOOD_TRANSFER, "")
    assert read(json.dumps(GOOD_STAGE), STAGE, 5) == (GOOD_STAGE, "")
    none = {"stage": "none", "step": 0, "why": "Bad luck."}
    assert read(json.dumps(none), STAGE, 5) == (none, "")


@pytest.mark.parametrize(
    ("answer", "fault"),
    [
        ("", "it is empty"),
        ("<think>planning</think>", "it is empty"),
        ("It failed in planning.", "there is no JSON object in it"),
        ('{"stage": "planning", "step": 2', "there is no JSON object in it"),
        ("{}", "'stage' is a required property"),
        ('{"stage": "luck", "step": 2, "why": "x"}', "stage: 'luck' is not one of"),
        ('{"stage": "planning", "step": 2.5, "why": "x"}', "step: 2.5 is not of type 'integer'"),
        ('{"stage": "planning", "step": 2, "why": ""}', "why: '' "),
        ('{"stage": "planning", "step": 2, "why": "x", "sure": 1}', "Additional properties are not allowed"),
        ('{"stage": "planning", "stage": "none", "step": 2, "why": "x"}', "the entry stage is given twice"),
        (json.dumps(GOOD_STAGE) + ' or {"stage": "none"}', "several JSON objects that say different things"),
        ('{"stage": "none", "step": 2, "why": "x"}', "the stage none does not go with step 2"),
        ('{"stage": "planning", "step": 0, "why": "x"}', "the stage planning does not go with step 0"),
        ('{"stage": "planning", "step": 6, "why": "x"}', "there is no step 6, the last is 5"),
    ],
)
def test_what_is_wrong_is_said(answer: str, fault: str) -> None:
    found, said = read(answer, STAGE, 5)
    assert found is None
    assert fault in said


@pytest.fixture
def failed(cliff: Path) -> Run:
    """Two episodes of Cliff Walking in which nothing but LEFT was tried."""
    Path("two.yaml").write_text("suite: agents\ntitle: Two cliffs\n")
    assert lft("sweep", "two.yaml", "--model", "constant:LEFT", "--run", "left") == 0
    return Run.open("left")


def test_it_is_shown_what_the_model_saw_and_said(failed: Run) -> None:
    stage = next(t for t in JudgeStudy(failed, "judge").trials("j") if t.about == "stage")
    request = stage.next(())
    assert isinstance(request, Request)
    # 15 pictures of the demonstration; 20 decisions and the last picture.
    assert request.pictures == {"demonstration": 15, "observation": 21}
    assert "It did not pass." in request.text
    assert "after 20 of 20 steps: timeout" in request.text
    assert request.text.count("The model answered: [Action: LEFT]") == 20
    assert "The figure is in row 4 of 4" in request.text
    assert "knowledge_induction" in request.text
    assert "underfit" not in request.text  # the other question
    assert request.response_schema is None  # the model was not said to take one


def test_what_cannot_be_used_is_asked_again_twice(failed: Run) -> None:
    stage = next(t for t in JudgeStudy(failed, "judge", takes_schema=True).trials("j") if t.about == "stage")
    answers = [Response("planning"), Response('{"stage": "none", "step": 3, "why": "x"}')]
    again = stage.next(answers)
    assert isinstance(again, Request)
    assert again.response_schema == STAGE
    assert [m.role for m in again.messages] == ["user", "model", "user", "model", "user"]
    assert "the stage none does not go with step 3" in again.messages[-1].text
    assert stage.next([*answers, Response("")]) == Done(
        "invalid",
        {
            "faults": [
                "there is no JSON object in it",
                "the stage none does not go with step 3",
                "it is empty",
            ]
        },
    )
    judged = stage.next([answers[0], Response(json.dumps(GOOD_STAGE))])
    assert judged == Done("judged", {**GOOD_STAGE, "faults": ["there is no JSON object in it"]})


def test_episodes_without_demonstrations_have_no_transfer(cliff: Path) -> None:
    Path("none.yaml").write_text("suite: agents\ntitle: None\ndemonstrations: none\n")
    assert lft("sweep", "none.yaml", "--model", "constant:LEFT", "--run", "none") == 0
    assert [t.about for t in JudgeStudy(Run.open("none"), "judge").trials("j")] == ["stage", "stage"]


def test_a_judge_is_recorded_resumed_and_compared_with_people(
    failed: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    # Answers in the order of the requests: of base transfer, stage; of seed1 transfer, which is blocked, and stage.
    script: list[Any] = [json.dumps(GOOD_TRANSFER), json.dumps(GOOD_STAGE)]
    script += [{"error": "blocked"}, json.dumps({**GOOD_STAGE, "stage": "none", "step": 0})]
    Path("says.json").write_text(json.dumps(script))
    base, seed = failed.trials()
    people = [
        {"trial": base, "rater": "A", "rule": "successful", "strategy": "correct", "stage": "planning"},
        {"trial": seed, "rater": "A", "stage": "none"},
        {"trial": base, "rater": "B", "rule": "unsuccessful", "stage": "planning"},
    ]
    Path("people.jsonl").write_text("".join(json.dumps(row) + "\n" for row in people))
    command = ("judge", "left", "--model", "scripted:says.json", "--concurrency", "1", "--json")
    capsys.readouterr()
    assert lft(*command) == 1
    assert json.loads(capsys.readouterr().out)["missing"] == 1
    folder = failed.folder / "judge" / "scripted"
    before = (folder / "responses.jsonl").read_bytes()
    assert lft(*command, "--human", "people.jsonl") == 0
    told = json.loads(capsys.readouterr().out)
    assert (folder / "responses.jsonl").read_bytes().startswith(before)  # nothing was asked twice
    assert told["ends"] == {"judged": 4}
    assert told["cost_usd"] == 0.0
    assert told["labels"]["stage"] == {"planning": 1, "none": 1}
    assert told["labels"]["rule"] == {"successful": 2}
    # rule: of A and B one agrees. strategy: overfit against correct. stage: base with A and with B, seed with A.
    exact = {name: (one["n"], one["exact"]) for name, one in told["agreement"].items()}
    assert exact == {"rule": (2, 0.5), "strategy": (1, 0.0), "stage": (3, 1.0)}
    assert told["between_people"]["strategy"] is None
    assert told["between_people"]["rule"]["exact"] == 0.0
    with open(folder / "labels.csv", newline="") as file:
        assert [(row["trial"], row["stage"]) for row in csv.DictReader(file)] == [
            (base, "planning"),
            (seed, "none"),
        ]
    assert lft(*command[:-1], "--human", "people.jsonl") == 0
    assert "agreement with people" in capsys.readouterr().out
    assert lft("cost", folder) == 0
    capsys.readouterr()
    assert lft("score", folder) == 2
    assert "holds no episodes" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("row", "error"),
    [
        ("nothing,successful,correct,planning", "no episode 'nothing'"),
        ("{base},good,correct,planning", "rule is 'good'; expected successful, unsuccessful"),
        ("{base},successful,correct,planning\n{base},successful,,", "a second row of"),
    ],
)
def test_labels_of_people_that_cannot_be_are_refused(
    failed: Run, row: str, error: str, capsys: pytest.CaptureFixture[str]
) -> None:
    base = next(iter(failed.trials()))
    Path("people.csv").write_text("trial,rule,strategy,stage\n" + row.replace("{base}", f'"{base}"') + "\n")
    Path("says.json").write_text('["x"]')
    capsys.readouterr()
    assert lft("judge", "left", "--model", "scripted:says.json", "--human", "people.csv") == 2
    assert error in capsys.readouterr().err
    assert not (failed.folder / "judge").exists()


def test_scores_have_the_stage_that_a_judge_named(failed: Run) -> None:
    first = next(iter(failed.episodes()))
    folder = failed.folder / "judge" / "j"
    folder.mkdir(parents=True)
    (folder / "labels.csv").write_text(f'trial,rule,strategy,stage\n"{first}",,,planning\n')
    assert lft("score", failed.folder) == 0
    with open(failed.folder / "scores.csv", newline="") as file:
        found = {row["trial"]: row["stage_by_j"] for row in csv.DictReader(file)}
    assert found == {**dict.fromkeys(failed.episodes(), ""), first: "planning"}
