"""What other installed packages add, by entry points in their pyproject.toml:

    [project.entry-points."lft.models"]
    mine = "my_package.models:Mine"               # as in lft.core.models.PROVIDERS

    [project.entry-points."lft.suites"]
    guessing = "my_package.guessing:SUITE"        # a lft.core.suite.Suite, see docs/adding-a-suite.md

A suite has groups of its own. A name that LFT has itself stays what it is.
"""

from __future__ import annotations

import importlib
from collections.abc import Container
from typing import Any

from lft.core.errors import InputError

MODELS, SUITES = "lft.models", "lft.suites"


def plugged(group: str, taken: Container[str] = ()) -> dict[str, str]:
    """Name -> "module:object" of a group, but for names that are taken. Nothing is imported.

    >>> plugged("lft.no_such_group")
    {}
    """
    from importlib.metadata import entry_points

    found = sorted(entry_points(group=group), key=lambda point: point.name)
    return {point.name: point.value for point in found if point.name not in taken}


def loaded(what: str, reference: str) -> Any:
    """The object that "module:object" names; raises `InputError`, which calls it `what`, if the package that brings it
    cannot be imported. A fault of LFT's own stays what it is.
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
