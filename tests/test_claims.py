"""The figures that LFT quotes about the published study come out of one command, each within 0.01."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import pytest

from tests.scripts import benchmark


@pytest.fixture(scope="module")
def claims() -> ModuleType:
    return benchmark("claims")


def test_timing_of_the_published_clips(claims: ModuleType, shared: Path) -> None:
    """The periods that the timing rule gives are those between the instants read off the clips' pixels."""
    import json

    for case in json.loads((shared / "real" / "cases.json").read_text())["cases"]:
        times = case["pixel_times_s"]
        if len(times) > 1 and case["domain"] != "bounce_ball":
            measured = (times[-1] - times[0]) / (len(times) - 1)
            assert measured == pytest.approx(claims.period_s(case["frequency_hz"]), abs=0.004)


def test_every_figure_is_within_a_hundredth(claims: ModuleType) -> None:
    for claim in claims.claims(draws=20_000):
        if claim.quoted is not None and not claim.name.startswith("state machine: cells"):
            assert claim.found == pytest.approx(claim.quoted, abs=0.01), claim.name


def test_cells_outside_the_interval_are_as_many_as_quoted_within_what_the_draws_allow(
    claims: ModuleType,
) -> None:
    (outside,) = [c for c in claims.claims(draws=20_000) if c.name.startswith("state machine: cells")]
    assert outside.low <= outside.quoted == 3 <= outside.high <= 6
    assert outside.found == pytest.approx(3, abs=1)


def test_cells_outside_by_hand(claims: ModuleType) -> None:
    import numpy as np

    # Ten clips at 1/2: P(count <= 1) = 11/1024 = 0.011 and P(<= 2) = 56/1024 = 0.055, so 2 to 8 are inside;
    # at 0 and at 1 nothing but 0 and 10 is.
    ceiling = np.array([0.5, 0.5, 0.5, 0.5, 0.0, 0.0, 1.0, 1.0])
    accuracy = np.array([0.2, 0.8, 0.1, 0.9, 0.0, 0.1, 1.0, 0.9])
    assert claims.outside(accuracy, ceiling) == 4


def test_showcases_of_wrong_accumulation_add_up_to_their_ledgers(
    claims: ModuleType, shared: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LFT_SHARED", str(shared))
    found = {claim.name: claim.found for claim in claims.showcases()}
    # Case 13 lists four of five contacts, case 14 one report for three blinks; case 18 lists nothing.
    assert len(found) == 4
    assert [found[name] for name in found if name.endswith("in its ledger")] == [4, 1]
    assert [found[name] for name in found if name.endswith("answer less ledger")] == [0, 0]


def test_without_the_reference_data_the_showcases_are_left_out(
    claims: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("LFT_SHARED", str(tmp_path))
    assert claims.showcases() == []
    assert "LFT_SHARED" in capsys.readouterr().err
