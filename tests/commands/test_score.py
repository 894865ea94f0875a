"""`lft match`, `score`, `frontier`, `ceiling`, `audit`, `power` as they are typed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from lft.counting.clips import Clips
from tests.commands.conftest import run
from tests.fake_runs import make_clips, make_run, say_truth

Out = pytest.CaptureFixture[str]


def document(out: Out) -> Any:
    return json.loads(out.readouterr().out)


@pytest.fixture(scope="module")
def clips(tmp_path_factory: pytest.TempPathFactory) -> Clips:
    return make_clips(tmp_path_factory.mktemp("clips"))


@pytest.fixture
def scored(tmp_path: Path, clips: Clips, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A run of 20 clips under two sampling policies, one clip without an answer."""
    monkeypatch.chdir(tmp_path)
    lost = next(iter(clips)).clip_id
    return make_run(tmp_path / "run", clips, samplings=("fps:1", "fps:4"), missing=[lost])


def test_match_as_in_the_interface(capsys: Out) -> None:
    assert run("match", "--true", "1.0,2.0", "--reported", "1.1,2.4", "--tolerance", "0.25", "--json") == 0
    expected = {"pairs": [[0, 0, 0.1]], "precision": 0.5, "recall": 0.5, "f1": 0.5, "vor": 1.0}
    assert document(capsys) == expected
    assert run("match", "--true", "0.5", "--reported", "0.375", "--tolerance", "0.125") == 0
    assert "0.375 s for 0.5 s, 0.125 s apart" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("true", "reported", "f1"), [("", "", None), ("1", "", 0.0), ("", "1", None), (" ", "1,2", None)]
)
def test_match_empty_lists(capsys: Out, true: str, reported: str, f1: float | None) -> None:
    assert run("match", "--true", true, "--reported", reported, "--tolerance", "1", "--json") == 0
    found = document(capsys)
    assert (found["pairs"], found["f1"]) == ([], f1)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--true", "nan", "--reported", "1", "--tolerance", "1"), "true time nan s"),
        (("--true", "1", "--reported", "-1", "--tolerance", "1"), "reported time -1 s"),
        (("--true", "1", "--reported", "1", "--tolerance", "-1"), "tolerance -1 s"),
        (("--true", "1", "--reported", "1", "--tolerance", "1,2"), "not one number"),
        (("--true", "1", "--reported", "one", "--tolerance", "1"), "'one' is not a number"),
        (("--true", "1,,2", "--reported", "1", "--tolerance", "1"), "'' is not a number"),
    ],
)
def test_match_bad_input(capsys: Out, arguments: tuple[str, ...], words: str) -> None:
    assert run("match", *arguments) == 2
    said = capsys.readouterr()
    assert words in said.err
    assert said.err.count("\n") == 1
    assert said.out == ""


def test_score_writes_both_files_and_says_what_is_missing(scored: Path, clips: Clips, capsys: Out) -> None:
    assert run("score", scored, "--clips", clips.folder, "--json") == 1
    said = capsys.readouterr()
    assert "2 of 40 trials have no answer" in said.err
    found = json.loads(said.out)
    assert found == json.loads((scored / "summary.json").read_text())
    assert [c["sampling"] for c in found["conditions"]] == ["fps:1", "fps:4"]
    whole = found["conditions"][0]["all"]
    assert (whole["n"], whole["n_missing"]) == (19, 1)
    # Every rate has what was possible, chance and an interval beside it.
    assert 0 < whole["ceiling_correct"] < 1
    assert 0 < whole["chance_f1"] < 1
    assert whole["em_interval"][0] < whole["em"] < whole["em_interval"][1]
    assert sum(whole["causes"].values()) == whole["n"] - whole["correct"]
    events = whole["events"]
    assert events["matched"] + events["missed"] == events["count"]
    assert events["matched"] + events["hallucinated"] == events["reported"]
    assert len((scored / "scores.csv").read_text().splitlines()) == 41


