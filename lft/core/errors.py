"""Errors a user can act on.

Every mistake of a user (a file, a name, a number) is raised as `InputError`: one line that says what is wrong, where,
and what was expected. The command line prints that line and exits with status 2; a traceback is always a defect of LFT.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable

_LONGEST_SHOWN = 120  # characters of an untrusted value that may appear in an error line
_LONGEST_PLACE = 400  # and of the path it came from


class InputError(ValueError):
    """Wrong usage or unreadable input, in one line: where, what is wrong, what was expected or what to try.

    >>> str(InputError("count is -1", where="sweep.yaml: grid", expected="a whole number from 0 on"))
    'sweep.yaml: grid: count is -1; expected a whole number from 0 on'
    >>> str(InputError("another sweep is writing to this run", where="runs/a", remedy="another --run NAME"))
    'runs/a: another sweep is writing to this run; try another --run NAME'
    """

    def __init__(
        self, what: str, *, where: object = None, expected: str | None = None, remedy: str | None = None
    ) -> None:
        line = f"{_bounded(str(where))}: {what}" if where is not None else what
        if expected:
            line += f"; expected {expected}"
        if remedy:
            line += f"; try {remedy}"
        self.what = what
        # File names are untrusted: control characters are escaped.
        super().__init__("".join(c if c.isprintable() else repr(c)[1:-1] for c in " ".join(line.split())))

    @classmethod
    def of_system(cls, error: OSError) -> InputError:
        """The error for an `OSError`, in the words of the system.

        >>> str(InputError.of_system(OSError(36, "File name too long", "aaa")))
        'aaa: File name too long; try another path, or free space'
        >>> str(InputError.of_system(PermissionError(13, "Permission denied", "aaa")))
        'aaa: Permission denied; try a path that you may read and write'
        """
        what = error.strerror or str(error) or type(error).__name__
        denied = isinstance(error, PermissionError)
        remedy = "a path that you may read and write" if denied else "another path, or free space"
        return cls(what, where=error.filename, remedy=remedy)


class RunIncomplete(Exception):
    """A check failed, or trials are missing: the command has printed its result and exits with status 1."""


def shown(value: object) -> str:
    """An untrusted value for an error line: printable, on one line, of bounded length.

    >>> shown("a\\x1b[31mb\\n")
    "'a\\\\x1b[31mb\\\\n'"
    """
    text = repr(value)
    return text if len(text) <= _LONGEST_SHOWN else text[: _LONGEST_SHOWN - 3] + "..."


def _bounded(place: str) -> str:
    half = _LONGEST_PLACE // 2
    return place if len(place) <= _LONGEST_PLACE else f"{place[:half]}...{place[-half:]}"


_MOST_NAMES = 40


def unknown_name(kind: str, name: str, known: Iterable[str], *, where: object = None) -> InputError:
    """The error for an unknown name, with the nearest known one and at most 40 others.

    >>> str(unknown_name("labels", "tme", ["time", "index"]))
    "unknown labels 'tme'; expected time (did you mean this?), index"
    >>> str(unknown_name("name", "x", map(str, range(2190)))).split(", ")[-1]
    '2150 more'
    """
    names = sorted(known)
    near = difflib.get_close_matches(str(name), names, n=1, cutoff=0.5)
    ordered = [f"{near[0]} (did you mean this?)"] + [n for n in names if n != near[0]] if near else names
    more = [f"{len(ordered) - _MOST_NAMES} more"] if len(ordered) > _MOST_NAMES else []
    expected = ", ".join([*ordered[:_MOST_NAMES], *more])
    return InputError(f"unknown {kind} {shown(name)}", where=where, expected=expected)
