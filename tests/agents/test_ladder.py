"""The ladder finds the stage of a known fault: an agent with one fault, played through the four rungs by the core, loses its
points at that stage and at no other.
"""  # noqa: E501

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from lft.agents.environments import registry
from lft.agents.ladder import STAGES
from lft.agents.study import AgentsStudy
from lft.agents.suite import SUITE
from lft.agents.tables import tables
from lft.agents.tasks import tasks, unrolled
from lft.core.ask import Limits
from lft.core.means import rows_of
from lft.core.requests import Request, Response
from lft.core.run_sweep import conduct
from lft.core.runs import Run
from lft.core.sweeps import read_sweep


@dataclass
class Faulty:
    """Plays well unless its one fault shows; then it walks into the wall on its left, for ever.

    It knows the rules only by the detailed rules' own words, reads the picture only where it is told the state in words, and
    finds the way only where the expert's action is named, as far as `fault` says so; `acting` answers with another action than
    it knows to be right.
    """  # noqa: E501

    fault: str
    name = "faulty"

    def generate(self, request: Request) -> Response:
        task = tasks()[str(request.key["task"])]
        spec, now = registry.get(task.environment), request.messages[-1].text
        expert = re.search(r"An expert takes (\w+) here\.", now)
        able = {
            "rules": spec.rules["detailed"] in request.text,
            "reading": "The picture in words: " in now,
            "planning": expert is not None,
            "acting": False,
        }
        way, step = unrolled(task.expert), int(request.kept["step"])
        right = expert[1] if expert else way[min(step, len(way)) - 1]
        wrong = "LEFT" if right != "LEFT" else "UP"
        return Response(f"[Action: {right if able[self.fault] else wrong}]")

    def describe(self) -> dict[str, Any]:
        return {"provider": "faulty"}


@pytest.mark.parametrize("fault", STAGES)
def test_points_are_lost_at_the_stage_of_the_fault(cliff: Path, fault: str) -> None:
    _, name, document, _ = read_sweep("icl_assistance")
    study = AgentsStudy(name, {**document, "tasks": ["cliff_walking/base"]}, {})
    found = conduct(
        Path("run"), SUITE.name, study, Faulty(fault), study.trials("faulty"), Limits(concurrency=1)
    )
    assert found["missing"] == 0
    (ladder,) = next(
        one.rows for one in tables(list(rows_of(SUITE, Run.open("run")))) if one.name == "ladder"
    )  # type: ignore[arg-type]
    lost = {stage: ladder[stage] for stage in STAGES}
    assert lost == {**dict.fromkeys(STAGES, 0.0), fault: 100.0}
    assert ladder["score"] == 0.0
