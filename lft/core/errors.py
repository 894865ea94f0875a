"""Errors a user can act on.

Everything a user can get wrong (a file, a name, a number) is raised as `InputError`, which says in one line what
was wrong, where, and what would work. The command line prints that line and exits with status 2; a traceback is
always a defect of ours.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable

_LONGEST_SHOWN = 120  # characters of an untrusted value that may appear in an error line
_LONGEST_PLACE = 400  # and of the path it came from


class InputError(ValueError):
    """Wrong usage or unreadable input: what, where, what would work, in one line.

    >>> str(InputError("count is -1", where="sweep.yaml: grid.count", remedy="a whole number from 0 on"))
    'sweep.yaml: grid.count: count is -1; would work: a whole number from 0 on'
    """

    def __init__(self, what: str, *, where: object = None, remedy: str | None = None) -> None:
        line = f"{_bounded(str(where))}: {what}" if where is not None else what
        if remedy:
            line += f"; would work: {remedy}"
        # Names of files come from anyone: a control character is shown, not obeyed.
        super().__init__("".join(c if c.isprintable() else repr(c)[1:-1] for c in " ".join(line.split())))

    @classmethod
    def of_system(cls, error: OSError) -> InputError:
        """What the system refused, in its words, where no more is known of what was being done.

        >>> str(InputError.of_system(OSError(36, "File name too long", "aaa")))
        'aaa: File name too long; would work: another path, or free space'
        >>> str(InputError.of_system(PermissionError(13, "Permission denied", "aaa")))
        'aaa: Permission denied; would work: a path that you may read and write'
        """
        what = error.strerror or str(error) or type(error).__name__
        denied = isinstance(error, PermissionError)
        remedy = "a path that you may read and write" if denied else "another path, or free space"
        return cls(what, where=error.filename, remedy=remedy)


class RunIncomplete(Exception):
    """A check failed, or trials are missing: the command has printed its result and exits with status 1."""


def shown(value: object) -> str:
    """An untrusted value as it may appear in an error line: printable, one line, bounded.

    >>> shown("a\\x1b[31mb\\n")
    "'a\\\\x1b[31mb\\\\n'"
    """
    text = repr(value)
    return text if len(text) <= _LONGEST_SHOWN else text[: _LONGEST_SHOWN - 3] + "..."


def _bounded(place: str) -> str:
    half = _LONGEST_PLACE // 2
    return place if len(place) <= _LONGEST_PLACE else f"{place[:half]}...{place[-half:]}"


def unknown_name(kind: str, name: str, known: Iterable[str], *, where: object = None) -> InputError:
    """The error for a name that is not among the known ones, with the nearest of them.

    >>> str(unknown_name("labels", "tme", ["time", "index"]))
    "unknown labels 'tme'; would work: time (did you mean this?), index"
    """
    names = sorted(known)
    near = difflib.get_close_matches(str(name), names, n=1, cutoff=0.5)
    ordered = [f"{near[0]} (did you mean this?)"] + [n for n in names if n != near[0]] if near else names
    return InputError(f"unknown {kind} {shown(name)}", where=where, remedy=", ".join(ordered))