def test_score_prints_a_table(scored: Path, clips: Clips, capsys: Out) -> None:
    assert run("score", scored, "--clips", clips.folder, "--rule", "mentions", "--tolerance", "0.5") == 1
    said = capsys.readouterr().out
    for words in (
        "by the rule mentions, within 0.5 s",
        "all, ledger",
        "ceiling %",
        "chance %",
        "bounce_ball",
        "state_machine",
        "all",
    ):
        assert words in said
    assert "…" not in said
    assert max(len(line) for line in said.splitlines() if str(scored) not in line) <= 80


def test_conditions_come_in_order_of_their_numbers(tmp_path: Path, clips: Clips, capsys: Out) -> None:
    folder = make_run(tmp_path / "run", clips, samplings=("fps:10", "fps:2", "fps:0.5", "native"))
    assert run("score", folder, "--clips", clips.folder) == 0
    headings = [line for line in capsys.readouterr().out.splitlines() if line.startswith("observer · ")]
    assert [line.split(" · ")[1] for line in headings] == ["native", "fps:0.5", "fps:2", "fps:10"]
    assert run("frontier", folder, "--clips", clips.folder) == 0
    headings = [line for line in capsys.readouterr().out.splitlines() if line.startswith("observer · ")]
    assert [line.split(" · ")[1] for line in headings] == ["native", "fps:0.5", "fps:2", "fps:10"]


def test_score_says_how_little_a_cell_stands_on(scored: Path, clips: Clips, capsys: Out) -> None:
    """Two seeds a cell, of which the lost clip has none (N = 0) to lose: 2 of 2 right leaves 0.34 possible."""
    run("score", scored, "--clips", clips.folder)
    said = capsys.readouterr().out
    assert "has 2 answers: too few to place a frontier" in said
    assert "2 of 2 right leaves 0.34 possible" in said
    assert said.splitlines()[-1] == f"next: lft report {scored}"


def test_score_says_that_answers_list_no_event_and_shows_no_acr_of_them(
    tmp_path: Path, clips: Clips, capsys: Out
) -> None:
    """20 clips, 4 of them without events: 16 right counts without a list are no finding about the lists."""

    def count_only(trace: Any, *_: Any) -> str:
        return f"\\boxed{{{len(trace.events)}}}"

    folder = make_run(tmp_path / "run", clips, say=count_only, samplings=("native",))
    assert run("score", folder, "--clips", clips.folder) == 0
    said = capsys.readouterr().out
    assert "16 of 16 answers list no event: their precision, recall and F1 are 0 and\n" in said
    traces = said[said.index("traces") :].splitlines()
    titles = [title for title in traces[0].replace(" %", "").split() if title != "traces"]
    cells = dict(
        zip(titles, next(line for line in traces if line.startswith("all ")).split()[1:], strict=True)
    )
    assert (cells["P"], cells["F1"], cells["ACR"], cells["skill"]) == ("0.0", "0.0", "-", "-")
    assert all(word in said for word in ("P: precision", "R: recall", "VOR: ", "ACR: ", "RFR: "))
    assert run("score", folder, "--clips", clips.folder, "--json") == 0
    (condition,) = document(capsys)["conditions"]
    assert (condition["all"]["n_no_event_listed"], condition["all"]["acr"]) == (16, 1.0)  # by definition


def test_score_says_that_more_is_right_than_the_frames_allow(
    tmp_path: Path, clips: Clips, capsys: Out
) -> None:
    """One frame in ten seconds shows no event of most clips; who is right about all of them saw other frames."""
    words = "better than an ideal observer who knows the grid"
    folder = make_run(tmp_path / "run", clips, say=say_truth, samplings=("frames:1",))
    assert run("score", folder, "--clips", clips.folder) == 0
    assert capsys.readouterr().out.count(words) == 1
    folder = make_run(tmp_path / "all", clips, say=say_truth, samplings=("native",))
    assert run("score", folder, "--clips", clips.folder) == 0
    assert words not in capsys.readouterr().out


