"""Tests of the agents suite are skipped, with the reason, where the extra `agents` is not installed."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from pathlib import Path

import pytest

HAS_EXTRA = importlib.util.find_spec("gymnasium") is not None


@pytest.fixture
def cliff(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A working directory in which the suite has two tasks of Cliff Walking, and one demonstration."""
    if not HAS_EXTRA:
        pytest.skip("the extra agents is not installed: pip install 'lft-bench[agents]'")
    from tests.agents.rows import known, made

    monkeypatch.chdir(tmp_path)
    (tmp_path / "data").mkdir()
    with known(tmp_path / "data", [made("cliff_walking", [0, 1, 2], decisions=20)]):
        yield tmp_path
