"""Behaviour: action bias, fixation and what is written, against counts made by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from lft.agents.behaviour import behaviour_of, fixated
from lft.agents.behaviour_tables import bias, compared, fixation, reasoning
from lft.agents.condition import VALUES

CONDITION = {axis: next(iter(values)) for axis, values in VALUES.items()}


def row(model: str, environment: str, actions: str, **more: Any) -> dict[str, Any]:
    own = {"model": model, "environment": environment, "task": f"{environment}/base", "actions": actions}
    return {**own, **CONDITION, "status": "answered", **more}


def test_bias_by_hand() -> None:
    # a: UP 18, LEFT 2 of 20; b: UP 4, LEFT 16 of 20; pooled UP 22/40 = .55, LEFT 18/40 = .45.
    # a: UP .9 - .55 = .35, LEFT .1 - .45 = -.35; total variation (.35 + .35)/2 = .35: biased towards UP.
    # b: LEFT .8 - .45 = .35, the same the other way round.
    table = bias("bias", [row("a", "e", "LEFT 2, UP 18"), row("b", "e", "LEFT 16, UP 4")])
    found = {one["model"]: one for one in table.rows}
    assert (found["a"]["action"], found["a"]["biased"]) == ("UP", "yes")
    assert found["a"]["excess_%"] == pytest.approx(35)
    assert found["a"]["total_variation_%"] == pytest.approx(35)
    assert (found["b"]["action"], found["b"]["biased"]) == ("LEFT", "yes")


def test_bias_at_its_thresholds() -> None:
    # .7 - .5 = .2 on both counts: flagged (a difference of floats, .7 - .5, is a hair below .2).
    assert 0.7 - 0.5 < 0.2
    assert compared({"UP": 14, "LEFT": 6}, {"UP": 20, "LEFT": 20})["biased"] == "yes"
    assert compared({"UP": 69, "LEFT": 31}, {"UP": 100, "LEFT": 100})["biased"] == "no"
    # Three actions, A .4 - .25 = .15, B .4 - .25 = .15, C .2 - .5 = -.3: total variation .3, excess .15: not flagged.
    found = compared({"A": 8, "B": 8, "C": 4}, {"A": 10, "B": 10, "C": 20})
    assert (found["biased"], found["total_variation_%"]) == ("no", pytest.approx(30))
    assert found["excess_%"] == pytest.approx(15)


def test_bias_needs_twenty_actions_and_another_model() -> None:
    few, many = row("a", "e", "UP 19"), row("b", "e", "LEFT 20")
    assert [one["model"] for one in bias("bias", [few, many]).rows] == ["b"]
    assert not bias("bias", [many, row("b", "e", "UP 30")]).rows
    # Another environment, or another condition, is another pool.
    assert not bias("bias", [many, row("a", "f", "UP 30")]).rows
    assert not bias("bias", [many, row("a", "e", "UP 30") | {"rules": "detailed"}]).rows
    missing = row("a", "e", "UP 30") | {"status": "missing"}
    assert not bias("bias", [many, missing]).rows


def test_fixation_by_hand() -> None:
    assert fixated(["UP"] * 18 + ["LEFT"] * 2) is True  # 18/20 = 90 %
    assert fixated(["UP"] * 17 + ["LEFT"] * 3) is False  # 85 %
    assert behaviour_of([], ["UP"] * 20, ("UP",), passed=True)["fixated"] is None
    # Environment e: one of two fixated, 50 %; f: one of one, 100 %. Environments equally: 75 %.
    rows = [
        row("a", "e", "UP 20", fixated=True),
        row("a", "e", "LEFT 10, UP 10", fixated=False),
        row("a", "f", "UP 10", fixated=True),
        row("a", "f", "UP 5", fixated=None),
    ]
    (found,) = fixation("fixation", rows).rows
    assert (found["action"], found["failed_episodes"], found["fixated"]) == ("UP", 3, 2)
    assert found["fixated_%"] == pytest.approx(75)


ACTIONS = ("UP", "TURN_LEFT", "NOOP")


@pytest.mark.parametrize(
    ("text", "expected"),  # rationales, on_demonstration, on_history, coherent, incoherent
    [
        ("[Action: UP]", (0, 0, 0, 0, 0)),
        ("[Action: UP]\nThe goal is near.", (1, 0, 0, 0, 0)),  # four words, none an action
        ("[Action: UP]\nThe goal is up.", (0, 0, 0, 0, 0)),  # three words and an action
        ("[Action: UP]\nLike in the demonstration I go up.", (1, 1, 0, 1, 0)),
        ("[Action: UP]\nI should turn left to reach it.", (1, 0, 0, 0, 1)),
        ("[Action: UP]\nNot turn-left this time, rather up the wall.", (1, 0, 0, 1, 0)),
        ("<think>In step 3 the wall stopped me again.</think>\n[Action: UP]", (1, 0, 1, 0, 0)),
        ("[Action: UP]\nThe upper row is free, hopefully.", (1, 0, 0, 0, 0)),  # `upper` is not UP
    ],
)
def test_what_is_written_beside_an_action(text: str, expected: tuple[int, ...]) -> None:
    found = behaviour_of([(text, "UP")], ["UP"], ACTIONS, passed=False)
    names = ("rationales", "on_demonstration", "on_history", "coherent", "incoherent")
    assert tuple(found[name] for name in names) == expected


def test_shares_of_what_is_written() -> None:
    # 10 answers, 8 with a rationale (80 %); of these 2 on a demonstration (25 %), 4 on history (50 %);
    # 4 name an action, 3 of them the one taken (75 %); 4 of 8 name none (50 %).
    columns = {"answers": 5, "rationales": 4, "on_demonstration": 1, "on_history": 2}
    rows = [
        row("a", "e", "UP 5", **columns, coherent=2, incoherent=0),
        row("a", "f", "UP 5", **columns, coherent=1, incoherent=1),
    ]
    (found,) = reasoning("reasoning", rows).rows
    shares = [found[f"{n}_%"] for n in ("rationale", "on_demonstration", "on_history", "coherent")]
    assert (found["answers"], shares, found["names_no_action_%"]) == (10, [80, 25, 50, 75], 50)
    (none,) = reasoning("reasoning", [row("a", "e", "UP 5", answers=5)]).rows
    assert (none["rationale_%"], none["coherent_%"]) == (0.0, None)


def test_a_run_has_these_tables(cliff: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from tests.agents.test_suite import lft, swept

    run = swept("constant:LEFT")
    capsys.readouterr()
    assert lft("score", run.folder, "--table", "fixation", "--table", "reasoning") == 0
    out = capsys.readouterr().out
    assert "Fixation" in out
    assert "100.0" in out
    assert "LEFT 20" in (run.folder / "scores.csv").read_text()