def test_readings_are_kept_side_by_side(scored: Path, clips: Clips, capsys: Out) -> None:
    """scores.csv is the last reading; another one does not take the first away."""
    shared = ("score", scored, "--clips", clips.folder)
    run(*shared)
    first = (scored / "scores.csv").read_bytes()
    run(*shared, "--rule", "mentions", "--tolerance", "0.050")
    kept = sorted(path.name for path in (scored / "readings").iterdir())
    assert kept == ["ledger-rate.csv", "ledger-rate.json", "mentions-0.05.csv", "mentions-0.05.json"]
    assert (scored / "readings" / "ledger-rate.csv").read_bytes() == first
    assert (scored / "scores.csv").read_bytes() == (scored / "readings" / "mentions-0.05.csv").read_bytes()
    assert set(pd.read_csv(scored / "scores.csv")["rule"]) == {"mentions"}
    assert json.loads((scored / "summary.json").read_text())["tolerance"] == "0.050"
    run(*shared)
    assert (scored / "scores.csv").read_bytes() == first


def test_the_summary_has_both_rules(tmp_path: Path, clips: Clips, capsys: Out) -> None:
    r"""A sentence that names its times is a mention of each, a line that denies an event is no event."""

    def denies(trace: Any, *_: Any) -> str:
        return "No contact at 0:01.\n\\boxed{0}"

    folder = make_run(tmp_path / "run", clips, say=denies)
    assert run("score", folder, "--clips", clips.folder, "--json") == 0
    (condition,) = document(capsys)["conditions"]
    assert condition["all"]["vor_pooled"] == 0.0
    assert condition["other_rule"]["rule"] == "mentions"
    assert condition["other_rule"]["vor_pooled"] > 0.0


def test_answers_without_a_number_are_counted_by_reason_and_one_is_shown(
    tmp_path: Path, clips: Clips, capsys: Out
) -> None:
    def says(trace: Any, *_: Any) -> str:
        return "\x1b[31mThere are 9 blinks.\x1b[0m " + "blah " * 200 if trace.events else ""

    folder = make_run(tmp_path / "run", clips, say=says)
    assert run("score", folder, "--clips", clips.folder) == 0
    said = capsys.readouterr().out
    assert "no final answer: 4 of 20, an empty response" in said
    assert "no final answer: 16 of 20, no event and no final answer" in said
    assert "\\x1b[31mThere are 9 blinks." in said  # the one with words, escaped
    assert "\x1b" not in said
    assert "\\boxed{9}" in said
    assert max(map(len, said.splitlines())) < 250
    assert run("score", folder, "--clips", clips.folder, "--json") == 0
    (condition,) = document(capsys)["conditions"]
    assert condition["all"]["unparsed"] == {"no event and no final answer": 16, "an empty response": 4}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--rule", "leger"), "did you mean"),
        (("--tolerance", "wide"), "rate, or seconds"),
        (("--clips", "nowhere"), "no such folder"),
    ],
)
def test_score_bad_input_leaves_the_run_alone(
    scored: Path, clips: Clips, capsys: Out, arguments: tuple[str, str], words: str
) -> None:
    before = (scored / "scores.csv").read_text()
    more = () if "--clips" in arguments else ("--clips", clips.folder)
    assert run("score", scored, *more, *arguments) == 2
    assert words in capsys.readouterr().err
    assert (scored / "scores.csv").read_text() == before
    assert run("score", scored / "none") == 2


def test_score_refuses_clips_that_are_not_those_of_the_run(scored: Path, clips: Clips, capsys: Out) -> None:
    manifest = json.loads((scored / "manifest.json").read_text())
    manifest["clips"] = {clip.clip_id: "f" * 64 for clip in clips}
    (scored / "manifest.json").write_text(json.dumps(manifest))
    assert run("score", scored, "--clips", clips.folder) == 2
    assert "is not the file that the run was asked about" in capsys.readouterr().err


