"""Probes: what is asked, what is true by other code, and that chance is what guessing reaches."""

from __future__ import annotations

import json
import random
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lft.agents.environments import registry
from lft.agents.episode import Episode
from lft.agents.probes import (
    PARTS,
    ProbeStudy,
    ProbeTrial,
    plan_probe,
    rules_probe,
    state_probe,
    summary,
)
from lft.agents.scoring import Outcome
from lft.agents.tasks import tasks
from lft.agents.words import Words
from lft.core.requests import Images, NotApplicable, Request, Response
from lft.core.runs import Run
from lft.core.trials import Done
from tests.agents.test_suite import lft, swept

WORDS = Words.load("probe", PARTS)


def walked(*actions: str) -> Any:
    live = registry.make("cliff_walking")
    live.reset(0)
    for action in actions:
        live.step(action)
    return live


def test_the_right_picture_is_the_one_that_follows(cliff: Path) -> None:
    spec = registry.get("cliff_walking")
    for seed in range(8):
        live = walked("UP", "RIGHT", "RIGHT")
        found = rules_probe(live, spec, WORDS, random.Random(seed))
        assert live.state() == {"row": 2, "column": 2}  # nothing was played
        assert found.chance == 0.25
        assert isinstance(found.parts[0], str)
        (action,) = (name for name in spec.actions if f"take {name} now" in found.parts[0])
        pictures = [next(iter(p.frames.pictures())) for p in found.parts if isinstance(p, Images)]
        expected = walked("UP", "RIGHT", "RIGHT", action).picture()
        same = ["ABCD"[k] for k, picture in enumerate(pictures) if np.array_equal(picture, expected)]
        assert same == sorted(found.right)
        assert len({picture.tobytes() for picture in pictures}) == 4


def test_the_right_description_is_true_and_the_others_are_not(cliff: Path) -> None:
    spec = registry.get("cliff_walking")
    letters = set()
    for seed in range(8):
        live = walked("UP", "RIGHT")
        found = state_probe(live, spec, WORDS, random.Random(seed))
        lines = [str(part) for part in found.parts[1:]]
        right = [line[0] for line in lines if "The figure is in row 3 of 4 from the top, column 2 of" in line]
        assert right == sorted(found.right)
        letters |= found.right
    assert len(letters) > 1


def test_the_best_action_and_the_regret_of_others(cliff: Path) -> None:
    # At the start the shortest way has 13 decisions and begins with UP; the task has 20. After DOWN or LEFT, which do
    # nothing, the goal is reached a decision later, after RIGHT, which falls and is put back, too: no points are lost.
    # With 13 decisions in all, UP alone reaches it, and the others cost 100 points.
    spec, task = registry.get("cliff_walking"), tasks()["cliff_walking/base"]
    live = walked()
    start = dict(live.measures)
    before = Outcome(start, start, start, 0, "")
    found = plan_probe(live, spec, WORDS, task, before)
    assert found.right == {"UP"}
    assert found.regret == dict.fromkeys(spec.actions, 0.0)
    late = Outcome(start, start, start, 7, "")  # 20 - 7 = 13 are left
    found = plan_probe(live, spec, WORDS, task, late)
    assert found.regret == {"UP": 0.0, "RIGHT": 100.0, "DOWN": 100.0, "LEFT": 100.0}
    # Where nothing can be reached any more, every action is as good.
    hopeless = plan_probe(live, spec, WORDS, task, Outcome(start, start, start, 19, ""))
    assert hopeless.chance == 1.0
    # Two columns before the goal, in row 3: RIGHT, and in row 2 both RIGHT and DOWN are on a shortest way.
    high = walked("UP", "UP", *["RIGHT"] * 9)
    assert plan_probe(high, spec, WORDS, task, Outcome(start, start, start, 11, "")).right == {
        "RIGHT",
        "DOWN",
    }


def test_states_that_all_look_alike_are_not_asked_about(cliff: Path) -> None:
    live = walked("UP", *["RIGHT"] * 11, "DOWN")  # the goal: nothing moves any more
    with pytest.raises(NotApplicable, match="not 4 different states"):
        rules_probe(live, registry.get("cliff_walking"), WORDS, random.Random(0))


def probes(run: Run, **more: Any) -> list[ProbeTrial]:
    return ProbeStudy(run, "probe", **more).trials("m")


