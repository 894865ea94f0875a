"""The table of limits: each number has a source, and where none was found nothing is held back."""

from __future__ import annotations

import datetime

import pytest

from lft.core.models.gemini import Gemini
from lft.core.models.limits import LIMITS, NOT_FOUND, limit_of


@pytest.mark.parametrize("provider", LIMITS)
def test_every_number_has_a_source_and_a_day(provider: str) -> None:
    for limit in LIMITS[provider]:
        assert datetime.date.fromisoformat(limit.read) <= datetime.date.today()
        for number, source in (
            (limit.images, limit.source),
            (limit.inline_mb, limit.inline_source or limit.source),
        ):
            assert (source == NOT_FOUND) is (number is None)
            assert source == NOT_FOUND or source.startswith("https://")


def test_an_option_goes_before_the_table_and_an_unknown_size_holds_nothing_back() -> None:
    assert limit_of("vertex", "gemini-3.6-flash").inline_mb is None
    assert limit_of("vertex", "gemini-3.6-flash", {"inline_mb": 7.0}).inline_mb == 7.0
    assert limit_of("azure", "mine").images == 50


def test_what_fits_into_a_request_is_counted_in_base64() -> None:
    model = Gemini.__new__(Gemini)
    model._inline_mb = 4.0
    assert (model._fits(3_000_000), model._fits(3_000_001)) == (True, False)  # 4 bytes for each 3
    model._inline_mb = None
    assert model._fits(10**12)
