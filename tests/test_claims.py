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
        if "cells outside" in claim.name:
            continue
        assert claim.found == pytest.approx(claim.quoted, abs=0.01), claim.name


def test_no_more_cells_lie_outside_than_expected(claims: ModuleType) -> None:
    """Of 72 cells 3.6 would lie outside a 95 % interval by chance. The count itself turns on single
    starts.
    """
    (outside,) = [c for c in claims.claims(draws=20_000) if "cells outside" in c.name]
    assert outside.found <= 4
