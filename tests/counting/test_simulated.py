"""The simulated reporter: its text says what it drew, and it draws what its parameters say."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from lft.core.errors import InputError
from lft.core.models import Model, ModelSpec
from lft.core.requests import Request
from lft.counting.parse import parse
from lft.counting.reported import Reported
from lft.counting.scores import score_text
from lft.counting.simulated import Faults, Simulated, account, written
from lft.counting.spec import ClipSpec
from tests.counting.clips import trace_by_id


def model(parameters: str = "") -> Simulated:
    return Simulated(ModelSpec.parse(f"simulated:{parameters}"), trace_by_id)


def answer(m: Simulated, clip: str, **key: Any) -> str:
    full = {"clip": clip, "sampling": "fps:1", "labels": "time", "prompt": "structured_trace", "replicate": 0}
    return m.generate(Request((), key={**full, **key})).text


def test_is_a_model() -> None:
    assert isinstance(model(), Model)
    assert model("miss=0.1?seed=3").describe()["seed"] == 3


@pytest.mark.parametrize("domain", ["bounce_ball", "blinking", "state_machine"])
@pytest.mark.parametrize("count", [0, 1, 5, 12])
@pytest.mark.parametrize("rule", ["ledger", "mentions"])
def test_without_faults_everything_is_right(domain: str, count: int, rule: str) -> None:
    clip = ClipSpec(domain, count, 1.0, 4).clip_id
    trace = trace_by_id(clip)
    row = score_text(answer(model(), clip), trace, rule=rule, evident=count)
    assert row["exact_ledger"]
    assert row["correct"]
    assert (row["cause"], row["ledger_consistent"], row["misidentified"]) == (None, True, 0)


@pytest.mark.parametrize("round_s", [0.0, 0.1, 0.5, 1.0, 2.0])
def test_the_parser_reads_what_was_drawn(round_s: float) -> None:
    faults = Faults(miss=0.2, false=1.0, jitter_s=0.3, round_s=round_s, misadd=0.3)
    trace = trace_by_id("state_machine/n12_f1.5_s02")
    for seed in range(40):
        told = account(trace, faults, np.random.default_rng(seed))
        read = parse(written(told, "structured_trace", round_s), "ledger")
        assert isinstance(read, Reported)
        assert read.final_answer == told.answer
        assert read.times_s == pytest.approx([t for t, _ in told.ledger], abs=6e-4)


def test_an_answer_depends_on_seed_clip_and_replicate_alone() -> None:
    m, clip = model("miss=0.5,jitter_s=0.5"), "blinking/n12_f0.5_s00"
    first = answer(m, clip)
    answer(m, "blinking/n05_f0.5_s01")
    assert answer(m, clip, labels="none") == answer(m, clip, sampling="fps:4") == first
    assert answer(m, clip, replicate=1) != first
    assert answer(model("miss=0.5,jitter_s=0.5?seed=1"), clip) != first


def test_direct_asks_for_the_count_only() -> None:
    assert answer(model(), "blinking/n05_f0.5_s01", prompt="direct") == r"\boxed{5}"


def test_with_evidence_it_reports_what_the_frames_show() -> None:
    m = model("evidence=1")
    for clip in ("bounce_ball/n08_f2.0_s01", "blinking/n08_f2.0_s01", "state_machine/n08_f2.0_s01"):
        trace = trace_by_id(clip)
        for sampling in ("fps:1", "fps:2", "native"):
            from lft.core.video.frames import Sampling
            from lft.counting.audit.ceiling import ceiling

            best = ceiling(trace, Sampling.parse(sampling))
            row = score_text(answer(m, clip, sampling=sampling), trace, evident=best.count)
            assert row["final_answer"] == best.count
            assert row["recall"] == pytest.approx(best.recall)
            assert row["cause"] == (None if best.correct else "no-evidence")


def test_draws_follow_the_parameters() -> None:
    faults = Faults(miss=0.25, false=0.5, jitter_s=0.2, misadd=0.1)
    trace = trace_by_id("blinking/n12_f0.5_s00")
    told = [account(trace, Faults(miss=0.25), np.random.default_rng(s)) for s in range(2000)]
    # 24,000 events: standard error of the share kept is 0.003.
    assert sum(len(t.ledger) for t in told) / 24000 == pytest.approx(0.75, abs=0.012)
    told = [account(trace, faults, np.random.default_rng(s)) for s in range(2000)]
    assert np.mean([len(t.ledger) for t in told]) == pytest.approx(9.5, abs=0.15)
    assert np.mean([len(t.ledger) != t.answer for t in told]) == pytest.approx(0.1, abs=0.03)
    assert all(0 <= t <= 24 for a in told for t, _ in a.ledger)


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ("mis=0.1", "did you mean"),
        ("miss=2", "0 to 1"),
        ("miss=-0.1", "0 to 1"),
        ("miss=nan", "0 to 1"),
        ("miss=many", "a number"),
        ("miss", "a number"),
        ("miss=0.1,miss=0.2", "twice"),
        ("false=1e9", "0 to 10000"),
        ("miss=0.1?sead=1", "did you mean"),
        ("miss=0.1?seed=x", "seed"),
    ],
)
def test_bad_parameters(parameters: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        model(parameters)


def told(parameters: str, clip: str = "blinking/n05_f1.0_s03", **key: Any) -> Any:
    read = parse(answer(model(parameters), clip, **key), "ledger")
    assert isinstance(read, Reported)
    return read


def test_faults_of_the_clock_by_hand() -> None:
    true_s = np.array(trace_by_id("blinking/n05_f1.0_s03").times_s)
    assert told("offset_s=2").times_s == pytest.approx(np.minimum(true_s + 2, 24), abs=2e-3)
    assert told("scale=0.5").times_s == pytest.approx(true_s / 2, abs=2e-3)
    assert told("reverse=1").times_s == pytest.approx((24 - true_s)[::-1], abs=2e-3)
    assert told("even=1").times_s == pytest.approx([2.4, 7.2, 12.0, 16.8, 21.6], abs=2e-3)
    assert sorted(told("shuffle=1").times_s) == pytest.approx(true_s, abs=2e-3)
    blind = told("blind=1")
    assert len(blind.events) == blind.final_answer == 5
    assert blind.times_s != pytest.approx(true_s, abs=0.1)


def test_answers_that_do_not_count_by_hand() -> None:
    for clip in ("blinking/n05_f1.0_s03", "blinking/n12_f4.0_s01"):
        assert told("constant=4", clip).final_answer == 4
    # 24 s at 1 Hz and at 4 Hz, give or take one at the edges; nothing has no rate.
    assert told("rate=1").final_answer in (23, 24, 25)
    assert told("rate=1", "blinking/n12_f4.0_s01").final_answer in (95, 96, 97)
    assert told("rate=1", "blinking/n00_f1.0_s01").final_answer == 0


def test_merged_entries_cover_the_events_and_count_once() -> None:
    read = told("merge=1")  # each with the one before: a single entry from the first event to the last
    (event,) = read.events
    true_s = trace_by_id("blinking/n05_f1.0_s03").times_s
    assert (2 * event.time_s - event.end_s, event.end_s) == pytest.approx((true_s[0], true_s[-1]), abs=2e-3)
    assert read.final_answer == 1


@pytest.mark.parametrize(
    "parameters", ["scale=0", "reverse=2", "constant=1.5", "constant=-1", "offset_s=x", "rate=-1"]
)
def test_impossible_faults_are_refused(parameters: str) -> None:
    with pytest.raises(InputError, match=parameters.partition("=")[0]):
        Faults.parse(parameters)


def test_of_native_video_no_more_is_known_than_its_rate_shows() -> None:
    spec = ModelSpec.parse("simulated:evidence=1")
    sampled = Simulated(spec, trace_by_id, native_rate_hz=1.0)
    clip = ClipSpec(
        "blinking", 12, 4.0, 3
    ).clip_id  # 12 blinks in 3 s: one frame a second shows three at most
    assert answer(sampled, clip, sampling="native") == answer(sampled, clip, sampling="fps:1")
    assert "\\boxed{12}" in answer(model("evidence=1"), clip, sampling="native")
    assert (sampled.describe()["native_frames"], sampled.describe()["native_rate_hz"]) == ("sampled", 1.0)
