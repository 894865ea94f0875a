"""The page's data: whole, small, safe, and the same as what was scored."""

from __future__ import annotations

import json
import math
import random
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lft.core.errors import InputError
from lft.core.stats import wilson_pair
from lft.counting.clips import Clips as CountingClips
from lft.counting.reporting import gallery, results
from lft.counting.reporting.case_cards import choose, shown_s, strip_times_s, was_supplied
from lft.counting.reporting.page import data, overview, writer
from lft.counting.reporting.trial_views import Clips, Said, views
from tests.fake_runs import ledger, make_clips, make_run, say_some, say_truth

HOSTILE = (
    "<script>window.pwned=1</script> <img src=x onerror=window.pwned=2> [a](javascript:window.pwned=3) "
    "</pre> <!-- \u2028 \x00 \ufffd \u202e\n"
)


def say_hostile(trace, frames_s, rng: random.Random) -> str:
    return HOSTILE + ledger([(e.time_s, "event") for e in trace.events])


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Two runs over the same clips and their page; with the warnings that writing it gave."""
    folder = tmp_path_factory.mktemp("results")
    clips = make_clips(folder / "clips" / "demo")
    gone = "state_machine/n03_f2.0_s01"
    first = make_run(folder / "runs" / "some", clips, samplings=("native", "fps:4"), missing=[gone])
    second = make_run(folder / "runs" / "bad", clips, model="<b>../../evil</b>", say=say_hostile)
    found = results.load([first, second])
    warnings: list[str] = []
    writer.write(found, folder / "report", warn=warnings.append)
    return folder, found, warnings


def read(path: Path) -> list:
    """The JSON arguments of a data file's one call."""
    text = path.read_text(encoding="ascii")
    assert text.startswith("LFT.")
    assert text.endswith(");\n")
    return json.loads("[" + text.partition("(")[2][:-3] + "]")


def index(folder: Path) -> dict:
    return read(folder / "report" / "data" / "index.js")[0]


def test_overview_has_a_row_a_series_with_the_numbers_of_its_trials(made):
    folder, found, _ = made
    document = index(folder)
    rows = document["overview"]["rows"]
    assert len(rows) == len(document["series"]) == len(found.series) == 3
    for row, series, shown in zip(rows, found.series, document["series"], strict=True):
        codes = "".join(c["t"] for s in shown["surfaces"].values() for c in s["cells"])
        answered = codes.replace("-", "")
        assert (row["n"], row["missing"]) == (len(answered), codes.count("-"))
        assert row["em"] == pytest.approx(answered.count("c") / len(answered))
        assert row["ci"] == pytest.approx(list(wilson_pair(answered.count("c"), len(answered))))
        assert row["wrong"] == len(answered) - answered.count("c")
        # The main cause is the commonest letter, in the words of the page's legends.
        words = {code: said for code, _, said, *_ in document["causes"]}
        tally = {c: answered.count(c) for c in set(answered) - {"c"}}
        assert row["most"] == max(tally.values(), default=0)
        assert set(row["causes"]) == {words[c] for c, k in tally.items() if k == row["most"]}
        reaches = [n for s in shown["surfaces"].values() for n in s["frontier"].values() if n != "below"]
        assert row["reach"]["n"] == max((n for n in reaches if n != "undetermined"), default=0)
        assert row["reach"]["open"] == ("undetermined" in reaches)
        right = series.scores[(series.scores["status"] == "answered") & (series.scores["count"] > 0)]
        assert row["f1"] == pytest.approx(right["f1"].mean())
        assert row["chance"] == pytest.approx(right["chance_f1"].mean())
    assert [row["sampling"] for row in rows] == ["native", "4 fps", "native"]
    assert document["overview"]["start"] == 0  # it is not flawless


def test_every_cause_has_its_meaning(made):
    folder, _, _ = made
    for _, key, words, meaning, _ in index(folder)["causes"]:
        assert words
        assert bool(meaning) == (key not in ("correct", "missing", "not_applicable", "not_asked"))


def test_a_flawless_first_series_is_not_where_the_page_opens(made, tmp_path: Path):
    folder, _, _ = made
    clips = CountingClips.open(folder / "clips" / "demo")
    first = make_run(tmp_path / "runs" / "right", clips, say=say_truth)
    found = results.load([first, folder / "runs" / "some"])
    shown = overview.overview(found)
    em = [row["em"] for row in shown["rows"]]
    assert em[0] == 1.0
    assert shown["rows"][0]["causes"] == []
    assert em[shown["start"]] == min(em) < 1.0


