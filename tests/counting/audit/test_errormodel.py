"""Parameter recovery in small, and the estimators by hand. The thousand runs are in
benchmarks/recovery.py.
"""

from __future__ import annotations

from types import ModuleType

import numpy as np
import pytest

from lft.counting.audit.errormodel import Heard, by_frequency, error_model, heard
from lft.counting.parse import parse
from lft.counting.reported import Doubt, Reported, ReportedEvent
from tests.counting.clips import trace_of
from tests.scripts import benchmark


@pytest.fixture(scope="module")
def recovery() -> ModuleType:
    return benchmark("recovery")


def _one(cluster: object, true_s: list[float], reported_s: list[float], **more: object) -> Heard:
    known = {"hidden": 0, "step_s": 0.01, "follows": True, "frequency_hz": 1.0, "duration_s": 24.0}
    return Heard(cluster=cluster, true_s=tuple(true_s), reported_s=tuple(reported_s), **(known | more))  # type: ignore[arg-type]


def test_by_hand() -> None:
    # Far from all else, so that there is one way to read them: 2 of 5 events missed; 1 invented in 3 clips; 1 of 3
    # ledgers added up wrongly; off by 0.1 s twice and 0.2 s once, root mean square sqrt(0.06 / 3) = 0.1414.
    found = error_model(
        [
            _one("a", [3.0, 9.0, 15.0], [3.1, 9.1, 21.0]),
            _one("b", [3.0, 15.0], [2.8], follows=False),
            _one("c", [], []),
        ]
    ).parameters
    assert found["miss"].value == pytest.approx(2 / 5, abs=0.03)  # an invention may be a report of 0.2 s off
    assert found["false"].value == pytest.approx(1 / 3, abs=0.05)
    assert found["misadd"].value == pytest.approx(1 / 3)
    assert found["jitter_s"].value == pytest.approx(0.1414, abs=0.01)
    assert (found["miss"].n, found["false"].n, found["miss"].clusters) == (5, 3, 3)
    for estimate in found.values():
        assert estimate.lower <= estimate.value <= estimate.upper
        assert estimate.lower < estimate.upper
    assert error_model([]).parameters == {}


def test_perfect_reports_leave_room() -> None:
    # 40 events in 20 clips, all reported to the hundredth: none missed, none invented, no jitter that hundredths could
    # show; and the rule of three says that rates up to about 3 / n remain possible.
    clips = [_one(k, [4.0, 14.0], [4.0, 14.0]) for k in range(20)]
    found = error_model(clips).parameters
    assert found["miss"].value == pytest.approx(0, abs=1e-6)
    assert 0.03 < found["miss"].upper < 0.3
    assert found["false"].value == pytest.approx(0, abs=1e-4)
    assert 0.05 < found["false"].upper < 1.0
    assert (found["jitter_s"].lower, found["jitter_s"].upper < 0.01) == (0.0, True)
    assert (found["misadd"].value, round(found["misadd"].upper, 2)) == (0.0, 0.16)  # Wilson's, 0 of 20


def test_an_event_that_no_frame_shows_is_not_missed() -> None:
    ledger = parse("1. 0:05.00 - blink\n\n\\boxed{1}", "ledger")
    told = [heard(ledger, trace_of([5, 11]), evident, k) for k, evident in enumerate([(True, False)] * 12)]
    model = error_model(told)
    assert (model.parameters["miss"].value, model.hidden, model.frames_known) == (
        pytest.approx(0, abs=1e-6),
        12,
        True,
    )
    unknown = error_model([heard(ledger, trace_of([5, 11]), None, k) for k in range(12)])
    assert unknown.parameters["miss"].value == pytest.approx(0.5, abs=1e-3)
    assert not unknown.frames_known


