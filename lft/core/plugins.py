"""Extensions in other installed packages, by entry points in their pyproject.toml:

    [project.entry-points."lft.models"]
    mine = "my_package.models:Mine"               # as in lft.core.models.PROVIDERS

    [project.entry-points."lft.suites"]
    guessing = "my_package.guessing:SUITE"        # a lft.core.suite.Suite, see docs/adding-a-suite.md

A suite may define further groups. Built-in names cannot be replaced.
"""

from __future__ import annotations

import importlib
from collections.abc import Container
from typing import Any

from lft.core.errors import InputError

MODELS, SUITES = "lft.models", "lft.suites"


def plugged(group: str, taken: Container[str] = ()) -> dict[str, str]:
    """Name -> "module:object" of a group, except `taken` names. Nothing is imported.

    >>> plugged("lft.no_such_group")
    {}
    """
    from importlib.metadata import entry_points

    found = sorted(entry_points(group=group), key=lambda point: point.name)
    return {point.name: point.value for point in found if point.name not in taken}


def loaded(what: str, reference: str) -> Any:
    """The object named by "module:object"; raises `InputError` (with `what` as its name) if its package cannot be
    imported. Import errors of LFT's own modules are not converted.
    """
    module_name, _, attribute = reference.partition(":")
    try:
        return getattr(importlib.import_module(module_name), attribute)
    except (ImportError, AttributeError) as error:
        if module_name.startswith("lft."):
            raise
        raise InputError(
            f"{what} cannot be loaded ({error})",
            where=module_name,
            remedy="reinstalling the package",
        ) from error
