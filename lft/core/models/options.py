"""Options of a model spec (`?key=value&...`), read strictly: an error for an unknown key names the nearest one."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from typing import Any

from lft.core.errors import InputError, shown, unknown_name
from lft.core.models import ModelSpec
from lft.core.records import JsonObject

Reader = Callable[[str], Any]  # raises ValueError with what was expected


def read_options(spec: ModelSpec, known: Mapping[str, Reader]) -> JsonObject:
    """The options of `spec` as values; raises `InputError` for an unknown key or an unusable value.

    >>> read_options(ModelSpec.parse("openai:x?seed=3"), {"seed": whole(0)})
    {'seed': 3}
    """
    where = f"model {spec.provider}"
    values = {}
    for key, text in spec.options.items():
        if key not in known:
            raise unknown_name("option", key, known, where=where)
        try:
            values[key] = known[key](text)
        except ValueError as error:
            said = "no such name" if key.endswith("_env") else shown(text)  # a key may have been put there
            raise InputError(f"option {key} is {said}", where=where, expected=str(error)) from None
    return values


def number(low: float, high: float = math.inf, *, above: bool = False) -> Reader:
    """A finite number from `low` (above it, if `above`) to `high`."""

    def read(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not (math.isfinite(value) and (value > low if above else value >= low) and value <= high):
            bound = f" up to {high:g}" if high < math.inf else ""
            raise ValueError(f"a number {'above' if above else 'from'} {low:g}{bound}")
        return value

    return read


def whole(low: int, high: int = 2**31 - 1) -> Reader:
    """A whole number from `low` to `high`."""

    def read(text: str) -> int:
        if not re.fullmatch(r"[+-]?\d{1,12}", text) or not low <= int(text) <= high:
            raise ValueError(f"a whole number from {low}" + (f" to {high}" if high < 2**31 - 1 else ""))
        return int(text)

    return read


def one_of(*names: str) -> Reader:
    """One of a few words."""

    def read(text: str) -> str:
        if text not in names:
            raise ValueError(", ".join(names))
        return text

    return read


def word(pattern: str, expected: str) -> Reader:
    """Text that matches `pattern` whole."""

    def read(text: str) -> str:
        if not re.fullmatch(pattern, text):
            raise ValueError(expected)
        return text

    return read


def yes_no(text: str) -> bool:
    """`yes` or `no`."""
    if text not in ("yes", "no"):
        raise ValueError("yes or no")
    return text == "yes"
