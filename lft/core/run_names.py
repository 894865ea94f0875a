"""Names and folders of runs."""

from __future__ import annotations

import re
from pathlib import Path

from lft.core.errors import InputError, shown
from lft.core.runs import RUNS


def run_folder(name: str) -> Path:
    """The folder of the run with that name; a path is returned unchanged."""
    if re.search(r"[/\\]", name):
        return Path(name)
    if not re.fullmatch(r"[\w.+=:-]{1,120}", name) or name in (".", ".."):
        raise InputError(f"unusable run name {shown(name)}", expected="letters, digits, dot, dash, or a path")
    return RUNS / name


def slug(name: str) -> str:
    """The name of a model as part of a folder name."""
    return re.sub(r"[^\w.+-]+", "-", name).strip("-.")[:80] or "model"
