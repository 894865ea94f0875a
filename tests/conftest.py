"""Fixtures for all tests."""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path

import pytest
from hypothesis import settings

REPOSITORY = Path(__file__).resolve().parent.parent

# No deadlines: speed is for the benchmarks. In CI the same examples every time, so that a change is what fails.
settings.register_profile("lft", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "lft")

# Tests of open weights have a target of their own (`make test-hf`); without torch they cannot even be read.
collect_ignore_glob = [] if importlib.util.find_spec("torch") else ["hf/*"]


@pytest.fixture(scope="session")
def shared() -> Path:
    """Reference data kept beside the checkout (clips by other authors, published figures); never committed."""
    folder = Path(os.environ.get("LFT_SHARED", REPOSITORY.parent / "shared"))
    if not (folder / "real" / "cases.json").is_file():
        pytest.skip(f"reference data not found at {folder}; set LFT_SHARED to its folder")
    return folder
