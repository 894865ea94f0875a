"""Planning: exact probabilities by hand, and against simulation."""

from __future__ import annotations

import numpy as np
import pytest

from lft.core.errors import InputError
from lft.core.stats import paired
from lft.counting.audit.power import (
    clips_needed,
    decided_rightly,
    of_study,
    paired_power,
    seeds_needed,
    with_replicates,
)
from lft.counting.frontier import needed


def test_decided_rightly_by_hand() -> None:
    # One seed, tau 0.8: it must be right. Two: both. Ten at 0.5: P(X >= 8) = (45 + 10 + 1) / 1024.
    assert decided_rightly(0.9, 0.8, 1) == pytest.approx(0.9)
    assert decided_rightly(0.9, 0.8, 2) == pytest.approx(0.81)
    assert decided_rightly(0.5, 0.8, 10) == pytest.approx(1 - 56 / 1024)


@pytest.mark.parametrize("accuracy", [0.5, 0.7, 0.9, 0.95])
@pytest.mark.parametrize("cells", [1, 9])
def test_seeds_needed_is_the_least_that_stays_sure(accuracy: float, cells: int) -> None:
    found = seeds_needed(accuracy, certainty=0.9, cells=cells)
    assert found is not None
    assert all(decided_rightly(accuracy, 0.8, n) ** cells >= 0.9 - 1e-12 for n in range(found, found + 60))
    assert found == 1 or decided_rightly(accuracy, 0.8, found - 1) ** cells < 0.9


def test_seeds_that_no_study_has() -> None:
    assert seeds_needed(0.8) is None
    assert seeds_needed(0.801) is None


def test_power_by_hand() -> None:
    # 6 clips, all change, all one way: the two-sided p is 2/64 < 0.05, so it is always found. With 5 it is
    # 2/32: never.
    assert paired_power(1.0, 1.0, 6) == pytest.approx(1)
    assert paired_power(1.0, 1.0, 5) == 0
    assert clips_needed(1.0, discordant=1.0) == 6


@pytest.mark.parametrize(
    ("difference", "discordant", "clips"), [(0.1, 0.2, 150), (0.2, 0.3, 40), (-0.1, 0.3, 200)]
)
def test_power_against_simulation(difference: float, discordant: float, clips: int) -> None:
    rng = np.random.default_rng(0)
    up = (discordant + difference) / 2
    hits = 0
    for _ in range(600):
        u = rng.random(clips)
        hits += paired((u >= up) & (u < discordant), u < up).p <= 0.05
    exact = paired_power(difference, discordant, clips)
    assert hits / 600 == pytest.approx(exact, abs=4 * (exact * (1 - exact) / 600) ** 0.5 + 0.005)


@pytest.mark.parametrize("difference", [0.05, 0.1, 0.3])
def test_clips_needed_reach_the_power(difference: float) -> None:
    found = clips_needed(difference)
    assert found is not None
    assert paired_power(difference, difference + 0.1, found) >= 0.8
    assert paired_power(difference, difference + 0.1, found // 2) < 0.8


def test_too_many_clips() -> None:
    assert clips_needed(0.0005) is None


def test_bad_wishes() -> None:
    for wish in (
        lambda: seeds_needed(1.2),
        lambda: seeds_needed(0.9, tau=0.0),
        lambda: seeds_needed(0.9, certainty=1.0),
        lambda: seeds_needed(0.9, cells=0),
        lambda: clips_needed(0.0),
        lambda: clips_needed(0.3, discordant=0.2),
        lambda: clips_needed(0.1, power=1.5),
        lambda: clips_needed(float("nan")),
    ):
        with pytest.raises(InputError, match="expected"):
            wish()


def test_needed_agrees_with_the_frontier() -> None:
    assert [needed(0.8, n) for n in (1, 2, 3, 4, 5, 10)] == [1, 2, 3, 4, 4, 8]


def test_what_a_study_can_show() -> None:
    found = of_study(730, 10)
    assert [row["power"] for row in found["differences"]] == [
        pytest.approx(paired_power(d, d + 0.1, 730)) for d in (0.01, 0.02, 0.05, 0.1, 0.2)
    ]
    assert found["cells"][0]["certainty"] == pytest.approx(1 - 56 / 1024)
    assert of_study(0, 0) == {"clips": 0, "seeds": 0, "differences": [], "cells": []}


def test_replicates_are_worth_less_than_clips() -> None:
    # 100 answers by three a clip: 34 clips if answers of a clip are independent, 100 if they are always the same; with
    # a correlation of 0.5 three are worth 3 / 2, so 200 / 3 clips.
    assert [with_replicates(100, 3, c) for c in (0.0, 0.5, 1.0)] == [34, 67, 100]
    assert with_replicates(100, 1, 0.7) == 100
    assert with_replicates(None, 3, 0.5) is None
    with pytest.raises(InputError, match="replicates"):
        with_replicates(10, 0, 0.5)


def test_what_replicates_are_worth_is_what_the_test_finds() -> None:
    # A difference of 0.2 with 0.3 discordant, three answers a clip, differences within a clip correlated by about 0.5:
    # the clustered test on as many clips as said finds it about as often as McNemar's on single answers.
    once = clips_needed(0.2, discordant=0.3)
    assert once is not None
    clips = with_replicates(once, 3, 0.5)
    assert clips is not None
    rng = np.random.default_rng(0)
    hits = 0
    for _ in range(600):
        own = rng.random((clips, 3))
        u = np.where(rng.random((clips, 3)) < 0.5**0.5, rng.random((clips, 1)), own)  # pairs correlate by 0.5
        turned = np.where(u < 0.25, 1, np.where(u < 0.3, -1, 0)).ravel()
        found = paired(turned < 0, turned > 0, clusters=np.repeat(np.arange(clips), 3))
        hits += found.p <= 0.05
    assert hits / 600 == pytest.approx(0.8, abs=0.07)
