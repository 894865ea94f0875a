"""A live environment for a test, which is skipped, with the reason, where the packages are not installed."""

from __future__ import annotations

from typing import Any

import pytest

from lft.agents.environments import registry
from lft.agents.environments.base import EnvironmentSpec, NotInstalled


def live(spec: EnvironmentSpec | str) -> Any:
    """As `registry.make`."""
    try:
        return registry.make(spec)
    except NotInstalled as missing:
        pytest.skip(str(missing))