def test_frontier_of_a_run_and_of_a_file(tmp_path: Path, clips: Clips, capsys: Out) -> None:
    right = make_run(tmp_path / "a" / "b" / "run", clips, say=say_truth)
    (tmp_path / "clips").mkdir()
    manifest = json.loads((right / "manifest.json").read_text())
    (right / "manifest.json").write_text(json.dumps({**manifest, "clips_folder": str(clips.folder)}))
    assert run("frontier", right, "--json") == 0
    found = document(capsys)
    for domain in ("bounce_ball", "state_machine"):
        assert found["observer"][domain]["count"] == {"0.5": 3, "2.0": 3}
        assert found["observer"][domain]["frequency"] == {"1": 2.0, "3": 2.0}
    csv = "model,domain,frequency_hz,count,accuracy\nm,d,0.5,1,0.8\nm,d,0.5,2,0.79\nm,d,1.0,1,0.1\n"
    (tmp_path / "s.csv").write_text(csv)
    assert run("frontier", tmp_path / "s.csv", "--json") == 0
    assert document(capsys) == {
        "m": {"d": {"count": {"0.5": 1, "1.0": "below"}, "frequency": {"1": 0.5, "2": "below"}}}
    }
    assert run("frontier", tmp_path / "s.csv", "--tau", "0.05") == 0
    said = capsys.readouterr().out
    assert [line.split() for line in said.splitlines()[2:4]] == [
        ["largest", "N", "at", "0.5", "Hz", "1", "Hz"],
        ["d", "2", "?"],
    ]
    assert "?: undetermined" in said
    assert "weak" not in said  # how many trials a cell has is not known
    assert run("frontier", right, "--rule", "mentions") == 0
    said = capsys.readouterr().out
    assert "(2 trials a cell)" in said
    # Wilson for 2 of 2: 1 / (1 + 1.959964^2 / 2) = 0.34.
    assert "weak: 2 of 2 right leaves a true accuracy of 0.34 possible" in said
    assert max(map(len, said.splitlines())) <= 80


def test_frontier_of_a_run_without_trials_is_one_line(scored: Path, clips: Clips, capsys: Out) -> None:
    manifest = json.loads((scored / "manifest.json").read_text())
    (scored / "manifest.json").write_text(json.dumps({**manifest, "trials": {}}))
    (scored / "responses.jsonl").write_text("")
    for command in ("frontier", "score"):
        assert run(command, scored, "--clips", clips.folder) == 2
        assert "has no trials" in capsys.readouterr().err


def test_names_in_a_surface_do_not_reach_the_terminal_as_control_characters(
    tmp_path: Path, capsys: Out
) -> None:
    (tmp_path / "s.csv").write_text(
        "model,domain,frequency_hz,count,accuracy\nm\x1b[2J,d\x1b]0;x\x07,0.5,1,0.8\n"
    )
    assert run("frontier", tmp_path / "s.csv") == 0
    said = capsys.readouterr().out
    assert "\x1b" not in said
    assert "m\\x1b[2J" in said


def test_frontier_bad_input(tmp_path: Path, capsys: Out) -> None:
    (tmp_path / "s.csv").write_text("model,domain,count\nm,d,1\n")
    for arguments, words in (
        ((tmp_path / "s.csv",), "has no column frequency_hz"),
        ((tmp_path / "none.csv",), "cannot read"),
        ((tmp_path,), "manifest.json"),
        ((tmp_path / "s.csv", "--tau", "80"), "tau is 80"),
    ):
        assert run("frontier", *arguments) == 2
        assert words in capsys.readouterr().err


def test_ceiling(clips: Clips, capsys: Out) -> None:
    assert run("ceiling", clips.folder, "--sampling", "fps:1", "--json") == 0
    found = document(capsys)
    assert (found["sampling"], found["clips"]) == ("fps:1", 20)
    assert set(found["domains"]) == {"bounce_ball", "state_machine"}
    # Events of the made-up clips at 0.5 Hz lie at 3, 5, 7 s: each on a whole second.
    cell = next(
        c for c in found["cells"] if (c["domain"], c["frequency_hz"], c["count"]) == ("state_machine", 0.5, 3)
    )
    shown = [cell[name] for name in ("clips", "literal_recall", "literal_em", "ideal_grid_em", "frames")]
    assert shown == [2, 1.0, 1.0, 1.0, 24.0]
    empty = next(c for c in found["cells"] if c["count"] == 0)
    assert (empty["literal_recall"], empty["literal_em"]) == (None, 1.0)
    assert run("ceiling", clips.folder, "--sampling", "native", "--native-rate", "1") == 0
    assert "exact count" in capsys.readouterr().out
    for bad in ("fps", "fps:0", "sometimes"):
        assert run("ceiling", clips.folder, "--sampling", bad) == 2
        assert "fps:K" in capsys.readouterr().err


