"""Fixtures for all tests."""

from __future__ import annotations

import importlib.util
import os
import signal
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


def pytest_configure() -> None:
    # Started in the background (`nohup`, `&`), the tests inherit signals that are ignored, and so would the
    # commands that they start and interrupt.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
        signal.signal(signal.SIGHUP, signal.SIG_DFL)


@pytest.fixture(scope="session")
def shared() -> Path:
    """Reference data kept beside the checkout (clips by other authors, published figures); never committed."""
    folder = Path(os.environ.get("LFT_SHARED", REPOSITORY.parent / "shared"))
    if not (folder / "real" / "cases.json").is_file():
        pytest.skip(f"reference data not found at {folder}; set LFT_SHARED to its folder")
    return folder
