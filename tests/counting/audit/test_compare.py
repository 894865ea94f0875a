"""Conditions compared on the same clips, and pooled rates."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

from lft.core.errors import InputError
from lft.core.stats import wilson
from lft.counting.audit.compare import comparisons, models_compared, pooled
from lft.counting.scores import frame, key_row


def row(clip: str, sampling: str, correct: bool | None, **more: Any) -> dict[str, Any]:
    key = {"clip": clip, "model": "m", "sampling": sampling, "labels": "time", "prompt": "direct"}
    status = "missing" if correct is None else "answered"
    return key_row(f"{clip},{sampling}", key, "ledger", "rate", status) | {"correct": correct, **more}


def two_conditions() -> pd.DataFrame:
    """Clips 0..9: fps:1 right on 0..3; fps:4 right on 2..9, but 9 has no answer there."""
    clips = [f"blinking/n02_f1.0_s{s:02d}" for s in range(10)]
    rows = [row(c, "fps:1", s < 4) for s, c in enumerate(clips)]
    return frame([*rows, *(row(c, "fps:4", s >= 2 if s < 9 else None) for s, c in enumerate(clips))])


def test_only_clips_answered_under_both_are_compared() -> None:
    (found,) = comparisons(two_conditions())
    # Of 0..8: gained 4..8, lost 0, 1. Clip 9 was answered under fps:1 only.
    assert (found["model"], found["domain"], found["sampling"]) == ("m", "blinking", "fps:4")
    assert found["against"] == "fps:1 time direct"
    assert (found["n"], found["gained"], found["lost"], found["n_unpaired"]) == (9, 5, 2, 1)
    assert found["difference"] == pytest.approx(3 / 9)
    assert found["p"] == found["p_holm"] == pytest.approx(2 * (1 + 7 + 21) / 128)


def test_against_another_condition() -> None:
    (found,) = comparisons(two_conditions(), against=("fps:4", "time", "direct"))
    assert (found["sampling"], found["gained"], found["lost"]) == ("fps:1", 2, 5)
    with pytest.raises(InputError, match="fps:1 time direct"):
        comparisons(two_conditions(), against=("fps:9", "time", "direct"))


def test_holm_within_model_and_domain() -> None:
    clips = [f"{d}/n02_f1.0_s{s:02d}" for d in ("blinking", "bounce_ball") for s in range(8)]
    rows = [row(c, s, s != "fps:1") for s in ("fps:1", "fps:2", "fps:4") for c in clips]
    found = comparisons(frame(rows))
    assert [(r["domain"], r["sampling"]) for r in found] == [
        (d, s) for d in ("blinking", "bounce_ball", "all") for s in ("fps:2", "fps:4")
    ]
    assert all(r["p_holm"] == pytest.approx(2 * r["p"]) for r in found)  # two tests a family, both alike


def test_the_same_condition_in_two_runs_is_two_conditions() -> None:
    # Run a: fps:1 right on clips 0..3; run b: fps:1 right on 2..9. Each clip is one pair, not two.
    clips = [f"blinking/n02_f1.0_s{s:02d}" for s in range(10)]
    first = frame([row(c, "fps:1", s < 4) for s, c in enumerate(clips)]).assign(run="a")
    second = frame([row(c, "fps:1", s >= 2) for s, c in enumerate(clips)]).assign(run="b")
    (found,) = comparisons(pd.concat([first, second], ignore_index=True))
    assert (found["run"], found["against"]) == ("b", "fps:1 time direct a")
    assert (found["n"], found["gained"], found["lost"]) == (10, 6, 2)


def test_one_condition_has_nothing_to_compare() -> None:
    assert comparisons(frame([row("blinking/n02_f1.0_s00", "fps:1", True)])) == []


def test_pooled_by_hand() -> None:
    scores = frame(
        [
            row("blinking/n01_f1.0_s00", "fps:1", True, f1=1.0, reported=3, vor=3.0),
            row("blinking/n12_f1.0_s00", "fps:1", False, f1=0.5, reported=6, vor=0.5),
            row("blinking/n00_f1.0_s00", "fps:1", True, reported=0),
            row("blinking/n12_f1.0_s01", "fps:1", None),
        ]
    )
    found = pooled(scores, draws=200)
    assert found["em"].value == pytest.approx(2 / 3)
    assert found["f1"].value == pytest.approx(0.75)
    assert found["vor"].value == pytest.approx(1.75)
    assert found["vor_pooled"].value == pytest.approx(9 / 13)
    assert "precision" not in found
    assert found["f1"].lower <= 0.75 <= found["f1"].upper


def test_shares_of_clips_have_the_interval_that_cells_have() -> None:
    clips = [f"blinking/n02_f1.0_s{s:02d}" for s in range(10)]
    once = frame([row(c, "fps:1", True, f1=1.0, acr=0) for c in clips])
    found = pooled(once, draws=200)
    low, high = wilson(10, 10)
    assert (found["em"].lower, found["em"].upper) == (pytest.approx(float(low)), pytest.approx(float(high)))
    assert found["acr"].upper == pytest.approx(1 - float(low))  # none of ten
    # The same ten clips under two conditions are ten clusters, not twenty answers.
    twice = frame([row(c, s, i < 5) for s in ("fps:1", "fps:2") for i, c in enumerate(clips)])
    assert (pooled(twice, draws=200)["em"].n, pooled(twice, draws=200)["em"].clusters) == (20, 10)


def test_conditions_come_in_the_order_of_their_numbers() -> None:
    clips = [f"blinking/n02_f1.0_s{s:02d}" for s in range(8)]
    rows = [row(c, s, True) for s in ("fps:1", "fps:10", "fps:2", "native") for c in clips]
    assert [r["sampling"] for r in comparisons(frame(rows))] == ["native", "fps:2", "fps:10"]


def test_models_are_compared_pairwise_on_the_same_clips() -> None:
    # Ten clips under one condition. a: right on 0..3, b: on 2..9, c: as a, without an answer to clip 0. Under another
    # condition there is only a.
    clips = [f"blinking/n02_f1.0_s{s:02d}" for s in range(10)]
    rows = [row(c, "fps:1", s < 4) | {"model": "a"} for s, c in enumerate(clips)]
    rows += [row(c, "fps:1", s >= 2) | {"model": "b"} for s, c in enumerate(clips)]
    rows += [row(c, "fps:1", (s < 4) if s else None) | {"model": "c"} for s, c in enumerate(clips)]
    rows += [row(c, "fps:2", True) | {"model": "a"} for c in clips]
    found = {(r["model"], r["against"]): r for r in models_compared(frame(rows))}
    assert list(found) == [("b", "a"), ("c", "a"), ("c", "b")]
    assert (found["b", "a"]["n"], found["b", "a"]["gained"], found["b", "a"]["lost"]) == (10, 6, 2)
    assert (found["c", "a"]["n"], found["c", "a"]["difference"], found["c", "a"]["n_unpaired"]) == (9, 0, 1)
    # Two-sided binomial, 2 of 8: 2 (1 + 8 + 28) / 256; Holm over the three: of (c, b) 1 of 7: 2 (1 + 7) / 128 = 0.125.
    assert found["b", "a"]["p"] == pytest.approx(74 / 256)
    assert found["c", "b"]["p"] == pytest.approx(0.125)
    assert found["c", "b"]["p_holm"] == pytest.approx(3 * 0.125)
    assert found["b", "a"]["p_holm"] == pytest.approx(2 * 74 / 256)


def test_one_model_in_two_runs_stands_twice() -> None:
    clips = [f"blinking/n02_f1.0_s{s:02d}" for s in range(6)]
    first = frame([row(c, "fps:1", False) for c in clips]).assign(run="x")
    second = frame([row(c, "fps:1", True) for c in clips]).assign(run="y")
    (found,) = models_compared(pd.concat([first, second], ignore_index=True))
    assert (found["model"], found["against"], found["gained"]) == ("m y", "m x", 6)


def test_replicates_are_one_cluster_in_tests_and_rates() -> None:
    # Six clips, three replicates each; fps:2 gains all three of every clip: six clusters all one way. Swapped within
    # clips, 2 of 2^6 outcomes are as extreme; sums exactly as far count half: 1/64.
    clips = [f"blinking/n02_f1.0_s{s:02d}" for s in range(6)]
    rows = [
        row(c, f, f == "fps:2") | {"replicate": r}
        for f in ("fps:1", "fps:2")
        for c in clips
        for r in range(3)
    ]
    scores = frame(rows)
    (found,) = comparisons(scores)
    assert (found["n"], found["gained"], found["clusters"], found["p"]) == (18, 18, 6, pytest.approx(1 / 64))
    em = pooled(scores[scores["sampling"] == "fps:2"])["em"]
    low, _ = wilson(6, 6)
    assert (em.value, em.upper, em.clusters) == (1.0, 1.0, 6)
    assert em.lower < float(low)  # six clips, and Student's t


def test_clips_of_one_look_are_one_cluster() -> None:
    # 40 clips in two looks, one always right, one never: two clusters say nothing, forty clips would say 0.35 to 0.65.
    clips = [f"blinking/n02_f1.0_s{s:02d}" for s in range(40)]
    scores = frame([row(c, "fps:1", s % 2 == 0) for s, c in enumerate(clips)])
    assert pooled(scores)["em"].lower > 0.3
    looks = pooled(scores.assign(look=[s % 2 for s in range(40)]))["em"]
    assert (looks.clusters, looks.lower < 0.05, looks.upper > 0.95) == (2, True, True)
