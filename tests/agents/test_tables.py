"""Tables: means over environments, differences over common tasks, the ladder adds up; worked out by hand."""

from __future__ import annotations

from typing import Any

import pytest

from lft.agents.tables import printed, tables, text_of

_NO_INTERVAL = {"kind": "base", "family": "toy text", "memory": "single", "dynamics": "static"}


def row(task: str, score: float, **condition: Any) -> dict[str, Any]:
    axes = {
        "rules": "basic",
        "demonstrations": "shown",
        "assistance": "none",
        "history": "all",
        "given": "frames",
    }
    return {
        "trial": task, "task": task, "model": "m", **axes, **condition, "status": "answered", "end": "timeout",
        "environment": task.partition("/")[0], **_NO_INTERVAL, "pass": 100.0 * (score >= 100), "score": score,
        "skill": score / 100, "decisions": 10, "limit": 40, "retries": 1, "images": 30, "context_tokens": None,
    }  # fmt: skip


def found(rows: list[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    return {one.name: one.rows for one in tables(rows)}


def test_environments_count_equally() -> None:
    # a: (100 + 0 + 50) / 3 = 50; b: 20. Together 35, not the 42.5 of four tasks alike.
    made = found([row("a/1", 100), row("a/2", 0), row("a/3", 50), row("b/1", 20)])
    (scores,) = made["scores"]
    assert scores["score"] == pytest.approx(35.0)
    assert scores["pass"] == pytest.approx((100 / 3 + 0) / 2)
    assert {r["environment"]: r["score"] for r in made["environment"]} == pytest.approx(
        {"a": 50.0, "b": 20.0}
    )
    (ends,) = made["ends"]
    assert (ends["timeout"], ends["retries"]) == (4, 4)
    (lengths,) = made["lengths"]
    assert (lengths["median_if_passed"], lengths["share_of_limit_%"]) == (10.0, 25.0)
    assert "ladder" not in made


def test_the_ladder_adds_up_to_what_is_lost() -> None:
    rungs = [
        {"rules": "basic"},
        {"rules": "detailed"},
        {"rules": "detailed", "assistance": "state"},
        {"rules": "detailed", "assistance": "plan"},
    ]
    # a climbs 10, 30, 40, 100; b 20, 20, 80, 90. A third task lacks a rung, and is left out of all.
    rows = [row("a/1", s, **rung) for s, rung in zip((10, 30, 40, 100), rungs, strict=True)]
    rows += [row("b/1", s, **rung) for s, rung in zip((20, 20, 80, 90), rungs, strict=True)]
    rows += [row("b/2", 100, **rung) for rung in rungs[:3]]
    (ladder,) = found(rows)["ladder"]
    assert ladder["tasks"] == 2
    assert ladder["score"] == pytest.approx(15.0)
    stages = [ladder[name] for name in ("rules", "reading", "planning", "acting")]
    assert stages == pytest.approx(
        [10.0, 35.0, 35.0, 5.0]
    )  # (20 + 0) / 2, (10 + 60) / 2, (60 + 10) / 2, (0 + 10) / 2
    assert ladder["score"] + sum(stages) == pytest.approx(100.0)


def test_what_demonstrations_add_is_of_common_tasks() -> None:
    rows = [
        row("a/1", 10, demonstrations="none"), row("a/1", 40), row("a/2", 0, demonstrations="none"),
        row("b/1", 50, demonstrations="none"), row("b/1", 40), row("b/1", 60, demonstrations="shuffled"),
    ]  # fmt: skip
    made = found(rows)
    (ablation,) = made["ablation"]
    assert ablation["what"] == "demonstrations, basic rules"
    assert (ablation["tasks"], ablation["score"]) == (2, 10.0)  # (+30 - 10) / 2
    assert [(r["demonstrations"], r["tasks"], r["score"]) for r in made["controls"]] == [
        ("shown", 2, 10.0),
        ("shuffled", 1, 10.0),
    ]


def test_what_is_printed() -> None:
    (scores, *_) = tables([row("a/1", 100), row("b/1", 20)])
    head, cells = printed(scores)
    assert head == ["model", "n", "n missing", "n not applicable", "environments", "pass %", "score", "skill"]
    assert cells[0][0] == "m"
    assert cells[0][6].startswith("60.0 [")
    assert "Pass, score, skill" in text_of(scores)


def test_judges_stand_beside_the_ladder() -> None:
    # Both tasks lose 100 points: a/1 all of them in planning, b/1 20 for want of rules and 80 in acting. The ladder's
    # means over environments: rules 10, planning 50, acting 40 of 100. The judge says planning of a/1 (which costs it
    # most: agreed) and rules of b/1 (acting costs it most: not agreed): exact 50 %. Chance is the sum of products of
    # shares: planning 1/2 * 1/2, others 0: kappa = (0.5 - 0.25) / (1 - 0.25) = 1/3.
    rungs = [
        {"rules": "basic"},
        {"rules": "detailed"},
        {"rules": "detailed", "assistance": "state"},
        {"rules": "detailed", "assistance": "plan"},
    ]
    scores = {"a/1": (0, 0, 0, 100), "b/1": (0, 20, 20, 20)}
    said = {"a/1": "planning", "b/1": "knowledge_induction"}
    rows = [
        row(task, s, **rung)
        for task, several in scores.items()
        for s, rung in zip(several, rungs, strict=True)
    ]
    rows = [{**r, "stage_by_j": said[r["task"]]} if r["rules"] == "basic" else r for r in rows]
    (judged,) = found(rows)["judge"]
    assert (judged["judge"], judged["episodes"], judged["compared"]) == ("j", 2, 2)
    by_judge = [judged[f"{s}_judge_%"] for s in ("rules", "reading", "planning", "acting", "none")]
    by_ladder = [judged[f"{s}_ladder_%"] for s in ("rules", "reading", "planning", "acting")]
    assert (by_judge, by_ladder) == ([50.0, 0.0, 50.0, 0.0, 0.0], pytest.approx([10.0, 0.0, 50.0, 40.0]))
    assert (judged["exact_%"], judged["kappa"]) == (50.0, pytest.approx(1 / 3))
    assert "judge" not in found([r for r in rows if "stage_by_j" not in r])
