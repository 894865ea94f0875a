"""Tiny models of each family, made once, and a clip whose frames tell their numbers.

All of it needs torch.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from lft.core import models
from tests.core.models import contract

clip = contract.clip  # the fixture
FAMILIES = ("qwen3_vl", "qwen2_5_vl", "internvl")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(item.fspath).parent == Path(__file__).parent:
            item.add_marker("hf")


@pytest.fixture(scope="session")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """folders("qwen3_vl"): where the tiny model of that family is."""
    torch = pytest.importorskip("torch")
    torch.set_num_threads(1)  # models this small only wait for one another
    pytest.importorskip("transformers")
    base = tmp_path_factory.mktemp("tiny")

    @cache
    def made(family: str) -> Path:
        from tests.hf import tiny

        return tiny.FAMILIES[family](base / family)

    return made


@pytest.fixture(scope="session")
def load(folders: Callable[[str], Path]) -> Callable[..., Any]:
    """load("qwen3_vl", "batch=2"): the model, in memory; six tokens long at most."""

    @cache
    def made(family: str, options: str = "") -> Any:
        more = f"&{options}" if options else ""
        return models.load(f"hf:{folders(family)}?max_new_tokens=6{more}")

    return made