def test_cells_of_few_clips_are_said_to_be_weak(made):
    _, found, _ = made
    shown = overview.overview(found)
    held = found.series[0].cells.query("count > 0 and n > 0")["n"].mode().max()
    assert shown["rows"][0]["reach"]["few"] == (held if held < 5 else None)
    assert bool(shown["few"]) == (held <= 2)
    assert shown["few"].startswith(f"{held} clip") or held > 2


def test_rule_and_tolerance_are_said_and_by_run_where_they_differ(made, tmp_path: Path):
    folder, found, _ = made
    (said,) = overview.overview(found)["scoring"]
    assert "rule ledger" in said
    assert "±1/(2F)" in said
    clips = CountingClips.open(folder / "clips" / "demo")
    other = make_run(tmp_path / "runs" / "other", clips, rule="mentions")
    one, two = overview.overview(results.load([folder / "runs" / "some", other]))["scoring"]
    assert one.startswith("some: ")
    assert two.startswith("other: ")
    assert "rule mentions" in two
    fixed = pd.DataFrame({"rule": ["ledger"] * 2, "tolerance_s": [0.3, None], "frequency_hz": [0.5, 1.0]})
    words = overview.scoring_words(fixed)
    assert (
        "within ±0.3 s of its event; where events have no frequency, within half the event's own length"
        in words
    )
    assert "±" not in overview.scoring_words(fixed.tail(1))
    assert overview.scoring_words(fixed.tail(1)).endswith("(instants)")


def test_each_cell_says_how_sure_it_is_and_each_surface_its_frontier(made):
    folder, found, _ = made
    for series in index(folder)["series"]:
        for domain, surface in series["surfaces"].items():
            sure = surface["sure"]
            for cell in surface["cells"]:
                if cell["N"] and cell["n"]:
                    assert 0 <= cell["p"] <= 1
                assert ("p" in cell or "fit" in cell) <= (cell["N"] > 0)
            for rate, n in surface["frontier"].items():
                low, high = sure["range"][rate]
                assert 0 <= low <= high
                if isinstance(n, int):
                    assert high > 0
            assert set(sure.get("contours", {"80": 0, "50": 0})) == {"80", "50"}, domain
    assert found.sure


def test_a_frontier_is_open_for_missing_trials_only_where_some_were_planned(made, tmp_path: Path):
    # Answers from elsewhere: blinking N = 1 at 1 Hz and N = 3 at 2 Hz only. No trial is missing; at 2 Hz nobody
    # asked about N = 1. In the other run a trial that decides the frontier has no answer.
    clips = make_clips(
        tmp_path / "clips" / "demo", domains=["blinking"], counts=[1, 3], frequencies_hz=[1.0, 2.0]
    )
    run = make_run(tmp_path / "runs" / "some", clips, say=say_truth, missing=["blinking/n01_f1.0_s00"])
    whole = results.load([run])
    kept = whole.scores[~((whole.scores["count"] == 1) & (whole.scores["frequency_hz"] == 2.0))]
    surface = data.index(results.of_scores(kept), {})["series"][0]["surfaces"]["blinking"]
    assert surface["open"] == {"1": "missing", "2": "unmeasured"}


@pytest.mark.parametrize(
    ("clips", "missing"),
    [
        ({"counts": [0]}, False),
        ({"counts": [3], "frequencies_hz": [2.0], "seeds": 1, "domains": ["blinking"]}, False),
        ({}, True),
    ],
    ids=["only clips without events", "one clip", "nothing answered"],
)
def test_reports_of_little_are_whole(tmp_path: Path, clips: dict, missing: bool):
    there = make_clips(tmp_path / "clips" / "demo", **clips)
    gone = [clip.clip_id for clip in there] if missing else []
    found = results.load([make_run(tmp_path / "runs" / "r", there, missing=gone)])
    written = {
        path.name
        for path in [*writer.write(found, tmp_path / "report"), *gallery.write(found, tmp_path / "report")]
    }
    assert {"index.html", "index.js", "figures.html", "by_domain.csv", "intervals.tex"} <= written
    assert any(name.startswith("surface-") for name in written)


def test_videos_on_no_grid_are_in_bins_with_their_names(tmp_path: Path):
    rows = pd.concat(
        [results.load([make_run(tmp_path / "runs" / "r", make_clips(tmp_path / "clips" / "demo"))]).scores],
    )
    rows = rows.assign(domain="natural", tolerance_s=None)
    surface = data.index(results.of_scores(rows), {})["series"][0]["surfaces"]["natural"]
    assert [(b["bin"], b["from"], b["to"]) for b in surface["bins"]] == [
        ("0", 0, 0), ("1-2", 1, 2), ("3-4", 3, 4), ("all", 0, None),
    ]  # fmt: skip
    assert surface["frontier"] == {}
    assert "sure" not in surface
    for part in surface["bins"]:
        assert part["em_ci"][0] <= part["em"] <= part["em_ci"][1]
    assert surface["bins"][-1]["n"] == len(rows)


