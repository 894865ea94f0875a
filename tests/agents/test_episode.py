"""Episodes: what is asked after which answers, how they end, and what is kept of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lft.agents.condition import Condition
from lft.agents.environments import registry
from lft.agents.episode import Episode
from lft.agents.play import hash_of
from lft.agents.study import AgentsStudy
from lft.agents.suite import SUITE
from lft.agents.tasks import tasks, unrolled
from lft.core.requests import Images, ModelError, NotApplicable, Request, Response
from lft.core.trials import Done, next_of
from lft.testing import check_suite

Answer = Callable[[int], str]


def episode(**condition: str) -> Episode:
    study = AgentsStudy("icl", condition, {})
    return study.trials("m")[0]


def played(one: Episode, answer: Answer) -> tuple[list[Request], Done]:
    requests: list[Request] = []
    answers: list[Response] = []
    while isinstance(following := next_of(one, answers), Request):
        requests.append(following)
        answers.append(Response(answer(len(answers))))
    return requests, following


def expert(one: Episode) -> Answer:
    way = unrolled(one.task.expert)
    return lambda k: f"[Action: {way[k]}]"


def test_the_expert_wins(cliff: Path) -> None:
    one = episode()
    requests, done = played(one, expert(one))
    # Up, eleven to the right, down: the shortest way along the cliff.
    assert (done.how, done.kept["actions"]) == ("victory", [["UP", 1], ["RIGHT", 11], ["DOWN", 1]])
    assert done.kept["last"]["reached"] == 1.0
    assert len(requests) == 13
    assert [r.kept["step"] for r in requests] == list(range(1, 14))
    assert requests[0].kept["picture"] == one.task.start_hash
    # 15 demonstration pictures: the start, 13 decisions, the end.
    assert requests[-1].pictures == {"demonstration": 15, "observation": 13}
    shown = [p for p in requests[3].parts if isinstance(p, Images) and p.purpose == "observation"]
    assert hash_of(shown[3].frames.pixels[0]) == requests[3].kept["picture"]
    assert requests[3].kept["state"] != requests[2].kept["state"]


def test_an_answer_in_another_form_is_asked_for_again_three_times(cliff: Path) -> None:
    one = episode(demonstrations="none")
    texts = ["I go up.", "[Action: up]", "", "[Action: UP]", "x", "x", "x", "x"]
    requests, done = played(one, texts.__getitem__)
    assert done.how == "invalid"
    assert done.kept["faults"] == {"no_action": 5, "unknown": 1, "empty": 1}
    assert done.kept["actions"] == [["UP", 1]]
    assert [(r.kept["step"], r.kept["try"]) for r in requests] == [
        (1, 0), (1, 1), (1, 2), (1, 3), (2, 0), (2, 1), (2, 2), (2, 3),
    ]  # fmt: skip
    # A correction shows no picture again, and says what was wrong.
    assert [r.images for r in requests] == [1, 1, 1, 1, 2, 2, 2, 2]
    assert "it names no action that there is" in requests[2].messages[-1].text


def test_decisions_run_out(cliff: Path) -> None:
    one = episode(demonstrations="none")
    requests, done = played(one, lambda k: "[Action: LEFT]")
    assert (done.how, len(requests), done.kept["decisions"]) == ("timeout", 20, 20)


def test_a_conversation_that_is_too_long_keeps_what_was_reached(cliff: Path) -> None:
    one = episode()
    way = expert(one)
    answers = [Response(way(k)) for k in range(3)]
    assert isinstance(one.next(answers), Request)
    done = one.failed(answers, NotApplicable("too long", limit="tokens"))
    assert done is not None
    assert (done.how, done.kept["decisions"], done.kept["limit"]) == ("overflow", 3, "context")
    cut = one.failed(answers, ModelError("truncated", "cut off"))
    assert cut is not None
    assert cut.kept["limit"] == "output"
    assert one.failed((), NotApplicable("too long", limit="tokens")) is None
    assert one.failed(answers, NotApplicable("no video", limit="video")) is None
    assert one.failed(answers, ModelError("blocked", "filtered")) is None


def test_another_start_picture_is_no_fault_of_the_model(cliff: Path) -> None:
    one = episode()
    other = Episode(replace(one.task, start_hash="00"), one.spec, one.condition, "m", one._setting)
    with pytest.raises(NotApplicable, match="start picture is not the recorded one"):
        other.next(())


def test_a_window_keeps_the_demonstrations_and_says_what_is_left_out(cliff: Path) -> None:
    one = episode(history="last:2")
    requests, _ = played(one, lambda k: "[Action: LEFT]")
    assert requests[2].pictures == {"demonstration": 15, "observation": 3}
    late = requests[10]  # step 11: steps 9 and 10 before it
    assert late.pictures == {"demonstration": 15, "observation": 3}
    assert late.kept["left_out"] == 8
    assert "(Steps 1 to 8 are left out here.)" in late.messages[0].text
    assert "before step 9 of 20" in late.messages[0].text
    assert [m.role for m in late.messages] == ["user", "model", "user", "model", "user"]


def test_each_rung_of_assistance_says_one_thing_more(cliff: Path) -> None:
    def text(**condition: str) -> str:
        one = episode(**condition)
        found = one.next(())
        assert isinstance(found, Request)
        return found.text

    basic, detailed = text(rules="basic"), text(rules="detailed")
    state, plan = text(rules="detailed", assistance="state"), text(rules="detailed", assistance="plan")
    assert basic != detailed
    assert "in words" not in detailed
    assert "The picture in words: The figure is in row 4" in state
    assert "An expert takes" not in state
    assert "An expert takes UP here." in plan


def test_the_expert_is_asked_anew_where_its_way_is_left(cliff: Path) -> None:
    one = episode(assistance="plan", demonstrations="none")
    answers = [Response("[Action: UP]"), Response("[Action: UP]")]
    request = one.next(answers)
    assert isinstance(request, Request)
    live = registry.make("cliff_walking")
    live.reset(one.task.seed)
    live.step("UP")
    live.step("UP")
    assert request.kept["expert"] == live.expert()


def test_the_suite_keeps_the_contract(cliff: Path) -> None:
    way = unrolled(tasks()["cliff_walking/base"].expert)

    def expert_by_step(request: Request) -> str:
        return f"[Action: {way[int(request.kept['step']) - 1]}]"

    check_suite(SUITE, {"tasks": ["cliff_walking/base"]}, expert_by_step)
    short: dict[str, Any] = {"tasks": ["cliff_walking/base"], "demonstrations": "none", "history": "last:1"}
    check_suite(SUITE, short, lambda request: "no" if request.kept["try"] < 2 else "nothing at all")


def test_conditions_are_named_in_ids(cliff: Path) -> None:
    study = AgentsStudy("icl", {"rules": ["basic", "detailed"], "tasks": ["cliff_walking/base"]}, {})
    assert [t.id for t in study.trials("m")] == [
        "cliff_walking/base,basic,shown,none,all,frames",
        "cliff_walking/base,detailed,shown,none,all,frames",
    ]
    assert study.conditions[0] == Condition.of({}, where="")