def test_score_proposes_a_report_of_the_runs_that_asked_about_the_same_clips(
    tmp_path: Path, clips: Clips, capsys: Out
) -> None:
    runs = [make_run(tmp_path / name, clips, samplings=("fps:1",)) for name in "ab"]

    def about(folder: Path, hashes: dict[str, str]) -> None:
        path = folder / "manifest.json"
        path.write_text(json.dumps({**json.loads(path.read_text()), "clips": hashes}))

    for folder in runs:
        about(folder, {clip.clip_id: clip.video_sha256 for clip in clips})
    (runs[1] / "scores.csv").unlink()  # not scored yet
    (tmp_path / "odd").mkdir()
    (tmp_path / "odd" / "scores.csv").write_text("no run\n")
    said = []
    for folder in runs:
        assert run("score", folder, "--clips", clips.folder) == 0
        said.append(capsys.readouterr().out.splitlines()[-1])
    assert said == [f"next: lft report {runs[0]}", f"next: lft report {runs[0]} {runs[1]}"]
    # A run about other clips is another matter.
    about(runs[0], {clip.clip_id: "0" * 64 for clip in clips})
    assert run("score", runs[1], "--clips", clips.folder) == 0
    assert capsys.readouterr().out.splitlines()[-1] == f"next: lft report {runs[1]}"


def test_audit_has_the_findings_of_score(clips: Clips, tmp_path: Path, capsys: Out) -> None:
    """Whoever always says 7 is found out by `score`, and `audit` says so in the same words."""
    made = make_run(tmp_path / "run", clips, say=lambda *_: "\\boxed{7}")
    assert run("score", made, "--clips", clips.folder) == 0
    told = " ".join(capsys.readouterr().out.split())
    assert run("audit", made, "--clips", clips.folder, "--draws", "100", "--no-sensitivity") == 0
    printed = " ".join(capsys.readouterr().out.split())
    _, constant = told.split("found: constant (", 1)
    said = constant.split(" evidence: ", 1)[0].split(" found: ", 1)[0]
    assert f"constant ({said}" in printed.split("Findings about each condition", 1)[1]


def test_audit(scored: Path, clips: Clips, tmp_path: Path, capsys: Out) -> None:
    out = tmp_path / "tables"
    arguments = ("audit", scored, "--clips", clips.folder, "--draws", "100", "--out", out)
    assert run(*arguments, "--json") == 0
    found = document(capsys)
    assert {path.stem for path in out.glob("*.csv")} == {name for name, rows in found.items() if rows}
    assert found["models"] == []  # one model: nothing to compare
    parameters = {(row["frequency_hz"], row["parameter"]) for row in found["error_model"]}
    assert {(None, "miss"), (2.0, "miss")} <= parameters
    assert {row["tolerance"] for row in found["sensitivity"]} == {"rate", "1.0", "0.5", "0.25"}
    (first, *_) = found["comparisons"]
    assert (first["sampling"], first["against"]) == ("fps:4", "fps:1 none structured_trace")
    assert all("n_missing" in row and "lower" in row for row in found["pooled"])
    assert all(
        "p_reaches" in row and "ceiling_correct" in row and "chance_f1" in row for row in found["cells"]
    )
    assert len(pd.read_csv(out / "frontiers.csv")) == len(found["frontiers"])
    assert run(*arguments, "--all", "--no-sensitivity", "--against", "fps:4 none structured_trace") == 0
    printed = capsys.readouterr().out
    assert max(map(len, printed.splitlines()[:-1])) <= 80
    assert "Exact count against fps:4 none structured_trace" in printed
    # What every table is read against; conditions by their number.
    assert all(word in printed for word in ("n missing", "ceiling", "chance", "lower", "upper"))
    assert printed.index("fps:1 ") < printed.index("fps:4 ", printed.index("fps:1 "))
    assert run(*arguments, "--against", "fps:9") == 2
    assert "no condition" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["audit", "report"])