@given(
    st.text(st.characters(codec=None), max_size=40)
    | st.dictionaries(st.text(max_size=5), st.text(max_size=9))
)
def test_script_says_the_same_in_ascii_and_cannot_be_left(value):
    text = data.script("cell", value)
    assert text.isascii()
    assert not set("<>&\n\u2028") & set(text[:-1])
    assert json.loads(text[len("LFT.cell(") : -3]) == value


def test_index_counts_every_trial_and_each_cell_has_its_file(made):
    folder, found, _ = made
    document = index(folder)
    listed = 0
    for number, series in enumerate(document["series"]):
        for domain, surface in series["surfaces"].items():
            for cell in surface["cells"]:
                name = f"{domain}-n{cell['N']:02d}-f{cell['F']:g}.js"
                key, trials = read(folder / "report" / "data" / series["slug"] / name)
                assert key == f"{number}|{domain}|{cell['N']}|{cell['F']:g}"
                assert "".join(t["code"] for t in trials) == cell["t"]
                listed += len(trials)
    assert listed == len(found.scores)


def test_what_is_drawn_is_what_was_scored(made):
    folder, found, _ = made
    drawn = {}
    for path in (folder / "report" / "data").glob("*/*.js"):
        for trial in read(path)[1]:
            drawn[trial["id"]] = trial
    scored = found.scores[found.scores["status"] == "answered"]
    assert len(scored) > 40
    for row in scored.to_dict("records"):
        trial = drawn[row["trial"]]
        assert len(trial["pairs"]) == row["matched"]
        assert len(trial["reported"]) == row["reported"]
        assert sum(t[3] == "matched" for t in trial["truth"]) == row["matched"]
        assert trial["answer"] == (None if pd.isna(row["final_answer"]) else row["final_answer"])
        for event in trial["reported"]:
            assert f"{event[0]:.2f}" in trial["text"][event[4] : event[5]]  # spans are of the text shown


def test_a_missing_trial_is_shown_with_its_error_and_not_as_wrong(made):
    folder, _, _ = made
    series = next(s for s in index(folder)["series"] if s["run"] == "some")
    name = folder / "report" / "data" / series["slug"] / "state_machine-n03-f2.js"
    trial = read(name)[1][1]
    assert trial["code"] == "-"
    assert trial["error"] == "timeout: no reply in 60 s"
    assert "reported" not in trial


def test_names_from_runs_stay_inside_the_folder(made):
    folder, found, _ = made
    for series in found.series:
        target = (folder / "report" / data.cell_file(series, "../../x", 1, 0.5)).resolve()
        assert target.is_relative_to((folder / "report" / "data").resolve())


def test_supplied_frames_are_told_exactly():
    assert data._frames(None) == "all"
    assert data._frames([0.0, 0.25, 0.5, 0.75]) == {"first": 0.0, "step": 0.25, "n": 4}
    assert data._frames([1.4, 1.5, 1.6, 7.0]) == [1.4, 1.5, 1.6, 7.0]
    # Four a second of a clip of 30: 0.25 s is 7.5 frames, so the frames on screen are 0, 7, 15, 22, ...
    on_screen = [math.floor(j * 7.5) / 30 for j in range(96)]
    assert data._frames(on_screen, 30.0) == {"rate": 4, "n": 96}
    assert data._frames([*on_screen[:-1], on_screen[-1] + 1 / 30], 30.0) == pytest.approx(
        [*on_screen[:-1], on_screen[-1] + 1 / 30], abs=1e-4
    )  # one frame beside it: the times themselves


def test_long_responses_are_cut_and_say_so(tmp_path: Path):
    clips = make_clips(
        tmp_path / "clips" / "demo", domains=["blinking"], counts=[1], frequencies_hz=[1.0], seeds=1
    )

    def say(trace, frames_s, rng):
        return say_truth(trace, frames_s, rng) + "x" * 30_000

    found = results.load([make_run(tmp_path / "runs" / "long", clips, say=say)])
    writer.write(found, tmp_path / "report")
    (path,) = (tmp_path / "report" / "data").glob("*/*.js")
    trial = read(path)[1][0]
    assert len(trial["text"]) == data.LONGEST_TEXT
    assert trial["cut"] > 10_000


def test_forty_thousand_trials_fit_in_the_index(made):
    # The index grows with cells and trials only; of 40,000 trials on a full grid (73 cells of 10) the larger
    # part is cells. Bytes a cell and a trial are taken from this small index, without what is there once.
    folder, _, _ = made
    series = index(folder)["series"][0]["surfaces"]
    cells = [cell for surface in series.values() for cell in surface["cells"]]
    a_cell = max(len(json.dumps(cell)) for cell in cells) + 10  # ten seeds where two are here
    assert 40_000 / 10 * a_cell < 5_000_000 / 2


