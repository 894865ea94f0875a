"""The audit of one trial by hand, and of the embedded observer against its ceiling."""

from __future__ import annotations

import pytest

from lft.core.video.frames import Sampling, sample
from lft.core.video.media import Media
from lft.counting.audit.ceiling import ceiling
from lft.counting.audit.columns import CEILING_COLUMNS, COLUMNS, ceilings_of
from lft.counting.clips import Clips
from lft.counting.scores import COLUMNS as ALL
from lft.counting.scores import key_row, score_text
from tests.commands.conftest import run
from tests.counting.clips import trace_at, trace_by_id

KEY = {
    "clip": "blinking/n03_f2.0_s00",
    "model": "m",
    "sampling": "fps:1",
    "labels": "time",
    "prompt": "direct",
}


def test_every_column_by_hand() -> None:
    # Blinks at 1.0, 1.5, 2.0 s at 2 Hz: windows of 0.25 s either side over the span 0.75 .. 2.25 s. Reported:
    # 1, 3.
    trace = trace_at([30, 45, 60], frequency_hz=2.0)
    row = score_text("1. 0:01 - blink - count 1\n2. 0:03 - blink - count 2\n\n\\boxed{2}", trace, evident=2)
    of_the_condition = {"clock_offset_s", "clock_scale", "clock_reach_s", "clock_f1", "clock_p"}
    assert set(COLUMNS) - set(CEILING_COLUMNS) - of_the_condition <= set(row)
    assert (row["matched"], row["missed"], row["hallucinated"]) == (1, 2, 1)
    assert row["displaced"] == 1  # 3 s stands for 1.5 s, the first missed one after the matched 1 s
    assert (row["merged"], row["misidentified"]) == (0, 0)
    assert (row["cause"], row["ledger_consistent"]) == ("no-evidence", True)
    # Whole seconds meet 1.0 and 2.0, not 1.5.
    assert row["resolution_s"] == 1.0
    assert row["format_recall"] == pytest.approx(2 / 3)
    assert row["format_f1"] == pytest.approx(2 * 2 / (2 + 3))
    # Two random times over three tiling windows: E[K] = 3 (1 - (2/3)^2) = 5/3, F1 = 2 (5/3) / 5 = 2/3.
    assert row["chance_f1"] == pytest.approx(2 / 3, abs=0.03)
    assert row["skill_f1"] == pytest.approx((0.4 - row["chance_f1"]) / (1 - row["chance_f1"]))
    # Over 24 s: E[K] = 3 (1 - (1 - 0.5 / 24)^2) = 0.1237, F1 = 0.0495.
    assert row["chance_clip_f1"] == pytest.approx(0.0495, abs=0.015)
    assert (row["bias_s"], row["rms_s"]) == (0.0, 0.0)


def test_a_clip_without_events() -> None:
    row = score_text("no events\n\n\\boxed{0}", trace_at([]), evident=0)
    assert (row["cause"], row["ledger_consistent"], row["missed"], row["hallucinated"]) == (None, True, 0, 0)
    assert "chance_f1" not in row
    assert score_text("\\boxed{3}", trace_at([]), evident=0)["cause"] == "overcounted"
    assert score_text("", trace_at([]), evident=0)["cause"] == "unparsed"


def test_the_cause_reads_the_ledger_under_either_rule() -> None:
    text = "From 00:00 to 00:23 nothing happens.\n\n\\boxed{0}"
    trace = trace_at([30, 60])
    mentions, ledger = (score_text(text, trace, rule=r, evident=2) for r in ("mentions", "ledger"))
    assert (mentions["reported"], ledger["reported"]) == (2, 0)
    assert mentions["cause"] == ledger["cause"] == "missed"
    assert mentions["ledger_consistent"] is True


def test_recorded_frames_come_before_the_policy() -> None:
    trace = trace_by_id("blinking/n03_f2.0_s00")
    on = trace.events[1].time_s
    row = key_row("t", KEY, "ledger", "rate", "answered")
    assert ceilings_of(lambda _: trace)(row, {"frame_times_s": [on]}).evident == (False, True, False)
    assert ceilings_of(lambda _: trace)(row, {"frame_times_s": []}) == ceiling(trace, Sampling.parse("fps:1"))
    native = {**row, "sampling": "native"}
    # Where nobody knows what the provider took, there is no bound; where each answer says it, that is what counts.
    assert ceilings_of(lambda _: trace, native="unknown")(native, None) is None
    recorded = ceilings_of(lambda _: trace, native="recorded")
    assert recorded(native, {"sent": {"native_times_s": [on]}}).evident == (False, True, False)
    assert recorded(native, {}) is None
    assert ceilings_of(lambda _: trace)(native, None).correct
    assert ceilings_of(lambda _: trace, native_rate_hz=1.0)(native, None) == ceiling(
        trace, Sampling.parse("fps:1")
    )


def test_columns_are_part_of_the_table() -> None:
    assert [name for name in ALL if name in COLUMNS] == list(COLUMNS)


GRID = """
domains: [bounce_ball, blinking, state_machine]
counts: [2, 5]
frequencies_hz: [1.0, 2.0]
seeds: 1
size: 256x144
"""


@pytest.fixture(scope="module")
def clips(tmp_path_factory: pytest.TempPathFactory) -> Clips:
    folder = tmp_path_factory.mktemp("audit")
    (folder / "grid_small.yaml").write_text(GRID)
    assert run("render", "--grid", folder / "grid_small.yaml", "--jobs", 1, "--out", folder / "clips") == 0
    return Clips.open(folder / "clips")


@pytest.mark.parametrize("policy", ["fps:1", "fps:2", "native"])
def test_the_observer_does_not_beat_the_ceiling(clips: Clips, policy: str) -> None:
    """From the frames of rendered clips. At `native` it reaches the ceiling."""
    from lft.counting.observer import observe

    right = allowed = 0
    for clip in clips:
        frames = sample(Media.open(clip.video), Sampling.parse(policy))
        best = ceiling(clip.trace, Sampling.parse(policy))
        seen = observe(frames, clip.spec.domain).event_times_s
        # The observer takes lit frames a second apart for two blinks, since none lasts so long: that is not literal.
        assert len(seen) <= (clip.spec.count if clip.spec.domain == "blinking" else best.count), clip.clip_id
        right += len(seen) == clip.spec.count and len(seen) <= best.count
        allowed += best.correct
    assert right <= allowed
    if policy == "native":
        assert right == allowed == len(clips)