def test_answers_that_came_after_the_scores_are_scored_by_the_same_reading(
    tmp_path: Path, clips: Clips, capsys: Out, command: str
) -> None:
    """The run is as it was before its last answer, scored, then goes on."""
    folder = make_run(tmp_path / "run", clips, samplings=("fps:1",))
    answers = folder / "responses.jsonl"
    whole = answers.read_text()
    answers.write_text("".join(whole.splitlines(keepends=True)[:-1]))
    shared = ("--clips", clips.folder)
    assert run("score", folder, *shared, "--rule", "mentions", "--tolerance", "0.25") == 1
    capsys.readouterr()
    answers.write_text(whole)
    more = ("--draws", "100", "--no-sensitivity") if command == "audit" else ("--no-sensitivity",)
    assert run(command, folder, *shared, *more) == 0
    told = [line for line in capsys.readouterr().err.splitlines() if "since it was scored" in line]
    assert told == [
        f"lft {command}: {folder}: 1 trial is new or answered since it was scored; scored again (mentions, 0.25)"
    ]
    scores = pd.read_csv(folder / "scores.csv")
    assert (set(scores["status"]), set(scores["rule"])) == ({"answered"}, {"mentions"})
    assert run(command, folder, *shared, *more) == 0
    assert "since it was scored" not in capsys.readouterr().err  # once is enough


def test_scores_of_other_answers_that_cannot_be_made_again_are_refused(
    scored: Path, clips: Clips, capsys: Out
) -> None:
    assert run("score", scored, "--clips", clips.folder) == 1
    lines = (scored / "responses.jsonl").read_text().splitlines(keepends=True)
    (scored / "responses.jsonl").write_text("".join(lines[:-1]))
    (scored / "summary.json").unlink()
    capsys.readouterr()
    assert run("audit", scored, "--clips", clips.folder) == 2
    err = capsys.readouterr().err
    assert "its trials changed since it was scored" in err
    assert f"`lft score {scored}` first" in err


def test_audit_needs_a_scored_run(scored: Path, capsys: Out) -> None:
    (scored / "scores.csv").unlink()
    assert run("audit", scored) == 2
    assert "lft score" in capsys.readouterr().err


def test_power(capsys: Out) -> None:
    assert run("power", "--difference", "1", "--discordant", "1", "--json") == 0
    (row,) = document(capsys)["clips"]
    assert row["clips"] == 6
    assert run("power", "--accuracy", "0.95") == 0
    assert "from 10 seeds on" in capsys.readouterr().out
    assert run("power") == 0
    assert len(capsys.readouterr().out.splitlines()) == 9
    assert run("power", "--difference", "0") == 2
    assert "|difference|" in capsys.readouterr().err


def test_plan_says_what_the_clips_can_show(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Out
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run("plan", "baseline", "--model", "observer", "--power", "--json") == 0
    found = document(capsys)["power"]
    assert (found["clips"], found["seeds"]) == (2190, 10)
    assert found["differences"][2]["power"] > 0.99  # 0.05 on 2,190 clips
    assert run("plan", "baseline", "--model", "observer", "--power") == 0
    assert "10 seeds a cell" in capsys.readouterr().out


def test_false_alarms_are_printed_as_a_share_of_the_clips_without_events(
    scored: Path, clips: Clips, capsys: Out
) -> None:
    assert run("score", scored, "--clips", clips.folder) == 1
    said = capsys.readouterr().out
    empty = {clip.clip_id for clip in clips if not clip.trace.events}
    assert f" % of {len(empty) - 1}\n" in said  # the clip without an answer is one of them