def asked(one: ProbeTrial) -> str:
    request = one.next(())
    assert isinstance(request, Request)
    return request.text


def test_a_probe_is_asked_in_a_copy_of_the_conversation(cliff: Path) -> None:
    run = swept("constant:UP")
    before = (run.folder / "responses.jsonl").read_bytes()
    one = next(t for t in probes(run) if t.stage == "rules" and t.key["step"] == 4)
    request = one.next(())
    assert isinstance(request, Request)
    # 15 pictures of the demonstration, those of steps 1 to 4, four options.
    assert request.pictures == {"demonstration": 15, "observation": 4, "evidence": 4}
    assert [m.role for m in request.messages] == ["user", "model"] * 3 + ["user"]
    last = request.messages[-1].text
    assert "before step 4 of 20" in last
    assert "Which action do you take?" not in last
    assert "[Answer: NAME]" in last
    assert "right" not in json.dumps([dict(request.kept), dict(request.task), dict(request.key)])
    again = one.next([Response("I say B.")])
    assert isinstance(again, Request)
    assert "one of: A, B, C, D" in again.messages[-1].text
    assert one.probe is not None
    (truth,) = one.probe.right
    done = one.next([Response("I say B."), Response(f"[Answer: {truth}]")])
    assert done == Done("probed", {"answer": truth, "right": True, "truth": [truth], "chance": 0.25})
    assert one.next([Response("?"), Response("?")]) == Done("unreadable", {"chance": 0.25})
    assert (run.folder / "responses.jsonl").read_bytes() == before


def test_who_knows_is_right_and_who_guesses_reaches_chance(
    cliff: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = swept("constant:LEFT")
    answers = []
    for one in probes(run, steps=2):  # stages in turn; two episodes of 20 steps
        one.next(())
        assert one.probe is not None
        answers.append(f"[Answer: {min(one.probe.right)}]")
    Path("says.json").write_text(json.dumps(answers))
    command = ("probe", run.folder, "--model", "scripted:says.json", "--steps", "2", "--concurrency", "1")
    capsys.readouterr()
    assert lft(*command, "--json") == 0
    told = json.loads(capsys.readouterr().out)
    known = {one["stage"]: (one["n"], one["accuracy"], one["chance"]) for one in told["stages"]}
    # LEFT at the start does nothing: after 5 and 15 of 20 decisions the figure still stands there. With 15 left (13 are
    # needed) UP is best; with 5 left no action reaches the goal: right are all four. Mean chance (1/4 + 4/4) / 2.
    assert known == {"rules": (4, 1.0, 0.25), "state": (4, 1.0, 0.25), "plan": (4, 1.0, 0.625)}
    kept = (Path(told["probes"]) / "responses.jsonl").read_bytes()
    assert lft(*command) == 0  # nothing is asked again
    assert "right %" in capsys.readouterr().out
    assert (Path(told["probes"]) / "responses.jsonl").read_bytes() == kept
    assert summary(Run.open(told["probes"])) == told["stages"]


def test_what_was_told_is_not_asked(cliff: Path) -> None:
    Path("told.yaml").write_text("suite: agents\ntitle: Told\nassistance: state\n")
    assert lft("sweep", "told.yaml", "--model", "constant:LEFT", "--run", "told") == 0
    assert {one.stage for one in probes(Run.open("told"))} == {"rules", "plan"}


def test_a_conversation_that_is_not_the_recorded_one_is_not_used(cliff: Path) -> None:
    run = swept("constant:LEFT")
    path = run.folder / "responses.jsonl"
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    for line in lines:
        if "prompt_sha256" in line:
            line["prompt_sha256"] = "0" * 64
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    with pytest.raises(NotApplicable, match="cannot be made again"):
        probes(run)[0].next(())


def test_probes_of_one_episode_do_not_share_what_is_played(
    cliff: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = swept("constant:UP", "--limit", "1")
    played, plain = [], Episode.next

    def noted(self: Episode, answers: Any) -> Any:
        played.append(self)
        return plain(self, answers)

    monkeypatch.setattr(Episode, "next", noted)
    at_once = probes(run, steps=6, stages=("rules",))
    with ThreadPoolExecutor(6) as pool:
        texts = list(pool.map(asked, at_once))
    assert len({id(one) for one in played}) == len(texts) == 6
    assert all(
        f"before step {one.key['step']} of 20" in text for one, text in zip(at_once, texts, strict=True)
    )
