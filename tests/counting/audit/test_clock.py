"""Clocks: known offsets, scales and spreads are recovered, with misses and inventions among the times."""

from __future__ import annotations

import numpy as np
import pytest

from lft.counting.audit.clock import LEAST_CLIPS, Clock, Clocks, Told, clocks_of, f1_of, fold_of
from lft.counting.audit.condition_clocks import beside_shown
from lft.counting.reported import ReportedEvent


def answers(
    n: int = 120,
    *,
    offset_s: float = 0.0,
    scale: float = 1.0,
    backwards: bool = False,
    jitter_s: float = 0.0,
    blind: bool = False,
    miss: float = 0.0,
    false: float = 0.0,
    seed: int = 0,
) -> list[Told]:
    """Answers about clips of 24 s, events at 0.5 to 4 Hz from a random start."""
    rng = np.random.default_rng(seed)
    found = []
    for k in range(n):
        count, rate_hz = int(rng.choice([1, 2, 3, 5, 8])), float(rng.choice([0.5, 1.0, 2.0, 4.0]))
        start_s = rng.uniform(0, 20 - count / rate_hz)
        true_s = start_s + (np.arange(count) + 0.5) / rate_hz
        said_s = (
            rng.uniform(0, 24, count) if blind else offset_s + scale * (24 - true_s if backwards else true_s)
        )
        said_s = (said_s + rng.normal(0, 1, count) * jitter_s)[rng.random(count) >= miss]
        said_s = np.concatenate([said_s, rng.uniform(0, 24, rng.poisson(false))])
        times = tuple(float(t) for t in np.sort(np.clip(said_s, 0, None)))
        found.append(
            Told(
                f"blinking/n{count:02d}_f{rate_hz}_s{k:02d}", tuple(true_s.tolist()), times, 1 / (2 * rate_hz)
            )
        )
    return found


def clocks(**faults: float) -> Clocks:
    found = clocks_of(answers(**faults))
    assert found is not None
    return found


@pytest.mark.parametrize("noise", [{}, {"miss": 0.15}, {"miss": 0.2, "false": 0.4}])
@pytest.mark.parametrize(("offset_s", "scale"), [(2.0, 1.0), (-1.0, 1.0), (0.0, 0.83), (1.0, 1.2)])
def test_a_line_is_recovered(offset_s: float, scale: float, noise: dict[str, float]) -> None:
    found = clocks(offset_s=offset_s, scale=scale, **noise)
    assert found.line[0] == pytest.approx(offset_s, abs=0.15)
    assert found.line[1] == pytest.approx(scale, abs=0.02)
    assert found.order > 0.8
    assert found.folds[0].informative
    for one in found.folds:  # no clip is judged by a clock that was fitted to it, and all say the same
        assert one.offset_s == pytest.approx(offset_s, abs=0.3)


def test_a_right_clock_is_left_alone() -> None:
    found = clocks()
    assert all(one.is_right for one in found.folds)
    assert found.line == pytest.approx((0.0, 1.0), abs=1e-6)
    told = answers(1)[0]
    assert f1_of(told, found.of(told.clip)) == 1.0


def test_reversed_and_blind_are_told_apart() -> None:
    back, blind = clocks(backwards=True), clocks(blind=True)
    assert back.line == pytest.approx((24.0, -1.0), abs=0.05)
    assert back.order < -0.95
    assert back.document()["set_right"]
    assert back.folds[0].informative
    assert abs(blind.order) < 0.3
    assert not blind.folds[0].informative
    assert blind.document()["uninformed_interval"][1] > 0.95
    assert not blind.document()["set_right"]


def test_jitter_is_a_spread_and_no_offset() -> None:
    found = clocks(jitter_s=1.5)
    assert 0.8 < found.spread_s < 1.7
    assert abs(found.line[0]) < 0.6
    assert found.document()["informative"]
    assert found.document()["uninformed"] < 0.3


def test_p_is_uniform_for_a_reporter_that_does_not_look() -> None:
    chances = np.concatenate([clocks(blind=True, seed=seed).chances for seed in range(6)])
    # 720 values of p: shares below a quarter, a half and three quarters, give or take three standard errors.
    for level in (0.25, 0.5, 0.75):
        assert np.mean(chances < level) == pytest.approx(level, abs=3 * 0.5 / 720**0.5)


def test_too_few_answers_tell_no_clock() -> None:
    assert clocks_of(answers(LEAST_CLIPS - 1)) is None
    assert clocks_of([]) is None
    one = answers(1)[0]
    assert clocks_of([one] * 40) is None  # all events at one place


def test_a_clock_goes_through_a_row_of_scores() -> None:
    for clock in (
        Clock(2.0, 0.5, 0.25),
        Clock(),
        Clock(0.0, 1.0, 0.3),
        Clock(spread_s=0.2, informative=False),
    ):
        back = Clock.of_row(clock.columns())
        assert (back.offset_s, back.scale, back.reach_s) == (clock.offset_s, clock.scale, clock.reach_s)
    assert Clock.of_row({}) == Clock()


def test_folds_are_a_function_of_the_clip() -> None:
    assert {fold_of(f"c{k}") for k in range(100)} == set(range(5))
    assert fold_of("c1") == fold_of("c1")


def test_times_outside_the_clip_are_set_to_its_start() -> None:
    from lft.counting.audit.clock import set_right

    assert set_right(ReportedEvent(1.0), Clock(2.0)).time_s == 0.0


def test_times_run_beside_the_events_that_were_shown() -> None:
    """Two of four events shown, and both reported a tenth of a second late: by rank among all four the clock would be
    2 s off. Who lists all four inferred them, and is held against all."""
    told = Told("a", (2.0, 4.0, 6.0, 8.0), (6.1, 8.1), 0.5)
    evident = (False, False, True, True)
    assert beside_shown(told, evident).true_s == (6.0, 8.0)
    assert beside_shown(told, (False,) * 4).true_s == told.true_s
    whole = Told("a", told.true_s, told.true_s, (0.1, 0.2, 0.3, 0.4))
    assert beside_shown(whole, evident).true_s == told.true_s
    two = Told("a", told.true_s, (6.1,), (0.1, 0.2, 0.3, 0.4))
    assert beside_shown(two, evident).window_s == (0.3, 0.4)