def test_doubted_lists_are_left_out_and_bound_what_adding_could_be() -> None:
    events = (ReportedEvent(5.0), ReportedEvent(11.0))
    doubted = Reported(events, 4, doubts=(Doubt("several-times"),))
    clear, wrong = Reported(events, 2), Reported(events, 3)
    told = [
        heard(one, trace_of([5, 11]), (True, True), k) for k, one in enumerate([clear, clear, wrong, doubted])
    ]
    model = error_model(told)
    assert (model.doubted, model.parameters["misadd"].value) == (1, pytest.approx(1 / 3))
    assert model.misadd_range == (pytest.approx(1 / 4), pytest.approx(2 / 4))


def test_an_answer_without_a_list_says_nothing_of_events() -> None:
    told = [
        heard(parse(text, "ledger"), trace_of([5, 11]), (True, True), k)
        for k, text in enumerate(["\\boxed{2}"] * 4)
    ]
    model = error_model(told)
    assert (model.parameters, model.unlisted) == ({}, 4)
    nothing = heard(parse("No events.\n\\boxed{0}", "ledger"), trace_of([5, 11]), (True, True), 0)
    assert nothing.listed


def test_whole_seconds_hide_small_jitter_and_show_a_large_one() -> None:
    rng = np.random.default_rng(0)
    for jitter_s in (0.3, 0.8):
        clips = []
        for k in range(60):
            true_s = [4.0 + 2.1 * i + rng.uniform(0, 0.5) for i in range(6)]
            clips.append(_one(k, true_s, [round(t + rng.normal(0, jitter_s)) for t in true_s], step_s=1.0))
        found = error_model(clips).parameters["jitter_s"]
        assert found.lower <= jitter_s <= found.upper
        assert found.value == pytest.approx(jitter_s, rel=0.2)


def test_an_exact_reporter_of_coarse_times_has_no_jitter_to_find() -> None:
    rng = np.random.default_rng(0)
    clips = []
    for k in range(40):
        true_s = [4.0 + 3 * i + rng.uniform(0, 1) for i in range(4)]
        clips.append(_one(k, true_s, [round(t) for t in true_s], step_s=1.0))
    found = error_model(clips).parameters["jitter_s"]
    assert (found.lower, found.upper < 0.2) == (0.0, True)


def test_blind_reports_are_inventions() -> None:
    rng = np.random.default_rng(0)
    clips = []
    for k in range(80):
        true_s = [rng.uniform(0, 20) + 0.5 * i for i in range(4)]
        clips.append(_one(k, sorted(true_s), rng.uniform(0, 24, 4).tolist()))
    found = error_model(clips).parameters
    assert found["miss"].upper > 0.8
    assert found["false"].value > 2.5


def test_rates_do_not_bias(recovery: ModuleType) -> None:
    """Twelve runs of 219 clips at every rate: mean estimates lie within four standard errors of the truth, where pairs
    within the scoring tolerance had miss at 0.33 and false at 0.9 from 4 Hz on.
    """
    truth = {"miss": 0.15, "false": 0.3, "misadd": 0.1, "jitter_s": 0.1}
    found = [recovery.one_run(run, seeds=1) for run in range(12)]
    covered = []
    for at in ("0.5", "2", "4", "all"):
        for name, true in truth.items():
            values = np.array([one[at, name] for one in found])
            assert values[:, 0].mean() == pytest.approx(true, abs=4 * values[:, 0].std(ddof=1) / 12**0.5), (
                at,
                name,
            )
            covered += list((values[:, 1] <= true) & (true <= values[:, 2]))
    assert np.mean(covered) > 0.87  # 192 intervals


def test_frames_that_show_little_do_not_make_events_missed(recovery: ModuleType) -> None:
    runs = [
        recovery.one_run(run, faults="miss=0.4,jitter_s=0.1,round_s=0.1", seeds=1, sampling="fps:1")
        for run in range(4)
    ]
    assert np.mean([one["all", "miss"][0] for one in runs]) == pytest.approx(0.4, abs=0.04)


def test_by_frequency_takes_each_answer_once() -> None:
    clips = [_one(k, [4.0, 8.0], [4.0], frequency_hz=[0.5, 2.0][k % 2]) for k in range(12)]
    found = by_frequency(clips)
    assert list(found) == [0.5, 2.0]
    assert all(model.parameters["miss"].n == 12 for model in found.values())