def test_videos_are_linked_copied_or_left_out(made):
    folder, found, warnings = made
    assert warnings == []  # the fake clips are files

    def first_video(out: Path) -> str | None:
        return read(next(iter(sorted((out / "data").glob("*/state_machine-n03-f2.js")))))[1][0]["video"]

    linked = first_video(folder / "report")
    assert linked == "../clips/demo/videos/state_machine/n03_f2.0_s00.mp4"
    writer.write(found, folder / "copied", videos="copy")
    copied = first_video(folder / "copied")
    assert copied == "videos/demo/state_machine/n03_f2.0_s00.mp4"
    assert (folder / "copied" / copied).read_bytes().startswith(b"not a video")
    writer.write(found, folder / "bare", videos="none")
    assert first_video(folder / "bare") is None


def test_without_clips_the_page_is_written_and_says_what_lacks(made, tmp_path: Path):
    _, found, _ = made
    warnings: list[str] = []
    writer.write(found, tmp_path / "report", clips_folder=tmp_path / "nowhere", warn=warnings.append)
    assert len(warnings) == 2  # one a run
    assert "no true events" in warnings[0]
    trial = read(next((tmp_path / "report" / "data").glob("*/state_machine-n03-f0.5.js")))[1][0]
    assert "truth" not in trial
    assert trial["reported"]


def test_a_run_without_scores_says_what_would_work(made, tmp_path: Path):
    folder, _, _ = made
    (tmp_path / "manifest.json").write_text((folder / "runs" / "some" / "manifest.json").read_text())
    with pytest.raises(InputError, match=r"no scores\.csv; try `lft score"):
        results.load([tmp_path])


def all_views(found):
    clips = Clips(found.runs, None, lambda line: None)
    return [v for s in found.series for v in views(s, Said.of_run(found.runs[s.key[0]]), clips)]


def test_cases_are_chosen_by_the_seed_one_cell_after_another(made):
    _, found, _ = made
    several = all_views(found)
    first, again = choose(several, "missed", 4, seed=0), choose(list(reversed(several)), "missed", 4, seed=0)
    assert [v.row["trial"] for v in first] == [v.row["trial"] for v in again]
    assert all(v.outcome == "missed" for v in first)
    cells = [(v.row["domain"], v.row["count"], v.row["frequency_hz"]) for v in first]
    assert len(set(cells)) == len(cells)
    others = {tuple(v.row["trial"] for v in choose(several, "missed", 4, seed=s)) for s in range(5)}
    assert len(others) > 1


def test_film_strip_shows_what_was_missed_and_stays_in_the_clip(made):
    _, found, _ = made
    for view in all_views(found):
        times = strip_times_s(view)
        assert len(times) <= 8
        assert [t for t, _ in times] == sorted({t for t, _ in times})
        assert all(0 <= t < 24 for t, _ in times)
        if view.row["status"] == "answered" and view.row["count"] == 3:
            assert sum(what not in ("context", "reported") for _, what in times) == 3


def test_film_strip_says_which_frames_the_model_was_given(made):
    _, found, _ = made
    seen = set()
    for view in all_views(found):
        if view.trace is None or not view.frame_times_s:
            continue
        times = strip_times_s(view)
        given = was_supplied(view, [t for t, _ in times])
        frames = set(view.trace.frames_at(view.frame_times_s).tolist())
        assert given == [int(view.trace.frames_at([t])[0]) in frames for t, _ in times]
        nearest = shown_s(view, times)[len(times) :]
        assert len(nearest) == given.count(False)
        assert all(t in view.frame_times_s for t in nearest)
        for event in view.trace.events:  # of its evidence a supplied frame is shown, if there is one
            first, last = event.evidence_frames
            if any(first <= f <= last for f in frames) and len(view.trace.events) <= 3:
                shown = [
                    g
                    for (t, _), g in zip(times, given, strict=True)
                    if first <= view.trace.frames_at([t])[0] <= last
                ]
                assert any(shown)
        seen |= set(given)
    assert seen == {True, False}


def test_say_some_leaves_out_and_invents():
    # Guards the fixture: a test over runs in which nothing goes wrong would prove nothing.
    from lft.counting.spec import ClipSpec
    from tests.fake_runs import trace_of

    trace = trace_of(ClipSpec("blinking", 8, 2.0, 0))
    lengths = {say_some(trace, [], random.Random(i)).count("event") for i in range(30)}
    assert min(lengths) < 8
