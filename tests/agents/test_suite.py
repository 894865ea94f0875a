"""The suite through the command line: swept, scored, shown, replayed."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from lft.agents.retrace import retraced
from lft.cli import main
from lft.core.runs import Run

SWEEP = "suite: agents\ntitle: Two cliffs\n"


def lft(*arguments: object) -> int:
    with pytest.raises(SystemExit) as stopped:
        main([str(a) for a in arguments])
    return int(stopped.value.code or 0)


def swept(model: str, *more: object) -> Run:
    Path("two.yaml").write_text(SWEEP)
    name = model.partition(":")[0]
    assert lft("sweep", "two.yaml", "--model", model, "--run", name, *more) == 0
    return Run.open(name)


def test_the_expert_has_all_points_and_the_others_what_they_reach(
    cliff: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    scores = {}
    for model in ("expert", "constant:LEFT", "copy", "nearest"):
        run = swept(model)
        capsys.readouterr()
        assert lft("score", run.folder, "--json") == 0
        (condition,) = json.loads(capsys.readouterr().out)["conditions"]
        scores[run.folder.name] = condition["measures"]["score"]["mean"], condition["ends"]
    # All seeds of Cliff Walking start alike: what was shown for one is right for the other, and each picture of the way
    # was shown.
    assert scores == {
        "expert": (100.0, {"victory": 2}),
        "constant": (0.0, {"timeout": 2}),
        "copy": (100.0, {"victory": 2}),
        "nearest": (100.0, {"victory": 2}),
    }
    with open(run.folder / "scores.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["environment"], row["pass"], row["decisions"]) for row in rows] == [
        ("cliff_walking", "100.0", "13")
    ] * 2
    assert lft("show", run.folder, "cliff_walking/base") == 0
    assert "words    are those that were sent (hash agrees)" in capsys.readouterr().out


def test_actions_of_a_file_are_played_and_an_end_without_one_is_invalid(cliff: Path) -> None:
    Path("way.json").write_text(json.dumps({"cliff_walking/base": ["UP", "UP"]}))
    run = swept("actions:way.json")
    episodes = run.episodes()
    one = episodes["cliff_walking/base,basic,shown,none,all,frames"]
    assert (one.end, one.kept["actions"], len(one.answers)) == ("invalid", [["UP", 2]], 6)
    assert episodes["cliff_walking/seed1,basic,shown,none,all,frames"].status == "not_applicable"


def test_a_replay_sees_the_same_pictures_or_says_where_not(
    cliff: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = swept("random")
    capsys.readouterr()
    assert lft("replay", "random", "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["episodes"], told["pictures"], told["differing"]) == (
        2,
        42,
        0,
    )  # 20 decisions and the last picture
    path = run.folder / "responses.jsonl"
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    changed = next(
        line for line in lines if line["key"]["task"] == "cliff_walking/base" and line["key"]["turn"] == 4
    )
    changed["kept"]["picture"] = "0" * 64
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    manifest = json.loads((run.folder / "manifest.json").read_text())
    manifest["environment_packages"]["gymnasium"] = "0.1"
    (run.folder / "manifest.json").write_text(json.dumps(manifest))
    assert lft("replay", "random", "cliff_walking/base") == 1
    out = capsys.readouterr().out
    assert "the picture before step 5 differs; gymnasium 0.1 in the run" in out
    assert "0 of 1 episode agree" in out


def test_what_is_retraced_has_the_experts_choice(cliff: Path) -> None:
    run = swept("constant:UP")
    steps = list(retraced(run, next(iter(run.episodes().values())), with_expert=True))
    assert len(steps) == 21
    assert (steps[0].action, steps[0].expert, steps[-1].action) == ("UP", "UP", None)
    assert steps[1].expert == "RIGHT"
    assert steps[5].expert in ("RIGHT", "DOWN")
    assert all(step.agrees for step in steps)


def test_the_report_is_a_page_with_every_picture_beside_it(
    cliff: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for model in ("expert", "random"):
        swept(model)
    capsys.readouterr()
    assert lft("report", "expert", "random", "--out", "report", "--json") == 0
    told = json.loads(capsys.readouterr().out)
    page = Path("report/index.html").read_text()
    start, end = (
        page.index("const DATA = ") + len("const DATA = "),
        page.index(";\n", page.index("const DATA = ")),
    )
    data = json.loads(page[start:end])
    assert [(e["label"], e["end"]) for e in data["episodes"]] == [
        *[("expert", "victory")] * 2,
        *[("random", "timeout")] * 2,
    ]
    steps = data["episodes"][0]["steps"]
    assert len(steps) == 14
    assert all(s["agrees"] and s["expert"] == s["action"] for s in steps[:-1])
    assert steps[-1]["action"] is None
    named = {s["picture"] for e in data["episodes"] for s in e["steps"]}
    named |= {picture for clip in data["clips"].values() for picture, _ in clip}
    assert all((Path("report") / name).is_file() for name in named)
    assert told["pictures"] == len(named)
    assert data["clips"]["cliff_walking/a"][1][1] == "Step 1: Action: UP"
    assert Path("report/tables/scores.csv").is_file()
    assert lft("report", "expert", "random", "--out", "report", "--strips", 0) == 0
    assert not list(Path("report").glob("pictures/*.webp"))


def test_words_of_a_model_cannot_end_the_script(cliff: Path) -> None:
    Path("way.json").write_text(json.dumps({"cliff_walking/base": ["UP</script><script>alert(1)</script>"]}))
    swept("actions:way.json", "--task", "cliff_walking/base")
    assert lft("report", "actions") == 0
    page = Path("results/runs/actions/report/index.html").read_text()
    assert "<script>alert" not in page
    assert page.count("</script>") == 2  # of the theme, and of the page
