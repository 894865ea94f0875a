"""Tables against numbers worked out by hand, and their three forms against hostile text."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from lft.core.reporting.tables import Table, to_csv, to_latex, to_markdown
from lft.counting.reporting.figures import accounts
from lft.counting.reporting.results import Results, of_scores
from lft.counting.reporting.tables import study, table_text
from lft.counting.reporting.tables.frontiers import boundary, contours, count_frontiers
from lft.counting.reporting.tables.outcomes import causes, costs, events
from lft.counting.reporting.tables.rates import REGIONS, by_domain
from lft.counting.scores import COLUMNS


def line(
    domain: str, count: int, frequency_hz: float, seed: int, correct: int | None, **more: Any
) -> dict[str, Any]:
    """One line of scores; `correct` None is a missing trial."""
    clip = f"{domain}/n{count:02d}_f{frequency_hz}_s{seed:02d}"
    row: dict[str, Any] = dict.fromkeys(COLUMNS)
    row |= {"trial": clip, "clip": clip, "domain": domain, "count": count, "frequency_hz": frequency_hz}
    row |= {
        "seed": seed,
        "model": "m",
        "sampling": "native",
        "labels": "none",
        "prompt": "direct",
        "run": "r",
    }
    row |= {"replicate": 0, "rule": "ledger", "tolerance_s": 1 / (2 * frequency_hz)}
    row["status"] = "missing" if correct is None else "answered"
    if correct is not None:
        row |= {
            "correct": correct,
            "reported": count,
            "matched": count,
            "final_answer": count if correct else 99,
        }
        if count:
            row |= {"precision": 1.0, "recall": 1.0, "f1": 1.0, "vor": 1.0, "acr": 0, "rfr": 1 - correct}
        else:
            row |= {"false_alarm": 0}
    return {**row, **more}


def results(rows: list[dict[str, Any]]) -> Results:
    return of_scores(pd.DataFrame(rows))


def test_accuracy_by_domain_with_its_interval_and_the_macro_average():
    # blinking 3 of 4, one missing; state_machine 1 of 2: macro (0.75 + 0.5) / 2 = 0.625, together 4 of 6.
    rows = [line("blinking", 1, 1.0, s, c) for s, c in enumerate([1, 1, 1, 0, None])]
    rows += [line("state_machine", 1, 1.0, s, c) for s, c in enumerate([1, 0])]
    found = {row["domain"]: row for row in study.by_domain(results(rows)).rows}
    assert found["blinking"]["em"] == 0.75
    assert (found["blinking"]["n"], found["blinking"]["n_missing"]) == (4, 1)
    # Wilson, p = 3/4, n = 4, z = 1.96: centre (0.75 + 0.4801) / 1.9604 = 0.6275, half-width 0.3269
    assert found["blinking"]["em_lower"] == pytest.approx(0.3006, abs=2e-4)
    assert found["blinking"]["em_upper"] == pytest.approx(0.9544, abs=2e-4)
    assert found["macro average"]["em"] == 0.625
    assert found["all clips"]["em"] == pytest.approx(4 / 6)


def test_regions_hold_positive_counts_and_leave_the_middle_out():
    # N = 0 and N = 4 are in no region, nor is 2.25 Hz; 2.0 is low, 2.5 high; N = 3 low, N = 5 high.
    rows = [
        line("blinking", n, f, 0, 1)
        for n, f in [(0, 1.0), (3, 2.0), (4, 2.0), (5, 2.0), (3, 2.5), (5, 2.5), (3, 2.25)]
    ]
    found = {row["region"]: row["n"] for row in study.by_region(results(rows)).rows}
    assert found == {
        "low count, low frequency": 1,
        "high count, low frequency": 1,
        "low count, high frequency": 1,
        "high count, high frequency": 1,
    }


def test_regions_of_the_published_surfaces_bound_the_printed_ones():
    # Table 1 B averages three domains; the surfaces of two can be read off, so each printed EM lies between a third
    # of their sum and that with the third domain all right. High count, high frequency: (0.5 + 0.0) / 3 = 0.17,
    # printed 0.2, which leaves the third domain next to nothing.
    published = Path(__file__).parents[3] / "results" / "published"
    surfaces = pd.read_csv(published / "surfaces.csv").query("model == 'Gemini 3.6 Flash'")
    printed = pd.read_csv(published / "table_1b_regions.csv").set_index("region")["em_pct"]
    third = {}
    for region, inside in REGIONS.items():
        found = surfaces[inside(surfaces)].groupby("domain")["accuracy"].mean()
        assert len(found) == 2
        third[region] = 3 * printed[region.replace(", ", "_").replace(" ", "_")] / 100 - found.sum()
    assert all(-0.0015 <= share <= 1 for share in third.values())  # printed to 0.1 %, times three, halved
    assert third["high count, high frequency"] < 0.01


def test_conditions_are_compared_on_the_same_clips():
    # Four clips; under fps:4 clip 0 turns wrong, clips 2 and 3 turn right, clip 1 has no answer.
    base = [line("blinking", 1, 1.0, s, c) for s, c in enumerate([1, 1, 0, 0])]
    other = [line("blinking", 1, 1.0, s, c, sampling="fps:4") for s, c in enumerate([0, None, 1, 1])]
    rows = study.interventions(results([*other, *base])).rows
    assert [row["sampling"] for row in rows] == ["native", "fps:4"]
    assert (rows[1]["n_paired"], rows[1]["gained"], rows[1]["lost"]) == (3, 2, 1)
    assert rows[0]["gained"] is rows[0]["p_holm"] is None  # not compared with itself
    # Difference (2 - 1) / 3; exact McNemar of 2 against 1: 2 * (P(0 of 3) + P(1 of 3)) = 2 * 4 / 8, at most 1.
    assert rows[1]["difference"] == pytest.approx(1 / 3)
    assert rows[1]["difference_lower"] < 0 < rows[1]["difference_upper"]
    assert rows[1]["p"] == rows[1]["p_holm"] == 1.0


def test_several_conditions_are_corrected_by_holm_within_model_and_domain():
    # Of n clips all wrong at first, all right under one condition (n = 6: p = 2 / 64) and under another (n = 7:
    # p = 2 / 128). Holm: the smaller p twice, the larger as it is or at least that.
    base = [line("blinking", 1, 1.0, s, 0) for s in range(7)]
    six = [line("blinking", 1, 1.0, s, 1, sampling="fps:4") for s in range(6)]
    seven = [line("blinking", 1, 1.0, s, 1, sampling="fps:8") for s in range(7)]
    rows = study.interventions(results([*base, *six, *seven])).rows
    assert [row["p"] for row in rows[1:]] == [2 / 64, 2 / 128]
    assert [row["p_holm"] for row in rows[1:]] == [2 / 64, 2 * 2 / 128]
    table = study.interventions(results([*base, *six, *seven]))
    text = to_markdown(table, table_text.printed(table))
    assert "+100.0 [" in text
    assert "0.031" in text


def test_the_same_condition_in_two_runs_is_compared_run_by_run():
    rows = [line("blinking", 1, 1.0, s, c, run=run) for run, c in (("a", 1), ("b", 0)) for s in range(3)]
    _, other = study.interventions(results(rows)).rows
    assert (other["run"], other["n_paired"], other["gained"], other["lost"]) == ("b", 3, 0, 3)


def test_boundary_names_where_the_largest_count_is_reached():
    rows = [line("blinking", n, f, 0, int(n <= 2 and f < 1)) for n in (1, 2, 3) for f in (0.5, 1.0)]
    rows += [line("state_machine", n, f, 0, int(n == 1)) for n in (1, 2, 3) for f in (0.5, 1.0)]
    (row,) = boundary(results(rows)).rows
    assert (row["largest_count"], row["in_domain"], row["at_hz"]) == (2, "blinking", "0.5")
    assert row["em_state_machine"] == pytest.approx(1 / 3)


def test_clips_that_do_not_differ_leave_room():
    same = [line("blinking", 1, 1.0, s, 1) for s in range(3)]
    (row,) = by_domain(results(same)).rows
    assert (row["f1"], row["f1_lower"] < 0.5, row["f1_upper"]) == (1.0, True, 1.0)
    (one,) = by_domain(results(same[:1])).rows
    assert one["f1_lower"] < row["f1_lower"]
    assert one["em_upper"] == 1.0


def test_models_stand_beside_each_other_on_the_clips_that_both_answered():
    rows = [line("blinking", 1, 1.0, s, s < 2, model="a") for s in range(6)]
    rows += [line("blinking", 1, 1.0, s, 1, model="b") for s in range(5)]
    (row,) = study.models_against_each_other(results(rows)).rows
    assert (row["model"], row["against"], row["n_paired"]) == ("b", "a", 5)
    assert (row["gained"], row["lost"], row["p_holm"]) == (3, 0, 2 / 8)
    assert row["difference"] == pytest.approx(3 / 5)


def test_sizes_that_are_the_same_in_every_row_are_said_below():
    table = Table(
        "t",
        "T",
        "N.",
        [{"domain": d, "n": 2, "n_missing": m, "em": 0.5} for d, m in (("a", 0), ("b", 1))],
        ("domain",),
    )
    shown, words = table_text.without_same(table)
    assert words == "Every row: n: 2."
    assert list(shown.rows[0]) == ["domain", "n_missing", "em"]
    assert table_text.without_same(replace(table, rows=table.rows[:1]))[1] == ""


def test_frontier_table_says_below_and_undetermined():
    rows = [line("blinking", 1, 0.5, 0, 0), line("blinking", 1, 1.0, 0, None), line("blinking", 1, 2.0, 0, 1)]
    (row,) = count_frontiers(results(rows)).rows
    assert (row["0.5 Hz"], row["1 Hz"], row["2 Hz"]) == ("below", "undetermined", 1)
    # One right of one clip: the true accuracy is Beta(1.5, 0.5), at least 0.8 with probability 0.66.
    assert (row["2 Hz_lower"], row["2 Hz_upper"]) == (0, 1)
    heads, (cells,), _ = table_text.printed(count_frontiers(results(rows)))
    assert cells[heads.index("2 Hz")] == "1 [0, 1]"


def test_causes_add_up_to_the_answered_trials():
    why = ["", "missed", "no-evidence", "mis-added", "something new", ""]
    rows = [line("blinking", 1, 1.0, s, int(not w), cause=w) for s, w in enumerate(why)]
    (row,) = causes(results(rows)).rows
    assert row["n"] == 6
    assert row["correct"] == 2
    assert row["missed"] == row["no-evidence"] == row["mis-added"] == 1
    assert row["wrong"] == 1  # a cause that this version does not know
    assert sum(v for k, v in row.items() if isinstance(v, int) and k not in ("n", "n_missing")) == 6


def test_tables_of_an_audit_are_absent_without_one():
    found = results([line("blinking", 1, 1.0, 0, 1)])
    assert not causes(found).rows
    assert not events(found).rows
    assert {t.name for t in study.all_tables(found)} >= {"by_domain", "by_region", "boundary", "intervals"}


def test_natural_videos_are_in_bins_and_in_no_table_of_the_grid():
    rows = [line("blinking", n, f, 0, 1) for n in (1, 3) for f in (1.0, 2.0)]
    right, near, far = {"final_answer": 3}, {"final_answer": 4}, {"final_answer": 9}
    rows += [
        line("natural", 3, 0.5, 0, 1, tolerance_s=None, **right),
        line("natural", 3, 1.0, 1, 0, tolerance_s=None, **near),
        line("natural", 40, 1.0, 0, 0, tolerance_s=None, **far),
        line("natural", 4, 0.5, 0, None, tolerance_s=None),
    ]
    found = results(rows)
    assert found.grids == ["blinking"]
    made = {table.name: table for table in study.all_tables(found)}
    for name in ("by_region", "count_frontiers", "frequency_frontiers"):
        assert "natural" not in {row["domain"] for row in made[name].rows}
    assert "em_natural" not in made["boundary"].rows[0]
    few, many, every = made["by_bins"].rows
    assert (few["bin"], few["n"], few["n_missing"], few["em"], few["off_by_one"]) == ("3-4", 2, 1, 0.5, 1.0)
    assert few["nmae"] == pytest.approx((0 + 1 / 3) / 2)
    assert (many["bin"], many["nmae"]) == (">30", pytest.approx(31 / 40))
    assert (every["bin"], every["n"], every["em"]) == ("all", 3, pytest.approx(1 / 3))
    assert few["em_lower"] < 0.5 < few["em_upper"]


def test_what_the_frames_allow_stands_beside_the_frontier():
    rows = [line("blinking", n, 1.0, s, 0, ceiling_correct=float(n < 3)) for n in (1, 2, 3) for s in range(2)]
    (row,) = boundary(results(rows)).rows
    assert (row["largest_count"], row["ceiling_count"]) == (0, 2)


def test_contours_of_a_surface_that_falls_with_count():
    # Right up to N = 2 and wrong from N = 6 on, whatever the frequency: half way at about sqrt(2 * 6) = 3.5.
    rows = [
        line("blinking", n, f, s, int(n <= 2))
        for n in (1, 2, 6, 8)
        for f in (0.5, 1.0, 2.0)
        for s in range(5)
    ]
    eighty, fifty = contours(results(rows)).rows
    assert (eighty["level"], fifty["level"]) == ("80 %", "50 %")
    for rate in ("0.5 Hz", "1 Hz", "2 Hz"):
        assert 2 <= eighty[rate] <= fifty[rate] <= 6
        assert fifty[f"{rate}_lower"] <= fifty[rate] <= fifty[f"{rate}_upper"]
    assert fifty["fits"] == "yes"


def test_costs_add_up_by_condition_and_by_domain(tmp_path):
    # Two domains, N = 0, 1, 3 at 0.5 and 2 Hz, two seeds: 20 clips, one of which failed; two samplings.
    from lft.counting.reporting.results import load
    from tests.fake_runs import make_clips, make_run

    clips = make_clips(tmp_path / "clips" / "demo")
    run = make_run(
        tmp_path / "runs" / "r", clips, samplings=("native", "fps:1"), missing=["bounce_ball/n01_f0.5_s00"]
    )
    found = load([run])
    in_all, of_domains = costs(found)
    native, sampled, total = in_all.rows
    assert (native["n"], native["errors"], sampled["n"], total["model"]) == (19, 1, 19, "total")
    assert total["n"] == 38
    assert total["cost_usd"] == pytest.approx(38 * 0.0004)
    by_domain = {row["domain"]: row for row in of_domains.rows}
    assert (by_domain["bounce_ball"]["n"], by_domain["bounce_ball"]["errors"]) == (18, 2)
    assert sum(row["input_tokens"] for row in by_domain.values()) == total["input_tokens"] == 38 * 1200
    assert total["thought_tokens"] is None  # no provider said


def test_every_table_says_how_many_trials_it_stands_on_and_how_many_are_missing():
    audit = {
        "ceiling_correct": 1.0,
        "literal_recall": 1.0,
        "chance_f1": 0.5,
        "cause": "",
        "ledger_consistent": 1,
    }
    rows = [line("blinking", n, f, s, 1, **audit) for n in (0, 1, 3) for f in (1.0, 2.0) for s in range(2)]
    rows += [{**row, "sampling": "fps:1"} for row in rows]
    rows += [line("natural", n, 0.5, 0, 1, tolerance_s=None, **audit) for n in (2, 9)]
    made = {table.name: table for table in study.all_tables(results(rows)) if table.rows}
    assert set(made) == {
        "by_domain", "by_region", "interventions", "boundary", "count_frontiers", "frequency_frontiers",
        "psychometric", "intervals", "by_bins", "causes", "events",
    }  # fmt: skip
    for name, table in made.items():
        columns = set(table.rows[0])
        assert {"n", "n_missing"} <= columns, name
        assert any(c.startswith(("ceiling", "literal")) for c in columns) or name in (
            "frequency_frontiers",
            "psychometric",
        ), name
        assert any(c.endswith("_lower") for c in columns) or name in ("causes", "events"), name


HOSTILE = "=cmd|'/C calc'!A0 <script>alert(1)</script> $x_1$ \\input{/etc/passwd} [a](javascript:x) | col"


@pytest.fixture
def hostile() -> Table:
    row = {"model": HOSTILE, "n": 3, "em": 0.5, "em_lower": 0.1, "em_upper": 0.9}
    return Table("t", "T & co", "N_1 < 2", [row, {**row, "model": "b"}], ("model",))


def test_csv_keeps_text_whole_and_from_running(hostile: Table):
    rows = list(csv.DictReader(io.StringIO(to_csv(hostile))))
    assert rows[0]["model"] == "'" + HOSTILE
    assert float(rows[0]["em"]) == 0.5


def test_markdown_shows_text_as_text(hostile: Table):
    text = to_markdown(hostile, table_text.printed(hostile))
    row = next(part for part in text.splitlines() if "calc" in part)
    assert "<script" not in text
    assert row.replace("\\|", "").count("|") == 4  # three columns: the bars in the name are escaped
    assert "\\[a\\](" in row
    assert "50.0 [10.0, 90.0]" in row


def test_latex_sets_text_as_text(hostile: Table):
    text = to_latex(hostile, table_text.printed(hostile))
    assert "\\input{" not in text
    assert "\\textbackslash{}input\\{" in text
    assert "\\$x\\_1\\$" in text
    assert "T \\& co" in text
    assert text.count("{") == text.count("}")


def test_a_head_that_never_varies_is_not_printed_but_kept_in_the_csv():
    rows = [{"model": "m", "domain": d, "n": 1} for d in ("a", "b")]
    table = Table("t", "t", "", rows, ("model", "domain"))
    assert table_text.printed(table)[0] == ["domain", "n"]
    assert to_csv(table).splitlines()[0] == "model,domain,n"


def conditions(found: Results) -> set[tuple[str, tuple[str, ...]]]:
    from lft.counting.reporting.figures.comparisons import comparisons

    return {(c.axis, tuple(name for name, _ in c.members)) for c in comparisons(found)}


def test_comparisons_vary_one_axis_and_take_native_beside_labelled_frames():
    rows = [line("blinking", 1, 1.0, 0, 1)]
    rows += [line("blinking", 1, 1.0, 0, 1, sampling=s, labels="time") for s in ("fps:16", "fps:4")]
    rows += [line("blinking", 1, 1.0, 0, 1, model="other")]
    assert conditions(results(rows)) == {
        ("sampling", ("native", "4 fps", "16 fps")),
        ("model", ("m", "other")),
    }


def test_two_runs_of_one_condition_are_told_apart():
    rows = [line("blinking", 1, 1.0, 0, 1, run=run) for run in ("first", "second")]
    found = results(rows)
    assert [found.name(one) for one in found.series] == ["m (first)", "m (second)"]
    assert len({one.slug for one in found.series}) == 2
    assert conditions(found) == set()


def test_the_account_adds_up_in_every_row_and_its_parts_add_up_to_all_clips() -> None:
    rows = []
    blinks = [("blinking", 4, 2, 1, 0, 0), ("blinking", 2, 0, 0, 1, 0)]
    contacts = [("bounce_ball", 3, 0, 0, 0, 1), ("bounce_ball", 3, 1, 1, 2, -1)]
    for k, (domain, count, hidden, missed, extra, added) in enumerate(blinks + contacts):
        answer = count - hidden - missed + extra + added
        rows.append(
            {
                "run": "r", "model": "m", "sampling": "fps:1", "labels": "time", "prompt": "p", "domain": domain,
                "clip": f"{domain}/n{count:02d}_f1.0_s{k:02d}", "seed": k, "replicate": 0, "status": "answered",
                "count": count, "frequency_hz": 1.0, "final_answer": answer, "correct": int(answer == count),
                "tolerance_s": 0.5, "ledger_consistent": int(not added), "not_supplied": hidden,
                "shown_unreported": missed, "not_known": None, "unsupported": extra, "mis_added": added,
                "guessed": 0, "doubted": 0,
            }
        )  # fmt: skip
    columns = ("precision", "recall", "f1", "vor", "acr", "rfr", "false_alarm", "reported")
    found = accounts.table(of_scores(pd.DataFrame(rows).assign(**dict.fromkeys(columns, 0.0))))
    for row in found.rows:
        signed = row["not_supplied"] + row["shown_unreported"] - row["unsupported"] - row["mis_added"]
        assert row["events"] - row["answered"] == signed
        assert row["not_supplied_lower"] is None or row["not_supplied_lower"] <= row["not_supplied"]
    by = {row["of"]: row for row in found.rows}
    assert list(by) == ["all clips", "bounce_ball", "blinking", "1 Hz", "N = 2", "N = 3", "N = 4"]
    for name in ("events", "answered", "not_supplied", "shown_unreported", "unsupported", "mis_added"):
        assert by["all clips"][name] == by["bounce_ball"][name] + by["blinking"][name] == by["1 Hz"][name]
    # Shown: 2 of the 4, 2, 3 and 2 of the 3; of these 9 two were not reported.
    assert by["all clips"]["miss_rate"] == 2 / 9


def test_what_rounds_to_nothing_has_no_sign() -> None:
    # A difference is printed in points of per cent: -0.0004 is -0.04 points.
    assert table_text._number("difference", -0.0004) == "+0.0"
    assert table_text._number("difference", -0.004) == "−0.4"
    assert table_text._number("nmae", -0.0001) == "0.000"
