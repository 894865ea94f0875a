"""Access: what more frames change, beside what they allow."""

from __future__ import annotations

import pandas as pd
import pytest

from lft.core.reporting import style
from lft.counting.audit.accounts import sentence, sums, together
from lft.counting.reporting import gallery
from lft.counting.reporting.figures import access
from lft.counting.reporting.results import Results, of_scores
from tests.counting.reporting.test_figures import inside

SAMPLINGS = ("native", "keyframes:0.1", "fps:1", "fps:16")


def scores(
    samplings: tuple[str, ...] = SAMPLINGS, schedules: tuple[str, ...] = ("regular", "irregular")
) -> Results:
    """Four clips of two events each, per schedule. At fps:1 one event is in no frame, and one of the other four was
    shown and not reported; with more frames all are shown, and again one in eight is not reported.
    """
    rows = []
    for schedule in schedules:
        for sampling in samplings:
            for seed in range(4):
                hidden, missed = int(sampling == "fps:1"), int(seed == 0)
                answer = 2 - hidden - missed
                rows.append(
                    {
                        "run": schedule, "model": "m", "sampling": sampling, "prompt": "p", "domain": "blinking",
                        "labels": "none" if sampling == "native" else "time", "schedule": schedule,
                        "clip": f"blinking/n02_f1.0_s{seed:02d}", "seed": seed, "replicate": 0,
                        "status": "answered", "count": 2, "frequency_hz": 1.0, "final_answer": answer,
                        "correct": int(answer == 2), "tolerance_s": 0.5, "ledger_consistent": 1,
                        "not_supplied": hidden, "shown_unreported": missed, "not_known": None, "unsupported": 0,
                        "mis_added": 0, "guessed": 0, "doubted": 0, "evident": 2 - hidden,
                        "literal_correct": 1 - hidden, "ceiling_correct": int(seed < 2 or not hidden),
                    }
                )  # fmt: skip
    columns = ("precision", "recall", "f1", "vor", "acr", "rfr", "false_alarm", "reported")
    return of_scores(pd.DataFrame(rows).assign(**dict.fromkeys(columns, 0.0)))


def test_the_table_holds_accuracy_recall_of_what_was_shown_and_both_bounds_in_the_order_of_access() -> None:
    rows = access.table(scores()).rows
    assert [(row["schedule"], row["sampling"]) for row in rows] == [
        (schedule, sampling)
        for schedule in ("regular", "irregular")
        for sampling in ("fps:1", "fps:16", "keyframes:0.1", "native")
    ]
    few, many = rows[0], rows[1]
    assert (few["accuracy"], few["literal_correct"], few["ceiling_correct"]) == (0.0, 0.0, 0.5)
    assert few["shown_recall"] == 3 / 4  # of four events shown one was missed
    assert (few["unreported"], few["unreported_supplied"]) == (5, 1)
    assert (many["accuracy"], many["literal_correct"], many["shown_recall"]) == (0.75, 1.0, 7 / 8)
    assert few["shown_recall_lower"] < 3 / 4 < few["shown_recall_upper"] <= 1


def test_only_several_frame_rates_make_a_figure_of_access() -> None:
    assert access.table(scores(("native", "fps:1"))).rows == []
    assert not list(access.by_access(scores(("native",))))


@pytest.mark.parametrize("column", [False, True])
def test_schedules_stand_side_by_side_inside_the_figure(column: bool) -> None:
    with style.look(column=column):
        made = [make() for section, _, make in gallery._jobs(scores(), []) if section == "Access to evidence"]
        assert [one.name for one in made if one] == ["access-blinking-m-time-p"]
        (drawn,) = made
        assert drawn is not None
        titles = [axes.get_title(loc="left") for axes in drawn.figure.axes]
        assert titles == ["Regular events", "Irregular events"]
        assert {"literal bound", "ideal observer"} <= {
            text.get_text() for legend in drawn.figure.legends for text in legend.get_texts()
        }
        inside(drawn.figure)


def test_one_sentence_is_of_all_samplings_together() -> None:
    """Per schedule 4 + 4 events are not reported: 4 in no frame of fps:1, and one of each of four samplings missed."""
    found = [sums(one.scores) for one in scores(schedules=("regular",)).series]
    said = sentence(together([one for one in found if one]))
    assert said == "4 of 8 unreported events were in no supplied frame, 4 were shown."
