"""Contract tests for extensions: each check raises an `AssertionError` with the problem and the expectation.

    check_domain("traffic_light")     a domain, from its record to its pixels
    check_model(MyModel())            a model, as a sweep calls it
    check_suite(MySuite(), sweep)     a suite, as the common commands use it

They are what LFT's own tests run on its own domains, models and suites. As in Gymnasium (`check_env`) and PettingZoo
(`api_test`), one call in a test of your package is enough.
"""

from __future__ import annotations

from lft.testing.domains import check_domain
from lft.testing.models import check_model
from lft.testing.suites import check_suite

__all__ = ["check_domain", "check_model", "check_suite"]
