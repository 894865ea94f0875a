"""`lft report` and `lft cases` as commands: what they write, print and refuse."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path
from urllib.parse import urljoin, urlsplit

import pytest

from lft.cli import main
from lft.counting.clips import Clips
from lft.counting.metrics import METRICS_VERSION
from tests.fake_runs import make_clips, make_run


@pytest.fixture(scope="module")
def results(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("results")
    clips = make_clips(folder / "clips" / "demo", domains=["blinking", "state_machine"], frequencies_hz=[0.5])
    make_run(folder / "runs" / "a", clips, samplings=("native", "fps:1"), missing=["blinking/n01_f0.5_s00"])
    return folder


def call(capsys, *arguments: object) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as stop:
        main([str(a) for a in arguments])
    out = capsys.readouterr()
    return int(stop.value.code or 0), out.out, out.err


def test_report_writes_every_figure_in_three_forms_and_every_table_in_three(results, capsys):
    status, out, _ = call(capsys, "report", results / "runs" / "a", "--json")
    document = json.loads(out)
    folder = results / "runs" / "a" / "report"
    assert status == 0
    assert Path(document["index"]) == folder / "index.html"
    assert document["trials"] == 24  # two domains, N = 0, 1, 3 at one rate, two seeds, two samplings
    assert document["missing"] == 2
    # Two surfaces, one comparison of sampling, two ceilings, the account, the causes; of each surface how sure it is.
    names = {path.name.split("-")[0].removesuffix(".svg") for path in (folder / "figures").glob("*.svg")}
    assert names == {"surface", "by_sampling", "ceiling", "account", "causes", "certainty", "frontier"}
    for path in document["figures"]:
        stem = Path(path)
        assert stem.with_suffix(".png").stat().st_size > 5_000
        assert not stem.with_suffix(".pdf").exists()  # figures for a paper are made with --column
        with open(str(stem)[: -len(".svg")] + ".csv", newline="") as file:
            rows = list(csv.DictReader(file))
        assert rows
        assert all(row["n"] != "" for row in rows)
    for path in document["tables"]:
        assert Path(path).with_suffix(".md").is_file()
        assert Path(path).with_suffix(".tex").is_file()
    assert (folder / "figures.html").is_file()


def test_report_twice_is_the_same_report(results, tmp_path, capsys):
    for name in ("one", "two"):
        call(capsys, "report", results / "runs" / "a", "--out", tmp_path / name, "--videos", "none")
    files = sorted(p.relative_to(tmp_path / "one") for p in (tmp_path / "one").rglob("*") if p.is_file())
    assert len(files) > 30
    for file in files:
        assert (tmp_path / "one" / file).read_bytes() == (tmp_path / "two" / file).read_bytes(), file


def test_a_report_over_an_earlier_one_holds_only_what_its_runs_give(results, tmp_path, capsys):
    clips = Clips.open(results / "clips" / "demo")
    other = make_run(results / "runs" / "other", clips)
    out = tmp_path / "r"
    call(capsys, "report", results / "runs" / "a", other, "--out", out, "--videos", "copy")
    first = {p for p in out.rglob("*") if p.is_file()}
    (out / "figures" / "mine.svg").write_text("mine")
    call(capsys, "report", other, "--out", out, "--videos", "none")
    call(capsys, "report", other, "--out", tmp_path / "fresh", "--videos", "none")
    fresh = {p.relative_to(tmp_path / "fresh") for p in (tmp_path / "fresh").rglob("*") if p.is_file()}
    held = {p.relative_to(out) for p in out.rglob("*") if p.is_file()}
    assert held == fresh | {Path("figures/mine.svg")}
    assert len(held) < len(first)
    assert not (out / "videos").exists()


def test_figures_for_one_column_are_as_narrow(results, tmp_path, capsys):
    call(capsys, "report", results / "runs" / "a", "--out", tmp_path, "--column", "--videos", "none")
    for path in (tmp_path / "figures").glob("*.svg"):
        width_pt = float(path.read_text().split('width="')[1].split("pt")[0])
        assert width_pt <= 3.35 * 72 + 0.5, path.name
        pdf = (path.parent / f"{path.name.removesuffix('.svg')}.pdf").read_bytes()
        assert re.search(rb"/MediaBox \[ 0 0 241\.2 ", pdf)  # 3.35 in, 85 mm, at 72 points an inch
    assert ".pdf" in (tmp_path / "figures.html").read_text()


def test_a_small_report_scores_under_each_rule_and_tolerance(results, tmp_path, capsys):
    status, _, _ = call(capsys, "report", results / "runs" / "a", "--out", tmp_path / "r")
    assert status == 0
    with open(tmp_path / "r" / "tables" / "sensitivity.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert {(row["rule"], row["tolerance"]) for row in rows} >= {("ledger", "rate"), ("mentions", "1.0")}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["report", "nowhere"], "nowhere: no such run"),
        (["score", "nowhere", "--table", "memory"], "nowhere: no such run"),  # an option of another suite
        (["report", "A", "--tau", "1.5"], "tau is 1.5"),
        (["report", "A", "A"], "two runs are called 'a'"),
        (["report", "A", "--with-published", "--published", "nowhere.csv"], "nowhere.csv: cannot read"),
        (["cases", "A", "--cause", "mised", "--out", "x"], "missed (did you mean this?)"),
        (["cases", "nowhere", "--cause", "missed", "--out", "x"], "no such run"),
    ],
)
def test_bad_input_is_one_line_and_status_2(results, tmp_path, monkeypatch, capsys, arguments, said):
    monkeypatch.chdir(tmp_path)
    run = str(results / "runs" / "a")
    status, out, err = call(capsys, *[run if a == "A" else a for a in arguments])
    assert (status, out) == (2, "")
    assert said in err
    assert len(err.strip().splitlines()) == 1
    assert list(tmp_path.iterdir()) == []


def test_runs_that_were_not_scored_alike_are_named(results, tmp_path, capsys):
    clips = Clips.open(results / "clips" / "demo")
    alike = make_run(tmp_path / "alike", clips)
    unlike = make_run(tmp_path / "unlike", clips, rule="mentions")
    run = results / "runs" / "a"
    _, _, err = call(capsys, "report", run, alike, "--out", tmp_path / "r", "--videos", "none")
    assert "not scored alike" not in err
    _, out, err = call(capsys, "report", run, unlike, "--out", tmp_path / "r", "--videos", "none", "--json")
    assert json.loads(out)["trials"] == 36
    # Every clip with events has F = 0.5 Hz, so 1 / (2 F) = 1 s; those without are filed under 1 Hz: 0.5 s.
    assert "a by rule ledger within 0.5 to 1 s; unlike by rule mentions within 0.5 to 1 s" in err


def test_report_refuses_a_file_as_its_folder(results, tmp_path, capsys):
    (tmp_path / "taken").write_text("x")
    status, _, err = call(capsys, "report", results / "runs" / "a", "--out", tmp_path / "taken")
    assert status == 2
    assert "is a file" in err
    assert (tmp_path / "taken").read_text() == "x"


def test_cases_writes_cards_and_lists_them(results, tmp_path, capsys):
    run = results / "runs" / "a"
    status, out, err = call(capsys, "cases", run, "--cause", "missed", "--n", 2, "--out", tmp_path, "--json")
    document = json.loads(out)
    assert status == 0
    assert document["seed"] == 0
    assert len(document["cases"]) == 2
    for case in document["cases"]:
        assert (tmp_path / case["png"]).stat().st_size > 5_000
        assert (tmp_path / case["svg"]).is_file()
    assert (
        "the card has no frames" in err
    )  # these clips are no videos: said, and the timeline is drawn all the same
    assert json.loads((tmp_path / "cases.json").read_text()) == document


def test_cases_of_which_there_are_none_writes_nothing(results, tmp_path, capsys):
    status, out, _ = call(
        capsys, "cases", results / "runs" / "a", "--cause", "merged", "--out", tmp_path / "none"
    )
    assert status == 0
    assert "0 trials of cause merged" in out
    assert not (tmp_path / "none").exists()


def test_a_run_scored_by_an_earlier_version_of_the_metrics_is_scored_again(results, tmp_path, capsys):
    run = results / "runs" / "a"
    assert call(capsys, "score", run)[0] == 1  # trials are missing
    summary = json.loads((run / "summary.json").read_text())
    older = {name: value for name, value in summary.items() if name != "metrics_version"}
    (run / "summary.json").unlink()
    (run / "summary.json").write_text(json.dumps(older))
    status, _, err = call(capsys, "report", run, "--out", tmp_path / "report", "--json")
    assert status == 0
    assert f"version 1 of the metrics; scored again by version {METRICS_VERSION}" in err
    assert json.loads((run / "summary.json").read_text()) == summary


def test_a_page_of_the_user_is_not_written_over(results, tmp_path, capsys):
    site = tmp_path / "site"
    site.mkdir()
    (site / "index.html").write_text("my home page")
    status, _, err = call(capsys, "report", results / "runs" / "a", "--out", site)
    assert status == 2
    assert "index.html was not written by a report" in err
    assert [p.name for p in site.iterdir()] == ["index.html"]
    assert (site / "index.html").read_text() == "my home page"
    assert [p.name for p in tmp_path.iterdir()] == ["site"]


def test_a_report_that_fails_halfway_leaves_the_old_one_whole(results, tmp_path, capsys, monkeypatch):
    out = tmp_path / "r"
    call(capsys, "report", results / "runs" / "a", "--out", out)
    before = {p: p.read_bytes() for p in out.rglob("*") if p.is_file()}

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("lft.counting.reporting.gallery._page", full)  # after every figure was drawn
    status, _, err = call(capsys, "report", results / "runs" / "a", "--out", out, "--tau", "0.5")
    assert status == 2
    assert "No space left" in err
    assert {p: p.read_bytes() for p in out.rglob("*") if p.is_file()} == before
    assert [p.name for p in tmp_path.iterdir()] == ["r"]


def test_clips_that_are_not_there_are_refused(results, tmp_path, capsys):
    status, _, err = call(
        capsys, "report", results / "runs" / "a", "--clips", tmp_path / "nowhere", "--out", tmp_path / "r"
    )
    assert status == 2
    assert "nowhere" in err
    assert not (tmp_path / "r").exists()


@pytest.mark.parametrize("linked", ["results", "clips", "runs", "report"])
def test_videos_are_found_whichever_folder_is_a_link(tmp_path, capsys, monkeypatch, linked):
    # `linked` lies elsewhere, two folders deeper; a browser follows the page's addresses by their names.
    place = {"results": "results", "clips": "results/clips", "runs": "results/runs", "report": "site"}[linked]
    elsewhere = tmp_path / "big" / "disk" / linked
    elsewhere.mkdir(parents=True)
    project = tmp_path / "project"
    (project / place).parent.mkdir(parents=True)
    (project / place).symlink_to(elsewhere)
    monkeypatch.chdir(project)
    clips = make_clips(Path("results/clips/demo"), domains=["blinking"], frequencies_hz=[0.5], counts=[1])
    make_run(Path("results/runs/a"), clips)
    status, _, err = call(capsys, "report", "results/runs/a", "--out", "site")
    assert status == 0
    assert "no true events" not in err
    (data,) = (project / "site").glob("data/*/*.js")
    address = json.loads(data.read_text().partition(",")[2].rstrip(");\n"))[0]["video"]
    page = f"file://{project}/site/"
    named = Path(urlsplit(urljoin(page, address)).path)  # as a browser goes: `..` by name
    assert named.is_file()
    assert named.read_bytes().startswith(b"not a video")
