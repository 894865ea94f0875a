"""`must`: an assertion with words, which stands under `python -O` too."""

from __future__ import annotations


def must(holds: object, what: str) -> None:
    """Raises `AssertionError` with `what` unless `holds`.

    >>> must(1 + 1 == 2, "arithmetic")
    """
    if not holds:
        raise AssertionError(what)
