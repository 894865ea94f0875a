"""What a run is called, and where it is kept."""

from __future__ import annotations

import re
from pathlib import Path

from lft.core.errors import InputError, shown
from lft.core.runs import RUNS


def run_folder(name: str) -> Path:
    """Where a run of that name is kept; a path stands for itself."""
    if re.search(r"[/\\]", name):
        return Path(name)
    if not re.fullmatch(r"[\w.+=:-]{1,120}", name) or name in (".", ".."):
        raise InputError(f"unusable run name {shown(name)}", expected="letters, digits, dot, dash, or a path")
    return RUNS / name


def slug(name: str) -> str:
    """A model's name as part of a folder's name."""
    return re.sub(r"[^\w.+-]+", "-", name).strip("-.")[:80] or "model"
