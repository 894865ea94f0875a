"""`lft plan` and `lft cost` as they are typed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from lft import suites
from lft.core.models import ModelSpec, name_of
from lft.core.runs import STARTED
from tests.commands.conftest import run
from tests.fakes.provider import FakeProvider

Out = pytest.CaptureFixture[str]
MODEL = "gemini:gemini-3.6-flash"


def document(out: Out) -> Any:
    return json.loads(out.readouterr().out)


def test_trials_calls_and_images_are_known_before_anything_is_rendered(here: Path, capsys: Out) -> None:
    (here / "grid.yaml").write_text("x")
    assert (
        run("plan", "frame_density", "--model", MODEL, "--sampling", "fps:4", "--labels", "time", "--json")
        == 0
    )
    (row,) = document(capsys)["conditions"]
    # 2,190 clips of 24 s: 96 images each at 4 Hz.
    assert (row["trials"], row["calls"], row["images"]) == (2190, 2190, 2190 * 96)
    assert (row["input_tokens"], row["usd"]) == (None, None)


def test_what_a_model_does_not_take_is_not_applicable_and_costs_nothing(here: Path, capsys: Out) -> None:
    assert run("plan", "frame_density", "--model", "openai:gpt-5?max_images=50", "--json") == 0
    rows = {(r["sampling"], r["labels"]): r for r in document(capsys)["conditions"]}
    assert rows["native", "none"]["not_applicable"] == 2190  # no video
    assert rows["fps:4", "time"]["not_applicable"] == 2190  # 96 images, 50 at most
    assert (rows["fps:4", "time"]["calls"], rows["fps:4", "time"]["usd"]) == (0, 0.0)
    assert (rows["fps:2", "time"]["not_applicable"], rows["fps:2", "time"]["images"]) == (0, 2190 * 48)


@pytest.mark.parametrize(
    ("model", "takes"), [("anthropic:claude-opus-4-1", False), (MODEL, True), ("observer", False)]
)
def test_a_prompt_with_a_schema_is_not_applicable_to_a_model_that_takes_none(
    here: Path, capsys: Out, model: str, takes: bool
) -> None:
    asked = (
        "plan",
        "frame_density",
        "--model",
        model,
        "--sampling",
        "fps:1",
        "--labels",
        "time",
        "--prompt",
        "structured_output",
    )
    assert run(*asked, "--json") == 0
    (row,) = document(capsys)["conditions"]
    assert (row["not_applicable"], row["remaining"]) == ((0, 2190) if takes else (2190, 0))
    assert run(*asked) == 0
    assert ("the prompt has a JSON schema; the model takes none" in capsys.readouterr().out) is not takes


def test_a_sample_gives_tokens_and_price_and_is_not_paid_twice(
    here: Path, rendered: Path, gemini: FakeProvider, capsys: Out, monkeypatch: pytest.MonkeyPatch
) -> None:
    (here / "prices.yaml").write_text("gemini-3.6-flash: {input: 1000, output: 10000}\n")
    asked = ("plan", "small.yaml", "--model", MODEL, "--clips", rendered)
    assert run(*asked, "--sample", 1, "--json") == 0
    made = document(capsys)
    by_prompt = {(r["sampling"], r["prompt"]): r for r in made["conditions"]}
    one, two = by_prompt["fps:4", "direct"], by_prompt["fps:4", "two_turn_verification"]
    # Two clips, one of them asked. A call is 1000 in (1 USD) and 250 out (2.50 USD); two turns are two calls.
    assert (one["trials"], one["remaining"], one["measured"]) == (2, 1, 1)
    assert (one["input_tokens"], one["output_tokens"], one["usd"]) == (1000, 250, pytest.approx(3.5))
    assert (two["calls"], two["input_tokens"], two["usd"]) == (2, 2000, pytest.approx(7.0))
    assert (one["images"], two["images"]) == (8, 16)  # 2 s at 4 Hz, shown again in the second turn
    assert made["total"]["usd"] == pytest.approx(3 * 3.5 + 3 * 7.0)
    paid = len(gemini.calls)
    assert run("sweep", "small.yaml", "--model", MODEL, "--clips", rendered, "--json") == 0
    result = document(capsys)
    assert (result["kept"], result["answered"]) == (6, 6)
    assert len(gemini.calls) == 2 * paid
    assert result["cost_usd"] == pytest.approx(2 * (3 * 3.5 + 3 * 7.0))
    assert run(*asked, "--json") == 0
    assert document(capsys)["total"]["remaining"] == 0


def test_an_earlier_run_gives_the_estimate(
    here: Path, rendered: Path, gemini: FakeProvider, capsys: Out
) -> None:
    (here / "prices.yaml").write_text("gemini-3.6-flash: {input: 1000, output: 10000}\n")
    sweep = ("small.yaml", "--model", MODEL, "--clips", rendered, "--sampling", "fps:4", "--prompt", "direct")
    assert run("sweep", *sweep, "--run", "before") == 0
    capsys.readouterr()
    assert run("plan", *sweep, "--run", "next", "--from", "results/runs/before", "--json") == 0
    (row,) = document(capsys)["conditions"]
    assert (row["remaining"], row["measured"], row["usd"]) == (2, 2, pytest.approx(7.0))
    assert (
        run(
            "plan",
            "small.yaml",
            "--model",
            "gemini:other",
            "--clips",
            rendered,
            "--from",
            "results/runs/before",
            "--json",
        )
        == 0
    )
    assert {row["usd"] for row in document(capsys)["conditions"]} == {None}


def test_a_budget_stops_a_sweep_with_status_1_and_a_larger_one_ends_it(
    here: Path, rendered: Path, gemini: FakeProvider, capsys: Out
) -> None:
    (here / "prices.yaml").write_text("gemini-3.6-flash: {input: 1000, output: 10000}\n")
    sweep = ("sweep", "small.yaml", "--model", MODEL, "--clips", rendered, "--prompt", "direct", "--json")
    assert run(*sweep, "--max-cost", 9) == 1
    result = document(capsys)
    assert result["cost_usd"] == pytest.approx(7.0)
    assert result["stopped"] == "the budget of 9 USD does not allow another call"
    assert run(*sweep, "--max-cost", 30) == 0
    assert document(capsys)["cost_usd"] == pytest.approx(21.0)


def test_calls_that_were_lost_with_their_process_count_against_the_budget(
    here: Path, rendered: Path, gemini: FakeProvider, capsys: Out
) -> None:
    """A call is 1000 tokens in (1 USD) and may be 250 out (2.50 USD): two lost ones are 7 USD at most."""
    (here / "prices.yaml").write_text("gemini-3.6-flash: {input: 1000, output: 10000}\n")
    sweep = ("sweep", "small.yaml", "--model", f"{MODEL}?max_output_tokens=250", "--clips", rendered, "--prompt",
             "direct", "--run", "a", "--json")  # fmt: skip
    assert run(*sweep, "--limit", 2) == 0
    assert document(capsys)["cost_usd"] == pytest.approx(7.0)
    with open(here / "results/runs/a" / STARTED, "a") as file:
        file.writelines(json.dumps({"call": f"gone-{k}", "trial": "t", "turn": 0}) + "\n" for k in range(2))
    paid = len(gemini.calls)
    assert run(*sweep, "--max-cost", 17) == 1  # 17 - 7 - 7 leaves 3, and a call is 3.50
    words = "the budget of 17 USD does not allow another call; lost calls may have cost 7.00 USD"
    assert document(capsys)["stopped"] == words
    assert len(gemini.calls) == paid
    assert run(*sweep, "--max-cost", 18) == 1
    assert len(gemini.calls) == paid + 1


def test_costs_by_experiment_density_and_domain(
    here: Path, rendered: Path, gemini: FakeProvider, capsys: Out
) -> None:
    assert run("sweep", "small.yaml", "--model", MODEL, "--clips", rendered, "--run", "a") == 0
    for by, groups in {
        "experiment": ["small"],
        "sampling": ["native", "fps:4", "keyframes:0.1"],
        "domain": ["blinking"],
    }.items():
        capsys.readouterr()
        assert run("cost", "results/runs/a", "--by", by, "--json") == 0
        made = document(capsys)
        assert sorted(row[by] for row in made["rows"]) == sorted(groups)
        # 12 trials: 6 of one turn and 6 of two, so 18 calls.
        assert (made["total"]["trials"], made["total"]["calls"], made["total"]["input_tokens"]) == (
            12,
            18,
            18000,
        )
        assert sum(row["calls"] for row in made["rows"]) == 18
        assert made["total"]["input_by_modality"] == {"text": 1800, "image": 16200}  # 100 and 900 a call
    assert run("cost", "results/runs/a") == 0
    assert "18,000" in capsys.readouterr().out


def test_a_cost_that_is_not_known_is_called_unknown(
    here: Path, rendered: Path, gemini: FakeProvider, capsys: Out
) -> None:
    model = f"openai:mine@{gemini.url}/v1"
    assert run("sweep", "small.yaml", "--model", model, "--clips", rendered, "--run", "a") == 0
    assert "cost: unknown" in capsys.readouterr().out
    assert run("cost", "results/runs/a") == 0
    assert capsys.readouterr().out.rstrip().endswith("unknown")
    assert (
        run(
            "sweep",
            "small.yaml",
            "--model",
            model,
            "--clips",
            rendered,
            "--run",
            "b",
            "--max-cost",
            5,
            "--json",
        )
        == 1
    )
    result = document(capsys)
    assert (result["answered"], result["cost_usd"]) == (1, None)
    assert "price of this model is unknown" in result["stopped"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("plan", "no_such", "--model", MODEL), "unknown sweep"),
        (("plan", "baseline", "--model", MODEL, "--sample", 1), "no clips there"),
        (("plan", "baseline", "--model", "gemini:x?tmp=1"), "unknown option 'tmp'"),
        (("plan", "baseline", "--model", "obsever"), "observer (did you mean this?)"),
        (("cost", "nowhere"), "no such run"),
    ],
)
def test_wrong_usage_is_one_line(here: Path, capsys: Out, arguments: tuple[object, ...], words: str) -> None:
    assert run(*arguments) == 2
    told = capsys.readouterr().err
    assert words in told
    assert told.count("\n") == 1


def test_a_fault_in_the_price_file_shows_before_anything_is_paid(here: Path, capsys: Out) -> None:
    (here / "prices.yaml").write_text("m: {input: -1, output: 1}\n")
    assert run("plan", "baseline", "--model", MODEL) == 2
    assert "prices.yaml: m: input is -1" in capsys.readouterr().err
    assert run("plan", "baseline", "--model", "observer") == 0  # which has no price


def test_a_model_has_one_name_before_and_after_it_is_made() -> None:
    assert name_of(ModelSpec.parse("openai:a/b@http://h:1/v1?seed=1"), suites.providers()) == "a/b"
    assert name_of(ModelSpec.parse("gemini:x?seed=1"), suites.providers()) == "x"
    assert name_of(ModelSpec.parse("observer"), suites.providers()) == "observer"
    assert name_of(ModelSpec.parse("ray:hf:a/b?replicas=2"), suites.providers()) == "a/b"


def test_a_sweep_by_batch_jobs(here: Path, rendered: Path, gemini: FakeProvider, capsys: Out) -> None:
    sweep = ("sweep", "small.yaml", "--model", MODEL, "--clips", rendered, "--batch", "--poll", 0.1, "--json")
    assert run(*sweep) == 0
    told = capsys.readouterr()
    assert json.loads(told.out)["answered"] == 12
    assert "job batches/job0: 12 requests" in told.err
    assert len(gemini.jobs) == 2  # one for each turn
    assert run(*sweep, "--max-cost", 3) == 2
    assert "without a budget" in capsys.readouterr().err


def test_a_prompt_that_cannot_be_filled_leaves_no_run(here: Path, rendered: Path, capsys: Out) -> None:
    asked = ("sweep", "small.yaml", "--model", "observer", "--clips", rendered, "--sampling", "fps:4")
    asked = (*asked, "--prompt", "own.txt", "--run", here / "r")
    (here / "own.txt").write_text("=== user\n{question}\n\\boxed{N}\n")
    assert run(*asked) == 2
    assert "unknown placeholder 'N'" in capsys.readouterr().err
    assert not (here / "r").exists()
    (here / "own.txt").write_text("=== user\n{question}\n\\boxed{{N}}\n")  # corrected: the same run can begin
    assert run(*asked) == 0
